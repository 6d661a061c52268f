//! What a command line would do, as far as its text tells.

use reasonix_proto::{Phrase, ReadOnly};
use std::sync::{Arc, OnceLock};

/// Everything that [`analyse`](crate::analyse()) found in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effects {
    /// Every simple command, those behind wrappers and inside literal `bash -c` texts too.
    pub commands: Vec<Simple>,
    /// Files that it would write, by redirection or by a program known to write its arguments.
    pub writes: Vec<Write>,
    /// Why the text does not say what would run; none when it does.
    pub hidden: Option<Hidden>,
    /// True when code for another interpreter is in it: what that does is unknown.
    pub interprets: bool,
    /// True when it sets variables.
    pub assigns: bool,
    /// True when it sets variables that change what programs do.
    pub alters: bool,
    /// True when it reads a file by redirection.
    pub reads: bool,
    /// The files it reads by redirection, as far as they are known.
    pub inputs: Vec<(String, Places)>,
    /// Whether it can change anything.
    pub read_only: ReadOnly,
    /// True when a second and narrow reading accounts for every character of it and finds the same commands. What no
    /// kernel holds is decided on such lines only.
    pub understood: bool,
    /// Commands that a program of the line may run, as far as its words tell: some of its words, or a text in one. They
    /// are forbidden and dangerous like others, and allow nothing.
    pub(crate) maybe: Vec<Simple>,
    /// True when the shell would calculate with variables.
    pub(crate) computes: bool,
    /// Literal values of variables set in the line: what `$x` may stand for.
    pub(crate) values: Vec<String>,
    /// A line that is not understood, without comments and texts that nothing is filled into.
    pub(crate) open: String,
    /// Heredocs that nothing is filled into, where the line has code for an interpreter: they may be the code.
    pub(crate) input: String,
    /// What programs may start of which nobody knows what they do with their words, made when the first rule asks.
    pub(crate) could: OnceLock<Vec<Simple>>,
    /// The texts that rules are held against, made when the first rule asks for them.
    pub(crate) texts: OnceLock<Vec<String>>,
    /// The line in the spellings in which words of rules are looked for, made in the same way.
    pub(crate) spellings: OnceLock<Vec<String>>,
}

impl Default for Effects {
    fn default() -> Self {
        Self {
            commands: Vec::new(),
            writes: Vec::new(),
            hidden: None,
            interprets: false,
            assigns: false,
            alters: false,
            reads: false,
            inputs: Vec::new(),
            read_only: ReadOnly::Unknown,
            understood: false,
            maybe: Vec::new(),
            computes: false,
            values: Vec::new(),
            open: String::new(),
            input: String::new(),
            could: OnceLock::new(),
            texts: OnceLock::new(),
            spellings: OnceLock::new(),
        }
    }
}

impl Effects {
    /// Every word that may be the path of a file, and where it is seen from. Options with a value count by their value.
    pub fn paths(&self) -> impl Iterator<Item = (&str, &Places)> {
        let words = self.commands.iter().flat_map(|simple| {
            let fixed = simple.args().iter().filter(|word| word.kind <= WordKind::Pattern);
            fixed.map(|word| (word.as_path(), &simple.places))
        });
        words
            .chain(self.commands.iter().flat_map(Simple::kept_paths))
            .chain(self.inputs.iter().map(|(path, places)| (path.as_str(), places)))
            .filter(|(path, _)| !path.is_empty())
    }

    /// True when git would run: what it does is also said by the settings of the repository that it finds.
    pub fn runs_git(&self) -> bool {
        self.commands.iter().chain(&self.maybe).any(|simple| simple.program() == "git")
    }

    /// Keeps the first reason.
    pub(crate) fn hide(&mut self, why: Hidden) {
        self.hidden.get_or_insert(why);
    }
}

/// One program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simple {
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// Where it would run.
    pub places: Places,
    /// True when it only starts another program, which stands in the list too.
    pub wraps: bool,
}

impl Simple {
    /// The program without its folder.
    pub fn program(&self) -> &str {
        let program = self.words.first().map_or("", |word| word.text.as_str());
        program.rsplit('/').next().unwrap_or(program)
    }

