//! What a fresh clone begins with, and what of it is told afterwards.

use super::{CLONING, CloneFault, command, ended_well, output};
use crate::{Confinement, EndStatus, Keep, run};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// Who commits where nobody says who they are.
const NOBODY: (&str, &str) = ("Reasonix", "reasonix@localhost");

/// More than this is not taken of the commits of one name.
const LARGEST: usize = 64 << 20;

/// Commits everything that a clone has which nobody but us wrote to, as whoever commits in `like`; they are its author from
/// now on. Gives the commit that it stands at.
pub async fn commit_all(folder: &Path, like: &Path, message: &str) -> Result<String, CloneFault> {
    let calls = |args: &[&str]| command(folder, args, &[], &Confinement::None).with_timeout(Some(CLONING));
    for (key, otherwise) in [("user.name", NOBODY.0), ("user.email", NOBODY.1)] {
        let ask = command(like, &["config", "--get", key], &[], &Confinement::None);
        let open = ask.environment.clone().without(&["GIT_CONFIG_GLOBAL"]);
        let kept = std::env::var_os("HOME").map_or(open.clone(), |home| open.with("HOME", home));
        let said = output(&ask.with_environment(kept)).await.ok().flatten();
        let said = said.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        ended_well(&calls(&["config", key, said.as_deref().unwrap_or(otherwise)])).await?;
    }
    ended_well(&calls(&["add", "--all", "--", "."])).await?;
    let compare = calls(&["diff", "--cached", "--quiet", "--ignore-submodules=all"]);
    let compared = run(&compare, CancellationToken::new(), &|_| ()).await.map_err(CloneFault::Unrun)?;
    if compared.status != EndStatus::Exited(0) {
        let args = ["-c", "commit.gpgSign=false", "commit", "--quiet", "--no-verify", "--message", message];
        ended_well(&calls(&args)).await?;
    }
    super::head_commit(folder).await.ok_or_else(|| CloneFault::Failed("there is no commit".to_owned()))
}

/// So many names that lead to commits are told apart.
const MOST_STRANDS: usize = 8;

/// The most that is read of a list of commits or names.
const LONGEST_LIST: usize = 16 << 20;

/// Commits that were made in a clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strand {
    /// The name that leads to them, such as `refs/heads/x`; none where only git's log of its names does.
    pub name: Option<String>,
    /// How many there are.
    pub count: usize,
    /// All of them as `git am` reads them; none where that is too much.
    pub text: Option<Vec<u8>>,
}

fn is_boxed(confinement: &Confinement) -> bool {
    matches!(confinement, Confinement::Boxed(_) | Confinement::Held(_))
}

/// The commits of a clone since one of its own, where it stands; none where there are none. It runs what it runs in the box that the
/// clone was written from.
pub async fn commits_since(folder: &Path, commit: &str, confinement: &Confinement) -> Option<Strand> {
    if !is_boxed(confinement) {
        return None;
    }
    let revisions = [format!("{commit}..HEAD")];
    let args = ["format-patch", "--stdout", "--no-signature"];
    strand(folder, (None, &args), &revisions, confinement).await.ok()?
}

/// The commits that were made in a clone beside those: on other branches, under tags, in the stash, and what only git's log of its
/// names still leads to. What was fetched is none of them.
pub async fn commits_beside(folder: &Path, commit: &str, confinement: &Confinement) -> Result<Vec<Strand>, CloneFault> {
    if !is_boxed(confinement) {
        return Ok(Vec::new());
    }
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let mut known = words(&["--not", "--remotes", commit, "HEAD"]);
    let everything = words(&["rev-list", "--all", "--reflog"]);
    let mut made = listed(folder, &[&everything[..], &known].concat(), confinement).await;
    if made.is_err() {
        // It may stand on a branch that has no commit.
        known.pop();
        made = listed(folder, &[&everything[..], &known].concat(), confinement).await;
    }
    let mut made: BTreeSet<String> = made?.into_iter().collect();
    if made.is_empty() {
        return Ok(Vec::new());
    }
    let args = ["log", "--reverse", "--topo-order", "--pretty=email", "--patch", "--diff-merges=first-parent"];
    let format = "--format=%(refname) %(objectname) %(*objectname)";
    let mut strands = Vec::new();
    for line in listed(folder, &words(&["for-each-ref", format]), confinement).await? {
        let mut parts = line.split(' ');
        let Some(name) = parts.next().filter(|name| !name.starts_with("refs/remotes/")) else { continue };
        // A commit that two names stand at is told once.
        if strands.len() == MOST_STRANDS || !parts.any(|tip| made.remove(tip)) {
            continue;
        }
        let revisions = [&[name.to_owned()][..], &known].concat();
        strands.extend(strand(folder, (Some(name), &args), &revisions, confinement).await?);
    }
    known.extend(strands.iter().filter_map(|strand| strand.name.clone()));
    let rest = [&words(&["--all", "--reflog"])[..], &known].concat();
    strands.extend(strand(folder, (None, &args), &rest, confinement).await?);
    Ok(strands)
}

