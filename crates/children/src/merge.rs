//! What subagents made in their clones, merged into the session's folder: worked out first, then judged by the session's gate as
//! one change, then made through the room that undo goes back by. What is not merged is kept as a patch.

use super::Kin;
use super::branched::Branched;
use super::clones::remove_clone;
use super::commits::Commits;
use super::isolation::{Made, states_of};
use super::plan::{Conflicts, MOST_FILES, changed, planned, text_of};
use reasonix_agent::{
    About, Args, Ask, Aspect, BoxFuture, Call, Class, Classified, Decision, Gate, Journal, Preview, Tool, ToolSpec,
};
use reasonix_exec::git::patch_between;
use reasonix_exec::remove_tree;
use reasonix_proto::{Action, Change, ChangeKind, Event, Family, RecordBody, ToolCall, ToolOutcome, Unmerged};
use reasonix_tools::{diff, wide_diff};
use reasonix_workspace::snapshot::{RelPath, SnapshotError, Snapshots, Tree, TreeEntry, changes_between};
use reasonix_world::spec::Which;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;

/// The tool in whose name it is judged.
pub(super) const TOOL: &str = "task";

/// More paths than this are not named.
const MOST_NAMED: usize = 20;

/// Bytes of diffs that are kept for people, and that a person who is asked is shown.
const MOST_BYTES: (usize, usize) = (64 * 1024, 256 * 1024);

/// A larger patch stays with its clone.
const LARGEST_PATCH: u64 = 64 << 20;

/// All that is to be brought back, worked out.
pub(super) struct Whole {
    ours: Snapshots,
    /// The session's files as they were then, and as they are to be.
    before: Tree,
    after: Tree,
    pub(super) writers: Vec<Writer>,
}

/// One who wrote.
pub(super) struct Writer {
    /// Its place among those that handed something back.
    pub(super) place: usize,
    pub(super) made: Made,
    /// How many files it changed; what stands against it.
    pub(super) verdict: Result<usize, Conflicts>,
    /// The name of its branch and what is told of it; or why it has none.
    pub(super) branch: Option<Result<(String, String), String>>,
}

/// Does what takes a while beside the session.
pub(super) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())
}

/// Looks at the session's files, and works out what all of it would make of them.
pub(super) async fn work_out(kin: &Kin, made: Vec<(usize, Made)>) -> Result<Whole, String> {
    let (start, clones) = (Arc::clone(&kin.start), made.first().and_then(|(_, made)| made.folder.parent()));
    let kept = clones.filter(|_| start.which == Which::Unkept).map(|folder| folder.join("kept"));
    let work = move || {
        let mut ours = states_of(&start, kept.as_deref())?;
        let taken = ours.take(&|| false).map_err(|error| error.to_string())?;
        let before = ours.read(&taken.state).map_err(|error| error.to_string())?;
        let mut after = before.clone();
        let judge = |(place, made): (usize, Made)| {
            let count = changed(&made).len();
            let verdict = planned(&made, &after, &made.states).map(|tree| {
                after = tree;
                count
            });
            Writer { place, made, verdict, branch: None }
        };
        let writers = made.into_iter().map(judge).collect();
        Ok(Whole { ours, before, after, writers })
    };
    aside(work).await?
}

/// Has it judged, and makes it; or why it is not made.
pub(super) async fn settle(kin: &Kin, call: &Call<'_>, whole: Whole) -> Result<(Whole, Result<(), String>), String> {
    let paths: Vec<RelPath> = changes_between(&whole.before, &whole.after).into_iter().collect();
    if paths.is_empty() {
        return Ok((whole, Ok(())));
    }
    if paths.len() > MOST_FILES {
        return Ok((whole, Err(format!("there are more than {MOST_FILES} changes"))));
    }
    let action = Action::writes(Family::Edit, subjects(&whole, &paths));
    let (whole, tool) = aside(move || {
        let tool = Merge::of(&whole);
        (whole, tool)
    })
    .await?;
    let about = ToolCall { id: call.id.clone(), name: TOOL.to_owned(), arguments: String::new() };
    let args = tool.args();
    if let Err(why) = judged(kin, call, (&about, &tool, &args), &action, false).await {
        return Ok((whole, Err(why)));
    }
    let turn = kin.root.state().turn;
    let about = About { turn, call: &about, tool: TOOL, args: &args, action: &action, class: Class::Writer };
    let undo = kin.undo.upgrade();
    if let Some(undo) = &undo {
        undo.before_run(about).await;
    }
    let made = put(whole, paths).await;
    if let Some(undo) = &undo {
        undo.after_call(about, ToolOutcome::Aborted).await;
    }
    made
}

