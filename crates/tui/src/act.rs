//! What keys do while nothing lies over the composer.

use crate::app::{App, QueryPurpose, ScreenEffect};
use crate::commands;
use crate::composer::Motion;
use crate::keys::{Chord, Code, KeyAction};
use crate::menu::{Menu, MenuKind};
use crate::overlays::{Overlay, Picked, Picker, PickerEntry, Subject};
use crate::update::{draft_changed, note};
use reasonix_proto::{CompletionKind, Level, Mode, Op, Phrase, Posture, Query, QueuedKind};
use std::time::Duration;

/// Two presses within this are one double press.
const DOUBLE: Duration = Duration::from_millis(700);

/// Takes a key.
pub(crate) fn key(app: &mut App, chord: Chord) -> Vec<ScreenEffect> {
    if app.menu.is_some()
        && let Some(effects) = menu_key(app, chord)
    {
        return effects;
    }
    if let Some(changed) = app.composer.vim_key(chord) {
        app.menu = None;
        if changed {
            draft_changed(app);
        }
        return Vec::new();
    }
    if app.full_screen {
        let page = usize::from(app.size.1 / 2).max(1);
        match chord.code {
            Code::PageUp => app.up += page,
            Code::PageDown => app.up = app.up.saturating_sub(page),
            _ => app.up = 0,
        }
    }
    match app.keys.action(chord) {
        Some(action) => perform(app, action),
        None => match chord.typed() {
            Some('?') if app.composer.buffer.text().is_empty() => perform(app, KeyAction::Help),
            Some(c) => {
                app.composer.type_text(&c.to_string());
                app.ahead.wrote(app.now);
                draft_changed(app);
                typed(app)
            }
            None => Vec::new(),
        },
    }
}

/// Keys that belong to the menu while it is open.
fn menu_key(app: &mut App, chord: Chord) -> Option<Vec<ScreenEffect>> {
    let menu = app.menu.as_mut()?;
    match (chord.code, app.keys.action(chord)) {
        (_, Some(KeyAction::Up)) => menu.step(false),
        (_, Some(KeyAction::Down)) => menu.step(true),
        (Code::Esc, _) => app.menu = None,
        (Code::Tab, _) if !chord.mods.shift => return Some(complete(app, false)),
        (_, Some(KeyAction::Send)) => return Some(complete(app, true)),
        _ => return None,
    }
    Some(Vec::new())
}

/// Puts the chosen entry into the text. Enter on a whole command sends it.
fn complete(app: &mut App, enter: bool) -> Vec<ScreenEffect> {
    let Some(menu) = app.menu.take() else { return Vec::new() };
    let Some((entry, descends)) = menu.choice() else { return Vec::new() };
    let value = if menu.kind == MenuKind::Reference { quoted(&entry.value, descends) } else { entry.value.clone() };
    let typed = app.composer.buffer.text().get(menu.from..menu.to).unwrap_or_default();
    let whole = typed == entry.value;
    let last = match menu.kind {
        MenuKind::Reference => false,
        MenuKind::Command => !commands::wants_more(app, &entry.value),
        MenuKind::Argument => !descends && commands::ends_with(app, app.composer.buffer.text(), menu.from),
    };
    // What was typed is sent as it is where it is not what the nearest name begins with or has in it.
    if enter && menu.kind == MenuKind::Argument && !menu.means(typed) {
        return send(app, false);
    }
    if enter && (last || whole && menu.kind != MenuKind::Reference) {
        app.composer.buffer.replace(menu.from, menu.to, &entry.value);
        return send(app, false);
    }
    let end = if descends { "" } else { " " };
    app.composer.buffer.replace(menu.from, menu.to, &format!("{value}{end}"));
    draft_changed(app);
    self::typed(app)
}

/// A path as it stands behind an `@`: one with blanks in quotes, which stay open where it goes on.
fn quoted(path: &str, goes_on: bool) -> String {
    match path.contains(char::is_whitespace) {
        true => format!("\"{path}{}", if goes_on { "" } else { "\"" }),
        false => path.to_owned(),
    }
}

