//! The built-in tools that need no session: files, search, shell, and the todo list. Each is one source file with its prompt in a `.md` beside it.
//! The engines under them (replace, patch, diff, nearest) are pure; files are reached through `workspace` alone.

mod apply_patch;
mod bash;
mod compare;
mod delete_range;
mod diff;
mod edit_file;
mod editor;
mod edits;
mod fold;
mod glob;
mod grep;
mod indent;
mod lines;
mod ls;
mod monitor;
mod move_file;
mod multi_edit;
mod nearest;
mod patch;
mod port;
mod read_file;
mod replace;
mod schema;
mod skill;
mod threeway;
mod todo;
mod typed;
mod write_file;

pub use bash::{
    Background, Bash, Border, Feed, FeedPiece, HearsLine, JobAbout, JobEnding, LiveCommand, NewJob, ShellOptions,
    StartsJob, Told,
};
pub use compare::unified;
pub use diff::{Diff, diff, wide_diff};
pub use monitor::Monitor;
pub use schema::schema_of;
pub use skill::{ForksSkills, skill_tool, told_prompt, told_skill};
pub use threeway::merged;
pub use todo::{PLAN_PHASE, TODO_WRITE, TodoList, changed_list, plan_steps, todo_tools};
pub use typed::{Previews, ToolWork, Typed, TypedTool};

use editor::Editor;
use reasonix_agent::{Artifacts, Tool};
use reasonix_extensions::Shelf;
use reasonix_proto::EditFormat;
use reasonix_workspace::Workspace;
use std::sync::Arc;

/// What the file tools work with.
#[derive(Clone)]
pub struct Deps {
    /// The door to every file.
    pub workspace: Workspace,
    /// Where cut outputs are kept, for `read_file artifact://…`.
    pub artifacts: Arc<dyn Artifacts>,
    /// The skills, for `read_file skill://…`.
    pub shelf: Shelf,
}

impl Deps {
    /// Without skills.
    pub fn new(workspace: Workspace, artifacts: Arc<dyn Artifacts>) -> Self {
        Self { workspace, artifacts, shelf: Shelf::default() }
    }
}

/// The file and search tools, in the order they are sent.
pub fn files(deps: &Deps) -> Vec<Arc<dyn Tool>> {
    files_for(deps, None)
}

/// The same where files are edited in this format: what a tool says of others speaks of those that are offered then,
/// and `edit_file` is strict where it makes the edits of blocks.
pub fn files_for(deps: &Deps, format: Option<EditFormat>) -> Vec<Arc<dyn Tool>> {
    let workspace = || deps.workspace.clone();
    let write = Editor::<write_file::WriteFile>::at(workspace()).described(write_file::told(format));
    let multi = Editor::<multi_edit::MultiEdit>::at(workspace()).described(multi_edit::told(format));
    let edit: Arc<dyn Tool> = match format {
        Some(EditFormat::Blocks) => Arc::new(Editor::<edit_file::EditFile<true>>::at(workspace())),
        _ => Arc::new(Editor::<edit_file::EditFile<false>>::at(workspace())),
    };
    vec![
        Arc::new(Typed::of(read_file::ReadFile(deps.clone()))),
        Arc::new(write),
        edit,
        Arc::new(multi),
        Arc::new(Editor::<apply_patch::ApplyPatch>::at(workspace())),
        Arc::new(Editor::<delete_range::DeleteRange>::at(workspace())),
        Arc::new(Editor::<move_file::MoveFile>::at(workspace())),
        Arc::new(Typed::of(ls::Ls(workspace()))),
        Arc::new(Typed::of(glob::Glob(workspace()))),
        Arc::new(Typed::of(grep::Grep(workspace()))),
    ]
}
