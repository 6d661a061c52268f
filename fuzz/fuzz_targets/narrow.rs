//! The narrow reading: no panic, and what it understands is what it says.
#![no_main]

#[path = "../../crates/policy/tests/support/properties.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    properties::an_understood_line_says_what_it_does(&String::from_utf8_lossy(data)).unwrap();
    properties::an_understood_line_says_what_it_does(&properties::tokens(data)).unwrap();
});
