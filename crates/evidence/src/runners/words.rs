//! The words of a command: its options, its operands, and what of them is all there is.

use crate::check::LAST_FAILED;

pub(super) fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Options whose values are left out: their words have a sign before them, and fit no name.
const LEAVES_OUT: &[&str] = &["--skip", "--exclude", "--deselect", "--ignore", "--ignore-glob", "-skip", "-E"];

/// Options that stand for a part and have no value.
const STANDS_ALONE: &[&str] = &["--lib", "--bins", "--examples", "--doc"];

/// Those of these options that are there, with their values.
pub(super) fn options(args: &[&str], names: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, word) in args.iter().enumerate() {
        let hit = names.iter().find(|name| {
            **name == *word
                || word.strip_prefix(**name).is_some_and(|rest| rest.starts_with('='))
                || (name.len() == 2 && !name.starts_with("--") && word.starts_with(**name) && word.len() > 2)
        });
        if let Some(name) = hit {
            let sign = if LEAVES_OUT.contains(name) { "!" } else { "" };
            if LAST_FAILED.contains(name) || STANDS_ALONE.contains(name) {
                found.push((*name).to_owned());
                continue;
            }
            let own = word.strip_prefix(name).unwrap_or(word).trim_start_matches('=');
            found.push(if own.is_empty() { String::new() } else { format!("{sign}{own}") });
            found.extend(args.get(at + 1).filter(|_| word == name).map(|value| format!("{sign}{value}")));
        }
    }
    found.iter_mut().filter(|word| word.is_empty()).for_each(|word| "-".clone_into(word));
    found
}

/// Operands, without the values of these options.
pub(super) fn operands(args: &[&str], with_value: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut skip = false;
    for word in args {
        if std::mem::take(&mut skip) {
            continue;
        }
        skip = with_value.contains(word);
        if !skip && !word.starts_with('-') && !word.starts_with('+') {
            found.push((*word).to_owned());
        }
    }
    found
}

/// Operands that are no values, neither of these options nor of others that runners have, and that are not all there is.
pub(super) fn paths(args: &[&str], filters: &[&str]) -> Vec<String> {
    let others = ["--format", "-f", "-o", "--out", "--config", "-c", "--seed", "-j", "-n", "--reporter", "-r"];
    operands(args, &[filters, &others].concat()).into_iter().filter(|word| !is_all(word)).collect()
}

/// Folders that have all the tests.
pub(super) fn is_all(word: &str) -> bool {
    let word = word.trim_start_matches("./").trim_end_matches('/');
    matches!(word, "" | "." | "all" | "tests" | "test" | "spec" | "__tests__" | "run" | "discover" | "...")
}
