//! The exact specs of a session's tools, kept by content beside the logs and named in their heads: whoever goes on with a
//! session sends the bytes that it began with, whatever the running build or a server says of its tools by then. They are no
//! outputs: the bounds of those do not touch them, and they are there as long as a log names them.

use crate::header::{Kind, header};
use crate::lines::next_line;
use crate::list;
use reasonix_agent::{ToolSpec, ToolTraits};
use reasonix_proto::SessionHead;
use reasonix_store::{BlobError, BlobKey, Blobs};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashSet;
use std::io::{self, BufReader};
use std::path::Path;
use std::time::Duration;

/// So many records are looked at for specs, unless the first prompt comes before.
const BEFORE_THE_FIRST_PROMPT: usize = 64;

/// A session's specs are never larger.
pub(crate) const LARGEST: u64 = 16 * 1024 * 1024;

/// What a new session begins with: its head, and the specs that the head names.
#[derive(Debug, Clone)]
pub struct Beginning {
    /// The head.
    head: SessionHead,
    /// The specs as they are kept.
    specs: Option<Vec<u8>>,
}

impl Beginning {
    /// A session that offers these tools, in this order.
    pub fn new(head: SessionHead, tools: &[ToolSpec]) -> Self {
        let names = tools.iter().map(|spec| spec.name.clone()).collect();
        let specs = written(tools);
        let named = specs.as_ref().map(|bytes| BlobKey::of(bytes).to_string());
        Self { head: SessionHead { tools: names, specs: named, ..head }, specs }
    }

    /// The head.
    pub fn head(&self) -> &SessionHead {
        &self.head
    }

    /// The same session, with its head changed; the tools stay as they are.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut SessionHead)) -> Self {
        let named = (self.head.tools.clone(), self.head.specs.clone());
        change(&mut self.head);
        (self.head.tools, self.head.specs) = named;
        self
    }

    /// The head of a session that keeps nothing on disk, and so names nothing that would have to be there.
    pub fn unkept(self) -> SessionHead {
        SessionHead { specs: None, ..self.head }
    }

    /// The head, and what has to be on disk before it.
    pub(crate) fn into_parts(self) -> (SessionHead, Option<Vec<u8>>) {
        (self.head, self.specs)
    }
}

/// A session whose tools are known by name alone.
impl From<SessionHead> for Beginning {
    fn from(head: SessionHead) -> Self {
        Self { head, specs: None }
    }
}

/// A spec on disk.
#[derive(Serialize, Deserialize)]
struct KeptSpec {
    name: String,
    description: String,
    parameters: Value,
    /// Read for itself, so that a trait that only a later version knows does not cost the spec.
    #[serde(default, skip_serializing_if = "is_nothing")]
    traits: Value,
}

impl KeptSpec {
    fn of(spec: &ToolSpec) -> Self {
        let traits = serde_json::to_value(spec.traits).unwrap_or_default();
        let ToolSpec { name, description, parameters, .. } = spec.clone();
        Self { name, description, parameters, traits }
    }

    fn read(self) -> ToolSpec {
        let traits: ToolTraits = serde_json::from_value(self.traits).unwrap_or_default();
        ToolSpec::new(self.name, self.description, self.parameters).with(traits)
    }
}

fn is_nothing(traits: &Value) -> bool {
    traits.as_object().is_none_or(serde_json::Map::is_empty)
}

fn written(tools: &[ToolSpec]) -> Option<Vec<u8>> {
    serde_json::to_vec(&tools.iter().map(KeptSpec::of).collect::<Vec<_>>()).ok()
}

/// Where the specs of the sessions in this folder are.
pub(crate) fn specs_beside(folder: &Path) -> Blobs {
    Blobs::at(&folder.parent().unwrap_or(folder).join("specs"))
}

/// Keeps specs for the sessions in this folder. They have to be there before a head that names them is.
pub(crate) fn keep(folder: &Path, specs: Option<&[u8]>) -> io::Result<()> {
    specs.map_or(Ok(()), |bytes| specs_beside(folder).put(bytes).map(drop))
}

