//! `checkpoint`: marks a place in the conversation before something is explored. The loop does the rest.

use reasonix_agent::{Args, ToolTraits};
use reasonix_proto::{Action, Family, ToolOutcome};
use reasonix_session::Past;
use reasonix_tools::{ToolWork, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct Input {
    /// What you want to find out.
    #[serde(default)]
    goal: String,
}

/// The turn in which a checkpoint is open; one ends with its turn.
#[derive(Clone, Default)]
pub struct Explored {
    open: Arc<Mutex<Option<u32>>>,
    past: Option<Past>,
}

impl Explored {
    /// For the session with this log.
    pub fn of(past: Past) -> Self {
        Self { open: Arc::default(), past: Some(past) }
    }

    fn lock(&self) -> MutexGuard<'_, Option<u32>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&self) -> Option<u32> {
        self.past.as_ref().map(Past::turns)
    }

    /// Opens one; false when one is open.
    fn begin(&self) -> bool {
        let turn = self.turn();
        let mut open = self.lock();
        let free = open.is_none() || *open != turn;
        if free {
            *open = turn;
        }
        free
    }

    /// Closes it; false when none is open.
    pub(super) fn end(&self) -> bool {
        let turn = self.turn();
        let mut open = self.lock();
        let was = open.is_some() && *open == turn;
        *open = None;
        was
    }
}

/// Marks.
pub(super) struct Checkpoint(pub(super) Explored);

impl TypedTool for Checkpoint {
    type Input = Input;
    const NAME: &'static str = "checkpoint";
    const PROMPT: &'static str = include_str!("checkpoint.md");
    const TRAITS: ToolTraits = ToolTraits::MARKS;
    const WORK: ToolWork<Self> = ToolWork::Keeps(|Self(explored), input: Input| match explored.begin() {
        false => ToolOutcome::failed_with("a checkpoint is open already", "call rewind with a report first"),
        true => ToolOutcome::done(format!(
            "Checkpoint set.\nGoal: {}\nLook into it, then call rewind with a concise report.",
            input.goal.trim()
        )),
    });

    /// It counts as a reader: nothing of the user's is touched, so nobody is asked.
    fn action(&self, input: Option<Input>, _args: &Args) -> Action {
        Action::reads(Family::Own, input.unwrap_or_default().goal)
    }
}
