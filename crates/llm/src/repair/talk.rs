//! Tells calls from talk about calls. A model that explains, quotes or documents markup must not be taken at its word.

use reasonix_agent::Request;
use reasonix_proto::Message;
use std::borrow::Cow;
use std::cell::OnceCell;

/// Words of a sentence that shows something instead of doing it.
const SHOWING: [&str; 36] = [
    "example",
    "beispiel",
    "exemple",
    "ejemplo",
    "пример",
    "format",
    "has:",
    "holds:",
    "shows:",
    "writes",
    "写作",
    "格式",
    "例：",
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

/// Words of a sentence that does not do it, whatever it announces: it shows, refuses, or asks first.
const NOT_DOING: [&str; 28] = [
    "show you",
    "explain with",
    "example of such",
    "example call",
    "in this format",
    "not run",
    "not execute",
    "will not",
    "won't",
    "would not",
    "must not",
    "never run",
    "do not send",
    "refuse",
    "would be",
    "shall i",
    "should i run",
    "may i",
    "do you want me",
    "want me to",
    "please confirm",
    "confirm first",
    "不会执行",
    "不要执行",
    "请确认",
    "是否要",
    "要不要",
    "要我执行",
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
    if NOT_DOING.iter().any(|word| sentence.contains(word)) {
        return true;
    }
    SHOWING.iter().any(|word| sentence.contains(word)) && !DOING.iter().any(|word| sentence.contains(word))
}

/// Whether the text before a tag in the same line is a sentence that is over. One that ends with a colon must announce what
/// is done: a colon as often introduces what is only shown. A question waits for its answer.
pub(crate) fn ends_a_sentence(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default().trim_end();
    if !line.contains(char::is_alphabetic) {
        return false;
    }
    if line.ends_with(['.', '!', '…', '。', '！']) {
        return true;
    }
    line.ends_with([':', '：']) && does(line)
}

/// Whether the sentence that a block stands in says that something is done.
pub(crate) fn does(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default().to_lowercase();
    let sentence = line.rsplit(". ").next().unwrap_or_default();
    DOING.iter().any(|word| sentence.contains(word))
}

/// Whether the text before a block that has no marks of its own is short enough to be an announcement.
pub(crate) fn announces(before: &str) -> bool {
    before.trim().len() <= INTRODUCTION
}

/// What the model has read and did not write itself, made ready for being searched when it is first needed.
pub(crate) struct Heard<'a> {
    request: &'a Request,
    text: OnceCell<String>,
}

impl<'a> Heard<'a> {
    pub(crate) fn of(request: &'a Request) -> Self {
        Self { request, text: OnceCell::new() }
    }

    /// Whether every line of a block was read before: then it quotes. Spaces and the numbers in front of lines do not
    /// count, nor whether it was escaped as JSON or HTML, nor in how many pieces it was read.
    pub(crate) fn has(&self, block: &str) -> bool {
        let lines: Vec<String> = block.lines().map(squeezed).filter(|line| line.len() > 2).collect();
        let text = self.text.get_or_init(|| self.all());
        !lines.is_empty() && lines.iter().all(|line| memchr::memmem::find(text.as_bytes(), line.as_bytes()).is_some())
    }

    /// Whether a block was read before as it stands. Its lines alone say nothing: what an edit takes out is in the file, and
    /// what it puts in may be what the user asked for.
    pub(crate) fn has_whole(&self, block: &str) -> bool {
        let block = squeezed(block);
        let text = self.text.get_or_init(|| self.all());
        !block.is_empty() && memchr::memmem::find(text.as_bytes(), block.as_bytes()).is_some()
    }

    fn all(&self) -> String {
        let said = self.request.messages.iter().filter_map(|message| match message.as_ref() {
            Message::User { text, .. } => Some(Cow::Borrowed(text.as_str())),
            Message::Tool { content, .. } => Some(content.words()),
            Message::Assistant { .. } => None,
        });
        let mut all = String::new();
        for text in std::iter::once(Cow::Borrowed(self.request.prefix.system.as_str())).chain(said) {
            all.push_str(&squeezed(&text));
            all.push('\n');
            if let Some(plain) = unescaped(&text) {
                all.push_str(&squeezed(&plain));
                all.push('\n');
            }
        }
        all
    }
}

