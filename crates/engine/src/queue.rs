//! What waits: steering messages for the next step, and work for when the turn is done.

use reasonix_agent::{Inbox, Said};
use reasonix_proto::{Queued, QueuedKind};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Something to be done when nothing else runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Work {
    /// A turn with the model.
    Prompt(Said),
    /// A command of the user's own.
    Shell { command: String, keep: bool },
}

impl Work {
    /// What a person makes of a command that waits: its marks say what becomes of it.
    fn edited(said: Said) -> Self {
        let Some(command) = said.typed().strip_prefix('!') else { return Self::Prompt(said) };
        match command.strip_prefix('!') {
            Some(command) => Self::Shell { command: command.to_owned(), keep: false },
            None => Self::Shell { command: command.to_owned(), keep: true },
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Prompt(said) => said.typed().to_owned(),
            Self::Shell { command, keep } => format!("{}{command}", if *keep { "!" } else { "!!" }),
        }
    }
}

/// The queue of a session.
#[derive(Default)]
pub(crate) struct Queue {
    inbox: Inbox,
    later: Mutex<VecDeque<(u64, Work)>>,
    next: AtomicU64,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, VecDeque<(u64, Work)>> {
        self.later.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Where the running turn reads what is said to it.
    pub(crate) fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    pub(crate) fn steer(&self, said: Said) {
        self.inbox.push(self.id(), said);
    }

    pub(crate) fn add(&self, work: Work) {
        let id = self.id();
        self.lock().push_back((id, work));
    }

    /// What is to be done next. What was said too late to steer the last turn comes first.
    pub(crate) fn pop(&self) -> Option<Work> {
        self.inbox.take().map(Work::Prompt).or_else(|| self.lock().pop_front().map(|(_, work)| work))
    }

    /// Changes a waiting text, or takes it away. False when it does not wait any more.
    pub(crate) fn edit(&self, id: u64, said: Option<Said>) -> bool {
        if self.inbox.edit(id, said.clone()) {
            return true;
        }
        let mut later = self.lock();
        let Some(place) = later.iter().position(|(waits, _)| *waits == id) else { return false };
        match (said, later.get_mut(place)) {
            (Some(said), Some((_, work @ Work::Shell { .. }))) => *work = Work::edited(said),
            (Some(said), Some((_, work))) => *work = Work::Prompt(said),
            _ => drop(later.remove(place)),
        }
        true
    }

    /// Everything that waits, in the order it will be read.
    pub(crate) fn list(&self) -> Vec<Queued> {
        let steering = self.inbox.list().into_iter().map(|(id, said)| Queued {
            id,
            kind: QueuedKind::Steer,
            text: said.typed().to_owned(),
        });
        let later = self.lock();
        let later = later.iter().map(|(id, work)| Queued { id: *id, kind: QueuedKind::FollowUp, text: work.shown() });
        steering.chain(later).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Queue, Work};
    use reasonix_proto::QueuedKind;

    #[test]
    fn what_waits_can_be_changed_and_taken_back() {
        let queue = Queue::default();
        queue.add(Work::Prompt("later".into()));
        queue.add(Work::Shell { command: "ls".into(), keep: true });
        queue.steer("now".into());
        let shown: Vec<_> = queue.list().into_iter().map(|item| (item.id, item.kind, item.text)).collect();
        assert_eq!(
            shown,
            [
                (3, QueuedKind::Steer, "now".into()),
                (1, QueuedKind::FollowUp, "later".into()),
                (2, QueuedKind::FollowUp, "!ls".into())
            ]
        );
        assert!(queue.edit(1, Some("much later".into())));
        assert!(queue.edit(2, Some("!pwd".into())));
        assert!(queue.edit(3, None));
        assert!(!queue.edit(3, None));
        for (text, wanted) in [
            ("!!cat key", Work::Shell { command: "cat key".into(), keep: false }),
            ("!ls", Work::Shell { command: "ls".into(), keep: true }),
            ("what is here?", Work::Prompt("what is here?".into())),
        ] {
            let queue = Queue::default();
            queue.add(Work::Shell { command: "ls".into(), keep: true });
            assert!(queue.edit(1, Some(text.into())));
            assert_eq!(queue.pop(), Some(wanted), "{text}");
        }
        assert_eq!(queue.pop(), Some(Work::Prompt("much later".into())));
        assert_eq!(queue.pop(), Some(Work::Shell { command: "pwd".into(), keep: true }));
        assert_eq!(queue.pop(), None);
    }
}
