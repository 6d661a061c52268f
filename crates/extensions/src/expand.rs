//! Filling in what a person typed behind a command's name, and telling the shell text of a command from its words.

use std::path::Path;

/// A piece of a command's text, arguments filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandPiece {
    /// Words.
    Text(String),
    /// A command line whose output takes its place.
    Shell(String),
    /// One that nobody may run: something was typed into it that a shell would read as more than a word.
    Odd(String),
}

/// The text of a command in its pieces. Shell text is told apart before anything is filled in: what was typed cannot become
/// a command line of its own.
pub fn pieces(body: &str, arguments: &str) -> Vec<CommandPiece> {
    let given = Given::of(arguments);
    let mut found = Vec::new();
    let mut used = false;
    for (text, is_shell) in parts(body) {
        let (text, put) = given.fill(text);
        used |= !put.is_empty();
        found.push(match is_shell {
            false => CommandPiece::Text(text),
            true if put.iter().all(|put| is_plain(put)) => CommandPiece::Shell(text.trim().to_owned()),
            true => CommandPiece::Odd(text.trim().to_owned()),
        });
    }
    if !used && !given.all.is_empty() {
        found.push(CommandPiece::Text(format!("\n\nArguments: {}", given.all)));
    }
    found
}

/// A text of a bundle with the bundle's folder filled in.
pub(crate) fn filled_root(text: &str, root: Option<&Path>) -> String {
    match root {
        Some(root) => text.replace("${CLAUDE_PLUGIN_ROOT}", &root.display().to_string()),
        None => text.to_owned(),
    }
}

/// The text with what was typed filled in where it names it, and nowhere else.
pub fn filled_where_named(body: &str, arguments: &str) -> String {
    Given::of(arguments).fill(body).0
}

/// The text with what was typed filled in, and nothing of it taken for a command line.
pub fn filled(body: &str, arguments: &str) -> String {
    let given = Given::of(arguments);
    let (text, put) = given.fill(body);
    if !put.is_empty() || given.all.is_empty() { text } else { format!("{text}\n\nArguments: {}", given.all) }
}

/// True for what is a word, or several, wherever a command line has it, in quotes or not: no sign of a shell's, and nothing that
/// would be an option.
fn is_plain(text: &str) -> bool {
    let known =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | ':' | '@' | '%' | '+' | '=' | ',');
    text.chars().all(known) && text.split(' ').all(|word| !word.starts_with('-'))
}

/// What was typed behind the name.
struct Given<'a> {
    all: &'a str,
    words: Vec<String>,
}

impl<'a> Given<'a> {
    fn of(arguments: &'a str) -> Self {
        let all = arguments.trim();
        Self { all, words: words(all) }
    }

    /// Puts in `$ARGUMENTS`, `$1` and so on, and makes `$$` one `$`; gives what was put in.
    fn fill(&self, text: &str) -> (String, Vec<&str>) {
        let (mut out, mut rest, mut put) = (String::with_capacity(text.len()), text, Vec::new());
        while let Some((before, after)) = rest.split_once('$') {
            out.push_str(before);
            let digits = after.bytes().take_while(u8::is_ascii_digit).count().min(3);
            if let Some(tail) = after.strip_prefix('$') {
                out.push('$');
                rest = tail;
            } else if let Some(tail) = after.strip_prefix("ARGUMENTS") {
                out.push_str(self.all);
                put.push(self.all);
                rest = tail;
            } else if digits > 0 && !after.starts_with('0') {
                let (number, tail) = after.split_at(digits);
                let place = number.parse::<usize>().unwrap_or_default();
                let word = self.words.get(place.wrapping_sub(1)).map_or("", String::as_str);
                out.push_str(word);
                put.push(word);
                rest = tail;
            } else {
                out.push('$');
                rest = after;
            }
        }
        out.push_str(rest);
        (out, put)
    }
}

