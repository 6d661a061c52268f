//! What was done: files that were changed, what failed and did not succeed since, commands, last words. Read out of the
//! messages alone.

use crate::ports::ToolTraits;
use reasonix_proto::tools::FILE_ARGUMENTS;
use reasonix_proto::{Carried, Compacted, Message, Risk, ToolCall};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

/// What names a file in a patch.
const PATCHED: &[&str] = &["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ ", "--- "];

/// Commands that are named.
const COMMANDS: usize = 12;

/// Files that are remembered; those before them are in the originals.
const MOST_FILES: usize = 80;

/// Failures that are remembered.
const MOST_RISKS: usize = 12;

/// How an outcome begins whose call did not do what it should.
const FAILURES: &[&str] = &["error: ", "blocked: ", "aborted: "];

/// What the last line of a command's output begins with when it failed.
const EXIT: &str = "exit code ";

/// What was done.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Work {
    /// The last one first.
    pub(super) files: Vec<String>,
    /// The newest last.
    pub(super) risks: Vec<Risk>,
    commands: Vec<String>,
    said: Option<String>,
}

impl Work {
    /// What an earlier folding left.
    pub(super) fn after(earlier: Option<&Compacted>) -> Self {
        let Some(earlier) = earlier else { return Self::default() };
        match earlier.carried.as_deref() {
            Some(Carried { files, risks, .. }) => {
                Self { files: files.clone(), risks: risks.clone(), ..Self::default() }
            }
            // Earlier versions wrote the files into their notes and nowhere else.
            None => {
                let named = |line: &str| line.strip_prefix("Files touched: ").map(str::to_owned);
                let lines = earlier.notes.iter().flat_map(|note| note.lines()).filter_map(named);
                let mut work = Self::default();
                lines.for_each(|line| line.split(", ").for_each(|file| work.touch(file)));
                work
            }
        }
    }

    /// Takes in what is folded now.
    pub(super) fn add(&mut self, gone: &[Arc<Message>], edits: &dyn Fn(&str) -> bool) {
        let mut open: Vec<&ToolCall> = Vec::new();
        for message in gone {
            match &**message {
                Message::User { .. } => {}
                Message::Assistant { text, calls, .. } => {
                    if !text.trim().is_empty() {
                        self.said = Some(text.clone());
                    }
                    self.commands.extend(calls.iter().filter_map(|call| text_of(&arguments(call), "command")));
                    open = calls.iter().collect();
                }
                Message::Tool { call, content, .. } => {
                    if let Some(place) = open.iter().position(|open| open.id == *call) {
                        let called = open.remove(place);
                        self.came(called, &content.words(), edits(&called.name));
                    }
                }
            }
        }
        self.files.truncate(MOST_FILES);
        let skip = self.risks.len().saturating_sub(MOST_RISKS);
        self.risks.drain(..skip);
    }

    /// What a call came to.
    fn came(&mut self, call: &ToolCall, output: &str, edits: bool) {
        let args = arguments(call);
        let files = if edits { files_of(&args) } else { Vec::new() };
        let what = text_of(&args, "command").unwrap_or_else(|| match files.first() {
            Some(file) => format!("{} {file}", call.name),
            None => call.name.clone(),
        });
        let what = line_of(&what, 100);
        self.risks.retain(|risk| risk.what != what);
        match failure_in(output) {
            Some(why) => self.risks.push(Risk { what, why: line_of(&why, 160) }),
            None => files.iter().for_each(|file| self.touch(file)),
        }
    }

    fn touch(&mut self, file: &str) {
        let file = file.trim();
        self.files.retain(|known| known != file);
        if !file.is_empty() {
            self.files.insert(0, file.to_owned());
        }
    }

