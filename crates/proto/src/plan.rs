//! Plans: what the model wants to do, and what a person says to it.

use crate::{AskId, CallId, ClientId};
use serde::{Deserialize, Serialize};

/// What the model may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Whatever the rules and people allow.
    #[default]
    Build,
    /// Read only, until a plan is approved.
    Plan,
}

impl Mode {
    /// True for the one that a session begins with.
    pub fn is_build(&self) -> bool {
        *self == Self::Build
    }
}

/// A plan that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// Names it; an answer names it too.
    pub ask: AskId,
    /// The call that hands it in.
    pub call: CallId,
    /// The plan, as Markdown, with its steps.
    pub plan: String,
    /// The steps by themselves, where it has some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PlanStep>,
    /// True when these are other steps for the rest of a plan that is being carried out: they are accepted, or the plan stays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revises: bool,
}

/// A step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    /// What it is called by.
    pub id: String,
    /// What it is, in a few words.
    pub title: String,
    /// What is done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// How much can go wrong; none where nobody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<StepRisk>,
}

/// How much can go wrong with a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepRisk {
    /// Little.
    Low,
    /// Something.
    Med,
    /// Much.
    High,
}

impl StepRisk {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Med => "med",
            Self::High => "high",
        }
    }
}

/// What a person says to a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum PlanAnswer {
    /// It is to be carried out.
    Approve {
        /// The plan as the person changed it; none when they did not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edited: Option<String>,
        /// True when changes are asked about until the turn ends, whatever the posture; otherwise what the posture alone
        /// would ask about runs until then.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        asks: bool,
    },
    /// Not yet: it is to be planned further.
    Revise {
        /// What should be different; empty when nothing was said.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        note: String,
    },
    /// It is given up: planning is over, and nothing of it is done.
    Cancel,
}

impl Default for PlanAnswer {
    fn default() -> Self {
        Self::Revise { note: String::new() }
    }
}

/// A plan and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// The call that handed it in.
    pub call: CallId,
    /// The plan as it was decided about, with the person's changes.
    pub plan: String,
    /// True when it is to be carried out; planning is over then.
    pub approved: bool,
    /// What the person wants to be different.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Its steps, where it has some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PlanStep>,
    /// True when it was given up; planning is over then, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
    /// True when changes are asked about while it is carried out, whatever the posture.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks: bool,
    /// True when these are other steps for the rest of a plan that is being carried out; what is asked stays as it was then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revises: bool,
    /// The front end that answered, where it said its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientId>,
}
