//! The conversation as every wire sees it, before it is encoded for one of them.

use crate::{CallId, Content, Image};
use serde::{Deserialize, Serialize};

/// One message of the conversation. The system prompt is not among them: it belongs to the prefix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What a person (or a steering message, or the harness on their behalf) said.
    User {
        /// The text as sent to the model.
        text: String,
        /// The pictures that go with it, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
    /// What the model said.
    Assistant {
        /// The visible answer; may be empty when there are calls.
        text: String,
        /// The model's reasoning, kept so that wires which want it back can have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning: Option<Reasoning>,
        /// Complete tool calls, in the order they were made.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        /// Why the message ended.
        stop: StopReason,
    },
    /// The result of one tool call, as the model reads it.
    Tool {
        /// The call this answers.
        call: CallId,
        /// The tool that was called.
        name: String,
        /// What it came to, bounded.
        content: Content,
    },
}

impl Message {
    /// What a person said, in words alone.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into(), images: Vec::new() }
    }
}

/// Reasoning text, stamped by the model that made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reasoning {
    /// The text; may be empty where a wire demands that the field is sent back.
    pub text: String,
    /// The model that made it.
    pub model: String,
    /// What the wire has to send back unchanged, such as signed blocks; none where text is all there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Kept>,
}

impl Reasoning {
    /// Reasoning that is text and nothing else.
    pub fn new(text: impl Into<String>, model: impl Into<String>) -> Self {
        Self { text: text.into(), model: model.into(), kept: None }
    }
}

/// The blocks of an answer in the order they came, as one wire wants them back. Only that wire can read them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The wire's name.
    pub wire: String,
    /// The blocks in order.
    pub blocks: Vec<KeptBlock>,
}

/// One block of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptBlock {
    /// So many bytes of the message's text.
    Text(usize),
    /// The next of the message's calls.
    Call,
    /// JSON that is sent back byte for byte.
    Raw(String),
}

/// A complete tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id given by the provider, or by us where it gave none.
    pub id: CallId,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// The arguments as JSON text: exactly as the model wrote them where they can be read, otherwise as they were repaired.
    /// What cannot be repaired stays as it was written.
    pub arguments: String,
}

/// Why an assistant message ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model finished its answer.
    End,
    /// The model wants its calls answered.
    Calls,
    /// The model ran into its output limit.
    Length,
    /// The provider withheld the rest.
    Filtered,
    /// The user interrupted; what had arrived is kept.
    Interrupted,
    /// The provider or the connection failed; what had arrived is kept.
    Failed,
}
