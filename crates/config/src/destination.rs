//! Where a key goes. A key that goes to another host than the last time is worth a word: an address can be changed by
//! whoever can change a file or a variable. Only names of variables and hosts are kept, never a key.

use crate::model_ref::ModelRef;
use crate::secrets::api_key;
use reasonix_proto::Phrase;
use reasonix_store::{private_folder, write_atomic};
use std::collections::BTreeMap;
use std::path::Path;

/// The file below the state folder.
const FILE: &str = "destinations.json";

/// Notes where a model's key goes, and says so when that is not where it went the last time. Servers on this machine
/// count for nothing.
pub fn key_destination(found: &ModelRef<'_>, env: &BTreeMap<String, String>, home: &Path) -> Option<Phrase> {
    let provider = found.provider;
    let variable = provider.api_key_env.as_deref()?;
    if provider.is_local() || api_key(provider, env, home).is_none() {
        return None;
    }
    let host = host_of(&provider.base_url);
    let path = home.join("state").join(FILE);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let mut known: BTreeMap<String, String> = serde_json::from_str(&text).unwrap_or_default();
    let before = known.insert(variable.to_owned(), host.clone());
    if before.as_deref() == Some(host.as_str()) {
        return None;
    }
    // A folder that cannot be written only means that it is said again.
    if let Ok(text) = serde_json::to_string_pretty(&known)
        && private_folder(&home.join("state")).is_ok()
    {
        let _ = write_atomic(&path, text.as_bytes(), 0o600);
    }
    let before = before?;
    let phrase = Phrase::new("engine.key_destination").with("env", variable).with("host", host);
    Some(phrase.with("before", before).with("provider", &provider.name))
}

/// Host and port of an address, without user and password.
fn host_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
    rest.rsplit_once('@').map_or(rest, |(_, host)| host).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::key_destination;
    use crate::{ModelRef, Provider};
    use std::collections::BTreeMap;

    #[test]
    fn a_key_that_goes_elsewhere_is_said_once() {
        let home = tempfile::tempdir().unwrap();
        let env = BTreeMap::from([("KEY".to_owned(), "sk-canary".to_owned())]);
        let said = |url: &str, env: &BTreeMap<String, String>| {
            let provider = Provider { base_url: url.into(), api_key_env: Some("KEY".into()), ..Provider::default() };
            key_destination(&ModelRef::new(&provider, "m"), env, home.path())
        };
        assert_eq!(said("https://user:pw@api.example/v1", &env), None, "the first time");
        assert_eq!(said("https://API.example/v2?x=1", &env), None, "the same host");
        assert_eq!(said("http://127.0.0.1:1/v1", &env), None, "this machine");
        assert_eq!(said("https://evil.example/v1", &BTreeMap::new()), None, "no key goes there");
        let phrase = said("https://api.example.evil.example/v1", &env).unwrap();
        assert_eq!((phrase.arg("before"), phrase.arg("host")), (Some("api.example"), Some("api.example.evil.example")));
        assert_eq!(said("https://api.example.evil.example/v1", &env), None, "once");
        let kept = std::fs::read_to_string(home.path().join("state/destinations.json")).unwrap();
        assert!(!kept.contains("canary") && !kept.contains("pw@"), "{kept}");
    }
}
