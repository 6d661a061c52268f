//! Notices that subagents are asked for again and again: more than a turn may have, or for the same thing. The model is told
//! once; when it goes on, its turn ends.

use reasonix_agent::TurnOver;
use reasonix_proto::{Phrase, TurnEnd, TurnRefusal};
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// So often a turn has the same worked on.
const SAME: usize = 3;

/// Assignments are nearly the same from this share of common words on, in percent.
const NEARLY: usize = 80;

/// Assignments of a turn that are remembered, and words of each.
const MOST: (usize, usize) = (256, 400);

/// What was asked for in a turn.
#[derive(Default)]
pub(super) struct Flood(Mutex<State>);

#[derive(Default)]
struct State {
    turn: u32,
    asked: Vec<Subject>,
    told: bool,
    over: bool,
}

/// What an assignment is about.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Subject {
    words: BTreeSet<String>,
    /// Names, paths and numbers: assignments that differ in these are about something else.
    names: BTreeSet<String>,
}

impl Flood {
    fn of(&self, turn: u32) -> MutexGuard<'_, State> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.turn != turn {
            *state = State { turn, ..State::default() };
        }
        state
    }

    /// Takes the assignments of a call; the first one of them that was asked for too often already. Within a call only those
    /// count that are the same to the word: what differs a little is a fan-out.
    pub(super) fn admit(&self, turn: u32, assignments: &[String]) -> Result<(), usize> {
        let mut state = self.of(turn);
        let subjects: Vec<Subject> = assignments.iter().map(|text| Subject::of(text)).collect();
        for (place, subject) in subjects.iter().enumerate() {
            let before = state.asked.iter().filter(|asked| asked.is_like(subject)).count();
            let here = subjects.iter().take(place).filter(|other| *other == subject).count();
            if before + here >= SAME {
                return Err(place);
            }
        }
        state.asked.extend(subjects);
        let beyond = state.asked.len().saturating_sub(MOST.0);
        state.asked.drain(..beyond);
        Ok(())
    }

    /// A call was refused because it wanted too much: the first time the model is told, the second time its turn ends.
    pub(super) fn refused(&self, turn: u32) {
        let mut state = self.of(turn);
        state.over = std::mem::replace(&mut state.told, true);
    }

    /// Whether the turn is to end.
    pub(super) fn over(&self) -> Option<TurnOver> {
        let over = self.0.lock().unwrap_or_else(PoisonError::into_inner).over;
        over.then(|| TurnOver::Stopped {
            why: "Subagents were asked for again and again, so the turn ends here.".to_owned(),
            end: TurnEnd::Refused { kind: TurnRefusal::ChildFlood, why: Phrase::new("engine.child_flood") },
        })
    }
}

impl Subject {
    fn of(text: &str) -> Self {
        let text = text.to_lowercase();
        let apart = |c: char| !(c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-'));
        let all = text.split(apart).map(|word| word.trim_matches(['.', '-'])).filter(|word| !word.is_empty());
        let is_name = |word: &&str| word.contains(|c: char| c.is_ascii_digit() || matches!(c, '/' | '.' | '_' | '-'));
        let (names, plain): (Vec<&str>, Vec<&str>) = all.take(MOST.1).partition(is_name);
        // Scripts without spaces have a word a character.
        let of_word = |word: &str| match word.is_ascii() {
            true => vec![word.to_owned()],
            false => word.chars().map(String::from).collect(),
        };
        let words = plain.into_iter().flat_map(of_word).collect();
        Self { words, names: names.into_iter().map(str::to_owned).collect() }
    }

    fn is_like(&self, other: &Self) -> bool {
        let common = self.words.intersection(&other.words).count();
        let all = self.words.union(&other.words).count();
        self.names == other.names && common * 100 >= all * NEARLY
    }
}

#[cfg(test)]
mod tests {
    use super::{Flood, Subject};

    #[test]
    fn rewording_is_like_and_another_subject_is_not() {
        let like = |one: &str, other: &str| Subject::of(one).is_like(&Subject::of(other));
        for (one, other, want) in [
            ("Find all callers of parse_line in src/a.rs.", "find all callers of parse_line in src/a.rs", true),
            ("Find all the callers of parse_line, in src/a.rs", "in src/a.rs find all callers of parse_line", true),
            ("look at part 1", "look at part 2", false),
            ("find all callers of open", "find all callers of close", false),
            ("查找所有调用 parse_line 的地方", "请查找所有调用 parse_line 的地方", true),
            ("查找所有调用 parse_line 的地方", "查找所有调用 other_line 的地方", false),
            ("What does the gate do with links?", "Which wires can be told what to call?", false),
        ] {
            assert_eq!(like(one, other), want, "{one} / {other}");
        }
    }

    #[test]
    fn the_same_runs_three_times_in_a_turn_and_a_fan_out_as_it_likes() {
        let flood = Flood::default();
        let one = ["find the gate".to_owned()];
        for _ in 0..3 {
            assert_eq!(flood.admit(1, &one), Ok(()));
        }
        assert_eq!(flood.admit(1, &one), Err(0));
        assert_eq!(flood.admit(2, &one), Ok(()), "the next turn begins anew");
        let parts: Vec<String> = (0..16).map(|n| format!("read the module number {n} and say what it does")).collect();
        assert_eq!(flood.admit(2, &parts), Ok(()));
        assert_eq!(flood.admit(3, &vec!["the same".to_owned(); 5]), Err(3), "within one message too");
    }

    #[test]
    fn it_is_told_once_and_then_over() {
        let flood = Flood::default();
        flood.refused(1);
        assert!(flood.over().is_none());
        flood.refused(2);
        assert!(flood.over().is_none(), "another turn");
        flood.refused(2);
        assert!(flood.over().is_some());
    }
}
