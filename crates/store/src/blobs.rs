//! Content-addressed bytes: a blob's name is the hash of what is in it.

use crate::atomic::place;
use crate::private_folder;
use crate::regular::open_regular;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// What a dead process left of a blob is removed after so long.
const FORGOTTEN: Duration = Duration::from_secs(24 * 3600);

/// A folder of blobs. The same bytes are kept once.
#[derive(Debug, Clone)]
pub struct Blobs {
    folder: PathBuf,
    /// Which of the folders inside are known to be ours.
    ours: Arc<[AtomicBool; 256]>,
}

/// How many bytes of a disk a file takes: not its length, because thousands of small files take many times that.
pub fn taken_by(found: &Metadata) -> u64 {
    let blocks = found.blocks().saturating_mul(512);
    // Some file systems keep what is small without a block.
    if blocks == 0 { found.len() } else { blocks }
}

/// The name of a blob: the BLAKE3 hash of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlobKey(blake3::Hash);

impl BlobKey {
    /// The key that these bytes have.
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes))
    }

    /// The key with this hash.
    pub fn from_bytes(hash: [u8; 32]) -> Self {
        Self(blake3::Hash::from_bytes(hash))
    }

    /// The hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Reads 64 hex digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(Self)
    }
}

impl fmt::Display for BlobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

