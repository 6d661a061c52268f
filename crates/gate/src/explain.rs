//! What the gate would say to a command, told without running anything.

use crate::{Approvals, decided_by};
use reasonix_agent::{Args, Ask, Class, Classify, Tool};
use reasonix_policy::{By, Verdict};
use reasonix_proto::{CallId, DecidedBy, ToolCall};

/// What would happen to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// What would happen.
    pub verdict: Outlook,
    /// What decides that, in the words of the log.
    pub by: DecidedBy,
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

impl Approvals {
    /// What would happen to this command of a tool that runs commands.
    pub fn explain(&self, tool: &dyn Tool, line: &str) -> Explained {
        let mut args = Args::new();
        args.insert("command".to_owned(), line.into());
        let name = tool.spec().name.clone();
        let classified = self.classify(&name, tool.action(&args));
        let call = ToolCall { id: CallId::from("explain"), name, arguments: String::new() };
        let (action, by_user) = (&classified.action, false);
        let ask = Ask { call: &call, tool, args: &args, action, classified: &classified, by_user };
        let (verdict, by) = match self.verdict(&ask, None) {
            Verdict::Allow(by) if self.is_unheld_code(&ask, &by) => (Outlook::Refused, by),
            Verdict::Allow(by) => (Outlook::Runs, by),
            Verdict::Ask(by) => (if self.standing.attended { Outlook::Asked } else { Outlook::Refused }, by),
            Verdict::Deny(by) => (Outlook::Refused, by),
        };
        let dangers = match &by {
            By::Danger(found) => found.iter().map(|danger| danger.why.clone()).collect(),
            _ => Vec::new(),
        };
        let held = self.standing.held && classified.class == Class::Reader;
        Explained { verdict, by: decided_by(&by), dangers, class: classified.class, held }
    }
}
