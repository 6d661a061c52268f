//! `monitor`: a command in the background whose lines the model is told of. It passes the gate and the box as any command.

use crate::bash::{JobAbout, NewJob, ShellOptions, ShellTool};
use crate::typed::{ToolWork, Typed, TypedTool};
use reasonix_agent::{Args, Call, ToolTraits};
use reasonix_proto::{Action, Family, JobKind, ReadOnly, ToolOutcome};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;

/// The longest time that one may ask for, in seconds: a week.
const LONGEST: u64 = 7 * 24 * 3600;
/// Characters of a description that are told with each line.
const DESCRIBED: usize = 100;

#[derive(Deserialize, JsonSchema)]
pub struct MonitorArgs {
    #[serde(alias = "cmd")]
    command: String,
    /// `log`, `poll`, `watch` or other; what it is called where nothing describes it.
    #[serde(default)]
    #[schemars(skip)]
    kind: String,
    #[serde(default)]
    #[schemars(skip)]
    description: String,
    /// Seconds; without it until the session ends.
    #[serde(default, alias = "timeout_seconds")]
    timeout: Option<u64>,
    #[serde(default)]
    persistent: bool,
}

/// The tool that tells of what a command writes.
pub type Monitor = Typed<MonitorTool>;

/// Runs commands and has their lines told.
pub struct MonitorTool {
    shell: ShellTool,
}

impl Monitor {
    /// The tool under the options of the shell.
    pub fn new(options: ShellOptions) -> Self {
        Self::of(MonitorTool { shell: ShellTool::with(options) })
    }
}

impl TypedTool for MonitorTool {
    type Input = MonitorArgs;
    const NAME: &'static str = "monitor";
    const PROMPT: &'static str = include_str!("monitor.md");
    const TRAITS: ToolTraits = ToolTraits::NONE.rarely();
    const WORK: ToolWork<Self> = ToolWork::Waits(|tool, args, call| Box::pin(tool.watch(args, call)));

    /// What it runs is a command that goes on, for the gate and for everybody.
    fn action(&self, input: Option<MonitorArgs>, _args: &Args) -> Action {
        let line = input.map(|args| args.command).unwrap_or_default();
        Action { family: Family::Bash, subjects: vec![line], read_only: ReadOnly::No }
    }
}

impl MonitorTool {
    async fn watch(&self, args: MonitorArgs, call: Call<'_>) -> ToolOutcome {
        if args.command.trim().is_empty() {
            return ToolOutcome::failed_with("the command is empty", "pass a shell command in `command`");
        }
        let Some(keeps) = self.shell.keeps_jobs() else {
            return ToolOutcome::failed_with("no jobs can be had here", "run it with bash");
        };
        self.shell.crosses(call.id, &args.command);
        let timeout = args.timeout.map(|seconds| Duration::from_secs(seconds.clamp(1, LONGEST)));
        let start = self.shell.starts(self.shell.lasting(&args.command, timeout));
        let what = if args.description.trim().is_empty() { args.kind } else { args.description };
        let what = what.chars().take(DESCRIBED).collect();
        let about = JobAbout::new(call.id, JobKind::Monitor, args.command);
        let about = JobAbout { description: what, persistent: args.persistent, ..about };
        keeps.begin(NewJob { about, start }, Duration::ZERO, &call.stop).await
    }
}
