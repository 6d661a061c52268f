//! The MCP servers of a session. Nothing of them runs before it is needed: what the model is told of their tools are the
//! definitions of when they were last there, and a server that nobody has met is reached by `find_tool` and `use_tool`.
//! What may run is the gate's to decide, and whether a server may start was the user's, before it got here.

mod asks;
mod bm25;
mod bring;
mod find;
mod member;
mod offer;
mod pinned;
mod refused;
mod resource;
mod tool;

use crate::configured::ServerAbsence;
use crate::specs::configured_servers;
use asks::Asks;
use futures_util::future::join_all;
use member::Member;
use reasonix_agent::{Artifacts, Tool};
use reasonix_config::Trust;
use reasonix_mcp::{Elicits, McpError, ServerNews, Surroundings, same_look};
use reasonix_proto::{Phrase, ServerInfo};
use reasonix_state::outbox::Outbox;
use reasonix_talk::people::People;
use reasonix_talk::queue::Queue;
use reasonix_world::spec::Start;
use reasonix_world::trust::TrustWord;
use refused::{NotUsed, Said, pins_of};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::Duration;

pub use bring::command_of;
pub use offer::{is_of_servers, reaches_more};
pub use refused::clashing_tools;

/// The servers of a session.
pub struct Fleet {
    members: RwLock<Vec<Arc<Member>>>,
    /// Those that are configured and cannot be used as they are.
    refused: RwLock<Vec<NotUsed>>,
    said: Mutex<Said>,
    /// Where definitions are kept from session to session.
    pins: PathBuf,
    around: Surroundings,
    /// The user's word on what servers of the project execute, asked at each start.
    word: TrustWord,
    asks: Arc<Asks>,
    /// Who hears of them; nobody before the session runs and after it ended.
    hears: Mutex<Option<Hears>>,
    me: Weak<Self>,
}

/// Who hears what becomes of servers.
pub struct Hears {
    /// Where news of servers are shown.
    pub outbox: Arc<Outbox>,
    /// Where they wait for the model.
    pub queue: Arc<Queue>,
    /// Who answers what servers ask.
    pub people: Arc<People>,
}

impl Fleet {
    /// The servers that a session may use which starts here. Reads what is known of them; none is started.
    pub fn new(start: &Start) -> Arc<Self> {
        let fleet = Arc::new_cyclic(|me: &Weak<Self>| {
            let hearing = Weak::clone(me);
            let news = move |server: &str, news: ServerNews| {
                if let Some(fleet) = hearing.upgrade() {
                    fleet.heard(server, &news);
                }
            };
            let asks = Arc::new(Asks::default());
            // Where nobody can be asked, servers are told so.
            let elicits = start.attended.then(|| Arc::clone(&asks) as Arc<dyn Elicits>);
            let around = Surroundings { roots: start.workspace.roots(), elicits, news: Some(Arc::new(news)) };
            let pins = pins_of(&start.world.home);
            let word = TrustWord::new(start.world.settings.trust.clone());
            Self {
                members: RwLock::default(),
                refused: RwLock::default(),
                said: Mutex::default(),
                pins,
                around,
                word,
                asks,
                hears: Mutex::default(),
                me: Weak::clone(me),
            }
        });
        fleet.take_in(start, &start.world.settings.trust);
        fleet
    }

    /// The user's word that the servers are held to.
    pub fn word(&self) -> TrustWord {
        self.word.clone()
    }

    /// Takes in the servers that may be used and are not here yet; true when there were some.
    pub fn take_in(&self, start: &Start, trust: &Trust) -> bool {
        let configured = configured_servers(&start.world, &start.workspace, trust);
        let mut members = self.members.write().unwrap_or_else(PoisonError::into_inner);
        let (before, mut refused) = (members.len(), Vec::new());
        for server in configured {
            if members.iter().any(|member| member.is(&server)) {
                continue;
            }
            // Who is here was here first, wherever it stands in the files.
            let twin = members.iter().find(|member| same_look(&member.name, &server.name));
            let twin = twin.map(|other| other.twin());
            let absence = server.reach.as_ref().err().cloned().or(twin);
            match absence.as_ref().map(ServerAbsence::refusal) {
                Some(Some(reason)) => refused.push(NotUsed::new(&server, reason)),
                Some(None) => {}
                None => members.extend(Member::new(server, &self.pins, (&self.around, &self.word)).map(Arc::new)),
            }
        }
        *self.refused.write().unwrap_or_else(PoisonError::into_inner) = refused;
        members.len() > before
    }

