//! Looking at the settings and changing them. What is changed goes to the engine, which writes it; what the front end
//! itself follows is followed as soon as the engine says that it is written.

use crate::app::{App, QueryPurpose, ScreenEffect};
use crate::commands;
use crate::overlays::{
    FieldOverlay, FieldPurpose, Overlay, Picked, Picker, PickerEntry, SettingsOverlay, Subject, plain,
};
use crate::status::Piece;
use reasonix_proto::{Acts, Mode, Op, Phrase, Posture, Query, Setting, SettingLayer, SettingSource, Takes};

/// Opens the list.
pub(crate) fn open(app: &mut App) -> Vec<ScreenEffect> {
    app.overlays.push(Overlay::Settings(Box::default()));
    app.menu = None;
    vec![app.ask(Query::Config, QueryPurpose::Settings)]
}

/// Puts what came into the list, below what is of this session.
pub(crate) fn fill(app: &mut App, settings: Vec<Setting>) {
    let home = app.facts.home.clone();
    let shorter = |setting: Setting| match home.is_empty() {
        true => setting,
        false => {
            let place = setting.origin.place.replace(&format!("{home}/"), "~/");
            Setting { origin: SettingSource { place, ..setting.origin }, ..setting }
        }
    };
    let rows = of_session(app).into_iter().chain(settings.into_iter().map(shorter)).collect();
    let look = app.look.clone();
    if let Some(list) = list(app) {
        list.fill(rows, &look);
    }
}

fn list(app: &mut App) -> Option<&mut SettingsOverlay> {
    app.overlays.iter_mut().find_map(|overlay| match overlay {
        Overlay::Settings(settings) => Some(&mut **settings),
        _ => None,
    })
}

/// What is changed for this session alone, by a command of its own.
fn of_session(app: &App) -> Vec<Setting> {
    let Some(status) = &app.facts.status else { return Vec::new() };
    let mode = match (status.mode, status.posture) {
        (Mode::Plan, _) => "plan",
        (Mode::Build, Posture::Ask) => "ask",
        (Mode::Build, Posture::Auto) => "auto",
        (Mode::Build, Posture::Yolo) => "yolo",
    };
    let row = |key: &str, value: &str, about| Setting {
        key: key.to_owned(),
        value: value.to_owned(),
        origin: SettingLayer::Session.into(),
        about: Some(about),
        dial: None,
    };
    vec![
        row("/model", &status.model, Phrase::new("tui.setting.model")),
        row("/effort", status.effort.as_deref().unwrap_or_default(), Phrase::new("tui.setting.effort")),
        row("/mode", mode, Phrase::new("tui.setting.mode")),
    ]
}

/// A setting is to be changed: at once where there are two ways, else in a list or a line over this one.
pub(crate) fn turn(app: &mut App, setting: &Setting) -> Vec<ScreenEffect> {
    if let Some(command) = setting.key.strip_prefix('/') {
        app.overlays.pop();
        return commands::run(app, command, "");
    }
    let Some(dial) = &setting.dial else { return Vec::new() };
    match &dial.takes {
        Takes::Switch => {
            let on = plain(setting) == "true";
            return change(app, &setting.key, Some((!on).to_string()));
        }
        Takes::OneOf { words } => choose(app, setting, words.clone()),
        Takes::Text if setting.key == "tui.theme" => choose(app, setting, commands::themes(app)),
        Takes::Several { words } => {
            let note = Phrase::new("tui.setting.several").with("words", words.join(" "));
            write(app, setting, Some(note), &plain(setting));
        }
        Takes::Count | Takes::Number | Takes::Text => write(app, setting, setting.about.clone(), &plain(setting)),
    }
    Vec::new()
}

fn choose(app: &mut App, setting: &Setting, words: Vec<String>) {
    let now = plain(setting);
    let entry = |word: String| PickerEntry {
        value: Picked::Send(Box::new(Op::Configure { key: setting.key.clone(), value: Some(word.clone()) })),
        current: now == word,
        text: word,
        note: String::new(),
    };
    let title = Phrase::new("tui.setting.title").with("key", &setting.key);
    let picker = Picker::new(Subject::Setting, title, words.into_iter().map(entry).collect());
    app.overlays.push(Overlay::Picker(Box::new(picker)));
}

fn write(app: &mut App, setting: &Setting, note: Option<Phrase>, text: &str) {
    let title = Phrase::new("tui.setting.title").with("key", &setting.key);
    let field = FieldOverlay::new(FieldPurpose::Setting(setting.key.clone()), title, note, text);
    app.overlays.push(Overlay::Field(Box::new(field)));
}

/// Asks the engine to write a setting.
pub(crate) fn change(app: &mut App, key: &str, value: Option<String>) -> Vec<ScreenEffect> {
    app.send(Op::Configure { key: key.to_owned(), value })
}

/// A setting is in the user's file.
pub(crate) fn saved(app: &mut App, key: &str, value: Option<&str>, acts: Option<Acts>) -> Vec<ScreenEffect> {
    let mut effects = Vec::new();
    // What was taken out goes back to its default at once.
    if acts == Some(Acts::Now) || (acts.is_some() && value.is_none()) {
        effects.extend(follow(app, key, value.unwrap_or_default()));
    }
    if list(app).is_some() {
        effects.push(app.ask(Query::Config, QueryPurpose::Settings));
    }
    effects
}

/// What the front end itself follows.
fn follow(app: &mut App, key: &str, value: &str) -> Vec<ScreenEffect> {
    match key {
        "tui.theme" => commands::put_on(app, if value.is_empty() { "auto" } else { value }),
        "tui.status" => {
            let pieces: Vec<Piece> = value.split_whitespace().filter_map(Piece::of).collect();
            app.facts.pieces = if pieces.is_empty() { Piece::all() } else { pieces };
            Vec::new()
        }
        "language" if !value.is_empty() => {
            app.look.lang = reasonix_words::Lang::of_tag(value);
            Vec::new()
        }
        "tui.notify" => {
            app.notify = crate::app::Notify::of(value);
            Vec::new()
        }
        _ => Vec::new(),
    }
}
