//! The user's word on what a repository would execute: shown as data, taken once, kept by `config`.

use reasonix_config::trust::Change;
use reasonix_config::{Standing, Surface, Trust};
use reasonix_proto::{Level, Phrase, SurfaceInfo, SurfacePart, TrustInfo, TrustStanding};
use similar::TextDiff;
use std::sync::{Arc, Mutex, PoisonError};

/// More of a text is not sent to front ends.
const LONGEST: usize = 32 * 1024;

/// The trust of a session, shared by whoever shows it and whoever takes the answer.
#[derive(Clone)]
pub(crate) struct Word(Arc<Mutex<Trust>>);

impl Word {
    pub(crate) fn new(trust: Trust) -> Self {
        Self(Arc::new(Mutex::new(trust)))
    }

    pub(crate) fn info(&self) -> TrustInfo {
        trust_info(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes an answer; gives what to tell the user.
    pub(crate) fn answer(&self, digest: &str, yes: bool) -> (Level, Phrase) {
        let mut trust = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let root = trust.root().display().to_string();
        if trust.digest() != digest {
            return (Level::Warning, Phrase::new("engine.trust_other"));
        }
        if !yes {
            return (Level::Info, off(&trust).unwrap_or_else(|| Phrase::new("engine.trusted").with("root", root)));
        }
        match trust.grant() {
            Ok(()) => (Level::Info, Phrase::new("engine.trusted").with("root", root)),
            Err(error) => (Level::Warning, error.phrase()),
        }
    }

    /// What stays off without the user's word.
    pub(crate) fn off(&self) -> Option<Phrase> {
        off(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn off(trust: &Trust) -> Option<Phrase> {
    let off = trust.untrusted();
    let names: Vec<String> =
        off.iter().map(|(surface, _)| format!("{} {}", surface.kind.word(), surface.name)).collect();
    (!off.is_empty()).then(|| Phrase::new("engine.untrusted").with("names", names.join(", ")))
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
    let part = |part: &reasonix_config::trust::Part| SurfacePart {
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

fn difference(change: &Change) -> SurfacePart {
    let text = match (&change.before, &change.after) {
        (None, None) => None,
        (before, after) => {
            let (before, after) = (before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default());
            Some(bounded(&TextDiff::from_lines(before, after).unified_diff().context_radius(2).to_string()))
        }
    };
    SurfacePart { label: change.label.clone(), text }
}

fn bounded(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}… ({} bytes)\n", text.get(..at).unwrap_or_default(), text.len()),
    }
}
