//! Which folder is the project's: where its settings stand, and where everything is looked for that it brings. Nothing is read
//! here.

use crate::files::PROJECT_FILES;
use std::path::{Path, PathBuf};

/// What a project brings beside settings and rules files.
const BROUGHT: &[&str] = &[
    ".mcp.json",
    ".reasonix/agents",
    ".reasonix/commands",
    ".reasonix/hooks",
    ".reasonix/rules",
    ".reasonix/settings.json",
    ".reasonix/skills",
    ".reasonix/lsp.toml",
    ".reasonix/lsp.json",
    ".reasonix/lsp.jsonc",
    ".reasonix/lsp.yaml",
    ".reasonix/lsp.yml",
    ".claude/agents",
    ".claude/commands",
    ".claude/rules",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/skills",
    ".agents/skills",
    ".codex/hooks.json",
    ".cursor/rules",
    ".windsurf/rules",
    ".clinerules",
];

/// Folders that others write to, or that hold what is nobody's project.
const COMMON: &[&str] = &[
    "/tmp", "/var/tmp", "/dev/shm", "/run", "/home/x", "/root", "/Users/x", "/etc", "/usr", "/var/lib", "/proc", "/sys",
];

/// Folders of a home that hold settings and state of all programs.
const OF_ALL: &[&str] = &[".config", ".local/share", ".local/state", ".cache", ".var", "Library"];

/// The folders that count for a working folder. They are looked for once: a mount above may be slow to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectPlace {
    /// The nearest folder upwards that holds a repository; the working folder when there is none.
    pub(crate) repository: PathBuf,
    /// The project's folder, as far as the repository goes: the nearest one upwards with settings; where there is none, the
    /// nearest that brings something; otherwise the working folder.
    pub(crate) folder: PathBuf,
    /// The repository, where the working folder is a part of it that commands should see the whole of. It is neither the
    /// user's home nor above it.
    pub(crate) around: Option<PathBuf>,
    /// The nearest folder of the repository above the project's that brings something, which is not used. It is neither the
    /// user's home nor above it.
    pub(crate) passed: Option<PathBuf>,
}

impl ProjectPlace {
    /// Looks upwards from a working folder. `home` is our folder, `user` the user's.
    pub(crate) fn of(cwd: &Path, home: &Path, user: Option<&Path>) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (home, user) = (real(home), user.map(real));
        let repository = cwd.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(cwd);
        let within: Vec<&Path> = cwd.ancestors().take_while(|folder| folder.starts_with(repository)).collect();
        // What lies in the user's home is their own, of this program and of others.
        let may = |folder: &Path| !user.as_ref().is_some_and(|user| user.starts_with(real(folder)));
        let settled = within.iter().copied().find(|folder| has(folder, &PROJECT_FILES, &home));
        // A working folder counts whatever it is; one above it only where it is a project's.
        let brings = |folder: &&Path| has(folder, BROUGHT, &home) && (*folder == cwd || may(folder));
        let folder = settled.or_else(|| within.iter().copied().find(brings)).unwrap_or(cwd);
        let mut above = within.into_iter().filter(|above| *above != folder && folder.starts_with(above) && may(above));
        let passed = above.find(|above| has(above, &PROJECT_FILES, &home) || has(above, BROUGHT, &home));
        let around = (repository != cwd && may(repository) && is_shown(repository, user.as_deref()))
            .then(|| repository.to_owned());
        let (repository, folder) = (repository.to_owned(), folder.to_owned());
        Self { repository, folder, around, passed: passed.map(Path::to_path_buf) }
    }
}

/// Whether commands in a part of a repository may see all of it: it is one, it is the user's own, and it is neither a home (their own
/// or anybody else's) nor a folder that everybody shares.
fn is_shown(repository: &Path, user: Option<&Path>) -> bool {
    let Ok(real) = repository.canonicalize() else { return false };
    let around = |place: &Path| place.starts_with(&real);
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let homes = users.lines().filter_map(|line| line.split(':').nth(5)).map(Path::new);
    let homes = homes.filter(|home| home.is_absolute());
    let in_home = |place: &Path| user.iter().any(|user| around(&user.join(place)));
    !COMMON.iter().map(Path::new).chain(homes).any(around)
        && !["/home", "/Users"].iter().any(|homes| real.parent() == Some(Path::new(homes)))
        && !OF_ALL.iter().map(Path::new).any(in_home)
        && is_own(&real)
        && is_own_git(&real.join(".git"))
}

/// Whether it belongs to who runs this program.
fn is_own(path: &Path) -> bool {
    let me = rustix::process::geteuid().as_raw();
    path.symlink_metadata().is_ok_and(|found| std::os::unix::fs::MetadataExt::uid(&found) == me)
}

/// Whether it is what git keeps of a repository, or the file that leads there; anybody can make an empty `.git`.
fn is_own_git(git: &Path) -> bool {
    let holds =
        |git: &Path| git.join("HEAD").is_file() && (git.join("objects").is_dir() || git.join("commondir").is_file());
    let Ok(found) = git.symlink_metadata() else { return false };
    if !is_own(git) || found.is_symlink() {
        return false;
    }
    if found.is_dir() {
        return holds(git);
    }
    let text = if found.len() < 4096 { std::fs::read_to_string(git).unwrap_or_default() } else { String::new() };
    let leads = text.strip_prefix("gitdir:").map(|place| git.with_file_name("").join(place.trim()));
    leads.is_some_and(|place| holds(&place))
}

