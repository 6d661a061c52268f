//! The usage ledger: one line a request and one a run of a subagent, across all sessions and processes. It grows until it
//! is as large as it may be; it has figures and names in it, never a word of a conversation. What is missing can be read out of the sessions again, and what a deleted session
//! spent stays.

use crate::header::header;
use crate::line;
use crate::part::Part;
use crate::runs::{ChildRuns, RunEntry};
use crate::sealed;
use crate::sessions::Sessions;
use reasonix_proto::{BUILD_AGENT, Cost, Origin, Price, Record, RecordBody, RecordId, SessionHead, SessionId, Usage};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

/// The name of the file in the state folder.
const NAME: &str = "usage.jsonl";
/// What that file is called when it has made way for a new one.
const OLDER: &str = "usage.old.jsonl";

/// What one request took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When it was answered, in milliseconds since the Unix epoch.
    pub at: u64,
    /// The session.
    pub session: SessionId,
    /// The record of the answer; with the session it names the request.
    pub record: RecordId,
    /// The working folder.
    pub folder: String,
    /// The model as `provider/model`.
    pub model: String,
    /// What the provider counted.
    pub usage: Usage,
    /// What it cost at the prices of its time, where they were known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// `subagent` for a request of one; none for a session's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The agent that the subagent works as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What the subagent is called, such as `0-Search`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child: Option<String>,
    /// The session that it works for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
}

/// What a request of a subagent is called.
const SUBAGENT: &str = "subagent";

/// Who a subagent is.
#[derive(Debug, Clone, PartialEq)]
pub struct Subagent {
    agent: String,
    child: String,
    parent: SessionId,
}

impl Subagent {
    /// The one whose session begins like this; none for a session of its own.
    pub fn of(head: &SessionHead) -> Option<Self> {
        let Some(Origin::Task { session, child }) = &head.from else { return None };
        let agent = head.agent.as_deref().unwrap_or(BUILD_AGENT).to_owned();
        Some(Self { agent, child: child.clone(), parent: session.clone() })
    }
}

impl Entry {
    /// The entry of a record that a request answered with; none for other records, and where nothing was counted.
    pub fn of(
        record: &Record,
        session: &SessionId,
        folder: &str,
        price: impl Fn(&str) -> Option<Price>,
    ) -> Option<Self> {
        let (model, usage) = match &record.body {
            RecordBody::Assistant { model, usage: Some(usage), .. } => (model.clone(), *usage),
            RecordBody::Compacted(folded) => (folded.by.to_string(), folded.usage?),
            RecordBody::Left(left) => (left.by.to_string(), left.usage?),
            _ => return None,
        };
        let (folder, cost) = (folder.to_owned(), price(&model).map(|price| price.money(usage)));
        let (session, record, at) = (session.clone(), record.id, record.at);
        let (kind, agent, child, parent) = (None, None, None, None);
        Some(Self { at, session, record, folder, model, usage, cost, kind, agent, child, parent })
    }

    /// The same as a request of this subagent.
    #[must_use]
    pub fn by(self, who: &Subagent) -> Self {
        let Subagent { agent, child, parent } = who.clone();
        Self { kind: Some(SUBAGENT.to_owned()), agent: Some(agent), child: Some(child), parent: Some(parent), ..self }
    }
}

/// A line of the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum LedgerLine {
    Request(Box<Entry>),
    Run(Box<RunEntry>),
}

/// The ledger of a state folder.
#[derive(Debug, Clone)]
pub struct Ledger {
    path: PathBuf,
}

/// What was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Books {
    /// Every request once, in the order of the file.
    pub entries: Vec<Entry>,
    /// What each subagent did from a beginning to an end.
    pub runs: Vec<RunEntry>,
    /// Lines that cannot be read.
    pub damaged: u64,
}

