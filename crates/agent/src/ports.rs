//! What the loop needs from the world. Ports live with their consumer; the rooms around implement them.

use crate::names::plain_name;
use futures_util::Stream;
use reasonix_proto::{
    Action, Artifact, CallId, Change, Cost, Decided, EditFormat, Event, FailureClass, Kept, Message, Phrase, Price,
    ReadOnly, Record, RecordBody, Repair, StopReason, ToolCall, ToolOutcome, Usage,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A boxed future.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Asks a running piece of work to stop.
pub type Stop = tokio_util::sync::CancellationToken;

/// A model behind some wire.
pub trait Model: Send + Sync {
    /// What is known about the model.
    fn card(&self) -> &ModelCard;

    /// Sends a request. Failures are items of the stream; the last item is [`Item::End`] or [`Item::Failed`].
    /// When `stop` is cancelled the stream may simply end.
    fn stream(&self, request: Request, stop: Stop) -> ModelStream;

    /// How many tokens a request has, where the endpoint can be asked for it; none also when it does not answer.
    fn count<'a>(&'a self, _request: &'a Request) -> BoxFuture<'a, Option<u64>> {
        Box::pin(async { None })
    }

    /// Makes a connection ahead of the first request, where that saves time. Must not send anything of the session.
    fn warm(&self) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }
}

/// What a model is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The next step of a turn.
    Step,
    /// Notes on a conversation, for its own sake or another's. Its model may be one that cannot take all of it.
    Digest,
    /// The name and the window of whoever would have the next step. It is asked nothing.
    Measure,
}

/// Says which model answers. Asked once for each request of a step, and what it said then holds for all that follows from the
/// answer; what it decides by itself is on the log.
pub trait Router: Send + Sync {
    /// The model for this.
    fn model(&self, purpose: Purpose) -> Arc<dyn Model>;

    /// Goes on with a larger model from now on, where one was named for when the context fills, and gives its name. None
    /// when there is none, or none that is larger.
    fn promote(&self) -> Option<String> {
        None
    }
}

/// One model for everything.
impl Router for Arc<dyn Model> {
    fn model(&self, _purpose: Purpose) -> Arc<dyn Model> {
        Arc::clone(self)
    }
}

/// The items of one answer.
pub type ModelStream = Pin<Box<dyn Stream<Item = Item> + Send>>;

/// What is known about a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelCard {
    /// The model as `provider/model`.
    pub name: String,
    /// Tokens the model can see; 0 when unknown.
    pub window: u64,
    /// The most tokens of an answer; 0 when unknown.
    pub max_output: u64,
    /// What its tokens cost; none when unknown, or when it costs nothing.
    pub price: Option<Price>,
    /// True when it can look at pictures.
    pub vision: bool,
    /// True when it is sent documents.
    pub documents: bool,
}

impl ModelCard {
    /// A card of a model of which only this is known.
    pub fn new(name: impl Into<String>, window: u64) -> Self {
        Self { name: name.into(), window, ..Self::default() }
    }
}

/// The part of a request that never changes during a session.
#[derive(Debug, PartialEq)]
pub struct Prefix {
    /// The system prompt.
    pub system: String,
    /// The tools, in a fixed order.
    pub tools: Vec<ToolSpec>,
    /// Other names of these tools: the name, and the tool's own. Not sent.
    pub aliases: Vec<(String, String)>,
}

impl Prefix {
    /// What the tool of this name can; nothing where there is none.
    pub fn traits_of(&self, name: &str) -> ToolTraits {
        self.tools.iter().find(|spec| spec.name == name).map(|spec| spec.traits).unwrap_or_default()
    }
}

/// A request to a model. Each one extends the one before it.
#[derive(Debug, Clone)]
pub struct Request {
    /// The head.
    pub prefix: Arc<Prefix>,
    /// The conversation so far. A message that was sent once is never changed; wires may rely on the identity of the `Arc`.
    pub messages: Vec<Arc<Message>>,
    /// False for an answer in words only; the tools are still sent, so that the head stays the same.
    pub may_call: bool,
    /// The tool that the answer has to call, where the wire can say so; a break of the head, for a last reminder only.
    pub must_call: Option<String>,
    /// The form that the answer has to have, for endpoints that can be told. The words of the conversation say it too.
    pub form: Option<Arc<AnswerForm>>,
}

