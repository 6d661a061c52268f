//! Which colours stand for what. Built-in themes and the user's own are the same TOML; what a theme leaves out comes from
//! its base. A theme is brought down to the colours that the terminal has once, when it is chosen.

mod background;
mod colour;
mod file;

pub use background::{background_from_env, is_dark, parse_background};
pub use file::{BUILT_IN, ThemeError, choose};

use crate::Colours;
use ratatui_core::style::Style;

macro_rules! theme {
    ($($(#[$doc:meta])* $field:ident,)*) => {
        /// The styles of everything that is drawn.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Theme {
            $($(#[$doc])* pub $field: Style,)*
        }

        impl Theme {
            /// The names of the styles, as theme files use them.
            pub const STYLES: &[&str] = &[$(stringify!($field),)*];

            /// No style for anything.
            const PLAIN: Self = Self { $($field: Style::new(),)* };

            fn slot(&mut self, name: &str) -> Option<&mut Style> {
                match name {
                    $(stringify!($field) => Some(&mut self.$field),)*
                    _ => None,
                }
            }

            fn each(&mut self, change: impl Fn(&mut Style)) {
                $(change(&mut self.$field);)*
            }
        }
    };
}

theme! {
    /// Ordinary text.
    text,
    /// Less important text.
    dim,
    /// What catches the eye: the caret's line, the chosen entry, the prompt sign.
    accent,
    /// Something went well.
    good,
    /// Something is not as it should be.
    warn,
    /// Something failed, or is dangerous.
    bad,
    /// Lines and borders.
    rule,
    /// The chosen entry of a list.
    chosen,
    /// What the user wrote.
    user,
    /// The sign before it.
    user_mark,
    /// The heading of a plan.
    plan,
    /// The heading of an answer.
    answer,
    /// A tool's name.
    tool,
    /// What a call is about.
    subject,
    /// What a call printed.
    output,
    /// The model's reasoning.
    thought,
    /// Headings in answers.
    heading,
    /// Strong text.
    strong,
    /// Emphasised text.
    emphasis,
    /// Code within text.
    code,
    /// The text of a link.
    link,
    /// Where a link leads.
    target,
    /// Quoted text.
    quote,
    /// A line that is added.
    added,
    /// The words of it that are new.
    added_word,
    /// A line that is taken away.
    removed,
    /// The words of it that are gone.
    removed_word,
    /// Line numbers, and what separates the parts of a diff.
    hunk,
    /// Words of a programming language.
    keyword,
    /// Types.
    kind,
    /// Functions.
    function,
    /// Built-in values.
    constant,
    /// Strings.
    string,
    /// Numbers.
    number,
    /// Comments.
    comment,
    /// Keys, attributes and variables.
    property,
}

impl Theme {
    /// The built-in theme for a background, for a terminal with these colours.
    pub fn built_in(dark: bool, colours: Colours) -> Self {
        let name = if dark { "dark" } else { "light" };
        choose(name, dark, colours, &|_| None).unwrap_or(Self::PLAIN)
    }

    /// Brings every style down to what the terminal has.
    fn reduced(mut self, colours: Colours) -> Self {
        self.each(|style| *style = colour::reduce(*style, colours));
        self
    }
}

impl Default for Theme {
    fn default() -> Self {
        Self::built_in(true, Colours::True)
    }
}

#[cfg(test)]
mod tests;
