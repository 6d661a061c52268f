//! Which words are commits for certain. A tree or a blob has no path, so what is limited by paths has to begin at a commit.

use super::shown::{Revision, is_head};
use std::io::Read;
use std::path::Path;

/// More of its packed names are not read.
const MOST_PACKED: u64 = 16 * 1024 * 1024;

/// True when each of these is a commit, or a file where it may be one; `stay` when names are what they are now when the
/// command runs.
pub(super) fn are_commits(revisions: &[Revision], place: &Path, top: &Path, stay: bool) -> bool {
    let git = top.join(".git");
    revisions.iter().all(|revision| {
        let text = revision.text.split_once(':').map_or(revision.text.as_str(), |(revision, _)| revision);
        let file = !revision.sure && place.join(&revision.text).symlink_metadata().is_ok();
        // Before a bare colon, and before a number and one more, stands the index.
        let index = text.is_empty() && revision.text.starts_with(':') && !revision.text.starts_with(":/");
        file || index || parts(text).all(|part| is_head(part) || (stay && is_branch(part, &git)))
    })
}

/// The two ends of a range; an end that is left out is HEAD.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_prefix('^').unwrap_or(text);
    let (from, to) = text.split_once("...").or_else(|| text.split_once("..")).unwrap_or((text, "HEAD"));
    [from, to].into_iter().map(|part| if part.is_empty() { "HEAD" } else { part })
}

/// The names that git keeps in one file; none where they cannot be told. A pipe in its place is not waited for, and a file
/// without an end not read to it.
fn packed_refs(git: &Path) -> Option<String> {
    let path = git.join("packed-refs");
    match path.symlink_metadata() {
        Err(_) => return Some(String::new()),
        Ok(found) if !found.is_file() || found.len() > MOST_PACKED => return None,
        Ok(_) => {}
    }
    let mut text = String::new();
    std::fs::File::open(&path).ok()?.take(MOST_PACKED).read_to_string(&mut text).ok()?;
    Some(text)
}

/// A local branch, whose name stands for nothing else: git lets no other object be one.
fn is_branch(text: &str, git: &Path) -> bool {
    let name = text.trim_end_matches(|c: char| c.is_ascii_digit() || "~^".contains(c));
    let name = if text.contains(['~', '^']) { name } else { text };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if name.is_empty() || !name.chars().all(plain) || name.contains("..") || name.starts_with(['/', '-']) {
        return false;
    }
    // Looked for in this order before branches.
    let before = [name.to_owned(), format!("refs/{name}"), format!("refs/tags/{name}")];
    let Some(packed) = packed_refs(git) else { return false };
    let is_packed =
        |name: &str| packed.lines().any(|line| line.split_once(' ').is_some_and(|(_, found)| found == name));
    let is_there = |name: &str| git.join(name).symlink_metadata().is_ok() || is_packed(name);
    let branch = format!("refs/heads/{name}");
    let loose = git.join(&branch).symlink_metadata().is_ok_and(|found| found.is_file());
    (loose || is_packed(&branch)) && !before.iter().any(|name| is_there(name))
}
