//! `ls`: the entries of one folder.

use crate::port::{PAGE_BYTES, failed, one_line_name, text_arg};
use crate::typed::{ToolWork, TypedTool};
use reasonix_agent::{Args, ToolTraits};
use reasonix_proto::{Action, Details, Family, ToolOutcome};
use reasonix_workspace::{EntryKind, FolderEntry, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write as _;

/// Names under which models give the folder.
const PATHS: &[&str] = &["path", "dir", "directory", "dir_path", "folder", "file_path"];

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(alias = "dir", alias = "directory", alias = "dir_path", alias = "folder", alias = "file_path")]
    path: Option<String>,
}

/// Lists folders.
pub(crate) struct Ls(pub(crate) Workspace);

impl TypedTool for Ls {
    type Input = Input;
    const NAME: &'static str = "ls";
    const PROMPT: &'static str = include_str!("ls.md");
    const ALIASES: &'static [&'static str] = &["list", "list_dir", "list_directory", "list_files", "dir"];
    const TRAITS: ToolTraits = ToolTraits::READS;
    const WORK: ToolWork<Self> =
        ToolWork::Reads(|Self(workspace), input: Input, _| listing(workspace, folder(input.path.as_deref())));

    fn action(&self, input: Option<Input>, args: &Args) -> Action {
        let path = input.map_or_else(|| Some(text_arg(args, PATHS)), |input| input.path);
        Action::reads(Family::Read, self.0.shown(folder(path.as_deref())))
    }
}

/// The folder that is meant: the root when none is named.
pub(crate) fn folder(path: Option<&str>) -> &str {
    path.filter(|path| !path.is_empty()).unwrap_or(".")
}

/// The entries of a folder as the model reads them.
pub(crate) fn listing(workspace: &Workspace, path: &str) -> ToolOutcome {
    let listing = match workspace.list(path) {
        Ok(listing) => listing,
        Err(error) => return failed(&error),
    };
    let mut text = String::new();
    let mut more = listing.more;
    for entry in &listing.entries {
        if text.len() > PAGE_BYTES {
            more += 1;
        } else {
            tell(&mut text, entry);
        }
    }
    if text.is_empty() {
        text.push_str("(empty folder)");
    }
    if more > 0 {
        let _ = writeln!(text, "[{more} more entries; use glob with a pattern]");
    }
    let count = (listing.entries.len() + listing.more) as u64;
    ToolOutcome::detailed(text.trim_end(), Details { count: Some(count), ..Details::default() })
}

fn tell(text: &mut String, entry: &FolderEntry) {
    let FolderEntry { name, kind, size } = entry;
    let name = one_line_name(name);
    let _ = match kind {
        EntryKind::Dir => writeln!(text, "{name}/"),
        EntryKind::File => writeln!(text, "{name} {size}"),
        EntryKind::Link { target } => writeln!(text, "{name} -> {target}"),
        EntryKind::Other => writeln!(text, "{name} (not a regular file)"),
    };
}
