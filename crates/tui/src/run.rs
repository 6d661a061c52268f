//! The loop: waits for something to happen, lets `update` say what follows, draws once, and does it.

use crate::Look;
use crate::app::{App, HostNews, HostRequest, Msg, ScreenEffect};
use crate::frame::{Full, Inline, Modes, Reader, Terminal, restore};
use crate::io::{self as files, Files};
use crate::keys::Bindings;
use crate::status::Piece;
use crate::theme::choose;
use crate::update::update;
use crate::view::view;
use reasonix_proto::{Envelope, Level, Op, Phrase, Query, Reply};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel as pair};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two frames that nothing but the stream asks for.
const FRAME: Duration = Duration::from_millis(16);
/// So long a shell may take to say which job it continues.
const SETTLE: Duration = Duration::from_millis(150);
/// So long the front end may take to leave after a signal.
const PATIENCE: Duration = Duration::from_secs(2);

/// Lets the user edit a text; none when that failed.
pub type Editor = Box<dyn FnMut(&str) -> Option<String> + Send>;

/// Gives a text to the multiplexer around the terminal, which may not let it through by itself; false when that failed.
pub type Clipboard = Box<dyn FnMut(&str) -> bool + Send>;

/// Gives the text of a theme file of the user's, by name.
pub type Themes = Box<dyn Fn(&str) -> Option<String> + Send>;

/// What the front end starts from.
pub struct ScreenOptions {
    /// How things are shown.
    pub look: Look,
    /// True when the terminal's background is dark, as far as that is known before it says so.
    pub dark: bool,
    /// The theme to keep to; none to follow the terminal's background.
    pub theme: Option<String>,
    /// The text of a theme file of the user's, by name.
    pub themes: Themes,
    /// The names of these files.
    pub own_themes: Vec<String>,
    /// How the user is told while they look elsewhere.
    pub notify: crate::app::Notify,
    /// The user's key file, when there is one.
    pub keys: Option<String>,
    /// The pieces of the status line; all when empty.
    pub status: Vec<String>,
    /// Our own state folder; none when nothing is to be kept.
    pub state: Option<PathBuf>,
    /// The working folder.
    pub folder: PathBuf,
    /// The user's home folder.
    pub home: String,
    /// The whole screen from the start.
    pub full: bool,
    /// Wheel and buttons for the whole screen.
    pub mouse: bool,
    /// Keys as in vi.
    pub vim: bool,
    /// False when the terminal leaves rows alone that became too long.
    pub reflows: bool,
    /// Lets the user edit a text in their editor.
    pub edit: Editor,
    /// Gives what is copied to the multiplexer; none where there is none.
    pub clipboard: Option<Clipboard>,
    /// What has to be done before a signal ends the process.
    pub leave: fn(),
}

/// What the front end asks of the process around it.
#[derive(Debug)]
pub enum Asked {
    /// An operation for the session.
    Op(Op),
    /// A query; the number goes back with the reply.
    Query(u64, Query),
    /// A wish for the process.
    Host(HostRequest),
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenEnd {
    /// The user left.
    Left,
    /// A signal ended it.
    Terminated,
}

/// Where the process around puts what happens.
#[derive(Debug, Clone)]
pub struct Post(Sender<Msg>);

impl Post {
    /// An event of the session. False when nobody listens any more.
    pub fn event(&self, envelope: Envelope) -> bool {
        self.0.send(Msg::Event(Box::new(envelope))).is_ok()
    }

    /// The answer to a query.
    pub fn reply(&self, id: u64, reply: Reply) -> bool {
        self.0.send(Msg::Reply(id, Box::new(reply))).is_ok()
    }

