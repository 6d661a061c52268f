//! Reading files that anybody may have put there: regular files only, at most a known size, never waiting, and no link that
//! leads out.

use crate::flaw::{ExtensionFlaw, FlawKind};
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What is read of a file to learn what it is.
const HEAD: u64 = 4 * 1024;
/// Front matter that does not end within this is none.
const LONGEST_HEAD: u64 = 16 * 1024;
/// The most that a file may have.
pub(crate) const LARGEST: u64 = 256 * 1024;

/// The text at the beginning of a file; as much as its front matter takes.
pub(crate) fn head(path: &Path, within: &Path) -> Result<String, FlawKind> {
    let file = open(path, within)?;
    let (text, more) = start(&file, HEAD)?;
    let opened = text.trim_start_matches('\u{feff}').starts_with("---");
    if more && opened && crate::front::split(&text).is_err() {
        return Ok(start(&open(path, within)?, LONGEST_HEAD)?.0);
    }
    Ok(text)
}

/// The whole text of a file.
pub(crate) fn whole(path: &Path, within: &Path) -> Result<String, FlawKind> {
    let (text, more) = start(&open(path, within)?, LARGEST)?;
    if more { Err(FlawKind::TooLarge(LARGEST)) } else { Ok(text) }
}

/// The text of a file of the user's that need not be there.
pub fn small_file(path: &Path, within: &Path) -> Option<Result<String, ExtensionFlaw>> {
    path.symlink_metadata().ok()?;
    Some(whole(path, within).map_err(|kind| kind.at(path)))
}

/// The first bytes of a file as text, and whether there are more.
fn start(file: &File, most: u64) -> Result<(String, bool), FlawKind> {
    let mut bytes = Vec::with_capacity(usize::try_from(most.min(HEAD)).unwrap_or_default() + 1);
    file.take(most + 1).read_to_end(&mut bytes).map_err(|error| FlawKind::Unreadable(error.to_string()))?;
    let more = bytes.len() as u64 > most;
    bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    if bytes.contains(&0) {
        return Err(FlawKind::Binary);
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok((text, more)),
        Err(error) => {
            // Where it was cut, the last character may be half of one.
            let (good, wrong) = (error.utf8_error().valid_up_to(), error.utf8_error().error_len());
            let mut bytes = error.into_bytes();
            if !more || wrong.is_some() {
                return Err(FlawKind::Binary);
            }
            bytes.truncate(good);
            String::from_utf8(bytes).map(|text| (text, more)).map_err(|_| FlawKind::Binary)
        }
    }
}

/// Opens a regular file. It is looked at before the opening, since opening a device can act, and after it, since it may have
/// been exchanged; without waiting, since a pipe would.
fn open(path: &Path, within: &Path) -> Result<File, FlawKind> {
    let fail = |error: std::io::Error| FlawKind::Unreadable(error.to_string());
    let regular = |meta: std::fs::Metadata| match meta.is_file() {
        true => Ok(()),
        false => Err(FlawKind::Unreadable("not a regular file".to_owned())),
    };
    let meta = path.symlink_metadata().map_err(fail)?;
    let real = if meta.is_symlink() { inside(path, within)? } else { path.to_owned() };
    regular(if meta.is_symlink() { real.metadata().map_err(fail)? } else { meta })?;
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(&real);
    let file = opened.map_err(fail)?;
    regular(file.metadata().map_err(fail)?)?;
    Ok(file)
}

/// Where a link leads, as long as that is inside.
pub(crate) fn inside(link: &Path, within: &Path) -> Result<PathBuf, FlawKind> {
    let real = link.canonicalize().map_err(|error| FlawKind::Unreadable(error.to_string()))?;
    let within = within.canonicalize().map_err(|error| FlawKind::Unreadable(error.to_string()))?;
    if real.starts_with(&within) { Ok(real) } else { Err(FlawKind::LeadsOut) }
}
