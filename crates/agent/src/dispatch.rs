//! The calls of one step: found, gated, run, bounded, journaled. Every call gets exactly one outcome.

use crate::aspect::{About, Wish};
use crate::bound::{Bound, bound};
use crate::coerce::coerce;
use crate::conversation::Conversation;
use crate::ports::{Args, Ask, BoxFuture, Call, Class, Classified, Decision, JournalError, Model, Stop, Tool};
use crate::storm::{Signature, Storm};
use crate::turn::Agent;
use futures_util::{FutureExt, StreamExt, stream};
use reasonix_proto::{
    Action, Decided, DecidedBy, Event, Fix, Phrase, RecordBody, RecordId, Repair, ToolCall, ToolOutcome, TurnState,
    agent_of, refusal,
};
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tracing::{Instrument, Span};

/// How long a cancelled tool may take to clean up before it is left behind.
const CLEAN_UP: Duration = Duration::from_secs(3);

/// How many readers run at the same time.
const PARALLEL: usize = 8;

/// What the calls of a step came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) ran: usize,
    /// Why the last call that was refused was, for the user.
    pub(crate) denied: Option<Phrase>,
    /// What was put right in the arguments, and which calls were held back.
    pub(crate) repairs: Vec<Repair>,
    /// A place was marked.
    pub(crate) marked: bool,
    /// A report is to take the place of what was done since.
    pub(crate) report: Option<String>,
    /// The last outcome's record.
    pub(crate) last: Option<RecordId>,
}

/// A call that names a tool and has arguments, or the reason why not.
pub(crate) enum Ready<'a> {
    Runs {
        call: &'a ToolCall,
        tool: Arc<dyn Tool>,
        args: Args,
        classified: Classified,
        signature: Signature,
        /// The user wrote it in place of what the model called.
        edited: bool,
    },
    Fails {
        call: &'a ToolCall,
        outcome: ToolOutcome,
    },
}

/// Answers all calls: neighbouring readers together, everything else in order.
pub(crate) async fn dispatch(
    agent: &Agent,
    conversation: &mut Conversation,
    (model, (calls, repairs)): (&dyn Model, (&[ToolCall], &[Repair])),
    storm: &mut Storm,
    stop: &Stop,
) -> Result<Tally, JournalError> {
    agent.state(TurnState::ToolRunning);
    agent.aspects.before_calls(&|| conversation.request(true, None), &model.card().name);
    let mut tally = Tally::default();
    let mut waiting: Vec<Ready<'_>> = Vec::new();
    for call in calls {
        let doubt = repairs.iter().find(|repair| repair.call.as_ref() == Some(&call.id) && repair.fix.is_doubtful());
        let ready = prepare(agent, call, doubt, storm, &mut tally.repairs);
        if is_reader(&ready) {
            waiting.push(ready);
        } else {
            together(agent, conversation, (model, std::mem::take(&mut waiting)), (storm, stop), &mut tally).await?;
            together(agent, conversation, (model, vec![ready]), (storm, stop), &mut tally).await?;
        }
    }
    together(agent, conversation, (model, waiting), (storm, stop), &mut tally).await?;
    Ok(tally)
}

fn is_reader(ready: &Ready<'_>) -> bool {
    matches!(ready, Ready::Runs { classified, .. } if classified.class == Class::Reader)
}

