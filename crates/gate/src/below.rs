//! The gate before a subagent: that of the session it works for, as it is at each call, and its own profile on top. It can only
//! be stricter.

use super::agents::AgentStanding;
use super::files::Files;
use super::narrow::Narrowing;
use super::{Approvals, GateStanding};
use reasonix_policy::{By, Verdict};
use reasonix_proto::{Action, Family};
use reasonix_workspace::Workspace;
use std::sync::{Arc, Weak};

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
            taken_at_its_word: Arc::clone(&self.taken_at_its_word),
            by_word: Arc::clone(&self.by_word),
            kept: Arc::clone(&self.kept),
            stance: Arc::clone(&self.stance),
            open: Arc::clone(&self.open),
            alone: Arc::clone(&self.alone),
            scripts: Arc::clone(&self.scripts),
            files: Arc::clone(&self.files),
            narrowed: Arc::clone(&self.narrowed),
            held_to: self.held_to.clone(),
            agents: Arc::clone(&self.agents),
            below,
            apart: self.apart,
            distrusts: self.distrusts.clone(),
            undo: self.undo.clone(),
            sink: Arc::clone(&self.sink),
        }
    }

    /// The same for a subagent that works in a copy of the files: paths mean those of the copy, and nothing of it is taken
    /// back by the session's undo. `own` is what the settings say of that copy.
    #[must_use]
    pub fn below_in(&self, name: &str, standing: AgentStanding, own: GateStanding, copy: &Workspace) -> Self {
        let files = Arc::new(Files::new(copy.clone(), own.walled));
        Self { standing: Arc::new(own), files, apart: true, undo: Weak::new(), ..self.below(name, standing) }
    }

    /// The same for one that is content with these tools, as are those that it starts.
    #[must_use]
    pub fn held_to(mut self, narrowing: Narrowing) -> Self {
        self.held_to.push(Arc::new(narrowing));
        self
    }

    /// What a file tool changes in a copy is nobody's yet: a person is asked about all of it when it is brought back. Rules
    /// that ask or deny speak all the same.
    pub(super) fn in_copy(&self, verdict: Verdict, action: &Action) -> Verdict {
        match verdict {
            Verdict::Ask(By::Fallback) if self.apart && action.family == Family::Edit => Verdict::Allow(By::Fallback),
            verdict => verdict,
        }
    }

    /// The subagent whose calls are judged.
    pub(super) fn child(&self) -> Option<&str> {
        self.below.last().map(|below| below.name.as_str())
    }
}
