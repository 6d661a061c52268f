//! Too few file descriptors are an error that says what to do.

use std::process::Command;

#[test]
fn too_few_open_files_are_said() {
    let line = "ulimit -n 6; exec \"$0\" doctor --offline";
    let out = Command::new("bash").args(["-c", line, env!("CARGO_BIN_EXE_reasonix")]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.code() == Some(1) && said.contains("only 6 files") && said.contains("ulimit -n"), "{said}");
    assert!(!said.contains("panicked"), "{said}");
}
