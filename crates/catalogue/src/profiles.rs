//! Roles and the profiles that fill them.

/// What models are used for.
pub const ROLES: &[&str] = &["default", "small", "plan", "executor", "architect", "planner", "critic", "vision"];

/// A named filling of roles. It can be used only when every provider it requires has its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PresetProfile {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub about: &'static str,
    /// The presets that it requires.
    pub requires: &'static [&'static str],
    /// Model references by role.
    pub roles: &'static [(&'static str, &'static str)],
    /// Whether a turn may go on to the larger model by itself.
    pub escalates: bool,
}

const FLASH: &str = "deepseek/deepseek-v4-flash";
const PRO: &str = "deepseek/deepseek-v4-pro";

/// The built-in profiles.
#[rustfmt::skip]
pub const MODEL_PROFILES: &[PresetProfile] = &[
    PresetProfile { name: "auto", about: "flash, and pro where flash fails", requires: &["deepseek"], escalates: true, roles: &[
        ("default", "deepseek/deepseek-v4-flash:max"), ("small", FLASH), ("executor", FLASH), ("architect", PRO), ("planner", PRO), ("critic", PRO)] },
    PresetProfile { name: "flash", about: "flash for everything", requires: &["deepseek"], escalates: false, roles: &[
        ("default", "deepseek/deepseek-v4-flash:max"), ("small", FLASH), ("executor", FLASH), ("architect", FLASH), ("planner", FLASH), ("critic", FLASH)] },
    PresetProfile { name: "pro", about: "pro for everything", requires: &["deepseek"], escalates: false, roles: &[
        ("default", "deepseek/deepseek-v4-pro:max"), ("small", FLASH), ("executor", PRO), ("architect", PRO), ("planner", PRO), ("critic", PRO)] },
    PresetProfile { name: "claude", about: "sonnet works, opus plans, haiku for small things", requires: &["anthropic"], escalates: false, roles: &[
        ("default", "anthropic/claude-sonnet-5-5"), ("small", "anthropic/claude-haiku-5-5"), ("architect", "anthropic/claude-opus-5-5"), ("planner", "anthropic/claude-opus-5-5"), ("critic", "anthropic/claude-opus-5-5"), ("vision", "anthropic/claude-sonnet-5-5")] },
    PresetProfile { name: "gpt", about: "gpt-5 at the effort that each role needs", requires: &["openai"], escalates: false, roles: &[
        ("default", "openai/gpt-5:medium"), ("small", "openai/gpt-5-mini:low"), ("architect", "openai/gpt-5:high"), ("planner", "openai/gpt-5:high"), ("critic", "openai/gpt-5:high"), ("vision", "openai/gpt-5:low")] },
];

/// The built-in profile of a name.
pub fn model_profile(name: &str) -> Option<&'static PresetProfile> {
    MODEL_PROFILES.iter().find(|profile| profile.name == name)
}

#[cfg(test)]
mod tests {
    use super::{MODEL_PROFILES, ROLES};
    use crate::{known, preset, split};

    #[test]
    fn every_profile_is_whole() {
        for profile in MODEL_PROFILES {
            assert!(profile.roles.iter().any(|(role, _)| *role == "default"), "{}", profile.name);
            for (role, reference) in profile.roles {
                assert!(ROLES.contains(role), "{}: {role}", profile.name);
                let (provider, model) = split(reference).0.split_once('/').unwrap();
                assert!(profile.requires.contains(&provider), "{}: {reference}", profile.name);
                assert!(preset(provider).unwrap().models.contains(&model), "{}: {reference}", profile.name);
                assert!(known(model).is_some(), "{reference}");
            }
        }
    }
}
