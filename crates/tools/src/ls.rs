//! `ls`: the entries of one folder.

use crate::port::{PAGE_BYTES, failed, one_line_name, reading, spec, text_arg};
use reasonix_agent::{Args, BoxFuture, Call, Tool, ToolSpec, ToolTraits, parse_args};
use reasonix_proto::{Action, Details, Family, ToolOutcome};
use reasonix_workspace::{Entry, EntryKind, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write as _;

/// Names under which models give the folder.
const PATHS: &[&str] = &["path", "dir", "directory", "dir_path", "folder", "file_path"];

#[derive(Deserialize, JsonSchema)]
struct Input {
    #[serde(alias = "dir", alias = "directory", alias = "dir_path", alias = "folder", alias = "file_path")]
    path: Option<String>,
}

/// Lists folders.
pub(crate) struct Ls {
    spec: ToolSpec,
    workspace: Workspace,
}

impl Ls {
    /// Lists below this workspace.
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self { spec: spec::<Input>("ls", include_str!("ls.md")).with(ToolTraits::READS), workspace }
    }
}

impl Tool for Ls {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["list", "list_dir", "list_directory", "list_files", "dir"]
    }

    fn action(&self, args: &Args) -> Action {
        let path = parse_args::<Input>(args).map_or_else(|_| Some(text_arg(args, PATHS)), |input| input.path);
        Action::reads(Family::Read, self.workspace.shown(folder(path.as_deref())))
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let input: Input = match parse_args(call.args) {
                Ok(input) => input,
                Err(outcome) => return outcome,
            };
            let workspace = self.workspace.clone();
            reading(call.stop, move || listing(&workspace, folder(input.path.as_deref()))).await
        })
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

fn tell(text: &mut String, entry: &Entry) {
    let Entry { name, kind, size } = entry;
    let name = one_line_name(name);
    let _ = match kind {
        EntryKind::Dir => writeln!(text, "{name}/"),
        EntryKind::File => writeln!(text, "{name} {size}"),
        EntryKind::Link { target } => writeln!(text, "{name} -> {target}"),
        EntryKind::Other => writeln!(text, "{name} (not a regular file)"),
    };
}
