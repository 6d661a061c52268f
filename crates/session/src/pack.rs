//! A session as one file, to go on with it elsewhere: the lines of its active branch, and behind them what they name and what is
//! kept beside the log. Whoever goes on with it sends what was sent. What was allowed stays behind, and so does whatever means
//! something only where it was written.

use crate::error::SessionError;
use crate::line;
use crate::lines::next_line;
use crate::outputs::{DIGITS, each_name, forget_outputs};
use crate::sessions::Sessions;
use crate::specs;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reasonix_proto::{Origin, RECORD_VERSION, Record, RecordBody, SessionHead, SessionId};
use reasonix_store::{BlobKey, Blobs};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::Path;

/// A whole output or a picture is never larger.
const LARGEST: u64 = 64 * 1024 * 1024;
/// Of outputs and pictures a file carries no more bytes than this; those that are left out are told as gone.
const MOST: usize = 256 * 1024 * 1024;

/// A line that carries what a log names.
#[derive(Serialize, Deserialize)]
struct Load {
    carried: Carried,
    base64: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Carried {
    /// The exact specs of tools.
    Specs,
    /// A whole output, or a picture.
    Artifact,
}

/// A session that came out of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FromFile {
    /// What it is called here.
    pub session: SessionId,
    /// How many records it has.
    pub records: usize,
    /// Lines that could not be used.
    pub skipped: usize,
    /// True when the last line has no end, so that the file is not whole.
    pub cut: bool,
    /// True when the checksum of the first record is wrong. It is used all the same: without it there is no session.
    pub spoilt_head: bool,
}

/// True for a line that carries what a log names, and is no record.
pub(crate) fn is_load(line: &str) -> bool {
    line.starts_with("{\"carried\":")
}

impl Sessions {
    /// A session as one file. Nothing in it is masked: it is the log.
    pub fn pack(&self, wanted: &str) -> Result<Vec<u8>, SessionError> {
        let seen = self.look(wanted)?;
        let failed = || SessionError::io(self.folder());
        let leaf = seen.past.leaf().unwrap_or(seen.head.id);
        let mut bytes = Vec::new();
        seen.past.copy_lines(&seen.past.path_to(leaf).unwrap_or_default(), &mut bytes).map_err(failed())?;
        let specs: BTreeSet<String> = bytes.split(|byte| *byte == b'\n').filter_map(specs::named_in).collect();
        let mut outputs = BTreeSet::new();
        each_name(&mut bytes.as_slice(), |name| {
            outputs.insert(name);
        })
        .map_err(failed())?;
        let beside = specs::specs_beside(self.folder());
        for name in specs {
            let kept = BlobKey::from_hex(&name).and_then(|key| beside.get(&key, specs::LARGEST).ok());
            load(&mut bytes, Carried::Specs, kept);
        }
        let blobs = self.outputs();
        let mut room = MOST;
        for name in outputs {
            let kept = blobs.find(&name).ok().and_then(|key| blobs.get(&key, LARGEST).ok());
            let kept = kept.filter(|kept| kept.len() <= room);
            room -= kept.as_ref().map_or(0, Vec::len);
            load(&mut bytes, Carried::Artifact, kept);
        }
        Ok(bytes)
    }

    /// Makes a session of this folder out of such a file. Lines that say the same here stay as they are, byte for byte; one
    /// whose checksum is wrong is not used. None when it does not begin like a session.
    pub fn unpack(&self, bytes: &[u8], cwd: &Path, name: &str) -> Result<Option<FromFile>, SessionError> {
        let mut brought = HashSet::new();
        let made = self.unpacked(bytes, (cwd, name), &mut brought);
        if made.is_err() {
            // Specs that nobody names go by themselves.
            let _ = forget_outputs(self.folder().parent().unwrap_or(self.folder()), brought);
        }
        made
    }

    fn unpacked(
        &self,
        bytes: &[u8],
        (cwd, name): (&Path, &str),
        brought: &mut HashSet<String>,
    ) -> Result<Option<FromFile>, SessionError> {
        let failed = || SessionError::io(self.folder());
        let (mut rest, mut text) = (bytes, Vec::new());
        let mut log = Vec::new();
        let session = SessionId::fresh();
        let mut found = FromFile { session: session.clone(), records: 0, skipped: 0, cut: false, spoilt_head: false };
        while let Some(read) = next_line(&mut rest, &mut text).map_err(failed())? {
            found.cut = !read.ended;
            let text = text.trim_ascii_end();
            let (sound, first) = (line::is_sound(text), found.records == 0);
            let record = (sound || first).then(|| line::parse(text)).flatten();
            let known = match (found.records, record) {
                (0, Some(record)) if line::is_head(&record) => {
                    found.spoilt_head = !sound;
                    Some(encoded(&begins_here(record, &session, cwd, name)?).map_err(failed())?)
                }
                (0, _) => return Ok(None),
                (_, Some(record)) if line::is_head(&record) => None,
                (_, Some(record)) => came_along(record, text).map_err(failed())?,
                (_, None) if self.take_in(text, brought).map_err(failed())? => continue,
                (_, None) => None,
            };
            match known {
                Some(line) => {
                    log.extend(line);
                    found.records += 1;
                }
                None => found.skipped += usize::from(!text.is_empty()),
            }
        }
        if found.records == 0 {
            return Ok(None);
        }
        self.write(&session, &log)?;
        Ok(Some(found))
    }

