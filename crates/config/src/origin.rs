//! Where a value came from.

use reasonix_proto::{SettingLayer, SettingSource};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A layer of settings; a later one wins over an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Layer {
    /// Built in.
    #[default]
    Default,
    /// The user's own file.
    User,
    /// A file of the project.
    Project,
    /// The environment of the process.
    Env,
    /// The command line.
    Flag,
}

impl Layer {
    /// The name shown to people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::User => "user",
            Self::Project => "project",
            Self::Env => "environment",
            Self::Flag => "flag",
        }
    }
}

/// The place a value came from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SettingOrigin {
    /// The layer.
    pub layer: Layer,
    /// The file, the variable or the flag; none for built-in values.
    pub source: Option<Arc<PathBuf>>,
    /// The line in that file, from 1; 0 where there is none.
    pub line: u32,
}

impl SettingOrigin {
    /// A place in a file.
    pub fn file(layer: Layer, path: &Arc<PathBuf>, line: u32) -> Self {
        Self { layer, source: Some(Arc::clone(path)), line }
    }

    /// A variable or a flag.
    pub fn named(layer: Layer, name: &str) -> Self {
        Self { layer, source: Some(Arc::new(PathBuf::from(name))), line: 0 }
    }

    /// The file, or the name of the variable or flag.
    pub fn path(&self) -> &Path {
        self.source.as_deref().map_or(Path::new(""), PathBuf::as_path)
    }
}

impl SettingOrigin {
    /// The place in short: `file:line`, or the name of the variable or flag.
    pub fn place(&self) -> String {
        match self.line {
            0 => self.path().display().to_string(),
            line => format!("{}:{line}", self.path().display()),
        }
    }
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.source, self.line) {
            (None, _) => f.write_str(self.layer.name()),
            (Some(source), 0) => write!(f, "{} {}", self.layer.name(), source.display()),
            (Some(source), line) => write!(f, "{} {}:{line}", self.layer.name(), source.display()),
        }
    }
}

impl From<&SettingOrigin> for SettingSource {
    fn from(origin: &SettingOrigin) -> Self {
        let layer = match origin.layer {
            Layer::Default => SettingLayer::Default,
            Layer::User => SettingLayer::User,
            Layer::Project => SettingLayer::Project,
            Layer::Env => SettingLayer::Env,
            Layer::Flag => SettingLayer::Flag,
        };
        Self { layer, place: origin.place() }
    }
}

/// A value as it may be shown, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownValue {
    /// The value as TOML; secrets are masked.
    pub value: String,
    /// Where it came from.
    pub origin: SettingOrigin,
    /// Where each entry of a list came from: several files may have added to it.
    pub entries: Vec<SettingOrigin>,
}

impl ShownValue {
    /// Every place that it came from, in the order of its entries; several lines of one file count once.
    pub fn places(&self) -> String {
        let mut seen: Vec<&SettingOrigin> = Vec::new();
        for origin in self.entries.iter().chain(self.entries.is_empty().then_some(&self.origin)) {
            if !seen.iter().any(|other| (other.layer, &other.source) == (origin.layer, &origin.source)) {
                seen.push(origin);
            }
        }
        match seen.as_slice() {
            [] | [_] => self.origin.to_string(),
            several => several.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        }
    }
}

/// Every value by its dotted key, sorted.
pub type Origins = BTreeMap<String, ShownValue>;
