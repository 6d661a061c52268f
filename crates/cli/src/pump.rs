//! Carries events from a session to a view until its turn is over; an interrupt is heard at any moment.

use crate::exit::Exit;
use crate::interrupts::Interrupts;
use crate::view::View;
use reasonix_engine::Handle;
use reasonix_proto::{Event, Op, RecordBody, TurnEnd, TurnState};
use std::time::Duration;

/// Shows events until the turn has ended and the session is idle again. The second interrupt does not wait.
pub(crate) async fn pump(
    handle: &mut Handle,
    view: &mut dyn View,
    interrupts: &mut Interrupts,
) -> anyhow::Result<Option<TurnEnd>> {
    pump_until(handle, view, interrupts, |_| None).await
}

/// The same, where something else than a turn ends it too.
pub(crate) async fn pump_until(
    handle: &mut Handle,
    view: &mut dyn View,
    interrupts: &mut Interrupts,
    ends: fn(&Event) -> Option<TurnEnd>,
) -> anyhow::Result<Option<TurnEnd>> {
    let mut end = None;
    interrupts.begin();
    loop {
        // Everything that is there is shown before the screen is touched once.
        let envelope = match handle.events.ready() {
            Some(envelope) => Some(envelope),
            None => {
                view.flush()?;
                tokio::select! {
                    biased;
                    count = interrupts.next() => {
                        handle.send(Op::Interrupt);
                        if count > 1 {
                            view.close()?;
                            std::process::exit(Exit::Interrupted as i32);
                        }
                        continue;
                    }
                    envelope = handle.events.next() => envelope,
                    () = tokio::time::sleep(Duration::from_millis(120)), if view.animates() => {
                        view.tick()?;
                        continue;
                    }
                }
            }
        };
        let Some(envelope) = envelope else { break };
        if let Event::TurnEnded { record } = &envelope.event
            && let RecordBody::TurnEnded { end: how, .. } = &record.body
        {
            end = Some(how.clone());
        }
        end = ends(&envelope.event).or(end);
        // A turn whose log cannot be written has no record of its end either.
        if let Event::Notice { phrase, .. } = &envelope.event
            && phrase.code == "engine.journal_failed"
        {
            end = Some(TurnEnd::Broken { why: phrase.clone() });
        }
        let over = match &envelope.event {
            Event::State { state: TurnState::Idle } => end.is_some(),
            Event::SessionEnded => true,
            _ => false,
        };
        if let Some(op) = view.show(&envelope)? {
            handle.send(op);
        }
        if over {
            break;
        }
    }
    view.flush()?;
    Ok(end)
}
