//! The list of every key: its type, default and scope. Checking, guarding, showing and documenting all read it,
//! so that none of them can know another set of keys.

mod check;
mod keys;

pub(crate) use check::check;
pub use keys::KEYS;

/// A key of the settings.
#[derive(Debug, Clone, Copy)]
pub struct SettingKey {
    /// Where it stands: `[]` for each entry of a list of tables, `<name>` for any name.
    pub path: &'static str,
    /// What it takes.
    pub kind: SettingKind,
    /// What holds when it is not written, as TOML; empty when nothing does.
    pub default: &'static str,
    /// What a project may do with it.
    pub scope: SettingScope,
    /// False while it is read and shown but nothing follows from it yet.
    pub acts: bool,
    /// True when its value is never shown.
    pub secret: bool,
    /// What it is.
    pub about: &'static str,
}

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// A list of ports, from 1 to 65535.
    Ports,
    /// True or false.
    Bool,
    /// A whole number from 0 on.
    Count,
    /// A number.
    Number,
    /// One of these texts; where order matters, the strictest is the last.
    Choice(&'static [&'static str]),
    /// Texts by name.
    TextMap,
    /// Whole numbers by name.
    CountMap,
    /// True or false by name.
    BoolMap,
    /// One of these texts by name.
    ChoiceMap(&'static [&'static str]),
    /// A table with anything in it.
    Any,
}

impl SettingKind {
    /// The kind as a sketch of what to write, which reads the same in every language.
    pub fn sketch(self) -> String {
        let one_of = |words: &[&str]| words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" | ");
        match self {
            Self::Text => "\"…\"".to_owned(),
            Self::Texts => "[\"…\", …]".to_owned(),
            Self::Ports => "[5432, …]".to_owned(),
            Self::Bool => "true | false".to_owned(),
            Self::Count => "0 | 1 | 2 | …".to_owned(),
            Self::Number => "1 | 0.5 | …".to_owned(),
            Self::Choice(words) => one_of(words),
            Self::TextMap => "{ name = \"…\" }".to_owned(),
            Self::CountMap => "{ name = 1 }".to_owned(),
            Self::BoolMap => "{ name = true | false }".to_owned(),
            Self::ChoiceMap(words) => format!("{{ name = {} }}", one_of(words)),
            Self::Any => "{ … }".to_owned(),
        }
    }
}

/// What a project's file may do with a key. The user's own file, the environment and flags may do everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingScope {
    /// Set it.
    Any,
    /// Nothing.
    User,
    /// Add to the user's list.
    Adds,
    /// Set a stricter value than the user's.
    Stricter,
    /// Set a lower limit than the user's; 0 is no limit.
    Lower,
    /// Take entries out of the user's list.
    Narrows,
    /// Choose another model of the endpoint that the user chose.
    SameProvider,
    /// Declare it; nothing of it runs before the user trusts the project.
    Trust,
}

impl SettingScope {
    /// The scope in words, for documentation.
    pub fn name(self) -> &'static str {
        match self {
            Self::Any => "user, project",
            Self::User => "user only",
            Self::Adds => "user; project adds",
            Self::Stricter => "user; project only stricter",
            Self::Lower => "user; project only lower",
            Self::Narrows => "user; project only fewer",
            Self::SameProvider => "user; project within the user's provider",
            Self::Trust => "user; project after trust",
        }
    }
}

/// Sections in which what is not understood, or does nothing, would leave a guard out that somebody counts on.
pub(crate) const GUARDS: &[&str] = &["permissions", "sandbox", "profiles"];

/// Finds a key by its path.
pub(crate) fn find(path: &str) -> Option<&'static SettingKey> {
    KEYS.iter().find(|key| key.path == path)
}

/// True for a path below which there are keys.
pub(crate) fn is_section(path: &str) -> bool {
    KEYS.iter().any(|key| key.path.strip_prefix(path).is_some_and(|rest| rest.starts_with(['.', '['])))
}

/// The path of a key below a section; names that the user chose become `<name>`.
pub(crate) fn below(section: &str, key: &str) -> String {
    match section {
        "" => key.to_owned(),
        "profiles" => "profiles.<name>".to_owned(),
        "model_profiles" => "model_profiles.<name>".to_owned(),
        "workspaces" => "workspaces.<root>".to_owned(),
        _ => format!("{section}.{key}"),
    }
}

/// The keys that may stand directly below a section.
pub(crate) fn children(section: &str) -> impl Iterator<Item = &'static str> {
    let prefix = if section.is_empty() { String::new() } else { format!("{section}.") };
    KEYS.iter().filter_map(move |key| key.path.strip_prefix(prefix.as_str())).map(|rest| {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        rest.get(..end).unwrap_or(rest)
    })
}
