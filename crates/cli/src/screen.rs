//! `reasonix` in a terminal: the front end on a thread of its own, the session on this one, and the wires between them.

use crate::args::SessionArgs;
use crate::context::{Context, flags_of};
use crate::exit::Exit;
use crate::say;
use reasonix_engine::{EngineError, Handle};
use reasonix_proto::{Event, Level, Op, Phrase};
use reasonix_tui::theme::Theme;
use reasonix_tui::{Asked, Colours, Ended, Host, Look, Options, Post, Told};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;

/// How long a session may take to write its last record.
const PATIENCE: Duration = Duration::from_secs(3);

pub(crate) async fn screen(args: SessionArgs) -> anyhow::Result<Exit> {
    loop {
        let context = Context::load_silently(args.dir.as_deref(), flags_of(&args))?;
        if context.loaded.settings.tui.screen_reader {
            return crate::chat::chat(args).await;
        }
        crate::probe::first_use(&context, args.model.as_deref()).await;
        match one_screen(context, &args).await? {
            Left::For(exit) => return Ok(exit),
            Left::ForSetup => drop(crate::setup::setup(crate::args::SetupArgs::default()).await?),
            Left::ForDemo => drop(crate::demo::demo(crate::args::DemoArgs { keep: None }).await?),
        }
    }
}

/// Why the screen was left.
enum Left {
    For(Exit),
    ForSetup,
    ForDemo,
}

async fn one_screen(context: Context, args: &SessionArgs) -> anyhow::Result<Left> {
    let (post, inbox) = reasonix_tui::channel();
    let (to, asked) = tokio::sync::mpsc::unbounded_channel();
    let options = options(&context, args);
    let screen_post = post.clone();
    let thread = std::thread::Builder::new().name("screen".to_owned()).spawn(move || {
        reasonix_tui::run(options, screen_post, inbox, move |wish| {
            // The process is on its way out when nobody takes it.
            let _ = to.send(wish);
        })
    })?;
    say::divert(Some(post.clone()));
    let mut desk = Desk { args: args.clone(), post, asked, spoke: false };
    let outcome = desk.run(context).await;
    say::divert(None);
    let ended = thread.join().map_err(|_| anyhow::anyhow!("the screen failed"))??;
    let exit = if ended == Ended::Terminated { Exit::Terminated } else { Exit::Done };
    Ok(match outcome? {
        Parting::Silent => Left::For(exit),
        Parting::Said(goodbye) => {
            say::notice(Level::Info, &goodbye);
            Left::For(exit)
        }
        Parting::Setup => Left::ForSetup,
        Parting::Demo => Left::ForDemo,
    })
}

/// How the desk is left.
enum Parting {
    Silent,
    Said(Phrase),
    Setup,
    Demo,
}

/// This end of the wires.
struct Desk {
    args: SessionArgs,
    post: Post,
    asked: UnboundedReceiver<Asked>,
    spoke: bool,
}

/// Why a session is left.
enum Next {
    Leave,
    Open(Box<SessionArgs>),
}

impl Desk {
    /// Runs sessions, one after the other, until the user leaves. Gives what is said afterwards.
    async fn run(&mut self, context: Context) -> anyhow::Result<Parting> {
        let mut context = Some(context);
        loop {
            let loaded = match context.take() {
                Some(context) => context,
                None => Context::load_silently(self.args.dir.as_deref(), flags_of(&self.args))?,
            };
            for (level, phrase) in &loaded.loaded.notices {
                say::notice(*level, phrase);
            }
            let mut handle = match self.open(loaded) {
                Ok(opened) => opened,
                Err(error) if is_first_run(&error) => return Ok(self.first_run().await),
                Err(error) => {
                    self.post.tell(Told::Failed);
                    return Err(error);
                }
            };
            self.post.tell(Told::Ready);
            // Asked for on the command line: for the session that it opened, not for those after it.
            if let Some(instructions) = self.args.compact.take() {
                handle.send(Op::Compact { instructions });
            }
            let next = self.serve(&mut handle).await;
            let session = handle.session.clone();
            finish(handle).await;
            match next {
                Next::Leave if self.spoke && !self.args.no_session => {
                    return Ok(Parting::Said(Phrase::new("cli.goodbye").with("session", session.short())));
                }
                Next::Leave => return Ok(Parting::Silent),
                Next::Open(args) => {
                    self.args = *args;
                    self.spoke = false;
                }
            }
        }
    }

    fn open(&self, context: Context) -> anyhow::Result<Handle> {
        let origins = context.loaded.origins.clone();
        let host = reasonix_engine::Host::new(context.start(&self.args, true)?).with_origins(origins);
        host.at_terminal(crate::context::terminal()).open_first().map_err(|error| match error {
            EngineError::Settings(phrase) => say::usage(phrase),
            other => say::failed(other.phrase()),
        })
    }

    /// Carries events there and wishes here until the session or the screen is over.
    async fn serve(&mut self, handle: &mut Handle) -> Next {
        loop {
            tokio::select! {
                biased;
                wish = self.asked.recv() => match wish {
                    None => return Next::Leave,
                    Some(Asked::Op(op)) => self.send(handle, op),
                    Some(Asked::Query(id, query)) => {
                        let (post, reply) = (self.post.clone(), handle.query(query));
                        tokio::spawn(async move { post.reply(id, reply.await) });
                    }
                    Some(Asked::Host(host)) => if let Some(args) = self.other(host) {
                        return Next::Open(Box::new(args));
                    },
                },
                envelope = handle.events.next() => match envelope {
                    Some(envelope) => drop(self.post.event(envelope)),
                    None => return Next::Leave,
                },
            }
        }
    }

