//! What follows from what was chosen in a list, written into a line, or said by the engine.

use crate::app::{App, HostRequest, QueryPurpose, ScreenEffect};
use crate::commands::{rewind_what, run, show, theme};
use crate::overlays::{ChildOverlay, FieldPurpose, Overlay, Pager, Picked, Picker, PickerEntry, Subject};
use crate::update::note;
use ratatui_core::text::Line;
use reasonix_proto::{ChildRun, Level, MemoryReach, Op, Phrase, Query, SessionId, TreeFilter};

/// An entry of a list was chosen.
pub(crate) fn chosen(app: &mut App, picked: Picked) -> Vec<ScreenEffect> {
    match picked {
        Picked::Nothing => Vec::new(),
        Picked::Send(op) => app.send(*op),
        Picked::Host(host) => vec![ScreenEffect::Host(host)],
        Picked::Quit => vec![ScreenEffect::Quit],
        Picked::Show(query) => show(app, *query),
        Picked::Run(name, word) => run(app, &name, &word),
        Picked::Prompt(text) => {
            app.composer.set(&text);
            Vec::new()
        }
        Picked::Place(at) => app.send(Op::Branch { at, summary: None }),
        Picked::Turn(turn) => rewind_what(app, turn),
        Picked::Queued(id) => take_back(app, id),
        Picked::Stands { rule, origin } => {
            note(app, Level::Info, Phrase::new("tui.rule.stands").with("rule", rule).with("origin", origin));
            Vec::new()
        }
        Picked::GiveUp => {
            let mut effects = app.send(Op::Discard);
            effects.push(ScreenEffect::Host(HostRequest::New));
            effects
        }
        Picked::Theme(name) => theme(app, &name),
        Picked::Memory { scope, name } => read_memory(app, &scope, &name),
        Picked::Child { session, child } => read_child(app, session, child),
        Picked::Address => crate::setup::address(app),
    }
}

/// A line was written.
pub(crate) fn written(app: &mut App, wanted: FieldPurpose, text: String) -> Vec<ScreenEffect> {
    use crate::setup::{Answer, answer};
    match wanted {
        FieldPurpose::Setting(key) => crate::settings::change(app, &key, Some(text)),
        FieldPurpose::Address => vec![answer(Answer::Address(text))],
        FieldPurpose::Key => vec![answer(Answer::Key(text))],
        FieldPurpose::Model => vec![answer(Answer::Model(text))],
    }
}

/// The user wants to be rid of an entry: they are asked once more, but for a subagent, which stops.
pub(crate) fn removed(app: &mut App, picked: Picked) -> Vec<ScreenEffect> {
    let (scope, name) = match picked {
        Picked::Memory { scope, name } => (scope, name),
        Picked::Child { child, .. } => return stop_child(app, child),
        _ => return Vec::new(),
    };
    let title = Phrase::new("tui.forget.title").with("name", &name);
    let forget = Picked::Send(Box::new(Op::Forget { name, scope }));
    let entries = vec![app.entry(Picked::Nothing, "tui.forget.no"), app.entry(forget, "tui.forget.yes")];
    app.overlays.pop();
    app.overlays.push(Overlay::Picker(Box::new(Picker::short(Subject::Forget, title, entries))));
    Vec::new()
}

/// The work can go on in another session: does the person want to?
pub(crate) fn handed_over(app: &mut App, session: String) {
    let go = Picked::Host(HostRequest::Resume(session));
    let entries = vec![app.entry(go, "tui.handoff.go"), app.entry(Picked::Nothing, "tui.handoff.stay")];
    let picker = Picker::short(Subject::HandedOver, Phrase::new("tui.handoff.title"), entries);
    app.overlays.push(Overlay::Picker(Box::new(picker)));
}

