//! `glob`: files by the shape of their path.

use crate::ls::folder;
use crate::port::{PAGE_BYTES, failed, one_line_name, searched, text_arg};
use crate::typed::{ToolWork, TypedTool};
use reasonix_agent::{Args, Stop, ToolTraits};
use reasonix_proto::{Action, Details, Family, ToolOutcome};
use reasonix_workspace::{FoundFiles, GlobQuery, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write as _;

/// Names under which models give the folder.
const PATHS: &[&str] = &["path", "dir", "directory", "cwd", "root"];

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(alias = "glob", alias = "query", alias = "glob_pattern")]
    pattern: String,
    #[serde(alias = "dir", alias = "directory", alias = "cwd", alias = "root")]
    path: Option<String>,
    #[serde(default)]
    #[schemars(skip)]
    limit: Option<usize>,
    #[serde(default, alias = "no_ignore")]
    #[schemars(skip)]
    ignored: bool,
}

/// Finds files.
pub(crate) struct Glob(pub(crate) Workspace);

impl TypedTool for Glob {
    type Input = Input;
    const NAME: &'static str = "glob";
    const PROMPT: &'static str = include_str!("glob.md");
    const ALIASES: &'static [&'static str] = &["find", "find_files", "search_files", "file_search", "glob_file_search"];
    const TRAITS: ToolTraits = ToolTraits::READS;
    const WORK: ToolWork<Self> = ToolWork::Reads(|Self(workspace), input: Input, stop| find(workspace, input, stop));

    fn action(&self, input: Option<Input>, args: &Args) -> Action {
        let path = input.map_or_else(|| Some(text_arg(args, PATHS)), |input| input.path);
        Action::reads(Family::Read, self.0.shown(folder(path.as_deref())))
    }

    fn title(args: &Args, action: &Action) -> String {
        searched(args, action)
    }
}

fn find(workspace: &Workspace, input: Input, stop: &Stop) -> ToolOutcome {
    let usual = GlobQuery::default();
    let query = GlobQuery {
        pattern: input.pattern,
        path: input.path.filter(|path| !path.is_empty()),
        limit: input.limit.unwrap_or(usual.limit).clamp(1, usual.limit),
        ignored: input.ignored,
        ..usual
    };
    match workspace.glob(&query, &|| stop.is_cancelled()) {
        Ok(FoundFiles { stopped: true, .. }) => ToolOutcome::Aborted,
        Ok(found) => told(&found, &query.pattern),
        Err(error) => failed(&error),
    }
}

fn told(found: &FoundFiles, pattern: &str) -> ToolOutcome {
    let mut text = String::new();
    let mut more = found.more;
    for path in &found.paths {
        if text.len() > PAGE_BYTES {
            more += 1;
        } else {
            let _ = writeln!(text, "{}", one_line_name(path));
        }
    }
    if text.is_empty() {
        let _ = writeln!(text, "no files match {pattern}");
    }
    if more > 0 {
        let _ = writeln!(text, "[{more} more files; use a narrower pattern]");
    }
    if !found.unfit.is_empty() {
        let names: Vec<_> = found.unfit.iter().take(5).map(|path| one_line_name(path)).collect();
        let _ = writeln!(text, "[ignore files not used (a link, no regular file, or too large): {}]", names.join(", "));
    }
    let count = (found.paths.len() + found.more) as u64;
    ToolOutcome::detailed(text.trim_end(), Details { count: Some(count), ..Details::default() })
}
