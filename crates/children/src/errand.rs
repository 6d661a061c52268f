//! A skill that a person called, on its way to the subagent that does it.

use reasonix_talk::tools::BySkill;

/// A skill that a person called, filled in, which a subagent does before the model of the session is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillErrand {
    /// As it was typed.
    pub typed: String,
    /// The skill.
    pub skill: BySkill,
    /// Its text, and what was typed behind its name.
    pub text: String,
    /// What was typed behind its name.
    pub arguments: String,
}
