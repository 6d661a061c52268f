//! Undo: keeps what the files were before a turn changed them. A thread of its own looks at the tree, so that the
//! conversation goes on meanwhile; only a call that may write waits for it.

mod alive;
mod back;
mod room;
mod timeline;
mod whose;
mod worker;

pub use back::note;
pub use back::{BackError, FilesBack, FilesWay, changes, taken_back};
pub use room::{Room, RoomError, make_room};
pub use timeline::{Span, last_standing, spans, turns};

use reasonix_agent::{About, Aspect, BoxFuture, Journal, Said, Sink};
use reasonix_proto::{Action, Event, Family, Level, Moment, Phrase, ReadOnly, RecordBody, Snapshot, ToolOutcome};
use reasonix_session::Past;
use reasonix_workspace::snapshot::{SnapshotError, SnapshotLimits, Snapshots, Taken, Uncovered};
use std::future::ready;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;
use tokio::sync::oneshot;
use whose::Busy;
use worker::{Look, Request, Wishes, Worker};

/// What a snapshot names as not covered; the rest is counted.
const MOST_NAMED: usize = 40;
/// The same of what was changed.
const MOST_CHANGED: usize = 100;

/// The states of a workspace's files, below the state folder.
pub fn snapshots_of(root: &Path, home: &Path) -> Result<Snapshots, SnapshotError> {
    let users = std::env::home_dir();
    let state = home.join("state");
    Ok(Snapshots::open(root, &state.join("undo"), users.as_deref(), SnapshotLimits::default())?.without(&state))
}

/// Where states are kept, how much of them, and for which session.
pub struct UndoKeep {
    /// The user's folder.
    pub home: PathBuf,
    /// The most bytes.
    pub most: u64,
    /// The session.
    pub session: String,
}

/// The undo of a live session.
pub struct Undo {
    scans: Mutex<Option<Sender<Request>>>,
    wishes: Arc<Wishes>,
    turn: Mutex<Turn>,
    /// A turn of an earlier process, or a going back, that has no end yet.
    broken: Mutex<Option<Span>>,
    begun: AtomicBool,
    journal: Arc<dyn Journal>,
    sink: Arc<dyn Sink>,
    off: AtomicBool,
    /// Says whether something writes behind the calls of the session.
    beside: OnceLock<Box<dyn Fn() -> bool + Send + Sync>>,
}

/// What is known about the turn that runs.
#[derive(Default)]
struct Turn {
    number: u32,
    /// The state that was last journaled for it, and when it was at work; none while it changed nothing.
    state: Option<(String, Busy)>,
    /// What was there when it began, where something wrote behind its calls from the beginning. It is journaled when
    /// something has changed, or is about to.
    ahead: Option<(Taken, Busy)>,
    /// Something writes behind its calls: it is at work to its end.
    beside: bool,
    /// A command ran in it, which may have changed what no file tool tells.
    commands: bool,
    /// The files that looks found changed in it, and that nobody asked about yet.
    changed: Vec<String>,
}

impl Undo {
    /// Undo for these files. The first look at them begins with [`Undo::begin`].
    pub fn new(
        snapshots: Snapshots,
        keep: UndoKeep,
        broken: Option<Span>,
        journal: Arc<dyn Journal>,
        sink: Arc<dyn Sink>,
    ) -> std::io::Result<Self> {
        let (scans, queue) = channel();
        let wishes = Arc::new(Wishes::default());
        let worker = Worker::new(snapshots, keep, Arc::clone(&wishes));
        std::thread::Builder::new().name("undo".into()).spawn(move || worker.run(&queue))?;
        let (turn, broken) = (Mutex::default(), Mutex::new(broken));
        let (begun, off) = (AtomicBool::new(false), AtomicBool::new(false));
        let (scans, beside) = (Mutex::new(Some(scans)), OnceLock::new());
        Ok(Self { scans, wishes, turn, broken, begun, journal, sink, off, beside })
    }

    /// Begins to look at the files, so that the first writer waits less. Once is enough.
    pub fn begin(&self) {
        if !self.begun.swap(true, Ordering::Relaxed) {
            self.send(Request::Look);
        }
    }

