//! What a question is about: what it is and why it is dangerous in a few rows that are always there, and the whole of it in
//! as many as it takes.

use crate::Look;
use crate::overlays::{block, rule};
use crate::text::{columns, cut};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};
use reasonix_proto::{Asking, Change, ChangeKind, Phrase, folded};

/// So many reasons have rows of their own above the text; the rest is below it.
const MOST_DANGERS: usize = 3;
/// No row of the head goes on for longer than this.
const LONGEST: usize = 2;

/// The rows of the text, kept for as long as the screen stays the same.
#[derive(Debug, Default)]
pub(super) struct About {
    body: Option<(u16, Look, Vec<Line<'static>>)>,
}

/// The rows that are always there.
pub(super) struct Head {
    /// Title, dangers, and everything else in the order of its weight.
    pub(super) rows: Vec<Line<'static>>,
    /// How many rows tell why it is dangerous.
    pub(super) dangers: usize,
    titles: usize,
    style: Style,
}

impl Head {
    /// All of it below a line across the screen.
    pub(super) fn whole(&self, width: u16, look: &Look) -> Vec<Line<'static>> {
        let mut lines = vec![rule(width, look, self.style)];
        lines.extend(self.rows.iter().cloned());
        lines
    }

    /// Where there is little room the reasons come first.
    pub(super) fn cramped(&self) -> Vec<Line<'static>> {
        let mut lines = self.rows.clone();
        let titles = lines.drain(..self.titles.min(self.rows.len())).collect::<Vec<_>>();
        let at = self.dangers.min(lines.len());
        lines.splice(at..at, titles);
        lines
    }
}

impl About {
    pub(super) fn head(&self, asking: &Asking, width: u16, look: &Look) -> Head {
        let style = if asking.danger.is_empty() { look.theme.warn } else { look.theme.bad };
        let mut rows = Vec::new();
        let title = title(asking, look);
        bounded(&mut rows, &title, width, style.add_modifier(Modifier::BOLD));
        let titles = rows.len();
        for danger in asking.danger.iter().take(MOST_DANGERS) {
            let touches = match danger.touches.is_empty() {
                true => String::new(),
                false => {
                    let phrase = Phrase::new("tui.ask.touches").with("what", danger.touches.join(", "));
                    format!(" · {}", look.say(&phrase))
                }
            };
            let text = folded(&format!("! {}{touches}", look.say(&danger.why))).replace('\n', " ⏎ ");
            bounded(&mut rows, &text, width, look.theme.bad);
        }
        if asking.danger.len() > MOST_DANGERS {
            let text = format!("! … +{}", asking.danger.len() - MOST_DANGERS);
            bounded(&mut rows, &text, width, look.theme.bad);
        }
        let dangers = rows.len() - titles;
        if let Some(command) = &asking.command {
            let shown = folded(&reasonix_proto::visible(command)).replace('\n', " ⏎ ");
            let text = look.say(&Phrase::new("tui.ask.wanted_by").with("command", shown));
            bounded(&mut rows, &text, width, look.theme.text);
        }
        if asking.diff.as_deref().is_some_and(is_cut) {
            bounded(&mut rows, &look.word("tui.ask.cut"), width, look.theme.bad);
        }
        let why = look.say(&asking.why);
        let digest: String = asking.digest.chars().take(12).collect();
        let sign = if digest.is_empty() { why } else { format!("{why} · {digest}") };
        bounded(&mut rows, &sign, width, look.theme.dim);
        Head { rows, dangers, titles, style }
    }

    /// Draws the whole of it; a long diff once, not with every frame.
    pub(super) fn draw(&mut self, asking: &Asking, width: u16, look: &Look) {
        let same = self.body.as_ref().is_some_and(|(at, with, _)| *at == width && with == look);
        if !same {
            self.body = Some((width, look.clone(), body(asking, width, look)));
        }
    }

    /// The rows that were drawn.
    pub(super) fn rows(&self) -> &[Line<'static>] {
        self.body.as_ref().map_or(&[], |(_, _, rows)| rows)
    }
}

