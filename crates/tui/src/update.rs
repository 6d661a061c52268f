//! What follows from what happened. Pure: no clock, no terminal, no disk; what is to be done comes back as effects.

use crate::act;
use crate::app::{App, HostNews, Msg, QueryPurpose, ScreenEffect};
use crate::cells::Notice;
use crate::children::ChildrenSeen;
use crate::choices;
use crate::frame::{Input, Key};
use crate::overlays::{Approval, KeyHeard, Outcome, Overlay, PlanOverlay, QuestionOverlay, Subject};
use crate::replies;
use reasonix_proto::{
    Done, Envelope, Event, Level, Op, Phrase, Query, RecordBody, SessionId, Settled, ToolOutcome, TurnState,
};
use std::time::Duration;

/// How long a draft may be unsaved.
const DRAFT_AFTER: Duration = Duration::from_millis(400);

/// Takes in what happened at `now`, counted from the start of the program.
pub fn update(app: &mut App, msg: Msg, now: Duration) -> Vec<ScreenEffect> {
    app.now = now;
    match msg {
        Msg::Inputs(inputs) => inputs_came(app, inputs),
        Msg::Event(envelope) if envelope.parent.is_some() => below(app, &envelope),
        Msg::Event(envelope) => event(app, &envelope.event),
        Msg::Reply(id, reply) => match app.asked.remove(&id) {
            Some(purpose) => replies::show(app, purpose, *reply),
            None => Vec::new(),
        },
        Msg::Host(told) => host(app, told),
        Msg::Resized(width, height) => {
            app.size = (width, height);
            Vec::new()
        }
        Msg::Tick => tick(app),
        Msg::Edited(text) => {
            if let (Some(before), Some(text)) = (app.edits_todo.take(), &text) {
                let changed = text.trim() != before.trim();
                let send = changed.then(|| ScreenEffect::Send(reasonix_proto::Op::ChangeTodo { text: text.clone() }));
                return send.into_iter().chain([ScreenEffect::Redraw]).collect();
            }
            match (text, app.overlays.last_mut()) {
                (Some(text), Some(Overlay::Plan(plan))) => plan.edited(&text),
                (Some(text), Some(Overlay::Approval(approval))) if approval.is_away() => {
                    let outcome = approval.edited(&text);
                    let mut effects = follow(app, outcome);
                    effects.push(ScreenEffect::Redraw);
                    return effects;
                }
                (Some(text), _) => app.composer.set(text.trim_end_matches('\n')),
                (None, _) => app.hint = Some(Phrase::new("tui.editor_failed")),
            }
            draft_changed(app);
            vec![ScreenEffect::Redraw]
        }
        Msg::Recalled(prompts) => {
            app.composer.history.load(prompts);
            Vec::new()
        }
        Msg::Draft(text) => {
            if app.composer.is_blank() && !text.trim().is_empty() {
                app.composer.set(&text);
                app.drafted = text;
                app.hint = Some(Phrase::new("tui.draft_restored"));
            }
            Vec::new()
        }
        Msg::Terminated => vec![ScreenEffect::Quit],
        Msg::Stopped => vec![ScreenEffect::Suspend],
    }
}

/// Adds something of our own to the transcript.
pub(crate) fn note(app: &mut App, level: Level, phrase: Phrase) {
    app.transcript.push(Box::new(Notice { level, phrase }));
}

/// The text of the composer is not what is on disk.
pub(crate) fn draft_changed(app: &mut App) {
    let due = app.now + DRAFT_AFTER;
    app.draft_due.get_or_insert(due);
}

fn tick(app: &mut App) -> Vec<ScreenEffect> {
    let now = app.now;
    let outcome = app.overlays.last_mut().map_or(Outcome::Stay, |overlay| overlay.tick(now));
    let mut effects = follow(app, outcome);
    if app.draft_due.is_some_and(|due| app.now >= due) {
        app.draft_due = None;
        let text = app.composer.whole();
        if text != app.drafted {
            app.drafted.clone_from(&text);
            effects.push(ScreenEffect::Draft(text));
        }
    }
    effects
}