    /// What was done, in a few lines, for when no model tells it; none when there is nothing to tell.
    pub(super) fn told(&self) -> Option<String> {
        let mut note = String::new();
        if !self.commands.is_empty() {
            let skip = self.commands.len().saturating_sub(COMMANDS);
            let last: Vec<String> = self.commands.iter().skip(skip).map(|command| line_of(command, 100)).collect();
            let _ = writeln!(note, "Commands run, the last ones: {}", last.join(" ; "));
        }
        if let Some(said) = &self.said {
            let _ = writeln!(note, "Last words of the assistant, next steps included: {}", line_of(said, 600));
        }
        Some(note.trim_end().to_owned()).filter(|note| !note.is_empty())
    }
}

/// Where results stand of calls that looked at a file which a later call changed: what the model goes by when it speaks of that
/// change.
pub(super) fn reads_before_edits(messages: &[Arc<Message>], traits: &dyn Fn(&str) -> ToolTraits) -> HashSet<usize> {
    let mut open: Vec<&ToolCall> = Vec::new();
    let mut reads: Vec<(String, usize)> = Vec::new();
    let mut kept = HashSet::new();
    for (place, message) in messages.iter().enumerate() {
        match &**message {
            Message::User { .. } => {}
            Message::Assistant { calls, .. } => open = calls.iter().collect(),
            Message::Tool { call, content, .. } => {
                let Some(at) = open.iter().position(|open| open.id == *call) else { continue };
                let called = open.remove(at);
                let (traits, files) = (traits(&called.name), files_of(&arguments(called)));
                let files = files.iter().map(|file| file.trim().trim_start_matches("./"));
                if traits.reads {
                    reads.extend(files.map(|file| (file.to_owned(), place)));
                } else if traits.edits && failure_in(&content.words()).is_none() {
                    let changed: Vec<&str> = files.collect();
                    let now = |(file, _): &&(String, usize)| changed.contains(&file.as_str());
                    kept.extend(reads.iter().filter(now).map(|(_, read)| *read));
                }
            }
        }
    }
    kept
}

type Arguments = serde_json::Map<String, serde_json::Value>;

fn arguments(call: &ToolCall) -> Arguments {
    match serde_json::from_str(&call.arguments) {
        Ok(serde_json::Value::Object(args)) => args,
        _ => Arguments::new(),
    }
}

fn text_of(args: &Arguments, name: &str) -> Option<String> {
    args.get(name).and_then(|value| value.as_str()).map(str::to_owned)
}

/// The files that the arguments of an edit name, those in a patch included.
fn files_of(args: &Arguments) -> Vec<String> {
    let mut files: Vec<String> = FILE_ARGUMENTS.iter().filter_map(|name| text_of(args, name)).collect();
    if !files.is_empty() {
        return files;
    }
    let lines = args.values().filter_map(|value| value.as_str()).flat_map(str::lines);
    for line in lines {
        let Some(name) = PATCHED.iter().find_map(|mark| line.strip_prefix(mark)) else { continue };
        let name = name.split('\t').next().unwrap_or(name).trim();
        let name = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name).to_owned();
        if name != "/dev/null" && !files.contains(&name) {
            files.push(name);
        }
    }
    files
}

/// How a call failed, by what it gave back; none when it did not.
fn failure_in(output: &str) -> Option<String> {
    if FAILURES.iter().any(|mark| output.starts_with(mark)) {
        return Some(output.to_owned());
    }
    let mut last = output.trim_end().lines().rev().filter(|line| !line.trim().is_empty());
    let exit = last.next().filter(|line| line.starts_with(EXIT) && *line != "exit code 0")?;
    // What went wrong mostly stands in a line that says so, or else at the end.
    let says = |line: &&str| {
        ["error", "fail", "panicked", "错误", "失败"].iter().any(|word| line.to_lowercase().contains(word))
    };
    let lines: Vec<&str> = last.take(200).collect();
    let why = lines.iter().find(|line| says(line)).or(lines.first()).copied().unwrap_or_default();
    Some(format!("{exit}: {why}").trim_end_matches([' ', ':']).to_owned())
}

/// A text in one line, bounded.
pub(super) fn line_of(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((cut, _)) => format!("{}…", line.get(..cut).unwrap_or_default()),
        None => line,
    }
}
