//! Rules that are about certain files: they come once, with the first call that reads or changes such a file. So do the rules
//! files of folders below the working folder. What a session began with stays as it was.

use reasonix_agent::{About, Aspect, BoxFuture};
use reasonix_extensions::Shelf;
use reasonix_policy::Rule;
use reasonix_proto::{Family, Record, RecordBody, ToolOutcome, fenced, unhidden};
use reasonix_state::{Observer, SessionState};
use reasonix_workspace::Workspace;
use reasonix_world::prompt::clipped;
use reasonix_world::spec::Start;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The names of rules files in a folder, in the order in which one stands for the others.
const NAMES: &[&[&str]] = &[&["AGENTS.md", "REASONIX.md"], &["CLAUDE.md"]];
/// Folders with what somebody else wrote, or what was made: nobody here agreed to what it says.
const FOREIGN: &[&str] = &["node_modules", "vendor", "third_party", "site-packages", "target", "dist", "build"];
/// What is read of one.
const MOST_LINES: usize = 1000;
const MOST_BYTES: usize = 16 * 1024;
/// One may take this part of the window, and so many tokens where nobody knows the window.
const SHARE: u64 = 50;
const USUAL: u64 = 2_560;
/// So many come with one call.
const MOST: usize = 4;

/// Tells a model the rules for what it works on.
pub(crate) struct Nearby(Arc<Inner>);

struct Inner {
    shelf: Shelf,
    workspace: Workspace,
    denied: Vec<Rule>,
    /// Tokens of one.
    room: u64,
    /// What stands in the prompt.
    known: BTreeSet<PathBuf>,
    /// What was told in the conversation as it is, or is known to say nothing.
    told: Mutex<BTreeSet<PathBuf>>,
}

impl Nearby {
    pub(crate) fn of(start: &Start, window: u64) -> Arc<Self> {
        let room = if window == 0 { USUAL } else { window / SHARE };
        let (shelf, workspace, denied) = (start.shelf().clone(), start.workspace.clone(), start.denied(true));
        // What stands in the prompt is known; so is what its links lead to.
        let known: BTreeSet<PathBuf> = start.rules.iter().filter_map(|file| file.path.canonicalize().ok()).collect();
        let told = Mutex::new(known.clone());
        Arc::new(Self(Arc::new(Inner { shelf, workspace, denied, room, known, told })))
    }

    /// An observer that has it told again what is no longer in the conversation.
    pub(crate) fn watch(&self) -> RulesLeft {
        RulesLeft(Arc::clone(&self.0))
    }
}

/// Sees when the conversation no longer has what was told.
pub(crate) struct RulesLeft(Arc<Inner>);

impl Observer for RulesLeft {
    fn after(&mut self, record: &Record, _state: &SessionState) -> Vec<RecordBody> {
        if matches!(record.body, RecordBody::Compacted(_) | RecordBody::Moved { .. } | RecordBody::Rewound(_)) {
            self.0.known.clone_into(&mut self.0.told.lock().unwrap_or_else(PoisonError::into_inner));
        }
        Vec::new()
    }
}

impl Aspect for Nearby {
    fn after_call<'a>(&'a self, about: About<'a>, outcome: ToolOutcome) -> BoxFuture<'a, ToolOutcome> {
        let touches = matches!(about.action.family, Family::Read | Family::Edit);
        if !touches || !matches!(outcome, ToolOutcome::Done { .. }) || about.action.subjects.is_empty() {
            return Box::pin(async { outcome });
        }
        let (inner, paths) = (Arc::clone(&self.0), about.action.subjects.clone());
        Box::pin(async move {
            let found = tokio::task::spawn_blocking(move || inner.notes(&paths)).await.unwrap_or_default();
            if found.is_empty() { outcome } else { outcome.preceded_by(found.join("\n")) }
        })
    }
}

/// True for a folder whose last name says that it is not the project's own.
fn is_foreign(folder: &Path) -> bool {
    let name = folder.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    name.starts_with('.') || FOREIGN.contains(&name.as_str())
}

