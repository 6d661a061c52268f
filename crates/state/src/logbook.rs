//! What a log says of events: what happened and how it ended, in a line each. Names, figures and codes; never what was
//! said, read or written.

use reasonix_proto::{Decided, Event, Level, Phrase, RecordBody, ToolOutcome, TurnEnd};
use tracing::{debug, error, info, trace, warn};

/// Says an event to whoever listens.
pub(crate) fn tell(event: &Event) {
    match event {
        Event::SessionStarted { model, resumed, .. } => info!(%model, resumed, "session_started"),
        Event::Notice { level, phrase } => notice(*level, phrase),
        Event::Message { record }
        | Event::ToolEnded { record }
        | Event::Answered { record }
        | Event::TurnEnded { record }
        | Event::Compacted { record } => body(&record.body),
        Event::SessionEnded => info!("session_ended"),
        Event::State { state } => trace!(?state, "state"),
        Event::ToolStarted { tool, .. } => trace!(%tool, "tool_started"),
        _ => {}
    }
}

/// What is only worth knowing may quote the model or name what it looks at; a trouble needs its reason.
fn notice(level: Level, phrase: &Phrase) {
    match level {
        Level::Info => info!("notice {}", phrase.code),
        Level::Warning => warn!("notice {phrase}"),
        Level::Error => error!("notice {phrase}"),
    }
}

fn body(body: &RecordBody) {
    match body {
        RecordBody::Assistant { turn, step, model, usage, .. } => {
            let usage = usage.unwrap_or_default();
            let (input, cached, output) = (usage.input, usage.cached, usage.output);
            debug!(turn, step, %model, input, cached, output, "message");
        }
        RecordBody::Outcome { call, tool, took_ms, outcome } => {
            let (how, bytes) = how_of(outcome);
            debug!(%tool, %how, took_ms, bytes, %call, "tool_ended");
        }
        RecordBody::Decided(Decided { allowed, by, edited, .. }) => {
            debug!(allowed, %by, edited = edited.is_some(), "decided");
        }
        RecordBody::TurnEnded { turn, end, steps, usage, cost } => {
            let (input, cached, output) = (usage.input, usage.cached, usage.output);
            let cost = cost.as_ref().map(|cost| tracing::field::display(cost.spent_text()));
            info!(turn, how = %how_ended(end), steps, input, cached, output, cost, "turn_ended");
        }
        RecordBody::Compacted(folded) => {
            let (by, before, after) = (&folded.by, folded.before, folded.after);
            info!(reason = ?folded.reason, %by, before, after, "compacted");
        }
        _ => {}
    }
}

/// How a call ended, and the size of what the model reads of it.
fn how_of(outcome: &ToolOutcome) -> (&'static str, usize) {
    match outcome {
        ToolOutcome::Done { content, .. } => ("done", content.words().len()),
        ToolOutcome::Failed { message, .. } => ("failed", message.len()),
        ToolOutcome::Denied { by } => ("denied", by.len()),
        ToolOutcome::Aborted => ("aborted", 0),
    }
}

fn how_ended(end: &TurnEnd) -> &'static str {
    match end {
        TurnEnd::Done => "done",
        TurnEnd::Interrupted => "interrupted",
        TurnEnd::StepLimit => "step_limit",
        TurnEnd::TimedOut => "timed_out",
        TurnEnd::OutOfBudget { .. } => "out_of_budget",
        TurnEnd::Refused { .. } => "refused",
        TurnEnd::ProviderFailed { .. } => "provider_failed",
        TurnEnd::Broken { .. } => "broken",
    }
}