/// The text changed: what can be completed now?
pub(crate) fn typed(app: &mut App) -> Vec<ScreenEffect> {
    app.generation += 1;
    let text = app.composer.buffer.text().to_owned();
    let caret = app.composer.buffer.caret();
    let before = text.get(..caret).unwrap_or_default();
    if let Some(name) = before.strip_prefix('/').filter(|rest| !rest.contains(char::is_whitespace)) {
        let entries = commands::matching(app, name);
        let to = text.find(char::is_whitespace).unwrap_or(text.len());
        let count = entries.len();
        let begins = name.is_empty();
        show(app, Menu::new(MenuKind::Command, 1, to, entries, vec![false; count]));
        // Files bring commands, and may have come since.
        let anew = begins && !app.commands.is_empty();
        return if anew { vec![app.ask(Query::Commands, QueryPurpose::Commands)] } else { Vec::new() };
    }
    if let Some((command, index, from)) = commands::argument(app, before) {
        let kind = CompletionKind::Argument { command, index };
        return wish(app, MenuKind::Argument, kind, from, caret);
    }
    if let Some(from) = reference(before) {
        return wish(app, MenuKind::Reference, CompletionKind::Reference, from, caret);
    }
    app.menu = None;
    app.wished = None;
    Vec::new()
}

/// Candidates that are asked for at once.
pub(crate) const CANDIDATES: usize = 50;

/// Asks for candidates; the menu appears when they come.
pub(crate) fn wish(app: &mut App, kind: MenuKind, what: CompletionKind, from: usize, to: usize) -> Vec<ScreenEffect> {
    if app.menu.as_ref().is_some_and(|menu| menu.kind != kind || menu.from != from) {
        app.menu = None;
    }
    let text = app.composer.buffer.text().get(from..to).unwrap_or_default();
    let text = if kind == MenuKind::Reference { text.strip_prefix('"').unwrap_or(text) } else { text }.to_owned();
    app.wished = Some((kind, from, to));
    let generation = app.generation;
    vec![app.ask(Query::Complete { kind: what, text, generation, limit: CANDIDATES }, QueryPurpose::Menu)]
}

/// Shows a menu; what was chosen in the last one stays chosen.
pub(crate) fn show(app: &mut App, mut menu: Menu) {
    if let Some(earlier) = app.menu.take().filter(|earlier| earlier.kind == menu.kind) {
        menu.keep(&earlier);
    }
    app.menu = (!menu.is_empty()).then_some(menu);
}

/// Where the text of an `@` reference that ends at the caret begins; in quotes it may have blanks.
fn reference(before: &str) -> Option<usize> {
    let at = before.rfind('@')?;
    let opens = before.get(..at)?.chars().next_back().is_none_or(char::is_whitespace);
    let rest = before.get(at + 1..)?;
    let whole = match rest.strip_prefix('"') {
        Some(quoted) => quoted.contains(['"', '\n']),
        None => rest.contains(char::is_whitespace),
    };
    (opens && !whole).then_some(at + 1)
}

fn perform(app: &mut App, action: KeyAction) -> Vec<ScreenEffect> {
    match action {
        KeyAction::Send => send(app, false),
        KeyAction::FollowUp => send(app, true),
        KeyAction::Dequeue => dequeue(app),
        KeyAction::Interrupt => escape(app),
        KeyAction::Cancel => cancel(app),
        KeyAction::Quit if app.composer.buffer.text().is_empty() => quit(app),
        KeyAction::Quit => edit(app, KeyAction::DeleteRight),
        KeyAction::Suspend => vec![ScreenEffect::Suspend],
        KeyAction::Redraw => vec![ScreenEffect::Redraw],
        KeyAction::Unfold => {
            app.unfolded = !app.unfolded;
            app.transcript.set_unfolded(app.unfolded);
            if app.unfolded && !app.full_screen {
                let (width, look) = (app.size.0, app.look.clone());
                app.transcript.reopen(width, &look);
            }
            let code = if app.unfolded { "tui.unfolded" } else { "tui.folded" };
            note(app, Level::Info, Phrase::new(code));
            Vec::new()
        }
        KeyAction::Transcript => commands::open_transcript(app),
        KeyAction::Children => crate::choices::subagents(app),
        KeyAction::HistorySearch => {
            let entry = |text: &str| PickerEntry {
                value: Picked::Prompt(text.to_owned()),
                text: text.to_owned(),
                ..PickerEntry::default()
            };
            let entries = app.composer.history.find("").into_iter().map(entry).collect();
            let picker = Picker::new(Subject::History, Phrase::new("tui.history"), entries);
            app.overlays.push(Overlay::Picker(Box::new(picker)));
            Vec::new()
        }
        KeyAction::Editor => vec![ScreenEffect::Edit(app.composer.whole())],
        KeyAction::Posture => posture(app),
        KeyAction::Picture => vec![ScreenEffect::Host(crate::app::HostRequest::Picture)],
        KeyAction::Model => commands::run(app, "model", ""),
        KeyAction::Goal => commands::run(app, "goal", "resume"),
        KeyAction::Help => commands::run(app, "help", ""),
        other => edit(app, other),
    }
}

