//! Programs that run other programs: what they would run is looked at in turn.

use super::MOST_COMMANDS;
use super::programs::{
    EXACT_RUNNERS, LOADER, RESERVED, RUNNERS, SHELL_STARTERS, SHELLS, SUBSCRIPTS, Takes, WRAPPERS, Wrapper,
};
use super::walk::{Stdin, Walk, is_code_for_shells, is_harmless};
use crate::command::possible;
use crate::effects::{Hidden, How, Places, Simple, Word, WordKind, is_flag, printf_sets};
use crate::readers::without_git_options;

/// Wrappers in wrappers.
const DEEPEST: usize = 8;

impl Walk<'_> {
    /// Takes a simple command: notes it, then what it would run and write.
    pub(super) fn add_command(&mut self, words: Vec<Word>, wrapped: usize) {
        let Some(program) = words.first() else { return };
        if wrapped > DEEPEST {
            return self.effects.hide(Hidden::TooDeep);
        }
        if self.effects.commands.len() >= MOST_COMMANDS {
            return self.effects.hide(Hidden::TooLong);
        }
        // A program that looks like an assignment is one that the tree took for a word.
        let odd = program.text.is_empty() || program.text.contains('=') || RESERVED.contains(&program.text.as_str());
        if !program.is_fixed() || odd {
            self.effects.hide(Hidden::Program);
        }
        let mut simple = Simple { words, places: self.places.clone(), wraps: false };
        let name = simple.program().to_owned();
        if SUBSCRIPTS.contains(&name.as_str()) {
            simple.args().iter().for_each(|word| self.check_subscript(word));
            self.check_builtin(&name, simple.args());
        }
        self.also_called(&name, &simple);
        simple.wraps = self.runs_others(&name, &simple, wrapped);
        self.interprets(&name, &simple);
        self.moves(&name, &simple);
        self.writes(&name, &simple);
        if wrapped == 0 {
            self.spoken.push(self.effects.commands.len());
        }
        self.effects.commands.push(simple);
    }

    /// Builtins that take names of variables evaluate the subscripts in them.
    fn check_builtin(&mut self, name: &str, args: &[Word]) {
        let has = |flags: &[&str]| args.iter().any(|word| flags.contains(&word.text.as_str()));
        let sets = match name {
            "printf" => printf_sets(args),
            "wait" => args.iter().any(|word| is_flag(&word.text, "-p")),
            "read" => !filled_names(args, "adinNptu").iter().all(|name| is_harmless(name)),
            "mapfile" | "readarray" => !filled_names(args, "cCdnOsu").iter().all(|name| is_harmless(name)),
            _ => false,
        };
        if sets {
            self.effects.assigns = true;
            self.effects.alters = true;
            self.effects.values.extend(args.iter().map(|word| word.text.clone()));
        }
        let names = match name {
            "printf" => args.first().is_some_and(|word| word.text.starts_with("-v")),
            "[" | "test" => has(&["-v", "-R"]),
            _ => true,
        };
        if names && args.iter().any(|word| !word.is_fixed()) {
            self.effects.computes = true;
            self.effects.interprets = true;
        }
    }

    /// True when the program is known to only start others, which were taken.
    fn runs_others(&mut self, name: &str, simple: &Simple, wrapped: usize) -> bool {
        let args = simple.args();
        match name {
            "eval" => self.joined(args),
            "trap" => {
                let first = args.iter().find(|word| !matches!(word.text.as_str(), "--" | "-p" | "-l"));
                if let (Some(code), true) = (first, args.len() > 1) {
                    self.code(code);
                }
                true
            }
            "source" | "." => {
                let readable = args.first().is_some_and(|file| file.is_fixed() && !is_stream(&file.text));
                if !readable {
                    self.effects.hide(Hidden::Text);
                }
                false
            }
            "command" if args.first().is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V" | "-pv")) => false,
            "alias" => {
                let values = args.iter().filter_map(|word| Some((word, word.text.split_once('=')?.1)));
                for (word, value) in values.collect::<Vec<_>>() {
                    self.code(&Word { text: value.to_owned(), kind: word.kind });
                }
                false
            }
            "find" => self.find(args, wrapped),
            "at" | "batch" if takes_job(name, simple) => {
                self.shell_input();
                false
            }
            _ if SHELLS.contains(&name) => self.shell(args),
            _ => {
                let loads = name == "ld.so" || (name.starts_with("ld-") && name.contains(".so"));
                let known = if loads { LOADER } else { name };
                match WRAPPERS.iter().find(|wrapper| wrapper.name == known) {
                    Some(wrapper) => self.unwrap(wrapper, simple, wrapped),
                    None => self.runner(name, args, wrapped),
                }
            }
        }
    }

    /// Programs whose words may be a command, though it is not told which of them. True when it is told.
    fn runner(&mut self, name: &str, args: &[Word], wrapped: usize) -> bool {
        let Some((_, subs)) = RUNNERS.iter().find(|(program, _)| *program == name) else { return false };
        let at = args.iter().position(|word| subs.contains(&word.text.as_str()));
        let rest = match (subs.is_empty(), at) {
            (true, _) => args,
            (false, Some(at)) => args.get(at + 1..).unwrap_or_default(),
            (false, None) => return false,
        };
        let rest = match rest {
            [dashes, more @ ..] if dashes.text == "--" => more,
            rest => rest,
        };
        // Its options name what the shell finds, and only these what it runs.
        let told = |word: &Word| ["--run", "--command"].iter().any(|flag| is_flag(&word.text, flag));
        let reads = if name == "nix-shell" { !rest.iter().any(told) } else { rest.is_empty() };
        if reads && SHELL_STARTERS.contains(&name) {
            self.shell_input();
        }
        let told = EXACT_RUNNERS.contains(&name) && (subs.is_empty() || at == Some(0));
        if let Some(first) = rest.first().filter(|_| told)
            && !first.text.starts_with('-')
        {
            self.add_command(rest.to_vec(), wrapped + 1);
            return true;
        }
        self.effects.interprets |= !rest.is_empty();
        self.effects.maybe.extend(possible(rest, &self.places));
        false
    }

    fn code(&mut self, word: &Word) {
        if word.is_fixed() { self.inner(&word.text) } else { self.effects.hide(Hidden::Text) }
    }

    fn joined(&mut self, words: &[Word]) -> bool {
        if words.iter().all(Word::is_fixed) {
            let text: Vec<_> = words.iter().map(|word| word.text.as_str()).collect();
            self.inner(&text.join(" "));
        } else {
            self.effects.hide(Hidden::Text);
        }
        true
    }

    /// `bash -c text`, `bash file`, or a text on its input.
    fn shell(&mut self, args: &[Word]) -> bool {
        let before = self.places.clone();
        let Some(given) = shell_options(args) else { return false };
        match args.get(given.rest).filter(|word| word.text != "-") {
            Some(code) if given.code => {
                self.code(code);
                self.places = before;
                true
            }
            Some(file) => {
                if !file.is_fixed() || is_stream(&file.text) || given.input {
                    self.effects.hide(Hidden::Text);
                }
                false
            }
            None => {
                self.shell_input();
                self.places = before;
                true
            }
        }
    }

    /// A shell that runs what it reads.
    fn shell_input(&mut self) {
        match std::mem::replace(&mut self.stdin, Stdin::Unknown) {
            Stdin::Text(text) => self.inner(&text),
            Stdin::Unknown => self.effects.hide(Hidden::Text),
        }
    }

    /// Commands that are others by another name: `hub push` and `git send-pack` push.
    fn also_called(&mut self, name: &str, simple: &Simple) {
        let bare = if name == "git" { without_git_options(simple) } else { None };
        let rest = match (name, bare.as_ref().unwrap_or(simple).args()) {
            ("hub", args) => args.to_vec(),
            ("git-send-pack" | "git-http-push", args) => [&[Word::fixed("push")], args].concat(),
            ("git", [sub, rest @ ..]) if matches!(sub.text.as_str(), "send-pack" | "http-push") => {
                [&[Word::fixed("push")], rest].concat()
            }
            _ => return,
        };
        let words = std::iter::once(Word::fixed("git")).chain(rest).collect();
        self.effects.maybe.push(Simple { words, places: simple.places.clone(), wraps: false });
    }

    /// `find … -exec program … ;`
    fn find(&mut self, args: &[Word], wrapped: usize) -> bool {
        let mut rest = args;
        while let Some(at) =
            rest.iter().position(|word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir"))
        {
            let command = rest.get(at + 1..).unwrap_or_default();
            let end = command.iter().position(|word| matches!(word.text.as_str(), ";" | "+")).unwrap_or(command.len());
            let words: Vec<Word> = command.iter().take(end).map(with_input).collect();
            let code =
                words.get(1..).unwrap_or_default().iter().any(|word| word.text.contains("{}") && word.text != "{}");
            if code && words.first().is_some_and(|program| SHELLS.contains(&program.text.as_str())) {
                self.effects.hide(Hidden::Text);
            }
            self.add_command(words, wrapped + 1);
            rest = command.get(end..).unwrap_or_default();
        }
        for pair in args.windows(2) {
            if let [flag, file] = pair
                && matches!(flag.text.as_str(), "-fprint" | "-fprint0" | "-fprintf" | "-fls")
            {
                self.write(file, How::Over, false);
            }
        }
        false
    }

    fn unwrap(&mut self, wrapper: &Wrapper, simple: &Simple, wrapped: usize) -> bool {
        let Some(mut rest) = after_options(wrapper, simple.args()) else {
            self.effects.hide(Hidden::Program);
            return true;
        };
        let before = self.places.clone();
        if matches!(wrapper.name, "env" | "sudo") && ["-C", "--chdir", "-D"].iter().any(|flag| simple.has(flag)) {
            self.places = Places::unknown();
        }
        if wrapper.takes == Takes::Assignments {
            while let Some((word, more)) = rest.split_first()
                && word.text.contains('=')
            {
                self.effects.assigns = true;
                self.effects.alters = true;
                if word.text.split('=').next().is_some_and(is_code_for_shells) {
                    self.effects.hide(Hidden::Text);
                }
                rest = more;
            }
        }
        rest = rest.get(wrapper.skip..).unwrap_or_default();
        let is_option = |word: &Word| word.text.starts_with('-') && word.text.len() > 1;
        if wrapper.skip > 0 && wrapper.name != "flock" && rest.first().is_some_and(is_option) {
            self.effects.hide(Hidden::Program);
        }
        match wrapper.takes {
            _ if rest.is_empty() => {
                if SHELL_STARTERS.contains(&wrapper.name) {
                    self.shell_input();
                }
                self.places = before;
                return matches!(wrapper.name, "xargs" | "exec" | "command");
            }
            Takes::Words if wrapper.name == "flock" && rest.first().is_some_and(|word| word.text.starts_with('-')) => {
                match rest {
                    [flag, code] if matches!(flag.text.as_str(), "-c" | "--command") => self.code(code),
                    _ => self.effects.hide(Hidden::Program),
                }
            }
            Takes::Words | Takes::Assignments => self.add_command(rest.to_vec(), wrapped + 1),
            Takes::Text => {
                let end = rest.iter().position(|word| word.text.starts_with(":::")).unwrap_or(rest.len());
                let text = rest.get(..end).unwrap_or_default();
                if wrapper.name == "parallel" && (end == 0 || text.iter().any(|word| word.text.contains('{'))) {
                    self.effects.hide(Hidden::Text);
                }
                self.joined(text);
                if wrapper.name == "parallel" {
                    let given = rest.get(end..).unwrap_or_default().iter().filter(|word| !word.text.starts_with(":::"));
                    let words = text.iter().chain(given).cloned().chain([input_word()]).collect();
                    self.effects.maybe.push(Simple { words, places: self.places.clone(), wraps: false });
                }
            }
            Takes::Input => self.xargs(simple, rest, wrapped),
        }
        self.places = before;
        true
    }

    fn xargs(&mut self, simple: &Simple, rest: &[Word], wrapped: usize) {
        let mark = simple.args().windows(2).find_map(|pair| match pair {
            [flag, mark] if flag.text == "-I" => Some(mark.text.clone()),
            [flag, _] if flag.text == "--replace" => Some("{}".to_owned()),
            [flag, _] if flag.text.starts_with("--replace=") => flag.text.strip_prefix("--replace=").map(str::to_owned),
            [flag, _] => flag.text.strip_prefix("-I").filter(|mark| !mark.is_empty()).map(str::to_owned),
            _ => None,
        });
        let is_shell = rest.first().is_some_and(|program| SHELLS.contains(&program.text.as_str()));
        let mut words = rest.to_vec();
        match mark {
            Some(mark) => {
                let filled = |word: &Word| word.text.contains(&mark);
                if rest.first().is_some_and(filled) || (is_shell && rest.iter().any(filled)) {
                    self.effects.hide(Hidden::Program);
                }
                words
                    .iter_mut()
                    .filter(|word| word.text.contains(&mark))
                    .for_each(|word| word.kind = WordKind::Computed);
            }
            None => words.push(input_word()),
        }
        self.add_command(words, wrapped + 1);
    }

    /// Changes of folder.
    fn moves(&mut self, name: &str, simple: &Simple) {
        match name {
            "cd" | "pushd" => {
                let folder = simple.operands().into_iter().next();
                self.places = match folder.filter(|word| word.is_fixed() && !word.text.starts_with(['+', '-'])) {
                    Some(folder) if !self.effects.alters => self.places.below(&folder.text),
                    _ => Places::unknown(),
                };
            }
            "popd" => self.places = Places::unknown(),
            _ => {}
        }
    }
}

