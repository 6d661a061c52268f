//! The one way in which this program itself runs git: nothing that a repository chose is executed by it.
//!
//! A repository's own configuration can name programs (hooks, monitors, filters, pagers, helpers). Each is switched off by
//! name, submodules are not looked into, and the whole runs in the box where there is one.

mod base;
mod history;
mod traced;

pub use base::{Strand, commit_all, commits_beside, commits_since, patch_between};
pub use history::{BranchTip, CloneHistory, commits_bundled};
pub use traced::{Traced, all_objects_of, objects_of, patch_since};

use crate::{Bounds, Command, Confinement, EndStatus, Environment, ExecError, run};
use reasonix_proto::{Git, Phrase};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Longer than this nobody waits for a status line.
const PATIENCE: Duration = Duration::from_secs(5);

/// The most that is read of a file of git's.
const SMALL: u64 = 4096;

/// The most that is shown of a branch's name.
const LONGEST_NAME: usize = 200;

/// Settings that would execute something, and what switches them off.
const NEUTRAL: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.editor", "true"),
    ("core.sshCommand", "false"),
    ("core.gitProxy", ""),
    ("core.askPass", "true"),
    ("core.alternateRefsCommand", ""),
    ("core.attributesFile", "/dev/null"),
    ("core.untrackedCache", "false"),
    ("core.quotePath", "false"),
    ("diff.external", ""),
    ("credential.helper", ""),
    ("gpg.program", "false"),
    ("protocol.allow", "never"),
    ("submodule.recurse", "false"),
    ("status.submoduleSummary", "false"),
    ("maintenance.auto", "false"),
    ("gc.auto", "0"),
];

/// Ends of settings that name a program for a driver with a name of the repository's choice.
const DRIVERS: &[(&str, &[&str])] = &[
    ("filter.", &[".clean", ".smudge", ".process", ".required"]),
    ("diff.", &[".command", ".textconv"]),
    ("merge.", &[".driver"]),
];

/// The branch of the repository that a folder lies in and how many files differ; none outside of one.
pub async fn branch_and_dirt(folder: &Path, confinement: &Confinement) -> Option<Git> {
    let branch = branch(folder)?;
    let dirty = dirt(folder, confinement).await.ok().flatten();
    Some(Git { branch, dirty })
}

/// The branch, read from git's files without running anything.
pub fn branch(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.symlink_metadata().is_ok())?;
    let git = if git.is_file() {
        // A worktree, or a submodule: a line says where the rest is.
        let line = small(&git)?;
        let place = PathBuf::from(line.strip_prefix("gitdir:")?.trim());
        git.parent()?.join(place)
    } else {
        git
    };
    let head = small(&git.join("HEAD"))?;
    let head = head.trim();
    let name = match head.strip_prefix("ref:").map(str::trim) {
        Some(name) => name.strip_prefix("refs/heads/").unwrap_or(name),
        None => head.get(..8).filter(|_| head.chars().all(|c| c.is_ascii_hexdigit()))?,
    };
    Some(name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect())
}

fn small(path: &Path) -> Option<String> {
    // A pipe would be waited for.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(SMALL).read_to_string(&mut text).ok()?;
    Some(text)
}

/// A call of git with everything switched off that a repository could have chosen. `drivers` are its own settings that
/// name programs.
fn command(folder: &Path, args: &[&str], drivers: &[String], confinement: &Confinement) -> Command {
    let off = drivers.iter().map(|key| (key.as_str(), if key.ends_with(".required") { "false" } else { "" }));
    let off: Vec<(&str, &str)> = NEUTRAL.iter().copied().chain(off).collect();
    let environment = switched(Environment::inherited(&[]), off.iter())
        .with("GIT_CONFIG_NOSYSTEM", "1")
        .with("GIT_CONFIG_GLOBAL", "/dev/null")
        .with("GIT_ATTR_NOSYSTEM", "1")
        .with("GIT_OPTIONAL_LOCKS", "0")
        .with("GIT_NO_LAZY_FETCH", "1")
        .with("GIT_ALLOW_PROTOCOL", "")
        .with("LC_ALL", "C");
    let all = ["--no-pager", "--no-optional-locks", "--no-replace-objects"].iter().chain(args).copied();
    Command::program(program_outside("git", folder), all, folder)
        .with_environment(environment)
        .with_confinement(confinement.held().unwrap_or_else(|| confinement.clone()))
        .with_timeout(Some(PATIENCE))
}

