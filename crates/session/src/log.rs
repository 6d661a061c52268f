//! The writer's side of a session file: gives records their ids and appends their lines. Blocking; the journal's
//! thread owns it.

use crate::error::SessionError;
use crate::line;
use crate::past::Past;
use crate::recordings::Recordings;
use crate::shape::Shape;
use reasonix_agent::JournalError;
use reasonix_proto::{RECORD_VERSION, Record, RecordBody, RecordId, SessionId};
use reasonix_store::{Lock, LockError, private_folder};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Numbers records: ids count up, each follows the one before, time never runs backwards.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbering {
    highest: u64,
    last: Option<RecordId>,
    at: u64,
}

impl Numbering {
    /// Goes on after these records.
    pub(crate) fn after(shape: &Shape) -> Self {
        let (highest, at, _) = shape.highest();
        let last = shape.leaf().and_then(|leaf| shape.node(leaf)).map(|node| RecordId(node.id));
        Self { highest, last, at }
    }

    /// The next record; [`Numbering::took`] makes it the last one.
    pub(crate) fn next(&self, body: RecordBody) -> Record {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let at = u64::try_from(now).unwrap_or(u64::MAX).max(self.at);
        let parent = match body {
            RecordBody::Moved { to, .. } => Some(to),
            RecordBody::Rewound(ref back) => Some(back.to),
            RecordBody::RulesFired(ref fired) => fired.to.or(self.last),
            _ => self.last,
        };
        Record { id: RecordId(self.highest + 1), parent, at, body }
    }

    pub(crate) fn took(&mut self, record: &Record) {
        self.highest = record.id.0;
        self.last = Some(record.id);
        self.at = record.at;
    }
}

/// Where a session's files are.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) folder: PathBuf,
    pub(crate) session: SessionId,
}

impl Place {
    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join(format!("{}.jsonl", self.session))
    }

    pub(crate) fn torn(&self) -> PathBuf {
        self.folder.join(format!("{}.torn", self.session))
    }

    /// What endpoints answered, where that is recorded.
    pub(crate) fn recordings(&self) -> Recordings {
        Recordings::beside(&self.log())
    }

    /// Where files are kept that were repaired, one after the other.
    pub(crate) fn damaged(&self) -> impl Iterator<Item = PathBuf> {
        let first = self.folder.join(format!("{}.damaged", self.session));
        let more = (2_u32..).map({
            let first = first.clone();
            move |number| first.with_extension(format!("damaged-{number}"))
        });
        std::iter::once(first).chain(more)
    }

    /// Opens the log for reading; a link at its place is not followed.
    pub(crate) fn open_log(&self) -> io::Result<File> {
        reasonix_store::open_as(&self.log(), OFlags::RDONLY | OFlags::NOFOLLOW, Mode::empty())
    }

    /// Opens the log for appending.
    pub(crate) fn append_log(&self) -> io::Result<File> {
        reasonix_store::open_as(&self.log(), OFlags::WRONLY | OFlags::APPEND | OFlags::NOFOLLOW, Mode::empty())
    }

    fn lock_file(&self) -> PathBuf {
        self.folder.join(format!("{}.lock", self.session))
    }

    /// Since when another process has the session, in milliseconds since the Unix epoch.
    fn held_since(&self) -> Option<u64> {
        let at = std::fs::symlink_metadata(self.lock_file()).ok()?.modified().ok()?;
        u64::try_from(at.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
    }

    /// Takes the session for this process.
    pub(crate) fn lock(&self) -> Result<Lock, SessionError> {
        Lock::try_acquire(&self.lock_file()).map_err(|error| match error {
            LockError::Held { pid, .. } => {
                SessionError::InUse { session: self.session.clone(), pid, since: self.held_since() }
            }
            LockError::Io { path, source } => SessionError::Io { path, source },
        })
    }
}

/// A session file that is being written.
pub(crate) struct Log {
    place: Place,
    numbering: Numbering,
    state: State,
    past: Past,
    /// The version that its records are written in: that of its head.
    version: u32,
}

enum State {
    /// Nothing is on disk yet: lines that wait for the first prompt, and the specs that the first of them names.
    HeldBack { lines: Vec<u8>, specs: Option<Vec<u8>> },
    /// The file is there.
    Open(Tail),
}

/// The end of an open file.
struct Tail {
    file: File,
    /// Up to here the file is whole lines.
    whole: u64,
    /// True when beyond may be the rest of a failed write.
    torn: bool,
    _lock: Lock,
}

