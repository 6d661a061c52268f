//! What somebody did in a clone as a branch of the repository that it came from. It is put together in a git folder of ours,
//! which they never reach; the repository gets objects that git has looked through, and one name that it did not have.

use super::traced::Traced;
use super::{CLONING, CloneFault, NEUTRAL, SHARED, command, ended_well, output, output_bytes, switched};
use crate::{Command, Confinement, EndStatus, Keep, run};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// More than this is not taken of the commits of one clone.
const LARGEST_BUNDLE: usize = 64 << 20;

/// The most that is read of the names of what they changed.
const LONGEST_LIST: usize = 16 << 20;

/// So many paths are asked about at a time.
const AT_A_TIME: usize = 200;

/// Names in our own git folder.
const HEAD: &str = "refs/heads/head";
const BASE: &str = "refs/heads/base";
const MADE: &str = "refs/heads/made";

/// The git folder in which a branch is put together.
#[derive(Debug, Clone)]
pub struct CloneHistory {
    git: PathBuf,
    repository: PathBuf,
    traced: Traced,
}

/// The branch, before it has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchTip {
    /// Its last commit.
    pub commit: String,
    /// How many commits of their own are kept in it.
    pub kept: usize,
    /// Every path that any of its commits changes, from the top of the repository.
    pub paths: Vec<PathBuf>,
    /// It begins with a commit of what the repository had not committed.
    pub carries: bool,
}

impl CloneHistory {
    /// Begins one in a folder that is not there yet, for a clone that nobody but us wrote to: it stands at `base`, which is
    /// the commit `head` of the repository, or what was not committed on top of that.
    pub async fn begin(
        git: &Path,
        (repository, clone): (&Path, &Path),
        (head, base): (&str, &str),
    ) -> Result<Self, CloneFault> {
        let traced = Traced::empty(git, repository, clone).await?;
        let history = Self { git: git.to_owned(), repository: repository.to_owned(), traced };
        for key in ["user.name", "user.email"] {
            let ask = command(clone, &["config", "--get", key], &[], &Confinement::None).with_timeout(Some(CLONING));
            let said = output(&ask).await.map_err(CloneFault::Unrun)?.unwrap_or_default();
            ended_well(&history.calls(&["config", key, said.trim()])).await?;
        }
        // What is there already is not brought again.
        ended_well(&history.calls(&["update-ref", HEAD, head])).await?;
        if head != base {
            history.fetch(&history.git, clone.as_os_str(), &format!("HEAD:{BASE}")).await?;
        } else {
            ended_well(&history.calls(&["update-ref", BASE, base])).await?;
        }
        Ok(history)
    }

    fn calls(&self, args: &[&str]) -> Command {
        self.traced.run(args)
    }

