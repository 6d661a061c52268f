//! What the memory tools share: where memories lie, and what a session can say about where one comes from.

use reasonix_agent::Preview;
use reasonix_proto::{Change, ChangeKind, Message, Record, RecordBody, SessionId, ToolCall};
use reasonix_session::{DocumentReader, Memories, Past, Provenance, Reach};
use reasonix_tools::wide_diff;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::{Arc, OnceLock};

/// How many records are looked through for what the model has seen.
const RECENT: u64 = 400;
/// The most of what was seen that is kept.
const MOST_SEEN: usize = 12;

/// For which work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Scope {
    Project,
    #[serde(alias = "user", alias = "all")]
    Global,
}

impl From<Scope> for Reach {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Project => Self::Project,
            Scope::Global => Self::Global,
        }
    }
}

/// Memories as one session reaches them.
#[derive(Clone)]
pub struct Keeping {
    /// The memories.
    pub memories: Memories,
    /// The session, and its log.
    pub own: Option<(SessionId, Past)>,
    /// The names of those tools that bring nothing in from outside; said when the tools are put together.
    pub inward: Arc<OnceLock<Vec<String>>>,
    /// Who is shown a memory before it is saved.
    pub reader: DocumentReader,
}

impl Keeping {
    /// Where something that is saved now comes from: what is said of it, and what the log knows.
    pub(super) fn provenance(&self, source: String) -> Provenance {
        let mut from = Provenance { source, ..Provenance::default() };
        let Some((session, past)) = &self.own else { return from };
        from.session = Some(session.0.clone());
        from.turn = Some(past.turns());
        let records = past.page(None, RECENT).map(|page| page.records).unwrap_or_default();
        from.model = records.iter().rev().find_map(|record| match &record.body {
            RecordBody::Assistant { model, .. } => Some(model.clone()),
            _ => None,
        });
        from.seen = seen(&records, self.inward.get().map(Vec::as_slice).unwrap_or_default());
        from
    }
}

/// What the calls of these records brought in, the newest first, each once; calls of these tools bring nothing in.
fn seen(records: &[Record], inward: &[String]) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for record in records.iter().rev() {
        let RecordBody::Assistant { message: Message::Assistant { calls, .. }, .. } = &record.body else { continue };
        for call in calls.iter().filter(|call| !inward.contains(&call.name)) {
            let what = shown(call);
            if !seen.contains(&what) && seen.len() < MOST_SEEN {
                seen.push(what);
            }
        }
    }
    seen
}

/// A call in a few words.
fn shown(call: &ToolCall) -> String {
    let args: serde_json::Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    let named = ["path", "file_path", "command", "url", "query", "pattern", "from"];
    let about = named.iter().find_map(|name| args.get(name)?.as_str()).unwrap_or_default();
    let about: String = about.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(120).collect();
    format!("{} {about}", call.name).trim_end().to_owned()
}

/// A memory before and after, as a person looks at it.
pub(super) fn preview(reach: Reach, name: &str, before: Option<&str>, after: Option<&str>) -> Preview {
    let path = format!("memory/{}/{name}.md", reach.word());
    let compared = wide_diff(&path, &path, before, after);
    let kind = match (before, after) {
        (None, _) => ChangeKind::Created,
        (_, None) => ChangeKind::Deleted,
        _ => ChangeKind::Updated,
    };
    let change = Change {
        path,
        kind,
        added: compared.added,
        removed: compared.removed,
        diff: compared.text.clone(),
        hunks: compared.hunks,
    };
    Preview { diff: compared.text, changes: vec![change] }
}
