//! What is kept: one record a line of the session log. The log is the truth; everything else is a projection of it.

use crate::{
    AskId, CallId, Change, Choice, Claimed, ClientId, Cost, DecidedBy, EditsWith, Effect, GoalChange, HookRan, Image,
    JobInfo, Message, Mode, NotedBy, Phrase, Planned, Posture, PromptPart, RecordId, Repair, Requested, RulesFired,
    SessionId, TodoPhase, ToolOutcome, TurnEnd, Usage, Validation,
};
use serde::{Deserialize, Serialize};

/// The version of the record format that new sessions are written in; readers refuse a larger one. A session of an earlier
/// version goes on in that one.
pub const RECORD_VERSION: u32 = 2;

/// One line of the session log. Records form a tree by `id` and `parent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Counts up from 1 within the session.
    pub id: RecordId,
    /// The record this one follows; none for the first.
    pub parent: Option<RecordId>,
    /// Milliseconds since the Unix epoch.
    pub at: u64,
    /// What happened.
    #[serde(flatten)]
    pub body: RecordBody,
}

/// What a record says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RecordBody {
    /// The first record: what the session started from.
    Session(SessionHead),
    /// Tools came late, before the first request: from here on the session has these. Nothing was sent before it.
    ToolsJoined {
        /// The names of all of them, in the order they are sent.
        tools: Vec<String>,
        /// Their exact specs, by content; none where they are kept nowhere.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        specs: Option<String>,
    },
    /// A prompt was admitted; a turn begins.
    Prompt {
        /// The turn, counted from 1.
        turn: u32,
        /// The text as sent to the model.
        text: String,
        /// What the user typed, where references in it became more text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        typed: Option<String>,
        /// The pictures that go with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
    /// A steering message or harness note was added to the running turn.
    Note {
        /// The turn.
        turn: u32,
        /// The text as sent to the model.
        text: String,
        /// What the user typed, where references in it became more text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        typed: Option<String>,
        /// The pictures that go with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
        /// True when a person wrote it, false when the harness did.
        by_user: bool,
    },
    /// The model answered. Written before any of its calls runs.
    Assistant {
        /// The turn.
        turn: u32,
        /// The step within the turn, counted from 1.
        step: u32,
        /// The model as `provider/model`.
        model: String,
        /// Always [`Message::Assistant`].
        message: Message,
        /// What the provider counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// Something in the answer before it was put right, or its calls were held back.
    Repaired {
        /// The turn.
        turn: u32,
        /// The step within the turn, counted from 1.
        step: u32,
        /// What was done, in order.
        repairs: Vec<Repair>,
    },
    /// A permission decision was made for a call, where it was not a plain allow by fallback.
    Decided(Decided),
    /// A call came to an end.
    Outcome {
        /// The call.
        call: CallId,
        /// The tool's canonical name.
        tool: String,
        /// How long it took, in milliseconds.
        took_ms: u64,
        /// What it came to, bounded.
        outcome: ToolOutcome,
    },
    /// A turn ended.
    TurnEnded {
        /// The turn.
        turn: u32,
        /// How.
        end: TurnEnd,
        /// How many steps it took.
        steps: u32,
        /// The tokens of all its requests together.
        usage: Usage,
        /// What they cost, where prices were known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<Cost>,
    },
    /// The session was taken up again by a new process.
    Resumed {
        /// The version of Reasonix that took it up.
        version: String,
        /// The model as `provider/model`.
        model: String,
    },
    /// The user runs a command of their own; written before it runs. It is a turn without a model.
    Shell {
        /// The turn.
        turn: u32,
        /// The command line.
        command: String,
        /// False when the model does not see it.
        keep: bool,
    },
    /// A command of the user's own came to an end.
    ShellEnded {
        /// The turn.
        turn: u32,
        /// The command line.
        command: String,
        /// False when the model does not see it.
        keep: bool,
        /// How long it took, in milliseconds.
        took_ms: u64,
        /// What it came to, bounded.
        outcome: ToolOutcome,
    },
    /// The conversation goes on after another record, which is this one's parent. Breaks the cached prefix.
    Moved {
        /// The record it goes on after.
        to: RecordId,
        /// Why.
        why: MoveReason,
    },
    /// What was explored since a checkpoint gave way to a report: the conversation goes on after another record, which is
    /// this one's parent. Breaks the cached prefix from there on.
    Rewound(Box<Rewound>),
    /// Notes on the branch that a move left. Stands behind the move; the next prompt carries them to the model.
    Left(Box<Left>),
    /// A place of the tree has a name now.
    Labelled {
        /// The record.
        record: RecordId,
        /// The name; empty when it was taken away.
        label: String,
    },
    /// The session has a title.
    Titled {
        /// The title; empty for the one made from the first prompt.
        title: String,
        /// True when a person chose it; then nothing else replaces it.
        by_user: bool,
    },
    /// Another model answers from now on. Breaks the cached prefix.
    ModelChanged {
        /// The model as `provider/model`.
        model: String,
        /// How hard it thinks, when that was said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effort: Option<String>,
    },
    /// The model may do more, or less, from now on.
    ModeChanged {
        /// What it may do.
        mode: Mode,
    },
    /// Another agent is at work from now on. Breaks the cached prefix where it has words or tools of its own.
    AgentChanged {
        /// What it is called.
        agent: String,
        /// The system prompt from here on, whole; none when it stays.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        system: Option<String>,
        /// The names of all tools from here on, in the order they are sent; none when they stay.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tools: Option<Vec<String>>,
        /// Their exact specs, by content; none where the tools stay, and where they are kept nowhere.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        specs: Option<String>,
    },
    /// A person decided about a plan.
    Planned(Planned),
    /// Another posture holds from now on, in this process.
    PostureChanged {
        /// The posture.
        posture: Posture,
    },
    /// A permission rule was granted or taken away by the user.
    Granted {
        /// The rule.
        rule: String,
        /// What it says; none when it was taken away.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effect: Option<Effect>,
        /// How long it holds: `session` or `always`.
        scope: crate::Scope,
    },
    /// The session is out of lists, of resuming and of search.
    Discarded,
    /// The files as they were at one moment of a turn, kept for undo.
    Snapshot(Snapshot),
    /// Files are about to be taken back. Written before the first of them changes, so that a process that dies on the way
    /// leaves word of what was there.
    Restoring(Restoring),
    /// Files were taken back to what they were before a turn.
    Restored(Restored),
    /// The conversation up to here was folded: it goes on with what this says. Breaks the cached prefix.
    Compacted(Box<Compacted>),
    /// A larger model has the rest of the turn.
    Escalated(Escalated),
    /// Another model plans the next turn, in a session of its own. Written when it begins and when it is done.
    Planner(Box<PlannerTurn>),
    /// A subagent works on an assignment, in a session of its own. Written before it begins and when it is over.
    Child(Box<ChildRun>),
    /// Where the work of a subagent that writes is from now on. Written when its call brought it back, or could not.
    ChildWork {
        /// The subagent.
        child: String,
        /// Where it is; none where there is nothing that is not in the folder.
        unmerged: Option<Unmerged>,
    },
    /// A request went to the model: how much of it had been sent before. Written with the answer.
    Requested(Box<Requested>),
    /// A hook was run: what it said, and what that came to. Written before anything follows from it.
    Hook(Box<HookRan>),
    /// Rules that watch what a model writes spoke up. Where the answer was taken out of the conversation, that goes on after
    /// another record, which is this one's parent; what was sent stays as it is.
    RulesFired(Box<RulesFired>),
    /// What the answer of a turn claims, held against the log. Nothing of it is ever sent to a model.
    Claimed(Box<Claimed>),
    /// The todo list is this from now on: a person changed it, or the session began it.
    TodoChanged {
        /// The whole list.
        todo: Vec<TodoPhase>,
        /// True when a person did.
        by_user: bool,
    },
    /// The command that checks what the turn edited: written before it runs, and again with what it came to.
    Validation(Box<Validation>),
    /// The session's goal is another one, or stands otherwise: from here on it is what this says.
    Goal(Box<GoalChange>),
    /// A command goes on behind its call. Written before it is started.
    JobBegan(Box<JobInfo>),
    /// A job came to its end, or was found to be gone with the process that had it.
    JobEnded(Box<JobInfo>),
    /// A record of a kind that this version does not know; kept on disk, skipped here.
    #[serde(other)]
    Unknown,
}

/// What a session started from. Together with the log this determines every request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionHead {
    /// The record format's version.
    pub v: u32,
    /// The session's id.
    pub session: SessionId,
    /// The version of Reasonix that made it.
    pub version: String,
    /// The working folder, absolute.
    pub cwd: String,
    /// The model as `provider/model`.
    pub model: String,
    /// The system prompt, whole.
    pub system: String,
    /// The names of the tools, in the order they are sent.
    pub tools: Vec<String>,
    /// The digest under which their specs are kept, exactly as they were sent first; none in sessions of earlier builds and
    /// in those that leave nothing on disk: their tools are told as the running build tells them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub specs: Option<String>,
    /// What it edits with; not said in sessions of earlier builds.
    #[serde(default, skip_serializing_if = "EditsWith::is_unsaid")]
    pub edit: EditsWith,
    /// The sandbox level that commands run under.
    pub sandbox: String,
    /// Where it came from, when it did not begin empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Origin>,
    /// What the system prompt was put together from, in order; their lengths add up to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PromptPart>,
    /// The agent that is at work; none for `build`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// What a session was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Origin {
    /// A copy of another session up to a record.
    Fork {
        /// That session.
        session: SessionId,
        /// The last record that was copied.
        record: RecordId,
    },
    /// What another session handed over when it ended.
    Handoff {
        /// That session.
        session: SessionId,
    },
    /// An assignment of another session: this one is a subagent's.
    Task {
        /// The session that it works for.
        session: SessionId,
        /// What it is called there, such as `0-Search`.
        child: String,
    },
    /// A file of another program, or of another machine.
    Import {
        /// What made it, such as `claude-code`.
        program: String,
        /// Its name there.
        name: String,
    },
}

