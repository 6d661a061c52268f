//! User-visible text as a code with arguments; the `words` room turns it into a language.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// Something to tell a person, not yet in any language.
///
/// A code may have a companion `<code>.hint` in the catalogue: what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phrase {
    /// The code in the catalogue, such as `llm.unreachable`.
    pub code: Cow<'static, str>,
    /// Named arguments for the placeholders of that text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<(Cow<'static, str>, String)>,
}

impl Phrase {
    /// A phrase without arguments.
    pub const fn new(code: &'static str) -> Self {
        Self { code: Cow::Borrowed(code), args: Vec::new() }
    }

    /// Adds one argument.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.args.push((Cow::Borrowed(name), value.to_string()));
        self
    }

    /// The value of an argument.
    pub fn arg(&self, name: &str) -> Option<&str> {
        self.args.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

impl fmt::Display for Phrase {
    /// The raw form, for logs: `code key=value`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.code)?;
        self.args.iter().try_for_each(|(key, value)| write!(f, " {key}={value:?}"))
    }
}
