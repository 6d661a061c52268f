//! Files that a command would run: what is in them belongs to what a person says yes to. What such a file runs or reads in
//! its turn does not.

mod content;
mod look;
mod mentions;
mod named;
mod noted;
mod tables;
#[cfg(test)]
mod tests;

pub(super) use noted::Noted;

use super::classify::found;
use super::files::Files;
use content::Content;
use look::Look;
use reasonix_agent::Ask;
use reasonix_policy::Effects;
use reasonix_proto::Family;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The scripts of one command, with what is in each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Scripts(BTreeMap<String, Content>);

impl Scripts {
    /// What the call would run, as it is now, with the programs that it finds by their names. `walled` when commands have temporary folders of their own, into which nobody
    /// looks from here.
    pub(super) fn of(files: &Files, ask: &Ask<'_>, walled: bool, programs: impl Iterator<Item = PathBuf>) -> Self {
        if ask.action.family != Family::Bash {
            return Self::default();
        }
        Self::run_by(files, &found(ask), walled, programs)
    }

    fn run_by(files: &Files, lines: &[Effects], walled: bool, programs: impl Iterator<Item = PathBuf>) -> Self {
        let mut look = Look::new(files, walled);
        lines.iter().for_each(|effects| named::look_at(effects, &mut look));
        programs.for_each(|program| {
            look.file(&program);
        });
        Self(look.into_found())
    }

    /// True when they are known to be what they were when somebody allowed them.
    pub(super) fn are_surely(&self, then: &Self) -> bool {
        self == then && !self.0.values().any(|content| *content == Content::Unknown)
    }

    /// The names of those that are not known to be what they were before, gone ones included.
    pub(super) fn changed_from(&self, before: &Self) -> Vec<String> {
        let same = |name: &String| {
            let now = self.0.get(name);
            now == before.0.get(name) && now != Some(&Content::Unknown)
        };
        let mut names: Vec<String> = before.0.keys().chain(self.0.keys()).filter(|name| !same(name)).cloned().collect();
        names.sort();
        names.dedup();
        names
    }

    /// Adds them to the digest of a question.
    pub(super) fn digest_into(&self, hasher: &mut blake3::Hasher) {
        for (name, content) in &self.0 {
            for part in [name.as_str(), content.digest()] {
                hasher.update(&[0]);
                hasher.update(part.as_bytes());
            }
        }
    }
}
