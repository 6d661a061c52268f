//! The renames that make a commit, each with a way back.

use crate::stage::{Slot, Temp, rename_new};
use crate::{FileError, read};
use rustix::fs::{AtFlags, unlinkat};
use rustix::io::Errno;

/// What is done once everything is staged.
#[derive(Debug)]
pub(crate) enum Act {
    /// Puts a new file where nothing stands.
    Create(Slot, Temp),
    /// Puts a new content in place of the one with this hash.
    Replace(Slot, Temp, blake3::Hash),
    /// Removes the file with this hash, or a link.
    Remove(Slot, Option<blake3::Hash>),
    /// Renames a file or a link as it is.
    Rename { from: Slot, to: Slot, hash: Option<blake3::Hash> },
}

/// How to take back what was done.
#[derive(Debug)]
enum Undo {
    Unlink(Slot),
    Restore(Slot, Temp),
    Rename { from: Slot, to: Slot },
}

/// Does it all, or takes back what was done.
pub(crate) fn perform(acts: Vec<Act>) -> Result<(), FileError> {
    let mut done = Vec::new();
    let mut acts = acts.into_iter().peekable();
    while let Some(act) = acts.next() {
        let result = if acts.peek().is_some() { act.run() } else { act.run_last().map(|()| None) };
        match result {
            Ok(undo) => done.extend(undo),
            Err(error) => {
                done.into_iter().rev().for_each(Undo::run);
                return Err(error);
            }
        }
    }
    Ok(())
}

impl Act {
    /// Does it so that it can be taken back.
    fn run(self) -> Result<Option<Undo>, FileError> {
        match self {
            Self::Create(slot, temp) => {
                temp.publish_new(&slot).map_err(|errno| lost_race(&slot, errno))?;
                Ok(Some(Undo::Unlink(slot)))
            }
            Self::Replace(slot, temp, hash) => {
                verify(&slot, Some(hash))?;
                let old = temp.swap(&slot).map_err(|errno| FileError::from_errno(&slot.given, errno))?;
                Ok(Some(Undo::Restore(slot, old)))
            }
            Self::Remove(slot, hash) => {
                verify(&slot, hash)?;
                let old = Temp::take(&slot).map_err(|errno| FileError::from_errno(&slot.given, errno))?;
                Ok(Some(Undo::Restore(slot, old)))
            }
            Self::Rename { from, to, hash } => {
                verify(&from, hash)?;
                rename_new(&from.dir, &from.name, &to.dir, &to.name).map_err(|errno| lost_race(&to, errno))?;
                Ok(Some(Undo::Rename { from, to }))
            }
        }
    }

    /// Does it for good, in one rename: after the last act nothing can fail any more.
    fn run_last(self) -> Result<(), FileError> {
        match self {
            Self::Replace(slot, temp, hash) => {
                verify(&slot, Some(hash))?;
                temp.replace(&slot).map_err(|errno| FileError::from_errno(&slot.given, errno))
            }
            Self::Remove(slot, hash) => {
                verify(&slot, hash)?;
                unlinkat(&slot.dir, &slot.name, AtFlags::empty())
                    .map_err(|errno| FileError::from_errno(&slot.given, errno))
            }
            other => other.run().map(drop),
        }
    }
}

impl Undo {
    /// Takes it back. There is nobody to tell when that fails too; the temporary file then stays for a person to find.
    fn run(self) {
        let _ = match self {
            Self::Unlink(slot) => unlinkat(&slot.dir, &slot.name, AtFlags::empty()),
            Self::Restore(slot, old) => old.restore(&slot),
            Self::Rename { from, to } => rename_new(&to.dir, &to.name, &from.dir, &from.name),
        };
    }
}

/// Refuses when the content at `slot` is not the expected one, right before it would be lost.
fn verify(slot: &Slot, expect: Option<blake3::Hash>) -> Result<(), FileError> {
    let Some(expect) = expect else { return Ok(()) };
    let changed = || FileError::ChangedSinceRead { path: slot.given.clone() };
    let file = read::at(slot).map_err(|_| changed())?;
    if read::hash(file, &slot.given)? != expect {
        return Err(changed());
    }
    Ok(())
}

/// Something appeared where nothing was a moment ago.
fn lost_race(slot: &Slot, errno: Errno) -> FileError {
    match errno {
        Errno::EXIST => FileError::ChangedSinceRead { path: slot.given.clone() },
        other => FileError::from_errno(&slot.given, other),
    }
}
