//! Questions that come up while a call runs: a host that a command wants to reach, a way out of the box. They go the same
//! way as those before a call: as an event, answered by the first who answers.

use super::scripts::Scripts;
use super::{Approvals, AskAnswer};
use reasonix_agent::Args;
use reasonix_policy::{By, Posture, Rules, Verdict, evaluate};
use reasonix_proto::{Action, AskId, Asking, CallId, Choice, Decided, DecidedBy, Family, Phrase, ReadOnly};
use std::sync::PoisonError;

/// The name that rules have for what commands reach on the network.
const WEB: &str = "Web";

/// What rules say about a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AsideWord {
    /// It may be reached; `named` by a rule for this very host.
    Allow {
        /// By a rule that names it.
        named: bool,
    },
    /// It may not, by this rule.
    Deny(String),
    /// A person decides.
    Nothing,
}

/// What is asked.
pub struct Aside<'a> {
    /// The call that it is about.
    pub call: &'a CallId,
    /// The tool that made it.
    pub tool: &'a str,
    /// What it is about.
    pub subject: &'a str,
    /// Why it is asked.
    pub why: Phrase,
    /// A rule that may be granted with it.
    pub rule: Option<String>,
    /// The command that wants it, where that is not the subject.
    pub command: Option<String>,
}

impl Approvals {
    /// True when a person can answer.
    pub fn is_attended(&self) -> bool {
        self.standing.attended
    }

    /// What the rules say about a host.
    pub fn about_host(&self, host: &str) -> AsideWord {
        // Only rules speak here: a fallback for commands is no word about hosts.
        let action = Action { family: Family::Own, subjects: vec![host.to_owned()], read_only: ReadOnly::No };
        let granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = Rules { families: Vec::new(), ..self.rules().into_owned() };
        match evaluate(&rules, &granted, Posture::Ask, WEB, &action) {
            Verdict::Deny(By::Rule(rule)) => AsideWord::Deny(rule),
            Verdict::Allow(By::Rule(rule)) => AsideWord::Allow { named: rule == rule_for(host) },
            _ => AsideWord::Nothing,
        }
    }

    /// Asks a person; deny when nobody is there. Gives the choice and what is to be written down about it.
    pub async fn ask_aside(&self, aside: Aside<'_>, by: DecidedBy) -> (Choice, Decided) {
        let call = aside.call.clone();
        if !self.standing.attended {
            let decided = Decided { call, allowed: false, by, ..Decided::default() };
            return (Choice::Deny, decided);
        }
        let (id, AskAnswer { choice, words, client, .. }) = self.put(|id| self.aside(id, &aside)).await;
        let (granted, saved) = self.settle(&choice).await;
        let (allowed, ask) = (choice != Choice::Deny, Some(id));
        let decided = Decided { call, allowed, by, ask, granted, saved, words, client, ..Decided::default() };
        (choice, decided)
    }

    fn aside(&self, id: &AskId, aside: &Aside<'_>) -> Asking {
        let mut args = Args::new();
        args.insert("subject".to_owned(), aside.subject.into());
        args.insert("call".to_owned(), aside.call.0.as_str().into());
        args.extend(aside.command.clone().map(|command| ("command".to_owned(), command.into())));
        let mut choices = vec![Choice::AllowOnce];
        if let Some(rule) = &aside.rule {
            choices.push(Choice::AllowSession { rule: rule.clone() });
            if self.standing.keeper.is_some() {
                choices.push(Choice::AllowAlways { rule: rule.clone() });
            }
        }
        choices.push(Choice::Deny);
        let visible = match reasonix_policy::visible(aside.subject) {
            std::borrow::Cow::Borrowed(_) => None,
            std::borrow::Cow::Owned(text) => Some(text),
        };
        Asking {
            ask: id.clone(),
            call: aside.call.clone(),
            tool: aside.tool.to_owned(),
            subject: aside.subject.to_owned(),
            why: aside.why.clone(),
            fields: Vec::new(),
            diff: None,
            changes: Vec::new(),
            rules: aside.rule.iter().cloned().collect(),
            choices,
            danger: Vec::new(),
            visible,
            digest: super::question::digest(aside.tool, &args, &Scripts::default()),
            command: aside.command.clone(),
            child: None,
            editable: false,
        }
    }
}

/// The rule for this very host.
pub fn rule_for(host: &str) -> String {
    format!("{WEB}({host})")
}
