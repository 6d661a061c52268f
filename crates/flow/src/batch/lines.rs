//! Tasks and results as files of JSON lines.

use super::{BatchResult, BatchTask, ResultSink, TaskSource};
use reasonix_proto::Phrase;
use reasonix_store::{Lock, LockError};
use std::collections::HashSet;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The largest file of tasks or results that is read.
const LARGEST: u64 = 1 << 30;
/// So many tasks are taken.
const MOST_TASKS: usize = 100_000;

/// Why a batch does not go on.
#[derive(Debug, thiserror::Error)]
pub enum BatchFault {
    /// A file cannot be read or written.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// A line is no task.
    #[error("{path}:{line}: {reason}")]
    Line {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A line is no result: the file is something else.
    #[error("{path}:{line}: {reason}")]
    NoResult {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// Another batch writes these results, or works in this folder.
    #[error("{path} is used by another batch")]
    Taken {
        /// The results, or the folder.
        path: String,
    },
    /// The folder for clones is somebody else's.
    #[error("{path} is no folder of a batch")]
    Foreign {
        /// The folder.
        path: String,
    },
    /// Somebody else wrote to the results, or moved them.
    #[error("{path} was changed by somebody else")]
    Changed {
        /// The results.
        path: String,
    },
}

impl BatchFault {
    pub(super) fn file(path: &Path, error: impl std::fmt::Display) -> Self {
        Self::File { path: path.display().to_string(), reason: error.to_string() }
    }

    /// What people read.
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::File { path, reason } => Phrase::new("flow.batch_file").with("path", path).with("reason", reason),
            Self::Line { path, line, reason } => {
                Phrase::new("flow.batch_line").with("path", path).with("line", line).with("reason", reason)
            }
            Self::NoResult { path, line, reason } => {
                Phrase::new("flow.batch_no_result").with("path", path).with("line", line).with("reason", reason)
            }
            Self::Taken { path } => Phrase::new("flow.batch_taken").with("path", path),
            Self::Foreign { path } => Phrase::new("flow.batch_foreign").with("path", path),
            Self::Changed { path } => Phrase::new("flow.batch_changed").with("path", path),
        }
    }
}

/// The tasks of a file, all of which are read and checked before the first is done.
#[derive(Debug)]
pub struct TaskLines(std::vec::IntoIter<BatchTask>);

impl TaskLines {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<Self, BatchFault> {
        let text = whole(&mut File::open(path).map_err(|error| BatchFault::file(path, error))?)
            .map_err(|error| BatchFault::file(path, error))?;
        let text = String::from_utf8(text).map_err(|error| BatchFault::file(path, error))?;
        // Some editors begin a file so.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let (mut tasks, mut ids) = (Vec::new(), HashSet::new());
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |reason: String| BatchFault::Line { path: path.display().to_string(), line: at + 1, reason };
            let mut task: BatchTask = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
            if task.id.is_empty() {
                task.id = (at + 1).to_string();
            }
            if let Some(flaw) = task.flaw() {
                return Err(wrong(flaw.to_owned()));
            }
            // Folders are named by ids, and not every disk tells letters apart by case.
            if !ids.insert(task.id.to_lowercase()) {
                return Err(wrong(format!("id {} twice", task.id)));
            }
            if tasks.len() >= MOST_TASKS {
                return Err(wrong(format!("more than {MOST_TASKS} tasks")));
            }
            tasks.push(task);
        }
        Ok(Self(tasks.into_iter()))
    }

    /// How many are left.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Those that are left.
    pub fn left(&self) -> &[BatchTask] {
        self.0.as_slice()
    }
}

impl TaskSource for TaskLines {
    fn next_task(&mut self) -> Option<BatchTask> {
        self.0.next()
    }
}

/// The results in a file that one batch writes at a time. A line that a death cut off is taken out again.
#[derive(Debug)]
pub struct ResultLines {
    path: PathBuf,
    file: File,
    ids: HashSet<String>,
    /// How many of them did not end well.
    failed: usize,
    /// What the file was when it was last written to.
    seen: Stamp,
    _lock: Lock,
}

/// What tells whether a file is the one that it was: device, number, length, and when anything about it last changed.
type Stamp = (u64, u64, u64, i64, i64);

fn stamp(found: &Metadata) -> Stamp {
    (found.dev(), found.ino(), found.len(), found.ctime(), found.ctime_nsec())
}

