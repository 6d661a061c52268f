//! Undo: keeps what the files were before a turn changed them. A thread of its own looks at the tree, so that the
//! conversation goes on meanwhile; only a call that may write waits for it.

mod back;
mod room;
mod timeline;

pub(crate) use back::note;
pub use back::{BackError, FilesBack, bring_again, changes, take_back};
pub use room::{Room, RoomError, make_room};
pub use timeline::{Span, Work, last_standing, spans};

use reasonix_agent::{BoxFuture, Journal, Sink, Watch};
use reasonix_proto::{Action, Event, Family, Level, Moment, Phrase, RecordBody, Snapshot};
use reasonix_workspace::snapshot::{Limits, SnapshotError, Snapshots, Taken, Uncovered};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// What a snapshot names as not covered; the rest is counted.
const MOST_NAMED: usize = 40;

/// The states of a workspace's files, below the state folder.
pub fn snapshots_of(root: &Path, home: &Path) -> Result<Snapshots, SnapshotError> {
    let users = std::env::home_dir();
    let state = home.join("state");
    Ok(Snapshots::open(root, &state.join("undo"), users.as_deref(), Limits::default())?.without(&state))
}

type Answer = oneshot::Sender<Result<Taken, SnapshotError>>;

/// What the thread is asked for.
enum Request {
    /// A look at the files that nobody waits for.
    Look,
    /// A look at the files.
    Take(Answer),
    /// What turns did is taken back.
    Back { spans: Vec<Span>, turn: u32, force: bool, answer: oneshot::Sender<Result<FilesBack, BackError>> },
}

/// Where states are kept, and how much of them.
pub(crate) struct Keep {
    /// The user's folder.
    pub(crate) home: PathBuf,
    /// The most bytes.
    pub(crate) most: u64,
}

/// The undo of a live session.
pub(crate) struct Undo {
    scans: Mutex<Option<Sender<Request>>>,
    stop: Arc<AtomicBool>,
    turn: Mutex<Turn>,
    journal: Arc<dyn Journal>,
    sink: Arc<dyn Sink>,
    broken: AtomicBool,
}

/// What is known about the turn that runs.
#[derive(Default)]
struct Turn {
    number: u32,
    /// The state that was last journaled for it; none while it changed nothing.
    state: Option<String>,
}

impl Undo {
    /// Undo for these files. The first look at them begins with [`Undo::begin`].
    pub(crate) fn new(
        snapshots: Snapshots,
        keep: Keep,
        journal: Arc<dyn Journal>,
        sink: Arc<dyn Sink>,
    ) -> std::io::Result<Self> {
        let (scans, queue) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        std::thread::Builder::new().name("undo".into()).spawn(move || scan_all(snapshots, &keep, &queue, &stopped))?;
        let (turn, broken) = (Mutex::default(), AtomicBool::new(false));
        Ok(Self { scans: Mutex::new(Some(scans)), stop, turn, journal, sink, broken })
    }

    /// Begins to look at the files, so that the first writer waits less.
    pub(crate) fn begin(&self) {
        self.send(Request::Look);
    }

    /// True while states are being kept.
    pub(crate) fn works(&self) -> bool {
        !self.broken.load(Ordering::Relaxed)
    }

    /// Takes back what the turns from `turn` on did to files. None when the thread is gone.
    pub(crate) async fn take_back(&self, spans: Vec<Span>, turn: u32) -> Option<Result<FilesBack, BackError>> {
        let (answer, back) = oneshot::channel();
        self.send(Request::Back { spans, turn, force: false, answer });
        back.await.ok()
    }

    /// What a look at the files leaves out now; none when there is no undo.
    pub(crate) async fn uncovered(&self) -> Option<Vec<Uncovered>> {
        Some(self.take().await?.uncovered)
    }

    async fn end(&self, number: u32) {
        let changed = {
            let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            turn.state.take().is_some() && turn.number == number
        };
        if changed && let Some(taken) = self.take().await {
            self.keep(number, Moment::After, taken).await;
        }
    }

    async fn watch(&self, number: u32, action: &Action) {
        let last = {
            let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            turn.state.clone().filter(|_| turn.number == number)
        };
        // Within a turn, what file tools change is known from its beginning; a command may also destroy what somebody
        // else made in the meantime.
        if matches!(action.family, Family::Own | Family::Memory) || (last.is_some() && action.family != Family::Bash) {
            return;
        }
        let Some(taken) = self.take().await else { return };
        let moment = if last.is_none() { Moment::Before } else { Moment::Between };
        if last.as_ref() == Some(&taken.state) {
            return;
        }
        {
            let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            *turn = Turn { number, state: Some(taken.state.clone()) };
        }
        if !self.keep(number, moment, taken).await {
            // Nothing on the log would say where the turn began; the next call that writes begins it anew.
            self.turn.lock().unwrap_or_else(PoisonError::into_inner).state = last;
        }
    }

