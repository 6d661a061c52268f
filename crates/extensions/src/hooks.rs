//! Hooks: commands that users and projects have run at moments of a session. Here they are read, in our words and in those of
//! Claude Code and codex, matched, told what happened, and understood. Nothing is run here.

mod claude;
mod decide;
mod envelope;
mod event;
mod filter;
mod matcher;
mod read;

pub use claude::{ClaudeCall, claude_calls, own_arguments};
pub(crate) use claude::{is_about, own_names, with_alike};
pub use decide::{HookDecision, HookExit, HookRun, HookVerdict, decide};
pub use envelope::{HookAbout, HookMoment, envelope};
pub use event::HookEvent;
pub use filter::HookFilter;
pub use matcher::HookMatcher;
pub use read::{HookFlaw, ReadHooks, read_hooks};

use std::path::PathBuf;
use std::time::Duration;

/// Whose words a hook speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookDialect {
    /// Our own.
    Own,
    /// Claude Code's, which codex has too.
    Claude,
}

/// A command that is run at an event.
#[derive(Debug, Clone)]
pub struct Hook {
    /// When.
    pub event: HookEvent,
    /// How it is told, and how it answers.
    pub dialect: HookDialect,
    /// For which tools, or for which kind of the event.
    pub matcher: HookMatcher,
    /// For which calls of these; none for all.
    pub filter: Option<HookFilter>,
    /// A line for a shell, or a program where there are arguments.
    pub command: String,
    /// Arguments of the program; none for a line.
    pub args: Option<Vec<String>>,
    /// What it is for.
    pub description: Option<String>,
    /// How long it may take.
    pub timeout: Duration,
    /// The folder that it starts in, from the one it would start in otherwise.
    pub cwd: Option<PathBuf>,
    /// Nobody waits for it, and it decides nothing.
    pub detached: bool,
    /// Where it cannot do its work it blocks.
    pub fails_closed: bool,
    /// False when its owner wants it to run outside of the box.
    pub boxed: bool,
    /// The folder of the bundle that it came with.
    pub bundle: Option<PathBuf>,
}

impl Hook {
    /// What it runs, for people: the line, or the program with its arguments.
    pub fn line(&self) -> String {
        let args = self.args.iter().flatten().map(|arg| format!(" {arg}"));
        std::iter::once(self.command.clone()).chain(args).collect()
    }
}