    /// Something of the process itself.
    pub fn tell(&self, told: HostNews) -> bool {
        self.0.send(Msg::Host(told)).is_ok()
    }
}

/// Both ends of the way in.
pub fn channel() -> (Post, Receiver<Msg>) {
    let (to, from) = pair();
    (Post(to), from)
}

/// Runs until the user leaves or a signal comes; the terminal is given back as it was.
pub fn run(options: ScreenOptions, post: Post, inbox: Receiver<Msg>, ask: impl FnMut(Asked)) -> io::Result<ScreenEnd> {
    restore_after_panics();
    let (app, wrong) = start_app(&options);
    for phrase in wrong {
        post.tell(HostNews::Notice(Level::Warning, phrase));
    }
    let modes = Modes { mouse: options.mouse && options.full, colours: true };
    let terminal = Terminal::take(modes)?;
    let to = post.0.clone();
    let reader = Reader::start(move |batch| {
        let gone = batch.is_empty();
        to.send(if gone { Msg::Terminated } else { Msg::Inputs(batch) }).is_ok()
    })?;
    listen(post.0.clone(), options.leave)?;
    let files = options.state.as_ref().map(|state| Files::at(state, &options.folder));
    let (width, height) = app.size;
    let screen = Inline::new(width, height, options.reflows);
    let mut shell = Shell {
        app,
        terminal,
        reader,
        files,
        edit: options.edit,
        clipboard: options.clipboard,
        themes: options.themes,
        ask,
        screen,
        full: None,
        begun: Instant::now(),
        ended: None,
    };
    if let Some(theme) = options.theme {
        shell.app.theme = Some(theme.clone());
        shell.dress(Some(&theme))?;
    }
    shell.draw()?;
    if let Some(files) = shell.files.clone() {
        let to = post.0;
        // After the first frame, so that nobody waits for a disk.
        std::thread::Builder::new().name("recall".to_owned()).spawn(move || {
            let _ = to.send(Msg::Recalled(files.recall()));
            files.left_draft().map(|draft| to.send(Msg::Draft(draft)))
        })?;
    }
    shell.live(&inbox)
}

fn start_app(options: &ScreenOptions) -> (App, Vec<Phrase>) {
    let (keys, wrong) = options.keys.as_deref().map_or_else(|| (Bindings::default(), Vec::new()), Bindings::read);
    let mut app = App::new(options.look.clone(), keys, Terminal::size());
    app.composer.vim = options.vim.then(crate::composer::Vim::default);
    app.facts.home.clone_from(&options.home);
    app.full_screen = options.full;
    app.dark = options.dark;
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    app.began = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
    app.own_themes.clone_from(&options.own_themes);
    app.notify = options.notify;
    let pieces: Vec<Piece> = options.status.iter().filter_map(|name| Piece::of(name)).collect();
    if !pieces.is_empty() {
        app.facts.pieces = pieces;
    }
    (app, wrong)
}

/// A panic says what it says on a terminal that can show it.
fn restore_after_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            before(info);
        }));
    });
}

/// Who hears signals at the moment.
static EAR: Mutex<Option<Sender<Msg>>> = Mutex::new(None);

/// Signals become messages from now on; one that is not heeded in time ends the process all the same.
fn listen(to: Sender<Msg>, leave: fn()) -> io::Result<()> {
    let heard_before = EAR.lock().unwrap_or_else(PoisonError::into_inner).replace(to).is_some();
    static ONCE: AtomicBool = AtomicBool::new(false);
    if heard_before || ONCE.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let mut signals = signal_hook::iterator::Signals::new([SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT])?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            let msg = match signal {
                SIGWINCH => {
                    let (width, height) = Terminal::size();
                    Msg::Resized(width, height)
                }
                SIGTSTP => Msg::Stopped,
                SIGCONT => continue,
                _ => Msg::Terminated,
            };
            let ends = matches!(msg, Msg::Terminated);
            let ear = EAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let heard = ear.is_some_and(|to| to.send(msg).is_ok());
            if ends && (heard || signal != SIGINT) {
                std::thread::sleep(if heard { PATIENCE } else { Duration::ZERO });
                restore();
                leave();
                std::process::exit(128 + signal);
            }
        }
    })?;
    Ok(())
}

struct Shell<A> {
    app: App,
    terminal: Terminal,
    reader: Reader,
    files: Option<Files>,
    edit: Editor,
    clipboard: Option<Clipboard>,
    themes: Themes,
    ask: A,
    screen: Inline,
    full: Option<Full>,
    begun: Instant,
    ended: Option<ScreenEnd>,
}

impl<A: FnMut(Asked)> Shell<A> {
    fn live(mut self, inbox: &Receiver<Msg>) -> io::Result<ScreenEnd> {
        let mut drawn = Instant::now();
        let mut stale = false;
        loop {
            let first = match self.wait(inbox, stale, drawn) {
                Ok(msg) => msg,
                Err(RecvTimeoutError::Timeout) => Msg::Tick,
                Err(RecvTimeoutError::Disconnected) => Msg::Terminated,
            };
            let mut effects = Vec::new();
            let mut urgent = matches!(first, Msg::Tick);
            let mut next = Some(first);
            // All that is there is taken in before the screen is touched once.
            while let Some(msg) = next {
                urgent |= !is_stream(&msg);
                effects.extend(self.apply(msg)?);
                next = if drawn.elapsed() > FRAME * 4 && urgent { None } else { inbox.try_recv().ok() };
            }
            stale = true;
            if urgent || drawn.elapsed() >= FRAME {
                self.draw()?;
                (drawn, stale) = (Instant::now(), false);
            }
            for effect in effects {
                self.perform(effect)?;
            }
            if let Some(ended) = self.ended {
                return self.leave(ended);
            }
        }
    }

