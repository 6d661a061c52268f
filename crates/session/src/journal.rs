//! The journal port over a log: a thread of its own writes, another flushes, and neither stalls the loop.

use crate::line;
use crate::log::{Log, Numbering};
use crate::past::Past;
use reasonix_agent::{BoxFuture, Journal, JournalError};
use reasonix_proto::{Record, RecordBody};
use std::fs::File;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

/// Writes are flushed to the disk this long after the first of them; until then they survive the death of the
/// process, but not a power cut.
const FLUSH_AFTER: Duration = Duration::from_millis(200);

struct Append {
    body: RecordBody,
    ack: oneshot::Sender<Result<Record, JournalError>>,
}

/// A journal on disk. Dropping it writes what was appended and lets go of the session.
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
    fn append(&self, body: RecordBody) -> BoxFuture<'_, Result<Record, JournalError>> {
        let (ack, acked) = oneshot::channel();
        // Sent before the future is polled: records are kept in the order of the calls, also when nobody waits.
        let sent = self.appends.as_ref().is_some_and(|appends| appends.send(Append { body, ack }).is_ok());
        Box::pin(async move {
            let gone = || JournalError { path: self.path.clone(), reason: "the writing thread is gone".into() };
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
    let mut flusher = None;
    while let Ok(Append { body, ack }) = queue.recv() {
        let written = log.append(body);
        let flushes = written.is_ok();
        // The appender may have been dropped; its record is kept all the same.
        let _ = ack.send(written);
        if !flushes {
            continue;
        }
        if flusher.is_none() {
            flusher = log.handle().and_then(start_flusher);
        }
        if let Some(flusher) = &flusher {
            let _ = flusher.send(());
        }
    }
}

/// Starts the thread that flushes. Nobody waits for it: at the end of the process the kernel has the lines anyway.
fn start_flusher(file: File) -> Option<Sender<()>> {
    let (dirty, queue) = channel();
    let flush = move || {
        while queue.recv().is_ok() {
            std::thread::sleep(FLUSH_AFTER);
            while queue.try_recv().is_ok() {}
            let _ = rustix::fs::fdatasync(&file);
        }
    };
    std::thread::Builder::new().name("journal-flush".into()).spawn(flush).ok()?;
    Some(dirty)
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

    pub(crate) fn take(&self, body: RecordBody) -> Record {
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
    fn append(&self, body: RecordBody) -> BoxFuture<'_, Result<Record, JournalError>> {
        let record = self.take(body);
        Box::pin(std::future::ready(Ok(record)))
    }
}
