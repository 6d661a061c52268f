//! Sessions of other programs, read into records. Nothing of them is run, no approval comes along, and nothing is shown
//! otherwise than it is sent: whoever made the file may be nobody's friend.

use crate::header::{Header, header};
use crate::pack::is_load;
use crate::shape::Shape;
use reasonix_agent::{Artifacts, Bound, bound};
use reasonix_proto::{CallId, Message, RecordBody, StopReason, ToolCall, ToolOutcome, TurnEnd, Usage, unhidden};
use serde_json::Value;
use std::collections::HashSet;

/// A foreign session, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreign {
    /// What made it: `reasonix`, `reasonix-go` or `claude-code`.
    pub program: &'static str,
    /// The records in order, each with its time in milliseconds since the Unix epoch; 0 where the file has none.
    pub bodies: Vec<(u64, RecordBody)>,
    /// Lines that could not be used.
    pub skipped: usize,
}

/// The most bytes of what somebody said; the rest is left out.
const LONGEST: usize = 256 * 1024;
/// The most characters of a call's id or name, which every endpoint takes.
const LONGEST_NAME: usize = 64;

/// Reads a file of another program; what is too long of a result is kept as an artifact. None when nothing in it is a
/// message.
pub fn foreign(text: &str, model: &str, artifacts: &dyn Artifacts) -> Option<Foreign> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader::new(model, artifacts);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    // What a packed session carries beside its log is for whoever goes on with all of it.
    for line in last_branch(lines).into_iter().filter(|line| !is_load(line)) {
        match serde_json::from_str::<Value>(line) {
            Ok(value) => reader.line(&value),
            Err(_) => reader.skipped += 1,
        }
    }
    reader.end_turn();
    (reader.turn > 0).then_some(Foreign { program: reader.program, bodies: reader.bodies, skipped: reader.skipped })
}

/// The lines of the branch that a log of our own was last on, and those that are no records; of any other file all.
fn last_branch(lines: Vec<&str>) -> Vec<&str> {
    let headers: Vec<_> = lines.iter().map(|line| header(line.as_bytes())).collect();
    let mut shape = Shape::default();
    headers.iter().flatten().for_each(|header| shape.push(*header, 0, 0));
    let path: HashSet<usize> = shape.leaf().map(|leaf| shape.path(leaf)).unwrap_or_default().into_iter().collect();
    let mut place = 0..;
    let stands = |header: &Option<Header>| header.is_none() || place.next().is_some_and(|place| path.contains(&place));
    let stands: Vec<bool> = headers.iter().map(stands).collect();
    lines.into_iter().zip(stands).filter(|(_, stands)| *stands).map(|(line, _)| line).collect()
}

struct Reader<'a> {
    program: &'static str,
    model: &'a str,
    artifacts: &'a dyn Artifacts,
    bodies: Vec<(u64, RecordBody)>,
    turn: u32,
    step: u32,
    /// Calls without a result, with the ids that the file gives them.
    open: Vec<(String, ToolCall)>,
    /// The ids that calls have here.
    ids: HashSet<String>,
    at: u64,
    ended: bool,
    skipped: usize,
}

impl<'a> Reader<'a> {
    fn new(model: &'a str, artifacts: &'a dyn Artifacts) -> Self {
        let (bodies, open, ids) = (Vec::new(), Vec::new(), HashSet::new());
        let (turn, step, at, ended, skipped) = (0, 0, 0, false, 0);
        Self { program: "", model, artifacts, bodies, turn, step, open, ids, at, ended, skipped }
    }

    fn line(&mut self, value: &Value) {
        // Our own log, from another machine: what was said and done, without decisions and grants.
        if value.get("kind").is_some() {
            self.program = "reasonix";
            return self.own(value);
        }
        self.at = value["timestamp"].as_str().and_then(millis).unwrap_or(self.at);
        let (message, program) = match value.get("message") {
            Some(message) => (message, "claude-code"),
            None => (value, "reasonix-go"),
        };
        if self.program.is_empty() && message.get("role").is_some() {
            self.program = program;
        }
        if value["isSidechain"] == true || value["isMeta"] == true {
            return;
        }
        match message["role"].as_str() {
            Some("user") => self.user(&message["content"]),
            Some("assistant") => self.assistant(message),
            Some("tool") => {
                let call = message["tool_call_id"].as_str().unwrap_or_default();
                self.result(call, &plain(&message["content"]), false);
            }
            Some("system") => {}
            _ => self.skipped += usize::from(value.get("role").is_some() || value.get("message").is_some()),
        }
    }