/// Why a conversation goes on from another place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveReason {
    /// The user went to another place of the tree.
    Branch,
    /// The user took turns back.
    Rewind,
    /// The last prompt is sent again.
    Retry,
}

/// A permission decision.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    /// The call.
    pub call: CallId,
    /// Whether it may run.
    pub allowed: bool,
    /// What decided: a rule, the user, the mode.
    pub by: DecidedBy,
    /// The question, when a person was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<AskId>,
    /// The rule that the user granted with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granted: Option<String>,
    /// True when the granted rule was written to the user's settings, for this workspace root.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub saved: bool,
    /// What the user said with a no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The command line that the user wrote in place of the call's own. What becomes of it is decided once more, under
    /// the same call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
    /// The front end that answered, where it said its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientId>,
}

/// The files of the workspace at one moment. Their contents lie outside of the log, by hash, and may be collected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The turn.
    pub turn: u32,
    /// When in the turn.
    pub moment: Moment,
    /// The name of the state.
    pub state: String,
    /// What the state does not cover, as `path (reason)`, bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncovered: Vec<String>,
    /// How many more are not covered.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
    /// The files that the turn changed since the state before it in the same turn, without those that git ignores, bounded; none
    /// where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<Vec<String>>,
    /// How many more it changed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub changed_more: u64,
    /// True for the end of a turn that ended with its process, as far as it could be told afterwards.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_off: bool,
}