/// Everything that changes the text or moves the caret.
fn edit(app: &mut App, action: KeyAction) -> Vec<ScreenEffect> {
    let composer = &mut app.composer;
    match action {
        KeyAction::Newline => composer.type_text("\n"),
        KeyAction::Up => composer.up(),
        KeyAction::Down => composer.down(),
        KeyAction::Left => composer.travel(Motion::Left),
        KeyAction::Right => composer.travel(Motion::Right),
        KeyAction::WordLeft => composer.travel(Motion::WordLeft),
        KeyAction::WordRight => composer.travel(Motion::WordRight),
        KeyAction::LineStart => composer.travel(Motion::LineStart),
        KeyAction::LineEnd => composer.travel(Motion::LineEnd),
        KeyAction::TextStart => composer.travel(Motion::Start),
        KeyAction::TextEnd => composer.travel(Motion::End),
        KeyAction::DeleteLeft => composer.delete(Motion::Left, false),
        KeyAction::DeleteRight => composer.delete(Motion::Right, false),
        KeyAction::DeleteWordLeft => composer.delete(Motion::WordLeft, true),
        KeyAction::DeleteWordRight => composer.delete(Motion::WordRight, true),
        KeyAction::DeleteLineStart => composer.delete(Motion::LineStart, true),
        KeyAction::DeleteLineEnd => composer.delete(Motion::LineEnd, true),
        KeyAction::Yank => composer.buffer.yank(),
        KeyAction::Undo => composer.buffer.undo(),
        KeyAction::Redo => composer.buffer.redo(),
        _ => {}
    }
    let walks = app.composer.history.walks();
    draft_changed(app);
    if walks {
        app.menu = None;
        return Vec::new();
    }
    typed(app)
}

/// Sends what is written: a command, a shell line, a prompt; to the running turn or after it.
fn send(app: &mut App, later: bool) -> Vec<ScreenEffect> {
    // A backslash before Enter is a line break, for terminals that have no other.
    if !later && app.composer.buffer.before().ends_with('\\') && app.composer.buffer.after().is_empty() {
        app.composer.delete(Motion::Left, false);
        app.composer.type_text("\n");
        return Vec::new();
    }
    if app.composer.is_blank() {
        return Vec::new();
    }
    app.menu = None;
    app.ahead.sent();
    let text = app.composer.take();
    let text = text.trim_end().to_owned();
    let mut effects = vec![ScreenEffect::Draft(String::new())];
    app.drafted.clear();
    app.draft_due = None;
    effects.extend(remembered(app, &text));
    effects.extend(dispatch(app, &text, later));
    effects
}

/// A text that was said elsewhere is sent from here; what stands in the composer stays.
pub(crate) fn said(app: &mut App, text: &str) -> Vec<ScreenEffect> {
    let mut effects: Vec<ScreenEffect> = remembered(app, text).into_iter().collect();
    effects.extend(dispatch(app, text, false));
    effects
}

fn remembered(app: &mut App, text: &str) -> Option<ScreenEffect> {
    app.composer.history.add(text).then(|| ScreenEffect::Remember(text.to_owned()))
}

fn dispatch(app: &mut App, text: &str, later: bool) -> Vec<ScreenEffect> {
    let trimmed = text.trim_start();
    if let Some(command) = trimmed.strip_prefix('/') {
        let (name, arguments) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        if commands::is_known(app, name) || !name.contains('/') {
            return commands::run(app, name, arguments.trim());
        }
    }
    if let Some(command) = trimmed.strip_prefix('!') {
        let (command, keep) = command.strip_prefix('!').map_or((command, true), |rest| (rest, false));
        let command = command.trim().to_owned();
        return if command.is_empty() { Vec::new() } else { app.send(Op::Shell { command, keep }) };
    }
    let text = text.to_owned();
    match (app.work.is_on(), later) {
        (true, false) => app.send(Op::Steer { text }),
        (true, true) => app.send(Op::FollowUp { text }),
        (false, _) => {
            app.work.begin(app.now);
            app.send(Op::Prompt { text, resolved: false })
        }
    }
}

/// True for a text that is taken as a command or a shell line, with all that follows in it.
fn is_command(text: &str) -> bool {
    text.trim_start().starts_with(['!', '/'])
}

/// The last waiting message comes back into the composer.
fn dequeue(app: &mut App) -> Vec<ScreenEffect> {
    let Some(queued) = app.queue.pop() else { return Vec::new() };
    let written = app.composer.whole();
    let text = match app.composer.is_blank() {
        true => queued.text,
        false if is_command(&queued.text) || is_command(&written) => {
            app.composer.history.add(&written);
            queued.text
        }
        false => format!("{}\n{written}", queued.text),
    };
    app.composer.set(&text);
    app.send(Op::Unqueue { id: queued.id })
}

