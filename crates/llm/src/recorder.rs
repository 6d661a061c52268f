//! Who keeps what endpoints answer.

use reasonix_proto::{Exchange, RecordId};

/// Keeps what endpoints answer. It never sees a key.
pub trait Recorder: Send + Sync {
    /// A request with this body goes out: where the log stands, and what names the request. None when nothing is kept.
    fn begin(&self, body: &[u8]) -> Option<Begun>;

    /// Takes an exchange that is over, and the bytes that came.
    fn keep(&self, exchange: Exchange, body: Vec<u8>);
}

/// Where an exchange begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// The last record of the log.
    pub after: RecordId,
    /// The time, in milliseconds since the Unix epoch.
    pub at: u64,
    /// The hash of the request's body, in hex.
    pub request: String,
}
