//! A look at one repository: everything of it that git would execute, as far as it lies in folders that commands may write.

use super::Surface;
use super::effective::{self, LARGEST, is_executable, read};
use super::keys::{Meaning, is_strategy, meaning};
use super::settings::{Setting, parse};
use super::walk::Walked;
use super::words;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

/// More hooks in one folder, and folders of submodules deeper than this, are not told apart: the folder counts as a whole.
const MOST_HOOKS: usize = 256;
const DEEPEST: usize = 5;
/// More repositories of submodules and worktrees are not looked into, and the folder counts as a whole.
const MOST_MODULES: usize = 256;
/// Settings that are included deeper than git does it, and more files than these, count by what is in them.
const DEEPEST_INCLUDE: usize = 10;
const MOST_INCLUDED: usize = 64;
/// Longer than this no file of what is left to do is that git wrote.
const MOST_OPTIONS: usize = 4096;

/// What git runs by itself out of a folder of hooks.
const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "p4-changelist",
    "p4-post-changelist",
    "p4-pre-submit",
    "p4-prepare-changelist",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
];

/// What of a repository's own folder leads git to programs.
pub(super) const PARTS: &[&str] = &[
    "config",
    "config.worktree",
    "hooks",
    "modules",
    "worktrees",
    "commondir",
    "info",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
];

/// Files of a rebase, a cherry-pick or patches that is not over, and when git would run or write something by them.
type Runs = fn(&[u8]) -> bool;
const LEFT: &[(&str, Runs)] = &[
    ("rebase-merge/git-rebase-todo", runs_commands),
    ("rebase-merge/git-rebase-todo.backup", runs_commands),
    ("sequencer/todo", runs_commands),
    ("rebase-merge/strategy", names_a_program),
    ("rebase-apply/strategy", names_a_program),
    ("sequencer/opts", names_a_program_in_options),
    ("rebase-apply/apply-opt", writes_elsewhere),
];

/// What the hooks of husky read, seen from the folder that settings name.
const READ_BY_HOOKS: &[&str] = &["h", "husky.sh", "_/h", "_/husky.sh"];

/// A look at repositories.
pub(super) struct Look<'a> {
    found: &'a mut BTreeMap<PathBuf, Surface>,
    /// Nothing outside of these is noted.
    roots: &'a [PathBuf],
    /// The user's own settings, which count for every repository.
    users: Vec<PathBuf>,
    seen: BTreeSet<(PathBuf, PathBuf)>,
    modules: usize,
    /// Every place that was looked at, whether something is there or not; where somebody wants to know.
    places: Option<BTreeSet<PathBuf>>,
}

/// The repository that settings belong to.
#[derive(Clone, Copy)]
struct Of<'p> {
    git: &'p Path,
    tree: &'p Path,
}

impl<'a> Look<'a> {
    pub(super) fn new(found: &'a mut BTreeMap<PathBuf, Surface>, roots: &'a [PathBuf]) -> Self {
        Self { found, roots, users: effective::users(), seen: BTreeSet::new(), modules: 0, places: None }
    }

    /// What lies around the roots, and every repository that was walked by.
    pub(super) fn everything(&mut self, walked: &Walked) {
        for root in self.roots {
            self.around(root);
        }
        for folder in &walked.folders {
            self.folder(folder);
        }
        for folder in &walked.bare {
            self.bare(folder);
        }
    }

    /// The same that also notes the places themselves.
    pub(super) fn with_places(mut self) -> Self {
        self.places = Some(BTreeSet::new());
        self
    }

    /// The places that were looked at.
    pub(super) fn into_places(self) -> BTreeSet<PathBuf> {
        self.places.unwrap_or_default()
    }

    /// Notes a place by where it really is: as it is written it may lead through links.
    fn place(&mut self, path: &Path) {
        if let Some(places) = &mut self.places {
            places.insert(effective::resolved(&effective::clean(path)));
        }
    }