    /// Jobs write behind the calls of the session: this says whether one runs. What is written in a turn meanwhile is the
    /// turn's, whatever it calls.
    pub fn beside(&self, runs: impl Fn() -> bool + Send + Sync + 'static) {
        let _ = self.beside.set(Box::new(runs));
    }

    fn is_beside(&self) -> bool {
        self.beside.get().is_some_and(|runs| runs())
    }

    /// A turn begins: what is there is kept in mind, where something may change it without a call.
    async fn ahead(&self, number: u32) {
        if !self.is_beside() {
            return;
        }
        self.close_broken().await;
        let mut busy = Busy::new(SystemTime::now());
        busy.start();
        if let Some(Look { taken, .. }) = self.take(None, true).await {
            *locked(&self.turn) = Turn { number, ahead: Some((taken, busy)), beside: true, ..Turn::default() };
        }
    }

    /// Journals what was there when the turn began, before anything relies on it.
    async fn keep_ahead(&self, number: u32) {
        let ahead = {
            let mut turn = locked(&self.turn);
            if turn.number == number && turn.state.is_none() { turn.ahead.take() } else { None }
        };
        let Some((taken, busy)) = ahead else { return };
        let state = taken.state.clone();
        if self.keep(number, Moment::Before, taken, None).await {
            locked(&self.turn).state = Some((state, busy));
        }
    }

    /// The files that looks found changed in this turn since somebody last asked. What the last command did is seen by the next
    /// look.
    pub fn noted(&self, number: u32) -> Vec<String> {
        let mut turn = locked(&self.turn);
        if turn.number == number { std::mem::take(&mut turn.changed) } else { Vec::new() }
    }

    /// The same with a look at the files now, where a command ran in the turn.
    pub async fn changed(&self, number: u32) -> Vec<String> {
        let last = {
            let turn = locked(&self.turn);
            turn.state.clone().filter(|_| turn.number == number && turn.commands)
        };
        if last.is_some() {
            self.look_before(number, last).await;
        }
        self.noted(number)
    }

    /// True while states are being kept.
    pub fn works(&self) -> bool {
        !self.off.load(Ordering::Relaxed)
    }

    /// Gives what has no end the one it had, before anything else is told against it.
    pub async fn close_broken(&self) {
        let Some(span) = locked(&self.broken).clone() else { return };
        let (answer, end) = oneshot::channel();
        self.send(Request::Close { span, answer });
        let Ok(Ok(end)) = end.await else { return };
        let written = match end {
            Some(end) => {
                let written = self.journal.append(end).await.is_ok();
                // The sign of life of the process that is gone has said what it had to say.
                if written {
                    self.send(Request::Ended);
                }
                written
            }
            None => true,
        };
        if written {
            *locked(&self.broken) = None;
        }
    }

    /// Takes back what turns did to files, or brings it again. What is about to be done is on the log before the first file
    /// changes, and what was done when it is. With `force` also where somebody else changed a file since.
    pub async fn go(&self, past: &Past, way: FilesWay, force: bool) -> Result<FilesBack, BackError> {
        self.close_broken().await;
        let past = past.clone();
        let records = tokio::task::spawn_blocking(move || past.of_files()).await.map_err(|_| BackError::Gone)??;
        let (answer, plan) = oneshot::channel();
        self.send(Request::Plan { spans: spans(&records), way, force, answer });
        let plan = plan.await.map_err(|_| BackError::Gone)??;
        let again = way == FilesWay::Again;
        let intent = plan.intent(again);
        let idle = intent.is_none();
        if let Some(intent) = intent {
            let record = self.journal.append(RecordBody::Restoring(intent.clone())).await?;
            *locked(&self.broken) = Some(Span::going(&intent, record.at));
        }
        let (answer, back) = oneshot::channel();
        self.send(Request::Back { plan, answer });
        let back = back.await.map_err(|_| BackError::Gone)??;
        // Where all was kept because somebody else changed it too, nothing was taken back that the log could tell of.
        if idle {
            return Ok(back);
        }
        let record = self.journal.append(RecordBody::Restored(back.record(again))).await?;
        *locked(&self.broken) = None;
        self.sink.emit(Event::Changed { record: Box::new(record) });
        Ok(back)
    }

