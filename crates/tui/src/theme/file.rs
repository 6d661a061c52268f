//! Themes as files: a base, variables, and a style for each name, such as `heading = "bold #ffcc00 on #222222"`.

use super::{Theme, colour};
use crate::Colours;
use ratatui_core::style::{Modifier, Style};
use reasonix_proto::Phrase;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The built-in themes by name.
pub const BUILT_IN: &[&str] = &["dark", "dark-colourblind", "light", "light-colourblind", "sixteen"];

/// How many themes may build on each other.
const DEEPEST: usize = 4;

/// What is wrong with a theme.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    /// There is none of this name.
    #[error("no theme {name}")]
    Unknown {
        /// The name.
        name: String,
    },
    /// It is not TOML, or has keys that a theme does not have.
    #[error("theme {name}: {reason}")]
    Unreadable {
        /// The theme.
        name: String,
        /// What the parser says.
        reason: String,
    },
    /// A style has a name that nothing is drawn with.
    #[error("theme {name}: no style {style}")]
    NoStyle {
        /// The theme.
        name: String,
        /// The style.
        style: String,
    },
    /// A word of a style is neither a colour, an attribute nor a variable.
    #[error("theme {name}: {style} has {word}")]
    NoColour {
        /// The theme.
        name: String,
        /// The style.
        style: String,
        /// The word.
        word: String,
    },
    /// Themes build on each other in a circle, or too deep.
    #[error("theme {name}: too deep")]
    TooDeep {
        /// The theme.
        name: String,
    },
}

impl ThemeError {
    /// What to tell the user.
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::Unknown { name } => {
                Phrase::new("tui.theme_unknown").with("name", name).with("known", BUILT_IN.join(", "))
            }
            Self::Unreadable { name, reason } => {
                Phrase::new("tui.theme_unreadable").with("name", name).with("reason", reason.trim())
            }
            Self::NoStyle { name, style } => Phrase::new("tui.theme_no_style")
                .with("name", name)
                .with("style", style)
                .with("known", Theme::STYLES.join(", ")),
            Self::NoColour { name, style, word } => {
                Phrase::new("tui.theme_no_colour").with("name", name).with("style", style).with("word", word)
            }
            Self::TooDeep { name } => Phrase::new("tui.theme_too_deep").with("name", name),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    base: Option<String>,
    #[serde(default)]
    vars: BTreeMap<String, String>,
    #[serde(default)]
    styles: BTreeMap<String, String>,
}

/// The theme of this name for a terminal with these colours. `auto` follows the background; with sixteen colours the
/// built-in themes are one and the same. `read` gives the text of the user's own file, where there is one.
pub fn choose(
    name: &str,
    dark: bool,
    colours: Colours,
    read: &dyn Fn(&str) -> Option<String>,
) -> Result<Theme, ThemeError> {
    let by_background = |dark| if dark { "dark" } else { "light" };
    let name = match name {
        "auto" | "" => by_background(dark),
        "auto-colourblind" if dark => "dark-colourblind",
        "auto-colourblind" => "light-colourblind",
        name => name,
    };
    let name = if colours == Colours::Sixteen && matches!(name, "dark" | "light") { "sixteen" } else { name };
    Ok(load(name, by_background(dark), read, DEEPEST)?.reduced(colours))
}

fn built_in(name: &str) -> Option<&'static str> {
    Some(match name {
        "dark" => include_str!("../themes/dark.toml"),
        "dark-colourblind" => include_str!("../themes/dark-colourblind.toml"),
        "light" => include_str!("../themes/light.toml"),
        "light-colourblind" => include_str!("../themes/light-colourblind.toml"),
        "sixteen" => include_str!("../themes/sixteen.toml"),
        _ => return None,
    })
}

fn load(name: &str, fallback: &str, read: &dyn Fn(&str) -> Option<String>, deep: usize) -> Result<Theme, ThemeError> {
    if deep == 0 {
        return Err(ThemeError::TooDeep { name: name.to_owned() });
    }
    let text = match built_in(name) {
        Some(text) => text.into(),
        None => std::borrow::Cow::from(read(name).ok_or_else(|| ThemeError::Unknown { name: name.to_owned() })?),
    };
    let file: File = toml::from_str(&text)
        .map_err(|error| ThemeError::Unreadable { name: name.to_owned(), reason: error.to_string() })?;
    let mut theme = match (&file.base, built_in(name)) {
        (Some(base), _) => load(base, fallback, read, deep - 1)?,
        (None, Some(_)) => Theme::PLAIN,
        (None, None) => load(fallback, fallback, read, deep - 1)?,
    };
    for (style, spec) in &file.styles {
        let value = parse_style(spec, &file.vars).map_err(|word| ThemeError::NoColour {
            name: name.to_owned(),
            style: style.clone(),
            word,
        })?;
        let slot = theme.slot(style);
        *slot.ok_or_else(|| ThemeError::NoStyle { name: name.to_owned(), style: style.clone() })? = value;
    }
    Ok(theme)
}

/// A style such as `bold underline #8b93a1 on blue`; the word that is none of it is the error.
fn parse_style(spec: &str, vars: &BTreeMap<String, String>) -> Result<Style, String> {
    let mut style = Style::new();
    let mut background = false;
    let words = spec.split_whitespace().flat_map(|word| resolved(word, vars));
    for word in words {
        let modifier = match word.as_str() {
            "on" => {
                background = true;
                continue;
            }
            "bold" => Modifier::BOLD,
            "dim" => Modifier::DIM,
            "italic" => Modifier::ITALIC,
            "underline" => Modifier::UNDERLINED,
            "strike" => Modifier::CROSSED_OUT,
            "reverse" => Modifier::REVERSED,
            word => {
                let color = colour::parse(word).ok_or_else(|| word.to_owned())?;
                style = if background { style.bg(color) } else { style.fg(color) };
                continue;
            }
        };
        style = style.add_modifier(modifier);
    }
    Ok(style)
}

/// A variable's words, which may name variables in turn, a few levels deep.
fn resolved(word: &str, vars: &BTreeMap<String, String>) -> Vec<String> {
    let mut words = vec![word.to_owned()];
    for _ in 0..DEEPEST {
        words = words
            .iter()
            .flat_map(|word| match vars.get(word) {
                Some(value) => value.split_whitespace().map(str::to_owned).collect(),
                None => vec![word.clone()],
            })
            .take(16)
            .collect();
    }
    words
}
