//! The gate: rules decide, a person is asked where they say so, and the first answer wins.

use reasonix_agent::{Ask, BoxFuture, Decision, Gate, Sink};
use reasonix_policy::{By, Posture, Rule, Rules, Verdict, evaluate, suggest};
use reasonix_proto::{Action, AskId, Asking, Choice, Decided, Event, Family, Field, Phrase, TurnState};
use reasonix_workspace::Workspace;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// A field of a question is never longer than this; the diff shows the rest.
const LONGEST_FIELD: usize = 400;

/// Decides about every call of a session.
pub(crate) struct Approvals {
    rules: Rules,
    posture: Posture,
    /// True when a person can answer.
    attended: bool,
    granted: Mutex<Vec<Rule>>,
    waiting: Mutex<HashMap<AskId, Waiting>>,
    asked: AtomicU64,
    workspace: Workspace,
    sink: Arc<dyn Sink>,
}

struct Waiting {
    answer: oneshot::Sender<Choice>,
    offered: Vec<String>,
}

/// What became of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It was the first.
    Taken,
    /// The question was already answered, or never asked.
    TooLate,
    /// It grants a rule that was not offered.
    NotOffered,
}

impl Approvals {
    pub(crate) fn new(
        rules: Rules,
        posture: Posture,
        attended: bool,
        workspace: Workspace,
        sink: Arc<dyn Sink>,
    ) -> Self {
        Self {
            rules,
            posture,
            attended,
            granted: Mutex::default(),
            waiting: Mutex::default(),
            asked: AtomicU64::new(0),
            workspace,
            sink,
        }
    }

    /// Takes an answer.
    pub(crate) fn answer(&self, ask: &AskId, choice: Choice) -> Heard {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(question) = waiting.get(ask) else { return Heard::TooLate };
        if let Choice::AllowSession { rule } = &choice
            && !question.offered.contains(rule)
        {
            return Heard::NotOffered;
        }
        match waiting.remove(ask).map(|question| question.answer.send(choice)) {
            Some(Ok(())) => Heard::Taken,
            _ => Heard::TooLate,
        }
    }

    /// What the call would do, with where its paths really lead: a link must not get around a rule for its target,
    /// nor may a rule for a link allow more than its target's would.
    fn judged(&self, action: &Action) -> Action {
        let mut judged = action.clone();
        if matches!(action.family, Family::Edit | Family::Read | Family::Grep) {
            let real = action.subjects.iter().filter_map(|path| self.workspace.real(path).ok());
            judged.subjects.extend(real.filter(|path| !action.subjects.contains(path)));
        }
        judged
    }

    fn verdict(&self, ask: &Ask<'_>) -> Verdict {
        let action = self.judged(ask.action);
        let granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        evaluate(&self.rules, &granted, self.posture, &ask.tool.spec().name, &action)
    }

    async fn ask_person(&self, ask: Ask<'_>, by: By) -> Decision {
        let id = AskId(format!("ask-{}", self.asked.fetch_add(1, Ordering::Relaxed) + 1));
        let asking = question(&id, &ask, &by).await;
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting { answer, offered: asking.rules.clone() };
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), waiting);
        // An interrupt drops this future; the question must not stay answerable.
        let _forget = Forget { approvals: self, ask: &id };
        self.sink.emit(Event::State { state: TurnState::AwaitingPermission });
        self.sink.emit(Event::Asked { asking: Box::new(asking) });
        let choice = answered.await.unwrap_or(Choice::Deny);
        self.sink.emit(Event::State { state: TurnState::ToolRunning });
        self.decided(&ask, id.clone(), choice)
    }

    fn decided(&self, ask: &Ask<'_>, id: AskId, choice: Choice) -> Decision {
        let record = |allowed, granted| Decided {
            call: ask.call.id.clone(),
            allowed,
            by: "user".to_owned(),
            ask: Some(id),
            granted,
        };
        match choice {
            Choice::AllowOnce => Decision::Allow { record: Some(record(true, None)) },
            Choice::AllowSession { rule } => {
                if let Ok(parsed) = Rule::parse(&rule) {
                    self.granted.lock().unwrap_or_else(PoisonError::into_inner).push(parsed);
                }
                Decision::Allow { record: Some(record(true, Some(rule))) }
            }
            Choice::Deny => Decision::Deny {
                record: record(false, None),
                message:
                    "the user refused this call. Do not try it again or by other means; ask what they want instead"
                        .to_owned(),
            },
        }
    }
}

impl Gate for Approvals {
    fn decide<'a>(&'a self, ask: Ask<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(async move {
            match self.verdict(&ask) {
                Verdict::Allow(By::Fallback) => Decision::Allow { record: None },
                Verdict::Allow(by) => Decision::Allow { record: Some(by_rule(&ask, true, &by)) },
                Verdict::Deny(by) => {
                    deny(&ask, &by, "it is not allowed here; no approval can change that in this session")
                }
                Verdict::Ask(by) if self.attended => self.ask_person(ask, by).await,
                // Without a person the writers' fallback lets them work; a rule that says "ask" cannot be answered.
                Verdict::Ask(By::Fallback) => Decision::Allow { record: None },
                Verdict::Ask(by) => deny(&ask, &by, "it needs a person's approval and nobody is here to give it"),
            }
        })
    }
}

struct Forget<'a> {
    approvals: &'a Approvals,
    ask: &'a AskId,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.approvals.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(self.ask);
    }
}

fn name_of(by: &By) -> String {
    match by {
        By::Rule(rule) => format!("rule {rule}"),
        By::Fallback => "permissions.mode".to_owned(),
        By::Posture(posture) => format!("posture {posture:?}").to_lowercase(),
    }
}

fn by_rule(ask: &Ask<'_>, allowed: bool, by: &By) -> Decided {
    Decided { call: ask.call.id.clone(), allowed, by: name_of(by), ask: None, granted: None }
}

fn deny(ask: &Ask<'_>, by: &By, why: &str) -> Decision {
    let message = format!("by {}: {why}. Find another way or tell the user", name_of(by));
    Decision::Deny { record: by_rule(ask, false, by), message }
}

async fn question(id: &AskId, ask: &Ask<'_>, by: &By) -> Asking {
    let why = match by {
        By::Rule(rule) => Phrase::new("engine.ask_rule").with("rule", rule),
        _ => Phrase::new("engine.ask_mode"),
    };
    let diff = ask.tool.preview(ask.args).await;
    let fields = ask.args.iter().map(|(name, value)| Field { name: name.clone(), value: shown(value) }).collect();
    Asking {
        ask: id.clone(),
        call: ask.call.id.clone(),
        tool: ask.tool.spec().name.clone(),
        subject: ask.action.title(),
        why,
        fields,
        diff,
        rules: suggest(ask.action),
    }
}

fn shown(value: &serde_json::Value) -> String {
    let text = match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(LONGEST_FIELD) {
        None => text,
        Some((at, _)) => format!("{}… ({} bytes)", text.get(..at).unwrap_or_default(), text.len()),
    }
}
