//! What of repositories git itself would execute: settings that name programs, hooks, steps of a rebase that run commands.
//! What a command leaves of that is set aside, and what was there before is put back.

mod alias;
mod aside;
mod effective;
mod keys;
mod known;
mod later;
mod look;
mod packed;
mod settings;
mod walk;
mod words;

pub(crate) use aside::move_aside;
pub use effective::readers_run_nothing;
pub(crate) use effective::settings_start_nothing;
pub(crate) use later::run_later;

use keys::Meaning;
use look::Look;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What git would execute: each file with what is in it. Nothing outside of the folders that it was looked for in is ever
/// in here, whatever links and settings say: what is in here may be moved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surfaces(BTreeMap<PathBuf, Surface>);

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Surface {
    /// Settings, with those that run something; none of them for settings that are kept only to be put back.
    Settings {
        runs: Vec<(Meaning, String)>,
        bytes: Vec<u8>,
        mode: u32,
    },
    File {
        bytes: Vec<u8>,
        mode: u32,
    },
    /// A link, or something too large or too deep to be read: by where it leads, or by what can be told of it.
    Whole(String),
    /// Something whose content was too much to be kept on disk; it is not compared.
    Unkept,
}

/// Something that a command left and that is elsewhere now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Where it was.
    pub path: PathBuf,
    /// Where it is; none when it could not be moved and stays.
    pub kept: Option<PathBuf>,
    /// What was there before is there again.
    pub restored: bool,
}

/// One thing that git would execute, as it is told to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executes {
    /// The file it stands in.
    pub path: PathBuf,
    /// What it is: the settings that run something, or the text of a program, or where a link leads.
    pub bytes: Vec<u8>,
}

/// What a look at folders found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looked {
    /// What git would execute.
    pub surfaces: Surfaces,
    /// Folders that could not be looked through, or were too many.
    pub unseen: Vec<PathBuf>,
}

impl Surfaces {
    /// What git would execute of every repository in these folders, and of the one that a folder lies in as far as that
    /// leads into them. `linked` names folders that the index links to; it is asked where not everything could be seen.
    pub fn within(roots: &[PathBuf], linked: Option<&dyn Fn() -> Vec<PathBuf>>) -> Looked {
        let mut walked = walk::walk(roots, walk::ALL);
        if !walked.unseen.is_empty() {
            walked.folders.extend(linked.map(|linked| linked()).unwrap_or_default());
        }
        let mut found = Self::default();
        let mut look = Look::new(&mut found.0, roots);
        look.everything(&walked);
        Looked { surfaces: found, unseen: walked.unseen }
    }

    /// What git would execute for somebody who works in a folder: of the repository that it lies in, wherever the history of
    /// that is, and of those within as far as they are not too many. `linked` are folders that the index links to: git
    /// enters them by itself, also where others are left out.
    pub fn for_people_in(folder: &Path, linked: &[PathBuf]) -> Looked {
        let walked = walk::walk(&[folder.to_owned()], walk::OWN);
        let around = effective::around(folder);
        let roots: Vec<PathBuf> = std::iter::once(folder.to_owned()).chain(around.clone()).collect();
        let mut found = Self::default();
        let mut look = Look::new(&mut found.0, &roots);
        for folder in walked.folders.iter().chain(around.first()).chain(linked) {
            look.folder(folder);
        }
        for folder in &walked.bare {
            look.bare(folder);
        }
        Looked { surfaces: found, unseen: walked.unseen }
    }

    /// True when git would execute nothing of it.
    pub fn is_empty(&self) -> bool {
        self.paths().next().is_none()
    }

    /// The files, in order.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().filter(|(_, surface)| surface.runs()).map(|(path, _)| path.as_path())
    }

    /// What runs programs, for people. A file that is only included by settings is told by what stands in it.
    pub fn told(&self) -> Vec<Executes> {
        self.0
            .iter()
            .filter_map(|(path, surface)| Some(Executes { path: path.clone(), bytes: surface.told()? }))
            .collect()
    }

    /// Has what was seen earlier count at these places, whether something was there or not. What was not kept of it stays
    /// as it is seen now.
    pub(crate) fn take_over(&mut self, earlier: &Self, at: impl Fn(&Path) -> bool) {
        let unkept = |path: &PathBuf| matches!(earlier.0.get(path), Some(Surface::Unkept));
        self.0.retain(|path, _| !at(path) || unkept(path));
        let known = earlier.0.iter().filter(|(path, _)| at(path) && !unkept(path));
        self.0.extend(known.map(|(path, surface)| (path.clone(), surface.clone())));
    }

    /// Sets aside what is new or other than before, and puts back what was there.
    pub fn set_aside_since(&self, before: &Self, quarantine: &Path) -> Vec<SetAside> {
        let changed = |(path, surface): &(&PathBuf, &Surface)| {
            surface.runs() && before.0.get(*path).is_none_or(|old| !surface.does_the_same_as(old))
        };
        let each = self.0.iter().filter(changed).map(|(path, _)| {
            let kept = move_aside(path, quarantine).ok();
            let restored = kept.is_some() && before.0.get(path).is_some_and(|old| old.put_back(path));
            SetAside { path: path.clone(), kept, restored }
        });
        each.collect()
    }
}