fn body(asking: &Asking, width: u16, look: &Look) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let subject = asking.visible.as_ref().unwrap_or(&asking.subject);
    if asking.changes.len() > 1 {
        for change in &asking.changes {
            block(&mut lines, &look.say(&changed(change)), width, look.theme.text);
        }
    } else if asking.changes.is_empty() && asking.command.is_none() {
        block(&mut lines, &folded(subject), width, look.theme.text);
    }
    if asking.visible.is_some() {
        block(&mut lines, &look.word("tui.ask.hidden"), width, look.theme.bad);
    }
    // What had no room above is here, to its end.
    if let Some(command) = &asking.command {
        let shown = reasonix_proto::visible(command);
        let text = folded(&shown);
        if text.contains('\n') || columns(&text) + 24 > usize::from(width) * LONGEST {
            block(&mut lines, &text, width, look.theme.text);
        }
    }
    for danger in asking.danger.iter().skip(MOST_DANGERS) {
        block(&mut lines, &format!("! {}", look.say(&danger.why)), width, look.theme.bad);
    }
    for danger in &asking.danger {
        let text = look.say(&Phrase::new("tui.ask.touches").with("what", danger.touches.join(", ")));
        if columns(&look.say(&danger.why)) + columns(&text) + 16 > usize::from(width) * LONGEST {
            block(&mut lines, &folded(&text), width, look.theme.bad);
        }
    }
    // A long command is there already, to its end.
    let begins = |value: &str| value.rsplit_once("… (").is_some_and(|(first, _)| subject.contains(first));
    let known = |value: &str| value == subject || begins(value);
    for field in asking.fields.iter().filter(|field| asking.diff.is_none() && !known(&field.value)) {
        block(&mut lines, &folded(&format!("{}: {}", field.name, field.value)), width, look.theme.dim);
    }
    if let Some(diff) = &asking.diff {
        let margin = if width > 24 { 2 } else { 0 };
        let mut drawn = Vec::new();
        crate::text::diff(diff, &asking.subject, width - margin, look, usize::MAX, &mut drawn);
        for line in &mut drawn {
            line.spans.insert(0, Span::raw(" ".repeat(usize::from(margin))));
        }
        lines.append(&mut drawn);
    }
    lines
}

fn title(asking: &Asking, look: &Look) -> String {
    let title = look.say(&Phrase::new("tui.ask.title").with("tool", &asking.tool));
    match what(asking) {
        Some(what) => format!("{title} {}", look.say(&what)),
        None => title,
    }
}

/// What a call is, in a sentence: created, changed, deleted, moved or run, and how much. None where its name says it all.
pub fn what(asking: &Asking) -> Option<Phrase> {
    match asking.changes.as_slice() {
        [] if asking.command.is_some() => Some(Phrase::new("tui.ask.reaches").with("host", &asking.subject)),
        [] if asking.tool == "bash" => Some(Phrase::new("tui.ask.runs")),
        [] => None,
        [change] => Some(changed(change)),
        changes => Some(several(changes)),
    }
}

fn changed(change: &Change) -> Phrase {
    let code = match &change.kind {
        ChangeKind::Created => "tui.ask.creates",
        ChangeKind::Updated => "tui.ask.changes",
        ChangeKind::Deleted => "tui.ask.deletes",
        ChangeKind::Moved { .. } => "tui.ask.moves",
        ChangeKind::Unchanged => "tui.ask.leaves",
    };
    let from = match &change.kind {
        ChangeKind::Moved { from } => from.as_str(),
        _ => "",
    };
    let shown = |path: &str| reasonix_proto::visible(path).into_owned();
    let phrase = Phrase::new(code).with("path", shown(&change.path));
    let phrase = if from.is_empty() { phrase } else { phrase.with("from", shown(from)) };
    phrase.with("added", change.added).with("removed", change.removed)
}

fn several(changes: &[Change]) -> Phrase {
    let count = |is: fn(&ChangeKind) -> bool| changes.iter().filter(|change| is(&change.kind)).count();
    Phrase::new("tui.ask.several")
        .with("created", count(|kind| matches!(kind, ChangeKind::Created)))
        .with("updated", count(|kind| matches!(kind, ChangeKind::Updated | ChangeKind::Unchanged)))
        .with("deleted", count(|kind| matches!(kind, ChangeKind::Deleted)))
        .with("moved", count(|kind| matches!(kind, ChangeKind::Moved { .. })))
        .with("added", changes.iter().map(|change| u64::from(change.added)).sum::<u64>())
        .with("removed", changes.iter().map(|change| u64::from(change.removed)).sum::<u64>())
}

/// True when a diff says itself that it does not show everything.
fn is_cut(diff: &str) -> bool {
    let says =
        |line: &str| line.starts_with('[') && (line.ends_with(" more diff lines]") || line.ends_with(" more files]"));
    diff.lines().any(says)
}

/// A text in at most a few rows; what is cut ends in dots.
fn bounded(lines: &mut Vec<Line<'static>>, text: &str, width: u16, style: Style) {
    let mut rows = Vec::new();
    block(&mut rows, text, width, style);
    let long = rows.len() > LONGEST;
    rows.truncate(LONGEST);
    if let Some(last) = rows.last_mut().filter(|_| long) {
        let room = usize::from(width).saturating_sub(1);
        let whole = cut(&last.to_string(), room).to_owned();
        *last = Line::styled(format!("{whole}…"), style);
    }
    lines.append(&mut rows);
}
