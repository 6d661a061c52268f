//! A second reading of a command line, by hand and independent of the syntax tree. It knows plain words, quotes in which
//! nothing is expanded, a few operators and redirections to plain names, and accounts for every character; whatever
//! else stands there, the line is not understood. It never guesses, and it never looks for harm.

use crate::effects::{Word, WordKind, printf_sets};
use reasonix_proto::is_deceptive;
use std::iter::Peekable;
use std::str::Chars;

/// Longer lines are not read.
const LONGEST: usize = 16 * 1024;

/// Words that begin or end something else than a simple command.
const RESERVED: &[&str] = &[
    "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select", "then",
    "time", "until", "while",
];

/// Builtins that run text, or change what later words of the line mean.
const REFUSED: &[&str] = &[
    ".",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "disown",
    "enable",
    "eval",
    "exec",
    "export",
    "fc",
    "fg",
    "getopts",
    "hash",
    "history",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "trap",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// What the narrow reading finds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The simple commands in order, with the words that the programs get.
    pub(crate) commands: Vec<Vec<Word>>,
    /// The files that the shell opens for writing.
    pub(crate) outputs: Vec<String>,
    /// The files that the shell opens for reading.
    pub(crate) inputs: Vec<String>,
}

/// Reads a line; none when it is not understood.
pub(crate) fn read(line: &str) -> Option<Line> {
    if line.len() > LONGEST {
        return None;
    }
    let mut scan =
        Scan { rest: line.chars().peekable(), line: Line::default(), words: Vec::new(), state: State::Start };
    while let Some(c) = scan.rest.peek().copied() {
        scan.token(c)?;
    }
    match scan.state {
        State::Inside => scan.end()?,
        State::Start | State::Between => {}
        State::Owed | State::Negated | State::Redirected => return None,
    }
    (!scan.line.commands.is_empty()).then_some(scan.line)
}

/// Where in a list of commands the scanner is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first command.
    Start,
    /// After a command that was ended.
    Between,
    /// After an operator that needs another command.
    Owed,
    /// After `!`.
    Negated,
    /// After redirections that wait for their command.
    Redirected,
    /// In a command.
    Inside,
}

struct Scan<'a> {
    rest: Peekable<Chars<'a>>,
    line: Line,
    words: Vec<Word>,
    state: State,
}

/// A word, and whether no part of it is quoted.
struct Piece {
    word: Word,
    plain: bool,
}

impl Scan<'_> {
    fn token(&mut self, c: char) -> Option<()> {
        match c {
            ' ' | '\t' => {
                self.rest.next();
                Some(())
            }
            '\n' => {
                self.rest.next();
                match self.state {
                    State::Inside => self.finish(State::Between),
                    State::Redirected | State::Negated => None,
                    State::Start | State::Between | State::Owed => Some(()),
                }
            }
            ';' => {
                self.rest.next();
                self.finish(State::Between)
            }
            '|' => {
                self.rest.next();
                if self.rest.peek().is_some_and(|next| matches!(next, '|' | '&')) {
                    self.rest.next();
                }
                self.finish(State::Owed)
            }
            '&' => {
                self.rest.next();
                match self.rest.next()? {
                    '&' => self.finish(State::Owed),
                    '>' => {
                        if self.rest.peek() == Some(&'>') {
                            self.rest.next();
                        }
                        self.target('>', false)
                    }
                    _ => None,
                }
            }
            '<' | '>' => self.redirect(),
            _ => self.word_token(),
        }
    }

    /// Ends a command that must be there.
    fn finish(&mut self, next: State) -> Option<()> {
        if self.state != State::Inside {
            return None;
        }
        self.end()?;
        self.state = next;
        Some(())
    }

    fn end(&mut self) -> Option<()> {
        let words = std::mem::take(&mut self.words);
        is_plain(&words).then(|| self.line.commands.push(words))
    }

    fn word_token(&mut self) -> Option<()> {
        let piece = self.word()?;
        let digits = piece.plain && piece.word.text.bytes().all(|byte| byte.is_ascii_digit());
        if digits && matches!(self.rest.peek(), Some('<' | '>')) {
            return is_number(&piece.word.text).then(|| self.redirect())?;
        }
        if !self.words.is_empty() {
            self.words.push(piece.word);
            return Some(());
        }
        // `!` turns a whole pipeline around, so it may not stand behind `|`.
        let begins = matches!(self.state, State::Start | State::Between);
        if piece.plain && piece.word.text == "!" {
            self.state = begins.then_some(State::Negated)?;
            return Some(());
        }
        let known = piece.plain && piece.word.is_fixed() && !piece.word.text.contains('=');
        self.state = known.then_some(State::Inside)?;
        self.words.push(piece.word);
        Some(())
    }

    fn redirect(&mut self) -> Option<()> {
        let operator = self.rest.next()?;
        let mut descriptors = false;
        match (operator, self.rest.peek().copied()) {
            ('>', Some('>' | '|')) => drop(self.rest.next()),
            (_, Some('&')) => {
                self.rest.next();
                descriptors = true;
            }
            (_, Some('<' | '>' | '(')) => return None,
            _ => {}
        }
        self.target(operator, descriptors)
    }

    /// What a redirection leads to: a file by its name, nowhere, or another descriptor.
    fn target(&mut self, operator: char, descriptors: bool) -> Option<()> {
        while self.rest.peek().is_some_and(|c| matches!(c, ' ' | '\t')) {
            self.rest.next();
        }
        let piece = self.word()?;
        let text = piece.word.text.as_str();
        if !piece.word.is_fixed() || text.is_empty() || matches!(self.rest.peek(), Some('<' | '>')) {
            return None;
        }
        let descriptor = descriptors && piece.plain && is_number(text);
        if !descriptor && text != "/dev/null" {
            // Devices may be connections, and `-` closes a descriptor.
            if text.starts_with("/dev/")
                || text.starts_with("//")
                || text.ends_with('-')
                || (descriptors && operator == '<')
            {
                return None;
            }
            let list = if operator == '>' { &mut self.line.outputs } else { &mut self.line.inputs };
            list.push(piece.word.text);
        }
        if self.words.is_empty() {
            self.state = State::Redirected;
        }
        Some(())
    }

    fn word(&mut self) -> Option<Piece> {
        let mut piece = Piece { word: Word::fixed(""), plain: true };
        let (mut began, mut before) = (false, ' ');
        while let Some(c) = self.rest.peek().copied() {
            let text = &mut piece.word.text;
            match c {
                ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' => break,
                '\'' | '"' => {
                    self.rest.next();
                    piece.plain = false;
                    quoted(&mut self.rest, c, text)?;
                }
                '*' | '?' | '[' => {
                    // What a pattern finds must not be able to look like an option.
                    if text.is_empty() || text.starts_with('-') {
                        return None;
                    }
                    piece.word.kind = WordKind::Pattern;
                    text.extend(self.rest.next());
                }
                '!' if !began => {
                    text.extend(self.rest.next());
                    // Behind a program it is a word like others; before one a blank must follow.
                    let argument = !self.words.is_empty();
                    let alone = self.rest.peek().is_none_or(|next| match next {
                        ' ' | '\t' => true,
                        '\n' | ';' | '|' | '&' => argument,
                        _ => false,
                    });
                    return alone.then_some(piece);
                }
                _ if is_plain_char(c, before) => text.extend(self.rest.next()),
                _ => return None,
            }
            (began, before) = (true, c);
        }
        began.then_some(piece)
    }
}