    /// What a look at the files leaves out now; none when there is no undo.
    pub async fn uncovered(&self) -> Option<Vec<Uncovered>> {
        Some(self.take(None, false).await?.taken.uncovered)
    }

    /// Journals what was there when the turn began, where something was changed without a call.
    async fn end_ahead(&self, number: u32) {
        let ahead = {
            let turn = locked(&self.turn);
            turn.ahead.as_ref().filter(|_| turn.number == number).map(|(taken, _)| taken.state.clone())
        };
        let Some(ahead) = ahead else { return };
        if self.take(None, false).await.is_some_and(|look| look.taken.state != ahead) {
            self.keep_ahead(number).await;
        } else {
            self.send(Request::Ended);
        }
    }

    async fn end(&self, number: u32) {
        self.end_ahead(number).await;
        let last = {
            let mut turn = locked(&self.turn);
            let number_then = turn.number;
            turn.state.take().filter(|_| number_then == number)
        };
        let Some(last) = last else { return };
        if let Some(Look { taken, ours, changed }) = self.take(Some(last), false).await {
            let state = ours.unwrap_or_else(|| taken.state.clone());
            self.keep(number, Moment::After, Taken { state, ..taken }, changed).await;
        }
        self.send(Request::Ended);
    }

    async fn watch(&self, number: u32, action: &Action) {
        if !is_watched(action) {
            return;
        }
        self.keep_ahead(number).await;
        let last = {
            let turn = locked(&self.turn);
            turn.state.clone().filter(|_| turn.number == number)
        };
        // Within a turn, what file tools change is known from its beginning; a command may also destroy what somebody
        // else made in the meantime.
        if last.is_none() || action.family == Family::Bash {
            self.look_before(number, last).await;
        }
        let mut turn = locked(&self.turn);
        turn.commands |= turn.number == number && action.family != Family::Edit;
        if let Some((_, busy)) = &mut turn.state {
            busy.start();
        }
    }

    /// Keeps what the files are before something changes them.
    async fn look_before(&self, number: u32, last: Option<(String, Busy)>) {
        self.close_broken().await;
        let begun = SystemTime::now();
        let Some(Look { taken, ours, changed }) = self.take(last.clone(), true).await else { return };
        let state = taken.state.clone();
        let seen = changed.clone().unwrap_or_default();
        let kept = match (&last, ours) {
            (Some((last, _)), _) if *last == state => return,
            (None, _) => self.keep(number, Moment::Before, taken, None).await,
            (Some(_), None) => self.keep(number, Moment::Between, taken, changed).await,
            // The turn's work up to here ends, and begins anew with what others did.
            (Some(_), Some(ours)) => {
                let end = Taken { state: ours, changed: 0, uncovered: Vec::new() };
                let ended = self.keep(number, Moment::After, end, changed).await;
                if ended {
                    locked(&self.turn).state = None;
                }
                ended && self.keep(number, Moment::Before, taken, None).await
            }
        };
        // Where nothing on the log would say where the turn began, the next call that writes begins it anew.
        if kept {
            let mut turn = locked(&self.turn);
            let same = turn.state.take().filter(|_| turn.number == number).or(last);
            let busy = same.map_or_else(|| Busy::new(begun), |(_, busy)| busy);
            let going_on = turn.number == number;
            let (beside, commands) = (turn.beside && going_on, turn.commands && going_on);
            let mut changed = if going_on { std::mem::take(&mut turn.changed) } else { Vec::new() };
            changed.extend(seen);
            *turn = Turn { number, state: Some((state, busy)), ahead: None, beside, commands, changed };
        }
    }

    /// A look at the files; none when there is no undo, which is said once.
    async fn take(&self, since: Option<(String, Busy)>, begins: bool) -> Option<Look> {
        if !self.works() {
            return None;
        }
        let (answer, look) = oneshot::channel();
        self.wishes.waiting.fetch_add(1, Ordering::Relaxed);
        self.send(Request::Take { since, begins, answer });
        match look.await {
            Ok(Ok(look)) => Some(look),
            Ok(Err(error)) => {
                if !self.off.swap(true, Ordering::Relaxed) {
                    let phrase = Phrase::new("engine.undo_off").with("reason", error);
                    self.sink.emit(Event::Notice { level: Level::Warning, phrase });
                }
                None
            }
            Err(_) => None,
        }
    }

