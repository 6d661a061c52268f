//! The `bash` tool: one command in a shell of its own, through `exec`.

mod background;
mod denied;
mod feed;
mod hidden;
mod ready;

pub use background::{Background, JobAbout, JobEnding, LiveCommand, NewJob, StartsJob};
pub use feed::{Feed, FeedPiece, HearsLine};

use crate::typed::{ToolWork, Typed, TypedTool};
use background::Handed;
use reasonix_agent::{Args, BoxFuture, Call, Class, ToolTraits};
use reasonix_exec::{
    Bounds, Command, Confinement, EndStatus, Environment, ExecError, Exposed, Finished, LimitHit, Plain, Ports,
    Quarantined, WriteWish, plain_text, run,
};
use reasonix_proto::{Action, CallId, Details, Family, JobKind, Phrase, ReadOnly, ToolOutcome};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a command may run unless the call or the settings say otherwise.
const USUAL: Duration = Duration::from_secs(120);
/// How long a call may ask for, unless the settings give more.
const LONGEST: Duration = Duration::from_secs(600);
/// How much output is shown while a command runs, for each [`SHOW_EVERY`].
const SHOW_BYTES: usize = 16 * 1024;
const SHOW_EVERY: Duration = Duration::from_millis(50);

/// How commands are run.
#[derive(Debug, Clone)]
pub struct ShellOptions {
    /// The folder they start in.
    pub root: PathBuf,
    /// How long they may run when the call does not say; none for as long as they want.
    pub timeout: Option<Duration>,
    /// The shell.
    pub shell: PathBuf,
    /// What they see of the user's environment.
    pub environment: Environment,
    /// What the kernel holds them to.
    pub confinement: Confinement,
    /// How much of the machine they may take.
    pub bounds: Bounds,
    /// What stands at the border of the box.
    pub border: Option<Arc<dyn Border>>,
    /// Who keeps commands that go on behind their calls.
    pub background: Option<Arc<dyn Background>>,
}

/// A fact about what the box refused or hid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The sentence that the model reads, on one line.
    pub model: String,
    /// The same for people.
    pub person: Phrase,
}

impl Told {
    /// The same fact for both.
    pub fn new(model: &str, person: Phrase) -> Self {
        Self { model: model.split_whitespace().collect::<Vec<_>>().join(" "), person }
    }
}

/// What stands at the border of the box: it knows what was denied there, and whom to ask for a way out.
pub trait Border: fmt::Debug + Send + Sync {
    /// A command is about to run.
    fn begins(&self, call: &CallId, line: &str);

    /// What was denied on the network since it was last asked.
    fn denied(&self) -> Vec<Told>;

    /// Who decides about ports of the machine.
    fn ports(&self) -> Option<Arc<dyn Ports>> {
        None
    }

    /// The same for a command that goes on behind its call: about it nobody can be asked.
    fn ports_of_jobs(&self) -> Option<Arc<dyn Ports>> {
        None
    }

    /// A command that ended left something that others would execute; it was moved, or stays where it could not be.
    /// `unseen` are folders that could not be looked through for more.
    fn left(&self, moved: &[Quarantined], unseen: &[PathBuf]);

    /// A command was ended, because something lay bare to it that it may not read or change.
    fn exposed(&self, _exposed: &Exposed) {}

    /// Asks a person whether a command that reaches beyond the workspace by its own words, and failed in the box, may run
    /// once outside of it. False when nobody is there to ask.
    fn outside<'a>(&'a self, call: &'a CallId, line: &'a str) -> BoxFuture<'a, bool>;
}

impl ShellOptions {
    /// The usual way: bash where it is found, 120 seconds, the user's environment scrubbed, and no box.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            timeout: Some(USUAL),
            shell: find_shell(),
            environment: Environment::inherited(&[]),
            confinement: Confinement::None,
            bounds: Bounds::default(),
            border: None,
            background: None,
        }
    }
}

fn find_shell() -> PathBuf {
    let in_path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(PathBuf::from("/bin")).chain(std::env::split_paths(&in_path));
    let mut shells = folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join("bash"));
    shells.find(|shell| shell.is_file()).unwrap_or_else(|| PathBuf::from("/bin/sh"))
}

