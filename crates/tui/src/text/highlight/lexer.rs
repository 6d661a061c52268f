//! The pass over a line.

use super::CodeKind;
use super::language::{
    ANY_CASE, AT, CALLS, CAPITALS, COLON, DASH, DOLLAR, EQUALS, HASH, LIFETIMES, Language, MARKUP, PATCH, Quote,
};
use super::markup;

/// A longer line stays plain.
const LONGEST: usize = 4096;

/// Where a line left off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Code,
    /// In a comment: which kind, how deep.
    Comment(u8, u8),
    /// In a string of this kind.
    Str(u8),
    /// In a tag.
    Tag,
}

/// Goes through code line by line.
#[derive(Debug, Clone)]
pub struct Lexer {
    pub(super) language: &'static Language,
    pub(super) state: State,
}

/// Takes the pieces of a line, in order; together they are the line.
pub(super) type Emit<'a> = &'a mut dyn FnMut(&str, CodeKind);

impl Lexer {
    /// At the beginning of a file.
    pub fn new(language: &'static Language) -> Self {
        Self { language, state: State::Code }
    }

    /// The pieces of the next line, without its end.
    pub fn line(&mut self, line: &str, emit: &mut dyn FnMut(&str, CodeKind)) {
        if line.len() > LONGEST {
            return emit(line, CodeKind::Text);
        }
        if self.language.is(PATCH) {
            return emit(line, patch(line));
        }
        let mut rest = self.resume(line, emit);
        if self.language.is(MARKUP) {
            return markup::line(self, rest, emit);
        }
        let mut first = rest.len() == line.len();
        while let Some(c) = rest.chars().next() {
            let taken = self.piece(rest, c, first, emit).max(c.len_utf8());
            first = first && c.is_whitespace();
            rest = rest.get(taken..).unwrap_or_default();
        }
    }

    /// Goes on with what the line before left open; gives what follows it.
    fn resume<'a>(&mut self, line: &'a str, emit: Emit<'_>) -> &'a str {
        let taken = match self.state {
            State::Comment(which, _) => self.comment(line, which, 0, emit),
            State::Str(which) => match self.language.quotes.get(usize::from(which)) {
                Some(quote) => self.string(line, quote, which, 0, emit),
                None => 0,
            },
            State::Code | State::Tag => 0,
        };
        line.get(taken..).unwrap_or_default()
    }

    /// Emits one piece and says how long it is.
    fn piece(&mut self, rest: &str, c: char, first: bool, emit: Emit<'_>) -> usize {
        if c.is_whitespace() {
            return run(rest, char::is_whitespace, CodeKind::Text, emit);
        }
        if let Some(taken) = self.comment_or_string(rest, c, emit) {
            return taken;
        }
        let language = self.language;
        if c.is_ascii_digit() {
            return run(rest, |c| c.is_ascii_alphanumeric() || c == '_' || c == '.', CodeKind::Number, emit);
        }
        if let Some(len) = self.marked(rest, c, first) {
            let kind = if c == '#' { CodeKind::Keyword } else { CodeKind::Property };
            emit(rest.get(..len).unwrap_or_default(), kind);
            return len;
        }
        if c.is_alphabetic() || c == '_' {
            let len = word_len(rest, language.is(DASH));
            let (word, after) = rest.split_at(len);
            emit(word, self.word(word, after, first));
            return len;
        }
        let mut buffer = [0; 4];
        emit(c.encode_utf8(&mut buffer), CodeKind::Text);
        c.len_utf8()
    }

    pub(super) fn comment_or_string(&mut self, rest: &str, c: char, emit: Emit<'_>) -> Option<usize> {
        let language = self.language;
        for (which, (open, _)) in language.block.iter().enumerate() {
            if rest.starts_with(open) {
                let which = u8::try_from(which).unwrap_or_default();
                return Some(self.comment(rest, which, open.len(), emit));
            }
        }
        if language.line.iter().any(|mark| rest.starts_with(mark)) {
            emit(rest, CodeKind::Comment);
            return Some(rest.len());
        }
        if c == '\'' && language.is(LIFETIMES) {
            return Some(lifetime(rest, emit));
        }
        for (which, quote) in language.quotes.iter().enumerate() {
            if rest.starts_with(quote.open) {
                let which = u8::try_from(which).unwrap_or_default();
                return Some(self.string(rest, quote, which, quote.open.len(), emit));
            }
        }
        None
    }

    /// The length of a variable, attribute or directive that a sign begins.
    fn marked(&self, rest: &str, c: char, first: bool) -> Option<usize> {
        let fits = match c {
            '$' => self.language.is(DOLLAR),
            '@' => self.language.is(AT),
            '#' => self.language.is(HASH) && first,
            _ => false,
        };
        let after = rest.get(1..).filter(|_| fits)?;
        if c == '$' && after.starts_with('{') {
            return Some(after.find('}').map_or(rest.len(), |end| end + 2));
        }
        let len = word_len(after, self.language.is(DASH));
        (len > 0).then_some(len + 1)
    }

