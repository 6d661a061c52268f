//! What is known about files when a command is judged: is something there, did this session make it, is it inside.

use reasonix_policy::{Effects, Facts, Places, Target, WordKind, is_public};
use reasonix_proto::{CallId, ChangeKind, Record, RecordBody, ToolOutcome};
use reasonix_workspace::Workspace;
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Programs that look at no file, whatever their words are.
const WORDS_ONLY: &[&str] = &["echo", "printf", "true", "false", ":", "expr", "seq", "sleep", "exit", "return", "date"];

/// Places that a box has of its own.
const OWN: &[&str] = &["/tmp", "/var/tmp", "/dev", "/proc"];

/// Folders for temporary files that a box of level `full` has of its own.
const OWN_TEMPORARY: &[&str] = &["/tmp", "/var/tmp"];

/// The files of a session.
pub(super) struct Files {
    workspace: Workspace,
    /// Commands run in a box of level `full`.
    walled: bool,
    /// Made by this session, with links resolved.
    made: Mutex<HashSet<PathBuf>>,
    /// Not there when the call was let through, and perhaps made by it.
    awaited: Mutex<HashMap<CallId, Vec<PathBuf>>>,
}

impl Files {
    pub(super) fn new(workspace: Workspace, walled: bool) -> Self {
        Self { workspace, walled, made: Mutex::default(), awaited: Mutex::default() }
    }

    pub(super) fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Remembers what a call would make that is not there yet.
    pub(super) fn await_made(&self, call: &CallId, effects: &[Effects]) {
        let writes = effects.iter().flat_map(|effects| &effects.writes);
        let absent: Vec<PathBuf> = writes
            .filter_map(|write| Some((write.path.as_deref()?, &write.places)))
            .flat_map(|(path, places)| self.candidates(places, path).unwrap_or_default())
            .filter(|path| path.symlink_metadata().is_err())
            .collect();
        if !absent.is_empty() {
            self.awaited.lock().unwrap_or_else(PoisonError::into_inner).insert(call.clone(), absent);
        }
    }

    /// Takes in what a call came to.
    pub(super) fn ended(&self, record: &Record) {
        let RecordBody::Outcome { call, outcome, .. } = &record.body else { return };
        let awaited = self.awaited.lock().unwrap_or_else(PoisonError::into_inner).remove(call);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let ran = !matches!(outcome, ToolOutcome::Denied { .. });
        for path in awaited.into_iter().flatten().filter(|_| ran) {
            if path.symlink_metadata().is_ok_and(|found| found.is_file()) {
                made.extend(path.canonicalize());
            }
        }
        let ToolOutcome::Done { details, .. } = outcome else { return };
        for change in &details.changes {
            let path = self.workspace.root().join(&change.path);
            let real = path.canonicalize();
            match &change.kind {
                ChangeKind::Created => made.extend(real),
                ChangeKind::Moved { from } => {
                    if made.remove(&self.workspace.root().join(from)) {
                        made.extend(real);
                    }
                }
                ChangeKind::Deleted => {
                    made.remove(&path);
                }
                ChangeKind::Updated | ChangeKind::Unchanged => {}
            }
        }
    }

    /// True when a command may look at files that are not open to the file tools. Where a kernel holds it to what it may
    /// read, only what it names for certain counts: everything else it finds closed.
    pub(super) fn looks_outside(&self, effects: &Effects, held: bool) -> bool {
        let unknown =
            !held
                && effects.commands.iter().filter(|simple| !WORDS_ONLY.contains(&simple.program())).any(|simple| {
                    simple.args().iter().any(|word| word.kind > WordKind::Pattern) || !simple.places.known
                });
        unknown
            || effects.paths().any(|(path, places)| {
                // Most words are no files, and that is told without following links.
                let candidates = self.candidates(places, path);
                let untold = held && !path.starts_with('~');
                candidates.map_or(!untold, |paths| {
                    let closed = |path: &&PathBuf| !is_public(&path.to_string_lossy(), held);
                    let there = |path: &PathBuf| path.symlink_metadata().is_ok() && !self.look(path).inside;
                    paths.iter().filter(closed).any(there)
                })
            })
    }

