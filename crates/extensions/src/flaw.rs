//! What is wrong with a file, in a form that people can be told.

use reasonix_proto::Phrase;
use std::path::{Path, PathBuf};

/// A file that is not used, or not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionFlaw {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong.
    pub kind: FlawKind,
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlawKind {
    /// It cannot be read.
    Unreadable(String),
    /// It is no text.
    Binary,
    /// It has more bytes than this.
    TooLarge(u64),
    /// It is a link, or lies behind one, that leads out of its folder.
    LeadsOut,
    /// Its front matter begins and does not end.
    Unclosed,
    /// Its front matter says nothing that could be read.
    Unparsed,
    /// Its front matter is not valid YAML; it was read line by line.
    Loose,
    /// Its name cannot be used.
    BadName(String),
    /// Its folder's name counts, because the name in it cannot be used.
    OddName(String),
    /// Nothing says what it is for.
    Undescribed,
    /// Its name or its description has characters that nobody sees.
    Hidden,
    /// This field is longer than this many characters; the rest is left out.
    Cut(&'static str, usize),
    /// There are more than this many; the rest is not looked at.
    TooMany(usize),
    /// A rule that does not say when it holds.
    NeverHolds,
    /// An expression that a rule cannot watch for, and why.
    BadCondition(String, String),
    /// Words that name no text which a rule could watch.
    BadScope(String),
    /// A word that says nothing about when a rule interrupts.
    BadInterrupt(String),
    /// A pattern that is none.
    BadGlob(String),
    /// This way of asking less is not taken from a file.
    Loosens(String),
    /// Nothing follows from these fields here.
    UnusedFields(String),
    /// These fields are not taken from a project, which can only tighten.
    OnlyTightens(String),
    /// Nobody knows these fields: they may be misspelt.
    UnknownFields(String),
    /// These fields have values that say nothing.
    BadValues(String),
    /// This of the permissions says nothing: what it was to forbid is not known, so nobody can work as this agent.
    BadPermissions(String),
    /// These name no tool that is there.
    UnknownTools(String),
    /// These name no skill that is there.
    UnknownSkills(String),
}

impl FlawKind {
    /// True when the file is used in spite of it.
    pub fn is_harmless(&self) -> bool {
        matches!(
            self,
            Self::Loose
                | Self::OddName(_)
                | Self::Cut(..)
                | Self::BadGlob(_)
                | Self::Loosens(_)
                | Self::UnusedFields(_)
                | Self::OnlyTightens(_)
                | Self::UnknownFields(_)
                | Self::BadValues(_)
                | Self::UnknownTools(_)
                | Self::UnknownSkills(_)
                | Self::BadCondition(..)
                | Self::BadScope(_)
                | Self::BadInterrupt(_)
        )
    }

    /// The same of a file.
    pub fn at(self, path: &Path) -> ExtensionFlaw {
        ExtensionFlaw { path: path.to_owned(), kind: self }
    }
}

impl ExtensionFlaw {
    /// What to tell people.
    pub fn phrase(&self) -> Phrase {
        let phrase = match &self.kind {
            FlawKind::Unreadable(reason) => Phrase::new("extensions.unreadable").with("reason", reason),
            FlawKind::Binary => Phrase::new("extensions.binary"),
            FlawKind::TooLarge(most) => Phrase::new("extensions.too_large").with("most", most),
            FlawKind::LeadsOut => Phrase::new("extensions.leads_out"),
            FlawKind::Unclosed => Phrase::new("extensions.unclosed"),
            FlawKind::Unparsed => Phrase::new("extensions.unparsed"),
            FlawKind::Loose => Phrase::new("extensions.loose"),
            FlawKind::BadName(name) => Phrase::new("extensions.bad_name").with("name", name),
            FlawKind::OddName(name) => Phrase::new("extensions.odd_name").with("name", name),
            FlawKind::Undescribed => Phrase::new("extensions.undescribed"),
            FlawKind::Hidden => Phrase::new("extensions.hidden"),
            FlawKind::Cut(field, most) => Phrase::new("extensions.cut").with("field", field).with("most", most),
            FlawKind::TooMany(most) => Phrase::new("extensions.too_many").with("most", most),
            FlawKind::NeverHolds => Phrase::new("extensions.never_holds"),
            FlawKind::BadCondition(condition, reason) => {
                Phrase::new("extensions.bad_condition").with("condition", condition).with("reason", reason)
            }
            FlawKind::BadScope(scope) => Phrase::new("extensions.bad_scope").with("scope", scope),
            FlawKind::BadInterrupt(word) => Phrase::new("extensions.bad_interrupt").with("word", word),
            FlawKind::BadGlob(glob) => Phrase::new("extensions.bad_glob").with("glob", glob),
            FlawKind::Loosens(mode) => Phrase::new("extensions.loosens").with("mode", mode),
            FlawKind::UnusedFields(fields) => Phrase::new("extensions.unused_fields").with("fields", fields),
            FlawKind::OnlyTightens(fields) => Phrase::new("extensions.only_tightens").with("fields", fields),
            FlawKind::UnknownFields(fields) => Phrase::new("extensions.unknown_fields").with("fields", fields),
            FlawKind::BadValues(fields) => Phrase::new("extensions.bad_values").with("fields", fields),
            FlawKind::BadPermissions(field) => Phrase::new("extensions.bad_permissions").with("field", field),
            FlawKind::UnknownTools(names) => Phrase::new("extensions.unknown_tools").with("names", names),
            FlawKind::UnknownSkills(names) => Phrase::new("extensions.unknown_skills").with("names", names),
        };
        phrase.with("path", self.path.display())
    }
}
