//! The commands of a line with what each proves and where it ran, and which of them only show something.

use super::{Deed, What};
use crate::check::{Check, assignment};
use crate::codes;
use crate::command;
use crate::ran::Ran;
use crate::writes;
use reasonix_policy::{Hidden, analyse};

/// What the syntax tree of a line says: where it is read differently, nobody can say what ran.
pub(super) struct Agreed(Option<Vec<String>>);

impl Agreed {
    pub(super) fn of(line: &str) -> Self {
        let effects = analyse(line);
        let unread =
            matches!(effects.hidden, Some(Hidden::Unparsed | Hidden::TooLong | Hidden::TooDeep | Hidden::Characters));
        Self((!unread).then(|| effects.commands.iter().map(|simple| simple.program().to_owned()).collect()))
    }

    pub(super) fn on(&self, (mut ran, check): Judged) -> Judged {
        let program = ran.words.iter().find(|word| assignment(word).is_none());
        let name = program.map(|word| word.rsplit('/').next().unwrap_or(word).to_owned()).unwrap_or_default();
        if check.is_some() && !self.0.as_ref().is_some_and(|programs| programs.contains(&name)) {
            (ran.told, ran.strange) = (false, true);
        }
        (ran, check)
    }
}

/// A command with what it proves, and where it ran.
pub(super) type Judged = (Ran, Option<Check>);

pub(super) fn judged(ran: Ran, place: &Place<'_>) -> Judged {
    let check = command::check(&ran.words).and_then(|check| place.placed(&ran, check));
    (ran, check)
}

/// Where the session works, and what is known of other places.
pub(super) struct Place<'a> {
    pub(super) root: &'a str,
    pub(super) line: &'a str,
    pub(super) done: &'a [Deed],
}

impl Place<'_> {
    /// What a command proves, with the folder that it ran in.
    pub(super) fn placed(&self, ran: &Ran, check: Check) -> Option<Check> {
        let named = ran.words.windows(2).find(|pair| {
            matches!(pair.first().map(String::as_str), Some("-C" | "--prefix" | "--cwd" | "--dir" | "--directory"))
        });
        let folder = self.within(named.and_then(|pair| pair.get(1)).unwrap_or(&ran.folder))?;
        Some(Check { folder, ..check })
    }

    /// This folder as the session sees it; none where it has other files than those that the session is about.
    fn within(&self, folder: &str) -> Option<String> {
        if !self.root.is_empty() && folder.starts_with('/') {
            let rest = folder.strip_prefix(self.root.trim_end_matches('/'))?;
            return (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/').to_owned());
        }
        let copied =
            ["clone", "worktree", "mktemp", "cp -", "rsync", "tar "].iter().any(|word| self.line.contains(word));
        let elsewhere = folder.starts_with("..")
            || ["/tmp/", "/var/tmp/", "~"].iter().any(|start| folder.starts_with(start))
            || (copied && folder.starts_with(['$', '/']));
        let is_under = |path: &String| path.starts_with(folder);
        let written = |deed: &Deed| matches!(&deed.what, What::Wrote(written) if written.paths.iter().any(is_under));
        (!elsewhere || self.done.iter().any(written)).then(|| folder.to_owned())
    }
}

/// The output without what the line writes out by itself.
pub(super) fn own_output(commands: &[Judged], output: &str) -> String {
    let texts: Vec<String> = commands.iter().flat_map(|(ran, _)| codes::writes_out(&ran.words)).collect();
    if texts.is_empty() {
        return output.to_owned();
    }
    output.lines().filter(|line| !texts.iter().any(|text| line.trim() == text)).collect::<Vec<_>>().join("\n")
}

/// For each check of a line, whether no command behind it changes code; `told` when files changed and nobody knows by which.
pub(super) fn settled(judged: &[Judged], told: bool) -> Vec<bool> {
    let changes = |(ran, check): &Judged| writes::written(ran, check.as_ref()).code().is_some();
    let checks = judged.iter().enumerate().filter(|(_, (_, check))| check.is_some());
    checks.map(|(at, _)| !told && !judged.iter().skip(at + 1).any(changes)).collect()
}

/// Programs of a line that neither check nor change anything.
pub(super) fn is_quiet(ran: &Ran) -> bool {
    ran.words.first().is_some_and(|word| matches!(word.as_str(), "cd" | "pushd" | "echo" | "set" | "export" | "sleep"))
}

pub(super) fn shows_files(ran: &Ran) -> bool {
    ran.words.first().is_some_and(|word| matches!(word.as_str(), "cat" | "tail" | "grep" | "rg" | "less" | "egrep"))
}

/// The files that have the output of this command.
pub(super) fn outputs(ran: &Ran) -> Vec<String> {
    let tee = ran.words.first().is_some_and(|word| word == "tee");
    let named = ran.words.iter().skip(1).filter(|word| tee && !word.starts_with('-'));
    ran.into.iter().chain(named).filter(|file| !matches!(file.as_str(), "1" | "2")).cloned().collect()
}

/// The one file that a line shows, where it does nothing else.
pub(super) fn read_by(commands: &[Ran]) -> Option<String> {
    let mut file = None;
    for ran in commands {
        let (program, rest) = ran.words.split_first()?;
        match program.as_str() {
            "sleep" | "wait" | "cd" | "echo" | "date" | "jobs" | "true" => {}
            "tail" | "cat" => {
                let named = |word: &&String| !word.starts_with('-') && !word.bytes().all(|byte| byte.is_ascii_digit());
                let mut named = rest.iter().filter(named);
                let (first, second) = (named.next()?, named.next());
                if file.is_some() || second.is_some() || !ran.into.is_empty() {
                    return None;
                }
                file = Some(first.clone());
            }
            _ => return None,
        }
    }
    file
}
