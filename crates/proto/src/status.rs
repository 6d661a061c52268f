//! What replies consist of: the state of a session and what can be chosen in it, as data.

use crate::{Dial, Effect, GoalInfo, Mode, Phrase, Posture, RecordId, SessionId, SettingSource, TurnState, Usage};
use serde::{Deserialize, Serialize};

/// What a status line shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The session.
    pub session: SessionId,
    /// Its title: the user's own, or the beginning of the first prompt; empty before that.
    pub title: String,
    /// Where the turn stands.
    pub state: TurnState,
    /// The model as `provider/model`.
    pub model: String,
    /// How hard the model thinks, when that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// What the model may do.
    #[serde(default, skip_serializing_if = "Mode::is_build")]
    pub mode: Mode,
    /// The agent that is at work; empty for `build`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// The goal, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Box<GoalInfo>>,
    /// How much is asked.
    pub posture: Posture,
    /// The sandbox level of commands: `full`, `partial`, `off` or `refused`.
    pub sandbox: String,
    /// The working folder, absolute.
    pub folder: String,
    /// How many turns there were.
    pub turns: u32,
    /// All requests of this session together.
    pub usage: Usage,
    /// Tokens of the last request and answer: what the next one starts from.
    pub context: u64,
    /// The model's window; 0 when unknown.
    pub window: u64,
    /// What the session cost, where prices are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// What waits for its turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue: Vec<Queued>,
    /// False when nothing of the session is on disk and nothing will be.
    pub kept: bool,
    /// How many jobs run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub jobs: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "for serde")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Money, in millionths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// What was spent.
    pub spent: u64,
    /// What the cache saved.
    pub saved: u64,
    /// The currency, such as `USD` or `CNY`.
    pub currency: String,
}

impl Cost {
    /// Adds another cost; one in another currency is left out, as no rate is known.
    pub fn add(&mut self, other: &Cost) {
        if self.currency == other.currency {
            self.spent = self.spent.saturating_add(other.spent);
            self.saved = self.saved.saturating_add(other.saved);
        }
    }

    /// What was spent, as people write it.
    pub fn spent_text(&self) -> String {
        money_text(self.spent, &self.currency)
    }

    /// What was saved, as people write it.
    pub fn saved_text(&self) -> String {
        money_text(self.saved, &self.currency)
    }
}

/// Millionths of a currency as people write them: small sums with four places, others with two.
pub fn money_text(millionths: u64, currency: &str) -> String {
    let sign = match currency {
        "USD" => "$",
        "CNY" => "¥",
        "EUR" => "€",
        _ => "",
    };
    let (whole, part) = (millionths / 1_000_000, millionths % 1_000_000 / 100);
    let text = if whole == 0 { format!("{sign}{whole}.{part:04}") } else { format!("{sign}{whole}.{:02}", part / 100) };
    if sign.is_empty() && !currency.is_empty() { format!("{text} {currency}") } else { text }
}

/// Something that waits: a steering message until the next step, a follow-up until the turn is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queued {
    /// Names it within the session's process.
    pub id: u64,
    /// What it waits for.
    pub kind: QueuedKind,
    /// The text.
    pub text: String,
}

/// What a queued item waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueuedKind {
    /// The next step of the running turn.
    Steer,
    /// The end of the running turn.
    FollowUp,
}

/// The repository of the working folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Git {
    /// The branch, or the first digits of the commit when none is checked out.
    pub branch: String,
    /// How many files differ from the last commit; none when that could not be had in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty: Option<u64>,
}

/// What is completed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CompletionKind {
    /// An `@` reference: files and folders one level at a time, line ranges, resources.
    Reference,
    /// An argument of a command.
    Argument {
        /// The command's name.
        command: String,
        /// The argument's place, from 0.
        index: usize,
    },
}

