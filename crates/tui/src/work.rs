//! What is being done right now: the line with the spinner.

use crate::Look;
use crate::text::{columns, cut, neutral};
use ratatui_core::text::{Line, Span};
use reasonix_proto::{Event, Phrase, RecordBody, TurnState, Usage};
use std::time::Duration;

/// How often the spinner turns.
pub const BEAT: Duration = Duration::from_millis(120);

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// A turn as far as it has come.
#[derive(Debug, Clone, Default)]
pub struct TurnProgress {
    state: Option<TurnState>,
    since: Duration,
    doing: String,
    running: Vec<(String, String)>,
    tokens: u64,
    written: usize,
    /// The count as it is shown, and the beat since when: it moves with the spinner, not with every token.
    counted: Option<(u128, u64)>,
    /// True after Esc, until the turn has ended.
    pub stopping: bool,
    /// True for a goal of which the engine has not said that it begins.
    expected: bool,
}

impl TurnProgress {
    /// True while a turn runs.
    pub fn is_on(&self) -> bool {
        self.state.is_some()
    }

    /// True when something runs that is not waiting for the user.
    pub fn waits_for_user(&self) -> bool {
        self.state == Some(TurnState::AwaitingPermission)
    }

    /// How long the turn has taken.
    pub fn elapsed(&self, now: Duration) -> Duration {
        now.saturating_sub(self.since)
    }

    /// A turn is about to begin: shown at once, before the engine says so.
    pub fn begin(&mut self, now: Duration) {
        if self.state.is_none() {
            *self = Self { state: Some(TurnState::AwaitingModel), since: now, ..Self::default() };
        }
    }

    /// The same for a goal, which may be refused.
    pub fn begin_goal(&mut self, now: Duration) {
        let idle = self.state.is_none();
        self.begin(now);
        self.expected |= idle;
    }

    /// Something is not done: a goal that was only expected does not begin.
    pub fn refused(&mut self) {
        if self.expected {
            *self = Self::default();
        }
    }

    /// Takes an event in. True when the turn ended with it.
    pub fn apply(&mut self, event: &Event, now: Duration) -> bool {
        match event {
            Event::TurnStarted { .. } => {
                let since = if self.state.is_some() { self.since } else { now };
                *self = Self { state: Some(TurnState::AwaitingModel), since, ..Self::default() };
            }
            Event::State { state } => return self.enter(*state, now),
            Event::Text { delta } | Event::Reasoning { delta } | Event::Arguments { delta, .. } => {
                self.written += delta.chars().count();
            }
            Event::ToolStarted { call, tool, subject } => {
                self.running.push((call.to_string(), tool.clone()));
                self.doing = format!("{tool} {}", subject.lines().next().unwrap_or_default());
            }
            Event::ToolEnded { record } => {
                if let RecordBody::Outcome { call, .. } = &record.body {
                    self.running.retain(|(running, _)| *running != call.as_str());
                }
            }
            Event::Usage { usage: Usage { output, .. }, .. } => {
                self.tokens += output;
                self.written = 0;
            }
            Event::TurnEnded { .. } | Event::SessionEnded => {
                *self = Self::default();
                return true;
            }
            _ => {}
        }
        false
    }

    fn enter(&mut self, state: TurnState, now: Duration) -> bool {
        let on = matches!(
            state,
            TurnState::AwaitingModel
                | TurnState::ModelGenerating
                | TurnState::ToolRunning
                | TurnState::AwaitingPermission
        );
        if !on {
            let was = self.state.is_some();
            *self = Self::default();
            return was;
        }
        if self.state.is_none() {
            self.since = now;
        }
        (self.state, self.expected) = (Some(state), false);
        false
    }

    /// The line, when a turn runs.
    pub fn line(&mut self, width: u16, look: &Look, now: Duration, model: &str, stop: &str) -> Option<Line<'static>> {
        let state = self.state?;
        let (code, what) = match state {
            _ if self.stopping => ("tui.work.stopping", String::new()),
            TurnState::AwaitingPermission => ("tui.work.asking", String::new()),
            TurnState::ToolRunning => ("tui.work.tool", neutral(&self.doing).into_owned()),
            TurnState::ModelGenerating => ("tui.work.answering", String::new()),
            _ => ("tui.work.waiting", model.to_owned()),
        };
        let text = look.say(&Phrase::new(code).with("what", what));
        let mut tail = format!(" · {}", clock(self.elapsed(now)));
        let beat = now.as_millis() / BEAT.as_millis();
        let counted = self.counted.filter(|(since, _)| *since == beat);
        let (_, tokens) = *self.counted.insert(counted.unwrap_or((beat, self.tokens + (self.written / 4) as u64)));
        if tokens > 0 {
            tail.push_str(&format!(" · ↓{}", short(tokens)));
        }
        if !self.stopping && state != TurnState::AwaitingPermission && !stop.is_empty() {
            tail.push_str(" · ");
            tail.push_str(&look.say(&Phrase::new("tui.work.stop").with("key", stop)));
        }
        let beat = usize::try_from(beat).unwrap_or(0);
        let sign = match (look.unicode, state) {
            (_, TurnState::AwaitingPermission) => "?",
            (true, _) => SPINNER.get(beat % SPINNER.len()).copied().unwrap_or("*"),
            (false, _) => ["|", "/", "-", "\\"].get(beat % 4).copied().unwrap_or("*"),
        };
        let room = usize::from(width).saturating_sub(2 + columns(&tail));
        let text = if columns(&text) > room { format!("{}…", cut(&text, room.saturating_sub(1))) } else { text };
        Some(Line::from(vec![
            Span::styled(format!("{sign} "), look.theme.accent),
            Span::styled(text, look.theme.text),
            Span::styled(tail, look.theme.dim),
        ]))
    }
}

/// `7s`, `2m 05s`, `1h 02m`.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// `950`, `1.2k`, `34k`, `1.5M`.
pub fn short(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..10_000 => format!("{}.{}k", count / 1_000, count % 1_000 / 100),
        10_000..1_000_000 => format!("{}k", count / 1_000),
        _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use super::{clock, short};
    use std::time::Duration;

    #[test]
    fn numbers_are_short() {
        for (count, text) in [(0, "0"), (999, "999"), (1_000, "1.0k"), (12_345, "12k"), (1_550_000, "1.5M")] {
            assert_eq!(short(count), text);
        }
        for (seconds, text) in [(7, "7s"), (125, "2m 05s"), (3_720, "1h 02m")] {
            assert_eq!(clock(Duration::from_secs(seconds)), text);
        }
    }
}
