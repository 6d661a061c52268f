//! Shell commands by characters alone: every piece that might be one. For rules that forbid, beside the analysis.

use crate::effects::{Places, Simple, Word};

/// What separates commands, or hides one inside another.
fn is_operator(c: char) -> bool {
    matches!(c, ';' | '&' | '|' | '\n' | '\r' | '(' | ')' | '`' | '{' | '}' | '<' | '>' | '$' | '\u{2028}' | '\u{2029}')
}

const QUOTES: [char; 3] = ['\'', '"', '\\'];

/// Words that may stand before a command: programs that run another one, and the shell's own.
const WRAPPERS: &[&str] = &[
    "!", "builtin", "busybox", "chroot", "command", "coproc", "do", "doas", "elif", "else", "env", "eval", "exec",
    "if", "ionice", "nice", "nohup", "setsid", "stdbuf", "sudo", "then", "time", "timeout", "toybox", "until", "while",
    "xargs",
];

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Every piece of the line that could be a command of its own, each also without wrappers and assignments
/// before it. For rules that forbid: better one piece too many than one too few.
pub(crate) fn pieces(line: &str) -> Vec<String> {
    let mut found = vec![normal(line)];
    for piece in line.split(is_operator) {
        let all: Vec<&str> = words(piece).collect();
        let mut rest = all.as_slice();
        if let Some(comment) = rest.iter().position(|word| word.starts_with('#')).filter(|at| *at > 0) {
            found.extend(rest.get(..comment).map(|before| before.join(" ")));
        }
        while let Some((first, after)) = rest.split_first() {
            let text = rest.join(" ");
            if text.contains(QUOTES) {
                found.push(text.replace(QUOTES, ""));
            }
            found.push(text);
            let program = first.rsplit('/').next().unwrap_or(first);
            let hides_next =
                is_assignment(first) || WRAPPERS.contains(&program) || first.starts_with('-') || is_number(first);
            if program != *first {
                found.push([&[program], after].concat().join(" "));
            }
            if !hides_next {
                break;
            }
            rest = after;
        }
    }
    found.retain(|piece| !piece.is_empty());
    found
}

/// The same for a line that nobody could read: every word may begin a command.
pub(crate) fn beginnings(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in line.split(is_operator).take(MOST_PIECES) {
        let all: Vec<&str> = words(piece).collect();
        for at in 0..all.len().min(MOST_PIECES) {
            let rest: Vec<&str> = all.iter().skip(at).take(LONGEST_BEGINNING).copied().collect();
            found.push(rest.join(" ").replace(QUOTES, ""));
        }
    }
    found
}

/// Spellings of a text that a shell may make of it: without quotes and escapes, with braces taken apart and taken away.
pub(crate) fn spellings(text: &str) -> Vec<String> {
    let bare = text.replace("\\\n", "").replace(QUOTES, "");
    let odd = |c: char| matches!(c, '{' | '}' | ',' | '$');
    if !bare.contains(odd) {
        return vec![bare];
    }
    vec![bare.replace(odd, " "), bare.replace(odd, ""), bare]
}

/// Pieces of a line that nobody understood, braces taken apart.
pub(crate) fn loose_pieces(text: &str) -> Vec<String> {
    let mut found = pieces(text);
    if text.contains("\\\n") {
        found.extend(pieces(&text.replace("\\\n", "")));
    }
    if text.contains('{') && text.contains(',') {
        found.extend(pieces(&text.replace(['{', '}', ','], " ")));
    }
    found.iter_mut().filter(|piece| piece.contains(QUOTES)).for_each(|piece| *piece = piece.replace(QUOTES, ""));
    found.sort_unstable();
    found.dedup();
    found
}

/// True when the word stands in the text by itself: as a program may, not as a part of a name or an option.
pub(crate) fn stands(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + word.len()..).unwrap_or_default();
        let begins = !before.ends_with(part) || before.ends_with(":-") || word.starts_with('-');
        begins && !after.starts_with(part)
    })
}

/// So many words are looked at where each of them may begin a command.
const MOST_POSSIBLE: usize = 24;

/// Every command that these words may be: what begins with one of them, and what stands as text in one, or behind the `=`
/// of an option.
pub(crate) fn possible(all: &[Word], places: &Places) -> Vec<Simple> {
    let mut found = Vec::new();
    for (at, word) in all.iter().enumerate().take(MOST_POSSIBLE) {
        let option = word.text.starts_with('-');
        let value = if option { word.text.split_once('=').map_or("", |pair| pair.1) } else { word.text.as_str() };
        if value.contains(char::is_whitespace) {
            for piece in pieces(value).into_iter().take(MOST_POSSIBLE) {
                let words = piece.split_whitespace().map(Word::fixed).collect();
                found.push(Simple { words, places: Places::unknown(), wraps: false });
            }
        } else if !value.is_empty() {
            let first = Word { text: value.to_owned(), kind: word.kind };
            let words = std::iter::once(first).chain(all.iter().skip(at + 1).cloned()).collect();
            found.push(Simple { words, places: places.clone(), wraps: false });
        }
    }
    found
}

/// A line that is longer than this is hidden whatever it says.
const MOST_PIECES: usize = 2000;

/// Rules have fewer words.
const LONGEST_BEGINNING: usize = 12;

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// The words, split at white space only.
pub(crate) fn words(command: &str) -> impl Iterator<Item = &str> {
    command.split_whitespace()
}

/// White space folded, ends trimmed.
pub(crate) fn normal(command: &str) -> String {
    words(command).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn pieces_find_what_is_hidden() {
        for line in [
            "rm -rf x",
            "ls && rm -rf x",
            "ls;rm -rf x",
            "sudo rm -rf x",
            "A=1 rm -rf x",
            "env -i A=1 rm -rf x",
            "echo $(rm -rf x)",
            "echo \"`rm -rf x`\"",
            "timeout 5 rm -rf x",
            "/bin/rm -rf x",
            "nice -n 5 rm -rf x",
            "true | xargs rm -rf x",
            "'rm' -rf x",
            "r\\m -rf x",
            "if true; then\nrm -rf x\nfi",
        ] {
            assert!(pieces(line).iter().any(|piece| piece.starts_with("rm -rf x")), "{line}: {:?}", pieces(line));
        }
    }
}
