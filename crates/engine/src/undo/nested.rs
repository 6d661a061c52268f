//! Repositories inside of the workspace: a command can make one, or change one, so that the user's next git runs something
//! of it. What undo's own look at the tree finds of them is compared within a turn, and what is new there is set aside.

use reasonix_exec::{SetAside, Surfaces};
use reasonix_workspace::gitlinks;
use reasonix_workspace::snapshot::{Reason, Uncovered};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// More repositories are not looked into; that is said.
const MOST: usize = 200;

/// What the repositories inside of a workspace were when the turn began.
pub(super) struct Nested {
    root: PathBuf,
    quarantine: PathBuf,
    known: Mutex<BTreeMap<PathBuf, Surfaces>>,
}

/// What a look came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tidied {
    /// What was set aside.
    pub(super) aside: Vec<SetAside>,
    /// There were more repositories than what is looked into.
    pub(super) cut: bool,
}

impl Nested {
    pub(super) fn new(root: &Path, home: &Path) -> Self {
        let quarantine = home.join("state").join("quarantine");
        Self { root: root.to_owned(), quarantine, known: Mutex::default() }
    }

    /// A turn begins: what there is now is the user's own.
    pub(super) fn begin(&self, uncovered: &[Uncovered]) {
        *super::locked(&self.known) = self.look(uncovered).0;
    }

    /// Sets aside what has come since, and puts back what was there.
    pub(super) fn tidy(&self, uncovered: &[Uncovered]) -> Tidied {
        let mut known = super::locked(&self.known);
        let (now, cut) = self.look(uncovered);
        let none = Surfaces::default();
        let changed = now
            .iter()
            .flat_map(|(git, surfaces)| surfaces.set_aside_since(known.get(git).unwrap_or(&none), &self.quarantine));
        let aside: Vec<SetAside> = changed.collect();
        if !aside.is_empty() {
            *known = self.look(uncovered).0;
        }
        Tidied { aside, cut }
    }

    fn look(&self, uncovered: &[Uncovered]) -> (BTreeMap<PathBuf, Surfaces>, bool) {
        let histories = uncovered.iter().filter(|left| left.reason == Reason::Repository);
        let within = histories.map(|left| self.root.join(left.path.as_path()));
        // A link in the index may lead to a folder whose history lies elsewhere in the workspace, and so may one of its own.
        let linked = gitlinks(&self.root).into_iter().filter(|git| git.starts_with(&self.root));
        // What is looked at with the workspace's own repository, after each command.
        let own = self.root.join(".git");
        let known =
            |git: &PathBuf| *git == own || ["modules", "worktrees"].iter().any(|name| git.starts_with(own.join(name)));
        let mut all: Vec<PathBuf> = within.chain(linked).filter(|git| !known(git)).collect();
        all.sort();
        all.dedup();
        let cut = all.len() > MOST;
        all.truncate(MOST);
        let each = all.into_iter().map(|git| {
            let surfaces = Surfaces::of(&git, git.parent().unwrap_or(&git), &self.root);
            (git, surfaces)
        });
        (each.collect(), cut)
    }
}

#[cfg(test)]
mod tests {
    use super::Nested;
    use reasonix_workspace::snapshot::{Limits, Snapshots};
    use std::path::Path;
    use std::process::Command;

    fn git(folder: &Path, args: &[&str]) -> String {
        let all = [&["-c", "user.name=x", "-c", "user.email=x@example.com"], args].concat();
        let out = Command::new("git").args(all).current_dir(folder).output().unwrap();
        assert!(out.status.success(), "{args:?} {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).trim().to_owned()
    }

    /// A repository within, with a monitor, and a link to it in the index: the next `git status` would run the monitor.
    #[test]
    fn c2_a_repository_within_that_would_run_something_is_tidied() {
        for elsewhere in [false, true] {
            let [work, home] = [(); 2].map(|()| tempfile::tempdir().unwrap());
            let root = work.path().canonicalize().unwrap();
            git(&root, &["init", "-q"]);
            let mut snapshots = Snapshots::open(&root, &home.path().join("undo"), None, Limits::default()).unwrap();
            let mut look = || snapshots.take(&|| false).unwrap().uncovered;
            let nested = Nested::new(&root, home.path());
            nested.begin(&look());
            let (sub, canary) = (root.join("s"), home.path().join("escaped"));
            if elsewhere {
                std::fs::create_dir(root.join("hidden")).unwrap();
                git(&root, &["init", "-q", "--separate-git-dir", "hidden/place", "s"]);
            } else {
                git(&root, &["init", "-q", "s"]);
            }
            git(&sub, &["commit", "-q", "--allow-empty", "-m", "x"]);
            let head = git(&sub, &["rev-parse", "HEAD"]);
            git(&sub, &["config", "core.fsmonitor", &format!("touch {};:", canary.display())]);
            git(&root, &["update-index", "--add", "--cacheinfo", &format!("160000,{head},s")]);
            let tidied = nested.tidy(&look());
            assert_eq!(tidied.aside.len(), 1, "{tidied:?}");
            let _ = Command::new("git").args(["status", "--short"]).current_dir(&root).output().unwrap();
            assert!(!canary.exists());
            assert!(tidied.aside[0].kept.as_ref().unwrap().exists());
            assert_eq!(nested.tidy(&look()).aside, []);
        }
    }

    #[test]
    fn what_the_user_has_stays() {
        let [work, home] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let root = work.path().canonicalize().unwrap();
        git(&root, &["init", "-q", "s"]);
        git(&root.join("s"), &["config", "alias.x", "!true"]);
        let mut snapshots = Snapshots::open(&root, &home.path().join("undo"), None, Limits::default()).unwrap();
        let nested = Nested::new(&root, home.path());
        let mut look = || snapshots.take(&|| false).unwrap().uncovered;
        nested.begin(&look());
        assert_eq!(nested.tidy(&look()).aside, []);
        assert_eq!(git(&root.join("s"), &["config", "alias.x"]), "!true");
    }
}