/// The variables that `read` and the like fill: every word that is no option and no value of one. The name behind `-a`
/// is one of them.
fn filled_names<'w>(args: &'w [Word], with_value: &str) -> Vec<&'w str> {
    let (mut found, mut before) = (Vec::new(), ' ');
    for word in args {
        let letters = word.text.strip_prefix('-').filter(|letters| !letters.is_empty() && before == ' ');
        match letters {
            Some(letters) => {
                let takes = |letter: &char| with_value.contains(*letter);
                let at = letters.find(|letter| takes(&letter));
                let attached = at.and_then(|at| letters.get(at + 1..)).unwrap_or_default();
                let letter = at.and_then(|at| letters.get(at..)).and_then(|rest| rest.chars().next());
                match letter {
                    Some('a') if !attached.is_empty() => found.push(attached),
                    Some(letter) if attached.is_empty() => before = letter,
                    _ => {}
                }
            }
            None => {
                if matches!(before, ' ' | 'a') {
                    found.push(word.text.as_str());
                }
                before = ' ';
            }
        }
    }
    found
}

/// What the options of a shell say.
struct Given {
    /// The word after them is code.
    code: bool,
    /// Code comes from the input.
    input: bool,
    /// Where the other words begin.
    rest: usize,
}

/// The options of a shell; none when it only says something about itself. Each `o` in a cluster takes a word.
fn shell_options(args: &[Word]) -> Option<Given> {
    let mut given = Given { code: false, input: false, rest: 0 };
    while let Some(word) = args.get(given.rest) {
        let text = word.text.as_str();
        if !word.is_fixed() || !text.starts_with(['-', '+']) || text == "-" {
            break;
        }
        match text {
            "--version" | "--help" => return None,
            "--" => {
                given.rest += 1;
                break;
            }
            "--rcfile" | "--init-file" | "-rcfile" | "-init-file" => given.rest += 1,
            _ if text.starts_with("--") => {}
            cluster => {
                given.code |= cluster.starts_with('-') && cluster.contains('c');
                given.input |= cluster.starts_with('-') && cluster.contains('s');
                given.rest += cluster.chars().filter(|letter| matches!(letter, 'o' | 'O')).count();
            }
        }
        given.rest += 1;
    }
    Some(given)
}

