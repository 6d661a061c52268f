//! The verdict over one call.

use crate::analyse::analyse;
use crate::danger::LineDanger;
use crate::effects::{Effects, Simple};
use crate::reach::is_of_its_folder;
use crate::readers::is_exact;
use crate::rule::{Rule, RuleError};
use crate::strays::{Named, strays};
use reasonix_proto::{Action, Effect, Family, Phrase, Posture, ReadOnly};

/// What happens to writers that no rule speaks of.
pub type Fallback = Effect;

/// The rules of a session.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// What never runs.
    pub deny: Vec<Rule>,
    /// What always asks.
    pub ask: Vec<Rule>,
    /// What never asks.
    pub allow: Vec<Rule>,
    /// What happens to writers otherwise.
    pub mode: Fallback,
    /// What happens to a family otherwise, where that was said.
    pub families: Vec<(Family, Fallback)>,
}

impl Rules {
    /// Reads rules from their texts; one that cannot be read is an error, never left out.
    pub fn parse(deny: &[String], ask: &[String], allow: &[String], mode: Fallback) -> Result<Self, RuleError> {
        let read = |texts: &[String]| texts.iter().map(|text| Rule::parse(text)).collect::<Result<Vec<_>, _>>();
        Ok(Self { deny: read(deny)?, ask: read(ask)?, allow: read(allow)?, mode, families: Vec::new() })
    }
}

/// What decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// This rule, as written; several where it took several.
    Rule(String),
    /// No rule spoke; the fallback did.
    Fallback,
    /// The posture.
    Posture(Posture),
    /// The dangerous class, for these reasons.
    Danger(Vec<LineDanger>),
    /// These files tell agents, editors or git what to do.
    Protected(Vec<String>),
    /// Git or another program would run or believe these files later.
    Later(Vec<String>),
    /// It changes what later sessions begin with; only a person answers that, each time.
    Memory,
    /// A tool that comes from outside is not what it was when a person accepted it; the difference as a diff.
    Redefined(String),
    /// Somebody around the call, who is no rule of the user's, wants a person to be asked.
    Aspect {
        /// Who, and why, as the log has it.
        by: String,
        /// The same for the person who is asked.
        why: Phrase,
    },
    /// A tool that comes from outside only says of itself that it changes nothing, and plan mode is on; only a person answers that.
    Unvouched,
    /// A rule that whoever started this run gave for it.
    Approved(String),
}

/// What may happen with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It runs.
    Allow(By),
    /// A person decides.
    Ask(By),
    /// It does not run.
    Deny(By),
}

/// A call that is judged, with what its commands would do.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    /// The tool's canonical name.
    pub tool: &'a str,
    /// What it would do.
    pub action: &'a Action,
    /// The effects of each of its command lines; empty where it has none.
    pub effects: Vec<Effects>,
}

impl<'a> Case<'a> {
    /// Analyses what there is to analyse.
    pub fn new(tool: &'a str, action: &'a Action) -> Self {
        let lines: &[String] = if action.family == Family::Bash { &action.subjects } else { &[] };
        Self { tool, action, effects: lines.iter().map(|line| analyse(line)).collect() }
    }

    /// The same for a caller that has analysed its command lines already: the effects of each, in order.
    pub fn with(tool: &'a str, action: &'a Action, effects: Vec<Effects>) -> Self {
        Self { tool, action, effects }
    }

    /// The rules that together permit the call; none when they do not.
    fn permitted(&self, rules: &[Rule], readers: bool, granted: bool) -> Option<By> {
        if self.action.family != Family::Bash {
            let rule = rules.iter().find(|rule| rule.permits(self.tool, self.action))?;
            return Some(By::Rule(rule.text().to_owned()));
        }
        let named: Vec<&Rule> = rules.iter().filter(|rule| rule.names(self.tool, Family::Bash)).collect();
        let mut texts: Vec<&str> = Vec::new();
        for (line, effects) in self.action.subjects.iter().zip(&self.effects) {
            texts.extend(covering(&named, line, effects, self.readers_count(effects) && readers, granted)?);
        }
        texts.dedup();
        (!texts.is_empty()).then(|| By::Rule(texts.join(", ")))
    }

    /// True when the call changes nothing: by the wide reading where a kernel holds it to that, otherwise only by the narrow
    /// one.
    fn only_reads(&self, held: bool) -> bool {
        let surely = || self.action.family != Family::Bash || self.effects.iter().all(Effects::reads_surely);
        self.action.read_only == ReadOnly::Yes && (held || surely())
    }

    /// The rule that may forbid something in a line that is not understood. What a kernel holds to reading is exempt, and
    /// so is the very line that the user granted.
    pub(crate) fn suspected<'r>(&self, rules: &'r [Rule], granted: &[Rule], held: bool) -> Option<&'r Rule> {
        if self.action.family != Family::Bash || (held && self.only_reads(held)) {
            return None;
        }
        let lines = || self.action.subjects.iter().zip(&self.effects);
        let open = |line: &str| !granted.iter().any(|rule| rule.is_line(line));
        rules.iter().find(|rule| lines().any(|(line, effects)| open(line) && rule.may_touch(self.tool, effects)))
    }

    /// Parts that only read need no rule, unless whoever describes the call knows better than its text.
    fn readers_count(&self, effects: &Effects) -> bool {
        self.action.read_only != ReadOnly::No || effects.read_only == ReadOnly::No
    }
}

