//! `[evidence]`: whether what answers claim is held against the log.

use crate::view::View;

/// Settings of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvidenceSettings {
    /// What answers claim is checked.
    pub enabled: bool,
}

impl Default for EvidenceSettings {
    fn default() -> Self {
        Self { enabled: true }
    }
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> EvidenceSettings {
    let built_in = EvidenceSettings::default();
    EvidenceSettings { enabled: view.bool("enabled").unwrap_or(built_in.enabled) }
}
