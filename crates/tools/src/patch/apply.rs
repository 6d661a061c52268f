//! Puts hunks into a text. All of them, or none.

use super::place::{Lost, Place, Search, place};
use super::{Hunk, Kind, Line};
use crate::lines::{bare, end_of, listed};
use crate::nearest::nearest;

/// A hunk that has no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reject {
    /// Its number in the file, from 1.
    pub hunk: usize,
    /// Its header.
    pub header: String,
    /// Why, with the nearest text.
    pub why: String,
}

/// The text of a new file.
pub(crate) fn created(hunks: &[Hunk]) -> String {
    let added = hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind != Kind::Remove);
    let mut text = String::new();
    for line in added {
        text.push_str(&line.text);
        text.push_str(if line.cr { "\r\n" } else { "\n" });
        if line.open {
            text.truncate(bare(&text).len());
        }
    }
    text
}

/// Applies hunks to a text; every hunk without a place is reported.
pub(crate) fn apply(text: &str, hunks: &[Hunk]) -> Result<String, Vec<Reject>> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut search = Search::default();
    let mut placed: Vec<(Place, &Hunk)> = Vec::new();
    let mut rejects = Vec::new();
    for (index, hunk) in hunks.iter().enumerate() {
        match place(&lines, hunk, &search) {
            Ok(found) => {
                search.cursor = found.span.end;
                search.taken.push(found.span.clone());
                if let (Some(start), Ok(at)) = (hunk.start, isize::try_from(found.span.start)) {
                    search.drift = at - isize::try_from(start).unwrap_or(at);
                }
                placed.push((found, hunk));
            }
            Err(lost) => {
                rejects.push(Reject { hunk: index + 1, header: hunk.header.clone(), why: explain(text, hunk, &lost) });
            }
        }
    }
    if !rejects.is_empty() {
        return Err(rejects);
    }
    placed.sort_by_key(|(place, _)| place.span.start);
    let mut pieces = Vec::with_capacity(lines.len());
    let mut done = 0;
    for (place, hunk) in placed {
        pieces.extend(lines.get(done..place.span.start).unwrap_or_default().iter().map(|line| (*line).to_owned()));
        weave(&mut pieces, &lines, &place, hunk);
        done = place.span.end;
    }
    pieces.extend(lines.get(done..).unwrap_or_default().iter().map(|line| (*line).to_owned()));
    Ok(joined(pieces))
}

/// Puts one hunk's lines behind what is there; kept lines come from the file, byte by byte.
fn weave(pieces: &mut Vec<String>, lines: &[&str], place: &Place, hunk: &Hunk) {
    let there = lines.get(place.span.clone()).unwrap_or_default();
    let ends = Ends::of(there, hunk, lines, place.span.start);
    let mut at = 0;
    for line in &hunk.lines {
        match line.kind {
            Kind::Keep => pieces.extend(there.get(at).map(|line| (*line).to_owned())),
            Kind::Remove => {}
            Kind::Add => {
                let text = place.indent.as_ref().map_or_else(|| line.text.clone(), |indent| indent.apply(&line.text));
                pieces.push(text + ends.end(line));
            }
        }
        at += usize::from(line.kind != Kind::Add);
    }
    let unmarked = hunk.lines.iter().all(|line| !line.open);
    let was_open = lines.last().is_some_and(|line| end_of(line).is_empty());
    let reaches_end = place.span.end == lines.len() && !lines.is_empty();
    let added_last = hunk.lines.last().is_some_and(|line| line.kind == Kind::Add);
    if unmarked && was_open && reaches_end && added_last {
        pieces.last_mut().into_iter().for_each(|last| last.truncate(bare(last).len()));
    }
}

/// Which line ends new lines get.
struct Ends {
    as_written: bool,
    local: &'static str,
}

impl Ends {
    fn of(there: &[&str], hunk: &Hunk, lines: &[&str], at: usize) -> Self {
        let agrees = |(line, wanted): (&&str, &Line)| end_of(line).is_empty() || line.ends_with("\r\n") == wanted.cr;
        let as_written = match there {
            [] => hunk.lines.iter().any(|line| line.cr),
            there => there.iter().zip(hunk.old()).all(agrees),
        };
        let before = at.checked_sub(1).and_then(|at| lines.get(at));
        let near = there.iter().chain(before).chain(lines.get(at));
        let local = near.map(|line| end_of(line)).find(|end| !end.is_empty()).unwrap_or("\n");
        Self { as_written, local }
    }

    fn end(&self, line: &Line) -> &'static str {
        match (line.open, self.as_written, line.cr) {
            (true, ..) => "",
            (_, true, true) => "\r\n",
            (_, true, false) => "\n",
            _ => self.local,
        }
    }
}

/// Joins lines; one without an end that is no longer the last gets one.
fn joined(pieces: Vec<String>) -> String {
    let mut text = String::with_capacity(pieces.iter().map(|piece| piece.len() + 1).sum());
    let mut end = "\n";
    for piece in pieces {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push_str(end);
        }
        if piece.ends_with('\n') {
            end = end_of(&piece);
        }
        text.push_str(&piece);
    }
    text
}

fn explain(text: &str, hunk: &Hunk, lost: &Lost) -> String {
    if let Lost::Several(lines) = lost {
        return format!("its context fits at lines {}; add lines of context", listed(lines));
    }
    let kept = |skip: Kind| {
        let lines = hunk.lines.iter().filter(|line| line.kind != skip);
        lines.map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
    };
    let (old, new) = (kept(Kind::Add), kept(Kind::Remove));
    let there = |piece: &str| piece.len() > 8 && text.replace("\r\n", "\n").contains(piece);
    if old != new && there(&new) {
        return "it seems to be applied already".to_owned();
    }
    match nearest(text, &old) {
        Some(near) => format!("its context is not in the file; the nearest text is\n{}", near.shown.trim_end()),
        None => "its context is not in the file, nor anything like it".to_owned(),
    }
}