/// Keeps specs, and gives the name that a record has for them.
pub(crate) fn keep_for(folder: &Path, tools: &[ToolSpec]) -> io::Result<Option<String>> {
    let Some(bytes) = written(tools) else { return Ok(None) };
    keep(folder, Some(&bytes))?;
    Ok(Some(BlobKey::of(&bytes).to_string()))
}

/// The specs that a head names; none where it has names of tools alone.
pub(crate) fn read(folder: &Path, head: &SessionHead) -> Result<Option<Vec<ToolSpec>>, BlobError> {
    head.specs.as_ref().map(|named| read_named(folder, named)).transpose()
}

/// The specs of a name.
pub(crate) fn read_named(folder: &Path, named: &str) -> Result<Vec<ToolSpec>, BlobError> {
    let key = BlobKey::from_hex(named).ok_or(BlobError::Missing)?;
    let bytes = specs_beside(folder).get(&key, LARGEST)?;
    let kept: Vec<KeptSpec> = serde_json::from_slice(&bytes).map_err(|_| BlobError::Damaged)?;
    Ok(kept.into_iter().map(KeptSpec::read).collect())
}

/// Whether these bytes are specs as they are kept.
pub(crate) fn are_specs(bytes: &[u8]) -> bool {
    bytes.len() as u64 <= LARGEST && serde_json::from_slice::<Vec<KeptSpec>>(bytes).is_ok()
}

/// Removes the specs that no log in this folder names, unless they are so young that their log may not be there yet.
pub(crate) fn forget_unnamed(folder: &Path, young: Duration) -> io::Result<()> {
    let kept = specs_beside(folder);
    let old = kept.all()?.into_iter().filter(|(_, _, age)| *age > young);
    let old: Vec<BlobKey> = old.map(|(key, ..)| key).collect();
    if !old.is_empty() {
        let named = named_by_logs(folder, Reads::Beginnings)?;
        let mut unnamed: Vec<BlobKey> = old.into_iter().filter(|key| !named.contains(&key.to_string())).collect();
        // Most logs name them at their beginning; where an agent went on, that stands further down.
        if !unnamed.is_empty() {
            let named = named_by_logs(folder, Reads::Whole)?;
            unnamed.retain(|key| !named.contains(&key.to_string()));
        }
        unnamed.iter().try_for_each(|key| kept.remove(key))?;
    }
    kept.forgotten()?.into_iter().try_for_each(|(path, _)| std::fs::remove_file(path))
}

/// How much of a log is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// Up to the first prompt: tools that come late join before it.
    Beginnings,
    /// All of it.
    Whole,
}

fn named_by_logs(folder: &Path, reads: Reads) -> io::Result<HashSet<String>> {
    let mut named = HashSet::new();
    for file in list::files(folder)? {
        let log = match reasonix_store::open_regular(&file.path) {
            // Gone since the folder was read.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened?,
        };
        let (mut log, mut line, mut lines) = (BufReader::new(log), Vec::new(), 0);
        loop {
            line.clear();
            next_line(&mut log, &mut line)?;
            lines += 1;
            let kind = header(&line).map(|header| header.kind);
            // What was said and what came of it is most of a log, and names none.
            if matches!(kind, None | Some(Kind::Session | Kind::Other)) {
                named.extend(named_in(&line));
            }
            let begun = lines == BEFORE_THE_FIRST_PROMPT || matches!(kind, Some(Kind::Prompt | Kind::Shell));
            if line.is_empty() || (begun && reads == Reads::Beginnings) {
                break;
            }
        }
    }
    Ok(named)
}

/// The specs that a line names. Looked for in its bytes, so that a line that is damaged, or of a newer version, names
/// them all the same; inside of a text the quotation marks would be escaped.
pub(crate) fn named_in(line: &[u8]) -> Option<String> {
    const MARK: &[u8] = b"\"specs\":\"";
    let place = line.windows(MARK.len()).position(|part| part == MARK)? + MARK.len();
    let digits = std::str::from_utf8(line.get(place..place + 64)?).ok()?;
    BlobKey::from_hex(digits).map(|key| key.to_string())
}
