//! Colours for code. One line at a time, in one pass, with a state of a few bytes: nothing to load, nothing to cache, so
//! that it can run while text streams in. Lines that are too long stay plain.

mod language;
mod languages;
mod lexer;
mod markup;

pub use language::Language;
pub use lexer::Lexer;

use crate::theme::Theme;
use ratatui_core::style::Style;

/// The language that the info string of a code block, or the end of a file name, speaks of.
pub fn language(name: &str) -> Option<&'static Language> {
    let name = name.trim().trim_start_matches(['.', '{']).to_ascii_lowercase();
    let name = name.split([' ', ',', '{', '}', ':']).next().unwrap_or_default();
    languages::ALL.iter().copied().find(|language| language.names.contains(&name))
}

/// The language of a file, by its name.
pub fn language_of_path(path: &str) -> Option<&'static Language> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let end = file.rsplit_once('.').map_or(file, |(_, end)| end);
    language(end).or_else(|| language(file))
}

/// What a piece of code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeKind {
    /// Nothing in particular.
    Text,
    /// A word of the language.
    Keyword,
    /// A type, or a name that looks like one.
    Type,
    /// A name that is called or defined.
    Function,
    /// A built-in value.
    Constant,
    /// A string or a character.
    String,
    /// A number.
    Number,
    /// A comment.
    Comment,
    /// A key, an attribute or a variable.
    Property,
    /// A line that is added.
    Added,
    /// A line that is taken away.
    Removed,
}

impl CodeKind {
    /// Its style.
    pub fn style(self, theme: &Theme) -> Style {
        match self {
            Self::Text => theme.text,
            Self::Keyword => theme.keyword,
            Self::Type => theme.kind,
            Self::Function => theme.function,
            Self::Constant => theme.constant,
            Self::String => theme.string,
            Self::Number => theme.number,
            Self::Comment => theme.comment,
            Self::Property => theme.property,
            Self::Added => theme.added,
            Self::Removed => theme.removed,
        }
    }
}

#[cfg(test)]
mod tests;