fn host(app: &mut App, told: HostNews) -> Vec<ScreenEffect> {
    match told {
        HostNews::Ready => {
            if app.facts.status.is_some() {
                app.transcript.clear();
                app.queue.clear();
                app.work = crate::work::TurnProgress::default();
                app.children = ChildrenSeen::default();
                note(app, Level::Info, Phrase::new("tui.other_session"));
            }
            app.ready = true;
            crate::setup::over(app);
            let mut effects: Vec<ScreenEffect> =
                std::mem::take(&mut app.waiting).into_iter().map(ScreenEffect::Send).collect();
            effects.push(app.ask(Query::Status, QueryPurpose::Status));
            effects.push(app.ask(Query::Commands, QueryPurpose::Commands));
            effects.push(app.ask(Query::Git, QueryPurpose::Git));
            effects.push(app.ask(Query::Trust, QueryPurpose::Trust));
            effects
        }
        HostNews::Picture(Some(path)) => {
            let path = path.to_string_lossy();
            let quote = if path.contains(char::is_whitespace) { "\"" } else { "" };
            app.composer.type_text(&format!("@{quote}{path}{quote} "));
            draft_changed(app);
            Vec::new()
        }
        HostNews::Picture(None) => {
            app.hint = Some(Phrase::new("tui.no_picture"));
            Vec::new()
        }
        HostNews::Said(text) => crate::act::said(app, &text),
        HostNews::Notice(level, phrase) => {
            note(app, level, phrase);
            Vec::new()
        }
        HostNews::Report(lines) => {
            replies::report(app, &lines);
            Vec::new()
        }
        HostNews::FirstRun => {
            crate::setup::welcome(app);
            Vec::new()
        }
        HostNews::Setup(step) => {
            crate::setup::show(app, step);
            Vec::new()
        }
        HostNews::Failed => {
            app.failed = true;
            vec![ScreenEffect::Quit]
        }
    }
}

fn inputs_came(app: &mut App, inputs: Vec<Input>) -> Vec<ScreenEffect> {
    let alone = inputs.iter().filter(|input| matches!(input, Input::Key(_))).count() < 2;
    inputs.into_iter().flat_map(|input| one_input(app, input, alone)).collect()
}

fn one_input(app: &mut App, input: Input, alone: bool) -> Vec<ScreenEffect> {
    match input {
        Input::Key(key) => pressed(app, key, alone),
        Input::Paste(text) => pasted(app, &text),
        Input::Focus(focused) => {
            app.focused = focused;
            let mut effects = Vec::new();
            if focused && app.ready {
                effects.push(app.ask(Query::Git, QueryPurpose::Git));
            }
            // A theme file that was edited in another window is read again.
            if focused && app.theme.is_some() {
                effects.push(ScreenEffect::Theme(app.theme.clone()));
            }
            effects
        }
        Input::Background(r, g, b) => {
            let dark = crate::theme::is_dark((r, g, b));
            if app.follows_background && dark != app.dark {
                app.dark = dark;
                app.look.theme = crate::theme::Theme::built_in(dark, app.look.colours);
            }
            Vec::new()
        }
        Input::Ack => {
            app.ahead.acknowledged();
            Vec::new()
        }
        Input::Wheel(up) => {
            match (app.overlays.last_mut(), up) {
                (Some(Overlay::Pager(pager)), _) => pager.scroll(up),
                (Some(Overlay::Child(child)), _) => child.scroll(up),
                (Some(Overlay::Approval(approval)), _) => approval.wheel(up),
                (_, true) => app.up += 3,
                (_, false) => app.up = app.up.saturating_sub(3),
            }
            Vec::new()
        }
    }
}

fn pasted(app: &mut App, text: &str) -> Vec<ScreenEffect> {
    app.ahead.pasted(app.now);
    if let Some(overlay) = app.overlays.last_mut() {
        let outcome = overlay.paste(text);
        return follow(app, outcome);
    }
    app.hint = None;
    match picture(text) {
        Some(reference) => app.composer.type_text(&reference),
        None => app.composer.paste(text),
    }
    app.ahead.wrote(app.now);
    draft_changed(app);
    act::typed(app)
}

