//! What of a repository git itself would execute: settings that name programs, hooks, steps of a rebase that run commands.
//! What a command leaves of that is set aside, and what was there before is put back.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

/// More hooks in one folder, and folders of submodules deeper than this, are not told apart: the folder counts as a whole.
const MOST_HOOKS: usize = 256;
const DEEPEST: usize = 5;
/// More repositories of submodules and worktrees are not looked into, and the folder counts as a whole.
const MOST_MODULES: usize = 256;
/// A file that is larger is not read: it counts as executable and is not put back.
const LARGEST: u64 = 256 * 1024;

/// What of a repository git would execute: each file with what is in it. Nothing outside of the folder that it was looked
/// for in is ever in here, whatever links and settings say: what is in here may be moved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surfaces(BTreeMap<PathBuf, Surface>);

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Surface {
    File {
        bytes: Vec<u8>,
        mode: u32,
    },
    /// A link, or something too large or too deep to be read: by where it leads, or by what can be told of it.
    Whole(String),
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

/// A look at one repository.
struct Look<'a> {
    found: &'a mut BTreeMap<PathBuf, Surface>,
    /// The folder with the files of the repository.
    tree: &'a Path,
    /// Nothing outside of this is looked at.
    within: &'a Path,
    modules: usize,
}

impl Surfaces {
    /// What git would execute of the repository whose history lies in `git` and whose files lie in `tree`, as far as it lies
    /// in the folder `within`.
    pub fn of(git: &Path, tree: &Path, within: &Path) -> Self {
        let mut found = Self::default();
        let mut look = Look { found: &mut found.0, tree, within, modules: 0 };
        if git.symlink_metadata().is_ok_and(|meta| meta.is_dir()) && look.is_plain(git) {
            look.repository(git, false, 0);
        }
        found
    }

    /// The same for a folder that may itself be what git takes for a repository without files.
    pub fn of_bare(folder: &Path) -> Self {
        if is_bare(folder) { Self::of(folder, folder, folder) } else { Self::default() }
    }

    /// True when git would execute nothing of it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The files, in order.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.keys().map(PathBuf::as_path)
    }

    /// Sets aside what is new or other than before, and puts back what was there.
    pub fn set_aside_since(&self, before: &Self, quarantine: &Path) -> Vec<SetAside> {
        let changed = self.0.iter().filter(|(path, surface)| before.0.get(*path) != Some(*surface));
        let each = changed.map(|(path, _)| {
            let kept = move_aside(path, quarantine).ok();
            let restored = kept.is_some() && before.0.get(path).is_some_and(|old| old.put_back(path));
            SetAside { path: path.clone(), kept, restored }
        });
        each.collect()
    }
}

impl Surface {
    /// Makes a file anew that was moved away; never through something that is there.
    fn put_back(&self, path: &Path) -> bool {
        let Self::File { bytes, mode } = self else { return false };
        let file = fs::OpenOptions::new().write(true).create_new(true).open(path);
        file.and_then(|mut file| {
            file.write_all(bytes)?;
            file.set_permissions(fs::Permissions::from_mode(*mode))
        })
        .is_ok()
    }
}

