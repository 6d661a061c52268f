//! What a question is about: what it is and why it is dangerous in a few rows that are always there, and the whole of it in
//! as many as it takes.

use crate::Look;
use crate::overlays::{block, rule};
use crate::text::cut;
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};
use reasonix_proto::{Asking, Change, ChangeKind, Danger, Phrase, folded, visible};

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
        let (mut titles, mut dangers) = (0, 0);
        for said in said(asking, width, look) {
            let before = rows.len();
            bounded(&mut rows, &said, width);
            match said.part {
                Part::Title => titles += rows.len() - before,
                Part::Danger => dangers += rows.len() - before,
                Part::Other => {}
            }
        }
        Head { rows, dangers, titles, style }
    }

    /// Draws the whole of it; a long diff once, not with every frame. True when its rows are other ones now.
    pub(super) fn draw(&mut self, asking: &Asking, width: u16, look: &Look) -> bool {
        let same = self.body.as_ref().is_some_and(|(at, with, _)| *at == width && with == look);
        if !same {
            self.body = Some((width, look.clone(), body(asking, width, look)));
        }
        !same
    }

    /// The rows that were drawn.
    pub(super) fn rows(&self) -> &[Line<'static>] {
        self.body.as_ref().map_or(&[], |(_, _, rows)| rows)
    }
}

/// One thing that the head says.
struct Said {
    part: Part,
    text: String,
    style: Style,
}

#[derive(PartialEq, Eq)]
enum Part {
    Title,
    Danger,
    Other,
}

/// Everything that the head says, in the order of its weight.
fn said(asking: &Asking, width: u16, look: &Look) -> Vec<Said> {
    let theme = &look.theme;
    let style = if asking.danger.is_empty() { theme.warn } else { theme.bad };
    let title = Said { part: Part::Title, text: title(asking, look), style: style.add_modifier(Modifier::BOLD) };
    let mut all = vec![title];
    let danger = |text: String| Said { part: Part::Danger, text, style: theme.bad };
    all.extend(asking.danger.iter().take(MOST_DANGERS).map(|found| danger(reason(found, look))));
    if asking.danger.len() > MOST_DANGERS {
        all.push(danger(format!("! … +{}", asking.danger.len() - MOST_DANGERS)));
    }
    let other = |text: String, style| Said { part: Part::Other, text, style };
    if let Some(child) = &asking.child {
        all.push(other(look.say(&Phrase::new("tui.ask.child").with("child", child)), theme.text));
    }
    if let Some(command) = &asking.command {
        let shown = folded(&visible(command)).into_owned();
        all.push(other(look.say(&Phrase::new("tui.ask.wanted_by").with("command", shown)), theme.text));
    }
    if asking.diff.as_deref().is_some_and(is_cut) {
        all.push(other(look.word("tui.ask.cut"), theme.bad));
    }
    let why = look.say(&asking.why);
    let digest: String = asking.digest.chars().take(12).collect();
    let signed = other(format!("{why} · {digest}"), theme.dim);
    let fits = !digest.is_empty() && rows_of(&signed, width).len() <= LONGEST;
    all.push(if fits { signed } else { other(why, theme.dim) });
    all
}

/// Why it is dangerous, and what it would touch.
fn reason(danger: &Danger, look: &Look) -> String {
    let why = look.say(&danger.why);
    if danger.touches.is_empty() {
        return format!("! {why}");
    }
    let touches = Phrase::new("tui.ask.touches").with("what", danger.touches.join(", "));
    folded(&format!("! {why} · {}", look.say(&touches))).into_owned()
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
    for said in said(asking, width, look).iter().filter(|said| rows_of(said, width).len() > LONGEST) {
        block(&mut lines, &said.text, width, said.style);
    }
    for danger in asking.danger.iter().skip(MOST_DANGERS) {
        block(&mut lines, &reason(danger, look), width, look.theme.bad);
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
        [] if asking.tool == reasonix_proto::tools::BASH => Some(Phrase::new("tui.ask.runs")),
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
    let shown = |path: &str| visible(path).into_owned();
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

/// All rows of what the head says; a line end is a sign there.
fn rows_of(said: &Said, width: u16) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    block(&mut rows, &said.text.replace('\n', " ⏎ "), width, said.style);
    rows
}

/// The same in at most a few rows; what is cut ends in dots.
fn bounded(lines: &mut Vec<Line<'static>>, said: &Said, width: u16) {
    let mut rows = rows_of(said, width);
    let long = rows.len() > LONGEST;
    rows.truncate(LONGEST);
    if let Some(last) = rows.last_mut().filter(|_| long) {
        let room = usize::from(width).saturating_sub(1);
        let whole = cut(&last.to_string(), room).to_owned();
        *last = Line::styled(format!("{whole}…"), said.style);
    }
    lines.append(&mut rows);
}
