//! Which states of files the sessions still name, for the collection of what none of them does.

use crate::lines::next_line;
use reasonix_proto::SessionId;
use std::io::{self, BufReader};
use std::path::Path;

/// The states that one session names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct States {
    /// The session.
    pub session: SessionId,
    /// When it was last written to, in seconds since the Unix epoch.
    pub active: u64,
    /// The states' names.
    pub names: Vec<String>,
}

/// The states of all sessions in this folder, the one written to last first. Lines that cannot be read name nothing.
pub(crate) fn states(folder: &Path) -> io::Result<Vec<States>> {
    let mut found = Vec::new();
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".jsonl")) else { continue };
        // What is no file of ours, such as a link, names nothing.
        let Some(meta) = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file) else { continue };
        let active = meta.modified()?.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs();
        found.push(States { session: SessionId::from(name), active, names: named_in(&path)? });
    }
    found.sort_by(|a, b| (b.active, &b.session).cmp(&(a.active, &a.session)));
    Ok(found)
}

fn named_in(path: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    let mut reader = BufReader::new(reasonix_store::open_regular(path)?);
    let mut line = Vec::new();
    while next_line(&mut reader, &mut line)?.is_some() {
        // Most lines are long and say nothing about files.
        let kinds: [&[u8]; 2] = [b"\"kind\":\"snapshot\"", b"\"kind\":\"restor"];
        let head = line.get(..200).unwrap_or(&line);
        if kinds.iter().any(|kind| head.windows(kind.len()).any(|part| part == *kind))
            && let Ok(record) = serde_json::from_slice::<serde_json::Value>(&line)
        {
            let named = ["state", "before", "after", "to"].into_iter().filter_map(|key| record.get(key)?.as_str());
            names.extend(named.map(str::to_owned));
        }
    }
    Ok(names)
}
