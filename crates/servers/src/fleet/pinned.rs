//! What is kept of a server from session to session: its definitions as they were when it was last there, and those that a
//! person accepted. A file a server, named by what the server is: another program under the same name is another server.

use reasonix_mcp::{ListedTool, ServerListing};
use reasonix_store::Lock;
use reasonix_tools::unified;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// More is not read.
const LARGEST: u64 = 32 * 1024 * 1024;
/// How long another session that writes is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is kept of a server.
#[derive(Debug, Clone, Default)]
pub(super) struct Pinned {
    /// What it had; none where it was tried and did not come.
    pub(super) listing: Option<Arc<ServerListing>>,
    /// The tools that a person let run, by the names that models and rules know, as they were then: several of a server's own
    /// names may give one of those.
    accepted: BTreeMap<String, AcceptedTool>,
    /// Those of them that a person accepted anew in this session: that is newer than what another session wrote.
    anew: BTreeSet<String>,
    /// What was accepted before could not be read: nothing that is not accepted since is taken for new.
    lost: bool,
}

/// The same on disk.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct OnDisk<'a> {
    listing: Option<Cow<'a, ServerListing>>,
    accepted: Cow<'a, BTreeMap<String, AcceptedTool>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    lost: bool,
}

/// A tool as a person accepted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AcceptedTool {
    digest: String,
    definition: String,
}

impl Pinned {
    /// What is kept; none where nothing is.
    pub(super) fn read(file: &Path) -> Option<Self> {
        Self::read_again(file).unwrap_or_else(|_| Some(Self::lost()))
    }

    fn lost() -> Self {
        Self { lost: true, ..Self::default() }
    }

    /// True where it is not known what the server has, nor whether it came when it was tried.
    pub(super) fn is_blank(&self) -> bool {
        self.lost && self.listing.is_none()
    }

    /// The same; an error where something is there that cannot be read just now.
    fn read_again(file: &Path) -> io::Result<Option<Self>> {
        let text = match reasonix_store::read_text(file, LARGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        let Ok(OnDisk { listing, accepted, lost }) = serde_json::from_str(&text) else {
            return Ok(Some(Self::lost()));
        };
        let listing = listing.map(|listing| Arc::new(listing.into_owned()));
        Ok(Some(Self { listing, accepted: accepted.into_owned(), anew: BTreeSet::new(), lost }))
    }

    /// Writes down what is known together with what other sessions wrote meanwhile, one at a time; gives both.
    pub(super) fn merge(file: &Path, known: impl FnOnce() -> Option<Self>) -> io::Result<Option<Self>> {
        let _held = hold(file)?;
        let Some(mut known) = known() else { return Ok(None) };
        if let Some(there) = Self::read_again(file)? {
            known.learn_accepted(&there);
            known.lost |= there.lost;
            known.listing = known.listing.or(there.listing);
        }
        known.write(file)?;
        Ok(Some(known))
    }

    /// Writes it down where nothing is; whatever is there stays.
    pub(super) fn write_first(&self, file: &Path) -> io::Result<()> {
        let _held = hold(file)?;
        if file.symlink_metadata().is_ok() { Ok(()) } else { self.write(file) }
    }

    /// Takes in what another session was told to accept. Only what a person accepted here anew is newer.
    pub(super) fn learn_accepted(&mut self, other: &Self) {
        for (own, tool) in &other.accepted {
            if !self.anew.contains(own) {
                self.accepted.insert(own.clone(), tool.clone());
            }
        }
    }

    fn write(&self, file: &Path) -> io::Result<()> {
        let listing = self.listing.as_deref().map(Cow::Borrowed);
        let kept = OnDisk { listing, accepted: Cow::Borrowed(&self.accepted), lost: self.lost };
        reasonix_store::write_atomic(file, &serde_json::to_vec(&kept)?, 0o600)
    }

    /// Notes that a person let a tool run for the first time, as it is defined. True when that is new.
    pub(super) fn accept_first(&mut self, tool: &ListedTool) -> bool {
        let new = !self.accepted.contains_key(tool.name.as_str());
        if new {
            self.accept(tool);
        }
        new
    }

    /// Notes that a person accepted how a tool differs from what it was; false where it differs otherwise by now.
    pub(super) fn accept_difference(&mut self, own: &str, diff: &str) -> bool {
        let tool = self.listing.as_ref().and_then(|listing| listing.tool(own).cloned());
        let tool = tool.filter(|tool| self.redefined(tool).as_deref() == Some(diff));
        if let Some(tool) = &tool {
            self.accept(tool);
            self.anew.insert(tool.name.as_str().to_owned());
        }
        tool.is_some()
    }

    fn accept(&mut self, tool: &ListedTool) {
        let accepted = AcceptedTool { digest: tool.digest.clone(), definition: definition(tool) };
        self.accepted.insert(tool.name.as_str().to_owned(), accepted);
    }

    /// How a tool differs from what was accepted; none where it is the same, or was never accepted.
    pub(super) fn redefined(&self, tool: &ListedTool) -> Option<String> {
        let now = definition(tool);
        if self.lost && !self.accepted.contains_key(tool.name.as_str()) {
            return Some(format!("what was accepted of it before cannot be read; it is defined so now:\n{now}"));
        }
        let accepted = self.accepted.get(tool.name.as_str())?;
        if accepted.digest == tool.digest && accepted.definition == now {
            return None;
        }
        let diff = unified(&accepted.definition, &now, 2);
        // What differs may be a part that nobody is shown, such as the schema of its answers.
        Some(match diff.as_str() {
            "" => format!("something differs that is not shown here: {}", tool.digest),
            diff => format!("--- accepted\n+++ now\n{diff}"),
        })
    }
}

/// Keeps every other session, and every other part of this one, from the file.
fn hold(file: &Path) -> io::Result<Lock> {
    if let Some(folder) = file.parent() {
        reasonix_store::private_folder(folder)?;
    }
    Lock::acquire(&file.with_extension("lock"), PATIENCE).map_err(io::Error::other)
}

/// A tool's definition as people read it.
fn definition(tool: &ListedTool) -> String {
    let schema = serde_json::to_string_pretty(&tool.schema).unwrap_or_default();
    let title = tool.title.as_deref().unwrap_or_default();
    format!("{} {title}\n{}\nhints: {}\n{schema}\n", tool.own, tool.description, tool.hints)
}

#[cfg(test)]
mod tests {
    use super::Pinned;
    use reasonix_mcp::{ListedTool, McpName, ServerListing};
    use serde_json::{Value, json};
    use std::sync::Arc;

