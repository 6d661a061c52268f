//! `[record]`: what endpoints answer, kept byte for byte.

use crate::view::View;

/// Settings of recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordSettings {
    /// The bytes of answers are kept beside the session.
    pub wire: bool,
    /// How much a session may keep of them, in MiB.
    pub max_mb: u64,
}

impl RecordSettings {
    /// How much a session may keep, in bytes.
    pub fn most(&self) -> u64 {
        self.max_mb.saturating_mul(1024 * 1024)
    }
}

impl Default for RecordSettings {
    fn default() -> Self {
        Self { wire: false, max_mb: 64 }
    }
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> RecordSettings {
    let built_in = RecordSettings::default();
    RecordSettings {
        wire: view.bool("wire").unwrap_or(built_in.wire),
        max_mb: view.count("max_mb").unwrap_or(built_in.max_mb),
    }
}
