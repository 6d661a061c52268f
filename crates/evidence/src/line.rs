//! A shell line as far as exit codes go: which commands it has, and of which the code of the line tells how they ended.
//! What cannot be told is hidden, never guessed.

/// A command of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ran {
    /// The program and its arguments, without redirections.
    pub(crate) words: Vec<String>,
    /// The files that its output goes to.
    pub(crate) into: Vec<String>,
    /// The file that all of its plain output goes to, so that nothing in the output of the line is its own.
    pub(crate) away: Option<String>,
    /// The commands that its output goes through, each with its arguments.
    pub(crate) through: Vec<Vec<String>>,
    /// True when nobody waits for its end: it may still run when the line is over.
    pub(crate) behind: bool,
    /// The folder it ran in, where the line says so.
    pub(crate) folder: String,
    /// True when a line that ends with 0 says that this one did.
    pub(crate) told: bool,
    /// True when nothing stands behind it that may have failed in its place.
    pub(crate) last: bool,
    /// What stands before its code in the output, where the line writes the code out.
    pub(crate) echoed: Option<String>,
}

impl Ran {
    fn goes_into(&mut self, file: &str, plain: bool) {
        let is_stream = matches!(file, "1" | "2" | "/dev/stdout" | "/dev/stderr" | "/dev/tty");
        if plain && !is_stream {
            self.away = Some(file.to_owned());
        }
        self.into.push(file.to_owned());
    }
}

/// A folder seen from another.
fn joined(from: &str, to: &str) -> String {
    if to.starts_with(['/', '~', '$']) || to == "-" {
        return if to == "-" { String::new() } else { to.trim_end_matches('/').to_owned() };
    }
    let mut parts: Vec<&str> = from.split('/').filter(|part| !part.is_empty()).collect();
    for part in to.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match part {
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("{}{}", if from.starts_with('/') { "/" } else { "" }, parts.join("/"))
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    /// Into a file; true for the plain output.
    Into(String, bool),
    And,
    Or,
    End,
    Behind,
    Pipe,
    Open,
    Close,
}

/// Words that say when and whether commands run: behind them no code of the line tells anything.
const KEYWORDS: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "function", "!",
    "select",
];

/// Commands that make others mean something else, or decide about the code of the whole line.
const TURNS: &[&str] =
    &["trap", "eval", "hash", "alias", "unalias", "source", ".", "enable", "builtin", "command", "shopt", "exec"];
/// Variables that make programs do something else, or nothing.
const STEERS: &[&str] = &["PATH", "SHELL", "MAKEFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "BASH_ENV", "ENV", "LD_PRELOAD"];

/// Texts of commands inside of texts of commands.
const DEEPEST: usize = 4;

/// The commands of a line in their order.
pub(crate) fn commands(line: &str) -> Vec<Ran> {
    nested(line, 0, String::new())
}

fn nested(line: &str, depth: usize, folder: String) -> Vec<Ran> {
    let tokens = Scan::new(line).tokens();
    let mut read = Read { tokens: &tokens, at: 0, errexit: false, pipefail: false, odd: false, depth, folder };
    let mut found = read.list();
    if read.odd || read.at < tokens.len() {
        found.iter_mut().for_each(|ran| ran.told = false);
    }
    found
}

struct Scan<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
    tokens: Vec<Token>,
    word: Option<String>,
    /// The next word is where something is redirected to, or from.
    aside: Option<Aside>,
    /// The next word ends a heredoc.
    begins: bool,
    heredocs: Vec<String>,
}

/// What a redirection is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aside {
    From,
    Plain,
    Other,
}

impl<'a> Scan<'a> {
    fn new(line: &'a str) -> Self {
        let chars = line.chars().peekable();
        Self { chars, tokens: Vec::new(), word: None, aside: None, begins: false, heredocs: Vec::new() }
    }

