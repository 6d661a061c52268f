//! Two sessions beside each other: what each took, turn by turn, and where they first part. Pure.

use reasonix_agent::outcome_text;
use reasonix_proto::{Cost, Message, Record, RecordBody, Tally, Usage};
use serde::Serialize;

/// How much of a text is said about a difference.
const SAID: usize = 120;

/// Two sessions beside each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The first.
    pub a: Side,
    /// The second.
    pub b: Side,
    /// Their turns, the first with the first, and so on.
    pub turns: Vec<Pair>,
    /// Where they first part; none when they say the same.
    pub parts: Option<Parting>,
}

/// What one session took.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Side {
    /// Its turns.
    pub turns: usize,
    /// Its requests.
    pub requests: u64,
    /// Its calls.
    pub calls: usize,
    /// Calls that failed, were refused or aborted.
    pub failed: usize,
    /// What the providers counted.
    pub usage: Usage,
    /// The share of its input that came from caches, in percent.
    pub cached_percent: u64,
    /// What it cost, a currency each.
    pub costs: Vec<Cost>,
    /// The models that answered, in the order they first did.
    pub models: Vec<String>,
}

/// Two turns at the same place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The place, from 1.
    pub turn: usize,
    /// How they compare.
    pub kind: PairKind,
    /// The tools that the first called, in order.
    pub a: Vec<String>,
    /// The tools that the second called.
    pub b: Vec<String>,
}

/// How two turns compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PairKind {
    /// They say and do the same.
    Same,
    /// They do not.
    Differs,
    /// Only the first session has it.
    OnlyA,
    /// Only the second session has it.
    OnlyB,
}

/// Where two sessions part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Parting {
    /// The turn, from 1.
    pub turn: usize,
    /// What the first has there.
    pub a: String,
    /// What the second has.
    pub b: String,
}

/// One thing that was said or done; ids and times are left out.
#[derive(Debug, Clone, PartialEq)]
struct Said {
    what: String,
    text: String,
}

/// Compares two sessions, each as the records of its active branch.
pub fn compare(a: &[Record], b: &[Record]) -> Comparison {
    let (first, second) = (turns(a), turns(b));
    let mut parts = None;
    let mut pairs = Vec::new();
    for place in 0..first.len().max(second.len()) {
        let (one, other) = (first.get(place), second.get(place));
        let kind = match (one, other) {
            (Some(one), Some(other)) if one == other => PairKind::Same,
            (Some(_), Some(_)) => PairKind::Differs,
            (Some(_), None) => PairKind::OnlyA,
            _ => PairKind::OnlyB,
        };
        if kind != PairKind::Same && parts.is_none() {
            parts = Some(parting(place + 1, one.map_or(&[], Vec::as_slice), other.map_or(&[], Vec::as_slice)));
        }
        let called = |said: Option<&Vec<Said>>| -> Vec<String> {
            let calls = said.into_iter().flatten().filter_map(|said| said.what.strip_prefix("call "));
            calls.map(str::to_owned).collect()
        };
        pairs.push(Pair { turn: place + 1, kind, a: called(one), b: called(other) });
    }
    Comparison { a: side(a, first.len()), b: side(b, second.len()), turns: pairs, parts }
}

fn parting(turn: usize, a: &[Said], b: &[Said]) -> Parting {
    let place = a.iter().zip(b).position(|(one, other)| one != other).unwrap_or(a.len().min(b.len()));
    let (one, other) = (a.get(place), b.get(place));
    let from = match (one, other) {
        (Some(one), Some(other)) if one.what == other.what => common(&one.text, &other.text),
        _ => 0,
    };
    let words = |said: Option<&Said>| said.map_or_else(|| "-".to_owned(), |said| said.words(from));
    Parting { turn, a: words(one), b: words(other) }
}

/// How many characters two texts have in common at their beginning, less a few for orientation.
fn common(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count().saturating_sub(20)
}

impl Said {
    fn words(&self, from: usize) -> String {
        let cut = if from > 0 { "…" } else { "" };
        let text: String = self.text.chars().skip(from).take(SAID).collect();
        let more = if self.text.chars().nth(from + SAID).is_some() { "…" } else { "" };
        format!("{}: {cut}{text}{more}", self.what)
    }
}

/// What was said and done, turn by turn.
fn turns(records: &[Record]) -> Vec<Vec<Said>> {
    let mut turns: Vec<Vec<Said>> = Vec::new();
    for record in records {
        let begins = matches!(record.body, RecordBody::Prompt { .. } | RecordBody::Shell { .. });
        if begins {
            turns.push(Vec::new());
        }
        if let Some(turn) = turns.last_mut() {
            turn.extend(said(&record.body));
        }
    }
    turns
}

