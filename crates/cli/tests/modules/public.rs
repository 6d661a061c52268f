//! Names of types that other crates can write: those in public modules, and those that are handed on by `pub use`.

use super::paths::branches;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Where a module or a name stands: the names on the way from the crate's root.
type Place = Vec<String>;

/// The public type names of the crate whose source is in `src`, without those that it only hands on from other crates.
pub(crate) fn types(src: &Path) -> BTreeSet<String> {
    Crate(super::sources(src).into_iter().collect()).types()
}

/// The code of each module.
struct Crate(BTreeMap<Place, String>);

impl Crate {
    fn types(&self) -> BTreeSet<String> {
        let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![Place::new()]);
        while let Some(module) = open.pop() {
            let Some(code) = self.0.get(&module).filter(|_| seen.insert(module.clone())) else { continue };
            found.extend(declared(code));
            open.extend(after(code, "pub mod ").map(|name| below(&module, [name])));
            for Used { path, name, .. } in uses(code).into_iter().filter(|used| used.public) {
                let Some(place) = self.place(&module, &path) else { continue };
                if self.0.contains_key(&place) {
                    open.push(place);
                } else if self.is_type(&place, 0) {
                    found.insert(name);
                }
            }
        }
        found
    }

    /// Where a path of a module leads inside this crate; none when it leads elsewhere.
    fn place(&self, module: &Place, path: &[String]) -> Option<Place> {
        let (first, rest) = path.split_first()?;
        let above = module.split_last().map(|(_, above)| above.to_vec());
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some(below(module, rest.iter().cloned())),
            "super" => match rest.first() {
                Some(next) if next == "super" => self.place(&above?, rest),
                _ => Some(below(&above?, rest.iter().cloned())),
            },
            _ => Some(below(module, path.iter().cloned())).filter(|_| {
                let named = below(module, [first.clone()]);
                self.0.contains_key(&named) || self.is_type(&named, 0)
            }),
        }
    }

    /// True when a public type stands there, or one is handed on there. `deep` ends paths that go in a circle.
    fn is_type(&self, place: &Place, deep: usize) -> bool {
        let Some((name, module)) = place.split_last() else { return false };
        let Some(code) = self.0.get(module).filter(|_| deep < 8) else { return false };
        let handed = || uses(code).into_iter().filter(|used| used.name == *name && used.path != [name.clone()]);
        declared(code).any(|known| known == *name)
            || handed().any(|used| {
                let to = self.place(&module.to_vec(), &used.path);
                to.is_some_and(|to| to != *place && self.is_type(&to, deep + 1))
            })
    }
}

fn below(module: &[String], names: impl IntoIterator<Item = String>) -> Place {
    module.iter().cloned().chain(names).collect()
}

fn declared(code: &str) -> impl Iterator<Item = String> + '_ {
    ["struct", "enum", "trait", "type", "union"].into_iter().flat_map(|kind| after(code, &format!("pub {kind} ")))
}

/// The names behind a mark.
fn after(code: &str, mark: &str) -> std::vec::IntoIter<String> {
    let name = |rest: &str| rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    code.split(mark).skip(1).map(name).collect::<Vec<String>>().into_iter()
}

/// One branch of a `use`: the path, and the name that it has from there on. A star is the module that it opens.
struct Used {
    path: Place,
    name: String,
    public: bool,
}

fn uses(code: &str) -> Vec<Used> {
    let statements = code.split(';').filter_map(|statement| {
        let start =
            statement.rfind("use ").filter(|at| statement[..*at].trim_end_matches("pub ").ends_with(['\n', '}']))?;
        Some((&statement[start + 4..], statement[..start].ends_with("pub ")))
    });
    statements.flat_map(|(tree, public)| leaves(&[], tree, public)).collect()
}

fn leaves(before: &[String], tree: &str, public: bool) -> Vec<Used> {
    let tree = tree.trim();
    if let Some(group) = tree.strip_prefix('{') {
        return branches(group).into_iter().flat_map(|branch| leaves(before, branch, public)).collect();
    }
    if let Some((first, rest)) = tree.split_once("::").filter(|(first, _)| !first.contains(' ')) {
        return leaves(&below(before, [first.to_owned()]), rest, public);
    }
    let (word, alias) = tree.split_once(" as ").map_or((tree, None), |(word, alias)| (word, Some(alias)));
    let path = if word == "*" || word == "self" { before.to_vec() } else { below(before, [word.to_owned()]) };
    let name = alias.map(str::to_owned).or_else(|| path.last().cloned()).unwrap_or_default();
    if path.is_empty() { Vec::new() } else { vec![Used { path, name, public }] }
}

#[test]
fn only_what_others_can_name_counts() {
    let files = [
        ("", "\nmod a;\npub mod b;\nmod c;\npub use a::{X, deeper::Y as Z, f};\npub use other::Far;\npub use c::*;"),
        ("a", "\npub mod deeper;\npub struct X;\npub struct Hidden;\npub fn f() {}\nuse deeper::Y;"),
        ("a::deeper", "\npub enum Y { A }\npub(crate) struct W;"),
        ("b", "\npub trait B {}\nstruct Own;\npub use super::a::Y as Through;\nuse crate::a::Hidden;"),
        ("c", "\npub type C = u8;"),
    ];
    let place = |path: &str| path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect::<Place>();
    let all = Crate(files.map(|(path, code)| (place(path), code.to_owned())).into());
    assert_eq!(all.types().into_iter().collect::<Vec<_>>(), ["B", "C", "Through", "X", "Z"]);
}
