//! What a session did, in order, as far as claims can be held against it: checks that ran, and files that changed.

mod jobs;
mod judged;
mod run;

use crate::check::Check;
use crate::line;
use crate::summary;
use crate::told;
use crate::writes::{self, Written};
use jobs::Behind;
use judged::{Agreed, Judged, Place, is_quiet, judged, outputs, own_output, read_by, settled, shows_files};
use reasonix_proto::{
    CallId, ChangeKind, Details, Message, Moment, Record, RecordBody, Snapshot, ToolCall, ToolOutcome, Validation,
    tools,
};
pub(crate) use run::Run;

/// So many deeds are remembered; of older ones nothing is claimed.
const MOST_DEEDS: usize = 4000;

/// So much of a prompt is looked at, in bytes.
const LONGEST_PROMPT: usize = 8 * 1024;

/// So much of an output is looked at from either end.
const OUTPUT_ENDS: usize = 64 * 1024;

/// What was done so far. It is shown each record of a session, in the order they were written.
#[derive(Debug, Clone, Default)]
pub struct Deeds {
    pub(crate) done: Vec<Deed>,
    /// Where the deeds of the last turn begin.
    pub(crate) turn: usize,
    /// What the last turn was asked, in small letters.
    pub(crate) prompt: String,
    /// The folder of the session.
    root: String,
    /// The calls that came to an end, with how.
    pub(crate) calls: Vec<Called>,
    /// The calls of the last answer, with the command lines that a person wrote in place of theirs.
    asked: Vec<(ToolCall, Option<String>)>,
    /// What goes on behind the calls.
    pub(crate) behind: Behind,
    /// Where the deeds begin that were done since the last look at the files of the turn.
    looked: Option<usize>,
}

/// One thing that was done.
#[derive(Debug, Clone)]
pub(crate) struct Deed {
    pub(crate) call: Option<CallId>,
    pub(crate) what: What,
}

/// A call that came to an end.
#[derive(Debug, Clone)]
pub(crate) struct Called {
    pub(crate) id: CallId,
    pub(crate) tool: String,
    pub(crate) end: End,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Done, for a command with its code.
    Done(Option<i32>),
    Failed,
    Refused,
    Stopped,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    Ran(Box<Run>),
    Wrote(Written),
}

impl Deeds {
    /// A record was written.
    pub fn see(&mut self, record: &Record) {
        self.behind.records += 1;
        match &record.body {
            RecordBody::Session(head) => self.root.clone_from(&head.cwd),
            RecordBody::Prompt { text, .. } => {
                self.turn = self.done.len();
                let end = text.floor_char_boundary(LONGEST_PROMPT);
                self.prompt = text.get(..end).unwrap_or_default().to_lowercase();
            }
            RecordBody::Assistant { message: Message::Assistant { calls, .. }, .. } => {
                self.asked = calls.iter().map(|call| (call.clone(), None)).collect();
                self.behind.answered();
            }
            RecordBody::Decided(decided) => {
                let call = self.asked.iter_mut().find(|(call, _)| call.id == decided.call);
                if let (Some((_, line)), Some(edited)) = (call, &decided.edited) {
                    *line = Some(edited.clone());
                }
            }
            RecordBody::Outcome { call, tool, outcome, .. } => self.ended(call, tool, outcome),
            RecordBody::Shell { .. } => self.behind.shell = self.behind.records,
            RecordBody::ShellEnded { command, outcome, .. } => {
                self.ran(None, command, outcome);
                self.overlapped(None, self.behind.shell);
            }
            RecordBody::Validation(ran) => self.validated(ran),
            RecordBody::JobBegan(job) => self.job_began(job),
            RecordBody::JobEnded(job) => self.job_ended(job),
            RecordBody::Snapshot(taken) => self.looked_at(taken),
            RecordBody::Restored(restored) => {
                self.wrote(None, Written { gone: restored.paths.clone(), perhaps: true, ..Written::default() });
            }
            _ => {}
        }
        if let Some(more) = self.done.len().checked_sub(MOST_DEEDS) {
            self.done.drain(..more);
            self.turn = self.turn.saturating_sub(more);
            self.looked = self.looked.map(|from| from.saturating_sub(more));
        }
        let more = self.calls.len().saturating_sub(MOST_DEEDS);
        self.calls.drain(..more);
    }

