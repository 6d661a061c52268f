//! What a subagent may spend: what the session has left. What its requests
//! will take is held in the session's purse while they are on their way, so that many at once go no further beyond a limit than one.

use reasonix_agent::{BoxFuture, Budget, HeldTokens};
use reasonix_proto::{Cost, Phrase, Usage};
use reasonix_state::purse::Purse;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A subagent's hand in the purse of its session.
pub(super) struct Share {
    purse: Arc<Purse>,
    spent: Mutex<Option<Cost>>,
}

impl Share {
    pub(super) fn of(purse: &Arc<Purse>) -> Arc<Self> {
        Arc::new(Self { purse: Arc::clone(purse), spent: Mutex::default() })
    }
}

impl Budget for Share {
    /// The turn of the session goes on while its subagents work: its time is theirs.
    fn begin(&self) {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn used_up(&self) -> Option<Phrase> {
        self.purse.used_up()
    }

    fn reserve<'a>(&'a self, model: &'a str, tokens: u64) -> BoxFuture<'a, Result<HeldTokens, Phrase>> {
        self.purse.reserve(model, tokens)
    }

    fn spent(&self, model: &str, usage: Usage) {
        self.purse.spent_below(model, usage);
        let Some(cost) = self.purse.price(model).map(|price| price.money(usage)) else { return };
        match &mut *self.spent.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(known) => known.add(&cost),
            none => *none = Some(cost),
        }
    }

    fn time_left(&self) -> Option<Duration> {
        self.purse.time_left()
    }

    fn waited(&self) -> Duration {
        self.purse.waited()
    }

    fn end(&self) -> Option<Cost> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
