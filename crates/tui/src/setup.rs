//! The first run: choosing an endpoint, its key and a model, in the same screen. The process around looks, tries and
//! saves; here is only what is asked and answered.

use crate::app::{App, HostRequest, ScreenEffect};
use crate::overlays::{FieldOverlay, FieldPurpose, Overlay, Picked, Picker, PickerEntry, Subject};
use crate::text::columns;
use reasonix_proto::Phrase;

/// A step of the setup, told by the process around.
#[derive(Debug, Clone, PartialEq)]
pub enum SetupStep {
    /// It takes a moment: what is done meanwhile.
    Wait(Phrase),
    /// Which endpoint: those that answered, then those that are hosted elsewhere.
    Endpoints(Vec<Offered>),
    /// The key that the endpoint wants, kept under this name.
    Key(String),
    /// Which model; an empty list where the endpoint does not say which it has.
    Models(Vec<String>),
    /// It is over.
    Done,
}

/// An endpoint that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// Its name.
    pub name: String,
    /// More about it: its address, and some models.
    pub note: String,
    /// True when it answered on this machine.
    pub local: bool,
}

/// An answer to a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// One of the endpoints, by its place.
    Endpoint(usize),
    /// Another address.
    Address(String),
    /// The key; empty when it is not to be kept.
    Key(String),
    /// The model.
    Model(String),
    /// Back to the beginning.
    Back,
}

/// Shows what to do where there is no model yet.
pub(crate) fn welcome(app: &mut App) {
    over(app);
    let entries = vec![
        app.entry(Picked::Host(HostRequest::Setup), "tui.first.setup"),
        app.entry(Picked::Host(HostRequest::Demo), "tui.first.demo"),
        app.entry(Picked::Quit, "tui.first.quit"),
    ];
    let picker = Picker::short(Subject::FirstRun, Phrase::new("tui.first.title"), entries);
    app.overlays.push(Overlay::Picker(Box::new(picker)));
}

/// Takes every overlay of the setup off the screen.
pub(crate) fn over(app: &mut App) {
    app.overlays.retain(|overlay| !overlay.is_of_setup());
}

/// Shows a step.
pub(crate) fn show(app: &mut App, step: SetupStep) {
    over(app);
    let overlay = match step {
        SetupStep::Done => return,
        SetupStep::Wait(phrase) => Overlay::Picker(Box::new(Picker::remote(Subject::SetupWait, phrase))),
        SetupStep::Endpoints(offers) => {
            let local = offers.iter().filter(|offer| offer.local).count();
            let widest = offers.iter().map(|offer| columns(&offer.name)).max().unwrap_or(0);
            let entry = |(at, offer): (usize, Offered)| PickerEntry {
                value: Picked::Host(HostRequest::Answer(Answer::Endpoint(at))),
                text: format!("{}{}", offer.name, " ".repeat(widest.saturating_sub(columns(&offer.name)))),
                note: offer.note,
                current: false,
            };
            let mut entries: Vec<PickerEntry> = offers.into_iter().enumerate().map(entry).collect();
            // Behind what answered here, before the long list of what is hosted.
            entries.insert(local, app.entry(Picked::Address, "tui.setup.other"));
            Overlay::Picker(Box::new(Picker::new(Subject::Endpoint, Phrase::new("tui.setup.endpoint"), entries)))
        }
        SetupStep::Key(name) => {
            let title = Phrase::new("tui.setup.key").with("name", name);
            let note = Some(Phrase::new("tui.setup.key_note"));
            Overlay::Field(Box::new(FieldOverlay::new(FieldPurpose::Key, title, note, "")))
        }
        SetupStep::Models(models) if models.is_empty() => {
            let note = Some(Phrase::new("tui.setup.model_note"));
            Overlay::Field(Box::new(FieldOverlay::new(FieldPurpose::Model, Phrase::new("tui.setup.model"), note, "")))
        }
        SetupStep::Models(models) => {
            let entry = |model: String| PickerEntry {
                value: Picked::Host(HostRequest::Answer(Answer::Model(model.clone()))),
                text: model,
                ..PickerEntry::default()
            };
            let entries = models.into_iter().map(entry).collect();
            Overlay::Picker(Box::new(Picker::new(Subject::SetupModel, Phrase::new("tui.setup.model"), entries)))
        }
    };
    app.overlays.push(overlay);
}

/// Another endpoint is to be named.
pub(crate) fn address(app: &mut App) -> Vec<ScreenEffect> {
    let note = Some(Phrase::new("tui.setup.address_note"));
    let field = FieldOverlay::new(FieldPurpose::Address, Phrase::new("tui.setup.address"), note, "http://");
    app.overlays.push(Overlay::Field(Box::new(field)));
    Vec::new()
}

/// An answer for the process around.
pub(crate) fn answer(answer: Answer) -> ScreenEffect {
    ScreenEffect::Host(HostRequest::Answer(answer))
}
