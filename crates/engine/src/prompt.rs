//! The system prompt: the base, then the user's and the project's rules, in a fixed order. The same inputs give the
//! same bytes, and nothing in it changes during a session.

use reasonix_config::RulesFile;
use reasonix_proto::unhidden;
use std::path::Path;

/// The built-in base prompt.
pub const BASE_PROMPT: &str = include_str!("system.md");

/// What the model is told of edit blocks, where they are on.
pub(crate) const BLOCKS_PROMPT: &str = include_str!("blocks.md");

/// Puts the system prompt together.
pub(crate) fn assemble(base: &str, cwd: &Path, rules: &[RulesFile], appended: Option<&str>) -> String {
    let mut prompt = base.trim_end().to_owned();
    prompt.push_str(&format!("\n\nWorking folder: {}\nSystem: {}", cwd.display(), std::env::consts::OS));
    if !rules.is_empty() {
        prompt
            .push_str("\n\n# Rules of the user and the project\nFollow them. Where two disagree, the later one wins.");
    }
    for file in rules {
        // What nobody sees in a file is nothing its readers agreed to.
        let text = unhidden(file.text.trim());
        prompt.push_str(&format!("\n\n## {}\n{}", file.path.display(), text.text));
        if file.truncated {
            prompt.push_str("\n[cut: the file is longer than what is read of it]");
        }
    }
    if let Some(appended) = appended.map(str::trim).filter(|text| !text.is_empty()) {
        prompt.push_str("\n\n");
        prompt.push_str(appended);
    }
    prompt
}

#[cfg(test)]
mod tests {
    use super::{BASE_PROMPT, assemble};
    use reasonix_config::RulesFile;
    use std::path::{Path, PathBuf};

    #[test]
    fn order_is_fixed_and_the_same_input_gives_the_same_bytes() {
        let rules = [
            RulesFile { path: PathBuf::from("/home/u/AGENTS.md"), text: "first\n".into(), truncated: false },
            RulesFile { path: PathBuf::from("AGENTS.md"), text: "second".into(), truncated: true },
        ];
        let make = || assemble(BASE_PROMPT, Path::new("/w"), &rules, Some(" last "));
        let prompt = make();
        assert_eq!(prompt, make());
        let places: Vec<_> = ["Reasonix", "/w", "first", "second", "[cut", "last"].map(|word| prompt.find(word)).into();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    }

    #[test]
    fn d2_hidden_characters_in_rules_do_not_reach_the_model() {
        let text = "be kind\u{e0041}\u{e0042}\u{200b}".to_owned();
        let rules = [RulesFile { path: PathBuf::from("AGENTS.md"), text, truncated: false }];
        let prompt = assemble("base", Path::new("/w"), &rules, None);
        assert!(prompt.ends_with("be kind⟨3 hidden characters⟩"), "{prompt}");
    }

    #[test]
    fn without_rules_nothing_is_said_about_them() {
        assert!(!assemble("base", Path::new("/w"), &[], Some("  ")).contains("Rules"));
    }
}
