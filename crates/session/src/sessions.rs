//! The folder of sessions: making, finding, opening, copying and deleting them.

use crate::error::SessionError;
use crate::fold::{Fold, History};
use crate::journal::{FileJournal, MemoryJournal};
use crate::line;
use crate::list::{self, Summary};
use crate::load::{Damage, Loaded, load, mend};
use crate::log::{Log, Place};
use crate::outputs::{forget_outputs, names_with_nested};
use crate::past::Past;
use crate::recordings::Recordings;
use crate::specs::Beginning;
use crate::states::{States, states};
use reasonix_agent::Journal;
use reasonix_proto::{
    BUILD_AGENT, Origin, Phrase, RECORD_VERSION, Record, RecordBody, RecordId, SessionHead, SessionId,
};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The longest label that is taken.
const LONGEST_LABEL: usize = 200;

/// The sessions below a state folder.
#[derive(Debug, Clone)]
pub struct Sessions {
    folder: PathBuf,
}

/// A session that this process writes. The journal holds the session's lock; the last clone dropped frees it.
#[derive(Clone)]
pub struct Opened {
    /// Takes new records.
    pub journal: Arc<dyn Journal>,
    /// The session record.
    pub head: Record,
    /// What is in the log, also while it grows.
    pub past: Past,
    /// The conversation of the active branch.
    pub history: History,
    /// What the user should know about the file, such as a line that was dropped.
    pub notices: Vec<Phrase>,
}

/// A session that was only looked at.
#[derive(Debug, Clone)]
pub struct SeenSession {
    /// The session record.
    pub head: Record,
    /// What is in the log.
    pub past: Past,
    /// What is wrong with the file.
    pub damage: Damage,
    /// The same in words.
    pub notices: Vec<Phrase>,
}

/// More running sessions than this are not named.
const MOST_RUNNING: usize = 16;

impl Sessions {
    /// The sessions of this state folder; touches nothing.
    pub fn at(state: &Path) -> Self {
        Self { folder: state.join("sessions") }
    }

    /// Starts a session. Nothing is on disk before its first prompt.
    pub fn create(&self, begins: impl Into<Beginning>) -> Result<Opened, SessionError> {
        let (head, specs) = begins.into().into_parts();
        let place = self.place(head.session.clone());
        let path = place.log();
        let past = Past::of_file(place.clone(), crate::shape::Shape::default(), crate::marks::Marks::default());
        let mut log = Log::new(place, past.clone(), specs);
        let mut fold = Fold::default();
        let first = log.append(RecordBody::Session(head)).map_err(|error| no_room(&path, error.reason))?;
        fold.apply(first.clone());
        opened(log, &path, first, past, fold.finish(), Vec::new())
    }

    /// Opens a session by its id, or by the beginning or the end of it, and heals what a killed process left:
    /// afterwards every call has an outcome and every turn an end. `see` gets every record of the active branch.
    pub fn open(&self, wanted: &str, see: impl FnMut(&Record)) -> Result<Opened, SessionError> {
        self.open_if(wanted, |_| Ok(()), see)
    }

    /// The same for a session whose head is accepted; any other is left as it is.
    pub fn open_if<E: From<SessionError>>(
        &self,
        wanted: &str,
        fits: impl FnOnce(&SessionHead) -> Result<(), E>,
        mut see: impl FnMut(&Record),
    ) -> Result<Opened, E> {
        let place = self.place(self.find(wanted)?);
        let path = place.log();
        let lock = place.lock()?;
        let mut loaded = load(&place)?;
        if let RecordBody::Session(head) = &loaded.head.body {
            fits(head)?;
        }
        let mut notices = loaded.damage.phrases(&place);
        notices.extend(mend(&place, &mut loaded)?);
        let Loaded { head, shape, marks, whole, .. } = loaded;
        let past = Past::of_file(place.clone(), shape, marks);
        let mut log = Log::resume(place, lock, past.clone(), (whole, version_of(&head)))?;
        let mut fold = Fold::sparing();
        past.each_active(|record| {
            see(&record);
            fold.apply(record);
            drop(fold.let_go());
        })
        .map_err(SessionError::io(&path))?;
        for body in fold.missing() {
            let record = log.append(body).map_err(|error| no_room(&path, error.reason))?;
            see(&record);
            fold.apply(record);
        }
        let history = past.told_by(fold, past.leaf());
        Ok(opened(log, &path, head, past, history, notices)?)
    }

