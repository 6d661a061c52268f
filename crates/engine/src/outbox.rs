//! Events on their way to a front end: numbered, never blocking, and bounded where something floods.

use reasonix_agent::Sink;
use reasonix_proto::{Envelope, Event, PROTOCOL_VERSION, SessionId, Usage};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// Progress beyond this many unread events is dropped; it is marked as droppable.
const MOST_UNREAD: usize = 1024;

/// The sending side.
pub(crate) struct Outbox {
    session: SessionId,
    seq: AtomicU64,
    unread: Arc<AtomicUsize>,
    to: mpsc::UnboundedSender<Envelope>,
    figures: Mutex<Figures>,
}

/// What the last request told about the size of the context.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Figures {
    pub(crate) usage: Usage,
    pub(crate) context: u64,
}

/// The receiving side: the events of one session, in order.
pub struct Events {
    from: mpsc::UnboundedReceiver<Envelope>,
    unread: Arc<AtomicUsize>,
}

impl Events {
    /// The next event; none when the session is over.
    pub async fn next(&mut self) -> Option<Envelope> {
        let envelope = self.from.recv().await?;
        self.unread.fetch_sub(1, Ordering::Relaxed);
        Some(envelope)
    }

    /// The next event if one is already there.
    pub fn ready(&mut self) -> Option<Envelope> {
        let envelope = self.from.try_recv().ok()?;
        self.unread.fetch_sub(1, Ordering::Relaxed);
        Some(envelope)
    }
}

impl Outbox {
    pub(crate) fn new(session: SessionId, figures: Figures) -> (Arc<Self>, Events) {
        let (to, from) = mpsc::unbounded_channel();
        let unread = Arc::new(AtomicUsize::new(0));
        let events = Events { from, unread: Arc::clone(&unread) };
        let outbox = Self { session, seq: AtomicU64::new(0), unread, to, figures: Mutex::new(figures) };
        (Arc::new(outbox), events)
    }

    pub(crate) fn figures(&self) -> Figures {
        *self.figures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, event: &Event) {
        if let Event::Usage { usage, context, .. } = event {
            let mut figures = self.figures.lock().unwrap_or_else(PoisonError::into_inner);
            figures.usage.add(*usage);
            figures.context = *context;
        }
    }
}

impl Sink for Outbox {
    fn emit(&self, event: Event) {
        self.count(&event);
        let floods = matches!(event, Event::ToolProgress { .. } | Event::Arguments { .. });
        if floods && self.unread.load(Ordering::Relaxed) > MOST_UNREAD {
            return;
        }
        let envelope = Envelope {
            v: PROTOCOL_VERSION,
            seq: self.seq.fetch_add(1, Ordering::Relaxed) + 1,
            session: self.session.clone(),
            ephemeral: event.is_ephemeral(),
            event,
        };
        self.unread.fetch_add(1, Ordering::Relaxed);
        // A front end that went away ends the session through its ops channel; nobody reads this any more.
        if self.to.send(envelope).is_err() {
            self.unread.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Figures, MOST_UNREAD, Outbox};
    use reasonix_agent::Sink;
    use reasonix_proto::{CallId, Event, SessionId};

    #[test]
    fn a_flood_of_progress_is_bounded_and_nothing_else_is_lost() {
        let (outbox, mut events) = Outbox::new(SessionId::from("s"), Figures::default());
        for _ in 0..MOST_UNREAD * 4 {
            outbox.emit(Event::ToolProgress { call: CallId::from("c"), delta: "x".into() });
        }
        outbox.emit(Event::SessionEnded);
        let all: Vec<_> = std::iter::from_fn(|| events.ready()).collect();
        assert!(all.len() <= MOST_UNREAD + 2, "{}", all.len());
        assert_eq!(all.last().map(|last| last.event.clone()), Some(Event::SessionEnded));
        assert!(all.windows(2).all(|pair| pair[0].seq < pair[1].seq));
    }
}
