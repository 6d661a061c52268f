//! What stands below a call: its output, its diff, its checklist, or why it failed.

use super::{Tool, ToolState};
use crate::cells::sheet::Sheet;
use crate::text::{diff, neutral, output, without_mark};
use ratatui_core::style::{Modifier, Style};
use reasonix_proto::{DecidedBy, Details, Phrase, TodoPhase, TodoStatus, ToolOutcome, tools};
use reasonix_words::{Lang, outcome_told, retold};

/// Lines of output from its beginning and from its end: below a call that went well, below one that did not, and below a
/// command of the user's own.
const OUTPUT_LINES: (usize, usize) = (5, 5);
const FAILED_LINES: (usize, usize) = (4, 12);
const OWN_LINES: (usize, usize) = (20, 20);
/// Lines of a diff.
const DIFF_LINES: usize = 24;
/// Lines while it runs or is written.
const LIVE_LINES: usize = 5;
/// Lines of anything when everything is shown.
const OPEN_LINES: usize = 2000;

pub(super) fn draw(tool: &Tool, sheet: &mut Sheet<'_>) {
    let theme = &sheet.view.look.theme;
    if sheet.view.open && tool.subject.trim().contains('\n') {
        sheet.below(&neutral(tool.subject.trim()), 0, theme.subject);
    }
    match &tool.state {
        ToolState::Drafting => {
            if let Some(field) = tool.draft.as_deref().and_then(super::Draft::longest) {
                let text = neutral(&field.tail).into_owned();
                last_lines(sheet, &text, 3, theme.output);
            }
        }
        ToolState::Ready | ToolState::Asked => {}
        ToolState::Running(_) => {
            if let Some(tail) = &tool.tail {
                for line in tail.last(LIVE_LINES) {
                    sheet.cut(&line, theme.output);
                }
            }
        }
        ToolState::Ended { outcome, .. } => ended(tool, outcome, sheet),
    }
    if let Some(rule) = &tool.granted {
        let code = if tool.saved { "tui.granted_here" } else { "tui.granted" };
        let text = sheet.view.look.say(&Phrase { code: code.into(), args: Vec::new() }.with("rule", neutral(rule)));
        sheet.cut(&text, theme.dim);
    }
}

fn ended(tool: &Tool, outcome: &ToolOutcome, sheet: &mut Sheet<'_>) {
    let (look, theme) = (sheet.view.look, &sheet.view.look.theme);
    match outcome {
        ToolOutcome::Done { content, details } => done(tool, &content.words(), details, sheet),
        // What the model is advised to do is of interest to whoever looks closely, and reads English.
        ToolOutcome::Failed { message, hint, .. } => {
            let message = retold(look.lang, message);
            sheet.below(
                &first_lines(&message, if sheet.view.open { OPEN_LINES } else { FAILED_LINES.1 }),
                0,
                theme.text,
            );
            let hint = hint.as_ref().filter(|_| sheet.view.open && look.lang == Lang::En);
            if let Some(hint) = hint {
                sheet.below(&format!("{}{}", look.word("tui.label_hint"), neutral(hint.trim())), 0, theme.dim);
            }
        }
        // What the user decided is not told them in words for the model.
        ToolOutcome::Denied { by } => match &tool.refused {
            Some(DecidedBy::User) => {
                let said =
                    tool.words.as_deref().map(|words| Phrase::new("tui.refused.said").with("words", neutral(words)));
                let phrase = said.unwrap_or_else(|| Phrase::new("tui.refused.user"));
                sheet.below(&look.say(&phrase), 0, theme.text);
            }
            Some(by) => sheet.below(&look.say(&reasonix_proto::refusal(by)), 0, theme.text),
            None => sheet.below(&first_lines(by, FAILED_LINES.1), 0, theme.text),
        },
        ToolOutcome::Aborted => {}
    }
}

fn done(tool: &Tool, content: &str, details: &Details, sheet: &mut Sheet<'_>) {
    let theme = &sheet.view.look.theme;
    if let Some(phases) = &details.todo {
        return checklist(phases, sheet);
    }
    if !details.changes.is_empty() {
        return changes(details, sheet);
    }
    if &*tool.name == tools::ASK {
        return answers(content, sheet);
    }
    let failed = details.exit_code.is_some_and(|code| code != 0);
    let ends = match (sheet.view.open, &*tool.name, failed) {
        (true, ..) => (OPEN_LINES / 2, OPEN_LINES / 2),
        _ if tool.own => OWN_LINES,
        (false, _, true) => FAILED_LINES,
        (false, tools::BASH, false) => OUTPUT_LINES,
        _ => (0, 0),
    };
    if ends.1 > 0 {
        let text = output(&outcome_told(sheet.view.look.lang, content, details)).into_owned();
        both_ends(sheet, tool, &text, ends);
    }
    for note in &details.notes {
        let text = neutral(&sheet.view.look.say(note)).into_owned();
        sheet.below(&text, 0, theme.text);
    }
    if let Some(artifact) = details.artifact.as_ref().filter(|_| sheet.view.open) {
        let phrase = Phrase::new("tui.artifact").with("uri", neutral(&artifact.uri)).with("lines", artifact.lines);
        let text = sheet.view.look.say(&phrase);
        sheet.below(&text, 0, theme.dim);
    }
}

