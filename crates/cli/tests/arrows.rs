//! The arrows between rooms: a crate may depend on another only where the table in ARCHITECTURE.md says so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Path::parent).expect("the workspace")
}

/// Room to the rooms it may know, from the table behind the marker.
fn table() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let (_, after) = text.split_once("<!-- arrows").expect("the marker");
    after
        .lines()
        .skip_while(|line| !line.starts_with("| `"))
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
            let rooms = cells[2].split(',').map(str::trim).filter(|room| !room.is_empty()).map(str::to_owned).collect();
            (cells[0].trim_matches('`').to_owned(), rooms)
        })
        .collect()
}

#[test]
fn no_arrow_that_the_table_does_not_have() {
    let allowed = table();
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().expect("metadata");
    let room = |name: &str| name.strip_prefix("reasonix-").map(str::to_owned);
    let mut seen = BTreeSet::new();
    for package in &metadata.packages {
        let from = room(&package.name).expect("every package is a room");
        let known = allowed.get(&from).unwrap_or_else(|| panic!("the room {from} is not in ARCHITECTURE.md"));
        for dependency in &package.dependencies {
            let Some(to) = room(&dependency.name) else { continue };
            let is_test_of_testkit = dependency.kind == DependencyKind::Development && to == "testkit";
            assert!(is_test_of_testkit || known.contains(&to), "{from} may not know {to}");
        }
        seen.insert(from);
    }
    assert_eq!(seen, allowed.keys().cloned().collect(), "the table names rooms that do not exist");
}

/// Every source file of every room, without its tests: its path from the root, and its text.
fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let shown = path.strip_prefix(root()).expect("below the root").display().to_string();
            if path.is_dir() {
                folders.push(path);
            } else if shown.ends_with(".rs") && shown.contains("/src/") {
                let text = std::fs::read_to_string(&path).expect("a source file");
                let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
                found.push((shown, code));
            }
        }
    }
    assert!(found.len() > 100, "the sources were found");
    found
}

#[test]
fn unsafe_code_lives_where_it_may() {
    let may =
        |path: &str| ["crates/exec/", "crates/workspace/", "crates/store/"].iter().any(|room| path.starts_with(room));
    let offenders: Vec<_> = sources()
        .into_iter()
        .filter(|(path, text)| !may(path) && text.contains(concat!("allow(", "unsafe_code)")))
        .map(|(path, _)| path)
        .collect();
    assert!(offenders.is_empty(), "{offenders:?}");
}

#[test]
fn every_code_that_is_said_has_words() {
    let known: BTreeSet<_> = reasonix_words::codes().collect();
    let mut missing = Vec::new();
    for (path, text) in sources() {
        for rest in text.split("Phrase::new(\"").skip(1) {
            let code = rest.split('"').next().unwrap_or_default();
            if !known.contains(code) {
                missing.push(format!("{code} in {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "codes without words: {missing:#?}");
}
