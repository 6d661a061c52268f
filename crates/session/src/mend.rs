//! A file made whole: damaged lines left out, a lost first line replaced, doubled numbers told apart. Pure.

use crate::header::{Kind, header};
use crate::line;
use reasonix_proto::{Record, RecordBody, RecordId};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The whole lines of a file, and how many were left out. A head is made only where the first line is lost. Lines of
/// kinds that are not known are kept like all others.
pub(crate) fn mended(old: &[u8], head: impl FnOnce() -> RecordBody) -> (Vec<u8>, usize) {
    let old = old.strip_prefix(b"\xef\xbb\xbf").unwrap_or(old);
    let mut lines: Vec<Vec<u8>> = Vec::new();
    let mut lost = 0;
    for (index, text) in old.split(|byte| *byte == b'\n').enumerate() {
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let first = || line::parse(text).filter(|record| index == 0 && line::is_head(record));
        if line::is_sound(text) && header(text).is_some() {
            lines.push([text, b"\n"].concat());
        } else if let Some(line) = first().and_then(|record| line::encode(&record).ok()) {
            lines.push(line);
        } else if !text.is_empty() {
            lost += 1;
        }
    }
    let headless = !lines.first().is_some_and(|line| header(line).is_some_and(|first| first.kind == Kind::Session));
    if headless {
        let at = lines.first().and_then(|line| header(line)).map_or(0, |first| first.at);
        let record = Record { id: RecordId(0), parent: None, at, body: head() };
        lines.insert(0, line::encode(&record).unwrap_or_default());
    }
    let ids: Vec<u64> = lines.iter().filter_map(|line| Some(header(line)?.id)).collect();
    if ids.is_sorted_by(|a, b| a < b) && !headless {
        return (lines.concat(), lost);
    }
    (renumbered(&lines), lost)
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