    /// The words after the program.
    pub fn args(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The words in one line.
    pub fn text(&self) -> String {
        self.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// The paths of which git is asked for its own copy, `HEAD:path`, and those with a mark before them, `:/path`.
    fn kept_paths(&self) -> impl Iterator<Item = (&str, &Places)> {
        let words = self.args().iter().filter(|word| self.program() == "git" && word.kind <= WordKind::Pattern);
        words.filter_map(|word| {
            let (before, path) = word.text.split_once(':')?;
            let path = match (before.is_empty(), path.strip_prefix('(')) {
                (true, Some(magic)) => magic.split_once(')')?.1,
                (true, None) => path.trim_start_matches(['/', '!', '^']),
                _ => path.trim_start_matches("./"),
            };
            (!path.starts_with("//")).then_some((path, &self.places))
        })
    }

    /// True when a word is this option: alone, with a value, in a cluster of letters, or shortened.
    pub fn has(&self, flag: &str) -> bool {
        self.args().iter().take_while(|word| word.text != "--").any(|word| is_flag(&word.text, flag))
    }

    /// The arguments that are not options.
    pub fn operands(&self) -> Vec<&Word> {
        let mut open = false;
        let mut found = Vec::new();
        for word in self.args() {
            if !open && word.text == "--" {
                open = true;
            } else if open || !word.text.starts_with('-') || word.text == "-" {
                found.push(word);
            }
        }
        found
    }
}

/// True when the text is this option. Long options may be shortened to a single letter: programs ask for no more.
pub(crate) fn is_flag(text: &str, flag: &str) -> bool {
    if text == flag {
        return true;
    }
    if flag.starts_with("--") {
        let name = text.split('=').next().unwrap_or(text);
        return name == flag || (name.starts_with("--") && name.len() >= 3 && flag.starts_with(name));
    }
    let letter = flag.strip_prefix('-').filter(|letter| letter.chars().count() == 1);
    match (letter, text.strip_prefix('-')) {
        (Some(letter), Some(cluster)) => !cluster.starts_with('-') && cluster.contains(letter),
        _ => false,
    }
}

/// True when `printf` with these words may set a variable: by `-v`, by `%n` in its format, or by a format that is not
/// known. The format is used again for every further word, so where in it does not matter.
pub(crate) fn printf_sets(args: &[Word]) -> bool {
    let format = match args {
        [dashes, rest @ ..] if dashes.is_fixed() && dashes.text == "--" => rest.first(),
        args => args.first(),
    };
    let option = args.first().is_some_and(|word| word.text.starts_with("-v"));
    option || format.is_some_and(|word| !word.is_fixed() || counts(&word.text))
}

/// True for a format with `%n`, whatever flags, width and length stand between.
fn counts(format: &str) -> bool {
    let mut rest = format;
    while let Some((_, after)) = rest.split_once('%') {
        let letters = after.trim_start_matches(|c: char| c.is_ascii_digit() || "#'-+ *.$hjlLqtzI".contains(c));
        if letters.starts_with('n') {
            return true;
        }
        rest = after.strip_prefix('%').unwrap_or(after);
    }
    false
}

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The text without quotes; what is filled in by the shell stands as written.
    pub text: String,
    /// What the shell makes of it.
    pub kind: WordKind,
}

impl Word {
    /// A word that is what it says.
    pub(crate) fn fixed(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: WordKind::Fixed }
    }

    /// What of the word may be a path: the value of an option, and only what stands before a pattern.
    pub fn as_path(&self) -> &str {
        let text = self.text.split(['*', '?', '[', '{']).next().unwrap_or_default();
        if !text.starts_with('-') {
            return text;
        }
        match text.split_once('=') {
            Some((_, value)) => value,
            None => text.find('/').and_then(|at| text.get(at..)).unwrap_or_default(),
        }
    }

    /// True when the word is what it says.
    pub fn is_fixed(&self) -> bool {
        self.kind == WordKind::Fixed
    }
}

/// What the shell makes of a word, from the plainest to the least known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WordKind {
    /// What it says.
    Fixed,
    /// Names of files that fit, or several words by braces.
    Pattern,
    /// With the value of a variable.
    Variable,
    /// With something else that is only known when it runs.
    Computed,
}