/// A reference to a picture, when that is what was pasted: terminals give the path of a file that is dropped on them,
/// some in quotes, some as an address, some with backslashes before spaces.
fn picture(text: &str) -> Option<String> {
    let text = text.trim();
    let bare = ['\'', '"'].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(text);
    let path = bare.strip_prefix("file://").unwrap_or(bare).replace("\\ ", " ").replace("%20", " ");
    let ending = path.rsplit_once('.')?.1.to_lowercase();
    let is_picture = ["png", "jpg", "jpeg", "gif", "webp"].contains(&ending.as_str());
    let is_path = path.starts_with(['/', '.', '~']) || !path.contains(' ');
    if !is_picture || !is_path || path.len() > 1024 || path.contains(['\n', '"']) || path.contains("://") {
        return None;
    }
    Some(if path.contains(' ') { format!("@\"{path}\" ") } else { format!("@{path} ") })
}

fn pressed(app: &mut App, key: Key, alone: bool) -> Vec<ScreenEffect> {
    app.hint = None;
    if let Some(overlay) = app.overlays.last_mut() {
        let heard = match overlay.guard() {
            Some(guard) => app.ahead.heard(guard, key, alone, app.now),
            None => {
                app.ahead.note(key, app.now);
                KeyHeard::Meant
            }
        };
        let outcome = overlay.key(key.chord, (heard, app.now), &app.look);
        return follow(app, outcome);
    }
    app.ahead.note(key, app.now);
    act::key(app, key.chord)
}

/// Does what an overlay wants.
fn follow(app: &mut App, outcome: Outcome) -> Vec<ScreenEffect> {
    match outcome {
        Outcome::Stay => Vec::new(),
        Outcome::Close => close(app),
        Outcome::Done(effects) => {
            app.overlays.pop();
            let stops = effects.iter().any(|effect| matches!(effect, ScreenEffect::Send(Op::Interrupt)));
            let mut before = if stops { act::take_all_back(app) } else { Vec::new() };
            before.extend(effects);
            before
        }
        Outcome::Do(effects) => effects,
        Outcome::Steered { child, text } => app.send(Op::SteerChild { child, text }),
        Outcome::Interrupt => act::interrupt(app),
        Outcome::Chosen(picked) => {
            app.overlays.pop();
            choices::chosen(app, picked)
        }
        Outcome::Removed(picked) => choices::removed(app, picked),
        Outcome::Turn(setting) => crate::settings::turn(app, &setting),
        Outcome::Written(wanted, text) => {
            app.overlays.pop();
            choices::written(app, wanted, text)
        }
        Outcome::Searched(subject, words) => choices::searched(app, subject, &words),
        Outcome::Relist(subject, mut effects) => {
            let words = match app.overlays.last() {
                Some(Overlay::Picker(picker)) => picker.words().to_owned(),
                _ => String::new(),
            };
            effects.extend(choices::searched(app, subject, &words));
            effects
        }
    }
}

/// Takes the last overlay off the screen. A step of the setup leads back to its beginning, and that one out.
fn close(app: &mut App) -> Vec<ScreenEffect> {
    match app.overlays.pop() {
        Some(Overlay::Picker(picker)) if picker.subject == Subject::FirstRun => vec![ScreenEffect::Quit],
        // Back to the list that it was opened from.
        Some(Overlay::Child(child)) => choices::subagents_from(app, Some(&child.session)),
        Some(overlay) if overlay.is_of_setup() => vec![crate::setup::answer(crate::setup::Answer::Back)],
        _ => Vec::new(),
    }
}

/// Puts a question before the person.
fn put(app: &mut App, question: Overlay) -> Vec<ScreenEffect> {
    app.overlays.push(question);
    app.menu = None;
    let mut effects = vec![ScreenEffect::Probe];
    effects.extend(notify(app, "tui.notify.asks"));
    effects
}

