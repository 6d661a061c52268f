//! What comes after a turn of a goal.

use crate::course::GoalHeld;
use crate::said::{GoalSaid, said};
use reasonix_proto::{FailureClass, GoalChange, GoalInfo, GoalNews, GoalStanding, GoalStop, Phrase, TurnEnd};

/// After so many turns in a row that the same stopped, the goal waits for the user.
pub const ALIKE: u32 = 3;

/// So much of what stopped a turn is compared, in characters.
const LONGEST_STATE: usize = 400;

/// A turn that is over.
#[derive(Debug, Clone, Copy)]
pub struct TurnSeen<'a> {
    /// How it ended.
    pub end: &'a TurnEnd,
    /// Its answer.
    pub answer: &'a str,
    /// True when the model called something in it.
    pub calls: bool,
    /// The tokens of its requests.
    pub tokens: u64,
    /// The seconds that it worked.
    pub seconds: u64,
}

/// The goal after this turn. What is missing of a goal that is said to be done is asked for only then: the answer without the
/// line about the goal, and what it names as proof.
pub fn judge(goal: &GoalInfo, seen: TurnSeen<'_>, held: impl FnOnce(&str, &[String]) -> GoalHeld) -> GoalChange {
    let goal = GoalInfo {
        turns: goal.turns.saturating_add(1),
        tokens: goal.tokens.saturating_add(seen.tokens),
        seconds: goal.seconds.saturating_add(seen.seconds),
        missing: Vec::new(),
        looked: false,
        ..goal.clone()
    };
    match seen.end {
        TurnEnd::Interrupted => stopped(goal, GoalStop::User),
        TurnEnd::OutOfBudget { why } => stopped(goal, GoalStop::OutOfBudget { why: why.clone() }),
        TurnEnd::Broken { why } => stopped(goal, GoalStop::Failed { why: why.clone() }),
        TurnEnd::ProviderFailed { class, why } => {
            let stop = GoalStop::Provider { class: *class, why: why.clone() };
            if passes(*class) { held_up(goal, &format!("{class:?}"), stop) } else { stopped(goal, stop) }
        }
        TurnEnd::Refused { kind, why } => {
            let state = why.args.iter().map(|(_, value)| value.as_str()).collect::<String>();
            held_up(goal, &format!("{kind:?} {state}"), GoalStop::Refused { why: why.clone() })
        }
        TurnEnd::TimedOut => {
            let reason = "a turn ran out of time".to_owned();
            held_up(goal, "timed out", GoalStop::Blocked { reason })
        }
        TurnEnd::StepLimit | TurnEnd::Done => {
            let idle = if seen.calls { 0 } else { goal.idle.saturating_add(1) };
            idles(by_answer(GoalInfo { idle, ..goal }, seen, held), seen.answer)
        }
    }
}

/// A goal whose turns call nothing goes nowhere, whatever they say.
fn idles(change: GoalChange, answer: &str) -> GoalChange {
    match change.goal {
        Some(goal) if goal.is_active() && goal.idle >= ALIKE => {
            let said = first_line(&said(answer).1);
            let reason = format!("no call was made in {ALIKE} turns in a row; the last one said: {said}");
            stopped(goal, GoalStop::Blocked { reason })
        }
        goal => GoalChange { goal, ..change },
    }
}

/// The first line that says something, bounded.
fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("no answer");
    line.trim().chars().take(LONGEST_STATE).collect()
}

/// True for a failure that may be over at the next request.
fn passes(class: FailureClass) -> bool {
    matches!(
        class,
        FailureClass::RateLimited | FailureClass::Server | FailureClass::BadResponse | FailureClass::StreamBroken
    )
}

fn by_answer(goal: GoalInfo, seen: TurnSeen<'_>, held: impl FnOnce(&str, &[String]) -> GoalHeld) -> GoalChange {
    let (said, rest) = said(seen.answer);
    match said {
        GoalSaid::Done { proofs } => {
            let GoalHeld { missing, looked } = held(&rest, &proofs);
            if missing.is_empty() {
                let goal = GoalInfo { standing: GoalStanding::Done, stop: None, looked, ..goal };
                return GoalChange { news: GoalNews::Reached, goal: Some(goal) };
            }
            let stop = GoalStop::Unproved { missing: missing.clone() };
            let state = format!("done {}", missing.join(" "));
            let change = held_up(GoalInfo { missing, ..goal }, &state, stop);
            match change.news {
                GoalNews::GoesOn => GoalChange { news: GoalNews::NotProved, ..change },
                _ => change,
            }
        }
        GoalSaid::Impossible(reason) => stopped(goal, GoalStop::Impossible { reason }),
        GoalSaid::Blocked(reason) => held_up(goal, &reason.clone(), GoalStop::Blocked { reason }),
        GoalSaid::Continue if !seen.calls => held_up(goal, &rest, GoalStop::Blocked { reason: first_line(&rest) }),
        GoalSaid::Continue => goes_on(GoalInfo { blocked: String::new(), alike: 0, ..goal }),
    }
}

