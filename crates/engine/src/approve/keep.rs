//! Grants for good: written to the user's own settings, for one workspace root, never to the project's.

use reasonix_config::save_rule;
use reasonix_proto::Phrase;
use std::path::PathBuf;

/// Writes grants for one root.
pub(super) struct Keeper {
    file: PathBuf,
    root: PathBuf,
}

impl Keeper {
    pub(super) fn new(file: PathBuf, root: PathBuf) -> Self {
        Self { file, root }
    }

    /// Writes one rule; a failure is what to tell the user.
    pub(super) async fn keep(&self, rule: &str) -> Result<(), Phrase> {
        let (file, root, text) = (self.file.clone(), self.root.clone(), rule.to_owned());
        let saved = tokio::task::spawn_blocking(move || save_rule(&file, &root, &text)).await;
        let reason = match saved {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        Err(Phrase::new("engine.grant_unsaved").with("rule", rule).with("reason", reason))
    }
}
