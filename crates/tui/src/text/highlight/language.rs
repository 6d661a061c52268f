//! What the lexer needs to know about a language.

/// A language, as data.
#[derive(Debug)]
pub struct Language {
    /// Names and file endings, in lower case.
    pub(super) names: &'static [&'static str],
    /// What begins a comment that ends with the line.
    pub(super) line: &'static [&'static str],
    /// What begins and ends a longer comment.
    pub(super) block: &'static [(&'static str, &'static str)],
    pub(super) quotes: &'static [Quote],
    /// Sorted.
    pub(super) keywords: &'static [&'static str],
    /// Sorted.
    pub(super) types: &'static [&'static str],
    /// Sorted.
    pub(super) constants: &'static [&'static str],
    pub(super) flags: u16,
}

impl Language {
    /// Its first name.
    pub fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }

    pub(super) fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// A language without anything, to be filled.
    pub(super) const EMPTY: Self =
        Self { names: &[], line: &[], block: &[], quotes: &[], keywords: &[], types: &[], constants: &[], flags: 0 };
}

/// A kind of string.
#[derive(Debug)]
pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// A backslash takes the meaning from what follows it.
    pub(super) escapes: bool,
    /// It may go on in the next line.
    pub(super) lines: bool,
}

impl Quote {
    pub(super) const fn new(mark: &'static str) -> Self {
        Self { open: mark, close: mark, escapes: true, lines: false }
    }

    pub(super) const fn long(open: &'static str, close: &'static str) -> Self {
        Self { open, close, escapes: true, lines: true }
    }

    pub(super) const fn raw(open: &'static str, close: &'static str, lines: bool) -> Self {
        Self { open, close, escapes: false, lines }
    }
}

/// A name before a parenthesis is a function.
pub(super) const CALLS: u16 = 1;
/// A name with a capital is a type.
pub(super) const CAPITALS: u16 = 1 << 1;
/// A name or string before a colon is a key.
pub(super) const COLON: u16 = 1 << 2;
/// The first name of a line, before an equals sign, is a key.
pub(super) const EQUALS: u16 = 1 << 3;
/// `$name` and `${name}` are variables.
pub(super) const DOLLAR: u16 = 1 << 4;
/// `#name` at the beginning of a line is a word of the language.
pub(super) const HASH: u16 = 1 << 5;
/// `@name` is an attribute.
pub(super) const AT: u16 = 1 << 6;
/// Names may have a dash.
pub(super) const DASH: u16 = 1 << 7;
/// Words of the language in any case.
pub(super) const ANY_CASE: u16 = 1 << 8;
/// `'name` is a lifetime, `'x'` a character.
pub(super) const LIFETIMES: u16 = 1 << 9;
/// Tags with attributes.
pub(super) const MARKUP: u16 = 1 << 10;
/// Lines that begin with plus and minus.
pub(super) const PATCH: u16 = 1 << 11;