/// The tool that runs shell commands.
pub type Bash = Typed<ShellTool>;

/// Runs shell commands.
pub struct ShellTool {
    options: ShellOptions,
}

#[derive(Deserialize, JsonSchema)]
pub struct BashArgs {
    #[serde(alias = "cmd", alias = "script")]
    #[schemars(with = "String")]
    command: Line,
    /// Default 120, at most 600.
    #[serde(default, alias = "timeout")]
    timeout_seconds: Option<u64>,
    /// Goes on as a job: for servers and watchers.
    #[serde(default, alias = "run_in_background", alias = "async", alias = "is_background")]
    background: bool,
    #[serde(default, alias = "waitSec", alias = "wait_seconds")]
    #[schemars(skip)]
    wait: Option<u64>,
    #[serde(default, alias = "cwd")]
    #[schemars(skip)]
    workdir: Option<String>,
    /// It ends when its time is over, and never goes on as a job: somebody waits for what it comes to.
    #[serde(default)]
    #[schemars(skip)]
    to_its_end: bool,
}

/// A command as models write it: a line, or a list of words.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Text(String),
    Words(Vec<String>),
}

impl BashArgs {
    /// The exact text that the shell gets.
    fn line(&self) -> String {
        let command = match &self.command {
            Line::Text(text) => text.clone(),
            Line::Words(words) => join(words),
        };
        match self.workdir.as_deref() {
            None | Some("" | "." | "./") => command,
            Some(folder) => format!("cd -- {} || exit\n{command}", quote(folder)),
        }
    }

    fn timeout(&self, usual: Option<Duration>) -> Option<Duration> {
        // Nobody can ask for a thousand seconds, so whoever writes that means milliseconds.
        let wanted =
            self.timeout_seconds.map(|number| if number >= 1000 { number.div_ceil(1000) } else { number.max(1) });
        match (wanted, usual) {
            (None, usual) => usual,
            (Some(wanted), None) => Some(Duration::from_secs(wanted)),
            (Some(wanted), Some(usual)) => Some(Duration::from_secs(wanted).min(usual.max(LONGEST))),
        }
    }
}

