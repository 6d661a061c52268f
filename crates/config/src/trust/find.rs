//! Where a repository can bring something to execute. Only its own folders for agents and its own settings are looked at:
//! what lies deeper, was installed or is another repository is not discovered.

use super::named::{all_in, belongs, content, each_in, files_in, found_content, has_link};
use super::surface::{Surface, SurfaceKind, SurfacePiece};
use super::{Brought, Variables};
use crate::Plugin;
use crate::node::{Node, Table};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Keys of settings whose values are executed.
pub(crate) const EXECUTABLE: &[(&str, SurfaceKind)] = &[
    ("hooks", SurfaceKind::Hook),
    ("lsp", SurfaceKind::Lsp),
    ("validation", SurfaceKind::Validation),
    ("formatter", SurfaceKind::Formatter),
    ("formatters", SurfaceKind::Formatter),
    ("status_line", SurfaceKind::StatusLine),
    ("statusline", SurfaceKind::StatusLine),
];

/// Files that declare language servers.
const LSP_FILES: &[&str] = &[
    ".reasonix/lsp.toml",
    ".reasonix/lsp.json",
    ".reasonix/lsp.jsonc",
    ".reasonix/lsp.yaml",
    ".reasonix/lsp.yml",
    "lsp.json",
    ".lsp.json",
];

/// Files of other programs, and of another edition, that may have hooks in them.
const HOOK_FILES: [&str; 4] =
    [".reasonix/settings.json", ".claude/settings.json", ".claude/settings.local.json", ".codex/hooks.json"];

/// Folders with skills.
const SKILLS: [&str; 3] = [".reasonix/skills", ".agents/skills", ".claude/skills"];

/// Folders with Markdown that may have shell text in it.
const TEXTS: [&str; 2] = [".reasonix/commands", ".claude/commands"];

/// Folders with agents, whose text stands in place of the system prompt.
const AGENTS: [&str; 2] = [".reasonix/agents", ".claude/agents"];

/// A value of the project's settings that would be executed.
pub(crate) struct Declared {
    pub(crate) key: &'static str,
    pub(crate) kind: SurfaceKind,
    pub(crate) value: serde_json::Value,
    pub(crate) file: PathBuf,
}

impl Declared {
    pub(crate) fn of(key: &'static str, kind: SurfaceKind, node: &Node) -> Self {
        Self { key, kind, value: node.to_json(), file: node.origin.path().to_owned() }
    }
}

/// A system prompt that the project's settings bring.
pub(crate) struct Prompted {
    /// The text itself, or the file that has it, relative to the settings.
    text: Result<String, PathBuf>,
    /// The settings.
    file: PathBuf,
}

impl Prompted {
    /// Takes the prompt out of a project's settings; of both forms the text counts.
    pub(crate) fn take(project: &mut Table) -> Option<Self> {
        let agent = project.get_mut("agent")?.as_table_mut()?;
        let (text, named) = (agent.take("system_prompt"), agent.take("system_prompt_file"));
        let node = text.as_ref().or(named.as_ref())?;
        let said = node.as_text()?.to_owned();
        let text = if text.is_some() { Ok(said) } else { Err(PathBuf::from(said)) };
        Some(Self { text, file: node.origin.path().to_owned() })
    }

    fn surface(&self, root: &Path) -> Surface {
        let place = shown(root, &self.file);
        let (parts, files) = match &self.text {
            Ok(text) => (vec![SurfacePiece::text(format!("{place} agent.system_prompt"), text)], Vec::new()),
            Err(file) => (Vec::new(), vec![Path::new(&place).with_file_name("").join(file)]),
        };
        Surface::new(SurfaceKind::Prompt, "system_prompt", place, parts, files).sealed(root).readable()
    }
}

