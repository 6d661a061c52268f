//! How much of the past is kept: sessions, the outputs they name, and the ledger, each by age and by size. What goes first
//! is what was not used for longest. Nothing that a process is writing is touched.

use crate::ledger::Ledger;
use crate::list;
use crate::outputs::{DIGITS, logs_of, names_with_nested};
use crate::part::Part;
use crate::sessions::Sessions;
use crate::specs::forget_unnamed;
use reasonix_proto::SessionId;
use reasonix_store::{BlobKey, Blobs, taken_by};
use std::collections::HashMap;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What was made so short ago may belong to a record that is not written yet.
const YOUNG: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// What a terminal went on with is forgotten after so long.
const TERMINAL: Duration = Duration::from_secs(90 * 24 * 3600);

/// The bounds; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Days after which a session goes that nobody went on with.
    pub session_days: u64,
    /// Bytes of all sessions together.
    pub sessions: u64,
    /// Days after which the outputs of such a session go.
    pub output_days: u64,
    /// Bytes of all outputs together.
    pub outputs: u64,
    /// Bytes of the ledger.
    pub usage: u64,
}

/// What is kept, and what went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retained {
    /// Sessions, with what lies beside them, and their planners'.
    pub sessions: Part,
    /// Outputs and pictures.
    pub outputs: Part,
    /// The ledger's files.
    pub usage: Part,
    /// The room that everything in the state folder takes, in bytes.
    pub all: u64,
}

/// Removes what is beyond the bounds. With `dry` it only counts.
pub fn retain(state: &Path, bounds: &Retention, dry: bool) -> io::Result<Retained> {
    let sessions = Sessions::at(state);
    let mut retained = Retained { sessions: thin_out(&sessions, bounds, dry)?, ..Retained::default() };
    if !dry {
        forget_strays(state);
        let [planners, children] = sessions.kin();
        forget_kin(&planners, &sessions.planners_of_none()?);
        forget_kin(&children, &sessions.children_of_none()?);
        for sessions in [&sessions, &planners, &children] {
            forget_unnamed(sessions.folder(), YOUNG)?;
        }
    }
    retained.outputs = thin_outputs(state, bounds, dry)?;
    retained.usage = Ledger::at(state).bound(bounds.usage, dry)?;
    retained.all = room_of(state);
    Ok(retained)
}

/// Removes sessions that worked for others which are gone; one that is in use stays.
fn forget_kin(kin: &Sessions, gone: &[SessionId]) {
    for session in gone {
        let young = kin.folder().join(format!("{session}.jsonl"));
        if young.metadata().is_ok_and(|found| age_of(&found) > YOUNG) {
            let _ = kin.remove_alone(session);
        }
    }
}

fn thin_out(sessions: &Sessions, bounds: &Retention, dry: bool) -> io::Result<Part> {
    let mut part = Part::default();
    let mut room: HashMap<String, u64> = HashMap::new();
    let [planners, children] = sessions.kin();
    for folder in [sessions.folder(), planners.folder(), children.folder()] {
        for (path, found) in files_in(folder) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let id = name.split('.').next().unwrap_or_default();
            *room.entry(id.to_owned()).or_default() += taken_by(&found);
        }
    }
    let mut bytes = 0_u64;
    for file in list::files(sessions.folder())? {
        let size = room.remove(file.id.as_str()).unwrap_or_default();
        bytes = bytes.saturating_add(size);
        let old = bounds.session_days > 0 && since(file.modified) > DAY * days(bounds.session_days);
        let much = bounds.sessions > 0 && bytes > bounds.sessions && part.kept > 0;
        let goes = (old || much) && (dry || sessions.remove_alone(&file.id).is_ok());
        part.add(size, goes);
    }
    // Planners, subagents and what lies beside no session.
    part.bytes += room.into_values().sum::<u64>();
    Ok(part)
}

fn thin_outputs(state: &Path, bounds: &Retention, dry: bool) -> io::Result<Part> {
    let blobs = Blobs::at(&state.join("blobs"));
    let all = blobs.all()?;
    let mut by_name: HashMap<String, (BlobKey, u64, Duration)> =
        all.into_iter().map(|found| (found.0.to_string().chars().take(DIGITS).collect(), found)).collect();
    let (mut part, mut bytes) = (Part::default(), 0_u64);
    let mut settle = |(key, size, age): (BlobKey, u64, Duration), old: bool| -> io::Result<()> {
        bytes = bytes.saturating_add(size);
        let goes = age > YOUNG && (old || (bounds.outputs > 0 && bytes > bounds.outputs));
        if goes {
            bytes -= size;
        }
        part.add(size, goes);
        if goes && !dry { blobs.remove(&key) } else { Ok(()) }
    };
    for file in logs_of(state)? {
        let old = bounds.output_days > 0 && since(file.modified) > DAY * days(bounds.output_days);
        for name in names_with_nested(&blobs, &file.path)? {
            if let Some(found) = by_name.remove(&name) {
                settle(found, old)?;
            }
        }
    }
    // Nobody names these.
    for found in by_name.into_values() {
        settle(found, true)?;
    }
    for (path, size) in blobs.forgotten()? {
        part.add(size, true);
        if !dry {
            let _ = std::fs::remove_file(path);
        }
    }
    Ok(part)
}

/// Removes what dead processes left of files, and what terminals are gone that went on with a session.
fn forget_strays(state: &Path) {
    for folder in
        [state.to_owned(), state.join("sessions"), state.join("planners/sessions"), state.join("children/sessions")]
    {
        for (path, found) in files_in(&folder) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.starts_with('.') && name.ends_with(".tmp") && age_of(&found) > DAY {
                let _ = std::fs::remove_file(path);
            }
        }
    }
    for (path, found) in files_in(&state.join("terminals")) {
        if age_of(&found) > TERMINAL {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The regular files in a folder.
fn files_in(folder: &Path) -> Vec<(PathBuf, Metadata)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let found = entries.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)));
    found.filter(|(_, found)| found.is_file()).collect()
}

/// The room that a folder takes with all that is in it; links are not followed.
fn room_of(folder: &Path) -> u64 {
    let (mut bytes, mut waiting) = (0_u64, vec![folder.to_owned()]);
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else { continue };
            bytes = bytes.saturating_add(taken_by(&found));
            if found.is_dir() {
                waiting.push(entry.path());
            }
        }
    }
    bytes
}

fn age_of(found: &Metadata) -> Duration {
    found.modified().ok().and_then(|then| SystemTime::now().duration_since(then).ok()).unwrap_or_default()
}

/// How long ago a moment was, in nanoseconds since the Unix epoch.
fn since(nanos: u64) -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH + Duration::from_nanos(nanos)).unwrap_or_default()
}

fn days(days: u64) -> u32 {
    u32::try_from(days).unwrap_or(u32::MAX).min(100_000)
}