impl ResultLines {
    /// Opens the file, or makes it. What is something else than results, a link too, is refused and stays as it is.
    pub fn open(path: &Path) -> Result<Self, BatchFault> {
        let fault = |error: io::Error| BatchFault::file(path, error);
        let mut lock = path.as_os_str().to_owned();
        lock.push(".lock");
        let lock = Lock::try_acquire(Path::new(&lock)).map_err(|error| match error {
            LockError::Held { .. } => BatchFault::Taken { path: path.display().to_string() },
            other => BatchFault::file(path, other),
        })?;
        let mut options = OpenOptions::new();
        options.read(true).append(true);
        let mut file = match path.symlink_metadata() {
            Ok(found) if !found.is_file() => return Err(BatchFault::file(path, "it is no plain file")),
            Ok(_) => options.open(path),
            // Never through a link that comes in between.
            Err(_) => options.create_new(true).open(path),
        }
        .map_err(fault)?;
        let bytes = whole(&mut file).map_err(fault)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let (lines, rest) = bytes.split_at(end);
        let (ids, failed) = read_results(path, lines, rest)?;
        if !rest.is_empty() {
            file.set_len(end as u64).and_then(|()| file.sync_data()).map_err(fault)?;
        }
        let seen = stamp(&file.metadata().map_err(fault)?);
        Ok(Self { path: path.to_owned(), file, ids, failed, seen, _lock: lock })
    }

    /// Takes out the results of tasks that did not end well: they are done once more.
    pub fn forget_failed(&mut self) -> Result<(), BatchFault> {
        if self.failed == 0 {
            return Ok(());
        }
        let fault = |error: io::Error| BatchFault::file(&self.path, error);
        self.file.rewind().map_err(fault)?;
        let bytes = whole(&mut self.file).map_err(fault)?;
        let is_good = |line: &&[u8]| serde_json::from_slice(line).is_ok_and(|result: BatchResult| result.code == 0);
        let good: Vec<u8> = bytes.split_inclusive(|byte| *byte == b'\n').filter(is_good).flatten().copied().collect();
        // Whole before and after: a death in between loses no result that is good.
        let mode = self.file.metadata().map_err(fault)?.mode() & 0o777;
        reasonix_store::write_atomic(&self.path, &good, mode).map_err(fault)?;
        self.file = OpenOptions::new().read(true).append(true).open(&self.path).map_err(fault)?;
        self.seen = stamp(&self.file.metadata().map_err(fault)?);
        (self.ids, self.failed) = read_results(&self.path, &good, &[])?;
        Ok(())
    }

    /// How many tasks did not end well.
    pub fn failed(&self) -> usize {
        self.failed
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.ids.len()
    }
}

/// The tasks that have a result, and how many of them did not end well. The rest may be nothing but a result that was cut off.
fn read_results(path: &Path, lines: &[u8], rest: &[u8]) -> Result<(HashSet<String>, usize), BatchFault> {
    let wrong = |line: usize, reason: String| BatchFault::NoResult { path: path.display().to_string(), line, reason };
    let (mut ids, mut failed) = (HashSet::new(), 0);
    let mut count = 0;
    for line in lines.split(|byte| *byte == b'\n') {
        count += 1;
        if !line.is_empty() {
            let result: BatchResult = serde_json::from_slice(line).map_err(|error| wrong(count, error.to_string()))?;
            ids.insert(result.id);
            failed += usize::from(result.code != 0);
        }
    }
    match is_begun(rest) {
        true => Ok((ids, failed)),
        false => Err(wrong(count, "it is not whole".to_owned())),
    }
}

/// Whether this is how a result begins, as far as it goes; or what a disk leaves of one.
fn is_begun(rest: &[u8]) -> bool {
    let fits = |rest: &[u8], start: &[u8]| rest.iter().zip(start).all(|(one, other)| one == other);
    const START: &[u8] = b"{\"id\":\"";
    if rest.iter().all(|byte| *byte == 0) || rest.len() <= START.len() {
        return fits(rest, START) || rest.iter().all(|byte| *byte == 0);
    }
    let behind = rest.strip_prefix(START).and_then(|rest| {
        let end = rest.iter().position(|byte| *byte == b'"').unwrap_or(rest.len());
        rest.get(end..)
    });
    behind.is_some_and(|rest| fits(rest, b"\",\"session\":\"") || fits(rest, b"\",\"end\":\""))
}

