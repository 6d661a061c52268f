//! `move_file`: a file moved or renamed.

use crate::editor::Kind;
use crate::edits::FileEdit;
use reasonix_proto::ToolOutcome;
use reasonix_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
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
pub(crate) struct MoveFile;

impl Kind for MoveFile {
    type Input = Input;
    const NAME: &'static str = "move_file";
    const PROMPT: &'static str = include_str!("move_file.md");
    const ALIASES: &'static [&'static str] = &["move", "rename", "rename_file", "mv"];
    const RARE: bool = true;

    fn paths(input: &Input) -> Vec<String> {
        vec![input.from.clone(), target(&input.from, &input.to)]
    }

    fn prepare(workspace: &Workspace, input: Input) -> Result<Vec<FileEdit>, ToolOutcome> {
        let path = workspace.shown(&target(&input.from, &input.to));
        let from = workspace.shown(&input.from);
        if path == from {
            return Err(ToolOutcome::failed(format!("{from} is already there: both paths are the same")));
        }
        Ok(vec![FileEdit { path, from: Some(from), ..FileEdit::default() }])
    }
}

/// A target that ends in a slash is a folder to move into.
fn target(from: &str, to: &str) -> String {
    match to.strip_suffix('/') {
        Some(folder) => format!("{folder}/{}", from.rsplit('/').next().unwrap_or(from)),
        None => to.to_owned(),
    }
}