    /// Repositories around a folder: they cannot be changed, but they may lead into the folder.
    pub(super) fn around(&mut self, root: &Path) {
        // Each of them: git passes by a `.git` that is no repository, in the folder itself as well.
        for above in root.ancestors().skip(1) {
            if let Some(git) = effective::git_folder(&above.join(".git")) {
                self.beyond(&git, above);
            }
        }
    }

    /// The repository that the `.git` of a folder is, or leads to.
    pub(super) fn folder(&mut self, folder: &Path) {
        let git = folder.join(".git");
        let Ok(meta) = git.symlink_metadata() else { return };
        if meta.is_dir() {
            return self.repository(&git, folder, 0);
        }
        if meta.is_symlink() {
            self.link(&git);
        }
        let Some(at) = effective::git_folder(&git) else { return self.by_text(&git) };
        match at.canonicalize() {
            Ok(at) if self.is_plain(&at) => self.repository(&at, folder, 0),
            Ok(at) => {
                self.by_text(&git);
                self.beyond(&at, folder);
            }
            // What is not there is no repository; elsewhere it may be one that is not seen from here.
            Err(_) if self.is_missing_here(&at) => {}
            Err(_) => self.by_text(&git),
        }
    }

    /// Whether a place lies in one of the folders, as far as it is written, and no link is on the way there.
    fn is_missing_here(&self, at: &Path) -> bool {
        let clean = effective::clean(at);
        self.roots.iter().any(|root| clean.starts_with(root)) && !at.ancestors().any(Path::is_symlink)
    }

    /// A folder that is itself what git takes for a repository. Also beside a `.git`, which git may take for none.
    pub(super) fn bare(&mut self, folder: &Path) {
        self.repository(folder, folder, 0);
    }

    /// A repository that commands cannot change, as far as it leads to what they can.
    fn beyond(&mut self, git: &Path, tree: &Path) {
        let common = effective::common_folder(git);
        for git in common.iter().map(PathBuf::as_path).chain([git]) {
            self.all_settings(git, tree);
        }
    }

    /// The settings of a repository and those of the user, for every folder that may be its work tree. True when a driver
    /// of the repository runs something for files.
    fn all_settings(&mut self, git: &Path, tree: &Path) -> bool {
        let own = ["config", "config.worktree"].map(|name| git.join(name));
        let elsewhere = own.iter().flat_map(|path| effective::worktrees(path, git));
        let trees: BTreeSet<PathBuf> = elsewhere.chain([tree.to_owned()]).collect();
        let mut drivers = false;
        for tree in &trees {
            let of = Of { git, tree };
            for path in &own {
                drivers |= self.settings(path, of, 0);
            }
            for path in self.users.clone() {
                self.settings(&path, of, 0);
            }
        }
        drivers
    }

    /// Whether a place lies in one of the folders and no link leads there.
    fn is_plain(&self, path: &Path) -> bool {
        let below = |root: &PathBuf| Some((root.clone(), path.strip_prefix(root).ok()?));
        let Some((mut at, rest)) = self.roots.iter().find_map(below) else { return false };
        rest.components().all(|part| {
            at.push(part);
            matches!(part, Component::Normal(_)) && !at.is_symlink()
        })
    }

    fn repository(&mut self, git: &Path, tree: &Path, deep: usize) {
        if !self.is_plain(git) || !self.seen.insert((git.to_owned(), tree.to_owned())) {
            return;
        }
        for name in PARTS {
            self.place(&git.join(name));
            self.link(&git.join(name));
        }
        self.common(git, tree);
        if self.all_settings(git, tree) {
            // It says which files the programs are for.
            self.note(git.join("info/attributes"));
        }
        self.own_hooks(&git.join("hooks"));
        for (name, runs) in LEFT {
            let path = git.join(name);
            if is_large(&path) || read(&path).is_some_and(|text| runs(&text)) {
                // Where links lead to it, the text is what counts.
                self.link(&path);
                self.note(path.canonicalize().unwrap_or(path));
            }
        }
        self.below(&git.join("modules"), tree, deep + 1);
        self.below(&git.join("worktrees"), tree, deep + 1);
    }