/// The rules that cover one line: one for the whole, or one for each of its commands.
fn covering<'r>(
    rules: &[&'r Rule],
    line: &str,
    effects: &Effects,
    readers: bool,
    granted: bool,
) -> Option<Vec<&'r str>> {
    if effects.hidden.is_some() {
        return None;
    }
    let whole = rules.iter().find(|rule| rule.is_line(line) || (rule.is_bare() && !effects.interprets));
    if let Some(rule) = whole
        && (granted || !effects.interprets)
    {
        return Some(vec![rule.text()]);
    }
    let redirects = effects.writes.iter().any(|write| write.redirect) || effects.reads;
    if !effects.understood || effects.interprets || effects.assigns || redirects {
        return None;
    }
    let mut found = Vec::new();
    let named = |simple: &Simple| effects.commands.iter().any(|outer| names_inner(rules, outer, simple));
    for simple in &effects.commands {
        match rules.iter().find(|rule| rule.covers(simple)) {
            Some(rule) => found.push(rule.text()),
            None if readers && is_exact(simple) => {}
            None if named(simple) => {}
            None => return None,
        }
    }
    found.sort_unstable();
    found.dedup();
    (!found.is_empty()).then_some(found)
}

/// True when a rule for a wrapper names this command that the wrapper runs: `Bash(uv run pytest:*)`.
fn names_inner(rules: &[&Rule], outer: &Simple, inner: &Simple) -> bool {
    let own = outer.words.len().saturating_sub(inner.words.len());
    let behind = outer.wraps && own > 0 && outer.words.ends_with(&inner.words);
    // What stands behind the words of the rule must not lead the inner program elsewhere either.
    let placed = inner.places.are_here() || !is_of_its_folder(inner);
    let stays = |words: usize| words > own && placed && !strays(inner, &Named::First(words - own));
    behind && rules.iter().any(|rule| rule.reach(outer).is_some_and(stays))
}

/// Decides: deny, then ask, then allow, then the fallback. A grant of this session is an allow rule that also
/// answers ask rules: the user was asked, and said so. The dangerous class stands above this; see [`judge`](crate::judge()).
pub fn evaluate(rules: &Rules, granted: &[Rule], posture: Posture, tool: &str, action: &Action) -> Verdict {
    let case = Case::new(tool, action);
    match case.suspected(&rules.deny, granted, false) {
        Some(rule) if !matches!(weigh(rules, granted, posture, &case, false), Verdict::Deny(_)) => {
            Verdict::Ask(By::Rule(rule.text().to_owned()))
        }
        _ => weigh(rules, granted, posture, &case, false),
    }
}

pub(crate) fn weigh(rules: &Rules, granted: &[Rule], posture: Posture, case: &Case<'_>, held: bool) -> Verdict {
    let by = |rule: &Rule| By::Rule(rule.text().to_owned());
    let touches = |rule: &&Rule| rule.touches(case.tool, case.action, &case.effects);
    if let Some(rule) = rules.deny.iter().find(touches) {
        return Verdict::Deny(by(rule));
    }
    let readers = reader_mode(rules, case.action) == Fallback::Allow;
    if let Some(by) = case.permitted(granted, readers, true) {
        return Verdict::Allow(by);
    }
    let asked = rules.ask.iter().find(touches).or_else(|| case.suspected(&rules.ask, granted, held));
    if let Some(rule) = asked {
        // An ask rule speaks for its own part of a line; the rest is judged as if it stood alone.
        if rest_is_denied(rules, posture, case, readers, held) {
            return Verdict::Deny(By::Fallback);
        }
        return if posture == Posture::Yolo { Verdict::Allow(By::Posture(posture)) } else { Verdict::Ask(by(rule)) };
    }
    if let Some(by) = case.permitted(&rules.allow, readers, false) {
        return Verdict::Allow(by);
    }
    fallback(rules, posture, case, held)
}

/// True when the fallback denies a part of the line that no ask rule touches and nothing else permits.
fn rest_is_denied(rules: &Rules, posture: Posture, case: &Case<'_>, readers: bool, held: bool) -> bool {
    if !matches!(fallback(rules, posture, case, held), Verdict::Deny(_)) {
        return false;
    }
    case.effects.iter().any(|effects| {
        let blocked = !effects.understood
            || effects.hidden.is_some()
            || effects.interprets
            || effects.assigns
            || effects.reads
            || effects.writes.iter().any(|write| write.redirect);
        blocked
            || effects.commands.iter().any(|simple| {
                let asked = is_touched(&rules.ask, case.tool, simple);
                let allowed = rules.allow.iter().any(|rule| rule.names(case.tool, Family::Bash) && rule.covers(simple));
                let reads = readers && case.readers_count(effects) && is_exact(simple);
                !(asked || allowed || reads)
            })
    })
}

/// True when one of the rules touches this command.
pub(crate) fn is_touched(rules: &[Rule], tool: &str, simple: &Simple) -> bool {
    rules.iter().any(|rule| rule.names(tool, Family::Bash) && rule.touches_command(simple))
}

fn reader_mode(rules: &Rules, action: &Action) -> Fallback {
    family_mode(rules, action).unwrap_or(Fallback::Allow)
}

fn family_mode(rules: &Rules, action: &Action) -> Option<Fallback> {
    rules.families.iter().find(|(family, _)| *family == action.family).map(|(_, mode)| *mode)
}

fn fallback(rules: &Rules, posture: Posture, case: &Case<'_>, held: bool) -> Verdict {
    // What a subagent does is judged call by call.
    let free = case.only_reads(held) || case.action.family == Family::Task;
    let unheld = if free { Fallback::Allow } else { rules.mode };
    let mode = family_mode(rules, case.action).unwrap_or(unheld);
    match mode {
        Fallback::Allow => Verdict::Allow(By::Fallback),
        Fallback::Deny => Verdict::Deny(By::Fallback),
        Fallback::Ask if posture == Posture::Ask => Verdict::Ask(By::Fallback),
        Fallback::Ask => Verdict::Allow(By::Posture(posture)),
    }
}
