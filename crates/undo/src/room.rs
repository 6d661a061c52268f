//! How much room the states of files take, and giving back what no session needs.

use crate::alive::forget_others;
use reasonix_session::{SessionError, Sessions};
use reasonix_workspace::snapshot::{Collected, SnapshotError, collect};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How often a session collects by itself.
const EVERY: Duration = Duration::from_secs(24 * 3600);

/// Why nothing was collected.
#[derive(Debug, thiserror::Error)]
pub enum RoomError {
    /// A running session relies on what is kept.
    #[error("a session is running")]
    InUse,
    /// The sessions could not be read.
    #[error(transparent)]
    Sessions(#[from] SessionError),
    /// The states could not be read or removed.
    #[error(transparent)]
    Snapshots(#[from] SnapshotError),
}

/// What is kept, for how many sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// The sessions that have states.
    pub sessions: usize,
    /// What stays, and what goes or would go.
    pub collected: Collected,
}

/// Removes the states that no session names, and those of the sessions longest unused beyond `most` bytes.
/// With `dry` it only counts.
pub fn make_room(home: &Path, most: u64, dry: bool) -> Result<Room, RoomError> {
    let state = home.join("state");
    let mut sessions = 0;
    let wanted = || -> Result<Vec<Vec<String>>, RoomError> {
        let states = Sessions::at(&state).states()?;
        if !dry {
            forget_others(home, &states.iter().map(|states| states.session.to_string()).collect::<Vec<_>>());
        }
        let wanted: Vec<_> = states.into_iter().map(|states| states.names).filter(|names| !names.is_empty()).collect();
        sessions = wanted.len();
        Ok(wanted)
    };
    let collected = collect(&state.join("undo"), most, dry, wanted)?.ok_or(RoomError::InUse)?;
    Ok(Room { sessions, collected })
}

/// Collects when that was not done for a day. Nobody waits for it, and that it could not be done loses nothing.
pub(crate) fn tend(home: &Path, most: u64) {
    let stamp = home.join("state").join("undo").join("collected");
    let age = stamp.metadata().and_then(|found| found.modified()).ok();
    let fresh = age.is_some_and(|then| SystemTime::now().duration_since(then).is_ok_and(|age| age < EVERY));
    if !fresh && stamp.parent().is_some_and(Path::exists) && make_room(home, most, false).is_ok() {
        let _ = std::fs::write(&stamp, "");
    }
}
