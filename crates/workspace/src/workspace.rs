//! The door to every file.

use crate::beneath::Beneath;
use crate::boundary::{Boundary, Last};
use crate::commit::{self, Plan};
use crate::format::Format;
use crate::guard::{Guard, Seen, Stamp};
use crate::names::{Gathering, Names};
use crate::window::Wanted;
use crate::{
    FileError, FoundFiles, GlobQuery, GrepQuery, Listing, MAX_TEXT_BYTES, Matches, Options, Step, TextFile, Window,
    Written, glob, grep, lexical, list, near, read, text, window,
};
use rustix::fs::{FileType, OFlags, Stat};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The door to every file. Cheap to clone; clones share what the session has seen.
#[derive(Debug, Clone)]
pub struct Workspace(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    options: Options,
    boundary: Arc<Boundary>,
    guard: Guard,
    gathering: Arc<Gathering>,
}

impl Workspace {
    /// Opens the folder `root` and what `options` adds. Relative paths in `options` start at `root`.
    pub fn open(root: &Path, options: Options) -> Result<Self, FileError> {
        Self::open_with(root, &options, None)
    }

    /// The same, with the way to open files given.
    pub(crate) fn open_with(root: &Path, options: &Options, way: Option<Beneath>) -> Result<Self, FileError> {
        let boundary = Arc::new(Boundary::new(root, options, way)?);
        let (options, guard, gathering) = (options.clone(), Guard::default(), Arc::default());
        Ok(Self(Arc::new(Inner { options, boundary, guard, gathering })))
    }

    /// The same rules for a copy of the root that lies elsewhere, also in a place that is closed. Nothing else is open there,
    /// and what is open here is closed.
    pub fn copied_to(&self, root: &Path) -> Result<Self, FileError> {
        let own = self.root();
        let inside = |path: &PathBuf| path.strip_prefix(own).map_or_else(|_| path.clone(), Path::to_owned);
        let options = &self.0.options;
        let closed = options.closed.iter().map(|path| own.join(path)).chain(self.roots()).collect();
        let forbid_read = options.forbid_read.iter().map(inside).collect();
        let (add_dirs, allow_write, within_closed) = (Vec::new(), Vec::new(), true);
        let options =
            Options { add_dirs, allow_write, forbid_read, closed, within_closed, around: None, ..options.clone() };
        Self::open(root, options)
    }

    /// Copies files of the root that these globs name into a folder that nobody else writes to, as they are and where
    /// nothing stands yet. Links are copied as links; nothing closed is copied, and nothing that lies elsewhere. Gives how
    /// many there were.
    pub fn bring(&self, globs: &[String], into: &Path) -> Result<u64, FileError> {
        crate::bring::bring(&self.0.boundary, globs, into)
    }

    /// The root, with all links resolved.
    pub fn root(&self) -> &Path {
        self.0.boundary.root()
    }

    /// Every place that is open for writing, the root first.
    pub fn roots(&self) -> Vec<PathBuf> {
        self.0.boundary.open_places()
    }

    /// The repository around the root, which commands see and cannot change; none where the root is no part of one.
    pub fn around(&self) -> Option<&Path> {
        self.0.boundary.around()
    }

    /// The `.env` files that are closed although they lie inside or in the repository around the root, as of now: git does
    /// not track them, and no rule opens them.
    pub fn secrets(&self) -> Vec<PathBuf> {
        self.0.boundary.secrets()
    }

    /// The normalised path, relative to the root when it lies below it, `.` for the root itself; for rules, titles and
    /// messages. It only looks at the text, and it is also the path that is opened.
    pub fn shown(&self, path: &str) -> String {
        match self.0.boundary.absolute(path) {
            Ok(absolute) => lexical::shown(self.root(), &absolute),
            Err(_) => path.to_owned(),
        }
    }

    /// Paths of git's index, as it is now, whose files are closed in the same way; in the form of [`Workspace::shown`].
    pub fn copied_secrets(&self) -> Vec<String> {
        let all = self.0.boundary.copied_secrets();
        all.iter().map(|path| lexical::shown(self.root(), path)).collect()
    }

    /// Where the path really leads once links are followed, in the form of [`Workspace::shown`]; for rules that
    /// name the target of a link. The file need not exist.
    pub fn real(&self, path: &str) -> Result<String, FileError> {
        let place = self.0.boundary.resolve_to_read(path)?;
        Ok(lexical::shown(self.root(), &place.real))
    }

