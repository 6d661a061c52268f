//! What can go wrong with settings.

use crate::SettingOrigin;
use reasonix_proto::Phrase;
use std::path::{Path, PathBuf};

/// Settings could not be read, understood or written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// The file could not be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: Unreadable,
    },
    /// The file is not TOML or JSONC.
    #[error("{}:{line}: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u32,
        /// What the parser said.
        message: String,
    },
    /// A value is not what the key takes.
    #[error("{origin}: {key}: expected {expected}, found {found}")]
    Value {
        /// Where it stands.
        origin: SettingOrigin,
        /// The dotted key.
        key: String,
        /// What the key takes.
        expected: String,
        /// What was written.
        found: String,
    },
    /// Something that must be there is not.
    #[error("{origin}: {key} is missing")]
    Missing {
        /// The table it should stand in.
        origin: SettingOrigin,
        /// The dotted key.
        key: String,
    },
    /// A key that nobody knows, in a section where that could weaken the guard.
    #[error("{origin}: unknown key {key}")]
    UnknownKey {
        /// Where it stands.
        origin: SettingOrigin,
        /// The dotted key.
        key: String,
        /// What may have been meant.
        suggestion: Option<String>,
    },
    /// A key that nothing follows from yet, in a section where somebody would count on it.
    #[error("{origin}: {key} does nothing yet")]
    Inert {
        /// Where it stands.
        origin: SettingOrigin,
        /// The dotted key.
        key: String,
    },
    /// A permission rule that cannot be read.
    #[error("{origin}: {key}: cannot read the rule {rule:?}: {reason}")]
    Rule {
        /// Where it stands.
        origin: SettingOrigin,
        /// The dotted key.
        key: String,
        /// The rule.
        rule: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The same thing was said twice in one file.
    #[error("{origin}: {key} is said twice")]
    Twice {
        /// Where the second stands.
        origin: SettingOrigin,
        /// The dotted key.
        key: String,
    },
    /// A setting that does nothing where another one stands beside it.
    #[error("{origin}: {key} does nothing beside {other}")]
    Beside {
        /// Where it stands.
        origin: SettingOrigin,
        /// The dotted key.
        key: String,
        /// The key of the other one.
        other: &'static str,
    },
    /// `${NAME}` names a variable that is not set and has no default.
    #[error("{origin}: {key}: the variable {variable} is not set")]
    Variable {
        /// Where it stands.
        origin: SettingOrigin,
        /// The dotted key.
        key: String,
        /// The variable.
        variable: String,
    },
    /// No provider is configured.
    #[error("no provider is configured")]
    NoProvider,
    /// `REASONIX_BASE_URL` or `--base-url` came without a model.
    #[error("an endpoint was given without a model")]
    NoModel,
    /// No provider and no model has this name.
    #[error("unknown model {reference}")]
    UnknownModel {
        /// The reference.
        reference: String,
        /// What there is, as `provider/model`.
        known: Vec<String>,
        /// What may have been meant.
        suggestion: Option<String>,
    },
    /// A catalogue has a value that no catalogue has.
    #[error("{}: {what}", path.display())]
    CatalogueValue {
        /// The file.
        path: PathBuf,
        /// Where it stands, and what it is.
        what: String,
    },
    /// A catalogue is of a form that this build does not know.
    #[error("{}: form {version}", path.display())]
    NewerCatalogue {
        /// The file.
        path: PathBuf,
        /// The form.
        version: u64,
    },
    /// A catalogue is older than the one that is built in.
    #[error("{}: dated {dated}", path.display())]
    OldCatalogue {
        /// The file.
        path: PathBuf,
        /// Its day.
        dated: String,
    },
    /// The file could not be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
}

/// Why a file could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// There is none.
    #[error("it does not exist")]
    Absent,
    /// A link that leads nowhere.
    #[error("it is a link that leads nowhere")]
    Dangling,
    /// A folder, a pipe or a device.
    #[error("it is not a regular file")]
    NotAFile,
    /// More than we read.
    #[error("it is larger than {limit} bytes")]
    TooLarge {
        /// The most we read.
        limit: u64,
    },
    /// Not UTF-8.
    #[error("it is not UTF-8 (first bad byte at line {line})")]
    NotText {
        /// The line of the first bad byte, from 1.
        line: u32,
    },
    /// Something the system said.
    #[error("{0}")]
    System(String),
}

impl ConfigError {
    /// What to tell the user; its `.hint` says what to do.
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::Read { path, reason } => unreadable(path, reason),
            Self::Syntax { path, line, message } => {
                let place = format!("{}:{line}", path.display());
                Phrase::new("config.syntax").with("place", place).with("message", message)
            }
            Self::Value { origin, key, expected, found } => {
                at("config.value", origin, key).with("expected", expected).with("found", found)
            }
            Self::Missing { origin, key } => at("config.missing", origin, key),
            Self::UnknownKey { origin, key, suggestion: None } => at("config.refused_key", origin, key),
            Self::UnknownKey { origin, key, suggestion: Some(suggestion) } => {
                at("config.refused_key_like", origin, key).with("suggestion", suggestion)
            }
            Self::Inert { origin, key } => at("config.inert_key", origin, key),
            Self::Rule { origin, key, rule, reason } => {
                at("config.rule", origin, key).with("rule", rule).with("reason", reason)
            }
            Self::Twice { origin, key } => at("config.twice", origin, key),
            Self::Beside { origin, key, other } => at("config.beside", origin, key).with("other", other),
            Self::Variable { origin, key, variable } => at("config.variable", origin, key).with("variable", variable),
            Self::NoProvider => Phrase::new("config.no_provider"),
            Self::NoModel => Phrase::new("config.no_model"),
            Self::UnknownModel { reference, known, suggestion } => {
                let code = if suggestion.is_some() { "config.unknown_model_like" } else { "config.unknown_model" };
                let phrase = Phrase::new(code).with("reference", reference).with("known", known.join(", "));
                phrase.with("suggestion", suggestion.as_deref().unwrap_or_default())
            }
            Self::CatalogueValue { path, what } => {
                Phrase::new("config.catalogue_value").with("file", path.display()).with("what", what)
            }
            Self::NewerCatalogue { path, version } => {
                Phrase::new("config.catalogue_newer").with("file", path.display()).with("version", version)
            }
            Self::OldCatalogue { path, dated } => Phrase::new("config.catalogue_old")
                .with("file", path.display())
                .with("dated", dated)
                .with("built", reasonix_catalogue::BUILT_IN_DATE),
            Self::Write { path, reason } => {
                Phrase::new("config.unwritable").with("file", path.display()).with("reason", reason)
            }
        }
    }
}

fn at(code: &'static str, origin: &SettingOrigin, key: &str) -> Phrase {
    Phrase::new(code).with("place", origin.place()).with("key", key)
}

fn unreadable(path: &Path, reason: &Unreadable) -> Phrase {
    let phrase = |code| Phrase::new(code).with("file", path.display());
    match reason {
        Unreadable::Absent => phrase("config.absent"),
        Unreadable::Dangling => phrase("config.dangling"),
        Unreadable::NotAFile => phrase("config.not_a_file"),
        Unreadable::TooLarge { limit } => phrase("config.too_large").with("limit", limit),
        Unreadable::NotText { line } => phrase("config.not_text").with("line", line),
        Unreadable::System(reason) => phrase("config.unreadable").with("reason", reason),
    }
}