impl Log {
    /// A log of a new session; its folder and file are made with the first prompt.
    pub(crate) fn new(place: Place, past: Past, specs: Option<Vec<u8>>) -> Self {
        Self {
            place,
            numbering: Numbering::default(),
            state: State::HeldBack { lines: Vec::new(), specs },
            past,
            version: RECORD_VERSION,
        }
    }

    /// A log that goes on after its past, whose last whole line ends at `whole`.
    pub(crate) fn resume(
        place: Place,
        lock: Lock,
        past: Past,
        (whole, version): (u64, u32),
    ) -> Result<Self, SessionError> {
        let file = place.append_log().map_err(SessionError::io(&place.log()))?;
        let tail = Tail { file, whole, torn: false, _lock: lock };
        let numbering = past.with_shape(|shape, _| Numbering::after(shape));
        Ok(Self { place, numbering, state: State::Open(tail), past, version })
    }

    /// Appends a record. When this returns, the kernel has the line: the death of the process cannot lose it.
    /// When it fails, the file is as it was, and a later append may succeed.
    pub(crate) fn append(&mut self, body: RecordBody) -> Result<Record, JournalError> {
        let starts = matches!(body, RecordBody::Prompt { .. } | RecordBody::Shell { .. });
        if let RecordBody::Session(head) = &body {
            self.version = head.v;
        }
        let record = self.numbering.next(body.of_version(self.version));
        self.write(&record, starts).map_err(|error| JournalError {
            path: self.place.log().display().to_string(),
            reason: error.to_string(),
        })?;
        self.numbering.took(&record);
        Ok(record)
    }

    fn write(&mut self, record: &Record, starts: bool) -> io::Result<()> {
        let line = line::encode(record)?;
        let (offset, on_disk) = match &mut self.state {
            State::Open(tail) => (tail.append(&line, &self.place)?, true),
            State::HeldBack { lines, .. } if !starts => {
                let offset = lines.len() as u64;
                lines.extend_from_slice(&line);
                (offset, false)
            }
            State::HeldBack { lines, specs } => {
                let offset = lines.len() as u64;
                let first = [lines.as_slice(), &line].concat();
                // A head never names what is not there.
                crate::specs::keep(&self.place.folder, specs.as_deref())?;
                self.state = State::Open(create(&self.place, &first)?);
                (offset, true)
            }
        };
        self.past.push(record, &line, offset, on_disk);
        Ok(())
    }

    /// A second handle on the file, for flushing it; none while nothing is on disk.
    pub(crate) fn handle(&self) -> Option<File> {
        match &self.state {
            State::Open(tail) => tail.file.try_clone().ok(),
            State::HeldBack { .. } => None,
        }
    }
}

impl Tail {
    /// Appends a line and gives the place where it begins.
    fn append(&mut self, line: &[u8], place: &Place) -> io::Result<u64> {
        let length = self.file.metadata()?.len();
        if self.torn {
            self.file.set_len(self.whole)?;
            self.torn = false;
        } else if length != self.whole {
            self.go_after(length, place)?;
        }
        match self.file.write_all(line) {
            Ok(()) => {
                let begins = self.whole;
                self.whole += line.len() as u64;
                Ok(begins)
            }
            Err(error) => {
                // If even this fails, the next append does it first.
                self.torn = self.file.set_len(self.whole).is_err();
                Err(error)
            }
        }
    }

    /// Somebody wrote to the file past the lock: what they wrote stays, and our lines come after it.
    fn go_after(&mut self, length: u64, place: &Place) -> io::Result<()> {
        let mut last = *b"\n";
        if let Some(before) = length.checked_sub(1) {
            place.open_log()?.read_exact_at(&mut last, before)?;
        }
        self.whole = length;
        if last != *b"\n" {
            self.file.write_all(b"\n")?;
            self.whole += 1;
        }
        Ok(())
    }
}

/// Makes the file with its first lines; either all of them are there or there is no file.
fn create(place: &Place, first: &[u8]) -> io::Result<Tail> {
    private_folder(&place.folder)?;
    let lock = place.lock().map_err(io::Error::other)?;
    let staged = place.folder.join(format!("{}.new", place.session));
    let made = stage(&staged, first).and_then(|file| {
        std::fs::rename(&staged, place.log())?;
        Ok(Tail { file, whole: first.len() as u64, torn: false, _lock: lock })
    });
    if made.is_err() {
        let _ = std::fs::remove_file(&staged);
    }
    made
}

fn stage(path: &Path, first: &[u8]) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?);
    file.write_all(first)?;
    Ok(file)
}
