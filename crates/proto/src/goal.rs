//! A goal: what a session works on by itself, turn after turn, until it is done with evidence or something stops it.

use crate::{FailureClass, Level, Phrase};
use serde::{Deserialize, Serialize};

/// The longest objective that is taken, in characters.
pub const LONGEST_OBJECTIVE: usize = 8_000;

/// A goal as it stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GoalInfo {
    /// What is to be reached, in the user's words.
    pub objective: String,
    /// How it is worked on.
    pub strategy: GoalStrategy,
    /// Where the harness keeps the course of research, from the working folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Where it stands.
    pub standing: GoalStanding,
    /// Why it does not go on; none while it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<GoalStop>,
    /// The session's turn that was the last before it was set.
    pub after: u32,
    /// Turns since it was set or taken up again.
    pub turns: u32,
    /// Tokens of these turns.
    pub tokens: u64,
    /// Seconds of work in these turns.
    pub seconds: u64,
    /// How much it may take, each time that it is set or taken up again.
    #[serde(default)]
    pub limits: GoalLimits,
    /// What was missing when it was last said to be done, for the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What stopped the last turn, with blanks, case and punctuation aside; empty when nothing did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub blocked: String,
    /// How many turns in a row it was the same.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub alike: u32,
    /// How many turns in a row called nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub idle: u32,
    /// It was reached by looking alone: nothing was changed, and no check was run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub looked: bool,
}

impl GoalInfo {
    /// True while it goes on by itself.
    pub fn is_active(&self) -> bool {
        self.standing == GoalStanding::Active
    }
}

impl GoalInfo {
    /// The goal row by row, for people: what a row is, and what it says.
    pub fn rows(&self) -> Vec<(Phrase, Phrase)> {
        let of = |spent: u64, allowed: u64| match allowed {
            0 => spent.to_string(),
            allowed => format!("{spent} / {allowed}"),
        };
        let (turns, limits) = (of(self.turns.into(), self.limits.turns.into()), self.limits);
        let spent = Phrase::new("flow.shown_spent_of")
            .with("turns", turns)
            .with("tokens", of(self.tokens, limits.tokens))
            .with("seconds", of(self.seconds, limits.seconds));
        let plain = |text: &str| Phrase::new("command.arg_plain").with("text", text);
        let mut rows = vec![(Phrase::new("flow.shown_goal"), plain(&self.objective))];
        rows.extend(self.folder.iter().map(|folder| (Phrase::new("flow.shown_research"), plain(folder))));
        rows.push((Phrase::new("flow.shown_spent"), spent));
        rows
    }

    /// Where it stands, for people; where it waits, why.
    pub fn standing_word(&self) -> Phrase {
        match self.standing {
            GoalStanding::Active => Phrase::new("flow.shown_active"),
            GoalStanding::Done => Phrase::new("flow.shown_done"),
            GoalStanding::Paused => {
                self.stop.as_ref().map_or_else(|| Phrase::new("flow.shown_paused"), |stop| stop.phrase().1)
            }
        }
    }
}

/// How much a goal may take; 0 where there is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalLimits {
    /// Turns.
    #[serde(default)]
    pub turns: u32,
    /// Tokens, input and output together.
    #[serde(default)]
    pub tokens: u64,
    /// Seconds of work.
    #[serde(default)]
    pub seconds: u64,
}

/// How a goal is worked on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalStrategy {
    /// With questions, measurements and findings, whose course is kept in a folder of the project.
    Research,
    /// Turn after turn.
    #[default]
    #[serde(other)]
    Simple,
}

impl GoalStrategy {
    /// The strategy that words begin or end with, and what is left of them.
    pub fn split(words: &str) -> (Option<Self>, &str) {
        let words = words.trim();
        for (flag, strategy) in [("--research", Self::Research), ("--simple", Self::Simple)] {
            let before =
                words.strip_prefix(flag).filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
            let behind = words.strip_suffix(flag).filter(|rest| rest.ends_with(char::is_whitespace));
            if let Some(rest) = before.or(behind) {
                return (Some(strategy), rest.trim());
            }
        }
        (None, words)
    }
}

