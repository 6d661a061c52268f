//! Command lines: no panic, and nothing that is appended makes a verdict weaker.
#![no_main]

#[path = "../../crates/policy/tests/support/properties.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((head, joint, tail, setting)) = properties::case(data) else { return };
    for line in [&head, &tail] {
        properties::a_line_is_understood_or_hidden(line).unwrap();
    }
    properties::appending_is_never_weaker(&head, joint, &tail, setting).unwrap();
});