pub(crate) fn prepare<'a>(
    agent: &Agent,
    call: &'a ToolCall,
    doubt: Option<&Repair>,
    storm: &mut Storm,
    repairs: &mut Vec<Repair>,
) -> Ready<'a> {
    let Some(tool) = agent.tools.find(&call.name) else {
        storm.vain(&call.name, &call.arguments);
        return unknown(agent, call);
    };
    let args = match read_arguments(&call.arguments) {
        Ok(args) => args,
        Err(message) => {
            storm.vain(&call.name, &call.arguments);
            let outcome = ToolOutcome::failed_with(message, schema_hint(tool.as_ref()));
            return Ready::Fails { call, outcome };
        }
    };
    let (mut tool, mut args) = (Arc::clone(tool), tool.called(&call.name, args));
    loop {
        let (fitted, notes) = coerce(args, &tool.spec().parameters);
        repairs.extend(notes.into_iter().map(|(fix, detail)| Repair::new(fix, detail).of(&call.id)));
        match tool.meant(&fitted, &agent.tools) {
            None => {
                args = fitted;
                break;
            }
            Some(Ok(meant)) => (tool, args) = meant,
            Some(Err(outcome)) => {
                storm.vain(&call.name, &call.arguments);
                return Ready::Fails { call, outcome };
            }
        }
    }
    let classified = agent.classify.classify(&tool.spec().name, tool.action(&args));
    if let Some(doubt) = doubt.filter(|_| classified.class != Class::Reader) {
        storm.vain(&call.name, &call.arguments);
        return Ready::Fails { call, outcome: doubtful(doubt) };
    }
    match storm.admit(&tool.spec().name, &args, &classified.action) {
        Ok(signature) => Ready::Runs { call, tool, args, classified, signature, edited: false },
        Err(times) => {
            repairs.push(Repair::new(Fix::Storm, tool.spec().name.as_str()).of(&call.id));
            Ready::Fails { call, outcome: again(times) }
        }
    }
}

fn unknown<'a>(agent: &Agent, call: &'a ToolCall) -> Ready<'a> {
    let known: Vec<_> = agent.tools.iter().chain(agent.tools.shelved()).map(|tool| tool.spec().name.as_str()).collect();
    let near = crate::names::nearest(&call.name, known.iter().copied());
    let near = near.map(|name| format!("; did you mean {name:?}?")).unwrap_or_default();
    let outcome = ToolOutcome::failed_with(
        format!("there is no tool named {:?}{near}", call.name),
        format!("the tools are: {}", known.join(", ")),
    );
    Ready::Fails { call, outcome }
}

/// The answer to a call of which only a part is known for sure.
fn doubtful(doubt: &Repair) -> ToolOutcome {
    let (what, hint) = match doubt.fix {
        Fix::CutOff => (
            "the call broke off before its arguments were complete",
            "send the call again, whole; if it is long, do it in several smaller calls",
        ),
        Fix::Thought => (
            "the call stood in the reasoning, where it may have been decided against",
            "if it is meant, make it as a call of the tool",
        ),
        Fix::Spoilt => (
            "an argument holds text of another call's header, which was not meant to be written",
            "send the call again without it; text that has to speak of such headers can be written in two pieces",
        ),
        _ => (
            "quotation marks inside an argument were not escaped, so it cannot be told where it ends",
            "send the call again with every \" inside a text written as \\\"",
        ),
    };
    ToolOutcome::failed_with(format!("{what} ({}); nothing was run or changed", doubt.detail), hint)
}

/// The answer to a call that was made too often.
fn again(times: usize) -> ToolOutcome {
    ToolOutcome::failed_with(
        format!("this call was made {times} times without a change in between; it was not run again"),
        "its result stands above and will not change: use it, try something else, or say what keeps you from going on",
    )
}

/// Arguments must be an object; none at all is an empty one.
fn read_arguments(text: &str) -> Result<Args, String> {
    if text.trim().is_empty() {
        return Ok(Args::new());
    }
    match serde_json::from_str(text) {
        Ok(serde_json::Value::Object(args)) => Ok(args),
        Ok(_) => Err("the arguments are not a JSON object; the call did not run".to_owned()),
        Err(error) => Err(format!("the arguments are not valid JSON ({error}); the call did not run")),
    }
}

fn schema_hint(tool: &dyn Tool) -> String {
    format!("send one JSON object that fits {}", tool.spec().parameters)
}

