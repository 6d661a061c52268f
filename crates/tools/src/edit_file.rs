//! `edit_file`: one text replaced by another, exactly.

use crate::editor::Kind;
use crate::edits::{self, FileEdit};
use crate::lines::listed;
use crate::replace::{Overlook, Problem, replace};
use reasonix_proto::{EditFormat, ToolOutcome};
use reasonix_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(alias = "file_path", alias = "filePath", alias = "filename", alias = "file")]
    path: String,
    #[serde(flatten)]
    pair: Replacement,
    #[serde(default)]
    #[schemars(skip)]
    allow_generated: bool,
}

/// Replaces one text by another. `STRICT` where it makes the edits of blocks, which have to say what stands there: of those
/// nothing but line ends and blanks before them is overlooked.
pub(crate) struct EditFile<const STRICT: bool>;

impl<const STRICT: bool> Kind for EditFile<STRICT> {
    type Input = Input;
    const NAME: &'static str = "edit_file";
    const PROMPT: &'static str = include_str!("edit_file.md");
    const ALIASES: &'static [&'static str] = &[
        "edit",
        "str_replace",
        "string_replace",
        "str_replace_editor",
        "replace",
        "search_replace",
        "replace_in_file",
        "editfile",
    ];
    const FORMAT: Option<EditFormat> = Some(EditFormat::EditFile);

    fn paths(input: &Input) -> Vec<String> {
        vec![input.path.clone()]
    }

    fn prepare(workspace: &Workspace, input: Input) -> Result<Vec<FileEdit>, ToolOutcome> {
        let Input { path, pair, allow_generated } = input;
        let most = if STRICT { Overlook::LineEnds } else { Overlook::Slips };
        replaced(workspace, &path, std::slice::from_ref(&pair), allow_generated, most).map(|edit| vec![edit])
    }
}

// One replacement as a model asks for it; a doc comment would be sent to the model with the schema.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Replacement {
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

/// Makes replacements one after another; when one fails, none is made.
pub(crate) fn replaced(
    workspace: &Workspace,
    path: &str,
    pairs: &[Replacement],
    anyway: bool,
    most: Overlook,
) -> Result<FileEdit, ToolOutcome> {
    let creates = pairs.first().is_some_and(|pair| pair.old_string.is_empty());
    let base = if creates {
        edits::base_if_any(workspace, path, anyway)?
    } else {
        Some(edits::base(workspace, path, anyway)?)
    };
    let mut text = base.as_ref().map(|base| base.text.clone()).unwrap_or_default();
    let mut notes = Vec::new();
    for (index, pair) in pairs.iter().enumerate() {
        if pair.old_string.is_empty() && text.is_empty() {
            text.clone_from(&pair.new_string);
            continue;
        }
        let done = replace(&text, &pair.old_string, &pair.new_string, pair.replace_all, most)
            .map_err(|problem| explain(&problem, path, (pairs.len() > 1).then_some(index + 1)))?;
        if let Some(what) = done.overlooked.filter(|_| done.count > 0) {
            notes.push(format!("matched without regard to {what}"));
        }
        if pair.replace_all && done.count > 1 {
            notes.push(format!("{} places replaced", done.count));
        }
        text = done.text;
    }
    let note = (!notes.is_empty()).then(|| notes.join("; "));
    Ok(FileEdit { path: workspace.shown(path), base, after: Some(text), note, ..FileEdit::default() })
}

/// A failed replacement as the model reads it; `number` counts the edits of a call with several.
fn explain(problem: &Problem, path: &str, number: Option<usize>) -> ToolOutcome {
    let which = number.map(|number| format!("edit {number}: ")).unwrap_or_default();
    match problem {
        Problem::Empty => ToolOutcome::failed_with(
            format!("{which}old_string is empty, but {path} has content. Nothing was changed"),
            "give the text to replace, or use write_file to replace the whole file",
        ),
        Problem::Ambiguous(lines) => ToolOutcome::failed_with(
            format!(
                "{which}old_string occurs {} times in {path}, at lines {}. Nothing was changed",
                lines.len(),
                listed(lines)
            ),
            "add lines around it until it is unique, or set replace_all",
        ),
        Problem::Missing { already: Some(line), .. } => ToolOutcome::failed_with(
            format!("{which}old_string is not in {path}, but new_string is, at line {line}. Nothing was changed"),
            "the edit seems to be made already",
        ),
        Problem::Missing { near: Some(near), .. } => ToolOutcome::failed_with(
            format!(
                "{which}old_string is not in {path}. Nothing was changed. The nearest text, at line {}, is\n{}",
                near.line,
                near.shown.trim_end()
            ),
            "copy the text exactly as it is there, without the line numbers",
        ),
        Problem::Missing { near: None, .. } => ToolOutcome::failed_with(
            format!("{which}old_string is not in {path}, nor anything like it. Nothing was changed"),
            "read the file, or search for the text with grep",
        ),
    }
}
