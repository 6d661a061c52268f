//! The gate before a subagent: that of the session it works for, as it is at each call, and its own profile on top. It can only
//! be stricter.

use super::Approvals;
use super::agents::AgentStanding;
use std::sync::Arc;

/// A subagent before the gate.
#[derive(Clone)]
pub(super) struct Below {
    /// What it is called, for people.
    name: String,
    pub(super) standing: Arc<AgentStanding>,
}

impl Approvals {
    /// The gate before a subagent of this name, whose profile says this. Rules, grants, posture, mode and questions are those of
    /// the session, now and later.
    #[must_use]
    pub fn below(&self, name: &str, standing: AgentStanding) -> Self {
        let mut below = self.below.clone();
        below.push(Below { name: name.to_owned(), standing: Arc::new(standing) });
        Self {
            standing: Arc::clone(&self.standing),
            granted: Arc::clone(&self.granted),
            by_word: Arc::clone(&self.by_word),
            kept: Arc::clone(&self.kept),
            stance: Arc::clone(&self.stance),
            open: Arc::clone(&self.open),
            alone: Arc::clone(&self.alone),
            scripts: Arc::clone(&self.scripts),
            files: Arc::clone(&self.files),
            narrowed: Arc::clone(&self.narrowed),
            agents: Arc::clone(&self.agents),
            below,
            distrusts: self.distrusts.clone(),
            undo: self.undo.clone(),
            sink: Arc::clone(&self.sink),
        }
    }

    /// The subagent whose calls are judged.
    pub(super) fn child(&self) -> Option<&str> {
        self.below.last().map(|below| below.name.as_str())
    }
}
