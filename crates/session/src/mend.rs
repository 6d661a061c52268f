//! A file made whole: damaged lines left out, a lost first line replaced, doubled numbers told apart, records tied to what is there.

use crate::header::{Kind, header};
use crate::line;
use crate::lines::next_line;
use reasonix_proto::{Record, RecordBody, RecordId};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead};

/// The whole lines of a file, and how many were left out. A head is made only where the first line is lost. Lines of
/// kinds that are not known are kept like all others.
pub(crate) fn mended(old: &mut impl BufRead, head: impl FnOnce() -> RecordBody) -> io::Result<(Vec<u8>, usize)> {
    let (mut lines, lost) = whole_lines(old)?;
    let head_of = |line: &Vec<u8>| line::parse(line).is_some_and(|first| line::is_head(&first));
    let headless = !lines.first().is_some_and(head_of);
    if headless && lines.first().and_then(|line| header(line)).is_some_and(|first| first.kind == Kind::Session) {
        // It says nothing that could be read.
        lines.remove(0);
    }
    if headless {
        let at = lines.first().and_then(|line| header(line)).map_or(0, |first| first.at);
        let record = Record { id: RecordId(0), parent: None, at, body: head() };
        lines.insert(0, line::encode(&record).unwrap_or_default());
    }
    let ids: Vec<u64> = lines.iter().filter_map(|line| Some(header(line)?.id)).collect();
    if ids.is_sorted_by(|a, b| a < b) && !headless {
        return Ok((relinked(lines), lost));
    }
    Ok((renumbered(&lines), lost))
}

/// The lines that are whole, each with its newline, and how many are not.
fn whole_lines(old: &mut impl BufRead) -> io::Result<(Vec<Vec<u8>>, usize)> {
    let (mut lines, mut lost): (Vec<Vec<u8>>, usize) = (Vec::new(), 0);
    let (mut text, mut begun) = (Vec::new(), false);
    while let Some(found) = next_line(old, &mut text)? {
        let first = !std::mem::replace(&mut begun, true);
        let line = text.strip_suffix(b"\n").unwrap_or(&text);
        let line = if first { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let head = || line::parse(line).filter(|record| first && line::is_head(record));
        if line::is_sound(line) && header(line).is_some() {
            lines.push([line, b"\n"].concat());
        } else if let Some(line) = head().and_then(|record| line::encode(&record).ok()) {
            lines.push(line);
        } else if !line.is_empty() || found.too_long {
            lost += 1;
        }
    }
    Ok((lines, lost))
}

/// The same lines, each of which follows one that is there: where that is lost, the one before it.
fn relinked(lines: Vec<Vec<u8>>) -> Vec<u8> {
    let (mut ids, mut before) = (HashSet::new(), None);
    let mut bytes = Vec::new();
    for text in lines {
        let Some(header) = header(&text) else { continue };
        let lost = match header.parent {
            Some(parent) => !ids.contains(&parent),
            None => before.is_some(),
        };
        match serde_json::from_slice::<Map<String, Value>>(&text) {
            Ok(mut fields) if lost => {
                fields.remove("crc");
                fields.insert("parent".to_owned(), before.into());
                bytes.extend_from_slice(&line::seal(&Value::Object(fields)).unwrap_or_default());
            }
            _ => bytes.extend_from_slice(&text),
        }
        ids.insert(header.id);
        before = Some(header.id);
    }
    bytes
}

/// The same lines with ids in order, so that two that had the same id are told apart; each follows the one it followed.
fn renumbered(lines: &[Vec<u8>]) -> Vec<u8> {
    let mut new_ids: HashMap<u64, u64> = HashMap::new();
    let mut bytes = Vec::new();
    for (index, text) in lines.iter().enumerate() {
        let (Some(header), Ok(mut fields)) = (header(text), serde_json::from_slice::<Map<String, Value>>(text)) else {
            continue;
        };
        let id = index as u64 + 1;
        let before = (index > 0).then_some(index as u64);
        let parent = header.parent.and_then(|parent| new_ids.get(&parent).copied()).or(before);
        fields.remove("crc");
        fields.insert("id".to_owned(), id.into());
        fields.insert("parent".to_owned(), parent.into());
        for reference in ["to", "record"] {
            if let Some(value) = fields.get_mut(reference)
                && let Some(new) = value.as_u64().and_then(|old| new_ids.get(&old))
            {
                *value = (*new).into();
            }
        }
        new_ids.insert(header.id, id);
        bytes.extend_from_slice(&line::seal(&Value::Object(fields)).unwrap_or_default());
    }
    bytes
}
