//! Carries events from a session to a view until an operation is settled; an interrupt is heard at any moment.

use crate::exit::Exit;
use crate::interrupts::{Interrupts, leave_nothing};
use crate::view::View;
use reasonix_engine::Handle;
use reasonix_proto::{
    Done, Envelope, Event, GoalInfo, GoalStanding, GoalStop, Op, OpId, Settled, TurnEnd, TurnRefusal,
};
use std::time::Duration;

/// Hands in an operation and shows events until it is settled. None when the session ended without a word about it.
pub(crate) async fn carry(
    handle: &mut Handle,
    view: &mut dyn View,
    interrupts: &mut Interrupts,
    op: Op,
) -> anyhow::Result<Option<Settled>> {
    let wanted = handle.submit(op).id;
    pump(handle, view, interrupts, Some(&wanted)).await
}

/// The same for what begins a turn: how the turn ended.
pub(crate) async fn carry_turn(
    handle: &mut Handle,
    view: &mut dyn View,
    interrupts: &mut Interrupts,
    op: Op,
) -> anyhow::Result<Option<TurnEnd>> {
    Ok(match carry(handle, view, interrupts, op).await? {
        Some(Settled::Done(Done::Turn { end })) => Some(end),
        Some(Settled::Done(Done::Goal { goal })) => Some(end_of_goal(goal.as_deref())),
        _ => None,
    })
}

/// How a turn ended that became a goal.
fn end_of_goal(goal: Option<&GoalInfo>) -> TurnEnd {
    let Some(goal) = goal else { return TurnEnd::Interrupted };
    match &goal.stop {
        None if goal.standing == GoalStanding::Done => TurnEnd::Done,
        None | Some(GoalStop::User | GoalStop::Restarted) => TurnEnd::Interrupted,
        Some(GoalStop::OutOfBudget { why }) => TurnEnd::OutOfBudget { why: why.clone() },
        Some(GoalStop::TurnLimit) => TurnEnd::StepLimit,
        Some(GoalStop::Provider { class, why }) => TurnEnd::ProviderFailed { class: *class, why: why.clone() },
        Some(GoalStop::Failed { why }) => TurnEnd::Broken { why: why.clone() },
        Some(other) => TurnEnd::Refused { kind: TurnRefusal::Goal, why: other.phrase().1 },
    }
}

/// Shows events until this operation is settled, or the session is over. The second interrupt does not wait.
pub(crate) async fn pump(
    handle: &mut Handle,
    view: &mut dyn View,
    interrupts: &mut Interrupts,
    wanted: Option<&OpId>,
) -> anyhow::Result<Option<Settled>> {
    interrupts.begin();
    let mut settled = None;
    while let Some(envelope) = next(handle, view, interrupts).await? {
        // A child that ends does not end the session that is followed here.
        if envelope.parent.is_some() {
            view.child(&envelope)?;
            continue;
        }
        if let Event::Settled { op, settled: came, .. } = &envelope.event
            && Some(op) == wanted
        {
            settled = Some(came.as_ref().clone());
        }
        let over = settled.is_some() || envelope.event == Event::SessionEnded;
        let said = view.show(&envelope)?;
        let said = match &envelope.event {
            Event::Inquired { inquiry } => view.inquire(inquiry, &|| handle.awaits(&inquiry.ask)),
            _ => said,
        };
        if let Some(op) = said {
            handle.submit(op);
        }
        if over {
            break;
        }
    }
    view.flush()?;
    Ok(settled)
}

/// The next event; the screen is touched once for all that are there.
async fn next(
    handle: &mut Handle,
    view: &mut dyn View,
    interrupts: &mut Interrupts,
) -> anyhow::Result<Option<Envelope>> {
    if let Some(envelope) = handle.events.ready() {
        return Ok(Some(envelope));
    }
    view.flush()?;
    loop {
        tokio::select! {
            biased;
            count = interrupts.next() => {
                handle.submit(Op::Interrupt);
                if count > 1 {
                    view.close()?;
                    leave_nothing();
                    std::process::exit(Exit::Interrupted as i32);
                }
            }
            envelope = handle.events.next() => return Ok(envelope),
            () = tokio::time::sleep(Duration::from_millis(120)), if view.animates() => view.tick()?,
        }
    }
}
