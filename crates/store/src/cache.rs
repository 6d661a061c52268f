//! What can be had again, kept for a while: small entries by kind and name, with a time limit and a bound on all of it.
//! The folder may be one of the user's choice, so that nothing in it is touched but what has the form of ours.

use crate::atomic::place;
use crate::blobs::BlobKey;
use crate::private_folder;
use std::fs::Metadata;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A larger entry is not kept, and is none of ours.
const LARGEST: u64 = 4 * 1024 * 1024;
/// How many hex digits name an entry.
const DIGITS: usize = 32;
const END: &str = ".json";

/// A folder of entries.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    limit: Duration,
    most: u64,
}

/// How much there is, and how much went or would go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tidied {
    /// Files that stay.
    pub kept: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files that went.
    pub removed: u64,
    /// Their bytes.
    pub freed: u64,
}

/// What can go: a file, or several that are nothing without each other.
struct Entry {
    paths: Vec<PathBuf>,
    size: u64,
    age: Option<Duration>,
}

impl Cache {
    /// The entries below this folder, which are old after `limit` and together have at most `most` bytes.
    pub fn at(folder: PathBuf, limit: Duration, most: u64) -> Self {
        Self { folder, limit, most }
    }

    /// An entry that is not old, and its age.
    pub fn get(&self, kind: &str, name: &str) -> Option<(Vec<u8>, Duration)> {
        let mut file = std::fs::File::open(self.path_of(kind, name)).ok()?;
        let meta = file.metadata().ok()?;
        let age = age(&meta).filter(|age| *age < self.limit && meta.is_file() && meta.len() <= LARGEST)?;
        let mut bytes = Vec::new();
        file.by_ref().take(LARGEST).read_to_end(&mut bytes).ok()?;
        Some((bytes, age))
    }

    /// Keeps an entry, and makes room for it where that is needed.
    pub fn put(&self, kind: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() as u64 > LARGEST || self.limit.is_zero() {
            return Ok(());
        }
        private_folder(&self.folder)?;
        private_folder(&self.folder.join(kind))?;
        place(&self.path_of(kind, name), bytes, 0o600)?;
        self.tidy(&[kind], &[], false).map(drop)
    }

