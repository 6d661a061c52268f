//! A task and its result, as they stand on a line.

use reasonix_proto::{Cost, Usage, parse_count, parse_money, parse_seconds};
use serde::{Deserialize, Serialize};

/// A task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchTask {
    /// Names it; the number of its line when missing. Letters, digits, `.`, `_` and `-`.
    #[serde(default)]
    pub id: String,
    /// What is to be done.
    pub prompt: String,
    /// The repository that it is done in a clone of, from the folder of the batch; that folder's own when neither this nor
    /// `cwd` is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The folder that it is done in, as it is; tasks of the same folder are done one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The model, where it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// True when the prompt is a goal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goal: bool,
    /// What it may spend.
    #[serde(default)]
    pub budget: TaskBudget,
}

/// What a task may spend, as people write it: `"0.50"`, `"200k"`, `"10m"`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskBudget {
    /// Money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
    /// Tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<String>,
    /// Time of work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
}

/// The longest name of a task.
const LONGEST_ID: usize = 64;

impl BatchTask {
    /// What is wrong with it, in a few words.
    pub fn flaw(&self) -> Option<&'static str> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let named = !self.id.is_empty() && self.id.len() <= LONGEST_ID && self.id.chars().all(plain);
        let unread = |text: &Option<String>, read: fn(&str) -> Option<u64>| {
            text.as_ref().is_some_and(|text| read(text).is_none())
        };
        let budget = &self.budget;
        match () {
            () if !named || self.id.starts_with(['.', '-']) => Some("id: letters, digits, `.`, `_` and `-` alone"),
            () if self.prompt.trim().is_empty() => Some("prompt: it is empty"),
            () if self.repo.is_some() && self.cwd.is_some() => Some("repo and cwd do not go together"),
            () if unread(&budget.cost, parse_money) => Some("budget.cost"),
            () if unread(&budget.tokens, parse_count) => Some("budget.tokens"),
            () if unread(&budget.time, parse_seconds) => Some("budget.time"),
            () => None,
        }
    }
}

/// What became of a task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BatchResult {
    /// The task.
    pub id: String,
    /// Its session; none when there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// How it ended: as `end.how` of a turn, or `goal` and where that stands.
    pub end: String,
    /// The exit code that `run` would have had; where what it did is not all in the patch, never 0.
    pub code: u8,
    /// Why it did not end well, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The last answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// The tokens of all its requests.
    #[serde(default)]
    pub usage: Usage,
    /// What they cost, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Seconds from its beginning to its end.
    #[serde(default)]
    pub seconds: u64,
    /// The file with what it changed in its clone; none when nothing, and where there was no clone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// The folder with what it did, where that was left there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// What went wrong beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
