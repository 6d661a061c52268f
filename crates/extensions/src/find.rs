//! Looking through folders: in a fixed order, within bounds, without following links out of them, and without going into
//! what was installed or is another repository.

use crate::agents;
use crate::command::CustomCommand;
use crate::file::inside;
use crate::flaw::{ExtensionFlaw, FlawKind};
use crate::names::{BroughtBy, is_name};
use crate::rulebook::{Dialect, RuleText};
use crate::skill::{MANIFEST, Skill};
use reasonix_proto::AgentProfile;
use std::fs::FileType;
use std::path::{Path, PathBuf};

/// Skills of one folder that are looked at.
const MOST_SKILLS: usize = 500;
/// Commands of one folder that are looked at, and how deep they may lie.
const MOST_COMMANDS: usize = 2000;
const DEEPEST: usize = 4;
/// Agents of one folder that are looked at.
const MOST_AGENTS: usize = 200;
/// Rules of one folder that are looked at.
const MOST_RULES: usize = 200;
/// Entries of one folder that are looked at.
const MOST_ENTRIES: usize = 4000;

/// A folder to look through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Root {
    pub(crate) path: PathBuf,
    pub(crate) by: BroughtBy,
}

/// What was found in one folder.
pub(crate) struct Haul<T> {
    pub(crate) found: Vec<T>,
    pub(crate) flaws: Vec<ExtensionFlaw>,
}

impl<T> Haul<T> {
    fn empty() -> Self {
        Self { found: Vec::new(), flaws: Vec::new() }
    }

    fn add(&mut self, path: &Path, read: Result<(T, Vec<FlawKind>), FlawKind>) {
        match read {
            Ok((item, flaws)) => {
                self.found.push(item);
                self.flaws.extend(flaws.into_iter().map(|kind| kind.at(path)));
            }
            Err(kind) => self.flaws.push(kind.at(path)),
        }
    }
}

/// The skills of a folder, by name.
pub(crate) fn skills(root: &Root, is_excluded: &dyn Fn(&Path) -> bool) -> Haul<Skill> {
    let mut haul = Haul::empty();
    for (name, kind) in entries(&root.path) {
        let folder = root.path.join(&name);
        if kind.is_file() || is_excluded(&folder) {
            continue;
        }
        if haul.found.len() >= MOST_SKILLS {
            haul.flaws.push(FlawKind::TooMany(MOST_SKILLS).at(&root.path));
            break;
        }
        match own_folder(root, &name, kind) {
            Ok(true) if folder.join(MANIFEST).symlink_metadata().is_ok() => {
                haul.add(&folder.join(MANIFEST), Skill::read(&folder, root.by));
            }
            Ok(_) => {}
            Err(kind) => haul.flaws.push(kind.at(&folder)),
        }
    }
    haul.found.sort_by(|a, b| a.name.cmp(&b.name));
    haul
}

/// The commands of a folder and of the folders in it, by name.
pub(crate) fn commands(root: &Root) -> Haul<CustomCommand> {
    let mut haul = Haul::empty();
    match root.path.is_file() {
        true => one_command(&root.path, &mut haul, root.by),
        false => walk(root, &root.path, "", DEEPEST, &mut haul),
    }
    haul.found.sort_by(|a, b| a.name.cmp(&b.name));
    haul
}

/// A command that is named by its file.
fn one_command(file: &Path, haul: &mut Haul<CustomCommand>, by: BroughtBy) {
    let folder = file.parent().unwrap_or(file);
    let Some(stem) = file.file_name().and_then(|name| name.to_str()?.strip_suffix(".md")) else { return };
    let read = match is_name(stem) {
        true => CustomCommand::read(stem.to_owned(), file, folder, by),
        false => Err(FlawKind::BadName(stem.to_owned())),
    };
    haul.add(file, read);
}

/// The rules of a folder, by name; of a file, that one. `deep` looks into the folders in it too.
pub(crate) fn rules(root: &Root, dialect: Dialect, deep: bool) -> Haul<RuleText> {
    let mut haul = Haul::empty();
    if root.path.is_file() {
        let folder = root.path.parent().unwrap_or(&root.path);
        haul.add(&root.path, RuleText::read(&root.path, (folder, root.by), dialect));
    } else {
        gather_rules(root, &root.path, dialect, if deep { DEEPEST } else { 0 }, &mut haul);
    }
    haul.found.sort_by(|a, b| a.name.cmp(&b.name));
    haul
}

