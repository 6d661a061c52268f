//! Tells calls from talk about calls. A model that explains, quotes or documents markup must not be taken at its word.

use reasonix_proto::Message;
use std::sync::Arc;

/// Words of a sentence that shows something instead of doing it.
const SHOWING: [&str; 24] = [
    "example",
    "e.g.",
    "for instance",
    "looks like",
    "look like",
    "like this",
    "would call",
    "would write",
    "you can call",
    "you could",
    "you would",
    "contains:",
    "says:",
    "it says",
    "reads:",
    "quoted",
    "quote:",
    "never write",
    "例如",
    "比如",
    "示例",
    "如下所示",
    "内容是",
    "写着",
];

/// Words of a sentence that announces what is done next, whatever else it speaks of.
const DOING: [&str; 14] = [
    "i'll",
    "i will",
    "i’ll",
    "let me",
    "let's",
    "i need",
    "i should",
    "i am going",
    "i'm going",
    "now i",
    "我来",
    "我将",
    "让我",
    "我先",
];

/// The longest introduction of a call that nothing but its form tells from an example.
const INTRODUCTION: usize = 400;

/// Whether the text before a block introduces something shown: its last paragraph decides.
pub(crate) fn shows(before: &str) -> bool {
    let paragraph = before.trim_end().rsplit("\n\n").next().unwrap_or_default().to_lowercase();
    let sentence = paragraph.rsplit(". ").next().unwrap_or_default();
    SHOWING.iter().any(|word| sentence.contains(word)) && !DOING.iter().any(|word| sentence.contains(word))
}

/// Whether the text before a block that has no marks of its own is short enough to be an announcement.
pub(crate) fn announces(before: &str) -> bool {
    before.trim().len() <= INTRODUCTION
}

/// Whether every line of a block stands in one message of the conversation that the model did not write: then it quotes.
/// Spaces and the numbers in front of lines do not count.
pub(crate) fn is_quoted(block: &str, history: &[Arc<Message>]) -> bool {
    let lines: Vec<String> = block.lines().map(squeezed).filter(|line| line.len() > 2).collect();
    !lines.is_empty()
        && history.iter().any(|message| match message.as_ref() {
            Message::User { text, .. } | Message::Tool { content: text, .. } => holds(text, &lines),
            Message::Assistant { .. } => false,
        })
}

fn holds(text: &str, lines: &[String]) -> bool {
    let text = squeezed(text);
    lines.iter().all(|line| memchr::memmem::find(text.as_bytes(), line.as_bytes()).is_some())
}

/// A text without white space, and without the numbers that readers put in front of lines.
fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let line = line.trim_start();
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = number.len() < line.len() && number.starts_with(['\t', '|', ':', '→', '│']);
        let line = if numbered {
            number.chars().next().map_or(line, |mark| number.get(mark.len_utf8()..).unwrap_or(line))
        } else {
            line
        };
        out.extend(line.chars().filter(|c| !c.is_whitespace()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{is_quoted, shows};
    use reasonix_proto::Message;
    use std::sync::Arc;

    #[test]
    fn showing_and_doing() {
        for (text, wanted) in [
            ("I will read the file.", false),
            ("Let me check the README.\n", false),
            ("", false),
            ("An example of a call:", true),
            ("It looks like this:\n", true),
            ("This was an example. Now I read it.", false),
            ("It is an example.\n\nNow I do it:", false),
            ("例如：", true),
            ("Let me read the example:", false),
            ("I'll check whether it contains: x", false),
            ("You could send:", true),
            ("The README contains:\n\n", true),
        ] {
            assert_eq!(shows(text), wanted, "{text}");
        }
    }

    #[test]
    fn quotes_are_found_through_line_numbers() {
        let read = "    1\t# Title\n    2\t<tool_call>\n    3\t{\"name\": \"bash\"}\n    4\t</tool_call>\n";
        let history = [Arc::new(Message::Tool { call: "c".into(), name: "read_file".into(), content: read.into() })];
        assert!(is_quoted("<tool_call>\n{\"name\": \"bash\"}\n</tool_call>", &history));
        assert!(is_quoted("<tool_call>{\"name\":\"bash\"}</tool_call>", &history), "put on one line");
        assert!(!is_quoted("<tool_call>\n{\"name\": \"ls\"}\n</tool_call>", &history));
        assert!(!is_quoted("", &history));
    }
}
