//! Which of the `/` commands a session has: one whose capability is not there is not offered.

use reasonix_proto::{CommandInfo, builtin_commands};

/// What a session can do, as far as commands depend on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Able {
    /// Files can be taken back.
    pub(crate) undo: bool,
    /// The session is on disk, so that it can be left and taken up again.
    pub(crate) kept: bool,
}

/// The commands of a session.
pub(crate) fn commands(able: Able) -> Vec<CommandInfo> {
    let there = |command: &CommandInfo| match command.name.as_str() {
        "undo" | "redo" | "diff" => able.undo,
        "resume" | "fork" | "clear" | "handoff" => able.kept,
        _ => true,
    };
    builtin_commands().into_iter().filter(there).collect()
}
