//! `glob`: files by the shape of their path.

use crate::ls::folder;
use crate::port::{PAGE_BYTES, failed, one_line_name, reading, searched, spec, text_arg};
use reasonix_agent::{Args, BoxFuture, Call, Stop, Tool, ToolSpec, ToolTraits, parse_args};
use reasonix_proto::{Action, Details, Family, ToolOutcome};
use reasonix_workspace::{Found, GlobQuery, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write as _;

/// Names under which models give the folder.
const PATHS: &[&str] = &["path", "dir", "directory", "cwd", "root"];

#[derive(Deserialize, JsonSchema)]
struct Input {
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
pub(crate) struct Glob {
    spec: ToolSpec,
    workspace: Workspace,
}

impl Glob {
    /// Searches below this workspace.
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self { spec: spec::<Input>("glob", include_str!("glob.md")).with(ToolTraits::READS), workspace }
    }
}

impl Tool for Glob {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["find", "find_files", "search_files", "file_search", "glob_file_search"]
    }

    fn action(&self, args: &Args) -> Action {
        let path = parse_args::<Input>(args).map_or_else(|_| Some(text_arg(args, PATHS)), |input| input.path);
        Action::reads(Family::Read, self.workspace.shown(folder(path.as_deref())))
    }

    fn title(&self, args: &Args, action: &Action) -> String {
        searched(args, action)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let input: Input = match parse_args(call.args) {
                Ok(input) => input,
                Err(outcome) => return outcome,
            };
            let (workspace, stop) = (self.workspace.clone(), call.stop.clone());
            reading(call.stop, move || find(&workspace, input, &stop)).await
        })
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
        Ok(Found { stopped: true, .. }) => ToolOutcome::Aborted,
        Ok(found) => told(&found, &query.pattern),
        Err(error) => failed(&error),
    }
}

fn told(found: &Found, pattern: &str) -> ToolOutcome {
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
