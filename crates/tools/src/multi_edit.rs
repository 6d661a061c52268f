//! `multi_edit`: several replacements in one file, all or none.

use crate::edit_file::{Replacement, replaced};
use crate::editor::Kind;
use crate::edits::FileEdit;
use crate::replace::Overlook;
use reasonix_proto::{EditFormat, ToolOutcome};
use reasonix_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(alias = "file_path", alias = "filePath", alias = "filename", alias = "file")]
    path: String,
    #[serde(alias = "replacements", alias = "changes")]
    edits: Vec<Replacement>,
    #[serde(default)]
    #[schemars(skip)]
    allow_generated: bool,
}

/// Makes several replacements in one file.
pub(crate) struct MultiEdit;

impl Kind for MultiEdit {
    type Input = Input;
    const NAME: &'static str = "multi_edit";
    const PROMPT: &'static str = include_str!("multi_edit.md");
    const ALIASES: &'static [&'static str] = &["multiedit", "multi_edit_file"];
    const FORMAT: Option<EditFormat> = Some(EditFormat::MultiEdit);
    const RARE: bool = true;

    fn paths(input: &Input) -> Vec<String> {
        vec![input.path.clone()]
    }

    fn prepare(workspace: &Workspace, input: Input) -> Result<Vec<FileEdit>, ToolOutcome> {
        if input.edits.is_empty() {
            return Err(ToolOutcome::failed("edits is empty: there is nothing to do"));
        }
        replaced(workspace, &input.path, &input.edits, input.allow_generated, Overlook::Slips).map(|edit| vec![edit])
    }
}

/// What the model is told: without `edit_file` beside it there is more to say.
pub(crate) fn told(format: Option<EditFormat>) -> &'static str {
    match format {
        Some(EditFormat::MultiEdit) => {
            "Replace texts in one file, in order, all or none: each old_string, copied exactly from the file without line numbers, by its new_string. It must occur once, unless replace_all."
        }
        _ => MultiEdit::PROMPT,
    }
}