/// Something stopped the turn; the goal goes on unless it was the same too often.
fn held_up(goal: GoalInfo, state: &str, stop: GoalStop) -> GoalChange {
    let blocked = normalised(state);
    let alike = if blocked == goal.blocked { goal.alike.saturating_add(1) } else { 1 };
    let goal = GoalInfo { blocked, alike, ..goal };
    if alike >= ALIKE { stopped(goal, stop) } else { goes_on(goal) }
}

/// The letters and digits of a text, small.
fn normalised(text: &str) -> String {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase);
    let state: String = letters.take(LONGEST_STATE).collect();
    if state.is_empty() { "nothing".to_owned() } else { state }
}

fn goes_on(goal: GoalInfo) -> GoalChange {
    let limits = goal.limits;
    let used = |code: &'static str, spent: u64, allowed: u64| {
        let why = Phrase::new(code).with("spent", spent).with("allowed", allowed);
        (allowed > 0 && spent >= allowed).then_some(GoalStop::OutOfBudget { why })
    };
    let budget = used("flow.goal_tokens", goal.tokens, limits.tokens)
        .or_else(|| used("flow.goal_seconds", goal.seconds, limits.seconds));
    let turns = (limits.turns > 0 && goal.turns >= limits.turns).then_some(GoalStop::TurnLimit);
    match budget.or(turns) {
        Some(stop) => stopped(goal, stop),
        None => GoalChange { news: GoalNews::GoesOn, goal: Some(goal) },
    }
}

fn stopped(goal: GoalInfo, stop: GoalStop) -> GoalChange {
    let goal = GoalInfo { standing: GoalStanding::Paused, stop: Some(stop), ..goal };
    GoalChange { news: GoalNews::Stopped, goal: Some(goal) }
}

#[cfg(test)]
mod tests {
    use super::{GoalHeld, TurnSeen, judge};
    use reasonix_proto::{
        FailureClass, GoalChange, GoalInfo, GoalLimits, GoalNews, GoalStanding, GoalStop, Phrase, TurnEnd, TurnRefusal,
    };

    fn goal() -> GoalInfo {
        let limits = GoalLimits { turns: 10, ..GoalLimits::default() };
        GoalInfo { objective: "x".into(), standing: GoalStanding::Active, limits, ..GoalInfo::default() }
    }

    fn after(goal: &GoalInfo, end: &TurnEnd, answer: &str, calls: bool, missing: &[&str]) -> GoalChange {
        let seen = TurnSeen { end, answer, calls, tokens: 10, seconds: 2 };
        let missing = missing.iter().map(|&one| one.to_owned()).collect();
        judge(goal, seen, |_, _| GoalHeld { missing, looked: false })
    }

    fn turns(goal: GoalInfo, turns: &[(TurnEnd, &str, bool, &[&str])]) -> GoalChange {
        let mut change = GoalChange { news: GoalNews::Set, goal: Some(goal) };
        for (end, answer, calls, missing) in turns {
            let Some(goal) = change.goal.filter(GoalInfo::is_active) else { panic!("it stopped before {answer}") };
            change = after(&goal, end, answer, *calls, missing);
        }
        change
    }

    #[test]
    fn done_needs_that_nothing_is_missing() {
        let change = after(&goal(), &TurnEnd::Done, "GOAL: done", true, &[]);
        let standing = change.goal.map(|goal| (goal.standing, goal.turns, goal.tokens, goal.seconds));
        assert_eq!((change.news, standing), (GoalNews::Reached, Some((GoalStanding::Done, 1, 10, 2))));
        let change = after(&goal(), &TurnEnd::Done, "GOAL: done", true, &["tests"]);
        assert_eq!(
            (change.news, change.goal.map(|goal| goal.missing)),
            (GoalNews::NotProved, Some(vec!["tests".into()]))
        );
        let lie = (TurnEnd::Done, "GOAL: done", true, ["tests"].as_slice());
        let stop = turns(goal(), &[lie.clone(), lie.clone(), lie]).goal.and_then(|goal| goal.stop);
        assert_eq!(stop, Some(GoalStop::Unproved { missing: vec!["tests".into()] }));
    }