    /// Somebody looked at the files: what is different since the look before is all that was written in between.
    fn looked_at(&mut self, taken: &Snapshot) {
        let since = self.looked.replace(self.done.len()).filter(|_| taken.moment != Moment::Before);
        if taken.moment == Moment::After {
            self.looked = None;
        }
        let (Some(since), Some(changed), 0) = (since, &taken.changed, taken.changed_more) else { return };
        for deed in self.done.iter_mut().skip(since) {
            if let What::Wrote(written) = &mut deed.what {
                written.found = Some(changed.clone());
            }
        }
    }

    fn called(&mut self, id: &CallId, tool: &str, outcome: &ToolOutcome) {
        let end = match outcome {
            ToolOutcome::Done { details, .. } => End::Done(details.exit_code),
            ToolOutcome::Denied { .. } => End::Refused,
            ToolOutcome::Aborted => End::Stopped,
            _ => End::Failed,
        };
        self.calls.push(Called { id: id.clone(), tool: tool.to_owned(), end });
    }

    fn validated(&mut self, ran: &Validation) {
        let Some(outcome) = &ran.outcome else {
            self.behind.validation = self.behind.records;
            return;
        };
        self.called(&ran.call, tools::BASH, outcome);
        self.ran(Some(&ran.call), &ran.command, outcome);
        self.overlapped(Some(&ran.call), self.behind.validation);
    }

    /// What ran from this record on saw files that jobs may have been changing: what they wrote came behind it, too.
    fn overlapped(&mut self, call: Option<&CallId>, since: u64) {
        let written = self.behind.ended_since(since);
        self.wrote(call, written);
    }

    fn ended(&mut self, id: &CallId, tool: &str, outcome: &ToolOutcome) {
        self.called(id, tool, outcome);
        if jobs::runs_commands(tool) {
            let asked = self.asked.iter().rev().find(|(call, _)| call.id == *id);
            let left = jobs::is_left(tool, asked.map(|(call, _)| call), outcome);
            let line = asked.map(|(call, line)| line.clone().unwrap_or_else(|| line_of(&call.arguments)));
            let line = line.unwrap_or_default();
            if left {
                self.left_behind(id, &line, outcome);
                self.ran(Some(id), &line, &without_code(outcome));
            } else {
                self.ran(Some(id), &line, outcome);
            }
            return self.overlapped(Some(id), self.behind.calls);
        }
        let ToolOutcome::Done { details, content } = outcome else { return };
        if tool == tools::READ_FILE {
            let asked = self.asked.iter().rev().find(|(call, _)| call.id == *id);
            let path = asked.and_then(|(call, _)| path_of(&call.arguments));
            path.into_iter().for_each(|path| self.reads(&path, &ends(&content.words())));
        }
        let mut found = changed(details);
        found.perhaps = tool.contains("__") && details.changes.is_empty() && !reads(tool);
        self.wrote(Some(id), found);
    }

    /// What a file says that a command wrote its output to is what that command said, as far as it has only one check.
    fn reads(&mut self, file: &str, output: &str) {
        let writes = |deed: &Deed| match &deed.what {
            What::Ran(run) => run.files.iter().any(|other| other == file),
            What::Wrote(written) => written.paths.iter().chain(&written.maybe).any(|other| other == file),
        };
        let Some(call) = self.done.iter().rev().find(|deed| writes(deed)).map(|deed| deed.call.clone()) else { return };
        let run = self.done.iter_mut().rev().filter(|deed| deed.call == call).find_map(|deed| match &mut deed.what {
            What::Ran(run) => Some(run),
            What::Wrote(_) => None,
        });
        let proves = |run: &&mut Box<Run>| run.checks.len() == 1 && run.files.iter().any(|other| other == file);
        if let Some(run) = run.filter(proves).filter(|run| run.exit.is_some()) {
            let mut read = run.clone();
            read.read(output);
            if read.is_over() {
                read.later = true;
                *run = read;
            }
        }
    }

