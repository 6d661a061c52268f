//! Notices that a model makes the same call again and again. Pure: it is told of calls and of what they came to.
//! A turn begins with a fresh one: new intent inherits no repetition.

use reasonix_proto::{Action, Family, ReadOnly, ToolOutcome};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many of the last calls are looked at.
const WINDOW: usize = 6;
/// The same call with the same outcome: this one, counted with those before it, does not run.
const THRESHOLD: usize = 3;
/// The same for looks that differ in numbers alone, such as a limit: they came to the same all the same.
const NEARLY: usize = 4;
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
    /// The calls of this message.
    message: Vec<u64>,
    /// Calls that stand several times in this message were held back; that counts once.
    doubled: bool,
}

#[derive(Debug)]
struct Seen {
    call: u64,
    /// The same whatever numbers it has.
    nearly: u64,
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
        let (call, nearly) = (signature(tool, args, false), signature(tool, args, true));
        let kind = kind_of(action);
        // Nobody has told the model anything between the calls of one message.
        let again = self.message.contains(&call);
        self.message.push(call);
        let recent = || self.seen.iter().rev().take(WINDOW);
        let (times, alike) = count(recent().filter(|seen| seen.call == call));
        if times >= THRESHOLD && alike {
            self.held += u32::from(!again || !std::mem::replace(&mut self.doubled, true));
            return Err(times);
        }
        let (times, alike) = count(recent().filter(|seen| seen.nearly == nearly && seen.outcome.is_some()));
        if kind == Kind::Reader && times >= NEARLY && alike {
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
        self.keep(Seen { call, nearly, kind, outcome: None });
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
        (self.counted, self.doubled) = (false, false);
        self.message.clear();
    }

    /// Takes a call that cannot run at all: it names no tool, or its arguments cannot be read. Nothing that is done in
    /// between makes it one that can, so the same one is never forgotten.
    pub(crate) fn vain(&mut self, tool: &str, arguments: &str) {
        let call = hash(&(tool, arguments, "vain"));
        let times = self.seen.iter().rev().take(WINDOW).filter(|seen| seen.call == call).count() + 1;
        if times >= THRESHOLD {
            self.held += 1;
        } else {
            self.keep(Seen { call, nearly: call, kind: Kind::Editor, outcome: Some(0) });
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

/// How many calls there are with this one, and whether those before it came to the same, as far as that is known.
fn count<'a>(seen: impl Iterator<Item = &'a Seen>) -> (usize, bool) {
    let outcomes: Vec<Option<u64>> = seen.map(|seen| seen.outcome).collect();
    let mut known = outcomes.iter().flatten();
    let first = known.next();
    (outcomes.len() + 1, known.all(|outcome| Some(outcome) == first))
}

fn kind_of(action: &Action) -> Kind {
    match (action.read_only, action.family) {
        (ReadOnly::Yes, _) => Kind::Reader,
        (_, Family::Edit) => Kind::Editor,
        _ => Kind::Other,
    }
}

/// The same for calls that mean the same: spaces, `./`, the order of arguments, numbers that are written as text, and arguments
/// that say nothing do not count; and with `nearly` no number does.
fn signature(tool: &str, args: &Map<String, Value>, nearly: bool) -> u64 {
    let args = args.iter().filter(|(_, value)| !says_nothing(value));
    let plain: BTreeMap<&String, Value> = args.map(|(name, value)| (name, near(value, nearly))).collect();
    let plain: Vec<String> = plain.iter().map(|(name, value)| format!("{name}={value}")).collect();
    hash(&(tool, plain))
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

fn near(value: &Value, nearly: bool) -> Value {
    match value {
        Value::Number(_) if nearly => Value::Null,
        Value::Number(number) => Value::String(number.to_string()),
        Value::String(text) => {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let text = text.strip_prefix("./").unwrap_or(&text);
            Value::String(text.strip_suffix('/').unwrap_or(text).to_owned())
        }
        Value::Array(items) => items.iter().map(|item| near(item, nearly)).collect(),
        Value::Object(fields) => {
            let sorted: BTreeMap<&String, Value> =
                fields.iter().map(|(name, value)| (name, near(value, nearly))).collect();
            Value::Object(sorted.into_iter().map(|(name, value)| (name.clone(), value)).collect())
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
        /// A call in a message of its own.
        fn call(&mut self, tool: &str, args: Value, outcome: &str) -> bool {
            self.0.begin();
            self.beside(tool, args, outcome)
        }

        /// A call in the same message as the one before.
        fn beside(&mut self, tool: &str, args: Value, outcome: &str) -> bool {
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

    /// Those that ran have outcomes by the time the next of the same message is looked at.
    #[test]
    fn the_same_call_many_times_in_one_message_counts_once() {
        let mut turn = turn();
        turn.0.begin();
        let ran = (0..9).filter(|_| turn.beside("read", json!({ "path": "a" }), "x")).count();
        assert_eq!(ran, 2);
        assert!(!turn.0.is_over(), "the model was told once");
        for _ in 0..2 {
            turn.0.begin();
            assert!((0..9).all(|_| !turn.beside("read", json!({ "path": "a" }), "x")));
        }
        assert!(turn.0.is_over());
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

    /// Of the same looks in one message two run; the model is told of the others, and has another chance.
    #[test]
    fn the_same_looks_in_one_message_are_held_back() {
        for (kind, message, ran) in [
            ("six of the same", vec![json!({ "path": "a" }); 6], 2),
            ("six others", (0..6).map(|n| json!({ "path": format!("f{n}") })).collect(), 6),
            (
                "the same in other words",
                vec![
                    json!({ "path": "a", "limit": 5 }),
                    json!({ "limit": "5", "path": "./a" }),
                    json!({ "path": " a", "limit": 5, "offset": null }),
                ],
                2,
            ),
            (
                "twice each",
                vec![json!({ "path": "a" }), json!({ "path": "b" }), json!({ "path": "a" }), json!({ "path": "b" })],
                4,
            ),
        ] {
            let mut turn = turn();
            turn.0.begin();
            let read = Action::reads(Family::Read, "");
            let args = message.iter().map(|args| args.as_object().unwrap());
            let admitted: Vec<_> = args.filter_map(|args| turn.0.admit("read", args, &read).ok()).collect();
            assert_eq!(admitted.len(), ran, "{kind}");
            assert!(!turn.0.is_over(), "{kind}: the model is told first");
        }
        let mut turn = turn();
        let (read, Value::Object(args)) = (Action::reads(Family::Read, ""), json!({ "path": "a" })) else { panic!() };
        for message in 0..2 {
            assert!(!turn.0.is_over(), "{message}");
            turn.0.begin();
            let admitted: Vec<_> = (0..6).filter_map(|_| turn.0.admit("read", &args, &read).ok()).collect();
            admitted.into_iter().for_each(|signature| turn.0.outcome(signature, &ToolOutcome::done("x")));
        }
        assert!(turn.0.is_over(), "told, and made all the same");
    }

    /// A look whose numbers alone differ and that comes to the same again and again is one.
    #[test]
    fn looks_that_differ_in_numbers_alone() {
        for (kind, tool, outcomes, ran) in [
            ("the same outcome", "read", ["x"; 6], 3),
            ("other outcomes", "read", ["a", "b", "c", "d", "e", "f"], 6),
            ("commands are their numbers", "bash", ["x"; 6], 6),
        ] {
            let mut turn = turn();
            let each = outcomes.iter().enumerate();
            let count =
                each.filter(|(n, outcome)| turn.call(tool, json!({ "path": "a", "limit": n + 10 }), outcome)).count();
            assert_eq!(count, ran, "{kind}");
        }
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
