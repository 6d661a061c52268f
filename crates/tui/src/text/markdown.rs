//! Markdown on a terminal, also while it streams in. The source is cut into pieces that can no longer change; each is
//! drawn once, and only what is behind the last cut is drawn again when more arrives.

mod block;
mod inline;
mod paint;
mod split;
mod table;

pub(crate) use paint::Painter;
use split::Splitter;

use crate::Look;
use ratatui_core::text::Line;

/// Draws a whole text.
pub fn lines(source: &str, width: u16, look: &Look) -> Vec<Line<'static>> {
    let mut stream = Stream::default();
    stream.push(source);
    stream.finish();
    stream.draw(width, look);
    stream.take_drawn()
}

/// A text that is still being written.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    source: String,
    /// The end of what came, which means something else with what may follow.
    held: String,
    splitter: Splitter,
    painter: Option<Painter>,
    /// The lines of what may still change, and how long the text was when they were drawn.
    tail: Option<(usize, Vec<Line<'static>>)>,
}

impl Stream {
    /// The text so far.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Adds to its end.
    pub fn push(&mut self, delta: &str) {
        self.held.push_str(delta);
        let ready = super::neutral::settled(&self.held);
        self.release(ready);
        self.splitter.advance(&self.source);
    }

    fn release(&mut self, ready: usize) {
        let rest = self.held.split_off(ready);
        self.source.push_str(&super::neutral(&self.held));
        self.held = rest;
    }

    /// Nothing more will come.
    pub fn finish(&mut self) {
        self.release(self.held.len());
        self.splitter.finish(&self.source);
    }

    /// Draws what can no longer change and is not drawn yet, and the rest anew. Another width or look begins again.
    pub fn draw(&mut self, width: u16, look: &Look) {
        let painter = match self.painter.take() {
            Some(painter) if painter.fits(width, look) => painter,
            _ => {
                self.tail = None;
                Painter::new(width, look)
            }
        };
        let painter = self.painter.insert(painter);
        let before = painter.painted();
        painter.paint(&self.source, self.splitter.pieces());
        let is_new = before != painter.painted() || self.tail.as_ref().is_none_or(|(len, _)| *len != self.source.len());
        if is_new {
            let mut guess = painter.fork();
            guess.paint(&self.source, &self.splitter.guess(&self.source));
            self.tail = Some((self.source.len(), guess.take_lines()));
        }
    }

    /// The lines that can no longer change, as of the last [`draw`](Self::draw).
    pub fn drawn(&self) -> &[Line<'static>] {
        self.painter.as_ref().map_or(&[], |painter| painter.lines())
    }

    /// How many drawn lines the first pieces have together.
    pub(crate) fn line_of(&self, pieces: usize) -> usize {
        self.painter.as_ref().map_or(0, |painter| painter.line_of(pieces))
    }

    /// The fewest pieces that have so many lines, or all that are drawn.
    pub(crate) fn piece_at(&self, line: usize) -> usize {
        self.painter.as_ref().map_or(0, |painter| painter.piece_at(line))
    }

    /// The lines behind them, which may.
    pub fn tail(&self) -> &[Line<'static>] {
        self.tail.as_ref().map_or(&[], |(_, lines)| lines)
    }

    fn take_drawn(self) -> Vec<Line<'static>> {
        self.painter.map(Painter::take_lines).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
