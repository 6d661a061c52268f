//! What waits: steering messages for the next step, and work for when the turn is done.

use crate::invoke::Errand;
use reasonix_agent::{AnswerForm, Inbox, Said};
use reasonix_proto::{Phrase, Queued, QueuedKind, Refusal, Refused};
use reasonix_state::ticket::Ticket;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Something to be done when nothing else runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// A turn with the model.
    Prompt(Said),
    /// The same, by a command or a skill.
    Errand(Box<Errand>),
    /// A command of the user's own.
    Shell {
        /// The command line.
        command: String,
        /// The model reads what came of it.
        keep: bool,
    },
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

    /// The same for an answer that has to have a form.
    pub fn formed(mut self, form: Option<AnswerForm>) -> Self {
        let said = match &mut self {
            Self::Prompt(said) => said,
            Self::Errand(errand) => &mut errand.said,
            Self::Shell { .. } => return self,
        };
        said.form = form.map(Arc::new);
        self
    }

    fn shown(&self) -> String {
        match self {
            Self::Prompt(said) => said.typed().to_owned(),
            Self::Errand(errand) => errand.said.typed().to_owned(),
            Self::Shell { command, keep } => format!("{}{command}", if *keep { "!" } else { "!!" }),
        }
    }
}

/// The queue of a session.
#[derive(Default)]
pub struct Queue {
    inbox: Inbox,
    later: Mutex<VecDeque<Waiting>>,
    next: AtomicU64,
    /// How many news the next prompt tells of.
    told: AtomicUsize,
    /// Something was said.
    came: Notify,
}

/// Work that waits, and the operation that wants it.
struct Waiting {
    id: u64,
    work: Work,
    ticket: Option<Ticket>,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Waiting>> {
        self.later.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The news that a prompt tells of; they wait on until it is on the log.
    pub fn news(&self) -> Vec<String> {
        let news = self.inbox.news();
        self.told.store(news.len(), Ordering::Relaxed);
        news
    }

    /// The prompt is on the log, and with it the news.
    pub fn prompt_kept(&self) {
        self.inbox.news_kept(self.told.swap(0, Ordering::Relaxed));
    }

    fn id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Where the running turn reads what is said to it.
    pub fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// Says something to the running turn.
    pub fn steer(&self, said: Said) {
        self.inbox.push(self.id(), said);
        self.came.notify_waiters();
    }

    /// True when something waits that was said.
    pub fn is_spoken_to(&self) -> bool {
        !self.inbox.is_empty() || !self.lock().is_empty()
    }

    /// Waits until something waits that was said.
    pub async fn spoken(&self) {
        loop {
            // Heard of from here on, so that nothing is missed between the look and the wait.
            let came = self.came.notified();
            if self.is_spoken_to() {
                return;
            }
            came.await;
        }
    }

    /// Has this wait until nothing runs.
    pub fn add(&self, work: Work, ticket: Option<Ticket>) {
        let id = self.id();
        self.lock().push_back(Waiting { id, work, ticket });
        self.came.notify_waiters();
    }

    /// What is to be done next. What was said too late to steer the last turn comes first.
    pub fn pop(&self) -> Option<(Work, Option<Ticket>)> {
        let late = self.inbox.take().map(|said| (Work::Prompt(said), None));
        late.or_else(|| self.lock().pop_front().map(|waiting| (waiting.work, waiting.ticket)))
    }

    /// Takes everything away, whose operations thereby end.
    pub fn clear(&self) {
        let waiting = std::mem::take(&mut *self.lock());
        drop(waiting);
    }

    /// Changes a waiting text, or takes it away. False when it does not wait any more.
    pub fn edit(&self, id: u64, said: Option<Said>) -> bool {
        if self.inbox.edit(id, said.clone()) {
            return true;
        }
        let said_nothing = said.is_none();
        let removed = {
            let mut later = self.lock();
            let Some(place) = later.iter().position(|waiting| waiting.id == id) else { return false };
            match (said, later.get_mut(place)) {
                (Some(said), Some(Waiting { work: work @ Work::Shell { .. }, .. })) => *work = Work::edited(said),
                (Some(said), Some(waiting)) => waiting.work = Work::Prompt(said),
                _ => {}
            }
            if said_nothing { later.remove(place) } else { None }
        };
        if let Some(ticket) = removed.and_then(|waiting| waiting.ticket) {
            ticket.settle(Err(Refused::new(Refusal::Withdrawn, Phrase::new("engine.withdrawn"))));
        }
        true
    }

    /// Everything that waits, in the order it will be read.
    pub fn list(&self) -> Vec<Queued> {
        let steering = self.inbox.list().into_iter().map(|(id, said)| Queued {
            id,
            kind: QueuedKind::Steer,
            text: said.typed().to_owned(),
        });
        let later = self.lock();
        let later = later.iter().map(|waiting| Queued {
            id: waiting.id,
            kind: QueuedKind::FollowUp,
            text: waiting.work.shown(),
        });
        steering.chain(later).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Queue, Work};
    use reasonix_proto::QueuedKind;

    /// A prompt that could not be written loses no news, and one that could tells each once.
    #[test]
    fn news_wait_until_their_prompt_is_on_the_log() {
        let queue = Queue::default();
        queue.inbox().push_news("a".into());
        assert_eq!(queue.news(), ["a"]);
        queue.inbox().push_news("b".into());
        assert_eq!(queue.news(), ["a", "b"], "the first prompt was not written");
        queue.inbox().push_news("c".into());
        queue.prompt_kept();
        assert_eq!(queue.news(), ["c"], "what came after it waits");
        queue.prompt_kept();
        queue.prompt_kept();
        assert!(queue.news().is_empty());
    }

    #[test]
    fn what_waits_can_be_changed_and_taken_back() {
        let queue = Queue::default();
        queue.add(Work::Prompt("later".into()), None);
        queue.add(Work::Shell { command: "ls".into(), keep: true }, None);
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
            queue.add(Work::Shell { command: "ls".into(), keep: true }, None);
            assert!(queue.edit(1, Some(text.into())));
            assert_eq!(queue.pop().map(|(work, _)| work), Some(wanted), "{text}");
        }
        assert_eq!(queue.pop().map(|(work, _)| work), Some(Work::Prompt("much later".into())));
        assert_eq!(queue.pop().map(|(work, _)| work), Some(Work::Shell { command: "pwd".into(), keep: true }));
        assert!(queue.pop().is_none());
    }
}
