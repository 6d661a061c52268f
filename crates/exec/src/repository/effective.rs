//! What the settings of a repository come to, with everything that they include: whether git would run a program that they
//! name when it only reads.

use super::keys::{Meaning, meaning};
use super::settings::{Setting, parse};
use super::words::{self, place};
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

/// A file that is larger is not read: it counts as executable and is not put back.
pub(super) const LARGEST: u64 = 256 * 1024;
/// Git itself goes no deeper.
const DEEPEST: usize = 10;
/// More files are not read, and then nothing is known.
const MOST_FILES: usize = 64;

/// Whether git's readers run no program that the settings or the hooks of a repository name, includes and linked worktrees
/// considered. The user's own settings count where they name something by a path that the repository fills. False where
/// that cannot be told, and for a folder that only looks like a repository.
pub fn readers_run_nothing(folder: &Path) -> bool {
    let Some(tree) = folder.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok()) else {
        return !folder.ancestors().any(is_bare);
    };
    if folder.ancestors().take_while(|inner| *inner != tree).any(is_bare) {
        return false;
    }
    let git = tree.join(".git");
    let Some(git) = git_folder(&git).filter(|_| !git.is_symlink()) else { return false };
    if !git.join("HEAD").is_file() {
        return false;
    }
    let common = common_folder(&git).unwrap_or_else(|| git.clone());
    let mut files = 0;
    let own = [common.join("config"), git.join("config.worktree"), common.join("config.worktree")];
    let quiet = own.iter().all(|path| starts_nothing_with_includes(path, &mut files, 0));
    let hooks = common.join("hooks/post-index-change");
    quiet && !is_executable(&hooks) && users_settings_are_theirs(tree)
}

/// The folder with the files of the repository that a folder lies in, and where its history and that of its worktrees is.
pub(super) fn around(folder: &Path) -> Vec<PathBuf> {
    let Some(tree) = folder.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok()) else {
        return Vec::new();
    };
    let git = git_folder(&tree.join(".git")).and_then(|git| git.canonicalize().ok());
    let common = git.as_ref().and_then(|git| common_folder(git)?.canonicalize().ok());
    std::iter::once(tree.to_owned()).chain(git).chain(common).collect()
}

/// Whether the user's own settings name nothing that a repository fills.
fn users_settings_are_theirs(tree: &Path) -> bool {
    let all: Vec<Setting> = users().iter().flat_map(|path| included(path, 0)).collect();
    all.iter().all(|setting| match meaning(setting) {
        Meaning::Hooks => !is_executable(&place(setting.text(), tree).join("post-index-change")),
        Meaning::Runs => {
            let first = setting.text().split_whitespace().next().unwrap_or_default();
            let is_theirs = |path: &PathBuf| !resolved(&clean(path)).starts_with(tree) || !path.is_file();
            (!first.contains('/') || first.starts_with(['/', '~']))
                && words::named(setting.text(), tree).iter().all(is_theirs)
        }
        _ => true,
    })
}

fn starts_nothing_with_includes(path: &Path, files: &mut usize, deep: usize) -> bool {
    *files += 1;
    let Ok(meta) = path.metadata() else { return true };
    let all = read(path).filter(|_| meta.len() <= LARGEST).and_then(|bytes| parse(&bytes));
    let (Some(all), true) = (all, *files <= MOST_FILES && deep <= DEEPEST) else { return false };
    all.iter().all(|setting| match meaning(setting) {
        _ if fetches(setting) => false,
        Meaning::Nothing | Meaning::RunsByName => true,
        Meaning::Runs | Meaning::Hooks | Meaning::Worktree => false,
        Meaning::Includes => {
            let at = place(setting.text(), path.parent().unwrap_or(path));
            starts_nothing_with_includes(&at, files, deep + 1)
        }
    })
}

