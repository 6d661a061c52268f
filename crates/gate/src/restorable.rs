//! `--approve workspace-destructive`: what it needs, and which dangers it answers. It never answers what undo could not
//! bring back. In a chat that begins with it the rest is asked about; in any other the same word can be granted for a session,
//! for less: `rm`, `mv` and `>`.

use super::Approvals;
use super::files::{Files, resolved};
use reasonix_agent::Ask;
use reasonix_policy::{Effects, LineDanger, Simple, Verdict, Word, WordKind, analyse, stays_in_workspace};
use reasonix_proto::{CallId, Family, ReadOnly};
use reasonix_workspace::snapshot::Uncovered;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

/// What stands for it among the rules of `--approve`.
pub const WORD: &str = "workspace-destructive";

/// Programs that touch nothing but what their words name.
const PROGRAMS: &[&str] = &["rm", "unlink", "truncate", "mv", "chmod", "find", "git"];

/// So many files are looked at for the history of a repository among them.
const MOST_FILES: usize = 50_000;

const NOT_CERTAIN: &str = "it is not certain that nothing but files of this folder is touched";

impl Approvals {
    /// Why the word does not answer these dangers; none when it does.
    pub(super) async fn lack(&self, ask: &Ask<'_>, found: &[LineDanger], effects: &[Effects]) -> Option<String> {
        if goes_on(ask) {
            return Some("undo does not cover what a command does behind its call".to_owned());
        }
        if !self.standing.walled {
            return Some("it needs sandbox level full, which commands do not have here".to_owned());
        }
        let Some(undo) = self.undo.upgrade() else {
            return Some("it needs undo, which is off in this session".to_owned());
        };
        let touched = if stays_in_workspace(found) { touched(&self.files, found, effects) } else { None };
        let Some(touched) = touched else { return Some(NOT_CERTAIN.to_owned()) };
        let Some(uncovered) = undo.uncovered().await else {
            return Some("it needs undo, which does not work in this folder".to_owned());
        };
        let root = self.files.workspace().root();
        touched.iter().find_map(|path| lost(root, path, &uncovered))
    }
}

/// Programs whose dangers a person may grant for a session.
const GRANTED: &[&str] = &["rm", "mv"];

impl Approvals {
    /// Whether a grant for the session may be offered for these dangers: nothing but `rm`, `mv`, `>` and readers, on what undo
    /// covers, in a box of level `full`; and where nobody wants a person to be asked whatever was granted.
    pub(super) async fn may_be_granted(&self, ask: &Ask<'_>, found: &[LineDanger]) -> bool {
        if ask.classified.asks.is_some() {
            return false;
        }
        let effects = super::classify::found(ask);
        let is_granted =
            |simple: &Simple| simple.words.first().is_some_and(|word| GRANTED.contains(&word.text.as_str()));
        let few = found.iter().all(|danger| danger.command.as_ref().is_none_or(&is_granted) && !danger.hidden);
        let reads = |simple: &Simple| analyse(&simple.text()).read_only == ReadOnly::Yes;
        let alone =
            effects.iter().all(|effects| effects.commands.iter().all(|simple| is_granted(simple) || reads(simple)));
        few && alone && self.lack(ask, found, &effects).await.is_none()
    }

    /// Whether a grant of this session, or whoever started it with the word, answers these dangers. Everything else that speaks
    /// of the call still counts.
    pub(super) async fn was_granted(&self, ask: &Ask<'_>, found: &[LineDanger]) -> bool {
        let granted = || {
            let granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
            granted.iter().any(|rule| rule.text() == WORD)
        };
        let answered = match self.standing.restorable {
            true => {
                ask.classified.asks.is_none() && self.lack(ask, found, &super::classify::found(ask)).await.is_none()
            }
            false => granted() && self.may_be_granted(ask, found).await,
        };
        answered && matches!(self.verdict(ask, Some(WORD)), Verdict::Allow(_))
    }
}

/// So many calls are remembered; one that still runs is among the last.
const MOST_CALLS: usize = 64;

impl Approvals {
    /// A call runs because of the word.
    pub(super) fn note_word(&self, call: &CallId) {
        let mut calls = self.by_word.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push_back(call.clone());
        if calls.len() > MOST_CALLS {
            calls.pop_front();
        }
    }

    /// Whether a call runs because undo takes back what it does: then it ends with its turn at the latest, and does not go on
    /// behind its call.
    pub fn is_by_word(&self, call: &CallId) -> bool {
        self.by_word.lock().unwrap_or_else(PoisonError::into_inner).contains(call)
    }
}

/// Whether a command goes on behind its call: whatever its words read like, its tool says that it may write.
fn goes_on(ask: &Ask<'_>) -> bool {
    ask.action.family == Family::Bash && ask.tool.action(ask.args).read_only == ReadOnly::No
}

