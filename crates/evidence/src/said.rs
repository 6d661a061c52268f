//! Something that is claimed, and how much it is about.

use crate::check::{Check, LintClass, Linter};
use crate::clause::Clause;
use crate::command;
use crate::deeds::Deeds;
use crate::files::Deed;
use crate::grammar;
use crate::inline;
use crate::line;
use crate::options;
use crate::pattern::patterns;
use crate::reach::reach;
pub(crate) use crate::reach::{Reach, quoted_checks};
use reasonix_proto::{CallId, ClaimKind};
use std::ops::Range;

patterns! {
    IDENTIFIER = grammar::IDENTIFIER;
    IT = r"\b(?:it|which)\b(?: now| still| also)? pass|^\W*(?:它|该测试)";
    PART = r"\b(?:the|that|this|its) (?:package|module|crate|subproject)\b|(?:该|这个|那个|此|本) ?(?:包|模块|子项目)";
    TEST = r"\b((?:[\w./-]+::)*test_\w+)\b";
    ONLY = r"\b(?:only|just) (?:i )?(?:ran|re-?ran|run|executed|tested)\b|\b(?:ran|executed|tested) (?:only|just)\b|(?:只|仅)(?:单独)?(?:跑|运行|执行|测)(?:了|过)?";
}

/// Something that is claimed.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) kind: ClaimKind,
    /// Where in the answer.
    pub(crate) range: Range<usize>,
    /// What of it: of tests, which.
    pub(crate) reach: Reach,
    /// A number of tests.
    pub(crate) number: Option<u64>,
    /// How many they are by a word for just these: both, all three.
    pub(crate) few: Option<u64>,
    /// True when it says that there are no warnings.
    pub(crate) warnings: bool,
    /// True when it says that a build is clean.
    pub(crate) clean: bool,
    /// The number of warnings that it tells of.
    pub(crate) told_warnings: Option<u64>,
    /// The number of files that it says a linter looked at.
    pub(crate) told_files: Option<u64>,
    /// The class of a linter, and its name where it has one.
    pub(crate) lint: Option<(LintClass, Option<String>)>,
    /// The files that it names.
    pub(crate) paths: Vec<String>,
    /// Whether it is a claim by its words alone.
    pub(crate) manner: Manner,
    /// What is said to have been done to them.
    pub(crate) deed: Deed,
    /// The words of the part of the sentence that claims it.
    pub(crate) words: String,
    /// What it stands under in a list or a section, and the label before it, each a line.
    pub(crate) heading: String,
    /// True when it only says that tests were run.
    pub(crate) ran: bool,
    /// True when it speaks of a run elsewhere, which no log of ours shows.
    pub(crate) elsewhere: bool,
    /// The options of the command that it quotes: a run without them was another.
    pub(crate) flags: Vec<String>,
    /// True when it quotes a command that is no linter.
    pub(crate) quotes_build: bool,
    /// The programs of the commands that it quotes, each with its family.
    pub(crate) programs: Vec<(String, String)>,
    /// The words of the commands that it quotes.
    pub(crate) commands: Vec<Vec<String>>,
    /// True when its number is one of files or suites.
    pub(crate) of_groups: bool,
    /// True when it tells of tests that were left out, too.
    pub(crate) tells_skipped: bool,
    /// How often it says that they were run.
    pub(crate) times: usize,
    /// The calls that are said to prove it; none where any may.
    pub(crate) by: Option<Vec<CallId>>,
}

/// Whether something is a claim by its words alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    Said,
    /// It only tells what is in a file: of one that was not written it claims nothing.
    Described,
    /// The same in the list that begins here: where most of its files were written, it is one of changes.
    Listed(usize),
    /// It tells what is right now: a fix where the prompt said that this was wrong.
    Restated,
}

impl Said {
    /// Where the deeds begin that it is about: what names its calls may be about all turns.
    pub(crate) fn since(&self, deeds: &Deeds) -> usize {
        if self.by.is_some() { 0 } else { deeds.turn }
    }

    pub(crate) fn may_be_proved_by(&self, call: Option<&CallId>) -> bool {
        self.by.as_ref().is_none_or(|named| call.is_some_and(|call| named.contains(call)))
    }

