//! What holds for every way to a server: how fast it may talk, how much it may ask at once, and that its end is seen.

use crate::host::Host;
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerNotification};
use rmcp::transport::Transport;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Messages that may come at once, and in every second after that. One thread serves the whole session.
const BURST: u32 = 1000;
/// Requests of the server that wait for an answer.
const MOST_OPEN: usize = 64;

/// A way to a server with its meter.
pub(crate) struct Metered<T> {
    inner: T,
    /// How many may still come at once.
    left: u32,
    /// When the count began.
    since: Instant,
    open: Arc<Mutex<HashSet<RequestId>>>,
    host: Arc<Host>,
    gone: CancellationToken,
    why: Arc<OnceLock<String>>,
}

impl<T> Metered<T> {
    /// `gone` is cancelled when nothing comes any more; `why` takes the reason where there is one.
    pub(crate) fn new(inner: T, host: Arc<Host>, gone: CancellationToken, why: Arc<OnceLock<String>>) -> Self {
        Self { inner, left: BURST, since: Instant::now(), open: Arc::default(), host, gone, why }
    }

    /// Waits where more came than may. Can be dropped at any time.
    async fn pace(&mut self) {
        let second = Duration::from_secs(1);
        if self.since.elapsed() >= second {
            (self.left, self.since) = (BURST, Instant::now());
        }
        if self.left == 0 {
            tokio::time::sleep_until(self.since + second).await;
            (self.left, self.since) = (BURST, Instant::now());
        }
    }

    /// Counts a request of the server; false when there are too many.
    fn admits(&self, message: &ServerJsonRpcMessage) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match message {
            ServerJsonRpcMessage::Request(request) => {
                open.insert(request.id.clone());
            }
            ServerJsonRpcMessage::Notification(told) => match &told.notification {
                // What it takes back is not answered any more.
                ServerNotification::CancelledNotification(cancelled) => {
                    cancelled.params.request_id.iter().for_each(|id| _ = open.remove(id));
                }
                // Told here, where it stands before the answer that it came before.
                ServerNotification::ProgressNotification(progress) => self.host.progressed(&progress.params),
                _ => {}
            },
            _ => {}
        }
        open.len() <= MOST_OPEN
    }
}

impl<T> Drop for Metered<T> {
    fn drop(&mut self) {
        self.gone.cancel();
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Metered<T> {
    type Error = T::Error;

    fn send(&mut self, item: ClientJsonRpcMessage) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &item {
            ClientJsonRpcMessage::Response(response) => Some(response.id.clone()),
            ClientJsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let open = Arc::clone(&self.open);
        let sent = self.inner.send(item);
        async move {
            let sent = sent.await;
            if let Some(id) = answered {
                open.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.pace().await;
        let came = self.inner.receive().await;
        self.left = self.left.saturating_sub(1);
        match came {
            Some(message) if self.admits(&message) => return Some(message),
            Some(_) => {
                let _ = self.why.set(format!("it asks more than {MOST_OPEN} things at once"));
            }
            None => {}
        }
        self.gone.cancel();
        None
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
