//! `delete_range`: lines deleted by number.

use crate::editor::Kind;
use crate::edits::{self, FileEdit};
use crate::fold::nfc;
use crate::lines::numbered;
use reasonix_proto::ToolOutcome;
use reasonix_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
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
pub(crate) struct DeleteRange;

impl Kind for DeleteRange {
    type Input = Input;
    const NAME: &'static str = "delete_range";
    const PROMPT: &'static str = include_str!("delete_range.md");
    const ALIASES: &'static [&'static str] = &["delete_lines", "remove_lines"];
    const RARE: bool = true;

    fn paths(input: &Input) -> Vec<String> {
        vec![input.path.clone()]
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
}

fn without(text: &str, input: &Input) -> Result<String, ToolOutcome> {
    let Input { start_line: start, end_line: end, path, .. } = input;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let total = lines.len();
    let range = start.checked_sub(1).filter(|_| start <= end).and_then(|from| lines.get(from..*end));
    let Some(range) = range else {
        let lines = if total == 1 { "line" } else { "lines" };
        return Err(ToolOutcome::failed_with(
            format!("lines {start} to {end} are not in {path}: it has {total} {lines}. Nothing was changed"),
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