fn said(body: &RecordBody) -> Vec<Said> {
    let one = |what: &str, text: &str| Said { what: what.to_owned(), text: text.to_owned() };
    match body {
        RecordBody::Prompt { text, .. } => vec![one("prompt", text)],
        RecordBody::Note { text, .. } => vec![one("note", text)],
        RecordBody::Shell { command, .. } => vec![one("command", command)],
        RecordBody::ShellEnded { outcome, .. } => vec![one("result of the command", &outcome_text(outcome))],
        RecordBody::Assistant { message: Message::Assistant { text, calls, .. }, .. } => {
            let answer = (!text.is_empty()).then(|| one("answer", text));
            let calls = calls.iter().map(|call| one(&format!("call {}", call.name), &call.arguments));
            answer.into_iter().chain(calls).collect()
        }
        RecordBody::Outcome { tool, outcome, .. } => vec![one(&format!("result of {tool}"), &outcome_text(outcome))],
        _ => Vec::new(),
    }
}

fn side(records: &[Record], turns: usize) -> Side {
    let mut side = Side { turns, ..Side::default() };
    let mut tally = Tally::default();
    for record in records {
        match &record.body {
            RecordBody::Assistant { model, usage, message, .. } => {
                side.requests += 1;
                side.usage.add(usage.unwrap_or_default());
                if !side.models.contains(model) {
                    side.models.push(model.clone());
                }
                if let Message::Assistant { calls, .. } = message {
                    side.calls += calls.len();
                }
            }
            RecordBody::Outcome { outcome, .. } => {
                side.failed += usize::from(!matches!(outcome, reasonix_proto::ToolOutcome::Done { .. }));
            }
            RecordBody::TurnEnded { cost, .. } => tally.add(Usage::default(), cost.as_ref()),
            _ => {}
        }
    }
    side.cached_percent = side.usage.cached.saturating_mul(100).checked_div(side.usage.input).unwrap_or(0);
    side.costs = tally.costs;
    side
}

#[cfg(test)]
mod tests {
    use super::{PairKind, compare};
    use reasonix_proto::{CallId, Message, Record, RecordBody, RecordId, StopReason, ToolCall, ToolOutcome, Usage};

    fn session(id: &str, output: &str, more: bool) -> Vec<Record> {
        let calls =
            vec![ToolCall { id: CallId::from(id), name: "bash".into(), arguments: r#"{"command":"ls"}"#.into() }];
        let message = Message::Assistant { text: String::new(), reasoning: None, calls, stop: StopReason::Calls };
        let usage = Some(Usage { input: 200, cached: 100, output: 5, ..Usage::default() });
        let mut bodies = vec![
            RecordBody::Prompt { turn: 1, text: "hi".into(), typed: None, images: Vec::new() },
            RecordBody::Assistant { turn: 1, step: 1, model: "p/m".into(), message, usage },
            RecordBody::Outcome {
                call: CallId::from(id),
                tool: "bash".into(),
                took_ms: output.len() as u64,
                outcome: ToolOutcome::done(output),
            },
        ];
        if more {
            bodies.push(RecordBody::Prompt { turn: 2, text: "more".into(), typed: None, images: Vec::new() });
        }
        (1..).zip(bodies).map(|(at, body)| Record { id: RecordId(at), parent: None, at, body }).collect()
    }

    #[test]
    fn ids_and_times_do_not_matter_and_the_first_difference_is_found() {
        let same = compare(&session("a", "x", false), &session("b", "x", false));
        assert_eq!((same.parts, same.turns[0].kind), (None, PairKind::Same));
        assert_eq!((same.a.calls, same.a.cached_percent, same.a.requests), (1, 50, 1));
        let long = "the same beginning of a long line of output, and then ";
        let other = compare(&session("a", &format!("{long}this"), false), &session("b", &format!("{long}that"), false));
        let parts = other.parts.unwrap();
        assert_eq!(parts.turn, 1);
        assert!(parts.a.ends_with("then this") && parts.a.starts_with("result of bash: …"), "{parts:?}");
        let longer = compare(&session("a", "x", false), &session("b", "x", true));
        assert_eq!(longer.turns[1].kind, PairKind::OnlyB);
        assert_eq!(longer.parts.unwrap().b, "prompt: more");
    }
}
