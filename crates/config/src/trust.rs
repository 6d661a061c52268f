//! Workspace trust: what a repository brings that would be executed, and whether the user said yes to exactly that.
//!
//! Nothing of it is executed without a [`Permit`], and only [`Trust::of`] makes one: for content that the user has seen,
//! byte for byte. The content is looked at again each time.

mod book;
mod find;
mod named;
mod surface;

pub use surface::{Surface, SurfaceKind, SurfacePiece};

use crate::{ConfigError, Flags, Plugin, Unset};
use book::{Book, Entry, Lock};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(crate) use find::{Declared, EXECUTABLE, Prompted};

/// More of what git would execute is one surface together.
const MOST_GIT: usize = 64;

/// What is known about the surfaces of one workspace.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trust {
    root: PathBuf,
    home: PathBuf,
    surfaces: Vec<Surface>,
    known: Vec<Entry>,
    once: bool,
    locked: Vec<String>,
    plugins: Vec<Untrusted<Plugin>>,
    variables: Variables,
}

/// Whether the user trusts a surface as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Yes.
    Trusted(Permit),
    /// They trusted what it was before.
    Changed {
        /// What is different.
        changes: Vec<SurfaceChange>,
    },
    /// They never said so.
    Unknown,
    /// It cannot be trusted, for this reason.
    Refused {
        /// Why.
        reason: String,
    },
}

/// One difference between what was trusted and what is there now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfaceChange {
    /// The file, or the place in the settings.
    pub label: String,
    /// What it was; none when it was not there, or was not kept.
    pub before: Option<String>,
    /// What it is; none when it is gone, or is no short text.
    pub after: Option<String>,
}

/// The user's yes to one surface as it is. Whoever executes something of a repository asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    hash: String,
}

/// Something of a repository that would be executed; it comes out only against its permit.
#[derive(Debug, Clone, PartialEq)]
pub struct Untrusted<T> {
    surface: Surface,
    value: T,
}

impl<T> Untrusted<T> {
    pub(crate) fn new(surface: Surface, value: T) -> Self {
        Self { surface, value }
    }

    /// What it is, for [`Trust::of`] and for people.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// The thing itself, for whoever has the permit for it.
    pub fn open(&self, permit: &Permit) -> Option<&T> {
        (permit.hash == self.surface.hash).then_some(&self.value)
    }
}

/// The variables that a trusted server's settings may name.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Variables {
    /// The user's environment without our own variables and the keys of endpoints.
    pub(crate) user: BTreeMap<String, String>,
    /// The project's `.env` without what steers programs.
    pub(crate) project: BTreeMap<String, String>,
}

impl Variables {
    pub(crate) fn get(&self, name: &str) -> Option<&String> {
        self.user.get(name).or_else(|| self.project.get(name))
    }
}

/// What the surfaces are found in.
#[derive(Default)]
pub(crate) struct Brought {
    pub(crate) declared: Vec<Declared>,
    pub(crate) plugins: Vec<(Plugin, serde_json::Value, String)>,
    pub(crate) skill_folders: Vec<PathBuf>,
    pub(crate) prompt: Option<Prompted>,
    pub(crate) variables: Variables,
}

impl Trust {
    /// Finds the surfaces of a root and reads what the user said about them.
    pub(crate) fn load(root: &Path, home: &Path, brought: Brought, flags: &Flags) -> Result<Self, ConfigError> {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let mut surfaces = find::surfaces(&root, &brought);
        let plugins: Vec<Untrusted<Plugin>> = brought
            .plugins
            .into_iter()
            .map(|(plugin, value, place)| {
                Untrusted::new(find::plugin(&root, &plugin, &value, place, &brought.variables), plugin)
            })
            .collect();
        surfaces.extend(plugins.iter().map(|plugin| plugin.surface.clone()));
        let known = if surfaces.is_empty() { Vec::new() } else { Book::read(home)?.of(&root) };
        let locked = flags.trust_lock.as_deref().map(Lock::read).transpose()?.unwrap_or_default();
        let (home, variables, once) = (home.to_owned(), brought.variables, flags.trust_once);
        Ok(Self { root, home, surfaces, known, once, locked, plugins, variables })
    }

    /// Takes in what git would execute here: each file by its name, with what it runs. Found elsewhere, because it is no
    /// matter of settings.
    pub fn with_git(mut self, found: Vec<(String, Vec<u8>)>) -> Result<Self, ConfigError> {
        if found.is_empty() {
            return Ok(self);
        }
        let (each, rest) = found.split_at(found.len().min(MOST_GIT));
        let one = |name: &str, parts: Vec<SurfacePiece>| {
            Surface::new(SurfaceKind::Git, name, name.to_owned(), parts, Vec::new()).sealed(&self.root)
        };
        let mut surfaces: Vec<Surface> =
            each.iter().map(|(name, bytes)| one(name, vec![SurfacePiece::bytes(name.as_str(), bytes)])).collect();
        if !rest.is_empty() {
            let parts = rest.iter().map(|(name, bytes)| SurfacePiece::bytes(name.as_str(), bytes)).collect();
            surfaces.push(one("more", parts));
        }
        self.surfaces.extend(surfaces);
        self.known = Book::read(&self.home)?.of(&self.root);
        Ok(self)
    }

