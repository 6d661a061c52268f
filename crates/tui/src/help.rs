//! The help on the whole screen: how to write, every command, every key.

use crate::app::{App, ScreenEffect};
use crate::commands::matching;
use crate::keys::KeyAction;
use crate::overlays::{Overlay, Pager};
use crate::text::{columns, wrap};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use reasonix_proto::Phrase;

/// What stands on the left takes no more columns than this.
const LEFT: usize = 34;

/// Opens all of it.
pub(crate) fn help(app: &mut App) -> Vec<ScreenEffect> {
    let look = &app.look;
    let title = |code| Line::styled(look.word(code), look.theme.accent);
    let mut lines = vec![title("tui.help.writing")];
    lines.extend(look.word("tui.help.text").lines().map(|line| Line::styled(format!("  {line}"), look.theme.text)));
    lines.extend([Line::default(), title("tui.help.commands")]);
    let commands = matching(app, "").into_iter().map(|entry| (entry.text.trim_end().to_owned(), entry.note)).collect();
    lines.extend(in_columns(app, commands, look.theme.dim));
    lines.extend([Line::default(), title("tui.help.keys")]);
    lines.extend(key_lines(app));
    app.overlays.push(Overlay::Pager(Box::new(Pager::new(Phrase::new("tui.help"), lines, false))));
    Vec::new()
}

/// Opens the keys alone.
pub(crate) fn keys(app: &mut App) -> Vec<ScreenEffect> {
    let lines = key_lines(app);
    app.overlays.push(Overlay::Pager(Box::new(Pager::new(Phrase::new("tui.help.keys"), lines, false))));
    Vec::new()
}

fn key_lines(app: &App) -> Vec<Line<'static>> {
    let look = &app.look;
    let row = |action: KeyAction| {
        let keys: Vec<String> = app.keys.keys(action).iter().map(ToString::to_string).collect();
        let keys = if keys.is_empty() { "—".to_owned() } else { keys.join(", ") };
        let about = look.say(&action.about());
        // Whoever binds keys needs the names of the actions; who has no room for them reads docs/tui.md.
        let name = if app.size.0 > 110 { format!("{:<24} ", action.name()) } else { String::new() };
        (keys, format!("{name}{about}"))
    };
    in_columns(app, KeyAction::all().map(row).collect(), look.theme.text)
}

/// Two columns: the right one is wrapped within itself, or stands below the left one where there is no room beside it.
fn in_columns(app: &App, rows: Vec<(String, String)>, style: Style) -> Vec<Line<'static>> {
    let look = &app.look;
    let width = usize::from(app.size.0);
    let widest = rows.iter().map(|(left, _)| columns(left)).filter(|left| *left <= LEFT).max().unwrap_or(0);
    let beside = width >= widest + 26;
    let indent = if beside { widest + 4 } else { 6 };
    let room = u16::try_from(width.saturating_sub(indent)).unwrap_or(u16::MAX).max(1);
    let mut lines = Vec::new();
    for (left, right) in rows {
        let fits = beside && columns(&left) <= widest;
        let mut first = Some(Span::styled(format!("  {left}"), look.theme.text)).into_iter();
        if !fits {
            lines.push(Line::from(first.next().unwrap_or_default()));
        }
        for piece in wrap(&Line::styled(right, style), room) {
            let mut spans: Vec<Span<'static>> = first.next().into_iter().collect();
            let used: usize = spans.iter().map(|span| columns(&span.content)).sum();
            spans.push(Span::raw(" ".repeat(indent.saturating_sub(used))));
            spans.extend(piece.spans.into_iter().map(|span| Span::styled(span.content, piece.style.patch(span.style))));
            lines.push(Line::from(spans));
        }
    }
    lines
}

/// What a word of a command means, where it does not say so itself.
pub fn meaning_of(command: &str, word: &str) -> Option<&'static str> {
    Some(match (command, word) {
        ("mode", "ask") => "tui.means.ask",
        ("mode", "auto") => "tui.means.auto",
        ("mode", "yolo") => "tui.means.yolo",
        ("mode", "plan") => "tui.means.plan",
        _ => return None,
    })
}

/// The same, for people; empty where there is nothing to say.
pub(crate) fn meaning(look: &crate::Look, command: &str, word: &str) -> String {
    meaning_of(command, word).map(|code| look.word(code)).unwrap_or_default()
}
