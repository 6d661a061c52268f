//! What a session has in its log, to be read while it is being written: records by their place, the tree, the active
//! branch. Holds the shape in memory and reads contents from the file. Blocking.

use crate::earlier::EarlierMessages;
use crate::error::SessionError;
use crate::fold::{Fold, History};
use crate::header::{Kind, header};
use crate::line;
use crate::log::Place;
use crate::marks::Marks;
use crate::shape::{Node, Shape};
use reasonix_agent::ToolSpec;
use reasonix_proto::{BUILD_AGENT, Message, Record, RecordBody, RecordId, Requested, SessionHead};
use reasonix_store::BlobError;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A session's past. Clones see the same session.
#[derive(Debug, Clone)]
pub struct Past(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    shape: Shape,
    marks: Marks,
    lines: Lines,
}

/// Where the lines are.
#[derive(Debug)]
enum Lines {
    /// In the file of this place; `held` while there is none yet.
    File { place: Place, held: Vec<u8> },
    /// Nowhere but here.
    Memory(Arc<Vec<Record>>),
}

/// A page of the active branch.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The place of the first record given, from 0.
    pub from: u64,
    /// How many records the branch has.
    pub total: u64,
    /// The records.
    pub records: Vec<Record>,
}

impl Past {
    /// The past of a file with this shape.
    pub(crate) fn of_file(place: Place, shape: Shape, marks: Marks) -> Self {
        Self::with(shape, marks, Lines::File { place, held: Vec::new() })
    }

    /// A past that is kept in memory only.
    pub(crate) fn in_memory() -> Self {
        Self::with(Shape::default(), Marks::default(), Lines::Memory(Arc::default()))
    }

