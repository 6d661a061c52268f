//! Sums over the ledger for each subagent. Pure.

use crate::ledger::{Books, Entry};
use reasonix_proto::{SessionId, Tally};
use std::collections::BTreeMap;

/// What one subagent took and did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SubagentTally {
    /// What it is called; empty in lines of versions that did not say.
    pub child: String,
    /// The session that it works for.
    pub parent: Option<SessionId>,
    /// The agent that it works as.
    pub agent: String,
    /// The skill that it did last.
    pub skill: Option<String>,
    /// How often it worked from a beginning to an end, in how many steps, how long.
    pub runs: u64,
    /// The steps of all of them.
    pub steps: u64,
    /// How long all of them took, in milliseconds.
    pub took_ms: u64,
    /// What its requests took; its name is that of its session.
    pub sum: Tally,
}

/// What subagents took since then, each by itself: the dearest first, then the one with the most tokens.
pub fn subagents(books: &Books, since: u64) -> Vec<SubagentTally> {
    let mut all: BTreeMap<&SessionId, SubagentTally> = BTreeMap::new();
    let asked = |entry: &&Entry| entry.at >= since && entry.kind.is_some();
    for entry in books.entries.iter().filter(asked) {
        let one = all.entry(&entry.session).or_default();
        one.agent = entry.agent.clone().unwrap_or_default();
        one.child = entry.child.clone().unwrap_or_default();
        one.parent.clone_from(&entry.parent);
        one.sum.add(entry.usage, entry.cost.as_ref());
    }
    for run in books.runs.iter().filter(|run| run.at >= since) {
        let one = all.entry(&run.session).or_default();
        (one.child, one.agent, one.parent) = (run.child.clone(), run.agent.clone(), Some(run.parent.clone()));
        one.skill = run.skill.clone().or(one.skill.take());
        one.runs += 1;
        one.steps += u64::from(run.steps);
        one.took_ms += run.took_ms;
    }
    let named = |(session, mut one): (&SessionId, SubagentTally)| {
        one.sum.name = session.to_string();
        one
    };
    let mut all: Vec<SubagentTally> = all.into_iter().map(named).collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.sum.weight()));
    all
}
