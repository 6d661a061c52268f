//! Questions that the model puts to a person, and what they say.

use crate::{AskId, CallId};
use serde::{Deserialize, Serialize};

/// Questions that the model asks with one call, or an MCP server while one of its calls runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inquiry {
    /// Names it; an answer names it too.
    pub ask: AskId,
    /// The call that asks.
    pub call: CallId,
    /// The MCP server that asks, where it is not the model: people are to know whose words they read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// True when it is the pause behind a step of a plan: the labels are `continue`, `revise` and `stop`, which front ends say in
    /// the person's language.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub step: bool,
    /// In the order they are asked; never empty.
    pub questions: Vec<Question>,
}

/// One question. A person may always answer in their own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Names it within the inquiry.
    pub id: String,
    /// What is asked.
    pub question: String,
    /// What can be chosen; empty where only words of one's own fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Suggestion>,
    /// True when more than one can be chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multi: bool,
    /// The option that the model would choose, by its place from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended: Option<usize>,
}

/// An answer that the model suggests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// What is chosen.
    pub label: String,
    /// What would follow from it, in a line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// What a person says to one question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// The question's id.
    pub question: String,
    /// The labels that were chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<String>,
    /// What they said in their own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Response {
    /// True when something was chosen or said.
    pub fn says_something(&self) -> bool {
        !self.chosen.is_empty() || self.text.as_ref().is_some_and(|text| !text.trim().is_empty())
    }
}
