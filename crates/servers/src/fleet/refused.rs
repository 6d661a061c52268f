//! What servers have or are that a session does not use, and that people hear of it once.

use super::Fleet;
use super::member::pin_file;
use super::offer::clashing;
use super::pinned::Pinned;
use crate::configured::ConfiguredServer;
use reasonix_mcp::{LeftOut, ServerListing, gathered};
use reasonix_proto::{Phrase, ServerInfo, ServerStanding};
use reasonix_workspace::Workspace;
use reasonix_world::World;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

/// Names that stand in one notice.
const MOST_NAMES: usize = 10;

/// What people heard already.
pub(super) type Said = BTreeSet<String>;

/// A server that cannot be used as it is configured.
pub(super) struct NotUsed {
    name: String,
    place: String,
    reason: String,
}

impl NotUsed {
    pub(super) fn new(server: &ConfiguredServer, reason: String) -> Self {
        Self { name: server.name.clone(), place: server.place.clone(), reason }
    }

    /// What there is to show of it.
    pub(super) fn info(&self) -> ServerInfo {
        ServerInfo {
            name: self.name.clone(),
            origin: self.place.clone(),
            standing: ServerStanding::Refused { reason: self.reason.clone() },
            protocol: None,
            counts: None,
            left_out: Vec::new(),
            stderr: String::new(),
        }
    }
}

impl Fleet {
    /// What is left out and was not said yet.
    pub fn left_out_news(&self) -> Vec<Phrase> {
        let refused = self.refused.read().unwrap_or_else(PoisonError::into_inner);
        let servers = refused.iter().map(|server| format!("{} ({})", server.name, server.place)).collect();
        drop(refused);
        let tools = clashing(self).into_iter().map(|(server, left)| format!("{} ({server})", left.name)).collect();
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let all = [("mcp.servers_left_out", servers), ("mcp.tools_left_out", tools)];
        all.into_iter().filter_map(|(code, names)| named(code, names, &mut said)).collect()
    }
}

/// Where it is kept what is known of servers.
pub(super) fn pins_of(home: &Path) -> PathBuf {
    home.join("state").join("servers")
}

/// The tools that sessions here leave out because they could be taken for those of another server, each with its server, as
/// far as that is known from when the servers were last there; `now` is what one of them has at this moment. Starts nothing.
pub fn clashing_tools(
    (world, workspace): (&World, &Workspace),
    servers: &[ConfiguredServer],
    now: Option<(&str, &ServerListing)>,
) -> Vec<(String, LeftOut)> {
    let (pins, roots) = (pins_of(&world.home), workspace.roots());
    let known = |server: &ConfiguredServer| {
        let spec = server.reach.as_ref().ok()?;
        match now.filter(|(name, _)| *name == server.name) {
            Some((_, listing)) => Some(Arc::new(listing.clone())),
            None => Pinned::read(&pin_file(&pins, spec, server.origin, &roots))?.listing,
        }
    };
    let listings: Vec<(&str, Arc<ServerListing>)> =
        servers.iter().filter_map(|server| Some((server.name.as_str(), known(server)?))).collect();
    let listings: Vec<(&str, &ServerListing)> = listings.iter().map(|(name, listing)| (*name, &**listing)).collect();
    gathered(&listings).left_out
}

/// One notice of those that are new.
fn named(code: &'static str, all: Vec<String>, said: &mut Said) -> Option<Phrase> {
    let new: Vec<String> = all.into_iter().filter(|name| said.insert(name.clone())).collect();
    let more = if new.len() > MOST_NAMES { ", …" } else { "" };
    let names = new.get(..new.len().min(MOST_NAMES)).unwrap_or_default().join(", ");
    (!new.is_empty()).then(|| Phrase::new(code).with("names", format!("{names}{more}")))
}
