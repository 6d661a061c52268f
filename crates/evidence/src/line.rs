//! A shell line as far as exit codes go: which commands it has, and of which the code of the line tells how they ended.
//! What cannot be told is hidden, never guessed.

use crate::codes;
use crate::ran::Ran;
use crate::scan::{self, KEYWORDS, Token};

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

/// Commands behind which words may mean something else, or which decide about the code of the whole line.
const TURNS: &[&str] = &["trap", "eval", "hash", "alias", "unalias", "enable", "builtin"];
/// Commands behind which codes may not be what they were.
const SHIFTS: &[&str] = &["source", ".", "command", "shopt", "exec"];
/// Variables that make programs do something else, or nothing.
const STEERS: &[&str] = &["PATH", "SHELL", "MAKEFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "BASH_ENV", "ENV", "LD_PRELOAD"];

/// Texts of commands inside of texts of commands.
const DEEPEST: usize = 4;

/// The commands of a line in their order.
pub(crate) fn commands(line: &str) -> Vec<Ran> {
    nested(line, 0, String::new())
}

fn nested(line: &str, depth: usize, folder: String) -> Vec<Ran> {
    let tokens = scan::tokens(line);
    let (errexit, pipefail, odd, strange) = (false, false, false, false);
    let mut read = Read { tokens: &tokens, at: 0, errexit, pipefail, odd, strange, depth, folder };
    let mut found = read.list();
    let strange = read.strange || read.at < tokens.len();
    if read.odd || strange {
        found.iter_mut().for_each(|ran| ran.told = false);
    }
    found.iter_mut().for_each(|ran| ran.strange |= strange);
    found
}

/// Pipelines that are joined.
struct Chain {
    ran: Vec<Ran>,
    /// True when it is only one.
    plain: bool,
    /// True when the line is left where it failed.
    leaves: bool,
}

struct Read<'a> {
    tokens: &'a [Token],
    at: usize,
    errexit: bool,
    pipefail: bool,
    /// True when no code is told.
    odd: bool,
    /// True when no output is that of one run either.
    strange: bool,
    depth: usize,
    folder: String,
}

impl Read<'_> {
    fn next_if(&mut self, wanted: impl Fn(&Token) -> bool) -> bool {
        let is = self.tokens.get(self.at).is_some_and(wanted);
        self.at += usize::from(is);
        is
    }

    /// Parts one behind another: the code is that of the last, unless the others had to succeed for it to run, or the line
    /// leaves with a code that it kept.
    fn list(&mut self) -> Vec<Ran> {
        let mut found: Vec<Ran> = Vec::new();
        let (mut kept, mut saved) = (0, codes::Saved::default());
        while self.at < self.tokens.len() && self.tokens.get(self.at) != Some(&Token::Close) {
            let (errexit, begins) = (self.errexit, self.at);
            let Chain { ran: mut part, plain, leaves } = self.chain();
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
            if let (Some(before), Some(code)) =
                (found.get_mut(kept..), part.first().and_then(|ran| codes::echo(&ran.words)))
            {
                codes::echoes(before, code);
            }
            let left = saved.left_with(&part, &found, kept);
            found.iter_mut().for_each(|ran| ran.last = false);
            found.iter_mut().skip(kept).for_each(|ran| ran.told = false);
            for at in left {
                found.get_mut(at).into_iter().for_each(|ran| ran.told = true);
            }
            kept = found.len();
            let must_succeed = (errexit && plain && !behind) || (leaves && part.iter().all(|ran| ran.told));
            found.extend(part);
            if must_succeed {
                kept = found.len();
            }
        }
        found
    }

    /// Pipelines with `&&` and `||` between them.
    fn chain(&mut self) -> Chain {
        let mut found: Vec<Ran> = Vec::new();
        let (mut guarded, mut plain, mut in_place) = (true, true, false);
        let leaves = loop {
            let next = self.pipeline();
            let leaving = next.first().is_some_and(|ran| codes::leaves_by(&ran.words));
            let leaves = in_place && leaving && next.len() == 1;
            // What runs in place of something that failed has to fail, too.
            guarded &= !std::mem::take(&mut in_place) || codes::fails(&next);
            found.iter_mut().for_each(|ran| ran.last = ran.last && leaving);
            found.extend(next);
            if self.next_if(|token| *token == Token::And) {
                plain = false;
                while self.next_if(|token| *token == Token::End) {}
            } else if self.next_if(|token| *token == Token::Or) {
                (plain, in_place) = (false, true);
            } else {
                break leaves;
            }
        };
        if !guarded {
            found.iter_mut().for_each(|ran| ran.told = false);
        }
        Chain { ran: found, plain, leaves }
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
            self.strange |= self.tokens.get(self.at) == Some(&Token::Close);
            let (errexit, pipefail, folder) = (self.errexit, self.pipefail, self.folder.clone());
            let mut found = self.list();
            self.strange |= !self.next_if(|token| *token == Token::Close);
            (self.errexit, self.pipefail, self.folder) = (errexit, pipefail, folder);
            while let Some(token @ (Token::Word(_) | Token::Into(..))) = self.tokens.get(self.at) {
                if let Token::Into(file, plain, behind) = token {
                    found.iter_mut().for_each(|ran| ran.goes_into(file, *plain, *behind));
                }
                self.at += 1;
            }
            return found;
        }
        let mut ran = Ran { told: true, last: true, folder: self.folder.clone(), ..Ran::default() };
        loop {
            match self.tokens.get(self.at) {
                Some(Token::Word(word)) => ran.words.push(word.clone()),
                Some(Token::Into(word, plain, behind)) => ran.goes_into(word, *plain, *behind),
                _ => break,
            }
            self.at += 1;
        }
        self.taken(ran)
    }

    fn taken(&mut self, mut ran: Ran) -> Vec<Ran> {
        let words = &mut ran.words;
        while words.first().is_some_and(|word| KEYWORDS.contains(&word.as_str())) {
            self.strange = true;
            // What is counted through is no command.
            match words.remove(0).as_str() {
                "for" | "select" => words.clear(),
                _ => {}
            }
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
        self.strange |= words.first().is_some_and(|word| TURNS.contains(&word.as_str()));
        // An environment that is entered changes where programs are found, not what they say.
        let enters = words.get(1).is_some_and(|file| file.ends_with("/activate") || file == "activate");
        self.odd |= !enters && words.first().is_some_and(|word| SHIFTS.contains(&word.as_str()));
        let steers = |word: &String| word.split_once('=').is_some_and(|(name, _)| STEERS.contains(&name));
        self.odd |= words.iter().any(steers);
        if words.first().is_some_and(|word| word == "set") {
            self.odd |= words.iter().any(|word| word.starts_with('+'));
            self.pipefail |= words.iter().any(|word| word == "pipefail");
            let cluster = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('e');
            self.errexit |= words.iter().any(cluster) || words.iter().any(|word| word == "errexit");
        }
        if let Some(text) = codes::shell_text(words).filter(|_| self.depth < DEEPEST) {
            let mut found = nested(text, self.depth + 1, self.folder.clone());
            for inner in &mut found {
                inner.told &= ran.told;
                inner.behind |= ran.behind;
                inner.away = inner.away.take().or_else(|| ran.away.clone());
                inner.into.extend(ran.into.iter().cloned());
                inner.appends |= ran.appends;
            }
            return found;
        }
        if ran.words.is_empty() && ran.into.is_empty() { Vec::new() } else { vec![ran] }
    }
}
