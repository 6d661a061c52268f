//! The work of subagents as branches of the repository: nothing of the session's folder is touched. They are judged by the
//! session's gate as one edit of every file that any of their commits changes, and given names that nobody has.

use super::Kin;
use super::branched::Branched;
use super::isolation::Made;
use super::merge::{Merge, Whole, Writer, aside, changes_of, judged, named};
use super::plan::{CHANGED, changed};
use reasonix_agent::Call;
use reasonix_exec::git::BranchTip;
use reasonix_proto::{Action, Family, ToolCall};
use reasonix_tools::wide_diff;
use reasonix_workspace::snapshot::{RelPath, TreeEntry};
use std::collections::BTreeSet;

/// What branches begin with.
const FOLDER: &str = "reasonix/task/";

/// So many names are tried for one.
const MOST_NAMES: usize = 100;

/// The paths that its commits change, from the session's folder; or why it is no branch.
fn paths_of(branched: &Branched, made: &Made) -> Result<BTreeSet<String>, String> {
    let paths = branched.paths()?;
    let lost = |path: &&RelPath| !paths.contains(&*path.as_path().to_string_lossy()) && !is_alike(made, path);
    match changed(made).iter().find(lost) {
        Some(path) => Err(format!("{} cannot be committed there", path.shown())),
        None => Ok(paths),
    }
}

/// Whether a path differs in nothing that git keeps.
fn is_alike(made: &Made, path: &RelPath) -> bool {
    let kept = |entry: Option<&TreeEntry>| match entry {
        Some(TreeEntry::File { mode, content, .. }) => Some((mode & 0o100, *content)),
        _ => None,
    };
    let (was, is) = (kept(made.base.tree.get(path)), kept(made.result.tree.get(path)));
    was.is_some() && was == is
}

/// Whether the work of these comes back as branches.
pub(super) fn wanted(writers: &[Writer]) -> bool {
    writers.iter().any(|writer| writer.made.branch.is_some())
}

/// Has all of it judged as one, and makes the branches; what is told of each is written beside it.
pub(super) async fn settle(
    kin: &Kin,
    call: &Call<'_>,
    mut whole: Whole,
) -> Result<(Whole, Result<(), String>), String> {
    let mut subjects = BTreeSet::new();
    for writer in &mut whole.writers {
        match (writer.standing(), &writer.made.branch) {
            (Ok(()), Some(Ok(branched))) => match paths_of(branched, &writer.made) {
                Ok(paths) => subjects.extend(paths),
                Err(why) => writer.branch = Some(Err(why)),
            },
            (Err(why), _) => writer.branch = Some(Err(why)),
            (_, Some(Err(why))) => writer.branch = Some(Err(why.clone())),
            (Ok(()), None) => {}
        }
    }
    if subjects.is_empty() {
        // There is nothing to judge; what there is to say of each is said all the same.
        return Ok((published(whole).await, Ok(())));
    }
    let action = Action::writes(Family::Edit, subjects.into_iter().collect());
    let (whole, tool) = aside(move || {
        let open = whole.writers.iter().filter(|writer| writer.branch.is_none());
        let changes = open.flat_map(|writer| changes_of(&writer.made, wide_diff)).collect();
        (whole, Merge::showing(changes))
    })
    .await?;
    let names: Vec<String> = whole.writers.iter().map(first_name).collect();
    let about = ToolCall { id: call.id.clone(), name: super::merge::TOOL.to_owned(), arguments: String::new() };
    let mut args = tool.args();
    args.insert("branches".to_owned(), names.into());
    if let Err(why) = judged(kin, call, (&about, &tool, &args), &action, false).await {
        return Ok((whole, Err(why)));
    }
    Ok((published(whole).await, Ok(())))
}

/// Gives a branch to everybody whom nothing stands against.
async fn published(mut whole: Whole) -> Whole {
    for writer in whole.writers.iter_mut().filter(|writer| writer.branch.is_none()) {
        writer.branch = publish(writer).await;
    }
    whole
}

fn first_name(writer: &Writer) -> String {
    let name = writer.made.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    format!("{FOLDER}{name}")
}

/// Gives it a name that nobody has. None where there is nothing to give.
async fn publish(writer: &Writer) -> Option<Result<(String, String), String>> {
    let Some(Ok(Branched { history, tip, .. })) = &writer.made.branch else { return None };
    let Some(tip) = tip else {
        let some = !changed(&writer.made).is_empty();
        return some.then(|| Err("git keeps nothing of what it changed".to_owned()));
    };
    let first = first_name(writer);
    let more = (2..=MOST_NAMES).map(|number| format!("{first}-{number}"));
    let names = std::iter::once(first.clone()).chain(more);
    Some(match history.publish(tip, names).await {
        Ok(Some(name)) => {
            let told = told(writer, tip, &name);
            Ok((name, told))
        }
        Ok(None) => Err(format!("there are {MOST_NAMES} branches {first} already")),
        Err(fault) => Err(format!("no branch could be made: {fault}")),
    })
}

/// What the model reads of a branch.
fn told(writer: &Writer, tip: &BranchTip, name: &str) -> String {
    let files = changed(&writer.made);
    let kept = if tip.kept > 0 { format!(", with its {} own commits", tip.kept) } else { String::new() };
    let own = writer.made.commits.as_ref().is_some_and(|commits| commits.own > 0);
    let left = if own && tip.kept == 0 {
        " Its own commits are not in it: they do not follow from where it began, or are too large."
    } else {
        ""
    };
    let carries = if tip.carries { " It begins with a commit of what was not committed here." } else { "" };
    let merges = match &writer.verdict {
        Ok(_) => " Its changes would go into this folder as it is now.".to_owned(),
        Err(conflicts) => format!(" In this folder as it is now there is a conflict in {}.", named(conflicts.keys())),
    };
    let files = format!("{} files ({})", files.len(), named(files.iter()));
    format!(
        "Branch {name} has it{kept}: {files}. This folder is as it was; undo does not remove the branch.{carries}{left}{merges}"
    )
}

impl Writer {
    /// What stands against a branch of its work: what can be in none. Somebody's change here is no reason.
    fn standing(&self) -> Result<(), String> {
        let Err(conflicts) = &self.verdict else { return Ok(()) };
        match conflicts.iter().find(|(_, why)| **why != CHANGED) {
            Some((path, why)) => Err(format!("{} ({why})", path.shown())),
            None => Ok(()),
        }
    }
}
