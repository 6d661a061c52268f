//! What lies over the composer: a stack of which the last has the keyboard. Each takes a key and says what follows.

mod ahead;
mod alone;
mod approval;
mod child;
mod field;
mod line;
mod pager;
mod picker;
mod plan;
mod question;
mod rows;
mod seen;
mod settings;
mod trust;

pub(crate) use ahead::ALONE;
pub use ahead::{Ahead, Guard, KeyHeard};
pub use approval::{Approval, what};
pub use child::ChildOverlay;
pub use field::{FieldOverlay, FieldPurpose};
pub use line::LineField;
pub use pager::Pager;
pub(crate) use picker::entry_line;
pub use picker::{Picked, Picker, PickerEntry, Subject};
pub use plan::PlanOverlay;
pub use question::QuestionOverlay;
pub(crate) use rows::{block, keys_line, rule};
pub use settings::SettingsOverlay;
pub(crate) use settings::plain;
pub use trust::TrustOverlay;

use crate::Look;
use crate::app::ScreenEffect;
use crate::keys::Chord;
use ratatui_core::text::Line;
use std::time::Duration;

/// One of them.
#[derive(Debug)]
pub enum Overlay {
    /// A question about a call.
    Approval(Box<Approval>),
    /// Questions of the model.
    Question(Box<QuestionOverlay>),
    /// A plan of the model.
    Plan(Box<PlanOverlay>),
    /// A question about the folder.
    Trust(Box<TrustOverlay>),
    /// A list to choose from.
    Picker(Box<Picker>),
    /// A long text, on the whole screen.
    Pager(Box<Pager>),
    /// What a subagent said and did, on the whole screen.
    Child(Box<ChildOverlay>),
    /// The settings.
    Settings(Box<SettingsOverlay>),
    /// A line to be written.
    Field(Box<FieldOverlay>),
}

/// What follows from a key.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// It stays.
    Stay,
    /// It goes away.
    Close,
    /// It goes away, and this is to be done.
    Done(Vec<ScreenEffect>),
    /// It stays, and this is to be done.
    Do(Vec<ScreenEffect>),
    /// An entry of a list was chosen; the list goes away.
    Chosen(Picked),
    /// The words of a list changed.
    Searched(Subject, String),
    /// The user wants to be rid of an entry; the list stays.
    Removed(Picked),
    /// A setting is to be changed; the list stays.
    Turn(Box<reasonix_proto::Setting>),
    /// A line was written; it goes away.
    Written(FieldPurpose, String),
    /// This is to be done, and the list asked for anew.
    Relist(Subject, Vec<ScreenEffect>),
    /// This is said to a subagent; it stays.
    Steered {
        /// What it is called.
        child: String,
        /// What it reads.
        text: String,
    },
    /// The turn is to stop.
    Interrupt,
}

impl Overlay {
    /// True when it takes the whole screen.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Pager(_) | Self::Child(_))
    }

    /// True when it is about something that a running turn waits for.
    pub fn is_of_turn(&self) -> bool {
        matches!(self, Self::Approval(_) | Self::Question(_) | Self::Plan(_))
    }

    /// True when it is a step of the first run.
    pub fn is_of_setup(&self) -> bool {
        match self {
            Self::Picker(picker) => picker.subject.is_of_setup(),
            Self::Field(field) => !matches!(field.wanted, FieldPurpose::Setting(_)),
            _ => false,
        }
    }

    /// When a question was put on the screen; none for what may be answered at any time.
    pub fn guard(&self) -> Option<Guard> {
        match self {
            Self::Approval(approval) => Some(approval.guard),
            Self::Question(question) => Some(question.guard),
            Self::Plan(plan) => Some(plan.guard),
            Self::Trust(trust) => Some(trust.guard),
            Self::Picker(_) | Self::Pager(_) | Self::Child(_) | Self::Settings(_) | Self::Field(_) => None,
        }
    }

    /// When it changes by itself next.
    pub fn due(&self) -> Option<Duration> {
        match self {
            Self::Approval(approval) => approval.due(),
            Self::Plan(plan) => plan.due(),
            Self::Trust(trust) => trust.due(),
            _ => None,
        }
    }

    /// Time went by.
    pub fn tick(&mut self, now: Duration) -> Outcome {
        match self {
            Self::Approval(approval) => approval.tick(now),
            Self::Plan(plan) => plan.tick(now),
            Self::Trust(trust) => trust.tick(now),
            _ => Outcome::Stay,
        }
    }

    /// Takes a key, which came in this way at this time.
    pub fn key(&mut self, chord: Chord, (heard, now): (KeyHeard, Duration), look: &Look) -> Outcome {
        match self {
            Self::Approval(approval) => approval.key(chord, heard, now),
            Self::Question(question) => question.key(chord, heard),
            Self::Plan(plan) => plan.key(chord, heard, now),
            Self::Trust(trust) => trust.key(chord, heard, now),
            Self::Picker(picker) => picker.key(chord),
            Self::Pager(pager) => pager.key(chord, look),
            Self::Child(child) => child.key(chord, look),
            Self::Settings(settings) => settings.key(chord, look),
            Self::Field(field) => field.key(chord),
        }
    }

    /// Takes a paste: only where text is written.
    pub fn paste(&mut self, text: &str) -> Outcome {
        match self {
            Self::Picker(picker) => picker.paste(text),
            Self::Question(question) => question.paste(text),
            Self::Plan(plan) => plan.paste(text),
            Self::Settings(settings) => settings.paste(text),
            Self::Field(field) => field.paste(text),
            Self::Approval(approval) => approval.paste(text),
            Self::Child(child) => child.paste(text),
            Self::Trust(_) | Self::Pager(_) => Outcome::Stay,
        }
    }

    /// Its rows, at most `most`, and the caret where text is written.
    pub fn view(&mut self, width: u16, most: usize, look: &Look) -> (Vec<Line<'static>>, Option<(u16, u16)>) {
        match self {
            Self::Approval(approval) => approval.view(width, most, look),
            Self::Question(question) => question.view(width, most, look),
            Self::Plan(plan) => plan.view(width, most, look),
            Self::Trust(trust) => (trust.view(width, most, look), None),
            Self::Picker(picker) => picker.view(width, most, look),
            Self::Pager(pager) => pager.view(width, most, look),
            Self::Child(child) => child.view(width, most, look),
            Self::Settings(settings) => settings.view(width, most, look),
            Self::Field(field) => field.view(width, most, look),
        }
    }
}