    /// Removes what is old, then the oldest until the rest is small enough: entries of these kinds, and the files beside them
    /// that have these names, which stay or go together. With `dry` it only counts.
    pub fn tidy(&self, kinds: &[&str], files: &[&str], dry: bool) -> io::Result<Tidied> {
        let mut found = Vec::new();
        for kind in kinds {
            found.extend(self.entries(kind)?);
        }
        let beside = files.iter().map(|name| self.folder.join(name));
        let beside = beside.filter_map(|path| Some((path.symlink_metadata().ok().filter(Metadata::is_file)?, path)));
        let together = beside.fold(None, |group: Option<Entry>, (meta, path)| {
            let mut group = group.unwrap_or_else(|| Entry { paths: Vec::new(), size: 0, age: age(&meta) });
            group.size += meta.len();
            group.age = group.age.zip(age(&meta)).map(|(one, other)| one.min(other));
            group.paths.push(path);
            Some(group)
        });
        found.extend(together);
        // One whose time is not known, or lies ahead of us, counts as the oldest.
        found.sort_by_key(|entry| entry.age.unwrap_or(Duration::MAX));
        let mut tidied = Tidied::default();
        for Entry { paths, size, age } in found {
            if age.is_some_and(|age| age < self.limit) && tidied.bytes + size <= self.most {
                tidied.kept += paths.len() as u64;
                tidied.bytes += size;
                continue;
            }
            tidied.removed += paths.len() as u64;
            tidied.freed += size;
            for path in paths.iter().filter(|_| !dry) {
                match std::fs::remove_file(path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(tidied)
    }

    fn entries(&self, kind: &str) -> io::Result<Vec<Entry>> {
        let entries = match std::fs::read_dir(self.folder.join(kind)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let hex = name.to_str().and_then(|name| name.strip_suffix(END)).unwrap_or_default();
            let ours = hex.len() == DIGITS && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
            // A link is not a file here; what is gone since the folder was read is nothing.
            let Some(meta) = entry.metadata().ok().filter(|meta| ours && meta.is_file()) else { continue };
            found.push(Entry { paths: vec![entry.path()], size: meta.len(), age: age(&meta) });
        }
        Ok(found)
    }

    fn path_of(&self, kind: &str, name: &str) -> PathBuf {
        let hash = BlobKey::of(name.as_bytes()).to_string();
        self.folder.join(kind).join(format!("{}{END}", hash.get(..DIGITS).unwrap_or_default()))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// How long ago a file was written; none when its time lies ahead.
fn age(meta: &Metadata) -> Option<Duration> {
    SystemTime::now().duration_since(meta.modified().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::{Cache, Tidied};
    use std::fs::File;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    const HOUR: Duration = Duration::from_secs(3600);

    fn cache(folder: &Path, most: u64) -> Cache {
        Cache::at(folder.join("cache"), HOUR * 24, most)
    }

    fn written(path: &Path, ago: Duration) {
        File::options().append(true).open(path).unwrap().set_modified(SystemTime::now() - ago).unwrap();
    }

    #[test]
    fn an_entry_lives_as_long_as_it_may() {
        let root = tempfile::tempdir().unwrap();
        let cache = cache(root.path(), 1000);
        assert_eq!(cache.get("models", "http://h"), None);
        cache.put("models", "http://h", b"[1]").unwrap();
        assert_eq!(cache.get("models", "http://h").unwrap().0, b"[1]");
        assert_eq!((cache.get("models", "http://i"), cache.get("other", "http://h")), (None, None));
        let path = cache.path_of("models", "http://h");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        written(&path, HOUR * 23);
        assert!(cache.get("models", "http://h").is_some_and(|(_, age)| age >= HOUR * 23));
        written(&path, HOUR * 25);
        assert_eq!(cache.get("models", "http://h"), None, "old");
        File::options().append(true).open(&path).unwrap().set_modified(SystemTime::now() + HOUR).unwrap();
        assert_eq!(cache.get("models", "http://h"), None, "a time that lies ahead says nothing");
        let never = Cache::at(root.path().join("never"), Duration::ZERO, 1000);
        never.put("models", "a", b"x").unwrap();
        assert!(never.get("models", "a").is_none() && !root.path().join("never").exists(), "0 keeps nothing");
    }

    #[test]
    fn the_oldest_go_first_and_only_what_is_ours() {
        let root = tempfile::tempdir().unwrap();
        let cache = cache(root.path(), 250);
        let names = ["a", "b", "c"];
        for (at, name) in names.into_iter().enumerate() {
            // Without making room: that is looked at below.
            Cache { most: u64::MAX, ..cache.clone() }.put("models", name, &[b'x'; 100]).unwrap();
            written(&cache.path_of("models", name), HOUR * (10 - u32::try_from(at).unwrap()));
        }
        let folder = cache.folder().to_owned();
        // What somebody else has in the same folder, however old.
        for name in
            ["models/notes.json", "models/0123.json", "photo.jpg", "models/zz345678901234567890123456789012.json"]
        {
            std::fs::write(folder.join(name), "mine").unwrap();
            written(&folder.join(name), HOUR * 1000);
        }
        let index = ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"];
        for (name, ago) in index.into_iter().zip([30, 1]) {
            std::fs::write(folder.join(name), [0; 20]).unwrap();
            written(&folder.join(name), HOUR * ago);
        }
        let wanted = Tidied { kept: 4, bytes: 240, removed: 1, freed: 100 };
        assert_eq!(cache.tidy(&["models"], &index, true).unwrap(), wanted, "as young as its youngest part");
        written(&folder.join("index.sqlite-wal"), HOUR * 30);
        let wanted = Tidied { kept: 2, bytes: 200, removed: 3, freed: 140 };
        assert_eq!(cache.tidy(&["models"], &index, true).unwrap(), wanted);
        assert!(folder.join("index.sqlite").exists(), "only counted");
        assert_eq!(cache.tidy(&["models"], &index, false).unwrap(), wanted);
        assert!(index.iter().all(|name| !folder.join(name).exists()) && cache.get("models", "a").is_none());
        assert!(cache.get("models", "b").is_some() && cache.get("models", "c").is_some());
        for name in
            ["models/notes.json", "models/0123.json", "photo.jpg", "models/zz345678901234567890123456789012.json"]
        {
            assert!(folder.join(name).exists(), "{name} is not ours");
        }
        cache.put("models", "d", &[b'x'; 100]).unwrap();
        assert!(cache.get("models", "b").is_none() && cache.get("models", "d").is_some(), "a new one makes its room");
    }

    #[test]
    fn links_are_not_followed_out_of_it() {
        let root = tempfile::tempdir().unwrap();
        let cache = cache(root.path(), 10);
        cache.put("models", "a", b"x").unwrap();
        let other = root.path().join("other.json");
        std::fs::write(&other, [0; 100]).unwrap();
        written(&other, HOUR * 1000);
        let link = cache.path_of("models", "b");
        std::os::unix::fs::symlink(&other, &link).unwrap();
        assert_eq!(cache.tidy(&["models"], &[], false).unwrap().removed, 0);
        assert!(other.exists() && link.symlink_metadata().is_ok());
    }
}
