//! A long text on the whole screen, with search: the transcript, a diff, the list of keys.

use crate::Look;
use crate::keys::{Chord, Code};
use crate::overlays::{LineField, Outcome};
use ratatui_core::style::Modifier;
use ratatui_core::text::{Line, Span};
use reasonix_proto::Phrase;

/// The text and where it is.
#[derive(Debug)]
pub struct Pager {
    title: Phrase,
    /// The text as it was given.
    source: Vec<Line<'static>>,
    /// The same, broken for the width it is shown at.
    lines: Vec<Line<'static>>,
    width: u16,
    top: usize,
    page: usize,
    words: LineField,
    searching: bool,
    hits: Vec<usize>,
    /// True when the end is to be shown first.
    at_end: bool,
}

impl Pager {
    /// A text, shown from its beginning or from its end.
    pub fn new(title: Phrase, source: Vec<Line<'static>>, at_end: bool) -> Self {
        let (lines, words) = (Vec::new(), LineField::default());
        Self { title, source, lines, width: 0, top: 0, page: 1, words, searching: false, hits: Vec::new(), at_end }
    }

    /// Shows another text in its place; whoever saw the end sees the end of it.
    pub fn replace(&mut self, source: Vec<Line<'static>>) {
        self.at_end |= self.top + self.page >= self.lines.len();
        (self.source, self.width) = (source, 0);
    }

    fn fit(&mut self, width: u16) {
        if self.width != width {
            self.width = width;
            self.lines = self.source.iter().flat_map(|line| crate::text::wrap_hanging(line, width.max(1))).collect();
            self.find();
        }
    }

    /// Takes a key.
    pub fn key(&mut self, chord: Chord, _look: &Look) -> Outcome {
        if self.searching {
            return self.search_key(chord);
        }
        let end = self.lines.len().saturating_sub(self.page);
        match chord.code {
            Code::Esc | Code::Char('q') => return Outcome::Close,
            Code::Char('c' | 't') if chord.mods.ctrl => return Outcome::Close,
            Code::Up | Code::Char('k') => self.top = self.top.saturating_sub(1),
            Code::Down | Code::Char('j') | Code::Enter => self.top = (self.top + 1).min(end),
            Code::PageUp | Code::Char('b') => self.top = self.top.saturating_sub(self.page),
            Code::PageDown | Code::Char(' ' | 'f') => self.top = (self.top + self.page).min(end),
            Code::Home | Code::Char('g') => self.top = 0,
            Code::End | Code::Char('G') => self.top = end,
            Code::Char('/') => self.searching = true,
            Code::Char('n') => self.hop(true),
            Code::Char('N') => self.hop(false),
            _ => {}
        }
        Outcome::Stay
    }

    fn search_key(&mut self, chord: Chord) -> Outcome {
        match chord.code {
            Code::Esc => {
                self.searching = false;
                self.words.clear();
                self.hits.clear();
            }
            Code::Enter => self.searching = false,
            _ if self.words.key(chord) => self.find(),
            _ => {}
        }
        Outcome::Stay
    }

    /// Turns by so many lines, for the wheel.
    pub fn scroll(&mut self, up: bool) {
        let end = self.lines.len().saturating_sub(self.page);
        self.top = if up { self.top.saturating_sub(3) } else { (self.top + 3).min(end) };
    }

    fn find(&mut self) {
        let words = self.words.text().to_lowercase();
        self.hits.clear();
        if !words.is_empty() {
            let has = |line: &Line<'_>| line.to_string().to_lowercase().contains(&words);
            self.hits = self.lines.iter().enumerate().filter(|(_, line)| has(line)).map(|(at, _)| at).collect();
        }
        let here = self.hits.iter().rev().find(|hit| **hit < self.top + self.page).or(self.hits.first());
        if let Some(hit) = here {
            self.top = hit.saturating_sub(self.page / 2);
        }
    }

    fn hop(&mut self, down: bool) {
        let middle = self.top + self.page / 2;
        let next = if down {
            self.hits.iter().find(|hit| **hit > middle)
        } else {
            self.hits.iter().rev().find(|hit| **hit < middle)
        };
        if let Some(hit) = next {
            self.top = hit.saturating_sub(self.page / 2);
        }
    }

    /// Its rows and the caret of the search.
    pub fn view(&mut self, width: u16, most: usize, look: &Look) -> (Vec<Line<'static>>, Option<(u16, u16)>) {
        self.page = most.saturating_sub(1).max(1);
        self.fit(width);
        let end = self.lines.len().saturating_sub(self.page);
        if std::mem::take(&mut self.at_end) {
            self.top = end;
        }
        self.top = self.top.min(end);
        let shown = self.lines.iter().enumerate().skip(self.top).take(self.page);
        let mut lines: Vec<Line<'static>> = shown.map(|(at, line)| self.marked(at, line)).collect();
        lines.resize(self.page, Line::default());
        let (words, at) = self.words.shown(usize::MAX);
        let (foot, caret) = if self.searching {
            let column = u16::try_from(1 + at).unwrap_or(u16::MAX).min(width.saturating_sub(1));
            (format!("/{words}"), Some((column, u16::try_from(self.page).unwrap_or(u16::MAX))))
        } else {
            let of = self.lines.len();
            let at = Phrase::new("tui.pager")
                .with("title", look.say(&self.title))
                .with("at", (self.top + self.page).min(of))
                .with("of", of);
            (look.say(&at), None)
        };
        let hits = if words.is_empty() { String::new() } else { format!("  {}", self.hits.len()) };
        lines.push(Line::from(vec![Span::styled(foot, look.theme.accent), Span::styled(hits, look.theme.dim)]));
        (lines, caret)
    }

    fn marked(&self, at: usize, line: &Line<'static>) -> Line<'static> {
        let mut line = line.clone();
        if self.hits.binary_search(&at).is_ok() {
            line.style = line.style.add_modifier(Modifier::REVERSED);
        }
        line
    }
}