impl Look<'_> {
    /// Whether a place lies in the folder and no link leads there.
    fn is_plain(&self, path: &Path) -> bool {
        let Ok(rest) = path.strip_prefix(self.within) else { return false };
        let mut at = self.within.to_owned();
        rest.components().all(|part| {
            at.push(part);
            matches!(part, Component::Normal(_)) && !at.is_symlink()
        })
    }

    fn repository(&mut self, git: &Path, linked: bool, deep: usize) {
        for name in ["config", "config.worktree", "hooks", "modules", "worktrees", "commondir"] {
            self.link(&git.join(name));
        }
        // A worktree leads to its repository; anything else that does so leads git elsewhere.
        let common = git.join("commondir");
        if read(&common).is_some_and(|text| !linked || text.trim_ascii_end() != b"../..") {
            self.whole(&common);
        }
        for name in ["config", "config.worktree"] {
            self.settings(&git.join(name));
        }
        self.hooks(&git.join("hooks"));
        for todo in ["rebase-merge/git-rebase-todo", "rebase-merge/git-rebase-todo.backup"] {
            let path = git.join(todo);
            if is_large(&path) || read(&path).is_some_and(|text| runs_commands(&String::from_utf8_lossy(&text))) {
                self.note(path);
            }
        }
        self.below(&git.join("modules"), false, deep + 1);
        self.below(&git.join("worktrees"), true, deep + 1);
    }

    fn settings(&mut self, path: &Path) {
        let Some(text) = read(path) else { return };
        let text = String::from_utf8_lossy(&text);
        if let Some(hooks) = hooks_path(&text) {
            self.hooks(&self.tree.join(hooks));
        }
        if is_large(path) || !starts_nothing(&text) {
            self.note(path.to_owned());
        }
    }

    /// Repositories of submodules and worktrees; their names may have folders in them.
    fn below(&mut self, folder: &Path, linked: bool, deep: usize) {
        if !self.is_plain(folder) || !folder.is_dir() {
            return;
        }
        if deep > DEEPEST {
            return self.whole(folder);
        }
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            self.link(&path);
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            self.modules += 1;
            if self.modules > MOST_MODULES {
                return self.whole(folder);
            }
            if path.join("HEAD").symlink_metadata().is_ok() {
                self.repository(&path, linked, deep);
            } else {
                self.below(&path, linked, deep + 1);
            }
        }
    }

    fn hooks(&mut self, folder: &Path) {
        self.link(folder);
        if !self.is_plain(folder) {
            return;
        }
        let runs = |path: &PathBuf| {
            let sample = path.extension().is_some_and(|end| end == "sample");
            !sample && path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
        };
        let all = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let hooks: Vec<PathBuf> = all.filter(runs).take(MOST_HOOKS + 1).collect();
        if hooks.len() > MOST_HOOKS {
            return self.whole(folder);
        }
        for path in hooks {
            if path.is_symlink() { self.link(&path) } else { self.note(path) }
        }
    }

    /// Notes a link in the folder itself; where it leads is not looked at.
    fn link(&mut self, path: &Path) {
        let parent = path.parent().is_some_and(|parent| self.is_plain(parent) || parent == self.within);
        if let Some(to) = parent.then(|| fs::read_link(path).ok()).flatten() {
            self.found.insert(path.to_owned(), Surface::Whole(to.display().to_string()));
        }
    }

    /// Notes something by what can be told of it without reading it.
    fn whole(&mut self, path: &Path) {
        if !self.is_plain(path) {
            return;
        }
        let meta = path.symlink_metadata().ok();
        let told = meta.map(|meta| format!("{} {:?} {}", meta.len(), meta.modified().ok(), meta.ino()));
        self.found.insert(path.to_owned(), Surface::Whole(told.unwrap_or_default()));
    }

    fn note(&mut self, path: PathBuf) {
        if !self.is_plain(&path) {
            return;
        }
        if is_large(&path) {
            return self.whole(&path);
        }
        let mode = path.metadata().map_or(0, |meta| meta.permissions().mode());
        let bytes = read(&path).unwrap_or_default();
        self.found.insert(path, Surface::File { bytes, mode });
    }
}

fn is_large(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.len() > LARGEST)
}

/// A folder that git takes for a repository without files of its own: also beside a `.git` that is none.
fn is_bare(folder: &Path) -> bool {
    let git = folder.join(".git");
    let has_own = git.is_file() || git.join("HEAD").symlink_metadata().is_ok();
    let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
    !has_own && has("HEAD") && ((has("objects") && has("refs")) || has("commondir"))
}

/// A small file as bytes; none for what is no file. Of a large one only the beginning.
fn read(path: &Path) -> Option<Vec<u8>> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Moves something out of the way; a link is moved itself.
pub(crate) fn move_aside(path: &Path, quarantine: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(quarantine)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let free = |number: &u32| !quarantine.join(format!("{number}-{name}")).exists();
    let number = (1..u32::MAX).find(free).unwrap_or_default();
    let kept = quarantine.join(format!("{number}-{name}"));
    if fs::rename(path, &kept).is_err() {
        copy(path, &kept)?;
        if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }?;
    }
    Ok(kept)
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
    "core.eol",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "index.sparse",
    "user.name",
    "user.email",
    "remote.url",
    "remote.fetch",
    "remote.pushurl",
    "remote.tagopt",
    "remote.promisor",
    "remote.partialclonefilter",
    "branch.remote",
    "branch.merge",
    "branch.rebase",
    "branch.description",
    "submodule.url",
    "submodule.active",
    "submodule.branch",
    "submodule.path",
    "pull.rebase",
    "push.default",
    "init.defaultbranch",
    "extensions.objectformat",
    "extensions.refstorage",
    "extensions.partialclone",
    "extensions.worktreeconfig",
];

/// Whether settings start no program, lead to no other file and make no other folder the work tree.
pub(crate) fn starts_nothing(config: &str) -> bool {
    settings(config).is_some_and(|all| {
        // `ext::` runs a program.
        all.iter().all(|(key, value)| {
            let worktree = key == "core.worktree" && value.starts_with("../");
            (HARMLESS_KEYS.contains(&key.as_str()) || worktree) && !value.contains("::")
        })
    })
}

/// Each setting with its value; none where a line is not what it seems.
fn settings(config: &str) -> Option<Vec<(String, String)>> {
    let (mut section, mut found) = (String::new(), Vec::new());
    for line in config.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(rest) = line.strip_prefix('[') {
            // A setting may stand behind the bracket.
            if !rest.ends_with(']') || rest.matches(']').count() != 1 {
                return None;
            }
            section = rest.split([' ', ']', '"']).next().unwrap_or_default().to_ascii_lowercase();
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        // A value may go on in the next line.
        if value.ends_with('\\') {
            return None;
        }
        found.push((format!("{section}.{}", key.trim().to_ascii_lowercase()), value.trim().to_owned()));
    }
    Some(found)
}

