//! `move_file`: a file moved or renamed.

use crate::edits::{self, FileEdit};
use crate::port::{previewing, spec, text_arg, writing};
use reasonix_agent::{Args, BoxFuture, Call, Tool, ToolSpec, parse_args};
use reasonix_proto::{Action, Family, ToolOutcome};
use reasonix_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

/// Names under which models give the two paths.
const FROM: &[&str] = &["from", "source", "src", "old_path", "path", "from_path"];
const TO: &[&str] = &["to", "destination", "dest", "dst", "target", "new_path", "to_path"];

#[derive(Deserialize, JsonSchema)]
struct Input {
    #[serde(alias = "source", alias = "src", alias = "old_path", alias = "path", alias = "from_path")]
    from: String,
    #[serde(
        alias = "destination",
        alias = "dest",
        alias = "dst",
        alias = "target",
        alias = "new_path",
        alias = "to_path"
    )]
    to: String,
}

/// Moves files.
pub(crate) struct MoveFile {
    spec: ToolSpec,
    workspace: Workspace,
}

impl MoveFile {
    /// Works below this workspace.
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self { spec: spec::<Input>("move_file", include_str!("move_file.md")), workspace }
    }
}

impl Tool for MoveFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["move", "rename", "rename_file", "mv"]
    }

    fn action(&self, args: &Args) -> Action {
        let (from, to) = match parse_args::<Input>(args) {
            Ok(input) => (input.from, input.to),
            Err(_) => (text_arg(args, FROM), text_arg(args, TO)),
        };
        let to = target(&from, &to);
        Action::writes(Family::Edit, vec![self.workspace.shown(&from), self.workspace.shown(&to)])
    }

    fn preview<'a>(&'a self, args: &'a Args) -> BoxFuture<'a, Option<String>> {
        let workspace = self.workspace.clone();
        let input = parse_args::<Input>(args);
        Box::pin(previewing(move || edits::preview(&workspace, &prepare(&workspace, input.ok()?).ok()?)))
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let input: Input = match parse_args(call.args) {
                Ok(input) => input,
                Err(outcome) => return outcome,
            };
            let workspace = self.workspace.clone();
            writing(call.stop, move || match prepare(&workspace, input) {
                Ok(edits) => edits::commit(&workspace, edits),
                Err(outcome) => outcome,
            })
            .await
        })
    }
}

fn prepare(workspace: &Workspace, input: Input) -> Result<Vec<FileEdit>, ToolOutcome> {
    let path = workspace.shown(&target(&input.from, &input.to));
    let from = workspace.shown(&input.from);
    if path == from {
        return Err(ToolOutcome::failed(format!("{from} is already there: both paths are the same")));
    }
    Ok(vec![FileEdit { path, from: Some(from), ..FileEdit::default() }])
}

/// A target that ends in a slash is a folder to move into.
fn target(from: &str, to: &str) -> String {
    match to.strip_suffix('/') {
        Some(folder) => format!("{folder}/{}", from.rsplit('/').next().unwrap_or(from)),
        None => to.to_owned(),
    }
}