    pub(crate) fn wrote(&mut self, call: Option<&CallId>, found: Written) {
        if !found.is_nothing() {
            self.done.push(Deed { call: call.cloned(), what: What::Wrote(found) });
        }
    }

    /// The commands of a line, with what each of them proves.
    pub(crate) fn judged_of(&self, line: &str) -> Vec<Judged> {
        let place = Place { root: &self.root, line, done: &self.done };
        let agreed = Agreed::of(line);
        line::commands(line).into_iter().map(|ran| agreed.on(judged(ran, &place))).collect()
    }

    /// The same with the tests that the one command of a line ran which nobody knows.
    fn told_by_output(&self, line: &str, mut judged: Vec<Judged>, exit: Option<i32>, output: &str) -> Vec<Judged> {
        let mut working = judged.iter_mut().filter(|(ran, _)| !is_quiet(ran));
        if let (Some((ran, check @ None)), None) = (working.next(), working.next()) {
            let place = Place { root: &self.root, line, done: &self.done };
            *check = told::by_output(ran, exit, output).and_then(|check| place.placed(ran, check));
        }
        judged
    }

    fn ran(&mut self, call: Option<&CallId>, line: &str, outcome: &ToolOutcome) {
        let (exit, output, told) = match outcome {
            ToolOutcome::Done { content, details } => (details.exit_code, ends(&content.words()), changed(details)),
            _ => (None, String::new(), Written::default()),
        };
        // What its own output calls killed has no end, whatever code is told.
        let exit = exit.filter(|_| !summary::was_killed(&output));
        if let Some(file) = read_by(&line::commands(line)).filter(|_| exit == Some(0)) {
            self.reads(&file, &output);
        }
        let judged = self.judged_of(line);
        let output = own_output(&judged, &output);
        let judged = self.told_by_output(line, judged, exit, &output);
        let (mut before, mut after) = (Written::default(), Written::default());
        let mut checked = false;
        // What goes on or was interrupted has no code, and may have written all the same.
        let ran = matches!(outcome, ToolOutcome::Done { .. } | ToolOutcome::Aborted);
        let alone = exit == Some(0) && judged.iter().filter(|(ran, _)| !is_quiet(ran)).count() == 1;
        if ran {
            for (ran, check) in &judged {
                let found = writes::written(ran, check.as_ref());
                let found = if exit == Some(0) && ran.told { found } else { found.unseen() };
                let left =
                    leaves_all(check.as_ref(), &output) || (check.is_none() && writes::is_seen_trial(ran, &output));
                let found = if alone && left { Written::default() } else { found };
                checked |= check.is_some();
                if checked { after.join(found) } else { before.join(found) }
            }
        }
        let files = match judged.iter().filter(|(ran, _)| !is_quiet(ran)).collect::<Vec<_>>()[..] {
            [(ran, check)] if exit == Some(0) && ran.told && !ran.strange && !ran.behind => {
                writes::told(ran, check.as_ref(), &output)
            }
            _ => Vec::new(),
        };
        let inside = if ran { jobs::unlisted(line, judged.iter().map(|(ran, _)| ran)) } else { Written::default() };
        // What fills in the words of the last check ran before it.
        let first = judged.last().is_some_and(|(_, check)| check.is_some()) && !line.contains(">(");
        let after_tools = told.code().is_some() || (!first && inside.code().is_some());
        if first {
            before.join(inside)
        } else {
            after.join(inside)
        }
        let gone: Vec<String> = before.gone.iter().chain(&after.gone).cloned().collect();
        after.paths.extend(told.paths.into_iter().filter(|path| !gone.contains(path)));
        after.gone.extend(told.gone);
        after.told = files;
        self.wrote(call, before);
        let outputs = judged.iter().flat_map(|(ran, _)| outputs(ran)).collect();
        let working = judged.iter().filter(|(ran, _)| !is_quiet(ran)).count();
        let shown = judged.iter().filter(|(ran, _)| shows_files(ran)).map(|(ran, _)| ran.words.clone()).collect();
        let settled = settled(&judged, after_tools);
        let plain = judged.iter().all(|(ran, _)| ran.told);
        let acts = judged.iter().any(|(ran, check)| check.is_some() || writes::acts(ran));
        let checks = judged.into_iter().filter_map(|(ran, check)| Some((ran, check?))).collect();
        let line = line.to_owned();
        let mut run = Run {
            line,
            checks,
            exit,
            files: outputs,
            shown,
            plain,
            acts,
            settled,
            wrote: !after.is_nothing(),
            lone: working == 1,
            ..Run::default()
        };
        run.read(&output);
        run.adds_shown();
        self.done.push(Deed { call: call.cloned(), what: What::Ran(Box::new(run)) });
        self.wrote(call, after);
    }
}

