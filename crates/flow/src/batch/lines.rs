//! Tasks and results as files of JSON lines.

use super::{BatchResult, BatchTask, ResultSink, TaskSource};
use reasonix_proto::Phrase;
use reasonix_store::{Lock, LockError};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
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
    /// Another batch writes these results.
    #[error("{path} is written by another batch")]
    Taken {
        /// The results.
        path: String,
    },
}

impl BatchFault {
    fn file(path: &Path, error: impl std::fmt::Display) -> Self {
        Self::File { path: path.display().to_string(), reason: error.to_string() }
    }

    /// What people read.
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::File { path, reason } => Phrase::new("flow.batch_file").with("path", path).with("reason", reason),
            Self::Line { path, line, reason } => {
                Phrase::new("flow.batch_line").with("path", path).with("line", line).with("reason", reason)
            }
            Self::Taken { path } => Phrase::new("flow.batch_taken").with("path", path),
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
                return Err(wrong(format!("more than {MOST_TASKS}")));
            }
            tasks.push(task);
        }
        Ok(Self(tasks.into_iter()))
    }

    /// How many are left.
    pub fn count(&self) -> usize {
        self.0.len()
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
    _lock: Lock,
}

impl ResultLines {
    /// Opens the file, or makes it.
    pub fn open(path: &Path) -> Result<Self, BatchFault> {
        let fault = |error: io::Error| BatchFault::file(path, error);
        let mut lock = path.as_os_str().to_owned();
        lock.push(".lock");
        let lock = Lock::try_acquire(Path::new(&lock)).map_err(|error| match error {
            LockError::Held { .. } => BatchFault::Taken { path: path.display().to_string() },
            other => BatchFault::file(path, other),
        })?;
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(fault)?;
        let bytes = whole(&mut file).map_err(fault)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if end < bytes.len() {
            file.set_len(end as u64).and_then(|()| file.sync_data()).map_err(fault)?;
        }
        let mut ids = HashSet::new();
        let lines = bytes.get(..end).unwrap_or_default().split(|byte| *byte == b'\n');
        for (at, line) in lines.enumerate().filter(|(_, line)| !line.is_empty()) {
            let result: BatchResult = serde_json::from_slice(line).map_err(|error| BatchFault::Line {
                path: path.display().to_string(),
                line: at + 1,
                reason: error.to_string(),
            })?;
            ids.insert(result.id);
        }
        Ok(Self { path: path.to_owned(), file, ids, _lock: lock })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.ids.len()
    }
}

impl ResultSink for ResultLines {
    fn has(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    fn put(&mut self, result: &BatchResult) -> Result<(), BatchFault> {
        let fault = |error: io::Error| BatchFault::file(&self.path, error);
        let mut line = serde_json::to_vec(result).map_err(|error| fault(error.into()))?;
        line.push(b'\n');
        let before = self.file.seek(SeekFrom::End(0)).map_err(fault)?;
        if let Err(error) = self.file.write_all(&line).and_then(|()| self.file.sync_data()) {
            // Half a line must not stand before the next one.
            let _ = self.file.set_len(before);
            return Err(fault(error));
        }
        self.ids.insert(result.id.clone());
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
}