/// Whether one of these is there. What lies in our own folder is nobody's project.
fn has(folder: &Path, names: &[&str], home: &Path) -> bool {
    let there = names.iter().map(|name| folder.join(name)).filter(|path| path.exists());
    let mut folders = there.filter_map(|path| path.parent()?.canonicalize().ok());
    folders.any(|folder| folder != home)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::ProjectPlace;
    use std::path::{Path, PathBuf};

    /// A disk with these files, and where the project is for whoever works in `r/a/b`; what above it is not used, and what
    /// commands see around it.
    fn place(files: &[&str], user: &str) -> (String, Option<String>, Option<String>) {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for name in files.iter().chain(&["r/a/b/x", "home/.reasonix/config.toml"]) {
            let path: PathBuf = top.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            match name.ends_with(".git") {
                true => repository(&path),
                false => std::fs::write(path, "").unwrap(),
            }
        }
        let found = ProjectPlace::of(&top.join("r/a/b"), &top.join(user).join(".reasonix"), Some(&top.join(user)));
        let short = |path: &Path| path.strip_prefix(&top).unwrap().display().to_string();
        (short(&found.folder), found.passed.as_deref().map(short), found.around.as_deref().map(short))
    }

    fn repository(git: &Path) {
        std::fs::create_dir_all(git.join("objects")).unwrap();
        std::fs::write(git.join("HEAD"), "ref: refs/heads/main").unwrap();
    }

    /// What anybody can put into a folder above does not open that folder.
    #[test]
    fn only_what_is_a_repository_of_the_users_own_is_shown() {
        type Makes = fn(&Path);
        let cases: [(Makes, bool); 8] = [
            (|git| repository(git), true),
            (|git| std::fs::write(git, "").unwrap(), false),
            (|git| std::fs::create_dir(git).unwrap(), false),
            (|git| std::fs::write(git, "gitdir: nowhere").unwrap(), false),
            (|git| std::os::unix::fs::symlink("/etc", git).unwrap(), false),
            (
                |git| {
                    repository(&git.with_file_name("real"));
                    std::os::unix::fs::symlink("real", git).unwrap();
                },
                false,
            ),
            (
                |git| {
                    repository(&git.with_file_name("kept"));
                    std::fs::write(git, "gitdir: kept\n").unwrap();
                },
                true,
            ),
            (|git| std::fs::write(git, format!("gitdir: {}", "x".repeat(5000))).unwrap(), false),
        ];
        for (at, (make, shown)) in cases.into_iter().enumerate() {
            let dir = tempfile::tempdir().unwrap();
            let top = dir.path().canonicalize().unwrap();
            std::fs::create_dir_all(top.join("r/a")).unwrap();
            make(&top.join("r/.git"));
            let found = ProjectPlace::of(&top.join("r/a"), &top.join("home"), Some(&top));
            assert_eq!(found.around.is_some(), shown, "{at}");
        }
        let shown = |path: &str| super::is_shown(Path::new(path), None);
        assert!(["/", "/tmp", "/var", "/home", "/root", "/usr"].iter().all(|path| !shown(path)));
    }

    #[test]
    fn settings_of_all_programs_are_no_project() {
        let dir = tempfile::tempdir().unwrap();
        let user = dir.path().canonicalize().unwrap();
        for (folder, shown) in [(".config", false), (".local/share", false), ("work", true), (".config/nvim", true)] {
            repository(&user.join(folder).join(".git"));
            std::fs::create_dir_all(user.join(folder).join("part")).unwrap();
            let found = ProjectPlace::of(&user.join(folder).join("part"), &user.join(".reasonix"), Some(&user));
            assert_eq!(found.around.is_some(), shown, "{folder}");
        }
    }

    #[test]
    fn what_a_repository_brings_above_the_project_is_known() {
        let r = Some("r");
        for (files, folder, passed, around) in [
            (&["r/.git"][..], "r/a/b", None, r),
            (&["r/.git", "r/.mcp.json"], "r", None, r),
            (&["r/.git", "r/.claude/skills/s/SKILL.md"], "r", None, r),
            // The nearest counts.
            (&["r/.git", "r/.cursor/rules/a.mdc", "r/a/.mcp.json"], "r/a", r, r),
            (&["r/.git", "r/.cursor/rules/a.mdc", "r/a/b/.mcp.json"], "r/a/b", r, r),
            // Settings hold wherever they are: what lies nearer must not put them out of force.
            (&["r/.git", "r/reasonix.toml", "r/a/.mcp.json"], "r", None, r),
            // Rules files are found upwards.
            (&["r/.git", "r/.claude/CLAUDE.md", "r/AGENTS.md"], "r/a/b", None, r),
            // Without a repository nothing above is looked at, and nothing above a repository.
            (&["r/.mcp.json"], "r/a/b", None, None),
            (&["r/a/.git", "r/.mcp.json", "r/.git"], "r/a/b", None, Some("r/a")),
            (&["r/a/b/.git", "r/.mcp.json", "r/.git"], "r/a/b", None, None),
            (&["r/.git", "r/.mcp.json", "r/reasonix.toml"], "r", None, r),
            (&["r/.git", "r/.mcp.json", "r/a/.reasonix/config.jsonc"], "r/a", r, r),
        ] {
            let owned = |path: Option<&str>| path.map(str::to_owned);
            assert_eq!(place(files, "home"), (folder.to_owned(), owned(passed), owned(around)), "{files:?}");
        }
    }

    #[test]
    fn what_lies_in_the_users_home_or_above_it_is_no_projects() {
        let files = ["r/.git", "r/.claude/settings.json", "r/.mcp.json", "r/.reasonix/skills/s/SKILL.md"];
        for user in ["r", "r/me"] {
            assert_eq!(place(&files, user), ("r/a/b".to_owned(), None, None), "{user}");
        }
    }
}
