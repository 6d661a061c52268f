//! A line that shows what is waited for, and for how long. Only in a terminal, only on standard error.

use crate::say::{Colour, Style};
use std::io::{self, Write};
use std::time::Instant;

const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// The line, if one is on the screen.
#[derive(Default)]
pub(crate) struct Spinner {
    what: Option<(String, Instant)>,
    frame: usize,
    drawn: bool,
}

impl Spinner {
    /// Begins to wait for something; it is drawn at the next tick.
    pub(crate) fn wait_for(&mut self, what: String) {
        if self.what.as_ref().is_none_or(|(before, _)| *before != what) {
            self.what = Some((what, Instant::now()));
        }
    }

    /// Waits for nothing, and leaves no trace.
    pub(crate) fn clear(&mut self) {
        self.what = None;
        self.wipe();
    }

    /// Takes the line off the screen, so that something can be printed.
    pub(crate) fn wipe(&mut self) {
        if self.drawn {
            self.drawn = false;
            let _ = write!(io::stderr().lock(), "\r\u{1b}[K");
        }
    }

    /// Draws the next frame.
    pub(crate) fn tick(&mut self) {
        let Some((what, since)) = &self.what else { return };
        self.frame = (self.frame + 1) % FRAMES.len();
        let frame = FRAMES.get(self.frame).unwrap_or(&"");
        let text = format!("{frame} {what} {} s", since.elapsed().as_secs());
        let mut err = io::stderr().lock();
        let _ = write!(err, "\r\u{1b}[K{}", Style::get().err(Colour::Dim, &text));
        let _ = err.flush();
        self.drawn = true;
    }
}