/// What a subagent does is not the conversation on the screen: it has a line while it works, and a transcript of its own.
fn below(app: &mut App, envelope: &Envelope) -> Vec<ScreenEffect> {
    if let Some(child) = app.children.heard(envelope) {
        child_over(app, &child);
    }
    refresh_child(app, &envelope.session);
    if let Event::Answered { record } = &envelope.event
        && let RecordBody::Decided(decided) = &record.body
    {
        let about = |overlay: &Overlay| matches!(overlay, Overlay::Approval(approval) if Some(&approval.asking.ask) == decided.ask.as_ref());
        withdraw(app, about, true);
    }
    Vec::new()
}

/// Whoever reads what a subagent does sees it go on.
fn refresh_child(app: &mut App, session: &SessionId) {
    let App { overlays, children, look, .. } = app;
    let open = overlays.iter_mut().find_map(|overlay| match overlay {
        Overlay::Child(child) if child.session == *session => Some(child),
        _ => None,
    });
    if let Some((open, (_, lines))) = open.zip(children.transcript(session, look)) {
        open.refresh(lines, children.works(session));
    }
}

/// A subagent that is over asks nothing any more.
fn child_over(app: &mut App, child: &str) {
    let about = |overlay: &Overlay| matches!(overlay, Overlay::Approval(approval) if approval.asking.child.as_deref() == Some(child));
    withdraw(app, about, false);
}

/// Takes in what the session says of its subagents.
fn child_told(app: &mut App, event: &Event) {
    app.children.told(event).iter().for_each(|child| child_over(app, child));
    if let Event::Changed { record } = event
        && let RecordBody::Child(run) = &record.body
    {
        refresh_child(app, &run.session);
    }
}

fn event(app: &mut App, event: &Event) -> Vec<ScreenEffect> {
    child_told(app, event);
    app.transcript.apply(event, app.now);
    let elapsed = app.work.elapsed(app.now);
    let over = app.work.apply(event, app.now);
    let mut effects = Vec::new();
    match event {
        Event::SessionStarted { record, .. } => {
            if !matches!(record.body, RecordBody::Session(_)) {
                effects.push(app.ask(Query::Transcript { from: None, count: 400 }, QueryPurpose::Recall));
            }
            effects.push(app.ask(Query::Status, QueryPurpose::Status));
        }
        Event::Asked { asking } => {
            let asked = Approval::new((**asking).clone(), app.ahead.guard(app.now));
            effects.extend(put(app, Overlay::Approval(Box::new(asked))));
        }
        Event::Inquired { inquiry } => {
            let asked = QuestionOverlay::new((**inquiry).clone(), app.ahead.guard(app.now));
            effects.extend(put(app, Overlay::Question(Box::new(asked))));
        }
        Event::InquiryOver { ask, answered, .. } => {
            let about =
                |overlay: &Overlay| matches!(overlay, Overlay::Question(question) if question.inquiry.ask == *ask);
            withdraw(app, about, *answered);
        }
        Event::Proposed { proposal } => {
            let asked = PlanOverlay::new((**proposal).clone(), app.ahead.guard(app.now));
            effects.extend(put(app, Overlay::Plan(Box::new(asked))));
        }
        Event::Answered { record } => {
            if let RecordBody::Decided(decided) = &record.body {
                let about = |overlay: &Overlay| matches!(overlay, Overlay::Approval(approval) if approval.asking.child.is_none() && approval.asking.call == decided.call);
                withdraw(app, about, true);
            }
        }
        Event::ToolEnded { record } => {
            if let RecordBody::Outcome { call, outcome, .. } = &record.body {
                let about = |overlay: &Overlay| matches!(overlay, Overlay::Plan(plan) if plan.proposal.call == *call);
                withdraw(app, about, matches!(outcome, ToolOutcome::Done { .. }));
            }
        }
        Event::Queued { queue } => app.queue.clone_from(queue),
        Event::Usage { .. } | Event::Changed { .. } | Event::Compacted { .. } | Event::Job { .. } => {
            effects.push(app.ask(Query::Status, QueryPurpose::Status))
        }
        Event::Moved { text, .. } => {
            if let Some(text) = text.as_ref().filter(|_| app.composer.is_blank()) {
                app.composer.set(text);
            }
            effects.push(app.ask(Query::Status, QueryPurpose::Status));
            effects.push(app.ask(Query::Git, QueryPurpose::Git));
        }
        Event::HandedOver { session, .. } => choices::handed_over(app, session.0.clone()),
        Event::Settled { settled, .. } => effects.extend(told_of(app, settled)),
        Event::State { state: TurnState::Idle } => effects.push(app.ask(Query::Status, QueryPurpose::Status)),
        Event::SessionEnded => app.ready = false,
        _ => {}
    }
    if over {
        app.overlays.retain(|overlay| !overlay.is_of_turn());
        effects.push(app.ask(Query::Git, QueryPurpose::Git));
        if elapsed > Duration::from_secs(2) {
            effects.extend(notify(app, "tui.notify.done"));
        }
    }
    effects.extend(retitle(app));
    effects
}

