//! The user's word on what a repository would execute: shown as data, taken once, kept by `config`.

use crate::detect::detect;
use reasonix_config::trust::SurfaceChange;
use reasonix_config::{ConfigError, Settings, Standing, Surface, SurfaceKind, Trust};
use reasonix_exec::Surfaces;
use reasonix_proto::{Done, Level, Phrase, Refusal, Refused, SurfaceInfo, SurfacePart, TrustInfo, TrustStanding};
use reasonix_state::ticket::ToldDone;
use reasonix_tools::unified;
use reasonix_workspace::gitlinks;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// More of a text is not sent to front ends.
const LONGEST: usize = 32 * 1024;

/// The trust of a session, shared by whoever shows it and whoever takes the answer.
#[derive(Clone)]
pub struct TrustWord(Arc<Mutex<Trust>>);

impl TrustWord {
    /// The word of the user as it is on disk.
    pub fn new(trust: Trust) -> Self {
        Self(Arc::new(Mutex::new(trust)))
    }

    /// What is trusted, for people.
    pub fn info(&self) -> TrustInfo {
        trust_info(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes an answer; gives what to tell the user.
    pub fn answer(&self, digest: &str, yes: bool) -> Result<ToldDone, Refused> {
        let mut trust = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let root = trust.root().display().to_string();
        if trust.digest() != digest {
            return Err(Refused::new(Refusal::OtherThing, Phrase::new("engine.trust_other")));
        }
        let trusted = Phrase::new("engine.trusted").with("root", root);
        if !yes {
            let phrase = off(&trust).unwrap_or(trusted);
            return Ok(ToldDone { done: Done::Unchanged, level: Level::Info, phrase });
        }
        trust.grant().map_err(|error| Refused::new(Refusal::Failed, error.phrase()))?;
        Ok(ToldDone { done: Done::Applied, level: Level::Info, phrase: trusted })
    }

    /// Whether the user trusts the surface that stands in this file, as it is now.
    pub fn trusts(&self, kind: SurfaceKind, file: &Path) -> bool {
        let trust = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = file.strip_prefix(trust.root()).unwrap_or(file).display().to_string();
        let found = trust.surfaces().iter().find(|surface| surface.kind == kind && surface.place == place);
        found.is_some_and(|surface| matches!(trust.of(surface), Standing::Trusted(_)))
    }

    /// The skill that a command line names a file of, or the folder of all of them, and that the user does not trust.
    pub fn untrusted_skill(&self, line: &str) -> Option<String> {
        let trust = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = straight(line);
        let is_named = |surface: &&Surface| {
            let folder = surface.place.strip_suffix("/SKILL.md").unwrap_or(&surface.place);
            let all = folder.rsplit_once('/').map_or(folder, |(all, _)| all);
            surface.kind == SurfaceKind::Skill && (names_folder(&line, folder, true) || names_folder(&line, all, false))
        };
        let mut named = trust.surfaces().iter().filter(is_named);
        let off = named.find(|surface| !matches!(trust.of(surface), Standing::Trusted(_)));
        off.map(|surface| surface.name.clone())
    }

    /// Looks at what is trusted by now.
    pub fn with<T>(&self, look: impl FnOnce(&Trust) -> T) -> T {
        look(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What of the folder is a hook, with the text that says it.
    pub fn hooks(&self) -> Vec<(Surface, Option<String>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).hooks()
    }

    /// Looks for hooks anew.
    pub fn look_for_hooks(&self) -> Result<(), ConfigError> {
        reasonix_config::look_for_hooks(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the user trusts this, as it is now.
    pub fn stands(&self, surface: &Surface) -> Standing {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).of(surface)
    }

    /// What stays off without the user's word.
    pub fn off(&self) -> Option<Phrase> {
        off(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A line without what makes no difference in a path.
fn straight(line: &str) -> String {
    let mut line = line.replace("/./", "/");
    while line.contains("//") {
        line = line.replace("//", "/");
    }
    line
}

/// Whether a folder is named in a line, or something `below` it: as a whole, and not as the beginning of another's name.
fn names_folder(line: &str, folder: &str, below: bool) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let rest = line.get(at + folder.len()..).unwrap_or_default();
        let slash = rest.strip_prefix('/');
        let ends =
            |rest: &str| rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.'));
        match slash {
            Some(rest) => below || ends(rest),
            None => ends(rest),
        }
    })
}

fn off(trust: &Trust) -> Option<Phrase> {
    // What git runs is git's: nothing of ours is off without a yes to it. A command that was found is spoken of when it would run.
    let mut off = trust.untrusted();
    off.retain(|(surface, _)| !matches!(surface.kind, SurfaceKind::Git | SurfaceKind::Detected));
    let names: Vec<String> =
        off.iter().map(|(surface, _)| format!("{} {}", surface.kind.word(), surface.name)).collect();
    (!off.is_empty()).then(|| Phrase::new("engine.untrusted").with("names", names.join(", ")))
}

/// The same trust with what git would execute in the working folder, and folders that could not be looked through for it.
pub fn with_git(trust: Trust) -> Result<(Trust, Vec<PathBuf>), ConfigError> {
    let root = trust.root().to_owned();
    let looked = Surfaces::for_people_in(&root, &gitlinks(&root));
    let name = |path: &Path| {
        let inside = root.ancestors().find_map(|folder| path.strip_prefix(folder).ok().map(|rest| (folder, rest)));
        let own = inside.filter(|(folder, _)| *folder == root || folder.join(".git").symlink_metadata().is_ok());
        own.map_or(path, |(_, rest)| rest).display().to_string()
    };
    let found = looked.surfaces.told().into_iter().map(|found| (name(&found.path), found.bytes)).collect();
    Ok((trust.with_git(found)?, looked.unseen))
}

/// The same trust with the command that would check edits here, where nobody named one.
pub fn with_check(trust: Trust, settings: &Settings) -> Result<Trust, ConfigError> {
    let wanted = settings.validation.enabled && settings.validation.command.is_none();
    match wanted.then(|| detect(trust.root(), &[])).flatten() {
        Some(found) => trust.with_detected(&found.line, &found.file),
        None => Ok(trust),
    }
}

/// What the working folder would execute, and whether the user trusts it, as data for front ends.
pub fn trust_info(trust: &Trust) -> TrustInfo {
    let surfaces = trust.surfaces().iter().map(|surface| shown(surface, trust.of(surface))).collect();
    TrustInfo { root: trust.root().display().to_string(), digest: trust.digest(), surfaces }
}

fn shown(surface: &Surface, standing: Standing) -> SurfaceInfo {
    let (standing, changes, reason) = match standing {
        Standing::Trusted(_) => (TrustStanding::Trusted, Vec::new(), None),
        Standing::Changed { changes } => (TrustStanding::Changed, changes.iter().map(difference).collect(), None),
        Standing::Unknown => (TrustStanding::Unknown, Vec::new(), None),
        Standing::Refused { reason } => (TrustStanding::Refused, Vec::new(), Some(reason)),
    };
    let part = |part: &reasonix_config::trust::SurfacePiece| SurfacePart {
        label: part.label.clone(),
        text: part.text.clone().map(|text| bounded(&text)),
    };
    SurfaceInfo {
        kind: surface.kind.word().to_owned(),
        name: surface.name.clone(),
        place: surface.place.clone(),
        standing,
        reason,
        parts: surface.parts.iter().map(part).collect(),
        changes,
        variables: surface.variables.iter().map(|(name, from)| (name.clone(), (*from).to_owned())).collect(),
    }
}

fn difference(change: &SurfaceChange) -> SurfacePart {
    let text = match (&change.before, &change.after) {
        (None, None) => None,
        (before, after) => {
            let (before, after) = (before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default());
            Some(bounded(&unified(before, after, 2)))
        }
    };
    SurfacePart { label: change.label.clone(), text }
}

/// The text, or its beginning with how much is left out and what all of it is: a yes counts for that too.
fn bounded(text: &str) -> String {
    let Some((at, _)) = text.char_indices().nth(LONGEST) else { return text.to_owned() };
    let (shown, hash) = (text.get(..at).unwrap_or_default(), blake3::hash(text.as_bytes()).to_hex());
    let left = text.len() - at;
    format!(
        "{shown}…\n[CUT: {left} of {} bytes are not shown; a yes counts for all of them: blake3 {hash}]\n",
        text.len()
    )
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, bounded};

    #[test]
    fn what_is_cut_says_how_much_and_what_the_whole_is() {
        assert_eq!(bounded("short"), "short");
        let text = "é".repeat(LONGEST + 10);
        let shown = bounded(&text);
        let hash = blake3::hash(text.as_bytes()).to_hex();
        let said = format!("[CUT: 20 of {} bytes are not shown", text.len());
        assert!(
            shown.contains(&said) && shown.contains(hash.as_str()) && shown.ends_with("]\n"),
            "{}",
            &shown[LONGEST * 2..]
        );
    }
}
