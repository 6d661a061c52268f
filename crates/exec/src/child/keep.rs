//! Keeps a child from its first moment to its last: hears its stderr, its limits, its time, and what its owner wants.

use super::pipes::{Line, Traffic, left_in};
use super::{Listens, Wish};
use crate::bounds::LimitHit;
use crate::guard;
use crate::run::attend;
use crate::running::Running;
use crate::{Captured, EndStatus, Ended};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

const PIECE: usize = 16 * 1024;
/// More than this does not fit into a pipe, as root sets it; what still comes then is from somebody else.
const MOST_LEFT: usize = 1024 * 1024;

/// A child with all that is heard and said of it. Dropping it ends the child.
pub(super) struct Keeper {
    pub(super) running: Running,
    /// How long it may live.
    pub(super) lasts: Option<Duration>,
    /// How much it may write.
    pub(super) output: u64,
    pub(super) idle: Option<Duration>,
    pub(super) errors: Receiver,
    pub(super) kept: Arc<Mutex<Captured>>,
    pub(super) on_stderr: Option<Arc<Listens>>,
    pub(super) line: Arc<Line>,
    pub(super) traffic: Arc<Traffic>,
    /// The grace of a child that is to close. Its owner is gone when nobody can say so any more.
    pub(super) wishes: watch::Receiver<Option<Wish>>,
    pub(super) say: watch::Sender<Option<Ended>>,
}

/// When something has to happen.
struct Times {
    /// It has lived long enough.
    total: Option<Instant>,
    /// It was told to close, and should have.
    close: Option<Instant>,
    /// It was ended, and is still there.
    force: Option<Instant>,
}

impl Keeper {
    /// Keeps it to its end, and says what that was.
    pub(super) async fn keep(mut self) {
        let (ending, hit) = self.watch().await;
        let mut piece = vec![0; PIECE];
        for _ in 0..MOST_LEFT / PIECE {
            match left_in(&self.errors, &mut piece) {
                Ok(read @ 1..) => self.feed(piece.get(..read).unwrap_or_default()),
                _ => break,
            }
        }
        let ended = self.running.ended(ending, hit).await.unwrap_or_else(|_| Ended::unseen());
        self.line.close();
        self.traffic.over.cancel();
        self.say.send_replace(Some(ended));
    }

    /// Waits until everybody below has ended. Says why they were ended, when it was us.
    async fn watch(&mut self) -> (Option<EndStatus>, Option<LimitHit>) {
        let mut overseer = std::pin::pin!(self.running.oversee());
        let mut asked = self.running.knocks.take();
        let mut knocks = std::pin::pin!(attend(asked.as_mut()));
        let (mut ending, mut hit, mut owned, mut reading) = (None, None, true, true);
        let mut times =
            Times { total: self.lasts.and_then(|lasts| Instant::now().checked_add(lasts)), close: None, force: None };
        let mut grace = None;
        let mut piece = vec![0; PIECE];
        loop {
            let alarm = self.next(&times, ending.is_none());
            let mut end = None;
            tokio::select! {
                biased;
                _ = &mut self.running.over => return (ending, hit),
                wish = self.wishes.changed(), if owned => if wish.is_ok() {
                    let wish = *self.wishes.borrow_and_update();
                    grace = wish.map(|wish| wish.grace);
                    self.line.close();
                    times.close = wish.map(|wish| Instant::now() + wish.after).into_iter().chain(times.close).min();
                } else {
                    owned = false;
                    end = Some(EndStatus::Cancelled);
                    grace = None;
                },
                never = &mut knocks => match never {},
                found = &mut overseer, if ending.is_none() => (end, hit) = (Some(EndStatus::Bounded), Some(found)),
                () = self.traffic.full.cancelled(), if ending.is_none() => {
                    (end, hit) = (Some(EndStatus::Bounded), Some(LimitHit::Output(self.output)));
                }
                () = sleep_until(alarm.unwrap_or_else(Instant::now)), if alarm.is_some() => {
                    end = self.due(&mut times, ending.is_none());
                }
                read = self.errors.read(&mut piece), if reading => match read {
                    Ok(read @ 1..) => self.feed(piece.get(..read).unwrap_or_default()),
                    _ => reading = false,
                },
            }
            if end.is_some() && ending.is_none() {
                ending = end;
                match grace {
                    Some(grace) => self.running.tree.end_within(grace),
                    None => self.running.tree.end(),
                }
                times.force = Some(Instant::now() + guard::AT_MOST + grace.unwrap_or_default());
            }
        }
    }

    /// When to look at the clock again.
    fn next(&self, times: &Times, lives: bool) -> Option<Instant> {
        let quiet = self.idle.map(|idle| self.traffic.last() + idle);
        let all = if lives { [times.total, times.close, quiet] } else { [times.force, None, None] };
        all.into_iter().flatten().min()
    }

    /// What the clock says is to be done: why the child is to end, if it is.
    fn due(&self, times: &mut Times, lives: bool) -> Option<EndStatus> {
        let now = Instant::now();
        let is_due = |time: Option<Instant>| time.is_some_and(|time| time <= now);
        if !lives {
            if is_due(times.force) {
                self.running.tree.force();
                times.force = None;
            }
            return None;
        }
        if is_due(times.close) {
            return Some(EndStatus::Cancelled);
        }
        // Bytes may have gone through since the alarm was set.
        let quiet = self.idle.map(|idle| self.traffic.last() + idle);
        (is_due(times.total) || is_due(quiet)).then_some(EndStatus::TimedOut)
    }

    fn feed(&self, bytes: &[u8]) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).feed(bytes);
        self.traffic.came(bytes.len());
        if let Some(on_stderr) = &self.on_stderr {
            on_stderr(bytes);
        }
    }
}
