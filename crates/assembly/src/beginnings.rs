//! The beginning of a long conversation, read out of its log when the first prompt needs it.

use crate::images::fetch;
use reasonix_agent::{Artifacts, BoxFuture, LeftInLog};
use reasonix_proto::{Message, Phrase};
use reasonix_session::EarlierMessages;
use std::fmt;
use std::sync::Arc;

/// What a log has of a conversation before what is held of it.
pub(crate) struct Beginnings {
    earlier: EarlierMessages,
    artifacts: Arc<dyn Artifacts>,
}

impl fmt::Debug for Beginnings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Beginnings").field("count", &self.earlier.count()).finish_non_exhaustive()
    }
}

impl Beginnings {
    pub(crate) fn of(earlier: EarlierMessages, artifacts: &Arc<dyn Artifacts>) -> Arc<dyn LeftInLog> {
        Arc::new(Self { earlier, artifacts: Arc::clone(artifacts) })
    }
}

impl LeftInLog for Beginnings {
    fn count(&self) -> usize {
        self.earlier.count()
    }

    fn tokens(&self) -> u64 {
        self.earlier.tokens()
    }

    fn read(&self) -> BoxFuture<'_, Result<Vec<Message>, Phrase>> {
        let (earlier, artifacts) = (self.earlier.clone(), Arc::clone(&self.artifacts));
        Box::pin(async move {
            let read = move || {
                let mut messages = Vec::with_capacity(earlier.count());
                earlier.each(|message| messages.push(message))?;
                fetch(&mut messages, artifacts.as_ref());
                Ok::<_, std::io::Error>(messages)
            };
            let unreadable = |reason: String| Phrase::new("engine.log_unreadable").with("reason", reason);
            let read = tokio::task::spawn_blocking(read).await.map_err(|error| unreadable(error.to_string()))?;
            read.map_err(|error| unreadable(error.to_string()))
        })
    }
}
