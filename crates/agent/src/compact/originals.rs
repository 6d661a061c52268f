//! Where everything that was folded can be read: a text for each folding, whose first lines say where those before it are, so
//! that one address leads to all of them.

use crate::ports::Artifacts;
use reasonix_proto::{Compacted, Message};
use std::fmt::Write as _;
use std::sync::Arc;

/// What each of the first lines begins with.
const ENTRY: &str = "- artifact://";

/// Addresses that one text has; where there are more, the one before it has the older ones.
const MOST: usize = 200;

/// Keeps what is folded now and gives its address; the earlier one where there is nothing to keep, or it cannot be kept.
pub(super) fn keep(
    gone: &[Arc<Message>],
    earlier: Option<&Compacted>,
    first: u64,
    artifacts: &dyn Artifacts,
) -> Option<String> {
    let before = earlier.map(addresses).unwrap_or_default();
    let last = before.last().cloned();
    if gone.is_empty() {
        return last;
    }
    let mut text = String::from("What was folded of this conversation, whole.\n");
    let entries = entries(&before, artifacts);
    if !entries.is_empty() {
        text.push_str("Earlier parts, oldest first, to be read in the same way:\n");
        entries.iter().for_each(|entry| {
            let _ = writeln!(text, "{entry}");
        });
    }
    let users = gone.iter().filter(|message| matches!(***message, Message::User { .. })).count() as u64;
    let _ = match users {
        0 => writeln!(text, "{PART}what was done after message {} of the user.\n", first.saturating_sub(1)),
        1 => writeln!(text, "{PART}message {first} of the user, and what was done.\n"),
        _ => writeln!(text, "{PART}messages {first} to {} of the user, and what was done.\n", first + users - 1),
    };
    if let Some(earlier) = earlier {
        earlier.notes.iter().for_each(|note| {
            let _ = write!(text, "## notes on what was before\n{note}\n\n");
        });
    }
    gone.iter().for_each(|message| transcribe(&mut text, message));
    artifacts.put(text.as_bytes()).ok().map(|kept| kept.uri).or(last)
}

/// What the line begins with that says what a text has.
const PART: &str = "This part: ";

/// Where what was folded earlier is. Logs of earlier versions have an address in each note.
fn addresses(earlier: &Compacted) -> Vec<String> {
    match &earlier.carried {
        Some(carried) => Some(carried.originals.clone()).filter(|uri| !uri.is_empty()).into_iter().collect(),
        None => earlier.notes.iter().chain(&earlier.pins).flat_map(|text| named(text)).collect(),
    }
}

/// The addresses that a text names.
fn named(text: &str) -> Vec<String> {
    let scheme = ENTRY.trim_start_matches("- ");
    let end = |rest: &str| rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let ids = text.split(scheme).skip(1).map(|rest| rest.get(..end(rest)).unwrap_or_default());
    ids.filter(|id| !id.is_empty()).map(|id| format!("{scheme}{id}")).collect()
}

/// A line for each earlier text: those that the last one names, and that one itself.
fn entries(before: &[String], artifacts: &dyn Artifacts) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for uri in before {
        let text = artifacts.get(uri).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let head: Vec<&str> = text.lines().take(MOST + 5).take_while(|line| !line.is_empty()).collect();
        if before.len() == 1 {
            entries.extend(head.iter().filter(|line| line.starts_with(ENTRY)).map(|line| (*line).to_owned()));
        }
        if entries.len() >= MOST {
            entries = vec![format!("- {uri}: the addresses of everything before it")];
        }
        let part = head.iter().find_map(|line| line.strip_prefix(PART)).unwrap_or("an earlier part");
        entries.push(format!("- {uri}: {part}"));
    }
    entries
}

/// A message as plain text, for whoever wants to look again.
fn transcribe(text: &mut String, message: &Message) {
    let _ = match message {
        Message::User { text: said, .. } => write!(text, "## user\n{said}\n\n"),
        Message::Assistant { text: said, calls, .. } => {
            let called: Vec<String> = calls.iter().map(|call| format!("{} {}", call.name, call.arguments)).collect();
            write!(text, "## assistant\n{said}\n{}\n\n", called.join("\n"))
        }
        Message::Tool { name, content, .. } => write!(text, "## result of {name}\n{content}\n\n"),
    };
}
