//! The first line of a call: how it stands, the tool, what it is about, and what it came to in a few words.

use super::draft::Draft;
use super::{Tool, ToolState};
use crate::Look;
use crate::cells::sheet::Sheet;
use crate::cells::short_time;
use crate::text::{columns, neutral, shorten};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use reasonix_proto::{ChangeKind, Details, Phrase, TodoStatus, ToolOutcome, tools};

/// The arguments that say what a call is about, the best first.
const SUBJECTS: &[&str] = &[
    "command",
    "path",
    "file_path",
    "from",
    "pattern",
    "query",
    "url",
    "title",
    "description",
    "name",
    "prompt",
    "question",
];

/// What a call is about, from its arguments.
pub(super) fn subject_of(draft: &Draft) -> String {
    draft.field(SUBJECTS).map(|field| field.head.clone()).unwrap_or_default()
}

pub(super) fn draw(tool: &Tool, sheet: &mut Sheet<'_>) {
    let look = sheet.view.look;
    let (mark, style) = mark(tool, look);
    let facts = facts(tool, sheet);
    let mut spans = vec![Span::styled(format!("{mark} "), style)];
    spans.push(Span::styled(neutral(&tool.name).into_owned(), look.theme.tool));
    let width = sheet.width();
    let facts_width: usize = facts.iter().map(|span| columns(&span.content)).sum();
    let used: usize = spans.iter().map(|span| columns(&span.content)).sum();
    let subject = subject(tool, look.lang);
    // The subject gets what room there is, but not less than half.
    let room = width.saturating_sub(used + 1);
    let beside = room.saturating_sub(facts_width);
    let fits = used + facts_width < width && (columns(&subject) <= beside || beside * 2 >= width);
    let most = if fits { beside } else { room };
    let subject = shorten(&subject, most);
    if !subject.is_empty() {
        spans.push(Span::styled(format!(" {subject}"), look.theme.subject));
    }
    if fits {
        spans.extend(facts);
        sheet.lines.push(Line::from(spans));
    } else {
        sheet.lines.extend(crate::text::wrap(&Line::from(spans), sheet.view.width));
        let facts: Vec<Span<'static>> = facts.into_iter().skip(1).collect();
        let lines = crate::text::wrap(&Line::from(facts), sheet.inner());
        sheet.inset(lines);
    }
}

/// What it is about in one line.
fn subject(tool: &Tool, lang: reasonix_words::Lang) -> String {
    let drafted;
    let subject = match (&tool.draft, tool.subject.is_empty()) {
        (Some(draft), true) => {
            drafted = subject_of(draft);
            drafted.as_str()
        }
        _ => &tool.subject,
    };
    let subject = reasonix_words::subject_told(lang, &tool.name, subject);
    let mut lines = subject.trim().lines();
    let first = neutral(lines.next().unwrap_or_default()).replace('\t', " ");
    let more = lines.count();
    let prompt = if &*tool.name == tools::BASH && !first.is_empty() { "$ " } else { "" };
    if more > 0 { format!("{prompt}{first} … (+{more})") } else { format!("{prompt}{first}") }
}

fn mark(tool: &Tool, look: &Look) -> (&'static str, Style) {
    let theme = &look.theme;
    let (pretty, plain, style) = match &tool.state {
        ToolState::Drafting | ToolState::Ready => ("◦", "[  ]", theme.dim),
        ToolState::Asked => ("?", "[??]", theme.warn),
        ToolState::Running(_) => ("⋯", "[..]", theme.accent),
        ToolState::Ended { outcome, .. } => match &**outcome {
            // Subagents that were stopped, or came to nothing, are told of all the same.
            ToolOutcome::Done { details, .. } if &*tool.name == tools::TASK && details.count == Some(0) => {
                ("⊘", "[--]", theme.warn)
            }
            ToolOutcome::Done { details, .. } if details.exit_code.is_none_or(|code| code == 0) => {
                ("✓", "[ok]", theme.good)
            }
            ToolOutcome::Done { .. } | ToolOutcome::Failed { .. } => ("✗", "[!!]", theme.bad),
            ToolOutcome::Denied { .. } => ("⊘", "[no]", theme.warn),
            ToolOutcome::Aborted => ("⊘", "[--]", theme.warn),
        },
    };
    (if look.unicode { pretty } else { plain }, style)
}

