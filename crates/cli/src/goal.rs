//! `reasonix run --goal`: a goal to its end, or until it waits.

use crate::args::GoalArgs;
use crate::exit::Exit;
use crate::interrupts::Interrupts;
use crate::pump::carry;
use crate::say;
use crate::view::View;
use reasonix_engine::Handle;
use reasonix_proto::{Done, GoalStop, GoalStrategy, Level, Op, Settled};

/// Sets a goal, or takes up the one that waits, and shows what happens until it does not go on.
pub(crate) async fn pursue(
    (handle, view, interrupts): (&mut Handle, &mut dyn View, &mut Interrupts),
    args: GoalArgs,
    objective: String,
    resumes: bool,
) -> anyhow::Result<Option<Settled>> {
    let strategy = match (args.research, args.simple) {
        (true, _) => Some(GoalStrategy::Research),
        (_, true) => Some(GoalStrategy::Simple),
        _ => None,
    };
    let op = if resumes { Op::ResumeGoal } else { Op::SetGoal { objective, strategy } };
    let settled = carry(handle, view, interrupts, op).await?;
    view.close()?;
    Ok(settled)
}

/// The exit code, and why, where that was not said yet.
pub(crate) fn told_exit(settled: Option<&Settled>, json: bool) -> Exit {
    if let Some(Settled::Done(Done::Goal { goal: Some(goal) })) = settled
        && !json
    {
        match &goal.stop {
            Some(GoalStop::OutOfBudget { why }) => say::notice(Level::Warning, why),
            Some(GoalStop::Provider { why, .. }) => say::notice(Level::Error, why),
            _ => {}
        }
    }
    Exit::of_settled(settled)
}