    /// A worktree leads to its repository; anything else that does so leads git elsewhere.
    fn common(&mut self, git: &Path, tree: &Path) {
        let path = git.join("commondir");
        let Some(common) = effective::common_folder(git) else { return };
        let is_worktree = git.parent().is_some_and(|parent| parent.ends_with("worktrees"));
        if !is_worktree || common.as_os_str() != git.join("../..").as_os_str() {
            return self.by_text(&path);
        }
        if let Some(common) = git.parent().and_then(Path::parent) {
            self.repository(common, tree, 0);
        }
    }

    /// Notes settings, and what they lead to. True when a driver of theirs runs something for files.
    fn settings(&mut self, path: &Path, of: Of<'_>, deep: usize) -> bool {
        self.place(path);
        if path.is_symlink() {
            // What counts is where the link leads; the link itself is noted by whoever names it.
            return path.canonicalize().is_ok_and(|real| self.settings(&real, of, deep + 1));
        }
        let Some(bytes) = read(path) else { return false };
        let all = parse(&bytes).filter(|_| !is_large(path));
        let Some(all) = all.filter(|_| deep <= DEEPEST_INCLUDE && self.seen.len() < MOST_MODULES * 64) else {
            self.note(path.to_owned());
            return true;
        };
        let (mut runs, mut drivers) = (Vec::new(), false);
        for setting in &all {
            let meaning = meaning(setting);
            if meaning == Meaning::Worktree && self.stays(of.git, setting.text()) || meaning == Meaning::Nothing {
                continue;
            }
            drivers |= meaning == Meaning::Runs && matches!(setting.section.as_str(), "filter" | "diff" | "merge");
            // What is outside is not told by itself, so that the way there is all that can be told.
            let leaves = meaning == Meaning::Includes && self.leaves(path, setting.text());
            runs.push((if leaves { Meaning::Runs } else { meaning }, setting.told()));
        }
        if self.is_plain(path) {
            let mode = mode(path);
            self.put(path.to_owned(), Surface::Settings { runs, bytes, mode });
        }
        self.led_to(path, &all, of, deep) || drivers
    }

    /// Whether a file that settings include is not in the folders.
    fn leaves(&self, path: &Path, include: &str) -> bool {
        let at = words::place(include, path.parent().unwrap_or(path));
        let at = at.canonicalize().unwrap_or_else(|_| effective::clean(&at));
        !self.roots.iter().any(|root| at.starts_with(root))
    }

    /// What settings lead to. True when a driver is among it.
    fn led_to(&mut self, path: &Path, all: &[Setting], of: Of<'_>, deep: usize) -> bool {
        let (mut drivers, mut included) = (false, 0);
        for setting in all {
            match meaning(setting) {
                Meaning::Hooks => self.hooks_at(&words::place(setting.text(), of.tree)),
                Meaning::Runs if matches!(setting.key.as_str(), "templatedir" | "hooks") => {
                    self.folder_of_hooks(setting.text(), of.tree);
                }
                Meaning::Runs => self.programs(setting.text(), of.tree),
                Meaning::Includes => {
                    included += 1;
                    let at = words::place(setting.text(), path.parent().unwrap_or(path));
                    self.place(&at);
                    // Also outside: from there it may lead back into the folders.
                    let Ok(at) = at.canonicalize() else { continue };
                    if included > MOST_INCLUDED {
                        self.note(at);
                    } else if self.seen.insert((at.clone(), of.tree.to_owned())) {
                        drivers |= self.settings(&at, of, deep + 1);
                    }
                }
                Meaning::Nothing | Meaning::RunsByName | Meaning::Worktree => {}
            }
        }
        drivers
    }

    /// Whether the files of a repository are in the folders, as those of submodules are.
    fn stays(&self, git: &Path, worktree: &str) -> bool {
        let place = effective::clean(&git.join(worktree));
        worktree.starts_with("../") && self.roots.iter().any(|root| place.starts_with(root))
    }