    fn with(shape: Shape, marks: Marks, lines: Lines) -> Self {
        Self(Arc::new(Mutex::new(Inner { shape, marks, lines })))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a record that was written as this line at this offset.
    pub(crate) fn push(&self, record: &Record, line: &[u8], offset: u64, on_disk: bool) {
        let mut inner = self.lock();
        let Some(header) = header(line) else { return };
        inner.shape.push(header, offset, line.len().saturating_sub(1));
        inner.marks.apply(record);
        match &mut inner.lines {
            Lines::Memory(records) => Arc::make_mut(records).push(record.clone()),
            Lines::File { held, .. } if on_disk => *held = Vec::new(),
            Lines::File { held, .. } => held.extend_from_slice(line),
        }
    }

    /// The specs of the session's tools as they were sent first, which its head names; none where it has names alone.
    pub fn specs(&self, head: &SessionHead) -> Result<Option<Vec<ToolSpec>>, BlobError> {
        let folder = match &self.lock().lines {
            Lines::File { place, .. } => place.folder.clone(),
            Lines::Memory(_) => return Ok(None),
        };
        crate::specs::read(&folder, head)
    }

    /// Why specs cannot be read that a record names, the head or one further down: each once.
    pub fn lost_specs(&self) -> io::Result<Vec<BlobError>> {
        let folder = match &self.lock().lines {
            Lines::File { place, .. } => place.folder.clone(),
            Lines::Memory(_) => return Ok(Vec::new()),
        };
        let mut named = std::collections::BTreeSet::new();
        self.each_of(None, |record| match &record.body {
            RecordBody::Session(head) => named.extend(head.specs.clone()),
            RecordBody::ToolsJoined { specs, .. } | RecordBody::AgentChanged { specs, .. } => {
                named.extend(specs.clone());
            }
            _ => {}
        })?;
        Ok(named.iter().filter_map(|named| crate::specs::read_named(&folder, named).err()).collect())
    }

    /// Keeps the specs of tools that joined late, and gives the name under which a record can have them; none for a session
    /// that leaves nothing on disk.
    pub fn keep_specs(&self, tools: &[ToolSpec]) -> io::Result<Option<String>> {
        let folder = match &self.lock().lines {
            Lines::File { place, .. } => place.folder.clone(),
            Lines::Memory(_) => return Ok(None),
        };
        crate::specs::keep_for(&folder, tools)
    }

    /// Title, labels and sums of the whole session.
    pub fn marks(&self) -> Marks {
        self.lock().marks.clone()
    }

    /// The record after which the next one comes.
    pub fn leaf(&self) -> Option<RecordId> {
        let inner = self.lock();
        inner.shape.leaf().and_then(|leaf| inner.shape.node(leaf)).map(|node| RecordId(node.id))
    }

    /// The number of the last turn on any branch.
    pub fn turns(&self) -> u32 {
        self.lock().shape.highest().2
    }

    /// A record by its id.
    pub fn record(&self, id: RecordId) -> Option<Record> {
        let (reader, node) = {
            let inner = self.lock();
            let place = inner.shape.place(id)?;
            (inner.reader().ok()?, Found::new(place, inner.shape.node(place)?))
        };
        reader.read(&node)
    }

    /// The record that comes before this one.
    pub fn parent(&self, id: RecordId) -> Option<RecordId> {
        let inner = self.lock();
        let parent = inner.shape.node(inner.shape.place(id)?)?.parent()?;
        inner.shape.node(parent).map(|node| RecordId(node.id))
    }

    /// The prompt or command that began a turn of the active branch; the last turn when none is named.
    pub fn beginning(&self, turn: Option<u32>) -> Option<Record> {
        let id = {
            let inner = self.lock();
            let turns = inner.shape.active(&[Kind::Prompt, Kind::Shell]);
            let nodes = turns.iter().filter_map(|place| inner.shape.node(*place));
            let node = match turn {
                Some(turn) => nodes.rev().find(|node| node.turn == turn),
                None => nodes.rev().find(|node| node.kind == Kind::Prompt),
            };
            RecordId(node?.id)
        };
        self.record(id)
    }

    /// Records of the active branch: `count` from place `from` on, or the last ones.
    pub fn page(&self, from: Option<u64>, count: u64) -> io::Result<Page> {
        let (reader, found, from, total) = {
            let inner = self.lock();
            let path = inner.shape.leaf().map(|leaf| inner.shape.path(leaf)).unwrap_or_default();
            let total = path.len();
            let count = usize::try_from(count).unwrap_or(usize::MAX).min(total);
            let from = from.map_or(total - count, |from| usize::try_from(from).unwrap_or(total).min(total));
            let nodes = path.iter().skip(from).take(count);
            let found: Vec<_> = nodes.filter_map(|place| Some(Found::new(*place, inner.shape.node(*place)?))).collect();
            (inner.reader()?, found, from, total)
        };
        let records = found.iter().filter_map(|node| reader.read(node)).collect();
        Ok(Page { from: from as u64, total: total as u64, records })
    }

    /// Every record on every branch, in the order they were written.
    pub fn all(&self) -> io::Result<Vec<Record>> {
        let mut records = Vec::new();
        self.each_of(None, |record| records.push(record))?;
        Ok(records)
    }

    /// The records about states of files, on every branch, in the order they were written. Nothing else is read.
    pub fn of_files(&self) -> io::Result<Vec<Record>> {
        let places = {
            let inner = self.lock();
            let of_files = |node: &Node| matches!(node.kind, Kind::Snapshot | Kind::Restoring | Kind::Restored);
            let nodes = inner.shape.nodes().iter().enumerate();
            nodes.filter(|(_, node)| of_files(node)).map(|(place, _)| place).collect()
        };
        let mut records = Vec::new();
        self.each_of(Some(places), |record| records.push(record))?;
        Ok(records)
    }

    /// Gives every record on every branch, one after the other, in the order they were written.
    pub fn each(&self, give: impl FnMut(Record)) -> io::Result<()> {
        self.each_of(None, give)
    }

    /// The conversation of the active branch.
    pub fn history(&self) -> io::Result<History> {
        let leaf = self.leaf();
        match leaf {
            Some(leaf) => Ok(self.history_at(leaf)?.unwrap_or_default()),
            None => Ok(History::default()),
        }
    }

    /// The conversation of the branch that leads to a record; none when there is no such record.
    pub fn history_at(&self, id: RecordId) -> io::Result<Option<History>> {
        let path = {
            let inner = self.lock();
            inner.shape.place(id).map(|place| inner.shape.path(place))
        };
        let Some(path) = path else { return Ok(None) };
        let mut fold = Fold::sparing();
        self.each_of(Some(path), |record| {
            fold.apply(record);
            drop(fold.let_go());
        })?;
        Ok(Some(self.told_by(fold, Some(id))))
    }

    /// What has to be written where a session moves to another place of its tree, so that its tools, its words and its agent
    /// stay those that it sends: they may have come on the branch that is left, and whoever resumes does not read that.
    pub fn head_lacking(&self, there: &History) -> io::Result<Vec<RecordBody>> {
        let History { head: Some(now), agent, .. } = self.history()? else { return Ok(Vec::new()) };
        let Some(head) = &there.head else { return Ok(Vec::new()) };
        let named = |name: &str| if name.is_empty() { BUILD_AGENT.to_owned() } else { name.to_owned() };
        let (agent, other) = (named(&agent), named(&agent) != named(&there.agent));
        let joined = head.specs != now.specs || (head.tools != now.tools && !other);
        let tools = (head.tools != now.tools && !joined).then(|| now.tools.clone());
        let system = (head.system != now.system).then_some(now.system);
        let changed = other || system.is_some() || tools.is_some();
        let joined = joined.then_some(RecordBody::ToolsJoined { tools: now.tools, specs: now.specs });
        let changed = changed.then_some(RecordBody::AgentChanged { agent, system, tools, specs: None });
        Ok(joined.into_iter().chain(changed).collect())
    }

    /// Gives every record of the active branch, one after the other.
    pub fn each_active(&self, give: impl FnMut(Record)) -> io::Result<()> {
        let path = {
            let inner = self.lock();
            inner.shape.leaf().map(|leaf| inner.shape.path(leaf)).unwrap_or_default()
        };
        self.each_of(Some(path), give)
    }

    /// Gives every record of the active branch as the object that it is on disk, also what this version does not know.
    pub fn each_active_line(&self, mut give: impl FnMut(&[u8])) -> io::Result<()> {
        let (reader, found) = {
            let inner = self.lock();
            let path = inner.shape.leaf().map(|leaf| inner.shape.path(leaf)).unwrap_or_default();
            let found = path.iter().filter_map(|place| Some(Found::new(*place, inner.shape.node(*place)?)));
            (inner.reader()?, found.collect::<Vec<_>>())
        };
        let mut text = Vec::new();
        for node in &found {
            text.clear();
            reader.line(node, &mut text)?;
            give(&line::unsealed(&text));
        }
        Ok(())
    }

    /// The same up to a record, whatever branch it is on.
    pub(crate) fn path_to(&self, id: RecordId) -> Option<Vec<RecordId>> {
        let inner = self.lock();
        let path = inner.shape.path(inner.shape.place(id)?);
        Some(path.iter().filter_map(|place| inner.shape.node(*place)).map(|node| RecordId(node.id)).collect())
    }

    /// The first prompt of what is left when the conversation goes on after another record; none when nothing that was
    /// answered is left.
    pub fn left_by(&self, to: RecordId) -> Option<Record> {
        let id = {
            let inner = self.lock();
            let stays: HashSet<usize> = inner.shape.path(inner.shape.place(to)?).into_iter().collect();
            let active = inner.shape.active(&[Kind::Prompt, Kind::Assistant]);
            let left: Vec<&Node> = active
                .iter()
                .filter(|place| !stays.contains(place))
                .filter_map(|place| inner.shape.node(*place))
                .collect();
            let answered = left.iter().any(|node| node.kind == Kind::Assistant);
            let first = left.iter().find(|node| node.kind == Kind::Prompt).filter(|_| answered)?;
            RecordId(first.id)
        };
        self.record(id)
    }

    /// Appends the lines of these records as they are on disk.
    pub(crate) fn copy_lines(&self, ids: &[RecordId], out: &mut Vec<u8>) -> io::Result<()> {
        let (reader, found) = {
            let inner = self.lock();
            let places = ids.iter().filter_map(|id| inner.shape.place(*id));
            let found: Vec<_> = places.filter_map(|place| Some(Found::new(place, inner.shape.node(place)?))).collect();
            (inner.reader()?, found)
        };
        for node in &found {
            reader.line(node, out)?;
        }
        Ok(())
    }

    /// The conversation that was folded up to a record; what the fold let go of is left here.
    pub(crate) fn told_by(&self, fold: Fold, to: Option<RecordId>) -> History {
        let gone = fold.gone();
        let mut history = fold.finish();
        // Where the way to here was gone before anything was asked on it, what was asked last stands on a branch that was left.
        if history.requested.is_none() && history.broke.is_some() {
            history.requested = self.asked_last(to);
        }
        history.earlier = to.filter(|_| gone.0 > 0).map(|to| {
            let past = self.clone();
            EarlierMessages::new(to, gone, move |give| past.let_go_before(to, gone, give))
        });
        history
    }

    /// The last request that was written before a record, on whatever branch.
    fn asked_last(&self, to: Option<RecordId>) -> Option<Requested> {
        let (reader, found) = {
            let inner = self.lock();
            let before = inner.shape.nodes().get(..inner.shape.place(to?)?)?;
            let asked = before.iter().enumerate().filter(|(_, node)| node.kind == Kind::Requested);
            (inner.reader().ok()?, asked.map(|(place, node)| Found::new(place, node)).collect::<Vec<_>>())
        };
        found.iter().rev().filter_map(|node| reader.read(node)).find_map(|record| match record.body {
            // What was asked beside the conversation is not gone on with.
            RecordBody::Requested(requested) if requested.step > 0 => Some(*requested),
            _ => None,
        })
    }

    /// Gives what a fold up to a record let go of, so many messages with so many tokens: it is folded once more.
    fn let_go_before(&self, to: RecordId, wanted: (usize, u64), give: &mut dyn FnMut(Message)) -> io::Result<()> {
        let gone = || io::Error::new(ErrorKind::InvalidData, "the log is not what it was when it was opened");
        let (path, from) = {
            let inner = self.lock();
            let path = inner.shape.place(to).map(|place| inner.shape.path(place)).ok_or_else(gone)?;
            let folds = |place: &usize| inner.shape.node(*place).is_some_and(|node| node.kind == Kind::Compacted);
            // What was said before the last folding is no part of the conversation.
            let from = path.iter().rposition(folds);
            (path, from)
        };
        let (mut fold, mut place) = (Fold::sparing(), 0);
        self.each_of(Some(path), |record| {
            fold.apply(record);
            let past = from.is_none_or(|from| place > from);
            place += 1;
            fold.let_go().filter(|_| past).for_each(&mut *give);
        })?;
        // What is lost was filled in; then it is not as many, or not as much.
        if fold.gone() == wanted { Ok(()) } else { Err(gone()) }
    }

    fn each_of(&self, places: Option<Vec<usize>>, mut give: impl FnMut(Record)) -> io::Result<()> {
        let (reader, found) = {
            let inner = self.lock();
            let places = places.unwrap_or_else(|| (0..inner.shape.nodes().len()).collect());
            let found: Vec<_> =
                places.iter().filter_map(|place| Some(Found::new(*place, inner.shape.node(*place)?))).collect();
            (inner.reader()?, found)
        };
        found.iter().filter_map(|node| reader.read(node)).for_each(&mut give);
        Ok(())
    }

    /// The records of these kinds around one, in the order they were written: `span` before it, as many after it.
    pub(crate) fn near(&self, id: RecordId, kinds: &[Kind], span: usize) -> Vec<RecordId> {
        let inner = self.lock();
        let Some(here) = inner.shape.place(id) else { return Vec::new() };
        let wanted = |node: &&Node| kinds.contains(&node.kind);
        let (before, after) = inner.shape.nodes().split_at(here.min(inner.shape.nodes().len()));
        let mut near: Vec<&Node> = before.iter().rev().filter(wanted).take(span).collect();
        near.reverse();
        near.extend(after.iter().filter(wanted).take(span + 1));
        near.into_iter().map(|node| RecordId(node.id)).collect()
    }

    /// Works on the shape, for views of the tree.
    pub(crate) fn with_shape<T>(&self, look: impl FnOnce(&Shape, &Marks) -> T) -> T {
        let inner = self.lock();
        look(&inner.shape, &inner.marks)
    }
}

impl Inner {
    /// Something to read lines with, without holding the lock.
    fn reader(&self) -> io::Result<Reader> {
        match &self.lines {
            Lines::Memory(records) => Ok(Reader::Memory(Arc::clone(records))),
            Lines::File { held, .. } if !held.is_empty() => Ok(Reader::Held(held.clone())),
            Lines::File { place, .. } => match place.open_log() {
                Ok(file) => Ok(Reader::File(file)),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(Reader::Held(Vec::new())),
                Err(error) => Err(error),
            },
        }
    }
}

/// A record that is to be read.
struct Found {
    place: usize,
    offset: u64,
    length: usize,
}

impl Found {
    fn new(place: usize, node: &Node) -> Self {
        Self { place, offset: node.offset, length: node.length as usize }
    }
}

enum Reader {
    Memory(Arc<Vec<Record>>),
    Held(Vec<u8>),
    File(File),
}

impl Reader {
    /// The record; none when its line is no longer what it was.
    fn read(&self, found: &Found) -> Option<Record> {
        match self {
            Self::Memory(records) => records.get(found.place).cloned(),
            _ => {
                let mut bytes = Vec::with_capacity(found.length + 1);
                self.line(found, &mut bytes).ok()?;
                line::parse(&bytes)
            }
        }
    }

