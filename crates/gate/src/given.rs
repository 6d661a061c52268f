//! The rules that the settings give the gate.

use reasonix_config::Settings;
use reasonix_policy::{Fallback, Posture, Rule, RuleError, Rules, Verdict, evaluate};
use reasonix_proto::{Action, AgentRules, Family};
use std::collections::BTreeMap;
use std::path::Path;

/// The rules of the settings, for this root.
pub(super) fn rules_of(settings: &Settings, root: &Path) -> Result<Rules, RuleError> {
    let root = root.display().to_string();
    let local = |rules: &[String]| -> Vec<String> {
        rules.iter().map(|rule| about_skills(rule).unwrap_or_else(|| Rule::relative_to(rule, &root))).collect()
    };
    let permissions = &settings.permissions;
    let [deny, ask, allow] = [&permissions.deny, &permissions.ask, &permissions.allow].map(|rules| local(rules));
    let rules = Rules::parse(&deny, &ask, &allow, permissions.mode)?;
    Ok(Rules { families: families_of(&permissions.fallbacks), ..rules })
}

/// The rules of an agent, for this root. What it does not say of writers is left to the session.
pub(super) fn rules_of_agent(said: &AgentRules, root: &Path) -> Result<Rules, RuleError> {
    let root = root.display().to_string();
    let local = |rules: &[String]| -> Vec<String> {
        rules.iter().map(|rule| about_skills(rule).unwrap_or_else(|| Rule::relative_to(rule, &root))).collect()
    };
    // What allows must not reach to code or to another program, here as in the settings.
    said.allow.iter().try_for_each(|text| Rule::parse_allow(text).map(drop))?;
    let rules =
        Rules::parse(&local(&said.deny), &local(&said.ask), &local(&said.allow), said.mode.unwrap_or_default())?;
    Ok(Rules { families: families_of(&said.fallbacks), ..rules })
}

/// Fallbacks of families by their names in rules.
fn families_of(fallbacks: &BTreeMap<String, Fallback>) -> Vec<(Family, Fallback)> {
    let known =
        [Family::Bash, Family::Edit, Family::Read, Family::Grep, Family::Skill, Family::Task].map(|of| (of.name(), of));
    let known: Vec<_> = known.into_iter().chain([("Mcp", Family::Tool)]).collect();
    let family =
        |name: &str| known.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, family)| *family);
    fallbacks.iter().filter_map(|(name, mode)| Some((family(name)?, *mode))).collect()
}

/// A rule for skills or subagents, whose names have no case.
fn about_skills(rule: &str) -> Option<String> {
    let (family, pattern) = rule.trim().split_once('(')?;
    let named = [Family::Skill, Family::Task].into_iter();
    let family = named.map(Family::name).find(|name| family.trim_end().eq_ignore_ascii_case(name))?;
    Some(format!("{family}({}", pattern.to_lowercase()))
}

/// Says of a skill's name whether the rules deny it. What is denied is not shown to a model at all.
pub fn hidden_skills(
    settings: &Settings,
    root: &Path,
) -> Result<impl Fn(&str) -> bool + Send + Sync + use<>, RuleError> {
    let rules = rules_of(settings, root)?;
    Ok(move |name: &str| {
        let action = Action::reads(Family::Skill, name.to_lowercase());
        matches!(evaluate(&rules, &[], Posture::Ask, "skill", &action), Verdict::Deny(_))
    })
}
