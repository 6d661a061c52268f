//! What a probe found out about one model of an endpoint: the part of its profile that was observed, not known. Data only;
//! who asks and who keeps it is decided elsewhere.

use crate::compat::{Guided, Overrides, ReasoningField, Structured};
use serde::{Deserialize, Serialize};

/// The version of what a probe leaves; an older one is asked for anew.
pub const PROBE_VERSION: u32 = 1;

/// Whether something was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// It was seen.
    Yes,
    /// It was asked for, and is not there.
    No,
    /// Nothing can be said: it was not asked, or the answer says nothing about it.
    #[default]
    Unclear,
}

impl Seen {
    /// Yes or no.
    pub fn from_bool(seen: bool) -> Self {
        if seen { Self::Yes } else { Self::No }
    }

    /// The word for it, as it is kept.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unclear => "unclear",
        }
    }
}

/// How tools can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolCalls {
    /// By the protocol.
    Native,
    /// The server takes tools, and the model's calls come in its text.
    Text,
    /// The server refuses requests with tools.
    Refused,
    /// The server takes tools; the model called none.
    #[default]
    NotSeen,
}

impl ToolCalls {
    /// The word for it, as it is kept.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Text => "text",
            Self::Refused => "refused",
            Self::NotSeen => "not_seen",
        }
    }
}

/// What kind of server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Server {
    /// llama.cpp's own.
    LlamaCpp,
    /// vLLM.
    Vllm,
    /// SGLang.
    Sglang,
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// Nobody told.
    #[default]
    Unknown,
}

impl Server {
    /// The preset that fits it.
    pub fn preset(self) -> Option<&'static str> {
        match self {
            Self::LlamaCpp => Some("llama.cpp"),
            Self::Vllm => Some("vllm"),
            Self::Sglang => Some("sglang"),
            Self::Ollama => Some("ollama"),
            Self::LmStudio => Some("lmstudio"),
            Self::Unknown => None,
        }
    }
}

/// What a probe found out about one model of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Probed {
    /// The version of this form.
    pub v: u32,
    /// When, in seconds since the Unix epoch.
    pub at: u64,
    /// The address, without anything secret.
    pub endpoint: String,
    /// The model as the endpoint calls it.
    pub model: String,
    /// What kind of server it is.
    pub server: Server,
    /// The models it offers, bounded.
    pub models: Vec<String>,
    /// How many more it offers.
    pub more_models: u64,
    /// Tokens that the model can see as it is served, as the server says.
    pub window: Option<u64>,
    /// Whether answers come in pieces.
    pub streaming: Seen,
    /// How tools can be called.
    pub tools: ToolCalls,
    /// Whether several calls come in one answer.
    pub parallel: Seen,
    /// The field that reasoning comes in; none when none came.
    pub reasoning: Option<ReasoningField>,
    /// Whether `response_format` with a schema is held to.
    pub json_schema: Seen,
    /// How decoding can be guided; none when nothing was held to.
    pub guided: Option<Guided>,
    /// Whether tokens are counted in the stream.
    pub usage: Seen,
    /// Whether the counts say what came from the cache.
    pub cache_reported: Seen,
    /// Whether a prompt that began like the one before was faster, or was counted as cached.
    pub prefix_cached: Seen,
    /// Questions that got no answer in time.
    pub unanswered: Vec<String>,
}

impl Probed {
    /// The part of a profile that follows from it. Only what was seen for sure is said.
    pub fn overrides(&self) -> Overrides {
        Overrides {
            usage_in_stream: (self.usage == Seen::No).then_some(false),
            reasoning_field: self.reasoning,
            guided: self.guided,
            structured: self.structured(),
            ..Overrides::NONE
        }
    }

    /// How it is told the form of an answer; what kind of server it is decides how much of a schema it is known to take.
    fn structured(&self) -> Option<Structured> {
        match (self.json_schema, self.server) {
            (Seen::Unclear, _) => None,
            (Seen::No, _) => Some(Structured::None),
            (Seen::Yes, Server::Unknown) => Some(Structured::Strict),
            (Seen::Yes, _) => Some(Structured::JsonSchema),
        }
    }

    /// True when tools must be put into words: the server takes no others.
    pub fn needs_words(&self) -> bool {
        self.tools == ToolCalls::Refused
    }
}

#[cfg(test)]
mod tests {
    use super::{Probed, Seen, Server, ToolCalls};
    use crate::compat::{Guided, ReasoningField, Structured};

    #[test]
    fn only_what_was_seen_changes_a_profile() {
        let nothing = Probed::default().overrides();
        assert_eq!(nothing, crate::Overrides::NONE);
        let probed = Probed {
            usage: Seen::No,
            reasoning: Some(ReasoningField::Reasoning),
            guided: Some(Guided::JsonSchema),
            tools: ToolCalls::Refused,
            ..Probed::default()
        };
        let over = probed.overrides();
        assert_eq!((over.usage_in_stream, over.reasoning_field), (Some(false), Some(ReasoningField::Reasoning)));
        assert_eq!(over.guided, Some(Guided::JsonSchema));
        assert_eq!(over.structured, None, "nothing was seen of it");
        for (json_schema, server, structured) in [
            (Seen::No, Server::Vllm, Structured::None),
            (Seen::Yes, Server::Vllm, Structured::JsonSchema),
            (Seen::Yes, Server::Unknown, Structured::Strict),
        ] {
            let probed = Probed { json_schema, server, ..Probed::default() };
            assert_eq!(probed.overrides().structured, Some(structured), "{json_schema:?} {server:?}");
        }
        assert!(probed.needs_words() && !Probed { tools: ToolCalls::Text, ..probed }.needs_words());
    }
}
