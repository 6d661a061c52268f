//! Which top-level modules of a crate name each other, read from its source. Paths through `crate::` and `super::` count,
//! also those that go through a name that the crate's root hands on; tests do not.

mod paths;
pub(crate) mod public;
pub(crate) mod sizes;
pub(crate) mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Module to the modules it names.
pub(crate) type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The arrows between the top-level modules of the crate whose source is in `src`.
pub(crate) fn arrows(src: &Path) -> Arrows {
    let files = sources(src);
    let modules: BTreeSet<String> = files.iter().filter_map(|(path, _)| path.first().cloned()).collect();
    let root = files.iter().filter(|(path, _)| path.is_empty()).map(|(_, text)| text.as_str()).collect::<String>();
    let handed_on = paths::handed_on(&root, &modules);
    let mut arrows: Arrows = modules.iter().map(|module| (module.clone(), BTreeSet::new())).collect();
    for (path, text) in &files {
        let Some(from) = path.first() else { continue };
        for name in paths::from_root(text, path.len()) {
            let to = if modules.contains(&name) { Some(&name) } else { handed_on.get(&name) };
            if let (Some(to), Some(known)) = (to.filter(|to| *to != from), arrows.get_mut(from)) {
                known.insert(to.clone());
            }
        }
    }
    arrows
}

/// Groups of modules that reach each other, each sorted, the largest first.
pub(crate) fn cycles(arrows: &Arrows) -> Vec<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> = arrows.keys().map(|from| (from, reached(arrows, from))).collect();
    let mut groups: BTreeSet<Vec<String>> = BTreeSet::new();
    for from in arrows.keys().filter(|from| reach[*from].contains(from)) {
        groups.insert(reach[from].iter().filter(|to| reach[**to].contains(from)).map(|to| (*to).clone()).collect());
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups
}

fn reached<'a>(arrows: &'a Arrows, from: &String) -> BTreeSet<&'a String> {
    let mut found: BTreeSet<&String> = BTreeSet::new();
    let mut open: Vec<&String> = arrows[from].iter().collect();
    while let Some(module) = open.pop() {
        if found.insert(module) {
            open.extend(&arrows[module]);
        }
    }
    found
}

/// Every source file: where it stands in the tree of modules, and its code without tests, comments and texts.
fn sources(src: &Path) -> Vec<(Vec<String>, String)> {
    let files = files(src);
    let of_tests: Vec<Vec<String>> = files
        .iter()
        .flat_map(|(module, source)| {
            text::test_modules(source).into_iter().map(|name| module.iter().cloned().chain([name]).collect())
        })
        .collect();
    let is_test = |module: &[String]| of_tests.iter().any(|test| module.starts_with(test));
    files.into_iter().filter(|(path, _)| !is_test(path)).map(|(path, source)| (path, text::code(&source))).collect()
}

fn files(src: &Path) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    let mut folders = vec![src.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let module = place(path.strip_prefix(src).expect("below src"));
                found.push((module, std::fs::read_to_string(&path).expect("a source file")));
            }
        }
    }
    found
}

fn place(path: &Path) -> Vec<String> {
    let mut module: Vec<String> = PathBuf::from(path)
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    if module.last().is_some_and(|name| name == "mod") || ["lib", "main"].contains(&module[0].as_str()) {
        module.pop();
    }
    module
}

#[test]
fn a_cycle_is_found_and_a_ladder_is_none() {
    let arrows = |pairs: &[(&str, &[&str])]| -> Arrows {
        pairs.iter().map(|(from, to)| ((*from).to_owned(), to.iter().map(|to| (*to).to_owned()).collect())).collect()
    };
    assert!(cycles(&arrows(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])).is_empty());
    let ring = arrows(&[("a", &["b"]), ("b", &["c"]), ("c", &["a"]), ("d", &["a"])]);
    assert_eq!(cycles(&ring), [["a", "b", "c"]]);
}
