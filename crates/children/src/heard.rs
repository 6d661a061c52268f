//! What a subagent does, on its way into the stream of the session that it works for: what lasts as it is, the rest joined.

use reasonix_agent::Sink;
use reasonix_proto::{Cost, Event, Message, RecordBody, SessionId, StopReason, ToolOutcome, Usage};
use reasonix_state::outbox::Outbox;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a subagent writes at the moment is told this often at most.
const JOINED: Duration = Duration::from_millis(150);

/// What is kept of what it wrote last: bytes and lines.
const TAIL: (usize, usize) = (8 * 1024, 8);

/// Hears a subagent.
pub(super) struct Heard {
    outbox: Arc<Outbox>,
    session: SessionId,
    parent: SessionId,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    spent: Spent,
    doing: String,
    tail: String,
    /// Its last message.
    said: String,
    steps: u32,
    told: Option<Instant>,
    /// Whether all calls of its last message that had some were refused; none before one of them ended.
    refused: Option<bool>,
    answered: bool,
}

/// What one turn took.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Spent {
    pub(super) usage: Usage,
    pub(super) steps: u32,
    pub(super) cost: Option<Cost>,
    /// Its last calls were refused, and it answered all the same.
    pub(super) answered: bool,
}

impl Heard {
    pub(super) fn new(outbox: &Arc<Outbox>, session: &SessionId, parent: &SessionId) -> Arc<Self> {
        let (outbox, session, parent) = (Arc::clone(outbox), session.clone(), parent.clone());
        Arc::new(Self { outbox, session, parent, state: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the turn that ended took.
    pub(super) fn take(&self) -> Spent {
        std::mem::take(&mut self.lock().spent)
    }

    /// What it said last.
    pub(super) fn said(&self) -> String {
        self.lock().said.clone()
    }

    fn pass(&self, event: Event) {
        self.outbox.relay(&self.session, &self.parent, event);
    }

    /// Tells what it does: what it writes not more often than that, and what it began at once, since nothing may come behind it
    /// for long.
    fn work(&self, began: bool) {
        let working = {
            let mut state = self.lock();
            if !began && state.told.is_some_and(|told| told.elapsed() < JOINED) {
                return;
            }
            state.told = Some(Instant::now());
            Event::Working { doing: state.doing.clone(), tail: last_lines(&state.tail), steps: state.steps }
        };
        self.pass(working);
    }

    fn wrote(&self, delta: &str) {
        {
            let mut state = self.lock();
            state.tail.push_str(delta);
            let beyond = state.tail.len().saturating_sub(TAIL.0);
            let cut = state.tail.ceil_char_boundary(beyond);
            state.tail.drain(..cut);
        }
        self.work(false);
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let from = lines.len().saturating_sub(TAIL.1);
    lines.get(from..).unwrap_or_default().join("\n")
}

impl Sink for Heard {
    fn emit(&self, event: Event) {
        match &event {
            Event::Text { delta } | Event::ToolProgress { delta, .. } => return self.wrote(delta),
            Event::ToolStarted { tool, subject, .. } => {
                self.lock().doing = format!("{tool} {subject}").trim_end().to_owned();
                self.work(true);
            }
            Event::Message { record } => {
                let mut state = self.lock();
                state.tail.clear();
                if let RecordBody::Assistant { message: Message::Assistant { text, calls, stop, .. }, .. } =
                    &record.body
                {
                    state.said.clone_from(text);
                    let whole = *stop == StopReason::End && calls.is_empty();
                    state.answered = whole && state.refused == Some(true);
                    if !calls.is_empty() {
                        state.refused = None;
                    }
                }
            }
            Event::ToolEnded { record } => {
                let mut state = self.lock();
                state.steps += 1;
                if let RecordBody::Outcome { outcome, .. } = &record.body {
                    let denied = matches!(outcome, ToolOutcome::Denied { .. });
                    state.refused = Some(denied && state.refused != Some(false));
                }
            }
            Event::TurnEnded { record } => {
                if let RecordBody::TurnEnded { usage, steps, cost, .. } = &record.body {
                    let mut state = self.lock();
                    let answered = std::mem::take(&mut state.answered);
                    state.spent = Spent { usage: *usage, steps: *steps, cost: cost.clone(), answered };
                }
            }
            event if event.is_ephemeral() => return,
            _ => {}
        }
        self.pass(event);
    }
}

#[cfg(test)]
mod tests {
    use super::last_lines;

    #[test]
    fn only_the_end_is_told() {
        let text: String = (0..20).map(|line| format!("line {line}\n\n")).collect();
        let told = last_lines(&text);
        assert_eq!(told.lines().count(), 8);
        assert!(told.starts_with("line 12") && told.ends_with("line 19"), "{told}");
    }
}