/// True when a linter that mends what it finds says that there was nothing to mend.
fn leaves_all(check: Option<&Check>, output: &str) -> bool {
    check.is_some_and(|check| check.writes) && summary::leaves_all(output)
}

/// The same without a code: that of a command that went on says nothing.
fn without_code(outcome: &ToolOutcome) -> ToolOutcome {
    let mut outcome = outcome.clone();
    if let ToolOutcome::Done { details, .. } = &mut outcome {
        details.exit_code = None;
    }
    outcome
}

/// What the file tools say that they changed.
fn changed(details: &Details) -> Written {
    let mut found = Written::default();
    for change in &details.changes {
        match &change.kind {
            ChangeKind::Unchanged => {}
            ChangeKind::Deleted => found.gone.push(change.path.clone()),
            ChangeKind::Moved { from } => {
                found.moved.push((from.clone(), change.path.clone()));
                found.gone.push(from.clone());
                found.paths.push(change.path.clone());
            }
            ChangeKind::Created | ChangeKind::Updated => found.paths.push(change.path.clone()),
        }
    }
    found
}

/// True for a tool of a server whose name says that it only looks.
fn reads(tool: &str) -> bool {
    let name = tool.rsplit("__").next().unwrap_or(tool).to_ascii_lowercase();
    ["get", "list", "search", "read", "fetch", "find", "query", "show", "describe", "resolve", "ask", "lookup"]
        .iter()
        .any(|verb| name.starts_with(verb))
}

/// The file in the arguments of a call.
fn path_of(arguments: &str) -> Option<String> {
    let arguments = serde_json::from_str::<serde_json::Value>(arguments).ok()?;
    ["path", "file_path", "file"].iter().find_map(|name| arguments.get(name)?.as_str().map(str::to_owned))
}

/// The command line in the arguments of a call.
fn line_of(arguments: &str) -> String {
    let Ok(arguments) = serde_json::from_str::<serde_json::Value>(arguments) else { return String::new() };
    let line = ["command", "cmd", "script"].iter().find_map(|name| arguments.get(name));
    match line {
        Some(serde_json::Value::String(line)) => line.clone(),
        Some(serde_json::Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(serde_json::Value::as_str).collect();
            match words.as_slice() {
                [_, flag, text] if flag.starts_with('-') && flag.ends_with('c') => (*text).to_owned(),
                words => words.join(" "),
            }
        }
        _ => String::new(),
    }
}

fn ends(output: &str) -> String {
    if output.len() <= 2 * OUTPUT_ENDS {
        return output.to_owned();
    }
    let head = output.get(..output.floor_char_boundary(OUTPUT_ENDS)).unwrap_or_default();
    let tail = output.get(output.ceil_char_boundary(output.len() - OUTPUT_ENDS)..).unwrap_or_default();
    format!("{head}\n{tail}")
}
