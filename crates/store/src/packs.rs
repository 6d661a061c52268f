//! Many small contents in one file, each under the hash of its bytes. A file for each of them would cost a first look at a
//! large tree several times what reading the tree does. A pack has its name only once it is whole, and never changes then:
//! what a killed process leaves has another name, and what a power cut leaves is seen by the end of the file or by the
//! hash of a content.

use crate::atomic::Staged;
use crate::blobs::{BlobError, BlobKey, age_of, entries_of, taken_by};
use crate::private_folder;
use crate::regular::open_regular;
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What a pack begins and ends with.
const MAGIC: [u8; 8] = *b"RXPACK1\n";

/// One content in the list at the end: its hash, where it begins, and its length.
const ROW: usize = 32 + 8 + 4;

/// What stands behind the list: how many rows it has, where it begins, its hash, and the word from the beginning.
const TAIL: usize = 8 + 8 + 32 + 8;

/// Another pack is begun when one has so many bytes, so that giving back room never copies much at once.
const LARGEST: u64 = 256 * 1024 * 1024;

/// As many packs are open at a time: there may be hundreds of them.
const OPEN: usize = 4;

/// Written at once.
const BUFFER: usize = 1024 * 1024;

/// A folder of packs.
#[derive(Debug, Clone)]
pub struct Packs {
    folder: PathBuf,
}

/// One pack, as it was found.
#[derive(Debug)]
pub struct Pack {
    path: PathBuf,
    /// The list of its contents; nothing where the file is no whole pack.
    list: Vec<u8>,
    /// How much room it takes.
    pub taken: u64,
    /// How long ago it was written, or one of its contents was kept again.
    pub age: Duration,
}

/// Where a content is in a pack.
#[derive(Debug, Clone, Copy)]
struct Row {
    key: BlobKey,
    at: u64,
    length: u32,
}

impl Row {
    fn bytes(&self) -> [u8; ROW] {
        let parts = self.key.as_bytes().iter().copied().chain(self.at.to_le_bytes()).chain(self.length.to_le_bytes());
        let mut row = [0; ROW];
        row.iter_mut().zip(parts).for_each(|(to, from)| *to = from);
        row
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (hash, rest) = bytes.split_first_chunk::<32>()?;
        let (at, rest) = rest.split_first_chunk::<8>()?;
        let (length, _) = rest.split_first_chunk::<4>()?;
        let (at, length) = (u64::from_le_bytes(*at), u32::from_le_bytes(*length));
        Some(Self { key: BlobKey::from_bytes(*hash), at, length })
    }
}

/// Where the list of a pack begins and how many rows it has; none for a file that is not whole.
fn tail_of(file: &File) -> io::Result<Option<(u64, u64, [u8; 32])>> {
    let size = file.metadata()?.len();
    let Some(end) = size.checked_sub(TAIL as u64) else { return Ok(None) };
    let mut tail = [0; TAIL];
    file.read_exact_at(&mut tail, end)?;
    let parse = || {
        let (rows, rest) = tail.split_first_chunk::<8>()?;
        let (at, rest) = rest.split_first_chunk::<8>()?;
        let (hash, magic) = rest.split_first_chunk::<32>()?;
        let (rows, at) = (u64::from_le_bytes(*rows), u64::from_le_bytes(*at));
        let fits = rows.checked_mul(ROW as u64).and_then(|list| at.checked_add(list)) == Some(end);
        (magic == MAGIC && fits).then_some((rows, at, *hash))
    };
    Ok(parse())
}

/// The bytes of a row, where they are those that its name says.
fn content(file: &File, row: &Row) -> Result<Vec<u8>, BlobError> {
    let mut bytes = vec![0; row.length as usize];
    match file.read_exact_at(&mut bytes, row.at) {
        Ok(()) if BlobKey::of(&bytes) == row.key => Ok(bytes),
        Ok(()) => Err(BlobError::Damaged),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(BlobError::Damaged),
        Err(error) => Err(error.into()),
    }
}