/// Where settings say that hooks are.
fn hooks_path(config: &str) -> Option<PathBuf> {
    let all = settings(config).unwrap_or_default();
    let path = all.into_iter().rev().find(|(key, _)| key == "core.hookspath")?.1;
    Some(PathBuf::from(path.trim_matches('"')))
}

/// Whether a list of steps has one that runs a command.
fn runs_commands(todo: &str) -> bool {
    todo.lines().any(|line| matches!(line.split_whitespace().next(), Some("exec" | "x")))
}

#[cfg(test)]
mod tests {
    use super::{Surfaces, starts_nothing};
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
            "[user]\n\tname = a\\\nfsmonitor = x\n",
            "[core \"]\"] sshCommand = x\n",
        ] {
            assert!(!starts_nothing(bad), "{bad}");
        }
    }

    fn executable(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn what_is_new_or_changed_is_set_aside_and_the_old_put_back() {
        let [root, quarantine] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let (root, quarantine) = (root.path(), quarantine.path());
        let git = root.join(".git");
        fs::create_dir_all(git.join("modules/a/b")).unwrap();
        fs::write(git.join("config"), "[core]\n\thooksPath = .husky\n").unwrap();
        executable(&root.join(".husky/pre-commit"), "#!/bin/sh\n# mine\n");
        executable(&root.join(".husky/pre-push"), "#!/bin/sh\n# mine\n");
        fs::write(git.join("modules/a/b/HEAD"), "ref: x\n").unwrap();
        fs::write(git.join("modules/a/b/config"), "[core]\n\tbare = false\n").unwrap();
        let before = Surfaces::of(&git, root, root);
        executable(&root.join(".husky/pre-commit"), "#!/bin/sh\nevil\n");
        executable(&root.join(".husky/post-checkout"), "#!/bin/sh\nevil\n");
        fs::write(git.join("modules/a/b/config"), "[core]\n\tfsmonitor = evil\n").unwrap();
        fs::write(git.join("config.worktree"), "[core]\n\tfsmonitor = evil\n").unwrap();
        fs::create_dir(git.join("rebase-merge")).unwrap();
        fs::write(git.join("rebase-merge/git-rebase-todo"), "pick 0123\nexec evil\n").unwrap();
        let aside = Surfaces::of(&git, root, root).set_aside_since(&before, quarantine);
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
        assert_eq!(Surfaces::of(&git, root, root).set_aside_since(&before, quarantine), []);
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
        let aside = Surfaces::of(&git, root, root).set_aside_since(&before, quarantine);
        assert_eq!(fs::read_to_string(outside.path().join("tool")).unwrap(), "theirs", "{aside:?}");
        assert!(aside.iter().all(|aside| aside.path.starts_with(root)), "{aside:?}");
        assert!(!root.join(".husky").is_symlink() && !git.join("modules/c/hooks").is_symlink());
        // What is too much to be read counts as executable.
        let padded = format!("{}[core]\n\tfsmonitor = evil\n", "# padding\n".repeat(40_000));
        for (name, text) in [("config", padded.as_str()), ("commondir", "../../../elsewhere\n")] {
            fs::write(git.join("modules/c").join(name), text).unwrap();
            assert_eq!(Surfaces::of(&git, root, root).set_aside_since(&before, quarantine).len(), 1, "{name}");
        }
        for number in 0..300 {
            executable(&git.join(format!("modules/c/hooks/h{number}")), "x");
        }
        assert_eq!(Surfaces::of(&git, root, root).set_aside_since(&before, quarantine).len(), 1);
        assert!(!git.join("modules/c/hooks").exists());
        let deep = git.join("modules/1/2/3/4/5/6/7/8");
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("HEAD"), "ref: x\n").unwrap();
        assert_eq!(Surfaces::of(&git, root, root).set_aside_since(&before, quarantine).len(), 1);
        assert!(!deep.exists());
        // A folder that looks like a repository itself.
        for folder in ["objects", "refs"] {
            fs::create_dir_all(root.join("bare").join(folder)).unwrap();
        }
        let bare = root.join("bare");
        fs::write(bare.join("config"), "[core]\n\tworktree = .\n\tfsmonitor = evil\n").unwrap();
        assert!(Surfaces::of_bare(&bare).is_empty(), "git does not take it for one yet");
        fs::write(bare.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        assert_eq!(Surfaces::of_bare(&bare).paths().collect::<Vec<_>>(), [bare.join("config")]);
        fs::create_dir(bare.join(".git")).unwrap();
        assert!(!Surfaces::of_bare(&bare).is_empty(), "git passes by an empty folder");
    }
}
