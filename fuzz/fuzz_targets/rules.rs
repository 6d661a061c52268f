//! Texts of rules: no panic, the same after they are written and read again.
#![no_main]

#[path = "../../crates/policy/tests/support/properties.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    properties::a_rule_reads_as_it_is_written(text).unwrap();
});