/// The form that an answer has to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerForm {
    /// The JSON schema that it has to fit.
    pub schema: serde_json::Value,
    /// Nothing but the answer is wanted any more: the work is done, and what it gave only has to be put right.
    pub closing: bool,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// Visible text.
    Text(String),
    /// Reasoning.
    Reasoning(String),
    /// A piece of a call that is still being written; for display only.
    CallDelta {
        /// The call's place in the message.
        index: usize,
        /// Its name as far as it is known.
        name: String,
        /// A piece of its arguments.
        delta: String,
    },
    /// A complete call.
    Call(ToolCall),
    /// What the wire has to send back with the answer. Comes once, before the end.
    Kept(Kept),
    /// What came as text so far was reasoning: its closing mark came, and there was no opening one.
    Rethink,
    /// Something in the answer was put right. Comes before the end, after the call that it is about.
    Repaired(Repair),
    /// What cut the answer, where that is not the most tokens that it may have. Comes before the end.
    CutBy(Phrase),
    /// What the provider counted.
    Usage(Usage),
    /// Another model answers in place of the one before it. Never comes after a piece of an answer.
    Switched {
        /// The model that is asked now, as `provider/model`.
        model: String,
        /// Why the one before it could not answer.
        why: Phrase,
    },
    /// What came so far does not count: whoever answers now begins anew.
    Restart,
    /// The request failed in a way that may pass; it is tried again. Never comes after another item.
    Retrying {
        /// The attempt that failed, from 1.
        attempt: u32,
        /// How many there are in all.
        of: u32,
        /// How long it waits before the next.
        wait: Duration,
        /// What failed.
        why: Phrase,
    },
    /// The answer is complete. The last item.
    End(StopReason),
    /// The answer could not be had, or broke off. The last item; what came before it stands.
    Failed(Failure),
}

/// Why an answer could not be had.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The class, for callers to match on.
    pub class: FailureClass,
    /// What to tell the user; its `.hint` says what to do.
    pub phrase: Phrase,
    /// How many tokens fit, where the endpoint refused a request as too long and said so.
    pub window: Option<u64>,
}

impl Failure {
    /// A failure of which only this is known.
    pub fn new(class: FailureClass, phrase: Phrase) -> Self {
        Self { class, phrase, window: None }
    }
}

/// What a call is: judged once, before anything else looks at it, and held by whoever runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// It only reads. It runs unasked, and where the kernel can, so that nothing it does lasts.
    Reader,
    /// It may change something of the workspace.
    Writer,
    /// By its own words it reaches beyond the workspace.
    Outside,
}

/// A call's action with its class. What was found on the way goes with the call, so that nobody looks twice and everybody
/// acts on the same judgement.
#[derive(Clone)]
pub struct Classified {
    /// What it would do; a reader's says that it only reads, and no other's does.
    pub action: Action,
    /// What it is.
    pub class: Class,
    /// What the classifier found, for the gate that belongs to it.
    pub found: Option<Arc<dyn Any + Send + Sync>>,
    /// What it wanted to write when it was taken for a reader and ran as one.
    pub wanted: Vec<String>,
    /// Who wants a person to be asked about it, and why, whatever the rules say.
    pub asks: Option<WantsAsked>,
}

/// Somebody around a call wants a person to be asked about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantsAsked {
    /// Who, and why, as the log has it: `hook sh guard.sh: it pushes`.
    pub by: String,
    /// The same for the person who is asked.
    pub why: Phrase,
}

impl Classified {
    /// By what the action says of itself.
    pub fn by_action(action: Action) -> Self {
        let class = if action.read_only == ReadOnly::Yes { Class::Reader } else { Class::Writer };
        Self { action, class, found: None, wanted: Vec::new(), asks: None }
    }

    /// The same with who wants a person to be asked about it, whatever it is or where it writes.
    pub(crate) fn wished_like(self, asks: Option<WantsAsked>) -> Self {
        Self { asks, ..self }
    }

