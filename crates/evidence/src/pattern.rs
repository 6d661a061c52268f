//! Patterns that are made once: `regex` would take longer to make the few hundred of them than all the rest of a short session.
//! They are written as for `regex` and fit the same, which a test of each holds.

mod program;
mod read;
mod search;
mod sets;
#[cfg(test)]
pub(crate) mod tests;

use program::Program;
use search::Search;
use std::ops::Range;
use std::sync::OnceLock;

/// A pattern of this room's own. One that cannot be read fits nothing; a test reads all of them.
pub(crate) struct Pattern {
    text: fn() -> String,
    program: OnceLock<Option<Program>>,
}

impl Pattern {
    pub(crate) const fn new(text: fn() -> String) -> Self {
        Self { text, program: OnceLock::new() }
    }

    fn program(&self) -> Option<&Program> {
        self.program.get_or_init(|| read::read(&(self.text)())).as_ref()
    }

    pub(crate) fn fits(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    pub(crate) fn find(&self, text: &str) -> Option<Range<usize>> {
        Search::new(self.program()?, text, false).from(0)
    }

    /// All places of the first group that is there, or of the whole where there is none.
    pub(crate) fn all<'t>(&self, text: &'t str) -> Vec<(Range<usize>, &'t str)> {
        self.each(text, |whole, groups| {
            let part = groups.into_iter().flatten().next().unwrap_or(whole);
            Some((part.clone(), text.get(part)?))
        })
    }

    /// The text with blanks in place of what fits.
    pub(crate) fn blanked(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for range in self.each(text, |whole, _| Some(whole)) {
            let blanks = " ".repeat(range.len());
            out.replace_range(range, &blanks);
        }
        out
    }

    /// All places of the whole, each with its first group.
    pub(crate) fn places<'t>(&self, text: &'t str) -> Vec<(Range<usize>, Range<usize>, &'t str)> {
        self.each(text, |whole, groups| {
            let part = groups.into_iter().next()??;
            Some((whole, part.clone(), text.get(part)?))
        })
    }

    /// All places of the whole, each with the first of its groups that is there.
    pub(crate) fn with_numbers<'t>(&self, text: &'t str) -> Vec<(Range<usize>, &'t str)> {
        self.each(text, |whole, groups| Some((whole, text.get(groups.into_iter().flatten().next()?)?)))
    }

    /// What is taken from each place, with its groups.
    fn each<T>(&self, text: &str, take: impl Fn(Range<usize>, Vec<Option<Range<usize>>>) -> Option<T>) -> Vec<T> {
        let mut found = Vec::new();
        let Some(program) = self.program() else { return found };
        let mut search = Search::new(program, text, true);
        let (mut at, mut last) = (0, None);
        while let Some(whole) = search.from(at) {
            // Nothing at all is not found right behind something.
            if whole.is_empty() && last == Some(whole.end) {
                at = whole.end + 1;
                continue;
            }
            (at, last) = (whole.end, Some(whole.end));
            found.extend(take(whole, (1..program.groups).map(|number| search.group(number)).collect()));
        }
        found
    }
}

/// Makes patterns, and a test that holds each of them to what `regex` makes of it. Words of both languages stand side by side
/// without a blank: the border of a word is that of its letters. Letters, digits and blanks are those of English.
macro_rules! patterns {
    ($($name:ident = $text:expr;)*) => {
        $(static $name: $crate::pattern::Pattern = $crate::pattern::Pattern::new(|| String::from($text));)*

        #[cfg(test)]
        mod patterns {
            #[test]
            fn all_of_them_fit_what_they_say() {
                $($crate::pattern::tests::fits_the_same(stringify!($name), &super::$name);)*
            }
        }

    };
}
pub(crate) use patterns;
