//! The texts, a file for each room that speaks.

mod bench;
mod cli;
mod command;
mod config;
mod doctor;
mod engine;
mod evidence;
mod exec;
mod extensions;
mod flow;
mod hooks;
mod llm;
mod mcp;
mod named;
mod policy;
mod probe;
mod relay;
mod screen;
mod session;
mod setting;
mod tui;
mod undo;
mod workspace;

use crate::Entry;

const ALL: &[&[Entry]] = &[
    bench::ENTRIES,
    cli::ENTRIES,
    command::ENTRIES,
    config::ENTRIES,
    doctor::ENTRIES,
    engine::ENTRIES,
    evidence::ENTRIES,
    exec::ENTRIES,
    extensions::ENTRIES,
    flow::ENTRIES,
    hooks::ENTRIES,
    llm::ENTRIES,
    mcp::ENTRIES,
    named::ENTRIES,
    policy::ENTRIES,
    probe::ENTRIES,
    relay::ENTRIES,
    session::ENTRIES,
    setting::ENTRIES,
    screen::ENTRIES,
    tui::ENTRIES,
    undo::ENTRIES,
    workspace::ENTRIES,
];

pub(crate) fn entries() -> impl Iterator<Item = &'static Entry> {
    ALL.iter().copied().flatten()
}

pub(crate) fn find(code: &str) -> Option<&'static Entry> {
    entries().find(|(name, _, _)| *name == code)
}

#[cfg(test)]
mod tests {
    use super::entries;
    use std::collections::{BTreeSet, HashSet};

    fn placeholders(text: &str) -> BTreeSet<&str> {
        let found = text.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name);
        found.map(|name| name.split('|').next().unwrap_or(name)).collect()
    }

    /// A number and a word for several of something would also be said of one.
    #[test]
    fn a_word_after_a_number_has_a_form_for_one() {
        const NOUNS: [&str; 13] = [
            "files",
            "lines",
            "records",
            "sessions",
            "turns",
            "steps",
            "results",
            "requests",
            "bytes",
            "tokens",
            "characters",
            "contents",
            "pictures",
        ];
        for (code, en, _) in entries() {
            for noun in NOUNS {
                for (at, _) in en.match_indices(&format!("}} {noun}")) {
                    let name = en[..at].rsplit('{').next().unwrap_or_default();
                    assert!(NEVER_ONE.contains(&name.trim_end_matches('}')), "{code}: {{{name}}} {noun}");
                }
            }
        }
    }

    /// One row of the glossary's Chinese words: what it is in English, and the words that it is not.
    struct Term {
        english: Vec<String>,
        right: Vec<String>,
        wrong: Vec<String>,
    }

    fn terms() -> Vec<Term> {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/glossary.md");
        let text = std::fs::read_to_string(file).expect("the glossary");
        let table =
            text.split_once("## Chinese words").and_then(|(_, rest)| rest.split_once("\n## ")).expect("its table").0;
        let words = |cell: &str, comma: char| {
            let plain = cell.split_once('(').map_or(cell, |(word, _)| word);
            plain.split(comma).map(str::trim).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
        };
        let rows = table.lines().filter(|line| line.starts_with('|')).skip(2);
        let term = |line: &str| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
            Term { english: words(cells[0], ','), right: words(cells[1], '，'), wrong: words(cells[2], '，') }
        };
        rows.map(term).collect()
    }

    /// A word that is the right one for something else is wrong only where that is not spoken of.
    #[test]
    fn chinese_texts_have_the_words_of_the_glossary() {
        let terms = terms();
        assert!(terms.len() > 15, "the table was read");
        let texts = entries().map(|(_, en, zh)| (*en, *zh)).chain(crate::help::all());
        let mut said = Vec::new();
        for (en, zh) in texts {
            let english = en.to_lowercase();
            let speaks_of = |term: &Term| term.english.iter().any(|word| english.contains(word.as_str()));
            for term in &terms {
                let rest = term.right.iter().fold(zh.to_lowercase(), |text, word| text.replace(word.as_str(), ""));
                for wrong in term.wrong.iter().filter(|wrong| rest.contains(wrong.as_str())) {
                    let elsewhere = terms.iter().find(|other| other.right.contains(wrong));
                    if elsewhere.is_none_or(|other| speaks_of(term) && !speaks_of(other)) {
                        said.push(format!("{wrong}: {zh}"));
                    }
                }
            }
        }
        assert!(said.is_empty(), "{}", said.join("\n"));
    }

    /// An error, a notice and what to do about it: one sentence stands without a full stop, several each have theirs.
    #[test]
    fn chinese_notices_and_hints_end_in_the_same_way() {
        let hinted: HashSet<&str> = entries().filter_map(|(code, _, _)| code.strip_suffix(".hint")).collect();
        for (code, _, zh) in entries().filter(|(code, _, _)| code.ends_with(".hint") || hinted.contains(code)) {
            let several = zh.trim_end_matches('。').contains('。');
            assert_eq!(zh.ends_with('。'), several, "{code}: {zh}");
        }
    }

    /// What is never one: bounds and windows.
    const NEVER_ONE: [&str; 7] = ["window", "said", "input", "limit", "most", "before", "allowed"];

    #[test]
    fn both_languages_say_the_same() {
        for (code, en, zh) in entries() {
            assert!(!en.is_empty() && !zh.is_empty(), "{code} has an empty text");
            assert_eq!(placeholders(en), placeholders(zh), "{code}: different arguments");
        }
    }

    #[test]
    fn codes_are_unique_and_hints_have_an_owner() {
        let mut seen = HashSet::new();
        for (code, _, _) in entries() {
            assert!(seen.insert(*code), "{code} stands twice");
        }
        for code in &seen {
            if let Some(owner) = code.strip_suffix(".hint") {
                assert!(seen.contains(owner), "{code} has no owner");
            }
        }
    }
}
