//! `rewind`: hands in the report that takes the place of what was explored. The loop folds when every call of the step has
//! its outcome.

use super::checkpoint::Explored;
use reasonix_agent::{Args, BoxFuture, Call, Tool, ToolSpec, ToolTraits, parse_args};
use reasonix_proto::{Action, Family, ReadOnly, ToolOutcome};
use reasonix_tools::spec;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct Input {
    #[serde(alias = "text", alias = "summary", alias = "findings")]
    report: String,
}

/// Reports.
pub(super) struct Rewind {
    spec: ToolSpec,
    explored: Explored,
}

impl Rewind {
    /// Goes back to what was marked there.
    pub(super) fn new(explored: Explored) -> Self {
        Self { spec: spec::<Input>("rewind", include_str!("rewind.md")).with(ToolTraits::REPORTS), explored }
    }
}

impl Tool for Rewind {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn action(&self, _args: &Args) -> Action {
        Action { family: Family::Own, subjects: Vec::new(), read_only: ReadOnly::Yes }
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        let outcome = match parse_args::<Input>(call.args) {
            Err(outcome) => outcome,
            Ok(input) if input.report.trim().is_empty() => ToolOutcome::failed_with(
                "the report is empty",
                "say what you found; all else since the checkpoint goes",
            ),
            Ok(_) if !self.explored.end() => {
                ToolOutcome::failed_with("no checkpoint is open in this turn", "go on without")
            }
            Ok(input) => ToolOutcome::done(input.report.trim()),
        };
        Box::pin(std::future::ready(outcome))
    }
}