/// Looks a key up in the list of a pack without reading all of it.
fn look_up(file: &File, key: &BlobKey) -> io::Result<Option<Row>> {
    let Some((rows, at, _)) = tail_of(file)? else { return Ok(None) };
    let (mut low, mut high) = (0, rows);
    while low < high {
        let middle = low + (high - low) / 2;
        let mut bytes = [0; ROW];
        file.read_exact_at(&mut bytes, at + middle * ROW as u64)?;
        let Some(row) = Row::read(&bytes) else { return Ok(None) };
        match row.key.as_bytes().cmp(key.as_bytes()) {
            std::cmp::Ordering::Equal => {
                return Ok(Some(row).filter(|row| row.at.saturating_add(u64::from(row.length)) <= at));
            }
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    Ok(None)
}

impl Pack {
    fn open(path: PathBuf) -> io::Result<Self> {
        let file = open_regular(&path)?;
        let meta = file.metadata()?;
        let list = match tail_of(&file)? {
            Some((rows, at, hash)) => {
                let mut list = vec![0; usize::try_from(rows).unwrap_or(0) * ROW];
                file.read_exact_at(&mut list, at)?;
                if *blake3::hash(&list).as_bytes() == hash { list } else { Vec::new() }
            }
            None => Vec::new(),
        };
        Ok(Self { path, list, taken: taken_by(&meta), age: age_of(&meta) })
    }

    fn rows(&self) -> impl Iterator<Item = Row> {
        self.list.chunks_exact(ROW).filter_map(Row::read)
    }

    fn row(&self, key: &BlobKey) -> Option<Row> {
        let (rows, _) = self.list.as_chunks::<ROW>();
        let found = rows.binary_search_by(|row| row.split_at(32).0.cmp(key.as_bytes())).ok()?;
        rows.get(found).and_then(|row| Row::read(row))
    }

    /// The names of its contents, with their lengths; nothing where the file is no whole pack.
    pub fn contents(&self) -> impl Iterator<Item = (BlobKey, u64)> {
        self.rows().map(|row| (row.key, u64::from(row.length)))
    }
}

impl Packs {
    /// Packs below this folder, which is made with the first of them.
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The bytes of a content of at most `limit` bytes, checked against its name.
    pub fn get(&self, key: &BlobKey, limit: u64) -> Result<Vec<u8>, BlobError> {
        let mut failed = BlobError::Missing;
        for path in self.paths()? {
            let found = open_regular(&path).and_then(|file| Ok((look_up(&file, key)?, file)));
            let Ok((Some(row), file)) = found else { continue };
            let size = u64::from(row.length);
            if size > limit {
                return Err(BlobError::TooLarge { size, limit });
            }
            match content(&file, &row) {
                Ok(bytes) => return Ok(bytes),
                // Another pack may have it whole.
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    /// Begins to keep contents.
    pub fn writer(&self) -> io::Result<PackWriter> {
        private_folder(&self.folder)?;
        Ok(PackWriter::new(self, self.all()?))
    }

    /// Every pack.
    pub fn all(&self) -> io::Result<Vec<Pack>> {
        // One that is gone since the folder was read, or that is no file, is none.
        Ok(self.paths()?.into_iter().filter_map(|path| Pack::open(path).ok()).collect())
    }

    /// What processes that are gone left of packs, with the room it takes and its age.
    pub fn leftovers(&self) -> io::Result<Vec<(PathBuf, u64, Duration)>> {
        let entries = entries_of(&self.folder)?.into_iter();
        let left = entries.filter(|entry| entry.file_name().as_encoded_bytes().ends_with(b".tmp"));
        Ok(left.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?))).map(told).collect())
    }

    /// Makes one pack of several, with those of their contents that are wanted, and removes them. What is damaged is left
    /// behind.
    pub fn rewrite(&self, packs: &[Pack], wanted: &dyn Fn(&BlobKey) -> bool) -> io::Result<()> {
        let mut writer = PackWriter { largest: u64::MAX, durable: true, ..PackWriter::new(self, Vec::new()) };
        for pack in packs {
            let file = open_regular(&pack.path)?;
            for row in pack.rows().filter(|row| wanted(&row.key)) {
                match content(&file, &row) {
                    Ok(bytes) if !writer.holds(&row.key) => writer.append(row.key, &bytes)?,
                    Err(BlobError::Io(error)) => return Err(error),
                    _ => {}
                }
            }
        }
        let made = writer.growing.is_some();
        writer.finish()?;
        let new = writer.known.pop().map(|pack| pack.path);
        if made && new.is_none() {
            return Err(io::Error::other("the new pack cannot be read"));
        }
        // One whose contents are all wanted is made anew under its own name.
        packs.iter().filter(|pack| Some(&pack.path) != new.as_ref()).try_for_each(|pack| self.remove(pack))
    }

    /// Removes a pack; one that is gone already is fine.
    pub fn remove(&self, pack: &Pack) -> io::Result<()> {
        match std::fs::remove_file(&pack.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn paths(&self) -> io::Result<Vec<PathBuf>> {
        let paths = entries_of(&self.folder)?.into_iter().map(|entry| entry.path());
        Ok(paths.filter(|path| path.extension().is_some_and(|end| end == "pack")).collect())
    }
}

fn told((path, meta): (PathBuf, std::fs::Metadata)) -> (PathBuf, u64, Duration) {
    (path, taken_by(&meta), age_of(&meta))
}

/// Keeps contents, in as many packs as they need. What was not finished is as if it had not been begun.
#[derive(Debug)]
pub struct PackWriter {
    packs: Packs,
    /// The packs that were there, and those of them that are open, by their place.
    known: Vec<Pack>,
    open: VecDeque<(usize, File)>,
    growing: Option<Growing>,
    largest: u64,
    /// A pack is on disk before it has its name: what stands in for another one may not be less than that was.
    durable: bool,
}

/// A pack that has no name yet.
#[derive(Debug)]
struct Growing {
    staged: Staged,
    out: BufWriter<File>,
    rows: HashMap<[u8; 32], (u64, u32)>,
    size: u64,
}

impl PackWriter {
    fn new(packs: &Packs, known: Vec<Pack>) -> Self {
        let packs = packs.clone();
        Self { packs, known, open: VecDeque::new(), growing: None, largest: LARGEST, durable: false }
    }

    /// True when a content was added since the last pack was finished.
    fn holds(&self, key: &BlobKey) -> bool {
        self.growing.as_ref().is_some_and(|growing| growing.rows.contains_key(key.as_bytes()))
    }

    /// True when a content is kept already and whole; it is young again then.
    pub fn has(&mut self, key: &BlobKey, bytes: &[u8]) -> bool {
        if self.holds(key) {
            return true;
        }
        let Self { known, open, .. } = self;
        known.iter_mut().enumerate().any(|(place, pack)| {
            let Some(row) = pack.row(key) else { return false };
            let Some(file) = opened(open, place, &pack.path) else { return false };
            let whole = content(file, &row).is_ok_and(|there| there == bytes);
            if whole && !pack.age.is_zero() {
                let touched = file.set_modified(SystemTime::now()).is_ok();
                pack.age = if touched { Duration::ZERO } else { pack.age };
                return touched;
            }
            whole
        })
    }

    /// Adds a content that is nowhere yet. It can be had once the writer is finished.
    pub fn append(&mut self, key: BlobKey, bytes: &[u8]) -> io::Result<()> {
        if self.growing.as_ref().is_some_and(|growing| growing.size >= self.largest) {
            self.finish()?;
        }
        let length = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let growing = match &mut self.growing {
            Some(growing) => growing,
            none => none.insert(Growing::begin(&self.packs.folder)?),
        };
        growing.out.write_all(bytes)?;
        growing.rows.insert(*key.as_bytes(), (growing.size, length));
        growing.size += u64::from(length);
        Ok(())
    }

    /// Gives the pack its end and its name.
    pub fn finish(&mut self) -> io::Result<()> {
        let Some(growing) = self.growing.take() else { return Ok(()) };
        let path = growing.end(&self.packs.folder, self.durable)?;
        self.known.extend(Pack::open(path).ok().map(|pack| Pack { age: Duration::ZERO, ..pack }));
        Ok(())
    }
}

/// The file of a pack, among the few that are open.
fn opened<'f>(open: &'f mut VecDeque<(usize, File)>, place: usize, path: &Path) -> Option<&'f File> {
    if !open.iter().any(|(other, _)| *other == place) {
        open.truncate(OPEN - 1);
        open.push_front((place, open_regular(path).ok()?));
    }
    open.iter().find(|(other, _)| *other == place).map(|(_, file)| file)
}

impl Growing {
    fn begin(folder: &Path) -> io::Result<Self> {
        let staged = Staged::create(&folder.join("pack"))?;
        let mut out = BufWriter::with_capacity(BUFFER, staged.file().try_clone()?);
        out.write_all(&MAGIC)?;
        Ok(Self { staged, out, rows: HashMap::new(), size: MAGIC.len() as u64 })
    }

    fn end(mut self, folder: &Path, durable: bool) -> io::Result<PathBuf> {
        let mut rows: Vec<_> = self.rows.into_iter().collect();
        rows.sort_unstable();
        let mut list = Vec::with_capacity(rows.len() * ROW);
        for (hash, (at, length)) in &rows {
            list.extend(Row { key: BlobKey::from_bytes(*hash), at: *at, length: *length }.bytes());
        }
        let hash = blake3::hash(&list);
        self.out.write_all(&list)?;
        self.out.write_all(&(rows.len() as u64).to_le_bytes())?;
        self.out.write_all(&self.size.to_le_bytes())?;
        self.out.write_all(hash.as_bytes())?;
        self.out.write_all(&MAGIC)?;
        self.out.flush()?;
        let path = folder.join(format!("{}.pack", hash.to_hex()));
        if durable {
            self.out.get_ref().sync_all()?;
        }
        self.staged.rename_to(&path)?;
        if durable {
            File::open(folder)?.sync_all()?;
        }
        Ok(path)
    }
}

#[cfg(test)]
mod tests;
