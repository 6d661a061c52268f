//! Going from session to session: whoever cannot go elsewhere is told why and stays where they are.

use crate::args::SessionArgs;
use crate::context::{Context, flags_of};
use crate::say::{self, Cause};
use reasonix_engine::Handle;
use reasonix_proto::{Level, Open, Phrase, Query, Reply};
use std::path::PathBuf;

/// Where somebody wants to go on.
pub(crate) enum Elsewhere {
    /// In another session of this folder.
    Session(Open),
    /// In a new session of another folder, as it was written.
    Folder(String),
}

/// Opens the session that these arguments name.
pub(crate) fn open(args: &SessionArgs, context: Option<Context>) -> anyhow::Result<Handle> {
    let context = match context {
        Some(context) => context,
        None => Context::load_silently(args.dir.as_deref(), flags_of(args))?,
    };
    for (level, phrase) in &context.loaded.notices {
        say::notice(*level, phrase);
    }
    let host = context.host_with(args, (true, None), args.approve.clone())?;
    crate::logging::begin(host.base());
    host.open_first().map_err(|error| say::engine(&error))
}

/// A session that takes the place of another.
pub(crate) struct Arrived {
    pub(crate) args: SessionArgs,
    pub(crate) handle: Handle,
    /// What is to be said where it begins: said before, it would leave with the session that is left.
    pub(crate) told: Vec<Phrase>,
}

/// The session that takes the place of this one, opened before this one is left. None when it stays. A new one goes on with
/// the model that is talked to.
pub(crate) async fn other(args: &SessionArgs, wish: Elsewhere, left: &Handle) -> Option<Arrived> {
    let (here, flag) = (&left.session, args.model.clone());
    let mut args = SessionArgs { continues: false, resume: None, fork: None, at: None, ..args.clone() };
    let mut posture = reasonix_proto::Posture::Ask;
    if matches!(wish, Elsewhere::Session(Open::New))
        && let Reply::Status(status) = left.query(Query::Status).await
    {
        posture = status.posture;
        let effort = status.effort.map(|effort| format!(":{effort}")).unwrap_or_default();
        args.model = Some(format!("{}{effort}", status.model));
    }
    let forks = matches!(wish, Elsewhere::Session(Open::Fork { .. }));
    match wish {
        Elsewhere::Session(Open::New | Open::Unkept | Open::Continue) => {}
        Elsewhere::Session(Open::Resume { session: id }) if here.fits(&id) => {
            say::notice(Level::Info, &Phrase::new("cli.already_here"));
            return None;
        }
        Elsewhere::Session(Open::Resume { session }) => args.resume = Some(session),
        Elsewhere::Session(Open::Fork { session, .. }) if session.is_empty() => args.fork = Some(here.to_string()),
        Elsewhere::Session(Open::Fork { session, .. }) => args.fork = Some(session),
        Elsewhere::Folder(folder) => args.dir = Some(folder_of(&args, &folder)?),
    }
    match open(&args, None) {
        // What was chosen in the chat is no flag: a session that is resumed has a model of its own.
        Ok(handle) => {
            let forked = args.fork.as_deref().map(|from| {
                let from = if from == here.as_str() { here.short() } else { from };
                Phrase::new("cli.forked").with("session", handle.session.short()).with("from", from)
            });
            let told = forked.into_iter().chain(asks_again(posture, &handle).await).collect();
            Some(Arrived { args: SessionArgs { model: flag, ..args }, handle, told })
        }
        Err(error) => {
            let phrase = match error.downcast_ref::<say::Told>() {
                // One in which nothing was said is not on disk.
                _ if forks && Cause::UnknownSession.is_of(&error) => Phrase::new("cli.nothing_to_fork"),
                Some(told) => told.phrase.clone(),
                None => Phrase::new("cli.not_opened").with("reason", format!("{error:#}")),
            };
            say::notice(Level::Warning, &phrase);
            None
        }
    }
}

/// Says so where less was asked before than is from now on.
async fn asks_again(before: reasonix_proto::Posture, now: &Handle) -> Option<Phrase> {
    use reasonix_proto::Posture;
    let word = match before {
        Posture::Ask => return None,
        Posture::Auto => "auto",
        Posture::Yolo => "yolo",
    };
    let Reply::Status(status) = now.query(Query::Status).await else { return None };
    (status.posture == Posture::Ask).then(|| Phrase::new("cli.asks_again").with("posture", word))
}

/// Another folder, as it was written: from the one of this session.
fn folder_of(args: &SessionArgs, text: &str) -> Option<PathBuf> {
    let home = std::env::home_dir().unwrap_or_default();
    let here = args.dir.clone().unwrap_or_default();
    let wanted = match text.strip_prefix('~') {
        Some(rest) => home.join(rest.trim_start_matches('/')),
        None => here.join(text),
    };
    let found = wanted
        .canonicalize()
        .and_then(|path| if path.is_dir() { Ok(path) } else { Err(std::io::ErrorKind::NotADirectory.into()) });
    match found {
        Ok(path) => Some(path),
        Err(error) => {
            let phrase = Phrase::new("cli.no_folder").with("path", wanted.display()).with("reason", error);
            say::notice(Level::Warning, &phrase);
            None
        }
    }
}
