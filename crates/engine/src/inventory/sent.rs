//! What of the extensions really stands in every request of a session that starts here: each kind has its bound.

use reasonix_agent::estimate_tokens;
use reasonix_extensions::{RuleText, RulesChapter, Skill, index};
use reasonix_world::prompt::fitted;
use reasonix_world::spec::Start;

/// The texts that are sent.
pub(super) struct Sent {
    files: Vec<String>,
    rules: RulesChapter,
    skills: String,
}

impl Sent {
    /// For the model that a session would begin with.
    pub(super) fn of(start: &Start) -> Self {
        let window = start.named_model().map_or(0, |found| start.world.settings.window(&found));
        Self {
            files: fitted(&start.rules, window).into_iter().map(|(text, _)| text).collect(),
            rules: start.shelf().rules().chapter(window, &estimate_tokens),
            skills: index(start.shelf().offered(), window, &estimate_tokens),
        }
    }

    /// Tokens of each rules file, in their order.
    pub(super) fn of_files(&self) -> impl Iterator<Item = u64> {
        self.files.iter().map(|text| estimate_tokens(text))
    }

    /// Tokens of a rule: all of it, its line in the list, or nothing.
    pub(super) fn of_rule(&self, rule: &RuleText) -> u64 {
        let (whole, line) = (rule.chapter(), format!("\n{}", rule.line()));
        if rule.always && self.rules.always.contains(&whole) {
            estimate_tokens(&whole)
        } else if self.rules.others.contains(&line) {
            estimate_tokens(&line)
        } else {
            0
        }
    }

    /// Tokens of a skill's line in the index.
    pub(super) fn of_skill(&self, skill: &Skill) -> u64 {
        let begins = format!("- {}{}: ", skill.name, skill.mark());
        let line = self.skills.lines().find(|line| line.starts_with(&begins));
        line.map_or(0, estimate_tokens)
    }
}
