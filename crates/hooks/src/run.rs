//! Runs one hook: in the box, with a scrubbed environment, within bounds of time and output. Decides nothing.

use reasonix_config::BashBoxing;
use reasonix_exec::{
    Bounds, Child, ChildOptions, Command, Confinement, EndStatus, Ended, Environment, Keep, plain_text, spawn,
};
use reasonix_extensions::hooks::{Hook, HookExit, HookRun};
use reasonix_proto::Phrase;
use reasonix_tools::ShellOptions;
use reasonix_world::confine::{bounds, children_environment, confinement, set_aside};
use reasonix_world::spec::Start;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::OnceCell;

/// How much is kept of each of its two streams.
const MOST: usize = 256 * 1024;
/// One that writes more than this is ended.
const FLOOD: u64 = 64 * 1024 * 1024;
const PIECE: usize = 32 * 1024;

/// What hooks are run with.
pub(super) struct Runner {
    start: Arc<Start>,
    /// What commands of the session are held to; nothing where it runs none.
    given: Confinement,
    /// The same for hooks, which need it even where the model runs no commands.
    held: OnceCell<Confinement>,
    made: OnceLock<(PathBuf, Environment, Bounds)>,
}

/// A hook that has ended.
pub(super) struct Ran {
    pub(super) run: HookRun,
    pub(super) took: Duration,
    pub(super) truncated: bool,
    /// What it left and was set aside.
    pub(super) left: Vec<Phrase>,
}

impl Ran {
    fn failed(reason: impl Into<String>, begun: Instant) -> Self {
        let run = HookRun { exit: HookExit::Failed(reason.into()), stdout: String::new(), stderr: String::new() };
        Self { run, took: begun.elapsed(), truncated: false, left: Vec::new() }
    }
}

impl Runner {
    pub(super) fn new(start: Arc<Start>, given: Confinement) -> Self {
        Self { start, given, held: OnceCell::new(), made: OnceLock::new() }
    }

    /// Runs a hook to its end with this on its standard input. Dropping the future ends it and everything below it.
    pub(super) async fn run(&self, hook: &Hook, base: &Path, input: &Value) -> Ran {
        let begun = Instant::now();
        let options = ChildOptions { idle: None, stderr: Keep { head: MOST, tail: 0 }, on_stderr: None };
        let confinement = match hook.boxed {
            true => self.hold().await,
            false => Ok(Confinement::None),
        };
        let confinement = match confinement {
            Ok(confinement) => confinement,
            Err(error) => return Ran::failed(error, begun),
        };
        let command = self.command(hook, base, confinement);
        let mut child = match spawn(&command, options).await {
            Ok(child) => child,
            Err(error) => return Ran::failed(error.to_string(), begun),
        };
        let (text, cut) = talk(&mut child, input).await;
        let ended = child.wait().await;
        let stderr = child.stderr();
        let truncated = cut || stderr.dropped() > 0;
        let (head, _) = stderr.into_parts();
        let exit = exit_of(&ended);
        let run = HookRun { exit, stdout: plain(&text), stderr: plain(&head) };
        let left = ended.quarantined.iter().map(set_aside).collect();
        Ran { run, took: begun.elapsed(), truncated, left }
    }