/// The agents of a folder and of the folders in it, in the order of their files.
pub(crate) fn agents(root: &Root) -> Haul<AgentProfile> {
    let mut haul = Haul::empty();
    gather_agents(root, &root.path, DEEPEST, &mut haul);
    haul
}

/// The agent that a file of the user's says, where it can be read.
pub fn agent_of_file(file: &Path) -> Option<AgentProfile> {
    one_agent(file).found.pop()
}

/// The agent of a single file.
pub(crate) fn one_agent(file: &Path) -> Haul<AgentProfile> {
    let mut haul = Haul::empty();
    let folder = file.parent().unwrap_or(file);
    haul.add(file, agents::read(file, (folder, BroughtBy::User)));
    haul
}

fn gather_agents(root: &Root, folder: &Path, depth: usize, haul: &mut Haul<AgentProfile>) {
    for (name, kind) in entries(folder) {
        let path = folder.join(&name);
        if haul.found.len() >= MOST_AGENTS {
            return haul.flaws.push(FlawKind::TooMany(MOST_AGENTS).at(&root.path));
        }
        if kind.is_dir() {
            let below = Root { path: folder.to_owned(), by: root.by };
            if depth > 0 && own_folder(&below, &name, kind) == Ok(true) {
                gather_agents(root, &path, depth - 1, haul);
            }
        } else if name.ends_with(".md") {
            haul.add(&path, agents::read(&path, (&root.path, root.by)));
        }
    }
}

fn gather_rules(root: &Root, folder: &Path, dialect: Dialect, depth: usize, haul: &mut Haul<RuleText>) {
    for (name, kind) in entries(folder) {
        let path = folder.join(&name);
        if haul.found.len() >= MOST_RULES {
            return haul.flaws.push(FlawKind::TooMany(MOST_RULES).at(&root.path));
        }
        if kind.is_dir() {
            let below = Root { path: folder.to_owned(), by: root.by };
            if depth > 0 && own_folder(&below, &name, kind) == Ok(true) {
                gather_rules(root, &path, dialect, depth - 1, haul);
            }
        } else if name.ends_with(".md") || name.ends_with(".mdc") {
            haul.add(&path, RuleText::read(&path, (&root.path, root.by), dialect));
        }
    }
}

fn walk(root: &Root, folder: &Path, before: &str, depth: usize, haul: &mut Haul<CustomCommand>) {
    for (name, kind) in entries(folder) {
        let path = folder.join(&name);
        if haul.found.len() >= MOST_COMMANDS {
            let flaw = FlawKind::TooMany(MOST_COMMANDS).at(&root.path);
            if !haul.flaws.contains(&flaw) {
                haul.flaws.push(flaw);
            }
            return;
        }
        let stem = name.strip_suffix(".md");
        if kind.is_dir() {
            let below = Root { path: folder.to_owned(), by: root.by };
            if depth > 0 && is_name(&name) && own_folder(&below, &name, kind) == Ok(true) {
                walk(root, &path, &format!("{before}{name}:"), depth - 1, haul);
            }
        } else if let Some(stem) = stem {
            let read = match is_name(stem) {
                true => CustomCommand::read(format!("{before}{stem}"), &path, &root.path, root.by),
                false => Err(FlawKind::BadName(stem.to_owned())),
            };
            haul.add(&path, read);
        }
    }
}

/// True for a folder that belongs to whoever brought its root. What a project links to is not looked at: trust does not
/// cover it. Of the user's own folders links are followed as long as they stay inside.
fn own_folder(root: &Root, name: &str, kind: FileType) -> Result<bool, FlawKind> {
    let path = root.path.join(name);
    if kind.is_symlink() {
        if root.by == BroughtBy::Project {
            return if path.is_dir() { Err(FlawKind::LeadsOut) } else { Ok(false) };
        }
        return Ok(path.is_dir() && inside(&path, &root.path)?.is_dir());
    }
    let installed = matches!(name, "node_modules" | ".git");
    let other = root.by == BroughtBy::Project && path.join(".git").symlink_metadata().is_ok();
    Ok(kind.is_dir() && !installed && !other)
}

/// What is in a folder, sorted. A name that is no text cannot be typed, and is left out.
fn entries(folder: &Path) -> Vec<(String, FileType)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let named = |entry: std::fs::DirEntry| Some((entry.file_name().into_string().ok()?, entry.file_type().ok()?));
    let mut found: Vec<_> = entries.filter_map(Result::ok).filter_map(named).take(MOST_ENTRIES).collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}
