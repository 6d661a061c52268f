//! Notices that a model makes the same call again and again. Pure: it is told of calls and of what they came to.
//! A turn begins with a fresh one: new intent inherits no repetition.

use reasonix_proto::{Action, Family, ReadOnly, ToolOutcome};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many of the last calls are looked at.
const WINDOW: usize = 6;
/// The same call with the same outcome: this one, counted with those before it, does not run.
const THRESHOLD: usize = 3;
/// The same for looks that differ in numbers alone, such as a limit: they came to the same all the same.
const NEARLY: usize = 4;
/// The same call with the same outcome however far apart, with no change since: whoever works looks a second time, and a third.
const AFAR: usize = 5;
/// The same for looks and command lines that differ in their numbers alone.
const NEARLY_AFAR: usize = 10;
/// What is shorter than this is said by many commands, such as that it went well: it does not make two of them the same.
const TELLING: usize = 64;
/// The same call with other outcomes, such as a poll: so many in a row are too many.
const POLLS: usize = 12;
/// The same of the session's own tools, such as the one that waits for background commands.
const OWN_POLLS: usize = 60;
/// So many calls that did not run end the turn.
const PATIENCE: u32 = 3;
/// So many steps in a row of which no call could run, however different they are, end it too.
const VAIN_STEPS: u32 = 6;

/// The calls of a turn, as far as they matter for repetition.
#[derive(Debug, Default)]
pub(crate) struct Storm {
    seen: VecDeque<Seen>,
    /// What calls came to, and those that are alike but for their numbers, over the whole turn.
    known: HashMap<(Likeness, u64), Known>,
    /// The last call that ran, and how often in a row.
    row: (u64, usize),
    held: u32,
    /// Nothing was held back before this message.
    untold: bool,
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

/// What a call came to last, and how often in a row since something changed.
#[derive(Debug)]
struct Known {
    outcome: u64,
    times: usize,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Reader,
    Editor,
    /// A command, or whatever else may change something.
    Other,
}

/// What does not make one call another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Likeness {
    /// How it is written.
    Written,
    /// Its numbers.
    Numbers,
    /// Numbers in its texts too.
    Digits,
}

/// An admitted call, for its outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signature {
    call: u64,
    /// The same whatever numbers it has, where those alone do not make it another call.
    loosely: Option<u64>,
    kind: Kind,
}

impl Signature {
    /// The same of a call that was taken for a reader and changed something.
    pub(crate) fn that_wrote(self) -> Self {
        Self { kind: Kind::Other, ..self }
    }

    fn keys(self) -> impl Iterator<Item = ((Likeness, u64), usize)> {
        let loosely = self.loosely.map(|call| ((Likeness::Digits, call), NEARLY_AFAR));
        std::iter::once(((Likeness::Written, self.call), AFAR)).chain(loosely)
    }
}

impl Storm {
    /// Takes a call before it runs: its signature, or how often it was made when it should not run again.
    pub(crate) fn admit(&mut self, tool: &str, args: &Map<String, Value>, action: &Action) -> Result<Signature, usize> {
        let [call, nearly] = [Likeness::Written, Likeness::Numbers].map(|likeness| signature(tool, args, likeness));
        let kind = kind_of(action);
        let loosely = match (kind, action.family) {
            (Kind::Reader | Kind::Other, Family::Bash) => Some(signature(tool, args, Likeness::Digits)),
            (Kind::Reader, _) => Some(nearly),
            _ => None,
        };
        let sign = Signature { call, loosely, kind };
        // Nobody has told the model anything between the calls of one message.
        let again = self.message.contains(&call);
        self.message.push(call);
        if let Some(times) = self.too_often(sign, nearly, action.family) {
            self.hold(again);
            return Err(times);
        }
        (self.vain, self.counted) = (0, true);
        self.row = (call, if self.row.0 == call { self.row.1 + 1 } else { 1 });
        self.clear_the_way(kind);
        self.keep(Seen { call, nearly, kind, outcome: None });
        Ok(sign)
    }

    /// How often a call was made, with this one, where that is too often.
    fn too_often(&self, sign: Signature, nearly: u64, family: Family) -> Option<usize> {
        let Signature { call, kind, .. } = sign;
        let recent = || self.seen.iter().rev().take(WINDOW);
        let (times, alike) = count(recent().filter(|seen| seen.call == call));
        if times >= THRESHOLD && alike {
            return Some(times);
        }
        let (times, alike) = count(recent().filter(|seen| seen.nearly == nearly && seen.outcome.is_some()));
        if kind == Kind::Reader && times >= NEARLY && alike {
            return Some(times);
        }
        let known = |(key, most)| self.known.get(&key).map(|known| known.times + 1).filter(|times| *times >= most);
        if let Some(times) = sign.keys().find_map(known) {
            return Some(times);
        }
        let most = if family == Family::Own { OWN_POLLS } else { POLLS };
        Some(self.row.1 + 1).filter(|times| self.row.0 == call && *times >= most)
    }

