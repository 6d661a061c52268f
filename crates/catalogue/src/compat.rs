//! The ways in which endpoints of one protocol differ. A profile is data: the defaults of the wire, what is known of the
//! address and the model, and what the user wrote, one over the other.

use crate::effort::EffortNames;
use serde::{Deserialize, Serialize};

/// Which protocol an endpoint speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// OpenAI chat completions.
    Chat,
    /// OpenAI responses.
    Responses,
    /// Anthropic messages.
    Anthropic,
}

impl Wire {
    /// Reads a provider's `kind`, in the words of several programs.
    pub fn parse(kind: &str) -> Option<Self> {
        match kind {
            "openai" | "chat" | "openai-chat" | "openai-completions" | "openai-compatible" => Some(Self::Chat),
            "responses" | "openai-responses" | "azure-openai-responses" => Some(Self::Responses),
            "anthropic" | "anthropic-messages" | "messages" => Some(Self::Anthropic),
            _ => None,
        }
    }

    /// The kind as settings name it.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Chat => "openai",
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
        }
    }

    /// What is appended to the address.
    pub fn route(self) -> &'static str {
        match self {
            Self::Chat => "chat/completions",
            Self::Responses => "responses",
            Self::Anthropic => "messages",
        }
    }
}

/// How a key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Auth {
    /// `Authorization: Bearer KEY`.
    Bearer,
    /// `x-api-key: KEY`.
    XApiKey,
    /// `api-key: KEY`.
    ApiKey,
    /// Not at all.
    None,
}

/// The field that bounds an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokens {
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
    /// `max_output_tokens`.
    MaxOutputTokens,
}

impl MaxTokens {
    /// The field's name.
    pub fn field(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
            Self::MaxOutputTokens => "max_output_tokens",
        }
    }
}

/// The field that carries reasoning. Whatever it is, all of them are read; this one is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningField {
    /// `reasoning_content`.
    ReasoningContent,
    /// `reasoning`.
    Reasoning,
    /// `reasoning_text`.
    ReasoningText,
    /// `thinking`.
    Thinking,
}

impl ReasoningField {
    /// The field's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReasoningContent => "reasoning_content",
            Self::Reasoning => "reasoning",
            Self::ReasoningText => "reasoning_text",
            Self::Thinking => "thinking",
        }
    }
}

/// When a model's own reasoning is sent back to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningBack {
    /// Never: it costs tokens at best.
    Never,
    /// With messages that have calls.
    Calls,
    /// With every message, even an empty one.
    Always,
    /// As `<thinking>` in the text.
    Text,
}

/// How an effort is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Thinking {
    /// Not at all.
    None,
    /// `reasoning_effort`.
    Openai,
    /// `reasoning: { effort }`.
    Openrouter,
    /// `thinking: { type }`.
    Zai,
    /// `thinking: { type }` and `reasoning_effort`.
    Deepseek,
    /// `enable_thinking`.
    Qwen,
    /// `chat_template_kwargs: { enable_thinking }`.
    QwenChatTemplate,
    /// `thinking: { type, budget_tokens }`.
    Anthropic,
    /// `thinking: { type: adaptive }` and `output_config: { effort }`.
    Adaptive,
}

/// The shape that ids of calls must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolIds {
    /// As they come.
    Any,
    /// Letters, digits, `_` and `-`, at most 40.
    Plain,
    /// Exactly nine letters and digits.
    Nine,
}

/// Fields of a body that belong to the conversation: nothing that is configured touches them.
pub const OWN_FIELDS: &[&str] =
    &["model", "stream", "messages", "input", "system", "instructions", "tools", "tool_choice"];

/// How an endpoint can be held to a form while it decodes, where tools are put into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guided {
    /// Not at all.
    None,
    /// `grammar`, in llama.cpp's GBNF.
    Gbnf,
    /// `response_format: { type: json_schema }`.
    JsonSchema,
    /// `guided_json`, of older vLLM.
    GuidedJson,
    /// `structured_outputs: { json }`, of newer vLLM.
    StructuredOutputs,
}

impl Guided {
    /// The form as settings name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gbnf => "gbnf",
            Self::JsonSchema => "json_schema",
            Self::GuidedJson => "guided_json",
            Self::StructuredOutputs => "structured_outputs",
        }
    }
}

/// How an endpoint is told which form an answer has to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// Not at all: the model is asked in words.
    None,
    /// That it is a JSON object, and nothing of which.
    JsonObject,
    /// By the schema as it is.
    JsonSchema,
    /// By the part of the schema that strict endpoints know, where it fits into that; as it is, and not strict, elsewhere.
    Strict,
}

/// Which requests say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StructuredWhen {
    /// Those that ask for nothing but the answer: a correction, or where there are no tools.
    Closing,
    /// All of a turn, beside its tools.
    Always,
    /// Only those without tools: beside them it is refused.
    Alone,
}

/// How long an endpoint keeps what it cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheRetention {
    /// Nothing is marked.
    None,
    /// As the endpoint does by itself.
    Short,
    /// As long as it offers.
    Long,
}

