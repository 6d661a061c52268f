//! The thread that looks at the files of a live session, one request after the other.

use crate::alive::{Alive, EVERY};
use crate::back::{BackError, FilesBack, FilesWay, Plan};
use crate::timeline::Span;
use crate::whose::{Busy, end_of_broken};
use crate::{UndoKeep, room};
use reasonix_proto::RecordBody;
use reasonix_workspace::snapshot::{Changed, RelPath, SnapshotError, Snapshots, Taken, Whose};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use tokio::sync::oneshot;

/// A look at the files.
pub(crate) struct Look {
    /// What is there now.
    pub(crate) taken: Taken,
    /// The state without what others did since the state that was asked about; none when they did nothing.
    pub(crate) ours: Option<String>,
    /// The files that were changed since that state, but for those of others; none when no state was asked about.
    pub(crate) changed: Option<Vec<String>>,
}

/// What the thread is asked for.
pub(crate) enum Request {
    /// A look at the files that nobody waits for.
    Look,
    /// A look at the files.
    Take {
        /// The turn's state before, and when it was at work since.
        since: Option<(String, Busy)>,
        /// True when something is about to change files.
        begins: bool,
        answer: oneshot::Sender<Result<Look, SnapshotError>>,
    },
    /// The end of work whose process is gone.
    Close { span: Span, answer: oneshot::Sender<Result<Option<RecordBody>, SnapshotError>> },
    /// The turn's end is written down.
    Ended,
    /// How to take back what turns did, or to bring it again.
    Plan { spans: Vec<Span>, way: FilesWay, force: bool, answer: oneshot::Sender<Result<Plan, BackError>> },
    /// It is done.
    Back { plan: Plan, answer: oneshot::Sender<Result<FilesBack, BackError>> },
}

/// What the session tells its thread beside requests.
#[derive(Default)]
pub(crate) struct Wishes {
    /// Everything is called off.
    pub(crate) stop: AtomicBool,
    /// How many wait for a look.
    pub(crate) waiting: AtomicUsize,
}

pub(crate) struct Worker {
    snapshots: Snapshots,
    keep: UndoKeep,
    alive: Alive,
    wishes: Arc<Wishes>,
}

impl Worker {
    pub(crate) fn new(snapshots: Snapshots, keep: UndoKeep, wishes: Arc<Wishes>) -> Self {
        let alive = Alive::of(&keep.home, &keep.session);
        Self { snapshots, keep, alive, wishes }
    }

    pub(crate) fn run(mut self, queue: &Receiver<Request>) {
        let mut tended = false;
        while let Some(request) = self.next(queue) {
            // Before the first look, because from then on this process relies on what is kept.
            if !std::mem::replace(&mut tended, true) {
                room::tend(&self.keep.home, self.keep.most);
            }
            self.answer(request);
        }
    }

    fn next(&mut self, queue: &Receiver<Request>) -> Option<Request> {
        loop {
            if !self.alive.is_given() {
                return queue.recv().ok();
            }
            match queue.recv_timeout(EVERY) {
                Ok(request) => return Some(request),
                Err(RecvTimeoutError::Timeout) => self.alive.give(),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// Does what is asked. Whoever asked may have gone.
    fn answer(&mut self, request: Request) {
        let wishes = Arc::clone(&self.wishes);
        let stopped = || wishes.stop.load(Ordering::Relaxed);
        match request {
            Request::Look => {
                // Where all contents are known, this look only warms what the next one needs.
                let known = self.snapshots.is_known();
                let in_the_way = || known && wishes.waiting.load(Ordering::Relaxed) > 0;
                drop(self.snapshots.take(&|| stopped() || in_the_way()));
                self.snapshots.keep_index();
            }
            Request::Take { since, begins, answer } => {
                wishes.waiting.fetch_sub(1, Ordering::Relaxed);
                let look = self.look(since, &stopped);
                if begins {
                    self.alive.give();
                } else {
                    self.snapshots.keep_index();
                }
                drop(answer.send(look));
            }
            Request::Close { span, answer } => {
                drop(answer.send(end_of_broken(&mut self.snapshots, &span, &self.alive)));
            }
            Request::Ended => self.alive.end(),
            Request::Plan { spans, way, force, answer } => {
                drop(answer.send(way.plan(&mut self.snapshots, &spans, force)));
            }
            Request::Back { plan, answer } => drop(answer.send(plan.carry_out(&mut self.snapshots))),
        }
    }

    fn look(&mut self, since: Option<(String, Busy)>, stop: &dyn Fn() -> bool) -> Result<Look, SnapshotError> {
        let taken = self.snapshots.take(stop)?;
        let Some((last, busy)) = since else { return Ok(Look { taken, ours: None, changed: None }) };
        let told = self.snapshots.has_our_clock();
        let whose = |change: Changed<'_>| if told { busy.whose(change) } else { Whose::Unknown };
        let ours = if told { self.snapshots.part(&last, &whose)? } else { None };
        let changed = self.snapshots.touched(&last, &whose)?.iter().map(RelPath::shown).collect();
        Ok(Look { taken, ours, changed: Some(changed) })
    }
}
