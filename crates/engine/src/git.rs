//! The repository of the working folder: its branch, read from its files, and how many files differ, asked from git.

use reasonix_exec::{Command, Confinement, EndStatus, Environment, Finished, Keep, run};
use reasonix_proto::Git;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long git may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is known about the repository; none where there is none.
pub(crate) async fn git(root: &Path, confinement: Confinement) -> Option<Git> {
    let branch = branch(root)?;
    Some(Git { branch, dirty: dirty(root, confinement).await })
}

/// The branch, or the first digits of the commit.
fn branch(root: &Path) -> Option<String> {
    let folder = root.ancestors().map(|folder| folder.join(".git")).find(|path| path.exists())?;
    let head = std::fs::read_to_string(resolved(&folder)?.join("HEAD")).ok()?;
    let head = head.trim();
    let name = match head.strip_prefix("ref:") {
        Some(name) => name.trim().strip_prefix("refs/heads/").unwrap_or(name.trim()).to_owned(),
        None => head.chars().take(8).collect(),
    };
    Some(name.chars().filter(|c| !c.is_control()).take(200).collect())
}

/// A worktree and a submodule have a file in place of the folder.
fn resolved(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        return Some(path.to_owned());
    }
    let text = std::fs::read_to_string(path).ok()?;
    let place = text.trim().strip_prefix("gitdir:")?.trim();
    Some(path.parent()?.join(place))
}

/// Lines of `git status`. It runs in the same box as every command, and what a repository would have it start is off.
async fn dirty(root: &Path, confinement: Confinement) -> Option<u64> {
    let off = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "submodule.recurse=false"];
    let mut args: Vec<&str> = vec!["--no-optional-locks"];
    args.extend(off.iter().flat_map(|setting| ["-c", *setting]));
    args.extend(["status", "--porcelain", "--ignore-submodules=all", "--untracked-files=normal"]);
    // It only reads: held to that, nothing has to be looked for afterwards.
    let confinement = confinement.held().unwrap_or(confinement);
    let mut command = Command::program("git", args, root)
        .with_environment(Environment::inherited(&[]))
        .with_timeout(Some(PATIENCE))
        .with_confinement(confinement);
    command.keep = Keep { head: 1024 * 1024, tail: 0 };
    match run(&command, reasonix_agent::Stop::new(), &|_: &[u8]| {}).await {
        Ok(Finished { status: EndStatus::Exited(0), output, .. }) => {
            let (head, _) = output.into_parts();
            Some(head.iter().filter(|byte| **byte == b'\n').count() as u64)
        }
        _ => None,
    }
}