macro_rules! profile {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        /// How one endpoint wants to be asked.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Compat {
            $($(#[$doc])* pub $name: $type,)*
        }

        /// The part of a profile that somebody said something about.
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Overrides {
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $name: Option<$type>,)*
        }

        impl Overrides {
            pub(crate) const NONE: Self = Self { $($name: None,)* };

            /// Puts what another one says over what this one says.
            pub fn set(&mut self, over: &Overrides) {
                $(if over.$name.is_some() { self.$name.clone_from(&over.$name); })*
            }
        }

        impl Compat {
            /// Puts what was said over what holds.
            pub fn set(&mut self, over: &Overrides) {
                $(if let Some(value) = &over.$name { self.$name.clone_from(value); })*
            }
        }
    };
}

profile! {
    /// How the key is sent.
    auth: Auth,
    /// The system prompt is sent with the role `developer`.
    developer_role: bool,
    /// The field that bounds the answer.
    max_tokens_field: MaxTokens,
    /// Token counts are asked for in the stream.
    usage_in_stream: bool,
    /// `tool_choice` is understood.
    tool_choice: bool,
    /// `parallel_tool_calls` is sent, as true.
    parallel_calls: bool,
    /// Tools are declared `strict` where their schema allows it.
    strict_tools: bool,
    /// `store: false` is sent.
    store: bool,
    /// A stable key of the session is sent, so that requests meet the same cache.
    cache_key: bool,
    /// How long what was cached is to be kept.
    cache_retention: CacheRetention,
    /// `cache_control` is sent beside the messages, so that the endpoint marks what is worth caching.
    cache_control: bool,
    /// The body names the model; false where the address does.
    model_in_body: bool,
    /// The field that carries reasoning back.
    reasoning_field: ReasoningField,
    /// When reasoning is sent back.
    reasoning_back: ReasoningBack,
    /// `temperature` and `top_p` are understood.
    sampling: bool,
    /// How an effort is asked for.
    thinking: Thinking,
    /// The endpoint's own words for efforts.
    efforts: EffortNames,
    /// The shape of ids.
    tool_ids: ToolIds,
    /// Results carry the tool's name.
    tool_result_name: bool,
    /// Every call is signed; one that another model made is marked as never signed.
    signed_calls: bool,
    /// Between a result and what the user says stands an answer.
    assistant_after_tool: bool,
    /// How decoding is guided where `tool_calls = "guided"`.
    guided: Guided,
    /// How it is told the form of an answer.
    structured: Structured,
    /// With which requests.
    structured_when: StructuredWhen,
    /// PDF documents can be sent.
    documents: bool,
}

impl Compat {
    /// What a wire does when nothing is known of the endpoint.
    pub fn of(wire: Wire) -> Self {
        let chat = Self {
            auth: Auth::Bearer,
            developer_role: false,
            max_tokens_field: MaxTokens::MaxTokens,
            usage_in_stream: true,
            tool_choice: true,
            parallel_calls: false,
            strict_tools: false,
            store: false,
            cache_key: false,
            cache_retention: CacheRetention::Short,
            cache_control: false,
            model_in_body: true,
            reasoning_field: ReasoningField::ReasoningContent,
            reasoning_back: ReasoningBack::Never,
            sampling: true,
            thinking: Thinking::Openai,
            efforts: EffortNames::NONE,
            tool_ids: ToolIds::Any,
            tool_result_name: false,
            signed_calls: false,
            assistant_after_tool: false,
            guided: Guided::Gbnf,
            structured: Structured::None,
            structured_when: StructuredWhen::Closing,
            documents: false,
        };
        match wire {
            Wire::Chat => chat,
            Wire::Responses => Self {
                max_tokens_field: MaxTokens::MaxOutputTokens,
                store: true,
                cache_key: true,
                reasoning_back: ReasoningBack::Always,
                guided: Guided::None,
                ..chat
            },
            Wire::Anthropic => Self {
                auth: Auth::XApiKey,
                reasoning_back: ReasoningBack::Always,
                thinking: Thinking::Anthropic,
                tool_ids: ToolIds::Plain,
                guided: Guided::None,
                ..chat
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Auth, Compat, Overrides, ReasoningBack, Thinking, ToolIds, Wire};

    #[test]
    fn what_the_user_writes_wins_and_typing_errors_are_found() {
        let over: Overrides = serde_json::from_str(
            r#"{"auth":"api-key","tool_ids":"nine","reasoning_back":"calls","thinking":"qwen-chat-template","efforts":{"max":"ultra"}}"#,
        )
        .unwrap();
        let mut compat = Compat::of(Wire::Chat);
        compat.set(&over);
        assert_eq!((compat.auth, compat.tool_ids), (Auth::ApiKey, ToolIds::Nine));
        assert_eq!((compat.reasoning_back, compat.thinking), (ReasoningBack::Calls, Thinking::QwenChatTemplate));
        assert_eq!(compat.efforts.word(crate::Effort::Xhigh), "ultra");
        assert!(compat.usage_in_stream, "what nobody spoke of stays");
        let error = serde_json::from_str::<Overrides>(r#"{"tool_idz":"nine"}"#).unwrap_err().to_string();
        assert!(error.contains("tool_idz") && error.contains("tool_ids"), "{error}");
    }

    #[test]
    fn kinds() {
        for wire in [Wire::Chat, Wire::Responses, Wire::Anthropic] {
            assert_eq!(Wire::parse(wire.kind()), Some(wire));
        }
        assert_eq!(Wire::parse("google-vertex"), None);
    }
}
