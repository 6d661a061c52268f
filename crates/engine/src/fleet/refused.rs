//! What servers have or are that a session does not use, and that people hear of it once.

use super::Fleet;
use crate::servers::specs::ConfiguredServer;
use reasonix_proto::{Phrase, ServerInfo, ServerStanding};
use std::collections::BTreeSet;
use std::sync::PoisonError;

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
    pub(crate) fn left_out_news(&self) -> Vec<Phrase> {
        let refused = self.refused.read().unwrap_or_else(PoisonError::into_inner);
        let servers = refused.iter().map(|server| format!("{} ({})", server.name, server.place)).collect();
        drop(refused);
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        named("mcp.servers_left_out", servers, &mut said).into_iter().collect()
    }
}

/// One notice of those that are new.
fn named(code: &'static str, all: Vec<String>, said: &mut Said) -> Option<Phrase> {
    let new: Vec<String> = all.into_iter().filter(|name| said.insert(name.clone())).collect();
    let more = if new.len() > MOST_NAMES { ", …" } else { "" };
    let names = new.get(..new.len().min(MOST_NAMES)).unwrap_or_default().join(", ");
    (!new.is_empty()).then(|| Phrase::new(code).with("names", format!("{names}{more}")))
}