/// Gates the calls one after the other, then runs those that may, and journals all outcomes in the order of the calls.
async fn together(
    agent: &Agent,
    conversation: &mut Conversation,
    (model, calls): (&dyn Model, Vec<Ready<'_>>),
    (storm, stop): (&mut Storm, &Stop),
    tally: &mut Tally,
) -> Result<(), JournalError> {
    // All of them pass the gate before the first one runs.
    let mut work: Vec<BoxFuture<'_, (Finished<'_>, Option<Signature>)>> = Vec::with_capacity(calls.len());
    let turn = conversation.turns();
    for ready in calls {
        let signature = if let Ready::Runs { signature, .. } = &ready { Some(*signature) } else { None };
        let span = span_of(&ready);
        let ready = wished(agent, ready, turn, stop, tally).instrument(span.clone()).await?;
        let ready = admit(agent, ready, false, stop, tally).instrument(span.clone()).await?;
        let finished = async move { (finish(agent, ready, (model, turn), stop).await, signature) };
        work.push(Box::pin(finished.instrument(span)));
    }
    let mut outcomes = stream::iter(work).buffered(PARALLEL);
    // A reader that wanted to write is judged again when those beside it have read what they were to read.
    let mut waiting = VecDeque::new();
    loop {
        let next = match waiting.pop_front() {
            Some(next) => Some(next),
            None => outcomes.next().await,
        };
        let Some((finished, mut signature)) = next else { break };
        let body = match finished {
            Finished::Done(body) => *body,
            Finished::Again(again) => {
                while let Some(more) = outcomes.next().await {
                    waiting.push_back(more);
                }
                signature = signature.map(Signature::that_wrote);
                complete(agent, *again, (model, false, turn), stop, tally).await?
            }
        };
        if let (RecordBody::Outcome { outcome, .. }, Some(signature)) = (&body, signature) {
            storm.outcome(signature, outcome);
        }
        tally.note(&agent.tools, &body);
        let record = agent.journal.append(body).await?;
        tally.last = Some(record.id);
        conversation.apply(&record);
        agent.sink.emit(Event::ToolEnded { record: Box::new(record) });
    }
    Ok(())
}

/// What is said while a call is judged and runs names it.
fn span_of(ready: &Ready<'_>) -> Span {
    let (Ready::Runs { call, .. } | Ready::Fails { call, .. }) = ready;
    tracing::debug_span!("call", id = %call.id, tool = %call.name, bytes = call.arguments.len())
}

/// Asks those who stand around a call what they want of it, before the gate is asked.
pub(crate) async fn wished<'a>(
    agent: &Agent,
    mut ready: Ready<'a>,
    turn: u32,
    stop: &Stop,
    tally: &mut Tally,
) -> Result<Ready<'a>, JournalError> {
    for aspect in agent.aspects.iter() {
        let Ready::Runs { call, tool, args, classified, signature, edited } = ready else { return Ok(ready) };
        let wish = tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(Ready::Fails { call, outcome: ToolOutcome::Aborted }),
            wish = aspect.before_call(about(turn, call, tool.as_ref(), &args, &classified)) => wish,
        };
        ready = match wish {
            Wish::Go => Ready::Runs { call, tool, args, classified, signature, edited },
            Wish::Instead(args) => {
                let judged = agent.classify.classify(&tool.spec().name, tool.action(&args));
                let classified = judged.wished_like(classified.asks);
                Ready::Runs { call, tool, args, classified, signature, edited }
            }
            Wish::Ask { wants, args: other } => {
                let (args, judged) = match other {
                    Some(args) => {
                        let judged = agent.classify.classify(&tool.spec().name, tool.action(&args));
                        (args, judged)
                    }
                    None => (args, classified),
                };
                let classified = judged.wished_like(Some(wants));
                Ready::Runs { call, tool, args, classified, signature, edited }
            }
            Wish::Deny { record, message } => {
                tally.denied = Some(refused(&record));
                let record = agent.journal.append(RecordBody::Decided(record)).await?;
                agent.sink.emit(Event::Answered { record: Box::new(record) });
                Ready::Fails { call, outcome: ToolOutcome::Denied { by: message } }
            }
        };
    }
    Ok(ready)
}

