//! What probes found, kept by endpoint and model in the state folder. A profile is what is known, what a probe saw, and
//! what the user wrote, one over the other. No key is ever part of it.

use crate::endpoint_key::key_of;
use crate::network::endpoint_options;
use crate::windows::forget_window;
use reasonix_catalogue::{PROBE_VERSION, Probed};
use reasonix_config::Settings;
use reasonix_llm::{Endpoint, Patience, ProbeQuestion};
use reasonix_proto::Phrase;
use reasonix_store::{private_folder, write_atomic};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A kept probe is small; anything else is not ours.
const MOST_BYTES: u64 = 256 * 1024;

/// What is kept of an endpoint.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Kept {
    Probed(Box<Probed>),
    /// The user does not want it asked about.
    Declined {
        declined: bool,
    },
}

fn path_of(home: &Path, endpoint: &Endpoint) -> PathBuf {
    home.join("state/probes").join(format!("{}.json", key_of(endpoint)))
}

fn read(home: &Path, endpoint: &Endpoint) -> Option<Kept> {
    let path = path_of(home, endpoint);
    if std::fs::metadata(&path).ok()?.len() > MOST_BYTES {
        return None;
    }
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// What a probe found about this model of this endpoint, when there was one.
pub fn probed(home: &Path, endpoint: &Endpoint) -> Option<Probed> {
    match read(home, endpoint)? {
        Kept::Probed(probed) => Some(*probed).filter(|probed| probed.v == PROBE_VERSION),
        Kept::Declined { .. } => None,
    }
}

/// True when the user said that this endpoint is not to be probed.
pub fn probe_declined(home: &Path, endpoint: &Endpoint) -> bool {
    matches!(read(home, endpoint), Some(Kept::Declined { declined: true }))
}

/// Keeps that the user does not want this endpoint probed.
pub fn decline_probe(home: &Path, endpoint: &Endpoint) -> std::io::Result<()> {
    keep(home, endpoint, &Kept::Declined { declined: true })
}

fn keep(home: &Path, endpoint: &Endpoint, kept: &Kept) -> std::io::Result<()> {
    let path = path_of(home, endpoint);
    private_folder(&home.join("state"))?;
    private_folder(&home.join("state/probes"))?;
    write_atomic(&path, serde_json::to_string_pretty(kept)?.as_bytes(), 0o600)
}

/// Asks an endpoint what it can do, and keeps it. `tell` hears what is asked next.
pub async fn probe_now(
    settings: &Settings,
    home: &Path,
    endpoint: &Endpoint,
    tell: &mut (dyn FnMut(ProbeQuestion) + Send),
) -> Result<Probed, Phrase> {
    let client = reasonix_net::client(&endpoint.base_url, &endpoint_options(settings, endpoint))
        .map_err(|error| error.phrase())?;
    let found = reasonix_llm::probe(endpoint, &client, Patience::default(), tell).await;
    let probed = found.map_err(|failure| failure.phrase)?;
    if probed.window.is_some() {
        forget_window(home, endpoint);
    }
    let kept = Kept::Probed(Box::new(probed.clone()));
    let path = path_of(home, endpoint);
    keep(home, endpoint, &kept)
        .map_err(|error| Phrase::new("probe.not_kept").with("path", path.display()).with("reason", error))?;
    Ok(probed)
}

/// How long ago a probe was.
pub fn probe_age(probed: &Probed) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.saturating_sub(Duration::from_secs(probed.at))
}

/// Puts what was seen under what the user said. `said_calls` is how the user wants tools to be called.
pub fn apply(probed: &Probed, endpoint: &mut Endpoint, said_calls: &str) {
    if endpoint.window == 0 {
        endpoint.window = probed.window.unwrap_or(0);
    }
    if endpoint.preset.is_none() {
        endpoint.preset = probed.server.preset().map(str::to_owned);
    }
    let mut seen = probed.overrides();
    seen.set(&endpoint.overrides);
    endpoint.overrides = seen;
    if said_calls == "auto" && probed.needs_words() {
        endpoint.repairing.grammar = probed.guided.is_some();
        endpoint.repairing.textual = probed.guided.is_none();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::{apply, decline_probe, keep, path_of, probe_declined, probed};
    use reasonix_catalogue::{Guided, PROBE_VERSION, Probed, ReasoningField, ToolCalls};
    use reasonix_llm::{ApiKey, Endpoint};

    fn endpoint(model: &str) -> Endpoint {
        let mut endpoint = Endpoint::new("p", "http://127.0.0.1:8080/v1/", model);
        endpoint.key = Some(ApiKey::from("sk-canary"));
        endpoint
    }

    #[test]
    fn kept_by_endpoint_and_model() {
        let home = tempfile::tempdir().unwrap();
        let found = Probed { v: PROBE_VERSION, window: Some(4096), ..Probed::default() };
        assert_eq!(probed(home.path(), &endpoint("a")), None);
        keep(home.path(), &endpoint("a"), &super::Kept::Probed(Box::new(found.clone()))).unwrap();
        assert_eq!(probed(home.path(), &endpoint("a")), Some(found.clone()));
        assert_eq!(probed(home.path(), &endpoint("b")), None, "another model");
        let path = path_of(home.path(), &endpoint("a"));
        assert!(!std::fs::read_to_string(&path).unwrap().contains("canary"));
        let old = Probed { v: 0, ..found };
        keep(home.path(), &endpoint("a"), &super::Kept::Probed(Box::new(old))).unwrap();
        assert_eq!(probed(home.path(), &endpoint("a")), None, "of an older form");
        std::fs::write(&path, "{broken").unwrap();
        assert_eq!(probed(home.path(), &endpoint("a")), None);
        decline_probe(home.path(), &endpoint("a")).unwrap();
        assert!(probe_declined(home.path(), &endpoint("a")) && !probe_declined(home.path(), &endpoint("b")));
    }

    #[test]
    fn the_users_word_wins() {
        let found = Probed {
            window: Some(4096),
            tools: ToolCalls::Refused,
            guided: Some(Guided::JsonSchema),
            reasoning: Some(ReasoningField::Reasoning),
            ..Probed::default()
        };
        let mut bare = endpoint("a");
        apply(&found, &mut bare, "auto");
        assert_eq!((bare.window, bare.compat().guided), (4096, Guided::JsonSchema));
        assert!(bare.repairing.grammar && !bare.repairing.textual);
        let mut said = endpoint("a");
        said.window = 1000;
        said.overrides.guided = Some(Guided::None);
        apply(&found, &mut said, "native");
        assert_eq!((said.window, said.compat().guided), (1000, Guided::None));
        assert_eq!(said.compat().reasoning_field, ReasoningField::Reasoning);
        assert!(!said.repairing.grammar && !said.repairing.textual);
        let mut unguided = endpoint("a");
        apply(&Probed { guided: None, ..found }, &mut unguided, "auto");
        assert!(unguided.repairing.textual && !unguided.repairing.grammar);
    }
}
