//! The journal port over a log: a thread of its own writes, another flushes, and neither stalls the loop.

use crate::line;
use crate::log::{Log, Numbering};
use crate::past::Past;
use reasonix_agent::{BoxFuture, Journal, JournalError};
use reasonix_proto::{Record, RecordBody};
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

/// Writes are flushed to the disk this long after the first of them, and at the end; until then they survive the death of
/// the process, but not a power cut.
const FLUSH_AFTER: Duration = Duration::from_millis(200);

struct Append {
    body: RecordBody,
    ack: oneshot::Sender<Result<Record, JournalError>>,
}

/// A journal on disk. Dropping it writes what was appended, flushes it and lets go of the session.
pub(crate) struct FileJournal {
    path: String,
    appends: Option<Sender<Append>>,
    writer: Option<JoinHandle<()>>,
}

impl FileJournal {
    pub(crate) fn start(log: Log, path: String) -> std::io::Result<Self> {
        let (appends, queue) = channel();
        let writer = std::thread::Builder::new().name("journal".into()).spawn(move || write_all(log, &queue))?;
        Ok(Self { path, appends: Some(appends), writer: Some(writer) })
    }
}

impl Journal for FileJournal {
    fn append(&self, body: RecordBody) -> BoxFuture<'static, Result<Record, JournalError>> {
        let (ack, acked) = oneshot::channel();
        // Sent before the future is polled.
        let sent = self.appends.as_ref().is_some_and(|appends| appends.send(Append { body, ack }).is_ok());
        let path = self.path.clone();
        Box::pin(async move {
            let gone = || JournalError { path, reason: "the writing thread is gone".into() };
            if !sent {
                return Err(gone());
            }
            acked.await.unwrap_or_else(|_| Err(gone()))
        })
    }
}

impl Drop for FileJournal {
    fn drop(&mut self) {
        self.appends = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

fn write_all(mut log: Log, queue: &Receiver<Append>) {
    let mut flusher: Option<Flusher> = None;
    while let Ok(Append { body, ack }) = queue.recv() {
        let written = log.append(body);
        let flushes = written.is_ok();
        if let Err(JournalError { path, reason }) = &written {
            tracing::error!(path, reason, "journal_write_failed");
        }
        // The appender may have been dropped; its record is kept all the same.
        let _ = ack.send(written);
        if !flushes {
            continue;
        }
        if flusher.is_none() {
            flusher = log.handle().and_then(Flusher::start);
        }
        if let Some(flusher) = &flusher {
            flusher.dirty();
        }
    }
    if let Some(flusher) = flusher {
        flusher.finish();
    }
}

/// Brings lines to the disk, some of them at a time.
struct Flusher {
    file: File,
    state: Arc<Flushing>,
    wake: Sender<()>,
}

#[derive(Default)]
struct Flushing {
    /// Something was written since the last flush began.
    dirty: AtomicBool,
    /// Held while a flush is under way.
    under_way: Mutex<()>,
}

impl Flushing {
    /// Returns when everything that was written before is on the disk.
    fn flush(&self, file: &File) {
        let _held = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        if self.dirty.swap(false, Ordering::AcqRel)
            && let Err(error) = file.sync_data()
        {
            tracing::warn!(%error, "journal_flush_failed");
        }
    }
}

impl Flusher {
    /// Starts the thread that flushes. Nobody waits for it.
    fn start(file: File) -> Option<Self> {
        let (wake, queue) = channel();
        let state = Arc::new(Flushing::default());
        let (held, shared) = (file.try_clone().ok()?, Arc::clone(&state));
        let flush = move || {
            while queue.recv().is_ok() {
                std::thread::sleep(FLUSH_AFTER);
                while queue.try_recv().is_ok() {}
                shared.flush(&held);
            }
        };
        std::thread::Builder::new().name("journal-flush".into()).spawn(flush).ok()?;
        Some(Self { file, state, wake })
    }

    fn dirty(&self) {
        self.state.dirty.store(true, Ordering::Release);
        let _ = self.wake.send(());
    }

    /// The session is let go of; its last lines are on the disk before that.
    fn finish(self) {
        self.state.flush(&self.file);
    }
}

/// A journal that keeps nothing on disk.
pub(crate) struct MemoryJournal {
    numbering: Mutex<Numbering>,
    past: Past,
}

impl MemoryJournal {
    pub(crate) fn new(past: Past) -> Self {
        Self { numbering: Mutex::default(), past }
    }

    pub(crate) fn keep(&self, body: RecordBody) -> Record {
        let mut numbering = self.numbering.lock().unwrap_or_else(PoisonError::into_inner);
        let record = numbering.next(body);
        numbering.took(&record);
        // A record always has a line; it is made for what its beginning tells.
        let line = line::encode(&record).unwrap_or_default();
        self.past.push(&record, &line, 0, false);
        record
    }
}

impl Journal for MemoryJournal {
    fn append(&self, body: RecordBody) -> BoxFuture<'static, Result<Record, JournalError>> {
        let record = self.keep(body);
        Box::pin(std::future::ready(Ok(record)))
    }
}