    /// The same call for another judgement: it ran as a reader, and wanted to write this.
    pub(crate) fn into_writer(self, wanted: Vec<String>) -> Self {
        let action = Action { read_only: ReadOnly::No, ..self.action };
        Self { action, class: Class::Writer, wanted, ..self }
    }
}

/// Tells what calls are.
pub trait Classify: Send + Sync {
    /// Judges what a call of this tool would be. Must not change anything.
    fn classify(&self, tool: &str, action: Action) -> Classified;
}

/// Believes what actions say of themselves.
#[derive(Debug, Clone, Copy, Default)]
pub struct ByAction;

impl Classify for ByAction {
    fn classify(&self, _tool: &str, action: Action) -> Classified {
        Classified::by_action(action)
    }
}

/// What a call turns out to be a call of, with its arguments; the failure where that is nothing.
pub type Meant = Result<(Arc<dyn Tool>, Args), ToolOutcome>;

/// Something the model can call.
pub trait Tool: Send + Sync {
    /// Name, description and schema, as sent to the model.
    fn spec(&self) -> &ToolSpec;

    /// Other names under which models call it.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// The arguments of a call that was made under this name: another name of a tool may say a part of what it does.
    fn called(&self, _name: &str, args: Args) -> Args {
        args
    }

    /// The tool that a call of this one really is a call of, with its arguments: from there on nothing else is seen, by the
    /// gate or in the log. `among` are the tools of whoever calls. None for a tool that is itself. Must not touch anything.
    fn meant(&self, _args: &Args, _among: &Tools) -> Option<Meant> {
        None
    }

    /// How the tool differs from what a person accepted, as a diff; until they accept it anew it does not run, whatever
    /// rules allow. None for a tool that is ours, or the same.
    fn redefined(&self) -> Option<String> {
        None
    }

    /// True for a tool that comes from outside and says of itself that it changes nothing. Nobody vouches for that, and it counts
    /// for nothing but a question to a person in plan mode.
    fn says_it_reads(&self) -> bool {
        false
    }

    /// A person accepted this difference; where it is another by now, nothing was accepted.
    fn accept(&self, _diff: &str) {}

    /// What the call would do, for the gate. Must not touch anything.
    fn action(&self, args: &Args) -> Action;

    /// The call in one line, for people.
    fn title(&self, _args: &Args, action: &Action) -> String {
        action.title()
    }

    /// What the call would change, for a person who is asked; the failure that it would end with, where that is known
    /// already. Must not change anything.
    fn preview<'a>(&'a self, _args: &'a Args) -> BoxFuture<'a, Result<Option<Preview>, ToolOutcome>> {
        Box::pin(async { Ok(None) })
    }

    /// Runs the call. Called only after the gate allowed it.
    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome>;
}

/// What a call would change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Preview {
    /// A unified diff of all of it, bounded.
    pub diff: String,
    /// The same as data, a file each.
    pub changes: Vec<Change>,
}

/// What the model is told about a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolSpec {
    /// The canonical name.
    pub name: String,
    /// What it does and how to use it.
    pub description: String,
    /// JSON schema of the arguments.
    pub parameters: serde_json::Value,
    /// What it can, for those who treat some tools differently. The model is not told.
    #[serde(skip)]
    pub traits: ToolTraits,
}

impl ToolSpec {
    /// A tool that is treated like any other.
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: serde_json::Value) -> Self {
        let (name, description) = (name.into(), description.into());
        Self { name, description, parameters, traits: ToolTraits::default() }
    }

    /// The same tool with these traits.
    #[must_use]
    pub fn with(mut self, traits: ToolTraits) -> Self {
        self.traits = traits;
        self
    }
}

/// What one tool can, so that nobody has to know tools by their names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolTraits {
    /// Changes the files that its arguments name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub edits: bool,
    /// Looks and changes nothing: a planner may use it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reads: bool,
    /// Runs command lines, such as one that the user types.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub runs: bool,
    /// Is of use only where a person can answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub asks: bool,
    /// What it gives back is to be followed, and never taken out of the conversation to save room.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub instructs: bool,
    /// What it gives back comes from the session itself or from its user: it brings nothing in from outside.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inward: bool,
    /// Hands in a plan.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub plans: bool,
    /// Is seldom needed: where the window is small it stands on the shelf, to be found by words, in place of being sent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rare: bool,
    /// Has other agents work.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub delegates: bool,
    /// The format in which it changes a file, where it is the tool of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<EditFormat>,
    /// What it looks back at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recalls: Option<Recalls>,
    /// Its part in exploring something and folding it into a report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explores: Option<Explores>,
}

