//! The lines that show a tool call and what it came to. Pure: text in, lines out.

use crate::say::{Colour, Style, clean};
use reasonix_proto::{Change, ChangeKind, Details, Phrase, TodoPhase, TodoStatus, ToolOutcome, tools};
use reasonix_words::Lang;

/// Lines of output, diff or list that are shown below a call.
const MOST_LINES: usize = 12;
/// The longest line that is shown.
const LONGEST: usize = 160;

/// The line that says a call begins.
pub(crate) fn start_line(style: Style, tool: &str, subject: &str) -> String {
    let label = style.err(Colour::Cyan, &style.text(&Phrase::new("cli.label_tool")));
    let prompt = if tool == tools::BASH { "$ " } else { "" };
    let subject = reasonix_words::subject_told(style.lang, tool, subject);
    let subject = clean(&one_line(&subject));
    format!("{label}   {} {prompt}{subject}", style.err(Colour::Bold, tool)).trim_end().to_owned()
}

/// What a call is about, told from what the model wrote: for calls that never came to run.
pub(crate) fn about(arguments: &str) -> String {
    let read = serde_json::from_str::<serde_json::Value>(arguments).ok();
    let told = ["command", "path", "pattern", "query", "name"]
        .iter()
        .find_map(|name| Some(read.as_ref()?.get(name)?.as_str()?.to_owned()));
    told.unwrap_or_else(|| arguments.to_owned())
}

/// A call in a few words, without colours.
pub(crate) fn short_title(tool: &str, subject: &str) -> String {
    format!("{tool} {}", one_line(subject)).trim_end().to_owned()
}

/// The lines that say what a call came to.
/// `refused` is who or what refused it.
pub(crate) fn end_lines(
    style: Style,
    tool: &str,
    took_ms: u64,
    outcome: &ToolOutcome,
    refused: Option<&reasonix_proto::DecidedBy>,
) -> Vec<String> {
    match outcome {
        ToolOutcome::Done { content, details } => done(style, tool, took_ms, &content.words(), details),
        // The hint is advice for the model.
        ToolOutcome::Failed { message, .. } => {
            let failed = style.text(&Phrase::new("cli.tool_failed"));
            let failed = format!("{}{}", style.err(Colour::Red, &failed), style.colon());
            let message = reasonix_words::retold(style.lang, message);
            let mut lines = vec![format!("     └ {failed}{}", clean(&one_line(&message)))];
            lines.extend(message.lines().skip(1).take(MOST_LINES).map(|line| below(style, line)));
            lines
        }
        ToolOutcome::Denied { by } => {
            let blocked = style.text(&Phrase::new("cli.tool_blocked"));
            let why = refused.map_or_else(|| one_line(by), |by| style.text(&reasonix_proto::refusal(by)));
            vec![format!("     └ {}{}{}", style.err(Colour::Yellow, &blocked), style.colon(), clean(&why))]
        }
        ToolOutcome::Aborted => {
            let aborted = style.text(&Phrase::new("cli.tool_aborted"));
            vec![result(&style.err(Colour::Yellow, &aborted), "")]
        }
    }
}

fn done(style: Style, tool: &str, took_ms: u64, content: &str, details: &Details) -> Vec<String> {
    let mut lines = Vec::new();
    if !details.changes.is_empty() {
        for change in &details.changes {
            lines.push(result(&style.err(Colour::Green, &style.text(&change_phrase(change))), &clean(&change.path)));
            lines.extend(cut_diff(style, &change.diff, (change.added + change.removed) as usize));
        }
        return lines;
    }
    if details.assumed {
        let text = style.text(&Phrase::new("tui.assumed"));
        return vec![style.err(Colour::Yellow, &format!("     └ {text}"))];
    }
    if let Some(phases) = &details.todo {
        return todo_lines(style.lang, phases).into_iter().map(|line| format!("       {}", clean(&line))).collect();
    }
    // Subagents that were stopped, or came to nothing, are told of all the same.
    if tool == tools::TASK && details.count == Some(0) {
        let nothing = style.text(&Phrase::new("cli.tool_nothing"));
        return vec![result(&style.err(Colour::Yellow, &nothing), "")];
    }
    let good = details.exit_code.is_none_or(|code| code == 0);
    let status = match details.exit_code {
        Some(code) if code != 0 => style.text(&Phrase::new("cli.tool_exit").with("code", code)),
        _ => style.text(&Phrase::new("cli.tool_ok")),
    };
    let content = &*reasonix_words::outcome_told(style.lang, content, details);
    let count = content.lines().count();
    let all = details.artifact.as_ref().map_or(count, |whole| usize::try_from(whole.lines).unwrap_or(count)).max(count);
    let shown = details.count.unwrap_or(all as u64);
    let code = if shown == 1 { "cli.tool_line" } else { "cli.tool_lines" };
    let size = style.text(&Phrase::new(code).with("count", shown));
    let status = style.err(if good { Colour::Green } else { Colour::Red }, &status);
    lines.push(format!("     └ {}", [status, size, seconds(took_ms)].join(style.comma())));
    if tool == tools::BASH {
        lines.extend(both_ends(style, content, all));
    }
    lines.extend(
        details.notes.iter().map(|note| style.err(Colour::Yellow, &format!("       {}", clean(&style.text(note))))),
    );
    lines
}

