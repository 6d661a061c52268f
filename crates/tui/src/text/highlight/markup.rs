//! Tags and their attributes.

use super::CodeKind;
use super::lexer::{Emit, Lexer, State, run, word_len};

/// A line of markup.
pub(super) fn line(lexer: &mut Lexer, mut rest: &str, emit: Emit<'_>) {
    while let Some(c) = rest.chars().next() {
        let taken = match lexer.state {
            State::Tag => in_tag(lexer, rest, c, emit),
            _ => outside(lexer, rest, emit),
        };
        rest = rest.get(taken.max(c.len_utf8())..).unwrap_or_default();
    }
}

fn outside(lexer: &mut Lexer, rest: &str, emit: Emit<'_>) -> usize {
    if rest.starts_with("<!--") {
        return lexer.comment_or_string(rest, '<', emit).unwrap_or(1);
    }
    if !rest.starts_with('<') {
        return run(rest, |c| c != '<', CodeKind::Text, emit);
    }
    let sign = rest.find(|c| !matches!(c, '<' | '/' | '!' | '?')).unwrap_or(rest.len());
    let len = sign + word_len(rest.get(sign..).unwrap_or_default(), true);
    if len > sign {
        lexer.state = State::Tag;
    }
    emit(rest.get(..len).unwrap_or_default(), if len > sign { CodeKind::Keyword } else { CodeKind::Text });
    len
}

fn in_tag(lexer: &mut Lexer, rest: &str, c: char, emit: Emit<'_>) -> usize {
    if c == '>' {
        lexer.state = State::Code;
        emit(">", CodeKind::Keyword);
        return 1;
    }
    if matches!(c, '"' | '\'') {
        let end = rest.get(1..).and_then(|tail| tail.find(c)).map_or(rest.len(), |end| end + 2);
        emit(rest.get(..end).unwrap_or_default(), CodeKind::String);
        return end;
    }
    let len = word_len(rest, true);
    if len > 0 {
        emit(rest.get(..len).unwrap_or_default(), CodeKind::Property);
        return len;
    }
    let mut buffer = [0; 4];
    emit(c.encode_utf8(&mut buffer), CodeKind::Text);
    c.len_utf8()
}