/// A moment of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// Before its first change; or before it goes on, after others changed something.
    Before,
    /// Before a later command, where something was different from what the state before says.
    Between,
    /// After its last change; or before others changed something.
    After,
}

/// Files that are about to be taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restoring {
    /// The first turn whose changes are taken back.
    pub turn: u32,
    /// The state just before.
    pub before: String,
    /// The state whose entries they become.
    pub to: String,
    /// True when this brings back what an earlier one had taken back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redone: bool,
}

/// Files that were taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restored {
    /// The first turn whose changes were taken back.
    pub turn: u32,
    /// The state just before, so that this can be taken back too.
    pub before: String,
    /// The state afterwards.
    pub after: String,
    /// The files that changed, bounded.
    pub paths: Vec<String>,
    /// How many more changed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
    /// True when this brought back what an earlier one had taken back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redone: bool,
    /// True when it did not come to its end: its process died, or the disk was full. The turns it was about still stand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A report that stands in place of what was explored. The records of the exploration stay in the log, on their own branch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rewound {
    /// The turn.
    pub turn: u32,
    /// The record that it goes on after: the last outcome of the step that made the checkpoint.
    pub to: RecordId,
    /// What the model found.
    pub report: String,
    /// What the user said in the meantime, word for word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
    /// The pictures that went with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
}

/// What stands in place of a conversation that was folded to make room. The records before it stay in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compacted {
    /// The turn.
    pub turn: u32,
    /// Why.
    pub reason: FoldReason,
    /// Who wrote the notes: a model, or `log` when they were made from the log.
    pub by: NotedBy,
    /// What the user said, word for word or as pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<String>,
    /// Notes on the work, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The last messages, which follow the pins and notes.
    pub tail: Vec<Message>,
    /// Tokens of the context before, by estimate.
    pub before: u64,
    /// Tokens of the context after.
    pub after: u64,
    /// What the provider counted for writing the notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What the next folding goes on from; none in logs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<Box<Carried>>,
}

/// What a folding leaves for the next one, beside the texts that the model reads. What can be missing is empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Carried {
    /// What the user wanted first.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub objective: String,
    /// What the user said after that and longest ago, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// How many messages of the user are only in the originals.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gone: u64,
    /// How many of the last pins are messages of the user, whole.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub whole: u64,
    /// How many of the last notes tell of the work; those before them are made anew each time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub told: u64,
    /// The files that were changed, those of last first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// What failed and was not seen to succeed since, newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<Risk>,
    /// Where everything that was folded can be read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub originals: String,
}