    fn own(&mut self, value: &Value) {
        self.at = value["at"].as_u64().unwrap_or(self.at);
        let Ok(body) = serde_json::from_value::<RecordBody>(value.clone()) else {
            self.skipped += 1;
            return;
        };
        match body {
            RecordBody::Prompt { text, .. } => self.prompt(&text),
            RecordBody::Note { text, by_user, .. } if self.turn > 0 => {
                let turn = self.turn;
                self.close_calls();
                self.push(RecordBody::Note { turn, text: seen(&text), typed: None, images: Vec::new(), by_user });
            }
            RecordBody::Assistant { message: Message::Assistant { text, calls, .. }, .. } => self.said(text, calls),
            RecordBody::Outcome { call, outcome, .. } => {
                let failed = !outcome.is_done();
                self.result(call.as_str(), &reasonix_agent::outcome_text(&outcome), failed);
            }
            _ => {}
        }
    }

    fn user(&mut self, content: &Value) {
        let mut said = Vec::new();
        match content {
            Value::Array(blocks) => {
                for block in blocks {
                    match block["type"].as_str() {
                        Some("tool_result") => {
                            let call = block["tool_use_id"].as_str().unwrap_or_default();
                            self.result(call, &plain(&block["content"]), block["is_error"] == true);
                        }
                        Some("text") => said.push(plain(block)),
                        Some(other) => said.push(format!("[{other}]")),
                        None => {}
                    }
                }
            }
            other => said.push(plain(other)),
        }
        let text = said.join("\n");
        if !text.trim().is_empty() {
            self.prompt(&text);
        }
    }

    fn prompt(&mut self, text: &str) {
        self.end_turn();
        (self.turn, self.step, self.ended) = (self.turn + 1, 0, false);
        // A message that says nothing is refused by endpoints.
        let text = if text.trim().is_empty() { "[empty]".to_owned() } else { seen(text) };
        self.push(RecordBody::Prompt { turn: self.turn, text, typed: None, images: Vec::new() });
    }

    fn assistant(&mut self, message: &Value) {
        let mut text = Vec::new();
        let mut calls = Vec::new();
        match &message["content"] {
            Value::Array(blocks) => {
                for block in blocks {
                    match block["type"].as_str() {
                        Some("text") => text.push(plain(block)),
                        Some("tool_use") => calls.push(call(&block["id"], &block["name"], &block["input"])),
                        _ => {}
                    }
                }
            }
            other => text.push(plain(other)),
        }
        for found in message["tool_calls"].as_array().into_iter().flatten() {
            let inner = if found.get("function").is_some() { &found["function"] } else { found };
            let pick = |name: &str, other: &str| if inner.get(name).is_some() { &inner[name] } else { &inner[other] };
            let id = if found.get("id").is_some() { &found["id"] } else { &found["ID"] };
            calls.push(call(id, pick("name", "Name"), pick("arguments", "Arguments")));
        }
        self.said(text.join("\n"), calls);
    }

    fn said(&mut self, text: String, calls: Vec<ToolCall>) {
        if self.turn == 0 || (text.trim().is_empty() && calls.is_empty()) {
            return;
        }
        let (text, theirs) = (seen(&text), calls.iter().map(|call| call.id.0.clone()).collect::<Vec<_>>());
        let calls: Vec<ToolCall> = calls.into_iter().map(|call| self.admitted(call)).collect();
        let opened = theirs.into_iter().zip(calls.iter().cloned());
        // Some programs write each block as a line of its own: calls of one answer belong together.
        if let Some((
            _,
            RecordBody::Assistant { message: Message::Assistant { text: before, calls: known, stop, .. }, .. },
        )) = self.bodies.last_mut()
        {
            if !text.is_empty() && !before.is_empty() {
                before.push('\n');
            }
            before.push_str(&text);
            self.open.extend(opened);
            known.extend(calls);
            *stop = if known.is_empty() { StopReason::End } else { StopReason::Calls };
            return;
        }
        self.close_calls();
        self.step += 1;
        let stop = if calls.is_empty() { StopReason::End } else { StopReason::Calls };
        self.open.extend(opened);
        let message = Message::Assistant { text, reasoning: None, calls, stop };
        let (turn, step, model) = (self.turn, self.step, self.model.to_owned());
        self.push(RecordBody::Assistant { turn, step, model, message, usage: None });
    }

