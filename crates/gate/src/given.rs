//! The rules that the settings give the gate.

use reasonix_config::Settings;
use reasonix_policy::{Posture, Rule, RuleError, Rules, Verdict, evaluate};
use reasonix_proto::{Action, Family};
use std::path::Path;

/// The rules of the settings, for this root.
pub(super) fn rules_of(settings: &Settings, root: &Path) -> Result<Rules, RuleError> {
    let root = root.display().to_string();
    let local = |rules: &[String]| -> Vec<String> {
        rules.iter().map(|rule| about_skills(rule).unwrap_or_else(|| Rule::relative_to(rule, &root))).collect()
    };
    let permissions = &settings.permissions;
    let [deny, ask, allow] = [&permissions.deny, &permissions.ask, &permissions.allow].map(|rules| local(rules));
    let mut rules = Rules::parse(&deny, &ask, &allow, permissions.mode)?;
    for (name, mode) in &permissions.fallbacks {
        let families =
            [Family::Bash, Family::Edit, Family::Read, Family::Grep, Family::Skill].map(|of| (of.name(), of));
        let families = families.into_iter().chain([("Mcp", Family::Tool)]);
        let family = families.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, family)| family);
        rules.families.extend(family.map(|family| (family, *mode)));
    }
    Ok(rules)
}

/// A rule for skills, whose names have no case.
fn about_skills(rule: &str) -> Option<String> {
    let (family, pattern) = rule.trim().split_once('(')?;
    family.trim_end().eq_ignore_ascii_case(Family::Skill.name()).then(|| format!("Skill({}", pattern.to_lowercase()))
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