/// The beginning and the end of an output, and how many lines stand between them.
fn both_ends(style: Style, content: &str, all: usize) -> Vec<String> {
    let lines: Vec<String> = content.lines().map(|line| below(style, line)).collect();
    if all <= MOST_LINES {
        return lines;
    }
    let (first, last) = (MOST_LINES / 2, MOST_LINES - MOST_LINES / 2);
    let between = style.text(&Phrase::new("cli.more_lines").with("count", all - MOST_LINES));
    let ends = lines.iter().skip(lines.len().saturating_sub(last)).cloned();
    lines.iter().take(first).cloned().chain([below(style, &between)]).chain(ends).collect()
}

fn change_phrase(change: &Change) -> Phrase {
    let code = match &change.kind {
        ChangeKind::Created => "cli.change_created",
        ChangeKind::Updated => "cli.change_updated",
        ChangeKind::Unchanged => "cli.change_unchanged",
        ChangeKind::Deleted => "cli.change_deleted",
        ChangeKind::Moved { from } => return Phrase::new("cli.change_moved").with("from", from),
    };
    Phrase::new(code).with("added", change.added).with("removed", change.removed)
}

/// A diff without its header, coloured.
pub(crate) fn diff_lines(style: Style, diff: &str) -> Vec<String> {
    cut_diff(style, diff, 0)
}

/// The same of a diff of which only the beginning may be kept: so many lines changed in all.
fn cut_diff(style: Style, diff: &str, changed: usize) -> Vec<String> {
    let diff = reasonix_tui::text::without_mark(diff);
    let body: Vec<&str> = diff.lines().filter(|line| !line.starts_with("---") && !line.starts_with("+++")).collect();
    let mut lines: Vec<String> = body.iter().take(MOST_LINES * 2).map(|line| diff_line(style, line)).collect();
    let kept = body.iter().filter(|line| line.starts_with(['+', '-'])).count();
    let more = body.len().saturating_sub(MOST_LINES * 2) + changed.saturating_sub(kept);
    if more > 0 {
        lines.push(below(style, &style.text(&Phrase::new("cli.more_lines").with("count", more))));
    }
    lines
}

/// All of a diff, for whoever has to say yes to it.
pub(crate) fn whole_diff_lines(style: Style, diff: &str) -> Vec<String> {
    // A line that was removed may look like a header: nothing is left out.
    diff.lines().map(|line| coloured(style, line, format!("       {}", clean(line)))).collect()
}

fn diff_line(style: Style, line: &str) -> String {
    coloured(style, line, format!("       {}", cut(&clean(line))))
}

fn coloured(style: Style, line: &str, text: String) -> String {
    match line.bytes().next() {
        Some(b'+') => style.err(Colour::Green, &text),
        Some(b'-') => style.err(Colour::Red, &text),
        Some(b'@') => style.err(Colour::Cyan, &text),
        _ => text,
    }
}

/// A todo list as a checklist.
pub(crate) fn todo_lines(lang: Lang, phases: &[TodoPhase]) -> Vec<String> {
    let mut lines = Vec::new();
    for phase in phases {
        if phases.len() > 1 {
            let colon = if lang == Lang::Zh { "：" } else { ":" };
            lines.push(format!("{}{colon}", reasonix_words::retold(lang, &phase.name)));
        }
        lines.extend(phase.tasks.iter().map(|task| {
            let mark = match task.status {
                TodoStatus::Pending => ' ',
                TodoStatus::InProgress => '~',
                TodoStatus::Completed => 'x',
                TodoStatus::Abandoned => '-',
            };
            format!("[{mark}] {}", task.content)
        }));
    }
    lines
}

fn result(status: &str, text: &str) -> String {
    format!("     └ {status} {text}").trim_end().to_owned()
}

fn below(style: Style, line: &str) -> String {
    style.err(Colour::Dim, &format!("       {}", cut(&clean(line))))
}

fn one_line(text: &str) -> String {
    let mut lines = text.trim().lines();
    let first = lines.next().unwrap_or_default();
    let more = lines.count();
    if more > 0 { format!("{} … (+{more})", cut(first)) } else { cut(first) }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line.to_owned(),
    }
}

fn seconds(took_ms: u64) -> String {
    if took_ms < 1000 { format!("{took_ms} ms") } else { format!("{}.{} s", took_ms / 1000, took_ms % 1000 / 100) }
}
