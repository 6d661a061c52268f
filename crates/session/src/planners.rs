//! The sessions of planners and of subagents: they lie in folders of their own, and belong to the sessions whose logs name
//! them.

use crate::header::{Kind, header};
use crate::line;
use crate::lines::next_line;
use crate::sessions::Sessions;
use reasonix_proto::{RecordBody, SessionId};
use std::collections::BTreeSet;
use std::io::{self, BufReader, ErrorKind};
use std::path::Path;

/// The planners and subagents that a log names on any branch; lines that cannot be read name none.
pub(crate) fn named_in(log: &Path) -> io::Result<BTreeSet<SessionId>> {
    let mut found = BTreeSet::new();
    let file = match reasonix_store::open_regular(log) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
        file => file?,
    };
    let mut reader = BufReader::with_capacity(256 * 1024, file);
    let mut text = Vec::new();
    while next_line(&mut reader, &mut text)?.is_some() {
        let names_one = header(&text).is_some_and(|header| matches!(header.kind, Kind::Planner | Kind::Child));
        match names_one.then(|| line::parse(&text)).flatten().map(|found| found.body) {
            Some(RecordBody::Planner(turn)) => drop(found.insert(turn.session)),
            Some(RecordBody::Child(run)) => drop(found.insert(run.session)),
            _ => {}
        }
    }
    Ok(found)
}

impl Sessions {
    /// The sessions of the planners of these sessions.
    #[must_use]
    pub fn planners(&self) -> Self {
        Self::at(&self.folder().parent().unwrap_or(self.folder()).join("planners"))
    }

    /// The sessions of the subagents of these sessions.
    #[must_use]
    pub fn children(&self) -> Self {
        Self::at(&self.folder().parent().unwrap_or(self.folder()).join("children"))
    }

    /// Where sessions lie that work for these.
    pub(crate) fn kin(&self) -> [Self; 2] {
        [self.planners(), self.children()]
    }

    /// The subagents that a session's log names, and those that they name, as far as they are there.
    pub fn children_of(&self, session: &SessionId) -> io::Result<Vec<SessionId>> {
        let children = self.children();
        let mut found: Vec<SessionId> = Vec::new();
        let mut logs = vec![self.folder().join(format!("{session}.jsonl"))];
        while let Some(log) = logs.pop() {
            for child in named_in(&log)? {
                if crate::list::is_there(children.folder(), child.as_str()) && !found.contains(&child) {
                    logs.push(children.folder().join(format!("{child}.jsonl")));
                    found.push(child);
                }
            }
        }
        Ok(found)
    }

    /// The subagents that neither a session nor another subagent names.
    pub fn children_of_none(&self) -> io::Result<Vec<SessionId>> {
        let children = self.children();
        let mut left = crate::list::ids(children.folder())?;
        if !left.is_empty() {
            let mut named = self.named_by(|_| true)?;
            named.extend(children.named_by(|_| true)?);
            left.retain(|id| !named.contains(id));
        }
        Ok(left)
    }

    /// The planners that a session's log names, as far as they are there.
    pub fn planners_of(&self, session: &SessionId) -> io::Result<Vec<SessionId>> {
        let named = named_in(&self.folder().join(format!("{session}.jsonl")))?;
        // A log may name anything: only what lies in the planners' folder is one of them.
        let planners = self.planners();
        Ok(named.into_iter().filter(|id| crate::list::is_there(planners.folder(), id.as_str())).collect())
    }

    /// The planners that no session names.
    pub fn planners_of_none(&self) -> io::Result<Vec<SessionId>> {
        let mut left = crate::list::ids(self.planners().folder())?;
        if !left.is_empty() {
            let named = self.named_by(|_| true)?;
            left.retain(|id| !named.contains(id));
        }
        Ok(left)
    }

    /// The planners that the logs of these sessions name.
    pub(crate) fn named_by(&self, wanted: impl Fn(&SessionId) -> bool) -> io::Result<BTreeSet<SessionId>> {
        let mut named = BTreeSet::new();
        for session in crate::list::ids(self.folder())?.into_iter().filter(wanted) {
            named.extend(named_in(&self.folder().join(format!("{session}.jsonl")))?);
        }
        Ok(named)
    }
}
