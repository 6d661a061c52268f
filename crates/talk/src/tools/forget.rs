//! `forget`: takes a saved fact out of use. A person approves each time; the file is archived.

use super::keeping::{Keeping, Scope, preview};
use super::remember::{failed, shown};
use reasonix_agent::{Args, Recalls, ToolTraits};
use reasonix_proto::{Action, Family, ToolOutcome};
use reasonix_session::Reach;
use reasonix_tools::{Previews, ToolWork, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct Input {
    #[serde(alias = "key", alias = "title")]
    name: String,
    #[serde(default)]
    scope: Option<Scope>,
}

/// Forgets.
pub(super) struct Forget(pub(super) Keeping);

impl TypedTool for Forget {
    type Input = Input;
    const NAME: &'static str = "forget";
    const PROMPT: &'static str = include_str!("forget.md");
    const ALIASES: &'static [&'static str] = &["delete_memory", "remove_memory"];
    const TRAITS: ToolTraits = ToolTraits { inward: true, recalls: Some(Recalls::Memory), ..ToolTraits::ASKS };
    const WORK: ToolWork<Self> = ToolWork::Writes(|Self(keeping), input: Input| {
        match keeping.memories.forget(input.name.trim(), input.scope.map(Reach::from)) {
            Ok(found) => ToolOutcome::done(format!("{} ({}) is archived", found.name, found.reach.word())),
            Err(error) => failed(&error),
        }
    });
    const PREVIEW: Option<Previews<Self>> = Some(|Self(keeping), input: Input| {
        let found = keeping.memories.get(input.name.trim(), input.scope.map(Reach::from)).ok();
        Ok(found.map(|found| preview(found.reach, &found.name, Some(&shown(&found.memory, keeping.reader)), None)))
    });

    fn action(&self, input: Option<Input>, _args: &Args) -> Action {
        Action::writes(Family::Memory, vec![input.unwrap_or_default().name])
    }
}