/// The folders a command may run in, relative to where the line starts or absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The candidates; every command of a line may share them.
    pub dirs: Arc<[String]>,
    /// False when there may be others.
    pub known: bool,
}

impl Default for Places {
    fn default() -> Self {
        Self { dirs: Arc::from([String::new()]), known: true }
    }
}

impl Places {
    const MOST: usize = 8;

    /// Anywhere.
    pub(crate) fn unknown() -> Self {
        Self { dirs: Arc::default(), known: false }
    }

    /// True when it is nowhere but where the line starts.
    pub(crate) fn are_here(&self) -> bool {
        self.known && self.dirs.iter().all(|dir| dir.is_empty() || dir == ".")
    }

    /// Here, and there too.
    pub(crate) fn widen(&mut self, other: &Self) {
        self.known &= other.known;
        if Arc::ptr_eq(&self.dirs, &other.dirs) || other.dirs.iter().all(|dir| self.dirs.contains(dir)) {
            return;
        }
        let more = other.dirs.iter().filter(|dir| !self.dirs.contains(dir));
        let mut dirs: Vec<String> = self.dirs.iter().chain(more).cloned().collect();
        self.known &= dirs.len() <= Self::MOST;
        dirs.truncate(Self::MOST);
        self.dirs = dirs.into();
    }

    /// Where `cd folder` leads from here.
    pub(crate) fn below(&self, folder: &str) -> Self {
        if folder.starts_with('~') || folder == "-" {
            return Self::unknown();
        }
        if folder.starts_with('/') {
            return Self { dirs: Arc::from([folder.to_owned()]), known: true };
        }
        let dirs = self.dirs.iter().map(|dir| join(dir, folder)).collect();
        Self { dirs, known: self.known }
    }
}

/// A path below a folder; an absolute one stays what it is.
pub(crate) fn join(dir: &str, path: &str) -> String {
    if dir.is_empty() || path.starts_with('/') { path.to_owned() } else { format!("{dir}/{path}") }
}

/// A file that would be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The path as written; none when only the shell knows it.
    pub path: Option<String>,
    /// Where it would be written from.
    pub places: Places,
    /// How.
    pub how: How,
    /// True when the shell writes it, false when a program does.
    pub redirect: bool,
    /// True when the program that writes it is in the dangerous class by itself.
    pub(crate) judged: bool,
    /// True when it is replaced by a link.
    pub(crate) links: bool,
    /// True when it is lost for good only outside of the workspace: a result that is made anew, or a change in place.
    pub(crate) within: bool,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// What was in it is lost.
    Over,
    /// What was in it stays.
    Append,
    /// It is changed in place.
    Change,
}

/// Why a text does not say what would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    /// It is longer than what is looked at, or has more commands.
    TooLong,
    /// Commands stand in commands deeper than what is looked at.
    TooDeep,
    /// It cannot be parsed.
    Unparsed,
    /// The name of a program is only known when it runs.
    Program,
    /// A shell is given text that is only known when it runs.
    Text,
    /// Characters that a person or a parser may take for something else.
    Characters,
}

impl Hidden {
    /// What to tell people.
    pub fn phrase(self) -> Phrase {
        Phrase::new(match self {
            Self::TooLong => "policy.hidden_long",
            Self::TooDeep => "policy.hidden_deep",
            Self::Unparsed => "policy.hidden_unparsed",
            Self::Program => "policy.hidden_program",
            Self::Text => "policy.hidden_text",
            Self::Characters => "policy.hidden_characters",
        })
    }

    /// What to tell the model.
    pub fn advice(self) -> &'static str {
        match self {
            Self::TooLong => "the command is too long to check; write it to a script file or split it",
            Self::TooDeep => "commands are nested too deeply to check; write them plainly",
            Self::Unparsed => "the command cannot be parsed; write it in plain shell syntax, or split it",
            Self::Program => "which program runs is only known at run time; name the program literally",
            Self::Text => "a shell is given text that cannot be checked; write the commands literally",
            Self::Characters => {
                "it has control or unusual blank characters outside of quotes; write it with plain characters"
            }
        }
    }
}
