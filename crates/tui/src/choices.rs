//! What follows from what was chosen in a list, written into a line, or said by the engine.

use crate::app::{App, Effect, Host, Purpose};
use crate::commands::{rewind, rewind_what, run, show, theme};
use crate::overlays::{Entry, Overlay, Pager, Picker, Subject, Wanted};
use crate::update::note;
use ratatui_core::text::Line;
use reasonix_proto::{Level, Op, Phrase, Query, RecordId, Scope, TreeFilter};

/// An entry of a list was chosen.
pub(crate) fn chosen(app: &mut App, subject: Subject, value: &str) -> Vec<Effect> {
    match subject {
        Subject::History => {
            app.composer.set(value);
            Vec::new()
        }
        Subject::Model => app.send(Op::SetModel { model: Some(value.to_owned()), effort: None }),
        Subject::Session => vec![Effect::Host(Host::Resume(value.to_owned()))],
        Subject::Tree => match value.parse() {
            Ok(id) => app.send(Op::Branch { at: RecordId(id), summary: None }),
            Err(_) => Vec::new(),
        },
        Subject::Rewind => rewind_what(app, value),
        Subject::RewindWhat => rewind(app, value),
        Subject::Queue => match value.parse() {
            Ok(id) => take_back(app, id),
            Err(_) => Vec::new(),
        },
        Subject::FirstRun => match value {
            "setup" => vec![Effect::Host(Host::Setup)],
            "demo" => vec![Effect::Host(Host::Demo)],
            _ => vec![Effect::Quit],
        },
        Subject::Rule => revoke(app, value),
        Subject::Clear if value == "yes" => {
            let mut effects = app.send(Op::Discard);
            effects.push(Effect::Host(Host::New));
            effects
        }
        Subject::Theme => theme(app, value),
        Subject::Word => match value.split_once(' ') {
            Some((name, word)) => run(app, name, word),
            None => Vec::new(),
        },
        Subject::Setting => match value.split_once(' ') {
            Some((key, word)) => crate::settings::change(app, key, Some(word.to_owned())),
            None => Vec::new(),
        },
        Subject::Hit => {
            match value.rsplit_once(':').and_then(|(session, record)| Some((session, record.parse().ok()?))) {
                Some((session, record)) => {
                    show(app, Query::Around { session: session.to_owned(), record: RecordId(record), span: 6 })
                }
                None => Vec::new(),
            }
        }
        Subject::Memory => read_memory(app, value),
        Subject::Forget => match value.split_once(' ') {
            Some((scope, name)) => app.send(Op::Forget { name: name.to_owned(), scope: scope.to_owned() }),
            None => Vec::new(),
        },
        Subject::Undo => rewind(app, &format!("{value} files")),
        Subject::HandedOver if !value.is_empty() => vec![Effect::Host(Host::Resume(value.to_owned()))],
        Subject::Endpoint => crate::setup::endpoint(app, value),
        Subject::SetupModel => vec![crate::setup::answer(crate::setup::Answer::Model(value.to_owned()))],
        Subject::Clear | Subject::HandedOver | Subject::SetupWait => Vec::new(),
    }
}

/// A line was written.
pub(crate) fn written(app: &mut App, wanted: Wanted, text: String) -> Vec<Effect> {
    use crate::setup::{Answer, answer};
    match wanted {
        Wanted::Setting(key) => crate::settings::change(app, &key, Some(text)),
        Wanted::Address => vec![answer(Answer::Address(text))],
        Wanted::Key => vec![answer(Answer::Key(text))],
        Wanted::Model => vec![answer(Answer::Model(text))],
    }
}

/// The user wants to be rid of an entry: they are asked once more.
pub(crate) fn removed(app: &mut App, subject: Subject, value: &str) -> Vec<Effect> {
    let Some((_, name)) = value.split_once(' ').filter(|_| subject == Subject::Memory) else { return Vec::new() };
    let entry = |value: &str, code| Entry { value: value.to_owned(), text: app.look.word(code), ..Entry::default() };
    let entries = vec![entry("", "tui.forget.no"), entry(value, "tui.forget.yes")];
    let title = Phrase::new("tui.forget.title").with("name", name);
    app.overlays.pop();
    app.overlays.push(Overlay::Picker(Box::new(Picker::short(Subject::Forget, title, entries))));
    Vec::new()
}

/// The work can go on in another session: does the person want to?
pub(crate) fn handed_over(app: &mut App, session: String) {
    let entry = |value: String, code| Entry { value, text: app.look.word(code), ..Entry::default() };
    let entries = vec![entry(session, "tui.handoff.go"), entry(String::new(), "tui.handoff.stay")];
    let picker = Picker::short(Subject::HandedOver, Phrase::new("tui.handoff.title"), entries);
    app.overlays.push(Overlay::Picker(Box::new(picker)));
}

/// A memory, whole.
fn read_memory(app: &mut App, value: &str) -> Vec<Effect> {
    let is_it = |memory: &&reasonix_proto::MemoryInfo| value == format!("{} {}", memory.scope, memory.name);
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
pub(crate) fn searched(app: &mut App, subject: Subject, words: &str) -> Vec<Effect> {
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
    vec![app.ask(query, Purpose::Overlay)]
}

fn revoke(app: &mut App, value: &str) -> Vec<Effect> {
    match value.split_once(' ') {
        Some(("session", rule)) => app.send(Op::Revoke { rule: rule.to_owned(), scope: Scope::Session }),
        Some(("always", rule)) => app.send(Op::Revoke { rule: rule.to_owned(), scope: Scope::Always }),
        Some(("fixed", place)) => {
            let (rule, origin) = place.rsplit_once('\n').unwrap_or((place, ""));
            note(app, Level::Info, Phrase::new("tui.rule.stands").with("rule", rule).with("origin", origin));
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// A waiting message comes back into the composer.
fn take_back(app: &mut App, id: u64) -> Vec<Effect> {
    let Some(at) = app.queue.iter().position(|queued| queued.id == id) else { return Vec::new() };
    let queued = app.queue.remove(at);
    app.composer.set(&queued.text);
    app.send(Op::Unqueue { id })
}
