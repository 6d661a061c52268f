//! One record, one line: the record's JSON object with a checksum as its last member. Pure.

use reasonix_proto::{RECORD_VERSION, Record, RecordBody, escaped_json};
use serde::{Deserialize, Serialize};

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
    let crc = crc32fast::hash(&line);
    line.extend_from_slice(MARK);
    line.extend_from_slice(format!("{crc:08x}\"}}\n").as_bytes());
    Ok(line)
}

/// The record of a line whatever its checksum says.
pub(crate) fn parse(line: &[u8]) -> Option<Record> {
    let record: Record = serde_json::from_slice(line).ok()?;
    Some(record)
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
    use reasonix_proto::{Record, RecordBody, RecordId};

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