impl Surface {
    /// Whether it runs something; otherwise it is here only to be put back.
    fn runs(&self) -> bool {
        !matches!(self, Self::Settings { runs, .. } if runs.is_empty())
    }

    /// How little of it may change, and how much it runs.
    fn strict(&self) -> (u8, usize) {
        match self {
            Self::Settings { runs, .. } => (0, runs.len()),
            Self::File { .. } => (1, 0),
            Self::Whole(_) | Self::Unkept => (2, 0),
        }
    }

    /// Settings may change as long as they run the same.
    fn does_the_same_as(&self, old: &Self) -> bool {
        match (self, old) {
            (Self::Settings { runs, .. }, Self::Settings { runs: old, .. }) => runs == old,
            (_, Self::Unkept) => true,
            _ => self == old,
        }
    }

    fn told(&self) -> Option<Vec<u8>> {
        match self {
            Self::Settings { runs, .. } => {
                let programs = runs.iter().filter(|(meaning, _)| *meaning != Meaning::Includes);
                let lines: String = programs.map(|(_, told)| format!("{told}\n")).collect();
                (!lines.is_empty()).then(|| lines.into_bytes())
            }
            Self::File { bytes, .. } => Some(bytes.clone()),
            Self::Whole(told) => Some(told.clone().into_bytes()),
            Self::Unkept => None,
        }
    }

    /// Makes a file anew that was moved away; never through something that is there.
    fn put_back(&self, path: &Path) -> bool {
        let (Self::Settings { bytes, mode, .. } | Self::File { bytes, mode }) = self else { return false };
        let file = fs::OpenOptions::new().write(true).create_new(true).open(path);
        file.and_then(|mut file| {
            file.write_all(bytes)?;
            file.set_permissions(fs::Permissions::from_mode(*mode))
        })
        .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Surfaces;
    use super::effective::starts_nothing;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};

    #[test]
    fn only_settings_that_start_nothing_are_harmless() {
        let init =
            "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n";
        let clone = "[remote \"origin\"]\n\turl = /srv/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n";
        let module = "[core]\n\tworktree = ../../../sub\n";
        let sparse = "[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = true\n[index]\n\tsparse = false\n";
        for good in [String::new(), init.to_owned(), format!("{init}{clone}"), module.to_owned(), sparse.to_owned()] {
            assert!(starts_nothing(good.as_bytes()), "{good}");
        }
        for bad in [
            "[core]\n\tfsmonitor = ./x\n",
            "[core] hooksPath = x\n",
            "[core]\n\thooksPath = x\n",
            "[alias]\n\tst = !x\n",
            "[include]\n\tpath = ../x\n",
            "[includeIf \"gitdir:/\"]\n\tpath = ../x\n",
            "[filter \"x\"]\n\tclean = x\n",
            "[diff]\n\texternal = x\n",
            "[diff \"a\"]\n\ttextconv = x\n",
            "[merge \"a\"]\n\tdriver = x\n",
            "[credential]\n\thelper = x\n",
            "[gpg]\n\tprogram = x\n",
            "[remote \"o\"]\n\turl = ext::sh -c x\n",
            "[remote \"o\"]\n\tuploadpack = x\n",
            "[submodule \"a\"]\n\tupdate = !x\n",
            "[core]\n\tsshCommand = x\n",
            "[core]\n\tworktree = /home\n",
            "[user]\n\tname = a # \\\n[core]\n\tfsmonitor = x\n",
            "[user]\n\tname = \"a\n",
            "[core \"]\"] sshCommand = x\n",
        ] {
            assert!(!starts_nothing(bad.as_bytes()), "{bad}");
        }
    }

    fn seen(root: &Path) -> Surfaces {
        Surfaces::within(&[root.to_owned()], None).surfaces
    }

