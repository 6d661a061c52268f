//! What front ends are shown of earlier sessions and of what is remembered, and what they can do with it.

use crate::desk::{Desk, not_possible};
use reasonix_assembly::recall::{memories_of, search_of};
use reasonix_config::api_key;
use reasonix_proto::{Done, Hit, Level, MemoryInfo, MemoryReach, Phrase, RecordId, Refusal, Refused, Reply};
use reasonix_session::{DocumentFormat, Reach, SessionError, Wanted, export, write_new};
use reasonix_state::ticket::Settlement;
use std::time::Duration;

/// So long sessions that were never searched are read before what was found so far is shown.
const PATIENCE: Duration = Duration::from_secs(2);
/// No more of what was found is shown at once.
const MOST_HITS: usize = 100;

/// Looks back, with what a session knows.
pub(crate) struct LookingBack<'a>(pub(crate) &'a Desk);

impl LookingBack<'_> {
    /// What was said in earlier sessions.
    pub(crate) fn history(&self, text: &str, all: bool, count: usize) -> Reply {
        let search = search_of(&self.0.base.world.settings, &self.0.base.world.env, &self.0.base.world.home);
        let folder = (!all).then(|| self.0.base.workspace.root());
        let most = count.clamp(1, MOST_HITS);
        match search.find(&Wanted { query: text, folder, most, before: None, patience: PATIENCE }, &|| false) {
            Ok(found) => {
                let hit = |hit: reasonix_session::SearchHit| Hit {
                    session: hit.session,
                    record: hit.record,
                    folder: hit.folder,
                    at: hit.at,
                    by: hit.by,
                    text: hit.text,
                };
                Reply::History { hits: found.hits.into_iter().map(hit).collect(), missing: found.coverage.missing }
            }
            Err(error) => Reply::Failed { why: error.phrase() },
        }
    }

    /// What was said around a place of a session.
    pub(crate) fn around(&self, session: &str, record: RecordId, span: usize) -> Reply {
        let search = search_of(&self.0.base.world.settings, &self.0.base.world.env, &self.0.base.world.home);
        match search.around(session, record, span.clamp(1, MOST_HITS)) {
            Ok(window) => {
                let said = window.lines.into_iter().map(|line| Hit {
                    session: window.session.clone(),
                    record: line.record,
                    folder: window.folder.clone(),
                    at: line.at,
                    by: line.by,
                    text: line.text,
                });
                Reply::Around { said: said.collect() }
            }
            Err(error) => Reply::Failed { why: error.phrase() },
        }
    }

    /// What is remembered.
    pub(crate) fn memories(&self) -> Reply {
        let memories = memories_of(&self.0.base);
        let kept = [Reach::Global, Reach::Project].into_iter().flat_map(|reach| memories.active(reach).memories);
        let info = |named: reasonix_session::Named| MemoryInfo {
            scope: named.reach.into(),
            source: if named.memory.from.is_users() { String::new() } else { named.memory.from.source },
            name: named.name,
            description: named.memory.description,
            text: named.memory.body,
            saved: named.memory.saved,
            revision: named.memory.revision,
        };
        Reply::Memories { memories: kept.map(info).collect() }
    }

    /// Takes something out of what is remembered.
    pub(crate) async fn forget(&self, name: String, scope: MemoryReach) -> Settlement {
        let reach = [Reach::Global, Reach::Project].into_iter().find(|reach| MemoryReach::from(*reach) == scope);
        let memories = memories_of(&self.0.base);
        let forgotten = tokio::task::spawn_blocking(move || memories.forget(&name, reach)).await;
        match forgotten {
            Ok(Ok(found)) => {
                self.0.notice(Level::Info, Phrase::new("engine.forgotten").with("name", found.name));
                Ok(Done::Applied)
            }
            Ok(Err(error)) => Err(Refused::new(Refusal::NotFound, error.phrase())),
            Err(_) => Err(not_possible()),
        }
    }

    /// Writes the conversation into a new file.
    pub(crate) async fn export(&self, path: &str) -> Settlement {
        let session = self.0.outbox.session().short().to_owned();
        let name = if path.trim().is_empty() { format!("reasonix-{session}.md") } else { path.trim().to_owned() };
        let path = self.0.base.workspace.root().join(name);
        let (past, base, target) = (self.0.past.clone(), self.0.base.clone(), path.clone());
        let written = tokio::task::spawn_blocking(move || {
            let mut records = Vec::new();
            past.each_active(|record| records.push(record))
                .map_err(|source| SessionError::Io { path: target.clone(), source })?;
            let keys = base
                .world
                .settings
                .providers
                .iter()
                .filter_map(|provider| api_key(provider, &base.world.env, &base.world.home));
            let secrets: Vec<String> = keys.map(|key| key.expose().to_owned()).collect();
            let format = DocumentFormat::of(&target);
            let text = export(past.marks().title(), &records, format, &secrets, base.world.reader);
            write_new(&target, text.as_bytes())
        });
        let shown = path.display();
        match written.await {
            Ok(Ok(())) => {
                self.0.notice(Level::Info, Phrase::new("engine.exported").with("path", shown));
                Ok(Done::Written { path: path.display().to_string() })
            }
            Ok(Err(error)) => Err(Refused::new(Refusal::Failed, error.phrase())),
            Err(_) => Err(not_possible()),
        }
    }
}
