//! `delete_range`: lines deleted by number.

use crate::edits::{self, FileEdit};
use crate::fold::nfc;
use crate::lines::numbered;
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
    #[serde(alias = "start", alias = "startLine", alias = "from")]
    start_line: usize,
    #[serde(alias = "end", alias = "endLine", alias = "to")]
    end_line: usize,
    /// Text of the first line, checked before deleting.
    #[serde(alias = "expected", alias = "first_line")]
    expect: Option<String>,
    #[serde(default)]
    #[schemars(skip)]
    allow_generated: bool,
}

/// Deletes lines.
pub(crate) struct DeleteRange {
    spec: ToolSpec,
    workspace: Workspace,
}

impl DeleteRange {
    /// Works below this workspace.
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self { spec: spec::<Input>("delete_range", include_str!("delete_range.md")), workspace }
    }
}

impl Tool for DeleteRange {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["delete_lines", "remove_lines"]
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
    let base = edits::base(workspace, &input.path, input.allow_generated)?;
    let after = without(&base.text, &input)?;
    Ok(vec![FileEdit {
        path: workspace.shown(&input.path),
        base: Some(base),
        after: Some(after),
        ..FileEdit::default()
    }])
}

fn without(text: &str, input: &Input) -> Result<String, ToolOutcome> {
    let Input { start_line: start, end_line: end, path, .. } = input;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let total = lines.len();
    let range = start.checked_sub(1).filter(|_| start <= end).and_then(|from| lines.get(from..*end));
    let Some(range) = range else {
        return Err(ToolOutcome::failed_with(
            format!("lines {start} to {end} are not in {path}: it has {total} lines. Nothing was changed"),
            "lines count from 1 and end_line is included",
        ));
    };
    let first = range.first().copied().unwrap_or_default();
    if input.expect.as_ref().is_some_and(|expect| nfc(expect.trim()) != nfc(first.trim())) {
        let from = start.saturating_sub(2);
        let near = numbered(lines.iter().skip(from).take(4).copied(), from + 1);
        return Err(ToolOutcome::failed_with(
            format!("line {start} of {path} is not as expected. Nothing was changed. It is\n{}", near.trim_end()),
            "read the file again for the line numbers it has now",
        ));
    }
    Ok(lines.iter().take(start - 1).chain(lines.iter().skip(*end)).copied().collect())
}
