//! The reasonix binary: arguments, wiring, commands and exit codes.
fn main() {}
