//! Grants for good: written to the user's own settings, for one workspace root, never to the project's; and taken out
//! again.

use super::scripts::{Noted, Scripts};
use reasonix_config::{remove_rule, save_rule};
use reasonix_proto::Phrase;
use std::path::{Path, PathBuf};

/// Writes grants for one root.
pub(super) struct Keeper {
    file: PathBuf,
    root: PathBuf,
    noted: Noted,
}

impl Keeper {
    pub(super) fn new(file: PathBuf, root: PathBuf, home: &Path) -> Self {
        let noted = Noted::new(home, &root);
        Self { file, root, noted }
    }

    /// The scripts that a rule was granted for; none where nobody noted any.
    pub(super) fn scripts(&self, rule: &str) -> Option<Vec<Scripts>> {
        self.noted.get(rule)
    }

    /// Notes the scripts that a rule was granted for, or says why the grant ends with the session.
    pub(super) fn note(&self, rule: &str, sets: &[Scripts]) -> Result<(), Phrase> {
        let unsaved = |reason| Phrase::new("engine.grant_unsaved").with("rule", rule).with("reason", reason);
        self.noted.put(rule, sets).map_err(|error| unsaved(error.to_string()))
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

    /// The file that grants are written to.
    pub(super) fn file(&self) -> String {
        self.file.display().to_string()
    }

    /// Takes a rule out of the file; false when it does not stand there.
    pub(super) async fn forget(&self, rule: &str) -> Result<bool, Phrase> {
        let (file, root, text) = (self.file.clone(), self.root.clone(), rule.to_owned());
        self.noted.forget(rule);
        let reason = match tokio::task::spawn_blocking(move || remove_rule(&file, &root, &text)).await {
            Ok(Ok(found)) => return Ok(found),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        Err(Phrase::new("engine.grant_stays").with("rule", rule).with("file", self.file()).with("reason", reason))
    }
}
