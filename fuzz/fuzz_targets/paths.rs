//! Paths: no panic, and whatever the spelling, none leads out or to what a rule denies.
#![no_main]

#[path = "../../crates/engine/tests/support/paths.rs"]
mod paths;

use libfuzzer_sys::fuzz_target;
use std::cell::OnceCell;

thread_local! {
    static TREE: OnceCell<paths::Tree> = const { OnceCell::new() };
}

fuzz_target!(|data: &[u8]| {
    TREE.with(|tree| tree.get_or_init(paths::Tree::new).leads_nowhere_else(&paths::spelling(data)).unwrap());
});
