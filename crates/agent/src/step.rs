//! One step's answer: a request goes out, the stream comes in, one assistant message is journaled.

use crate::aspect::{HeardPiece, Listener, Objection};
use crate::bound::{Bound, cut};
use crate::context::{INTERRUPTED, NO_ANSWER};
use crate::conversation::{Conversation, message_tokens};
use crate::fold::{Answer, Fold};
use crate::ports::{AnswerForm, Item, JournalError, Model, Request, Stop};
use crate::turn::Agent;
use futures_util::StreamExt;
use reasonix_proto::{
    Event, Fix, Level, Message, Phrase, RecordBody, RecordId, Repair, RulesFired, StopReason, TurnState, Usage,
};
use std::sync::Arc;
use tracing::Instrument;
use tracing::field::Empty;

/// How many items of a stream are taken at once when they are already there.
const BATCH: usize = 1024;

/// Asks the model and journals what it said, also when that is only a part.
pub(crate) async fn answer(
    agent: &Agent,
    conversation: &mut Conversation,
    (turn, step): (u32, u32),
    (model, may_call, form): (&dyn Model, bool, Option<&Arc<AnswerForm>>),
    stop: &Stop,
) -> Result<Answer, JournalError> {
    agent.state(TurnState::AwaitingModel);
    conversation.asks(&model.card().name);
    let asked = conversation.tokens();
    let request = conversation.request(may_call, agent.aspects.must_call().filter(|_| may_call));
    let request = Request { form: form.cloned(), ..request };
    // Whoever is interrupted before asking has sent nothing.
    let asks = !stop.is_cancelled();
    let listener = agent.aspects.listener(turn, &agent.tools);
    let mut answer = heard(agent, model, (request.clone(), asked), listener, stop).await;
    if answer.failure.is_some() {
        bound_text(agent, model.card().window, &mut answer.message);
    }
    let body = RecordBody::Assistant {
        turn,
        step,
        model: answer.model.clone(),
        message: answer.message.clone(),
        usage: answer.usage,
    };
    // Both are handed over at once: the ledger costs no waiting.
    let entry = asks.then(|| conversation.enter((turn, step), &answer.model, &request, answer.usage));
    let record = match entry {
        Some(entry) => {
            let (entered, record) = tokio::join!(agent.journal.append(entry), agent.journal.append(body));
            entered.and(record)?
        }
        None => agent.journal.append(body).await?,
    };
    let discarded = answer.objection.as_ref().is_some_and(|objection| objection.discard);
    answer.before = record.parent.filter(|_| discarded);
    if !discarded {
        conversation.apply(&record);
    }
    agent.sink.emit(Event::Message { record: Box::new(record) });
    if let Some(phrase) = lacking(&answer) {
        agent.sink.emit(Event::Notice { level: Level::Warning, phrase });
    }
    agent.budget.spent(&answer.model, counted(answer.usage, reckoned(asked, &answer.message)));
    if let Some(usage) = answer.usage {
        conversation.count(usage, !discarded);
        // People are shown the room that there is from now on: another model may have the next step.
        let window = agent.measure().card().window;
        agent.sink.emit(Event::Usage { usage, context: conversation.context(), window });
    }
    report(agent, (turn, step), &answer.repairs).await?;
    Ok(answer)
}

/// Keeps what was put right, and shows what a person should know of it.
pub(crate) async fn report(agent: &Agent, (turn, step): (u32, u32), repairs: &[Repair]) -> Result<(), JournalError> {
    if repairs.is_empty() {
        return Ok(());
    }
    agent.journal.append(RecordBody::Repaired { turn, step, repairs: repairs.to_vec() }).await?;
    let quiet = |fix: Fix| matches!(fix, Fix::Type | Fix::Argument | Fix::Nested | Fix::Tool);
    let mut shown: Vec<(Fix, Vec<&str>)> = Vec::new();
    for repair in repairs.iter().filter(|repair| !quiet(repair.fix)) {
        match shown.iter_mut().find(|(fix, _)| *fix == repair.fix) {
            Some((_, details)) => details.push(&repair.detail),
            None => shown.push((repair.fix, vec![&repair.detail])),
        }
    }
    for (fix, details) in shown {
        let phrase = said_of(fix).with("detail", details.join(", "));
        // What was not done must not be taken for an answer.
        let level = if fix == Fix::Unmade { Level::Warning } else { Level::Info };
        agent.sink.emit(Event::Notice { level, phrase });
    }
    Ok(())
}

/// What was found in an answer, and what came of it, in words for people.
fn said_of(fix: Fix) -> Phrase {
    match fix {
        Fix::Scavenged => Phrase::new("repair.scavenged"),
        Fix::Unmade => Phrase::new("repair.unmade"),
        Fix::Block => Phrase::new("repair.block"),
        Fix::Syntax | Fix::Closed => Phrase::new("repair.syntax"),
        Fix::CutOff => Phrase::new("repair.cut_off"),
        Fix::Quotes => Phrase::new("repair.quotes"),
        Fix::Unwrapped => Phrase::new("repair.unwrapped"),
        Fix::Unreadable => Phrase::new("repair.unreadable"),
        Fix::Thinking => Phrase::new("repair.thinking"),
        Fix::Leak => Phrase::new("repair.leak"),
        Fix::Spoilt => Phrase::new("repair.spoilt"),
        Fix::Thought => Phrase::new("repair.thought"),
        Fix::Storm => Phrase::new("repair.storm"),
        Fix::Loop => Phrase::new("repair.loop"),
        Fix::Tool | Fix::Type | Fix::Argument | Fix::Nested | Fix::Unknown => Phrase::new("repair.other"),
    }
}