/// The words after a wrapper's own options; none when an option is not known.
fn after_options<'w>(wrapper: &Wrapper, args: &'w [Word]) -> Option<&'w [Word]> {
    let mut rest = args;
    while let Some((word, more)) = rest.split_first() {
        let text = word.text.as_str();
        if text == "--" {
            return Some(more);
        }
        if !text.starts_with('-') || (text == "-" && wrapper.name != "env") {
            break;
        }
        if !word.is_fixed() {
            return None;
        }
        let name = text.split('=').next().unwrap_or(text);
        let attached =
            !text.starts_with("--") && wrapper.values.iter().any(|flag| flag.len() == 2 && text.starts_with(flag));
        if wrapper.values.contains(&text) {
            rest = more.get(1..).unwrap_or_default();
        } else if attached || (text.contains('=') && wrapper.values.contains(&name)) || is_alone(wrapper, name) {
            rest = more;
        } else {
            return None;
        }
    }
    Some(rest)
}

fn is_alone(wrapper: &Wrapper, flag: &str) -> bool {
    let letters = flag.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    let cluster = letters.is_some_and(|letters| {
        letters.chars().all(|letter| wrapper.alone.iter().any(|alone| alone.len() == 2 && alone.ends_with(letter)))
    });
    cluster || wrapper.alone.contains(&flag) || wrapper.alone.contains(&"-*")
}