/// The environment with settings of git that stand before those of any file.
fn switched<'a>(open: Environment, settings: impl Iterator<Item = &'a (&'a str, &'a str)>) -> Environment {
    let put = |(open, count): (Environment, usize), (key, value): &(&str, &str)| {
        let open = open.with(format!("GIT_CONFIG_KEY_{count}"), *key);
        (open.with(format!("GIT_CONFIG_VALUE_{count}"), *value), count + 1)
    };
    let (open, count) = settings.fold((open, 0), put);
    open.with("GIT_CONFIG_COUNT", count.to_string())
}

/// The program of this name that we run ourselves in a folder: the first one that does not come with its repository. Where there
/// is no other, nothing is found to run.
pub fn program_outside(name: &str, folder: &Path) -> PathBuf {
    program(name, folder, &std::env::var_os("PATH").unwrap_or_default())
}

fn program(name: &str, folder: &Path, path: &OsStr) -> PathBuf {
    let top = folder.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok()).unwrap_or(folder);
    let top = top.canonicalize().unwrap_or_else(|_| top.to_owned());
    let mut all = std::env::split_paths(path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
    let outside = |path: &PathBuf| path.canonicalize().is_ok_and(|real| real.is_file() && !real.starts_with(&top));
    all.find(|found| outside(found) && !found.starts_with(&top)).unwrap_or_else(|| Path::new("/nowhere").join(name))
}

/// The settings of the repository that name programs by drivers. Listing settings executes nothing.
async fn drivers(folder: &Path, confinement: &Confinement) -> Result<Option<Vec<String>>, ExecError> {
    let list = command(folder, &["config", "--list", "--name-only", "-z", "--includes"], &[], confinement);
    let Some(text) = output(&list).await? else { return Ok(None) };
    let names = text.split('\0').filter(|name| {
        let fits =
            |(start, ends): &(&str, &[&str])| name.starts_with(start) && ends.iter().any(|end| name.ends_with(end));
        DRIVERS.iter().any(fits)
    });
    let names: Vec<String> = names.map(str::to_owned).collect();
    // One whose name is no text would be switched off under another name.
    Ok((!names.iter().any(|name| name.contains(char::REPLACEMENT_CHARACTER))).then_some(names))
}

async fn dirt(folder: &Path, confinement: &Confinement) -> Result<Option<u64>, ExecError> {
    // Without knowing what to switch off nothing is run.
    let Some(drivers) = drivers(folder, confinement).await? else { return Ok(None) };
    let args =
        ["status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=all", "--untracked-files=normal", "--"];
    let status = command(folder, &args, &drivers, confinement);
    Ok(output(&status).await?.map(|text| text.split('\0').filter(|entry| !entry.is_empty()).count() as u64))
}

