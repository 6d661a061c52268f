//! The servers of a session: each started when it is first needed, started again when it died, within bounds, and ended with
//! the session.

use crate::answer::{McpAnswer, resource_block};
use crate::connect::{Unreached, connect, refusal};
use crate::error::McpError;
use crate::link::{Link, Patience};
use crate::listing::ServerListing;
use crate::names::same_look;
use crate::spec::{Era, ServerSpec, Surroundings};
use crate::status::{ServerNews, ServerState, ServerStatus};
use crate::{answer, call, list};
use reasonix_agent::Stop;
use reasonix_proto::{Block, Content, visible};
use rmcp::model::ResourceContents;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The time in which restarts are counted.
const WINDOW: Duration = Duration::from_secs(600);
/// How long is waited before the second start, then twice as long each time.
const BACK_OFF: Duration = Duration::from_millis(250);

/// The servers of a session. Clones are the same servers; when the last one is dropped they end.
#[derive(Clone)]
pub struct Servers(Arc<Vec<Arc<Server>>>);

/// A call of a tool.
pub struct McpCall<'a> {
    /// The server's name.
    pub server: &'a str,
    /// The server's own name of the tool.
    pub tool: &'a str,
    /// The digest of the definition that was accepted; a tool that is described otherwise now is not called.
    pub accepted: Option<&'a str>,
    /// Its arguments.
    pub args: Map<String, Value>,
    /// Cancelled when nobody wants the answer any more.
    pub stop: &'a Stop,
    /// Hears how far it is.
    pub progress: &'a (dyn Fn(&str) + Send + Sync),
}

/// One server and what became of it so far.
struct Server {
    spec: ServerSpec,
    around: Surroundings,
    state: watch::Sender<State>,
    past: Mutex<Past>,
}

#[derive(Clone)]
enum State {
    Asleep,
    /// Cancelled when it is not wanted any more.
    Starting(CancellationToken),
    Up(Arc<Link>),
    Down(Unreached),
    Refused(String),
}

#[derive(Default)]
struct Past {
    /// When it died or could not be started, the latest last.
    deaths: VecDeque<Instant>,
    /// What it turned out to speak.
    era: Option<Era>,
}

impl Servers {
    /// Takes servers. Nothing of them runs. Names that a person could take for an earlier one are refused.
    pub fn new(specs: Vec<ServerSpec>, around: &Surroundings) -> Self {
        let mut servers: Vec<Arc<Server>> = Vec::new();
        for spec in specs {
            let odd = || (visible(&spec.name) != spec.name).then(|| "its name has hidden characters".to_owned());
            let twin = servers.iter().find(|other| same_look(&other.spec.name, &spec.name));
            let twin = twin.map(|other| format!("its name is `{}`, or looks like it", other.spec.name));
            let state = twin.or_else(odd).or_else(|| refusal(&spec)).map_or(State::Asleep, State::Refused);
            let state = watch::Sender::new(state);
            servers.push(Arc::new(Server { spec, around: around.clone(), state, past: Mutex::default() }));
        }
        Self(Arc::new(servers))
    }

    /// Starts all of them in the background.
    pub fn start(&self) {
        self.0.iter().for_each(|server| server.begin());
    }

    /// What they are doing. Starts nothing and waits for nothing.
    pub fn status(&self) -> Vec<ServerStatus> {
        self.0.iter().map(|server| server.status()).collect()
    }

    /// What a server has, if that is known without asking.
    pub fn known(&self, server: &str) -> Option<Arc<ServerListing>> {
        let State::Up(link) = self.find(server).ok()?.state.borrow().clone() else { return None };
        let kept = link.listing.try_lock().ok()?;
        kept.as_ref().map(|kept| Arc::clone(&kept.listing))
    }

    /// What a server has. It is started for that.
    pub async fn listing(&self, server: &str) -> Result<Arc<ServerListing>, McpError> {
        let link = self.find(server)?.link().await?;
        list::listing(&link, true).await
    }

