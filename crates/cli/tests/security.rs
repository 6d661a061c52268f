//! docs/security.md names tests for its promises; every one of them exists.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// The functions of a text that stand behind an attribute of a test, or inside of `proptest!`.
fn tests(text: &str) -> impl Iterator<Item = &str> {
    text.split("test]").skip(1).filter_map(|after| {
        let (_, rest) = after.split_once("fn ")?;
        rest.split('(').next()
    })
}

#[test]
fn every_test_that_the_promises_name_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut files = Vec::new();
    sources(&root.join("crates"), &mut files);
    let texts: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let known: HashSet<&str> = texts.iter().flat_map(|text| tests(text)).collect();
    let page = fs::read_to_string(root.join("docs/security.md")).unwrap();
    let named: Vec<&str> = page
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| {
            name.matches('_').count() >= 2
                && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        })
        .collect();
    assert!(named.len() > 50, "{}", named.len());
    let missing: Vec<&str> = named.into_iter().filter(|name| !known.contains(name)).collect();
    assert!(missing.is_empty(), "docs/security.md names tests that do not exist: {missing:?}");
}
