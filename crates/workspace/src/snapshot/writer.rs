//! Keeps contents while the next ones are read. A look with many of them keeps them in packs: a file for each would take
//! most of its time.

use super::contents::Contents;
use reasonix_store::BlobKey;
use std::collections::HashSet;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// As many small contents are handed over at once: each time costs both threads a moment.
const BATCH: usize = 64;
/// As many bytes of them at most.
const BATCH_BYTES: usize = 1024 * 1024;
/// As many batches wait at most.
const WAITING: usize = 4;
/// A larger content is kept at once and in a file of its own, so that what waits stays small.
const SMALL: usize = 256 * 1024;
/// For fewer contents than this neither a thread nor a pack is worth its while.
const FEW: usize = 256;

type Content = (BlobKey, Vec<u8>);
type Batch = Vec<Content>;

/// What keeps the contents of one look.
pub(super) struct Writer<'a> {
    contents: &'a Contents,
    kept: usize,
    batch: Batch,
    bytes: usize,
    beside: Option<(SyncSender<Batch>, JoinHandle<io::Result<()>>)>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(contents: &'a Contents) -> Self {
        Self { contents, kept: 0, batch: Vec::new(), bytes: 0, beside: None }
    }

    /// Keeps a content; whether that worked is known at the latest when it is finished.
    pub(super) fn keep(&mut self, bytes: Vec<u8>) -> io::Result<BlobKey> {
        let key = BlobKey::of(&bytes);
        self.kept += 1;
        if bytes.len() > SMALL || self.kept < FEW {
            self.contents.keep(key, &bytes)?;
            return Ok(key);
        }
        if self.beside.is_none() {
            let (to, from) = sync_channel(WAITING);
            let contents = self.contents.clone();
            let thread =
                std::thread::Builder::new().name("undo-packs".into()).spawn(move || write(&contents, &from))?;
            self.beside = Some((to, thread));
        }
        self.bytes += bytes.len();
        self.batch.push((key, bytes));
        // A thread that is gone says why when it is joined.
        if (self.batch.len() >= BATCH || self.bytes >= BATCH_BYTES) && !self.hand_over() {
            self.finish()?;
        }
        Ok(key)
    }

    /// Gives the thread what it is to keep; false where it is gone.
    fn hand_over(&mut self) -> bool {
        self.bytes = 0;
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
        self.beside.as_ref().is_none_or(|(to, _)| to.send(batch).is_ok())
    }

    /// Waits until everything is kept.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.hand_over();
        let Some((to, thread)) = self.beside.take() else { return Ok(()) };
        drop(to);
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that keeps contents is gone")))
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

/// Packs what comes. When the look is called off before it is finished, what was packed is kept all the same: it is whole,
/// and the next look need not write it again.
fn write(contents: &Contents, from: &Receiver<Batch>) -> io::Result<()> {
    let mut packs = contents.packs().writer()?;
    // Listed once: to ask for each content whether it has a file costs more than to write it. What has one since is kept twice.
    let blobs: HashSet<BlobKey> = contents.blobs().names()?.collect();
    for (key, bytes) in from.iter().flatten() {
        let kept = |key: &BlobKey| blobs.contains(key) && contents.blobs().has(key, &bytes);
        if !packs.has(&key, &bytes) && !kept(&key) {
            packs.append(key, &bytes)?;
        }
    }
    packs.finish()
}

#[cfg(test)]
mod tests {
    use super::{FEW, Writer};
    use crate::snapshot::contents::Contents;
    use reasonix_store::BlobKey;

    #[test]
    fn everything_is_kept_when_it_is_finished_and_a_failure_is_said() {
        let temp = tempfile::tempdir().unwrap();
        let contents = Contents::at(&temp.path().join("kept"));
        let mut writer = Writer::new(&contents);
        let keys: Vec<BlobKey> =
            (0..3 * FEW).map(|number| writer.keep(number.to_string().into_bytes()).unwrap()).collect();
        writer.finish().unwrap();
        for (number, key) in keys.iter().enumerate() {
            assert_eq!(contents.get(key, 100).unwrap(), number.to_string().as_bytes());
        }
        // A file stands where the folders would be.
        let place = temp.path().join("file");
        std::fs::create_dir(&place).unwrap();
        let contents = Contents::at(&place);
        let mut writer = Writer::new(&contents);
        (0..FEW - 1).for_each(|number| drop(writer.keep(number.to_string().into_bytes())));
        std::fs::remove_dir_all(&place).unwrap();
        std::fs::write(&place, "").unwrap();
        let failed = (FEW..3 * FEW).any(|number| writer.keep(number.to_string().into_bytes()).is_err());
        assert!(failed || writer.finish().is_err());
    }
}
