//! Which colours stand for what.

use ratatui_core::style::{Color, Style};

/// The styles of everything that is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    /// Ordinary text.
    pub text: Style,
    /// Less important text.
    pub dim: Style,
    /// What catches the eye: the caret's line, the chosen entry, the prompt sign.
    pub accent: Style,
    /// Something went well.
    pub good: Style,
    /// Something is not as it should be.
    pub warn: Style,
    /// Something failed, or is dangerous.
    pub bad: Style,
    /// Lines and borders.
    pub rule: Style,
    /// The chosen entry of a list.
    pub chosen: Style,
}

impl Default for Theme {
    fn default() -> Self {
        let fg = |color| Style::new().fg(color);
        Self {
            text: Style::new(),
            dim: fg(Color::DarkGray),
            accent: fg(Color::Cyan),
            good: fg(Color::Green),
            warn: fg(Color::Yellow),
            bad: fg(Color::Red),
            rule: fg(Color::DarkGray),
            chosen: fg(Color::Cyan),
        }
    }
}

impl Theme {
    /// The terminal's background is this: dark or light.
    pub fn settle(&mut self, _red: u8, _green: u8, _blue: u8) {}
}