    /// Calls a tool.
    pub async fn call(&self, call: McpCall<'_>) -> Result<McpAnswer, McpError> {
        let server = self.find(call.server)?;
        let (link, listing) = tokio::select! {
            biased;
            () = call.stop.cancelled() => return Err(McpError::Aborted),
            link = server.listed() => link?,
        };
        let (name, tool) = (call.server.to_owned(), call.tool.to_owned());
        let Some(listed) = listing.tool(call.tool) else {
            return Err(McpError::Missing { server: name, what: format!("tool {tool}") });
        };
        if call.accepted.is_some_and(|accepted| accepted != listed.digest) {
            return Err(McpError::Changed { server: name, tool });
        }
        let limit = link.limits.of_call(call.tool);
        let mut patience = Patience::of(limit).until(call.stop).telling(call.progress);
        Box::pin(call::call(&link, call.tool, call.args, &mut patience)).await
    }

    /// The messages of a prompt: who speaks, and what.
    pub async fn prompt(
        &self,
        server: &str,
        name: &str,
        args: Map<String, Value>,
        stop: &Stop,
    ) -> Result<Vec<(String, Block)>, McpError> {
        let link = self.reached(server, stop).await?;
        let mut patience = Patience::of(Some(link.limits.request)).until(stop);
        let result = Box::pin(call::prompt(&link, name, args, &mut patience)).await?;
        let messages = result.get("messages").and_then(Value::as_array);
        let messages = messages.ok_or_else(|| link.unreadable("it is no prompt"))?;
        let one = |message: &Value| {
            let role = message.get("role").and_then(Value::as_str).unwrap_or("user").to_owned();
            (role, answer::block(server, message.get("content").unwrap_or(&Value::Null)))
        };
        Ok(messages.iter().take(64).map(one).collect())
    }

    /// A resource.
    pub async fn read(&self, server: &str, uri: &str, stop: &Stop) -> Result<Content, McpError> {
        let link = self.reached(server, stop).await?;
        let mut patience = Patience::of(Some(link.limits.request)).until(stop);
        let result = Box::pin(call::read(&link, uri, &mut patience)).await?;
        let parts = result.get("contents").and_then(Value::as_array);
        let parts = parts.ok_or_else(|| link.unreadable("it is no resource"))?;
        let one = |part: &Value| serde_json::from_value::<ResourceContents>(part.clone()).ok();
        let blocks = parts.iter().take(64).filter_map(one).map(|part| resource_block(server, &part));
        Ok(Content::new(blocks))
    }

    /// Forgets how often a server died, and starts it anew when it is next needed.
    pub async fn restart(&self, server: &str) -> Result<(), McpError> {
        let server = self.find(server)?;
        server.past().deaths.clear();
        server.sleep().await;
        Ok(())
    }

    /// Ends all of them, each within a short grace.
    pub async fn close(&self) {
        futures_util::future::join_all(self.0.iter().map(|server| server.sleep())).await;
    }

    async fn reached(&self, server: &str, stop: &Stop) -> Result<Arc<Link>, McpError> {
        let server = self.find(server)?;
        tokio::select! {
            biased;
            () = stop.cancelled() => Err(McpError::Aborted),
            link = server.link() => link,
        }
    }

    fn find(&self, name: &str) -> Result<&Arc<Server>, McpError> {
        let found = self.0.iter().find(|server| server.spec.name == name);
        found.ok_or_else(|| McpError::NoServer { server: name.to_owned() })
    }
}

