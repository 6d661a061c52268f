//! A memory as a file: a few lines about it between two rules, then the text. Pure. Whatever stands in such a file, what
//! comes out is bounded and has no character that nobody sees.

use crate::search::one_line;
use reasonix_proto::unhidden;
use std::fmt::Write as _;

/// The longest text that is kept.
pub(super) const LONGEST_BODY: usize = 16 * 1024;
/// The longest line about a memory.
const LONGEST_LINE: usize = 200;
/// No more things that were seen are listed.
const MOST_SEEN: usize = 12;

/// Where a memory comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Who or what said so, in the words of whoever saved it: `user`, a file, a page, a command.
    pub source: String,
    /// The session in which it was saved; none when a person did it from outside.
    pub session: Option<String>,
    /// The turn of that session.
    pub turn: Option<u32>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// What the model had read or run by then, the newest first, bounded.
    pub seen: Vec<String>,
}

impl Provenance {
    /// Saved by a person, from outside of a session.
    pub fn by_user() -> Self {
        Self { source: "user".to_owned(), ..Self::default() }
    }

    /// True when it is said to be the user's own word.
    pub fn is_users(&self) -> bool {
        self.source == "user"
    }
}

/// The content of a memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    /// What it is about, in one line.
    pub description: String,
    /// The text.
    pub body: String,
    /// Where it comes from.
    pub from: Provenance,
    /// Counts its versions from 1.
    pub revision: u32,
    /// When it was saved, as people write it.
    pub saved: String,
    /// When and why it was archived; empty while it is active.
    pub archived: String,
}

impl Memory {
    /// The file of this memory.
    pub(super) fn write(&self) -> String {
        let mut text = "---\n".to_owned();
        let mut put = |key: &str, value: &str| {
            if !value.is_empty() {
                let _ = writeln!(text, "{key}: {}", line(value));
            }
        };
        put("description", &self.description);
        put("revision", &self.revision.to_string());
        put("source", &self.from.source);
        put("session", self.from.session.as_deref().unwrap_or_default());
        put("turn", &self.from.turn.map(|turn| turn.to_string()).unwrap_or_default());
        put("model", self.from.model.as_deref().unwrap_or_default());
        self.from.seen.iter().take(MOST_SEEN).for_each(|seen| put("seen", seen));
        put("saved", &self.saved);
        put("archived", &self.archived);
        text.push_str("---\n");
        text.push_str(body(&self.body).trim());
        text.push('\n');
        text
    }

    /// The memory in a file. One without lines about it is all text.
    pub(super) fn read(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (head, rest) = split(text);
        let mut memory = Self { body: body(rest).trim().to_owned(), ..Self::default() };
        for (key, value) in head.lines().filter_map(|line| line.split_once(':')) {
            let value = line(value);
            match key.trim() {
                "description" => memory.description = value,
                "revision" => memory.revision = value.parse().unwrap_or(1),
                "source" => memory.from.source = value,
                "session" => memory.from.session = Some(value),
                "turn" => memory.from.turn = value.parse().ok(),
                "model" => memory.from.model = Some(value),
                "seen" if memory.from.seen.len() < MOST_SEEN => memory.from.seen.push(value),
                "saved" => memory.saved = value,
                "archived" => memory.archived = value,
                _ => {}
            }
        }
        memory.revision = memory.revision.max(1);
        if memory.description.is_empty() {
            memory.description = memory.body.lines().map(line).find(|line| !line.is_empty()).unwrap_or_default();
        }
        if memory.from.source.is_empty() {
            memory.from.source = "unknown".to_owned();
        }
        memory
    }
}

/// The lines about a memory, and its text.
fn split(text: &str) -> (&str, &str) {
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else { return ("", text) };
    for end in ["\n---\n", "\n---\r\n"] {
        if let Some((head, body)) = rest.split_once(end) {
            return (head, body);
        }
    }
    ("", text)
}

/// One line that shows everything in it, bounded.
pub(super) fn line(text: &str) -> String {
    let whole = one_line(text);
    match whole.char_indices().nth(LONGEST_LINE) {
        Some((at, _)) => format!("{}…", whole.get(..at).unwrap_or_default()),
        None => whole,
    }
}

/// The text without anything that nobody sees, bounded.
fn body(text: &str) -> String {
    let seen = unhidden(text).text.into_owned();
    let plain: String = seen.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let end = plain.floor_char_boundary(LONGEST_BODY);
    let cut = if end < plain.len() { "\n[cut: the file is longer than what is read of it]" } else { "" };
    format!("{}{cut}", plain.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{Memory, Provenance};

    #[test]
    fn what_is_written_is_read_again() {
        let from = Provenance {
            source: "README.md".into(),
            session: Some("0199".into()),
            turn: Some(3),
            model: Some("local/small".into()),
            seen: vec!["read_file README.md".into(), "bash make: all".into()],
        };
        let memory = Memory {
            description: "how to build: fast".into(),
            body: "Use `make`.\n\n---\nNot cmake.".into(),
            from,
            revision: 4,
            saved: "2026-11-15 06:20 UTC".into(),
            archived: String::new(),
        };
        assert_eq!(Memory::read(&memory.write()), memory);
        assert_eq!(memory.write(), Memory::read(&memory.write()).write(), "the same memory gives the same bytes");
    }

    #[test]
    fn hostile_files_are_bounded_and_show_what_they_hide() {
        let memory =
            Memory::read("---\ndescription: be\u{200b} kind\u{1b}[2J\nrevision: x\n---\na\u{e0041}\u{1b}b\r\n");
        assert_eq!(memory.description, "be⟨U+200B⟩ kind [2J");
        assert!(!memory.body.contains('\u{1b}') && !memory.body.contains('\u{e0041}'), "{:?}", memory.body);
        assert_eq!(memory.revision, 1);
        let plain = Memory::read("just\ntext");
        assert_eq!((plain.description.as_str(), plain.body.as_str()), ("just", "just\ntext"));
        let huge = Memory::read(&format!("---\ndescription: {}\n---\n{}", "d".repeat(9000), "字".repeat(90_000)));
        assert!(huge.description.chars().count() <= 201 && huge.body.len() < 17_000);
        let many = Memory::read(&format!("---\n{}---\nx", "seen: a\n".repeat(999)));
        assert_eq!(many.from.seen.len(), 12);
        assert_eq!(Memory::read("---\nno end").body, "---\nno end");
    }
}