impl ToolTraits {
    /// A tool that changes files.
    pub const EDITS: Self = Self { edits: true, ..Self::NONE };
    /// A tool that looks and changes nothing.
    pub const READS: Self = Self { reads: true, ..Self::NONE };
    /// A tool that runs command lines.
    pub const RUNS: Self = Self { runs: true, ..Self::NONE };
    /// A tool that asks a person.
    pub const ASKS: Self = Self { asks: true, ..Self::NONE };
    /// A tool that marks where something is explored from.
    pub const MARKS: Self = Self { explores: Some(Explores::From), ..Self::NONE };
    /// A tool whose outcome is the report on what was explored.
    pub const REPORTS: Self = Self { explores: Some(Explores::Report), ..Self::NONE };
    /// A tool that is treated like any other.
    pub const NONE: Self = Self {
        edits: false,
        reads: false,
        runs: false,
        asks: false,
        instructs: false,
        inward: false,
        plans: false,
        rare: false,
        delegates: false,
        format: None,
        recalls: None,
        explores: None,
    };

    /// The same of a tool that is seldom needed.
    #[must_use]
    pub const fn rarely(mut self) -> Self {
        self.rare = true;
        self
    }

    /// True when a call has to fit what a part of a file holds, and fails where it does not.
    pub fn changes_parts(&self) -> bool {
        self.format.is_some_and(|format| format != EditFormat::WriteFile)
    }
}

/// What a tool looks back at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recalls {
    /// Earlier sessions.
    History,
    /// What is remembered from session to session.
    Memory,
}

/// A part in exploring something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Explores {
    /// It marks the place that a report goes back to.
    From,
    /// Its outcome is the report.
    Report,
}

/// The arguments of a call.
pub type Args = serde_json::Map<String, serde_json::Value>;

/// Reads arguments into a type, or says what is wrong in a way the model can act on.
pub fn parse_args<T: DeserializeOwned>(args: &Args) -> Result<T, ToolOutcome> {
    serde_json::from_value(serde_json::Value::Object(args.clone())).map_err(|error| ToolOutcome::Failed {
        message: format!("invalid arguments: {error}"),
        hint: Some("check the tool's schema".to_owned()),
        code: Some(INVALID_ARGUMENTS.to_owned()),
    })
}

/// The code of a failure whose call has arguments that do not fit the tool.
pub const INVALID_ARGUMENTS: &str = "invalid_arguments";

/// One call on its way into a tool.
pub struct Call<'a> {
    /// The call's id.
    pub id: &'a CallId,
    /// Its arguments.
    pub args: &'a Args,
    /// What the gate took it for.
    pub class: Class,
    /// Where a reader says what it wanted to write. Its outcome does not count then: the call is judged again.
    pub wanted: &'a OnceLock<Vec<String>>,
    /// Cancelled when the user interrupts or time is up.
    pub stop: Stop,
    /// Takes output while the call runs.
    pub progress: &'a (dyn Fn(&str) + Send + Sync),
}

/// The tools of a session: those that are sent, in their order, and those on the shelf, which are not.
#[derive(Clone, Default)]
pub struct Tools {
    sent: Vec<Arc<dyn Tool>>,
    shelved: Vec<Arc<dyn Tool>>,
}