/// Passes a call through the gate; the decision is journaled before the call can run.
async fn admit<'a>(
    agent: &Agent,
    ready: Ready<'a>,
    by_user: bool,
    stop: &Stop,
    tally: &mut Tally,
) -> Result<Ready<'a>, JournalError> {
    let Ready::Runs { call, tool, args, classified, signature, edited } = ready else { return Ok(ready) };
    let by_user = by_user || edited;
    let action = &classified.action;
    let ask = Ask { call, tool: tool.as_ref(), args: &args, action, classified: &classified, by_user };
    let decision = tokio::select! {
        biased;
        () = stop.cancelled() => return Ok(Ready::Fails { call, outcome: ToolOutcome::Aborted }),
        decision = agent.gate.decide(ask) => decision,
    };
    tracing::debug!(verdict = %decision.name(), class = ?classified.class, by_user, "gate");
    let (record, refusal) = match decision {
        Decision::Allow { record } => (record, None),
        Decision::Fail { outcome } => return Ok(Ready::Fails { call, outcome }),
        Decision::Edit { record, args } => {
            let record = agent.journal.append(RecordBody::Decided(record)).await?;
            agent.sink.emit(Event::Answered { record: Box::new(record) });
            let classified = agent.classify.classify(&tool.spec().name, tool.action(&args));
            let ready = Ready::Runs { call, tool, args, classified, signature, edited: true };
            return Box::pin(admit(agent, ready, by_user, stop, tally)).await;
        }
        Decision::Deny { record, message } => {
            tally.denied = Some(refused(&record));
            (Some(record), Some(message))
        }
    };
    if let Some(decided) = record {
        let record = agent.journal.append(RecordBody::Decided(decided)).await?;
        agent.sink.emit(Event::Answered { record: Box::new(record) });
    }
    match refusal {
        None => {
            tally.ran += 1;
            Ok(Ready::Runs { call, tool, args, classified, signature, edited })
        }
        Some(by) => Ok(Ready::Fails { call, outcome: ToolOutcome::Denied { by } }),
    }
}

/// Why a call was refused, for the user, who is not told in words for the model.
fn refused(decided: &Decided) -> Phrase {
    match &decided.by {
        DecidedBy::User => Phrase::new("engine.refused_by_user"),
        DecidedBy::PlanMode => Phrase::new("engine.refused_planning"),
        DecidedBy::Rule(rule) if agent_of(rule).is_some() => {
            Phrase::new("engine.refused_by_agent").with("agent", agent_of(rule).unwrap_or_default())
        }
        other => {
            let why = refusal(other);
            let mut phrase = Phrase::new("engine.refused").with("why", format_args!("@{}", why.code));
            phrase.args.extend(why.args);
            phrase
        }
    }
}

/// A call that ran.
enum Finished<'a> {
    /// It came to this.
    Done(Box<RecordBody>),
    /// It was taken for a reader and wanted to write. Nothing of it lasted; as a writer it passes the gate again.
    Again(Box<Ready<'a>>),
}

/// Passes a call through the gate and brings it to its end; one that wanted to write, a second time as a writer.
pub(crate) async fn complete(
    agent: &Agent,
    mut ready: Ready<'_>,
    (model, by_user, turn): (&dyn Model, bool, u32),
    stop: &Stop,
    tally: &mut Tally,
) -> Result<RecordBody, JournalError> {
    let span = span_of(&ready);
    loop {
        ready = admit(agent, ready, by_user, stop, tally).instrument(span.clone()).await?;
        match finish(agent, ready, (model, turn), stop).instrument(span.clone()).await {
            Finished::Done(body) => return Ok(*body),
            Finished::Again(again) => ready = *again,
        }
    }
}

