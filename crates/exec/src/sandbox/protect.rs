//! Files of a repository that others execute or believe. Those that exist are mounted read-only; those that a command
//! makes although they were not there are moved aside when it has ended.

use super::tables::PROTECTED;
use crate::Quarantined;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// What stood at the protected places before a command.
#[derive(Debug)]
pub(crate) struct Before {
    /// Each place that had nothing, or a link, and the link's target.
    open: Vec<(PathBuf, Option<PathBuf>)>,
    quarantine: PathBuf,
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
    pub(super) fn look(roots: &[PathBuf], quarantine: &Path) -> Self {
        let open = places(roots).filter_map(|path| match path.symlink_metadata() {
            Err(_) => Some((path, None)),
            Ok(meta) if meta.is_symlink() => fs::read_link(&path).ok().map(|target| (path, Some(target))),
            Ok(_) => None,
        });
        Self { open: open.collect(), quarantine: quarantine.to_owned() }
    }

    /// Moves aside what has come since.
    pub(crate) fn compare(&self) -> Vec<Quarantined> {
        let mut moved = Vec::new();
        for (path, target) in &self.open {
            // A new link on the way leads to what is not ours to move; the link itself is moved.
            let led_away = path.parent().is_some_and(Path::is_symlink);
            let Some(meta) = path.symlink_metadata().ok().filter(|_| !led_away) else { continue };
            let same = meta.is_symlink() && target.is_some() && fs::read_link(path).ok() == *target;
            if same || harmless(path) {
                continue;
            }
            moved.push(Quarantined { path: path.clone(), kept: self.move_aside(path).ok() });
        }
        moved
    }

    fn move_aside(&self, path: &Path) -> io::Result<PathBuf> {
        fs::create_dir_all(&self.quarantine)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let free = |number: &u32| !self.quarantine.join(format!("{number}-{name}")).exists();
        let number = (1..u32::MAX).find(free).unwrap_or_default();
        let kept = self.quarantine.join(format!("{number}-{name}"));
        if fs::rename(path, &kept).is_err() {
            copy(path, &kept)?;
            if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }?;
        }
        Ok(kept)
    }
}

/// Copies without following links.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let meta = from.symlink_metadata()?;
    if meta.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if !meta.is_dir() {
        return if meta.is_file() { fs::copy(from, to).map(drop) } else { Ok(()) };
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
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
    path.ends_with(".git/config") && fs::read_to_string(path).is_ok_and(|text| starts_nothing(&text))
}

/// Settings of git that name no program and no other file.
const HARMLESS_KEYS: &[&str] = &[
    "core.repositoryformatversion",
    "core.filemode",
    "core.bare",
    "core.logallrefupdates",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.symlinks",
    "core.autocrlf",
    "user.name",
    "user.email",
    "remote.url",
    "remote.fetch",
    "branch.remote",
    "branch.merge",
    "extensions.objectformat",
    "extensions.refstorage",
];

fn starts_nothing(config: &str) -> bool {
    let mut section = String::new();
    config.lines().map(str::trim).all(|line| {
        if line.is_empty() || line.starts_with(['#', ';']) {
            return true;
        }
        if let Some(rest) = line.strip_prefix('[') {
            let name = rest.split([' ', ']']).next().unwrap_or_default();
            section = name.to_ascii_lowercase();
            // A setting may stand behind the bracket.
            return rest.ends_with(']') && rest.matches(']').count() == 1;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let key = format!("{section}.{}", key.trim().to_ascii_lowercase());
        // `ext::` runs a program, and a value may go on in the next line.
        HARMLESS_KEYS.contains(&key.as_str()) && !value.contains("::") && !value.ends_with('\\')
    })
}

#[cfg(test)]
mod tests {
    use super::{Before, starts_nothing};
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_a_new_link_leads_to_is_not_moved() {
        let [work, victim, state] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let before =
            Before { open: vec![(work.path().join(".git/config"), None)], quarantine: state.path().to_owned() };
        fs::write(victim.path().join("config"), "[core]\n\tfsmonitor = x\n").unwrap();
        symlink(victim.path(), work.path().join(".git")).unwrap();
        assert_eq!(before.compare(), []);
        assert!(victim.path().join("config").exists());
    }

    #[test]
    fn only_settings_that_start_nothing_are_harmless() {
        let init =
            "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n";
        let clone = "[remote \"origin\"]\n\turl = /srv/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n";
        for good in [String::new(), init.to_owned(), format!("{init}{clone}")] {
            assert!(starts_nothing(&good), "{good}");
        }
        for bad in [
            "[core]\n\tfsmonitor = ./x\n",
            "[core] hooksPath = x\n",
            "[core]\n\thooksPath = x\n",
            "[alias]\n\tst = !x\n",
            "[include]\n\tpath = ../x\n",
            "[includeIf \"gitdir:/\"]\n\tpath = ../x\n",
            "[filter \"x\"]\n\tclean = x\n",
            "[remote \"o\"]\n\turl = ext::sh -c x\n",
            "[remote \"o\"]\n\tuploadpack = x\n",
            "[user]\n\tname = a\\\nfsmonitor = x\n",
            "[core \"]\"] sshCommand = x\n",
        ] {
            assert!(!starts_nothing(bad), "{bad}");
        }
    }
}