/// Whether a setting has git fetch what is missing when it only reads: from wherever the repository says, also by ssh.
fn fetches(setting: &Setting) -> bool {
    let is_off = |value: &str| ["false", "no", "off", "0"].iter().any(|off| off.eq_ignore_ascii_case(value));
    match (setting.section.as_str(), setting.key.as_str()) {
        ("remote", "promisor") => !setting.value.as_deref().is_some_and(is_off),
        ("remote", "partialclonefilter") | ("extensions", "partialclone") => true,
        _ => false,
    }
}

/// Whether settings start no program, lead to no other file and make no other folder the work tree.
pub(super) fn starts_nothing(config: &[u8]) -> bool {
    let nothing = |setting: &Setting| match meaning(setting) {
        Meaning::Nothing => true,
        Meaning::Worktree => setting.text().starts_with("../"),
        _ => false,
    };
    parse(config).is_some_and(|all| all.iter().all(nothing))
}

/// The same of a file. What is none, or is too large to be read, is not known to be harmless.
pub(crate) fn settings_start_nothing(path: &Path) -> bool {
    let small = path.metadata().is_ok_and(|meta| meta.len() <= LARGEST);
    small && read(path).is_some_and(|text| starts_nothing(&text))
}

/// Where the system's settings are, by how git was built.
const SYSTEM: &[&str] = &["/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"];

/// Where the user's own settings and those of the system may be: more than git reads at once, since the next one may be
/// started with other variables.
pub(super) fn users() -> Vec<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = std::env::home_dir();
    let own = named("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
    let own = own.map(|own| own.join("git/config")).into_iter().chain(home.map(|home| home.join(".gitconfig")));
    let others = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].into_iter().filter_map(named);
    own.chain(others).chain(SYSTEM.iter().map(PathBuf::from)).collect()
}

/// The settings of a file and of those that it includes.
fn included(path: &Path, deep: usize) -> Vec<Setting> {
    let mut all = read(path).and_then(|bytes| parse(&bytes)).unwrap_or_default();
    if deep < DEEPEST {
        let paths = all.iter().filter(|setting| meaning(setting) == Meaning::Includes).take(MOST_FILES);
        let more = paths.flat_map(|setting| included(&place(setting.text(), path.parent().unwrap_or(path)), deep + 4));
        let more: Vec<Setting> = more.collect();
        all.extend(more);
    }
    all
}

/// Where settings of a repository say that its files are.
pub(super) fn worktrees(config: &Path, git: &Path) -> Vec<PathBuf> {
    let all = read(config).and_then(|bytes| parse(&bytes)).unwrap_or_default();
    let named = all.iter().filter(|setting| meaning(setting) == Meaning::Worktree).take(MOST_FILES);
    named.map(|setting| clean(&git.join(setting.text()))).collect()
}

/// The same path without `.` and `..`.
pub(super) fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            part => clean.push(part),
        }
    }
    clean
}

/// A path without `..` with links resolved as far as it exists; the rest by its text.
pub(super) fn resolved(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    let Some((above, real)) = there else { return path.to_owned() };
    match path.strip_prefix(above) {
        Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
        _ => real,
    }
}

/// The folder that a `.git` is, or that it leads to.
pub(super) fn git_folder(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let text = read(git)?;
    Some(git.parent()?.join(path_in(text.strip_prefix(b"gitdir: ")?)))
}

/// Where the history of a repository is when that is elsewhere, as a linked worktree has it.
pub(super) fn common_folder(git: &Path) -> Option<PathBuf> {
    Some(git.join(path_in(&read(&git.join("commondir"))?)))
}

/// The path that a file of git names: blanks belong to it, ends of lines do not, and nothing behind a zero does.
fn path_in(text: &[u8]) -> &OsStr {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    let path = text.get(..end).unwrap_or(text);
    OsStr::from_bytes(path.split(|byte| *byte == 0).next().unwrap_or(path))
}

/// A folder that git takes for a repository without files of its own.
fn is_bare(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
    has("HEAD") && ((has("objects") && has("refs")) || has("commondir"))
}

pub(super) fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// A small file as bytes; none for what is no file. Of a large one only the beginning.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
