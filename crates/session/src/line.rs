//! One record, one line: the record's JSON object with a checksum as its last member. Pure.

use crate::header::{Header, Kind, header};
use reasonix_proto::{
    FoldReason, Moment, MoveReason, RECORD_VERSION, Record, RecordBody, RecordId, StopReason, ToolOutcome, TurnEnd,
    escaped_json,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

const MARK: &[u8] = b",\"crc\":\"";
const SUFFIX: usize = MARK.len() + 8 + 2;

/// The line of a record, with its newline.
pub(crate) fn encode(record: &Record) -> serde_json::Result<Vec<u8>> {
    seal(record)
}

/// The line of anything that is an object.
pub(crate) fn seal(object: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    // Whoever looks at a log with a pager sees what stands in it, and nothing in it acts on the terminal.
    let json = serde_json::to_string(object)?;
    let mut line = escaped_json(&json).into_owned().into_bytes();
    line.pop();
    let mut line = sealed(line);
    line.push(b'\n');
    Ok(line)
}

/// The record of a line whatever its checksum says.
pub(crate) fn parse(line: &[u8]) -> Option<Record> {
    header(line)?;
    serde_json::from_slice(line).ok().or_else(|| newer_words(line))
}

/// The record of a line that says something in words which this version does not know: they stand for the nearest one that
/// it knows, and a body that cannot be read all the same is kept and skipped, like that of an unknown kind. The line on
/// disk stays as it is.
fn newer_words(line: &[u8]) -> Option<Record> {
    let mut fields: Map<String, Value> = serde_json::from_slice(line).ok()?;
    nearest(&mut fields);
    if let Ok(record) = serde_json::from_value(Value::Object(fields.clone())) {
        return Some(record);
    }
    let Header { id, parent, at, kind, .. } = header(line)?;
    let parent = parent.map(RecordId);
    (kind != Kind::Session).then_some(Record { id: RecordId(id), parent, at, body: RecordBody::Unknown })
}

/// Puts a known word in place of one that is not.
fn nearest(fields: &mut Map<String, Value>) {
    let kind = fields.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    match kind.as_str() {
        "turn_ended" => known::<TurnEnd>(fields.get_mut("end"), |_| json!({ "how": "interrupted" })),
        "compacted" => known::<FoldReason>(fields.get_mut("reason"), |_| "threshold".into()),
        "moved" => known::<MoveReason>(fields.get_mut("why"), |_| "branch".into()),
        "snapshot" => known::<Moment>(fields.get_mut("moment"), |_| "between".into()),
        "assistant" => {
            let message = fields.get_mut("message");
            let calls = message.as_ref().and_then(|message| message.get("calls")?.as_array());
            let word = if calls.is_some_and(|calls| !calls.is_empty()) { "calls" } else { "end" };
            known::<StopReason>(message.and_then(|message| message.get_mut("stop")), |_| word.into());
        }
        "outcome" | "shell_ended" => known::<ToolOutcome>(fields.get_mut("outcome"), |outcome| {
            let status = ["content", "message", "by"].into_iter().zip(["done", "failed", "denied"]);
            let fits = status.filter(|(field, _)| outcome.get(field).is_some()).map(|(_, status)| status);
            let mut outcome = outcome.clone();
            if let Some(fields) = outcome.as_object_mut() {
                fields.insert("status".to_owned(), fits.into_iter().next().unwrap_or("aborted").into());
            }
            outcome
        }),
        "session" => {
            let number = |v: &Value| v.as_str().and_then(|text| text.parse().ok()).unwrap_or(RECORD_VERSION);
            known::<u32>(fields.get_mut("v"), |v| number(v).into());
        }
        _ => {}
    }
}

fn known<T: DeserializeOwned>(word: Option<&mut Value>, nearest: impl FnOnce(&Value) -> Value) {
    if let Some(word) = word.filter(|word| T::deserialize(&**word).is_err()) {
        *word = nearest(word);
    }
}

/// A sound line as a log has it: as it is, and sealed anew only where it has characters that would act on a terminal.
pub(crate) fn kept(line: &[u8]) -> Option<Vec<u8>> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let text = std::str::from_utf8(line).ok()?;
    let kept = match escaped_json(text) {
        std::borrow::Cow::Borrowed(_) => line.to_vec(),
        std::borrow::Cow::Owned(text) => {
            let mut body = unsealed(text.as_bytes());
            body.pop();
            sealed(body)
        }
    };
    Some([kept.as_slice(), b"\n"].concat())
}

