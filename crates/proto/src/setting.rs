//! Where a setting or a rule stands. A layer that this version does not know is kept as it came and written back the same.

use crate::text::as_text;
use std::borrow::Cow;

as_text!(SettingSource);

/// Where a setting or a rule stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingSource {
    /// In which layer.
    pub layer: SettingLayer,
    /// Where in it: a file, perhaps with a line, a variable or a flag; empty where there is none.
    pub place: String,
}

/// A layer of settings and rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingLayer {
    /// Built in.
    Default,
    /// The user's own file.
    User,
    /// A file of the project.
    Project,
    /// The environment of the process.
    Env,
    /// The command line.
    Flag,
    /// This session alone.
    Session,
    /// Rules on the command line that answer for a person.
    Approve,
    /// In words of another version.
    Other(String),
}

const LAYERS: [(SettingLayer, &str); 7] = [
    (SettingLayer::Default, "default"),
    (SettingLayer::User, "user"),
    (SettingLayer::Project, "project"),
    (SettingLayer::Env, "environment"),
    (SettingLayer::Flag, "flag"),
    (SettingLayer::Session, "session"),
    (SettingLayer::Approve, "--approve"),
];

impl SettingLayer {
    fn word(&self) -> &str {
        match self {
            Self::Other(word) => word,
            known => LAYERS.iter().find(|(layer, _)| layer == known).map_or("", |(_, word)| word),
        }
    }
}

impl From<SettingLayer> for SettingSource {
    fn from(layer: SettingLayer) -> Self {
        Self { layer, place: String::new() }
    }
}

impl SettingSource {
    fn text(&self) -> Cow<'_, str> {
        let word = self.layer.word();
        if self.place.is_empty() { word.into() } else { format!("{word} {}", self.place).into() }
    }

    fn read(text: &str) -> Self {
        let (word, place) = text.split_once(' ').filter(|(_, place)| !place.is_empty()).unwrap_or((text, ""));
        match LAYERS.iter().find(|(_, known)| *known == word) {
            Some((layer, _)) => Self { layer: layer.clone(), place: place.to_owned() },
            None => SettingLayer::Other(text.to_owned()).into(),
        }
    }
}