/// True for files that are what comes in.
pub(super) fn is_stream(path: &str) -> bool {
    path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/") || path == "/dev/tty"
}

/// True when `at` takes commands from its input: no option says otherwise, and a time is named.
fn takes_job(name: &str, simple: &Simple) -> bool {
    const OTHER: &[&str] = &["-f", "-l", "-r", "-d", "-c", "-V"];
    const TIMES: &[&str] = &[
        "now", "noo", "mid", "tea", "tod", "tom", "nex", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "jan", "feb",
        "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let other = |word: &Word| OTHER.iter().any(|flag| word.text.starts_with(flag));
    let time = |word: &&Word| {
        let begins = word.text.get(..3).is_some_and(|part| TIMES.contains(&part.to_ascii_lowercase().as_str()));
        !word.is_fixed() || begins || word.text.starts_with(|c: char| c.is_ascii_digit())
    };
    let named = name == "batch" || simple.has("-t") || simple.operands().first().is_some_and(time);
    named && !simple.args().iter().any(other)
}

/// What comes in and becomes words of a command.
fn input_word() -> Word {
    Word { text: "…".to_owned(), kind: WordKind::Computed }
}

fn with_input(word: &Word) -> Word {
    if word.text.contains("{}") { Word { text: word.text.clone(), kind: WordKind::Computed } } else { word.clone() }
}