    fn command(&self, hook: &Hook, base: &Path, confinement: Confinement) -> Command {
        let cwd = hook.cwd.as_ref().map_or_else(|| base.to_owned(), |cwd| base.join(cwd));
        let (shell, environment, bounds) = self.made.get_or_init(|| self.make());
        let root = self.start.workspace.root().display().to_string();
        let project = base.display().to_string();
        let bundle = hook.bundle.as_ref().map(|folder| folder.display().to_string());
        let of_bundle = |text: String| match &bundle {
            Some(folder) => text.replace("${CLAUDE_PLUGIN_ROOT}", folder).replace("$CLAUDE_PLUGIN_ROOT", folder),
            None => text,
        };
        let filled = |text: &String| {
            of_bundle(text.replace("${CLAUDE_PROJECT_DIR}", &project).replace("$CLAUDE_PROJECT_DIR", &project))
        };
        let command = match &hook.args {
            Some(args) => Command::program(filled(&hook.command), args.iter().map(filled), &cwd),
            None => Command::shell(shell, &line_of(hook), &cwd),
        };
        let environment = environment.clone().with("REASONIX_CWD", root).with("CLAUDE_PROJECT_DIR", project);
        let environment = match bundle {
            // What Python leaves beside a module would make the bundle another one than was taken in.
            Some(folder) => environment.with("CLAUDE_PLUGIN_ROOT", folder).with("PYTHONDONTWRITEBYTECODE", "1"),
            None => environment,
        };
        command
            .with_environment(environment)
            .with_timeout(Some(hook.timeout))
            .with_bounds(*bounds)
            .with_confinement(confinement)
    }

    fn make(&self) -> (PathBuf, Environment, Bounds) {
        let settings = &self.start.world.settings;
        let usual = || ShellOptions::at(self.start.workspace.root()).shell;
        let shell = settings.tools.shell.path.clone().unwrap_or_else(usual);
        let bounds = Bounds { output: FLOOD, ..bounds(&settings.sandbox.limits) };
        (shell, children_environment(settings), bounds)
    }

    /// A session whose model runs no commands has no box yet. To try one out takes a moment, and nothing else waits for it.
    async fn hold(&self) -> Result<Confinement, String> {
        let boxed = self.start.world.settings.sandbox.bash != BashBoxing::Off;
        if !matches!(self.given, Confinement::None) || !boxed {
            return Ok(self.given.clone());
        }
        let make = || async {
            let start = Arc::clone(&self.start);
            let made = move || confinement(&start.world.settings, &start.workspace, &start.world.home);
            tokio::task::spawn_blocking(made).await.map_err(|error| error.to_string())
        };
        self.held.get_or_try_init(make).await.cloned()
    }
}

/// The line of a hook. The folder of its bundle is filled in where every shell reads it as one word, however it is quoted;
/// elsewhere the shell fills it in by itself.
fn line_of(hook: &Hook) -> String {
    let plain = |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_'));
    match hook.bundle.as_ref().map(|folder| folder.display().to_string()).filter(|folder| plain(folder)) {
        Some(folder) => hook.command.replace("${CLAUDE_PLUGIN_ROOT}", &folder),
        None => hook.command.clone(),
    }
}

/// Hands a child what it is to read, and takes in what it writes. One that reads nothing is no failure.
async fn talk(child: &mut Child, input: &Value) -> (Vec<u8>, bool) {
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let writing = async move {
        let Some(mut stdin) = stdin else { return };
        let _ = stdin.write_all(format!("{input}\n").as_bytes()).await;
        let _ = stdin.shutdown().await;
    };
    let reading = async move {
        let (mut kept, mut cut) = (Vec::new(), false);
        let Some(mut stdout) = stdout else { return (kept, cut) };
        let mut piece = vec![0; PIECE];
        while let Ok(read @ 1..) = stdout.read(&mut piece).await {
            let fits = read.min(MOST - kept.len());
            kept.extend_from_slice(piece.get(..fits).unwrap_or_default());
            cut |= fits < read;
        }
        (kept, cut)
    };
    tokio::join!(writing, reading).1
}

fn exit_of(ended: &Ended) -> HookExit {
    match ended.status {
        EndStatus::Exited(code) => HookExit::Code(code),
        EndStatus::TimedOut => HookExit::TimedOut,
        EndStatus::Signalled(signal) => HookExit::Failed(format!("ended by signal {signal}")),
        EndStatus::Cancelled => HookExit::Failed("ended".to_owned()),
        EndStatus::Bounded => HookExit::Failed("ended because it took more than it may".to_owned()),
    }
}

/// What people and models can read of it.
fn plain(bytes: &[u8]) -> String {
    plain_text([bytes])
}