/// What came of something that a front end wanted.
fn told_of(app: &mut App, settled: &Settled) -> Vec<ScreenEffect> {
    match settled {
        // What was waited for since it was sent does not come.
        Settled::Refused(_) => app.work.refused(),
        Settled::Done(Done::Saved { key, value, acts }) => {
            return crate::settings::saved(app, key, value.as_deref(), *acts);
        }
        Settled::Done(Done::Restored { .. }) => return vec![app.ask(Query::Git, QueryPurpose::Git)],
        Settled::Done(_) => {}
    }
    Vec::new()
}

/// Takes a question off the screen that is over; `elsewhere` when somebody answered it, which whoever does it here
/// takes off before.
fn withdraw(app: &mut App, about: impl Fn(&Overlay) -> bool, elsewhere: bool) {
    let before = app.overlays.len();
    app.overlays.retain(|overlay| !about(overlay));
    if elsewhere && app.overlays.len() < before {
        note(app, Level::Info, Phrase::new("tui.answered_elsewhere"));
    }
}

/// Tells the desktop when the user looks elsewhere.
fn notify(app: &App, code: &'static str) -> Option<ScreenEffect> {
    let wanted = !app.focused && app.notify != crate::app::Notify::Off;
    wanted.then(|| ScreenEffect::Notify(app.look.word(code)))
}

/// The window says whose turn it is.
fn retitle(app: &mut App) -> Option<ScreenEffect> {
    let folder = app.facts.status.as_ref().map_or("", |status| status.folder.as_str());
    let name = folder.rsplit('/').next().unwrap_or_default();
    let sign = match (app.work.is_on(), app.work.waits_for_user()) {
        (_, true) => "? ",
        (true, _) => "… ",
        _ => "",
    };
    let title = if name.is_empty() { format!("{sign}reasonix") } else { format!("{sign}{name} · reasonix") };
    (app.facts.title != title).then(|| {
        app.facts.title.clone_from(&title);
        ScreenEffect::Title(title)
    })
}

#[cfg(test)]
mod tests {
    use super::picture;

    #[test]
    fn a_pasted_path_of_a_picture_becomes_a_reference() {
        for (pasted, reference) in [
            ("/tmp/shot.png", Some("@/tmp/shot.png ")),
            ("'/home/me/My Shot.PNG'\n", Some("@\"/home/me/My Shot.PNG\" ")),
            ("/home/me/My\\ Shot.jpeg ", Some("@\"/home/me/My Shot.jpeg\" ")),
            ("file:///tmp/a%20b.webp", Some("@\"/tmp/a b.webp\" ")),
            ("shot.gif", Some("@shot.gif ")),
            ("https://example.com/a.png", None),
            ("see the file a.png", None),
            ("/tmp/a.txt", None),
            ("a.png\nb.png", None),
            ("", None),
        ] {
            assert_eq!(picture(pasted).as_deref(), reference, "{pasted:?}");
        }
    }
}