    /// True when a pattern of a command may find a link, and so lead elsewhere.
    pub(super) fn finds_links(&self, effects: &Effects) -> bool {
        let patterns = effects.commands.iter().flat_map(|simple| {
            let words = simple.args().iter().filter(|word| word.kind == WordKind::Pattern);
            words.map(|word| (word.text.as_str(), &simple.places))
        });
        patterns.into_iter().any(|(text, places)| {
            let fixed = text.split(['*', '?', '[']).next().unwrap_or_default();
            let goes_on = text.get(fixed.len()..).is_some_and(|rest| rest.contains('/'));
            let folder = fixed.rsplit_once('/').map_or(".", |(folder, _)| folder);
            let candidates = self.candidates(places, folder).unwrap_or_default();
            let has_link = |folder: &PathBuf| {
                let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
                entries.into_iter().any(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()))
            };
            goes_on || candidates.is_empty() || candidates.iter().any(has_link)
        })
    }

    /// True when a command names a place that is there and that nobody opened to it, or something new beside such places.
    pub(super) fn names_outside(&self, effects: &Effects) -> bool {
        let writes = effects.writes.iter().filter_map(|write| Some((write.path.as_deref()?, &write.places)));
        let mut named = effects.paths().chain(writes).flat_map(|(path, places)| {
            // Words that lead nowhere else are not looked at.
            let leads = path.starts_with('/') || path.contains("..");
            leads.then(|| self.candidates(places, path)).flatten().unwrap_or_default()
        });
        let is_there = |path: &Path| {
            let beside = path.parent().filter(|folder| folder.components().count() > 1);
            path.exists() || beside.is_some_and(Path::is_dir)
        };
        named.any(|path| is_there(&path) && !OWN.iter().any(|own| path.starts_with(own)) && !self.look(&path).inside)
    }

    /// What commands would read, in the form that rules have; only what is there.
    pub(super) fn read_by(&self, effects: &[Effects]) -> Vec<String> {
        let paths = effects.iter().flat_map(Effects::paths);
        let there = paths.flat_map(|(path, places)| self.candidates(places, path).unwrap_or_default());
        self.named(there.filter(|path| path.exists()))
    }

    /// What commands would write, in the form that rules have.
    pub(super) fn written_by(&self, effects: &[Effects]) -> Vec<String> {
        let writes = effects.iter().flat_map(|effects| &effects.writes);
        let known = writes.filter_map(|write| self.candidates(&write.places, write.path.as_deref()?));
        self.named(known.flatten())
    }

    /// Each path as it is written and as it really is.
    fn named(&self, paths: impl Iterator<Item = PathBuf>) -> Vec<String> {
        let both = paths.flat_map(|path| {
            let text = path.to_string_lossy().into_owned();
            let real = resolved(&path).to_string_lossy().into_owned();
            [self.workspace.shown(&text), self.workspace.shown(&real)]
        });
        let mut names: Vec<String> = both.filter(|name| name != ".").collect();
        names.sort();
        names.dedup();
        names
    }

    /// A path in the forms that rules have: as it is written and as it really is. Nothing where it cannot be told.
    pub(super) fn seen_as(&self, places: &Places, path: &str) -> Vec<String> {
        let candidates = self.candidates(places, path).unwrap_or_default();
        let both = candidates.iter().flat_map(|path| [path.clone(), resolved(path)]);
        let mut names: Vec<String> = both.map(|path| self.workspace.shown(&path.to_string_lossy())).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Every place that the path may mean; none when that cannot be told.
    pub(super) fn candidates(&self, places: &Places, path: &str) -> Option<Vec<PathBuf>> {
        if path.starts_with('~') {
            return None;
        }
        if path.starts_with('/') {
            return Some(vec![PathBuf::from(path)]);
        }
        let root = self.workspace.root();
        places.known.then(|| places.dirs.iter().map(|dir| root.join(dir).join(path)).collect())
    }

    fn look(&self, path: &Path) -> Target {
        let exists = path.symlink_metadata().is_ok();
        let real = resolved(path);
        // What is closed to the file tools is not inside, wherever it lies.
        let inside = self.workspace.exists(&real.to_string_lossy()).is_ok();
        let ours = self.made.lock().unwrap_or_else(PoisonError::into_inner).contains(&real);
        // What is not there for us may be there in the box, whose folders for temporary files are the session's own.
        let direct = OWN_TEMPORARY.iter().any(|own| path.parent() == Some(Path::new(own)));
        let passing = self.walled && direct && !exists && !path.to_string_lossy().ends_with('/');
        Target { exists, folder: path.is_dir(), ours, inside, passing }
    }
}

impl Facts for Files {
    fn target(&self, places: &Places, path: &str) -> Target {
        let Some(candidates) = self.candidates(places, path) else { return Target::WORST };
        let looks: Vec<Target> = candidates.iter().map(|path| self.look(path)).collect();
        let there = || looks.iter().filter(|found| found.exists);
        Target {
            exists: there().next().is_some(),
            folder: there().next().is_some() && there().all(|found| found.folder),
            ours: there().next().is_some() && there().all(|found| found.ours),
            inside: !looks.is_empty() && looks.iter().all(|found| found.inside),
            passing: !looks.is_empty() && looks.iter().all(|found| found.passing),
        }
    }
}

/// The path with links resolved as far as it exists; the rest by its text.
pub(super) fn resolved(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut at = path;
    loop {
        if let Ok(real) = at.canonicalize() {
            return rest.iter().rev().fold(real, |path: PathBuf, part: &Component<'_>| match part {
                Component::ParentDir => path.parent().map_or_else(|| path.clone(), Path::to_path_buf),
                Component::CurDir => path,
                part => path.join(part),
            });
        }
        let mut parts = at.components();
        match parts.next_back() {
            Some(last) => rest.push(last),
            None => return path.to_path_buf(),
        }
        at = parts.as_path();
    }
}
