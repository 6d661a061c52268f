//! A session as a document to read or to share: Markdown or HTML. Nothing in it loads anything from anywhere, no escape
//! sequence gets through, and what looks like a key is masked. Pure.

use crate::error::clock;
use crate::redact::Redact;
use reasonix_proto::{Message, Record, RecordBody, ToolOutcome};

/// What kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown.
    Markdown,
    /// One HTML file without scripts, with a policy that forbids every request.
    Html,
}

/// A page that may not load, send or run anything.
const HEAD: &str = r#"<!doctype html>
<html><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f5f5f5; padding: .75rem; border-radius: .25rem }
h2 { font-size: 1rem; margin: 1.5rem 0 .25rem } .user pre { background: #eef4ff } .meta { color: #666 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b } pre { background: #262626 } .user pre { background: #1f2b40 } }
</style>
"#;

/// Writes these records as a document. `secrets` are masked wherever they occur.
pub fn export(title: &str, records: &[Record], format: Format, secrets: &[String]) -> String {
    let redact = Redact::new(secrets);
    let mut page = Page { format, redact, text: String::new() };
    page.begin(title);
    for record in records {
        page.record(record);
    }
    page.end();
    page.text
}

struct Page {
    format: Format,
    redact: Redact,
    text: String,
}

impl Page {
    fn begin(&mut self, title: &str) {
        let title = self.clean(title).replace('\n', " ");
        match self.format {
            Format::Markdown => self.text.push_str(&format!("# {}\n", prose(&title))),
            Format::Html => {
                let title = escaped(&title);
                self.text.push_str(HEAD);
                self.text.push_str(&format!("<title>{title}</title></head><body><h1>{title}</h1>\n"));
            }
        }
    }

    fn end(&mut self) {
        if self.format == Format::Html {
            self.text.push_str("</body></html>\n");
        }
    }

    fn record(&mut self, record: &Record) {
        match &record.body {
            RecordBody::Session(head) => {
                let made = format!("Reasonix {} · {} · {} · {}", head.version, head.model, head.cwd, clock(record.at));
                self.meta(&made);
            }
            RecordBody::Prompt { turn, text, typed, .. } => {
                self.part("user", &format!("User, turn {turn}"), typed.as_deref().unwrap_or(text));
            }
            RecordBody::Note { text, typed, by_user: true, .. } => {
                self.part("user", "User", typed.as_deref().unwrap_or(text));
            }
            RecordBody::Note { text, .. } => self.part("note", "Note", text),
            RecordBody::Assistant { model, message: Message::Assistant { text, calls, .. }, .. } => {
                if !text.trim().is_empty() {
                    self.answer(model, text);
                }
                for call in calls {
                    self.part("call", &format!("Call of {}", call.name), &call.arguments);
                }
            }
            RecordBody::Outcome { tool, outcome, .. } => self.outcome(&format!("Result of {tool}"), outcome),
            RecordBody::Shell { command, .. } => self.part("user", "User runs", command),
            RecordBody::ShellEnded { outcome, .. } => self.outcome("Result", outcome),
            RecordBody::ModelChanged { model, .. } => self.meta(&format!("Model: {model}")),
            RecordBody::Moved { .. } => self.meta("The conversation goes on from an earlier place."),
            RecordBody::Rewound(back) => self.part("note", "What was explored, as a report", &back.report),
            RecordBody::Compacted(_) => self.meta("The conversation was folded to make room."),
            _ => {}
        }
    }

    fn outcome(&mut self, title: &str, outcome: &ToolOutcome) {
        let text = match outcome {
            ToolOutcome::Done { content, .. } => content.clone(),
            other => reasonix_agent::outcome_text(other),
        };
        self.part("result", title, &text);
    }

    fn answer(&mut self, model: &str, text: &str) {
        match self.format {
            Format::Html => self.part("answer", model, text),
            Format::Markdown => {
                let (model, text) = (self.clean(model), self.clean(text));
                self.text.push_str(&format!("\n## {}\n\n{}\n", prose(&model), prose(&text)));
            }
        }
    }

    fn part(&mut self, class: &str, title: &str, text: &str) {
        let (title, text) = (self.clean(title), self.clean(text));
        let block = match self.format {
            Format::Markdown => {
                let fence = fence(&text);
                format!("\n## {}\n\n{fence}\n{}\n{fence}\n", prose(&title), text.trim_end())
            }
            Format::Html => {
                let (title, text) = (escaped(&title), escaped(text.trim_end()));
                format!("<section class=\"{class}\"><h2>{title}</h2><pre>{text}</pre></section>\n")
            }
        };
        self.text.push_str(&block);
    }

    fn meta(&mut self, text: &str) {
        let text = self.clean(text);
        let line = match self.format {
            Format::Markdown => format!("\n_{}_\n", prose(&text)),
            Format::Html => format!("<p class=\"meta\">{}</p>\n", escaped(&text)),
        };
        self.text.push_str(&line);
    }

    /// Without keys, and without anything a terminal or a reader would obey or not see.
    fn clean(&self, text: &str) -> String {
        let hidden = |c: char| {
            (c.is_control() && c != '\n' && c != '\t')
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
        };
        self.redact.text(text).chars().map(|c| if hidden(c) { '\u{fffd}' } else { c }).collect()
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// Markdown that loads nothing: outside of code no HTML, no picture, and no link that hides where it leads.
fn prose(text: &str) -> String {
    let mut fenced: Option<&str> = None;
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let opens = if fenced.is_none() { opening(line) } else { None };
        if fenced.or(opens).is_some() {
            out.push_str(line);
        } else {
            out.push_str(&line.replace('<', "&lt;").replace("](", "]\\(").replace("![", "!\\[").replace("]:", "]\\:"));
        }
        out.push('\n');
        fenced = match fenced {
            Some(open) => Some(open).filter(|open| !closes(line, open)),
            None => opens,
        };
    }
    if let Some(open) = fenced {
        // An open fence would swallow everything that follows.
        out.push_str(open);
        out.push('\n');
    }
    out.trim_end().to_owned()
}

/// The fence that a line opens. An indented one may belong to a list, and then ends with it; its text is taken for prose.
fn opening(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let (fence, info) = line.split_at(line.len() - line.trim_start_matches(mark).len());
    (fence.len() >= 3 && !(mark == '`' && info.contains('`'))).then_some(fence)
}

/// Whether a line closes the fence that this one opened: as many marks or more, and nothing else.
fn closes(line: &str, open: &str) -> bool {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = line.trim_start_matches(' ').trim_end_matches([' ', '\t']);
    indent <= 3 && rest.starts_with(open) && rest.bytes().all(|byte| open.as_bytes().first() == Some(&byte))
}

/// A fence that nothing in the text can close.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::{Format, export};
    use reasonix_proto::{CallId, Message, Record, RecordBody, RecordId, StopReason, ToolOutcome};

    fn records() -> Vec<Record> {
        let answer =
            "See ![x](https://evil.example/?q=1) <img src=//evil.example> [a](javascript:x)\n```\n<b>code</b>\n";
        let message =
            Message::Assistant { text: answer.into(), reasoning: None, calls: Vec::new(), stop: StopReason::End };
        let outcome = ToolOutcome::done("````\n</pre><script>alert(1)</script>\u{1b}[2J sk-abcdefghijklmnopqrstuvwx");
        let bodies = vec![
            RecordBody::Prompt {
                turn: 1,
                text: "<file>…</file>hi".into(),
                typed: Some("hi @f".into()),
                images: Vec::new(),
            },
            RecordBody::Assistant { turn: 1, step: 1, model: "p/m".into(), message, usage: None },
            RecordBody::Outcome { call: CallId::from("c"), tool: "bash".into(), took_ms: 1, outcome },
        ];
        let record = |(id, body)| Record { id: RecordId(id), parent: None, at: 0, body };
        (1..).zip(bodies).map(record).collect()
    }

    #[test]
    fn what_only_looks_like_a_fence_hides_nothing() {
        let picture = "![x](https://evil.example/)";
        for trick in [
            format!("```\n```js\n```\n{picture}"),
            format!("````\n```\n````\n{picture}"),
            format!("```\n    ```\n```\n{picture}"),
            format!("a\n    ```\n{picture}"),
            format!("- a\n  ```\n{picture}"),
            format!("- a\n\n  ```\n\n{picture}"),
            format!("``` a`b\n{picture}"),
            format!("~~~\n```\n~~~\n{picture}"),
        ] {
            assert!(!super::prose(&trick).contains("]("), "{trick}");
        }
        for code in ["```\n](\n```", "````md\n```\n](\n```\n````", "~~~ `x`\n](\n~~~~  ", "```\n](\n   ```\nx"] {
            assert_eq!(super::prose(code), code.trim_end(), "{code}");
        }
        assert_eq!(super::prose("````\n]("), "````\n](\n````");
    }

    #[test]
    fn d6_an_export_loads_nothing_and_runs_nothing() {
        for format in [Format::Markdown, Format::Html] {
            let text = export("T <b>", &records(), format, &["my-own-secret".into()]);
            assert!(!text.contains("<img"), "{text}");
            // In a page all of it is plain text; in Markdown it must not become a picture or a link.
            let loads = format == Format::Markdown && (text.contains("![x](") || text.contains("](javascript"));
            assert!(!loads, "{text}");
            assert!(!text.contains('\u{1b}'), "{text}");
            assert!(!text.contains("sk-abcdefghij"), "{text}");
            assert!(text.contains("hi @f") && !text.contains("<file>"), "{text}");
        }
        let html = export("T", &records(), Format::Html, &[]);
        assert!(html.contains("default-src 'none'") && !html.contains("<script>"));
        let markdown = export("T", &records(), Format::Markdown, &[]);
        assert!(markdown.contains("`````\n````\n</pre>"), "the fence is longer than any in the text: {markdown}");
        assert!(markdown.contains("<b>code</b>"), "code stays as it is");
    }
}
