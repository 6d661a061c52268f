//! One server of a session: how it is reached, what is known of it, and what was accepted of it.

use super::pinned::Pinned;
use crate::configured::{ConfiguredServer, ServerAbsence, ServerOrigin};
use reasonix_config::{Standing, Surface};
use reasonix_mcp::{
    LeftOut, ListedTool, MayStart, McpError, ServerListing, ServerNews, ServerReach, ServerSpec, ServerState, Servers,
    Surroundings,
};
use reasonix_proto::{ServerCounts, ServerInfo, ServerStanding};
use reasonix_world::trust::TrustWord;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A server of a session.
pub(crate) struct Member {
    /// Its name.
    pub name: String,
    place: String,
    /// Tools that the user takes for readers, by the server's own names.
    readers: Vec<String>,
    servers: Servers,
    file: PathBuf,
    /// None for one that was never tried.
    pinned: Mutex<Option<Pinned>>,
    /// How many of its tools stand in the requests.
    sent: AtomicUsize,
    refreshing: AtomicBool,
    /// Something was accepted that is not on disk yet.
    unwritten: AtomicBool,
    /// What people heard of it already.
    told: Mutex<Vec<ServerNews>>,
}

impl Member {
    /// Nothing of it runs. None for a server that may not be used.
    pub(super) fn new(
        server: ConfiguredServer,
        pins: &Path,
        (around, word): (&Surroundings, &TrustWord),
    ) -> Option<Self> {
        let mut spec = server.reach.ok()?;
        let file = pin_file(pins, &spec, server.origin, &around.roots);
        let word = word.clone();
        spec.may_start = server.surface.map(|surface| MayStart::new(move || may_start(&word, &surface)));
        let pinned = Pinned::read(&file);
        Some(Self {
            name: server.name,
            place: server.place,
            readers: server.readers,
            servers: Servers::new(vec![spec], around),
            file,
            pinned: Mutex::new(pinned),
            sent: AtomicUsize::new(0),
            refreshing: AtomicBool::new(false),
            unwritten: AtomicBool::new(false),
            told: Mutex::default(),
        })
    }

    /// True for the one that is configured so; another one of its name stands elsewhere and is not used.
    pub(super) fn is(&self, server: &ConfiguredServer) -> bool {
        self.name == server.name && (server.reach.is_ok() || self.place == server.place)
    }

    /// Why another one is not used that could be taken for it.
    pub(super) fn twin(&self) -> ServerAbsence {
        ServerAbsence::Twin { other: self.name.clone(), place: self.place.clone() }
    }

    /// Its connection.
    pub(super) fn servers(&self) -> &Servers {
        &self.servers
    }

    fn pinned(&self) -> MutexGuard<'_, Option<Pinned>> {
        self.pinned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True for a server that was never tried.
    pub(super) fn is_new(&self) -> bool {
        self.pinned().as_ref().is_none_or(Pinned::is_blank)
    }

    /// True for one that was tried in an earlier session and did not come.
    pub(super) fn is_absent(&self) -> bool {
        let tried = |pinned: &Pinned| pinned.listing.is_none() && !pinned.is_blank();
        self.pinned().as_ref().is_some_and(tried)
    }

    /// What it had when it was last there.
    pub(crate) fn listing(&self) -> Option<Arc<ServerListing>> {
        self.pinned().as_ref()?.listing.clone()
    }

    /// A tool as it was last defined, by the server's own name for it.
    pub(super) fn defined(&self, own: &str) -> Option<ListedTool> {
        self.listing()?.tool(own).cloned()
    }

    /// Whether the user takes a tool for a reader.
    pub(super) fn trusts(&self, own: &str) -> bool {
        self.readers.iter().any(|reader| reader == own)
    }

    /// How a tool differs from what a person accepted.
    pub(super) fn redefined(&self, own: &str) -> Option<String> {
        let pinned = self.pinned();
        let pinned = pinned.as_ref()?;
        pinned.redefined(pinned.listing.as_ref()?.tool(own)?)
    }

    /// A person accepted how a tool differs from what it was, as they were shown it.
    pub(super) fn accept_difference(&self, own: &str, diff: &str) {
        if let Some(pinned) = self.pinned().as_mut()
            && pinned.accept_difference(own, diff)
        {
            self.unwritten.store(true, Ordering::Release);
        }
    }

    /// A tool runs as it is defined: it is the same as a person accepted, or this is their first yes to it.
    pub(super) async fn accept(self: &Arc<Self>, tool: &ListedTool) {
        let new = self.pinned().get_or_insert_default().accept_first(tool);
        if new || self.unwritten.swap(false, Ordering::AcqRel) {
            self.keep().await;
        }
    }

    /// Starts it where it does not run, and learns what it has.
    pub(crate) async fn meet(self: &Arc<Self>) -> Result<Arc<ServerListing>, McpError> {
        let listing = self.servers.listing(&self.name).await?;
        self.learn(Arc::clone(&listing)).await;
        Ok(listing)
    }

    /// Takes in what it has by now, where that is known without asking.
    pub(super) async fn note(self: &Arc<Self>) {
        if let Some(listing) = self.servers.known(&self.name) {
            self.learn(listing).await;
        }
    }

    /// The same after it said that something changed; once at a time.
    pub(super) async fn refresh(self: &Arc<Self>) {
        if !self.refreshing.swap(true, Ordering::AcqRel) {
            // Why it cannot be asked is told by whoever needs it next.
            let _ = self.meet().await;
            self.refreshing.store(false, Ordering::Release);
        }
    }

