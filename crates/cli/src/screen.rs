//! `reasonix` in a terminal: the front end on a thread of its own, the session on this one, and the wires between them.

use crate::args::SessionArgs;
use crate::context::{Context, flags_of};
use crate::editor::{edit_with, editor_of};
use crate::elsewhere::{Arrived, Elsewhere, open, other};
use crate::exit::Exit;
use crate::first::{Chosen, first_run};
use crate::say::{self, Cause};
use reasonix_engine::Handle;
use reasonix_proto::{Event, Level, Op, Open, Phrase};
use reasonix_tui::theme::Theme;
use reasonix_tui::{Asked, Colours, HostNews, HostRequest, Look, Post, ScreenEnd, ScreenOptions};
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;

/// How long a session may take to write its last record.
const PATIENCE: Duration = Duration::from_secs(3);

pub(crate) async fn screen(mut args: SessionArgs, first: Option<String>) -> anyhow::Result<Exit> {
    // A session that is to be chosen is chosen on the screen.
    let lists = args.wants_list();
    if lists {
        args.resume = None;
    }
    let first = if lists { Some("/resume".to_owned()) } else { first };
    let context = Context::load_silently(args.dir.as_deref(), flags_of(&args))?;
    if context.loaded.settings.tui.screen_reader {
        return crate::chat::chat(args, first).await;
    }
    crate::probe::first_use(&context, args.model.as_deref()).await;
    one_screen(context, &args, first).await
}

async fn one_screen(context: Context, args: &SessionArgs, first: Option<String>) -> anyhow::Result<Exit> {
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
    let mut end = HostEnd { args: args.clone(), post, asked, spoke: false, first };
    let outcome = end.run(context).await;
    crate::picture::forget();
    say::divert(None);
    let ended = thread.join().map_err(|_| anyhow::anyhow!("the screen failed"))??;
    let exit = if ended == ScreenEnd::Terminated { Exit::Terminated } else { Exit::Done };
    if let Some(goodbye) = outcome? {
        say::notice(Level::Info, &goodbye);
    }
    Ok(exit)
}

/// This end of the wires.
struct HostEnd {
    args: SessionArgs,
    post: Post,
    asked: UnboundedReceiver<Asked>,
    spoke: bool,
    /// What was said on the command line, for the first session.
    first: Option<String>,
}

/// Why a session is left.
enum Next {
    Leave,
    Open(Box<Arrived>),
}

impl HostEnd {
    /// Runs sessions, one after the other, until the user leaves. Gives what is said afterwards.
    async fn run(&mut self, context: Context) -> anyhow::Result<Option<Phrase>> {
        let Some(mut handle) = self.first(context).await? else { return Ok(None) };
        let mut told: Vec<Phrase> = Vec::new();
        loop {
            self.post.tell(HostNews::Ready);
            for phrase in told.drain(..) {
                self.post.tell(HostNews::Notice(Level::Info, phrase));
            }
            // Asked for on the command line: for the session that it opened, not for those after it.
            if let Some(instructions) = self.args.compact.take() {
                handle.submit(Op::Compact { instructions });
            }
            if let Some(text) = self.first.take() {
                self.post.tell(HostNews::Said(text));
            }
            let next = self.serve(&mut handle).await;
            let session = handle.session.clone();
            finish(handle).await;
            match next {
                Next::Leave if self.spoke && !self.args.no_session => {
                    return Ok(Some(Phrase::new("cli.goodbye").with("session", session.short())));
                }
                Next::Leave => return Ok(None),
                Next::Open(other) => {
                    let Arrived { args, handle: opened, told: said } = *other;
                    (self.args, handle, told) = (args, opened, said);
                    self.spoke = false;
                }
            }
        }
    }

    /// The session that the command line names; none when the user left before there was one.
    async fn first(&mut self, context: Context) -> anyhow::Result<Option<Handle>> {
        let mut context = Some(context);
        loop {
            match open(&self.args, context.take()) {
                Ok(opened) => return Ok(Some(opened)),
                Err(error) if Cause::Unconfigured.is_of(&error) => {
                    match Box::pin(first_run(&self.post, &mut self.asked)).await {
                        Ok(Chosen::Session) => {}
                        Ok(Chosen::Leave) => return Ok(None),
                        Err(error) => return self.fail(error),
                    }
                }
                Err(error) => return self.fail(error),
            }
        }
    }