/// A memory, whole.
fn read_memory(app: &mut App, scope: &MemoryReach, name: &str) -> Vec<ScreenEffect> {
    let is_it = |memory: &&reasonix_proto::MemoryInfo| (&memory.scope, memory.name.as_str()) == (scope, name);
    let Some(memory) = app.memories.iter().find(is_it).cloned() else { return Vec::new() };
    let look = &app.look;
    let mut lines = vec![Line::styled(crate::text::neutral(&memory.description).into_owned(), look.theme.heading)];
    let revision = memory.revision;
    let mut about = look.say(&Phrase::new("tui.memory.saved").with("saved", &memory.saved).with("revision", revision));
    if !memory.source.is_empty() {
        about = format!("{about} · {}", look.say(&Phrase::new("tui.memory.source").with("source", &memory.source)));
    }
    lines.extend([Line::styled(crate::text::neutral(&about).into_owned(), look.theme.dim), Line::default()]);
    let body = memory.text.lines().map(|line| Line::styled(crate::text::neutral(line).into_owned(), look.theme.text));
    lines.extend(body);
    let title = Phrase::new("tui.memory.title").with("name", &memory.name);
    app.overlays.push(Overlay::Pager(Box::new(Pager::new(title, lines, false))));
    Vec::new()
}

/// The words of a list that the engine narrows changed.
pub(crate) fn searched(app: &mut App, subject: Subject, words: &str) -> Vec<ScreenEffect> {
    let text = words.to_owned();
    let query = match subject {
        Subject::Session => Query::Sessions { all: false, text, from: 0, count: 100 },
        Subject::Tree => {
            let filter = match app.overlays.last() {
                Some(Overlay::Picker(picker)) => picker.filter,
                _ => TreeFilter::Default,
            };
            Query::Tree { filter, text }
        }
        _ => return Vec::new(),
    };
    vec![app.ask(query, QueryPurpose::Overlay)]
}

/// A waiting message comes back into the composer.
fn take_back(app: &mut App, id: u64) -> Vec<ScreenEffect> {
    let Some(at) = app.queue.iter().position(|queued| queued.id == id) else { return Vec::new() };
    let queued = app.queue.remove(at);
    app.composer.set(&queued.text);
    app.send(Op::Unqueue { id })
}

/// The list of subagents: Enter opens what one said and did, Delete stops it.
pub(crate) fn subagents(app: &mut App) -> Vec<ScreenEffect> {
    subagents_from(app, None)
}

/// The same, with the one chosen that was looked at.
pub(crate) fn subagents_from(app: &mut App, seen: Option<&SessionId>) -> Vec<ScreenEffect> {
    let entry = |(session, run): (&SessionId, &ChildRun)| {
        let standing = match &run.end {
            None => app.look.word("tui.child.works"),
            Some(_) if run.lost => app.look.word("tui.child.lost"),
            Some(_) => app.look.word("tui.child.over"),
        };
        PickerEntry {
            value: Picked::Child { session: session.clone(), child: run.child.clone() },
            text: format!("{} {}", run.child, run.task),
            note: format!("{} · {standing}", run.agent),
            current: false,
        }
    };
    let entries: Vec<PickerEntry> = app.children.all().map(entry).collect();
    if entries.is_empty() {
        app.hint = Some(Phrase::new("tui.child.none"));
        return Vec::new();
    }
    let chosen = app.children.all().position(|(session, _)| Some(session) == seen).unwrap_or(0);
    let mut picker = Picker::new(Subject::Child, Phrase::new("tui.list.children"), entries);
    picker.choose_at(chosen);
    app.overlays.push(Overlay::Picker(Box::new(picker)));
    Vec::new()
}

/// Opens what a subagent said and did; what is typed there is said to it.
fn read_child(app: &mut App, session: SessionId, child: String) -> Vec<ScreenEffect> {
    if let Some(shown) = app.children.transcript(&session, &app.look) {
        let works = app.children.works(&session);
        app.overlays.push(Overlay::Child(Box::new(ChildOverlay::new(session, child, shown, works))));
    }
    Vec::new()
}

/// Stops a subagent that works.
fn stop_child(app: &mut App, child: String) -> Vec<ScreenEffect> {
    app.overlays.pop();
    app.send(Op::StopChild { child })
}