    /// Takes in the command that checks edits here, where nobody named one, and the file that it was found by.
    pub fn with_detected(mut self, line: &str, file: &str) -> Result<Self, ConfigError> {
        let parts = vec![SurfacePiece::text(line, line)];
        self.surfaces
            .push(Surface::new(SurfaceKind::Detected, line, file.to_owned(), parts, Vec::new()).sealed(&self.root));
        self.known = Book::read(&self.home)?.of(&self.root);
        Ok(self)
    }

    /// Whether the user trusts this command as the one that checks edits here.
    pub fn trusts_detected(&self, line: &str) -> bool {
        let is_it = |surface: &&Surface| surface.kind == SurfaceKind::Detected && surface.name == line;
        let found = self.surfaces.iter().find(is_it);
        self.once || found.is_some_and(|surface| matches!(self.of(surface), Standing::Trusted(_)))
    }

    /// What the project's settings say of validation, where the user trusts exactly that.
    pub fn validation(&self) -> Option<serde_json::Value> {
        let surface = self.surfaces.iter().find(|surface| surface.kind == SurfaceKind::Validation)?;
        match self.of(surface) {
            Standing::Trusted(_) => serde_json::from_str(surface.said()?).ok(),
            _ => None,
        }
    }

    /// The root it is about, links resolved.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Everything that would be executed.
    pub fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }

    /// The project's MCP servers.
    pub fn plugins(&self) -> &[Untrusted<Plugin>] {
        &self.plugins
    }

    /// The surfaces that are hooks, or files of theirs, each with the text that has them. What stands in the settings comes
    /// first, then the files by their names.
    pub fn hooks(&self) -> Vec<(Surface, Option<String>)> {
        let hooks = self.surfaces.iter().filter(|surface| surface.kind == SurfaceKind::Hook);
        hooks.map(|surface| (surface.clone(), surface.said().map(str::to_owned))).collect()
    }

    /// The folder of the user's that says what they trust.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Takes these hooks of the settings, and those of files as they are now, in place of the ones that were found before. What
    /// the user trusts is read anew too.
    pub(crate) fn renew_hooks(&mut self, declared: &[Declared]) -> Result<(), ConfigError> {
        let mut found = find::stated_hooks(&self.root, declared);
        found.extend(find::hook_files(&self.root));
        self.surfaces.retain(|surface| surface.kind != SurfaceKind::Hook);
        self.surfaces.extend(found);
        self.known = Book::read(&self.home)?.of(&self.root);
        Ok(())
    }

    /// The system prompt that the project brings and the place that names it, where the user trusts exactly that one.
    pub fn prompt(&self) -> Option<(String, String)> {
        let surface = self.surfaces.iter().find(|surface| surface.kind == SurfaceKind::Prompt)?;
        match self.of(surface) {
            Standing::Trusted(_) => Some((surface.parts.first()?.text.clone()?, surface.place.clone())),
            _ => None,
        }
    }

    /// Whether the user trusts this surface, as it is on disk at this moment.
    pub fn of(&self, surface: &Surface) -> Standing {
        if let Some(reason) = &surface.blocked {
            return Standing::Refused { reason: reason.clone() };
        }
        let now = surface.again(&self.root);
        if now.hash != surface.hash {
            return Standing::Changed { changes: surface.changes_to(&now) };
        }
        let entry = self.known.iter().find(|entry| entry.is(surface));
        let trusted = entry.is_some_and(|entry| entry.hash == surface.hash);
        if self.once || trusted || self.locked.contains(&surface.hash) {
            return Standing::Trusted(Permit { hash: surface.hash.clone() });
        }
        match entry {
            Some(entry) => Standing::Changed { changes: entry.changes_to(surface, &book::texts(&self.home)) },
            None => Standing::Unknown,
        }
    }

    /// The surfaces that are off, and why.
    pub fn untrusted(&self) -> Vec<(&Surface, Standing)> {
        let judged = self.surfaces.iter().map(|surface| (surface, self.of(surface)));
        judged.filter(|(_, standing)| !matches!(standing, Standing::Trusted(_))).collect()
    }

    /// What an answer is about: every surface as it was shown.
    pub fn digest(&self) -> String {
        let all: Vec<&str> = self.surfaces.iter().map(|surface| surface.hash.as_str()).collect();
        surface::hash_of(&all)
    }

    /// Keeps the user's yes to all surfaces as they were shown. What cannot be trusted is left out.
    pub fn grant(&mut self) -> Result<(), ConfigError> {
        let kept: Vec<&Surface> = self.surfaces.iter().filter(|surface| surface.blocked.is_none()).collect();
        let entries: Vec<Entry> = kept.into_iter().map(Entry::of).collect();
        book::keep_texts(&self.home, &self.surfaces)?;
        Book::change(&self.home, |book| book.set(&self.root, entries.clone()))?;
        self.known = entries;
        Ok(())
    }

    /// Takes every yes for this root back. True when there was one.
    pub fn revoke(&mut self) -> Result<bool, ConfigError> {
        self.known = Vec::new();
        let root = self.root.clone();
        Book::change(&self.home, |book| book.forget(&root))
    }

    /// The text of a lock file: exactly these contents, wherever they are checked out.
    pub fn lock(&self) -> String {
        Lock::text(&self.surfaces)
    }

    /// A trusted server with `${NAME}` put in: from the user's environment, then from the project's `.env`; never the
    /// keys of endpoints or our own variables. None when the permit is for something else.
    pub fn plugin(&self, plugin: &Untrusted<Plugin>, permit: &Permit) -> Option<Result<Plugin, Unset>> {
        plugin.open(permit).map(|plugin| plugin.expanded(&|name| self.variables.get(name).cloned()))
    }
}
