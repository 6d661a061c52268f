//! Paths in code that begin at the crate's root.

use std::collections::{BTreeMap, BTreeSet};

/// The first names behind the crate's root that are named in `code`, which stands `depth` modules below it.
pub(super) fn from_root(code: &str, depth: usize) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        if !ends_in_name(&code[..at]) {
            found.extend(heads(&code[at + "crate::".len()..]));
        }
    }
    for (at, _) in code.match_indices("super::") {
        let before = &code[..at];
        if ends_in_name(before) || before.ends_with("super::") {
            continue;
        }
        let rest = code[at..].trim_start_matches("super::");
        if (code.len() - at - rest.len()) / "super::".len() == depth {
            found.extend(heads(rest));
        }
    }
    found
}

/// Names that the root hands on, and the module each comes from.
pub(super) fn handed_on(root: &str, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (at, _) in root.match_indices("use ") {
        let Some(statement) = root[at + 4..].split(';').next() else { continue };
        let statement = statement.trim().trim_start_matches("crate::");
        let Some((module, names)) = statement.split_once("::") else { continue };
        if modules.contains(module) {
            for name in names.split(['{', '}', ',']).filter(|name| !name.trim().is_empty()) {
                let name = name.split(" as ").last().unwrap_or_default().rsplit("::").next().unwrap_or_default().trim();
                found.insert(name.to_owned(), module.to_owned());
            }
        }
    }
    found
}

/// The first name of a path, or of each of its branches.
fn heads(path: &str) -> Vec<String> {
    match path.strip_prefix('{') {
        Some(group) => branches(group).into_iter().flat_map(|branch| heads(branch.trim_start())).collect(),
        None => vec![path.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()],
    }
}

/// The branches of a group up to its closing brace.
pub(super) fn branches(group: &str) -> Vec<&str> {
    let (mut found, mut deep, mut start) = (Vec::new(), 0, 0);
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => deep += 1,
            '}' if deep == 0 => {
                found.push(&group[start..at]);
                return found;
            }
            '}' => deep -= 1,
            ',' if deep == 0 => {
                found.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

fn ends_in_name(text: &str) -> bool {
    text.chars().next_back().is_some_and(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$')
}

#[test]
fn paths_are_read_as_the_compiler_reads_them() {
    let names = |code: &str, depth| from_root(code, depth).into_iter().collect::<Vec<_>>();
    assert_eq!(names("use crate::{a::X, b::{c, d}, E}; crate::f::g()", 1), ["E", "a", "b", "f"]);
    assert_eq!(names("use super::a; super::super::b; mycrate::c; pub(crate) fn d()", 1), ["a"]);
    assert_eq!(names("use super::a; super::super::b", 2), ["b"]);
    let modules = ["a", "b"].map(str::to_owned).into();
    let on = handed_on("pub use a::{X, y::Z as W}; use b::V; use std::fmt;", &modules);
    assert_eq!(
        on.into_iter().collect::<Vec<_>>(),
        [("V", "b"), ("W", "a"), ("X", "a")].map(|(n, m)| (n.to_owned(), m.to_owned()))
    );
}
