//! One trial: the real loop, wire, repair and tools of a session, for one answer. Only the edit tools of the format are
//! there, only the file of the case may be touched, and after one request the turn is over.

use super::cases::EditCase;
use super::room::Room;
use reasonix_agent::{
    Ask, BoxFuture, Budget, Compaction, Conversation, Decision, Gate, INVALID_ARGUMENTS, Inbox, Journal, JournalError,
    Limits, Model, Said, Sink, Stop, Tools,
};
use reasonix_engine::{Blueprint, Purse, bare_prompt, resolve_refs};
use reasonix_proto::{
    CallId, Cost, Decided, EditFormat, Event, Fix, Level, Message, Phrase, Record, RecordBody, RecordId, Repair,
    StopReason, ToolOutcome, TurnEnd, Usage,
};
use reasonix_session::{MemoryArtifacts, Why};
use reasonix_tools::{Deps, files_for};
use reasonix_workspace::{Options, Workspace};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long one answer may take.
const LONGEST: Duration = Duration::from_secs(600);

/// What came of a trial.
pub(super) enum Outcome {
    /// It was right, or not, and why.
    Judged(Result<(), Why>),
    /// The endpoint failed.
    Failed(Phrase),
    /// Nothing more may be spent; the answer was not waited for.
    OutOfBudget(Phrase),
    /// The user wants no more.
    Stopped,
}

/// What a trial needs.
pub(super) struct Scene<'a> {
    pub(super) model: &'a Arc<dyn Model>,
    pub(super) room: &'a Room,
    pub(super) purse: &'a Arc<Purse>,
    pub(super) sink: &'a Arc<dyn Sink>,
}

/// The tools of a format. Blocks become calls of these two.
pub(super) fn tools(format: EditFormat, workspace: &Workspace) -> Tools {
    let names: &[&str] = match format {
        EditFormat::Blocks => &["write_file", "edit_file"],
        other => &[other.name()],
    };
    let deps = Deps::new(workspace.clone(), Arc::new(MemoryArtifacts::default()));
    Tools::new(
        files_for(&deps, Some(format)).into_iter().filter(|tool| names.contains(&tool.spec().name.as_str())).collect(),
    )
}

/// What the model is told.
pub(super) fn prompt(case: &EditCase, format: EditFormat, workspace: &Workspace) -> String {
    let how = match format {
        EditFormat::Blocks => {
            "Write the change as SEARCH/REPLACE blocks into your answer, with the path in the line above each. Do not call a tool."
                .to_owned()
        }
        EditFormat::WriteFile => "Make the change with one call of write_file that has the whole file.".to_owned(),
        EditFormat::EditFile => "Make the change with edit_file; where several calls are needed, make all of them now.".to_owned(),
        other => format!("Make the change with one call of {other}."),
    };
    let text = format!(
        "{}\n\n{how} The file is above, you need not read it. Change nothing else. The file ends with a line break.\n\n@{}",
        case.task, case.path
    );
    resolve_refs(workspace, &[], &text).text
}

impl Scene<'_> {
    /// Makes one request and judges what became of the file; also gives what it took.
    pub(super) async fn attempt(
        &self,
        case: &EditCase,
        format: EditFormat,
        stop: &Stop,
    ) -> std::io::Result<(Outcome, Usage)> {
        self.room.prepare(case)?;
        let workspace = Workspace::open(self.room.path(), Options::default())
            .map_err(|error| std::io::Error::other(error.to_string()))?;
        let tools = tools(format, &workspace);
        let said = Said::from(prompt(case, format, &workspace));
        let notes = Arc::new(Notes::new(self.sink));
        let budget = Arc::new(OneRequest { purse: self.purse.clone(), made: Mutex::default() });
        let compaction = Compaction { auto: false, ..Compaction::default() };
        let limits = Limits { max_steps: 0, turn_timeout: Some(LONGEST), compaction };
        let (agent, prefix) = Blueprint::new(Arc::new(self.model.clone()), tools)
            .judged_by(
                Arc::new(reasonix_agent::ByAction),
                Arc::new(OneFile { path: case.path.clone(), notes: notes.clone() }),
            )
            .kept_by(notes.clone(), Arc::new(MemoryArtifacts::default()), notes.clone())
            .within(budget.clone(), limits)
            .build(bare_prompt(format));
        let mut conversation = Conversation::new(prefix);
        let end = agent.turn(&mut conversation, said, &Inbox::default(), stop).await;
        let seen = std::mem::take(&mut *notes.seen());
        let usage = budget.made().unwrap_or_default();
        Ok((self.judge(case, format, end, &seen)?, usage))
    }

    fn judge(&self, case: &EditCase, format: EditFormat, end: TurnEnd, seen: &Seen) -> std::io::Result<Outcome> {
        match end {
            TurnEnd::Interrupted => return Ok(Outcome::Stopped),
            TurnEnd::ProviderFailed { why, .. } | TurnEnd::Broken { why } => return Ok(Outcome::Failed(why)),
            _ if !seen.answered => {
                let out = self.purse.used_up().map(Outcome::OutOfBudget);
                return Ok(out.unwrap_or(Outcome::Judged(Err(Why::TimedOut))));
            }
            _ => {}
        }
        let right = seen.used(format) && !seen.strayed() && self.room.is_right(case)?;
        Ok(Outcome::Judged(if right { Ok(()) } else { Err(seen.why(format)) }))
    }
}

