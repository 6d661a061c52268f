//! The log of one turn as everything that the loop needs from outside: decisions and outcomes come from it, and what is
//! journaled is held against it.

use crate::replay::Difference;
use crate::replay::project::event_of;
use reasonix_agent::{
    Artifacts, Ask, Aspect, BoxFuture, Class, Decision, Failure, Gate, Inbox, Journal, JournalError, Runs, Said, Sink,
    outcome_text,
};
use reasonix_proto::{Artifact, CallId, Record, RecordBody, RecordId, ToolOutcome, TurnEnd};
use reasonix_session::MemoryArtifacts;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How much of a text is said about a difference.
const SAID: usize = 200;

pub(crate) struct Tape {
    sink: Arc<dyn Sink>,
    kept: MemoryArtifacts,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// All records of the turn.
    turn: Vec<Record>,
    /// Those that are still to come.
    ahead: VecDeque<Record>,
    inbox: Inbox,
    notes: u64,
    difference: Option<Difference>,
}

impl Tape {
    pub(crate) fn new(sink: Arc<dyn Sink>) -> Self {
        Self { sink, kept: MemoryArtifacts::default(), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a turn on; gives where what was said to it appears at its time.
    pub(crate) fn load(&self, turn: &[Record]) -> Inbox {
        let mut state = self.state();
        *state = State { turn: turn.to_vec(), ahead: turn.iter().cloned().collect(), ..State::default() };
        state.inbox.clone()
    }

    /// Where the turn went another way, if it did; also when it ended too early.
    pub(crate) fn finish(&self) -> Option<Difference> {
        let mut state = self.state();
        let rest = std::mem::take(&mut state.ahead);
        let missed = rest.iter().find(|record| is_made_by_loop(&record.body));
        let missed =
            missed.map(|record| Difference { record: record.id, then: words(&record.body), now: "nothing".to_owned() });
        rest.iter().filter_map(event_of).for_each(|event| self.sink.emit(event));
        state.difference.take().or(missed)
    }

    /// The next answer, and what was put right in it by its wire; and why the provider failed, if it did then.
    pub(crate) fn next_answer(&self) -> Option<(Record, Vec<reasonix_proto::Repair>, Option<Failure>)> {
        let state = self.state();
        let place = state.ahead.iter().position(|record| matches!(record.body, RecordBody::Assistant { .. }))?;
        let answer = state.ahead.get(place)?.clone();
        let mut after = state.ahead.iter().skip(place + 1).filter(|record| is_made_by_loop(&record.body));
        let repairs = match after.next().map(|record| &record.body) {
            Some(RecordBody::Repaired { repairs, .. }) => repairs.clone(),
            _ => Vec::new(),
        };
        let last =
            !state.ahead.iter().skip(place + 1).any(|record| matches!(record.body, RecordBody::Assistant { .. }));
        let failed = state.ahead.back().filter(|_| last).and_then(|record| match &record.body {
            RecordBody::TurnEnded { end: TurnEnd::ProviderFailed { class, why }, .. } => {
                Some(Failure::new(*class, why.clone()))
            }
            _ => None,
        });
        Some((answer, repairs, failed))
    }

    /// The records that the log may have ended with when the next answer was asked for.
    pub(crate) fn before_answer(&self) -> Vec<RecordId> {
        let state = self.state();
        let from = (state.turn.len() - state.ahead.len()).saturating_sub(1);
        let asked = state.turn.iter().skip(from);
        let until = |record: &&Record| !matches!(record.body, RecordBody::Assistant { .. });
        // The first one may be the answer before.
        let first = state.turn.get(from).map(|record| record.id);
        first.into_iter().chain(asked.skip(1).take_while(until).map(|record| record.id)).collect()
    }

    /// Whether a call that runs is yet to be decided about: it was taken for a reader, and wanted to write.
    pub(crate) fn is_judged_again(&self, wanted: &CallId) -> bool {
        let is_it = |record: &Record| matches!(&record.body, RecordBody::Decided(decided) if decided.call == *wanted);
        self.state().ahead.iter().any(is_it)
    }

    /// What a call came to.
    pub(crate) fn outcome(&self, wanted: &CallId) -> Option<ToolOutcome> {
        let state = self.state();
        state.turn.iter().find_map(|record| match &record.body {
            RecordBody::Outcome { call, outcome, .. } if call == wanted => Some(outcome.clone()),
            RecordBody::ShellEnded { turn, outcome, .. } if CallId::of_own_command(*turn) == *wanted => {
                Some(outcome.clone())
            }
            _ => None,
        })
    }
}

impl Journal for Tape {
    fn append(&self, body: RecordBody) -> BoxFuture<'static, Result<Record, JournalError>> {
        let answer = self.append_body(&body);
        Box::pin(std::future::ready(answer))
    }
}

impl Tape {
    /// Gives the record that was written at this place then, when it says the same.
    fn append_body(&self, body: &RecordBody) -> Result<Record, JournalError> {
        let mut state = self.state();
        let differs = || JournalError { path: String::new(), reason: "it went another way".to_owned() };
        if state.difference.is_some() {
            return Err(differs());
        }
        // What had been sent before is another thing here; older logs have no ledger.
        if matches!(body, RecordBody::Requested(_)) {
            return Ok(Record { id: reasonix_proto::RecordId(0), parent: None, at: 0, body: body.clone() });
        }
        loop {
            let Some(record) = state.ahead.pop_front() else {
                let record = state.turn.last().map_or(reasonix_proto::RecordId(0), |record| record.id);
                state.difference = Some(Difference { record, then: "nothing more".to_owned(), now: words(body) });
                return Err(differs());
            };
            if same(body, &record.body) {
                state.announce_note();
                return Ok(record);
            }
            // What others wrote meanwhile, and decisions about what a running command wanted.
            let beside = !is_made_by_loop(&record.body) || matches!(record.body, RecordBody::Decided(_));
            if !beside {
                let (then, now) = apart(&record.body, body);
                state.difference = Some(Difference { record: record.id, then, now });
                return Err(differs());
            }
            event_of(&record).into_iter().for_each(|event| self.sink.emit(event));
        }
    }
}

impl State {
    /// Says to the turn what was said to it next.
    fn announce_note(&mut self) {
        let next = self.ahead.iter().find(|record| is_made_by_loop(&record.body)).map(|record| &record.body);
        if let Some(RecordBody::Note { text, typed, images, by_user: true, .. }) = next {
            self.notes += 1;
            self.inbox.push(
                self.notes,
                Said { text: text.clone(), typed: typed.clone(), images: images.clone(), form: None },
            );
        }
    }
}

impl State {
    /// What the turn was told next by those around it then, such as the end of a job or what a check came to.
    fn told_next(&self) -> Option<String> {
        let mut next = self.ahead.iter().filter(|record| is_made_by_loop(&record.body));
        let Some(RecordBody::Note { text, by_user: false, .. }) = next.next().map(|record| &record.body) else {
            return None;
        };
        // A turn that was cut short was asked to sum up by the loop itself.
        let cut = self.turn.last().is_some_and(|record| {
            let RecordBody::TurnEnded { end, .. } = &record.body else { return false };
            matches!(end, TurnEnd::StepLimit | TurnEnd::Refused { .. })
        });
        let last = !next.any(|record| matches!(record.body, RecordBody::Note { .. }));
        (!(cut && last)).then(|| text.clone())
    }
}

impl Aspect for Tape {
    fn before_step(&self, _turn: u32) -> BoxFuture<'_, Option<String>> {
        let told = self.state().told_next();
        Box::pin(std::future::ready(told))
    }

