//! The beginning of a line: what a log's tree needs to know of a record, without reading the rest. Pure.

use serde::Deserialize;

/// What stands at the beginning of every record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) id: u64,
    pub(crate) parent: Option<u64>,
    pub(crate) at: u64,
    pub(crate) kind: Kind,
    /// The turn, for kinds that name one right after the kind; 0 otherwise.
    pub(crate) turn: u32,
}

/// The kinds that the tree treats in their own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Session,
    Prompt,
    Note,
    Assistant,
    Outcome,
    Shell,
    ShellEnded,
    TurnEnded,
    Compacted,
    Labelled,
    Titled,
    Discarded,
    Planner,
    Child,
    Left,
    Snapshot,
    Restoring,
    Restored,
    Requested,
    /// Bookkeeping, and kinds of a later version.
    Other,
}

impl Kind {
    pub(crate) fn of(name: &[u8]) -> Self {
        match name {
            b"session" => Self::Session,
            b"prompt" => Self::Prompt,
            b"note" => Self::Note,
            b"assistant" => Self::Assistant,
            b"outcome" => Self::Outcome,
            b"shell" => Self::Shell,
            b"shell_ended" => Self::ShellEnded,
            b"turn_ended" => Self::TurnEnded,
            b"compacted" => Self::Compacted,
            b"labelled" => Self::Labelled,
            b"titled" => Self::Titled,
            b"discarded" => Self::Discarded,
            b"planner" => Self::Planner,
            b"child" => Self::Child,
            b"left" => Self::Left,
            b"snapshot" => Self::Snapshot,
            b"restoring" => Self::Restoring,
            b"restored" => Self::Restored,
            b"requested" => Self::Requested,
            _ => Self::Other,
        }
    }
}

/// Records are numbered up to here: programs that read numbers as JavaScript does tell no larger ones apart, and whatever
/// follows one still has a number of its own.
const HIGHEST: u64 = 1 << 53;

/// The header of a line; as we write it that costs a look at its first bytes, in any other order it is parsed. None where its
/// number is none that we give.
pub(crate) fn header(line: &[u8]) -> Option<Header> {
    scan(line).or_else(|| parse(line)).filter(|header| header.id <= HIGHEST)
}

fn scan(line: &[u8]) -> Option<Header> {
    let rest = line.strip_prefix(b"{\"id\":")?;
    let (id, rest) = number(rest)?;
    let rest = rest.strip_prefix(b",\"parent\":")?;
    let (parent, rest) = match rest.strip_prefix(b"null") {
        Some(rest) => (None, rest),
        None => number(rest).map(|(parent, rest)| (Some(parent), rest))?,
    };
    let (at, rest) = number(rest.strip_prefix(b",\"at\":")?)?;
    let rest = rest.strip_prefix(b",\"kind\":\"")?;
    let end = rest.iter().position(|byte| *byte == b'"')?;
    let (name, rest) = rest.split_at_checked(end)?;
    let turn = rest.strip_prefix(b"\",\"turn\":").and_then(number).map_or(0, |(turn, _)| turn);
    Some(Header { id, parent, at, kind: Kind::of(name), turn: u32::try_from(turn).unwrap_or(u32::MAX) })
}

fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at_checked(digits)?;
    Some((std::str::from_utf8(number).ok()?.parse().ok()?, rest))
}

#[derive(Deserialize)]
struct Peek {
    id: u64,
    parent: Option<u64>,
    at: u64,
    kind: String,
    #[serde(default)]
    turn: u32,
}

fn parse(line: &[u8]) -> Option<Header> {
    let peek: Peek = serde_json::from_slice(line).ok()?;
    let kind = Kind::of(peek.kind.as_bytes());
    Some(Header { id: peek.id, parent: peek.parent, at: peek.at, kind, turn: peek.turn })
}

#[cfg(test)]
mod tests {
    use super::{Header, Kind, header, parse, scan};

    #[test]
    fn the_quick_way_and_the_thorough_way_agree() {
        for (line, wanted) in [
            (r#"{"id":7,"parent":6,"at":5,"kind":"prompt","turn":3,"text":"x"}"#, Some((7, Some(6), Kind::Prompt, 3))),
            (r#"{"id":1,"parent":null,"at":5,"kind":"session","v":1}"#, Some((1, None, Kind::Session, 0))),
            (r#"{"id":9,"parent":8,"at":5,"kind":"from_tomorrow"}"#, Some((9, Some(8), Kind::Other, 0))),
        ] {
            let wanted = wanted.map(|(id, parent, kind, turn)| Header { id, parent, at: 5, kind, turn });
            assert_eq!(scan(line.as_bytes()), wanted, "{line}");
            assert_eq!(parse(line.as_bytes()), wanted, "{line}");
        }
        let other_order = r#"{"kind":"note", "at":5, "parent":1, "id":2, "turn":1, "text":""}"#;
        assert_eq!(scan(other_order.as_bytes()), None);
        assert_eq!(header(other_order.as_bytes()).map(|header| (header.id, header.kind)), Some((2, Kind::Note)));
        let past = format!(r#"{{"id":{},"parent":1,"at":5,"kind":"prompt"}}"#, u64::MAX);
        assert_eq!(header(past.as_bytes()), None, "no record could follow it");
        for nonsense in ["", "{", r#"{"id":}"#, r#"{"id":99999999999999999999999,"parent":1"#, r#"{"a":1}"#] {
            assert_eq!(header(nonsense.as_bytes()), None, "{nonsense}");
        }
    }
}