/// One candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// What replaces the text that was typed.
    pub insert: String,
    /// What the menu shows.
    pub shown: String,
    /// Where `shown` matches what was typed: places of characters, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<usize>,
    /// True when more can follow, such as below a folder.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub descends: bool,
    /// More about it, in one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// A model that can be chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// The model as `provider/model`.
    pub name: String,
    /// The model's window; 0 when unknown.
    pub window: u64,
    /// True for the one in use.
    pub current: bool,
    /// True for the one new sessions start with.
    pub default: bool,
    /// What it is for by the settings, such as `planner`; none for plain ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
    /// Words for [`crate::Op::SetModel`]'s effort; none where it has no such dial.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub efforts: Vec<String>,
    /// Prices in one line, where they are known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub price: String,
}

/// A saved session in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionInfo {
    /// The session.
    pub id: SessionId,
    /// Its title; empty when it has none.
    pub title: String,
    /// Its working folder; empty when the file cannot be read.
    pub folder: String,
    /// When it was started, in milliseconds since the Unix epoch.
    pub started: u64,
    /// When it was last written to.
    pub active: u64,
    /// The model it was started with, as `provider/model`.
    pub model: String,
    /// How many turns it has.
    pub turns: u32,
    /// How its last turn ended.
    pub ending: SessionEnding,
    /// The session it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<SessionId>,
}

/// How a session's last turn ended, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionEnding {
    /// With an answer.
    Done,
    /// Somebody interrupted it.
    Interrupted,
    /// It ran out of time, steps or money.
    Limit,
    /// Something was refused.
    Refused,
    /// Something failed.
    Failed,
    /// It has no end: it runs now, or its process was killed.
    Open,
    /// The file cannot be read.
    #[serde(other)]
    Broken,
}

/// Which records of a tree are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeFilter {
    /// What was said and done; no bookkeeping.
    #[default]
    Default,
    /// The same without outcomes of tools.
    NoTools,
    /// What people wrote.
    UserOnly,
    /// What has a label.
    LabelledOnly,
    /// Everything.
    All,
}

/// One visible record of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeNode {
    /// The record.
    pub id: RecordId,
    /// The nearest visible record before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<RecordId>,
    /// How many visible branchings lie before it.
    pub depth: u32,
    /// The kind of the record, such as `prompt` or `assistant`.
    pub kind: String,
    /// Its content in one line, bounded.
    pub text: String,
    /// Its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The turn it belongs to; 0 when to none.
    pub turn: u32,
    /// When it was written, in milliseconds since the Unix epoch.
    pub at: u64,
    /// True when it is on the way from the first record to the leaf.
    pub active: bool,
}

/// A place in a file that an answer names as `path:line`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    /// As it is written in the answer.
    pub text: String,
    /// The byte in the answer's text where it begins.
    pub start: usize,
    /// The path.
    pub path: String,
    /// The line.
    pub line: u64,
    /// The last line, where a range is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<u64>,
    /// What is wrong with it; none when it is good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<BrokenCitation>,
}

/// What is wrong with a citation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum BrokenCitation {
    /// There is no such file in the workspace.
    NoFile,
    /// The file is shorter.
    NoLine {
        /// How many lines it has.
        lines: u64,
    },
}

/// A permission rule that holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleInfo {
    /// The rule, such as `Bash(cargo test:*)`.
    pub rule: String,
    /// What it says.
    pub effect: Effect,
    /// Where it comes from: a file, the command line, or `session`.
    pub origin: SettingSource,
    /// True when [`crate::Op::Revoke`] can take it away.
    pub revocable: bool,
}

/// A part of the context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextPart {
    /// What it is.
    pub name: Phrase,
    /// Its tokens, by estimate.
    pub tokens: u64,
    /// How many messages it consists of; 0 for parts of the head.
    #[serde(default)]
    pub messages: u64,
}

/// A setting with its origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The dotted key.
    pub key: String,
    /// The value as TOML; secrets are masked.
    pub value: String,
    /// Where it comes from.
    pub origin: SettingSource,
    /// What it is, for those that people change most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Phrase>,
    /// How [`crate::Op::Configure`] can change it; none where that is left to the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dial: Option<Dial>,
}