    pub(crate) fn new(kind: ClaimKind, range: Range<usize>) -> Self {
        let (reach, lint) = (Reach::default(), None);
        Self {
            kind,
            range,
            reach,
            number: None,
            few: None,
            warnings: false,
            clean: false,
            told_warnings: None,
            told_files: None,
            lint,
            paths: Vec::new(),
            manner: Manner::Said,
            deed: Deed::Changed,
            words: String::new(),
            heading: String::new(),
            ran: false,
            elsewhere: false,
            flags: Vec::new(),
            quotes_build: false,
            programs: Vec::new(),
            commands: Vec::new(),
            of_groups: false,
            tells_skipped: false,
            times: 1,
            by: None,
        }
    }

    /// True when this says the same of the same, once more in one sentence.
    pub(crate) fn is_with(&self, other: &Self) -> bool {
        let tools = |said: &Self| said.lint.as_ref().map(|(class, tool)| (*class, tool.clone()));
        let same_tool = match (tools(self), tools(other)) {
            (Some((class, tool)), Some((other_class, other_tool))) => {
                class == other_class && (other_tool.is_none() || tool == other_tool)
            }
            _ => true,
        };
        let apart = !self.reach.names.is_empty()
            && !other.reach.names.is_empty()
            && !other.reach.names.iter().all(|name| name == "-" || self.reach.names.contains(name))
            && self.kind == ClaimKind::Tests;
        let counted = self.number.zip(other.number).is_some_and(|(one, other)| one != other);
        let apart = apart || (counted && self.kind == ClaimKind::Tests && !self.ran);
        // That they were run and that they are good is one claim, of all that either is about.
        let apart = apart && !(self.ran && !other.ran && other.reach.all);
        let apart = apart || (!self.ran && self.kind == ClaimKind::Tests && self.reach.is_some() && other.reach.all);
        // What is said of another system is not said of this one.
        let apart = apart || self.elsewhere != other.elsewhere;
        self.kind == other.kind && self.kind != ClaimKind::File && same_tool && !apart
    }

    /// True when this is of what another is: of linters, of the same one.
    pub(crate) fn is_of_same(&self, other: &Self) -> bool {
        let open = |said: &Self| said.lint.as_ref().is_none_or(|(_, tool)| tool.is_none());
        self.kind == other.kind && (open(self) || open(other) || self.lint == other.lint)
    }

    /// True when it may be about this linter.
    fn is_of(&self, linter: &Linter) -> bool {
        self.lint.as_ref().is_none_or(|(class, tool)| {
            linter.class == *class && tool.as_ref().is_none_or(|tool| linter.is_called(tool))
        })
    }

    /// Keeps what it says of the command that it is about.
    pub(crate) fn quotes(&mut self, clause: &Clause) {
        for (_, code) in inline::quoted(&clause.text) {
            // An option alone is one that it is said to have been run with.
            if code.starts_with('-') && code.contains(' ') {
                continue;
            }
            if options::is_lone(code) {
                self.flags.push(code.to_owned());
                continue;
            }
            self.keeps(code);
        }
    }

    /// What is said of tests without saying of which is said of the command or the file that stands right before it.
    pub(crate) fn is_of_before(&mut self, before: &str) {
        let Some(code) = inline::ends_with(before).filter(|_| self.kind == ClaimKind::Tests && self.reach.is_open())
        else {
            return;
        };
        let checks = quoted_checks(code);
        match checks.iter().find(|check| check.tests) {
            Some(check) => {
                self.reach.names.extend(check.part.iter().cloned());
                self.keeps(code);
            }
            None if checks.is_empty() && code.contains("test") && !code.contains(' ') => {
                self.reach.names.push(code.to_owned());
            }
            None => {}
        }
    }

    /// What is said of "the package" is said of the one that was named just before.
    pub(crate) fn is_of_part(&mut self, clause: &Clause, before: &str) {
        let Some(part) = PART.find(&clause.text).filter(|_| !self.reach.all) else { return };
        let of_part = |name: &String| clause.text.get(part.clone()).is_some_and(|part| part.contains(name.as_str()));
        if !matches!(self.kind, ClaimKind::Lint | ClaimKind::Build) || !self.reach.names.iter().all(of_part) {
            return;
        }
        let text = format!("{before}{}", clause.text.get(..part.start).unwrap_or_default());
        let range = 0..text.len();
        let earlier = Clause { range: range.clone(), text: text.clone(), original: text };
        let named = reach(&earlier, &range);
        if !named.all && !named.names.is_empty() {
            self.reach.names = named.names;
        }
    }

