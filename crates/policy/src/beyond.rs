//! Where a command would leave the workspace: the folder it runs in, and the paths that it is given. A pattern is written
//! for one workspace, so there it allows nothing that it does not name.

use crate::effects::{Places, Simple, Word, WordKind};
use crate::facts::Facts;
use crate::public::is_public;
use crate::readers::{is_reader, only_writes};
use crate::rule::Rule;
use crate::verdict::Case;
use reasonix_proto::Family;

/// What of a call lies outside.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Beyond {
    /// A command would run in a folder outside.
    elsewhere: bool,
    /// Words that lead there.
    words: Vec<String>,
}

impl Beyond {
    /// Looks at every command that does more than read. What only writes the files that it is given takes no code from
    /// there, and what it would destroy is dangerous by itself.
    pub(crate) fn of(case: &Case<'_>, facts: &dyn Facts) -> Self {
        let mut found = Self::default();
        if case.action.family != Family::Bash {
            return found;
        }
        let commands = case.effects.iter().flat_map(|effects| effects.commands.iter().chain(&effects.maybe));
        for simple in commands.filter(|simple| !is_reader(simple) && !only_writes(simple.program())) {
            found.add(simple, facts);
        }
        found
    }

    fn add(&mut self, simple: &Simple, facts: &dyn Facts) {
        let places = &simple.places;
        self.elsewhere |= !places.are_here() && !facts.target(places, ".").inside;
        let leads = |word: &&Word| word.kind <= WordKind::Pattern && leads_out(places, &word.text, facts);
        self.words.extend(simple.args().iter().filter(leads).map(|word| word.text.clone()));
    }

    /// True when nothing lies outside.
    pub(crate) fn is_nothing(&self) -> bool {
        !self.elsewhere && self.words.is_empty()
    }

    /// The rules that still allow: those for everything, for this very line, and those that name what leads out.
    pub(crate) fn kept(&self, rules: &[Rule], lines: &[String]) -> Vec<Rule> {
        let holds = |rule: &&Rule| {
            rule.is_bare()
                || lines.iter().any(|line| rule.is_line(line))
                || (!self.elsewhere && self.words.iter().all(|word| rule.mentions(word)))
        };
        rules.iter().filter(holds).cloned().collect()
    }
}

/// True when a word, or the value in it, is a path that leads out of the workspace.
fn leads_out(places: &Places, text: &str, facts: &dyn Facts) -> bool {
    let value = text.split_once('=').map(|(_, value)| value);
    let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let attached = letters.and_then(|rest| rest.char_indices().nth(1)).and_then(|(at, _)| text.get(at + 1..));
    let whole = Some(text).filter(|text| !text.starts_with('-'));
    let known = facts.target(places, ".").inside;
    [whole, value, attached].into_iter().flatten().any(|path| {
        let path = path.strip_prefix("file://").or_else(|| path.strip_prefix("file:")).unwrap_or(path);
        if path.contains("://") {
            return false;
        }
        let path = path.split(['*', '?', '[', '{']).next().unwrap_or_default();
        // Labels of builds begin with two slashes, and devices are no code.
        let rooted = path.starts_with('/') && !path.starts_with("//") && !path.starts_with("/dev/");
        let climbs = path.split('/').any(|part| part == "..");
        if rooted || climbs {
            return !is_public(path, true) && !facts.target(places, path).inside;
        }
        // A link may lead out too, where anybody can tell.
        let found = facts.target(places, path);
        known && !path.is_empty() && found.exists && !found.inside
    })
}