    fn executable(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn what_is_new_or_changed_is_set_aside_and_the_old_put_back() {
        let [root, quarantine] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let root = root.path().canonicalize().unwrap();
        let (root, quarantine) = (root.as_path(), quarantine.path());
        let git = root.join(".git");
        fs::create_dir_all(git.join("modules/a/b")).unwrap();
        fs::write(git.join("config"), "[core]\n\thooksPath = .husky\n").unwrap();
        executable(&root.join(".husky/pre-commit"), "#!/bin/sh\n# mine\n");
        executable(&root.join(".husky/pre-push"), "#!/bin/sh\n# mine\n");
        fs::write(git.join("modules/a/b/HEAD"), "ref: x\n").unwrap();
        fs::write(git.join("modules/a/b/config"), "[core]\n\tbare = false\n").unwrap();
        let before = seen(root);
        executable(&root.join(".husky/pre-commit"), "#!/bin/sh\nevil\n");
        executable(&root.join(".husky/post-checkout"), "#!/bin/sh\nevil\n");
        fs::write(git.join("modules/a/b/config"), "[core]\n\tfsmonitor = evil\n").unwrap();
        fs::write(git.join("config.worktree"), "[core]\n\tfsmonitor = evil\n").unwrap();
        fs::create_dir(git.join("rebase-merge")).unwrap();
        fs::write(git.join("rebase-merge/git-rebase-todo"), "pick 0123\nexec evil\n").unwrap();
        let aside = seen(root).set_aside_since(&before, quarantine);
        let mut paths: Vec<PathBuf> =
            aside.iter().map(|aside| aside.path.strip_prefix(root).unwrap().to_owned()).collect();
        paths.sort();
        let wanted = [
            ".git/config.worktree",
            ".git/modules/a/b/config",
            ".git/rebase-merge/git-rebase-todo",
            ".husky/post-checkout",
            ".husky/pre-commit",
        ];
        assert_eq!(paths, wanted.map(PathBuf::from));
        assert!(fs::read_to_string(root.join(".husky/pre-commit")).unwrap().contains("mine"));
        assert!(!root.join(".husky/post-checkout").exists() && root.join(".husky/pre-push").exists());
        assert_eq!(seen(root).set_aside_since(&before, quarantine), []);
        // Nothing outside is moved or written, wherever links and settings lead.
        let outside = tempfile::tempdir().unwrap();
        executable(&outside.path().join("tool"), "theirs");
        fs::write(git.join("modules/a/b/config"), format!("[core]\n\thooksPath = {}\n", outside.path().display()))
            .unwrap();
        fs::rename(root.join(".husky"), root.join("h2")).unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join(".husky")).unwrap();
        fs::create_dir_all(git.join("modules/c")).unwrap();
        fs::write(git.join("modules/c/HEAD"), "ref: x\n").unwrap();
        std::os::unix::fs::symlink(outside.path(), git.join("modules/c/hooks")).unwrap();
        let aside = seen(root).set_aside_since(&before, quarantine);
        assert_eq!(fs::read_to_string(outside.path().join("tool")).unwrap(), "theirs", "{aside:?}");
        assert!(aside.iter().all(|aside| aside.path.starts_with(root)), "{aside:?}");
        assert!(!root.join(".husky").is_symlink() && !git.join("modules/c/hooks").is_symlink());
        // What is too much to be read counts as executable.
        let padded = format!("{}[core]\n\tfsmonitor = evil\n", "# padding\n".repeat(40_000));
        for (name, text) in [("config", padded.as_str()), ("commondir", "../../../elsewhere\n")] {
            fs::write(git.join("modules/c").join(name), text).unwrap();
            assert_eq!(seen(root).set_aside_since(&before, quarantine).len(), 1, "{name}");
        }
        for number in 0..300 {
            executable(&git.join(format!("modules/c/hooks/h{number}")), "x");
        }
        assert_eq!(seen(root).set_aside_since(&before, quarantine).len(), 1);
        assert!(!git.join("modules/c/hooks").exists());
        let deep = git.join("modules/1/2/3/4/5/6/7/8");
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("HEAD"), "ref: x\n").unwrap();
        assert_eq!(seen(root).set_aside_since(&before, quarantine).len(), 1);
        assert!(!deep.exists());
        // A folder that looks like a repository itself.
        for folder in ["objects", "refs"] {
            fs::create_dir_all(root.join("bare").join(folder)).unwrap();
        }
        let bare = root.join("bare");
        fs::write(bare.join("config"), "[core]\n\tworktree = .\n\tfsmonitor = evil\n").unwrap();
        assert!(seen(&bare).is_empty(), "git does not take it for one yet");
        fs::write(bare.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        assert_eq!(seen(&bare).paths().collect::<Vec<_>>(), [bare.join("config")]);
        fs::create_dir(bare.join(".git")).unwrap();
        assert!(!seen(&bare).is_empty(), "git passes by an empty folder");
    }
}
