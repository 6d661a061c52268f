//! `grep`: lines that match a pattern, over a whole tree, in process.

use crate::ls::folder;
use crate::port::{PAGE_BYTES, failed, one_line_name, searched, text_arg};
use crate::typed::{ToolWork, TypedTool};
use reasonix_agent::{Args, Stop, ToolTraits};
use reasonix_proto::{Action, Details, Family, ToolOutcome};
use reasonix_workspace::{FileMatches, GrepQuery, Matches, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write as _;

/// Names under which models give the place.
const PATHS: &[&str] = &["path", "dir", "directory", "file_path", "file"];
/// The most matches and context lines a call may ask for.
const MOST: (usize, usize) = (1000, 20);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(alias = "query", alias = "regex", alias = "search", alias = "q")]
    pattern: String,
    /// File or folder.
    #[serde(alias = "dir", alias = "directory", alias = "file_path", alias = "file")]
    path: Option<String>,
    /// Only these files, such as *.rs.
    #[serde(alias = "include", alias = "file_pattern", alias = "glob_pattern")]
    glob: Option<String>,
    #[serde(default, alias = "case_insensitive", alias = "ignoreCase", alias = "-i", alias = "i")]
    ignore_case: bool,
    #[serde(default, alias = "fixed_strings", alias = "fixed")]
    literal: bool,
    #[serde(default, alias = "-C", alias = "context_lines")]
    context: Option<usize>,
    #[serde(default, alias = "head_limit", alias = "max_results", alias = "max_count")]
    limit: Option<usize>,
    #[serde(default)]
    #[schemars(skip)]
    multiline: bool,
    #[serde(default, alias = "no_ignore")]
    #[schemars(skip)]
    ignored: bool,
}

/// Searches contents.
pub(crate) struct Grep(pub(crate) Workspace);

impl TypedTool for Grep {
    type Input = Input;
    const NAME: &'static str = "grep";
    const PROMPT: &'static str = include_str!("grep.md");
    const ALIASES: &'static [&'static str] =
        &["search", "search_content", "search_file_content", "grep_search", "rg", "ripgrep", "search_text"];
    const TRAITS: ToolTraits = ToolTraits::READS;
    const WORK: ToolWork<Self> = ToolWork::Reads(|Self(workspace), input: Input, stop| search(workspace, input, stop));

    fn action(&self, input: Option<Input>, args: &Args) -> Action {
        let path = input.map_or_else(|| Some(text_arg(args, PATHS)), |input| input.path);
        Action::reads(Family::Grep, self.0.shown(folder(path.as_deref())))
    }

    fn title(args: &Args, action: &Action) -> String {
        searched(args, action)
    }
}

fn search(workspace: &Workspace, input: Input, stop: &Stop) -> ToolOutcome {
    if input.pattern.is_empty() {
        return ToolOutcome::failed_with("pattern is empty", "use ls or glob to see which files there are");
    }
    let usual = GrepQuery::default();
    let query = GrepQuery {
        pattern: input.pattern,
        path: input.path.filter(|path| !path.is_empty()),
        glob: input.glob.filter(|glob| !glob.is_empty()),
        ignore_case: input.ignore_case,
        literal: input.literal,
        multiline: input.multiline,
        context: input.context.unwrap_or(0).min(MOST.1),
        limit: input.limit.unwrap_or(usual.limit).clamp(1, MOST.0),
        ignored: input.ignored,
        ..usual
    };
    match workspace.grep(&query, &|| stop.is_cancelled()) {
        Ok(Matches { stopped: true, .. }) => ToolOutcome::Aborted,
        Ok(matches) => told(&matches),
        Err(error) => failed(&error),
    }
}

fn told(matches: &Matches) -> ToolOutcome {
    let mut text = String::new();
    let mut left_off = 0;
    for file in &matches.files {
        if text.len() > PAGE_BYTES {
            left_off += file.lines.iter().filter(|line| line.matched).count();
        } else {
            tell(&mut text, file);
        }
    }
    if text.is_empty() {
        text.push_str("no matches\n");
    }
    let more = matches.more + left_off;
    if more > 0 {
        let _ = writeln!(text, "[{more} more matches; narrow the pattern, path or glob]");
    }
    if matches.skipped > 0 {
        let _ = writeln!(text, "[{} files could not be searched]", matches.skipped);
    }
    if !matches.unfit.is_empty() {
        let names: Vec<_> = matches.unfit.iter().take(5).map(|path| one_line_name(path)).collect();
        let _ = writeln!(text, "[ignore files not used (a link, no regular file, or too large): {}]", names.join(", "));
    }
    let count = (matches.shown + matches.more) as u64;
    ToolOutcome::detailed(text.trim_end(), Details { count: Some(count), ..Details::default() })
}

fn tell(text: &mut String, file: &FileMatches) {
    let _ = writeln!(text, "{}", one_line_name(&file.path));
    let context = file.lines.iter().any(|line| !line.matched);
    let mut before = None;
    for line in &file.lines {
        if before.is_some_and(|before| line.number > before + 1) && context {
            text.push_str("  --\n");
        }
        before = Some(line.number);
        let mark = if line.matched { ':' } else { '-' };
        let _ = writeln!(text, "  {}{mark} {}", line.number, line.text);
    }
}
