//! `read_file`: text files of any size, page by page, and the uncut outputs of earlier calls.

use crate::Deps;
use crate::lines::{clip, numbered_into};
use crate::port::{PAGE_BYTES, failed, text_arg};
use crate::typed::{ToolWork, TypedTool};
use reasonix_agent::{Args, ToolTraits};
use reasonix_proto::{Action, Family, ToolOutcome};
use reasonix_workspace::{FileError, Window};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write as _;

/// Lines of one page.
const PAGE_LINES: usize = 1000;
/// A longer line of an artifact is cut.
const MAX_LINE: usize = 2000;
/// Names under which models give the path.
const PATHS: &[&str] = &["path", "file_path", "filePath", "filename", "file", "uri"];

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(alias = "file_path", alias = "filePath", alias = "filename", alias = "file", alias = "uri")]
    path: String,
    /// First line, from 1.
    #[serde(alias = "start_line", alias = "startLine", alias = "line")]
    offset: Option<u64>,
    #[serde(alias = "max_lines", alias = "maxLines", alias = "count")]
    limit: Option<u64>,
}

/// Reads files below a workspace, and from these artifacts.
pub(crate) struct ReadFile(pub(crate) Deps);

impl TypedTool for ReadFile {
    type Input = Input;
    const NAME: &'static str = "read_file";
    const PROMPT: &'static str = include_str!("read_file.md");
    const ALIASES: &'static [&'static str] = &["read", "view", "view_file", "cat", "open_file", "readfile"];
    const TRAITS: ToolTraits = ToolTraits::READS;
    const WORK: ToolWork<Self> = ToolWork::Reads(|Self(deps), input: Input, _| read(deps, &input));

    fn action(&self, input: Option<Input>, args: &Args) -> Action {
        let path = input.map_or_else(|| text_arg(args, PATHS), |input| input.path);
        let subject = if is_artifact(&path) { path } else { self.0.workspace.shown(&path) };
        Action::reads(Family::Read, subject)
    }
}

fn is_artifact(path: &str) -> bool {
    path.starts_with("artifact://")
}

fn read(deps: &Deps, input: &Input) -> ToolOutcome {
    let Deps { workspace, artifacts } = deps;
    let first = input.offset.unwrap_or(1).max(1);
    let limit = input.limit.map_or(PAGE_LINES, |limit| usize::try_from(limit).unwrap_or(PAGE_LINES)).max(1);
    if is_artifact(&input.path) {
        return match artifacts.get(&input.path) {
            Ok(bytes) => page(&String::from_utf8_lossy(&bytes), first, limit),
            Err(error) => ToolOutcome::failed_with(
                format!("{} cannot be read: {error}", input.path),
                "use the URI exactly as it was given in this session",
            ),
        };
    }
    match workspace.read_lines(&input.path, first, limit, PAGE_BYTES) {
        Ok(window) => ToolOutcome::done(shown(&window, first)),
        Err(FileError::IsDirectory { path }) => crate::ls::listing(workspace, &path),
        Err(error) => failed(&error),
    }
}

fn shown(window: &Window, asked: u64) -> String {
    if window.lines.is_empty() {
        return nothing(asked, window.total);
    }
    let mut text = String::with_capacity(window.lines.iter().map(|line| line.len() + 8).sum());
    numbered_into(&mut text, window.lines.iter().map(String::as_str), window.first);
    let last = window.first + window.lines.len() as u64 - 1;
    if window.more {
        continued(&mut text, window.first, last, window.total);
    }
    if window.cut > 0 {
        let _ = writeln!(text, "[{} long lines were cut]", window.cut);
    }
    if let Some(remark) = window.format.remark() {
        let _ = writeln!(text, "[{remark}]");
    }
    if window.lossy {
        text.push_str("[some bytes are not valid in this encoding and are shown as \u{fffd}]\n");
    }
    text
}

/// Says why there is nothing to show.
fn nothing(asked: u64, total: Option<u64>) -> String {
    match total {
        Some(0) => "(empty file)".to_owned(),
        Some(total) => format!("(line {asked} is beyond the end: the file has {total} lines)"),
        None => format!("(nothing at line {asked})"),
    }
}

fn continued(text: &mut String, first: u64, last: u64, total: Option<u64>) {
    let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
    let _ = writeln!(text, "[lines {first}-{last}{of}; continue with offset {}]", last + 1);
}

/// One page of a text that is in memory.
fn page(text: &str, first: u64, limit: usize) -> ToolOutcome {
    let total = text.lines().count() as u64;
    let skip = usize::try_from(first - 1).unwrap_or(usize::MAX);
    let mut room = PAGE_BYTES;
    let mut lines = Vec::new();
    for line in text.lines().skip(skip).take(limit) {
        let line = clip(line, MAX_LINE);
        if line.len() > room {
            break;
        }
        room -= line.len();
        lines.push(line);
    }
    if lines.is_empty() {
        return ToolOutcome::done(nothing(first, Some(total)));
    }
    let mut out = String::new();
    numbered_into(&mut out, lines.iter().map(AsRef::as_ref), first);
    let last = first + lines.len() as u64 - 1;
    if last < total {
        continued(&mut out, first, last, Some(total));
    }
    ToolOutcome::done(out)
}
