//! A key, and where keys come from.

use reasonix_agent::BoxFuture;
use reasonix_proto::{FailureClass, Phrase};
use std::fmt;

/// A secret. It can be sent; it cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    text: String,
    /// The texts in it where it is a document of several, each of which is as secret.
    parts: Vec<String>,
}

impl ApiKey {
    /// The secret itself, for the wire only.
    pub(crate) fn expose(&self) -> &str {
        &self.text
    }

    /// Everything of it that must not be seen.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.text.trim()).chain(self.parts.iter().map(String::as_str))
    }
}

impl From<String> for ApiKey {
    fn from(text: String) -> Self {
        let fields = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&text).unwrap_or_default();
        // A short text, such as a version, stands everywhere.
        let long = |value: &serde_json::Value| value.as_str().filter(|text| text.len() >= 16).map(str::to_owned);
        let parts = fields.values().filter_map(long).collect();
        Self { text, parts }
    }
}

impl From<&str> for ApiKey {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(***)")
    }
}

/// Where keys come from that do not stand in a variable.
pub trait KeySource: Send + Sync {
    /// The key to send now; `refused` when the last one was not taken, so that another one is wanted.
    fn key(&self, refused: bool) -> BoxFuture<'_, Result<ApiKey, Phrase>>;

    /// How often another key may help one request that failed like this.
    fn spares(&self, class: FailureClass) -> usize;
}