/// An object without its last brace, with its checksum.
fn sealed(mut line: Vec<u8>) -> Vec<u8> {
    let crc = crc32fast::hash(&line);
    line.extend_from_slice(MARK);
    line.extend_from_slice(format!("{crc:08x}\"}}").as_bytes());
    line
}

/// The object of a line without its checksum: what anybody may read who wants the record as it is.
pub(crate) fn unsealed(line: &[u8]) -> Vec<u8> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    match line.len().checked_sub(SUFFIX).map(|split| line.split_at(split)) {
        Some((body, suffix)) if suffix.starts_with(MARK) => [body, b"}"].concat(),
        _ => line.to_vec(),
    }
}

/// True when the checksum is there and right.
pub(crate) fn is_sound(line: &[u8]) -> bool {
    let Some(split) = line.len().checked_sub(SUFFIX) else { return false };
    let (body, suffix) = line.split_at(split);
    let Some(digits) = suffix.strip_prefix(MARK).and_then(|rest| rest.strip_suffix(b"\"}")) else { return false };
    let stated = std::str::from_utf8(digits).ok().and_then(|text| u32::from_str_radix(text, 16).ok());
    stated == Some(crc32fast::hash(body))
}

/// The format version of a first line, when it is larger than ours. Looks at nothing else, since the rest may have changed.
pub(crate) fn newer_version(line: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    struct Version {
        v: u64,
    }
    let version: Version = serde_json::from_slice(line).ok()?;
    (version.v > u64::from(RECORD_VERSION)).then_some(version.v)
}

/// True for a record that opens a session.
pub(crate) fn is_head(record: &Record) -> bool {
    matches!(record.body, RecordBody::Session(_))
}

#[cfg(test)]
mod tests {
    use super::{encode, is_sound, newer_version, parse};
    use reasonix_proto::{Message, Record, RecordBody, RecordId, StopReason, ToolOutcome};

    fn decode(line: &[u8]) -> Option<Record> {
        is_sound(line).then(|| parse(line)).flatten()
    }

    fn record(text: &str) -> Record {
        let body = RecordBody::Prompt { turn: 1, text: text.to_owned(), typed: None, images: Vec::new() };
        Record { id: RecordId(7), parent: Some(RecordId(6)), at: 5, body }
    }