/// Esc: stops what runs; pressed twice with nothing written it opens the list of turns.
fn escape(app: &mut App) -> Vec<ScreenEffect> {
    if app.work.is_on() {
        return interrupt(app);
    }
    let double = app.esc_at.is_some_and(|at| app.now < at + DOUBLE);
    app.esc_at = (!double).then_some(app.now);
    if !app.composer.is_blank() {
        if double {
            app.composer.set("");
            draft_changed(app);
        } else {
            app.hint = Some(Phrase::new("tui.esc_clears"));
        }
        return Vec::new();
    }
    if double {
        return commands::run(app, "rewind", "");
    }
    Vec::new()
}

/// Stops the turn; what was done is kept, and what waits comes back for editing.
pub(crate) fn interrupt(app: &mut App) -> Vec<ScreenEffect> {
    app.work.stopping = true;
    let mut effects = take_all_back(app);
    effects.extend(app.send(Op::Interrupt));
    effects
}

/// Everything that waits comes back into the composer, before what is written there: whoever stops a turn does not want
/// the next one to begin by itself.
pub(crate) fn take_all_back(app: &mut App) -> Vec<ScreenEffect> {
    if app.queue.is_empty() {
        return Vec::new();
    }
    let waiting = std::mem::take(&mut app.queue);
    let mut texts: Vec<String> = waiting.iter().map(|queued| queued.text.clone()).collect();
    if !app.composer.is_blank() {
        texts.push(app.composer.whole());
    }
    // A command and what followed it are not one draft: the first comes back, and Up brings the others.
    let others = if texts.iter().any(|text| is_command(text)) { texts.split_off(1) } else { Vec::new() };
    for text in others.iter().rev() {
        app.composer.history.add(text);
    }
    app.composer.set(&texts.join("\n"));
    draft_changed(app);
    let code = if others.is_empty() { "tui.queue.back" } else { "tui.queue.back_first" };
    note(app, Level::Info, Phrase::new(code).with("count", waiting.len()));
    waiting.iter().flat_map(|queued| app.send(Op::Unqueue { id: queued.id })).collect()
}

/// Ctrl+C: gives up what is written, stops what runs, or leaves when pressed again.
fn cancel(app: &mut App) -> Vec<ScreenEffect> {
    if !app.composer.buffer.text().is_empty() {
        let text = app.composer.take();
        app.composer.history.add(&text);
        app.menu = None;
        draft_changed(app);
        return vec![ScreenEffect::Remember(text)];
    }
    let again = app.cancel_at.is_some_and(|at| app.now < at + DOUBLE * 3);
    if again {
        return leave(app);
    }
    app.cancel_at = Some(app.now);
    app.hint = Some(Phrase::new("tui.cancel_again").with("key", app.keys.first(KeyAction::Cancel)));
    if app.work.is_on() { interrupt(app) } else { Vec::new() }
}

/// Ctrl+D on an empty line leaves; while a turn runs only when it is pressed again.
fn quit(app: &mut App) -> Vec<ScreenEffect> {
    let again = app.cancel_at.is_some_and(|at| app.now < at + DOUBLE * 3);
    if again || !app.work.is_on() {
        return leave(app);
    }
    app.cancel_at = Some(app.now);
    app.hint = Some(Phrase::new("tui.quit_again").with("key", app.keys.first(KeyAction::Quit)));
    Vec::new()
}

pub(crate) fn leave(_app: &mut App) -> Vec<ScreenEffect> {
    vec![ScreenEffect::Quit]
}

/// The next of: asks, auto, plan. What asks nothing at all is only had by its name.
fn posture(app: &mut App) -> Vec<ScreenEffect> {
    let Some(status) = &mut app.facts.status else { return Vec::new() };
    let (posture, mode) = match (status.mode, status.posture) {
        (Mode::Plan, _) => (Posture::Ask, Mode::Build),
        (Mode::Build, Posture::Ask) => (Posture::Auto, Mode::Build),
        (Mode::Build, Posture::Auto | Posture::Yolo) => (Posture::Ask, Mode::Plan),
    };
    let was = std::mem::replace(&mut status.posture, posture);
    let mut effects = if status.mode == mode { Vec::new() } else { commands::plan(app, mode) };
    if was != posture {
        effects.extend(app.send(Op::SetPosture { posture }));
    }
    effects
}

/// What a waiting message waits for, in a word.
pub(crate) fn waits_for(kind: QueuedKind) -> &'static str {
    match kind {
        QueuedKind::Steer => "tui.queue.steer",
        QueuedKind::FollowUp => "tui.queue.later",
    }
}