    fn tokens(mut self) -> Vec<Token> {
        while let Some(c) = self.chars.next() {
            match c {
                '\'' => self.quoted('\''),
                '"' => self.quoted('"'),
                '\\' => self.escaped(),
                '`' => self.substituted('`'),
                '$' if self.chars.peek() == Some(&'(') => self.substituted(')'),
                '#' if self.word.is_none() => while self.chars.next_if(|c| *c != '\n').is_some() {},
                ' ' | '\t' | '\r' => self.close(),
                '\n' => {
                    self.token(Token::End);
                    self.skip_heredocs();
                }
                ';' => self.token(Token::End),
                '(' => self.token(Token::Open),
                ')' => self.token(Token::Close),
                '|' if self.chars.next_if_eq(&'|').is_some() => self.token(Token::Or),
                '|' => {
                    self.chars.next_if_eq(&'&');
                    self.token(Token::Pipe);
                }
                '&' if self.chars.next_if_eq(&'&').is_some() => self.token(Token::And),
                '&' if self.chars.peek() == Some(&'>') => {}
                '&' => self.token(Token::Behind),
                '<' | '>' => self.redirected(c),
                c => self.push(c),
            }
        }
        self.token(Token::End);
        self.tokens
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn quoted(&mut self, quote: char) {
        self.word.get_or_insert_default();
        while let Some(c) = self.chars.next() {
            match c {
                c if c == quote => return,
                '\\' if quote == '"' => {
                    let next = self.chars.next();
                    next.into_iter().for_each(|c| self.push(c));
                }
                c => self.push(c),
            }
        }
    }

    fn escaped(&mut self) {
        match self.chars.next() {
            None | Some('\n') => {}
            Some(c) => self.push(c),
        }
    }

    /// A word that another command fills in: it stands as a sign that fits no program.
    fn substituted(&mut self, end: char) {
        let mut open = usize::from(end == '`');
        self.push('$');
        for c in self.chars.by_ref() {
            match c {
                '(' => open += 1,
                c if c == end && open <= 1 => return,
                ')' => open = open.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn redirected(&mut self, c: char) {
        // A command whose output or input stands in the place of a file: nobody sees how it ends.
        if self.chars.peek() == Some(&'(') {
            return self.substituted(')');
        }
        // The number of what is redirected is no word.
        let number = self.word.take_if(|word| word.chars().all(|c| c.is_ascii_digit()));
        self.close();
        let doubled = self.chars.next_if_eq(&c).is_some();
        if c == '<' && doubled && self.chars.next_if_eq(&'<').is_none() {
            self.chars.next_if_eq(&'-');
            self.begins = true;
        } else {
            self.chars.next_if_eq(&'|');
            self.chars.next_if_eq(&'&');
            self.aside = Some(match (c, number.as_deref()) {
                ('<', _) => Aside::From,
                (_, None | Some("1")) => Aside::Plain,
                _ => Aside::Other,
            });
        }
    }

    fn close(&mut self) {
        let Some(word) = self.word.take() else { return };
        if std::mem::take(&mut self.begins) {
            self.heredocs.push(word);
            return;
        }
        match self.aside.take() {
            None if word == "{" && self.begins_command() => self.tokens.push(Token::Open),
            None if word == "}" && self.begins_command() => self.tokens.push(Token::Close),
            None => self.tokens.push(Token::Word(word)),
            Some(Aside::From) => {}
            Some(aside) => self.tokens.push(Token::Into(word, aside == Aside::Plain)),
        }
    }

    /// True where a command stands, and not one of its words.
    fn begins_command(&self) -> bool {
        match self.tokens.last() {
            Some(Token::Word(word)) => KEYWORDS.contains(&word.as_str()),
            Some(Token::Into(..)) => false,
            _ => true,
        }
    }

    fn token(&mut self, token: Token) {
        self.close();
        self.tokens.push(token);
    }

    fn skip_heredocs(&mut self) {
        for end in std::mem::take(&mut self.heredocs) {
            loop {
                let mut text = String::new();
                while let Some(c) = self.chars.next_if(|c| *c != '\n') {
                    text.push(c);
                }
                if self.chars.next().is_none() || text.trim() == end {
                    break;
                }
            }
        }
    }
}

struct Read<'a> {
    tokens: &'a [Token],
    at: usize,
    errexit: bool,
    pipefail: bool,
    odd: bool,
    depth: usize,
    folder: String,
}

impl Read<'_> {
    fn next_if(&mut self, wanted: impl Fn(&Token) -> bool) -> bool {
        let is = self.tokens.get(self.at).is_some_and(wanted);
        self.at += usize::from(is);
        is
    }

    /// Parts one behind another: the code is that of the last, unless the others had to succeed for it to run.
    fn list(&mut self) -> Vec<Ran> {
        let mut found: Vec<Ran> = Vec::new();
        let mut kept = 0;
        while self.at < self.tokens.len() && self.tokens.get(self.at) != Some(&Token::Close) {
            let (errexit, begins) = (self.errexit, self.at);
            let (mut part, plain) = self.chain();
            let behind = self.next_if(|token| *token == Token::Behind);
            if !behind && !self.next_if(|token| *token == Token::End) && self.at == begins {
                break;
            }
            if part.is_empty() {
                continue;
            }
            part.iter_mut().filter(|_| behind).for_each(|ran| (ran.told, ran.behind) = (false, true));
            // What is waited for is over, but its code is not told by that.
            if part.first().is_some_and(|ran| ran.words.first().is_some_and(|word| word == "wait")) {
                found.iter_mut().for_each(|ran| ran.behind = false);
            }
            if let (Some(before), Some(code)) = (found.get_mut(kept..), part.first().and_then(|ran| echo(&ran.words))) {
                echoes(before, code);
            }
            found.iter_mut().for_each(|ran| ran.last = false);
            found.iter_mut().skip(kept).for_each(|ran| ran.told = false);
            kept = found.len();
            let must_succeed = (errexit && plain && !behind) || leaves(&part);
            found.extend(part);
            if must_succeed {
                kept = found.len();
            }
        }
        found
    }

    /// Pipelines with `&&` and `||` between them.
    fn chain(&mut self) -> (Vec<Ran>, bool) {
        let mut found: Vec<Ran> = Vec::new();
        let (mut guarded, mut plain) = (true, true);
        loop {
            let next = self.pipeline();
            let leaving = next.first().is_some_and(|ran| leaves_by(&ran.words));
            found.iter_mut().for_each(|ran| ran.last = ran.last && leaving);
            found.extend(next);
            if self.next_if(|token| *token == Token::And) {
                plain = false;
                while self.next_if(|token| *token == Token::End) {}
            } else if self.next_if(|token| *token == Token::Or) {
                let exits = matches!(self.tokens.get(self.at), Some(Token::Word(word)) if word == "exit" || word == "return")
                    && !matches!(self.tokens.get(self.at + 1), Some(Token::Word(code)) if !is_failure(code));
                (guarded, plain) = (guarded && exits, false);
            } else {
                break;
            }
        }
        if !guarded {
            found.iter_mut().for_each(|ran| ran.told = false);
        }
        (found, plain)
    }

    fn pipeline(&mut self) -> Vec<Ran> {
        let mut found = self.command();
        while self.next_if(|token| *token == Token::Pipe) {
            if !self.pipefail {
                found.iter_mut().for_each(|ran| ran.told = false);
            }
            let next = self.command();
            for ran in &mut found {
                ran.through.extend(next.iter().map(|next| next.words.clone()));
            }
            found.extend(next);
        }
        found
    }

    fn command(&mut self) -> Vec<Ran> {
        if self.next_if(|token| *token == Token::Open) {
            // A function: what its name runs from here on is not what it says.
            self.odd |= self.tokens.get(self.at) == Some(&Token::Close);
            let (errexit, pipefail, folder) = (self.errexit, self.pipefail, self.folder.clone());
            let mut found = self.list();
            self.odd |= !self.next_if(|token| *token == Token::Close);
            (self.errexit, self.pipefail, self.folder) = (errexit, pipefail, folder);
            while let Some(token @ (Token::Word(_) | Token::Into(..))) = self.tokens.get(self.at) {
                if let Token::Into(file, plain) = token {
                    found.iter_mut().for_each(|ran| ran.goes_into(file, *plain));
                }
                self.at += 1;
            }
            return found;
        }
        let mut ran = Ran { told: true, last: true, folder: self.folder.clone(), ..Ran::default() };
        loop {
            match self.tokens.get(self.at) {
                Some(Token::Word(word)) => ran.words.push(word.clone()),
                Some(Token::Into(word, plain)) => ran.goes_into(word, *plain),
                _ => break,
            }
            self.at += 1;
        }
        self.taken(ran)
    }

    fn taken(&mut self, mut ran: Ran) -> Vec<Ran> {
        let words = &mut ran.words;
        while words.first().is_some_and(|word| KEYWORDS.contains(&word.as_str())) {
            self.odd = true;
            words.remove(0);
        }
        if words.first().is_some_and(|word| word == "coproc") {
            words.remove(0);
            (ran.told, ran.behind) = (false, true);
        }
        if let [program, to, ..] = words.as_slice()
            && matches!(program.as_str(), "cd" | "pushd")
        {
            self.folder = joined(&self.folder, to);
        }
        self.odd |= words.first().is_some_and(|word| TURNS.contains(&word.as_str()));
        let steers = |word: &String| word.split_once('=').is_some_and(|(name, _)| STEERS.contains(&name));
        self.odd |= words.iter().any(steers);
        if words.first().is_some_and(|word| word == "set") {
            self.odd |= words.iter().any(|word| word.starts_with('+'));
            self.pipefail |= words.iter().any(|word| word == "pipefail");
            let cluster = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('e');
            self.errexit |= words.iter().any(cluster) || words.iter().any(|word| word == "errexit");
        }
        if let Some(text) = shell_text(words).filter(|_| self.depth < DEEPEST) {
            let mut found = nested(text, self.depth + 1, self.folder.clone());
            for inner in &mut found {
                inner.told &= ran.told;
                inner.behind |= ran.behind;
                inner.away = inner.away.take().or_else(|| ran.away.clone());
                inner.into.extend(ran.into.iter().cloned());
            }
            return found;
        }
        if ran.words.is_empty() && ran.into.is_empty() { Vec::new() } else { vec![ran] }
    }
}

/// A code that says that something failed, in plain digits: others may come out as 0.
fn is_failure(code: &str) -> bool {
    !code.starts_with('0') && code.parse::<u8>().is_ok_and(|code| code > 0)
}

/// `… || exit`: whoever comes by has succeeded.
fn leaves(part: &[Ran]) -> bool {
    part.len() > 1 && part.last().is_some_and(|ran| leaves_by(&ran.words)) && part.iter().all(|ran| ran.told)
}

fn leaves_by(words: &[String]) -> bool {
    words.first().is_some_and(|word| word == "exit" || word == "return")
}

/// What stands before a code that this command writes out, and whether it is that of the first of a pipe.
fn echo(words: &[String]) -> Option<(String, bool)> {
    let (_, rest) = words.split_first().filter(|(program, _)| *program == "echo" || *program == "printf")?;
    let text = rest.join(" ");
    let text = text.strip_prefix("-e ").unwrap_or(&text);
    let first = ["${PIPESTATUS[0]}", "${pipestatus[1]}"].iter().find_map(|code| text.split_once(code));
    let (before, piped) = match first {
        Some((before, _)) => (before, true),
        None => (text.split_once("$?")?.0, false),
    };
    Some((before.rsplit("\\n").next().unwrap_or(before).to_owned(), piped))
}

/// The code that is written out tells of all commands before it where none of them is hidden, or of the first of a pipe.
fn echoes(before: &mut [Ran], (text, piped): (String, bool)) {
    if piped {
        before.iter_mut().find(|ran| !ran.told).into_iter().for_each(|ran| ran.echoed = Some(text.clone()));
    } else if before.iter().all(|ran| ran.told) {
        before.iter_mut().for_each(|ran| ran.echoed = Some(text.clone()));
    }
}

/// The lines that this command writes out as they stand in it.
pub(crate) fn writes_out(words: &[String]) -> Vec<String> {
    let Some((_, rest)) = words.split_first().filter(|(program, _)| *program == "echo" || *program == "printf") else {
        return Vec::new();
    };
    let text = rest.iter().filter(|word| !matches!(word.as_str(), "-e" | "-n" | "-ne")).cloned().collect::<Vec<_>>();
    let text = text.join(" ").replace("\\n", "\n");
    text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// The text of `bash -c text`.
fn shell_text(words: &[String]) -> Option<&str> {
    let (program, rest) = words.split_first()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    if !matches!(name, "bash" | "sh" | "zsh" | "dash") {
        return None;
    }
    let at = rest.iter().position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))?;
    // With `-n` nothing runs.
    let only_reads = rest.iter().take(at + 1).any(|word| word.starts_with('-') && word.contains('n'));
    rest.get(at + 1).map(String::as_str).filter(|_| !only_reads)
}
