//! `write_file`: whole files, new or replaced.

use crate::editor::Kind;
use crate::edits::{self, FileEdit};
use reasonix_proto::{EditFormat, ToolOutcome};
use reasonix_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(alias = "file_path", alias = "filePath", alias = "filename", alias = "file")]
    path: String,
    #[serde(alias = "contents", alias = "text", alias = "file_text", alias = "fileText")]
    content: String,
    #[serde(default)]
    #[schemars(skip)]
    allow_generated: bool,
}

/// Writes whole files.
pub(crate) struct WriteFile;

impl Kind for WriteFile {
    type Input = Input;
    const NAME: &'static str = "write_file";
    const PROMPT: &'static str = include_str!("write_file.md");
    const ALIASES: &'static [&'static str] =
        &["write", "create_file", "create", "write_to_file", "save_file", "writefile"];
    const FORMAT: Option<EditFormat> = Some(EditFormat::WriteFile);

    fn paths(input: &Input) -> Vec<String> {
        vec![input.path.clone()]
    }

    fn prepare(workspace: &Workspace, input: Input) -> Result<Vec<FileEdit>, ToolOutcome> {
        let base = edits::base_if_any(workspace, &input.path, input.allow_generated)?;
        let after = match &base {
            Some(base) => base.format.adapt_eol(unmarked(&input.content, base.format.bom)),
            None => input.content,
        };
        Ok(vec![FileEdit { path: workspace.shown(&input.path), base, after: Some(after), ..FileEdit::default() }])
    }
}

/// What the model is told: which tool changes a part of a file depends on the format.
pub(crate) fn told(format: Option<EditFormat>) -> &'static str {
    match format {
        None | Some(EditFormat::EditFile | EditFormat::Blocks) => WriteFile::PROMPT,
        Some(EditFormat::MultiEdit) => {
            "Create a file or replace its whole content; makes missing folders. For a change within a file use multi_edit."
        }
        Some(EditFormat::ApplyPatch) => {
            "Create a file or replace its whole content; makes missing folders. For a change within a file use apply_patch."
        }
        Some(EditFormat::WriteFile) => {
            "Create a file or replace its whole content; makes missing folders. For a change within a file read it, and write it whole with the change."
        }
    }
}

/// A byte order mark in the text is dropped where the file has its own.
fn unmarked(text: &str, bom: bool) -> &str {
    if bom { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text }
}
