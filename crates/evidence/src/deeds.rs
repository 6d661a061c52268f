//! What a session did, in order, as far as claims can be held against it: checks that ran, and files that changed.

use crate::check::Check;
use crate::command;
use crate::line::{self, Ran};
use crate::summary::{self, Summary};
use crate::writes::{self, Written};
use reasonix_proto::{CallId, ChangeKind, Details, Message, Record, RecordBody, ToolCall, ToolOutcome, tools};

/// So many deeds are remembered; of older ones nothing is claimed.
const MOST_DEEDS: usize = 4000;

/// So much of an output is looked at from either end.
const OUTPUT_ENDS: usize = 64 * 1024;

/// What was done so far. It is shown each record of a session, in the order they were written.
#[derive(Debug, Clone, Default)]
pub struct Deeds {
    pub(crate) done: Vec<Deed>,
    /// Where the deeds of the last turn begin.
    pub(crate) turn: usize,
    /// The calls of the last answer, with the command lines that a person wrote in place of theirs.
    asked: Vec<(ToolCall, Option<String>)>,
}

/// One thing that was done.
#[derive(Debug, Clone)]
pub(crate) struct Deed {
    pub(crate) call: Option<CallId>,
    pub(crate) what: What,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    Ran(Run),
    Wrote(Written),
}

/// A command line that came to an end.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) line: String,
    /// The checks in it.
    pub(crate) checks: Vec<(Ran, Check)>,
    /// How it ended; none when it did not run.
    pub(crate) exit: Option<i32>,
    /// What its output says about tests, where the codes are known and where they are not.
    pub(crate) told: Summary,
    pub(crate) untold: Summary,
    pub(crate) built: bool,
    pub(crate) clean: bool,
    pub(crate) warns: bool,
}

impl Deeds {
    /// A record was written.
    pub fn see(&mut self, record: &Record) {
        match &record.body {
            RecordBody::Prompt { .. } => self.turn = self.done.len(),
            RecordBody::Assistant { message: Message::Assistant { calls, .. }, .. } => {
                self.asked = calls.iter().map(|call| (call.clone(), None)).collect();
            }
            RecordBody::Decided(decided) => {
                let call = self.asked.iter_mut().find(|(call, _)| call.id == decided.call);
                if let (Some((_, line)), Some(edited)) = (call, &decided.edited) {
                    *line = Some(edited.clone());
                }
            }
            RecordBody::Outcome { call, tool, outcome, .. } => self.ended(call, tool, outcome),
            RecordBody::ShellEnded { command, outcome, .. } => self.ran(None, command, outcome),
            RecordBody::Restored(restored) => {
                self.wrote(None, Written { gone: restored.paths.clone(), perhaps: true, ..Written::default() });
            }
            _ => {}
        }
        if let Some(more) = self.done.len().checked_sub(MOST_DEEDS) {
            self.done.drain(..more);
            self.turn = self.turn.saturating_sub(more);
        }
    }

    fn ended(&mut self, id: &CallId, tool: &str, outcome: &ToolOutcome) {
        if tool == tools::BASH {
            let asked = self.asked.iter().rev().find(|(call, _)| call.id == *id);
            let line = asked.map(|(call, line)| line.clone().unwrap_or_else(|| line_of(&call.arguments)));
            return self.ran(Some(id), &line.unwrap_or_default(), outcome);
        }
        let ToolOutcome::Done { details, .. } = outcome else { return };
        let mut found = changed(details);
        found.perhaps = tool.contains("__") && details.changes.is_empty() && !reads(tool);
        self.wrote(Some(id), found);
    }

    fn wrote(&mut self, call: Option<&CallId>, found: Written) {
        if !found.is_nothing() {
            self.done.push(Deed { call: call.cloned(), what: What::Wrote(found) });
        }
    }

    fn ran(&mut self, call: Option<&CallId>, line: &str, outcome: &ToolOutcome) {
        let (exit, output) = match outcome {
            ToolOutcome::Done { content, details } => (details.exit_code, ends(&content.words())),
            _ => (None, String::new()),
        };
        let commands = line::commands(line);
        let judged: Vec<(Ran, Option<Check>)> = commands
            .into_iter()
            .map(|ran| {
                let check = command::check(&ran.words);
                (ran, check)
            })
            .collect();
        let (mut before, mut after) = (Written::default(), Written::default());
        let mut checked = false;
        if exit.is_some() {
            for (ran, check) in &judged {
                let found = writes::written(ran, check.as_ref());
                checked |= check.is_some();
                if checked { after.join(found) } else { before.join(found) }
            }
        }
        self.wrote(call, before);
        let checks = judged.into_iter().filter_map(|(ran, check)| Some((ran, check?))).collect();
        let run = Run {
            line: line.to_owned(),
            checks,
            exit,
            told: summary::summary(&output, true),
            untold: summary::summary(&output, false),
            built: summary::built(&output),
            clean: summary::clean(&output),
            warns: summary::warns(&output),
        };
        self.done.push(Deed { call: call.cloned(), what: What::Ran(run) });
        self.wrote(call, after);
    }
}

/// What the file tools say that they changed.
fn changed(details: &Details) -> Written {
    let mut found = Written::default();
    for change in &details.changes {
        match &change.kind {
            ChangeKind::Unchanged => {}
            ChangeKind::Deleted => found.gone.push(change.path.clone()),
            ChangeKind::Moved { from } => {
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