impl Tools {
    /// Takes tools in the order they are to be sent.
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        Self { sent: tools, shelved: Vec::new() }
    }

    /// The same with these on the shelf.
    #[must_use]
    pub fn shelving(mut self, tools: Vec<Arc<dyn Tool>>) -> Self {
        self.shelved = tools;
        self
    }

    /// Those of them that are wanted.
    #[must_use]
    pub fn kept(&self, wanted: impl Fn(&ToolSpec) -> bool) -> Self {
        let only = |tools: &[Arc<dyn Tool>]| tools.iter().filter(|tool| wanted(tool.spec())).cloned().collect();
        Self { sent: only(&self.sent), shelved: only(&self.shelved) }
    }

    /// Finds a tool by its name or by an alias, however it is spelt; one that is sent before one on the shelf.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        found(&self.sent, name).or_else(|| self.find_shelved(name))
    }

    /// The same among those on the shelf.
    pub fn find_shelved(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        found(&self.shelved, name)
    }

    /// Those on the shelf.
    pub fn shelved(&self) -> &[Arc<dyn Tool>] {
        &self.shelved
    }

    /// The other names of the tools: the name, and the tool's own. One that says a part of what the tool does stays as it is,
    /// so that whoever reads the call knows it.
    pub fn aliases(&self) -> Vec<(String, String)> {
        let probe = Args::from_iter([("id".to_owned(), serde_json::Value::from("1"))]);
        let of = |tool: &Arc<dyn Tool>| {
            let named = |alias: &&'static str| {
                let plain = tool.called(alias, probe.clone()) == probe;
                ((*alias).to_owned(), if plain { tool.spec().name.clone() } else { (*alias).to_owned() })
            };
            tool.aliases().iter().map(named).collect::<Vec<_>>()
        };
        self.sent.iter().flat_map(of).collect()
    }

    /// The tools in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.sent.iter()
    }

    /// The tool that runs command lines, when there is one.
    pub fn shell(&self) -> Option<&Arc<dyn Tool>> {
        self.sent.iter().find(|tool| tool.spec().traits.runs)
    }

    /// The specs in order.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.sent.iter().map(|tool| tool.spec().clone()).collect()
    }
}

/// A tool by its name or by an alias.
fn found<'a>(tools: &'a [Arc<dyn Tool>], name: &str) -> Option<&'a Arc<dyn Tool>> {
    let named = |name: &str| {
        let own = tools.iter().find(|tool| tool.spec().name.eq_ignore_ascii_case(name));
        own.or_else(|| tools.iter().find(|tool| tool.aliases().iter().any(|alias| alias.eq_ignore_ascii_case(name))))
    };
    named(name).or_else(|| named(&plain_name(name)))
}

/// Runs a command for somebody who stands around a turn. It passes what every call passes: those around it, the gate, the
/// sandbox. What it came to is journaled by whoever wanted it.
pub trait Runs: Send + Sync {
    /// True when commands can be run, and the turn is not to stop.
    fn can_run(&self) -> bool;

    /// True until the turn is to stop.
    fn goes_on(&self) -> bool;

    /// Waits until the turn is to stop.
    fn stopped(&self) -> BoxFuture<'_, ()>;

    /// Runs a command line under a name of its own, for so many seconds at most: how long it took in milliseconds, and what it
    /// came to.
    fn run<'a>(
        &'a self,
        id: &'a CallId,
        line: (&'a str, u64),
    ) -> BoxFuture<'a, Result<(u64, ToolOutcome), JournalError>>;
}

/// Decides whether a call may run. Every call passes here, whoever made it.
pub trait Gate: Send + Sync {
    /// Decides; may ask a person and wait for the answer.
    fn decide<'a>(&'a self, ask: Ask<'a>) -> BoxFuture<'a, Decision>;
}

/// A call before the gate.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// The call as the model made it.
    pub call: &'a ToolCall,
    /// The tool it names.
    pub tool: &'a dyn Tool,
    /// Its arguments.
    pub args: &'a Args,
    /// What it would do.
    pub action: &'a Action,
    /// What it was judged to be.
    pub classified: &'a Classified,
    /// True when a person typed it: then only a rule or danger is a reason to ask.
    pub by_user: bool,
}

/// The gate's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// The call may run.
    Allow {
        /// To be journaled before it runs; none for a plain allow by fallback.
        record: Option<Decided>,
    },
    /// The call may not run.
    Deny {
        /// To be journaled.
        record: Decided,
        /// What the model reads.
        message: String,
    },
    /// The call cannot succeed: it did not run, and nobody was asked about it.
    Fail {
        /// What it would have ended with.
        outcome: ToolOutcome,
    },
    /// A person wrote other arguments in its place. They are judged from the beginning, as what a person typed.
    Edit {
        /// To be journaled.
        record: Decided,
        /// The arguments that may run instead.
        args: Args,
    },
}

