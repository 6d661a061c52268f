//! Commands that go on behind their calls: each may write from its beginning to the record of its end, and what runs
//! meanwhile sees files that change under it.

use super::Deeds;
use crate::ran::Ran;
use crate::writes::{self, Written};
use reasonix_policy::analyse;
use reasonix_proto::{CallId, JobInfo, ToolCall, ToolOutcome, tools};

/// The tool that tells of what a command writes.
const MONITOR: &str = "monitor";
/// The name of `bash` under which a command goes on, whatever its arguments say.
const RUN_BACKGROUND: &str = "run_background";
/// The arguments by which one does.
const BACKGROUND: [&str; 4] = ["background", "run_in_background", "is_background", "async"];
/// What the outcome of a command says whose time was over.
const HANDED_OVER: &str = "goes on as a job";
/// Command lines of records are cut behind so many bytes, at a character.
const CUT: usize = 1990;
/// So many ends are remembered one by one.
const MOST_ENDS: usize = 64;

/// What goes on behind the calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct Behind {
    running: Vec<Running>,
    /// The ends, each with the number of its record and what may have been written until then.
    ends: Vec<(u64, Written)>,
    /// The calls since the last answer that have records of their jobs.
    recorded: Vec<CallId>,
    /// How many records were seen, and which of them began what may run now: calls, a command of the user's, a validation.
    pub(crate) records: u64,
    pub(crate) calls: u64,
    pub(crate) shell: u64,
    pub(crate) validation: u64,
}

/// A job that runs.
#[derive(Debug, Clone)]
struct Running {
    /// Its name; empty where no record told it.
    job: String,
    call: CallId,
    line: String,
    written: Written,
}

impl Behind {
    /// An answer came, with new calls.
    pub(crate) fn answered(&mut self) {
        self.calls = self.records;
        self.recorded.clear();
    }

    /// The first of those that run which may be changing code, with what of it.
    pub(crate) fn changes_code(&self) -> Option<(&str, &str)> {
        self.running.iter().find_map(|job| Some((job.line.as_str(), job.written.code()?)))
    }

    /// What each of those that run may be writing.
    pub(crate) fn writing(&self) -> impl Iterator<Item = &Written> {
        self.running.iter().map(|job| &job.written)
    }

    /// What jobs may have written that came to their end behind this record.
    pub(crate) fn ended_since(&self, record: u64) -> Written {
        let mut all = Written::default();
        self.ends.iter().filter(|(at, _)| *at > record).for_each(|(_, written)| all.join(written.clone()));
        all
    }

    fn ended(&mut self, written: Written) {
        self.ends.push((self.records, written));
        // Of many the oldest count as later ones.
        if self.ends.len() > MOST_ENDS {
            let (_, oldest) = self.ends.remove(0);
            self.ends.first_mut().into_iter().for_each(|(_, next)| next.join(oldest.clone()));
        }
    }
}

impl Deeds {
    /// A command goes on behind its call.
    pub(crate) fn job_began(&mut self, info: &JobInfo) {
        let written = self.written_by_job(info);
        self.behind.recorded.push(info.call.clone());
        self.goes_on(&info.job, &info.call, &info.command, written.clone());
        self.wrote(Some(&info.call), written);
    }

    /// It came to its end: up to now it may have written.
    pub(crate) fn job_ended(&mut self, info: &JobInfo) {
        let is_it = |job: &Running| if job.job.is_empty() { job.call == info.call } else { job.job == info.job };
        let known = self.behind.running.iter().position(is_it).map(|at| self.behind.running.remove(at).written);
        let written = known.unwrap_or_else(|| self.written_by_job(info));
        self.behind.recorded.push(info.call.clone());
        self.behind.ended(written.clone());
        self.wrote(Some(&info.call), written);
    }

    /// The call of a command that went on behind it is over. One that no record tells of runs from here on.
    pub(crate) fn left_behind(&mut self, call: &CallId, line: &str, outcome: &ToolOutcome) {
        if matches!(outcome, ToolOutcome::Done { .. }) && !self.behind.recorded.contains(call) {
            let written = self.may_write(line);
            self.goes_on("", call, line, written);
        }
    }

    fn goes_on(&mut self, job: &str, call: &CallId, line: &str, written: Written) {
        let (job, line) = (job.to_owned(), line.to_owned());
        self.behind.running.push(Running { job, call: call.clone(), line, written });
    }

    fn written_by_job(&self, info: &JobInfo) -> Written {
        let mut written = self.may_write(&info.command);
        written.perhaps |= info.command.len() >= CUT;
        written
    }

    /// The files of code that the words of a command line say it writes.
    pub fn code_written_by(line: &str) -> Vec<String> {
        Self::default().may_write(line).maybe.into_iter().filter(|path| writes::is_changed_code(path)).collect()
    }

    /// What a line may write of which nobody sees how far it came.
    fn may_write(&self, line: &str) -> Written {
        let judged = self.judged_of(line);
        let mut all = unlisted(line, judged.iter().map(|(ran, _)| ran));
        judged.iter().for_each(|(ran, check)| all.join(writes::written(ran, check.as_ref())));
        all.perhaps |= analyse(line).hidden.is_some();
        all.unseen()
    }
}

/// What those commands write that stand inside of words of a line, where no list of its commands has them.
pub(crate) fn unlisted<'a>(line: &str, listed: impl Iterator<Item = &'a Ran>) -> Written {
    let words: Vec<&str> = listed.flat_map(|ran| ran.words.iter().map(|word| name_of(word))).collect();
    let effects = analyse(line);
    let inside = effects.commands.iter().filter(|simple| !simple.wraps && !words.contains(&simple.program()));
    let mut all = Written::default();
    for simple in inside {
        let words = simple.words.iter().map(|word| word.text.clone()).collect();
        all.join(writes::written(&Ran { words, ..Ran::default() }, None));
    }
    all.unseen()
}

fn name_of(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// True for the tools that run command lines.
pub(crate) fn runs_commands(tool: &str) -> bool {
    [tools::BASH, MONITOR, RUN_BACKGROUND].iter().any(|name| tool.eq_ignore_ascii_case(name))
}

/// True when a call of such a tool leaves a command that goes on.
pub(crate) fn is_left(tool: &str, call: Option<&ToolCall>, outcome: &ToolOutcome) -> bool {
    let named = |name: &str| [MONITOR, RUN_BACKGROUND].iter().any(|other| name.eq_ignore_ascii_case(other));
    let asked = || {
        let call = call?;
        let arguments = serde_json::from_str::<serde_json::Value>(&call.arguments).ok()?;
        let is_true = |value: &serde_json::Value| match value {
            serde_json::Value::Bool(value) => *value,
            serde_json::Value::String(word) => word.eq_ignore_ascii_case("true"),
            _ => false,
        };
        Some(named(&call.name) || BACKGROUND.iter().any(|name| arguments.get(name).is_some_and(is_true)))
    };
    let handed_over = || match outcome {
        ToolOutcome::Done { content, details } => details.exit_code.is_none() && content.words().contains(HANDED_OVER),
        _ => false,
    };
    named(tool) || asked().unwrap_or_default() || handed_over()
}
