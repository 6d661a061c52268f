//! A connection to a server that has said who it is.

use crate::error::McpError;
use crate::host::Host;
use crate::listing::{ServerListing, bounded};
use crate::spec::ServerLimits;
use reasonix_agent::Stop;
use reasonix_exec::{Child, EndStatus, Ended};
use rmcp::model::{ClientRequest, ServerPeerInfo, ServerResult};
use rmcp::service::{PeerRequestOptions, RequestHandle, RunningService, ServiceError};
use rmcp::transport::streamable_http_client::{AuthRequiredError, InsufficientScopeError};
use rmcp::{Peer, RoleClient};
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::sync::oneshot::error::RecvError;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long a server has that is told to end.
const GRACE: Duration = Duration::from_secs(2);
/// Bytes of a server's words in a message.
const WORDS: usize = 2048;

/// A list of what a server has, and until when it holds.
pub(crate) struct KeptListing {
    pub(crate) listing: Arc<ServerListing>,
    pub(crate) until: Option<Instant>,
}

/// A connection to a server. Dropping it ends the server.
pub(crate) struct Link {
    pub(crate) server: String,
    pub(crate) limits: ServerLimits,
    pub(crate) host: Arc<Host>,
    pub(crate) info: Arc<ServerPeerInfo>,
    pub(crate) listing: tokio::sync::Mutex<Option<KeptListing>>,
    pub(crate) service: RunningService<RoleClient, Arc<Host>>,
    pub(crate) child: Option<Child>,
    pub(crate) end: LinkEnd,
    /// When it was used last.
    pub(crate) used: Mutex<Instant>,
}

/// The end of a connection, and why.
#[derive(Clone, Default)]
pub(crate) struct LinkEnd {
    pub(crate) gone: CancellationToken,
    pub(crate) why: Arc<OnceLock<String>>,
    /// It was put away on purpose, which is no death.
    meant: Arc<AtomicBool>,
    /// Its death was counted.
    mourned: Arc<AtomicBool>,
}

/// How long somebody waits for an answer, and who ends it.
pub(crate) struct Patience<'a> {
    /// The limit; none for none.
    limit: Option<Duration>,
    left: Option<Duration>,
    stop: Option<&'a Stop>,
    progress: Option<&'a (dyn Fn(&str) + Send + Sync)>,
}

impl<'a> Patience<'a> {
    pub(crate) fn of(limit: Option<Duration>) -> Self {
        Self { limit, left: limit, stop: None, progress: None }
    }

    pub(crate) fn until(mut self, stop: &'a Stop) -> Self {
        self.stop = Some(stop);
        self
    }

    pub(crate) fn telling(mut self, progress: &'a (dyn Fn(&str) + Send + Sync)) -> Self {
        self.progress = Some(progress);
        self
    }

