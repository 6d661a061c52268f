//! What the model reads of a goal. It stands in the user's turns, so that the prefix of the session stays as it is.

use reasonix_proto::{GoalInfo, GoalStrategy};

/// How an answer ends.
const CLOSE: &str = "Close every answer with one line: `GOAL: continue`, `GOAL: done`, `GOAL: blocked: REASON`, or \
`GOAL: impossible: REASON` when it cannot be reached or only the user can help.";

/// What done means.
const DONE: &str = "`GOAL: done` is held against the log: what proves it (tests, a build) has to run and end well after \
your last change. Where no usual test program does, name the command: GOAL: done, proof: `COMMAND`.";

/// So much of an objective is said again each turn, in characters.
const SHORT: usize = 600;

/// The first prompt of a goal, with the objective as it was filled in.
pub fn began(goal: &GoalInfo, objective: &str) -> String {
    let mut text = format!(
        "{objective}\n\n[This is a goal. Work on it by yourself, turn after turn, until it is reached; do not ask whether to \
         go on. {CLOSE} {DONE}]"
    );
    if let (GoalStrategy::Research, Some(folder)) = (goal.strategy, &goal.folder) {
        text.push_str(&format!(
            "\n[Work on it as research: write down what you want to know, measure before you change something, change one \
             thing at a time, measure again. Each answer says what was tried, what came out in numbers, what that means and \
             what is next; it is kept in {folder}/turn-NNN.md by the harness, and you can read it there later.]"
        ));
    }
    text
}

/// The next prompt of a goal that goes on; these work behind it.
pub fn goes_on(goal: &GoalInfo, at_work: &[String]) -> String {
    let mut text = format!("[The goal goes on, turn {}", goal.turns.saturating_add(1));
    if goal.limits.turns > 0 {
        text.push_str(&format!(" of at most {}", goal.limits.turns));
    }
    text.push_str(". ");
    if !goal.missing.is_empty() {
        text.push_str(&format!("It is not done yet: {}. ", goal.missing.join("; ")));
    } else if goal.alike > 0 {
        text.push_str("The last turn was held up; try another way. ");
    }
    if !at_work.is_empty() {
        let names = at_work.join(", ");
        text.push_str(&format!("At work in the background: {names}; where there is nothing else to do, just end your answer: you are told when one ends. "));
    }
    text.push_str(&format!("The goal: {}\n{CLOSE}]", short(&goal.objective)));
    text
}

/// What stands with a prompt of the user's own while a goal goes on.
pub fn stands(goal: &GoalInfo) -> String {
    format!("[The goal stands: {}\n{CLOSE}]", short(&goal.objective))
}

/// What stands with a prompt after a goal that the model still thinks it works on.
pub fn aside() -> &'static str {
    "[The goal is set aside: do what is said here, and close answers without a line about it.]"
}

/// What a running turn reads when the goal has other words.
pub fn changed(goal: &GoalInfo) -> String {
    format!("[The user changed the goal; from now on it is: {}]", short(&goal.objective))
}

fn short(objective: &str) -> String {
    let mut short: String = objective.chars().take(SHORT).collect();
    if short.len() < objective.len() {
        short.push('…');
    }
    short
}
