//! Files of a repository that others execute or believe. Those that exist are mounted read-only; those that a command
//! makes although they were not there are moved aside when it has ended.

use super::tables::PROTECTED;
use crate::repository::{Looked, Surfaces, move_aside, settings_start_nothing};
use crate::{Masked, Quarantined};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What stood at the protected places before a command.
#[derive(Debug)]
pub(crate) struct Before {
    /// Each place that had nothing, or a link, and the link's target.
    pub(super) open: Vec<(PathBuf, Option<PathBuf>)>,
    pub(super) roots: Vec<PathBuf>,
    /// What git would execute of all repositories in the roots.
    pub(super) surfaces: Surfaces,
    pub(super) linked: Option<Masked>,
    pub(super) quarantine: PathBuf,
}

/// What has come since.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// What was moved aside.
    pub(crate) moved: Vec<Quarantined>,
    /// Folders that could not be looked through for repositories.
    pub(crate) unseen: Vec<PathBuf>,
}

fn within(roots: &[PathBuf], linked: Option<&Masked>) -> Looked {
    Surfaces::within(roots, linked.map(|linked| linked.0.as_ref() as &dyn Fn() -> Vec<PathBuf>))
}

/// The protected files in the roots that exist, to be mounted read-only.
pub(super) fn existing(roots: &[PathBuf]) -> impl Iterator<Item = PathBuf> + '_ {
    let is_repository = |path: &Path| path.ends_with(".git") && path.is_dir();
    places(roots)
        .filter(move |path| path.symlink_metadata().is_ok_and(|meta| !meta.is_symlink()) && !is_repository(path))
}

/// The protected places. A `.git` that is a link leads elsewhere; what lies there is not this root's.
fn places(roots: &[PathBuf]) -> impl Iterator<Item = PathBuf> + '_ {
    let all = roots.iter().flat_map(|root| PROTECTED.iter().map(move |name| root.join(name)));
    all.filter(|path| !path.parent().is_some_and(Path::is_symlink))
}

impl Before {
    /// `more` are places beside those of every root, `linked` tells folders that an index links to.
    pub(super) fn look(roots: &[PathBuf], more: &[PathBuf], linked: Option<&Masked>, quarantine: &Path) -> Self {
        let open = places(roots).chain(more.iter().cloned()).filter_map(|path| match path.symlink_metadata() {
            Err(_) => Some((path, None)),
            Ok(meta) if meta.is_symlink() => fs::read_link(&path).ok().map(|target| (path, Some(target))),
            Ok(_) => None,
        });
        let surfaces = within(roots, linked).surfaces;
        let (roots, quarantine) = (roots.to_owned(), quarantine.to_owned());
        Self { open: open.collect(), roots, surfaces, linked: linked.cloned(), quarantine }
    }

    /// The protected places that had nothing, or a link.
    pub(crate) fn open_places(&self) -> Vec<PathBuf> {
        self.open.iter().map(|(path, _)| path.clone()).collect()
    }

    /// What stood before an earlier command that has not been looked at to its end counts, wherever both look: what has come
    /// since may be that one's. Where something was and is no more, what comes there is new all the same.
    pub(crate) fn take_over(&mut self, earlier: &Self) {
        let ours = |path: &Path| self.roots.iter().any(|root| path.starts_with(root));
        for (path, target) in earlier.open.iter().filter(|(path, _)| ours(path)) {
            match self.open.iter_mut().find(|(known, _)| known == path) {
                Some(known) => known.1.clone_from(target),
                None => self.open.push((path.clone(), target.clone())),
            }
        }
        let both = |path: &Path| ours(path) && earlier.roots.iter().any(|root| path.starts_with(root));
        self.surfaces.take_over(&earlier.surfaces, both);
    }

    /// Moves aside what has come since.
    pub(crate) fn compare(&self) -> Left {
        let mut moved = Vec::new();
        for (path, target) in &self.open {
            // A new link on the way leads to what is not ours to move; the link itself is moved.
            let led_away = path.parent().is_some_and(Path::is_symlink);
            let Some(meta) = path.symlink_metadata().ok().filter(|_| !led_away) else { continue };
            let same = meta.is_symlink() && target.is_some() && fs::read_link(path).ok() == *target;
            if same || harmless(path) {
                continue;
            }
            moved.push(Quarantined { path: path.clone(), kept: move_aside(path, &self.quarantine).ok() });
        }
        let now = within(&self.roots, self.linked.as_ref());
        let aside = now.surfaces.set_aside_since(&self.surfaces, &self.quarantine);
        moved.extend(aside.into_iter().map(|aside| Quarantined { path: aside.path, kept: aside.kept }));
        Left { moved, unseen: now.unseen }
    }
}

/// Whether it is what `git init` and `git clone` make: samples of hooks, and settings that start no program.
fn harmless(path: &Path) -> bool {
    if path.is_symlink() {
        return false;
    }
    if path.ends_with(".git") {
        return path.is_dir();
    }
    if path.ends_with(".git/hooks") {
        let runs = |path: &Path| {
            let sample = path.extension().is_some_and(|end| end == "sample");
            !sample
                && path.symlink_metadata().is_ok_and(|meta| !meta.is_file() || meta.permissions().mode() & 0o111 != 0)
        };
        return fs::read_dir(path)
            .is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(|entry| !runs(&entry.path()))));
    }
    (path.ends_with(".git/config") || path.ends_with(".git/config.worktree")) && settings_start_nothing(path)
}

#[cfg(test)]
mod tests {
    use super::{Before, Surfaces, harmless};
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn settings_that_are_a_pipe_are_not_waited_for() {
        let work = tempfile::tempdir().unwrap();
        let config = work.path().join(".git/config");
        fs::create_dir(work.path().join(".git")).unwrap();
        fs::write(&config, "[core]\n\tbare = false\n").unwrap();
        assert!(harmless(&config));
        fs::write(&config, "#\n".repeat(200_000)).unwrap();
        assert!(!harmless(&config), "too large to be known");
        fs::remove_file(&config).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &config, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let (done, ended) = std::sync::mpsc::channel();
        std::thread::spawn(move || done.send(harmless(&config)));
        assert_eq!(ended.recv_timeout(std::time::Duration::from_secs(20)), Ok(false));
    }

    #[test]
    fn what_a_new_link_leads_to_is_not_moved() {
        let [work, victim, state] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let before = Before {
            open: vec![(work.path().join(".git/config"), None)],
            roots: vec![],
            surfaces: Surfaces::default(),
            linked: None,
            quarantine: state.path().to_owned(),
        };
        fs::write(victim.path().join("config"), "[core]\n\tfsmonitor = x\n").unwrap();
        symlink(victim.path(), work.path().join(".git")).unwrap();
        assert_eq!(before.compare().moved, []);
        assert!(victim.path().join("config").exists());
    }
}