/// Lets through what changes the file of the case, and nothing else.
struct OneFile {
    path: String,
    notes: Arc<Notes>,
}

impl Gate for OneFile {
    fn decide<'a>(&'a self, ask: Ask<'a>) -> BoxFuture<'a, Decision> {
        let own = !ask.action.subjects.is_empty() && ask.action.subjects.iter().all(|subject| *subject == self.path);
        let decision = if own {
            Decision::Allow { record: None }
        } else {
            let unreadable = ask.action.title().is_empty();
            if unreadable {
                self.notes.seen().unreadable.push(ask.call.id.clone());
            }
            let by = if unreadable { "it names no file" } else { "it is about another file" };
            let (call, by) = (ask.call.id.clone(), by.to_owned());
            let record = Decided { call, allowed: false, by: by.as_str().into(), ..Decided::default() };
            Decision::Deny { record, message: by }
        };
        Box::pin(async move { decision })
    }
}

/// A budget of one request, within the budget of the whole run.
struct OneRequest {
    purse: Arc<Purse>,
    /// What it took, once it was made.
    made: Mutex<Option<Usage>>,
}

impl OneRequest {
    fn made(&self) -> Option<Usage> {
        *self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Budget for OneRequest {
    fn begin(&self) {
        self.purse.begin();
    }

    fn used_up(&self) -> Option<Phrase> {
        if self.made().is_some() { Some(Phrase::new("bench.one_request")) } else { self.purse.used_up() }
    }

    fn spent(&self, model: &str, usage: Usage) {
        *self.made.lock().unwrap_or_else(PoisonError::into_inner) = Some(usage);
        self.purse.spent(model, usage);
    }

    fn time_left(&self) -> Option<Duration> {
        self.purse.time_left()
    }

    fn end(&self) -> Option<Cost> {
        self.purse.end()
    }
}

/// What is written down of a trial: nothing of it is kept.
struct Notes {
    sink: Arc<dyn Sink>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    records: u64,
    /// A whole answer came.
    answered: bool,
    calls: usize,
    repairs: Vec<Repair>,
    /// The tools that began to run.
    started: Vec<String>,
    /// The calls that were refused because they name no file.
    unreadable: Vec<CallId>,
    /// What came of calls, with their tools.
    outcomes: Vec<(CallId, String, ToolOutcome)>,
}

impl Seen {
    /// True when the answer is in the format: a model that calls a tool in place of writing blocks is not.
    fn used(&self, format: EditFormat) -> bool {
        let blocks = self.repairs.iter().any(|repair| repair.fix == Fix::Block);
        self.calls > 0 && blocks == (format == EditFormat::Blocks)
    }

    /// True when something else was to be changed too; here it was refused, in a session it would have been done.
    fn strayed(&self) -> bool {
        self.outcomes.iter().any(|(_, _, outcome)| matches!(outcome, ToolOutcome::Denied { .. }))
    }

    /// Why the file is not right.
    fn why(&self, format: EditFormat) -> Why {
        let own = |tool: &str| format == EditFormat::Blocks || tool == format.name();
        if !self.used(format) || !self.outcomes.iter().any(|(_, tool, _)| own(tool)) {
            return Why::NoCall;
        }
        let failure = self.outcomes.iter().find_map(|(call, tool, outcome)| match outcome {
            ToolOutcome::Denied { .. } if self.unreadable.contains(call) => Some(Why::NotParsed),
            ToolOutcome::Denied { .. } => Some(Why::OtherFile),
            ToolOutcome::Failed { code: Some(code), .. } if code == INVALID_ARGUMENTS => Some(Why::NotParsed),
            ToolOutcome::Failed { .. } if self.started.contains(tool) => Some(Why::NoMatch),
            ToolOutcome::Failed { .. } => Some(Why::NotParsed),
            ToolOutcome::Done { .. } | ToolOutcome::Aborted => None,
        });
        failure.unwrap_or(Why::WrongResult)
    }
}

impl Notes {
    fn new(sink: &Arc<dyn Sink>) -> Self {
        Self { sink: sink.clone(), seen: Mutex::default() }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal for Notes {
    fn append(&self, body: RecordBody) -> BoxFuture<'static, Result<Record, JournalError>> {
        let mut seen = self.seen();
        seen.records += 1;
        match &body {
            RecordBody::Assistant { message: Message::Assistant { calls, stop, .. }, .. } if !seen.answered => {
                seen.answered = *stop != StopReason::Interrupted;
                seen.calls = calls.len();
            }
            RecordBody::Repaired { repairs, .. } => seen.repairs.extend(repairs.iter().cloned()),
            RecordBody::Outcome { call, tool, outcome, .. } => {
                seen.outcomes.push((call.clone(), tool.clone(), outcome.clone()));
            }
            _ => {}
        }
        let record = Record { id: RecordId(seen.records), parent: None, at: 0, body };
        Box::pin(async move { Ok(record) })
    }
}

impl Sink for Notes {
    fn emit(&self, event: Event) {
        match event {
            Event::ToolStarted { tool, .. } => self.seen().started.push(tool),
            // Whoever waits for a result wants to know why it takes long, and what may be wrong with it.
            Event::Notice { level: level @ Level::Warning, phrase } => {
                self.sink.emit(Event::Notice { level, phrase });
            }
            _ => {}
        }
    }
}
