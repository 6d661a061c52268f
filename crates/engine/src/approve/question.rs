//! A question to a person, as data: what would run to the last character, why it is asked, and what it would touch.

use reasonix_agent::{Args, Ask};
use reasonix_policy::{By, suggest, visible};
use reasonix_proto::{AskId, Asking, Danger, Field, Phrase};
use std::borrow::Cow;

/// A field of a question is never longer than this; the diff shows the rest.
const LONGEST_FIELD: usize = 400;

/// More than this is not listed of what a call would touch.
const MOST_TOUCHED: usize = 20;

pub(super) async fn question(id: &AskId, ask: &Ask<'_>, by: &By, digest: String) -> Asking {
    let danger = match by {
        By::Danger(found) => found.iter().map(shown_danger).collect(),
        _ => Vec::new(),
    };
    let why = match by {
        By::Rule(rule) => Phrase::new("engine.ask_rule").with("rule", rule),
        By::Danger(_) => Phrase::new("engine.ask_danger"),
        _ => Phrase::new("engine.ask_mode"),
    };
    let diff = ask.tool.preview(ask.args).await;
    let fields = ask.args.iter().map(|(name, value)| Field { name: name.clone(), value: shown(value) }).collect();
    let subject = ask.action.title();
    let plain = match visible(&subject) {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text),
    };
    Asking {
        ask: id.clone(),
        call: ask.call.id.clone(),
        tool: ask.tool.spec().name.clone(),
        why,
        fields,
        diff,
        // Nothing dangerous is ever remembered.
        rules: if danger.is_empty() { suggest(ask.action) } else { Vec::new() },
        danger,
        visible: plain,
        subject,
        digest,
    }
}

fn shown_danger(danger: &reasonix_policy::Danger) -> Danger {
    let mut touches: Vec<String> =
        danger.touches.iter().take(MOST_TOUCHED).map(|path| visible(path).into_owned()).collect();
    if danger.touches.len() > MOST_TOUCHED {
        touches.push("…".to_owned());
    }
    Danger { why: danger.why.clone(), touches }
}

/// What an answer is about: the tool and every byte of its arguments.
pub(super) fn digest(tool: &str, args: &Args) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(tool.as_bytes());
    hasher.update(&[0]);
    hasher.update(serde_json::to_string(args).unwrap_or_default().as_bytes());
    hasher.finalize().to_hex().to_string()
}

fn shown(value: &serde_json::Value) -> String {
    let text = match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let text = visible(&text).into_owned();
    match text.char_indices().nth(LONGEST_FIELD) {
        None => text,
        Some((at, _)) => format!("{}… ({} bytes)", text.get(..at).unwrap_or_default(), text.len()),
    }
}
