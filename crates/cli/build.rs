//! Puts the commit into the version, where the sources lie in a repository; elsewhere the number stands alone.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks")]

use std::env::var;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let number = var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = match git(&["rev-parse", "--short=9", "HEAD"]) {
        Some(commit) => format!("{number} ({commit})"),
        None => number,
    };
    println!("cargo::rustc-env=REASONIX_VERSION={version}");
}

/// What git says; nothing without git or a repository.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| output.status.success() && !text.is_empty())
}
