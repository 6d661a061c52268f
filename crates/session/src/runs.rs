//! What subagents did, as the ledger keeps it: who, for whom, how many steps and how long. No word of what they were asked.

use reasonix_proto::{ChildRun, Record, RecordBody, SessionId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A subagent from a beginning to an end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunEntry {
    /// When it was over, in milliseconds since the Unix epoch.
    pub at: u64,
    /// Its own session.
    pub session: SessionId,
    /// The working folder.
    pub folder: String,
    /// Always `run`.
    pub kind: RunKind,
    /// What it is called, such as `0-Search`.
    pub child: String,
    /// The session that it worked for.
    pub parent: SessionId,
    /// The agent that it worked as.
    pub agent: String,
    /// The skill that it did, where it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// How many steps it took.
    pub steps: u32,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
}

/// What such a line is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// A subagent worked.
    Run,
}

impl RunEntry {
    /// What it is told by from others: nobody ends twice at once.
    pub(crate) fn key(&self) -> (SessionId, u64) {
        (self.session.clone(), self.at)
    }
}

/// Finds them in the log of the session that all of them work for, however deep they are.
#[derive(Debug, Clone)]
pub struct ChildRuns {
    log: SessionId,
    /// The sessions of those that began, by name: who starts others has begun.
    begun: HashMap<String, SessionId>,
}

impl ChildRuns {
    /// Those in the log of this session.
    pub fn new(log: SessionId) -> Self {
        Self { log, begun: HashMap::new() }
    }

    /// The run that ended with this record. One whose end nobody saw is none: it is not known what it did.
    pub fn saw(&mut self, record: &Record, folder: &str) -> Option<RunEntry> {
        let RecordBody::Child(run) = &record.body else { return None };
        let ChildRun { child, session, agent, skill, steps, took_ms, end, lost, .. } = &**run;
        if end.is_none() || *lost {
            self.begun.insert(child.clone(), session.clone());
            return None;
        }
        let owner = child.rsplit_once('.').and_then(|(owner, _)| self.begun.get(owner));
        Some(RunEntry {
            at: record.at,
            session: session.clone(),
            folder: folder.to_owned(),
            kind: RunKind::Run,
            child: child.clone(),
            parent: owner.unwrap_or(&self.log).clone(),
            agent: agent.clone(),
            skill: skill.clone(),
            steps: *steps,
            took_ms: *took_ms,
        })
    }
}