    /// A call does not run. The model has to be told once before more of them count.
    fn hold(&mut self, again: bool) {
        self.held = match self.untold {
            true => 1,
            false => self.held + u32::from(!again || !std::mem::replace(&mut self.doubled, true)),
        };
    }

    fn keep(&mut self, seen: Seen) {
        self.seen.push_back(seen);
        if self.seen.len() > POLLS {
            self.seen.pop_front();
        }
    }

    /// The calls of another step follow.
    pub(crate) fn begin(&mut self) {
        (self.counted, self.doubled, self.untold) = (false, false, self.held == 0);
        self.message.clear();
    }

    /// What came before is not there any more, or does not hold any more: every call may be made again.
    pub(crate) fn forget(&mut self) {
        self.seen.clear();
        self.known.clear();
        self.row = (0, 0);
    }

    /// Takes a call that cannot run at all: it names no tool, or its arguments cannot be read. Nothing that is done in
    /// between makes it one that can, so the same one is never forgotten.
    pub(crate) fn vain(&mut self, tool: &str, arguments: &str) {
        let call = hash(&(tool, arguments, "vain"));
        let times = self.seen.iter().rev().take(WINDOW).filter(|seen| seen.call == call).count() + 1;
        if times >= THRESHOLD {
            self.hold(false);
        } else {
            self.keep(Seen { call, nearly: call, kind: Kind::Editor, outcome: Some(0) });
        }
        self.row = (call, 1);
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
    pub(crate) fn outcome(&mut self, sign: Signature, outcome: &ToolOutcome) {
        let text = crate::context::outcome_text(outcome);
        let came = hash(&text);
        let open = self.seen.iter_mut().find(|seen| seen.call == sign.call && seen.outcome.is_none());
        if let Some(seen) = open {
            seen.outcome = Some(came);
        }
        let loosely = sign.loosely.filter(|_| text.len() >= TELLING);
        let sign = Signature { loosely, ..sign };
        let is_known = sign.keys().any(|(key, _)| self.known.get(&key).is_some_and(|known| known.outcome == came));
        let ran = matches!(outcome, ToolOutcome::Done { .. } | ToolOutcome::Failed { .. });
        let changed = match sign.kind {
            Kind::Reader => false,
            Kind::Editor => matches!(outcome, ToolOutcome::Done { .. }),
            Kind::Other => ran,
        };
        if changed && !is_known {
            self.known.values_mut().filter(|known| known.kind != Kind::Editor).for_each(|known| known.times = 0);
        }
        for (key, _) in sign.keys() {
            let known = self.known.entry(key).or_insert(Known { outcome: came, times: 0, kind: sign.kind });
            let times = if known.outcome == came { known.times + 1 } else { 1 };
            *known = Known { outcome: came, times, kind: sign.kind };
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
/// that say nothing do not count; and whatever likeness leaves out.
fn signature(tool: &str, args: &Map<String, Value>, likeness: Likeness) -> u64 {
    let args = args.iter().filter(|(_, value)| !says_nothing(value));
    let plain: BTreeMap<&String, Value> = args.map(|(name, value)| (name, near(value, likeness))).collect();
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

fn near(value: &Value, likeness: Likeness) -> Value {
    match value {
        Value::Number(_) if likeness != Likeness::Written => Value::Null,
        Value::Number(number) => Value::String(number.to_string()),
        Value::String(text) => {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let text = text.strip_prefix("./").unwrap_or(&text);
            let text = text.strip_suffix('/').unwrap_or(text);
            Value::String(if likeness == Likeness::Digits { without_numbers(text) } else { text.to_owned() })
        }
        Value::Array(items) => items.iter().map(|item| near(item, likeness)).collect(),
        Value::Object(fields) => {
            let sorted: BTreeMap<&String, Value> =
                fields.iter().map(|(name, value)| (name, near(value, likeness))).collect();
            Value::Object(sorted.into_iter().map(|(name, value)| (name.clone(), value)).collect())
        }
        other => other.clone(),
    }
}

/// A text in which one number is like another.
fn without_numbers(text: &str) -> String {
    let pieces = text.split(|c: char| c.is_ascii_digit()).filter(|piece| !piece.is_empty());
    pieces.collect::<Vec<_>>().join("0")
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::{OWN_POLLS, POLLS, Storm};
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
                "look" => Action::reads(Family::Bash, ""),
                "job" => Action::reads(Family::Own, ""),
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
        let mut turn = self::turn();
        let ran = (0..90).filter(|number| turn.call("job", json!({ "poll": ["1"] }), &number.to_string())).count();
        assert_eq!(ran, OWN_POLLS - 1);
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

    /// What a call is, and what it comes to.
    type Made = (&'static str, String, String);

    fn made(tool: &'static str, what: impl Into<String>, outcome: impl Into<String>) -> Made {
        (tool, what.into(), outcome.into())
    }

    /// How many of these run before the turn is over.
    fn ran(turn: &mut Turn, calls: impl IntoIterator<Item = Made>) -> usize {
        let mut ran = 0;
        for (tool, what, outcome) in calls {
            if turn.0.is_over() {
                break;
            }
            ran += usize::from(turn.call(tool, json!({ "command": what }), &outcome));
        }
        ran
    }

    /// What a test run says, to its last lines.
    const FAILS: &str = "test parser::reads_a_number ... FAILED\n\nfailures:\n    parser::reads_a_number\n\ntest result: FAILED. 11 passed";

    fn lines(number: usize) -> String {
        format!("cargo test 2>&1 | tail -{number}")
    }

    #[test]
    fn runaways_are_told_and_stopped_however_far_apart_their_calls_are() {
        let file = |n: usize| made("read", format!("f{n}"), "x");
        let circle = |length: usize| (0..150).map(move |n| file(n % length)).collect::<Vec<_>>();
        let commands =
            |n: usize| made("bash", format!("make part{}", ["a", "b", "c", "d"][n % 4]), "nothing to be done");
        let edits = |n: usize| made("edit", ["a", "b", "c", "d"][n % 4], "changed");
        for (what, calls, most) in [
            ("four files in a circle", circle(4), 16),
            ("twenty files in a circle", circle(20), 80),
            ("a test, a line more each time", (11..71).map(|n| made("bash", lines(n), FAILS)).collect(), 9),
            ("the same by a command that only reads", (11..71).map(|n| made("look", lines(n), FAILS)).collect(), 9),
            ("four commands in a circle", (0..150).map(commands).collect(), 24),
            ("four changes in a circle", (0..150).map(edits).collect(), 16),
            (
                "a test and a look in turns",
                (0..150).map(|n| if n % 2 == 0 { made("bash", lines(n), FAILS) } else { file(n / 2 % 4) }).collect(),
                24,
            ),
        ] {
            let mut turn = turn();
            let count = ran(&mut turn, calls);
            assert!(count <= most && turn.0.is_over(), "{what}: {count}");
        }
    }

    #[test]
    fn honest_work_is_no_storm_however_long_it_is() {
        let file = |n: usize| made("read", format!("f{n}"), "x");
        let test = || made("bash", "cargo test", FAILS);
        let name = |n: usize| "abcdefghijklmnopqrstuvwxyz".get(n % 26..=n % 26).unwrap_or_default();
        let each = |of: &dyn Fn(usize) -> Vec<Made>| (0..40).flat_map(of).collect::<Vec<_>>();
        for (what, calls) in [
            ("each file four times, far apart", (0..80).map(|n| file(n % 20)).collect()),
            ("a test after each change", each(&|n| vec![made("edit", n.to_string(), "changed"), test(), file(1)])),
            (
                "a change by a command",
                each(&|n| vec![made("bash", format!("sed -i {n}d f"), ""), file(1), file(2), file(3)]),
            ),
            ("folders by number", each(&|n| vec![made("bash", format!("mkdir part{n}"), "")])),
            ("issues by number", each(&|n| vec![made("bash", format!("gh issue close {n}"), "{\"ok\": true}")])),
            ("pieces of a long log", each(&|n| vec![made("look", format!("sed -n {n}0,{n}9p log"), n.to_string())])),
            (
                "looks that find nothing",
                each(&|n| vec![made("look", format!("grep -n TODO src/f{n}.rs"), "exit code 1")]),
            ),
            ("other files", each(&|n| vec![made("look", format!("cat {}{n}", name(n)), format!("{n}{FAILS}"))])),
            ("a job that is waited for", each(&|n| vec![made("job", "job-1", format!("still running, {n} s"))])),
            ("a state that changes", each(&|n| vec![made("bash", "git status", name(n)), file(n), file(n + 1)])),
        ] {
            let mut turn = turn();
            let of = calls.len();
            assert_eq!(ran(&mut turn, calls), of, "{what}");
        }
    }

    /// What was folded away, or stands in a new light, may be looked at again.
    #[test]
    fn what_was_forgotten_may_be_made_again() {
        let mut turn = turn();
        for round in 0..10 {
            assert_eq!(ran(&mut turn, (0..16).map(|n| made("read", format!("f{}", n % 4), "x"))), 16, "{round}");
            turn.0.forget();
        }
        assert_eq!(ran(&mut turn, (0..30).map(|n| made("read", format!("f{}", n % 4), "x"))), 16);
    }

    /// The model has to have read it once before it counts again, however many calls of one message it was about.
    #[test]
    fn a_message_of_many_is_told_before_the_turn_ends() {
        let mut turn = turn();
        for message in 0..6 {
            assert!(!turn.0.is_over(), "{message}");
            turn.0.begin();
            let ran = (0..8).filter(|n| turn.beside("read", json!({ "path": format!("f{n}") }), "x")).count();
            assert_eq!(ran, if message < 4 { 8 } else { 0 }, "{message}");
        }
        assert!(turn.0.is_over());
    }
}
