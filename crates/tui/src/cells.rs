//! What the transcript is made of: one kind of cell a file. A cell keeps its source, not its lines.

mod citations;
mod marker;
mod notice;
mod prompt;
mod prose;
mod sheet;
mod thought;
mod tool;
mod turn;

pub(crate) use citations::Citations;
pub(crate) use marker::Marker;
pub use notice::Notice;
pub(crate) use prompt::{Prompt, PromptKind};
pub(crate) use prose::Prose;
pub(crate) use thought::Thought;
pub(crate) use tool::{Tool, ToolState};
pub(crate) use turn::TurnSummary;

use crate::Look;
use ratatui_core::text::Line;
use std::time::Duration;

/// One entry of the transcript.
pub trait Cell: Send {
    /// Its lines at a width; none is wider.
    fn lines(&self, width: u16, look: &Look) -> Vec<Line<'static>>;
}

/// What drawing depends on besides the cell itself.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) width: u16,
    pub(crate) look: &'a Look,
    /// Everything, not only the gist.
    pub(crate) open: bool,
    /// Time since the program began.
    pub(crate) now: Duration,
}

/// How many lines are not shown.
pub(crate) fn left_out(count: usize) -> reasonix_proto::Phrase {
    let phrase = match count {
        1 => reasonix_proto::Phrase::new("tui.left_out_one"),
        _ => reasonix_proto::Phrase::new("tui.left_out"),
    };
    phrase.with("count", count)
}

/// A time in a few letters.
pub(crate) fn short_time(millis: u64) -> String {
    match millis {
        0..1000 => format!("{millis} ms"),
        1000..60_000 => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
        60_000..3_600_000 => format!("{} min {} s", millis / 60_000, millis / 1000 % 60),
        _ => format!("{} h {} min", millis / 3_600_000, millis / 60_000 % 60),
    }
}

/// A number of tokens in a few letters.
pub(crate) fn short_count(count: u64) -> String {
    match count {
        0..1000 => count.to_string(),
        1000..99_950 => format!("{:.1}k", count as f64 / 1e3),
        99_950..999_500 => format!("{:.0}k", count as f64 / 1e3),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::{short_count, short_time};

    #[test]
    fn short_numbers() {
        let times = [(3, "3 ms"), (1_240, "1.2 s"), (61_000, "1 min 1 s"), (3_720_000, "1 h 2 min")];
        for (millis, text) in times {
            assert_eq!(short_time(millis), text);
        }
        for (count, text) in
            [(999, "999"), (8192, "8.2k"), (12_345, "12.3k"), (99_990, "100k"), (123_456, "123k"), (1_260_000, "1.3M")]
        {
            assert_eq!(short_count(count), text);
        }
    }
}