impl Decision {
    /// Its name, for logs.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Allow { .. } => "allow",
            Self::Deny { .. } => "deny",
            Self::Fail { .. } => "fail",
            Self::Edit { .. } => "edit",
        }
    }
}

/// Keeps records. An append is durable against the death of the process when its future resolves.
pub trait Journal: Send + Sync {
    /// Appends a record after the last one. Records are kept in the order of the calls, also when nobody waits for what comes of
    /// it.
    fn append(&self, body: RecordBody) -> BoxFuture<'static, Result<Record, JournalError>>;
}

/// The journal could not take a record; nothing may act on it.
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot write the session log {path}: {reason}")]
pub struct JournalError {
    /// The file.
    pub path: String,
    /// What the system said.
    pub reason: String,
}

impl JournalError {
    /// What to tell the user.
    pub fn phrase(&self) -> Phrase {
        Phrase::new("engine.journal_failed").with("path", &self.path).with("reason", &self.reason)
    }
}

/// The beginning of a conversation that is so long that it was left in the log when it was opened.
pub trait LeftInLog: std::fmt::Debug + Send + Sync {
    /// How many messages it has.
    fn count(&self) -> usize;

    /// Its tokens, by estimate.
    fn tokens(&self) -> u64;

    /// Reads it; the error says what to tell the user.
    fn read(&self) -> BoxFuture<'_, Result<Vec<Message>, Phrase>>;
}

/// Keeps what was cut from outputs.
pub trait Artifacts: Send + Sync {
    /// Keeps bytes; the same bytes give the same artifact.
    fn put(&self, bytes: &[u8]) -> std::io::Result<Artifact>;

    /// The bytes of an artifact that this session's store holds.
    fn get(&self, uri: &str) -> std::io::Result<Vec<u8>>;
}

/// What is held of a budget for a request that is on its way; let go of when it is dropped.
#[derive(Default)]
pub struct HeldTokens(Option<Box<dyn FnOnce() + Send + Sync>>);

impl HeldTokens {
    /// Held until it is dropped; then this is called.
    pub fn until(let_go: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(let_go)))
    }
}

impl Drop for HeldTokens {
    fn drop(&mut self) {
        if let Some(let_go) = self.0.take() {
            let_go();
        }
    }
}

/// Counts what requests take, and says when it is enough.
pub trait Budget: Send + Sync {
    /// A turn begins.
    fn begin(&self);

    /// Asked before each request: what is used up, when something is.
    fn used_up(&self) -> Option<Phrase>;

    /// Asked for each request, with what it will take by estimate: that counts as spent until it is let go of. One request may
    /// always go while something is left. It may wait for others that are on their way. Gives what is used up where none may.
    fn reserve<'a>(&'a self, _model: &'a str, _tokens: u64) -> BoxFuture<'a, Result<HeldTokens, Phrase>> {
        let held = self.used_up().map_or_else(|| Ok(HeldTokens::default()), Err);
        Box::pin(async { held })
    }

    /// A request to this model took that many tokens.
    fn spent(&self, model: &str, usage: Usage);

    /// How long the turn may still take.
    fn time_left(&self) -> Option<Duration>;

    /// How long people were waited for so far, in all turns together: that is no time of work.
    fn waited(&self) -> Duration {
        Duration::ZERO
    }

    /// The turn is over; gives what it cost, where that is known.
    fn end(&self) -> Option<Cost>;
}

/// A budget without limits, that counts nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoBudget;

impl Budget for NoBudget {
    fn begin(&self) {}

    fn used_up(&self) -> Option<Phrase> {
        None
    }

    fn spent(&self, _model: &str, _usage: Usage) {}

    fn time_left(&self) -> Option<Duration> {
        None
    }

    fn end(&self) -> Option<Cost> {
        None
    }
}

/// Takes events; never blocks.
pub trait Sink: Send + Sync {
    /// Takes one event.
    fn emit(&self, event: Event);
}
