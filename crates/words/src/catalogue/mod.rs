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
