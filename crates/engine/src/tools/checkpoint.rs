//! `checkpoint`: marks a place in the conversation before something is explored. The loop does the rest.

use reasonix_agent::{Args, BoxFuture, Call, Tool, ToolSpec, ToolTraits, parse_args};
use reasonix_proto::{Action, Family, ReadOnly, ToolOutcome};
use reasonix_session::Past;
use reasonix_tools::spec;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct Input {
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
pub(super) struct Checkpoint {
    spec: ToolSpec,
    explored: Explored,
}

impl Checkpoint {
    /// Marks there.
    pub(super) fn new(explored: Explored) -> Self {
        Self { spec: spec::<Input>("checkpoint", include_str!("checkpoint.md")).with(ToolTraits::MARKS), explored }
    }
}

impl Tool for Checkpoint {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// It counts as a reader: nothing of the user's is touched, so nobody is asked.
    fn action(&self, args: &Args) -> Action {
        let input: Input = parse_args(args).unwrap_or_default();
        Action { family: Family::Own, subjects: vec![input.goal], read_only: ReadOnly::Yes }
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        let outcome = match parse_args::<Input>(call.args) {
            Err(outcome) => outcome,
            Ok(_) if !self.explored.begin() => {
                ToolOutcome::failed_with("a checkpoint is open already", "call rewind with a report first")
            }
            Ok(input) => ToolOutcome::done(format!(
                "Checkpoint set.\nGoal: {}\nLook into it, then call rewind with a concise report.",
                input.goal.trim()
            )),
        };
        Box::pin(std::future::ready(outcome))
    }
}
