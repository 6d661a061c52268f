//! `read_file`: text files of any size, page by page, the uncut outputs of earlier calls, the files of skills, rules,
//! and Reasonix's own documents.

use crate::Deps;
use crate::lines::{clip, numbered_into};
use crate::port::{PAGE_BYTES, failed, text_arg};
use crate::typed::{ToolWork, TypedTool};
use reasonix_agent::{Args, ToolTraits};
use reasonix_extensions::{BroughtBy, OwnDoc, Shelf, doc_at, rule_at};
use reasonix_proto::{Action, Block, Content, Family, LARGEST_DOCUMENT, ReadOnly, ToolOutcome, document_of};
use reasonix_workspace::{FileError, Options, Window, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write as _;
use std::path::{Component, Path};

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
        let path = placed(&self.0, path);
        if doc_at(&path).is_some() || rule_at(&path).is_some() {
            return Action { family: Family::Own, subjects: Vec::new(), read_only: ReadOnly::Yes };
        }
        if let Some((name, _)) = of_skill(&path) {
            return Action::reads(Family::Skill, self.0.shelf.judged_name(name));
        }
        let subject = if is_artifact(&path) { path } else { self.0.workspace.shown(&path) };
        Action::reads(Family::Read, subject)
    }
}

fn is_artifact(path: &str) -> bool {
    path.starts_with("artifact://") || path.starts_with("agent://")
}

/// The skill and the path in it that `skill://NAME/path` means.
fn of_skill(path: &str) -> Option<(&str, &str)> {
    let rest = path.strip_prefix("skill://")?;
    Some(rest.split_once('/').unwrap_or((rest, "")))
}

/// The path as it is judged and read: a skill or a rule that lies in the workspace is reached as any other file there is, so
/// that the rules for paths hold.
fn placed(deps: &Deps, path: String) -> String {
    if let Some(rule) = rule_at(&path).and_then(|name| deps.shelf.rules().named(name)) {
        return match rule.file.strip_prefix(deps.workspace.root()) {
            Ok(inside) => inside.display().to_string(),
            Err(_) => path,
        };
    }
    let inside = of_skill(&path).and_then(|(name, below)| {
        let folder = deps.shelf.named(name)?.folder.strip_prefix(deps.workspace.root()).ok()?;
        let plain = Path::new(below).components().all(|part| matches!(part, Component::Normal(_)));
        (plain && !folder.as_os_str().is_empty()).then(|| folder.join(below).display().to_string())
    });
    inside.unwrap_or(path)
}

fn read(deps: &Deps, input: &Input) -> ToolOutcome {
    let Deps { workspace, artifacts, shelf } = deps;
    let path = placed(deps, input.path.clone());
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
    if let Some(name) = doc_at(&path) {
        return read_doc(name, first, limit);
    }
    if let Some(name) = rule_at(&path) {
        return read_rule(shelf, name, first, limit);
    }
    if let Some((name, below)) = of_skill(&path) {
        return read_skill(shelf, (name, below), first, limit);
    }
    read_lines(workspace, &path, first, limit)
}

/// One of our own documents, or the list of them.
fn read_doc(name: &str, first: u64, limit: usize) -> ToolOutcome {
    let list = || OwnDoc::all().map(|doc| format!("{}: {}", doc.address(), doc.title())).collect::<Vec<_>>().join("\n");
    // A link names a chapter behind the name.
    match name.split('#').next().unwrap_or(name) {
        "" => ToolOutcome::done(list()),
        name => match OwnDoc::named(name) {
            Some(doc) => page(doc.text, first, limit),
            None => ToolOutcome::failed_with(format!("there is no document {name:?}"), list()),
        },
    }
}

/// A rule of the user, or the list of all rules.
fn read_rule(shelf: &Shelf, name: &str, first: u64, limit: usize) -> ToolOutcome {
    let rules = shelf.rules();
    let list = || match rules.rules.is_empty() {
        true => "there are no rules".to_owned(),
        false => rules.rules.iter().map(|rule| format!("rule://{}", rule.name)).collect::<Vec<_>>().join("\n"),
    };
    match rules.named(name) {
        Some(rule) => page(&rule.text, first, limit),
        None if name.is_empty() => ToolOutcome::done(list()),
        None => ToolOutcome::failed_with(format!("there is no rule {name:?}"), list()),
    }
}

/// A file of a skill: its folder is all that can be reached this way.
fn read_skill(shelf: &Shelf, (name, path): (&str, &str), first: u64, limit: usize) -> ToolOutcome {
    let Some(skill) = shelf.named(name) else { return crate::skill::unknown(shelf, name) };
    if skill.by == BroughtBy::Bundled {
        return match skill.body() {
            Ok(text) if path.is_empty() || path == "SKILL.md" => page(&text, first, limit),
            _ => ToolOutcome::failed(format!("the skill {name} has no file {path}")),
        };
    }
    match Workspace::open(&skill.folder, Options::default()) {
        Ok(folder) => read_lines(&folder, if path.is_empty() { "." } else { path }, first, limit),
        Err(error) => failed(&error),
    }
}

fn read_lines(workspace: &Workspace, path: &str, first: u64, limit: usize) -> ToolOutcome {
    match workspace.read_lines(path, first, limit, PAGE_BYTES) {
        // Some documents have nothing in them but letters, and are no text all the same.
        Ok(window) if window.lines.first().is_some_and(|line| first == 1 && line.starts_with("%PDF-")) => {
            document(workspace, path).unwrap_or_else(|| ToolOutcome::done(shown(&window, first)))
        }
        Err(error @ FileError::Binary { .. }) => document(workspace, path).unwrap_or_else(|| failed(&error)),
        Ok(window) => ToolOutcome::done(shown(&window, first)),
        Err(FileError::IsDirectory { path }) => crate::ls::listing(workspace, &path),
        Err(error) => failed(&error),
    }
}

/// A document, whole: whoever can read such is sent it, and everybody else told what it is.
fn document(workspace: &Workspace, path: &str) -> Option<ToolOutcome> {
    let document = document_of(&workspace.shown(path), workspace.read_bytes(path, LARGEST_DOCUMENT).ok()?)?;
    Some(ToolOutcome::done(Content::new([Block::Picture(document)])))
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
