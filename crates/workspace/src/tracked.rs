//! Which files git tracks, read from its index without running anything.

use std::ffi::OsStr;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// An index beyond this size is not read.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// The paths that `wanted` picks among those tracked by the repository that a folder lies in, absolute, each with the name
/// of what git has of it. Nothing outside of a repository, and where the index cannot be read.
pub(crate) fn tracked(folder: &Path, wanted: fn(&[u8]) -> bool) -> Vec<(PathBuf, Vec<u8>)> {
    entries(folder, |name, _| wanted(name)).unwrap_or_default()
}

/// What git tracks below a folder, as hashes of the paths and of the folders they lie in: it is only asked for what the
/// rules ignore, and a tree may have hundreds of thousands. Two paths with one hash would only cover more.
#[derive(Debug, Default)]
pub(crate) struct TrackedBelow {
    /// The index as it was when it was read: its place, inode, size and times.
    read: Option<(PathBuf, [i64; 4])>,
    hashes: Vec<u64>,
}

impl TrackedBelow {
    /// Reads the index of the folder's repository, where it is not the one that was read last.
    pub(crate) fn refresh(&mut self, folder: &Path) {
        let index = top_of(folder).and_then(|top| git_folder(&top.join(".git"))).map(|git| git.join("index"));
        let found = index.and_then(|index| Some((index.metadata().ok()?, index)));
        let now = found.map(|(found, index)| {
            let inode = found.ino().cast_signed();
            (index, [inode, found.size().cast_signed(), found.mtime(), found.mtime_nsec()])
        });
        if now == self.read {
            return;
        }
        self.read = now;
        self.hashes.clear();
        let Some(top) = top_of(folder) else { return };
        let below = folder.strip_prefix(top).unwrap_or(Path::new("")).as_os_str().as_bytes();
        let inside = |name: &[u8]| below.is_empty() || within(name, below).is_some();
        for (path, _) in entries(folder, |name, _| inside(name)).unwrap_or_default() {
            let Ok(path) = path.strip_prefix(folder) else { continue };
            let path = path.as_os_str().as_bytes();
            let folders = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(place, _)| place);
            let steps = folders.chain([path.len()]).filter_map(|end| path.get(..end));
            self.hashes.extend(steps.map(hash));
        }
        self.hashes.sort_unstable();
        self.hashes.dedup();
        self.hashes.shrink_to_fit();
    }

    /// Whether git tracks this path, or something in this folder; relative to the folder that was asked about.
    pub(crate) fn holds(&self, path: &[u8]) -> bool {
        self.hashes.binary_search(&hash(path)).is_ok()
    }
}

fn hash(path: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(path);
    hasher.finish()
}

/// What of a name lies in a folder.
fn within<'a>(name: &'a [u8], folder: &[u8]) -> Option<&'a [u8]> {
    name.strip_prefix(folder)?.strip_prefix(b"/")
}

fn top_of(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())
}

/// The folders of the repositories that the index of a folder's repository links to, and those of their own.
pub fn gitlinks(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for link in linked(&folder).unwrap_or_default() {
            // One repository may link to itself, by way of others.
            if found.len() < MOST_LINKS && !found.contains(&link) && link.join(".git").symlink_metadata().is_ok() {
                found.push(link.clone());
                folders.push(link);
            }
        }
    }
    found
}

/// The folders that the index of a folder's repository links to; none where there is an index that cannot be read.
pub fn linked(folder: &Path) -> Option<Vec<PathBuf>> {
    let links = entries(folder, |_, mode| mode == GITLINK)?;
    Some(links.into_iter().map(|(path, _)| path).collect())
}

/// More links are not followed.
const MOST_LINKS: usize = 4_000;

/// The mode of an entry that stands for another repository.
const GITLINK: u32 = 0o160_000;

/// The paths of the index that `wanted` picks by name and mode, with what git has of each; none where a part of it cannot
/// be read.
fn entries(folder: &Path, wanted: impl Fn(&[u8], u32) -> bool) -> Option<Vec<(PathBuf, Vec<u8>)>> {
    let Some(top) = top_of(folder) else { return Some(Vec::new()) };
    let git = git_folder(&top.join(".git"))?;
    let mut next = Some(git.join("index")).filter(|path| path.symlink_metadata().is_ok());
    let mut found = Vec::new();
    for _ in 0..2 {
        let Some(path) = next.take() else { break };
        let index = read(&path)?;
        // The index does not say how long its hashes are; only one length fits the lengths of its names.
        let of = |hash| names(&index, hash, &wanted).map(|(names, end)| (names, shared(&index, end, hash)));
        let (names, base) = of(20).or_else(|| of(32))?;
        found.extend(names.into_iter().map(|(name, id)| (top.join(OsStr::from_bytes(&name)), id)));
        next = base.map(|base| git.join(base));
    }
    Some(found)
}

