//! The state of the front end, what can happen to it, and what it wants done.

use crate::children::ChildrenSeen;
use crate::composer::Composer;
use crate::frame::Input;
use crate::keys::Bindings;
use crate::menu::Menu;
use crate::overlays::{Overlay, Picked, PickerEntry};
use crate::status::StatusFacts;
use crate::work::TurnProgress;
use crate::{Look, Transcript};
use reasonix_proto::{Envelope, Op, Phrase, Query, Queued, Reply};
use std::collections::BTreeMap;
use std::time::Duration;

/// Something happened.
#[derive(Debug)]
pub enum Msg {
    /// The terminal sent something; what came together is together.
    Inputs(Vec<Input>),
    /// The engine said something.
    Event(Box<Envelope>),
    /// The engine answered a query.
    Reply(u64, Box<Reply>),
    /// The process around the front end said something.
    Host(HostNews),
    /// The terminal has another size.
    Resized(u16, u16),
    /// Time went by.
    Tick,
    /// The user's editor was closed; none when it failed.
    Edited(Option<String>),
    /// Prompts of earlier sessions, oldest first.
    Recalled(Vec<String>),
    /// A draft that a crash left behind.
    Draft(String),
    /// The process is told to end.
    Terminated,
    /// The process is told to stop until the shell continues it.
    Stopped,
}

/// What the process around the front end says.
#[derive(Debug, Clone, PartialEq)]
pub enum HostNews {
    /// A session is there; what was asked for before goes to it now.
    Ready,
    /// What was said on the command line: as though it had been typed and sent here.
    Said(String),
    /// The file that the clipboard's picture was put into; none when there is none.
    Picture(Option<std::path::PathBuf>),
    /// Something a person should know.
    Notice(reasonix_proto::Level, Phrase),
    /// What was looked at, line by line.
    Report(Vec<(reasonix_proto::Level, Phrase)>),
    /// There is no model yet.
    FirstRun,
    /// A step of the setup.
    Setup(crate::setup::SetupStep),
    /// There will be no session.
    Failed,
}

/// What the front end wants from the process around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostRequest {
    /// A new session in place of this one.
    New,
    /// Another session in place of this one.
    Resume(String),
    /// A copy of this session in place of it.
    Fork(String),
    /// The setup, then a session.
    Setup,
    /// An answer to a step of the setup.
    Answer(crate::setup::Answer),
    /// A new session in another folder.
    Folder(String),
    /// A look at whether everything is in order; what is found comes as notices.
    Doctor,
    /// The demo.
    Demo,
    /// The picture of the clipboard, as a file; what is found comes as [`HostNews::Picture`].
    Picture,
}

/// Something to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum ScreenEffect {
    /// An operation for the engine.
    Send(Op),
    /// A query for the engine; the number comes back with the reply.
    Ask(u64, Query),
    /// A wish for the process around.
    Host(HostRequest),
    /// Leave.
    Quit,
    /// Stop until the shell continues us.
    Suspend,
    /// Let the user edit a text in their editor.
    Edit(String),
    /// Put a text into the clipboard, through the terminal.
    Copy(String),
    /// Add a prompt to the history file.
    Remember(String),
    /// Keep the draft, or forget it when it is empty.
    Draft(String),
    /// Tell the desktop.
    Notify(String),
    /// The window's title.
    Title(String),
    /// Ask the terminal to say when it has drawn.
    Probe,
    /// Forget what is on the screen and draw anew.
    Redraw,
    /// Put on a theme; none for the one that goes with the background.
    Theme(Option<String>),
}

/// Why a query was sent.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryPurpose {
    /// For the status line.
    Status,
    /// For the status line.
    Git,
    /// The commands of the menu.
    Commands,
    /// Candidates for the menu.
    Menu,
    /// What an earlier process left.
    Recall,
    /// What the folder would execute.
    Trust,
    /// What a command shows.
    Show,
    /// A list to choose from.
    Overlay,
    /// The list of settings.
    Settings,
    /// What would be executed, because the user wants to see it.
    TrustShown,
    /// What the last turn did to files, to take it back.
    Undo,
    /// The todo list, for the user's editor.
    EditTodo,
    /// What may be spent, to change what these words name of it.
    Budget(String),
}

/// How the user is told while they look elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Notify {
    /// Through the desktop, and by the bell.
    #[default]
    Desktop,
    /// By the bell.
    Bell,
    /// Not at all.
    Off,
}

impl Notify {
    /// Reads a word of the settings; what is not one of them is the first.
    pub fn of(word: &str) -> Self {
        match word {
            "bell" => Self::Bell,
            "off" => Self::Off,
            _ => Self::Desktop,
        }
    }
}

