//! How large the types of a crate are: the fields of a struct, and the methods in all blocks of it with the files they stand in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How large one type is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) fields: usize,
    pub(crate) methods: usize,
    pub(crate) files: BTreeSet<String>,
}

/// The types of the crate whose source is in `src`, each by the module that declares it and its name. Methods of traits that are
/// implemented for a type count as its own.
pub(crate) fn sizes(src: &Path) -> BTreeMap<String, Size> {
    of(&super::sources(src))
}

fn of(files: &[(Vec<String>, String)]) -> BTreeMap<String, Size> {
    let mut found: BTreeMap<String, Size> = BTreeMap::new();
    let mut homes: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for (module, code) in files {
        for (name, body) in blocks(code, "struct ") {
            found.entry(full(module, &name)).or_default().fields = at_top(body, ":").count();
            homes.entry(name).or_default().push(module.clone());
        }
    }
    for (module, code) in files {
        for (head, body) in blocks(code, "impl") {
            let name = implemented(&head);
            // Of several types with one name that of the same file is meant, or the one that stands nearest above.
            let shared = |home: &&Vec<String>| home.iter().zip(module).take_while(|(one, other)| one == other).count();
            let Some(home) = homes.get(&name).and_then(|homes| homes.iter().max_by_key(shared)) else { continue };
            let size = found.entry(full(home, &name)).or_default();
            size.methods += at_top(body, "fn ").count();
            size.files.insert(module.join("::"));
        }
    }
    found
}

fn full(module: &[String], name: &str) -> String {
    module.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("::")
}

/// The blocks that begin with a word at the start of a line: what stands between that and the brace, and what the braces hold.
fn blocks<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = (String, &'a str)> {
    let starts = code.match_indices(word).filter(move |(at, _)| {
        let before = code[..*at].rsplit('\n').next().unwrap_or_default();
        let after = code[at + word.len()..].starts_with([' ', '<']) || word.ends_with(' ');
        (before.is_empty() || (before.starts_with("pub") && !before.contains("fn "))) && after
    });
    starts.filter_map(move |(at, _)| {
        let rest = &code[at + word.len()..];
        let open = rest.find(['{', ';']).filter(|open| rest[*open..].starts_with('{'))?;
        let name: String = match word.ends_with(' ') {
            true => rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect(),
            false => rest[..open].to_owned(),
        };
        Some((name, inside(&rest[open + 1..])))
    })
}

/// The text up to the brace that closes what is open.
fn inside(text: &str) -> &str {
    let mut deep = 1_usize;
    let end = text.char_indices().find(|(_, letter)| {
        match letter {
            '{' => deep += 1,
            '}' => deep -= 1,
            _ => {}
        }
        deep == 0
    });
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

/// The type that a block is for: the last word before what bounds it, without what stands in front of it.
fn implemented(head: &str) -> String {
    let head = head.split(" where ").next().unwrap_or_default();
    let of = head.rsplit_once(" for ").map_or(head, |(_, of)| of).trim();
    let of = match of.strip_prefix('<') {
        Some(bounds) => bounds.split_once("> ").map_or(of, |(_, of)| of),
        None => of,
    };
    let path = of.split('<').next().unwrap_or_default();
    path.rsplit("::").next().unwrap_or_default().trim().trim_start_matches('&').to_owned()
}

/// The lines at the outer level of a block that have a word, without attributes.
fn at_top<'a>(body: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    let mut deep = 0_usize;
    body.lines().filter(move |line| {
        let outer = deep == 0;
        for letter in line.chars() {
            match letter {
                '{' | '(' | '[' => deep += 1,
                '}' | ')' | ']' => deep = deep.saturating_sub(1),
                _ => {}
            }
        }
        outer && line.contains(word) && !line.trim_start().starts_with('#')
    })
}

#[test]
fn fields_and_methods_of_a_type_are_counted_wherever_they_stand() {
    let one = "\n#[derive(Debug)]\npub(crate) struct One<'a> {\n    a: u8,\n    #[serde(default)]\n    pub b: Vec<(u8, u8)>,\n}\nstruct Unit;\n\
               impl<'a> One<'a> {\n    fn a(&self) {\n        let x: u8 = 1;\n    }\n    pub(crate) async fn b(\n        &self,\n        x: u8,\n    ) -> u8 { 1 }\n}\n";
    let two = "\nimpl fmt::Debug for One<'_> {\n    fn fmt(&self) {}\n}\nstruct Two {\n    a: u8,\n}\n";
    let three = "\nstruct Two {\n    a: u8,\n    b: u8,\n}\nimpl Two {\n    fn a() {}\n}\nimpl<T: From<u8>> Into<T> for Two {\n    fn into(self) {}\n}\n";
    let files =
        [("one", one), ("two", two), ("three", three)].map(|(name, code)| (vec![name.to_owned()], code.to_owned()));
    let size = |fields, methods, files: &[&str]| Size {
        fields,
        methods,
        files: files.iter().map(|file| (*file).to_owned()).collect(),
    };
    let found = of(&files);
    assert_eq!(found["one::One"], size(2, 3, &["one", "two"]));
    assert_eq!(found["two::Two"], size(1, 0, &[]));
    assert_eq!(found["three::Two"], size(2, 2, &["three"]));
}
