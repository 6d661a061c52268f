//! Exit codes: a contract with scripts, documented in docs/exit-codes.md.

use crate::say::Told;
use reasonix_proto::{Done, GoalInfo, GoalStanding, GoalStop, Refusal, Settled, TurnEnd};
use std::process::ExitCode;

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
    Refused = 3,
    Provider = 4,
    Limit = 5,
    Unfinished = 6,
    /// The goal was not reached: blocked, impossible or not proved.
    Blocked = 7,
    Interrupted = 130,
    Terminated = 143,
}

impl Exit {
    /// The exit code of a turn.
    pub(crate) fn of_turn(end: &TurnEnd) -> Self {
        match end {
            TurnEnd::Done => Self::Done,
            TurnEnd::Interrupted => Self::Interrupted,
            TurnEnd::TimedOut | TurnEnd::StepLimit | TurnEnd::OutOfBudget { .. } => Self::Limit,
            TurnEnd::Refused { .. } => Self::Refused,
            TurnEnd::ProviderFailed { .. } => Self::Provider,
            TurnEnd::Broken { .. } => Self::Failed,
        }
    }

    /// The exit code of a goal.
    pub(crate) fn of_goal(goal: Option<&GoalInfo>) -> Self {
        match goal.and_then(|goal| goal.stop.as_ref()) {
            None if goal.is_some_and(|goal| goal.standing == GoalStanding::Done) => Self::Done,
            None | Some(GoalStop::User | GoalStop::Restarted) => Self::Interrupted,
            Some(GoalStop::OutOfBudget { .. } | GoalStop::TurnLimit) => Self::Limit,
            Some(GoalStop::Provider { .. }) => Self::Provider,
            Some(GoalStop::Refused { .. }) => Self::Refused,
            Some(GoalStop::Failed { .. }) => Self::Failed,
            Some(_) => Self::Blocked,
        }
    }

    /// The exit code of an operation.
    pub(crate) fn of_settled(settled: Option<&Settled>) -> Self {
        match settled {
            Some(Settled::Done(Done::Turn { end })) => Self::of_turn(end),
            Some(Settled::Done(Done::Goal { goal })) => Self::of_goal(goal.as_deref()),
            Some(Settled::Done(_)) => Self::Done,
            Some(Settled::Refused(refused)) if refused.refusal == Refusal::Interrupted => Self::Interrupted,
            Some(Settled::Refused(_)) | None => Self::Failed,
        }
    }

    /// The exit code of an error: what the user wrote is 2, everything else 1.
    pub(crate) fn of_error(error: &anyhow::Error) -> Self {
        match error.downcast_ref::<Told>() {
            Some(told) => told.exit,
            None => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}
