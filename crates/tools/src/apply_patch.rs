//! `apply_patch`: unified diffs and patch envelopes over many files, all or none.

use crate::editor::Kind;
use crate::edits::{self, FileEdit};
use crate::patch::{self, FileOp, FilePatch, Hunk, Reject};
use crate::port::failed;
use reasonix_proto::{EditFormat, ToolOutcome};
use reasonix_workspace::{FileError, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

/// Rejected hunks that are shown.
const MOST_REJECTS: usize = 6;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(alias = "input", alias = "diff", alias = "patch_text", alias = "patchText", alias = "content")]
    patch: String,
    #[serde(default, alias = "file_path", alias = "filePath", alias = "filename", alias = "file")]
    #[schemars(skip)]
    path: Option<String>,
    #[serde(default)]
    #[schemars(skip)]
    allow_generated: bool,
}

/// Applies patches.
pub(crate) struct ApplyPatch;

impl Kind for ApplyPatch {
    type Input = Input;
    const NAME: &'static str = "apply_patch";
    const PROMPT: &'static str = include_str!("apply_patch.md");
    const ALIASES: &'static [&'static str] = &["patch", "applypatch", "apply_diff"];
    const FORMAT: Option<EditFormat> = Some(EditFormat::ApplyPatch);
    const RARE: bool = true;

    fn paths(input: &Input) -> Vec<String> {
        let files = patch::parse(&input.patch, input.path.as_deref()).unwrap_or_default();
        files.iter().flat_map(|file| file.op.paths()).map(str::to_owned).collect()
    }

    fn prepare(workspace: &Workspace, input: Input) -> Result<Vec<FileEdit>, ToolOutcome> {
        let files = patch::parse(&input.patch, input.path.as_deref()).map_err(|why| {
            let hint = "send a unified diff with ---/+++ lines, or *** Begin Patch with *** Update File: PATH";
            ToolOutcome::failed_with(format!("the patch cannot be read: {why}"), hint)
        })?;
        let mut stage = Stage { workspace, anyway: input.allow_generated, edits: Vec::new(), rejects: Vec::new() };
        for file in files {
            stage.add(file)?;
        }
        stage.finish()
    }
}

/// Edits on their way, none of them written yet.
struct Stage<'a> {
    workspace: &'a Workspace,
    anyway: bool,
    edits: Vec<FileEdit>,
    rejects: Vec<String>,
}

impl Stage<'_> {
    fn add(&mut self, file: FilePatch) -> Result<(), ToolOutcome> {
        match file.op {
            FileOp::Create { path } => self.create(&path, &file.hunks),
            FileOp::Delete { path } => self.delete(&path, &file.hunks),
            FileOp::Update { path, to } => self.update(&path, to.as_deref(), &file.hunks),
        }
    }

    fn create(&mut self, path: &str, hunks: &[Hunk]) -> Result<(), ToolOutcome> {
        let text = patch::created(hunks);
        let base = edits::base_if_any(self.workspace, path, true)?;
        let differs = base.as_ref().is_some_and(|base| !base.text.is_empty() && base.text != text);
        if self.staged(path).is_some() || (differs && !self.deleted(path)) {
            self.rejects.push(format!("{path}: it is to be added, but it exists; update it instead"));
            return Ok(());
        }
        let path = self.workspace.shown(path);
        match self.edits.iter_mut().find(|edit| edit.path == path) {
            Some(edit) => edit.after = Some(text),
            None => self.edits.push(FileEdit { path, base, after: Some(text), ..FileEdit::default() }),
        }
        Ok(())
    }

    fn delete(&mut self, path: &str, hunks: &[Hunk]) -> Result<(), ToolOutcome> {
        let base = match self.workspace.read_base(path) {
            Err(FileError::Binary { .. } | FileError::TooLarge { .. }) if hunks.is_empty() => None,
            _ => Some(edits::base(self.workspace, path, self.anyway)?),
        };
        if let Some(base) = base.as_ref().filter(|_| !hunks.is_empty()) {
            match self.applied(path, &base.text, hunks) {
                Some(rest) if !rest.is_empty() => {
                    self.rejects.push(format!("{path}: the file has more than the patch deletes"))
                }
                _ => {}
            }
        }
        self.edits.push(FileEdit { path: self.workspace.shown(path), base, ..FileEdit::default() });
        Ok(())
    }

    fn update(&mut self, path: &str, to: Option<&str>, hunks: &[Hunk]) -> Result<(), ToolOutcome> {
        if let (Some(index), None) = (self.staged(path), to) {
            let text = self.edits.get(index).and_then(|edit| edit.after.clone()).unwrap_or_default();
            let after = self.applied(path, &text, hunks);
            self.edits.get_mut(index).into_iter().for_each(|edit| edit.after = after.clone());
            return Ok(());
        }
        let exists = |path: &str| self.workspace.exists(path).map_err(|error| failed(&error));
        let (path, to) = match to {
            Some(to) if !exists(path)? && exists(to)? => (to, None),
            other => (path, other),
        };
        let base = edits::base(self.workspace, path, self.anyway)?;
        let after = self.applied(path, &base.text, hunks);
        let shown = |path: &str| self.workspace.shown(path);
        let from = to.is_some().then(|| shown(path));
        self.edits.push(FileEdit { path: shown(to.unwrap_or(path)), from, base: Some(base), after, note: None });
        Ok(())
    }

    fn staged(&self, path: &str) -> Option<usize> {
        let path = self.workspace.shown(path);
        self.edits.iter().position(|edit| edit.path == path && edit.after.is_some())
    }

    fn deleted(&self, path: &str) -> bool {
        let path = self.workspace.shown(path);
        self.edits.iter().any(|edit| edit.path == path && edit.after.is_none())
    }

    fn applied(&mut self, path: &str, text: &str, hunks: &[Hunk]) -> Option<String> {
        let rejects = match patch::apply(text, hunks) {
            Ok(text) => return Some(text),
            Err(rejects) => rejects,
        };
        for Reject { hunk, header, why } in rejects {
            let header = if header.is_empty() { String::new() } else { format!(" ({})", header.trim()) };
            self.rejects.push(format!("{path} hunk {hunk}{header}: {why}"));
        }
        None
    }

    fn finish(mut self) -> Result<Vec<FileEdit>, ToolOutcome> {
        if self.rejects.is_empty() {
            return Ok(self.edits);
        }
        let more = self.rejects.len().saturating_sub(MOST_REJECTS);
        self.rejects.truncate(MOST_REJECTS);
        if more > 0 {
            self.rejects.push(format!("and {more} more"));
        }
        Err(ToolOutcome::failed_with(
            format!("the patch does not apply. Nothing was changed.\n{}", self.rejects.join("\n")),
            "make the context lines exactly as they are in the file, then send the whole patch again",
        ))
    }
}