    fn check<'a>(&'a self, _turn: u32, _runs: &'a dyn Runs) -> BoxFuture<'a, Result<Option<String>, JournalError>> {
        let told = self.state().told_next();
        Box::pin(std::future::ready(Ok(told)))
    }
}

impl Gate for Tape {
    fn decide<'a>(&'a self, ask: Ask<'a>) -> BoxFuture<'a, Decision> {
        let state = self.state();
        let decided = state.turn.iter().find_map(|record| match &record.body {
            RecordBody::Decided(decided) if decided.call == ask.call.id => Some(decided.clone()),
            _ => None,
        });
        // A reader that wanted to write was decided about after those beside it had ended.
        let next = state.ahead.iter().find(|record| {
            matches!(record.body, RecordBody::Decided(_) | RecordBody::Outcome { .. } | RecordBody::ShellEnded { .. })
        });
        let later = ask.classified.class == Class::Reader
            && next.is_some_and(|record| matches!(record.body, RecordBody::Outcome { .. }));
        if later {
            return Box::pin(std::future::ready(Decision::Allow { record: None }));
        }
        let refusal = state.turn.iter().find_map(|record| match &record.body {
            RecordBody::Outcome { call, outcome: ToolOutcome::Denied { by }, .. } if *call == ask.call.id => {
                Some(by.clone())
            }
            RecordBody::ShellEnded { outcome: ToolOutcome::Denied { by }, .. } => Some(by.clone()),
            _ => None,
        });
        let decision = match (decided, refusal) {
            (Some(record), Some(message)) => Decision::Deny { record, message },
            (record, _) => Decision::Allow { record },
        };
        Box::pin(std::future::ready(decision))
    }
}

