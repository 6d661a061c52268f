//! Hooks behind the port of those who stand around an agent.

use super::{Hooks, locked};
use reasonix_agent::{About, Aspect, BoxFuture, Said, Stop, Wish};
use reasonix_extensions::hooks::HookEvent;
use reasonix_proto::{FoldReason, ToolOutcome, TurnEnd};
use std::sync::{Arc, Mutex};

/// Hooks as they stand around calls, and around nothing else: for an agent that works for another.
pub struct AroundCalls(pub Arc<Hooks>);

/// Hooks around a subagent: its calls, what a person says to it, and its end.
pub struct AroundChild {
    hooks: Arc<Hooks>,
    /// What it said last.
    said: Box<dyn Fn() -> String + Send + Sync>,
    /// The turn, and how often a hook kept it from ending.
    returns: Mutex<(u32, u32)>,
}

impl AroundChild {
    /// Around the subagent that said this last.
    pub fn new(hooks: &Arc<Hooks>, said: impl Fn() -> String + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { hooks: Arc::clone(hooks), said: Box::new(said), returns: Mutex::default() })
    }
}

impl Aspect for AroundCalls {
    fn before_call<'a>(&'a self, about: About<'a>) -> BoxFuture<'a, Wish> {
        Box::pin(self.0.calls.before(about))
    }

    fn at_outcome<'a>(&'a self, about: About<'a>, outcome: ToolOutcome) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(self.0.calls.after(about, outcome))
    }
}

impl Aspect for AroundChild {
    fn before_call<'a>(&'a self, about: About<'a>) -> BoxFuture<'a, Wish> {
        Box::pin(self.hooks.calls.before(about))
    }

    fn at_outcome<'a>(&'a self, about: About<'a>, outcome: ToolOutcome) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(self.hooks.calls.after(about, outcome))
    }

    fn before_steer(&self, _turn: u32, said: Said) -> BoxFuture<'_, Option<Said>> {
        Box::pin(self.hooks.moments.steered(said))
    }

    fn before_end<'a>(&'a self, turn: u32, end: &'a TurnEnd) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let returns = {
                let mut of = locked(&self.returns);
                *of = if of.0 == turn { *of } else { (turn, 0) };
                of.1
            };
            let objection = self.hooks.moments.ends(HookEvent::SubagentStop, end, returns, &(self.said)()).await?;
            locked(&self.returns).1 += 1;
            Some(objection)
        })
    }
}

/// Hooks around everything that an agent does.
pub struct AroundAll(pub Arc<Hooks>);

impl Aspect for AroundAll {
    fn before_turn<'a>(&'a self, said: Said, stop: &'a Stop) -> BoxFuture<'a, Result<Said, TurnEnd>> {
        Box::pin(self.0.moments.prompt(said, stop))
    }

    fn before_call<'a>(&'a self, about: About<'a>) -> BoxFuture<'a, Wish> {
        Box::pin(self.0.calls.before(about))
    }

    fn at_outcome<'a>(&'a self, about: About<'a>, outcome: ToolOutcome) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(self.0.calls.after(about, outcome))
    }

    fn before_steer(&self, _turn: u32, said: Said) -> BoxFuture<'_, Option<Said>> {
        Box::pin(self.0.moments.steered(said))
    }

    fn before_fold<'a>(&'a self, reason: FoldReason, instructions: &'a str) -> BoxFuture<'a, bool> {
        Box::pin(self.0.moments.folds(reason, instructions))
    }

    fn before_end<'a>(&'a self, turn: u32, end: &'a TurnEnd) -> BoxFuture<'a, Option<String>> {
        Box::pin(self.0.moments.stops(turn, end))
    }
}
