//! Keys: where they come from, and how they are kept from being shown.

use crate::shape::Notices;
use crate::{ConfigError, Provider, read};
use reasonix_proto::{Level, Phrase};
use std::collections::BTreeMap;
use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the wire only.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// A provider's key: from the variable that it names in the environment, then in the user's `.env`. A project's
/// `.env` is never looked at.
pub fn api_key(provider: &Provider, env: &BTreeMap<String, String>, home: &Path) -> Option<Secret> {
    let name = provider.api_key_env.as_deref()?;
    let found = |from: &BTreeMap<String, String>, name: &str| from.get(name).filter(|key| !key.is_empty()).cloned();
    let saved = read::text(&home.join(".env")).ok().flatten().map(|text| parse(&text)).unwrap_or_default();
    names(name).iter().find_map(|name| found(env, name).or_else(|| found(&saved, name))).map(Secret::new)
}

/// The keys of a provider that has several, its own first.
pub fn pooled_keys(provider: &Provider, env: &BTreeMap<String, String>, home: &Path) -> Vec<Secret> {
    let named = |name: &String| {
        let one = Provider { api_key_env: Some(name.clone()), ..Provider::default() };
        api_key(&one, env, home)
    };
    provider.api_key_env.iter().chain(&provider.api_key_pool).filter_map(named).collect()
}

/// The pair that requests to AWS are signed with, as `aws configure export-credentials` prints one.
pub fn aws_pair(env: &BTreeMap<String, String>, home: &Path) -> Option<Secret> {
    let named = |name: &str| {
        let one = Provider { api_key_env: Some(name.to_owned()), ..Provider::default() };
        api_key(&one, env, home).map(|secret| secret.expose().to_owned())
    };
    let (id, secret) = (named("AWS_ACCESS_KEY_ID")?, named("AWS_SECRET_ACCESS_KEY")?);
    let token = named("AWS_SESSION_TOKEN").unwrap_or_default();
    let pair = serde_json::json!({ "AccessKeyId": id, "SecretAccessKey": secret, "SessionToken": token });
    Some(Secret::new(pair.to_string()))
}

/// True when a provider wants a key and there is none.
pub(crate) fn lacks_key(provider: &Provider, context: &crate::view::Context<'_>) -> bool {
    let there = |name: &&str| {
        [context.env, context.saved].iter().any(|from| from.get(*name).is_some_and(|key| !key.is_empty()))
    };
    provider.api_key_env.as_deref().is_some_and(|name| !names(name).iter().any(there))
}

/// A variable and those that stand in for it.
fn names(name: &str) -> Vec<&str> {
    match name {
        "REASONIX_API_KEY" => vec![name, "AGENT_API_KEY", "DASHSCOPE_API_KEY"],
        "AGENT_API_KEY" => vec![name, "DASHSCOPE_API_KEY"],
        _ => vec![name],
    }
}

/// The variables of the user's `.env`, with a notice when others can read them too.
pub(crate) fn saved(home: &Path, notices: &mut Notices) -> Result<BTreeMap<String, String>, ConfigError> {
    let path = home.join(".env");
    let Some(text) = read::text(&path)? else { return Ok(BTreeMap::new()) };
    let mode = std::fs::metadata(&path).map(|meta| meta.permissions().mode() & 0o777).unwrap_or(0o600);
    if mode & 0o077 != 0 {
        let phrase = Phrase::new("config.env_open").with("file", path.display());
        notices.push((Level::Warning, phrase.with("mode", format!("{mode:03o}"))));
    }
    Ok(parse(&text))
}

/// `NAME=value` lines, perhaps with `export`, quotes and comments. Later lines win.
pub(crate) fn parse(text: &str) -> BTreeMap<String, String> {
    text.lines().filter_map(assignment).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The name that a line sets, and the value.
pub(crate) fn assignment(line: &str) -> Option<(&str, String)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(word)).then(|| (name, unquote(value)))
}

fn unquote(value: &str) -> String {
    let inside = |quote: char| value.strip_prefix(quote).and_then(|rest| rest.split_once(quote)).map(|(text, _)| text);
    match inside('"').or_else(|| inside('\'')) {
        Some(text) => text.to_owned(),
        None => value.split(" #").next().unwrap_or_default().trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Secret, api_key, parse};
    use crate::Provider;
    use std::collections::BTreeMap;

    #[test]
    fn lines_of_an_env_file() {
        let vars = parse("# c\nA=1\r\nexport B = \"two words\" # x\nC='#3'\nD=four # five\nE=\nbad line\n1-2=3\nA=9\n");
        let want = [("A", "9"), ("B", "two words"), ("C", "#3"), ("D", "four"), ("E", "")];
        assert_eq!(vars, want.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    }

    #[test]
    fn the_environment_wins_then_the_saved_key_then_the_stand_in() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(".env"), "MINE=saved\nDASHSCOPE_API_KEY=dash\n").unwrap();
        let named = |name: &str| Provider { api_key_env: Some(name.to_owned()), ..Provider::default() };
        let env = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
        let key = |provider: &Provider, env: &BTreeMap<String, String>| {
            api_key(provider, env, home.path()).map(|key| key.expose().to_owned())
        };
        assert_eq!(key(&named("MINE"), &env("MINE", "inherited")).as_deref(), Some("inherited"));
        assert_eq!(key(&named("MINE"), &env("MINE", "")).as_deref(), Some("saved"));
        assert_eq!(key(&named("OTHER"), &env("MINE", "inherited")), None);
        assert_eq!(key(&Provider::default(), &env("MINE", "inherited")), None);
        assert_eq!(key(&named("AGENT_API_KEY"), &BTreeMap::new()).as_deref(), Some("dash"));
        assert_eq!(key(&named("AGENT_API_KEY"), &env("AGENT_API_KEY", "agent")).as_deref(), Some("agent"));
        assert_eq!(key(&named("REASONIX_API_KEY"), &env("AGENT_API_KEY", "agent")).as_deref(), Some("agent"));
    }

    #[test]
    fn a_secret_is_never_shown() {
        let secret = Secret::new("sk-123");
        assert_eq!(format!("{secret} {secret:?} {:?}", Some(&secret)), "*** *** Some(***)");
    }
}