    fn tool(description: &str) -> Option<ListedTool> {
        Some(ListedTool {
            name: McpName::of("s", "read").ok()?,
            own: "read".to_owned(),
            title: None,
            description: description.to_owned(),
            schema: json!({"type": "object"}),
            hints: Value::Null,
            digest: description.to_owned(),
        })
    }

    /// It is defined so by now.
    fn becomes(pinned: &mut Pinned, description: &str) -> Option<String> {
        let tool = tool(description)?;
        let found = pinned.redefined(&tool);
        pinned.listing = Some(Arc::new(ServerListing { tools: Some(vec![tool]), ..ServerListing::default() }));
        found
    }

    /// What a session knows is not what another one wrote meanwhile.
    #[test]
    fn sessions_do_not_take_from_each_other_what_was_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state").join("s.json");
        let named = |own: &str, description: &str| {
            let name = McpName::of("s", own).unwrap();
            ListedTool { own: own.to_owned(), name, ..tool(description).unwrap() }
        };
        let keeps = |pinned: &Pinned| Pinned::merge(&file, || Some(pinned.clone())).unwrap().unwrap();
        let (mut one, mut other) = (Pinned::default(), Pinned::default());
        one.accept_first(&named("read", "reads"));
        keeps(&one);
        other.accept_first(&named("drop", "drops"));
        // The first yes here is none where there was one before.
        other.accept_first(&named("read", "reads keys"));
        let both = keeps(&other);
        assert!(both.redefined(&named("read", "reads keys")).is_some());
        assert!(both.redefined(&named("drop", "drops")).is_none() && both.accepted.len() == 2);
        // What a person accepted anew is newer than what others wrote.
        let shown = becomes(&mut one, "reads keys").unwrap();
        assert!(one.accept_difference("read", &shown));
        assert!(keeps(&one).redefined(&named("read", "reads keys")).is_none());
        // Who was only missed takes nothing away.
        Pinned::default().write_first(&file).unwrap();
        assert_eq!(Pinned::read(&file).unwrap().accepted.len(), 2);
        // Damage is no first time, and does not become one by being written over.
        std::fs::write(&file, "{").unwrap();
        let mut damaged = Pinned::read(&file).unwrap();
        assert!(damaged.is_blank());
        let shown = becomes(&mut damaged, "reads keys").unwrap();
        keeps(&damaged);
        assert!(Pinned::read(&file).unwrap().redefined(&named("drop", "drops")).is_some());
        assert!(damaged.accept_difference("read", &shown));
        assert!(keeps(&damaged).redefined(&named("read", "reads keys")).is_none());
        // What cannot be read just now is not written over.
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        assert!(Pinned::merge(&file, || Some(one.clone())).is_err());
        assert!(Pinned::read(&file).is_some_and(|pinned| pinned.is_blank()));
    }

    /// What rules know by one name is one tool, whatever the server calls it.
    #[test]
    fn another_own_name_under_the_same_name_is_another_definition() {
        let mut pinned = Pinned::default();
        let named = |own: &str| ListedTool {
            own: own.to_owned(),
            name: McpName::of("s", own).unwrap(),
            ..tool("reads").unwrap()
        };
        assert!(pinned.accept_first(&named("read file")) && pinned.redefined(&named("read file")).is_none());
        assert!(pinned.redefined(&named("read_file")).is_some() && !pinned.accept_first(&named("read_file")));
    }

    #[test]
    fn what_was_shown_is_accepted_and_nothing_that_came_after() {
        let mut pinned = Pinned::default();
        assert!(tool("reads").is_some_and(|tool| pinned.accept_first(&tool)), "the first yes");
        assert!(becomes(&mut pinned, "reads").is_none());
        let shown = becomes(&mut pinned, "reads keys").unwrap_or_default();
        assert!(shown.contains("-reads\n+reads keys"), "{shown}");
        // While the question stood it changed once more.
        assert!(becomes(&mut pinned, "sends keys").is_some());
        assert!(!pinned.accept_difference("read", &shown));
        assert!(becomes(&mut pinned, "sends keys").is_some(), "still not accepted");
        assert!(tool("sends keys").is_some_and(|tool| !pinned.accept_first(&tool)), "and no first yes again");
        let shown = becomes(&mut pinned, "sends keys").unwrap_or_default();
        assert!(pinned.accept_difference("read", &shown));
        assert!(becomes(&mut pinned, "sends keys").is_none());
    }
}