/// Where a goal stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalStanding {
    /// It goes on by itself.
    Active,
    /// It is done, and the log proves it.
    Done,
    /// It waits for somebody to take it up again.
    #[default]
    #[serde(other)]
    Paused,
}

/// Why a goal does not go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "stop", rename_all = "snake_case")]
pub enum GoalStop {
    /// The user stopped it.
    User,
    /// The process ended.
    Restarted,
    /// The same stopped it several times.
    Blocked {
        /// What, in the model's or the harness's words.
        reason: String,
    },
    /// The model says that it cannot be done, or that only the user can go on.
    Impossible {
        /// Why, in its words.
        reason: String,
    },
    /// It was said to be done several times, and the log does not prove it.
    Unproved {
        /// What is missing, for the model.
        missing: Vec<String>,
    },
    /// What it may take is used up.
    OutOfBudget {
        /// What is used up.
        why: Phrase,
    },
    /// It took as many turns as it may.
    TurnLimit,
    /// The harness refused to go on, several times alike.
    Refused {
        /// Why.
        why: Phrase,
    },
    /// The provider failed in a way that only the user can put right, or again and again.
    Provider {
        /// The class, for programs.
        #[serde(default)]
        class: FailureClass,
        /// Why.
        why: Phrase,
    },
    /// Something of ours failed.
    Failed {
        /// Why.
        why: Phrase,
    },
    /// Of a later version.
    #[serde(other)]
    Unknown,
}

/// Something about the session's goal is different from now on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoalChange {
    /// What happened.
    pub news: GoalNews,
    /// The goal from now on; none when there is none any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<GoalInfo>,
}

/// What happened to a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalNews {
    /// The user set it.
    Set,
    /// The user changed its words.
    Edited,
    /// A turn is over, and it goes on.
    GoesOn,
    /// A turn is over; it was said to be done, which the log does not prove.
    NotProved,
    /// It does not go on.
    Stopped,
    /// It is done.
    Reached,
    /// It goes on where it was stopped.
    Resumed,
    /// The user does not want it any more.
    Cleared,
    /// It is what it was; said again on another branch or in another session.
    #[serde(other)]
    Kept,
}

impl GoalChange {
    /// What happened, for people; none where there is nothing to say.
    pub fn phrase(&self) -> Option<(Level, Phrase)> {
        let Some(goal) = &self.goal else { return Some((Level::Info, Phrase::new("flow.goal_cleared"))) };
        let most = if goal.limits.turns == 0 { "∞".to_owned() } else { goal.limits.turns.to_string() };
        let turns = |code: &'static str| Phrase::new(code).with("turns", goal.turns).with("most", &most);
        Some(match self.news {
            GoalNews::Set if goal.strategy == GoalStrategy::Research => {
                let folder = goal.folder.as_deref().unwrap_or("-");
                (Level::Info, Phrase::new("flow.goal_research").with("folder", folder))
            }
            GoalNews::Set => (Level::Info, Phrase::new("flow.goal_set")),
            GoalNews::Edited => (Level::Info, Phrase::new("flow.goal_edited")),
            GoalNews::GoesOn => (Level::Info, turns("flow.goal_goes_on")),
            GoalNews::NotProved => {
                (Level::Warning, turns("flow.goal_not_proved").with("missing", goal.missing.join("; ")))
            }
            GoalNews::Stopped => goal.stop.as_ref().map(GoalStop::phrase)?,
            GoalNews::Reached if goal.looked => {
                (Level::Info, Phrase::new("flow.goal_reached_by_looking").with("turns", goal.turns))
            }
            GoalNews::Reached => (Level::Info, Phrase::new("flow.goal_reached").with("turns", goal.turns)),
            GoalNews::Resumed => (Level::Info, Phrase::new("flow.goal_resumed")),
            GoalNews::Cleared => (Level::Info, Phrase::new("flow.goal_cleared")),
            GoalNews::Kept => return None,
        })
    }
}

