//! The task that a session runs in. Whatever becomes of it, whoever listens hears the session's end.

use crate::live::Live;
use futures_util::FutureExt;
use reasonix_agent::Sink;
use reasonix_proto::{Event, Level, Phrase};
use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tracing::Instrument;

/// Runs the session in a task of its own; its way out of the box is there as long.
pub(crate) fn set_going(live: Live, way_out: Box<dyn Any + Send>) {
    let outbox = Arc::clone(&live.desk.outbox);
    let span = outbox.span().clone();
    let running = async move {
        let _way_out = way_out;
        live.run().await;
    };
    tokio::spawn(to_its_end(running, outbox).instrument(span));
}

/// A defect of ours ends the session in words: a front end that waits for events would wait for ever. What was going on is
/// settled as it is dropped, and what stands in the log stays there.
async fn to_its_end(running: impl Future<Output = ()>, hears: Arc<dyn Sink>) {
    if AssertUnwindSafe(running).catch_unwind().await.is_err() {
        hears.emit(Event::Notice { level: Level::Error, phrase: Phrase::new("engine.defect") });
        hears.emit(Event::SessionEnded);
    }
}

#[cfg(test)]
mod tests {
    use super::to_its_end;
    use reasonix_agent::Sink;
    use reasonix_proto::Event;
    use std::sync::{Arc, Mutex};

    #[derive(Default)]
    struct Heard(Mutex<Vec<Event>>);

    impl Sink for Heard {
        fn emit(&self, event: Event) {
            self.0.lock().unwrap().push(event);
        }
    }

    #[tokio::test]
    async fn a_session_that_a_defect_ends_says_so() {
        let heard = Arc::new(Heard::default());
        to_its_end(async { panic!("a defect") }, heard.clone()).await;
        let said = std::mem::take(&mut *heard.0.lock().unwrap());
        let [Event::Notice { phrase, .. }, Event::SessionEnded] = said.as_slice() else { panic!("{said:?}") };
        assert_eq!(phrase.code, "engine.defect");
        to_its_end(async {}, heard.clone()).await;
        assert!(heard.0.lock().unwrap().is_empty(), "one that ends by itself has said so");
    }
}
