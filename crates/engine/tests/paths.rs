//! Paths in every spelling against a real tree: none leads out, or to what a rule denies.

#[path = "support/paths.rs"]
mod property;

use property::{Tree, spelling};
use proptest::prelude::*;

#[test]
fn known_spellings_lead_nowhere_else() {
    let tree = Tree::new();
    for path in [
        "secret/key",
        "./secret//deep/../key",
        "link/key",
        "twice/deep/key",
        "self/self/secret/key",
        "dir/up/keylink",
        "out/key",
        "outkey",
        "dangling",
        "slash/etc/passwd",
        "shut/key",
        "$ROOT/../root/secret/key",
        "/proc/self/root/$ROOT/secret/key",
        "loop/x",
        "",
        "\0",
        "~/x",
    ] {
        tree.leads_nowhere_else(path).unwrap();
    }
    assert_eq!(std::fs::read_dir(tree.outside()).unwrap().count(), 1);
}

#[test]
fn no_spelling_leads_elsewhere() {
    let tree = Tree::new();
    proptest!(ProptestConfig::with_cases(2000), |(data in proptest::collection::vec(any::<u8>(), 0..12))| {
        let path = spelling(&data);
        prop_assert_eq!(tree.leads_nowhere_else(&path), Ok(()));
    });
}