impl Server {
    fn past(&self) -> std::sync::MutexGuard<'_, Past> {
        self.past.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, news: ServerNews) {
        if let Some(tell) = &self.around.news {
            tell(&self.spec.name, news);
        }
    }

    /// The connection, and what the server has.
    async fn listed(self: &Arc<Self>) -> Result<(Arc<Link>, Arc<ServerListing>), McpError> {
        let link = self.link().await?;
        let listing = list::listing(&link, false).await?;
        Ok((link, listing))
    }

    /// The connection; made if there is none. Whoever stops waiting does not stop the others.
    async fn link(self: &Arc<Self>) -> Result<Arc<Link>, McpError> {
        let mut seen = self.state.subscribe();
        self.mourn();
        if let Some(error) = self.resting() {
            return Err(error);
        }
        self.begin();
        loop {
            let state = seen.borrow_and_update().clone();
            let server = self.spec.name.clone();
            match state {
                State::Up(link) => return Ok(link),
                State::Refused(reason) => return Err(McpError::Refused { server, reason }),
                State::Down(Unreached { challenge: Some(challenge), .. }) => {
                    return Err(McpError::Login { server, challenge });
                }
                State::Down(Unreached { refused: true, reason, .. }) => {
                    return Err(McpError::Refused { server, reason });
                }
                State::Down(why) => {
                    return Err(McpError::Down { server, reason: why.reason, boxed: why.boxed });
                }
                State::Asleep => self.begin(),
                State::Starting(_) => {}
            }
            if seen.changed().await.is_err() {
                return Err(McpError::Down { server, reason: "the session ended".to_owned(), boxed: false });
            }
        }
    }

    /// Counts the death of a connection that is gone, once.
    fn mourn(&self) {
        let State::Up(link) = self.state.borrow().clone() else { return };
        if link.is_gone() && link.end.mourns() {
            self.past().deaths.push_back(Instant::now());
        }
    }

    /// Why it is not tried again just now.
    fn resting(&self) -> Option<McpError> {
        let reason = match &*self.state.borrow() {
            State::Down(why) => why.reason.clone(),
            State::Up(link) if link.is_gone() => link.end.why.get().cloned().unwrap_or_else(|| "it died".to_owned()),
            _ => return None,
        };
        let mut past = self.past();
        past.deaths.retain(|death| death.elapsed() < WINDOW);
        let first = past.deaths.front().filter(|_| past.deaths.len() > self.spec.limits.restarts)?;
        let seconds = WINDOW.saturating_sub(first.elapsed()).as_secs() + 1;
        Some(McpError::Resting { server: self.spec.name.clone(), reason, seconds })
    }

    /// Begins to make a connection where there is none.
    fn begin(self: &Arc<Self>) {
        let unwanted = CancellationToken::new();
        let begins = self.state.send_if_modified(|state| {
            let idle = match state {
                State::Asleep | State::Down(_) => true,
                State::Up(link) => link.is_gone(),
                State::Starting(_) | State::Refused(_) => false,
            };
            if idle {
                *state = State::Starting(unwanted.clone());
            }
            idle
        });
        if begins {
            let server = Arc::clone(self);
            tokio::spawn(Box::pin(async move {
                tokio::select! {
                    () = unwanted.cancelled() => {}
                    () = server.connect(&unwanted) => {}
                }
            }));
        }
    }

    /// The next state of a server that is being started, unless it is not wanted any more.
    fn becomes(&self, next: State, unwanted: &CancellationToken) {
        self.state.send_if_modified(|state| {
            let wanted = !unwanted.is_cancelled();
            if wanted {
                *state = next;
            }
            wanted
        });
    }

    async fn connect(self: &Arc<Self>, unwanted: &CancellationToken) {
        let (wait, era) = {
            let past = self.past();
            let exponent = u32::try_from(past.deaths.len()).unwrap_or(u32::MAX).min(6);
            let wait = if past.deaths.is_empty() { Duration::ZERO } else { BACK_OFF * 2_u32.pow(exponent - 1) };
            (wait, past.era.unwrap_or(self.spec.era))
        };
        tokio::time::sleep(wait).await;
        match connect(&self.spec, &self.around, era).await {
            Ok(link) => {
                let modern = !link.info.protocol_version.has_initialize();
                self.past().era = Some(if modern { Era::Modern } else { Era::Initialize });
                let link = Arc::new(link);
                tokio::spawn(watch_over(Arc::downgrade(self), Arc::downgrade(&link)));
                self.becomes(State::Up(link), unwanted);
                self.tell(ServerNews::Up);
            }
            Err(why) => {
                let mut past = self.past();
                // What was never started did not die.
                if !why.refused {
                    past.deaths.push_back(Instant::now());
                }
                // It may have become another program meanwhile.
                past.era = None;
                drop(past);
                let (reason, boxed) = (why.reason.clone(), why.boxed);
                self.becomes(State::Down(why), unwanted);
                self.tell(ServerNews::Down { reason, boxed });
            }
        }
    }

    /// Ends it; it is started again when it is needed.
    async fn sleep(&self) {
        let mut before = None;
        self.state.send_if_modified(|state| {
            match state {
                State::Up(link) => before = Some(Arc::clone(link)),
                State::Starting(unwanted) => unwanted.cancel(),
                _ => {}
            }
            let ends = !matches!(state, State::Refused(_));
            if ends {
                *state = State::Asleep;
            }
            ends
        });
        if let Some(link) = before {
            link.close().await;
        }
    }

    fn status(&self) -> ServerStatus {
        let state = self.state.borrow().clone();
        let name = self.spec.name.clone();
        let bare = |state| ServerStatus { name, state, protocol: None, counts: None, stderr: String::new() };
        match state {
            State::Asleep => bare(ServerState::Asleep),
            State::Starting(_) => bare(ServerState::Starting),
            State::Down(why) if why.refused => bare(ServerState::Refused { reason: why.reason }),
            State::Down(why) => bare(ServerState::Down { reason: why.reason }),
            State::Refused(reason) => bare(ServerState::Refused { reason }),
            State::Up(link) => {
                let gone = || link.end.why.get().cloned().unwrap_or_else(|| "it died".to_owned());
                let now = if link.is_gone() { ServerState::Down { reason: gone() } } else { ServerState::Up };
                let kept = link.listing.try_lock().ok();
                let listing = kept.as_ref().and_then(|kept| kept.as_ref()).map(|kept| &kept.listing);
                let count = |all: Option<usize>| all.unwrap_or(0);
                ServerStatus {
                    protocol: Some(link.info.protocol_version.as_str().to_owned()),
                    counts: listing.map(|all| {
                        let tools = count(all.tools.as_ref().map(Vec::len));
                        let prompts = count(all.prompts.as_ref().map(Vec::len));
                        (tools, prompts, count(all.resources.as_ref().map(Vec::len)))
                    }),
                    stderr: link.stderr(),
                    ..bare(now)
                }
            }
        }
    }
}

