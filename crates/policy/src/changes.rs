//! Paths that a line may change: what it writes, and what any command in it names that is not known to only read.

use crate::effects::{Effects, Places, Simple, Word, WordKind};
use crate::readers::is_reader;
use std::borrow::Cow;

/// A path that may be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathChange<'e> {
    /// The path as it is named; of a pattern, what stands before it.
    pub path: Cow<'e, str>,
    /// Where it is seen from.
    pub places: &'e Places,
    /// True when what lies below it changes too.
    pub whole: bool,
}

/// Programs that take a whole folder: they remove it, move it, or go through it.
#[rustfmt::skip]
const WHOLE: &[&str] = &[
    "7z", "autopep8", "black", "clang-format", "codespell", "curl", "dos2unix", "eslint", "find", "git", "gofmt", "install", "isort", "mv", "patch", "prettier", "rename", "rm", "rmdir", "rsync", "rubocop", "ruff", "rustfmt", "shfmt",
    "srm", "stylelint", "tar", "trash", "umount", "mount", "unzip", "wget", "yapf", "zip",
];

/// Options that make a program go through folders.
const RECURSIVE: &[&str] = &["-r", "-R", "-a", "--recursive", "--archive"];

impl Effects {
    /// Every path that the line may change, as far as its words tell. Conservative: what is not known to only read counts
    /// for every path that it names.
    pub fn changes(&self) -> Vec<PathChange<'_>> {
        let written = self.writes.iter().filter_map(|write| {
            Some(PathChange { path: Cow::Borrowed(write.path.as_deref()?), places: &write.places, whole: false })
        });
        // Scripts that do more than print are known of the line, not of the command.
        let scripts = |simple: &Simple| {
            self.interprets && (simple.program().ends_with("awk") || simple.program().ends_with("sed"))
        };
        let reads = |simple: &Simple| is_reader(simple) && !scripts(simple);
        let named = self.commands.iter().chain(&self.maybe).filter(|simple| !simple.wraps && !reads(simple));
        let mut found: Vec<PathChange<'_>> = written.chain(named.flat_map(changed_by)).collect();
        found.retain(|change| !change.path.is_empty());
        found.dedup();
        found
    }
}

fn changed_by(simple: &Simple) -> Vec<PathChange<'_>> {
    let whole = WHOLE.contains(&simple.program()) || RECURSIVE.iter().any(|flag| simple.has(flag));
    let places = &simple.places;
    let change = |path: Cow<'_, str>| PathChange { path: Cow::Owned(path.into_owned()), places, whole };
    let mut found = Vec::new();
    for word in simple.args() {
        found.extend(named_by(word).into_iter().map(change));
    }
    // A pattern, or no path at all, stands for the folder.
    if simple.program() == "find" && simple.args().first().is_none_or(|word| word.text.starts_with(['-', '('])) {
        found.push(change(Cow::Borrowed(".")));
    }
    found
}

/// The paths that a word may name: itself, the value of an option or a setting, and what stands in a text of code.
fn named_by(word: &Word) -> Vec<Cow<'_, str>> {
    let text = word.text.as_str();
    if word.kind > WordKind::Pattern && !text.contains(['/', '.']) {
        return Vec::new();
    }
    if text.contains(|c: char| c.is_whitespace() || "'\"()<>;|&`$,".contains(c)) {
        let part = |c: char| !(c.is_alphanumeric() || "_./-~+@%".contains(c));
        return text.split(part).filter(|part| !part.is_empty() && !part.starts_with('-')).map(Cow::Borrowed).collect();
    }
    let path = word.as_path();
    let path = if path.is_empty() && word.kind == WordKind::Pattern { "." } else { path };
    let value = text.split_once('=').filter(|_| !text.starts_with('-')).map(|(_, value)| Cow::Borrowed(value));
    // `host:path`, `HEAD:path`, and values that are attached to a letter.
    let behind = text.split_once(':').map(|(_, path)| Cow::Borrowed(path));
    let attached = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.get(1..));
    let attached = attached.filter(|rest| !rest.is_empty()).map(Cow::Borrowed);
    std::iter::once(Cow::Borrowed(path)).chain(value).chain(behind).chain(attached).collect()
}
