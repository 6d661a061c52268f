//! The texts, a file for each room that speaks.

mod cli;
mod command;
mod config;
mod doctor;
mod engine;
mod exec;
mod llm;
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
    cli::ENTRIES,
    command::ENTRIES,
    config::ENTRIES,
    doctor::ENTRIES,
    engine::ENTRIES,
    exec::ENTRIES,
    llm::ENTRIES,
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
        text.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name).collect()
    }

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