/// Words as one line; `["bash", "-lc", "…"]` is the script itself.
fn join(words: &[String]) -> String {
    if let [shell, flag, script] = words {
        let name = Path::new(shell).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if matches!(name, "bash" | "sh" | "zsh") && flag.starts_with('-') && flag.ends_with('c') {
            return script.clone();
        }
    }
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

fn quote(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./=:,@%+".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

impl Bash {
    /// The tool under these options. Where nobody keeps commands that go on it is not told of that.
    pub fn new(options: ShellOptions) -> Self {
        let keeps = options.background.is_some();
        let tool = Self::of(ShellTool { options });
        if keeps { tool } else { tool.without("background") }
    }
}

impl TypedTool for ShellTool {
    type Input = BashArgs;
    const NAME: &'static str = reasonix_proto::tools::BASH;
    const PROMPT: &'static str = include_str!("bash.md");
    const ALIASES: &'static [&'static str] =
        &["shell", "sh", "run_command", "run_shell_command", "execute_command", "exec_command", RUN_BACKGROUND];
    const TRAITS: ToolTraits = ToolTraits::RUNS;
    const WORK: ToolWork<Self> = ToolWork::Waits(|tool, args, call| Box::pin(tool.call(args, call)));

    /// Under this name a command goes on behind its call, whatever the arguments say.
    fn called(name: &str, mut args: Args) -> Args {
        if name.eq_ignore_ascii_case(RUN_BACKGROUND) {
            args.insert("background".to_owned(), true.into());
        }
        args
    }

    fn action(&self, input: Option<BashArgs>, _args: &Args) -> Action {
        // What goes on cannot be held to reading: nobody is there to judge it again when it wants to write.
        let read_only =
            if input.as_ref().is_some_and(|args| args.background) { ReadOnly::No } else { ReadOnly::Unknown };
        let line = input.map(|args| args.line()).unwrap_or_default();
        Action { family: Family::Bash, subjects: vec![line], read_only }
    }
}

/// The name under which other harnesses begin jobs.
const RUN_BACKGROUND: &str = "run_background";
/// How long a job is waited for, unless the call says otherwise; and the longest.
const JOB_WAIT: (u64, u64) = (3, 30);

impl ShellTool {
    /// Runs commands under these options.
    pub(crate) fn with(options: ShellOptions) -> Self {
        Self { options }
    }

    /// Who keeps commands that go on.
    pub(crate) fn keeps_jobs(&self) -> Option<&Arc<dyn Background>> {
        self.options.background.as_ref()
    }

    /// A command is about to run.
    pub(crate) fn crosses(&self, call: &CallId, line: &str) {
        if let Some(border) = &self.options.border {
            border.begins(call, line);
        }
    }

    async fn call(&self, args: BashArgs, call: Call<'_>) -> ToolOutcome {
        let line = args.line();
        if line.trim().is_empty() {
            return ToolOutcome::failed_with("the command is empty", "pass a shell command in `command`");
        }
        if args.background {
            return self.go_on(&args, line, call).await;
        }
        let timeout = args.timeout(self.options.timeout);
        let command = self.command(&line, timeout, call.class);
        let boxed = matches!(command.confinement, Confinement::Boxed(_));
        self.crosses(call.id, &line);
        let outcome = match self.attempt(&command, &call, Some(line.as_str()).filter(|_| !args.to_its_end)).await {
            Ok(finished) => finished,
            Err(outcome) => return outcome,
        };
        if outcome.status == EndStatus::Cancelled {
            let told = Told::new(
                "interrupted: the command and everything it started was ended before it was done",
                Phrase::new("exec.interrupted"),
            );
            return report(outcome, timeout, None, &[told]);
        }
        if let Some(WriteWish::Write(paths)) = &outcome.wish {
            let _ = call.wanted.set(paths.iter().map(|path| path.to_string_lossy().into_owned()).collect());
        }
        let note = if boxed { denied::note(&outcome, &line) } else { read_only(&outcome) };
        let told = self.options.border.as_ref().filter(|_| boxed).map(|border| border.denied()).unwrap_or_default();
        // What is known stands in place of what it looks like.
        let note = note.filter(|_| told.is_empty());
        // What the command wrote is no reason to offer it more: it may have been written for that.
        let beyond = boxed && call.class == Class::Outside && matches!(outcome.status, EndStatus::Exited(1..));
        if let (true, Some(border), true) = (beyond, &self.options.border, told.is_empty())
            && border.outside(call.id, &line).await
        {
            let free = command.with_confinement(Confinement::None);
            return match self.attempt(&free, &call, None).await {
                Ok(finished) => {
                    let note =
                        Told::new("run outside the sandbox, as the user allowed once", Phrase::new("exec.ran_outside"));
                    report(finished, timeout, Some(note), &[])
                }
                Err(outcome) => outcome,
            };
        }
        let hidden = hidden::told(&outcome.hidden, &self.options.root);
        report(outcome, timeout, note, &told.into_iter().chain(hidden).collect::<Vec<_>>())
    }

    /// The command as its class has it run: a reader where nothing that it does lasts.
    fn command(&self, line: &str, timeout: Option<Duration>, class: Class) -> Command {
        let options = &self.options;
        let held = if class == Class::Reader { options.confinement.held() } else { None };
        let environment = match class {
            // A git that reads does not fetch what is missing, from wherever the repository says.
            Class::Reader => options.environment.clone().with("GIT_NO_LAZY_FETCH", "1"),
            _ => options.environment.clone(),
        };
        Command::shell(&options.shell, line, &options.root)
            .with_environment(environment)
            .with_timeout(timeout)
            .with_bounds(options.bounds)
            .with_ports(options.border.as_ref().and_then(|border| border.ports()))
            .with_confinement(held.unwrap_or_else(|| options.confinement.clone()))
    }

    /// Runs a command that goes on behind its call.
    async fn go_on(&self, args: &BashArgs, line: String, call: Call<'_>) -> ToolOutcome {
        let Some(keeps) = &self.options.background else {
            return ToolOutcome::failed_with("no jobs can be had here", "run it without background");
        };
        self.crosses(call.id, &line);
        let timeout = args.timeout_seconds.and_then(|_| args.timeout(None));
        let wait = Duration::from_secs(args.wait.unwrap_or(JOB_WAIT.0).min(JOB_WAIT.1));
        let start = self.starts(self.lasting(&line, timeout));
        let about = JobAbout::new(call.id, JobKind::Command, line);
        keeps.begin(NewJob { about, start }, wait, &call.stop).await
    }

    /// A command that goes on, as one that may write.
    pub(crate) fn lasting(&self, line: &str, timeout: Option<Duration>) -> Command {
        let ports = self.options.border.as_ref().and_then(|border| border.ports_of_jobs());
        self.command(line, timeout, Class::Writer).with_ports(ports).with_behind(Arc::new(true.into()))
    }

    /// Runs a command to its end; an outcome where there is nothing to report. With its line it may be handed over when its
    /// time is over.
    async fn attempt(&self, command: &Command, call: &Call<'_>, line: Option<&str>) -> Result<Ended, ToolOutcome> {
        let keeps = self.options.background.as_ref().filter(|keeps| {
            // What is held to reading has a layer of its own, which ends with its call.
            keeps.takes_over() && command.timeout.is_some() && !matches!(command.confinement, Confinement::Held(_))
        });
        let ended = match keeps.zip(line) {
            Some((keeps, line)) => {
                let about = JobAbout::new(call.id, JobKind::Command, line.to_owned());
                match self.run_or_hand_over(keeps, command, (call, about)).await {
                    Ok(Handed::Ended(finished)) => Ok(finished),
                    Ok(Handed::Over(outcome)) => return Err(outcome),
                    Ok(Handed::OutOfTime(ended)) => return Ok(ended),
                    Err(error) => Err(error),
                }
            }
            None => {
                let shown = Mutex::new(Shown::default());
                let show = |piece: &[u8]| {
                    let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
                    shown.feed(piece, &mut |text: &str| (call.progress)(text));
                };
                run(command, call.stop.clone(), &show).await
            }
        };
        if let Ok(finished) = &ended {
            // Also where nobody reads its result any more.
            let Finished { quarantined, unseen, hit, .. } = finished;
            tell(self.options.border.as_ref(), (quarantined, unseen), hit.as_ref());
        }
        match ended {
            Ok(finished) => {
                let marker = match finished.output.dropped() {
                    0 => String::new(),
                    dropped => format!("\n[{dropped} bytes dropped here]\n"),
                };
                let Finished { status, output, hit, leftovers_killed, quarantined, wish, hidden, .. } = finished;
                let (head, tail) = output.into_parts();
                let content = plain_text([head.as_slice(), marker.as_bytes(), tail.as_slice()]);
                // What a command printed before it was interrupted is kept; where it printed nothing there is nothing to say.
                if status == EndStatus::Cancelled && content.trim().is_empty() {
                    return Err(ToolOutcome::Aborted);
                }
                Ok(Ended { status, hit, leftovers_killed, quarantined, wish, hidden, content })
            }
            Err(error) => Err(not_started(&error)),
        }
    }
}

/// Tells the border what a command left, and what lay bare to it.
fn tell(border: Option<&Arc<dyn Border>>, (moved, unseen): (&[Quarantined], &[PathBuf]), hit: Option<&LimitHit>) {
    let Some(border) = border else { return };
    border.left(moved, unseen);
    if let Some(LimitHit::Exposed(exposed)) = hit {
        border.exposed(exposed);
    }
}

/// The outcome of a command that could not be started.
fn not_started(error: &ExecError) -> ToolOutcome {
    match error {
        ExecError::NoSandbox { .. } => ToolOutcome::failed_with(
            error.to_string(),
            "no command can run in this session; use the file tools, or tell the user what to run",
        ),
        ExecError::NoProgram { .. } => ToolOutcome::failed_with(
            error.to_string(),
            "the shell of the user's settings (tools.shell.path) is not there, or not to be seen in the sandbox: no command can \
             run until the user changes it",
        ),
        _ => ToolOutcome::failed(error.to_string()),
    }
}

/// A command that has ended, with its output as text.
struct Ended {
    status: EndStatus,
    hit: Option<LimitHit>,
    leftovers_killed: bool,
    quarantined: Vec<Quarantined>,
    wish: Option<WriteWish>,
    hidden: Vec<PathBuf>,
    content: String,
}

/// What to say about a command that failed where everything was read-only, and nobody can tell whether that was why.
fn read_only(ended: &Ended) -> Option<Told> {
    let failed = !matches!(ended.status, EndStatus::Exited(0));
    let unknown = ended.wish == Some(WriteWish::Unknown);
    let model = "it was taken for a command that only reads, and ran where nothing can be written";
    (failed && unknown).then(|| Told::new(model, Phrase::new("exec.ran_held")))
}

impl Ended {
    /// One that had no more time and could not go on.
    fn out_of_time(content: String) -> Self {
        let (status, hit, wish) = (EndStatus::TimedOut, None, None);
        Self { status, hit, leftovers_killed: false, quarantined: Vec::new(), wish, hidden: Vec::new(), content }
    }
}

/// The exit code as shells count it, and what is to be said about the end.
fn end_of(status: EndStatus, hit: Option<LimitHit>, timeout: Option<Duration>) -> (i32, Option<Told>) {
    match status {
        EndStatus::Exited(code) => (code, None),
        EndStatus::Signalled(signal) => {
            let person = Phrase::new("exec.killed_by_signal").with("signal", signal);
            (128 + signal, Some(Told::new(&format!("killed by signal {signal}"), person)))
        }
        EndStatus::Cancelled => (130, None),
        EndStatus::TimedOut => {
            let after = timeout.map(|timeout| format!(" after {} s", timeout.as_secs_f64())).unwrap_or_default();
            let hint =
                "the command and everything it started was ended; ask for more timeout_seconds if it needs longer";
            let person = match timeout {
                Some(timeout) => Phrase::new("exec.timed_out_after").with("seconds", timeout.as_secs_f64()),
                None => Phrase::new("exec.timed_out"),
            };
            (124, Some(Told::new(&format!("timed out{after}: {hint}"), person)))
        }
        EndStatus::Bounded => {
            let said = hit.as_ref().map(ToString::to_string).unwrap_or_default();
            let person = Phrase::new("exec.ended_by_bound").with("reason", &said);
            let why = hit.map(|hit| match hit.setting() {
                Some(setting) => format!("{said} (the limit is {setting})"),
                None => format!("{said}; start it again if it is still needed"),
            });
            let model = format!("ended with everything it started: {}", why.unwrap_or_default());
            (137, Some(Told::new(&model, person)))
        }
    }
}

/// What came of files that the command made where it may not.
fn set_aside(file: &Quarantined) -> Told {
    let path = file.path.display();
    match &file.kept {
        Some(kept) => Told::new(
            &format!("{path} is protected: what the command made there was moved to {}", kept.display()),
            Phrase::new("exec.moved_away").with("path", path).with("kept", kept.display()),
        ),
        None => Told::new(
            &format!("{path} is protected, but what the command made there could not be moved"),
            Phrase::new("exec.not_moved_away").with("path", path),
        ),
    }
}

/// What the model reads: the output, then what is to be said about the end.
fn report(ended: Ended, timeout: Option<Duration>, note: Option<Told>, told: &[Told]) -> ToolOutcome {
    let code = if let EndStatus::Exited(code @ 1..) = ended.status { Some(format!("exit code {code}")) } else { None };
    let (exit_code, end) = end_of(ended.status, ended.hit, timeout);
    let mut content = ended.content;
    let left = ended
        .leftovers_killed
        .then(|| Told::new("processes it left in the background were ended", Phrase::new("exec.left_processes_ended")));
    let moved = ended.quarantined.iter().map(set_aside);
    let told: Vec<Told> = end.into_iter().chain(left).chain(moved).chain(note).chain(told.iter().cloned()).collect();
    for line in code.iter().chain(told.iter().map(|told| &told.model)) {
        if !content.is_empty() && !content.ends_with('\n') {
            content.push('\n');
        }
        content.push_str(line);
    }
    let notes = told.into_iter().map(|told| told.person).collect();
    ToolOutcome::detailed(content, Details { exit_code: Some(exit_code), notes, ..Details::default() })
}

/// What front ends see while the command runs: plain text, and of a flood only a part.
#[derive(Default)]
struct Shown {
    plain: Plain,
    window: Option<Instant>,
    in_window: usize,
    begun: bool,
}

impl Shown {
    fn feed(&mut self, piece: &[u8], progress: &mut dyn FnMut(&str)) {
        let now = Instant::now();
        if self.window.is_none_or(|start| now.duration_since(start) >= SHOW_EVERY) {
            self.window = Some(now);
            self.in_window = 0;
        }
        let room = SHOW_BYTES.saturating_sub(self.in_window);
        // Of a flood the end is shown, but for its very beginning.
        let from = if self.begun { piece.len().saturating_sub(room) } else { 0 };
        self.begun = true;
        let piece = piece.get(from..piece.len().min(from + room)).unwrap_or_default();
        self.in_window += piece.len();
        let mut text = String::new();
        self.plain.push(piece, &mut text);
        if !text.is_empty() {
            progress(&text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bash, BashArgs, ShellOptions};
    use reasonix_agent::{Args, Call, Class, Stop, Tool};
    use reasonix_proto::{CallId, Family, ReadOnly, ToolOutcome};
    use serde_json::json;
    use std::sync::{Mutex, OnceLock};
    use std::time::Duration;

    fn args(value: serde_json::Value) -> Args {
        value.as_object().unwrap().clone()
    }

    async fn call(tool: &Bash, value: serde_json::Value) -> (String, Option<i32>, String) {
        call_as(Class::Writer, tool, value).await
    }

    async fn call_as(class: Class, tool: &Bash, value: serde_json::Value) -> (String, Option<i32>, String) {
        let (args, id, shown) = (args(value), CallId::from("c"), Mutex::new(String::new()));
        let progress = |piece: &str| shown.lock().unwrap().push_str(piece);
        let outcome = tool
            .run(Call { id: &id, args: &args, class, wanted: &OnceLock::new(), stop: Stop::new(), progress: &progress })
            .await;
        let shown = shown.lock().unwrap().clone();
        match outcome {
            ToolOutcome::Done { content, details } => (content.into_words(), details.exit_code, shown),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn output_then_exit_code() {
        let root = tempfile::tempdir().unwrap();
        let tool = Bash::new(ShellOptions::at(root.path()));
        for (command, content, code) in [
            ("echo hi", "hi\n", 0),
            ("true", "", 0),
            ("false", "exit code 1", 1),
            ("echo out; echo err >&2; exit 3", "out\nerr\nexit code 3", 3),
            ("printf x; exit 4", "x\nexit code 4", 4),
            ("kill -9 $$", "killed by signal 9", 137),
            ("printf '\\033[31mred\\033[0m 1%%\\r2%%\\r3%%\\n\\377'", "3%\n\u{fffd}", 0),
            ("sleep 1000 & echo x", "x\nprocesses it left in the background were ended", 0),
        ] {
            let (got, exit, _) = call(&tool, json!({"command": command})).await;
            assert_eq!((got.as_str(), exit), (content, Some(code)), "{command}");
        }
        let (content, _, shown) = call(&tool, json!({"command": "pwd -P; printf '\\033]0;x\\007'"})).await;
        assert_eq!(content.trim(), root.path().canonicalize().unwrap().to_str().unwrap());
        assert_eq!(shown, content, "shown while it runs, without control sequences");
    }

    /// Where nothing holds a reader, its git could connect to wherever the repository says.
    #[tokio::test]
    async fn a_reader_without_a_box_fetches_nothing_that_is_missing() {
        let root = tempfile::tempdir().unwrap();
        let tool = Bash::new(ShellOptions::at(root.path()));
        let setup = "git init -q up && cd up && echo 1 > f && git add f && git -c user.name=a -c user.email=a commit -qm x
            git config uploadpack.allowFilter true; cd .. && git clone -q --no-checkout --filter=blob:none file://$PWD/up c";
        let (said, code, _) = call(&tool, json!({"command": setup})).await;
        assert_eq!(code, Some(0), "{said}");
        let line = json!({"command": "git -C c show HEAD:f"});
        let (said, code, _) = call_as(Class::Reader, &tool, line.clone()).await;
        assert_ne!(code, Some(0), "{said}");
        let (said, code, _) = call(&tool, line).await;
        assert_eq!((said.as_str(), code), ("1\n", Some(0)), "a writer does");
    }

    #[tokio::test]
    async fn time_runs_out_and_is_said() {
        let mut options = ShellOptions::at("/");
        options.timeout = Some(Duration::from_millis(200));
        let (content, code, _) = call(&Bash::new(options), json!({"command": "echo started; sleep 1000"})).await;
        assert!(content.starts_with("started\ntimed out after 0.2 s"), "{content}");
        assert_eq!(code, Some(124));
    }

    #[tokio::test]
    async fn an_interrupt_keeps_what_was_printed_before_it() {
        let interrupted = async |line: &str, stop: Stop| {
            let (args, id, seen) = (args(json!({"command": line})), CallId::from("c"), stop.clone());
            let progress = move |_: &str| seen.cancel();
            let (wanted, tool) = (OnceLock::new(), Bash::new(ShellOptions::at("/")));
            let call = Call { id: &id, args: &args, class: Class::Writer, wanted: &wanted, stop, progress: &progress };
            tool.run(call).await
        };
        let ToolOutcome::Done { content, details } = interrupted("echo x; sleep 1000", Stop::new()).await else {
            panic!("what it printed is kept");
        };
        assert!(content.words().starts_with("x\ninterrupted: "), "{}", content.words());
        assert_eq!((details.exit_code, details.notes.len()), (Some(130), 1));
        let stopped = Stop::new();
        stopped.cancel();
        assert_eq!(interrupted("sleep 1000", stopped).await, ToolOutcome::Aborted, "it printed nothing");
    }

    #[tokio::test]
    async fn a_flood_is_kept_at_both_ends_and_shown_in_part() {
        let tool = Bash::new(ShellOptions::at("/"));
        let (content, _, shown) =
            call(&tool, json!({"command": "echo first; yes | head -c 20000000; echo last"})).await;
        assert!(content.starts_with("first\ny\n") && content.ends_with("y\nlast\n"));
        assert!(content.contains(" bytes dropped here]\n") && content.len() < 9_000_000);
        assert!(shown.starts_with("first\n"));
    }

    #[test]
    fn the_gate_sees_the_exact_command() {
        let tool = Bash::new(ShellOptions::at("/"));
        for (given, line) in [
            (json!({"command": "ls  -l\n"}), "ls  -l\n"),
            (json!({"cmd": "ls"}), "ls"),
            (json!({"script": "ls", "description": "lists"}), "ls"),
            (json!({"command": ["bash", "-lc", "ls | wc"]}), "ls | wc"),
            (json!({"command": ["/bin/sh", "-c", "ls"]}), "ls"),
            (json!({"command": ["git", "commit", "-m", "it's"]}), r"git commit -m 'it'\''s'"),
            (json!({"command": "ls", "workdir": "a b"}), "cd -- 'a b' || exit\nls"),
            (json!({"command": "ls", "workdir": "."}), "ls"),
            (json!({"nothing": 1}), ""),
        ] {
            let action = tool.action(&args(given.clone()));
            assert_eq!((action.family, action.read_only), (Family::Bash, ReadOnly::Unknown));
            assert_eq!(action.subjects, [line], "{given}");
        }
    }

    #[test]
    fn how_long_a_call_may_ask_for() {
        let seconds = |value: u64| Some(Duration::from_secs(value));
        for (asked, usual, given) in [
            (None, seconds(120), seconds(120)),
            (None, None, None),
            (Some(5), seconds(120), seconds(5)),
            (Some(0), seconds(120), seconds(1)),
            (Some(900), seconds(120), seconds(600)),
            (Some(900), seconds(3600), seconds(900)),
            (Some(900), None, seconds(900)),
            (Some(120_000), seconds(60), seconds(120)),
        ] {
            let args: BashArgs = serde_json::from_value(json!({"command": "x", "timeout": asked})).unwrap();
            assert_eq!(args.timeout(usual), given, "{asked:?} {usual:?}");
        }
    }

    #[test]
    fn what_is_sent_with_every_request_is_short() {
        let tool = Bash::new(ShellOptions::at("/"));
        assert!(reasonix_agent::estimate_tokens(&tool.spec().description) <= 90);
        let properties = tool.spec().parameters["properties"].as_object().unwrap();
        assert_eq!(properties.keys().collect::<Vec<_>>(), ["command", "timeout_seconds"], "nobody keeps jobs");
        assert_eq!(tool.spec().parameters["required"], json!(["command"]));
    }
}