/// What it came to in a few words, each with a separator before it.
fn facts(tool: &Tool, sheet: &Sheet<'_>) -> Vec<Span<'static>> {
    let look = sheet.view.look;
    let mut facts = Facts { look, spans: Vec::new() };
    match &tool.state {
        ToolState::Drafting => {
            if let Some(field) = tool.draft.as_deref().and_then(Draft::longest) {
                facts.count("tui.writing_line", "tui.writing_lines", field.lines as u64);
            }
        }
        ToolState::Ready => {}
        ToolState::Asked => facts.add(look.word("tui.asked"), look.theme.warn),
        ToolState::Running(since) => {
            let elapsed = sheet.view.now.saturating_sub(*since).as_secs();
            if elapsed > 0 {
                facts.add(format!("{elapsed} s"), look.theme.dim);
            }
            let lines = tool.tail.as_ref().map_or(0, |tail| tail.lines());
            if lines > 0 {
                facts.count("tui.line", "tui.lines", lines as u64);
            }
        }
        ToolState::Ended { took_ms, outcome, lines, .. } => {
            // The answers themselves stand below.
            let lines = if &*tool.name == tools::ASK { 0 } else { *lines };
            ended(&mut facts, *took_ms, outcome, lines);
        }
    }
    facts.spans
}

fn ended(facts: &mut Facts<'_>, took_ms: u64, outcome: &ToolOutcome, lines: u64) {
    let look = facts.look;
    match outcome {
        ToolOutcome::Done { details, .. } => {
            done(facts, details, lines);
            if took_ms >= 1000 || details.exit_code.is_some() {
                facts.add(short_time(took_ms), look.theme.dim);
            }
        }
        ToolOutcome::Failed { .. } => facts.add(look.word("tui.failed"), look.theme.bad),
        ToolOutcome::Denied { .. } => facts.add(look.word("tui.blocked"), look.theme.warn),
        ToolOutcome::Aborted => facts.add(look.word("tui.aborted"), look.theme.warn),
    }
}

fn done(facts: &mut Facts<'_>, details: &Details, lines: u64) {
    let (look, theme) = (facts.look, &facts.look.theme);
    if let Some(phases) = &details.todo {
        let all = phases.iter().flat_map(|phase| &phase.tasks);
        let open = |status| status == TodoStatus::Completed || status == TodoStatus::Abandoned;
        let (count, done) = all.fold((0, 0), |(count, done), item| (count + 1, done + u32::from(open(item.status))));
        return facts.add(look.say(&Phrase::new("tui.todo_done").with("done", done).with("count", count)), theme.dim);
    }
    if details.assumed {
        facts.add(look.word("tui.assumed"), theme.warn);
    }
    if let [change] = details.changes.as_slice() {
        let code = match &change.kind {
            ChangeKind::Created => Some("tui.created"),
            ChangeKind::Deleted => Some("tui.deleted"),
            ChangeKind::Unchanged => Some("tui.unchanged"),
            ChangeKind::Updated => None,
            ChangeKind::Moved { from } => {
                facts.add(look.say(&Phrase::new("tui.moved").with("from", neutral(from))), theme.dim);
                None
            }
        };
        if let Some(code) = code {
            facts.add(look.word(code), theme.dim);
        }
    }
    if !details.changes.is_empty() {
        let sum = |of: fn(&reasonix_proto::Change) -> u32| details.changes.iter().map(of).sum::<u32>();
        let (added, removed) = (sum(|change| change.added), sum(|change| change.removed));
        if details.changes.len() > 1 {
            facts.count("tui.files", "tui.files", details.changes.len() as u64);
        }
        if added + removed > 0 {
            facts.add(format!("+{added}"), theme.good);
            facts.spans.push(Span::styled(format!(" -{removed}"), theme.bad));
        }
        return;
    }
    if let Some(code) = details.exit_code.filter(|code| *code != 0) {
        facts.add(look.say(&Phrase::new("tui.exit").with("code", code)), theme.bad);
    }
    match details.count {
        Some(count) => facts.count("tui.result", "tui.results", count),
        None if lines > 0 => facts.count("tui.line", "tui.lines", lines),
        None => {}
    }
}

struct Facts<'a> {
    look: &'a Look,
    spans: Vec<Span<'static>>,
}

impl Facts<'_> {
    fn add(&mut self, text: String, style: Style) {
        let separator = if self.look.unicode { " · " } else { ", " };
        self.spans.push(Span::styled(separator, self.look.theme.dim));
        self.spans.push(Span::styled(text, style));
    }

    fn count(&mut self, one: &'static str, many: &'static str, count: u64) {
        let phrase = Phrase::new(if count == 1 { one } else { many }).with("count", count);
        self.add(self.look.say(&phrase), self.look.theme.dim);
    }
}
