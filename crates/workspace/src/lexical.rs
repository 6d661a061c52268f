//! Paths as text: what a given path means before anything on disk is looked at.

use crate::FileError;
use std::path::{Component, Path, PathBuf};

/// Resolves `.` and `..` in an absolute path by its text alone.
pub(crate) fn normalise(path: &Path) -> PathBuf {
    let mut out = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    out
}

/// The absolute, normalised form of a path as it was given; relative ones start at `root`.
pub(crate) fn absolute(root: &Path, given: &str) -> Result<PathBuf, FileError> {
    if given.contains('\0') {
        return Err(FileError::InvalidPath { path: given.to_owned(), reason: "it contains a NUL character" });
    }
    if given == "~" || given.starts_with("~/") {
        let reason = format!("`~` is not expanded; the root is {}", root.display());
        return Err(FileError::OutsideWorkspace { path: given.to_owned(), reason });
    }
    Ok(normalise(&root.join(given)))
}

/// The form for rules, titles and messages: relative to `root` when it lies below it, `.` for the root itself.
pub(crate) fn shown(root: &Path, absolute: &Path) -> String {
    match absolute.strip_prefix(root) {
        Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
        Ok(rest) => rest.to_string_lossy().into_owned(),
        Err(_) => absolute.to_string_lossy().into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{absolute, shown};
    use std::path::Path;

    #[test]
    fn a_path_has_one_spelling() {
        let root = Path::new("/w/p");
        for (given, expect) in [
            ("a.rs", "a.rs"),
            ("./a.rs", "a.rs"),
            ("a//b/./c/", "a/b/c"),
            ("a/../b", "b"),
            ("", "."),
            (".", "."),
            ("/w/p", "."),
            ("/w/p/", "."),
            ("/w/p/x", "x"),
            ("/w/p/../p/x", "x"),
            ("/w/px", "/w/px"),
            ("..", "/w"),
            ("../../../..", "/"),
            ("../p/x", "x"),
            ("/proc/self/root/w/p/x", "/proc/self/root/w/p/x"),
        ] {
            assert_eq!(shown(root, &absolute(root, given).unwrap()), expect, "{given:?}");
        }
        assert_eq!(absolute(root, "~/x").unwrap_err().code(), "outside_workspace");
        assert_eq!(absolute(root, "a\0b").unwrap_err().code(), "invalid_path");
    }
}
