//! Keeps contents while the next ones are read: a first look spends half of its time with either.

use reasonix_store::{BlobKey, Blobs};
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// As many small contents wait at most.
const WAITING: usize = 64;
/// A larger content is kept at once, so that what waits stays small.
const SMALL: usize = 256 * 1024;
/// For fewer contents than this no thread is worth its while.
const FEW: usize = 256;

type Content = (BlobKey, Vec<u8>);

/// What keeps the contents of one look.
pub(super) struct Writer<'a> {
    blobs: &'a Blobs,
    kept: usize,
    beside: Option<(SyncSender<Content>, JoinHandle<io::Result<()>>)>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(blobs: &'a Blobs) -> Self {
        Self { blobs, kept: 0, beside: None }
    }

    /// Keeps a content; whether that worked is known at the latest when it is finished.
    pub(super) fn keep(&mut self, bytes: Vec<u8>) -> io::Result<BlobKey> {
        let key = BlobKey::of(&bytes);
        self.kept += 1;
        if bytes.len() > SMALL || self.kept < FEW {
            self.blobs.keep(key, &bytes)?;
            return Ok(key);
        }
        if self.beside.is_none() {
            let (to, from) = sync_channel(WAITING);
            let blobs = self.blobs.clone();
            let thread = std::thread::Builder::new().name("undo-blobs".into()).spawn(move || write(&blobs, &from))?;
            self.beside = Some((to, thread));
        }
        // A thread that is gone says why when it is joined.
        if self.beside.as_ref().is_some_and(|(to, _)| to.send((key, bytes)).is_err()) {
            self.finish()?;
        }
        Ok(key)
    }

    /// Waits until everything is kept.
    pub(super) fn finish(&mut self) -> io::Result<()> {
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

fn write(blobs: &Blobs, from: &Receiver<Content>) -> io::Result<()> {
    from.iter().try_for_each(|(key, bytes)| blobs.keep(key, &bytes))
}

#[cfg(test)]
mod tests {
    use super::{FEW, Writer};
    use reasonix_store::{BlobKey, Blobs};

    #[test]
    fn everything_is_kept_when_it_is_finished_and_a_failure_is_said() {
        let temp = tempfile::tempdir().unwrap();
        let blobs = Blobs::at(&temp.path().join("blobs"));
        let mut writer = Writer::new(&blobs);
        let keys: Vec<BlobKey> =
            (0..3 * FEW).map(|number| writer.keep(number.to_string().into_bytes()).unwrap()).collect();
        writer.finish().unwrap();
        for (number, key) in keys.iter().enumerate() {
            assert_eq!(blobs.get(key, 100).unwrap(), number.to_string().as_bytes());
        }
        // A file stands where the folders would be.
        let place = temp.path().join("file");
        std::fs::create_dir(&place).unwrap();
        let blobs = Blobs::at(&place);
        let mut writer = Writer::new(&blobs);
        (0..FEW).for_each(|number| drop(writer.keep(number.to_string().into_bytes())));
        std::fs::remove_dir_all(&place).unwrap();
        std::fs::write(&place, "").unwrap();
        let failed = (FEW..3 * FEW).any(|number| writer.keep(number.to_string().into_bytes()).is_err());
        assert!(failed || writer.finish().is_err());
    }
}
