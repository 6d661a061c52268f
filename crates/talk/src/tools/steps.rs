//! Steps of plans: what models write, how people read them, and what the log proves of one that is said to be done.

use reasonix_evidence::{Deeds, TypedClaim};
use reasonix_proto::{CallId, ClaimStatus, PlanStep, StepRisk, ToolOutcome};
use reasonix_session::Past;
use serde::Deserialize;

/// So many steps a plan may have.
const MOST: usize = 40;
/// Characters of a title, and of what is done.
const LONGEST_TITLE: usize = 120;
const LONGEST_ACTION: usize = 400;

/// A step as a model writes it: whole, or its title alone.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum StepInput {
    Title(String),
    Whole {
        #[serde(default, alias = "step")]
        id: Option<StepId>,
        #[serde(alias = "name")]
        title: String,
        #[serde(default, alias = "description")]
        action: Option<String>,
        #[serde(default)]
        risk: Option<String>,
    },
}

/// What models are told of steps, in as few tokens as name every field.
pub(super) fn lean(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let text = || serde_json::json!({ "type": "string" });
    let risk = serde_json::json!({ "enum": ["low", "med", "high"] });
    let fields = serde_json::json!({ "id": text(), "title": text(), "action": text(), "risk": risk });
    schemars::json_schema!({ "type": "array", "items": { "type": "object", "properties": fields } })
}

/// The same where another tool beside it names the fields.
pub(super) fn bare(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "array", "items": { "type": "object" } })
}

/// An id as models write it.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum StepId {
    Number(u64),
    Text(String),
}

impl StepInput {
    pub(super) fn title(&self) -> &str {
        let (Self::Title(title) | Self::Whole { title, .. }) = self;
        title
    }

    /// The id that it was given.
    pub(super) fn id(&self) -> Option<String> {
        match self {
            Self::Whole { id: Some(id), .. } => Some(id.text()).filter(|id| !id.is_empty()),
            Self::Whole { id: None, .. } | Self::Title(_) => None,
        }
    }
}

impl StepId {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.trim().trim_end_matches('.').to_owned(),
        }
    }
}

/// A step that the plan has already.
pub(super) struct KnownStep {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) over: bool,
}

/// The steps as they are kept: named, each once, and bounded. One without an id has the id of a step that is known by its title, or
/// the next number.
pub(super) fn steps_of(given: Vec<StepInput>, known: &[KnownStep]) -> Result<Vec<PlanStep>, ToolOutcome> {
    if given.len() > MOST {
        return Err(ToolOutcome::failed_with(format!("a plan has at most {MOST} steps"), "join small steps"));
    }
    let mut steps: Vec<PlanStep> = Vec::new();
    let last = known.iter().filter_map(|step| step.id.parse::<usize>().ok()).max().unwrap_or_default();
    let mut added = 0;
    for (at, step) in given.into_iter().enumerate() {
        let (id, title, action, risk) = match step {
            StepInput::Title(title) => (None, title, None, None),
            StepInput::Whole { id, title, action, risk } => (id, title, action, risk),
        };
        let title = short(&title, LONGEST_TITLE);
        if title.is_empty() {
            continue;
        }
        let wanted = id.map(|id| short(&id.text(), 16).replace([' ', '.'], "-")).filter(|id| !id.is_empty());
        let free = |id: &String| steps.iter().all(|other| other.id != *id);
        let same = |step: &&KnownStep| !step.over && alike(&step.title, &title) && free(&step.id);
        let by_title = known.iter().find(same).filter(|_| wanted.is_none());
        let title = by_title.map_or(title.clone(), |step| step.title.clone());
        let wanted = wanted.or_else(|| by_title.map(|step| step.id.clone()));
        let number = if known.is_empty() { at + 1 } else { last + added + 1 };
        added += usize::from(wanted.is_none());
        let id = wanted.filter(free).or_else(|| Some(number.to_string()).filter(free)).unwrap_or(format!("s{number}"));
        let risk = match risk.as_deref().map(str::to_lowercase).as_deref() {
            Some("low") => Some(StepRisk::Low),
            Some("med" | "medium" | "mid") => Some(StepRisk::Med),
            Some("high") => Some(StepRisk::High),
            _ => None,
        };
        steps.push(PlanStep { id, title, action: short(&action.unwrap_or_default(), LONGEST_ACTION), risk });
    }
    Ok(steps)
}

/// The steps as Markdown.
pub(super) fn listed(steps: &[PlanStep]) -> String {
    let line = |step: &PlanStep| {
        let risk = step.risk.map(|risk| format!(" ({})", risk.name())).unwrap_or_default();
        let action = Some(&step.action).filter(|action| !action.is_empty()).map(|action| format!(": {action}"));
        format!("- **{}. {}**{risk}{}", step.id, step.title, action.unwrap_or_default())
    };
    steps.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// True for two titles that differ in case and blanks at most.
pub(super) fn alike(one: &str, other: &str) -> bool {
    let plain = |title: &str| title.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    plain(one) == plain(other)
}

fn short(text: &str, most: usize) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(most).collect()
}

/// Whether the log proves what a step came to by the calls that were named, and why not.
pub(super) fn held(past: Option<&Past>, calls: &[CallId], result: &str) -> (ClaimStatus, String) {
    let mut deeds = Deeds::default();
    match past.map(|past| past.each(|record| deeds.see(&record))) {
        Some(Ok(())) => {
            let proof = deeds.hold(TypedClaim::Words(result), calls);
            (proof.status, proof.why)
        }
        _ => (ClaimStatus::Unsupported, "the log cannot be read".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{StepInput, listed, steps_of};
    use serde_json::json;

    #[test]
    fn steps_are_named_once_and_bounded() {
        let given: Vec<StepInput> = serde_json::from_value(json!([
            {"id": 1, "title": "Read", "action": "look  at\nit", "risk": "low"},
            "Again",
            {"title": " "},
            {"title": "x".repeat(500), "risk": "odd"},
        ]))
        .unwrap_or_default();
        let steps = steps_of(given, &[]).unwrap_or_default();
        let ids: Vec<&str> = steps.iter().map(|step| step.id.as_str()).collect();
        assert_eq!(ids, ["1", "2", "4"]);
        assert_eq!(listed(&steps[..1]), "- **1. Read** (low): look at it");
        assert_eq!(steps[2].title.len(), 120);
        let many: Vec<StepInput> =
            serde_json::from_value(json!((0..50).map(|_| json!({"title": "x"})).collect::<Vec<_>>()))
                .unwrap_or_default();
        assert!(steps_of(many, &[]).is_err());
    }
}
