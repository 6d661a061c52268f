//! What is on the screen, from the state alone.

use crate::act::waits_for;
use crate::app::App;
use crate::keys::KeyAction;
use crate::overlays::rule;
use crate::text::{columns, cut, neutral};
use ratatui_core::text::{Line, Span};
use reasonix_proto::Phrase;

/// A frame: what becomes final, what stays live, and the caret.
#[derive(Debug, Default)]
pub struct Picture {
    /// Lines for the terminal's own scrollback.
    pub finished: Vec<Line<'static>>,
    /// The live rows, or all rows when it is full.
    pub live: Vec<Line<'static>>,
    /// Column and row of the caret in them.
    pub caret: Option<(u16, u16)>,
    /// True when it takes the whole screen.
    pub full: bool,
}

/// Waiting messages that are shown.
const MOST_QUEUED: usize = 3;

/// Makes the picture.
pub fn view(app: &mut App) -> Picture {
    let mut picture = compose(app);
    let width = app.size.0.max(1);
    picture.live.iter_mut().for_each(|line| fit(line, width));
    // On a screen of few rows the last ones are shown, but never without the caret's.
    let extra = picture.live.len().saturating_sub(usize::from(app.size.1.max(1)));
    let first = picture.caret.map_or(extra, |(_, row)| extra.min(usize::from(row)));
    picture.live.drain(..first);
    picture.live.truncate(usize::from(app.size.1.max(1)));
    let gone = u16::try_from(first).unwrap_or(u16::MAX);
    picture.caret = picture.caret.map(|(column, row)| (column.min(width - 1), row.saturating_sub(gone)));
    picture
}

/// Cuts a line that has no room; what must be read whole was wrapped before.
fn fit(line: &mut Line<'static>, width: u16) {
    let mut room = usize::from(width);
    for span in &mut line.spans {
        if columns(&span.content) > room {
            span.content = cut(&span.content, room).to_owned().into();
        }
        room = room.saturating_sub(columns(&span.content));
    }
}

fn compose(app: &mut App) -> Picture {
    let (width, height) = (app.size.0.max(1), usize::from(app.size.1.max(1)));
    let look = app.look.clone();
    if let Some(overlay) = app.overlays.last_mut().filter(|overlay| overlay.is_full()) {
        let (live, caret) = overlay.view(width, height, &look);
        return Picture { live, caret, full: true, ..Picture::default() };
    }
    if app.full_screen {
        return whole(app, width, height);
    }
    let finished = app.transcript.take_finished(width, &look);
    let (bottom, caret) = bottom(app, width, height);
    let room = height.saturating_sub(bottom.len());
    let mut live = app.transcript.live(width, &look, room, app.now);
    // What is live is folded by the terminal when it becomes narrower, and must still be on the screen then: what has
    // left it cannot be taken back and would stand there twice.
    app.transcript.hold((height / 2).saturating_sub(bottom.len()));
    live.truncate(room);
    let above = u16::try_from(live.len()).unwrap_or(u16::MAX);
    live.extend(bottom);
    let caret = caret.map(|(column, row)| (column, row.saturating_add(above)));
    Picture { finished, live, caret, full: false }
}

/// The whole screen: as much of the transcript as fits, scrolled, and the rest below it.
fn whole(app: &mut App, width: u16, height: usize) -> Picture {
    let look = app.look.clone();
    // What is given out is not written anywhere: it is all in the window, and bounded in memory.
    app.transcript.take_finished(width, &look);
    let (bottom, caret) = bottom(app, width, height);
    let room = height.saturating_sub(bottom.len());
    let window = app.transcript.window(width, &look, room, app.up, app.now);
    app.up = window.up;
    let mut live = window.lines;
    live.resize(room, Line::default());
    let above = u16::try_from(room).unwrap_or(u16::MAX);
    live.extend(bottom);
    let caret = caret.map(|(column, row)| (column, row.saturating_add(above)));
    Picture { live, caret, full: true, ..Picture::default() }
}