    fn word(&self, word: &str, after: &str, first: bool) -> CodeKind {
        let language = self.language;
        let next = after.trim_start();
        if (language.is(COLON) && next.starts_with(':') && !next.starts_with("::"))
            || (language.is(EQUALS) && first && next.starts_with(['=', '.', '+', ':']))
        {
            return CodeKind::Property;
        }
        let lower;
        let known = if language.is(ANY_CASE) {
            lower = word.to_ascii_lowercase();
            lower.as_str()
        } else {
            word
        };
        if language.keywords.binary_search(&known).is_ok() {
            return CodeKind::Keyword;
        }
        if language.types.binary_search(&known).is_ok() {
            return CodeKind::Type;
        }
        if language.constants.binary_search(&known).is_ok() {
            return CodeKind::Constant;
        }
        if language.is(CALLS) && after.starts_with(['(', '!']) && !after.starts_with("!=") {
            return CodeKind::Function;
        }
        let capital = word.starts_with(char::is_uppercase);
        if language.is(CAPITALS) && capital {
            let shouts = word.len() > 1 && !word.contains(char::is_lowercase);
            return if shouts { CodeKind::Constant } else { CodeKind::Type };
        }
        CodeKind::Text
    }

    fn comment(&mut self, rest: &str, which: u8, from: usize, emit: Emit<'_>) -> usize {
        let Some((open, close)) = self.language.block.get(usize::from(which)) else { return 0 };
        let mut depth = match self.state {
            State::Comment(_, depth) => depth,
            _ => 1,
        };
        let mut at = from;
        while let Some(tail) = rest.get(at..).filter(|tail| !tail.is_empty()) {
            if tail.starts_with(close) {
                at += close.len();
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    self.state = State::Code;
                    emit(rest.get(..at).unwrap_or_default(), CodeKind::Comment);
                    return at;
                }
            } else if self.language.is(LIFETIMES) && tail.starts_with(open) {
                at += open.len();
                depth = depth.saturating_add(1);
            } else {
                at += tail.chars().next().map_or(1, char::len_utf8);
            }
        }
        self.state = State::Comment(which, depth);
        emit(rest, CodeKind::Comment);
        rest.len()
    }

    fn string(&mut self, rest: &str, quote: &Quote, which: u8, from: usize, emit: Emit<'_>) -> usize {
        let mut at = from;
        while let Some(tail) = rest.get(at..).filter(|tail| !tail.is_empty()) {
            if tail.starts_with(quote.close) {
                at += quote.close.len();
                self.state = State::Code;
                let (text, after) = rest.split_at(at);
                let key = self.language.is(COLON) && after.trim_start().starts_with(':');
                emit(text, if key { CodeKind::Property } else { CodeKind::String });
                return at;
            }
            let mut chars = tail.chars();
            let c = chars.next();
            at += c.map_or(1, char::len_utf8);
            if c == Some('\\') && quote.escapes {
                at += chars.next().map_or(0, char::len_utf8);
            }
        }
        let goes_on = quote.lines || (quote.escapes && rest.ends_with('\\'));
        self.state = if goes_on { State::Str(which) } else { State::Code };
        emit(rest, CodeKind::String);
        rest.len()
    }
}

fn patch(line: &str) -> CodeKind {
    match line.bytes().next() {
        _ if line.starts_with("+++") || line.starts_with("---") || line.starts_with("diff ") => CodeKind::Keyword,
        Some(b'+') => CodeKind::Added,
        Some(b'-') => CodeKind::Removed,
        Some(b'@') => CodeKind::Property,
        _ => CodeKind::Text,
    }
}

/// `'x'` is a character, `'x` a lifetime.
fn lifetime(rest: &str, emit: Emit<'_>) -> usize {
    let mut chars = rest.char_indices().skip(1);
    let (len, kind) = match (chars.next(), chars.next()) {
        (Some((_, '\\')), _) => {
            let end = rest.get(3..).and_then(|tail| tail.find('\''));
            (end.map_or(rest.len(), |end| end + 4), CodeKind::String)
        }
        (Some(_), Some((at, '\''))) => (at + 1, CodeKind::String),
        (Some((_, c)), _) if c.is_alphabetic() || c == '_' => {
            (1 + word_len(rest.get(1..).unwrap_or_default(), false), CodeKind::Type)
        }
        _ => (1, CodeKind::Text),
    };
    let len = if rest.is_char_boundary(len) { len } else { rest.len() };
    emit(rest.get(..len).unwrap_or_default(), kind);
    len
}

pub(super) fn word_len(text: &str, dash: bool) -> usize {
    let part = |c: char| c.is_alphanumeric() || c == '_' || (dash && c == '-');
    text.find(|c| !part(c)).unwrap_or(text.len())
}

pub(super) fn run(rest: &str, part: impl Fn(char) -> bool, kind: CodeKind, emit: Emit<'_>) -> usize {
    let len = rest.find(|c| !part(c)).unwrap_or(rest.len());
    emit(rest.get(..len).unwrap_or_default(), kind);
    len
}
