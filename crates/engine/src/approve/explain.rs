//! What the gate would say to a command, told without running anything.

use super::given::rules_of;
use super::{Approvals, Standing, name_of};
use crate::confine::confinement;
use crate::error::EngineError;
use crate::spec::Start;
use crate::stance::Stance;
use reasonix_agent::{Args, Ask, Class, Classify, Sink, Tool};
use reasonix_policy::{By, Verdict};
use reasonix_proto::{CallId, Event, ToolCall};
use reasonix_tools::{Bash, ShellOptions};
use std::sync::Arc;

/// What would happen to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// What would happen.
    pub verdict: Outlook,
    /// What decides that, in the words of the log.
    pub by: String,
    /// Why it counts as dangerous; empty when it does not.
    pub dangers: Vec<reasonix_proto::Phrase>,
    /// What it was judged to be.
    pub class: Class,
    /// It would run so that nothing it does lasts.
    pub held: bool,
}

/// What would happen to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outlook {
    /// It runs.
    Runs,
    /// A person is asked.
    Asked,
    /// It is refused.
    Refused,
}

/// Judges commands as a session of this start would, without starting one.
pub struct Explainer {
    gate: Approvals,
    tool: Bash,
    attended: bool,
}

struct Nobody;

impl Sink for Nobody {
    fn emit(&self, _: Event) {}
}

impl Explainer {
    /// By the settings of this start.
    pub fn new(start: &Start) -> Result<Self, EngineError> {
        let rules = rules_of(&start.world.settings, start.workspace.root())?;
        let confinement = confinement(&start.world.settings, &start.workspace, &start.world.home);
        let standing = Standing::new(rules, start)?.confined(&confinement);
        let gate = Approvals::new(standing, start.workspace.clone(), Stance::default(), Arc::new(Nobody));
        Ok(Self { gate, tool: Bash::new(ShellOptions::at(start.workspace.root())), attended: start.attended })
    }

    /// What would happen to this command.
    pub fn explain(&self, line: &str) -> Explained {
        let mut args = Args::new();
        args.insert("command".to_owned(), line.into());
        let classified = self.gate.classify("bash", self.tool.action(&args));
        let call = ToolCall { id: CallId::from("explain"), name: "bash".to_owned(), arguments: String::new() };
        let ask = Ask {
            call: &call,
            tool: &self.tool,
            args: &args,
            action: &classified.action,
            classified: &classified,
            by_user: false,
        };
        let (verdict, by) = match self.gate.verdict(&ask, None) {
            Verdict::Allow(by) if self.gate.is_unheld_code(&ask, &by) => (Outlook::Refused, by),
            Verdict::Allow(by) => (Outlook::Runs, by),
            Verdict::Ask(by) => (if self.attended { Outlook::Asked } else { Outlook::Refused }, by),
            Verdict::Deny(by) => (Outlook::Refused, by),
        };
        let dangers = match &by {
            By::Danger(found) => found.iter().map(|danger| danger.why.clone()).collect(),
            _ => Vec::new(),
        };
        let held = self.gate.standing.held && classified.class == Class::Reader;
        Explained { verdict, by: name_of(&by), dangers, class: classified.class, held }
    }
}
