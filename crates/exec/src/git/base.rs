//! What a fresh clone begins with, and what of it is told afterwards.

use super::{CLONING, CloneFault, command, ended_well, output};
use crate::{Confinement, EndStatus, run};
use std::ffi::OsString;
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// Who commits where nobody says who they are.
const NOBODY: (&str, &str) = ("Reasonix", "reasonix@localhost");

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

/// The commits of a clone since one of its own, as `git am` reads them, and how many; none where there are none, or too much
/// of them. It runs what it runs in the box that the clone was written from.
pub async fn commits_since(folder: &Path, commit: &str, confinement: &Confinement) -> Option<(Vec<u8>, usize)> {
    if !matches!(confinement, Confinement::Boxed(_) | Confinement::Held(_)) {
        return None;
    }
    let range = format!("{commit}..HEAD");
    let args =
        ["format-patch", "--stdout", "--binary", "--no-ext-diff", "--no-textconv", "--no-signature", &range, "--"];
    let ask = command(folder, &args, &[], confinement).with_timeout(Some(CLONING));
    let finished = run(&ask, CancellationToken::new(), &|_| ()).await.ok()?;
    if finished.status != EndStatus::Exited(0) || finished.output.dropped() > 0 {
        return None;
    }
    let (head, tail) = finished.output.into_parts();
    let text = [head, tail].concat();
    let count = text.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"From ") && line.len() > 45).count();
    (count > 0).then_some((text, count))
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
