//! `multi_edit`: several replacements in one file, all or none.

use crate::edit_file::{Replacement, replaced};
use crate::edits::{self, FileEdit};
use crate::port::{previewing, spec, text_arg, writing};
use reasonix_agent::{Args, BoxFuture, Call, Tool, ToolSpec, parse_args};
use reasonix_proto::{Action, Family, ToolOutcome};
use reasonix_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

/// Names under which models give the path.
const PATHS: &[&str] = &["path", "file_path", "filePath", "filename", "file"];

#[derive(Deserialize, JsonSchema)]
struct Input {
    #[serde(alias = "file_path", alias = "filePath", alias = "filename", alias = "file")]
    path: String,
    #[serde(alias = "replacements", alias = "changes")]
    edits: Vec<Pair>,
    #[serde(default)]
    #[schemars(skip)]
    allow_generated: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Pair {
    #[serde(
        alias = "old_str",
        alias = "oldString",
        alias = "old_text",
        alias = "oldText",
        alias = "old",
        alias = "search"
    )]
    old_string: String,
    #[serde(
        alias = "new_str",
        alias = "newString",
        alias = "new_text",
        alias = "newText",
        alias = "new",
        alias = "replace"
    )]
    new_string: String,
    #[serde(default, alias = "replaceAll", alias = "all")]
    replace_all: bool,
}

/// Makes several replacements in one file.
pub(crate) struct MultiEdit {
    spec: ToolSpec,
    workspace: Workspace,
}

impl MultiEdit {
    /// Works below this workspace.
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self { spec: spec::<Input>("multi_edit", include_str!("multi_edit.md")), workspace }
    }
}

impl Tool for MultiEdit {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["multiedit", "multi_edit_file"]
    }

    fn action(&self, args: &Args) -> Action {
        let path = parse_args::<Input>(args).map(|input| input.path).unwrap_or_else(|_| text_arg(args, PATHS));
        Action::writes(Family::Edit, vec![self.workspace.shown(&path)])
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
    if input.edits.is_empty() {
        return Err(ToolOutcome::failed("edits is empty: there is nothing to do"));
    }
    let pairs: Vec<Replacement> = input
        .edits
        .into_iter()
        .map(|pair| Replacement { old: pair.old_string, new: pair.new_string, all: pair.replace_all })
        .collect();
    replaced(workspace, &input.path, &pairs, input.allow_generated).map(|edit| vec![edit])
}