/// What it wrote, when it ended well.
async fn output(command: &Command) -> Result<Option<String>, ExecError> {
    Ok(output_bytes(command).await?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

async fn output_bytes(command: &Command) -> Result<Option<Vec<u8>>, ExecError> {
    let finished = run(command, CancellationToken::new(), &|_| ()).await?;
    let good = finished.status == EndStatus::Exited(0) && finished.output.dropped() == 0;
    let (head, tail) = finished.output.into_parts();
    Ok(good.then(|| [head, tail].concat()))
}

/// Whether a commit, a stash or the index of a repository has, or had, a file that one of these pathspecs fits, or one of
/// these commits that may lie beside all branches; none where that cannot be found out in time.
pub async fn has_paths(folder: &Path, specs: &[String], objects: &[String], confinement: &Confinement) -> Option<bool> {
    let ask = |start: &[&str]| {
        let args: Vec<&str> = start.iter().copied().chain(specs.iter().map(String::as_str)).collect();
        command(folder, &args, &[], confinement)
    };
    // Neither reads a file of the work tree, nor compares contents, so no driver is asked for.
    let index = output(&ask(&["ls-files", "--cached", "-z", "--"])).await.ok()??;
    if !index.is_empty() {
        return Some(true);
    }
    // What is no commit is an error, and nothing is known of it.
    let commits: Vec<String> = objects.iter().map(|object| format!("{object}^{{commit}}")).collect();
    let start = ["log", "--all", "--reflog", "--format=%H", "--max-count=1", "--no-renames", "--no-show-signature"];
    let history: Vec<&str> = start.into_iter().chain(commits.iter().map(String::as_str)).chain(["--"]).collect();
    Some(!output(&ask(&history)).await.ok()??.is_empty())
}

/// Longer than this nobody waits for a repository.
const CLONING: Duration = Duration::from_secs(300);

/// A pack larger than this is none of what is fetched here.
const LARGEST_PACK: u64 = 512 << 20;

/// Settings of a clone beside [`NEUTRAL`]: the ways in that are open, and a shell that asks nobody.
const CLONE: &[(&str, &str)] = &[
    ("protocol.allow", "never"),
    ("protocol.https.allow", "always"),
    ("protocol.ssh.allow", "always"),
    ("protocol.file.allow", "always"),
    ("core.sshCommand", "ssh -oBatchMode=yes"),
    ("fetch.recurseSubmodules", "false"),
];

/// Brings the newest state of a repository into a folder that is not there yet: nothing of it is run, neither hooks nor
/// drivers, nor settings of the user's that name programs.
pub async fn clone_repository(address: &str, into: &Path) -> Result<(), CloneFault> {
    if !is_address(address) {
        return Err(CloneFault::Address);
    }
    let around = into.parent().unwrap_or(into);
    let args = ["clone", "--depth=1", "--single-branch", "--no-tags", "--no-recurse-submodules", "--template=", "--"];
    let command = command(around, &args, &[], &Confinement::None);
    let kept = ["SSH_AUTH_SOCK", "HOME"].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    let environment = kept.fold(command.environment.clone(), |open, (name, value)| open.with(name, value));
    let environment = switched(environment.with_proxies(), NEUTRAL.iter().chain(CLONE))
        .with("GIT_ALLOW_PROTOCOL", "https:ssh:file")
        .with("GIT_TERMINAL_PROMPT", "0")
        .with("GIT_LFS_SKIP_SMUDGE", "1");
    let bounds = Bounds { file: LARGEST_PACK, ..Bounds::default() };
    let mut command = command.with_environment(environment).with_timeout(Some(CLONING)).with_bounds(bounds);
    command.args.extend([OsString::from(address), into.as_os_str().to_owned()]);
    ended_well(&command).await
}

/// Settings of a clone of a folder of this machine.
const SHARED: &[(&str, &str)] = &[("protocol.allow", "never"), ("protocol.file.allow", "always")];

/// Makes a clone that shares the objects of a repository of this machine, in a folder that is not there yet: at what `HEAD`
/// is, without a word of the settings, hooks and drivers of either.
pub async fn clone_shared(repository: &Path, into: &Path) -> Result<(), CloneFault> {
    let around = into.parent().unwrap_or(into);
    let args = ["clone", "--quiet", "--shared", "--no-tags", "--no-recurse-submodules", "--template=", "--"];
    let command = command(around, &args, &[], &Confinement::None);
    let environment = switched(command.environment.clone(), NEUTRAL.iter().chain(SHARED))
        .with("GIT_ALLOW_PROTOCOL", "file")
        .with("GIT_TERMINAL_PROMPT", "0")
        .with("GIT_LFS_SKIP_SMUDGE", "1");
    let mut command = command.with_environment(environment).with_timeout(Some(CLONING));
    command.args.extend([repository.as_os_str().to_owned(), into.as_os_str().to_owned()]);
    ended_well(&command).await
}

/// The commit that a folder stands at; none where there is none.
pub async fn head_commit(folder: &Path) -> Option<String> {
    let ask = command(folder, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], &[], &Confinement::None);
    let commit = output(&ask.with_timeout(Some(CLONING))).await.ok()??.trim().to_owned();
    commit.chars().all(|digit| digit.is_ascii_hexdigit()).then_some(commit).filter(|commit| !commit.is_empty())
}

async fn ended_well(command: &Command) -> Result<(), CloneFault> {
    let finished = run(command, CancellationToken::new(), &|_| ()).await.map_err(CloneFault::Unrun)?;
    match finished.status {
        EndStatus::Exited(0) => return Ok(()),
        EndStatus::TimedOut => return Err(CloneFault::Late),
        _ => {}
    }
    let (head, tail) = finished.output.into_parts();
    Err(CloneFault::Failed(String::from_utf8_lossy(&[head, tail].concat()).trim().to_owned()))
}

/// Why a repository could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum CloneFault {
    /// It is no address that is fetched from.
    #[error("only https://, ssh:// and file:// lead to a repository")]
    Address,
    /// Git could not be run.
    #[error(transparent)]
    Unrun(ExecError),
    /// It took too long.
    #[error("it took more than {} seconds", CLONING.as_secs())]
    Late,
    /// What git wrote.
    #[error("git could not do it: {0}")]
    Failed(String),
}

