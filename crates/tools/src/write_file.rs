//! `write_file`: whole files, new or replaced.

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
    #[serde(alias = "contents", alias = "text", alias = "file_text", alias = "fileText")]
    content: String,
    #[serde(default)]
    #[schemars(skip)]
    allow_generated: bool,
}

/// Writes whole files.
pub(crate) struct WriteFile {
    spec: ToolSpec,
    workspace: Workspace,
}

impl WriteFile {
    /// Works below this workspace.
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self { spec: spec::<Input>("write_file", include_str!("write_file.md")), workspace }
    }
}

impl Tool for WriteFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["write", "create_file", "create", "write_to_file", "save_file", "writefile"]
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
    let base = edits::base_if_any(workspace, &input.path, input.allow_generated)?;
    let after = match &base {
        Some(base) => base.format.adapt_eol(unmarked(&input.content, base.format.bom)),
        None => input.content,
    };
    Ok(vec![FileEdit { path: workspace.shown(&input.path), base, after: Some(after), ..FileEdit::default() }])
}

/// A byte order mark in the text is dropped where the file has its own.
fn unmarked(text: &str, bom: bool) -> &str {
    if bom { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text }
}