    /// Keeps what a line carries. It is found by its content, whatever the line says of it; what was not here before is `brought`.
    /// False when it carries nothing.
    fn take_in(&self, line: &[u8], brought: &mut HashSet<String>) -> io::Result<bool> {
        let Ok(load) = serde_json::from_slice::<Load>(line) else { return Ok(false) };
        let Ok(bytes) = STANDARD.decode(load.base64) else { return Ok(false) };
        match load.carried {
            Carried::Specs if !specs::are_specs(&bytes) => return Ok(false),
            Carried::Specs => specs::keep(self.folder(), Some(&bytes))?,
            Carried::Artifact => {
                let (blobs, key) = (self.outputs(), BlobKey::of(&bytes));
                let name = key.to_string().chars().take(DIGITS).collect();
                if !blobs.contains(&key) {
                    brought.insert(name);
                }
                blobs.keep(key, &bytes)?;
            }
        }
        Ok(true)
    }

    fn outputs(&self) -> Blobs {
        Blobs::at(&self.folder().parent().unwrap_or(self.folder()).join("blobs"))
    }
}

/// Writes down what is carried; what is not there any more is left out.
fn load(bytes: &mut Vec<u8>, carried: Carried, kept: Option<Vec<u8>>) {
    let load = kept.map(|kept| Load { carried, base64: STANDARD.encode(kept) });
    if let Some(Ok(line)) = load.map(|load| serde_json::to_vec(&load)) {
        bytes.extend(line);
        bytes.push(b'\n');
    }
}

/// The first record as that of a session here: what is sent of it stays as it is.
fn begins_here(record: Record, session: &SessionId, cwd: &Path, name: &str) -> Result<Record, SessionError> {
    let RecordBody::Session(head) = record.body else { return Ok(record) };
    if head.v > RECORD_VERSION {
        return Err(SessionError::TooNew { session: head.session, found: head.v.into(), known: RECORD_VERSION });
    }
    let from = Some(Origin::Import { program: "reasonix".to_owned(), name: name.to_owned() });
    let cwd = cwd.display().to_string();
    let head = SessionHead { session: session.clone(), cwd, sandbox: "off".to_owned(), from, ..head };
    Ok(Record { body: RecordBody::Session(head), parent: None, ..record })
}

fn encoded(record: &Record) -> io::Result<Vec<u8>> {
    Ok(line::encode(record)?)
}

/// The line of a record as it comes along.
fn came_along(record: Record, text: &[u8]) -> io::Result<Option<Vec<u8>>> {
    // What this version does not know in a record that it knows is for one that does.
    let (body, same) = without_consent(record.body);
    if same {
        return Ok(line::kept(text));
    }
    encoded(&Record { body, ..record }).map(Some)
}

/// What of a record comes along, and whether that is all of it. Its place does in any case, so that those behind it stand behind it.
fn without_consent(body: RecordBody) -> (RecordBody, bool) {
    match body {
        // What was said and done, and how the conversation went on from it.
        RecordBody::Prompt { .. }
        | RecordBody::Note { .. }
        | RecordBody::Assistant { .. }
        | RecordBody::Outcome { .. }
        | RecordBody::Shell { .. }
        | RecordBody::ShellEnded { .. }
        | RecordBody::TurnEnded { .. }
        | RecordBody::Compacted(_)
        | RecordBody::Rewound(_)
        | RecordBody::RulesFired(_)
        | RecordBody::Left(_)
        | RecordBody::Moved { .. }
        | RecordBody::ToolsJoined { .. }
        | RecordBody::AgentChanged { .. }
        | RecordBody::ModelChanged { .. }
        | RecordBody::ModeChanged { .. }
        | RecordBody::Planned(_)
        | RecordBody::Escalated(_)
        | RecordBody::TodoChanged { .. }
        | RecordBody::Requested(_)
        | RecordBody::Repaired { .. }
        | RecordBody::Claimed(_)
        | RecordBody::Titled { .. }
        | RecordBody::Labelled { .. } => (body, true),
        // The model is what it went on with. That it was taken up again elsewhere is no work of this machine.
        RecordBody::Resumed { model, .. } => (RecordBody::ModelChanged { model, effort: None }, false),
        // Approvals, a goal that would go on by itself, states of files and work that are not here, and what nobody here knows.
        _ => (RecordBody::Unknown, false),
    }
}