    /// The names of everything below the root, as far as they are known after at most this long; the first call begins to
    /// gather them.
    pub fn names(&self, patience: std::time::Duration) -> Names {
        self.0.gathering.names(&self.0.boundary, patience)
    }

    /// True when the path may be read, whether or not something stands there.
    pub fn may_be_read(&self, path: &str) -> bool {
        let boundary = &self.0.boundary;
        boundary.resolve_to_read(path).is_ok_and(|place| !boundary.hides(&place.real, None, &boundary.barrier_ids()))
    }

    /// True when the path lies outside of every root and may be read all the same.
    pub fn reads_outside(&self, path: &str) -> bool {
        let boundary = &self.0.boundary;
        boundary.resolve(path, Last::Follow).is_err() && boundary.resolve_to_read(path).is_ok()
    }

    /// True when something stands at the path. What is closed or outside is an error.
    pub fn exists(&self, path: &str) -> Result<bool, FileError> {
        Ok(self.0.boundary.resolve(path, Last::Follow)?.stat.is_some())
    }

    /// Reads a whole text file of up to [`MAX_TEXT_BYTES`] in order to show it, and remembers it as seen.
    pub fn read_text(&self, path: &str) -> Result<TextFile, FileError> {
        let (real, file, _) = self.load(path)?;
        self.0.guard.saw(&real, Seen::Hash(file.hash));
        Ok(file)
    }

    /// Reads a whole text file in order to change it. It does not count as seen, and is refused with
    /// [`FileError::ChangedSinceRead`] when it is different from what the session last saw.
    pub fn read_base(&self, path: &str) -> Result<TextFile, FileError> {
        let (real, file, stat) = self.load(path)?;
        if !self.0.guard.allows(&real, file.hash, &stat) {
            return Err(FileError::ChangedSinceRead { path: path.to_owned() });
        }
        Ok(file)
    }

    /// Counts a file as seen as it was read for a change (or as absent), because a person was shown what would become
    /// of it: when it is different by the time the change is made, the change is refused.
    pub fn count_as_seen(&self, path: &str, file: Option<&TextFile>) {
        if let Ok(place) = self.0.boundary.resolve(path, Last::Follow) {
            self.0.guard.saw(&place.real, file.map_or(Seen::Nothing, |file| Seen::Hash(file.hash)));
        }
    }

    /// Reads up to `limit` lines from line `offset` (from 1) on, up to `max_bytes` in all, out of a file of any size,
    /// and remembers it as seen.
    pub fn read_lines(&self, path: &str, offset: u64, limit: usize, max_bytes: usize) -> Result<Window, FileError> {
        let wanted = Wanted { offset, limit, max_bytes };
        let (place, mut file, stat) = self.0.boundary.open_file(path).map_err(|error| self.suggest(error))?;
        let failed = |error| FileError::from_io(path, error);
        let mode = Some(stat.st_mode & 0o7777);
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        if size > MAX_TEXT_BYTES {
            let mut window = window::of_stream(path, file, size, wanted)?;
            window.format.mode = mode;
            self.0.guard.saw(&place.real, Seen::Stamp(Stamp::of(&stat)));
            return Ok(window);
        }
        let (bytes, whole) = read::bounded(&mut file, &stat).map_err(failed)?;
        if !whole {
            // It grew while it was read.
            return window::of_stream(path, Cursor::new(bytes).chain(file), size, wanted);
        }
        let (hash, size) = (blake3::hash(&bytes), bytes.len() as u64);
        let (text, format) =
            text::decode(bytes).map_err(|kind| FileError::Binary { path: path.to_owned(), size, kind })?;
        self.0.guard.saw(&place.real, Seen::Hash(hash));
        Ok(window::of_text(&text, Format { mode, ..format }, size, wanted))
    }

    /// Reads a whole file of up to `most` bytes, whatever it is.
    pub fn read_bytes(&self, path: &str, most: u64) -> Result<Vec<u8>, FileError> {
        let (_, file, stat) = self.0.boundary.open_file(path).map_err(|error| self.suggest(error))?;
        let mut bytes = Vec::new();
        file.take(most + 1).read_to_end(&mut bytes).map_err(|error| FileError::from_io(path, error))?;
        if bytes.len() as u64 > most {
            let size = u64::try_from(stat.st_size).unwrap_or(0);
            return Err(FileError::TooLarge { path: path.to_owned(), size, limit: most });
        }
        Ok(bytes)
    }

