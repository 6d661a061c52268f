//! Files that sessions believe, such as `AGENTS.md` and what it brings in. A change to one by a file tool is asked about where its
//! name says what it is; a program that a command runs can change any of them, and that is said.

use reasonix_agent::{About, Aspect, BoxFuture, Class};
use reasonix_policy::is_protected;
use reasonix_proto::{Family, PartKind, Phrase, ToolOutcome};
use reasonix_state::outbox::Outbox;
use reasonix_world::spec::Start;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Files that would be believed if they were there.
const NAMES: &[&str] = &["AGENTS.md", "REASONIX.md", "CLAUDE.md", ".claude/CLAUDE.md"];
/// So many are named at once.
const MOST: usize = 5;

/// What tells a file from what it was: nobody in a box can set when an inode changed.
type Stamp = Option<(u64, u64, i64, i64)>;

/// Says when a call changed what sessions believe.
pub(crate) struct Believed {
    folder: PathBuf,
    seen: Mutex<BTreeMap<PathBuf, Stamp>>,
    outbox: Arc<Outbox>,
}

impl Believed {
    pub(crate) fn of(start: &Start, outbox: &Arc<Outbox>) -> Arc<Self> {
        let folder = start.workspace.root().to_owned();
        let read = start.rules.iter().filter(|file| file.kind != PartKind::Ignored).map(|file| file.path.clone());
        let files = read.chain(NAMES.iter().map(|name| folder.join(name)));
        let seen = files.map(|path| (path.clone(), stamp(&path))).collect();
        Arc::new(Self { folder, seen: Mutex::new(seen), outbox: Arc::clone(outbox) })
    }

    /// The files that are not what they were, which they are from now on.
    fn changed(&self) -> Vec<String> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = Vec::new();
        for (path, was) in seen.iter_mut() {
            let now = stamp(path);
            if now != *was {
                *was = now;
                changed.push(path.strip_prefix(&self.folder).unwrap_or(path).display().to_string());
            }
        }
        changed
    }
}

fn stamp(path: &Path) -> Stamp {
    let found = std::fs::metadata(path).ok()?;
    Some((found.ino(), found.len(), found.ctime(), found.ctime_nsec()))
}

impl Aspect for Believed {
    fn at_outcome<'a>(&'a self, about: About<'a>, outcome: ToolOutcome) -> BoxFuture<'a, ToolOutcome> {
        if about.class != Class::Reader {
            let mut changed = self.changed();
            // Somebody was asked about these by their names.
            changed.retain(|path| about.action.family != Family::Edit || !is_protected(path));
            if !changed.is_empty() {
                changed.truncate(MOST);
                let phrase = Phrase::new("engine.believed_changed").with("files", changed.join(", "));
                self.outbox.warn(phrase.with("tool", about.tool));
            }
        }
        Box::pin(async { outcome })
    }
}
