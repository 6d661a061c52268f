//! The frame that every tool shares: a tool states its arguments as a type, what it is called, what a call would do and how
//! the work is done; the frame tells models about it, reads the arguments and finds the thread to work on.

use crate::schema_of;
use reasonix_agent::{Args, BoxFuture, Call, Preview, Stop, Tool, ToolSpec, ToolTraits, parse_args};
use reasonix_proto::{Action, ToolOutcome};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::future::ready;
use std::sync::Arc;

/// A tool whose arguments are a type.
pub trait TypedTool: Send + Sync + Sized + 'static {
    /// The arguments. A doc comment on it would be sent to models with the schema.
    type Input: DeserializeOwned + JsonSchema + Send + 'static;
    /// The tool's name.
    const NAME: &'static str;
    /// What the model is told.
    const PROMPT: &'static str;
    /// Other names under which models call it.
    const ALIASES: &'static [&'static str] = &[];
    /// What it can.
    const TRAITS: ToolTraits = ToolTraits::NONE;
    /// How a call is done.
    const WORK: ToolWork<Self>;
    /// What a call would change, worked out off the async threads.
    const PREVIEW: Option<Previews<Self>> = None;

    /// Reads the arguments; a tool that takes more shapes than it tells of reads them here.
    fn parse(args: &Args) -> Result<Self::Input, ToolOutcome> {
        parse_args(args)
    }

    /// The arguments of a call that was made under this name.
    fn called(_name: &str, args: Args) -> Args {
        args
    }

    /// What the call would do, by the same parse that runs it. A call that does not parse has no input; it fails, so what
    /// is said of it is for titles only.
    fn action(&self, input: Option<Self::Input>, args: &Args) -> Action;

    /// The call in one line, for people.
    fn title(_args: &Args, action: &Action) -> String {
        action.title()
    }
}

/// Works out what a call would change.
pub type Previews<T> = fn(&T, <T as TypedTool>::Input) -> Result<Option<Preview>, ToolOutcome>;

/// How the work of a call is done.
pub enum ToolWork<T: TypedTool> {
    /// It looks at something, off the async threads; an interrupt does not wait for it.
    Reads(fn(&T, T::Input, &Stop) -> ToolOutcome),
    /// It changes something, off the async threads. Once begun it runs to its end, so that what it says is what happened.
    Writes(fn(&T, T::Input) -> ToolOutcome),
    /// It touches only what the session has in memory, and is done when it has started.
    Keeps(fn(&T, T::Input) -> ToolOutcome),
    /// It waits for a process or for a person, and minds the stop itself.
    Waits(for<'a> fn(&'a T, T::Input, Call<'a>) -> BoxFuture<'a, ToolOutcome>),
}

/// A typed tool as the loop calls it.
pub struct Typed<T> {
    spec: ToolSpec,
    tool: Arc<T>,
}

impl<T: TypedTool> Typed<T> {
    /// The frame around this tool.
    pub fn of(tool: T) -> Self {
        let spec = ToolSpec::new(T::NAME, T::PROMPT.trim(), schema_of::<T::Input>()).with(T::TRAITS);
        Self { spec, tool: Arc::new(tool) }
    }

    /// The same without an argument that nothing can follow from.
    pub(crate) fn without(mut self, argument: &str) -> Self {
        if let Some(told) = self.spec.parameters["properties"].as_object_mut() {
            told.remove(argument);
        }
        self
    }

    /// The same with another description.
    pub(crate) fn described(mut self, prompt: &str) -> Self {
        self.spec.description = prompt.trim().to_owned();
        self
    }
}

impl<T: TypedTool> Tool for Typed<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        T::ALIASES
    }

    fn called(&self, name: &str, args: Args) -> Args {
        T::called(name, args)
    }

    fn action(&self, args: &Args) -> Action {
        self.tool.action(T::parse(args).ok(), args)
    }

    fn title(&self, args: &Args, action: &Action) -> String {
        T::title(args, action)
    }

    fn preview<'a>(&'a self, args: &'a Args) -> BoxFuture<'a, Result<Option<Preview>, ToolOutcome>> {
        Box::pin(async move {
            let Some(preview) = T::PREVIEW else { return Ok(None) };
            let (tool, input) = (Arc::clone(&self.tool), T::parse(args)?);
            tokio::task::spawn_blocking(move || preview(&tool, input)).await.unwrap_or(Ok(None))
        })
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        let input = match T::parse(call.args) {
            Ok(input) => input,
            Err(outcome) => return Box::pin(ready(outcome)),
        };
        let (tool, stop) = (Arc::clone(&self.tool), call.stop.clone());
        match T::WORK {
            ToolWork::Reads(read) => Box::pin(reading(call.stop, move || read(&tool, input, &stop))),
            ToolWork::Writes(write) => Box::pin(writing(call.stop, move || write(&tool, input))),
            ToolWork::Keeps(keep) => Box::pin(ready(keep(&tool, input))),
            ToolWork::Waits(wait) => wait(&self.tool, input, call),
        }
    }
}

async fn reading(stop: Stop, work: impl FnOnce() -> ToolOutcome + Send + 'static) -> ToolOutcome {
    if stop.is_cancelled() {
        return ToolOutcome::Aborted;
    }
    let task = tokio::task::spawn_blocking(work);
    tokio::select! {
        biased;
        outcome = task => outcome.unwrap_or_else(|_| broken()),
        () = stop.cancelled() => ToolOutcome::Aborted,
    }
}

async fn writing(stop: Stop, work: impl FnOnce() -> ToolOutcome + Send + 'static) -> ToolOutcome {
    if stop.is_cancelled() {
        return ToolOutcome::Aborted;
    }
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| broken())
}

fn broken() -> ToolOutcome {
    ToolOutcome::failed("the tool failed inside; this is a defect of Reasonix")
}
