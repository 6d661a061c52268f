//! Claims about files: the log says that they were written, moved or deleted.

use super::Proof;
use crate::deeds::{Deed, Deeds, What};
use crate::files;
use crate::pattern::patterns;
use crate::said::Said;
use crate::why::Why;
use crate::writes::{Written, is_text};
use reasonix_proto::ClaimStatus;

patterns! {
    RESTORES = r"\bgit (?:-C \S+ )?(?:restore (?:[^-]|--worktree|-W|--source)|checkout (?:\S+ )?(?:-- |\.|[^-\s]*/)|stash(?: push)?(?:\s*$|\s*[;&])|stash -|reset --hard|revert)";
}

/// A file: the log says that it was written, or that it is gone or moved, and nothing else since.
pub(super) fn filed(deeds: &Deeds, said: &Said) -> Proof {
    let path = said.paths.first().map(String::as_str).unwrap_or_default();
    let not_written = || Proof::unsupported(Why::NotWritten { path: path.to_owned() });
    let named = |deed: &&Deed| said.may_be_proved_by(deed.call.as_ref());
    if said.deed == files::Deed::Moved {
        let to = said.paths.get(1);
        let fits = |(from, at): &(String, String)| match to {
            Some(to) => same(from, path) && same(at, to),
            None => from != at && (same(from, path) || same(at, path)),
        };
        let moved = deeds.done.iter().rev().filter(named).find(|deed| match &deed.what {
            What::Wrote(written) => written.moved.iter().any(fits),
            What::Ran(_) => false,
        });
        return moved.map_or_else(not_written, Proof::written);
    }
    let wants_gone = said.deed == files::Deed::Gone;
    let has = |paths: &[String]| paths.iter().any(|other| same(other, path));
    // All that was done to it, and whether it was gone behind that.
    let mut done = Vec::new();
    // What nobody sees may have undone it.
    let undoes = |written: &Written| {
        if wants_gone { has(&written.maybe) && !has(&written.perhaps_gone) } else { has(&written.perhaps_gone) }
    };
    let mut undone = false;
    for deed in &deeds.done {
        if let What::Wrote(written) = &deed.what {
            let before = done.len();
            done.extend(has(&written.gone).then_some((deed, true)));
            let inside = wants_gone && written.paths.iter().any(|other| lies_in(other, path));
            done.extend((inside || has(&written.paths) || has(&written.told)).then_some((deed, false)));
            undone = undoes(written) || (undone && done.len() == before);
        }
    }
    undone |= deeds.behind.writing().any(undoes);
    // What was taken back by its history may be there again.
    let last = done.last().and_then(|(deed, _)| deed.call.clone());
    let behind = deeds.done.iter().skip_while(|deed| deed.call != last || last.is_none());
    let restores = |deed: &Deed| matches!(&deed.what, What::Ran(run) if RESTORES.fits(&run.line));
    undone |= wants_gone && behind.into_iter().any(restores);
    match done.last() {
        Some(_) if wants_gone && undone => not_written(),
        Some((deed, gone)) if *gone == wants_gone && undone => {
            let (status, by) = (ClaimStatus::Stale, Vec::new());
            Proof { status, by, why: Why::GoneAgain }.by(deed.call.as_ref())
        }
        Some((_, gone)) if *gone == wants_gone => {
            let by = done.iter().rev().filter(|(_, gone)| *gone == wants_gone).map(|(deed, _)| *deed).find(named);
            by.map_or_else(not_written, Proof::written)
        }
        Some((deed, _)) if !wants_gone => {
            Proof { status: ClaimStatus::Stale, by: Vec::new(), why: Why::GoneAgain }.by(deed.call.as_ref())
        }
        _ => not_written(),
    }
}

/// True when a file lies in a folder.
fn lies_in(path: &str, folder: &str) -> bool {
    let (path, folder) = (path.trim_start_matches("./").to_ascii_lowercase(), folder.trim_matches(['`', '/']));
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')) || path.contains(&format!("/{folder}/"))
}

/// True when a path in prose is this one, perhaps without its folders.
pub(super) fn same(path: &str, said: &str) -> bool {
    let clean = |text: &str| text.trim_matches(['`', '/']).trim_start_matches("./").to_ascii_lowercase();
    let (path, said) = (clean(path), clean(said));
    // A text may be called without its ending.
    if !said.contains(['.', '/']) && is_text(&path) {
        let name = path.rsplit('/').next().unwrap_or(&path);
        return name.rsplit_once('.').map_or(name, |(stem, _)| stem) == said;
    }
    !said.is_empty() && (path == said || path.ends_with(&format!("/{said}")) || said.ends_with(&format!("/{path}")))
}