async fn finish<'a>(agent: &Agent, ready: Ready<'a>, (model, turn): (&dyn Model, u32), stop: &Stop) -> Finished<'a> {
    let started = Instant::now();
    let (call, tool, outcome) = match ready {
        Ready::Fails { call, outcome } => (call, canonical_name(agent, call), outcome),
        Ready::Runs { call, .. } if stop.is_cancelled() => (call, canonical_name(agent, call), ToolOutcome::Aborted),
        Ready::Runs { call, tool, args, classified, signature, edited } => {
            // What is judged again was already said to have started.
            if classified.wanted.is_empty() {
                agent.sink.emit(Event::ToolStarted {
                    call: call.id.clone(),
                    tool: tool.spec().name.clone(),
                    subject: tool.title(&args, &classified.action),
                });
            }
            let wanted = OnceLock::new();
            let about = about(turn, call, tool.as_ref(), &args, &classified);
            let outcome = if looked_at(agent, about, stop).await {
                let outcome = run(agent, (call, tool.as_ref(), &args), (classified.class, &wanted), stop).await;
                let outcome = agent.aspects.after_call(about, outcome).await;
                if edited { told_edited(outcome, &classified.action) } else { outcome }
            } else {
                ToolOutcome::Aborted
            };
            if let (Class::Reader, Some(wanted)) = (classified.class, wanted.into_inner()) {
                let classified = classified.into_writer(wanted);
                return Finished::Again(Box::new(Ready::Runs { call, tool, args, classified, signature, edited }));
            }
            let outcome = agent.aspects.at_outcome(about, outcome).await;
            (call, tool.spec().name.clone(), outcome)
        }
    };
    let outcome = bound(outcome, Bound::for_window(model.card().window), agent.artifacts.as_ref());
    let took_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Finished::Done(Box::new(RecordBody::Outcome { call: call.id.clone(), tool, took_ms, outcome }))
}

/// The outcome of what the user wrote in place of the call: the model must not take it for the outcome of its own.
fn told_edited(outcome: ToolOutcome, action: &Action) -> ToolOutcome {
    let note = format!(
        "[the user changed this call before it ran; what ran is]\n{}\n[and what it came to is]",
        action.title()
    );
    outcome.preceded_by(note)
}

fn about<'a>(
    turn: u32,
    call: &'a ToolCall,
    tool: &'a dyn Tool,
    args: &'a Args,
    classified: &'a Classified,
) -> About<'a> {
    About { turn, call, tool: &tool.spec().name, args, action: &classified.action, class: classified.class }
}

/// Waits until everything was looked at that has to be before the call runs. False when it is not to run any more.
async fn looked_at(agent: &Agent, about: About<'_>, stop: &Stop) -> bool {
    tokio::select! {
        biased;
        () = stop.cancelled() => false,
        () = agent.aspects.before_run(about) => true,
    }
}

fn canonical_name(agent: &Agent, call: &ToolCall) -> String {
    agent.tools.find(&call.name).map_or_else(|| call.name.clone(), |tool| tool.spec().name.clone())
}

/// Runs a tool so that neither a panic nor a tool that ignores its stop can take the turn down.
async fn run(
    agent: &Agent,
    (call, tool, args): (&ToolCall, &dyn Tool, &Args),
    (class, wanted): (Class, &OnceLock<Vec<String>>),
    stop: &Stop,
) -> ToolOutcome {
    let progress = |delta: &str| {
        agent.sink.emit(Event::ToolProgress { call: call.id.clone(), delta: delta.to_owned() });
    };
    let work = tool.run(Call { id: &call.id, args, class, wanted, stop: stop.child_token(), progress: &progress });
    let overdue = async {
        stop.cancelled().await;
        tokio::time::sleep(CLEAN_UP).await;
    };
    tokio::select! {
        biased;
        outcome = AssertUnwindSafe(work).catch_unwind() => outcome.unwrap_or_else(|_| {
            ToolOutcome::failed("the tool crashed; this is a bug in Reasonix, its effect is unknown")
        }),
        () = overdue => ToolOutcome::Aborted,
    }
}