impl Ledger {
    /// The ledger of this state folder; touches nothing.
    pub fn at(state: &Path) -> Self {
        Self { path: state.join(NAME) }
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one request.
    pub fn append(&self, entry: &Entry) -> io::Result<()> {
        sealed::append(&self.path, std::slice::from_ref(entry))
    }

    /// Appends what a subagent did.
    pub fn append_run(&self, run: &RunEntry) -> io::Result<()> {
        sealed::append(&self.path, std::slice::from_ref(run))
    }

    /// Reads everything; nothing when there is no file.
    pub fn read(&self) -> io::Result<Books> {
        let (mut books, mut seen, mut ran) = (Books::default(), HashSet::new(), HashSet::new());
        for path in [self.older(), self.path.clone()] {
            books.damaged += sealed::read(&path, |line: LedgerLine| match line {
                LedgerLine::Request(entry) if seen.insert((entry.session.clone(), entry.record)) => {
                    books.entries.push(*entry);
                }
                LedgerLine::Run(run) if ran.insert(run.key()) => books.runs.push(*run),
                LedgerLine::Request(_) | LedgerLine::Run(_) => {}
            })?;
        }
        Ok(books)
    }

    fn older(&self) -> PathBuf {
        self.path.with_file_name(OLDER)
    }

    /// Keeps the ledger within so many bytes, 0 for any number: when it takes half of them, it makes way for a new file,
    /// and the one before that goes. Whoever is just writing finds their line in either. With `dry` it only counts.
    pub fn bound(&self, most: u64, dry: bool) -> io::Result<Part> {
        let size =
            |path: &Path| path.symlink_metadata().ok().filter(std::fs::Metadata::is_file).map(|found| found.len());
        let (now, then) = (size(&self.path), size(&self.older()));
        let mut part = Part::default();
        for size in [now, then].into_iter().flatten() {
            part.kept += 1;
            part.bytes += size;
        }
        if most > 0 && now.is_some_and(|now| now > most / 2) {
            if let Some(then) = then {
                part = Part { kept: part.kept - 1, bytes: part.bytes - then, removed: 1, freed: then };
            }
            if !dry {
                std::fs::rename(&self.path, self.older())?;
            }
        }
        Ok(part)
    }

    /// Appends what the sessions, their planners and their subagents have and the ledger has not; gives how many lines that were. Copies
    /// in forks and what was imported were not spent there, and are left out.
    pub fn catch_up(&self, sessions: &Sessions, price: impl Fn(&str) -> Option<Price>) -> io::Result<usize> {
        let books = self.read()?;
        let known: HashSet<_> = books.entries.into_iter().map(|entry| (entry.session, entry.record)).collect();
        let ran: HashSet<_> = books.runs.iter().map(RunEntry::key).collect();
        let mut missing = Vec::new();
        let [planners, children] = sessions.kin();
        for sessions in [sessions, &planners, &children] {
            for session in crate::list::ids(sessions.folder())? {
                let path = sessions.folder().join(format!("{session}.jsonl"));
                // Gone since the folder was read.
                let Ok(file) = reasonix_store::open_regular(&path) else { continue };
                let found = spent_in(&session, file, &price)?;
                missing.extend(found.into_iter().filter(|line| match line {
                    LedgerLine::Request(entry) => !known.contains(&(entry.session.clone(), entry.record)),
                    LedgerLine::Run(run) => !ran.contains(&run.key()),
                }));
            }
        }
        missing.sort_by(|a, b| a.place().cmp(&b.place()));
        if !missing.is_empty() {
            sealed::append(&self.path, &missing)?;
        }
        Ok(missing.len())
    }
}

impl LedgerLine {
    /// Where it stands among others.
    fn place(&self) -> (u64, &SessionId, RecordId) {
        match self {
            Self::Request(entry) => (entry.at, &entry.session, entry.record),
            Self::Run(run) => (run.at, &run.session, RecordId(u64::MAX)),
        }
    }
}

/// What a session spent, on all its branches, and what its subagents did.
fn spent_in(session: &SessionId, file: File, price: &impl Fn(&str) -> Option<Price>) -> io::Result<Vec<LedgerLine>> {
    let mut found = Vec::new();
    let (mut folder, mut copied, mut foreign) = (String::new(), 0, false);
    let (mut who, mut runs) = (None, ChildRuns::new(session.clone()));
    sealed::each_line(&mut BufReader::with_capacity(256 * 1024, file), |line| {
        let kinds: [&[u8]; 6] = [
            b"\"kind\":\"session\"",
            b"\"kind\":\"assistant\"",
            b"\"kind\":\"compacted\"",
            b"\"kind\":\"left\"",
            b"\"kind\":\"resumed\"",
            b"\"kind\":\"child\"",
        ];
        // Most bytes are in other lines.
        let head = line.get(..200).unwrap_or(line);
        if !kinds.iter().any(|kind| head.windows(kind.len()).any(|part| part == *kind)) || header(line).is_none() {
            return;
        }
        let Some(record) = line::is_sound(line).then(|| line::parse(line)).flatten() else { return };
        match &record.body {
            RecordBody::Session(head) => {
                folder.clone_from(&head.cwd);
                copied = match head.from {
                    Some(Origin::Fork { record, .. }) => record.0,
                    _ => 0,
                };
                foreign = matches!(head.from, Some(Origin::Import { .. }));
                who = Subagent::of(head);
            }
            RecordBody::Resumed { .. } => foreign = false,
            _ if foreign || record.id.0 <= copied => {}
            RecordBody::Child(_) => {
                found.extend(runs.saw(&record, &folder).map(|run| LedgerLine::Run(Box::new(run))));
            }
            _ => {
                let entry = Entry::of(&record, session, &folder, price);
                let entry = entry.map(|entry| if let Some(who) = &who { entry.by(who) } else { entry });
                found.extend(entry.map(|entry| LedgerLine::Request(Box::new(entry))));
            }
        }
    })?;
    Ok(found)
}
