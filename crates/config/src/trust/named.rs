//! Files of a repository: read within bounds and never out of it, and found in the texts that name them.

use crate::error::Unreadable;
use crate::read;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// The most that one file may have.
const LARGEST: u64 = 32 << 20;

/// The most files that one surface may have.
pub(super) const MOST_FILES: usize = 400;

/// The most files of a folder that are looked at where each is a surface by itself.
const MOST_EACH: usize = 2000;

/// How deep a folder is looked into.
const DEEPEST: usize = 8;

/// The bytes of a file below the root. Of a link that leads out, only where it leads: what lies there is not the
/// repository's.
pub(super) fn content(root: &Path, file: &Path) -> Result<Vec<u8>, String> {
    let path = root.join(file);
    if has_link(root, file)
        && let Ok(real) = path.canonicalize()
        && !real.starts_with(root)
    {
        return Ok(format!("link to {}", real.display()).into_bytes());
    }
    bounded(read::bytes(&path, LARGEST))
}

fn bounded(read: Result<(Vec<u8>, bool), Unreadable>) -> Result<Vec<u8>, String> {
    match read {
        Ok((_, true)) => Err(format!("it has more than {} MiB", LARGEST >> 20)),
        Ok((bytes, false)) => Ok(bytes),
        Err(reason) => Err(reason.to_string()),
    }
}

/// The same of a file that was found by going through a folder whose own path has no link: then only the file itself may
/// be one. What is spared would be most of the time at start where there are hundreds of files.
pub(super) fn found_content(root: &Path, file: &Path) -> Result<Vec<u8>, String> {
    match read::unlinked(&root.join(file), LARGEST) {
        Some(read) => bounded(read),
        None => content(root, file),
    }
}

/// True when a part of the path below the root is a link, or leads back.
pub(super) fn has_link(root: &Path, file: &Path) -> bool {
    let mut path = root.to_owned();
    file.components().any(|part| {
        path.push(part);
        !matches!(part, Component::Normal(_)) || path.symlink_metadata().is_ok_and(|meta| meta.is_symlink())
    })
}

/// What a program may make of a word that is no file itself.
const ENDINGS: &[&str] = &[".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".sh", ".lua", ".pl"];

/// What a program may start in a folder.
const STARTS: &[&str] = &["index.js", "index.mjs", "index.ts", "package.json", "__main__.py", "__init__.py", "main.py"];

/// The files below the root that these texts name, relative to it.
pub(super) fn files_in(root: &Path, texts: &[String]) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    for text in texts {
        let apart = |c: char| c.is_whitespace() || "\"'`;|&()<>,=:".contains(c);
        let words = text.split(apart).filter(|word| !word.is_empty() && !is_written(text, word));
        for word in words.chain([text.as_str()]) {
            found.extend(candidates(word).into_iter().filter_map(|path| inside(root, &path)));
        }
    }
    found.into_iter().collect()
}

/// True for a word of a text to which something is only written: what a hook wrote down the last time is not what it runs,
/// and would take its trust from it. Arrows, pipes into a process and files that are opened for both are none of these.
fn is_written(text: &str, word: &str) -> bool {
    let at = word.as_ptr().addr() - text.as_ptr().addr();
    let before = text.get(..at).unwrap_or_default().trim_end_matches([' ', '\t', '"', '\'']);
    let Some(rest) = before.strip_suffix('>') else { return false };
    let rest = rest.strip_suffix('>').unwrap_or(rest);
    rest.is_empty() || rest.ends_with(|c: char| c.is_whitespace() || c.is_ascii_digit() || c == '&')
}

/// The paths that a word may mean.
fn candidates(word: &str) -> Vec<PathBuf> {
    let stripped =
        ["${workspaceFolder}/", "${PWD}/", "$PWD/", "$(pwd)/", "$CLAUDE_PROJECT_DIR/", "${CLAUDE_PROJECT_DIR}/"];
    let whole = word;
    let word = stripped.iter().find_map(|prefix| word.strip_prefix(prefix)).unwrap_or(word);
    let mut paths = vec![PathBuf::from(word)];
    // In `"$CLAUDE_PROJECT_DIR"/scripts/a.sh` the quotes part the variable from the path.
    paths.extend(whole.strip_prefix('/').map(PathBuf::from));
    paths.extend(ENDINGS.iter().map(|ending| PathBuf::from(format!("{word}{ending}"))));
    paths.extend(STARTS.iter().map(|start| Path::new(word).join(start)));
    // `python -m a.b`
    if word.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_')) {
        let module = word.replace('.', "/");
        paths.push(PathBuf::from(format!("{module}.py")));
        paths.extend(["__main__.py", "__init__.py"].iter().map(|start| Path::new(&module).join(start)));
    }
    paths
}

/// The path relative to the root, where it is a file or a link below it.
fn inside(root: &Path, path: &Path) -> Option<PathBuf> {
    let full = root.join(path);
    let mut clean = PathBuf::new();
    for part in full.components() {
        match part {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            part => clean.push(part),
        }
    }
    let below = clean.strip_prefix(root).ok().filter(|below| !below.as_os_str().is_empty())?;
    let meta = clean.symlink_metadata().ok()?;
    let file = meta.is_file() || (meta.is_symlink() && !clean.is_dir());
    file.then(|| below.to_owned())
}

/// Every file in a folder, relative to the root. What is another repository, or was installed, is left out.
pub(super) fn all_in(root: &Path, folder: &Path) -> Vec<PathBuf> {
    up_to(MOST_FILES, root, folder)
}

/// The same of a folder whose files are surfaces one by one.
pub(super) fn each_in(root: &Path, folder: &Path) -> Vec<PathBuf> {
    up_to(MOST_EACH, root, folder)
}

fn up_to(most: usize, root: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(root, folder, (DEEPEST, most), &mut found);
    found.sort();
    found
}

fn collect(root: &Path, folder: &Path, (depth, most): (usize, usize), found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else { return };
    for entry in entries.filter_map(Result::ok) {
        if found.len() > most {
            return;
        }
        let below = folder.join(entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 && belongs(root, &below) => {
                collect(root, &below, (depth - 1, most), found);
            }
            Ok(kind) if kind.is_dir() => {}
            _ => found.push(below),
        }
    }
}

/// True for a folder of this repository: not a submodule, not something that a package manager installed, not a link.
pub(super) fn belongs(root: &Path, folder: &Path) -> bool {
    let path = root.join(folder);
    let installed = folder.file_name().is_some_and(|name| name == "node_modules" || name == ".git");
    let own = path.join(".git").symlink_metadata().is_err();
    !installed && own && path.symlink_metadata().is_ok_and(|meta| meta.is_dir())
}

#[cfg(test)]
mod tests {
    use super::files_in;
    use std::path::PathBuf;

    #[test]
    fn what_is_only_written_is_not_what_is_run() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("f.sh"), "x").unwrap();
        let named = |text: &str| !files_in(folder.path(), &[text.to_owned()]).is_empty();
        for text in ["jq . >> f.sh", "jq . >f.sh", "jq . 2> \"f.sh\"", "cat &>> f.sh", "a >> 'f.sh'; b"] {
            assert!(!named(text), "{text}");
        }
        for text in [
            "./f.sh",
            "jq . >> f.sh; sh f.sh",
            "sh <> f.sh",
            "tee >(./f.sh)",
            "x->f.sh",
            "x =>f.sh",
            "sh < f.sh",
            "f.sh",
        ] {
            assert_eq!(files_in(folder.path(), &[text.to_owned()]), [PathBuf::from("f.sh")], "{text}");
        }
    }
}
