//! Where a model lives and how it wants to be asked. Names a vendor only by address and model, never by code.

use reasonix_agent::ModelCard;
use std::fmt;
use std::time::Duration;

/// One model behind one address.
#[derive(Clone)]
pub struct Endpoint {
    /// The provider's name in the settings.
    pub provider: String,
    /// The address up to `/v1`, or to whatever `/chat/completions` is appended to.
    pub base_url: String,
    /// The model as the endpoint calls it.
    pub model: String,
    /// The key, if the endpoint wants one.
    pub key: Option<Key>,
    /// The environment variable that the key should come from, for hints.
    pub key_env: Option<String>,
    /// More headers for every request.
    pub headers: Vec<(String, String)>,
    /// Tokens the model can see; 0 when unknown.
    pub window: u64,
    /// Sampling temperature; the endpoint's own when none.
    pub temperature: Option<f64>,
    /// The most tokens of an answer; the endpoint's own when none.
    pub max_tokens: Option<u64>,
    /// How hard the model should think; the endpoint's own when none.
    pub reasoning_effort: Option<String>,
    /// More fields for the body; a `null` removes one of ours.
    pub extra_body: serde_json::Map<String, serde_json::Value>,
    /// Whether the model's reasoning is sent back to it; decided by address and model when none.
    pub reasoning_back: Option<bool>,
    /// The proxy in between, for messages only.
    pub proxy: Option<String>,
    /// How long a stream may be silent.
    pub idle_timeout: Duration,
    /// How long the first byte may take.
    pub first_byte_timeout: Duration,
    /// How failures that may pass are tried again.
    pub retry: Retry,
}

/// How failures that may pass are tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Attempts in all, the first included.
    pub attempts: u32,
    /// The first wait.
    pub initial: Duration,
    /// The longest wait.
    pub max: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 4, initial: Duration::from_millis(500), max: Duration::from_secs(10) }
    }
}

/// A secret. It can be sent; it cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// The secret itself, for the wire only.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Key {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(***)")
    }
}

impl Endpoint {
    /// An endpoint with everything else at its default.
    pub fn new(provider: impl Into<String>, base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            base_url: base_url.into(),
            model: model.into(),
            key: None,
            key_env: None,
            headers: Vec::new(),
            window: 0,
            temperature: None,
            max_tokens: None,
            reasoning_effort: None,
            extra_body: serde_json::Map::new(),
            reasoning_back: None,
            proxy: None,
            idle_timeout: Duration::from_secs(300),
            first_byte_timeout: Duration::from_secs(600),
            retry: Retry::default(),
        }
    }

    /// The address of a route below the base, such as `chat/completions`. A base that already names that of a chat, or
    /// ends in slashes, is taken as it was meant; a query stays at the end.
    pub(crate) fn route(&self, route: &str) -> String {
        let (path, query) =
            self.base_url.trim().split_once('?').map_or((self.base_url.trim(), ""), |(path, query)| (path, query));
        let path = path.trim_end_matches('/');
        let path = path.strip_suffix("/chat/completions").unwrap_or(path).trim_end_matches('/');
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{path}/{route}{mark}{query}")
    }

    /// The key, unless it is blank.
    pub(crate) fn secret(&self) -> Option<&str> {
        self.key.as_ref().map(|key| key.expose().trim()).filter(|key| !key.is_empty())
    }

    /// The address that requests go to.
    pub(crate) fn target(&self) -> String {
        self.route("chat/completions")
    }

    /// What is known about the model.
    pub(crate) fn card(&self) -> ModelCard {
        ModelCard::new(self.name(), self.window)
    }

    /// The model as `provider/model`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider, self.model)
    }
}

impl fmt::Debug for Endpoint {
    /// Leaves out every value that may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("provider", &self.provider)
            .field("base_url", &crate::redact::url(&self.base_url))
            .field("model", &self.model)
            .field("key", &self.key)
            .field("headers", &self.headers.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("window", &self.window)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{Endpoint, Key};

    #[test]
    fn the_route_is_appended_once() {
        for (base, url) in [
            ("http://h/v1", "http://h/v1/chat/completions"),
            ("http://h/v1/", "http://h/v1/chat/completions"),
            ("http://h/v1//", "http://h/v1/chat/completions"),
            (" http://h/v1/chat/completions ", "http://h/v1/chat/completions"),
            ("http://h/v1/chat/completions/", "http://h/v1/chat/completions"),
            ("http://h/d?api-version=1", "http://h/d/chat/completions?api-version=1"),
        ] {
            assert_eq!(Endpoint::new("p", base, "m").route("chat/completions"), url, "{base}");
        }
        assert_eq!(Endpoint::new("p", "http://h/v1/chat/completions", "m").route("models"), "http://h/v1/models");
    }

    #[test]
    fn no_secret_is_printed() {
        let mut endpoint = Endpoint::new("p", "https://user:hunter2@host/v1?key=hunter3", "m");
        endpoint.key = Some(Key::from("sk-hunter4"));
        endpoint.headers.push(("X-Token".into(), "hunter5".into()));
        endpoint.extra_body.insert("token".into(), "hunter6".into());
        let shown = format!("{endpoint:?}");
        assert!(!shown.contains("hunter"), "{shown}");
        assert!(shown.contains("X-Token") && shown.contains("https://host/v1"), "{shown}");
    }
}
