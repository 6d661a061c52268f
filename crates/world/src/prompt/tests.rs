use super::{BASE_PROMPT, Draft, PromptSources, assemble, clipped};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use reasonix_agent::estimate_tokens;
use reasonix_config::RulesFile;
use reasonix_proto::PartKind;
use std::path::{Path, PathBuf};

fn file(kind: PartKind, path: &str, text: &str, truncated: bool) -> RulesFile {
    RulesFile { kind, path: PathBuf::from(path), text: text.to_owned(), truncated }
}

fn draft(files: &[RulesFile], window: u64) -> Draft {
    assemble(&PromptSources { base: "base", files, window, ..PromptSources::default() })
}

#[test]
fn order_is_fixed_and_the_same_input_gives_the_same_bytes() {
    let files = [
        file(PartKind::UserRules, "/home/u/AGENTS.md", "first\n", false),
        file(PartKind::ProjectRules, "AGENTS.md", "second", true),
        file(PartKind::Instructions, "docs/style.md", "third", false),
        file(PartKind::Ignored, ".gitignore", "/target", false),
    ];
    let make = || {
        assemble(&PromptSources {
            base: BASE_PROMPT,
            cwd: Some(Path::new("/w")),
            files: &files,
            rules: ["# Rules that always hold\nalways", "# Rules for certain work\nseldom"],
            memory: "# Remembered\nfourth",
            skills: "# Skills\nfifth",
            appended: Some(" last "),
            window: 100_000,
        })
    };
    let made = make();
    assert_eq!(made, make());
    let words = [
        "Reasonix", "/w", "first", "second", "[cut", "third", "/target", "always", "seldom", "fourth", "fifth", "last",
    ];
    let places: Vec<_> = words.map(|word| made.system.find(word)).into();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    let kinds: Vec<_> = made.parts.iter().map(|part| part.kind).collect();
    use PartKind::{
        AlwaysRules, Appended, Base, Ignored, Instructions, Memory, ProjectRules, Rulebook, Skills, UserRules,
    };
    let rules = [AlwaysRules, Rulebook, Memory, Skills, Appended];
    assert_eq!(kinds, [&[Base, UserRules, ProjectRules, Instructions, Ignored][..], &rules].concat());
    assert!(kinds.is_sorted(), "the order of the kinds is the order of the prompt");
    assert_eq!(made.parts.iter().map(|part| part.bytes).sum::<u64>(), made.system.len() as u64);
    assert_eq!(made.notices, [], "what the reader of the files cut, it has told itself");
}

#[test]
fn a_blank_source_changes_nothing() {
    let plain = assemble(&PromptSources { base: "base", ..PromptSources::default() });
    let blank = assemble(&PromptSources {
        base: "base\n",
        memory: "\n",
        skills: " ",
        appended: Some("  "),
        ..PromptSources::default()
    });
    assert_eq!(plain, blank);
    assert_eq!(plain.system, "base");
}

#[test]
fn d2_hidden_characters_in_any_file_do_not_reach_the_model() {
    for kind in [PartKind::UserRules, PartKind::ProjectRules, PartKind::Instructions, PartKind::Ignored] {
        let made = draft(&[file(kind, "AGENTS.md", "be kind\u{e0041}\u{e0042}\u{200b}", false)], 0);
        assert!(made.system.ends_with("be kind⟨3 hidden characters⟩"), "{}", made.system);
    }
}

#[test]
fn rules_are_bounded_by_the_window_and_the_nearest_go_first() {
    let text = "keep to this rule\n".repeat(400);
    let files: Vec<_> = ["far", "middle", "near"].map(|name| file(PartKind::ProjectRules, name, &text, false)).into();
    let made = draft(&files, 8_000);
    let rules: u64 = made.parts.iter().skip(1).map(|part| part.bytes.div_ceil(4)).sum();
    assert!((1_900..2_200).contains(&rules), "{rules}");
    let sizes: Vec<_> =
        made.parts.iter().skip(1).map(|part| (part.name.as_str(), part.cut, part.bytes > 3_000)).collect();
    assert_eq!(sizes, [("far", true, false), ("middle", true, true), ("near", true, true)]);
    assert_eq!(made.notices.len(), 3);
    let roomy = draft(&files, 200_000);
    assert!(roomy.parts.iter().all(|part| !part.cut) && roomy.notices.is_empty());
    assert_eq!(draft(&files, 0).system, roomy.system, "an unknown window bounds nothing");
    let ignored = [file(PartKind::Ignored, ".gitignore", &"some/pattern\n".repeat(150), false)];
    assert!(draft(&ignored, 8_000).system.len() < 1_300);
    assert!(!draft(&ignored, 16_000).parts[1].cut);
}

proptest! {
    #[test]
    fn what_is_clipped_fits(text in "[a-z\n 界é]{0,200}", tokens in 1_u64..60) {
        let short = clipped(&text, tokens);
        prop_assert!(text.starts_with(short));
        prop_assert!(estimate_tokens(short) <= tokens);
        prop_assert!(short.len() == text.len() || estimate_tokens(&text) > tokens);
    }
}