/// The state.
pub struct App {
    /// How things are shown.
    pub look: Look,
    /// The conversation.
    pub transcript: Transcript,
    /// Where the user writes.
    pub composer: Composer,
    /// What lies over the composer, the last on top.
    pub overlays: Vec<Overlay>,
    /// The todo list is in the user's editor, and was this.
    pub edits_todo: Option<String>,
    /// The list below the composer.
    pub menu: Option<Menu>,
    /// What each key does.
    pub keys: Bindings,
    /// What the status line shows.
    pub facts: StatusFacts,
    /// What is being done.
    pub work: TurnProgress,
    /// The subagents.
    pub children: ChildrenSeen,
    /// What waits for its turn.
    pub queue: Vec<Queued>,
    /// The commands that can be had.
    pub commands: Vec<reasonix_proto::CommandInfo>,
    /// Columns and rows.
    pub size: (u16, u16),
    /// False when the user looks elsewhere.
    pub focused: bool,
    /// True when there is a session.
    pub ready: bool,
    /// True when no session could be opened: nothing was sent, so no draft is over.
    pub failed: bool,
    /// Time since the start of the program.
    pub now: Duration,
    /// When the program was started, in milliseconds since the Unix epoch.
    pub began: u64,
    /// A word at the bottom that goes away with the next key.
    pub hint: Option<Phrase>,
    /// True when the theme follows the terminal's background.
    pub follows_background: bool,
    /// True when that is dark.
    pub dark: bool,
    /// The theme that was chosen by name.
    pub theme: Option<String>,
    /// The names of the user's own themes.
    pub own_themes: Vec<String>,
    /// How the user is told while they look elsewhere.
    pub notify: Notify,
    /// What is remembered, as it was listed last.
    pub(crate) memories: Vec<reasonix_proto::MemoryInfo>,
    /// True when the whole screen is ours.
    pub full_screen: bool,
    /// How far the transcript is scrolled up in the whole screen.
    pub(crate) up: usize,
    pub(crate) caret_hidden: bool,
    pub(crate) unfolded: bool,
    pub(crate) ahead: crate::overlays::Ahead,
    pub(crate) esc_at: Option<Duration>,
    pub(crate) cancel_at: Option<Duration>,
    pub(crate) waiting: Vec<Op>,
    /// A command that was typed before it was known which there are.
    pub(crate) early: Option<(String, String)>,
    pub(crate) asked: BTreeMap<u64, QueryPurpose>,
    pub(crate) next: u64,
    pub(crate) drafted: String,
    pub(crate) draft_due: Option<Duration>,
    pub(crate) generation: u64,
    /// What the menu that is on its way will complete, and which bytes it will replace.
    pub(crate) wished: Option<(crate::menu::MenuKind, usize, usize)>,
}

impl App {
    /// The state at the start.
    pub fn new(look: Look, keys: Bindings, size: (u16, u16)) -> Self {
        Self {
            look,
            transcript: Transcript::default(),
            composer: Composer::default(),
            overlays: Vec::new(),
            edits_todo: None,
            menu: None,
            keys,
            facts: StatusFacts::default(),
            work: TurnProgress::default(),
            children: ChildrenSeen::default(),
            queue: Vec::new(),
            commands: Vec::new(),
            size,
            focused: true,
            ready: false,
            failed: false,
            now: Duration::ZERO,
            began: 0,
            hint: None,
            follows_background: true,
            dark: true,
            theme: None,
            own_themes: Vec::new(),
            notify: Notify::default(),
            memories: Vec::new(),
            full_screen: false,
            up: 0,
            caret_hidden: false,
            unfolded: false,
            ahead: crate::overlays::Ahead::default(),
            esc_at: None,
            cancel_at: None,
            waiting: Vec::new(),
            early: None,
            asked: BTreeMap::new(),
            next: 0,
            drafted: String::new(),
            draft_due: None,
            generation: 0,
            wished: None,
        }
    }

    /// When the state changes by itself next; none when it does not.
    pub fn due(&self) -> Option<Duration> {
        let beat = (self.work.is_on() || self.transcript.animates()).then(|| {
            let step = crate::work::BEAT.as_millis();
            let next = (self.now.as_millis() / step + 1) * step;
            Duration::from_millis(u64::try_from(next).unwrap_or(u64::MAX))
        });
        let guard = self.overlays.last().and_then(Overlay::due);
        [beat, self.draft_due, guard].into_iter().flatten().min()
    }

    /// A query with a purpose.
    pub(crate) fn ask(&mut self, query: Query, purpose: QueryPurpose) -> ScreenEffect {
        self.next += 1;
        self.asked.insert(self.next, purpose);
        ScreenEffect::Ask(self.next, query)
    }

    /// An entry of a list, by what it says.
    pub(crate) fn entry(&self, value: Picked, code: &'static str) -> PickerEntry {
        PickerEntry { value, text: self.look.word(code), ..PickerEntry::default() }
    }

    /// An operation, or a wait for the session that will take it.
    pub(crate) fn send(&mut self, op: Op) -> Vec<ScreenEffect> {
        if self.ready {
            return vec![ScreenEffect::Send(op)];
        }
        self.waiting.push(op);
        Vec::new()
    }
}