/// What the session's gate says to it, written down before anything follows from it.
pub(super) async fn judged(
    kin: &Kin,
    call: &Call<'_>,
    (about, tool, args): (&ToolCall, &dyn Tool, &Args),
    action: &Action,
    by_user: bool,
) -> Result<(), String> {
    let classified = Classified::by_action(action.clone());
    let ask = Ask { call: about, tool, args, action, classified: &classified, by_user };
    let decision = tokio::select! {
        biased;
        () = call.stop.cancelled() => return Err("everything was stopped".to_owned()),
        decision = kin.gate.decide(ask) => decision,
    };
    let (record, refused) = match decision {
        Decision::Allow { record } => (record, None),
        Decision::Deny { record, message } => (Some(record), Some(message)),
        Decision::Edit { record, .. } => (Some(record), Some("nothing was decided".to_owned())),
        Decision::Fail { .. } => (None, Some("it cannot be done".to_owned())),
    };
    if let Some(decided) = record {
        let record = kin.root.append(RecordBody::Decided(decided)).await.map_err(|error| error.to_string())?;
        kin.root.tell(Event::Answered { record: Box::new(record) });
    }
    refused.map_or(Ok(()), Err)
}

/// Makes it, where everything is still as it was when it was worked out. All of it, or nothing; once begun it is not stopped.
async fn put(mut whole: Whole, paths: Vec<RelPath>) -> Result<(Whole, Result<(), String>), String> {
    aside(move || {
        let made = put_now(&mut whole, &paths);
        (whole, made)
    })
    .await
}

fn put_now(Whole { ours, before, after, .. }: &mut Whole, paths: &[RelPath]) -> Result<(), String> {
    let told = |error: SnapshotError| error.to_string();
    let taken = ours.take(&|| false).map_err(told)?;
    let now = ours.read(&taken.state).map_err(told)?;
    let other: Vec<&RelPath> = paths.iter().filter(|path| now.get(*path) != before.get(*path)).collect();
    if !other.is_empty() {
        return Err(format!("files were changed meanwhile: {}", named(other.into_iter())));
    }
    let restored = ours.restore(&taken.state, after, paths).map_err(told)?;
    if restored.blocked.is_empty() {
        return Ok(());
    }
    let blocked = restored.blocked.iter().take(MOST_NAMED);
    let why: Vec<String> = blocked.map(|one| format!("{}: {}", one.path.shown(), one.why)).collect();
    // Nothing is left half-made.
    let back = ours.restore(&restored.after, &now, paths).map_err(told)?;
    let left = if back.blocked.is_empty() { "" } else { "; not all of it could be taken back: use undo" };
    Err(format!("not everything could be written ({}){left}", why.join("; ")))
}

fn subjects(whole: &Whole, paths: &[RelPath]) -> Vec<String> {
    let is_folder = |tree: &Tree, path: &RelPath| matches!(tree.get(path), None | Some(TreeEntry::Folder { .. }));
    let files = paths.iter().filter(|path| !(is_folder(&whole.before, path) && is_folder(&whole.after, path)));
    files.map(|path| path.as_path().to_string_lossy().into_owned()).collect()
}

pub(super) fn named<'a>(paths: impl Iterator<Item = &'a RelPath>) -> String {
    let all: Vec<String> = paths.map(RelPath::shown).collect();
    let more = all.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", all.get(..MOST_NAMED.min(all.len())).unwrap_or_default().join(", "))
}

pub(super) type Compares = fn(&str, &str, Option<&str>, Option<&str>) -> reasonix_tools::Diff;

/// What it changed here, as it is kept for people.
pub(super) fn changes_here(whole: &Whole) -> Vec<Change> {
    let changes = told_changes(whole, MOST_BYTES.0, diff).into_iter();
    changes.map(|change| Change { hunks: Vec::new(), ..change }).collect()
}

/// What is different in the end, as people see it.
fn told_changes(whole: &Whole, most: usize, compare: Compares) -> Vec<Change> {
    let paths = changes_between(&whole.before, &whole.after).into_iter();
    told_between(&whole.ours, (&whole.before, &whole.after), paths, (most, compare))
}

/// What one made of its clone, as people who are asked see it.
pub(super) fn changes_of(made: &Made, compare: Compares) -> Vec<Change> {
    let trees = (&made.base.tree, &made.result.tree);
    told_between(&made.states, trees, changed(made).into_iter(), (MOST_BYTES.1, compare))
}

