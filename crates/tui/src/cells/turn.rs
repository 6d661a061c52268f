//! How a turn ended, and what it took.

use super::sheet::Sheet;
use super::{Notice, View, short_count, short_time};
use ratatui_core::text::Line;
use reasonix_proto::{Cost, Level, Phrase, TurnEnd, Usage};

/// The end of a turn.
#[derive(Debug)]
pub(crate) struct TurnSummary {
    pub(crate) end: TurnEnd,
    pub(crate) steps: u32,
    pub(crate) usage: Usage,
    pub(crate) cost: Option<Cost>,
    pub(crate) took_ms: Option<u64>,
    /// True when it was a command of the user's own.
    pub(crate) shell: bool,
}

impl TurnSummary {
    pub(crate) fn lines(&self, view: View<'_>) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        if let Some(notice) = self.notice() {
            lines = notice.draw(view);
        }
        let mut sheet = Sheet::new(view);
        let facts = self.facts(view);
        if !facts.is_empty() {
            sheet.text(&facts.join(if view.look.unicode { " · " } else { ", " }), view.look.theme.dim);
        }
        lines.append(&mut sheet.lines);
        lines
    }

    fn notice(&self) -> Option<Notice> {
        let (level, phrase) = match &self.end {
            TurnEnd::Done => return None,
            // There is no prompt that could be sent again.
            TurnEnd::Interrupted if self.shell => (Level::Warning, Phrase::new("tui.interrupted_shell")),
            TurnEnd::Interrupted => (Level::Warning, Phrase::new("tui.interrupted")),
            TurnEnd::TimedOut => (Level::Warning, Phrase::new("tui.timed_out")),
            TurnEnd::StepLimit => (Level::Warning, Phrase::new("tui.step_limit")),
            TurnEnd::Refused { why, .. } | TurnEnd::OutOfBudget { why } => (Level::Warning, why.clone()),
            TurnEnd::ProviderFailed { why, .. } | TurnEnd::Broken { why } => (Level::Error, why.clone()),
        };
        Some(Notice { level, phrase })
    }

    fn facts(&self, view: View<'_>) -> Vec<String> {
        let look = view.look;
        let mut facts = Vec::new();
        if self.steps > 0 {
            let code = if self.steps == 1 { "tui.step" } else { "tui.steps" };
            facts.push(look.say(&Phrase::new(code).with("count", self.steps)));
        }
        let usage = self.usage;
        if usage.input + usage.output > 0 {
            let code = if usage.cached > 0 { "tui.tokens_cached" } else { "tui.tokens" };
            let phrase = Phrase::new(code)
                .with("input", short_count(usage.input))
                .with("cached", short_count(usage.cached))
                .with("output", short_count(usage.output));
            facts.push(look.say(&phrase));
        }
        facts.extend(self.cost.as_ref().filter(|cost| cost.spent > 0).map(Cost::spent_text));
        facts.extend(self.took_ms.map(short_time));
        facts
    }
}