    fn fail<T>(&self, error: anyhow::Error) -> anyhow::Result<T> {
        self.post.tell(HostNews::Failed);
        Err(error)
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
                    Some(Asked::Host(HostRequest::Doctor)) => drop(tokio::spawn(crate::doctor::on_screen(self.args.dir.clone(), self.post.clone()))),
                    Some(Asked::Host(HostRequest::Picture)) => {
                        let (post, folder) = (self.post.clone(), self.args.dir.clone().unwrap_or_else(|| ".".into()));
                        drop(tokio::task::spawn_blocking(move || post.tell(HostNews::Picture(crate::picture::from_clipboard(&folder)))));
                    },
                    Some(Asked::Host(host)) => if let Some(other) = self.other(host, handle).await {
                        return Next::Open(Box::new(other));
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
        handle.submit(op);
    }

    /// The session that takes the place of this one.
    async fn other(&self, host: HostRequest, left: &Handle) -> Option<Arrived> {
        let wish = match host {
            HostRequest::New => Elsewhere::Session(Open::New),
            HostRequest::Resume(session) => Elsewhere::Session(Open::Resume { session }),
            HostRequest::Fork(session) => Elsewhere::Session(Open::Fork { session, at: None }),
            HostRequest::Folder(folder) => Elsewhere::Folder(folder),
            HostRequest::Setup
            | HostRequest::Demo
            | HostRequest::Answer(_)
            | HostRequest::Doctor
            | HostRequest::Picture => return None,
        };
        other(&self.args, wish, left).await
    }
}

/// Ends the session and waits until it has written its last record.
pub(crate) async fn finish(mut handle: Handle) {
    handle.submit(Op::Shutdown);
    let drained = async {
        while let Some(envelope) = handle.events.next().await {
            if envelope.parent.is_none() && envelope.event == Event::SessionEnded {
                break;
            }
        }
    };
    // A log that hangs is not waited for: what was acted on is on disk already.
    let _ = tokio::time::timeout(PATIENCE, drained).await;
}

fn options(context: &Context, args: &SessionArgs) -> ScreenOptions {
    let colours = colours(context);
    let variable = |name: &str| context.env.get(name).cloned().unwrap_or_default();
    let dark = reasonix_tui::theme::background_from_env(&variable("COLORFGBG")).unwrap_or(true);
    let theme = Theme::built_in(dark, colours);
    let settings = &context.loaded.settings.tui;
    let themes = context.home.join("themes");
    let look = Look { theme, lang: say::Style::get().lang, colours, unicode: speaks_unicode(context) };
    let keys = std::fs::read_to_string(context.home.join("keys.toml")).ok();
    ScreenOptions {
        look,
        dark,
        theme: settings.theme.clone(),
        own_themes: theme_names(&themes),
        themes: Box::new(move |name| theme_file(&themes, name)),
        notify: reasonix_tui::Notify::of(settings.notify.as_deref().unwrap_or_default()),
        keys,
        status: settings.status.clone(),
        state: (!args.no_session).then(|| context.home.join("state")),
        folder: context.root().to_owned(),
        home: variable("HOME"),
        full: settings.full_screen,
        mouse: settings.mouse,
        vim: settings.vim,
        // xterm and the console leave long rows alone; everything else folds them.
        reflows: variable("XTERM_VERSION").is_empty() && variable("TERM") != "linux",
        edit: Box::new(edit_with(editor_of(&context.env))),
        clipboard: crate::multiplexer::clipboard(context),
        leave: crate::interrupts::leave_nothing,
    }
}

/// The names of the user's themes.
fn theme_names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let name = |entry: std::fs::DirEntry| entry.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned);
    let mut names: Vec<String> = entries.flatten().filter_map(name).take(100).collect();
    names.sort();
    names
}

/// A theme of the user's: a name, not a path.
pub(crate) fn theme_file(folder: &Path, name: &str) -> Option<String> {
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    plain.then(|| std::fs::read_to_string(folder.join(format!("{name}.toml"))).ok()).flatten()
}

fn colours(context: &Context) -> Colours {
    let variable = |name: &str| context.env.get(name).map_or("", String::as_str);
    let term = variable("TERM");
    let mono = term.ends_with("-mono") || term.ends_with("-m") || term.starts_with("vt");
    if reasonix_config::no_color(&context.env) || mono {
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
