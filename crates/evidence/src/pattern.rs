//! Patterns that are made once.

use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A pattern of this room's own. One that cannot be read fits nothing; a test reads all of them.
pub(crate) struct Pattern(LazyLock<Option<Regex>, fn() -> Option<Regex>>);

impl Pattern {
    pub(crate) const fn new(make: fn() -> Option<Regex>) -> Self {
        Self(LazyLock::new(make))
    }

    pub(crate) fn fits(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|regex| regex.is_match(text))
    }

    pub(crate) fn find(&self, text: &str) -> Option<Range<usize>> {
        self.0.as_ref()?.find(text).map(|found| found.range())
    }

    /// All places of the first group that is there, or of the whole where there is none.
    pub(crate) fn all<'t>(&self, text: &'t str) -> Vec<(Range<usize>, &'t str)> {
        let captures = self.0.iter().flat_map(|regex| regex.captures_iter(text));
        captures
            .filter_map(|found| found.iter().skip(1).flatten().next().or(found.get(0)))
            .map(|part| (part.range(), part.as_str()))
            .collect()
    }

    /// The text with blanks in place of what fits.
    pub(crate) fn blanked(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for range in self.0.iter().flat_map(|regex| regex.find_iter(text)).map(|found| found.range()) {
            let blanks = " ".repeat(range.len());
            out.replace_range(range, &blanks);
        }
        out
    }

    /// All places of the whole, each with its first group.
    pub(crate) fn places<'t>(&self, text: &'t str) -> Vec<(Range<usize>, Range<usize>, &'t str)> {
        let captures = self.0.iter().flat_map(|regex| regex.captures_iter(text));
        let both = |found: regex::Captures<'t>| {
            let (whole, part) = (found.get(0)?, found.get(1)?);
            Some((whole.range(), part.range(), part.as_str()))
        };
        captures.filter_map(both).collect()
    }

    /// All places of the whole, each with the first of its groups that is there.
    pub(crate) fn with_numbers<'t>(&self, text: &'t str) -> Vec<(Range<usize>, &'t str)> {
        let captures = self.0.iter().flat_map(|regex| regex.captures_iter(text));
        let both = |found: regex::Captures<'t>| {
            let part = found.iter().skip(1).flatten().next()?;
            Some((found.get(0)?.range(), part.as_str()))
        };
        captures.filter_map(both).collect()
    }

    #[cfg(test)]
    pub(crate) fn is_read(&self) -> bool {
        self.0.is_some()
    }
}

/// Words of both languages stand side by side without a blank: the border of a word is that of its letters. Letters, digits and
/// blanks are those of English: the others are many, and a pattern with all of them takes long to make.
pub(crate) fn made(text: &str) -> Option<Regex> {
    let plain = [(r"\b", r"(?-u:\b)"), (r"\w", "[0-9A-Za-z_]"), (r"\d", "[0-9]"), (r"\s", r"[ \t\r\n]")];
    let text = plain.iter().fold(text.to_owned(), |text, (short, long)| text.replace(short, long));
    Regex::new(&text).ok()
}

/// Makes patterns, and a test that they can be read.
macro_rules! patterns {
    ($($name:ident = $text:expr;)*) => {
        $(static $name: $crate::pattern::Pattern = $crate::pattern::Pattern::new(|| $crate::pattern::made(&$text));)*

        #[cfg(test)]
        mod patterns {
            #[test]
            fn all_of_them_can_be_read() {
                $(assert!(super::$name.is_read(), stringify!($name));)*
            }
        }
    };
}
pub(crate) use patterns;