    /// Looks at a session without taking or changing it; another process may be writing it.
    pub fn look(&self, wanted: &str) -> Result<SeenSession, SessionError> {
        let place = match self.find(wanted) {
            // Subagents are in no list, and can be looked at by their ids.
            Err(SessionError::NotFound { .. }) if self.children().find(wanted).is_ok() => {
                self.children().place(self.children().find(wanted)?)
            }
            found => self.place(found?),
        };
        let Loaded { head, shape, marks, damage, .. } = load(&place)?;
        let mut notices = damage.phrases(&place);
        if damage.torn > 0 {
            let phrase = Phrase::new("session.unfinished").with("bytes", damage.torn);
            notices.push(phrase.with("path", place.log().display()));
        }
        let past = Past::of_file(place, shape, marks);
        Ok(SeenSession { head, past, damage, notices })
    }

    /// Looks at a session file wherever it lies, such as one that came with a report. Nothing of it is run.
    pub fn look_file(path: &Path) -> Result<SeenSession, SessionError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let stem = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .filter(|_| path.extension().is_some_and(|end| end == "jsonl"));
        let stem = stem.ok_or_else(|| SessionError::NotFound { wanted: path.display().to_string() })?;
        Self { folder: folder.to_owned() }.look(stem)
    }

    /// Copies the branch that leads to a record (the active one when none is named) into a new session with this
    /// head. In the same folder the old system prompt and tools are kept, so that what is cached of them stays of use.
    /// The other session stays as it is, and may be in use.
    pub fn fork(
        &self,
        wanted: &str,
        at: Option<RecordId>,
        begins: impl Into<Beginning>,
    ) -> Result<SessionId, SessionError> {
        let (head, specs) = begins.into().into_parts();
        let source = self.find(wanted)?;
        let seen = self.look(source.as_str())?;
        let missing = || SessionError::NoRecord { session: source.clone(), record: at.unwrap_or(RecordId(1)) };
        let last = at.or_else(|| seen.past.leaf()).ok_or_else(missing)?;
        let path = seen.past.path_to(last).ok_or_else(missing)?;
        let place = self.place(head.session.clone());
        let session = head.session.clone();
        let from = Some(Origin::Fork { session: source.clone(), record: last });
        let there = seen.past.history_at(last).map_err(SessionError::io(&place.log()))?.and_then(|there| there.head);
        let rejoins = rejoins(&seen.head.body, there.as_ref(), &head);
        // The specs that the old head names are there as long as one of the two sessions is.
        let (head, specs) = match seen.head.body {
            RecordBody::Session(old) if old.cwd == head.cwd => {
                (SessionHead { session: head.session, from, ..old }, None)
            }
            _ => (SessionHead { from, ..head }, specs),
        };
        let first = Record { body: RecordBody::Session(head), ..seen.head };
        let encoded = |record: &Record| line::encode(record).map_err(|error| no_room(&place.log(), error.to_string()));
        let mut bytes = encoded(&first)?;
        seen.past.copy_lines(path.get(1..).unwrap_or_default(), &mut bytes).map_err(SessionError::io(&place.log()))?;
        let (highest, at, _) = seen.past.with_shape(|shape, _| shape.highest());
        let mut parent = last;
        let labels = seen.past.marks().labels.into_iter().filter(|(record, _)| path.contains(record));
        let labels = labels.map(|(record, label)| RecordBody::Labelled { record, label });
        for body in rejoins.into_iter().chain(labels) {
            let id = RecordId(highest.max(parent.0) + 1);
            bytes.extend(encoded(&Record { id, parent: Some(parent), at, body })?);
            parent = id;
        }
        self.put(&place, specs.as_deref(), &bytes)?;
        Ok(session)
    }

    /// Makes a session out of these records, which came from somewhere else.
    pub fn import(
        &self,
        begins: impl Into<Beginning>,
        bodies: Vec<(u64, RecordBody)>,
    ) -> Result<SessionId, SessionError> {
        let (head, specs) = begins.into().into_parts();
        let session = head.session.clone();
        let place = self.place(session.clone());
        let at = bodies.first().map_or(0, |(at, _)| *at);
        let mut bytes = Vec::new();
        let mut latest = 0;
        for (index, (at, body)) in std::iter::once((at, RecordBody::Session(head))).chain(bodies).enumerate() {
            latest = at.max(latest);
            let parent = (index > 0).then_some(RecordId(index as u64));
            let record = Record { id: RecordId(index as u64 + 1), parent, at: latest, body };
            let line = line::encode(&record).map_err(|error| no_room(&place.log(), error.to_string()))?;
            bytes.extend_from_slice(&line);
        }
        self.put(&place, specs.as_deref(), &bytes)?;
        Ok(session)
    }

    /// Writes the log of a new session.
    pub(crate) fn write(&self, session: &SessionId, log: &[u8]) -> Result<(), SessionError> {
        self.put(&self.place(session.clone()), None, log)
    }

    fn put(&self, place: &Place, specs: Option<&[u8]>, bytes: &[u8]) -> Result<(), SessionError> {
        crate::specs::keep(&self.folder, specs).map_err(SessionError::io(&self.folder))?;
        reasonix_store::private_folder(&self.folder).map_err(SessionError::io(&self.folder))?;
        reasonix_store::write_atomic(&place.log(), bytes, 0o600).map_err(SessionError::io(&place.log()))
    }

    /// Writes a file without its damaged lines; the old one stays beside it as `<id>.damaged`, the next one as
    /// `<id>.damaged-2`. Gives how many lines were left out, none when there was nothing to do. A first line that cannot
    /// be read is replaced by `head`.
    pub fn repair<B: Into<Beginning>>(
        &self,
        wanted: &str,
        begins: impl FnOnce() -> B,
    ) -> Result<Option<usize>, SessionError> {
        let session = self.find(wanted)?;
        let place = self.place(session.clone());
        let path = place.log();
        let _lock = place.lock()?;
        match load(&place) {
            Ok(loaded) if loaded.damage.is_none() => return Ok(None),
            Ok(_) | Err(SessionError::Broken { .. }) => {}
            Err(error) => return Err(error),
        }
        let old = place.open_log().map_err(SessionError::io(&path))?;
        let mut specs = None;
        let (bytes, lost) = crate::mend::mended(&mut io::BufReader::new(old), || {
            let (head, kept) = begins().into().into_parts();
            specs = kept;
            RecordBody::Session(SessionHead { session: session.clone(), ..head })
        })
        .map_err(SessionError::io(&path))?;
        crate::specs::keep(&self.folder, specs.as_deref()).map_err(SessionError::io(&self.folder))?;
        let aside = place.damaged().find(|path| path.symlink_metadata().is_err()).unwrap_or_default();
        // The old file itself, whatever its size; where it cannot have a second name, it is copied.
        std::fs::hard_link(&path, &aside)
            .or_else(|_| std::fs::copy(&path, &aside).map(drop))
            .map_err(SessionError::io(&aside))?;
        reasonix_store::write_atomic(&path, &bytes, 0o600).map_err(SessionError::io(&path))?;
        Ok(Some(lost))
    }

    /// Deletes a session that nobody uses, with what lies beside its log, and the planners and the outputs that no other
    /// session has.
    pub fn delete(&self, wanted: &str) -> Result<SessionId, SessionError> {
        let session = self.find(wanted)?;
        let place = self.place(session.clone());
        let _lock = place.lock()?;
        let failed = || SessionError::io(&self.folder);
        let state = self.folder.parent().unwrap_or(&self.folder).to_owned();
        let blobs = reasonix_store::Blobs::at(&state.join("blobs"));
        let mut named = names_with_nested(&blobs, &place.log()).map_err(failed())?;
        let mut planners = self.planners_of(&session).map_err(failed())?;
        if !planners.is_empty() {
            let others = self.named_by(|other| *other != session).map_err(failed())?;
            planners.retain(|planner| !others.contains(planner));
        }
        let children = self.children_of(&session).map_err(failed())?;
        let [kept, below] = self.kin();
        let planners = planners.into_iter().map(|planner| kept.place(planner));
        let children = children.into_iter().map(|child| below.place(child));
        for place in planners.chain(children).collect::<Vec<_>>() {
            let _lock = place.lock()?;
            named.extend(names_with_nested(&blobs, &place.log()).map_err(failed())?);
            remove(&place)?;
        }
        remove(&place)?;
        forget_outputs(&state, named).map_err(SessionError::io(&state))?;
        Ok(session)
    }

    /// Deletes a session that nobody uses, with what lies beside its log, and nothing else.
    pub(crate) fn remove_alone(&self, session: &SessionId) -> Result<(), SessionError> {
        let place = self.place(session.clone());
        let _lock = place.lock()?;
        remove(&place)
    }

    /// What endpoints answered in a session, where that is recorded.
    pub fn recordings(&self, session: &SessionId) -> Recordings {
        self.place(session.clone()).recordings()
    }

    /// The files that recordings are in, with their sizes; with `gone` only those whose session is not there any more.
    pub fn recorded(&self, gone: bool) -> io::Result<Vec<(PathBuf, u64)>> {
        crate::recordings::recordings_of(&self.folder, gone)
    }

    /// Gives a session that nobody uses a title of the user's own; an empty one takes it away.
    pub fn rename(&self, wanted: &str, title: &str) -> Result<Record, SessionError> {
        self.amend(wanted, RecordBody::Titled { title: title.trim().to_owned(), by_user: true })
    }

    /// Names a place of a session that nobody uses; an empty label takes the name away.
    pub fn label(&self, wanted: &str, record: RecordId, label: &str) -> Result<Record, SessionError> {
        let label = label.trim().chars().take(LONGEST_LABEL).collect();
        self.amend(wanted, RecordBody::Labelled { record, label })
    }

    /// Appends one record to a session that nobody uses, such as a title.
    pub fn amend(&self, wanted: &str, body: RecordBody) -> Result<Record, SessionError> {
        let place = self.place(self.find(wanted)?);
        let path = place.log();
        let lock = place.lock()?;
        let mut loaded = load(&place)?;
        mend(&place, &mut loaded)?;
        let past = Past::of_file(place.clone(), loaded.shape, loaded.marks);
        let mut log = Log::resume(place, lock, past, (loaded.whole, version_of(&loaded.head)))?;
        log.append(body).map_err(|error| no_room(&path, error.reason))
    }

    /// The session of this working folder that was written to last.
    pub fn latest(&self, cwd: &Path) -> Result<Option<SessionId>, SessionError> {
        list::latest(&self.folder, cwd).map_err(SessionError::io(&self.folder))
    }

    /// All sessions but discarded ones, the one written to last first. A file that cannot be read is listed as broken.
    pub fn list(&self) -> Result<Vec<Summary>, SessionError> {
        list::all(&self.folder).map_err(SessionError::io(&self.folder))
    }

    /// The sessions that a process has open, with its number, as far as their locks tell; only for people to read.
    pub fn running(&self) -> Vec<(SessionId, u32)> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let held = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let session = SessionId::from(name.strip_suffix(".lock")?);
            let small = entry.metadata().is_ok_and(|meta| meta.is_file() && meta.len() < 32);
            let pid: u32 = small.then(|| std::fs::read_to_string(entry.path()).ok()).flatten()?.trim().parse().ok()?;
            Path::new("/proc").join(pid.to_string()).exists().then_some((session, pid))
        });
        let mut held: Vec<_> = held.take(MOST_RUNNING).collect();
        held.sort();
        held
    }

    /// The states of files that sessions name, by session, the one written to last first.
    pub fn states(&self) -> Result<Vec<States>, SessionError> {
        states(&self.folder).map_err(SessionError::io(&self.folder))
    }

    /// The one session whose id is, begins with or ends with `wanted`, or that is listed under a name that begins so; or the
    /// one whose file it names.
    pub fn find(&self, wanted: &str) -> Result<SessionId, SessionError> {
        let wanted = self.named_by_path(wanted)?;
        // Whoever goes through all of them names each exactly; to list the folder for each would take the square of it.
        if list::is_there(&self.folder, wanted) {
            return Ok(SessionId::from(wanted));
        }
        let mut ids = list::ids(&self.folder).map_err(SessionError::io(&self.folder))?;
        ids.retain(|id| id.fits(wanted));
        ids.sort_by(|a, b| b.cmp(a));
        match ids.as_slice() {
            [] => Err(SessionError::NotFound { wanted: wanted.to_owned() }),
            [one] => Ok(one.clone()),
            _ => Err(SessionError::Ambiguous { wanted: wanted.to_owned(), matches: ids }),
        }
    }

    /// The id that a path of one of our files names; any other text as it is.
    fn named_by_path<'a>(&self, wanted: &'a str) -> Result<&'a str, SessionError> {
        if !wanted.contains('/') && !wanted.ends_with(".jsonl") {
            return Ok(wanted);
        }
        let path = Path::new(wanted);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let ours = folder.canonicalize().ok() == self.folder.canonicalize().ok() && self.folder.is_dir();
        match path.file_stem().and_then(|stem| stem.to_str()).filter(|_| ours) {
            Some(stem) => Ok(stem),
            None if path.is_file() => Err(SessionError::Elsewhere { path: path.to_owned() }),
            None => Err(SessionError::NotFound { wanted: wanted.to_owned() }),
        }
    }

    fn place(&self, session: SessionId) -> Place {
        Place { folder: self.folder.clone(), session }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Removes a log and what lies beside it. The caller holds the lock.
fn remove(place: &Place) -> Result<(), SessionError> {
    let damaged = place.damaged().take_while(|path| path.symlink_metadata().is_ok());
    let recorded = place.recordings().path().to_owned();
    for path in [place.log(), place.torn(), recorded].into_iter().chain(damaged) {
        match std::fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(source) => return Err(SessionError::Io { path, source }),
        }
    }
    Ok(())
}