impl CloneFault {
    /// The phrase with this as its `reason`.
    pub fn told_in(&self, phrase: Phrase) -> Phrase {
        match self {
            Self::Address => phrase.with("reason", "@exec.clone_address"),
            Self::Unrun(ExecError::NoProgram { program }) => {
                phrase.with("reason", "@exec.no_program").with("program", program)
            }
            Self::Unrun(error) => phrase.with("reason", "@exec.clone_failed").with("said", error),
            Self::Late => phrase.with("reason", "@exec.clone_late").with("seconds", CLONING.as_secs()),
            Self::Failed(text) => phrase.with("reason", "@exec.clone_failed").with("said", text),
        }
    }
}

/// Whether there is a password in an address, or a name in place of one: an address is written down and shown.
pub fn has_password(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let before = rest.split('/').next().and_then(|host| host.rsplit_once('@')).map(|(before, _)| before);
    before.is_some_and(|name| name.contains(':') || scheme != "ssh")
}

/// Whether git would fetch from this address by itself, and take none of it for an option or a program. One with a password is
/// none.
pub fn is_address(text: &str) -> bool {
    let rest = ["https://", "ssh://", "file://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let plain = !text.contains("::") && text.chars().all(|c| !c.is_control() && !c.is_whitespace());
    let host = rest.unwrap_or_default().split('/').next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    plain
        && !has_password(text)
        && rest.is_some_and(|rest| !rest.starts_with('-') && rest.contains('/'))
        && !host.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::{is_address, program};
    use std::fs;
    use std::path::Path;

    /// A git that lies in the repository, or is led to from outside, is never the one that we run.
    #[test]
    fn a11_no_git_of_the_repository_is_run() {
        let place = tempfile::tempdir().unwrap();
        let (repository, outside) = (place.path().join("repo"), place.path().join("bin"));
        for folder in [repository.join(".git"), repository.join("bin"), repository.join("deep"), outside.clone()] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(repository.join("bin/git"), "").unwrap();
        let lead = place.path().join("lead");
        fs::create_dir(&lead).unwrap();
        std::os::unix::fs::symlink(repository.join("bin/git"), lead.join("git")).unwrap();
        let path = |all: &[&Path]| std::env::join_paths(all).unwrap();
        let hostile = [repository.join("bin"), lead, "bin".into(), "".into()];
        let mut all: Vec<&Path> = hostile.iter().map(AsRef::as_ref).collect();
        assert!(!program("git", &repository.join("deep"), &path(&all)).exists());
        fs::write(outside.join("git"), "").unwrap();
        all.push(&outside);
        assert_eq!(program("git", &repository.join("deep"), &path(&all)), outside.join("git"));
    }

    /// What git would take for an option, a program or another way in is no address.
    #[test]
    fn only_three_ways_lead_to_a_repository() {
        for address in
            ["https://h/x", "https://h:8443/@u:x/y.git", "ssh://git@h/x", "ssh://git@h:22/x", "file:///srv/x"]
        {
            assert!(is_address(address), "{address}");
        }
        for address in [
            "--upload-pack=touch x",
            "ext::sh -c touch% x",
            "https://ext::h/x",
            "ssh://-oProxyCommand=touch x/y",
            "ssh://u@-oProxyCommand=x/y",
            "https://u:p@h/x.git",
            "https://ghp_0123456789@h/x.git",
            "ssh://git:p@h/x",
            "http://h/x",
            "git://h/x",
            "file://-x/y",
            "git@h:x",
            "/srv/x",
            "https://",
            "https://h/x y",
            "",
        ] {
            assert!(!is_address(address), "{address}");
        }
    }
}