/// Every surface but the MCP servers.
pub(super) fn surfaces(root: &Path, brought: &Brought) -> Vec<Surface> {
    let mut found: Vec<Surface> = brought.declared.iter().map(|declared| stated(root, declared)).collect();
    found.extend(brought.prompt.as_ref().map(|prompt| prompt.surface(root)));
    for file in LSP_FILES.iter().map(PathBuf::from).filter(|file| root.join(file).symlink_metadata().is_ok()) {
        found.push(of_file(root, SurfaceKind::Lsp, &file));
    }
    found.extend(hook_files(root));
    let own = SKILLS.map(PathBuf::from);
    let mut seen: Vec<&PathBuf> = Vec::new();
    for folder in own.iter().chain(&brought.skill_folders) {
        if !seen.contains(&folder) {
            seen.push(folder);
            found.extend(skills(root, folder));
        }
    }
    for folder in TEXTS {
        let linked = has_link(root, Path::new(folder));
        let texts = each_in(root, Path::new(folder)).into_iter().filter(|file| runs_shell(root, file, linked));
        found.extend(texts.map(|file| of_file(root, SurfaceKind::Command, &file)));
    }
    for folder in AGENTS {
        let linked = has_link(root, Path::new(folder));
        let is_agent = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "md");
        let texts = each_in(root, Path::new(folder)).into_iter().filter(is_agent);
        let texts = texts.filter(|file| has_words(root, file, linked) || runs_shell(root, file, linked));
        found.extend(texts.map(|file| of_file(root, SurfaceKind::Agent, &file).readable()));
    }
    found
}

/// The files with hooks, or that hooks are.
pub(super) fn hook_files(root: &Path) -> Vec<Surface> {
    let each = all_in(root, Path::new(".reasonix/hooks"));
    let mut found: Vec<Surface> = each.iter().map(|file| of_file(root, SurfaceKind::Hook, file)).collect();
    found.extend(HOOK_FILES.iter().filter_map(|file| hooks_in(root, Path::new(file))));
    found
}

/// The hooks of a file that says other things too: of those nothing is executed. One that cannot be read counts as a whole.
fn hooks_in(root: &Path, file: &Path) -> Option<Surface> {
    root.join(file).symlink_metadata().ok()?;
    let bytes = if has_link(root, file) { content(root, file) } else { found_content(root, file) };
    let Some(mut said) = bytes.ok().and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok()) else {
        return Some(of_file(root, SurfaceKind::Hook, file));
    };
    let mut kept = serde_json::Map::new();
    for key in ["hooks", "disableAllHooks"] {
        kept.extend(said.get_mut(key).map(|value| (key.to_owned(), value.take())));
    }
    if !kept.contains_key("hooks") {
        return None;
    }
    let (value, place) = (serde_json::Value::Object(kept), file.display().to_string());
    let parts = vec![SurfacePiece::text(format!("{place} hooks"), &pretty(&value))];
    let files = files_in(root, &texts(&value));
    let name = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    Some(Surface::new(SurfaceKind::Hook, &name, place, parts, files).sealed(root))
}

/// What the project's settings state of hooks.
pub(super) fn stated_hooks(root: &Path, declared: &[Declared]) -> Vec<Surface> {
    declared.iter().filter(|one| one.kind == SurfaceKind::Hook).map(|one| stated(root, one)).collect()
}

/// What the settings state, with the files it names.
fn stated(root: &Path, declared: &Declared) -> Surface {
    let place = shown(root, &declared.file);
    let parts = vec![SurfacePiece::text(format!("{place} {}", declared.key), &pretty(&declared.value))];
    let files = files_in(root, &texts(&declared.value));
    Surface::new(declared.kind, declared.key, place, parts, files).sealed(root)
}

/// An MCP server, with the files it names and the variables it is given.
pub(super) fn plugin(
    root: &Path,
    plugin: &Plugin,
    value: &serde_json::Value,
    place: String,
    variables: &Variables,
) -> Surface {
    let place = shown(root, Path::new(&place));
    let mut parts = vec![SurfacePiece::text(format!("{place} {}", plugin.name), &pretty(value))];
    let all = texts(value);
    let mut named = Vec::new();
    for name in all.iter().flat_map(|text| references(text)) {
        let from = match (variables.user.contains_key(&name), variables.project.get(&name)) {
            (true, _) => "environment",
            (false, Some(value)) => {
                parts.push(SurfacePiece::hidden(format!(".env {name}"), value));
                ".env"
            }
            (false, None) => "-",
        };
        named.push((name, from));
    }
    named.sort();
    named.dedup();
    parts.sort_by(|a, b| a.label.cmp(&b.label));
    parts.dedup();
    // What a variable of the project stands for can name a file too.
    let expanded: Vec<String> = all
        .iter()
        .filter_map(|text| crate::expand(text, &|name| Some(variables.get(name).cloned().unwrap_or_default())).ok())
        .collect();
    let mut files = files_in(root, &all);
    files.extend(files_in(root, &expanded));
    let mut surface = Surface::new(SurfaceKind::Mcp, &plugin.name, place, parts, files);
    surface.variables = named;
    surface.sealed(root)
}

