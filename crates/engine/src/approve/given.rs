//! The rules that the settings give the gate.

use crate::error::EngineError;
use reasonix_config::{Mode as ConfigMode, Settings};
use reasonix_policy::{Mode, Rule, Rules};
use reasonix_proto::Family;
use std::path::Path;

/// The rules of the settings, for this root.
pub(crate) fn rules_of(settings: &Settings, root: &Path) -> Result<Rules, EngineError> {
    let root = root.display().to_string();
    let local = |rules: &[String]| -> Vec<String> { rules.iter().map(|rule| Rule::relative_to(rule, &root)).collect() };
    let permissions = &settings.permissions;
    let mode = mode_of(permissions.mode);
    let mut rules =
        Rules::parse(&local(&permissions.deny), &local(&permissions.ask), &local(&permissions.allow), mode)?;
    for (name, mode) in &permissions.fallbacks {
        let families = [Family::Bash, Family::Edit, Family::Read, Family::Grep];
        let family = families.into_iter().find(|family| family.name().eq_ignore_ascii_case(name));
        rules.families.extend(family.map(|family| (family, mode_of(*mode))));
    }
    Ok(rules)
}

fn mode_of(mode: ConfigMode) -> Mode {
    match mode {
        ConfigMode::Allow => Mode::Allow,
        ConfigMode::Ask => Mode::Ask,
        ConfigMode::Deny => Mode::Deny,
    }
}
