//! `[retention]`: how much of the past is kept on disk.

use crate::view::View;

/// How long and how much; 0 is no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionSettings {
    /// Days after which a session is deleted that nobody went on with.
    pub session_days: u64,
    /// How much all sessions together may take, in MiB.
    pub sessions_mb: u64,
    /// Days after which the outputs of such a session are deleted.
    pub output_days: u64,
    /// How much all outputs together may take, in MiB.
    pub outputs_mb: u64,
    /// How much the ledger of usage may take, in MiB.
    pub usage_mb: u64,
}

impl Default for RetentionSettings {
    fn default() -> Self {
        Self { session_days: 0, sessions_mb: 8192, output_days: 90, outputs_mb: 2048, usage_mb: 64 }
    }
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> RetentionSettings {
    let built_in = RetentionSettings::default();
    RetentionSettings {
        session_days: view.count("session_days").unwrap_or(built_in.session_days),
        sessions_mb: view.count("sessions_mb").unwrap_or(built_in.sessions_mb),
        output_days: view.count("output_days").unwrap_or(built_in.output_days),
        outputs_mb: view.count("outputs_mb").unwrap_or(built_in.outputs_mb),
        usage_mb: view.count("usage_mb").unwrap_or(built_in.usage_mb),
    }
}