/// Starts a session that keeps nothing on disk.
pub fn in_memory(head: SessionHead) -> Opened {
    let past = Past::in_memory();
    let journal = MemoryJournal::new(past.clone());
    let first = journal.keep(RecordBody::Session(head));
    let mut fold = Fold::default();
    fold.apply(first.clone());
    Opened { journal: Arc::new(journal), head: first, past, history: fold.finish(), notices: Vec::new() }
}

fn opened(
    log: Log,
    path: &Path,
    head: Record,
    past: Past,
    history: History,
    notices: Vec<Phrase>,
) -> Result<Opened, SessionError> {
    let journal = FileJournal::start(log, path.display().to_string()).map_err(SessionError::io(path))?;
    Ok(Opened { journal: Arc::new(journal), head, past, history, notices })
}

fn no_room(path: &Path, reason: String) -> SessionError {
    SessionError::Io { path: path.to_owned(), source: io::Error::other(reason) }
}

/// The version that a log is written in.
fn version_of(head: &Record) -> u32 {
    match &head.body {
        RecordBody::Session(head) => head.v,
        _ => RECORD_VERSION,
    }
}

/// What has to be said again where a branch is copied into a session of another folder: tools that joined the old one, or an
/// agent that went on in it, would take the place of those that the new one begins with.
fn rejoins(old: &RecordBody, there: Option<&SessionHead>, new: &SessionHead) -> Vec<RecordBody> {
    let (RecordBody::Session(old), Some(there)) = (old, there) else { return Vec::new() };
    let joined = (&old.tools, &old.specs) != (&there.tools, &there.specs);
    let again = || RecordBody::ToolsJoined { tools: new.tools.clone(), specs: new.specs.clone() };
    let changed = (&old.system, &old.agent) != (&there.system, &there.agent);
    let as_begun = || RecordBody::AgentChanged {
        agent: new.agent.clone().unwrap_or_else(|| BUILD_AGENT.to_owned()),
        system: Some(new.system.clone()),
        tools: None,
        specs: None,
    };
    let elsewhere = old.cwd != new.cwd;
    let again = (joined && elsewhere).then(again);
    again.into_iter().chain((changed && elsewhere).then(as_begun)).collect()
}
