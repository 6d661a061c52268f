//! A shell line as tokens: words without their quotes, redirections, and what joins commands.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    Word(String),
    /// Into a file; true for the plain output, and where it is written behind what stands there.
    Into(String, bool, bool),
    And,
    Or,
    End,
    Behind,
    Pipe,
    Open,
    Close,
}

/// Words that say when, whether and how often commands run: with them no code of the line tells anything, and no output is
/// known to be that of one run.
pub(crate) const KEYWORDS: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "function", "!",
    "select",
];

/// The tokens of a line.
pub(crate) fn tokens(line: &str) -> Vec<Token> {
    Scan::new(line).tokens()
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
    Behind,
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
                (_, None | Some("1")) if doubled => Aside::Behind,
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
            Some(aside) => {
                let plain = matches!(aside, Aside::Plain | Aside::Behind);
                self.tokens.push(Token::Into(word, plain, aside == Aside::Behind));
            }
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