    /// The test that a fix is of, where its name stands beside it.
    pub(crate) fn is_of_test(&mut self, clause: &Clause, before: &str) {
        if self.kind != ClaimKind::Fix {
            return;
        }
        let own = TEST.all(&clause.text);
        let names = if own.is_empty() { TEST.all(before).pop().into_iter().collect() } else { own };
        self.reach.names.extend(names.into_iter().map(|(_, name)| name.to_ascii_lowercase()));
    }

    /// What is said of tests without saying of which is said of those that are said to be the only ones that ran.
    pub(crate) fn is_of_only(&mut self, before: &str, words: &str) {
        if self.kind != ClaimKind::Tests || !self.reach.is_open() {
            return;
        }
        // What "it" is when a test was spoken of.
        if let Some((_, name)) = IDENTIFIER.all(before).pop().filter(|_| IT.fits(words)) {
            self.reach.names.push(name.to_ascii_lowercase());
            return;
        }
        let Some(only) = ONLY.find(before).and_then(|only| before.get(only.end..)) else { return };
        for (_, code) in inline::quoted(only) {
            match quoted_checks(code).iter().find(|check| check.tests) {
                Some(check) => {
                    self.reach.names.extend(check.part.iter().cloned());
                    self.keeps(code);
                }
                None => self.reach.names.push(code.to_owned()),
            }
        }
    }

    /// Keeps what this command is, as far as it is about it.
    pub(crate) fn keeps(&mut self, code: &str) {
        for ran in line::commands(code) {
            let about = command::check(&ran.words).filter(|check| match self.kind {
                ClaimKind::Tests => check.tests,
                ClaimKind::Build => check.build,
                ClaimKind::Lint => check.lints.iter().any(|linter| self.is_of(linter)),
                _ => false,
            });
            let Some(check) = about else { continue };
            self.quotes_build |= check.lints.is_empty();
            // A file of tests is what a runner is given, not a program.
            let given = check.family == "other" && check.program.contains('.') && !check.program.ends_with(".sh");
            if given {
                continue;
            }
            self.programs.push((check.family.to_owned(), check.program.clone()));
            self.commands.push(ran.words.clone());
            self.flags.extend(options::of(&ran.words));
        }
    }

    /// The same said once more in one sentence.
    pub(crate) fn joined(&mut self, other: Self) {
        self.range.end = self.range.end.max(other.range.end);
        // What says nothing of how much it is about is about the same.
        if self.reach.is_open() {
            self.reach.names.clone_from(&other.reach.names);
            self.reach.some |= other.reach.some;
        }
        self.number = self.number.or(other.number);
        self.ran &= other.ran;
        self.warnings |= other.warnings;
        self.clean |= other.clean;
        self.told_warnings = self.told_warnings.or(other.told_warnings);
        self.told_files = self.told_files.or(other.told_files);
        self.quotes_build |= other.quotes_build;
        self.flags.extend(other.flags);
        self.programs.extend(other.programs);
        self.commands.extend(other.commands);
        self.of_groups |= other.of_groups;
        self.tells_skipped |= other.tells_skipped;
        self.times = self.times.max(other.times);
        self.elsewhere |= other.elsewhere;
        self.reach.all |= other.reach.all;
    }
}

/// The text with signs in place of quoted commands, whose numbers count nothing.
pub(crate) fn without_commands(text: &str) -> String {
    without(text, |_| true)
}

/// The text with signs in place of those quoted commands none of whose checks is wanted: their words speak of nothing else.
pub(crate) fn without_others(text: &str, wanted: impl Fn(&Check) -> bool) -> String {
    without(text, |checks| !checks.iter().any(&wanted))
}

fn without(text: &str, drop: impl Fn(&[Check]) -> bool) -> String {
    let mut out = text.to_owned();
    for (range, code) in inline::quoted(text) {
        let checks = quoted_checks(code);
        if !checks.is_empty() && drop(&checks) {
            out.replace_range(range, &"x".repeat(code.len()));
        }
    }
    out
}
