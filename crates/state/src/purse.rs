//! What a session may spend: counts tokens, money and time as they are spent, warns once near a limit, and says when it
//! is reached. What is left can be handed on.

use crate::outbox::Outbox;
use crate::pooled::PurseHand;
use reasonix_agent::{BoxFuture, Budget, HeldTokens, Sink};
use reasonix_config::Settings;
use reasonix_proto::{Allowance, BudgetInfo, Cost, Event, Level, Phrase, Price, Usage, money_text};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// From this share of a limit on there is a warning, in percent.
const NEAR: u64 = 80;

/// The budget of a session, in this process.
pub struct Purse {
    settings: Arc<Settings>,
    sink: Arc<dyn Sink>,
    /// Where it is shown what was paid.
    shown: Option<Arc<Outbox>>,
    /// The purse that this one is filled from.
    hand: Option<Arc<PurseHand>>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    allowed: Allowance,
    /// Money that was spent, a currency each.
    costs: Vec<Cost>,
    tokens: u64,
    /// What turns took that are over.
    time: Duration,
    /// Since when a turn runs.
    since: Option<Instant>,
    /// How long people had been waited for when it began.
    waited: Duration,
    /// How long they were waited for by now.
    waits: Duration,
    /// What the running turn cost.
    turn: Option<Cost>,
    /// Limits that were warned of.
    warned: Vec<Limit>,
    /// Up to where the turn may go that a goal wants.
    goal: (Option<u64>, Option<Duration>),
    /// What requests on their way will take by estimate: their number, tokens, and money in millionths.
    held: (u32, u64, u64),
    /// How many answers there were, and the tokens that they had: what one on its way will have nobody knows better.
    answers: (u64, u64),
}

/// What there is a limit of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    Cost,
    Tokens,
    Time,
    GoalTokens,
    GoalTime,
}

impl Purse {
    /// What these settings allow; warnings go to the sink.
    pub fn new(settings: Arc<Settings>, sink: Arc<dyn Sink>) -> Self {
        let state = State { allowed: allowance(&settings), ..State::default() };
        Self { settings, sink, shown: None, hand: None, state: Arc::new(Mutex::new(state)) }
    }

    /// The same, shown with a session.
    pub fn shown_by(self, outbox: &Arc<Outbox>) -> Self {
        Self { shown: Some(Arc::clone(outbox)), ..self }
    }

    /// The same, filled from a purse of several sessions.
    pub fn filled_by(self, hand: Option<Arc<PurseHand>>) -> Self {
        Self { hand, ..self }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waits = self.waited();
        state
    }

    /// What a model's tokens cost.
    pub fn price(&self, model: &str) -> Option<Price> {
        price(&self.settings, model)
    }

    /// Sets other limits; what was spent stays spent, and near a limit there is a warning again.
    pub fn allow(&self, allowed: Allowance) {
        let mut state = self.state();
        state.allowed = allowed;
        state.warned.clear();
    }

    /// What is left of a goal's tokens and seconds holds for what comes next; none takes that away.
    pub fn hold_goal(&self, left: Option<(Option<u64>, Option<u64>)>) {
        let mut state = self.state();
        let (tokens, seconds) = left.unwrap_or_default();
        let (spent, elapsed) = (state.tokens, state.elapsed());
        state.goal = (
            tokens.map(|left| spent.saturating_add(left)),
            seconds.map(|left| elapsed.saturating_add(Duration::from_secs(left))),
        );
    }

    /// What may be spent, what was, and what is left: the most that a session below this one may be given.
    pub fn info(&self) -> BudgetInfo {
        self.state().info()
    }

    /// A word where a limit cannot hold: the price of this model is not known.
    pub fn blind(&self, model: &str) -> Option<Phrase> {
        let common = self.hand.as_ref().is_some_and(|hand| hand.limits_money());
        let limited = self.state().allowed.cost.is_some() || common;
        (limited && self.price(model).is_none()).then(|| Phrase::new("engine.budget_blind").with("model", model))
    }

    /// A request of a subagent took this. The turn's own cost does not have it: the subagent's record does.
    pub fn spent_below(&self, model: &str, usage: Usage) {
        let cost = self.counted(model, usage);
        let mut state = self.state();
        state.count(usage);
        let Some(cost) = cost else { return };
        state.add(cost.clone());
        drop(state);
        if let Some(shown) = &self.shown {
            shown.paid(cost);
        }
    }

    /// Holds what a request will take by estimate, where what is on its way leaves something.
    fn hold(&self, tokens: u64, price: Option<&Price>) -> Result<HeldTokens, Phrase> {
        let mut state = self.state();
        let expected = state.expected(tokens);
        let (tokens, money) = (expected.tokens(), price.map_or(0, |price| price.money(expected).spent));
        if let Some(why) = state.reached_by_held() {
            return Err(why);
        }
        let change = move |held: &mut (u32, u64, u64), more: bool| {
            let by = |of: u64, amount: u64| if more { of.saturating_add(amount) } else { of.saturating_sub(amount) };
            let requests = if more { held.0.saturating_add(1) } else { held.0.saturating_sub(1) };
            *held = (requests, by(held.1, tokens), by(held.2, money));
        };
        change(&mut state.held, true);
        drop(state);
        let shared = Arc::clone(&self.state);
        Ok(HeldTokens::until(move || change(&mut shared.lock().unwrap_or_else(PoisonError::into_inner).held, false)))
    }