    /// A call as an endpoint takes it: with an id that no other has, a name, and an object of arguments.
    fn admitted(&mut self, call: ToolCall) -> ToolCall {
        let legal = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        let usable = |id: &String| !id.is_empty() && id.len() <= LONGEST_NAME && legal(id);
        let mut id = call.id.0;
        let mut number = self.ids.len();
        while !usable(&id) || self.ids.contains(&id) {
            number += 1;
            id = format!("imported_{number}");
        }
        self.ids.insert(id.clone());
        let is_object = serde_json::from_str::<serde_json::Map<String, Value>>(&call.arguments).is_ok();
        let arguments = if is_object { call.arguments } else { "{}".to_owned() };
        let name: String = call.name.chars().take(LONGEST_NAME).collect();
        let name = if name.is_empty() || !legal(&name) { "unknown".to_owned() } else { name };
        ToolCall { id: CallId(id), name, arguments }
    }

    fn result(&mut self, id: &str, content: &str, failed: bool) {
        let Some(place) = self.open.iter().position(|(theirs, _)| theirs == id) else { return };
        let (_, call) = self.open.remove(place);
        let content = obeyed_by_none(content);
        let outcome = if failed { ToolOutcome::failed(content) } else { ToolOutcome::done(content) };
        let outcome = bound(outcome, Bound::for_window(0), self.artifacts);
        self.push(RecordBody::Outcome { call: call.id, tool: call.name, took_ms: 0, outcome });
    }

    fn close_calls(&mut self) {
        for (_, call) in std::mem::take(&mut self.open) {
            let outcome = ToolOutcome::Aborted;
            self.push(RecordBody::Outcome { call: call.id, tool: call.name, took_ms: 0, outcome });
        }
    }

    fn end_turn(&mut self) {
        if self.turn == 0 || self.ended {
            return;
        }
        self.close_calls();
        if !matches!(self.bodies.last(), Some((_, RecordBody::Assistant { message: Message::Assistant { calls, .. }, .. })) if calls.is_empty())
        {
            self.said(reasonix_agent::INTERRUPTED.to_owned(), Vec::new());
        }
        self.ended = true;
        let (turn, usage) = (self.turn, Usage::default());
        self.push(RecordBody::TurnEnded {
            turn,
            end: TurnEnd::Done,
            steps: self.step.saturating_sub(1),
            usage,
            cost: None,
        });
    }

    fn push(&mut self, body: RecordBody) {
        self.bodies.push((self.at, body));
    }
}

fn call(id: &Value, name: &Value, input: &Value) -> ToolCall {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let arguments = input.as_str().map_or_else(|| input.to_string(), str::to_owned);
    ToolCall { id: CallId(text(id)), name: text(name), arguments }
}

/// A text as people see it and as it may be sent: bounded, without what a terminal would obey and what nobody sees.
fn seen(text: &str) -> String {
    let end = text.floor_char_boundary(LONGEST);
    let (kept, left) = text.split_at(end);
    let mut out = obeyed_by_none(&unhidden(kept).text);
    if !left.is_empty() {
        out.push_str(&format!("\n[… {} bytes left out]", left.len()));
    }
    out
}

/// A text without what a terminal would obey.
fn obeyed_by_none(text: &str) -> String {
    let clean = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c };
    text.replace("\r\n", "\n").chars().map(clean).collect()
}

/// The text of a string, of a block, or of a list of blocks.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().map(plain).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"),
        Value::Object(block) => block.get("text").and_then(Value::as_str).unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