    #[test]
    fn the_format_is_what_the_documentation_says() {
        let line = String::from_utf8(encode(&record("hi")).unwrap()).unwrap();
        let (body, rest) = line.split_once(",\"crc\"").unwrap();
        assert_eq!(body, r#"{"id":7,"parent":6,"at":5,"kind":"prompt","turn":1,"text":"hi""#);
        assert_eq!(rest, format!(":\"{:08x}\"}}\n", crc32fast::hash(body.as_bytes())));
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let line = encode(&record("日本 \" \n x")).unwrap();
        let line = line.strip_suffix(b"\n").unwrap();
        assert!(!line.contains(&b'\n'), "one line");
        assert_eq!(decode(line).unwrap(), record("日本 \" \n x"));
        for place in 0..line.len() {
            for bit in 0..8 {
                let mut bad = line.to_vec();
                bad[place] ^= 1 << bit;
                // A hex digit in the other case is the same number.
                assert!(decode(&bad).is_none() || bad.eq_ignore_ascii_case(line), "byte {place} bit {bit}");
            }
            assert!(decode(&line[..place]).is_none(), "cut at {place}");
        }
    }

    #[test]
    fn d3_what_nobody_sees_stands_as_an_escape_and_older_lines_are_still_sound() {
        let odd = record("a\u{9b}2J\u{7f}\u{202e}\u{200b}\u{e0041} 👨\u{200d}👩 中文");
        let line = encode(&odd).unwrap();
        let line = line.strip_suffix(b"\n").unwrap();
        let text = std::str::from_utf8(line).unwrap();
        assert!(text.contains(r"a\u009b2J\u007f\u202e\u200b\udb40\udc41") && text.contains("中文"), "{text}");
        assert_eq!(decode(line).unwrap(), odd, "it reads back as what it was");
        // As it was written before: the characters themselves.
        let body = serde_json::to_string(&odd).unwrap();
        let body = body.strip_suffix('}').unwrap();
        let raw = format!("{body},\"crc\":\"{:08x}\"}}", crc32fast::hash(body.as_bytes()));
        assert!(raw.contains('\u{9b}'));
        assert_eq!(decode(raw.as_bytes()).unwrap(), odd);
    }

    #[test]
    fn a_text_that_looks_like_a_checksum_does_not_confuse() {
        let tricky = record(r#"x","crc":"00000000"}"#);
        let line = encode(&tricky).unwrap();
        assert_eq!(decode(line.strip_suffix(b"\n").unwrap()).unwrap(), tricky);
    }

    #[test]
    fn words_of_a_later_version_do_not_lose_the_record() {
        let read = |text: &str| parse(format!(r#"{{"id":9,"parent":8,"at":5,{text}}}"#).as_bytes()).unwrap().body;
        let usage = r#""usage":{"input":1,"output":1}"#;
        let ended = read(&format!(r#""kind":"turn_ended","turn":3,"end":{{"how":"teleported"}},"steps":2,{usage}"#));
        assert!(matches!(ended, RecordBody::TurnEnded { turn: 3, steps: 2, .. }), "{ended:?}");
        let said = read(
            r#""kind":"assistant","turn":1,"step":1,"model":"a/b","message":{"role":"assistant","text":"words","calls":[],"stop":"tired"}"#,
        );
        let RecordBody::Assistant { message: Message::Assistant { text, stop, .. }, .. } = said else { panic!() };
        assert_eq!((text.as_str(), stop), ("words", StopReason::End));
        let outcome = |fields: &str| {
            read(&format!(
                r#""kind":"outcome","call":"c","tool":"t","took_ms":1,"outcome":{{"status":"postponed"{fields}}}"#
            ))
        };
        let of = |body: RecordBody| {
            if let RecordBody::Outcome { outcome, .. } = body { outcome } else { panic!("{body:?}") }
        };
        assert_eq!(of(outcome(r#","content":"x""#)), ToolOutcome::done("x"));
        assert_eq!(of(outcome(r#","message":"m""#)), ToolOutcome::failed("m"));
        assert_eq!(of(outcome("")), ToolOutcome::Aborted);
        assert!(matches!(read(r#""kind":"moved","to":3,"why":"whim""#), RecordBody::Moved { .. }));
        assert!(matches!(read(r#""kind":"snapshot","turn":1,"moment":"during","state":"s""#), RecordBody::Snapshot(_)));
        let folded = r#""kind":"compacted","turn":1,"reason":"mood","by":"log","tail":[],"before":2,"after":1"#;
        assert!(matches!(read(folded), RecordBody::Compacted(_)));
        // What cannot be told at all is there all the same.
        assert_eq!(read(r#""kind":"mode_changed","mode":{"new":1}"#), RecordBody::Unknown);
        assert_eq!(
            parse(br#"{"id":1,"parent":null,"at":5,"kind":"session","v":"1"}"#),
            None,
            "a head is whole or none"
        );
    }

    #[test]
    fn unknown_kinds_are_records_and_nonsense_is_not() {
        let sealed = |body: &str| format!("{body},\"crc\":\"{:08x}\"}}", crc32fast::hash(body.as_bytes()));
        let unknown = sealed(r#"{"id":3,"parent":2,"at":1,"kind":"hologram","depth":3"#);
        assert_eq!(decode(unknown.as_bytes()).unwrap().body, RecordBody::Unknown);
        assert_eq!(decode(sealed(r#"{"a":1"#).as_bytes()), None);
        assert_eq!(decode(b""), None);
        assert_eq!(newer_version(br#"{"kind":"session","v":3,"new":[]}"#), Some(3));
        assert_eq!(newer_version(br#"{"kind":"session","v":1}"#), None);
        assert_eq!(newer_version(br#"{"kind":"session","v":2}"#), None);
    }
}
