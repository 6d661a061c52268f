//! The verdict over one call.

use crate::analyse::analysed;
use crate::danger::Danger;
use crate::effects::{Effects, Simple};
use crate::readers::is_reader;
use crate::rule::{Rule, RuleError};
use reasonix_proto::{Action, Family, ReadOnly};

/// What happens to writers that no rule speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// A person is asked.
    #[default]
    Ask,
    /// They run.
    Allow,
    /// They do not run.
    Deny,
}

/// How much the user wants to be asked during a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Posture {
    /// As the rules say.
    #[default]
    Ask,
    /// The fallback allows; ask and deny rules still hold.
    Auto,
    /// Nothing is asked; deny rules still hold.
    Yolo,
}

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
    pub mode: Mode,
    /// What happens to a family otherwise, where that was said.
    pub families: Vec<(Family, Mode)>,
}

impl Rules {
    /// Reads rules from their texts; one that cannot be read is an error, never left out.
    pub fn parse(deny: &[String], ask: &[String], allow: &[String], mode: Mode) -> Result<Self, RuleError> {
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
    Danger(Vec<Danger>),
    /// These files tell agents, editors or git what to do.
    Protected(Vec<String>),
    /// It changes what later sessions begin with; only a person answers that, each time.
    Memory,
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
        Self { tool, action, effects: lines.iter().map(|line| analysed(line)).collect() }
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
    if effects.interprets || effects.assigns || redirects {
        return None;
    }
    let mut found = Vec::new();
    for simple in &effects.commands {
        match rules.iter().find(|rule| rule.covers(simple)) {
            Some(rule) => found.push(rule.text()),
            None if readers && is_reader(simple) => {}
            None => return None,
        }
    }
    found.sort_unstable();
    found.dedup();
    (!found.is_empty()).then_some(found)
}

/// Decides: deny, then ask, then allow, then the fallback. A grant of this session is an allow rule that also
/// answers ask rules: the user was asked, and said so. The dangerous class stands above this; see [`judge`](crate::judge()).
pub fn evaluate(rules: &Rules, granted: &[Rule], posture: Posture, tool: &str, action: &Action) -> Verdict {
    weigh(rules, granted, posture, &Case::new(tool, action))
}

pub(crate) fn weigh(rules: &Rules, granted: &[Rule], posture: Posture, case: &Case<'_>) -> Verdict {
    let by = |rule: &Rule| By::Rule(rule.text().to_owned());
    let touches = |rule: &&Rule| rule.touches(case.tool, case.action, &case.effects);
    if let Some(rule) = rules.deny.iter().find(touches) {
        return Verdict::Deny(by(rule));
    }
    let readers = reader_mode(rules, case.action) == Mode::Allow;
    if let Some(by) = case.permitted(granted, readers, true) {
        return Verdict::Allow(by);
    }
    if let Some(rule) = rules.ask.iter().find(touches) {
        // An ask rule speaks for its own part of a line; the rest is judged as if it stood alone.
        if rest_is_denied(rules, posture, case, readers) {
            return Verdict::Deny(By::Fallback);
        }
        return if posture == Posture::Yolo { Verdict::Allow(By::Posture(posture)) } else { Verdict::Ask(by(rule)) };
    }
    if let Some(by) = case.permitted(&rules.allow, readers, false) {
        return Verdict::Allow(by);
    }
    fallback(rules, posture, case.action)
}

/// True when the fallback denies a part of the line that no ask rule touches and nothing else permits.
fn rest_is_denied(rules: &Rules, posture: Posture, case: &Case<'_>, readers: bool) -> bool {
    if !matches!(fallback(rules, posture, case.action), Verdict::Deny(_)) {
        return false;
    }
    case.effects.iter().any(|effects| {
        let blocked = effects.hidden.is_some()
            || effects.interprets
            || effects.assigns
            || effects.reads
            || effects.writes.iter().any(|write| write.redirect);
        blocked
            || effects.commands.iter().any(|simple| {
                let asked = is_touched(&rules.ask, case.tool, simple);
                let allowed = rules.allow.iter().any(|rule| rule.names(case.tool, Family::Bash) && rule.covers(simple));
                let reads = readers && case.readers_count(effects) && is_reader(simple);
                !(asked || allowed || reads)
            })
    })
}

/// True when one of the rules touches this command.
pub(crate) fn is_touched(rules: &[Rule], tool: &str, simple: &Simple) -> bool {
    let alone = Effects { commands: vec![simple.clone()], ..Effects::default() };
    rules.iter().any(|rule| rule.names(tool, Family::Bash) && rule.touches_line(&simple.text(), &alone))
}

fn reader_mode(rules: &Rules, action: &Action) -> Mode {
    family_mode(rules, action).unwrap_or(Mode::Allow)
}

fn family_mode(rules: &Rules, action: &Action) -> Option<Mode> {
    rules.families.iter().find(|(family, _)| *family == action.family).map(|(_, mode)| *mode)
}

fn fallback(rules: &Rules, posture: Posture, action: &Action) -> Verdict {
    let reads = action.read_only == ReadOnly::Yes;
    let mode = family_mode(rules, action).unwrap_or(if reads { Mode::Allow } else { rules.mode });
    match mode {
        Mode::Allow => Verdict::Allow(By::Fallback),
        Mode::Deny => Verdict::Deny(By::Fallback),
        Mode::Ask if posture == Posture::Ask => Verdict::Ask(By::Fallback),
        Mode::Ask => Verdict::Allow(By::Posture(posture)),
    }
}
