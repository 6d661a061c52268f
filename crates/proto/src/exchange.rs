//! One request to an endpoint and what came back, as it is recorded so that an answer can be read again. The bytes
//! themselves stand beside it; no key, cookie or header of authorisation is part of either.

use crate::{Phrase, RecordId};
use serde::{Deserialize, Serialize};

/// A request and the response to it. A request that was tried again is several of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The last record of the log when the request went out: the answer stands behind it.
    pub after: RecordId,
    /// When it went out, in milliseconds since the Unix epoch.
    pub at: u64,
    /// The provider's name in the settings.
    pub provider: String,
    /// The model as settings and logs call it.
    pub model: String,
    /// The model as the endpoint calls it, where that is another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire_model: Option<String>,
    /// The protocol, as a provider's `kind` names it.
    pub wire: String,
    /// The address, without user, password and query.
    pub url: String,
    /// True when a key went with it.
    pub keyed: bool,
    /// The name of the variable that the key should come from; failures name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// How the answer is read.
    #[serde(default)]
    pub reading: Reading,
    /// The hash of the request's body, in hex.
    pub request: String,
    /// The length of the request's body.
    pub request_bytes: u64,
    /// The status of the response; 0 when none came.
    pub status: u16,
    /// Those headers of the response that say how to read it, or which request it was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// The bytes of the response's body that were read.
    pub bytes: u64,
    /// How many of them are kept, from the first one on.
    pub kept: u64,
    /// How it ended.
    pub end: ExchangeEnd,
}

impl Exchange {
    /// The model as `provider/model`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider, self.model)
    }

    /// True when every byte that came is kept.
    pub fn is_whole(&self) -> bool {
        self.bytes == self.kept
    }

    /// A header of the response.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// What of the settings decides how an answer is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reading {
    /// Edit blocks in the text become calls.
    #[serde(skip_serializing_if = "is_off")]
    pub blocks: bool,
    /// Schemas were sent flat.
    #[serde(skip_serializing_if = "is_off")]
    pub flat: bool,
    /// Tools were put into words.
    #[serde(skip_serializing_if = "is_off")]
    pub words: bool,
    /// The endpoint was held to the form of calls in words.
    #[serde(skip_serializing_if = "is_off")]
    pub guided: bool,
    /// That form is one object.
    #[serde(skip_serializing_if = "is_off")]
    pub object: bool,
    /// Calls were taken by the protocol alone.
    #[serde(skip_serializing_if = "is_off")]
    pub native: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_off(flag: &bool) -> bool {
    !flag
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum ExchangeEnd {
    /// The response was read to its end.
    Whole,
    /// Nobody listened any more: an interrupt, or a limit.
    Stopped,
    /// It could not be had, could not be read, or broke off.
    Failed {
        /// What happened.
        why: Phrase,
    },
}