    /// From now on these hear of the servers.
    pub fn told_to(&self, hears: Hears) {
        self.asks.people(Some(Arc::clone(&hears.people)));
        *self.hears.lock().unwrap_or_else(PoisonError::into_inner) = Some(hears);
    }

    fn members(&self) -> Vec<Arc<Member>> {
        self.members.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn member(&self, server: &str) -> Option<Arc<Member>> {
        self.members().into_iter().find(|member| member.name == server)
    }

    /// True where no server is configured that may be used.
    pub fn is_empty(&self) -> bool {
        self.members.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// What they are doing. Starts nothing.
    pub fn info(&self) -> Vec<ServerInfo> {
        let refused = self.refused.read().unwrap_or_else(PoisonError::into_inner);
        let clashing = offer::clashing(self);
        let info = |member: &Arc<Member>| {
            let left = clashing.iter().filter(|(server, _)| *server == member.name);
            member.info(left.map(|(_, left)| left))
        };
        self.members().iter().map(info).chain(refused.iter().map(NotUsed::info)).collect()
    }

    /// Meets those that were never tried, within this time. Whoever does not come is not waited for again: it is reached by
    /// words, when somebody looks for it.
    pub async fn meet_within(&self, patience: Duration) {
        let new = self.members().into_iter().filter(|member| member.is_new());
        join_all(new.map(|member| async move {
            if !matches!(tokio::time::timeout(patience, member.meet()).await, Ok(Ok(_))) {
                member.missed().await;
            }
        }))
        .await;
    }

    /// Says which ones did not come when they were tried: nobody waits for them again, and a person should know.
    pub fn absent(&self) -> Option<Phrase> {
        let members = self.members();
        let names: Vec<&str> =
            members.iter().filter(|member| member.is_absent()).map(|member| member.name.as_str()).collect();
        (!names.is_empty()).then(|| Phrase::new("mcp.absent").with("names", names.join(", ")))
    }

    /// Meets those of which nothing is known; says who could not be.
    async fn meet_new(&self) -> Vec<(String, McpError)> {
        let new = self.members().into_iter().filter(|member| member.listing().is_none());
        let met = new.map(|member| async move {
            let met = member.meet().await;
            met.err().map(|error| (member.name.clone(), error))
        });
        join_all(met).await.into_iter().flatten().collect()
    }

    /// Something happened to a server: people are told, and where its tools changed, the model too.
    fn heard(&self, server: &str, news: &ServerNews) {
        let Some(member) = self.member(server) else { return };
        if *news == ServerNews::Changed {
            let refreshed = Arc::clone(&member);
            tokio::spawn(async move { refreshed.refresh().await });
        }
        // A server may say the same as often as it likes; people hear it once.
        if !member.is_news(news) {
            return;
        }
        let hears = self.hears.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Hears { outbox, queue, .. }) = hears.as_ref() else { return };
        if let Some(phrase) = news.phrase(server) {
            outbox.warn(phrase);
        }
        if *news == ServerNews::Changed {
            let told = "says that its tools changed; find_tool shows them as they are now";
            queue.inbox().push_news(format!("[MCP server {server}: {told}]"));
        }
    }

    /// Ends all of them with the session.
    pub async fn close(&self) {
        self.asks.people(None);
        *self.hears.lock().unwrap_or_else(PoisonError::into_inner) = None;
        join_all(self.members().iter().map(|member| member.close())).await;
    }

    /// The tools that the model is told of, in the order they are sent: as many as the window has room for, a server's all
    /// or none, then the two that reach the others and the shelf.
    pub fn tools(&self, artifacts: &Arc<dyn Artifacts>, window: u64, shelf: &[Arc<dyn Tool>]) -> Vec<Arc<dyn Tool>> {
        self.offered(artifacts, (Some(window), shelf))
    }

    /// Every tool that is known, for a session that was told of some of them.
    pub fn every_tool(&self, artifacts: &Arc<dyn Artifacts>, shelf: &[Arc<dyn Tool>]) -> Vec<Arc<dyn Tool>> {
        self.offered(artifacts, (None, shelf))
    }

    fn offered(&self, artifacts: &Arc<dyn Artifacts>, within: (Option<u64>, &[Arc<dyn Tool>])) -> Vec<Arc<dyn Tool>> {
        self.me.upgrade().map(|fleet| offer::tools(&fleet, artifacts, within)).unwrap_or_default()
    }
}
