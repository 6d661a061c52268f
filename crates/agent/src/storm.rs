//! Notices that a model makes the same call again and again. Pure: it is told of calls and of what they came to.
//! A turn begins with a fresh one: new intent inherits no repetition.

use reasonix_proto::{Action, Family, ReadOnly, ToolOutcome};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many of the last calls are looked at.
const WINDOW: usize = 6;
/// The same call with the same outcome: this one, counted with those before it, does not run.
const THRESHOLD: usize = 3;
/// The same call with other outcomes, such as a poll: so many in a row are too many.
const POLLS: usize = 12;
/// So many calls that did not run end the turn.
const PATIENCE: u32 = 3;
/// So many steps in a row of which no call could run, however different they are, end it too.
const VAIN_STEPS: u32 = 6;

/// The calls of a turn, as far as they matter for repetition.
#[derive(Debug, Default)]
pub(crate) struct Storm {
    seen: VecDeque<Seen>,
    held: u32,
    /// Steps in a row of which no call could run.
    vain: u32,
    /// This step is among them.
    counted: bool,
}

#[derive(Debug)]
struct Seen {
    call: u64,
    kind: Kind,
    outcome: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Reader,
    Editor,
    /// A command, or whatever else may change something.
    Other,
}

/// The place of an admitted call, for its outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signature(u64);

impl Storm {
    /// Takes a call before it runs: its signature, or how often it was made when it should not run again.
    pub(crate) fn admit(&mut self, tool: &str, args: &Map<String, Value>, action: &Action) -> Result<Signature, usize> {
        let call = signature(tool, args);
        let kind = kind_of(action);
        let same = |seen: &&Seen| seen.call == call;
        let recent: Vec<&Seen> = self.seen.iter().rev().take(WINDOW).filter(same).collect();
        let alike = recent
            .iter()
            .all(|seen| seen.outcome.is_some() && seen.outcome == recent.first().and_then(|first| first.outcome));
        let times = recent.len() + 1;
        if times >= THRESHOLD && alike {
            self.held += 1;
            return Err(times);
        }
        let in_a_row = self.seen.iter().rev().take_while(|seen| seen.call == call).count() + 1;
        if in_a_row >= POLLS {
            self.held += 1;
            return Err(in_a_row);
        }
        (self.vain, self.counted) = (0, true);
        self.clear_the_way(kind);
        self.keep(Seen { call, kind, outcome: None });
        Ok(Signature(call))
    }

    fn keep(&mut self, seen: Seen) {
        self.seen.push_back(seen);
        if self.seen.len() > POLLS {
            self.seen.pop_front();
        }
    }

    /// The calls of another step follow.
    pub(crate) fn begin(&mut self) {
        self.counted = false;
    }

    /// Takes a call that cannot run at all: it names no tool, or its arguments cannot be read. Nothing that is done in
    /// between makes it one that can, so the same one is never forgotten.
    pub(crate) fn vain(&mut self, tool: &str, arguments: &str) {
        let call = hash(&(tool, arguments, "vain"));
        let times = self.seen.iter().rev().take(WINDOW).filter(|seen| seen.call == call).count() + 1;
        if times >= THRESHOLD {
            self.held += 1;
        } else {
            self.keep(Seen { call, kind: Kind::Editor, outcome: Some(0) });
        }
        if !std::mem::replace(&mut self.counted, true) {
            self.vain += 1;
        }
    }

    /// What may have changed is worth looking at again: a change forgets the readers before it, an edit also the
    /// commands. Edits are never forgotten: the same edit twice is no progress.
    fn clear_the_way(&mut self, kind: Kind) {
        match kind {
            Kind::Reader => {}
            Kind::Editor => self.seen.retain(|seen| seen.kind == Kind::Editor),
            Kind::Other => self.seen.retain(|seen| seen.kind != Kind::Reader),
        }
    }

    /// Takes what an admitted call came to.
    pub(crate) fn outcome(&mut self, Signature(call): Signature, outcome: &ToolOutcome) {
        let open = self.seen.iter_mut().find(|seen| seen.call == call && seen.outcome.is_none());
        if let Some(seen) = open {
            seen.outcome = Some(hash(&crate::context::outcome_text(outcome)));
        }
    }

    /// True when the model was told often enough.
    pub(crate) fn is_over(&self) -> bool {
        self.held >= PATIENCE || self.vain >= VAIN_STEPS
    }
}

fn kind_of(action: &Action) -> Kind {
    match (action.read_only, action.family) {
        (ReadOnly::Yes, _) => Kind::Reader,
        (_, Family::Edit) => Kind::Editor,
        _ => Kind::Other,
    }
}