    fn send(&mut self, handle: &Handle, op: Op) {
        self.spoke |= matches!(op, Op::Prompt { .. } | Op::Shell { .. });
        handle.send(op);
    }

    /// The arguments of the session that takes this one's place.
    fn other(&self, host: Host) -> Option<SessionArgs> {
        let mut args = SessionArgs { continues: false, resume: None, fork: None, at: None, ..self.args.clone() };
        match host {
            Host::New => {}
            Host::Resume(id) => args.resume = Some(id),
            Host::Fork(id) => args.fork = Some(id),
            Host::Setup | Host::Demo => return None,
        }
        Some(args)
    }

    /// No model yet: the user chooses what to do.
    async fn first_run(&mut self) -> Parting {
        self.post.tell(Told::FirstRun);
        loop {
            let parting = match self.asked.recv().await {
                None => return Parting::Silent,
                Some(Asked::Host(Host::Setup)) => Parting::Setup,
                Some(Asked::Host(Host::Demo)) => Parting::Demo,
                Some(Asked::Op(_) | Asked::Query(..) | Asked::Host(_)) => continue,
            };
            self.post.tell(Told::Failed);
            return parting;
        }
    }
}

fn is_first_run(error: &anyhow::Error) -> bool {
    error.downcast_ref::<say::Told>().is_some_and(|told| told.phrase.code == "config.no_provider")
}

/// Ends the session and waits until it has written its last record.
async fn finish(mut handle: Handle) {
    handle.send(Op::Shutdown);
    let drained = async {
        while let Some(envelope) = handle.events.next().await {
            if envelope.event == Event::SessionEnded {
                break;
            }
        }
    };
    // A log that hangs is not waited for: what was acted on is on disk already.
    let _ = tokio::time::timeout(PATIENCE, drained).await;
}

fn options(context: &Context, args: &SessionArgs) -> Options {
    let colours = colours(context);
    let variable = |name: &str| context.env.get(name).cloned().unwrap_or_default();
    let dark = reasonix_tui::theme::background_from_env(&variable("COLORFGBG")).unwrap_or(true);
    let theme = Theme::built_in(dark, colours);
    let settings = &context.loaded.settings.tui;
    let themes = context.home.join("themes");
    let look = Look { theme, lang: say::Style::get().lang, colours, unicode: speaks_unicode(context) };
    let keys = std::fs::read_to_string(context.home.join("keys.toml")).ok();
    Options {
        look,
        dark,
        theme: settings.theme.clone(),
        themes: Box::new(move |name| theme_file(&themes, name)),
        keys,
        status: settings.status.clone(),
        state: (!args.no_session).then(|| context.home.join("state")),
        folder: context.root().to_owned(),
        home: variable("HOME"),
        full: settings.full_screen,
        mouse: settings.mouse,
        // xterm and the console leave long rows alone; everything else folds them.
        reflows: variable("XTERM_VERSION").is_empty() && variable("TERM") != "linux",
        edit: Box::new(edit_with(editor_of(context))),
    }
}

/// A theme of the user's: a name, not a path.
fn theme_file(folder: &Path, name: &str) -> Option<String> {
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    plain.then(|| std::fs::read_to_string(folder.join(format!("{name}.toml"))).ok()).flatten()
}

fn colours(context: &Context) -> Colours {
    let variable = |name: &str| context.env.get(name).map_or("", String::as_str);
    let term = variable("TERM");
    if reasonix_config::no_color(&context.env) {
        Colours::None
    } else if matches!(variable("COLORTERM"), "truecolor" | "24bit") || !variable("WT_SESSION").is_empty() {
        Colours::True
    } else if term.contains("256color") || term.contains("kitty") || term.contains("alacritty") {
        Colours::Indexed
    } else {
        Colours::Sixteen
    }
}

fn speaks_unicode(context: &Context) -> bool {
    let set = |name: &str| context.env.get(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    // Without a locale at all, terminals of this century still speak UTF-8.
    locale.is_none_or(|locale| {
        let locale = locale.to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8") || matches!(locale.as_str(), "c" | "posix")
    })
}

fn editor_of(context: &Context) -> Option<String> {
    let set = |name: &str| context.env.get(name).filter(|value| !value.trim().is_empty()).cloned();
    set("VISUAL").or_else(|| set("EDITOR"))
}

/// Opens a text in the user's editor: their own program, on their own terminal.
fn edit_with(editor: Option<String>) -> impl FnMut(&str) -> Option<String> + Send {
    move |text| {
        let name = format!("reasonix-{}.md", reasonix_proto::SessionId::fresh());
        let path = std::env::temp_dir().join(name);
        let edited = edit_file(editor.as_deref().unwrap_or("vi"), &path, text);
        let _ = std::fs::remove_file(&path);
        edited.ok()
    }
}

fn edit_file(editor: &str, path: &Path, text: &str) -> std::io::Result<String> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = std::fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    let mut words = editor.split_whitespace();
    let program = PathBuf::from(words.next().unwrap_or("vi"));
    let status = std::process::Command::new(program).args(words).arg(path).status()?;
    if !status.success() {
        return Err(std::io::Error::other("the editor failed"));
    }
    std::fs::read_to_string(path)
}
