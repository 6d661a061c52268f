//! Bytes on disk: content-addressed blobs, a cache with a time limit, atomic writes, locks and private folders.
//! Knows nothing of what the bytes mean.

mod atomic;
mod blobs;
mod cache;
mod folder;
mod lock;
mod logfile;
mod packs;
mod regular;

pub use atomic::{place, write_atomic};
pub use blobs::{BlobError, BlobKey, Blobs, taken_by};
pub use cache::{Cache, Tidied};
pub use folder::{may_write, private_folder};
pub use lock::{Lock, LockError};
pub use logfile::LogFiles;
pub use packs::{Pack, PackWriter, Packs};
pub use regular::{open_as, open_regular, read_text};