    /// Programs of the folders themselves that a setting names.
    fn programs(&mut self, value: &str, tree: &Path) {
        for at in words::named(value, tree) {
            self.place(&at);
            let Ok(at) = at.canonicalize() else { continue };
            if at.is_file() {
                self.note(at);
            }
        }
    }

    /// A folder whose hooks go into every new repository, or are run by another program.
    fn folder_of_hooks(&mut self, value: &str, tree: &Path) {
        let folder = words::place(value, tree);
        self.place(&folder);
        let Ok(folder) = folder.canonicalize() else { return };
        for path in ["config", "hooks"].map(|name| folder.join(name)) {
            self.note_or_link(path);
        }
        for hooks in [folder.join("hooks"), folder] {
            self.own_hooks(&hooks);
        }
    }

    /// Repositories of submodules and worktrees; their names may have folders in them.
    fn below(&mut self, folder: &Path, tree: &Path, deep: usize) {
        if !self.is_plain(folder) || !folder.is_dir() {
            return;
        }
        if deep > DEEPEST {
            return self.whole(folder);
        }
        // What cannot be listed may still be entered by a name.
        let Some(entries) = listed(folder) else { return self.whole(folder) };
        for entry in entries {
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
                self.repository(&path, tree, deep);
            } else {
                self.below(&path, tree, deep + 1);
            }
        }
    }

    /// The hooks of a repository's own folder: whatever can be executed there.
    fn own_hooks(&mut self, folder: &Path) {
        self.link(folder);
        if !self.is_plain(folder) || !folder.is_dir() {
            return;
        }
        let is_sample = |path: &Path| path.extension().is_some_and(|end| end == "sample");
        let Some(entries) = listed(folder) else { return self.whole(folder) };
        let all = entries.iter().map(fs::DirEntry::path);
        let hooks: Vec<PathBuf> =
            all.filter(|path| !is_sample(path) && is_executable(path)).take(MOST_HOOKS + 1).collect();
        if hooks.len() > MOST_HOOKS {
            return self.whole(folder);
        }
        for path in hooks {
            self.note_or_link(path);
        }
    }

    /// The hooks of a folder that settings name. It may have anything else in it.
    fn hooks_at(&mut self, folder: &Path) {
        let folder = effective::clean(folder);
        self.link(&folder);
        self.hook_places(&folder);
        if !self.is_plain(&folder) {
            // A link on the way: what counts is where it leads.
            let Some(real) = folder.canonicalize().ok().filter(|real| self.is_plain(real)) else { return };
            return self.hooks_at(&real);
        }
        for path in HOOKS.iter().map(|name| folder.join(name)).filter(|path| is_executable(path)) {
            self.note_or_link(path);
        }
        // The hooks of husky are read by a shell out of the folder above, or read a file of the folder below.
        if folder.ends_with("_") {
            for path in HOOKS.iter().filter_map(|name| Some(folder.parent()?.join(name))) {
                self.note_or_link(path);
            }
        }
        for name in READ_BY_HOOKS {
            self.note_or_link(folder.join(name));
        }
    }

    /// Notes where the hooks of a folder that settings name would be.
    fn hook_places(&mut self, folder: &Path) {
        if self.places.is_none() {
            return;
        }
        let above = folder.parent().filter(|_| folder.ends_with("_"));
        for name in HOOKS.iter().chain(READ_BY_HOOKS) {
            self.place(&folder.join(name));
        }
        for path in above.into_iter().flat_map(|above| HOOKS.iter().map(move |name| above.join(name))) {
            self.place(&path);
        }
    }

    fn note_or_link(&mut self, path: PathBuf) {
        if path.is_symlink() {
            self.link(&path);
            // What it leads to is executed as well.
            if let Some(real) = path.canonicalize().ok().filter(|real| real.is_file()) {
                self.note(real);
            }
        } else {
            self.note(path);
        }
    }

    /// Notes a link in the folder itself; where it leads is not looked at.
    fn link(&mut self, path: &Path) {
        let parent = path.parent().is_some_and(|parent| self.is_plain(parent));
        if let Some(to) = parent.then(|| fs::read_link(path).ok()).flatten() {
            self.put(path.to_owned(), Surface::Whole(format!("-> {}", to.display())));
        }
    }

    /// Notes a file that leads git elsewhere, by its text.
    fn by_text(&mut self, path: &Path) {
        if self.is_plain(path) {
            let text = read(path).unwrap_or_default();
            self.put(path.to_owned(), Surface::Whole(String::from_utf8_lossy(&text).into_owned()));
        }
    }

    /// Notes something by what can be told of it without reading it.
    fn whole(&mut self, path: &Path) {
        // The folders themselves are never moved.
        if !self.is_plain(path) || self.roots.iter().any(|root| root.starts_with(path)) {
            return;
        }
        let meta = path.symlink_metadata().ok();
        let told = meta.map(|meta| format!("{} {:?} {}", meta.len(), meta.modified().ok(), meta.ino()));
        self.put(path.to_owned(), Surface::Whole(told.unwrap_or_default()));
    }

    /// Notes a file by what is in it.
    fn note(&mut self, path: PathBuf) {
        self.place(&path);
        if !self.is_plain(&path) || !path.is_file() {
            return;
        }
        if is_large(&path) {
            return self.whole(&path);
        }
        let (bytes, mode) = (read(&path).unwrap_or_default(), mode(&path));
        self.put(path, Surface::File { bytes, mode });
    }

    /// A file may be several things for git, such as a hook that is included as settings too: the stricter one counts.
    fn put(&mut self, path: PathBuf, surface: Surface) {
        if self.found.get(&path).is_none_or(|known| known.strict() < surface.strict()) {
            self.found.insert(path, surface);
        }
    }
}