    /// What this costs; the purse above is told of it at once.
    fn counted(&self, model: &str, usage: Usage) -> Option<Cost> {
        let cost = self.price(model).map(|price| price.money(usage));
        if let Some(hand) = &self.hand {
            hand.spent(usage, cost.as_ref());
        }
        cost
    }

    /// Warns of each limit that is near, once.
    fn warn(&self) {
        let near: Vec<(Limit, Phrase)> = {
            let mut state = self.state();
            let near = state.standing().into_iter().filter(|limit| limit.near && !state.warned.contains(&limit.of));
            let near: Vec<_> = near.map(|limit| (limit.of, limit.phrase(true))).collect();
            state.warned.extend(near.iter().map(|(limit, _)| *limit));
            near
        };
        for (_, phrase) in near {
            self.sink.emit(Event::Notice { level: Level::Warning, phrase });
        }
    }
}

/// What the settings allow.
fn allowance(settings: &Settings) -> Allowance {
    let budget = settings.budget;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let millionths = ((budget.max_cost * 1e6).round() as u64).max(u64::from(budget.max_cost > 0.0));
    let some = |limit: u64| (limit > 0).then_some(limit);
    Allowance { cost: some(millionths), tokens: some(budget.max_tokens), seconds: some(budget.max_seconds) }
}

/// What a model's tokens cost, as the settings are now.
pub fn price(settings: &Settings, model: &str) -> Option<Price> {
    settings.resolve_model(model).ok().and_then(|found| settings.price(&found))
}

/// How far one limit is used.
struct Standing {
    of: Limit,
    near: bool,
    reached: bool,
    spent: String,
    allowed: String,
}

impl Standing {
    fn new(of: Limit, spent: u64, allowed: u64, text: impl Fn(u64) -> String) -> Self {
        let near = u128::from(spent) * 100 >= u128::from(allowed) * u128::from(NEAR);
        Self { of, near, reached: spent >= allowed, spent: text(spent), allowed: text(allowed) }
    }

    /// A limit of a goal: it is shown with the goal, and not warned of.
    fn of_goal(of: Limit, spent: u64, allowed: u64) -> Self {
        Self { near: false, ..Self::new(of, spent, allowed, |amount| amount.to_string()) }
    }

    fn phrase(&self, near: bool) -> Phrase {
        let code = match (self.of, near) {
            (Limit::GoalTokens, _) => "flow.goal_tokens",
            (Limit::GoalTime, _) => "flow.goal_seconds",
            (Limit::Cost, true) => "engine.budget_near_cost",
            (Limit::Tokens, true) => "engine.budget_near_tokens",
            (Limit::Time, true) => "engine.budget_near_time",
            (Limit::Cost, false) => "engine.budget_cost",
            (Limit::Tokens, false) => "engine.budget_tokens",
            (Limit::Time, false) => "engine.budget_time",
        };
        let phrase = Phrase { code: code.into(), args: Vec::new() };
        phrase.with("spent", &self.spent).with("allowed", &self.allowed)
    }
}

impl State {
    fn count(&mut self, usage: Usage) {
        self.tokens = self.tokens.saturating_add(usage.tokens());
        self.answers = (self.answers.0 + 1, self.answers.1.saturating_add(usage.output));
    }

    /// What a request of so many tokens will take, by the answers that there were.
    fn expected(&self, tokens: u64) -> Usage {
        Usage { input: tokens, output: self.answers.1 / self.answers.0.max(1), ..Usage::default() }
    }

    fn elapsed(&self) -> Duration {
        let waited = self.waits.saturating_sub(self.waited);
        self.time + self.since.map_or(Duration::ZERO, |since| since.elapsed().saturating_sub(waited))
    }

    /// A limit that what is on its way will reach.
    fn reached_by_held(&self) -> Option<Phrase> {
        let (requests, tokens, money) = self.held;
        if requests == 0 {
            return None;
        }
        let mut then = Self { allowed: self.allowed, goal: self.goal, ..Self::default() };
        then.tokens = self.tokens.saturating_add(tokens);
        let most = self.costs.iter().max_by_key(|cost| cost.spent);
        let cost = most.cloned().unwrap_or_else(|| Cost { spent: 0, saved: 0, currency: String::new() });
        then.costs = vec![Cost { spent: cost.spent.saturating_add(money), ..cost }];
        let counted = |limit: &Standing| matches!(limit.of, Limit::Cost | Limit::Tokens | Limit::GoalTokens);
        let reached = then.standing().into_iter().find(|limit| counted(limit) && limit.reached)?;
        // Not all of it was spent: what is on its way is an estimate.
        Some(Phrase::new("engine.budget_held").with("spent", reached.spent).with("allowed", reached.allowed))
    }

