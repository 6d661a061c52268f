//! From records to a conversation. Pure: the same records give the same messages.

use reasonix_agent::{message_of, outcome_text};
use reasonix_proto::{
    Compacted, Message, RECORD_VERSION, Record, RecordBody, SessionHead, SessionId, TodoPhase, ToolCall, ToolOutcome,
    Usage,
};
use std::collections::HashMap;

/// What a log tells.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// What the session started from.
    pub head: SessionHead,
    /// The conversation. Every call is answered exactly once, right after its message, also where a damaged line
    /// took an answer away.
    pub messages: Vec<Message>,
    /// How many turns there were.
    pub turns: u32,
    /// All requests together.
    pub usage: Usage,
    /// Tokens of the last request and its answer.
    pub context: u64,
    /// The last folding on the way to the leaf; the first messages come from it.
    pub folded: Option<Compacted>,
    /// The todo list as it was last left.
    pub todo: Option<Vec<TodoPhase>>,
}

/// Reads the conversation out of a log.
pub fn history(records: &[Record]) -> History {
    let mut history = History {
        head: no_head(),
        messages: Vec::new(),
        turns: 0,
        usage: Usage::default(),
        context: 0,
        folded: None,
        todo: None,
    };
    let path = Path::of(records);
    let mut conversation = Conversation::default();
    for body in path.bodies() {
        conversation.take(body);
        history.take(body);
    }
    history.messages = conversation.finish();
    history
}

impl History {
    fn take(&mut self, body: &RecordBody) {
        match body {
            RecordBody::Compacted(folded) => {
                self.usage.add(folded.usage.unwrap_or_default());
                self.context = 0;
                self.folded = Some(folded.as_ref().clone());
            }
            RecordBody::Session(head) => self.head = head.clone(),
            RecordBody::Prompt { turn, .. } => self.turns = self.turns.max(*turn),
            RecordBody::Assistant { usage: Some(usage), .. } => {
                self.usage.add(*usage);
                self.context = usage.input.saturating_add(usage.output);
            }
            RecordBody::Outcome { outcome: ToolOutcome::Done { details, .. }, .. } => {
                if let Some(todo) = &details.todo {
                    self.todo = Some(todo.clone());
                }
            }
            _ => {}
        }
    }
}

fn no_head() -> SessionHead {
    SessionHead {
        v: RECORD_VERSION,
        session: SessionId(String::new()),
        version: String::new(),
        cwd: String::new(),
        model: String::new(),
        system: String::new(),
        tools: Vec::new(),
        sandbox: String::new(),
        from: None,
    }
}

/// The records from the first to the leaf, which is the last one written.
pub(crate) struct Path<'a>(Vec<&'a Record>);

impl<'a> Path<'a> {
    pub(crate) fn of(records: &'a [Record]) -> Self {
        let places: HashMap<_, _> = records.iter().enumerate().map(|(place, record)| (record.id, place)).collect();
        let mut path = Vec::with_capacity(records.len());
        let mut next = records.len().checked_sub(1);
        while let Some((place, record)) = next.and_then(|place| Some((place, records.get(place)?))) {
            path.push(record);
            // Where the parent is lost, the record before it is the nearest thing. Parents lie before their
            // children, so that the walk ends whatever a file says.
            let parent = record.parent.and_then(|parent| places.get(&parent).copied()).filter(|found| *found < place);
            next = parent.or_else(|| record.parent.and_then(|_| place.checked_sub(1)));
        }
        path.reverse();
        Self(path)
    }

    pub(crate) fn bodies(&self) -> impl Iterator<Item = &'a RecordBody> {
        self.0.iter().map(|record| &record.body)
    }
}

/// Folds bodies into messages and keeps them valid.
#[derive(Default)]
struct Conversation {
    messages: Vec<Message>,
    open: Vec<ToolCall>,
}

impl Conversation {
    fn take(&mut self, body: &RecordBody) {
        if let RecordBody::Compacted(folded) = body {
            self.open.clear();
            self.messages = reasonix_agent::folded_messages(folded);
            return;
        }
        if let RecordBody::Outcome { call, .. } = body {
            // An answer to a call that is not open would be refused by every provider.
            let Some(place) = self.open.iter().position(|open| open.id == *call) else { return };
            self.open.remove(place);
            self.messages.extend(message_of(body));
            return;
        }
        let Some(message) = message_of(body) else { return };
        self.close();
        if let Message::Assistant { calls, .. } = &message {
            self.open.clone_from(calls);
        }
        self.messages.push(message);
    }

    fn close(&mut self) {
        for call in self.open.drain(..) {
            let content = outcome_text(&ToolOutcome::Aborted);
            self.messages.push(Message::Tool { call: call.id, name: call.name, content });
        }
    }

    fn finish(mut self) -> Vec<Message> {
        self.close();
        self.messages
    }
}
