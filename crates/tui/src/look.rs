//! How things are shown: everything a cell needs to know besides its width.

use crate::theme::Theme;
use reasonix_words::Lang;

/// How things are shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Which colours stand for what.
    pub theme: Theme,
    /// The language of our own words.
    pub lang: Lang,
    /// How many colours the terminal has.
    pub colours: Colours,
    /// False where only ASCII may be drawn.
    pub unicode: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { theme: Theme::default(), lang: Lang::En, colours: Colours::True, unicode: true }
    }
}

impl Look {
    /// The text of a phrase in the chosen language.
    pub fn say(&self, phrase: &reasonix_proto::Phrase) -> String {
        reasonix_words::render(self.lang, phrase)
    }

    /// The text of a code without arguments.
    pub fn word(&self, code: &'static str) -> String {
        self.say(&reasonix_proto::Phrase::new(code))
    }
}

/// How many colours the terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colours {
    /// None: attributes only.
    None,
    /// The sixteen of the terminal's own palette.
    Sixteen,
    /// The 256 of xterm.
    Indexed,
    /// Any.
    True,
}