/// The same for calls that mean the same: spaces, `./`, and arguments that say nothing do not count.
fn signature(tool: &str, args: &Map<String, Value>) -> u64 {
    let plain: Map<String, Value> = args
        .iter()
        .filter(|(_, value)| !says_nothing(value))
        .map(|(name, value)| (name.clone(), near(value)))
        .collect();
    hash(&(tool, Value::Object(plain).to_string()))
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

fn near(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let text = text.strip_prefix("./").unwrap_or(&text);
            Value::String(text.strip_suffix('/').unwrap_or(text).to_owned())
        }
        Value::Array(items) => items.iter().map(near).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), near(value))).collect())
        }
        other => other.clone(),
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::{POLLS, Storm};
    use reasonix_proto::{Action, Family, ToolOutcome};
    use serde_json::{Value, json};

    struct Turn(Storm);

    impl Turn {
        fn call(&mut self, tool: &str, args: Value, outcome: &str) -> bool {
            let action = match tool {
                "read" => Action::reads(Family::Read, ""),
                "edit" => Action::writes(Family::Edit, vec![]),
                _ => Action::writes(Family::Bash, vec![]),
            };
            let Value::Object(args) = args else { panic!("an object") };
            match self.0.admit(tool, &args, &action) {
                Ok(signature) => {
                    self.0.outcome(signature, &ToolOutcome::done(outcome));
                    true
                }
                Err(_) => false,
            }
        }
    }

    fn turn() -> Turn {
        Turn(Storm::default())
    }

    #[test]
    fn the_third_of_the_same_does_not_run() {
        let mut turn = turn();
        assert!(turn.call("read", json!({ "path": "a" }), "x"));
        assert!(turn.call("read", json!({ "path": "b" }), "x"));
        assert!(turn.call("read", json!({ "path": "./a ", "limit": null }), "x"), "the second of the near-same");
        assert!(!turn.call("read", json!({ "path": "a" }), "x"));
        assert!(turn.call("read", json!({ "path": "c" }), "x"));
        assert!(!turn.0.is_over());
        assert!(!turn.call("read", json!({ "path": "a" }), "x"));
        assert!(!turn.call("read", json!({ "path": "a" }), "x"));
        assert!(turn.0.is_over());
    }

    #[test]
    fn an_edit_makes_a_second_look_and_a_second_run_legitimate() {
        let mut turn = turn();
        for number in 0..10 {
            assert!(turn.call("read", json!({ "path": "a" }), "x"), "{number}");
            assert!(turn.call("bash", json!({ "command": "cargo test" }), "failed"), "{number}");
            assert!(turn.call("edit", json!({ "path": "a", "new": number }), "ok"), "{number}");
        }
    }

    #[test]
    fn a_command_makes_a_second_look_legitimate_but_not_itself() {
        let mut turn = turn();
        for _ in 0..2 {
            assert!(turn.call("read", json!({ "path": "a" }), "x"));
            assert!(turn.call("bash", json!({ "command": "make" }), "failed"));
        }
        assert!(turn.call("read", json!({ "path": "a" }), "x"));
        assert!(!turn.call("bash", json!({ "command": "make" }), "failed"));
    }

    #[test]
    fn the_same_edit_is_a_storm() {
        let mut turn = turn();
        assert!(turn.call("edit", json!({ "path": "a" }), "not found"));
        assert!(turn.call("edit", json!({ "path": "a" }), "not found"));
        assert!(!turn.call("edit", json!({ "path": "a" }), "not found"));
    }

    #[test]
    fn a_poll_that_learns_something_goes_on_for_a_while() {
        let mut turn = turn();
        let ran = (0..30).filter(|number| turn.call("bash", json!({ "command": "date" }), &number.to_string())).count();
        assert_eq!(ran, POLLS - 1);
    }

    #[test]
    fn what_cannot_run_is_a_storm_by_the_same_bound() {
        let mut turn = turn();
        for number in 0..5 {
            assert!(!turn.0.is_over(), "{number}");
            turn.0.begin();
            turn.0.vain("no_such_tool", "{}");
        }
        assert!(turn.0.is_over(), "the same one");
        let mut turn = self::turn();
        for number in 0..6 {
            assert!(!turn.0.is_over(), "{number}");
            turn.0.begin();
            (0..8).for_each(|call| turn.0.vain(&format!("no_such_tool_{number}_{call}"), "{}"));
        }
        assert!(turn.0.is_over(), "another one each time");
    }

    #[test]
    fn whoever_finds_the_right_name_goes_on() {
        let mut turn = turn();
        for number in 0..20 {
            turn.0.begin();
            turn.0.vain(&format!("misspelt_{number}"), "{}");
            assert!(turn.call("read", json!({ "path": number.to_string() }), "x"), "{number}");
            assert!(!turn.0.is_over(), "{number}");
        }
    }

    #[test]
    fn far_apart_is_no_storm() {
        let mut turn = turn();
        for number in 0..20 {
            assert!(turn.call("read", json!({ "path": format!("f{}", number % 5) }), "x"), "{number}");
        }
    }
}