/// What a failing server poured out must not fill every later request.
fn bound_text(agent: &Agent, window: u64, message: &mut Message) {
    if let Message::Assistant { text, .. } = message {
        let limit = Bound::for_window(window);
        *text = cut(std::mem::take(text), limit, agent.artifacts.as_ref()).0;
    }
}

/// What a request took, as the provider counted it; by estimate where it did not. No request has an input of nothing: such a
/// count is none.
pub(crate) fn counted(usage: Option<Usage>, reckoned: Usage) -> Usage {
    match usage {
        Some(usage) if usage.input > 0 => usage,
        other => Usage { output: other.map_or(0, |usage| usage.output).max(reckoned.output), ..reckoned },
    }
}

/// What an answer took, by estimate, where the provider did not count; nothing when nothing came.
fn reckoned(asked: u64, message: &Message) -> Usage {
    let came = match message {
        Message::Assistant { text, reasoning, calls, .. } => {
            let own = text == INTERRUPTED || text == NO_ANSWER;
            reasoning.is_some() || !calls.is_empty() || !(own || text.trim().is_empty())
        }
        _ => false,
    };
    if came { Usage { input: asked, output: message_tokens(message), ..Usage::default() } } else { Usage::default() }
}

fn is_empty(message: &Message) -> bool {
    matches!(message, Message::Assistant { text, calls, .. } if text.trim().is_empty() && calls.is_empty())
}

/// What an answer lacks that looks whole to whoever only reads it. What repeated itself is told as a repair.
fn lacking(answer: &Answer) -> Option<Phrase> {
    match &answer.message {
        Message::Assistant { stop: StopReason::Filtered, .. } => Some(Phrase::new("engine.answer_withheld")),
        message if is_empty(message) => Some(Phrase::new("engine.empty_answer")),
        Message::Assistant { stop: StopReason::Length, .. } if !answer.looped => {
            Some(answer.cut_by.clone().unwrap_or_else(|| Phrase::new("engine.answer_cut")))
        }
        _ => None,
    }
}

/// Listens to one answer and says how that went, in figures.
async fn heard(
    agent: &Agent,
    model: &dyn Model,
    (request, asked): (Request, u64),
    listener: Option<Box<dyn Listener>>,
    stop: &Stop,
) -> Answer {
    let messages = request.messages.len();
    let name = &model.card().name;
    let span = tracing::debug_span!("request", model = %name, messages, tokens = asked, input = Empty, output = Empty);
    let answer = listen(agent, model, (request, listener), stop).instrument(span.clone()).await;
    if let Some(usage) = answer.usage {
        span.record("input", usage.input).record("output", usage.output);
    }
    if let Some(failure) = &answer.failure {
        tracing::warn!(parent: &span, class = ?failure.class, "answer_failed");
    }
    answer
}

async fn listen(
    agent: &Agent,
    model: &dyn Model,
    (request, mut listener): (Request, Option<Box<dyn Listener>>),
    stop: &Stop,
) -> Answer {
    let (mut fold, mut stopped) = (Fold::default(), false);
    let mut generating = false;
    let may_call = request.may_call;
    let mut stream = model.stream(request, stop.clone()).ready_chunks(BATCH);
    while !fold.is_over() && !stopped {
        let items = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            items = stream.next() => items,
        };
        let Some(mut items) = items else { break };
        stopped = listener.as_deref_mut().is_some_and(|listener| hear(listener, &mut items));
        for event in fold.feed(items) {
            if !generating && !matches!(event, Event::Notice { .. }) {
                generating = true;
                agent.state(TurnState::ModelGenerating);
            }
            agent.sink.emit(event);
        }
    }
    let heard = stopped.then_some(&[][..]).or(fold.whole()).filter(|_| !stop.is_cancelled());
    let objection = listener.zip(heard).and_then(|(listener, calls)| listener.over(calls));
    if objection.is_some() {
        fold.stop_here();
    }
    Answer { objection, ..fold.finish(&model.card().name, stop.is_cancelled(), may_call) }
}

/// Has pieces heard. True when the answer is to stop: what came after that piece is then taken away.
fn hear(listener: &mut dyn Listener, items: &mut Vec<Item>) -> bool {
    let stops = |item: &Item| match item {
        Item::Text(delta) => listener.hear(HeardPiece::Text(delta)),
        Item::Reasoning(delta) => listener.hear(HeardPiece::Thinking(delta)),
        Item::CallDelta { index, name, delta } => listener.hear(HeardPiece::Arguments { index: *index, name, delta }),
        Item::Call(call) => listener.hear(HeardPiece::Call(call)),
        Item::Restart => listener.hear(HeardPiece::Anew),
        _ => false,
    };
    let Some(place) = items.iter().position(stops) else { return false };
    items.truncate(place + 1);
    true
}

/// Writes down why an answer was stopped, and tells the model, which then answers again.
pub(crate) async fn objected(
    agent: &Agent,
    conversation: &mut Conversation,
    place: (u32, u32),
    (objection, before, usage): (Objection, Option<RecordId>, Option<Usage>),
) -> Result<(), JournalError> {
    let Objection { rules, text, .. } = objection;
    let usage = usage.filter(|_| before.is_some());
    let fired = RulesFired { turn: place.0, rules, stopped: true, to: before, usage };
    let record = agent.journal.append(RecordBody::RulesFired(Box::new(fired))).await?;
    agent.sink.emit(Event::RulesFired { record: Box::new(record) });
    // Some chat templates refuse two messages of the user in a row.
    if conversation.waits_for_answer() {
        agent.close(conversation, place).await?;
    }
    agent.note(conversation, place.0, text, false).await
}