/// Words with blanks between them; quotes hold some together.
fn words(text: &str) -> Vec<String> {
    let (mut found, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match (c, quote) {
            (c, Some(mark)) if c == mark => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => found.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    found.extend(word);
    found
}

/// The text in parts, true for those that are command lines: what stands in `` !`…` `` at the beginning of a word, and the
/// lines of a block that begins with `` ```! ``.
fn parts(body: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    let mut rest = body;
    loop {
        let inline = opening(rest).and_then(|at| {
            let inner = rest.get(at + 2..)?;
            let length =
                inner.find('`').filter(|length| !inner.get(..*length).is_some_and(|text| text.contains('\n')))?;
            Some((at, at + 2, at + 2 + length, at + 3 + length))
        });
        let block = rest.find("```!").and_then(|at| {
            let inner = rest.get(at + 4..)?;
            let length = inner.find("```")?;
            Some((at, at + 4, at + 4 + length, at + 7 + length))
        });
        let first = [inline, block].into_iter().flatten().min();
        let Some((at, from, to, end)) = first else { break };
        let piece = |from: usize, to: usize| rest.get(from..to).unwrap_or_default();
        found.push((piece(0, at), false));
        if !piece(from, to).trim().is_empty() {
            found.push((piece(from, to), true));
        }
        rest = rest.get(end..).unwrap_or_default();
    }
    found.push((rest, false));
    found.retain(|(text, _)| !text.is_empty());
    found
}

/// Where `` !` `` begins a word and closes again on its line.
fn opening(text: &str) -> Option<usize> {
    text.match_indices("!`").map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).and_then(|text| text.chars().next_back());
        let inner = text.get(at + 2..).unwrap_or_default();
        let closes = inner.lines().next().is_some_and(|line| line.contains('`'));
        before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | ':')) && closes
    })
}

#[cfg(test)]
mod tests {
    use super::CommandPiece::{Odd, Shell, Text};
    use super::{filled, pieces};

    #[test]
    fn what_was_typed_is_put_in_once() {
        for (body, typed, want) in [
            ("fix $ARGUMENTS now", "issue 12", "fix issue 12 now"),
            ("$1 to $2, $3!", "a \"b c\"", "a to b c, !"),
            ("costs $$5 and $$ARGUMENTS", "", "costs $5 and $ARGUMENTS"),
            ("$ARGUMENTS", "$1 $$ $ARGUMENTS", "$1 $$ $ARGUMENTS"),
            ("nothing to fill", "", "nothing to fill"),
            ("nothing to fill", "but this", "nothing to fill\n\nArguments: but this"),
            ("$HOME $0 $", "", "$HOME $0 $"),
            ("$12", "a b c d e f g h i j k l", "l"),
        ] {
            assert_eq!(filled(body, typed), want, "{body:?} with {typed:?}");
        }
    }

    #[test]
    fn shell_text_is_told_from_words_before_anything_is_filled_in() {
        let body = "Status: !`git status --short $1`\nAnd `code!`, wow!`not this`\n```!\nls\n```\nend $2";
        let found = pieces(body, "src '!`rm -rf x`'");
        assert_eq!(
            found,
            [
                Text("Status: ".into()),
                Shell("git status --short src".into()),
                Text("\nAnd `code!`, wow!`not this`\n".into()),
                Shell("ls".into()),
                Text("\nend !`rm -rf x`".into()),
            ]
        );
        assert_eq!(pieces("!`open", ""), [Text("!`open".into())]);
        assert_eq!(pieces("a !`x\ny` b", ""), [Text("a !`x\ny` b".into())]);
        assert_eq!(pieces("", ""), []);
    }

    #[test]
    fn what_a_shell_reads_as_more_than_a_word_is_put_into_no_line_that_runs() {
        for typed in
            ["x; touch pwned", "$(touch pwned)", "`x`", "a|b", "a\nb", "'a' && b", "--output=x", "a -rf", "~", "*"]
        {
            for body in ["!`echo $ARGUMENTS`", "!`git log --grep=\"$ARGUMENTS\"`"] {
                assert!(matches!(pieces(body, typed).as_slice(), [Odd(_)]), "{body} with {typed}");
            }
        }
        for typed in ["src/main.rs", "issue 12", "v1.2..v1.3", "发布 a@b.c"] {
            assert!(matches!(pieces("!`echo $ARGUMENTS`", typed).as_slice(), [Shell(_)]), "{typed}");
        }
    }
}