impl ResultSink for ResultLines {
    fn has(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    fn put(&mut self, result: &BatchResult) -> Result<(), BatchFault> {
        let fault = |error: io::Error| BatchFault::file(&self.path, error);
        let mut line = serde_json::to_vec(result).map_err(|error| fault(error.into()))?;
        line.push(b'\n');
        // A task may have its folder around the results.
        if !self.path.symlink_metadata().is_ok_and(|found| stamp(&found) == self.seen) {
            return Err(BatchFault::Changed { path: self.path.display().to_string() });
        }
        let before = self.file.seek(SeekFrom::End(0)).map_err(fault)?;
        if let Err(error) = self.file.write_all(&line).and_then(|()| self.file.sync_data()) {
            // Half a line must not stand before the next one.
            let _ = self.file.set_len(before);
            return Err(fault(error));
        }
        self.seen = stamp(&self.file.metadata().map_err(fault)?);
        self.ids.insert(result.id.clone());
        self.failed += usize::from(result.code != 0);
        Ok(())
    }
}

fn whole(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "more than 1 GiB"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::{BatchResult, ResultSink, TaskSource};
    use super::{BatchFault, ResultLines, TaskLines};
    use std::fs;

    #[test]
    fn tasks_are_checked_before_the_first_is_done() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("tasks.jsonl");
        let read = |text: &str| {
            fs::write(&file, text).unwrap();
            TaskLines::read(&file)
        };
        let mut tasks =
            read("{\"prompt\":\"a\"}\n\n{\"id\":\"x\",\"prompt\":\"b\",\"budget\":{\"time\":\"10m\"}}\n").unwrap();
        let ids: Vec<String> = std::iter::from_fn(|| tasks.next_task()).map(|task| task.id).collect();
        assert_eq!(ids, ["1", "x"]);
        for wrong in [
            "{\"prompt\":\"\"}",
            "{\"id\":\"../x\",\"prompt\":\"a\"}",
            "{\"id\":\".x\",\"prompt\":\"a\"}",
            "{\"id\":\"2\",\"prompt\":\"a\"}\n{\"prompt\":\"b\"}",
            "{\"id\":\"x\",\"prompt\":\"a\"}\n{\"id\":\"X\",\"prompt\":\"b\"}",
            "{\"prompt\":\"a\",\"cwd\":\"x\",\"repo\":\"y\"}",
            "{\"prompt\":\"a\",\"budget\":{\"tokens\":\"many\"}}",
            "{\"prompt\":\"a\",\"promt\":\"b\"}",
            "no",
        ] {
            assert!(matches!(read(wrong), Err(BatchFault::Line { .. })), "{wrong}");
        }
    }

    #[test]
    fn a_line_that_was_cut_off_is_taken_out_and_two_do_not_write() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("results.jsonl");
        let result = |id: &str| BatchResult { id: id.into(), end: "done".into(), ..BatchResult::default() };
        let mut results = ResultLines::open(&file).unwrap();
        results.put(&result("a")).unwrap();
        assert!(matches!(ResultLines::open(&file), Err(BatchFault::Taken { .. })));
        drop(results);
        let whole = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("{whole}{}", &whole[..whole.len() / 2])).unwrap();
        let mut results = ResultLines::open(&file).unwrap();
        assert_eq!((results.count(), results.has("a"), results.has("b")), (1, true, false));
        results.put(&result("b")).unwrap();
        drop(results);
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 2);
    }

    #[test]
    fn tasks_that_failed_are_counted_and_done_again_where_that_is_wanted() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("results.jsonl");
        let mut results = ResultLines::open(&file).unwrap();
        for (id, code) in [("a", 0), ("b", 3), ("c", 0)] {
            results.put(&BatchResult { id: id.into(), end: "x".into(), code, ..BatchResult::default() }).unwrap();
        }
        assert_eq!(results.failed(), 1);
        drop(results);
        let mut results = ResultLines::open(&file).unwrap();
        assert_eq!((results.failed(), results.has("b")), (1, true));
        results.forget_failed().unwrap();
        assert_eq!((results.failed(), results.has("a"), results.has("b"), results.has("c")), (0, true, false, true));
        results.put(&BatchResult { id: "b".into(), end: "done".into(), ..BatchResult::default() }).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 3, "each has one");
    }

    #[test]
    fn what_is_something_else_than_results_stays_as_it_is() {
        let place = tempfile::tempdir().unwrap();
        let (file, link) = (place.path().join("notes"), place.path().join("link"));
        for text in [
            "one line",
            "one\nlast line without an end",
            "{\"id\":\"a\",\"prompt\":\"x\"}",
            "{\"id\":\"a\",\"end\":\"done\",\"code\":0}\nmine",
            "{",
            "{\"id\":\"a\"\nb",
        ] {
            fs::write(&file, text).unwrap();
            let opened = ResultLines::open(&file);
            if text == "{" {
                // So a result begins.
                assert!(opened.is_ok(), "{opened:?}");
                continue;
            }
            assert!(matches!(opened, Err(BatchFault::NoResult { .. })), "{text}: {opened:?}");
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
        fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(matches!(ResultLines::open(&link), Err(BatchFault::File { .. })));
        let tasks = place.path().join("tasks.jsonl");
        fs::write(&tasks, "\u{feff}{\"prompt\":\"a\"}\n").unwrap();
        assert_eq!(TaskLines::read(&tasks).unwrap().left().len(), 1);
    }

    #[test]
    fn results_that_somebody_else_moved_or_wrote_are_not_gone_on_with() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("results.jsonl");
        let result = |id: &str| BatchResult { id: id.into(), end: "done".into(), ..BatchResult::default() };
        let mut results = ResultLines::open(&file).unwrap();
        results.put(&result("a")).unwrap();
        results.put(&result("b")).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("done", "forged")).unwrap();
        assert!(matches!(results.put(&result("c")), Err(BatchFault::Changed { .. })));
        drop(results);
        let mut results = ResultLines::open(&file).unwrap();
        fs::rename(&file, place.path().join("moved")).unwrap();
        assert!(matches!(results.put(&result("c")), Err(BatchFault::Changed { .. })));
        assert!(!file.exists());
    }
}