    #[test]
    fn the_same_state_three_times_in_a_row_stops_it() {
        let on = |answer| (TurnEnd::Done, answer, true, [].as_slice());
        let [a, b, c] =
            ["GOAL: blocked: No network!", "GOAL: blocked: no  NETWORK", "Hm.\n\nGOAL: blocked: no-network."].map(on);
        let change = turns(goal(), &[a.clone(), b.clone(), c.clone()]);
        assert_eq!(change.goal.and_then(|goal| goal.stop), Some(GoalStop::Blocked { reason: "no-network.".into() }));
        let other = on("GOAL: blocked: no disk");
        assert_eq!(turns(goal(), &[a.clone(), b.clone(), other]).news, GoalNews::GoesOn, "another one counts anew");
        let work = on("did something\nGOAL: continue");
        assert_eq!(turns(goal(), &[a, b, work, c]).news, GoalNews::GoesOn, "work in between counts anew");
        let idle = (TurnEnd::Done, "It is all fine.", false, [].as_slice());
        assert_eq!(
            turns(goal(), &[idle.clone(), idle.clone(), idle]).news,
            GoalNews::Stopped,
            "nothing was done thrice"
        );
    }

    /// One that says something else each turn and calls nothing goes nowhere.
    #[test]
    fn three_turns_in_a_row_without_a_call_stop_it() {
        let idle = |answer| (TurnEnd::Done, answer, false, [].as_slice());
        let [a, b, c] =
            ["I think.\nGOAL: continue", "GOAL: blocked: no idea", "I still think.\nGOAL: continue"].map(idle);
        let stop = turns(goal(), &[a.clone(), b.clone(), c.clone()]).goal.and_then(|goal| goal.stop);
        let Some(GoalStop::Blocked { reason }) = stop else { panic!("{stop:?}") };
        assert_eq!(reason, "no call was made in 3 turns in a row; the last one said: I still think.");
        let work = (TurnEnd::Done, "did something\nGOAL: continue", true, [].as_slice());
        assert_eq!(turns(goal(), &[a.clone(), b.clone(), work, c.clone()]).news, GoalNews::GoesOn);
        let failed = TurnEnd::ProviderFailed { class: FailureClass::Server, why: Phrase::new("llm.x") };
        let between = (failed, "", false, [].as_slice());
        assert_eq!(turns(goal(), &[a.clone(), b.clone(), between.clone()]).news, GoalNews::GoesOn);
        assert_eq!(
            turns(goal(), &[a, between, b, c]).news,
            GoalNews::Stopped,
            "a failure is neither work nor idleness"
        );
    }

    #[test]
    fn refusals_are_told_apart_by_their_kind_and_never_by_their_words() {
        let by = |kind, code| (TurnEnd::Refused { kind, why: Phrase::new(code) }, "", true, [].as_slice());
        let storm = |code| by(TurnRefusal::Storm, code);
        assert_eq!(turns(goal(), &[storm("a"), storm("b"), storm("c")]).news, GoalNews::Stopped);
        let mixed = [storm("a"), by(TurnRefusal::TextLoop, "a"), storm("a")];
        assert_eq!(turns(goal(), &mixed).news, GoalNews::GoesOn);
    }

    #[test]
    fn what_only_the_user_can_put_right_stops_it_at_once() {
        let why = Phrase::new("llm.x");
        let failed = |class| TurnEnd::ProviderFailed { class, why: why.clone() };
        for (end, answer, wanted) in [
            (TurnEnd::Interrupted, "", GoalNews::Stopped),
            (TurnEnd::OutOfBudget { why: why.clone() }, "", GoalNews::Stopped),
            (TurnEnd::Broken { why: why.clone() }, "", GoalNews::Stopped),
            (failed(FailureClass::KeyRejected), "", GoalNews::Stopped),
            (failed(FailureClass::Server), "", GoalNews::GoesOn),
            (TurnEnd::Refused { kind: TurnRefusal::Call, why: why.clone() }, "", GoalNews::GoesOn),
            (TurnEnd::TimedOut, "", GoalNews::GoesOn),
            (TurnEnd::StepLimit, "so far", GoalNews::GoesOn),
            (TurnEnd::Done, "GOAL: impossible: needs a key", GoalNews::Stopped),
        ] {
            assert_eq!(after(&goal(), &end, answer, true, &[]).news, wanted, "{end:?}");
        }
    }

    #[test]
    fn limits_hold() {
        let on =
            |goal: &GoalInfo| after(goal, &TurnEnd::Done, "GOAL: continue", true, &[]).goal.and_then(|goal| goal.stop);
        let with = |limits| GoalInfo { limits, turns: 4, tokens: 95, seconds: 8, ..goal() };
        let none = GoalLimits::default();
        assert_eq!(on(&with(none)), None);
        assert_eq!(on(&with(GoalLimits { turns: 5, ..none })), Some(GoalStop::TurnLimit));
        for limits in [GoalLimits { tokens: 105, ..none }, GoalLimits { seconds: 10, ..none }] {
            assert!(matches!(on(&with(limits)), Some(GoalStop::OutOfBudget { .. })), "{limits:?}");
        }
        let last = after(&with(GoalLimits { turns: 5, ..none }), &TurnEnd::Done, "GOAL: done", true, &[]);
        assert_eq!(last.news, GoalNews::Reached, "what is done is done");
    }
}