/// A file that is executed, or says what is, with the files it names.
fn of_file(root: &Path, kind: SurfaceKind, file: &Path) -> Surface {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files = vec![file.to_owned()];
    if let Some(text) = content(root, file).ok().and_then(|bytes| String::from_utf8(bytes).ok()) {
        files.extend(files_in(root, &text.lines().map(str::to_owned).collect::<Vec<_>>()));
    }
    Surface::new(kind, &name, file.display().to_string(), Vec::new(), files).sealed(root)
}

/// The skills of a folder that bring more than text.
fn skills(root: &Path, folder: &Path) -> Vec<Surface> {
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else { return Vec::new() };
    let mut names: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.file_name()).collect();
    names.sort();
    let linked = has_link(root, folder);
    let mut found = Vec::new();
    for name in names {
        let skill = folder.join(&name);
        let manifest = skill.join("SKILL.md");
        if !belongs(root, &skill) || root.join(&manifest).symlink_metadata().is_err() {
            continue;
        }
        let files = all_in(root, &skill);
        if files.iter().any(|file| !is_text(root, file) || runs_shell(root, file, linked)) {
            let (name, place) = (name.to_string_lossy().into_owned(), manifest.display().to_string());
            found.push(Surface::new(SurfaceKind::Skill, &name, place, Vec::new(), files).sealed(root));
        }
    }
    found
}

/// Files that are text by name alone.
const NAMED_AS_TEXT: &[&str] = &["LICENSE", "LICENCE", "COPYING", "NOTICE", "README", "CHANGELOG", "AUTHORS"];

/// True for a file that is there to be read: by its name, and by its mode.
fn is_text(root: &Path, file: &Path) -> bool {
    let by_end = file.extension().is_some_and(|end| end == "md" || end == "txt");
    let by_name = file.file_name().and_then(|name| name.to_str()).is_some_and(|name| NAMED_AS_TEXT.contains(&name));
    let runs = std::fs::metadata(root.join(file)).is_ok_and(|found| found.permissions().mode() & 0o111 != 0);
    (by_end || by_name) && !runs
}

/// True for a text that says what runs it, has shell text put in when it is used, or hooks in its front matter. What cannot be
/// read is taken for one. `linked` when the folder that it was found in lies behind a link.
fn runs_shell(root: &Path, file: &Path, linked: bool) -> bool {
    let bytes = if linked { content(root, file) } else { found_content(root, file) };
    let Ok(bytes) = bytes else { return true };
    let text = String::from_utf8_lossy(&bytes);
    let head = text.strip_prefix("---").and_then(|rest| rest.split_once("\n---")).map_or("", |(head, _)| head);
    let keys = ["hooks:", "command:", "shell:", "run:", "mcp"];
    text.starts_with("#!") || text.contains("!`") || text.contains("```!") || keys.iter().any(|key| head.contains(key))
}

/// True for a Markdown file that says something behind its front matter, or cannot be read.
fn has_words(root: &Path, file: &Path, linked: bool) -> bool {
    let bytes = if linked { content(root, file) } else { found_content(root, file) };
    let Ok(bytes) = bytes else { return true };
    let text = String::from_utf8_lossy(&bytes);
    let body = text.strip_prefix("---").map(|rest| rest.split_once("\n---").map_or(rest, |(_, body)| body));
    // Skills are words too.
    text.contains("skills") || !body.unwrap_or(&text).trim_matches(['-', '\r', '\n', ' ']).is_empty()
}

/// Every text in a value.
fn texts(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::String(text) => vec![text.clone()],
        serde_json::Value::Array(list) => list.iter().flat_map(texts).collect(),
        serde_json::Value::Object(map) => map.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// The variables that a text names.
fn references(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for piece in text.split("${").skip(1) {
        if let Some((inner, _)) = piece.split_once('}') {
            names.push(inner.split(":-").next().unwrap_or_default().to_owned());
        }
    }
    names
}

fn pretty(value: &serde_json::Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn shown(root: &Path, file: &Path) -> String {
    let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    real.strip_prefix(root).unwrap_or(file).display().to_string()
}
