//! What every tool here shares towards the agent's port: specs, errors as outcomes, work off the async threads.

use crate::schema_of;
use reasonix_agent::{Args, Preview, Stop, ToolSpec};
use reasonix_proto::{Action, ToolOutcome};
use reasonix_workspace::FileError;
use schemars::JsonSchema;
use std::borrow::Cow;

/// The most bytes of text a reader gives at once; with line numbers it stays below what an outcome may hold.
pub(crate) const PAGE_BYTES: usize = 22 * 1024;

/// A spec from a name, a prompt and an argument type.
pub fn spec<T: JsonSchema>(name: &str, prompt: &str) -> ToolSpec {
    ToolSpec::new(name, prompt.trim(), schema_of::<T>())
}

/// The first of these arguments that is a text: what a call is about when its arguments do not parse. Such a call
/// fails, so this is for titles only; a call that parses names what it acts on by the same parse that runs it.
pub(crate) fn text_arg(args: &Args, names: &[&str]) -> String {
    names.iter().find_map(|name| args.get(*name)?.as_str()).unwrap_or_default().to_owned()
}

/// What a search looks for, and where.
pub(crate) fn searched(args: &Args, action: &Action) -> String {
    let pattern = text_arg(args, &["pattern", "query", "regex"]);
    match action.title().as_str() {
        "." => pattern,
        place => format!("{pattern} in {place}"),
    }
}

/// A file's name on one line: a line break or another control character in it cannot pretend to be more entries.
pub(crate) fn one_line_name(name: &str) -> Cow<'_, str> {
    if name.chars().any(char::is_control) {
        return Cow::Owned(
            name.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect(),
        );
    }
    Cow::Borrowed(name)
}

/// A file error as the model reads it.
pub(crate) fn failed(error: &FileError) -> ToolOutcome {
    ToolOutcome::Failed { message: error.message(), hint: error.hint() }
}

/// Runs a reader off the async threads; an interrupt does not wait for it.
pub(crate) async fn reading(stop: Stop, work: impl FnOnce() -> ToolOutcome + Send + 'static) -> ToolOutcome {
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

/// Runs a writer off the async threads. Once begun it runs to its end, so that what it says is what happened.
pub(crate) async fn writing(stop: Stop, work: impl FnOnce() -> ToolOutcome + Send + 'static) -> ToolOutcome {
    if stop.is_cancelled() {
        return ToolOutcome::Aborted;
    }
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| broken())
}

/// Works out a preview off the async threads.
pub(crate) async fn previewing<F>(work: F) -> Result<Option<Preview>, ToolOutcome>
where
    F: FnOnce() -> Result<Option<Preview>, ToolOutcome> + Send + 'static,
{
    tokio::task::spawn_blocking(work).await.unwrap_or(Ok(None))
}

fn broken() -> ToolOutcome {
    ToolOutcome::failed("the tool failed inside; this is a defect of Reasonix")
}