fn told_between(
    states: &Snapshots,
    (before, after): (&Tree, &Tree),
    paths: impl Iterator<Item = RelPath>,
    (most, compare): (usize, Compares),
) -> Vec<Change> {
    let mut room = most;
    let one = |path: RelPath| {
        let file = |tree: &Tree| tree.get(&path).filter(|entry| !matches!(entry, TreeEntry::Folder { .. })).cloned();
        let (old, new) = (file(before), file(after));
        let kind = match (&old, &new) {
            (None, None) => return None,
            (None, Some(_)) => ChangeKind::Created,
            (Some(_), None) => ChangeKind::Deleted,
            (Some(_), Some(_)) => ChangeKind::Updated,
        };
        let text = |entry: &Option<TreeEntry>| entry.as_ref().and_then(|entry| shown(states, entry));
        let path = path.shown();
        let mut told = match (text(&old), text(&new)) {
            (None, None) => compare(&path, &path, None, Some("[not text]\n")),
            (old, new) => compare(&path, &path, old.as_deref(), new.as_deref()),
        };
        if told.text.is_empty() {
            let _ = writeln!(told.text, "--- a/{path}\n+++ b/{path}\n[other permissions]");
        }
        if told.text.len() > room {
            (told.text, told.hunks) = (String::new(), Vec::new());
        }
        room -= told.text.len();
        Some(Change { path, kind, added: told.added, removed: told.removed, diff: told.text, hunks: told.hunks })
    };
    paths.filter_map(one).collect()
}

/// What is shown of an entry: a text, or where a link leads.
fn shown(states: &Snapshots, entry: &TreeEntry) -> Option<String> {
    match entry {
        TreeEntry::Link { target } => Some(format!("link to {}\n", String::from_utf8_lossy(target))),
        TreeEntry::File { .. } => text_of(states, entry),
        TreeEntry::Folder { .. } | TreeEntry::Uncovered => None,
    }
}

impl Writer {
    /// What the model reads of it, and where its work is as far as it is not in the folder. Where nothing was merged that is kept
    /// as a patch, and then the clone goes. One that changed nothing leaves what it did before where that is.
    pub(super) async fn told(
        mut self,
        kin: &Kin,
        refused: Option<&str>,
        before: Option<&Unmerged>,
    ) -> (String, Option<Unmerged>) {
        let made = self.commits(kin);
        let nothing = changed(&self.made).is_empty() && self.verdict.is_ok();
        let branch = self.branch.as_ref().and_then(|branch| branch.as_ref().ok()).map(|(name, _)| name.clone());
        let (text, kept) = match (&self.branch, &self.verdict, refused) {
            (Some(Ok((_, told))), ..) => (told.clone(), false),
            // No file of it is different in the end, but its commits are not where they were to be.
            (Some(Err(why)), ..) if nothing && made.own > 0 => (format!("Not merged: {why}."), false),
            (None, _, Some(why)) if nothing && self.has_tip() => (format!("Not merged: {why}."), false),
            _ if nothing => {
                let idle = if made.beside { "None of its files is different" } else { "It changed nothing" };
                let still = |uri: &String| format!("; what it did before is the patch still: read_file {uri}");
                let before = before.and_then(patch_of).map(still).unwrap_or_default();
                (format!("{idle}{before}."), false)
            }
            (Some(Err(why)), _, None) => (format!("Not merged: {why}."), true),
            (_, Ok(count), None) => (format!("Merged: {count} files ({}).", named(changed(&self.made).iter())), false),
            (_, Ok(_), Some(why)) => (format!("Not merged: {why}."), true),
            (_, Err(_), Some(why)) if self.made.branch.is_some() => (format!("Not merged: {why}."), true),
            (_, Err(conflicts), _) => {
                let one = |(path, why): (&RelPath, &&str)| format!("{} ({why})", path.shown());
                let all: Vec<String> = conflicts.iter().take(MOST_NAMED).map(one).collect();
                let more = conflicts.len().saturating_sub(all.len());
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                (format!("Not merged, nothing of it: conflict in {}{more}.", all.join(", ")), true)
            }
        };
        let patch = match kept {
            false => Ok(None),
            true => self.patch(kin).await.map(Some),
        };
        let folder = self.made.folder.clone();
        let Commits { told: commits, uri, unkept, .. } = made;
        match patch {
            Ok(patch) => {
                drop(self);
                if !unkept {
                    let _ = tokio::task::spawn_blocking(move || remove_clone(&folder)).await;
                }
                let read = patch.as_ref().map(|uri| format!(" Its patch: read_file {uri}.")).unwrap_or_default();
                let before = before.filter(|before| nothing && **before != Unmerged::Clone).cloned();
                let beside = uri.filter(|_| nothing).map(Unmerged::Patch);
                let unmerged =
                    patch.map(Unmerged::Patch).or_else(|| branch.map(Unmerged::Branch)).or(before).or(beside);
                (format!("{text}{read}{commits}"), unmerged)
            }
            Err(why) => {
                let kept = format!("No patch could be kept ({why}); its clone stays until the session ends.");
                (format!("{text} {kept}{commits}"), Some(Unmerged::Clone))
            }
        }
    }

