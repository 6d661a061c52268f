//! `forget`: takes a saved fact out of use. A person approves each time; the file is archived.

use super::keeping::{Keeping, Scope, preview};
use super::remember::{failed, shown};
use reasonix_agent::{Args, BoxFuture, Call, Preview, Tool, ToolSpec, ToolTraits, parse_args};
use reasonix_proto::{Action, Family, ToolOutcome};
use reasonix_session::Reach;
use reasonix_tools::spec;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct Input {
    #[serde(alias = "key", alias = "title")]
    name: String,
    #[serde(default)]
    scope: Option<Scope>,
}

/// Forgets.
pub(super) struct Forget {
    spec: ToolSpec,
    keeping: Keeping,
}

impl Forget {
    /// Forgets there.
    pub(super) fn new(keeping: Keeping) -> Self {
        Self { spec: spec::<Input>("forget", include_str!("forget.md")).with(ToolTraits::ASKS), keeping }
    }
}

impl Tool for Forget {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["delete_memory", "remove_memory"]
    }

    fn action(&self, args: &Args) -> Action {
        let input: Input = parse_args(args).unwrap_or_default();
        Action::writes(Family::Memory, vec![input.name])
    }

    fn preview<'a>(&'a self, args: &'a Args) -> BoxFuture<'a, Result<Option<Preview>, ToolOutcome>> {
        let (keeping, input) = (self.keeping.clone(), parse_args::<Input>(args));
        Box::pin(async move {
            let Ok(input) = input else { return Ok(None) };
            let shown = tokio::task::spawn_blocking(move || {
                let found = keeping.memories.get(input.name.trim(), input.scope.map(Reach::from)).ok()?;
                Some(preview(found.reach, &found.name, Some(&shown(&found.memory)), None))
            })
            .await;
            Ok(shown.ok().flatten())
        })
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let input: Input = match parse_args(call.args) {
                Ok(input) => input,
                Err(outcome) => return outcome,
            };
            let keeping = self.keeping.clone();
            let work = tokio::task::spawn_blocking(move || {
                match keeping.memories.forget(input.name.trim(), input.scope.map(Reach::from)) {
                    Ok(found) => ToolOutcome::done(format!("{} ({}) is archived", found.name, found.reach.word())),
                    Err(error) => failed(&error),
                }
            });
            work.await.unwrap_or_else(|_| ToolOutcome::failed("forgetting failed inside"))
        })
    }
}