    fn send(&self, request: Request) {
        if let Some(scans) = locked(&self.scans).as_ref() {
            // A thread that is gone drops the request, and with it the way back.
            let _ = scans.send(request);
        }
    }

    /// Journals a state. False when the log cannot be written, which is said by whoever needs it next.
    async fn keep(&self, turn: u32, moment: Moment, taken: Taken, changed: Option<Vec<String>>) -> bool {
        let named = taken.uncovered.iter().take(MOST_NAMED);
        let uncovered = named.map(back::named).collect();
        let more = taken.uncovered.len().saturating_sub(MOST_NAMED) as u64;
        let changed_more = changed.as_ref().map_or(0, |changed| changed.len().saturating_sub(MOST_CHANGED)) as u64;
        let changed = changed.map(|changed| changed.into_iter().take(MOST_CHANGED).collect());
        let (state, cut_off) = (taken.state, false);
        let body = Snapshot { turn, moment, state, uncovered, more, changed, changed_more, cut_off };
        self.journal.append(RecordBody::Snapshot(body)).await.is_ok()
    }
}

impl Aspect for Undo {
    /// What jobs may change during the turn is kept before it begins.
    fn before_prompt(&self, turn: u32, said: Said) -> BoxFuture<'_, Said> {
        Box::pin(async move {
            self.ahead(turn).await;
            said
        })
    }

    /// What a writer may change is kept before it runs.
    fn before_run<'a>(&'a self, about: About<'a>) -> BoxFuture<'a, ()> {
        Box::pin(self.watch(about.turn, about.action))
    }

    fn after_call<'a>(&'a self, about: About<'a>, outcome: ToolOutcome) -> BoxFuture<'a, ToolOutcome> {
        let mut running = locked(&self.turn);
        let running = &mut *running;
        if is_watched(about.action)
            && running.number == about.turn
            && let Some((_, busy)) = &mut running.state
        {
            // The first one that leaves something behind stays at work in the place of it, to the end of the turn.
            if running.beside || !self.is_beside() {
                busy.stop();
            } else {
                running.beside = true;
            }
        }
        Box::pin(ready(outcome))
    }

    fn at_end(&self, turn: u32) -> BoxFuture<'_, ()> {
        Box::pin(self.end(turn))
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        self.wishes.stop.store(true, Ordering::Relaxed);
        *locked(&self.scans) = None;
    }
}

/// Whether a call may change files of the workspace.
fn is_watched(action: &Action) -> bool {
    action.read_only != ReadOnly::Yes && !matches!(action.family, Family::Own | Family::Memory)
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{Undo, UndoKeep};
    use reasonix_agent::{About, Args, Aspect, BoxFuture, Class, Journal, JournalError, Sink};
    use reasonix_proto::{Action, CallId, Event, Family, Moment, Record, RecordBody, RecordId, ToolCall};
    use reasonix_workspace::snapshot::{SnapshotLimits, Snapshots};
    use std::sync::{Arc, Mutex};

    /// A log on a disk that was full once.
    #[derive(Default)]
    struct Log(Mutex<(bool, Vec<RecordBody>)>);

    impl Journal for Log {
        fn append(&self, body: RecordBody) -> BoxFuture<'static, Result<Record, JournalError>> {
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
        let snapshots = Snapshots::open(&root, &temp.path().join("kept"), None, SnapshotLimits::default()).unwrap();
        let (log, keep) =
            (Arc::new(Log::default()), UndoKeep { home: temp.path().to_owned(), most: u64::MAX, session: "s".into() });
        let undo = Undo::new(snapshots, keep, None, log.clone(), log.clone()).unwrap();
        let action = Action::writes(Family::Edit, vec!["a".into()]);
        let call = ToolCall { id: CallId::from("c"), name: "edit_file".into(), arguments: String::new() };
        let (args, class) = (Args::new(), Class::Writer);
        let about = About { turn: 1, call: &call, tool: "edit_file", args: &args, action: &action, class };
        undo.before_run(about).await;
        undo.before_run(about).await;
        undo.at_end(1).await;
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
