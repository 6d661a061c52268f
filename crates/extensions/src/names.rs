//! Names, and whose they are.

use reasonix_proto::unhidden;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The most characters of a name.
pub(crate) const LONGEST_NAME: usize = 64;

/// Who brought an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BroughtBy {
    /// A file of the project.
    Project,
    /// A file of the user.
    User,
    /// Reasonix itself.
    Bundled,
}

impl BroughtBy {
    /// Its word in lists that a model reads.
    pub fn word(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Bundled => "bundled",
        }
    }
}

/// An extension that another one of the same name stands before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowedExtension {
    /// The name of both.
    pub name: String,
    /// The file that is used.
    pub used: PathBuf,
    /// The file that is not.
    pub shadowed: PathBuf,
}

/// The first of each name, sorted by it, and those that it stands before. Upper and lower case are one name.
pub(crate) fn first_of<T>(all: Vec<T>, of: impl Fn(&T) -> (&String, PathBuf)) -> (Vec<T>, Vec<ShadowedExtension>) {
    let mut first: BTreeMap<String, T> = BTreeMap::new();
    let mut shadowed = Vec::new();
    for item in all {
        let (name, file) = of(&item);
        let key = name.to_lowercase();
        match first.get(&key) {
            Some(used) => {
                shadowed.push(ShadowedExtension { name: name.clone(), used: of(used).1, shadowed: file });
            }
            None => {
                first.insert(key, item);
            }
        }
    }
    (first.into_values().collect(), shadowed)
}

/// True for a name that can be typed, listed and put into a rule: letters, digits, `-`, `_` and `.`.
pub(crate) fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.chars().count() <= LONGEST_NAME && name.chars().all(fits) && !name.starts_with('.')
}

/// True for text with characters that nobody sees, or that change how the rest is seen.
pub(crate) fn is_hiding(text: &str) -> bool {
    text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r')) || unhidden(text).count > 0
}

/// The text in one line, as long as that many characters; true when it had more.
pub(crate) fn one_line(text: &str, most: usize) -> (String, bool) {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        None => (line, false),
        Some((at, _)) => (line.get(..at).unwrap_or_default().trim_end().to_owned(), true),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_hiding, is_name, one_line};

    #[test]
    fn names_can_be_typed() {
        for name in ["a", "git-commit", "x.y_z", "技能", "A1"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "a b", "a/b", "..", ".x", "a:b", "a\u{200b}b", "a\nb", &"x".repeat(65)] {
            assert!(!is_name(name), "{name:?}");
        }
    }

    #[test]
    fn what_nobody_sees_is_told_from_what_scripts_need() {
        for text in ["a\u{202e}b", "a\u{200b}b", "a\u{e0041}b", "a\u{1b}[31mb"] {
            assert!(is_hiding(text), "{text:?}");
        }
        for text in ["plain", "中文说明", "two\nlines", "a 👩‍💻 here"] {
            assert!(!is_hiding(text), "{text:?}");
        }
    }

    #[test]
    fn lines_are_joined_and_cut() {
        assert_eq!(one_line(" a\n  b\tc ", 10), ("a b c".to_owned(), false));
        assert_eq!(one_line("描述很长", 2), ("描述".to_owned(), true));
    }
}
