//! How far a measurement is: one line that is written over at a terminal, now and then a line elsewhere.

use crate::say::{self, Style, clean};
use reasonix_lab::bench::EditCase;
use reasonix_proto::{EditFormat, Level, Phrase};
use reasonix_session::{Trial, Why};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How many lines there are where nobody watches.
const LINES: usize = 10;

pub(crate) struct Progress {
    total: usize,
    done: usize,
    right: usize,
    began: Instant,
    watched: bool,
    quiet: bool,
}

impl Progress {
    /// For so many trials; quiet where only a program reads.
    pub(crate) fn new(total: usize, quiet: bool) -> Self {
        let watched = std::io::stderr().is_terminal();
        Self { total, done: 0, right: 0, began: Instant::now(), watched, quiet }
    }

    pub(crate) fn trying(&self, case: &EditCase, format: EditFormat) {
        if self.watched {
            let place = format!("{}/{} {} {format}", self.done + 1, self.total, case.id);
            let line = match self.time_left() {
                Some(left) => format!("{place}  {}", Style::get().text(&left)),
                None => place,
            };
            eprint!("\r\x1b[K{}", clean(&line));
            let _ = std::io::stderr().flush();
        }
    }

    pub(crate) fn tried(&mut self, trial: &Trial) {
        self.done += 1;
        self.right += usize::from(trial.why.is_none());
        let step = self.total.div_ceil(LINES).max(1);
        if !self.watched && !self.quiet && trial.why != Some(Why::Error) && self.done.is_multiple_of(step) {
            let style = Style::get();
            let phrase = Phrase::new("bench.progress").with("done", self.done).with("total", self.total);
            let left = self.time_left().map(|left| style.text(&left)).unwrap_or_default();
            let line = style.text(&phrase.with("right", self.right));
            say::line_err(format!("{line}  {left}").trim_end());
        }
    }

    pub(crate) fn notice(&self, level: Level, phrase: &Phrase) {
        self.finish();
        say::notice(level, phrase);
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        if self.watched {
            eprint!("\r\x1b[K");
        }
    }

    /// How long the rest will take, once something is known of it.
    fn time_left(&self) -> Option<Phrase> {
        let (done, left) = (u32::try_from(self.done).ok()?, u32::try_from(self.total - self.done).ok()?);
        if done == 0 || left == 0 {
            return None;
        }
        let rest: Duration = self.began.elapsed() / done * left;
        let phrase = match rest.as_secs() {
            seconds if seconds < 90 => Phrase::new("bench.seconds_left").with("count", seconds.max(1)),
            seconds => Phrase::new("bench.minutes_left").with("count", seconds.div_ceil(60)),
        };
        Some(phrase)
    }
}
