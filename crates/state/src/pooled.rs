//! What several sessions may spend together, as the tasks of a batch: one purse that each of them, and each of their subagents,
//! is asked about before every request. What a request will take by estimate is held while it is on its way: beside others one
//! goes only where it fits, and else it waits for them; alone it goes while something is left.

use reasonix_agent::HeldTokens;
use reasonix_proto::{Allowance, Cost, Phrase, Price, Usage};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// A purse of several sessions. Its time runs from when it was made.
#[derive(Debug)]
pub struct CommonPurse {
    allowed: Allowance,
    began: Instant,
    spent: Mutex<Spent>,
    on_way: Mutex<OnWay>,
    /// A request is on its way no more.
    freed: Notify,
}

/// What requests that are on their way will take by estimate.
#[derive(Debug, Default)]
struct OnWay {
    requests: u32,
    tokens: u64,
    money: u64,
    /// How many there were that are answered.
    answered: u64,
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

fn held<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CommonPurse {
    /// A purse with so much in it.
    pub fn new(allowed: Allowance) -> Arc<Self> {
        let (spent, on_way, freed) = Default::default();
        Arc::new(Self { allowed, began: Instant::now(), spent, on_way, freed })
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

    /// Holds what a request of so many tokens will take; none where that does not fit beside those on their way.
    fn hold(self: &Arc<Self>, tokens: u64, price: Option<&Price>) -> Option<HeldTokens> {
        let mut on_way = held(&self.on_way);
        let (usage, money) = {
            let spent = held(&self.spent);
            (spent.usage, spent.costs.iter().map(|cost| cost.spent).max().unwrap_or(0))
        };
        // What an answer will have is told by those that there were.
        let expected = Usage { input: tokens, output: usage.output / on_way.answered.max(1), ..Usage::default() };
        let (tokens, cost) = (expected.tokens(), price.map_or(0, |price| price.money(expected).spent));
        let then = |spent: u64, held: u64, more: u64| spent.saturating_add(held).saturating_add(more);
        let beyond = |then: u64, allowed: Option<u64>| allowed.is_some_and(|most| then > most);
        let over = beyond(then(usage.tokens(), on_way.tokens, tokens), self.allowed.tokens)
            || beyond(then(money, on_way.money, cost), self.allowed.cost);
        if over && on_way.requests > 0 {
            return None;
        }
        on_way.requests += 1;
        (on_way.tokens, on_way.money) = (then(on_way.tokens, tokens, 0), then(on_way.money, cost, 0));
        let purse = Arc::clone(self);
        Some(HeldTokens::until(move || {
            let mut on_way = held(&purse.on_way);
            on_way.requests = on_way.requests.saturating_sub(1);
            on_way.tokens = on_way.tokens.saturating_sub(tokens);
            on_way.money = on_way.money.saturating_sub(cost);
            drop(on_way);
            purse.freed.notify_waiters();
        }))
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

    /// Holds what a request will take by estimate, once that fits beside those on their way; or what is used up.
    pub(crate) async fn reserve(&self, tokens: u64, price: Option<&Price>) -> Result<HeldTokens, Phrase> {
        loop {
            let mut freed = pin!(self.purse.freed.notified());
            // Whatever is let go of from here on is heard.
            freed.as_mut().enable();
            if let Some(why) = self.used_up() {
                return Err(why);
            }
            if let Some(held) = self.purse.hold(tokens, price) {
                return Ok(held);
            }
            freed.await;
        }
    }

    /// Books what a request came to, here and in the common purse.
    pub fn spent(&self, usage: Usage, cost: Option<&Cost>) {
        held(&self.purse.on_way).answered += 1;
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

    /// Many at once take no more than what is there, and those that come too late are told.
    #[tokio::test]
    async fn many_at_once_hold_what_they_will_take() {
        let all = CommonPurse::new(Allowance { tokens: Some(350), ..Allowance::default() });
        let one = |_| {
            let hand = all.hand();
            tokio::spawn(async move {
                let held = hand.reserve(100, None).await.ok()?;
                tokio::task::yield_now().await;
                hand.spent(Usage { input: 100, ..Usage::default() }, None);
                drop(held);
                Some(())
            })
        };
        let jobs: Vec<_> = (0..10).map(one).collect();
        let mut went = 0;
        for job in jobs {
            went += usize::from(job.await.unwrap().is_some());
        }
        assert_eq!(went, 4, "three fit, and one may always go while something is left");
    }

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
