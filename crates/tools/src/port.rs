//! What the file tools share towards the agent's port: arguments by any of their names, and errors as outcomes.

use reasonix_agent::Args;
use reasonix_proto::{Action, ToolOutcome};
use reasonix_workspace::FileError;
use std::borrow::Cow;

/// The most bytes of text a reader gives at once; with line numbers it stays below what an outcome may hold.
pub(crate) const PAGE_BYTES: usize = 22 * 1024;

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
    ToolOutcome::Failed { message: error.message(), hint: error.hint(), code: Some(error.code().to_owned()) }
}
