//! What comes out of the engine. The same envelope travels in `run --json`, over RPC and to a web page.

use crate::{
    AskId, Asking, CallId, Citation, ClientId, Inquiry, Level, OpId, Phrase, Proposal, Queued, Record, RecordId,
    SessionId, Settled, TurnState, Usage,
};
use serde::{Deserialize, Serialize};

/// The version of the envelope and the events in it.
pub const PROTOCOL_VERSION: u32 = 1;

/// One event on its way to a front end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// [`PROTOCOL_VERSION`].
    pub v: u32,
    /// Counts up from 1 within the process and session. A child's envelopes keep the numbers of the child.
    pub seq: u64,
    /// The session it belongs to.
    pub session: SessionId,
    /// The session that this one works for; none for the session that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    /// True for events that may be dropped: deltas, progress, states.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ephemeral: bool,
    /// What happened.
    pub event: Event,
}

impl Envelope {
    /// The same event as it travels among those of the session that started this one. What already came from further
    /// below keeps its own parent, so that a reader can put the whole tree together.
    #[must_use]
    pub fn below(mut self, parent: &SessionId) -> Self {
        self.parent.get_or_insert_with(|| parent.clone());
        self
    }
}

/// Something happened. Durable events embed the record that is on disk, unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The session is ready. The record is `session` or `resumed`.
    SessionStarted {
        /// The record.
        record: Box<Record>,
        /// The model as `provider/model`.
        model: String,
        /// True when it goes on from an earlier process.
        resumed: bool,
    },
    /// A prompt, or a command of the user's own, was admitted. The record is `prompt` or `shell`.
    TurnStarted {
        /// The record.
        record: Box<Record>,
    },
    /// A steering message or a note entered the conversation. The record is `note`.
    Noted {
        /// The record.
        record: Box<Record>,
    },
    /// The turn changed its state.
    State {
        /// The new state.
        state: TurnState,
    },
    /// A piece of the answer.
    Text {
        /// The piece.
        delta: String,
    },
    /// A piece of the reasoning.
    Reasoning {
        /// The piece.
        delta: String,
    },
    /// A piece of a tool call's arguments.
    Arguments {
        /// The call's place in the message, from 0.
        index: usize,
        /// The tool's name as far as it is known.
        name: String,
        /// The piece.
        delta: String,
    },
    /// The model's message is complete. The record is `assistant`.
    Message {
        /// The record.
        record: Box<Record>,
    },
    /// A call begins to run.
    ToolStarted {
        /// The call.
        call: CallId,
        /// The tool's canonical name.
        tool: String,
        /// What it is about in one line: the path, the command.
        subject: String,
    },
    /// A running call has something to show.
    ToolProgress {
        /// The call.
        call: CallId,
        /// More of its output.
        delta: String,
    },
    /// What a subagent does at the moment. Comes in an envelope of its own session, a few times a second at most.
    Working {
        /// The call that runs, or the last one, in one line.
        doing: String,
        /// The end of what it wrote last.
        tail: String,
        /// The steps that it took so far.
        steps: u32,
    },
    /// A call came to an end. The record is `outcome`, or `shell_ended` for a command of the user's own.
    ToolEnded {
        /// The record.
        record: Box<Record>,
    },
    /// A person is asked for permission.
    Asked {
        /// The question.
        asking: Box<Asking>,
    },
    /// The model, or a server, asks a person something, until `inquiry_over`.
    Inquired {
        /// The questions.
        inquiry: Box<Inquiry>,
    },
    /// Nobody waits for an answer to these questions any more.
    InquiryOver {
        /// Which ones.
        ask: AskId,
        /// Whether somebody answered; otherwise it took too long, or whoever asked went away.
        answered: bool,
        /// The front end that did, where that said its name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client: Option<ClientId>,
    },
    /// The model hands in a plan. It is over when the call ends; the decision comes as `changed`.
    Proposed {
        /// The plan.
        proposal: Box<Proposal>,
    },
    /// A permission decision was made. The record is `decided`.
    Answered {
        /// The record.
        record: Box<Record>,
    },
    /// The conversation was folded to make room. The record is `compacted`.
    Compacted {
        /// The record.
        record: Box<Record>,
    },
    /// What the provider counted for one request, and how full the context is.
    Usage {
        /// This request.
        usage: Usage,
        /// Tokens in the context now.
        context: u64,
        /// The model's window; 0 when unknown.
        window: u64,
    },
    /// Something a person should know.
    Notice {
        /// How important it is.
        level: Level,
        /// What it is.
        phrase: Phrase,
    },
    /// The turn is over. The record is `turn_ended`.
    TurnEnded {
        /// The record.
        record: Box<Record>,
    },
    /// What waits for its turn is now this.
    Queued {
        /// In the order they will be read.
        queue: Vec<Queued>,
    },
    /// Something about the session is different from now on. The record is `model_changed`, `mode_changed`, `planned`,
    /// `posture_changed`, `granted`, `titled`, `labelled`, `discarded`, `escalated`, `todo_changed`,
    /// `planner`, `child` or `goal`.
    Changed {
        /// The record.
        record: Box<Record>,
    },
    /// The conversation goes on from another place. The record is `moved`; what was shown after that place is no
    /// longer part of it.
    Moved {
        /// The record.
        record: Box<Record>,
        /// The prompt that was taken back, for editing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// A hook was run. The record is `hook`.
    Hooked {
        /// The record.
        record: Box<Record>,
    },
    /// Rules that watch what the model writes spoke up. The record is `rules_fired`; where it has `to`, the answer before it is no
    /// longer part of the conversation.
    RulesFired {
        /// The record.
        record: Box<Record>,
    },
    /// What an answer claims, held against the log. Comes before the end of its turn, only when it claims something. The
    /// record is `claimed`.
    Claimed {
        /// The record.
        record: Box<Record>,
    },
    /// A job began or ended. The record is `job_began` or `job_ended`.
    Job {
        /// The record.
        record: Box<Record>,
        /// How many run now.
        running: u32,
    },
    /// The places in files that an answer names, checked. Comes after its message, only when there are any.
    Cited {
        /// The `assistant` record.
        record: RecordId,
        /// In the order of the text.
        citations: Vec<Citation>,
    },
    /// An operation came to its end; each has exactly one of these, after everything that it did.
    Settled {
        /// The operation.
        op: OpId,
        /// The front end that named it so, where that said its name: two may use one word for two operations.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client: Option<ClientId>,
        /// What came of it.
        settled: Box<Settled>,
    },
    /// The work can go on in a new session that begins with notes on this one.
    HandedOver {
        /// The new session.
        session: SessionId,
        /// True when this one takes nothing more.
        full: bool,
    },
    /// The session is over; nothing follows.
    SessionEnded,
}

impl Event {
    /// True for events that a slow consumer may miss.
    pub fn is_ephemeral(&self) -> bool {
        matches!(
            self,
            Self::State { .. }
                | Self::Text { .. }
                | Self::Reasoning { .. }
                | Self::Arguments { .. }
                | Self::ToolProgress { .. }
                | Self::Working { .. }
                | Self::Usage { .. }
                | Self::Queued { .. }
        )
    }
}