    /// It was given its time and did not come: nobody waits for it again.
    pub(super) async fn missed(self: &Arc<Self>) {
        let new = self.pinned().is_none();
        if new {
            self.pinned().get_or_insert_default();
            let member = Arc::clone(self);
            let noted = tokio::task::spawn_blocking(move || Pinned::default().write_first(&member.file)).await;
            self.written(noted);
        }
    }

    async fn learn(self: &Arc<Self>, listing: Arc<ServerListing>) {
        let new = {
            let mut pinned = self.pinned();
            let pinned = pinned.get_or_insert_default();
            let new = pinned.listing.as_deref() != Some(&*listing);
            pinned.listing = Some(listing);
            new
        };
        if new {
            self.keep().await;
        }
    }

    /// Writes down what is known. What cannot be written is known as long as the session runs.
    async fn keep(self: &Arc<Self>) {
        let member = Arc::clone(self);
        let written = tokio::task::spawn_blocking(move || {
            // What is known now, not when somebody began to wait.
            let known = || member.pinned().clone();
            let kept = Pinned::merge(&member.file, known)?;
            if let (Some(pinned), Some(kept)) = (member.pinned().as_mut(), kept) {
                pinned.learn_accepted(&kept);
            }
            Ok(())
        });
        let written = written.await;
        if !self.written(written) {
            self.unwritten.store(true, Ordering::Release);
        }
    }

    fn written(&self, written: Result<io::Result<()>, tokio::task::JoinError>) -> bool {
        match written {
            Ok(Err(error)) => {
                tracing::warn!(server = %self.name, %error, "server_not_pinned");
                false
            }
            other => other.is_ok(),
        }
    }

    /// True for something that people have not heard of it yet. Each death is told; it can only die so often.
    pub(super) fn is_news(&self, news: &ServerNews) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        match news {
            ServerNews::Up => false,
            ServerNews::Down { .. } => true,
            other if told.contains(other) => false,
            other => {
                told.push(other.clone());
                true
            }
        }
    }

    /// Notes how many of its tools stand in the requests.
    pub(super) fn note_sent(&self, count: usize) {
        self.sent.store(count, Ordering::Relaxed);
    }

    pub(super) async fn close(&self) {
        self.servers.close().await;
    }

    /// What it is doing, for people, with what others stand in the way of.
    pub(super) fn info<'a>(&self, clashing: impl Iterator<Item = &'a LeftOut>) -> ServerInfo {
        let status = self.servers.status().into_iter().next();
        let state = status.as_ref().map_or(ServerState::Asleep, |status| status.state.clone());
        let standing = match state {
            ServerState::Asleep => ServerStanding::Asleep,
            ServerState::Starting => ServerStanding::Starting,
            ServerState::Up => ServerStanding::Up,
            ServerState::Down { reason } => ServerStanding::Down { reason },
            ServerState::Refused { reason } => ServerStanding::Refused { reason },
        };
        let listing = self.listing();
        let left = |left: &LeftOut| format!("{}: {}", left.name, left.reason);
        let own = listing.iter().flat_map(|listing| &listing.left_out);
        ServerInfo {
            name: self.name.clone(),
            origin: self.place.clone(),
            standing,
            protocol: listing.as_ref().map(|listing| listing.protocol.clone()).filter(|text| !text.is_empty()),
            counts: listing.as_ref().map(|listing| ServerCounts {
                tools: listing.tools.as_ref().map_or(0, Vec::len),
                sent: self.sent.load(Ordering::Relaxed),
                prompts: listing.prompts.as_ref().map_or(0, Vec::len),
                resources: listing.resources.as_ref().map_or(0, Vec::len),
            }),
            left_out: own.map(left).chain(clashing.map(left)).collect(),
            stderr: status.map(|status| status.stderr).unwrap_or_default(),
        }
    }
}

/// Whether the user trusts what a project's server executes, as it is at this moment; else why not.
fn may_start(word: &TrustWord, surface: &Surface) -> Result<(), String> {
    match word.stands(surface) {
        Standing::Trusted(_) => Ok(()),
        Standing::Changed { .. } => {
            Err("what it executes changed since you trusted it. `reasonix trust` shows what is \
             different; once you said yes to that, the next session starts it"
                .to_owned())
        }
        Standing::Unknown => Err("you do not trust it any more. `reasonix trust` shows it".to_owned()),
        Standing::Refused { reason } => Err(reason),
    }
}

/// The file in which it is kept what is known of a server.
pub(super) fn pin_file(pins: &Path, spec: &ServerSpec, origin: ServerOrigin, roots: &[PathBuf]) -> PathBuf {
    let root = roots.first().filter(|_| origin == ServerOrigin::Project);
    pins.join(format!("{}.json", identity(spec, origin, root)))
}

/// What tells one server from another: whose word it is, what it is called, and what is reached; of one of a project also
/// which project.
fn identity(spec: &ServerSpec, origin: ServerOrigin, root: Option<&PathBuf>) -> String {
    let reached = match &spec.reach {
        ServerReach::Stdio(command) | ServerReach::Boxed { command, .. } => {
            format!("{:?} {:?}", command.program, command.args)
        }
        ServerReach::Http { url, .. } | ServerReach::Sse { url } => url.clone(),
    };
    let mut whole = format!("{}\0{}\0{reached}", origin.word(), spec.name).into_bytes();
    if let Some(root) = root {
        whole.push(0);
        whole.extend_from_slice(root.as_os_str().as_encoded_bytes());
    }
    blake3::hash(&whole).to_hex().chars().take(32).collect()
}
