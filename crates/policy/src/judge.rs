//! The verdict with the dangerous class above the rules, and with what was approved for a run.

use crate::beyond::Beyond;
use crate::danger::{LineDanger, dangers, stays_in_workspace};
use crate::effects::Word;
use crate::facts::Facts;
use crate::protected::{approved_for, is_protected};
use crate::rule::Rule;
use crate::verdict::{By, Case, Rules, Verdict, is_touched, weigh};
use reasonix_proto::{Action, Family, Posture, ReadOnly};

/// What a verdict depends on beside the rules.
pub struct Circumstances<'a> {
    /// Grants of this session.
    pub granted: &'a [Rule],
    /// Rules that whoever started this run gave for it; they count only when nobody can be asked.
    pub approved: &'a [Rule],
    /// More patterns for the dangerous class.
    pub dangerous: &'a [Rule],
    /// How much the user wants to be asked.
    pub posture: Posture,
    /// True when a person can answer.
    pub attended: bool,
    /// True when a call that only reads runs so that a kernel holds it to that: then the wide reading of its commands is
    /// enough. Otherwise only what the narrow reading understands is taken for a reader.
    pub held: bool,
    /// What is known about files.
    pub facts: &'a dyn Facts,
}

/// Decides with the dangerous class above everything but a deny: it asks in every posture, and no grant covers it.
/// Without a person, only what was approved for the run answers it, and never a hidden program.
pub fn judge(rules: &Rules, about: &Circumstances<'_>, case: &Case<'_>) -> Verdict {
    decide(rules, about, case, None)
}

/// The same where whoever started this run also gave the word for dangers that end at files of the workspace. The
/// caller vouches that the box holds the call there and that undo covers what it touches. Rules hold as ever.
pub fn judge_restorable(rules: &Rules, about: &Circumstances<'_>, case: &Case<'_>, word: &str) -> Verdict {
    decide(rules, about, case, Some(word))
}

fn decide(rules: &Rules, about: &Circumstances<'_>, case: &Case<'_>, word: Option<&str>) -> Verdict {
    if !about.held && compares_folders(case, about.facts) {
        let action = Action { read_only: ReadOnly::No, ..case.action.clone() };
        let case = Case::with(case.tool, &action, case.effects.clone());
        return settle(rules, about, &case, word);
    }
    settle(rules, about, case, word)
}

/// True when `diff` is given a folder: it reads what lies in it through links, wherever they lead. Where it cannot be
/// told, it may be one.
fn compares_folders(case: &Case<'_>, facts: &dyn Facts) -> bool {
    let commands = case.effects.iter().flat_map(|effects| &effects.commands);
    commands.into_iter().filter(|simple| simple.program() == "diff").any(|simple| {
        let sure = simple.places.known && simple.places.dirs.len() == 1;
        let folder = |word: &&Word| !sure || !word.is_fixed() || facts.target(&simple.places, &word.text).folder;
        simple.operands().iter().any(folder)
    })
}

fn settle(rules: &Rules, about: &Circumstances<'_>, case: &Case<'_>, word: Option<&str>) -> Verdict {
    let beyond = Beyond::of(case, about.facts);
    if beyond.is_nothing() {
        return settle_here(rules, about, case, word);
    }
    let lines = &case.action.subjects;
    let rules = Rules { allow: beyond.kept(&rules.allow, lines), ..rules.clone() };
    let granted = beyond.kept(about.granted, lines);
    settle_here(&rules, &Circumstances { granted: &granted, ..*about }, case, word)
}

