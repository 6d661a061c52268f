//! The model and the tools of a session that is played again: they say and do what the log has, or what the recorded
//! bytes come to.

use crate::replay::Heard;
use crate::replay::tape::Tape;
use futures_util::stream;
use reasonix_agent::{
    Args, BoxFuture, Call, Class, Failure, INTERRUPTED, Item, Model, ModelCard, ModelStream, NO_ANSWER, Request, Stop,
    Tool, ToolSpec,
};
use reasonix_proto::{
    Action, Exchange, ExchangeEnd, FailureClass, Message, Phrase, RecordBody, StopReason, ToolOutcome,
};
use reasonix_session::Reel;
use std::sync::{Arc, Mutex, PoisonError};

/// The model.
pub(crate) struct Voice {
    card: ModelCard,
    tape: Arc<Tape>,
    reel: Option<Reel>,
    heard: Mutex<Heard>,
}

impl Voice {
    pub(crate) fn new(name: &str, tape: Arc<Tape>, reel: Option<Reel>) -> Self {
        Self { card: ModelCard::new(name, 0), tape, reel, heard: Mutex::default() }
    }

    /// What was read out of recorded bytes so far.
    pub(crate) fn heard(&self) -> Heard {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The items of the next answer, out of its recorded bytes. Of several attempts the last one is the answer.
    fn recorded(&self, request: &Request) -> Option<Vec<Item>> {
        let reel = self.reel.as_ref()?;
        let found = reel.after(&self.tape.before_answer());
        let last = found.last().filter(|found| is_answer(&found.exchange));
        let bytes = last.and_then(|last| last.bytes().ok());
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some(last), Some(bytes)) = (last, bytes) else {
            heard.missing += 1;
            return None;
        };
        heard.answers += 1;
        heard.bytes += bytes.len() as u64;
        let model = last.exchange.name();
        let other =
            (model != self.card.name).then(|| Item::Switched { model, why: Phrase::new("engine.replay_model") });
        Some(other.into_iter().chain(reasonix_llm::hear(&last.exchange, &bytes, request.clone())).collect())
    }

    /// The items of the next answer.
    fn items(&self) -> Vec<Item> {
        let lost = || Failure::new(FailureClass::BadResponse, Phrase::new("engine.replay_over"));
        let Some((record, repairs, failed)) = self.tape.next_answer() else { return vec![Item::Failed(lost())] };
        let RecordBody::Assistant { model, message, usage, .. } = record.body else { return Vec::new() };
        let mut items = Vec::new();
        if model != self.card.name {
            items.push(Item::Switched { model, why: Phrase::new("engine.replay_model") });
        }
        items.extend(spoken(message));
        items.extend(repairs.into_iter().map(Item::Repaired));
        items.extend(usage.map(Item::Usage));
        if let Some(failure) = failed {
            items.retain(|item| !matches!(item, Item::End(_)));
            items.push(Item::Failed(failure));
        }
        // What ends an answer is its last item.
        items.sort_by_key(|item| matches!(item, Item::End(_)));
        items
    }
}

/// True when all bytes of an answer are there, and there are some.
fn is_answer(exchange: &Exchange) -> bool {
    exchange.is_whole() && exchange.bytes > 0 && exchange.end != ExchangeEnd::Stopped
}

/// A message as it came.
fn spoken(message: Message) -> Vec<Item> {
    let Message::Assistant { text, reasoning, calls, stop } = message else { return Vec::new() };
    let mut items = Vec::new();
    if let Some(reasoning) = reasoning {
        items.push(Item::Reasoning(reasoning.text));
        items.extend(reasoning.kept.map(Item::Kept));
    }
    let ours =
        matches!(stop, StopReason::Interrupted | StopReason::Failed) && (text == NO_ANSWER || text == INTERRUPTED);
    if !text.is_empty() && !ours {
        items.push(Item::Text(text));
    }
    items.extend(calls.into_iter().map(Item::Call));
    items.push(Item::End(stop));
    items
}

impl Model for Voice {
    fn card(&self) -> &ModelCard {
        &self.card
    }

    fn stream(&self, request: Request, _stop: Stop) -> ModelStream {
        Box::pin(stream::iter(self.recorded(&request).unwrap_or_else(|| self.items())))
    }
}

/// A tool whose code is not run.
pub(crate) struct Actor {
    tool: Arc<dyn Tool>,
    tape: Arc<Tape>,
}

impl Actor {
    pub(crate) fn new(tool: Arc<dyn Tool>, tape: Arc<Tape>) -> Self {
        Self { tool, tape }
    }
}

impl Tool for Actor {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    fn aliases(&self) -> &'static [&'static str] {
        self.tool.aliases()
    }

    fn action(&self, args: &Args) -> Action {
        self.tool.action(args)
    }

    fn title(&self, args: &Args, action: &Action) -> String {
        self.tool.title(args, action)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            // Calls that ran together begin before the first of them ends.
            tokio::task::yield_now().await;
            if call.class == Class::Reader && self.tape.is_judged_again(call.id) {
                let _ = call.wanted.set(vec![".".to_owned()]);
            }
            self.tape.outcome(call.id).unwrap_or(ToolOutcome::Aborted)
        })
    }
}