/// A question and its answer in a line: no colon stands behind a question mark.
fn answer_told(lang: Lang, line: &str) -> std::borrow::Cow<'_, str> {
    match line.split_once("？: ").filter(|_| lang == Lang::Zh) {
        Some((question, answer)) => format!("{question}？{answer}").into(),
        None => line.into(),
    }
}

/// What the user answered, without the words around it that are for the model.
fn answers(content: &str, sheet: &mut Sheet<'_>) {
    let theme = &sheet.view.look.theme;
    let bare = ["User selected: ", "User provided custom input: ", "User answers:\n"];
    match bare.iter().find_map(|before| content.strip_prefix(before)) {
        Some(said) => {
            for line in neutral(said.trim()).lines() {
                sheet.below(&answer_told(sheet.view.look.lang, line), 2, theme.text);
            }
        }
        None => sheet.below(&sheet.view.look.word("tui.question.open"), 0, theme.dim),
    }
}

fn last_lines(sheet: &mut Sheet<'_>, text: &str, most: usize, style: Style) {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let skip = lines.len().saturating_sub(most);
    lines.into_iter().skip(skip).for_each(|line| one_line(sheet, line, style));
}

/// The beginning and the end of what a call printed, and how many lines stand between them. One line is not worth saying
/// that it is left out.
fn both_ends(sheet: &mut Sheet<'_>, tool: &Tool, text: &str, (first, last): (usize, usize)) {
    let style = sheet.view.look.theme.output;
    let ToolState::Ended { lines: all, gap, .. } = &tool.state else { return };
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let all = usize::try_from(*all).unwrap_or(usize::MAX).max(lines.len());
    let first = first.min(gap.unwrap_or(usize::MAX));
    let last = last.min(lines.len().saturating_sub(gap.unwrap_or(0)));
    if all <= first + last + 1 && all == lines.len() {
        return lines.into_iter().for_each(|line| one_line(sheet, line, style));
    }
    let (first, last) = (first.min(lines.len()), last.min(lines.len().saturating_sub(first)));
    lines.iter().take(first).for_each(|line| one_line(sheet, line, style));
    more(sheet, all - first - last);
    lines.iter().skip(lines.len() - last).for_each(|line| one_line(sheet, line, style));
}

fn one_line(sheet: &mut Sheet<'_>, line: &str, style: Style) {
    if sheet.view.open {
        sheet.below(if line.is_empty() { " " } else { line }, 0, style);
    } else {
        sheet.cut(line, style);
    }
}

/// How many lines are not shown, and how they are.
fn more(sheet: &mut Sheet<'_>, count: usize) {
    let code = if sheet.view.open { "tui.left_out" } else { "tui.left_out_folded" };
    let text = sheet.view.look.say(&Phrase::new(code).with("count", count));
    sheet.cut(&text, sheet.view.look.theme.dim);
}

fn changes(details: &Details, sheet: &mut Sheet<'_>) {
    let look = sheet.view.look;
    let margin = if sheet.margin() == 0 { 0 } else { 2 };
    let width = sheet.inner() - margin;
    let several = details.changes.len() > 1;
    let most = if sheet.view.open { OPEN_LINES } else { DIFF_LINES };
    let mut room = most;
    for change in &details.changes {
        if several {
            let head = format!("{} +{} −{}", neutral(&change.path), change.added, change.removed);
            sheet.cut(&head, look.theme.subject);
        }
        let mut lines = Vec::new();
        let text = without_mark(&change.diff);
        let left_out = diff(text, &change.path, width, look, room, &mut lines);
        room = room.saturating_sub(lines.len()).max(3);
        let pad = " ".repeat(usize::from(margin));
        for line in &mut lines {
            line.spans.insert(0, pad.clone().into());
        }
        sheet.inset(lines);
        // What is kept of a long diff is its beginning.
        let kept = |line: &&str| line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---");
        let kept = text.lines().filter(kept).count();
        let left_out = left_out + ((change.added + change.removed) as usize).saturating_sub(kept);
        if left_out > 0 {
            more(sheet, left_out);
        }
    }
}

/// A checklist, as the todo tools show it.
fn checklist(phases: &[TodoPhase], sheet: &mut Sheet<'_>) {
    let theme = &sheet.view.look.theme;
    let named = phases.len() > 1;
    for phase in phases.iter().filter(|phase| !phase.tasks.is_empty()) {
        if named {
            let name = retold(sheet.view.look.lang, &phase.name);
            sheet.below(&neutral(&name), 0, theme.strong);
        }
        for item in &phase.tasks {
            let (mark, style) = match item.status {
                TodoStatus::Pending => ("[ ]", theme.text),
                TodoStatus::InProgress => ("[~]", theme.accent.add_modifier(Modifier::BOLD)),
                TodoStatus::Completed => ("[x]", theme.dim),
                TodoStatus::Abandoned => ("[-]", theme.dim.add_modifier(Modifier::CROSSED_OUT)),
            };
            sheet.below(&format!("{mark} {}", neutral(&item.content).replace('\n', " ")), 4, style);
            for note in &item.notes {
                let note = retold(sheet.view.look.lang, note);
                sheet.below(&format!("    > {}", neutral(&note).replace('\n', " ")), 6, theme.dim);
            }
        }
    }
}

fn first_lines(text: &str, most: usize) -> String {
    let lines: Vec<&str> = text.trim().lines().take(most).collect();
    neutral(&lines.join("\n")).into_owned()
}
