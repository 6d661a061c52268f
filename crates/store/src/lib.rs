//! Bytes on disk: content-addressed blobs, atomic writes and locks.