/// The file that has most entries of a split index, as its extension `link` names it. Others of that kind are nobody's.
fn shared(index: &[u8], mut at: usize, hash: usize) -> Option<String> {
    // Behind everything stands a sum of it.
    let end = index.len().checked_sub(hash)?;
    while at + 8 <= end {
        let length = u32::from_be_bytes(index.get(at + 4..at + 8)?.try_into().ok()?);
        if index.get(at..at + 4)? == b"link" {
            let base = index.get(at + 8..at + 8 + hash)?;
            let name = base.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            return base.iter().any(|byte| *byte != 0).then(|| format!("sharedindex.{name}"));
        }
        at = at.checked_add(8)?.checked_add(usize::try_from(length).ok()?)?;
    }
    None
}

/// A worktree or a submodule has a file there that says where the folder is.
fn git_folder(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let line = read(git)?;
    // As git reads it: blanks belong to the path, ends of lines do not, and nothing behind a zero does.
    let path = line.strip_prefix(b"gitdir: ")?;
    let end = path.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    let path = path.get(..end)?.split(|byte| *byte == 0).next()?;
    Some(git.parent()?.join(OsStr::from_bytes(path)))
}

fn read(path: &Path) -> Option<Vec<u8>> {
    // A pipe would be waited for.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Names, and what git has of each.
type Names = Vec<(Vec<u8>, Vec<u8>)>;

/// What `wanted` picks of an index, and where its entries end.
fn names(index: &[u8], hash: usize, wanted: &impl Fn(&[u8], u32) -> bool) -> Option<(Names, usize)> {
    let number = |at: usize| index.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    if index.get(..4)? != b"DIRC" {
        return None;
    }
    let (version, count) = (number(4)?, number(8)?);
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut found = Vec::new();
    let mut name: Vec<u8> = Vec::new();
    let mut at = 12;
    for _ in 0..count {
        let at_entry = at;
        let flags = u16::from_be_bytes(index.get(at + 40 + hash..at + 42 + hash)?.try_into().ok()?);
        let extended = version >= 3 && flags & 0x4000 != 0;
        let mut from = at + 42 + hash + if extended { 2 } else { 0 };
        if version == 4 {
            let (cut, next) = cut_length(index, from)?;
            name.truncate(name.len().checked_sub(cut)?);
            from = next;
        } else {
            name.clear();
        }
        let end = from + index.get(from..)?.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(index.get(from..end)?);
        let length = usize::from(flags & 0x0fff);
        if length < 0x0fff && length != name.len() {
            return None;
        }
        // Entries of the older forms are filled up with one to eight zeroes.
        at = if version == 4 { end + 1 } else { at + (end - at) / 8 * 8 + 8 };
        if wanted(&name, number(at_entry + 24)?) {
            found.push((name.clone(), index.get(at_entry + 40..at_entry + 40 + hash)?.to_vec()));
        }
    }
    Some((found, at))
}

/// How much of the name before is left out, and where the rest begins.
fn cut_length(index: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *index.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *index.get(at)?;
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
    }
    Some((value, at + 1))
}

#[cfg(test)]
mod tests {
    use super::{gitlinks, linked};
    use std::path::Path;
    use std::process::Command;

    fn git(folder: &Path, args: &[&str]) {
        let all = [&["-c", "user.name=x", "-c", "user.email=x@example.com"], args].concat();
        let out =
            Command::new("git").args(all).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
        assert!(out.status.success(), "{args:?} {}", String::from_utf8_lossy(&out.stderr));
    }

    /// Whatever form an index has, its links are found; what cannot be read is not taken for none.
    #[test]
    fn links_of_every_kind_of_index_are_found() {
        let commit = "160000,1234567890123456789012345678901234567890,a/sub";
        for (version, split) in [("2", false), ("3", false), ("4", false), ("2", true), ("4", true)] {
            let temp = tempfile::tempdir().unwrap();
            let root = temp.path().canonicalize().unwrap();
            git(&root, &["init", "-q"]);
            assert_eq!(linked(&root), Some(vec![]), "there is no index yet");
            std::fs::write(root.join("b"), "").unwrap();
            git(&root, &["add", "b"]);
            git(&root, &["update-index", "--index-version", version, "--add", "--cacheinfo", commit]);
            if version == "3" {
                git(&root, &["add", "-N", "b"]);
                std::fs::write(root.join("c"), "").unwrap();
                git(&root, &["add", "-N", "c"]);
            }
            if split {
                git(&root, &["update-index", "--split-index"]);
            }
            assert_eq!(linked(&root), Some(vec![root.join("a/sub")]), "{version} {split}");
            assert_eq!(gitlinks(&root), [""; 0].map(std::path::PathBuf::from), "nothing is there");
            git(&root, &["init", "-q", "a/sub"]);
            assert_eq!(gitlinks(&root), [root.join("a/sub")]);
            for decoy in 0..40 {
                std::fs::write(root.join(format!(".git/sharedindex.{decoy:040}")), "").unwrap();
            }
            assert_eq!(gitlinks(&root), [root.join("a/sub")], "what the index does not name hides nothing");
            let index = root.join(".git/index");
            let whole = std::fs::read(&index).unwrap();
            // Thirty bytes end within the first entry, or within the name of the index that this one shares.
            for broken in [&whole[..30], b"DIRC\0\0\0\x09\0\0\0\x01", b""] {
                std::fs::write(&index, broken).unwrap();
                assert_eq!(linked(&root), None, "{version} {split}");
            }
        }
    }
}