    /// What became of its commits; people are told of those that are no part of what comes back.
    fn commits(&mut self, kin: &Kin) -> Commits {
        let mut commits = self.made.commits.take().unwrap_or_default();
        let child = self.made.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        commits.said.drain(..).for_each(|phrase| kin.outbox.warn(phrase.with("child", &child)));
        commits
    }

    /// Whether there is something for a branch.
    fn has_tip(&self) -> bool {
        matches!(&self.made.branch, Some(Ok(Branched { tip: Some(_), .. })))
    }

    /// Its work as a patch among the artifacts.
    async fn patch(&self, kin: &Kin) -> Result<String, String> {
        let told = |error: std::io::Error| error.to_string();
        let place = self.made.folder.join("patch");
        remove_tree(&place);
        for (side, tree) in [("a", &self.made.base.tree), ("b", &self.made.result.tree)] {
            let folder = place.join(side);
            std::fs::create_dir_all(&folder).map_err(told)?;
            for path in changed(&self.made).iter().filter(|path| !path.is_gits()) {
                write_out(&self.made.states, tree.get(path), &folder.join(path.as_path())).map_err(told)?;
            }
        }
        let file = place.join("patch");
        patch_between(&place, &file).await.map_err(|fault| fault.to_string())?;
        if file.metadata().map_err(told)?.len() > LARGEST_PATCH {
            return Err("it is too large".to_owned());
        }
        let bytes = std::fs::read(&file).map_err(told)?;
        Ok(kin.artifacts.put(&bytes).map_err(told)?.uri)
    }
}

fn patch_of(unmerged: &Unmerged) -> Option<&String> {
    match unmerged {
        Unmerged::Patch(uri) => Some(uri),
        Unmerged::Branch(_) | Unmerged::Clone => None,
    }
}

/// Writes an entry to a place where nobody else writes.
fn write_out(states: &Snapshots, entry: Option<&TreeEntry>, to: &Path) -> std::io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    if matches!(entry, Some(TreeEntry::File { .. } | TreeEntry::Link { .. })) {
        to.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    }
    match entry {
        Some(entry @ TreeEntry::File { mode, .. }) => {
            let bytes = states.content(entry).map_err(std::io::Error::other)?;
            std::fs::write(to, bytes)?;
            std::fs::set_permissions(to, std::fs::Permissions::from_mode(mode & 0o111 | 0o600))
        }
        Some(TreeEntry::Link { target }) => symlink(OsStr::from_bytes(target), to),
        _ => Ok(()),
    }
}

/// What is to be merged, before the gate.
pub(super) struct Merge {
    spec: ToolSpec,
    preview: Preview,
}

impl Merge {
    fn of(whole: &Whole) -> Self {
        Self::showing(told_changes(whole, MOST_BYTES.1, wide_diff))
    }

    /// With these changes.
    pub(super) fn showing(changes: Vec<Change>) -> Self {
        let diff = changes.iter().map(|change| change.diff.as_str()).collect();
        let changes = changes.into_iter().map(|change| Change { diff: String::new(), ..change }).collect();
        let spec = ToolSpec::new(TOOL, "", serde_json::json!({"type": "object"}));
        Self { spec, preview: Preview { diff, changes } }
    }

    /// What an answer is about.
    pub(super) fn args(&self) -> Args {
        let mut args = Args::new();
        let hash = blake3::hash(self.preview.diff.as_bytes()).to_hex().chars().take(16).collect::<String>();
        args.insert("merge".to_owned(), hash.into());
        args
    }
}

impl Tool for Merge {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn action(&self, _args: &Args) -> Action {
        Action::writes(Family::Edit, self.preview.changes.iter().map(|change| change.path.clone()).collect())
    }

    fn preview<'a>(&'a self, _args: &'a Args) -> BoxFuture<'a, Result<Option<Preview>, ToolOutcome>> {
        Box::pin(async { Ok(Some(self.preview.clone())) })
    }

    fn run<'a>(&'a self, _call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async { ToolOutcome::failed("it is not run by itself") })
    }
}