    /// A look at the files; none when there is no undo, which is said once.
    async fn take(&self) -> Option<Taken> {
        if !self.works() {
            return None;
        }
        let (answer, taken) = oneshot::channel();
        self.send(Request::Take(answer));
        match taken.await {
            Ok(Ok(taken)) => Some(taken),
            Ok(Err(error)) => {
                if !self.broken.swap(true, Ordering::Relaxed) {
                    let phrase = Phrase::new("engine.undo_off").with("reason", error);
                    self.sink.emit(Event::Notice { level: Level::Warning, phrase });
                }
                None
            }
            Err(_) => None,
        }
    }

    fn send(&self, request: Request) {
        if let Some(scans) = self.scans.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            // A thread that is gone drops the request, and with it the way back.
            let _ = scans.send(request);
        }
    }

    /// Journals a state. False when the log cannot be written, which is said by whoever needs it next.
    async fn keep(&self, turn: u32, moment: Moment, taken: Taken) -> bool {
        let named = taken.uncovered.iter().take(MOST_NAMED);
        let uncovered = named.map(back::named).collect();
        let more = taken.uncovered.len().saturating_sub(MOST_NAMED) as u64;
        let body = RecordBody::Snapshot(Snapshot { turn, moment, state: taken.state, uncovered, more });
        self.journal.append(body).await.is_ok()
    }
}

impl Watch for Undo {
    fn before<'a>(&'a self, turn: u32, action: &'a Action) -> BoxFuture<'a, ()> {
        Box::pin(self.watch(turn, action))
    }

    fn after(&self, turn: u32) -> BoxFuture<'_, ()> {
        Box::pin(self.end(turn))
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        *self.scans.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

fn scan_all(mut snapshots: Snapshots, keep: &Keep, queue: &Receiver<Request>, stop: &AtomicBool) {
    let mut tended = false;
    while let Ok(request) = queue.recv() {
        // Before the first look, because from then on this process relies on what is kept.
        if !std::mem::replace(&mut tended, true) {
            room::tend(&keep.home, keep.most);
        }
        let mut take = || snapshots.take(&|| stop.load(Ordering::Relaxed));
        // Whoever asked may have gone.
        match request {
            Request::Look => drop(take()),
            Request::Take(answer) => drop(answer.send(take())),
            Request::Back { spans, turn, force, answer } => {
                drop(answer.send(take_back(&mut snapshots, &spans, turn, force)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Keep, Undo};
    use reasonix_agent::{BoxFuture, Journal, JournalError, Sink, Watch};
    use reasonix_proto::{Action, Event, Family, Moment, Record, RecordBody, RecordId};
    use reasonix_workspace::snapshot::{Limits, Snapshots};
    use std::sync::{Arc, Mutex};

    /// A log on a disk that was full once.
    #[derive(Default)]
    struct Log(Mutex<(bool, Vec<RecordBody>)>);

    impl Journal for Log {
        fn append(&self, body: RecordBody) -> BoxFuture<'_, Result<Record, JournalError>> {
            let mut log = self.0.lock().unwrap();
            let full = !std::mem::replace(&mut log.0, true);
            if !full {
                log.1.push(body.clone());
            }
            Box::pin(async move {
                let error = JournalError { path: String::new(), reason: "full".into() };
                if full { Err(error) } else { Ok(Record { id: RecordId(1), parent: None, at: 0, body }) }
            })
        }
    }

    impl Sink for Log {
        fn emit(&self, _: Event) {}
    }

    #[tokio::test]
    async fn a_state_that_could_not_be_written_down_is_not_relied_on() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap().join("project");
        std::fs::create_dir(&root).unwrap();
        let snapshots = Snapshots::open(&root, &temp.path().join("kept"), None, Limits::default()).unwrap();
        let (log, keep) = (Arc::new(Log::default()), Keep { home: temp.path().to_owned(), most: u64::MAX });
        let undo = Undo::new(snapshots, keep, log.clone(), log.clone()).unwrap();
        let action = Action::writes(Family::Edit, vec!["a".into()]);
        undo.before(1, &action).await;
        undo.before(1, &action).await;
        undo.after(1).await;
        let log = log.0.lock().unwrap();
        let moments: Vec<Moment> = log
            .1
            .iter()
            .filter_map(|body| match body {
                RecordBody::Snapshot(taken) => Some(taken.moment),
                _ => None,
            })
            .collect();
        assert_eq!(moments, [Moment::Before, Moment::After]);
    }
}