fn settle_here(rules: &Rules, about: &Circumstances<'_>, case: &Case<'_>, word: Option<&str>) -> Verdict {
    let verdict = weigh(rules, about.granted, about.posture, case, about.held);
    if matches!(verdict, Verdict::Deny(_)) {
        return verdict;
    }
    if case.action.family == Family::Memory && case.action.read_only != ReadOnly::Yes {
        return Verdict::Ask(By::Memory);
    }
    if case.action.family == Family::Edit {
        let changed: Vec<String> = case.action.subjects.iter().filter(|path| is_protected(path)).cloned().collect();
        if let Some(verdict) = protected(changed, about) {
            return verdict;
        }
    }
    let lines = case.action.subjects.iter().zip(&case.effects);
    let found: Vec<LineDanger> =
        lines.flat_map(|(line, effects)| dangers(effects, line, about.facts, about.dangerous)).collect();
    if let Some(rule) = case.suspected(&rules.deny, about.granted, about.held) {
        let by = By::Rule(rule.text().to_owned());
        return match (about.attended, found.is_empty()) {
            (true, true) => Verdict::Ask(by),
            (true, false) => Verdict::Ask(By::Danger(found)),
            (false, _) => Verdict::Deny(by),
        };
    }
    let mut answered = None;
    if !found.is_empty() {
        if about.attended {
            return Verdict::Ask(By::Danger(found));
        }
        let by_word = || word.filter(|_| stays_in_workspace(&found)).map(str::to_owned);
        match approves(about.approved, case, &found).or_else(by_word) {
            Some(rule) => answered = Some(rule),
            None => return Verdict::Ask(By::Danger(found)),
        }
    }
    match verdict {
        Verdict::Ask(By::Rule(_)) if !about.attended => {
            let without = Rules { ask: Vec::new(), ..rules.clone() };
            match answers(about.approved, case, &rules.ask) {
                Some(rule) => match weigh(&without, about.granted, about.posture, case, about.held) {
                    Verdict::Deny(by) => Verdict::Deny(by),
                    _ => Verdict::Allow(By::Approved(rule)),
                },
                None => verdict,
            }
        }
        Verdict::Allow(_) | Verdict::Ask(By::Fallback) if answered.is_some() => {
            Verdict::Allow(By::Approved(answered.unwrap_or_default()))
        }
        // Without a person the writers' fallback lets them work; a rule that says "ask" cannot be answered. What our own
        // tools ask about is no work on the files of the workspace: it reaches beyond them.
        Verdict::Ask(By::Fallback) if !about.attended && case.action.family != Family::Own => {
            Verdict::Allow(By::Fallback)
        }
        other => other,
    }
}

/// The verdict on changes to protected files: a person is asked each time; without one, only a rule for that path that
/// was approved for the run answers. None where nothing is protected.
pub fn protected(changed: Vec<String>, about: &Circumstances<'_>) -> Option<Verdict> {
    if changed.is_empty() {
        return None;
    }
    let answered = if about.attended { None } else { approved_for(about.approved, &changed) };
    Some(answered.map_or(Verdict::Ask(By::Protected(changed)), |rules| Verdict::Allow(By::Approved(rules))))
}

/// The approved rules that answer every danger; none when one is left. A line that is not understood may do more than
/// what was found in it.
fn approves(approved: &[Rule], case: &Case<'_>, found: &[LineDanger]) -> Option<String> {
    let mut lines = case.action.subjects.iter().zip(&case.effects);
    if !lines.all(|(line, effects)| effects.understood || approved.iter().any(|rule| rule.is_line(line))) {
        return None;
    }
    let mut texts: Vec<&str> = Vec::new();
    for danger in found {
        let rule = approved.iter().find(|rule| approves_one(rule, case, danger))?;
        texts.push(rule.text());
    }
    texts.sort_unstable();
    texts.dedup();
    Some(texts.join(", "))
}

fn approves_one(rule: &Rule, case: &Case<'_>, danger: &LineDanger) -> bool {
    let reach = danger.inside || (!danger.touches.is_empty() && danger.touches.iter().all(|path| rule.mentions(path)));
    if danger.hidden || !reach {
        return false;
    }
    match &danger.command {
        Some(simple) => rule.is_for_commands() && rule.covers(simple),
        None => {
            let commands = case.effects.iter().flat_map(|effects| &effects.commands);
            danger.touches.iter().all(|path| rule.covers_path(path))
                || (rule.is_for_commands()
                    && commands.clone().count() > 0
                    && commands.clone().all(|simple| rule.covers(simple)))
        }
    }
}

/// The approved rule that answers the ask rules for every part they touch.
fn answers(approved: &[Rule], case: &Case<'_>, asked: &[Rule]) -> Option<String> {
    if case.action.family != Family::Bash {
        return approved.iter().find(|rule| rule.permits(case.tool, case.action)).map(|rule| rule.text().to_owned());
    }
    if case.effects.iter().any(|effects| effects.hidden.is_some() || !effects.understood) {
        return None;
    }
    let commands = case.effects.iter().flat_map(|effects| &effects.commands);
    let mut found = None;
    for simple in commands.filter(|simple| is_touched(asked, case.tool, simple)) {
        let covers = |rule: &&Rule| rule.names(case.tool, Family::Bash) && rule.covers(simple);
        found = Some(approved.iter().find(covers)?.text().to_owned());
    }
    found
}
