//! File tools know their paths before they write. What git or another program would run later is asked about first, where
//! what a command leaves can only be set aside afterwards.

use super::Approvals;
use reasonix_agent::Ask;
use reasonix_exec::run_later;
use reasonix_policy::{By, Verdict, approved_for};
use reasonix_proto::Family;
use reasonix_workspace::{Workspace, gitlinks};
use std::path::PathBuf;

impl Approvals {
    /// Asks about a change to what git or another program would run later, whatever allows it. Without a person only a
    /// rule for that path that was approved for the run answers.
    pub(super) async fn by_later(&self, verdict: Verdict, ask: &Ask<'_>) -> Verdict {
        let free = matches!(verdict, Verdict::Allow(_) | Verdict::Ask(By::Fallback | By::Posture(_)));
        if ask.action.family != Family::Edit || !free {
            return verdict;
        }
        let (workspace, paths) = (self.files.workspace().clone(), self.judged(ask.action).subjects);
        let given = paths.clone();
        // A large tree takes a moment. What cannot be looked at counts.
        let later = tokio::task::spawn_blocking(move || named(&workspace, given)).await.unwrap_or(paths);
        if later.is_empty() {
            return verdict;
        }
        let answered = if self.standing.attended { None } else { approved_for(&self.standing.approved, &later) };
        answered.map_or(Verdict::Ask(By::Later(later)), |rules| Verdict::Allow(By::Approved(rules)))
    }
}

/// Those of the paths that are run or believed later.
fn named(workspace: &Workspace, mut paths: Vec<String>) -> Vec<String> {
    let (root, roots) = (workspace.root(), workspace.roots());
    let touched: Vec<PathBuf> = paths.iter().map(|path| root.join(path)).collect();
    let linked = || roots.iter().flat_map(|root| gitlinks(root)).collect();
    let found = run_later(&roots, Some(&linked), &touched);
    paths.retain(|path| found.contains(&root.join(path)));
    paths
}