/// A blob could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// There is none of that name.
    #[error("no such blob")]
    Missing,
    /// Several blobs' names begin like that.
    #[error("the name fits several blobs")]
    Ambiguous,
    /// It is larger than the reader wanted.
    #[error("the blob has {size} bytes, more than {limit}")]
    TooLarge {
        /// Its size.
        size: u64,
        /// What the reader takes.
        limit: u64,
    },
    /// Its bytes are not those it was named for.
    #[error("the blob is damaged on disk")]
    Damaged,
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Blobs {
    /// Blobs below this folder, which is made when the first one is kept.
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), ours: Arc::new(std::array::from_fn(|_| AtomicBool::new(false))) }
    }

    /// Keeps bytes, unless they are kept already; then they are as good as new. What a power cut or a killed process left
    /// of them does not count: a blob is checked against its name wherever it is read, so that it needs no second name
    /// while it is written, which takes most of the time with small ones.
    pub fn put(&self, bytes: &[u8]) -> io::Result<BlobKey> {
        let key = BlobKey::of(bytes);
        self.keep(key, bytes)?;
        Ok(key)
    }

    /// The same for bytes whose key is known already.
    pub fn keep(&self, key: BlobKey, bytes: &[u8]) -> io::Result<()> {
        let path = self.path_of(&key.to_string());
        self.make_ours(&key, &path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR) {
            Ok(opened) => {
                if let Err(error) = File::from(opened).write_all(bytes) {
                    let _ = std::fs::remove_file(&path);
                    return Err(error);
                }
            }
            Err(Errno::EXIST) if is_kept(&path, bytes) => {}
            Err(Errno::EXIST) => place(&path, bytes, 0o600)?,
            // Somebody removed the folder.
            Err(Errno::NOENT) => {
                path.parent().map_or(Ok(()), private_folder)?;
                place(&path, bytes, 0o600)?;
            }
            Err(errno) => return Err(errno.into()),
        }
        Ok(())
    }

    /// Makes the folder that a blob lies in, or sees to it that it is ours; once is enough.
    fn make_ours(&self, key: &BlobKey, path: &Path) -> io::Result<()> {
        let first = key.as_bytes().first().copied().unwrap_or_default();
        let Some(known) = self.ours.get(usize::from(first)) else { return Ok(()) };
        if !known.load(Ordering::Relaxed) {
            private_folder(&self.folder)?;
            path.parent().map_or(Ok(()), private_folder)?;
            known.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// True when the blob is here.
    pub fn contains(&self, key: &BlobKey) -> bool {
        self.path_of(&key.to_string()).symlink_metadata().is_ok_and(|found| found.is_file())
    }

    /// True when these bytes are kept and whole; they are young again then.
    pub fn has(&self, key: &BlobKey, bytes: &[u8]) -> bool {
        is_kept(&self.path_of(&key.to_string()), bytes)
    }

    /// The bytes of a blob of at most `limit` bytes, checked against its name.
    pub fn get(&self, key: &BlobKey, limit: u64) -> Result<Vec<u8>, BlobError> {
        let mut file = match open_regular(&self.path_of(&key.to_string())) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(BlobError::Missing),
            Err(error) => return Err(error.into()),
        };
        let size = file.metadata()?.len();
        if size > limit {
            return Err(BlobError::TooLarge { size, limit });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        Read::by_ref(&mut file).take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if BlobKey::of(&bytes) == *key { Ok(bytes) } else { Err(BlobError::Damaged) }
    }

    /// The one blob whose name begins with these hex digits, at least eight of them.
    pub fn find(&self, prefix: &str) -> Result<BlobKey, BlobError> {
        let is_name = prefix.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        if !is_name || !(8..=64).contains(&prefix.len()) {
            return Err(BlobError::Missing);
        }
        let (fan, rest) = prefix.split_at(2);
        let entries = match std::fs::read_dir(self.folder.join(fan)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(BlobError::Missing),
            Err(error) => return Err(error.into()),
        };
        let mut found = None;
        for entry in entries {
            let name = entry?.file_name();
            let Some(name) = name.to_str().filter(|name| name.starts_with(rest)) else { continue };
            let Some(key) = BlobKey::from_hex(&format!("{fan}{name}")) else { continue };
            if found.replace(key).is_some() {
                return Err(BlobError::Ambiguous);
            }
        }
        found.ok_or(BlobError::Missing)
    }

    /// Every blob with the room it takes and its age; what is no blob is passed over.
    pub fn all(&self) -> io::Result<Vec<(BlobKey, u64, Duration)>> {
        let mut found = Vec::new();
        self.each(|_, name, meta| {
            found.extend(BlobKey::from_hex(name).map(|key| (key, taken_by(meta), age_of(meta))));
        })?;
        Ok(found)
    }

    /// The names of all blobs, without a look at any of them.
    pub fn names(&self) -> io::Result<impl Iterator<Item = BlobKey>> {
        let mut found = Vec::new();
        for fan in entries_of(&self.folder)? {
            let start = fan.file_name();
            for entry in entries_of(&fan.path())? {
                let name = format!("{}{}", start.to_string_lossy(), entry.file_name().to_string_lossy());
                found.extend(BlobKey::from_hex(&name));
            }
        }
        Ok(found.into_iter())
    }

    /// What processes that died left of blobs, long enough ago, with the room it takes.
    pub fn forgotten(&self) -> io::Result<Vec<(PathBuf, u64)>> {
        let mut found = Vec::new();
        self.each(|path, name, meta| {
            let stray = name.get(2..).is_some_and(|name| name.starts_with('.') && name.ends_with(".tmp"));
            if stray && age_of(meta) > FORGOTTEN {
                found.push((path.to_owned(), taken_by(meta)));
            }
        })?;
        Ok(found)
    }

    /// Every file in the folders of blobs, with its whole name.
    fn each(&self, mut give: impl FnMut(&Path, &str, &Metadata)) -> io::Result<()> {
        for fan in entries_of(&self.folder)? {
            for entry in entries_of(&fan.path())? {
                let name = format!("{}{}", fan.file_name().to_string_lossy(), entry.file_name().to_string_lossy());
                // Gone since the folder was read.
                let Some(meta) = entry.metadata().ok().filter(Metadata::is_file) else { continue };
                give(&entry.path(), &name, &meta);
            }
        }
        Ok(())
    }

    /// Removes a blob; one that is not there is fine.
    pub fn remove(&self, key: &BlobKey) -> io::Result<()> {
        match std::fs::remove_file(self.path_of(&key.to_string())) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn path_of(&self, hex: &str) -> PathBuf {
        let (fan, rest) = hex.split_at(2);
        self.folder.join(fan).join(rest)
    }
}

pub(crate) fn age_of(found: &Metadata) -> Duration {
    found.modified().ok().and_then(|then| SystemTime::now().duration_since(then).ok()).unwrap_or_default()
}

/// Whether a blob is there and whole; it is young again then.
fn is_kept(path: &Path, bytes: &[u8]) -> bool {
    let same = |found: std::fs::Metadata| found.is_file() && found.len() == bytes.len() as u64;
    if !path.symlink_metadata().is_ok_and(same) {
        return false;
    }
    let Ok(mut file) = std::fs::File::open(path) else { return false };
    let mut there = Vec::with_capacity(bytes.len());
    let whole = Read::by_ref(&mut file).take(bytes.len() as u64 + 1).read_to_end(&mut there).is_ok() && there == bytes;
    whole && file.set_modified(SystemTime::now()).is_ok()
}

/// The entries of a folder; none when there is no such folder, or it is a file.
pub(crate) fn entries_of(folder: &Path) -> io::Result<Vec<std::fs::DirEntry>> {
    match std::fs::read_dir(folder) {
        Ok(entries) => entries.collect(),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::{BlobError, BlobKey, Blobs};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    #[test]
    fn kept_once_found_by_prefix_and_private() {
        let root = tempfile::tempdir().unwrap();
        let blobs = Blobs::at(&root.path().join("blobs"));
        assert!(matches!(blobs.find("0123456789abcdef"), Err(BlobError::Missing)));
        let key = blobs.put(b"hello").unwrap();
        assert!(blobs.contains(&key) && !blobs.contains(&BlobKey::of(b"other")));
        assert_eq!(blobs.get(&key, 5).unwrap(), b"hello");
        assert_eq!(blobs.find(&key.to_string()[..16]).unwrap(), key);

        let path = blobs.path_of(&key.to_string());
        let before = path.metadata().unwrap();
        assert_eq!(before.permissions().mode() & 0o777, 0o600);
        assert_eq!(path.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(blobs.put(b"hello").unwrap(), key);
        assert_eq!(path.metadata().unwrap().ino(), before.ino(), "not written twice");
    }

    #[test]
    fn bounds_damage_and_names_that_are_none() {
        let root = tempfile::tempdir().unwrap();
        let blobs = Blobs::at(root.path());
        let key = blobs.put(b"hello").unwrap();
        assert!(matches!(blobs.get(&key, 4), Err(BlobError::TooLarge { size: 5, limit: 4 })));
        assert!(matches!(blobs.get(&BlobKey::of(b"no"), 9), Err(BlobError::Missing)));
        for name in ["", "../../etc", "abc", "ABCDEF0123456789", "é0123456789abcd"] {
            assert!(matches!(blobs.find(name), Err(BlobError::Missing)), "{name}");
        }
        std::fs::write(blobs.path_of(&key.to_string()), "hullo").unwrap();
        assert!(matches!(blobs.get(&key, 9), Err(BlobError::Damaged)));
    }

    #[test]
    fn a_blob_that_a_power_cut_damaged_is_written_anew() {
        let root = tempfile::tempdir().unwrap();
        let blobs = Blobs::at(root.path());
        let key = blobs.put(b"hello").unwrap();
        for left in ["", "he", "\0\0\0\0\0"] {
            std::fs::write(blobs.path_of(&key.to_string()), left).unwrap();
            blobs.put(b"hello").unwrap();
            assert_eq!(blobs.get(&key, 9).unwrap(), b"hello", "{left:?}");
        }
    }

    #[test]
    fn a_blob_is_counted_by_the_room_it_takes_and_leftovers_are_found() {
        let root = tempfile::tempdir().unwrap();
        let blobs = Blobs::at(root.path());
        let key = blobs.put(b"five!").unwrap();
        let found = blobs.path_of(&key.to_string()).metadata().unwrap();
        assert_eq!(blobs.all().unwrap()[0].1, super::taken_by(&found));
        assert_eq!(super::taken_by(&found), if found.blocks() == 0 { 5 } else { found.blocks() * 512 });
        let left = blobs.path_of(&key.to_string()).with_file_name(".blob.0123456789abcdef.tmp");
        std::fs::write(&left, "half").unwrap();
        assert_eq!(blobs.forgotten().unwrap(), [], "somebody may be writing it");
        let old = std::time::SystemTime::now() - 2 * super::FORGOTTEN;
        std::fs::File::options().write(true).open(&left).unwrap().set_modified(old).unwrap();
        assert_eq!(blobs.forgotten().unwrap()[0].0, left);
        assert_eq!(blobs.all().unwrap().len(), 1);
    }

    #[test]
    fn what_is_kept_again_is_young() {
        let root = tempfile::tempdir().unwrap();
        let blobs = Blobs::at(root.path());
        let key = blobs.put(b"hello").unwrap();
        let hour = std::time::Duration::from_secs(3600);
        let file = std::fs::File::open(blobs.path_of(&key.to_string())).unwrap();
        file.set_modified(std::time::SystemTime::now() - 2 * hour).unwrap();
        assert!(blobs.all().unwrap()[0].2 > hour);
        blobs.put(b"hello").unwrap();
        assert!(blobs.all().unwrap()[0].2 < hour);
    }
}
