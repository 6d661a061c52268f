//! The one place that builds an agent, in stages: who answers with which tools, who judges, what keeps, who hears. Nothing can
//! run that is not judged or not kept.

use crate::beginnings::Beginnings;
use crate::images::fetch;
use reasonix_agent::{
    Agent, Artifacts, Aspect, Aspects, Budget, Classify, Compaction, Conversation, Gate, Journal, Limits, NoBudget,
    Prefix, Router, Sink, Tools,
};
use reasonix_session::History;
use std::sync::Arc;

/// An agent of which only the models and the tools are known.
pub struct Blueprint {
    router: Arc<dyn Router>,
    tools: Tools,
}

impl Blueprint {
    /// An agent with these models and these tools.
    pub fn new(router: Arc<dyn Router>, tools: Tools) -> Self {
        Self { router, tools }
    }

    /// Its calls are judged by these.
    pub fn judged_by(self, classify: Arc<dyn Classify>, gate: Arc<dyn Gate>) -> Judged {
        Judged { of: self, classify, gate }
    }
}

/// An agent whose calls are judged.
pub struct Judged {
    of: Blueprint,
    classify: Arc<dyn Classify>,
    gate: Arc<dyn Gate>,
}

impl Judged {
    /// What happens is kept by these and told to this one. Nothing stands around it, nothing is limited, and nothing is
    /// folded, unless it is said.
    pub fn kept_by(self, journal: Arc<dyn Journal>, artifacts: Arc<dyn Artifacts>, sink: Arc<dyn Sink>) -> Equipped {
        let Self { of: Blueprint { router, tools }, classify, gate } = self;
        let (aspects, budget) = (Aspects::default(), Arc::new(NoBudget));
        let compaction = Compaction { auto: false, ..Compaction::default() };
        let limits = Limits { compaction, ..Limits::default() };
        Equipped(Agent { router, tools, classify, gate, journal, artifacts, sink, aspects, budget, limits })
    }
}

/// An agent that has everything it needs.
pub struct Equipped(Agent);

impl Equipped {
    /// These stand around its calls and turns, in this order.
    #[must_use]
    pub fn surrounded_by(mut self, aspects: impl IntoIterator<Item = Arc<dyn Aspect>>) -> Self {
        self.0.aspects.extend(aspects);
        self
    }

    /// It may spend this, and go as far as this.
    #[must_use]
    pub fn within(mut self, budget: Arc<dyn Budget>, limits: Limits) -> Self {
        (self.0.budget, self.0.limits) = (budget, limits);
        self
    }

    /// The agent, and the head of its requests.
    pub fn build(self, system: String) -> (Agent, Arc<Prefix>) {
        let tools = &self.0.tools;
        let prefix = Prefix { system, tools: tools.specs(), aliases: tools.aliases() };
        (self.0, Arc::new(prefix))
    }
}

/// The conversation as a log has it, with its pictures.
pub fn conversation_of(
    prefix: &Arc<Prefix>,
    mut history: History,
    turns: u32,
    artifacts: &Arc<dyn Artifacts>,
) -> Conversation {
    fetch(&mut history.messages, artifacts.as_ref());
    Conversation::replay(Arc::clone(prefix), history.messages, turns, history.usage, history.context)
        .preceded_by(history.earlier.map(|earlier| Beginnings::of(earlier, artifacts)))
        .folded_by(history.folded)
        .requested_by(history.requested, history.broke)
        .knowing(history.measures, history.todo)
}