impl GoalStop {
    /// Why it does not go on, for people.
    pub fn phrase(&self) -> (Level, Phrase) {
        let warning = |code: &'static str| (Level::Warning, Phrase::new(code));
        match self {
            Self::User => (Level::Info, Phrase::new("flow.goal_paused")),
            Self::Restarted => (Level::Info, Phrase::new("flow.goal_restarted")),
            Self::Blocked { reason } => (Level::Warning, Phrase::new("flow.goal_blocked").with("reason", reason)),
            Self::Impossible { reason } => (Level::Warning, Phrase::new("flow.goal_impossible").with("reason", reason)),
            Self::Unproved { missing } => {
                (Level::Warning, Phrase::new("flow.goal_unproved").with("missing", missing.join("; ")))
            }
            Self::OutOfBudget { .. } => warning("flow.goal_budget"),
            Self::TurnLimit => warning("flow.goal_turns"),
            Self::Provider { .. } => (Level::Error, Phrase::new("flow.goal_provider")),
            Self::Refused { why } => (Level::Warning, why.clone()),
            Self::Failed { why } => (Level::Error, why.clone()),
            Self::Unknown => warning("flow.goal_paused"),
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "for serde")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::GoalStrategy::{self, Research, Simple};
    use super::{GoalChange, GoalInfo, GoalNews, GoalStanding, GoalStop};
    use crate::{Record, RecordBody, RecordId};
    use serde_json::json;

    /// The log of a later version is read: what it does not know waits.
    #[test]
    fn the_record_is_what_other_versions_read() {
        let goal = GoalInfo { objective: "x".into(), stop: Some(GoalStop::User), ..GoalInfo::default() };
        let body = RecordBody::Goal(Box::new(GoalChange { news: GoalNews::Stopped, goal: Some(goal) }));
        let record = Record { id: RecordId(2), parent: Some(RecordId(1)), at: 3, body };
        let limits = json!({"turns": 0, "tokens": 0, "seconds": 0});
        let written = json!({"id": 2, "parent": 1, "at": 3, "kind": "goal", "news": "stopped", "goal": {
            "objective": "x", "strategy": "simple", "standing": "paused", "stop": {"stop": "user"}, "after": 0,
            "turns": 0, "tokens": 0, "seconds": 0, "limits": limits}});
        assert_eq!(serde_json::to_value(&record).ok(), Some(written.clone()));
        assert_eq!(serde_json::from_value::<Record>(written.clone()).ok(), Some(record));
        let mut later = written;
        later["goal"]["standing"] = "asleep".into();
        later["goal"]["stop"]["stop"] = "moon".into();
        later["news"] = "slept".into();
        let read = serde_json::from_value::<Record>(later).ok().map(|record| record.body);
        let Some(RecordBody::Goal(change)) = read else { panic!("{read:?}") };
        let stop = change.goal.map(|goal| (goal.standing, goal.stop));
        assert_eq!((change.news, stop), (GoalNews::Kept, Some((GoalStanding::Paused, Some(GoalStop::Unknown)))));
    }

    #[test]
    fn the_strategy_stands_before_or_behind_the_objective() {
        for (words, wanted) in [
            ("make it fast", (None, "make it fast")),
            ("--research make it fast", (Some(Research), "make it fast")),
            ("make it fast --simple", (Some(Simple), "make it fast")),
            ("--researcher wanted", (None, "--researcher wanted")),
            ("explain what x--simple is", (None, "explain what x--simple is")),
            ("--simple", (Some(Simple), "")),
        ] {
            assert_eq!(GoalStrategy::split(words), wanted, "{words}");
        }
    }
}
