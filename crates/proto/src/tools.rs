//! The names of those tools that front ends show in a way of their own. What a tool can is told by its spec, not by its
//! name.

/// Runs command lines.
pub const BASH: &str = "bash";
/// Changes a part of a file.
pub const EDIT_FILE: &str = "edit_file";
/// Writes a whole file.
pub const WRITE_FILE: &str = "write_file";
/// Reads a file.
pub const READ_FILE: &str = "read_file";
/// Keeps the todo list.
pub const TODO_WRITE: &str = "todo_write";
/// Gives work to subagents.
pub const TASK: &str = "task";
/// Puts questions to the user.
pub const ASK: &str = "ask";
/// Hands in a plan.
pub const SUBMIT_PLAN: &str = "submit_plan";

/// What the arguments are called that name a file, by whatever name a model knows them: the tools take all of them.
pub const FILE_ARGUMENTS: &[&str] = &[
    "path",
    "file_path",
    "filePath",
    "file",
    "filename",
    "uri",
    "from",
    "source",
    "src",
    "old_path",
    "from_path",
    "to",
    "destination",
    "dest",
    "dst",
    "target",
    "new_path",
    "to_path",
];