/// Everything below the transcript.
fn bottom(app: &mut App, width: u16, height: usize) -> (Vec<Line<'static>>, Option<(u16, u16)>) {
    let look = app.look.clone();
    let mut lines = Vec::new();
    if height > 6 {
        lines.push(Line::default());
        let stop = app.keys.first(KeyAction::Interrupt);
        // The question itself says what is waited for.
        if app.overlays.is_empty() {
            lines.extend(app.work.line(width, &look, app.now, app.facts.model(), &stop));
            lines.extend(app.children.lines(width, &look));
        }
        lines.extend(queued(app, width));
    }
    let room = height.saturating_sub(lines.len() + 1).max(1);
    if let Some(overlay) = app.overlays.last_mut() {
        let (rows, caret) = overlay.view(width, room, &look);
        let above = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        lines.extend(rows);
        return (lines, caret.map(|(column, row)| (column, row.saturating_add(above))));
    }
    let ruled = height > 4;
    if ruled {
        lines.push(rule(width, &look, look.theme.rule));
    }
    let (rows, (column, row)) = composer(app, width, height);
    let caret = (column, row.saturating_add(u16::try_from(lines.len()).unwrap_or(u16::MAX)));
    lines.extend(rows);
    if ruled {
        lines.push(rule(width, &look, look.theme.rule));
    }
    let left = height.saturating_sub(lines.len());
    match &mut app.menu {
        Some(menu) if left > 0 => lines.extend(menu.view(width, left, &look)),
        _ if left > 0 => lines.push(foot(app, width)),
        _ => {}
    }
    (lines, Some(caret))
}

/// The text being written, behind its sign.
fn composer(app: &mut App, width: u16, height: usize) -> (Vec<Line<'static>>, (u16, u16)) {
    let look = app.look.clone();
    let gutter: u16 = if width > 4 { 2 } else { 0 };
    let text = app.composer.buffer.text();
    let shell = text.starts_with('!');
    let blank = text.is_empty();
    let most = (height / 3).max(1);
    let (mut rows, (column, row)) = app.composer.view(width - gutter, most, &look);
    if blank && gutter > 0 {
        let code = if app.work.is_on() { "tui.placeholder.working" } else { "tui.placeholder" };
        let text = look.word(code);
        rows = vec![Line::styled(whole_parts(&text, usize::from(width - gutter)), look.theme.dim)];
    }
    if gutter > 0 {
        let style = if shell { look.theme.warn } else { look.theme.accent };
        for (at, line) in rows.iter_mut().enumerate() {
            let moves = app.composer.vim.is_some_and(|vim| vim.moves);
            let sign = match (at, shell, look.unicode) {
                (0, ..) if moves => "N ",
                (0, true, _) => "$ ",
                (0, false, true) => "› ",
                (0, false, false) => "> ",
                _ => "  ",
            };
            line.spans.insert(0, Span::styled(sign, style));
        }
    }
    (rows, (column + gutter, row))
}

/// As many of the parts of a hint as there is room for; the first may be cut.
fn whole_parts(text: &str, room: usize) -> String {
    const BETWEEN: &str = " · ";
    let mut parts: Vec<&str> = text.split(BETWEEN).collect();
    while parts.len() > 1 && columns(&parts.join(BETWEEN)) > room {
        parts.pop();
    }
    cut(&parts.join(BETWEEN), room).to_owned()
}

fn queued(app: &App, width: u16) -> Vec<Line<'static>> {
    let look = &app.look;
    let room = usize::from(width).saturating_sub(2);
    let line = |queued: &reasonix_proto::Queued| {
        let text = neutral(&queued.text).replace(['\n', '\t'], " ");
        let row = Phrase::new("tui.queue.row").with("kind", look.word(waits_for(queued.kind))).with("text", text);
        let text = look.say(&row);
        let text = if columns(&text) > room { format!("{}…", cut(&text, room.saturating_sub(1))) } else { text };
        Line::styled(format!("  {text}"), look.theme.dim)
    };
    let mut lines: Vec<Line<'static>> = app.queue.iter().take(MOST_QUEUED).map(line).collect();
    if app.queue.len() > MOST_QUEUED {
        lines.push(Line::styled(format!("  … +{}", app.queue.len() - MOST_QUEUED), look.theme.dim));
    }
    lines
}

/// The last row: a hint for the moment, or the status line.
fn foot(app: &App, width: u16) -> Line<'static> {
    match &app.hint {
        Some(phrase) => {
            let text = app.look.say(phrase);
            Line::styled(format!("  {}", cut(&text, usize::from(width).saturating_sub(2))), app.look.theme.warn)
        }
        None => app.facts.line(width, &app.look),
    }
}