/// What is in a folder; none where that cannot be told.
fn listed(folder: &Path) -> Option<Vec<fs::DirEntry>> {
    fs::read_dir(folder).ok()?.collect::<Result<_, _>>().ok()
}

fn mode(path: &Path) -> u32 {
    path.metadata().map_or(0, |meta| meta.permissions().mode())
}

fn is_large(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.len() > LARGEST)
}

/// Whether a list of steps has one that runs a command.
fn runs_commands(todo: &[u8]) -> bool {
    let text = String::from_utf8_lossy(todo);
    text.lines().any(|line| matches!(line.split_whitespace().next(), Some("exec" | "x")))
}

/// Whether a way to merge is a program by its name, which may lead out of git's own folder.
fn names_a_program(strategy: &[u8]) -> bool {
    !is_strategy(String::from_utf8_lossy(strategy).trim())
}

/// The same among the options of a cherry-pick, which are written like settings.
fn names_a_program_in_options(options: &[u8]) -> bool {
    let is_quiet = |setting: &Setting| setting.key != "strategy" || is_strategy(setting.text());
    options.len() > MOST_OPTIONS || !parse(options).is_some_and(|all| all.iter().all(is_quiet))
}

/// Whether patches are applied with more than what git writes down by itself: an option of theirs lets them write anywhere.
fn writes_elsewhere(options: &[u8]) -> bool {
    const PLAIN: &[&str] = &["--ignore-whitespace", "--ignore-space-change", "--reject", "--no-reject"];
    const STARTS: &[&str] = &["--whitespace=", "--exclude=", "--include=", "--directory="];
    let text = String::from_utf8_lossy(options).replace(['\'', '\\'], "");
    let is_count = |word: &str| {
        let count = word.strip_prefix("-p").or_else(|| word.strip_prefix("-C"));
        count.is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_plain =
        |word: &str| PLAIN.contains(&word) || STARTS.iter().any(|start| word.starts_with(start)) || is_count(word);
    !text.split_whitespace().all(is_plain)
}