/// A text out of JSON or HTML as it was before; none where there is nothing escaped in it.
fn unescaped(text: &str) -> Option<String> {
    let escaped = text.contains("\\\"") || text.contains("\\n") || text.contains("&lt;") || text.contains("&quot;");
    let html = |text: String| {
        text.replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&#34;", "\"")
            .replace("&amp;", "&")
    };
    escaped.then(|| html(text.replace("\\n", "\n").replace("\\\"", "\"").replace("\\/", "/")))
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
    use super::{Heard, shows};
    use crate::repair::tests::prefix;
    use reasonix_agent::{Prefix, Request};
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
            ("Let me show you an example of such a call:\n", true),
            ("I'll explain with an example, which I will not run:\n", true),
            ("Hermes models write a call in this format:\n", true),
            ("I did NOT run this:\n", true),
            ("Shall I run this? Please confirm first.\n", true),
            ("Ein Beispiel:\n", true),
            ("Voici par exemple un appel :\n", true),
            ("工具调用的格式如下：\n", true),
            ("I must not do that. It would be\n", true),
            ("The tests do not pass. I will fix the format:\n", false),
        ] {
            assert_eq!(shows(text), wanted, "{text}");
        }
    }

    fn heard(system: &str, results: &[&str]) -> Request {
        let tool = |(number, content): (usize, &&str)| {
            let call = format!("c{number}").as_str().into();
            Arc::new(Message::Tool { call, name: "read_file".into(), content: (*content).into() })
        };
        let messages = results.iter().enumerate().map(tool).collect();
        Request {
            prefix: Arc::new(Prefix { system: system.into(), ..prefix() }),
            messages,
            may_call: true,
            must_call: None,
            form: None,
        }
    }

    #[test]
    fn quotes_are_found_through_line_numbers_escapes_and_pieces() {
        let call = "<tool_call>\n{\"name\": \"bash\"}\n</tool_call>";
        let numbered = "    1\t# Title\n    2\t<tool_call>\n    3\t{\"name\": \"bash\"}\n    4\t</tool_call>\n";
        let json = serde_json::json!({ "text": call }).to_string();
        let html = call.replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
        for (system, results) in [
            ("", vec![numbered]),
            ("", vec![json.as_str()]),
            ("", vec![html.as_str()]),
            (call, vec![]),
            ("", vec!["# x\n<tool_call>\n", "{\"name\": \"bash\"}\n</tool_call>\n"]),
        ] {
            let request = heard(system, &results);
            assert!(Heard::of(&request).has(call), "{system} {results:?}");
        }
        let request = heard("", &[numbered]);
        let heard = Heard::of(&request);
        assert!(heard.has("<tool_call>{\"name\":\"bash\"}</tool_call>"), "put on one line");
        assert!(!heard.has("<tool_call>\n{\"name\": \"ls\"}\n</tool_call>") && !heard.has(""));
    }

    #[test]
    fn an_edit_of_what_was_read_is_no_quote_and_a_block_that_was_read_is() {
        let block = "<<<<<<< SEARCH\nlet a = 1;\nlet b = 2;\n=======\nlet a = 1;\n>>>>>>> REPLACE";
        let shape = "file\n<<<<<<< SEARCH\ntext\n=======\nother\n>>>>>>> REPLACE";
        let request = heard(shape, &["    1\tlet a = 1;\n    2\tlet b = 2;\n"]);
        let one = Heard::of(&request);
        assert!(one.has(block) && !one.has_whole(block), "all its lines are known, and it is an edit");
        let request = heard("", &[&format!("# How to edit\n{block}\n")]);
        assert!(Heard::of(&request).has_whole(block));
    }
}
