//! The task that a session runs in. Whatever becomes of it, whoever listens hears the session's end.

use crate::live::Live;
use crate::outbox::Outbox;
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
async fn to_its_end(running: impl Future<Output = ()>, outbox: Arc<Outbox>) {
    if AssertUnwindSafe(running).catch_unwind().await.is_err() {
        outbox.emit(Event::Notice { level: Level::Error, phrase: Phrase::new("engine.defect") });
        outbox.emit(Event::SessionEnded);
    }
}

#[cfg(test)]
mod tests {
    use super::to_its_end;
    use crate::outbox::tests::outbox;
    use reasonix_proto::Event;

    #[tokio::test]
    async fn a_session_that_a_defect_ends_says_so() {
        let (outbox, mut events) = outbox();
        to_its_end(async { panic!("a defect") }, outbox.clone()).await;
        let Event::Notice { phrase, .. } = events.next().await.unwrap().event else { panic!("nothing was said") };
        assert_eq!(phrase.code, "engine.defect");
        assert_eq!(events.next().await.unwrap().event, Event::SessionEnded);
        to_its_end(async {}, outbox).await;
        assert!(events.ready().is_none(), "one that ends by itself has said so");
    }
}
