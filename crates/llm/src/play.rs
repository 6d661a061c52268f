//! Plays a script as a model.

use crate::Script;
use crate::script::{Call, Step};
use futures_util::stream;
use reasonix_agent::{Failure, Item, Model, ModelCard, ModelStream, Request, Stop};
use reasonix_proto::{CallId, FailureClass, Message, Phrase, StopReason, ToolCall, Usage};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What the text of a step may name: the content of the last message before it.
const LAST_RESULT: &str = "{{last_result}}";

/// A model that plays a script, a step for each request; `name` is `provider/model`.
pub fn scripted(script: Script, name: impl Into<String>, window: u64) -> Arc<dyn Model> {
    Arc::new(Player { card: ModelCard::new(name, window), script, next: AtomicUsize::new(0) })
}

struct Player {
    card: ModelCard,
    script: Script,
    next: AtomicUsize,
}

impl Model for Player {
    fn card(&self) -> &ModelCard {
        &self.card
    }

    fn stream(&self, request: Request, stop: Stop) -> ModelStream {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (delay, items) = match self.script.steps.get(number) {
            Some(step) => (Duration::from_millis(step.delay_ms), play(step, number + 1, &request)),
            None => {
                let phrase = Phrase::new("llm.script_over").with("steps", self.script.len());
                (Duration::ZERO, vec![failed(FailureClass::BadResponse, phrase)])
            }
        };
        let items = (VecDeque::from(items), delay, stop);
        Box::pin(stream::unfold(items, |(mut items, delay, stop)| async move {
            tokio::select! {
                biased;
                () = stop.cancelled() => return None,
                () = tokio::time::sleep(delay), if !delay.is_zero() => {}
                () = std::future::ready(()), if delay.is_zero() => {}
            }
            Some((items.pop_front()?, (items, Duration::ZERO, stop)))
        }))
    }
}

/// The items of one step.
fn play(step: &Step, number: usize, request: &Request) -> Vec<Item> {
    let last = request.messages.last().map_or(Cow::Borrowed(""), |message| match message.as_ref() {
        Message::User { text, .. } | Message::Assistant { text, .. } => Cow::Borrowed(text.as_str()),
        Message::Tool { content, .. } => content.words(),
    });
    let last = last.as_ref();
    if let Some(expected) = &step.expect
        && !last.contains(expected.as_str())
    {
        let phrase = Phrase::new("llm.script_expected").with("step", number).with("expected", expected);
        return vec![failed(FailureClass::BadResponse, phrase.with("found", shown(last)))];
    }
    let mut items: Vec<Item> = step.think.as_slice().iter().cloned().map(Item::Reasoning).collect();
    items.extend(step.say.as_slice().iter().map(|piece| Item::Text(piece.replace(LAST_RESULT, last))));
    if step.drop {
        let phrase = Phrase::new("llm.script_failed").with("step", number).with("message", "the stream was dropped");
        items.push(failed(FailureClass::StreamBroken, phrase));
        return items;
    }
    if let Some(fail) = &step.fail {
        let phrase = Phrase::new("llm.script_failed").with("step", number).with("message", &fail.message);
        items.push(failed(fail.class, phrase));
        return items;
    }
    let number = number.max(named_so_far(request) + 1);
    for (place, call) in step.calls.iter().enumerate() {
        items.push(Item::Call(wired(call, number, place)));
    }
    items.extend(step.usage.map(|counts| Item::Usage(Usage::from(counts))));
    items.push(Item::End(if step.calls.is_empty() { StopReason::End } else { StopReason::Calls }));
    items
}

/// The highest number that a call without an id of its own was named by: a session that goes on in another process begins
/// its script anew, and no name stands twice.
fn named_so_far(request: &Request) -> usize {
    let calls = request.messages.iter().flat_map(|message| match message.as_ref() {
        Message::Assistant { calls, .. } => calls.as_slice(),
        _ => &[],
    });
    let number = |call: &ToolCall| call.id.0.strip_prefix("call_")?.split_once('_')?.0.parse().ok();
    calls.filter_map(number).max().unwrap_or(0)
}

fn wired(call: &Call, number: usize, place: usize) -> ToolCall {
    let id = call.id.clone().unwrap_or_else(|| format!("call_{number}_{place}"));
    let arguments = match &call.arguments {
        Value::String(raw) => raw.clone(),
        Value::Null => "{}".to_owned(),
        other => other.to_string(),
    };
    ToolCall { id: CallId(id), name: call.tool.clone(), arguments }
}

fn failed(class: FailureClass, phrase: Phrase) -> Item {
    Item::Failed(Failure::new(class, phrase))
}

/// The beginning of a text, for a message.
fn shown(text: &str) -> String {
    text.chars().take(200).collect()
}