/// Something that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Risk {
    /// The command, or the tool and its file: what would have to succeed.
    pub what: String,
    /// How it failed, in a line.
    pub why: String,
}

/// A turn that went on to a larger model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalated {
    /// The turn.
    pub turn: u32,
    /// The model that has it now, as `provider/model`.
    pub model: String,
    /// What brought it there.
    pub by: EscalatedBy,
    /// The reason in a few words: the model's own, or what failed and how often.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// What brings a turn to a larger model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EscalatedBy {
    /// The user asked for it.
    User,
    /// The model asked for it in its first line.
    Model,
    /// Too much failed in this turn.
    Failures,
}

/// A turn of the planner, as the session that it plans for keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannerTurn {
    /// The planner's own session.
    pub session: SessionId,
    /// Its model as `provider/model`.
    pub model: String,
    /// What the user wrote; only where it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// How it ended; none where it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<TurnEnd>,
    /// How many steps it took.
    #[serde(default)]
    pub steps: u32,
    /// The tokens of all its requests together.
    #[serde(default)]
    pub usage: Usage,
    /// What they cost, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// What a subagent does for a session, as that session keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChildRun {
    /// What it is called, such as `0-Search`; those of a subagent have its name before their own, `0-Search.0-Tests`.
    pub child: String,
    /// Its own session.
    pub session: SessionId,
    /// The call that started it.
    pub call: CallId,
    /// The agent that it works as.
    pub agent: String,
    /// Its model as `provider/model`.
    pub model: String,
    /// What it is to do, in a few words.
    pub task: String,
    /// The skill that it does, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// How it ended; none where it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<TurnEnd>,
    /// True when nobody saw its end: the process was gone before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    /// The beginning of what it handed back, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The whole of what it handed back, as an artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// How many steps it took.
    #[serde(default)]
    pub steps: u32,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub took_ms: u64,
    /// The tokens of all its requests together.
    #[serde(default)]
    pub usage: Usage,
    /// What they cost, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Where the work of one that writes is, as far as it is not in the session's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmerged: Option<Unmerged>,
}

/// Where the work of a subagent is that was not merged into the folder of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unmerged {
    /// Kept as this artifact.
    Patch(String),
    /// A branch of this name.
    Branch(String),
    /// In its clone and nowhere else, and with that it goes: so it is while it works.
    Clone,
}

impl ChildRun {
    /// One of which nothing more is known yet.
    pub fn begun(child: String, session: SessionId, call: CallId) -> Self {
        Self {
            child,
            session,
            call,
            agent: String::new(),
            model: String::new(),
            task: String::new(),
            skill: None,
            end: None,
            lost: false,
            summary: String::new(),
            output: None,
            steps: 0,
            took_ms: 0,
            usage: Usage::default(),
            cost: None,
            unmerged: None,
        }
    }
}

/// Notes on a branch that was left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// The last record of that branch.
    pub from: RecordId,
    /// The notes.
    pub summary: String,
    /// The model that wrote them, as `provider/model`.
    pub by: NotedBy,
    /// What the provider counted for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// Why a conversation was folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoldReason {
    /// The window was nearly full.
    Threshold,
    /// A request did not fit.
    Overflow,
    /// The user wanted it.
    Manual,
    /// Nothing happened for a while, and the window was half full.
    Idle,
}

/// A question to the user about one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asking {
    /// Names the question.
    pub ask: AskId,
    /// The call it is about.
    pub call: CallId,
    /// The tool.
    pub tool: String,
    /// What it is about: the exact command, the path.
    pub subject: String,
    /// Why it is asked: the rule or the mode.
    pub why: Phrase,
    /// More about it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// What it would change, as a unified diff, bounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The same as data, a file each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Rules that the user may grant for the session, narrowest first. None where only once or never is offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Every answer that is taken, in the order to show them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// Why it is dangerous; empty when it is not. A dangerous call can only be allowed once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub danger: Vec<Danger>,
    /// The subject with characters that cannot be seen, or deceive, made visible; none when it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visible: Option<String>,
    /// A digest of the tool, all its arguments and the scripts that it would run: what an answer is about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The command that wants what this is about, where that is not the command itself: the one that would reach a host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The subagent that wants it; none where it is the session itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child: Option<String>,
    /// True when an answer may carry another command line in place of the subject.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub editable: bool,
}

/// One reason why a call is dangerous.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Danger {
    /// The reason.
    pub why: Phrase,
    /// What it would touch, as the call says it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
}

/// A named value of a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// The argument's name.
    pub name: String,
    /// Its value, bounded.
    pub value: String,
}