/// Milliseconds of a time such as `2026-11-15T06:20:00.123Z`.
fn millis(text: &str) -> Option<u64> {
    let (date, time) = text.split_once('T')?;
    let mut date = date.split('-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let mut time = time.trim_end_matches('Z').split(':').map(|part| part.parse::<f64>().ok());
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    if !(1970..3000).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Counted from March, so that the leap day is the last one of its year.
    let (shifted, place) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + (153 * place + 2) / 5 + day - 1;
    let seconds = hour * 3600.0 + minute * 60.0 + second;
    Some((days.checked_sub(719_468)?) * 86_400_000 + (seconds * 1000.0).max(0.0) as u64)
}

#[cfg(test)]
mod tests {
    use super::{foreign, millis};
    use crate::MemoryArtifacts;
    use reasonix_proto::RecordBody;

    fn kinds(text: &str) -> (String, Vec<String>) {
        let read = foreign(text, "x/y", &MemoryArtifacts::default()).expect("messages");
        let kind = |body: &RecordBody| serde_json::to_value(body).unwrap()["kind"].as_str().unwrap().to_owned();
        (read.program.to_owned(), read.bodies.iter().map(|(_, body)| kind(body)).collect())
    }

    #[test]
    fn a_session_of_claude_code() {
        let text = r#"{"type":"summary","summary":"x"}
{"type":"user","message":{"role":"user","content":"fix it"},"timestamp":"2026-11-15T06:20:00.123Z","cwd":"/w"}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I look."}]},"timestamp":"2026-11-15T06:20:01Z"}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"rm -rf /"}}]}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"no"}],"is_error":true}]}}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Done."}]}}
not json
"#;
        let (program, kinds) = kinds(text);
        assert_eq!(program, "claude-code");
        assert_eq!(kinds, ["prompt", "assistant", "outcome", "assistant", "turn_ended"]);
        let read = foreign(text, "x/y", &MemoryArtifacts::default()).unwrap();
        assert_eq!(read.skipped, 1);
        assert_eq!(read.bodies[0].0, 1_794_723_600_123);
    }

    #[test]
    fn a_session_of_the_go_edition() {
        let text = r#"{"role":"system","content":"s"}
{"role":"user","content":"hi"}
{"role":"assistant","content":"","tool_calls":[{"ID":"a","Name":"ls","Arguments":"{}"},{"ID":"b","Name":"ls","Arguments":"{}"}]}
{"role":"tool","tool_call_id":"a","name":"ls","content":"x"}
{"role":"user","content":"again"}
"#;
        let (program, kinds) = kinds(text);
        assert_eq!(program, "reasonix-go");
        assert_eq!(
            kinds,
            [
                "prompt",
                "assistant",
                "outcome",
                "outcome",
                "assistant",
                "turn_ended",
                "prompt",
                "assistant",
                "turn_ended"
            ]
        );
    }

    #[test]
    fn our_own_log_comes_without_decisions_and_nonsense_is_nothing() {
        let text = r#"{"id":1,"parent":null,"at":5,"kind":"session","v":1,"session":"s","version":"1","cwd":"/w","model":"p/m","system":"s","tools":[],"sandbox":"off"}
{"id":2,"parent":1,"at":6,"kind":"prompt","turn":1,"text":"hi"}
{"id":3,"parent":2,"at":7,"kind":"decided","call":"c","allowed":true,"by":"user","granted":"Bash(rm:*)"}
{"id":4,"parent":3,"at":7,"kind":"granted","rule":"Bash(rm:*)","effect":"allow","scope":"session"}
"#;
        let (program, kinds) = kinds(text);
        assert_eq!(
            (program.as_str(), kinds),
            ("reasonix", vec!["prompt".into(), "assistant".into(), "turn_ended".into()])
        );
        assert!(foreign("{}\n[]\nhello", "m", &MemoryArtifacts::default()).is_none());
    }

    #[test]
    fn of_our_own_log_only_the_branch_comes_that_was_last_in_use() {
        let text = r#"{"id":1,"parent":null,"at":5,"kind":"session","v":1,"session":"s","version":"1","cwd":"/w","model":"p/m","system":"s","tools":[],"sandbox":"off"}
{"id":2,"parent":1,"at":6,"kind":"prompt","turn":1,"text":"taken back"}
{"id":3,"parent":1,"at":7,"kind":"moved","to":1,"why":"rewind"}
{"id":4,"parent":3,"at":8,"kind":"prompt","turn":2,"text":"stands"}
{"id":5,"parent":4,"at":8,"kind":"note","turn":2,"text":"from the loop","by_user":false}
"#;
        let read = foreign(text, "x/y", &MemoryArtifacts::default()).unwrap();
        let said: Vec<_> = read
            .bodies
            .iter()
            .filter_map(|(_, body)| match body {
                RecordBody::Prompt { text, .. } => Some((text.as_str(), true)),
                RecordBody::Note { text, by_user, .. } => Some((text.as_str(), *by_user)),
                _ => None,
            })
            .collect();
        assert_eq!(said, [("stands", true), ("from the loop", false)]);
    }

    #[test]
    fn times_are_read() {
        assert_eq!(millis("1970-01-01T00:00:01Z"), Some(1000));
        assert_eq!(millis("2000-03-01T00:00:00Z"), Some(951_868_800_000));
        assert_eq!(millis("x"), None);
    }
}