    /// Brings objects, looked through; a `spec` names where they are to be found.
    async fn fetch(&self, to: &Path, from: &OsStr, spec: &str) -> Result<(), CloneFault> {
        let args = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--no-auto-maintenance",
            "--",
        ];
        let mut fetch = command(to, &args, &[], &Confinement::None).with_timeout(Some(CLONING));
        let looked = [("fetch.fsckObjects", "true"), ("transfer.fsckObjects", "true")];
        fetch.environment = switched(fetch.environment.clone(), NEUTRAL.iter().chain(SHARED).chain(&looked))
            .with("GIT_ALLOW_PROTOCOL", "file")
            .with("GIT_TERMINAL_PROMPT", "0");
        fetch.args.extend([from.to_owned(), OsString::from(spec)]);
        ended_well(&fetch).await
    }

    /// Takes the commits of the clone since its base over, as [`commits_bundled`] has them. False where they do not follow from it:
    /// then they are none of the branch.
    pub async fn bring_in(&self, bundle: &[u8]) -> Result<bool, CloneFault> {
        let file = self.git.join("bundle");
        std::fs::write(&file, bundle).map_err(|error| CloneFault::Failed(error.to_string()))?;
        let brought = self.fetch(&self.git, file.as_os_str(), &format!("HEAD:{MADE}")).await;
        let _ = std::fs::remove_file(&file);
        brought?;
        let follows = self.calls(&["merge-base", "--is-ancestor", BASE, MADE]);
        let finished = run(&follows, CancellationToken::new(), &|_| ()).await.map_err(CloneFault::Unrun)?;
        let follows = finished.status == EndStatus::Exited(0);
        if !follows {
            ended_well(&self.calls(&["update-ref", "-d", MADE])).await?;
        }
        Ok(follows)
    }

    /// Puts what is not committed there on top, under these words. None where nothing was done at all.
    pub async fn finish(&self, message: &str) -> Result<Option<BranchTip>, CloneFault> {
        let base = self.one(&["rev-parse", "--verify", &format!("{BASE}^{{commit}}")]).await?;
        let made = format!("{MADE}^{{commit}}");
        let mut tip = self.one(&["rev-parse", "--verify", "--quiet", &made]).await.unwrap_or_else(|_| base.clone());
        let range = format!("{base}..{tip}");
        let kept = self.one(&["rev-list", "--count", &range]).await?.parse().unwrap_or(0);
        ended_well(&self.calls(&["read-tree", &tip])).await?;
        let (tree, _) = self.traced.record().await?;
        if tree != self.one(&["rev-parse", "--verify", &format!("{tip}^{{tree}}")]).await? {
            tip = self.one(&["commit-tree", "-p", &tip, "-m", message, &tree]).await?;
        }
        if tip == base {
            return Ok(None);
        }
        ended_well(&self.calls(&["update-ref", MADE, &tip])).await?;
        let paths = self.touched(&format!("{base}..{tip}")).await?;
        let head = self.one(&["rev-parse", "--verify", &format!("{HEAD}^{{commit}}")]).await?;
        let carried = if head == base { Vec::new() } else { self.touched(&format!("{head}..{base}")).await? };
        self.unfiltered(paths.iter().chain(&carried)).await?;
        Ok(Some(BranchTip { commit: tip, kept, paths, carries: head != base }))
    }

    /// A word that git says.
    async fn one(&self, args: &[&str]) -> Result<String, CloneFault> {
        let said = output(&self.calls(args)).await.map_err(CloneFault::Unrun)?;
        let word = said.map(|text| text.trim().to_owned()).filter(|word| !word.is_empty());
        word.ok_or_else(|| CloneFault::Failed(format!("git has no word on {}", args.join(" "))))
    }

    /// Every path that commits change, merges against each of their parents. A repository within one is refused: what it
    /// leads to would be lost.
    async fn touched(&self, range: &str) -> Result<Vec<PathBuf>, CloneFault> {
        let args = ["log", "--raw", "-z", "-m", "--no-renames", "--format=", "--no-show-signature", range, "--"];
        let mut log = self.calls(&args);
        log.keep = Keep { head: LONGEST_LIST, tail: 0 };
        let said = output_bytes(&log).await.map_err(CloneFault::Unrun)?;
        let said = said.ok_or_else(|| CloneFault::Failed("its commits change too much to be listed".to_owned()))?;
        let mut parts = said.split(|byte| *byte == 0).filter(|part| !part.is_empty());
        let mut paths = std::collections::BTreeSet::new();
        while let (Some(modes), Some(path)) = (parts.next(), parts.next()) {
            let path = PathBuf::from(OsStr::from_bytes(path));
            let mut words = modes.trim_ascii().split(|byte| *byte == b' ');
            let [was, is] = [words.next(), words.next()];
            if !was.is_some_and(|was| was.starts_with(b":")) {
                return Err(CloneFault::Failed("its commits cannot be read".to_owned()));
            }
            if is == Some(b"160000") {
                return Err(CloneFault::Failed(format!("{} is a repository of its own", path.display())));
            }
            paths.insert(path);
        }
        Ok(paths.into_iter().collect())
    }

    /// Refuses paths whose contents the repository lets a filter change before they are committed: what such a filter would
    /// hide or keep elsewhere must not be committed as it is, and none is run.
    async fn unfiltered(&self, paths: impl Iterator<Item = &PathBuf>) -> Result<(), CloneFault> {
        let paths: Vec<&PathBuf> = paths.collect();
        for some in paths.chunks(AT_A_TIME) {
            let args = ["check-attr", "-z", "filter", "--"];
            let mut ask = command(&self.repository, &args, &[], &Confinement::None).with_timeout(Some(CLONING));
            ask.keep = Keep { head: LONGEST_LIST, tail: 0 };
            ask.args.extend(some.iter().map(|path| path.as_os_str().to_owned()));
            let said = output_bytes(&ask).await.map_err(CloneFault::Unrun)?;
            let said = said.ok_or_else(|| CloneFault::Failed("its filters cannot be told".to_owned()))?;
            let words: Vec<&[u8]> = said.split(|byte| *byte == 0).collect();
            for told in words.chunks_exact(3) {
                let [path, _, value] = told else { continue };
                if !matches!(*value, b"unspecified" | b"unset") {
                    let path = Path::new(OsStr::from_bytes(path)).display();
                    return Err(CloneFault::Failed(format!("{path} goes through a filter before it is committed")));
                }
            }
        }
        Ok(())
    }

    /// Gives the repository the branch, under the first of these names that it does not have; none where it has all of them.
    /// Nothing else of it changes: neither its files, nor its index, nor any other name.
    pub async fn publish(
        &self,
        tip: &BranchTip,
        names: impl Iterator<Item = String>,
    ) -> Result<Option<String>, CloneFault> {
        self.fetch(&self.repository, self.git.as_os_str(), MADE).await?;
        let calls =
            |args: &[&str]| command(&self.repository, args, &[], &Confinement::None).with_timeout(Some(CLONING));
        for name in names {
            let full = format!("refs/heads/{name}");
            if self.has(&full).await? {
                continue;
            }
            // Only where there is none: somebody may make it at the same moment.
            let none = "0".repeat(tip.commit.len());
            let made = ended_well(&calls(&["update-ref", "--no-deref", &full, &tip.commit, &none])).await;
            match made {
                Ok(()) => return Ok(Some(name)),
                Err(_) if self.has(&full).await? => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(None)
    }

    async fn has(&self, full: &str) -> Result<bool, CloneFault> {
        let args = ["show-ref", "--verify", "--quiet", full];
        let ask = command(&self.repository, &args, &[], &Confinement::None).with_timeout(Some(CLONING));
        let finished = run(&ask, CancellationToken::new(), &|_| ()).await.map_err(CloneFault::Unrun)?;
        Ok(finished.status == EndStatus::Exited(0))
    }
}

/// The commits of a clone since one of its own, as git bundles them; none where there are none, or too much of them. It runs what it
/// runs in the box that the clone was written from.
pub async fn commits_bundled(folder: &Path, commit: &str, confinement: &Confinement) -> Option<Vec<u8>> {
    if !matches!(confinement, Confinement::Boxed(_) | Confinement::Held(_)) {
        return None;
    }
    let range = format!("{commit}..HEAD");
    let mut ask = command(folder, &["bundle", "create", "--quiet", "-", &range], &[], confinement);
    ask.keep = Keep { head: LARGEST_BUNDLE, tail: 0 };
    let finished = run(&ask.with_timeout(Some(CLONING)), CancellationToken::new(), &|_| ()).await.ok()?;
    if finished.status != EndStatus::Exited(0) || finished.output.dropped() > 0 {
        return None;
    }
    let (head, tail) = finished.output.into_parts();
    Some([head, tail].concat()).filter(|bytes| !bytes.is_empty())
}