/// Every place that the dangers touch; none when that cannot be told.
fn touched(files: &Files, found: &[LineDanger], effects: &[Effects]) -> Option<Vec<PathBuf>> {
    // A link that the line makes, or code, may lead a name elsewhere.
    let bends = |effects: &Effects| {
        effects.interprets || effects.alters || effects.commands.iter().any(|simple| simple.program() == "ln")
    };
    if effects.iter().any(bends) {
        return None;
    }
    let mut places = Vec::new();
    for danger in found {
        if let Some(simple) = &danger.command {
            places.extend(by_command(files, simple)?);
            continue;
        }
        let writes = effects.iter().flat_map(|effects| &effects.writes);
        for write in writes.filter(|write| write.path.as_ref().is_none_or(|path| danger.touches.contains(path))) {
            places.extend(files.candidates(&write.places, write.path.as_deref()?)?);
        }
    }
    Some(places)
}

fn by_command(files: &Files, simple: &Simple) -> Option<Vec<PathBuf>> {
    let named = simple.words.first().is_some_and(|word| PROGRAMS.contains(&word.text.as_str()));
    let elsewhere = |word: &Word| word.text.starts_with('-') && word.text.contains(['/', '=']);
    if !named || simple.args().iter().any(elsewhere) {
        return None;
    }
    if simple.program() == "git" {
        return cleaned(files, simple);
    }
    let words = if simple.program() == "find" { starting_points(simple) } else { simple.operands() };
    if words.is_empty() {
        return files.candidates(&simple.places, ".");
    }
    let mut places = Vec::new();
    for word in words {
        places.extend(files.candidates(&simple.places, &fixed_part(simple, word)?)?);
    }
    Some(places)
}

/// `git clean` spares the history, but may take everything else.
fn cleaned(files: &Files, simple: &Simple) -> Option<Vec<PathBuf>> {
    if simple.args().first().is_none_or(|word| word.text != "clean") {
        return None;
    }
    let mut places = files.candidates(&simple.places, ".")?;
    if places.iter().any(|place| resolved(place) != files.workspace().root()) {
        return None;
    }
    places.clear();
    for entry in std::fs::read_dir(files.workspace().root()).ok()? {
        let path = entry.ok()?.path();
        places.extend((!path.ends_with(".git")).then_some(path));
    }
    Some(places)
}

/// Where `find` begins; empty for the folder it runs in.
fn starting_points(simple: &Simple) -> Vec<&Word> {
    simple.args().iter().take_while(|word| !word.text.starts_with(['-', '(', '!'])).collect()
}

/// The word, or the folder that a pattern looks in; none for what only the shell knows.
fn fixed_part(simple: &Simple, word: &Word) -> Option<String> {
    if word.is_fixed() {
        return Some(word.text.clone());
    }
    // Other programs follow the links that a pattern finds, and so would a pattern that goes on below them.
    let takes_links = !matches!(simple.program(), "rm" | "unlink" | "mv");
    if word.kind != WordKind::Pattern || takes_links || word.text.contains('{') {
        return None;
    }
    let (folder, name) = word.text.rsplit_once('/').unwrap_or((".", &word.text));
    let plain = !folder.contains(['*', '?', '[']) && !name.is_empty();
    plain.then(|| format!("{folder}/"))
}

/// What would be lost at this place for good; none when undo covers all of it.
fn lost(root: &Path, path: &Path, uncovered: &[Uncovered]) -> Option<String> {
    let real = resolved(path);
    // A link itself is at one place, and what it leads to at another.
    let itself = path.file_name().zip(path.parent()).map(|(name, parent)| resolved(parent).join(name));
    for place in [Some(real.clone()), itself].into_iter().flatten() {
        let Ok(below) = place.strip_prefix(root) else { return Some(NOT_CERTAIN.to_owned()) };
        if below.components().any(|part| part.as_os_str() == ".git") {
            return Some(format!("undo does not cover {}", below.display()));
        }
        let meets = |left: &&Uncovered| {
            let left = left.path.as_path();
            left.starts_with(below) || below.starts_with(left)
        };
        if let Some(left) = uncovered.iter().find(meets) {
            return Some(format!("undo does not cover {} ({})", left.path.shown(), left.reason.word()));
        }
    }
    history_below(&real)
        .map(|found| format!("undo does not cover {}", found.strip_prefix(root).unwrap_or(&found).display()))
}

/// The history of a repository at or below this place; also where there is too much to look at.
fn history_below(place: &Path) -> Option<PathBuf> {
    let mut folders = vec![place.to_owned()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if seen > MOST_FILES || (is_folder && entry.file_name() == ".git") {
                return Some(entry.path());
            }
            if is_folder {
                folders.push(entry.path());
            }
        }
    }
    None
}
