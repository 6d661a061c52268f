//! What a subagent did in its clone, put together as a branch that has no name yet.

use reasonix_exec::Confinement;
use reasonix_exec::git::{BranchTip, CloneHistory, commits_bundled};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What the commit says that has what the subagent did not commit.
const REST: &str = "What the subagent did not commit";

/// What one did, as a branch that has no name yet.
pub(super) struct Branched {
    pub(super) history: CloneHistory,
    /// None where it did nothing.
    pub(super) tip: Option<BranchTip>,
    /// Where the session's folder lies in the repository.
    below: PathBuf,
}

impl Branched {
    /// Puts it together out of a clone where nobody is at work any more.
    pub(super) async fn of(
        history: CloneHistory,
        (root, below): (&Path, PathBuf),
        commit: &str,
        confinement: &Confinement,
    ) -> Result<Self, String> {
        if let Some(bundle) = commits_bundled(root, commit, confinement).await {
            history.bring_in(&bundle).await.map_err(|fault| format!("its commits cannot be taken: {fault}"))?;
        }
        let tip = history.finish(REST).await.map_err(|fault| fault.to_string())?;
        Ok(Self { history, tip, below })
    }

    /// The paths that its commits change, from the session's folder; or why it is no branch.
    pub(super) fn paths(&self) -> Result<BTreeSet<String>, String> {
        let inside = |path: &PathBuf| {
            let inside = path.strip_prefix(&self.below).map(|path| path.to_string_lossy().into_owned());
            inside.map_err(|_| format!("{} lies outside of this folder", path.display()))
        };
        self.tip.iter().flat_map(|tip| &tip.paths).map(inside).collect()
    }
}