    /// Every limit that there is, with what is used of it.
    fn standing(&self) -> Vec<Standing> {
        let mut all = Vec::new();
        if let Some(allowed) = self.allowed.cost {
            let most = self.costs.iter().max_by_key(|cost| cost.spent);
            let (spent, currency) = most.map_or((0, ""), |cost| (cost.spent, cost.currency.as_str()));
            all.push(Standing::new(Limit::Cost, spent, allowed, |money| money_text(money, currency)));
        }
        if let Some(allowed) = self.allowed.tokens {
            all.push(Standing::new(Limit::Tokens, self.tokens, allowed, |tokens| tokens.to_string()));
        }
        if let Some(allowed) = self.allowed.seconds {
            let spent = u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX);
            let text = |millis: u64| format!("{} s", millis / 1000);
            all.push(Standing::new(Limit::Time, spent, allowed.saturating_mul(1000), text));
        }
        if let Some(allowed) = self.goal.0 {
            all.push(Standing::of_goal(Limit::GoalTokens, self.tokens, allowed));
        }
        if let Some(allowed) = self.goal.1 {
            let (spent, allowed) = (self.elapsed().as_secs(), allowed.as_secs());
            all.push(Standing::of_goal(Limit::GoalTime, spent, allowed));
        }
        all
    }

    fn info(&self) -> BudgetInfo {
        let money = self.costs.iter().map(|cost| cost.spent).max().unwrap_or(0);
        let seconds = self.elapsed().as_secs();
        let left = Allowance {
            cost: self.allowed.cost.map(|allowed| allowed.saturating_sub(money)),
            tokens: self.allowed.tokens.map(|allowed| allowed.saturating_sub(self.tokens)),
            seconds: self.allowed.seconds.map(|allowed| allowed.saturating_sub(seconds)),
        };
        BudgetInfo { allowed: self.allowed, left, costs: self.costs.clone(), tokens: self.tokens, seconds }
    }

    fn add(&mut self, cost: Cost) {
        match self.costs.iter_mut().find(|known| known.currency == cost.currency) {
            Some(known) => known.add(&cost),
            None => self.costs.push(cost),
        }
    }

    fn pay(&mut self, cost: Cost) {
        self.add(cost.clone());
        match &mut self.turn {
            Some(turn) => turn.add(&cost),
            none => *none = Some(cost),
        }
    }
}

impl Budget for Purse {
    fn begin(&self) {
        let mut state = self.state();
        state.since = Some(Instant::now());
        state.waited = state.waits;
        state.turn = None;
    }

    fn used_up(&self) -> Option<Phrase> {
        self.warn();
        let own = self.state().standing().into_iter().find(|limit| limit.reached).map(|limit| limit.phrase(false));
        own.or_else(|| self.hand.as_ref()?.used_up())
    }

    fn reserve<'a>(&'a self, model: &'a str, tokens: u64) -> BoxFuture<'a, Result<HeldTokens, Phrase>> {
        Box::pin(async move {
            if let Some(why) = self.used_up() {
                return Err(why);
            }
            let price = self.price(model);
            let common = match &self.hand {
                Some(hand) => Some(hand.reserve(tokens, price.as_ref()).await?),
                None => None,
            };
            let own = self.hold(tokens, price.as_ref())?;
            Ok(HeldTokens::until(move || drop((own, common))))
        })
    }

    fn spent(&self, model: &str, usage: Usage) {
        let cost = self.counted(model, usage);
        let mut state = self.state();
        state.count(usage);
        if let Some(cost) = cost {
            state.pay(cost.clone());
            drop(state);
            if let Some(shown) = &self.shown {
                shown.paid(cost);
            }
        }
    }

    fn time_left(&self) -> Option<Duration> {
        let state = self.state();
        let own = state.allowed.seconds.map(Duration::from_secs);
        let nearest = own.into_iter().chain(state.goal.1).min();
        let own = nearest.map(|until| until.saturating_sub(state.elapsed()));
        own.into_iter().chain(self.hand.as_ref().and_then(|hand| hand.time_left())).min()
    }

    fn waited(&self) -> Duration {
        self.shown.as_ref().map_or(Duration::ZERO, |shown| shown.waited())
    }

    fn end(&self) -> Option<Cost> {
        let mut state = self.state();
        state.time = state.elapsed();
        state.since = None;
        state.turn.take()
    }
}

#[cfg(test)]
mod tests {
    use super::Purse;
    use reasonix_agent::Budget;
    use reasonix_config::Settings;
    use reasonix_proto::{Allowance, Usage};
    use std::sync::Arc;

    #[tokio::test]
    async fn what_is_on_its_way_is_held_with_the_answer_that_it_will_have() {
        let purse = Purse::new(Arc::new(Settings::default()), crate::outbox::tests::outbox().0);
        purse.allow(Allowance { tokens: Some(1_000), ..Allowance::default() });
        purse.spent("m", Usage { input: 10, output: 400, ..Usage::default() });
        let first = purse.reserve("m", 100).await.unwrap();
        let second = purse.reserve("m", 100).await.unwrap();
        assert!(purse.reserve("m", 1).await.is_err(), "410 were spent, and twice 500 are on their way");
        drop((first, second));
        assert!(purse.reserve("m", 1).await.is_ok());
    }
}