impl Artifacts for Tape {
    fn put(&self, bytes: &[u8]) -> std::io::Result<Artifact> {
        self.kept.put(bytes)
    }

    fn get(&self, uri: &str) -> std::io::Result<Vec<u8>> {
        self.kept.get(uri)
    }
}

/// True for what the loop itself writes in a turn.
fn is_made_by_loop(body: &RecordBody) -> bool {
    matches!(
        body,
        RecordBody::Prompt { .. }
            | RecordBody::Note { .. }
            | RecordBody::Assistant { .. }
            | RecordBody::Repaired { .. }
            | RecordBody::Decided(_)
            | RecordBody::Outcome { .. }
            | RecordBody::Shell { .. }
            | RecordBody::ShellEnded { .. }
            | RecordBody::TurnEnded { .. }
    )
}

/// True when two records say the same; how long something took and what it cost is not said by the loop, and the content of
/// an outcome came from the log.
fn same(now: &RecordBody, then: &RecordBody) -> bool {
    match (now, then) {
        (
            RecordBody::Outcome { call: one, tool: a, outcome: now, .. },
            RecordBody::Outcome { call: other, tool: b, outcome: then, .. },
        ) => one == other && a == b && same_outcome(now, then),
        (
            RecordBody::ShellEnded { turn: one, outcome: now, .. },
            RecordBody::ShellEnded { turn: other, outcome: then, .. },
        ) => one == other && same_outcome(now, then),
        (
            RecordBody::TurnEnded { turn: one, end: a, steps: now, usage: mine, .. },
            RecordBody::TurnEnded { turn: other, end: b, steps: then, usage: yours, .. },
        ) => one == other && a == b && now == then && mine == yours,
        (now, then) => now == then,
    }
}

fn same_outcome(now: &ToolOutcome, then: &ToolOutcome) -> bool {
    match (now, then) {
        (ToolOutcome::Done { .. }, ToolOutcome::Done { .. }) => true,
        (now, then) => outcome_text(now) == outcome_text(then),
    }
}

/// A record in a few words.
fn words(body: &RecordBody) -> String {
    from(&serde_json::to_string(body).unwrap_or_default(), 0)
}

/// Two records in a few words, from shortly before where they part.
fn apart(then: &RecordBody, now: &RecordBody) -> (String, String) {
    let [then, now] = [then, now].map(|body| serde_json::to_string(body).unwrap_or_default());
    let same = then.chars().zip(now.chars()).take_while(|(one, other)| one == other).count();
    let begin = if same > SAID / 2 { same - SAID / 4 } else { 0 };
    (from(&then, begin), from(&now, begin))
}

fn from(text: &str, begin: usize) -> String {
    let mut short = if begin > 0 { "…".to_owned() } else { String::new() };
    short.extend(text.chars().skip(begin).take(SAID));
    if text.chars().nth(begin + SAID).is_some() {
        short.push('…');
    }
    short
}
