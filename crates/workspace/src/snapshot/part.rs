//! Parts of a look: what somebody did to files, without what others did in the same time.

use super::known::Changes;
use super::state::State;
use super::tree::{RelPath, TreeEntry, changes_between};
use super::{SnapshotError, Snapshots};
use reasonix_store::BlobKey;
use std::time::{Duration, SystemTime};

/// Something that is different since a state.
#[derive(Debug, Clone, Copy)]
pub struct Changed<'a> {
    /// Where it is.
    pub path: &'a RelPath,
    /// What is there now; none when it is gone.
    pub now: Option<&'a TreeEntry>,
    /// When what is there was last changed in any way, by the clock of its file system.
    pub at: Option<SystemTime>,
}

/// Whose work a change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The work that is asked about.
    Ours,
    /// Somebody else's.
    Theirs,
    /// One of both, or of both.
    Unknown,
}

impl Snapshots {
    /// The state that is like `last`, with those of the changes up to the last look that are ours; what may be of either
    /// is in it as something that is not known. None when all changes are ours.
    pub fn part(&self, last: &str, whose: &dyn Fn(Changed<'_>) -> Whose) -> Result<Option<String>, SnapshotError> {
        let (mut ours, mut all) = (Changes::new(), true);
        for (path, now) in self.since(last)? {
            let whose = whose(self.changed(&path, now.as_ref()));
            all &= whose == Whose::Ours;
            match whose {
                Whose::Ours => drop(ours.insert(path, now)),
                Whose::Unknown => drop(ours.insert(path, Some(TreeEntry::Uncovered))),
                Whose::Theirs => {}
            }
        }
        if all {
            return Ok(None);
        }
        if ours.is_empty() {
            return Ok(Some(last.to_owned()));
        }
        let bytes = State::on(&self.blobs, last, ours)?.encode();
        let key = bytes.and_then(|bytes| self.blobs.put(&bytes)).map_err(SnapshotError::io(&self.root))?;
        Ok(Some(key.to_string()))
    }

    /// The files that are different between a state and the last look and that are not somebody else's, without those that git
    /// ignores.
    pub fn touched(&self, last: &str, whose: &dyn Fn(Changed<'_>) -> Whose) -> Result<Vec<RelPath>, SnapshotError> {
        let ours = |(path, now): &(RelPath, Option<TreeEntry>)| {
            let tracked = self.known.as_ref().and_then(|known| known.find(path));
            let ignored = tracked.is_some_and(|tracked| tracked.ignored);
            let folder = matches!(now, Some(TreeEntry::Folder { .. }));
            !ignored && !folder && whose(self.changed(path, now.as_ref())) != Whose::Theirs
        };
        Ok(self.since(last)?.into_iter().filter(ours).map(|(path, _)| path).collect())
    }

    fn changed<'a>(&self, path: &'a RelPath, now: Option<&'a TreeEntry>) -> Changed<'a> {
        let at = self.known.as_ref().and_then(|known| known.find(path)).map(|tracked| tracked.stamp.changed);
        let at = at.filter(|at| *at > 0);
        let at = at.and_then(|at| SystemTime::UNIX_EPOCH.checked_add(Duration::from_nanos(at.unsigned_abs())));
        Changed { path, now, at }
    }

    /// What is different between a state and the last look.
    fn since(&self, last: &str) -> Result<Changes, SnapshotError> {
        let Some(now) = self.known.as_ref().and_then(|known| known.state) else { return Ok(Changes::new()) };
        match &self.recent {
            _ if BlobKey::from_hex(last) == Some(now) => Ok(Changes::new()),
            Some((base, changes)) if BlobKey::from_hex(last) == Some(*base) => Ok(changes.clone()),
            _ => {
                let (last, mut now) = (self.read(last)?, self.read(&now.to_string())?);
                Ok(changes_between(&last, &now).into_iter().map(|path| (path.clone(), now.remove(&path))).collect())
            }
        }
    }
}