/// The lines that git says.
async fn listed(folder: &Path, args: &[String], confinement: &Confinement) -> Result<Vec<String>, CloneFault> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut ask = command(folder, &args, &[], confinement).with_timeout(Some(CLONING));
    ask.keep = Keep { head: LONGEST_LIST, tail: 0 };
    let said = output(&ask).await.map_err(CloneFault::Unrun)?;
    let said = said.ok_or_else(|| CloneFault::Failed("its commits cannot be listed".to_owned()))?;
    Ok(said.lines().map(str::to_owned).collect())
}

/// These commits, as these arguments have them written; none where there are none.
async fn strand(
    folder: &Path,
    (name, args): (Option<&str>, &[&str]),
    revisions: &[String],
    confinement: &Confinement,
) -> Result<Option<Strand>, CloneFault> {
    let plain =
        ["--binary", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"].iter();
    let revisions: Vec<&str> = revisions.iter().map(String::as_str).collect();
    let args: Vec<&str> = args.iter().chain(plain).chain(&revisions).chain(&["--"]).copied().collect();
    let mut ask = command(folder, &args, &[], confinement).with_timeout(Some(CLONING));
    ask.keep = Keep { head: LARGEST, tail: 0 };
    let finished = run(&ask, CancellationToken::new(), &|_| ()).await.map_err(CloneFault::Unrun)?;
    if finished.status != EndStatus::Exited(0) {
        return Err(CloneFault::Failed("its commits cannot be read".to_owned()));
    }
    let whole = finished.output.dropped() == 0;
    let (head, tail) = finished.output.into_parts();
    let text = [head, tail].concat();
    let count = match whole {
        true => text.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"From ") && line.len() > 45).count(),
        false => {
            let args = [&["rev-list"], &revisions[..]].concat().into_iter().map(str::to_owned).collect::<Vec<_>>();
            listed(folder, &args, confinement).await?.len()
        }
    };
    let name = name.map(str::to_owned);
    Ok((count > 0).then_some(Strand { name, count, text: whole.then_some(text) }))
}

/// Writes what is different between the folders `a` and `b` of a place of ours into a file, as a patch from the one to the
/// other.
pub async fn patch_between(place: &Path, into: &Path) -> Result<(), CloneFault> {
    let args = ["diff", "--no-index", "--no-prefix", "--binary", "--no-ext-diff", "--no-textconv", "--no-color"];
    let mut diff = command(place, &args, &[], &Confinement::None).with_timeout(Some(CLONING));
    let mut out = OsString::from("--output=");
    out.push(into);
    // Nothing above it is its repository.
    diff.environment = diff.environment.clone().with("GIT_CEILING_DIRECTORIES", place.as_os_str().to_owned());
    diff.args.extend([out, OsString::from("a"), OsString::from("b")]);
    let finished = run(&diff, CancellationToken::new(), &|_| ()).await.map_err(CloneFault::Unrun)?;
    match finished.status {
        EndStatus::Exited(0 | 1) => Ok(()),
        EndStatus::TimedOut => Err(CloneFault::Late),
        _ => Err(CloneFault::Failed("what is different cannot be told".to_owned())),
    }
}