/// Says when a connection is gone, and puts a server away that nobody uses. Keeps neither alive.
async fn watch_over(server: Weak<Server>, link: Weak<Link>) {
    let Some((gone, idle)) = link.upgrade().map(|link| (link.end.gone.clone(), link.limits.idle)) else { return };
    loop {
        let Some(unused) = link.upgrade().map(|link| link.unused().unwrap_or_default()) else { return };
        let left = idle.map(|idle| idle.saturating_sub(unused));
        let slept = async {
            match left {
                Some(left) => tokio::time::sleep(left.max(Duration::from_millis(20))).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = gone.cancelled() => break,
            () = slept => {}
        }
        let (Some(server), Some(link)) = (server.upgrade(), link.upgrade()) else { return };
        if idle.is_some_and(|idle| link.unused().is_some_and(|unused| unused >= idle)) {
            tracing::debug!(server = %server.spec.name, "nobody uses it");
            server.sleep().await;
            return;
        }
    }
    let (Some(server), Some(link)) = (server.upgrade(), link.upgrade()) else { return };
    if link.end.is_meant() {
        return;
    }
    let reason = link.end.reason(link.child.as_ref()).await;
    let _ = link.end.why.set(reason.clone());
    if link.end.mourns() {
        server.past().deaths.push_back(Instant::now());
    }
    server.tell(ServerNews::Down { reason, boxed: false });
}