    fn wait(&self, inbox: &Receiver<Msg>, stale: bool, drawn: Instant) -> Result<Msg, RecvTimeoutError> {
        let now = self.begun.elapsed();
        let frame = stale.then(|| FRAME.saturating_sub(drawn.elapsed()));
        let due = self.app.due().map(|due| due.saturating_sub(now));
        match frame.into_iter().chain(due).min() {
            Some(time) => inbox.recv_timeout(time),
            None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    fn apply(&mut self, msg: Msg) -> io::Result<Vec<ScreenEffect>> {
        if let Msg::Resized(width, height) = msg {
            let mut out = String::new();
            match &mut self.full {
                Some(full) => full.resize(width, height),
                None => self.screen.resize(&mut out, width, height),
            }
            self.terminal.frame(&out)?;
        }
        if matches!(msg, Msg::Terminated) {
            self.ended = Some(ScreenEnd::Terminated);
        }
        let now = self.begun.elapsed();
        Ok(update(&mut self.app, msg, now))
    }

    fn draw(&mut self) -> io::Result<()> {
        let picture = view(&mut self.app);
        let colours = self.app.look.colours;
        let (width, height) = self.app.size;
        let mut out = String::new();
        match (picture.full, self.full.is_some()) {
            (true, false) => {
                out.push_str(Terminal::buffer(true));
                self.full = Some(Full::new(width, height));
            }
            (false, true) => {
                self.full = None;
                out.push_str(Terminal::buffer(false));
                self.screen.regain(&mut out, width, height);
            }
            _ => {}
        }
        match &mut self.full {
            Some(full) => full.draw(&mut out, &picture.live, picture.caret, colours),
            None => self.screen.draw(&mut out, &picture.finished, &picture.live, picture.caret, colours),
        }
        let hidden = picture.caret.is_none();
        if hidden != self.app.caret_hidden {
            out.push_str(if hidden { "\x1b[?25l" } else { "\x1b[?25h" });
            self.app.caret_hidden = hidden;
        }
        if out.is_empty() { Ok(()) } else { self.terminal.frame(&out) }
    }

    fn perform(&mut self, effect: ScreenEffect) -> io::Result<()> {
        match effect {
            ScreenEffect::Send(op) => (self.ask)(Asked::Op(op)),
            ScreenEffect::Ask(id, query) => (self.ask)(Asked::Query(id, query)),
            ScreenEffect::Host(host) => (self.ask)(Asked::Host(host)),
            ScreenEffect::Quit => self.ended = Some(self.ended.unwrap_or(ScreenEnd::Left)),
            ScreenEffect::Suspend => self.suspend()?,
            ScreenEffect::Edit(text) => self.edit(&text)?,
            ScreenEffect::Copy(text) => self.copy(&text)?,
            ScreenEffect::Remember(text) => self.file(|files| files.remember(&text))?,
            ScreenEffect::Draft(text) => self.file(|files| files.keep_draft(&text))?,
            ScreenEffect::Notify(text) => self.terminal.write(&files::notification(&text, self.app.notify))?,
            ScreenEffect::Title(text) => self.terminal.write(&files::title(&text))?,
            ScreenEffect::Probe => self.terminal.write("\x1b[5n")?,
            ScreenEffect::Redraw => {
                let mut out = String::new();
                let (width, height) = self.app.size;
                match &mut self.full {
                    Some(full) => full.resize(width, height),
                    None => self.screen.clear(&mut out),
                }
                self.terminal.frame(&out)?;
                self.draw()?;
            }
            ScreenEffect::Theme(name) => self.dress(name.as_deref())?,
        }
        Ok(())
    }

    /// Into the clipboard, by the terminal and by the multiplexer around it.
    fn copy(&mut self, text: &str) -> io::Result<()> {
        self.terminal.write(&files::clipboard(text))?;
        if self.clipboard.as_mut().is_some_and(|give| !give(text)) {
            let told = HostNews::Notice(Level::Warning, Phrase::new("tui.copy_tmux"));
            update(&mut self.app, Msg::Host(told), self.begun.elapsed());
            self.draw()?;
        }
        Ok(())
    }

    /// A file of ours that cannot be written is said once, not for every key.
    fn file(&mut self, act: impl FnOnce(&Files) -> io::Result<()>) -> io::Result<()> {
        let Some(files) = &self.files else { return Ok(()) };
        if let Err(error) = act(files) {
            self.files = None;
            let phrase = Phrase::new("tui.files_failed").with("reason", error);
            let now = self.begun.elapsed();
            update(&mut self.app, Msg::Host(HostNews::Notice(Level::Warning, phrase)), now);
            self.draw()?;
        }
        Ok(())
    }

    /// Puts on a theme; none for the one that goes with the background.
    fn dress(&mut self, name: Option<&str>) -> io::Result<()> {
        let Shell { app, themes, .. } = self;
        let (dark, colours) = (app.dark, app.look.colours);
        let wanted = name.unwrap_or(if dark { "dark" } else { "light" });
        match choose(wanted, dark, colours, &|name| themes(name)) {
            Ok(theme) => {
                app.look.theme = theme;
                app.follows_background = name.is_none();
            }
            Err(error) => {
                let told = HostNews::Notice(Level::Warning, error.phrase());
                update(&mut self.app, Msg::Host(told), self.begun.elapsed());
            }
        }
        self.draw()
    }

    /// Gives the terminal away for a while and takes it again.
    fn lend<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> io::Result<T> {
        let mut out = String::new();
        match self.full.take() {
            Some(_) => out.push_str(Terminal::buffer(false)),
            None => self.screen.clear(&mut out),
        }
        self.terminal.frame(&out)?;
        restore();
        let value = run(self);
        self.terminal.retake()?;
        self.app.caret_hidden = false;
        let (width, height) = Terminal::size();
        self.apply(Msg::Resized(width, height))?;
        self.draw()?;
        Ok(value)
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.lend(|_| {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
            // The shell still writes which job it continues.
            std::thread::sleep(SETTLE);
        })
    }

    fn edit(&mut self, text: &str) -> io::Result<()> {
        let edited = self.lend(|shell| {
            let Shell { reader, edit, .. } = shell;
            reader.without(|| edit(text))
        })?;
        let effects = self.apply(Msg::Edited(edited))?;
        self.draw()?;
        effects.into_iter().try_for_each(|effect| self.perform(effect))
    }

    /// Takes the composer off the screen; what was said stays where it is.
    fn leave(mut self, ended: ScreenEnd) -> io::Result<ScreenEnd> {
        EAR.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.app.overlays.clear();
        let mut out = String::new();
        if self.full.take().is_some() {
            out.push_str(Terminal::buffer(false));
            let (width, height) = self.app.size;
            self.screen.regain(&mut out, width, height);
        }
        let (width, look) = (self.app.size.0, self.app.look.clone());
        // What was on the other buffer only is written where it stays.
        let rest = if self.app.full_screen {
            self.app.transcript.all(width, &look, self.app.now)
        } else {
            let mut rest = self.app.transcript.take_finished(width, &look);
            rest.extend(self.app.transcript.live(width, &look, usize::from(self.app.size.1), self.app.now));
            rest
        };
        self.screen.draw(&mut out, &rest, &[], None, look.colours);
        self.screen.clear(&mut out);
        self.terminal.frame(&out)?;
        // Who was ended in the middle of a sentence finds it again, and so does who never came to a session.
        let draft = match ended {
            ScreenEnd::Left if !self.app.failed => Some(String::new()),
            _ => Some(self.app.composer.whole()).filter(|text| !self.app.failed || !text.is_empty()),
        };
        if let Some(draft) = draft {
            let _ = self.file(|files| files.keep_draft(&draft));
        }
        Ok(ended)
    }
}

/// Pieces of a stream wait for the next frame; everything else is shown at once.
fn is_stream(msg: &Msg) -> bool {
    use reasonix_proto::Event;
    match msg {
        Msg::Event(envelope) => matches!(
            envelope.event,
            Event::Text { .. } | Event::Reasoning { .. } | Event::Arguments { .. } | Event::ToolProgress { .. }
        ),
        _ => false,
    }
}
