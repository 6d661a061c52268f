//! Calls written as JSON: `{"name": …, "arguments": …}` and its many relatives.

use super::arguments::object_in;
use super::lexicon::Lexicon;
use super::loose;
use reasonix_proto::Fix;
use serde_json::{Map, Value};

/// The most calls of one answer that are taken out of its text.
pub(crate) const MOST: usize = 16;

/// A call that was found in a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// The tool's own name.
    pub(crate) tool: String,
    pub(crate) args: Map<String, Value>,
    pub(crate) fixes: Vec<(Fix, String)>,
}

const NAMES: [&str; 8] =
    ["name", "tool_name", "tool", "function_name", "function", "action", "recipient_name", "tool_call"];
const ARGUMENTS: [&str; 10] = [
    "arguments",
    "parameters",
    "args",
    "params",
    "input",
    "tool_input",
    "action_input",
    "kwargs",
    "tool_args",
    "function_arguments",
];
const WRAPPINGS: [&str; 7] = ["function", "function_call", "tool_call", "tool_calls", "tool_uses", "action", "calls"];

/// How sure one has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Markup around it says that it is a call.
    Marked,
    /// Nothing but its form does: name and arguments must be there and fit the tool's schema.
    FormOnly,
}

/// The calls at the beginning of a text, one or several values, and the byte behind them. Once there are more than may be
/// taken it does not matter how many.
pub(crate) fn calls(text: &str, lexicon: &Lexicon, proof: Proof) -> Option<(Vec<Found>, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        let gap = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',' || c == ';').len();
        let rest = rest.get(gap..)?;
        if !rest.starts_with(['{', '[']) || found.len() > MOST {
            break;
        }
        let Some(read) = loose::read(rest) else { break };
        let fixes = fixes(&read.marks);
        if proof == Proof::FormOnly && fixes.iter().any(|(fix, _)| fix.is_doubtful()) {
            return None;
        }
        let mut these = Vec::new();
        if !gather(&read.value, lexicon, proof, 0, &mut these) {
            break;
        }
        these.iter_mut().for_each(|call| call.fixes.extend(fixes.iter().cloned()));
        found.extend(these);
        at += gap + read.end;
    }
    // A bracket too many is a frequent slip.
    let rest = text.get(at..)?;
    let extra = rest.len() - rest.trim_start_matches(['}', ']']).len();
    (!found.is_empty()).then_some((found, at + if proof == Proof::Marked { extra } else { 0 }))
}

fn fixes(marks: &loose::Marks) -> Vec<(Fix, String)> {
    let mut fixes: Vec<(Fix, String)> = marks.faults.iter().map(|fault| (Fix::Syntax, (*fault).to_owned())).collect();
    if marks.quotes {
        fixes.push((Fix::Quotes, "in a text".to_owned()));
    }
    match &marks.cut {
        loose::Cut::No => {}
        loose::Cut::Brackets => fixes.push((Fix::Closed, "brackets".to_owned())),
        loose::Cut::Inside(name) => fixes.push((Fix::CutOff, format!("inside {name}"))),
    }
    fixes
}

/// Adds the calls in a value; false when it is anything but calls.
fn gather(value: &Value, lexicon: &Lexicon, proof: Proof, depth: usize, found: &mut Vec<Found>) -> bool {
    match value {
        _ if depth > 4 => false,
        Value::Array(items) => {
            !items.is_empty() && items.iter().all(|item| gather(item, lexicon, proof, depth + 1, found))
        }
        Value::Object(map) => match call(map, lexicon, proof) {
            Some(call) => {
                found.push(call);
                true
            }
            None => {
                let inner = WRAPPINGS.iter().find_map(|name| map.get(*name));
                inner.is_some_and(|inner| {
                    (inner.is_object() || inner.is_array()) && gather(inner, lexicon, proof, depth + 1, found)
                })
            }
        },
        _ => false,
    }
}

fn call(map: &Map<String, Value>, lexicon: &Lexicon, proof: Proof) -> Option<Found> {
    let named = NAMES.iter().find_map(|key| Some((*key, lexicon.find(map.get(*key)?.as_str()?)?)));
    let Some((key, tool)) = named else { return by_key(map, lexicon, proof) };
    let written = ARGUMENTS.iter().find_map(|key| map.get(*key));
    let (args, fixes) = match written {
        Some(Value::Object(args)) => (args.clone(), Vec::new()),
        Some(Value::String(text)) => {
            let (args, mut fixes) = object_in(text, false).ok()?;
            fixes.push((Fix::Unwrapped, "a text".to_owned()));
            (args, fixes)
        }
        Some(Value::Null) => (Map::new(), Vec::new()),
        Some(_) => return None,
        None => {
            let beside = ["id", "type", "call_id", "index", key];
            let args: Map<String, Value> = map
                .iter()
                .filter(|(name, _)| !beside.contains(&name.as_str()))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            // Arguments beside the name must be known ones.
            if proof == Proof::FormOnly || !args.keys().all(|name| lexicon.knows(tool, name)) {
                return None;
            }
            (args, Vec::new())
        }
    };
    if proof == Proof::FormOnly && !lexicon.fits(tool, &args) {
        return None;
    }
    Some(Found { tool: tool.to_owned(), args, fixes })
}

/// `{"read_file": {…}}`: the tool is the key.
fn by_key(map: &Map<String, Value>, lexicon: &Lexicon, proof: Proof) -> Option<Found> {
    let mut entries = map.iter();
    let ((name, Value::Object(args)), None) = (entries.next()?, entries.next()) else { return None };
    let tool = lexicon.find(name)?;
    (proof == Proof::Marked).then(|| Found { tool: tool.to_owned(), args: args.clone(), fixes: Vec::new() })
}

/// Whether what has come of a JSON text can still become a call.
pub(crate) fn may_become(text: &str, lexicon: &Lexicon) -> bool {
    let mut text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '[');
    for _ in 0..3 {
        let Some(rest) = text.strip_prefix('{') else { return text.is_empty() };
        let rest = rest.trim_start();
        let Some(quoted) = rest.strip_prefix(['"', '\'']) else {
            return rest.is_empty() || rest.starts_with(|c: char| c.is_alphabetic() || c == '/' || c == '\\');
        };
        let Some((key, rest)) = quoted.split_once(['"', '\'']) else { return quoted.len() < 64 };
        if !NAMES.contains(&key)
            && !ARGUMENTS.contains(&key)
            && !WRAPPINGS.contains(&key)
            && !matches!(key, "id" | "type" | "index" | "thoughts" | "call_id")
        {
            return lexicon.find(key).is_some();
        }
        let Some(rest) = rest.trim_start().strip_prefix(':') else { return true };
        let rest = rest.trim_start();
        if let Some(value) = rest.strip_prefix(['"', '\''])
            && NAMES.contains(&key)
        {
            let Some((name, _)) = value.split_once(['"', '\'']) else { return value.len() < 128 };
            return lexicon.find(name).is_some();
        }
        if !rest.starts_with('{') {
            return true;
        }
        if ARGUMENTS.contains(&key) {
            return true;
        }
        text = rest;
    }
    true
}