/// The text up to the closing quote; none when something in it would be expanded.
fn quoted(rest: &mut Peekable<Chars<'_>>, mark: char, text: &mut String) -> Option<()> {
    for c in rest.by_ref() {
        let part_of_emoji = matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{200d}');
        match c {
            c if c == mark => return Some(()),
            '$' | '`' | '\\' if mark == '"' => return None,
            c if is_deceptive(c) && !part_of_emoji => return None,
            c => text.push(c),
        }
    }
    None
}

/// Characters that mean themselves to a shell wherever they stand in a word.
fn is_plain_char(c: char, before: char) -> bool {
    match c {
        // At the beginning, and behind what may be an assignment, it would be a home folder.
        '~' => before.is_ascii_alphanumeric(),
        ']' => true,
        c if c.is_ascii() => c.is_ascii_alphanumeric() || "_-./,:+@%^=".contains(c),
        c => c.is_alphanumeric() && !is_deceptive(c),
    }
}

fn is_number(text: &str) -> bool {
    (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// True when the shell would do nothing with these words but run the program with them.
fn is_plain(words: &[Word]) -> bool {
    let Some((program, args)) = words.split_first() else { return false };
    match program.text.as_str() {
        "cd" => {
            matches!(args, [folder] if folder.is_fixed() && !folder.text.is_empty() && !folder.text.starts_with(['-', '+']))
        }
        "command" => args.first().is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V")),
        "printf" => !printf_sets(args),
        // They evaluate subscripts.
        "test" => !args.iter().any(|word| word.text.contains('[') || matches!(word.text.as_str(), "-v" | "-R")),
        name => !RESERVED.contains(&name) && !REFUSED.contains(&name),
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    fn shown(line: &str) -> Option<String> {
        let commands = read(line)?.commands;
        let texts = commands
            .iter()
            .map(|words| words.iter().map(|word| format!("<{}>", word.text)).collect::<Vec<_>>().join(""));
        Some(texts.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn what_is_understood() {
        for (line, wanted) in [
            ("ls", "<ls>"),
            ("  ls\t-la  src ", "<ls><-la><src>"),
            ("ls;pwd", "<ls> <pwd>"),
            ("ls ; pwd;", "<ls> <pwd>"),
            ("ls\npwd\n", "<ls> <pwd>"),
            ("\n\nls &&\n pwd", "<ls> <pwd>"),
            ("ls | wc -l", "<ls> <wc><-l>"),
            ("ls |& wc", "<ls> <wc>"),
            ("ls || pwd", "<ls> <pwd>"),
            ("! ls | wc", "<ls> <wc>"),
            ("ls; ! pwd", "<ls> <pwd>"),
            ("find . ! -name x", "<find><.><!><-name><x>"),
            ("cargo test 2>&1 | tail -5", "<cargo><test> <tail><-5>"),
            ("ls >/dev/null 2>&1", "<ls>"),
            ("ls > /dev/null", "<ls>"),
            ("ls &>/dev/null a", "<ls><a>"),
            ("ls &>>/dev/null", "<ls>"),
            ("2>/dev/null ls", "<ls>"),
            ("ls </dev/null", "<ls>"),
            ("ls >& /dev/null", "<ls>"),
            ("ls '2'", "<ls><2>"),
            ("echo 'a $(b) `c` \\ \"' \"it's\"", "<echo><a $(b) `c` \\ \"><it's>"),
            ("echo a'b'\"c\"d", "<echo><abcd>"),
            ("git commit -m 'a\n\nb'", "<git><commit><-m><a\n\nb>"),
            ("git diff HEAD~3 HEAD^ @", "<git><diff><HEAD~3><HEAD^><@>"),
            ("wc src/*.rs ./* a?[bc]", "<wc><src/*.rs><./*><a?[bc]>"),
            ("cd sub && make x=1", "<cd><sub> <make><x=1>"),
            ("grep für 世界", "<grep><für><世界>"),
            ("echo ''", "<echo><>"),
            ("echo for if done", "<echo><for><if><done>"),
            ("command -v ls", "<command><-v><ls>"),
            ("ls > x 2>> 'y' <z a", "<ls><a>"),
            ("ls >|x; pwd &>x", "<ls> <pwd>"),
            ("a-b_c.d/e,f:g+h@i%j 1", "<a-b_c.d/e,f:g+h@i%j><1>"),
        ] {
            assert_eq!(shown(line).as_deref(), Some(wanted), "{line:?}");
        }
    }

    #[test]
    fn files_of_redirections() {
        let line = read("ls > x 2>> 'y z' <in >/dev/null 2>&1; pwd &> w").unwrap();
        assert_eq!((line.outputs.join("|"), line.inputs.join("|")), ("x|y z|w".to_owned(), "in".to_owned()));
    }

    #[rustfmt::skip]
    const NOT_UNDERSTOOD: &[&str] = &[
        "", " ", ";", "ls;;", "ls &", "ls & pwd", "ls |", "ls &&", "| ls", "&& ls", "ls | | wc", "ls\n| wc", "!", "! ! ls", "ls | ! wc", "!ls",
        "ls a!b", "$x", "echo $x", "echo \"$x\"", "echo \"`x`\"", "echo `x`", "echo \"a\\b\"", "echo a\\ b", "ls \\\n x", "echo {a,b}", "echo {}",
        "{ ls; }", "(ls)", "ls)", "echo a#b", "ls # x", "#x", "~/x", "ls ~", "ls a=~", "ls a:~", "A=1 ls", "a=1", "'ls'", "\"ls\"", "l's'", "*", "ls *",
        "ls ?x", "ls [a]", "ls -*", "ls '-'*", "ls ''*", "/bin/l* x", "ls <<E", "ls <<< x", "ls <(x)", "ls >(x)", "ls <>x", "ls >&-", "ls 3>&1>x",
        "ls 2>&1>/dev/null", "> /dev/null", "ls > '/dev/nul'*", "if x", "time ls", "for i in x", "function f", "[[ a ]]", "case x in", "eval ls",
        "exec ls", "export A", "source x", ". x", "alias a=b", "set -x", "shopt -s x", "read x", "unset x", "trap x EXIT", "declare x", "command ls",
        "builtin ls", "printf -v x y", "printf x%n PATH", "printf '%-*ln' 1 PATH", "printf -- %n x", "printf a*", "test -v x", "test 'a[$(x)]'", "cd", "cd -", "cd ''", "cd a b", "cd a*", "pushd x", "hash -p a b", "ls 'x",
        "ls \"x", "ls \r", "ls \u{a0}x", "ls \u{200b}", "ls \u{202e}x", "ls '\u{202e}'", "ls \0", "ls \u{b}", "ls '\u{1b}'", "ls\u{2028}x", "ls\u{85}x",
        "echo '\u{9b}'", "let x", "wait", "umask 0", "ls %(x)", "ls a\u{3000}b", "!\nls", "2>/dev/null", "coproc x", "ls >(", "ls |&",
        "ls 100>/dev/null", "ls > /dev/null/x", "ls > /dev/tcp/h/1", "ls <&x", "ls > $x", "ls > *", "ls > a*", "ls > ''", "ls > {a,b}", "ls ;& x",
        "ls |&& x",
    ];

    #[test]
    fn what_is_not() {
        for line in NOT_UNDERSTOOD {
            assert_eq!(shown(line), None, "{line:?}");
        }
    }
}
