//! Jobs: commands that go on behind the call that began them.

use crate::{Artifact, CallId, Phrase};
use serde::{Deserialize, Serialize};

/// The longest command line and description that a job is shown with.
const LONGEST: usize = 2000;

/// What kind of job it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// A command.
    #[default]
    Command,
    /// A command whose lines the model is told of.
    Monitor,
    /// A subagent, under its own name.
    Task,
    /// A prompt that comes back at its times; the command is their expression.
    Cron,
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// It runs.
    #[default]
    Running,
    /// It ended by itself, with exit code 0.
    Completed,
    /// It ended otherwise, or could not be started.
    Failed,
    /// It was ended: by the model, by the user, or with the session.
    Cancelled,
    /// Its process ended with Reasonix, and nobody saw how.
    Lost,
}

impl JobState {
    /// Its word, as it stands in records.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
        }
    }
}

/// A job, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JobInfo {
    /// What it is called in this session.
    pub job: String,
    /// What kind it is.
    #[serde(default)]
    pub what: JobKind,
    /// The call that began it.
    pub call: CallId,
    /// The command line; only the beginning of a long one.
    pub command: String,
    /// What it is for, where somebody said so.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Where it stands.
    pub state: JobState,
    /// The process that everything of it ends with, while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// It said that it is ready.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ready: bool,
    /// When it began, in milliseconds since the Unix epoch.
    pub began: u64,
    /// How long it has run, in milliseconds.
    #[serde(default)]
    pub took_ms: u64,
    /// Its exit code as shells count it, once it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Bytes that it wrote.
    #[serde(default)]
    pub bytes: u64,
    /// The last lines of what it wrote, where jobs are listed; never in a record.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tail: String,
    /// What it wrote, whole within bounds, once it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Artifact>,
}

impl JobInfo {
    /// A text as it may stand in a job.
    pub fn short(text: &str) -> String {
        text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default().to_owned()
    }
}

/// Where a job stands, for people.
pub fn job_words(job: &JobInfo) -> Phrase {
    let seconds = job.took_ms / 1000;
    match job.state {
        JobState::Running if job.ready => Phrase::new("jobs.ready"),
        JobState::Running => Phrase::new("jobs.running"),
        JobState::Completed => Phrase::new("jobs.completed"),
        JobState::Failed => Phrase::new("jobs.failed"),
        JobState::Cancelled => Phrase::new("jobs.cancelled"),
        JobState::Lost => Phrase::new("jobs.lost"),
    }
    .with("seconds", seconds)
    .with("pid", job.pid.map_or_else(|| "-".to_owned(), |pid| pid.to_string()))
    .with("code", job.exit_code.map_or_else(|| "-".to_owned(), |code| code.to_string()))
}
