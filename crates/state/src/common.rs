//! What several sessions may spend together, as the tasks of a batch: one purse that each of them, and each of their subagents,
//! is asked about before every request. No more is spent beyond a limit than the requests that are on their way.

use reasonix_proto::{Allowance, Cost, Phrase, Usage};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A purse of several sessions. Its time runs from when it was made.
#[derive(Debug)]
pub struct CommonPurse {
    allowed: Allowance,
    began: Instant,
    spent: Mutex<Spent>,
}

#[derive(Debug, Default, Clone)]
struct Spent {
    usage: Usage,
    /// A currency each.
    costs: Vec<Cost>,
}

impl Spent {
    fn add(&mut self, usage: Usage, cost: Option<&Cost>) {
        self.usage.add(usage);
        let Some(cost) = cost else { return };
        match self.costs.iter_mut().find(|known| known.currency == cost.currency) {
            Some(known) => known.add(cost),
            None => self.costs.push(cost.clone()),
        }
    }
}

fn held(spent: &Mutex<Spent>) -> MutexGuard<'_, Spent> {
    spent.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CommonPurse {
    /// A purse with so much in it.
    pub fn new(allowed: Allowance) -> Arc<Self> {
        Arc::new(Self { allowed, began: Instant::now(), spent: Mutex::default() })
    }

    /// True when a limit is reached.
    pub fn is_used_up(&self) -> bool {
        let spent = held(&self.spent);
        let money = spent.costs.iter().map(|cost| cost.spent).max().unwrap_or(0);
        let reached = |spent: u64, allowed: Option<u64>| allowed.is_some_and(|most| spent >= most);
        reached(money, self.allowed.cost)
            || reached(spent.usage.tokens(), self.allowed.tokens)
            || reached(self.began.elapsed().as_secs(), self.allowed.seconds)
    }

    /// For one more session.
    pub fn hand(self: &Arc<Self>) -> Arc<PurseHand> {
        Arc::new(PurseHand { purse: Arc::clone(self), spent: Mutex::default(), refused: AtomicBool::new(false) })
    }
}

/// A session's hand in a purse of several.
#[derive(Debug)]
pub struct PurseHand {
    purse: Arc<CommonPurse>,
    spent: Mutex<Spent>,
    refused: AtomicBool,
}

impl PurseHand {
    /// True when it wanted more after all was spent: what its session did was cut off.
    pub fn was_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// What its session took, with those below it.
    pub fn usage(&self) -> Usage {
        held(&self.spent).usage
    }

    /// What that cost, where it is known; of several currencies the one of most.
    pub fn cost(&self) -> Option<Cost> {
        held(&self.spent).costs.iter().max_by_key(|cost| cost.spent).cloned()
    }

    pub(crate) fn limits_money(&self) -> bool {
        self.purse.allowed.cost.is_some()
    }

    /// Books what a request came to, here and in the common purse.
    pub fn spent(&self, usage: Usage, cost: Option<&Cost>) {
        held(&self.spent).add(usage, cost);
        held(&self.purse.spent).add(usage, cost);
    }

    /// Says that nothing is left to spend together, where that is so.
    pub fn used_up(&self) -> Option<Phrase> {
        let out = self.purse.is_used_up();
        self.refused.fetch_or(out, Ordering::Relaxed);
        out.then(|| Phrase::new("flow.batch_budget"))
    }

    /// The time that is left of the common one; none where it is not limited.
    pub fn time_left(&self) -> Option<Duration> {
        let all = self.purse.allowed.seconds.map(Duration::from_secs)?;
        Some(all.saturating_sub(self.purse.began.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use super::CommonPurse;
    use reasonix_proto::{Allowance, Cost, Usage};
    use std::time::Duration;

    #[test]
    fn what_one_spends_the_others_have_not() {
        let all = CommonPurse::new(Allowance { tokens: Some(1000), cost: Some(500), seconds: Some(3600) });
        let (one, other) = (all.hand(), all.hand());
        let cost = |spent: u64, currency: &str| Cost { spent, saved: 0, currency: currency.to_owned() };
        one.spent(Usage { input: 900, ..Usage::default() }, Some(&cost(200, "USD")));
        assert!(one.used_up().is_none() && other.used_up().is_none() && !all.is_used_up());
        other.spent(Usage { output: 100, ..Usage::default() }, Some(&cost(499, "CNY")));
        assert!(one.used_up().is_some() && all.is_used_up());
        assert!(one.was_refused() && !other.was_refused());
        assert_eq!((one.usage().tokens(), other.usage().tokens()), (900, 100));
        assert_eq!((one.cost().unwrap().spent, other.cost().unwrap().spent), (200, 499));
        assert!(one.time_left().unwrap() > Duration::from_secs(3000));
        // Each limit by itself, and none where there is none.
        let money = CommonPurse::new(Allowance { cost: Some(500), ..Allowance::default() });
        money.hand().spent(Usage::default(), Some(&cost(500, "USD")));
        let time = CommonPurse::new(Allowance { seconds: Some(0), ..Allowance::default() });
        let none = CommonPurse::new(Allowance::default());
        none.hand().spent(Usage { input: u64::MAX, ..Usage::default() }, Some(&cost(u64::MAX, "USD")));
        assert!(money.is_used_up() && time.is_used_up() && !none.is_used_up());
    }
}