    pub(crate) async fn stopped(&self) {
        match self.stop {
            Some(stop) => stop.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// Time went by.
    pub(crate) fn spend(&mut self, time: Duration) {
        self.left = self.left.map(|left| left.saturating_sub(time));
    }

    /// Ends when there is no time left.
    pub(crate) async fn over(&self) {
        match self.left {
            Some(left) => tokio::time::sleep(left).await,
            None => std::future::pending().await,
        }
    }

    pub(crate) fn tell(&self, words: Option<String>) {
        if let Some(words) = words {
            self.hear(&format!("{}\n", bounded(&words, 400)));
        }
    }

    fn hear(&self, line: &str) {
        if let Some(progress) = self.progress {
            progress(line);
        }
    }

    pub(crate) fn seconds(&self) -> u64 {
        self.limit.map_or(0, |limit| limit.as_secs())
    }
}

type Answer = Result<Result<ServerResult, ServiceError>, RecvError>;

enum Step {
    Answer(Box<Answer>),
    Stopped,
    Gone,
    Told(String),
    People,
    Late,
}

impl Link {
    pub(crate) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.end.gone.is_cancelled() || self.peer().is_transport_closed()
    }

    /// Asks, and waits as long as patience lasts. Waiting for a person costs none of it.
    pub(crate) async fn ask(
        &self,
        request: ClientRequest,
        patience: &mut Patience<'_>,
    ) -> Result<ServerResult, McpError> {
        let _works = self.host.works();
        self.touch();
        let sent = self.peer().send_request_with_option(request, PeerRequestOptions::no_options());
        let mut handle = tokio::select! {
            biased;
            handle = sent => handle.map_err(|error| self.failed(&error))?,
            () = patience.stopped() => return Err(McpError::Aborted),
            () = self.end.gone.cancelled() => return Err(self.down().await),
        };
        let mut heard = self.host.follow(handle.progress_token.clone());
        let mut waiting = self.host.waiting();
        loop {
            let people = *waiting.borrow_and_update() > 0;
            let begun = Instant::now();
            let step = self.step(&mut handle, &mut heard, &mut waiting, patience, people).await;
            if !people {
                patience.spend(begun.elapsed());
            }
            match step {
                Step::Told(line) => patience.hear(&line),
                Step::People => {}
                Step::Answer(answer) => {
                    self.touch();
                    while let Ok(line) = heard.try_recv() {
                        patience.hear(&line);
                    }
                    return match *answer {
                        Ok(Ok(answer)) => Ok(answer),
                        Ok(Err(ServiceError::TransportClosed)) | Err(_) => Err(self.down().await),
                        Ok(Err(error)) => Err(self.failed(&error)),
                    };
                }
                Step::Gone => return Err(self.down().await),
                Step::Stopped => {
                    take_back(handle, "interrupted");
                    return Err(McpError::Aborted);
                }
                Step::Late => {
                    take_back(handle, "out of time");
                    return Err(McpError::Late { server: self.server.clone(), seconds: patience.seconds() });
                }
            }
        }
    }

    async fn step(
        &self,
        handle: &mut RequestHandle<RoleClient>,
        heard: &mut mpsc::Receiver<String>,
        waiting: &mut tokio::sync::watch::Receiver<usize>,
        patience: &Patience<'_>,
        people: bool,
    ) -> Step {
        tokio::select! {
            biased;
            answer = &mut handle.rx => Step::Answer(Box::new(answer)),
            () = patience.stopped() => Step::Stopped,
            () = self.end.gone.cancelled() => Step::Gone,
            Some(line) = heard.recv() => Step::Told(line),
            Ok(()) = waiting.changed() => Step::People,
            () = patience.over(), if !people => Step::Late,
        }
    }

    pub(crate) fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// How long nobody used it; none while it is at work.
    pub(crate) fn unused(&self) -> Option<Duration> {
        let idle = self.host.is_idle();
        idle.then(|| self.used.lock().unwrap_or_else(PoisonError::into_inner).elapsed())
    }

    /// Why it is gone, as an error.
    pub(crate) async fn down(&self) -> McpError {
        let reason = self.end.reason(self.child.as_ref()).await;
        McpError::Down { server: self.server.clone(), reason, boxed: false }
    }

    pub(crate) fn unreadable(&self, reason: impl Into<String>) -> McpError {
        McpError::Unreadable { server: self.server.clone(), reason: reason.into() }
    }

    fn failed(&self, error: &ServiceError) -> McpError {
        let server = self.server.clone();
        match error {
            ServiceError::McpError(told) => {
                McpError::Told { server, code: told.code.0, message: bounded(&told.message, WORDS) }
            }
            ServiceError::TransportSend(error) => match challenge(error) {
                Some(challenge) => McpError::Login { server, challenge },
                None => McpError::Down { server, reason: bounded(&innermost(error), WORDS), boxed: false },
            },
            other => McpError::Unreadable { server, reason: bounded(&other.to_string(), WORDS) },
        }
    }

    /// Ends it in order.
    pub(crate) async fn close(&self) {
        self.end.meant.store(true, Ordering::Relaxed);
        self.service.cancellation_token().cancel();
        if let Some(child) = &self.child {
            child.close(GRACE).await;
        }
    }

    pub(crate) fn stderr(&self) -> String {
        self.child.as_ref().map(tail).unwrap_or_default()
    }
}

/// Tells the server that nobody waits any more. Nobody waits for that either.
fn take_back(handle: RequestHandle<RoleClient>, reason: &str) {
    let cancel = handle.cancel(Some(reason.to_owned()));
    tokio::spawn(async move { tokio::time::timeout(Duration::from_secs(5), cancel).await });
}

impl LinkEnd {
    pub(crate) fn is_meant(&self) -> bool {
        self.meant.load(Ordering::Relaxed)
    }

    /// True for the first who asks, where it is a death at all.
    pub(crate) fn mourns(&self) -> bool {
        !self.is_meant() && !self.mourned.swap(true, Ordering::Relaxed)
    }

    /// Why it ended. A child that is about to end is given a moment to say how.
    pub(crate) async fn reason(&self, child: Option<&Child>) -> String {
        let known = self.why.get().cloned();
        let Some(child) = child else { return known.unwrap_or_else(|| "the connection was closed".to_owned()) };
        let reason = match known {
            Some(reason) => reason,
            None => match tokio::time::timeout(Duration::from_secs(1), child.wait()).await {
                Ok(ended) => said(&ended),
                Err(_) => "it closed its output".to_owned(),
            },
        };
        let words = tail(child);
        if words.is_empty() { reason } else { format!("{reason}. It wrote: {words}") }
    }
}

fn said(ended: &Ended) -> String {
    match (&ended.hit, ended.status) {
        (Some(hit), _) => format!("it was ended: {hit}"),
        (None, EndStatus::Exited(code)) => format!("it ended with exit code {code}"),
        (None, EndStatus::Signalled(signal)) => format!("it was ended by signal {signal}"),
        (None, _) => "it was ended".to_owned(),
    }
}

/// The end of what a child wrote to its stderr.
pub(crate) fn tail(child: &Child) -> String {
    let (mut head, tail) = child.stderr().into_parts();
    head.extend_from_slice(&tail);
    let text = String::from_utf8_lossy(&head);
    let text = text.trim();
    let from = text.ceil_char_boundary(text.len().saturating_sub(WORDS));
    reasonix_proto::visible(text.get(from..).unwrap_or_default()).into_owned()
}

/// What a server wants to know of who asks.
pub(crate) fn challenge(error: &(dyn Error + 'static)) -> Option<String> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(wants) = error.downcast_ref::<AuthRequiredError>() {
            return Some(wants.www_authenticate_header.clone());
        }
        if let Some(wants) = error.downcast_ref::<InsufficientScopeError>() {
            return Some(wants.www_authenticate_header.clone());
        }
        next = error.source();
    }
    None
}

/// What lies behind an error: the words around it are the SDK's.
pub(crate) fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut last = error;
    while let Some(error) = last.source() {
        last = error;
    }
    let text = last.to_string();
    text.strip_prefix("Client error: ").unwrap_or(&text).to_owned()
}