impl Inner {
    /// What there is to tell of these files.
    fn notes(&self, paths: &[String]) -> Vec<String> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let mut notes = Vec::new();
        for path in paths.iter().map(Path::new).filter(|path| path.is_relative()) {
            let wanted = |file: &Path| !told.contains(file);
            let rule = self
                .shelf
                .rules()
                .rules
                .iter()
                .filter(|rule| !rule.always && rule.stream.is_none() && rule.is_about(path));
            let rules: Vec<_> = rule.filter(|rule| wanted(&rule.file)).collect();
            let files: Vec<_> = self.below(path).into_iter().filter(|(_, real)| wanted(real)).collect();
            for rule in rules.into_iter().take(MOST.saturating_sub(notes.len())) {
                told.insert(rule.file.clone());
                notes.extend(self.note(&format!("rule://{}", rule.name), &rule.text));
            }
            for (name, real) in files.into_iter().take(MOST.saturating_sub(notes.len())) {
                told.insert(real);
                notes.extend(self.read(&name).and_then(|text| self.note(&name, &text)));
            }
        }
        notes
    }

    /// The rules files of the folders on the way to a file, as the workspace shows them and where they are.
    fn below(&self, path: &Path) -> Vec<(String, PathBuf)> {
        let mut found = Vec::new();
        let mut folders: Vec<&Path> =
            path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()).collect();
        folders.reverse();
        for folder in folders.into_iter().take_while(|folder| !is_foreign(folder)) {
            for names in NAMES {
                let there = names.iter().filter_map(|name| {
                    let shown = folder.join(name);
                    let real = self.workspace.root().join(&shown).canonicalize().ok()?;
                    Some((shown.to_string_lossy().into_owned(), real))
                });
                let there: Vec<_> = there.collect();
                if !there.is_empty() {
                    found.extend(there);
                    break;
                }
            }
        }
        found
    }

    /// What one says, within the workspace's boundary and the user's rules.
    fn read(&self, name: &str) -> Option<String> {
        let names = [self.workspace.shown(name), self.workspace.real(name).ok()?];
        if self.denied.iter().any(|rule| names.iter().any(|name| rule.speaks_of_reading(name))) {
            return None;
        }
        let window = self.workspace.read_lines(name, 1, MOST_LINES, MOST_BYTES).ok()?;
        Some(unhidden(window.lines.join("\n").trim()).text.into_owned())
    }

    fn note(&self, source: &str, text: &str) -> Option<String> {
        let short = clipped(text, self.room);
        let cut = if short.len() < text.len() { "\n[cut: read the file for the rest]" } else { "" };
        (!short.is_empty()).then(|| {
            format!(
                "[Rules for this file; follow them]\n{}",
                fenced("rules", &[("from", source)], &format!("{short}{cut}"))
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Inner, RulesLeft};
    use reasonix_extensions::{ExtensionPlaces, Shelf};
    use reasonix_proto::{Mode, MoveReason, Record, RecordBody, RecordId};
    use reasonix_state::{Observer, SessionState};
    use reasonix_workspace::{Options, Workspace};
    use std::collections::BTreeSet;
    use std::fs;
    use std::sync::{Arc, Mutex};

    #[test]
    fn what_the_conversation_no_longer_has_is_told_again() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".reasonix/rules")).unwrap();
        fs::create_dir_all(folder.path().join("web")).unwrap();
        fs::write(folder.path().join(".reasonix/rules/ts.md"), "---\nglobs: \"*.ts\"\n---\nNo any.").unwrap();
        fs::write(folder.path().join("web/AGENTS.md"), "Tabs.").unwrap();
        let known = BTreeSet::from([folder.path().join("web/AGENTS.md").canonicalize().unwrap()]);
        let places = ExtensionPlaces { project: folder.path().to_owned(), ..ExtensionPlaces::default() };
        let inner = Arc::new(Inner {
            shelf: Shelf::new(places, |_| false),
            workspace: Workspace::open(folder.path(), Options::default()).unwrap(),
            denied: Vec::new(),
            room: 1000,
            told: Mutex::new(known.clone()),
            known,
        });
        let told = || inner.notes(&["web/a.ts".to_owned()]).len();
        assert_eq!((told(), told()), (1, 0), "what stands in the prompt is not told, the rest once");
        let body = RecordBody::Moved { to: RecordId(1), why: MoveReason::Rewind };
        let record = Record { id: RecordId(9), parent: None, at: 0, body };
        RulesLeft(Arc::clone(&inner)).after(&record, &SessionState::new("m".to_owned(), None, Mode::Build));
        assert_eq!((told(), told()), (1, 0));
    }
}
