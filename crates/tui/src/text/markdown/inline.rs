//! What stands within a paragraph: emphasis, code, links with their target in sight.

use super::block::over;
use crate::text::Rich;
use crate::{Colours, Look};
use pulldown_cmark::{Event, Tag, TagEnd};
use ratatui_core::style::{Modifier, Style};

/// A paragraph that is being put together.
pub(super) struct Inline {
    rich: Rich,
    styles: Vec<Style>,
    /// Links that are open: where they lead, and where their text began.
    links: Vec<(String, usize)>,
    /// A line ended behind a Chinese or Japanese character; what follows says whether a blank belongs there.
    broken: bool,
}

impl Inline {
    pub(super) fn new(look: &Look) -> Self {
        Self { rich: Rich::default(), styles: vec![look.theme.text], links: Vec::new(), broken: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rich.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.rich = Rich::default();
        self.broken = false;
    }

    pub(super) fn take(&mut self) -> Rich {
        self.broken = false;
        std::mem::take(&mut self.rich)
    }

    /// Adds text behind what is there.
    fn add(&mut self, text: &str, style: Style) {
        if std::mem::take(&mut self.broken) && !text.chars().next().is_some_and(is_cjk) {
            let blank = self.style();
            self.rich.push(" ", blank);
        }
        self.rich.push(text, style);
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    pub(super) fn push_style(&mut self, style: Style) {
        let style = over(self.style(), style);
        self.styles.push(style);
    }

    pub(super) fn pop_style(&mut self) {
        if self.styles.len() > 1 {
            self.styles.pop();
        }
    }

    pub(super) fn styled(&mut self, text: &str, style: Style) {
        self.add(text, style);
    }

    pub(super) fn text(&mut self, text: &str) {
        let style = self.style();
        self.add(text, style);
    }

    pub(super) fn line_break(&mut self) {
        let style = self.style();
        self.rich.push("\n", style);
    }

    pub(super) fn event(&mut self, event: Event<'_>, look: &Look) {
        match event {
            Event::Code(code) => {
                let style = over(self.style(), look.theme.code);
                // Without colours the marks are what tells code from text.
                let marks = if look.colours == Colours::None { "`" } else { "" };
                self.add(&format!("{marks}{code}{marks}"), style);
            }
            Event::SoftBreak => self.soft_break(),
            Event::Html(html) | Event::InlineHtml(html) => {
                let style = self.style();
                self.add(&html, style);
            }
            _ => {}
        }
    }

    /// A line end within a paragraph is a blank, but not between two Chinese or Japanese characters.
    fn soft_break(&mut self) {
        self.broken = self.rich.text().chars().next_back().is_some_and(is_cjk);
        if !self.broken {
            let style = self.style();
            self.rich.push(" ", style);
        }
    }

    pub(super) fn start(&mut self, tag: Tag<'_>, look: &Look) {
        match tag {
            Tag::Strong => self.push_style(look.theme.strong),
            Tag::Emphasis => self.push_style(look.theme.emphasis),
            Tag::Strikethrough => self.push_style(Style::new().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.rich.text().len()));
                self.push_style(look.theme.link);
            }
            _ => {}
        }
    }

    pub(super) fn end(&mut self, tag: TagEnd, look: &Look) {
        match tag {
            TagEnd::Strong | TagEnd::Emphasis | TagEnd::Strikethrough => self.pop_style(),
            TagEnd::Link | TagEnd::Image => {
                self.pop_style();
                if let Some((target, from)) = self.links.pop() {
                    self.target(&target, from, look);
                }
            }
            _ => {}
        }
    }

    /// A link says where it leads, unless its text already does.
    fn target(&mut self, target: &str, from: usize, look: &Look) {
        let shown = self.rich.text().get(from..).unwrap_or_default();
        let bare = target.strip_prefix("mailto:").unwrap_or(target);
        if !bare.is_empty() && shown != bare {
            let space = if shown.is_empty() { "" } else { " " };
            let style = over(self.style(), look.theme.target);
            self.rich.push(&format!("{space}({target})"), style);
        }
    }
}

fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}')
}