    /// Whether a file can be changed or made, or moved there from elsewhere, as far as that is told without touching
    /// anything: for whoever would be asked about it.
    pub fn check(&self, path: &str, from: Option<&str>) -> Result<(), FileError> {
        commit::check(&self.0.boundary, path, from).map_err(|error| self.suggest(error))
    }

    /// Makes all of the changes, or none. On an error everything is as it was and no temporary file is left.
    pub fn commit(&self, steps: Vec<Step>) -> Result<Vec<Written>, FileError> {
        Plan::new(&self.0.boundary, &self.0.guard, steps).and_then(Plan::apply).map_err(|error| self.suggest(error))
    }

    /// The entries of a folder, hidden and ignored ones too.
    pub fn list(&self, path: &str) -> Result<Listing, FileError> {
        list::list(&self.0.boundary, path).map_err(|error| self.suggest(error))
    }

    /// The same place with nothing remembered as seen, for another session.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self(Arc::new(Inner {
            options: self.0.options.clone(),
            boundary: Arc::clone(&self.0.boundary),
            guard: Guard::default(),
            gathering: Arc::clone(&self.0.gathering),
        }))
    }

    /// The entries of one folder as somebody who types a path wants to see them: without what is ignored or closed,
    /// and without hidden ones unless asked for.
    pub fn level(&self, path: &str, hidden: bool, limit: usize) -> Result<Vec<crate::Near>, FileError> {
        crate::level::level(&self.0.boundary, path, hidden, limit)
    }

    /// How many lines a text file has, counted up to `enough`; none when it cannot be read. It does not count as seen.
    pub fn count_lines(&self, path: &str, enough: u64) -> Option<u64> {
        use std::io::BufRead;
        let place = self.0.boundary.resolve_to_read(path).ok()?;
        place.stat.filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile)?;
        let file = std::fs::File::from(self.0.boundary.open(&place, OFlags::RDONLY | OFlags::NONBLOCK).ok()?);
        let mut reader = std::io::BufReader::with_capacity(64 * 1024, file);
        let (mut lines, mut unfinished) = (0, false);
        while lines < enough {
            let piece = reader.fill_buf().ok()?;
            let Some(last) = piece.last() else { break };
            unfinished = *last != b'\n';
            lines += piece.iter().filter(|byte| **byte == b'\n').count() as u64;
            let length = piece.len();
            reader.consume(length);
        }
        Some(lines + u64::from(unfinished))
    }

    /// Files by the shape of their path. `stop` is asked now and then; true ends the search with what it has.
    pub fn glob(&self, query: &GlobQuery, stop: &(dyn Fn() -> bool + Sync)) -> Result<FoundFiles, FileError> {
        glob::glob(&self.0.boundary, query, stop).map_err(|error| self.suggest(error))
    }

    /// Lines that match a pattern. `stop` is asked now and then; true ends the search with what it has.
    pub fn grep(&self, query: &GrepQuery, stop: &(dyn Fn() -> bool + Sync)) -> Result<Matches, FileError> {
        grep::grep(&self.0.boundary, query, stop).map_err(|error| self.suggest(error))
    }

    fn load(&self, path: &str) -> Result<(PathBuf, TextFile, Stat), FileError> {
        let (place, mut file, stat) = self.0.boundary.open_file(path).map_err(|error| self.suggest(error))?;
        let (bytes, whole) = read::bounded(&mut file, &stat).map_err(|error| FileError::from_io(path, error))?;
        let size = u64::try_from(stat.st_size).unwrap_or(0).max(bytes.len() as u64);
        if !whole {
            return Err(FileError::TooLarge { path: path.to_owned(), size, limit: MAX_TEXT_BYTES });
        }
        let hash = blake3::hash(&bytes);
        let (text, format) =
            text::decode(bytes).map_err(|kind| FileError::Binary { path: path.to_owned(), size, kind })?;
        let format = Format { mode: Some(stat.st_mode & 0o7777), ..format };
        Ok((place.real, TextFile { text, format, hash }, stat))
    }

    /// Adds what may have been meant to a path that does not exist.
    fn suggest(&self, error: FileError) -> FileError {
        match error {
            FileError::NotFound { path, near } if near.is_empty() => {
                let near = near::near(&self.0.boundary, &path);
                FileError::NotFound { path, near }
            }
            other => other,
        }
    }
}