    /// Appends the line with its newline.
    fn line(&self, found: &Found, out: &mut Vec<u8>) -> io::Result<()> {
        let gone = || io::Error::from(ErrorKind::UnexpectedEof);
        match self {
            Self::Memory(records) => {
                let record = records.get(found.place).ok_or_else(gone)?;
                out.extend_from_slice(&line::encode(record)?);
            }
            Self::Held(bytes) => {
                let start = usize::try_from(found.offset).unwrap_or(usize::MAX);
                let end = start.saturating_add(found.length);
                out.extend_from_slice(bytes.get(start..end).ok_or_else(gone)?);
                out.push(b'\n');
            }
            Self::File(file) => {
                let start = out.len();
                out.resize(start + found.length, 0);
                file.read_exact_at(out.get_mut(start..).ok_or_else(gone)?, found.offset)?;
                out.push(b'\n');
            }
        }
        Ok(())
    }
}

/// The text that a prompt's record gives back for editing.
pub fn typed(body: &RecordBody) -> Option<String> {
    match body {
        RecordBody::Prompt { text, typed, .. } | RecordBody::Note { text, typed, by_user: true, .. } => {
            Some(typed.clone().unwrap_or_else(|| text.clone()))
        }
        RecordBody::Shell { command, keep, .. } => Some(format!("{}{command}", if *keep { "!" } else { "!!" })),
        _ => None,
    }
}

impl From<SessionError> for io::Error {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Io { source, .. } => source,
            other => Self::other(other.to_string()),
        }
    }
}

impl Past {
    /// How many records there are, and how many of the artifacts they name are gone.
    pub fn count_artifacts(&self, artifacts: &dyn reasonix_agent::Artifacts) -> io::Result<(usize, usize)> {
        let (mut records, mut lost) = (0, 0);
        self.each_of(None, |record| {
            records += 1;
            if let RecordBody::Outcome { outcome: reasonix_proto::ToolOutcome::Done { details, .. }, .. } = &record.body
                && let Some(artifact) = &details.artifact
            {
                lost += usize::from(artifacts.get(&artifact.uri).is_err());
            }
        })?;
        Ok((records, lost))
    }
}
