//! `reasonix undo`, `rewind` and `changes`: what turns did to files, and taking it back. `reasonix store`: the room all of
//! it takes.

use crate::args::{ChangesArgs, RewindArgs, StoreArgs, StoreCommand, UndoArgs};
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Cause, Style, Told, clean};
use crate::view::diff_lines;
use reasonix_config::Flags;
use reasonix_engine::{EngineError, Goal, Offline, changes_of};
use reasonix_proto::{Change, ChangeKind, Level, Op, Phrase, Refusal, Refused, Rewind};
use reasonix_session::Sessions;
use reasonix_undo::{FilesWay, RoomError, make_room};

pub(crate) async fn undo(args: &UndoArgs) -> anyhow::Result<Exit> {
    let offline = open(&Context::load(None, Flags::default())?, args.session.as_deref())?;
    let way = if args.redo { FilesWay::Again } else { FilesWay::Last };
    files(&offline, way, args.force).await
}

pub(crate) async fn rewind(args: &RewindArgs) -> anyhow::Result<Exit> {
    let context = Context::load(None, Flags::default())?;
    let offline = open(&context, args.session.as_deref())?;
    let notes = args.notes.wanted(context.loaded.settings.branch.summary);
    if args.chat {
        return chat(offline, args.to, notes).await;
    }
    if args.both {
        offline.before_turn(args.to).map_err(|refused| told(&refused))?;
    }
    let exit = match files(&offline, FilesWay::Before(args.to), args.force).await {
        Err(error) if args.both && Cause::Unchanged.is_of(&error) => Exit::Done,
        other => other?,
    };
    if args.both && exit == Exit::Done { chat(offline, args.to, notes).await } else { Ok(exit) }
}

pub(crate) fn show_changes(args: &ChangesArgs) -> anyhow::Result<Exit> {
    let context = Context::load(None, Flags::default())?;
    let (session, notices, turns) =
        changes_of(&context, args.session.as_deref(), args.turn).map_err(|error| not_had(&error))?;
    notices.iter().for_each(|phrase| say::notice(Level::Warning, phrase));
    if turns.is_empty() {
        return Err(say::failed(Phrase::new("undo.nothing").with("session", session.short())));
    }
    for (turn, changes) in turns {
        if args.json {
            say::line(&say::json(&serde_json::json!({ "turn": turn, "changes": changes }))?)?;
        } else {
            for line in turn_lines(turn, &changes, args.turn.is_some()) {
                say::line(&line)?;
            }
        }
    }
    Ok(Exit::Done)
}

pub(crate) fn store(args: &StoreArgs) -> anyhow::Result<Exit> {
    let context = Context::load(None, Flags::default())?;
    let max = context.loaded.settings.undo.max_mb;
    let dry = matches!(args.command, StoreCommand::Du);
    look_after_cache(&context, dry)?;
    look_after_recordings(&context, dry)?;
    look_after_clones(&context, dry)?;
    let all = look_after_past(&context, dry)?;
    let room = make_room(&context.home, max.saturating_mul(MIB), dry).map_err(|error| {
        say::failed(match error {
            RoomError::InUse => busy(&context),
            other => Phrase::new("undo.not_kept").with("reason", other),
        })
    })?;
    let found = room.collected;
    let (bytes, blobs) =
        if dry { (found.bytes + found.freed, found.kept + found.removed) } else { (found.bytes, found.kept) };
    let style = Style::get();
    if !dry {
        let gone = Phrase::new("undo.store_gc").with("removed", found.removed).with("freed", found.freed / MIB);
        say::line(&style.text(&gone))?;
    }
    let kept = Phrase::new("undo.store_du").with("blobs", blobs).with("sessions", room.sessions);
    say::line(&style.text(&kept.with("size", bytes.div_ceil(MIB)).with("max", max)))?;
    let all = if dry { all } else { all.saturating_sub(found.freed) };
    let folder = context.home.join("state");
    say::line(
        &style.text(&Phrase::new("undo.store_all").with("size", all.div_ceil(MIB)).with("path", folder.display())),
    )?;
    Ok(Exit::Done)
}

/// Who is in the way, as far as it can be told.
fn busy(context: &Context) -> Phrase {
    let running = reasonix_session::Sessions::at(&context.home.join("state")).running();
    let named: Vec<String> = running.iter().map(|(session, pid)| format!("{} ({pid})", session.short())).collect();
    match named.is_empty() {
        true => Phrase::new("undo.store_busy"),
        false => Phrase::new("undo.store_busy_by").with("sessions", named.join(", ")),
    }
}

const MIB: u64 = 1024 * 1024;

/// What is kept for a while: how much, and what went of it.
fn look_after_cache(context: &Context, dry: bool) -> anyhow::Result<()> {
    let settings = &context.loaded.settings;
    let found = reasonix_engine::tidy_cache(settings, &context.home, dry)
        .map_err(|error| say::failed(Phrase::new("undo.not_kept").with("reason", error)))?;
    let (files, bytes) =
        if dry { (found.kept + found.removed, found.bytes + found.freed) } else { (found.kept, found.bytes) };
    let phrase = Phrase::new("undo.store_cache").with("files", files).with("size", bytes.div_ceil(MIB));
    say::line(&Style::get().text(&phrase.with("max", settings.cache.max_mb).with("old", found.removed)))?;
    Ok(())
}

/// Sessions, their outputs and the ledger: how much, and what went of them because it is old or too much. Gives the room
/// that everything takes.
fn look_after_past(context: &Context, dry: bool) -> anyhow::Result<u64> {
    let settings = &context.loaded.settings;
    let kept = reasonix_engine::tidy_past(settings, &context.home, dry)
        .map_err(|error| say::failed(Phrase::new("undo.not_kept").with("reason", error)))?;
    let bounds = settings.retention;
    for (code, part, max) in [
        (Phrase::new("undo.store_sessions"), kept.sessions, bounds.sessions_mb),
        (Phrase::new("undo.store_outputs"), kept.outputs, bounds.outputs_mb),
        (Phrase::new("undo.store_usage"), kept.usage, bounds.usage_mb),
    ] {
        let (files, bytes) =
            if dry { (part.kept + part.removed, part.bytes + part.freed) } else { (part.kept, part.bytes) };
        let phrase = code.with("files", files).with("size", bytes.div_ceil(MIB)).with("max", max);
        say::line(&Style::get().text(&phrase.with("old", part.removed)))?;
    }
    Ok(kept.all)
}

/// Clones of subagents that write: how much, and those that a killed session left.
fn look_after_clones(context: &Context, dry: bool) -> anyhow::Result<()> {
    let kept = reasonix_engine::tidy_clones(&context.home, dry)
        .map_err(|error| say::failed(Phrase::new("undo.not_kept").with("reason", error)))?;
    let (sessions, bytes) =
        if dry { (kept.sessions + kept.removed, kept.bytes + kept.freed) } else { (kept.sessions, kept.bytes) };
    let phrase = Phrase::new("undo.store_clones").with("sessions", sessions).with("size", bytes.div_ceil(MIB));
    say::line(&Style::get().text(&phrase.with("left", kept.removed)))?;
    Ok(())
}

/// What endpoints answered, as it is recorded: how much, and what went because its session is gone.
fn look_after_recordings(context: &Context, dry: bool) -> anyhow::Result<()> {
    let sessions = Sessions::at(&context.home.join("state"));
    let failed = |error: std::io::Error| say::failed(Phrase::new("undo.not_kept").with("reason", error));
    let (mut files, mut bytes, mut left) = (0, 0, 0);
    for sessions in [&sessions, &sessions.planners(), &sessions.children()] {
        let gone = sessions.recorded(true).map_err(failed)?;
        left += gone.len();
        for (path, _) in gone.iter().filter(|_| !dry) {
            std::fs::remove_file(path).map_err(failed)?;
        }
        let all = sessions.recorded(false).map_err(failed)?;
        files += all.len();
        bytes += all.iter().map(|(_, size)| size).sum::<u64>();
    }
    let phrase = Phrase::new("undo.store_recordings").with("files", files).with("size", bytes.div_ceil(MIB));
    say::line(&Style::get().text(&phrase.with("left", left)))?;
    Ok(())
}

/// What a turn did to files, a line each; with what changed in them where that is wanted.
pub(crate) fn turn_lines(turn: u32, changes: &[Change], with_diff: bool) -> Vec<String> {
    let style = Style::get();
    let mut lines = vec![style.text(&Phrase::new("undo.turn").with("turn", turn).with("count", changes.len()))];
    for change in changes {
        let word = style.text(&Phrase::new(match change.kind {
            ChangeKind::Created => "undo.change_created",
            ChangeKind::Deleted => "undo.change_deleted",
            _ => "undo.change_updated",
        }));
        lines.push(clean(&format!("  {word} {}  +{} -{}", change.path, change.added, change.removed)));
        if with_diff {
            lines.extend(diff_lines(style, &change.diff));
        }
    }
    lines
}

/// The named session, or the last one of this folder. Nobody else may be writing it.
fn open(context: &Context, wanted: Option<&str>) -> anyhow::Result<Offline> {
    let offline = Offline::open(context, wanted).map_err(|error| not_had(&error))?;
    offline.notices.iter().for_each(|phrase| say::notice(Level::Warning, phrase));
    Ok(offline)
}

/// The files go back, or forth again. What is not as it was makes the command fail.
async fn files(offline: &Offline, way: FilesWay, force: bool) -> anyhow::Result<Exit> {
    let gone = offline.files(way, force).await;
    let (back, left) = gone.map_err(|refused| match (way, refused.refusal) {
        (FilesWay::Last, Refusal::Nothing) => {
            say::failed(Phrase::new("undo.nothing").with("session", offline.session.short()))
        }
        _ => told(&refused),
    })?;
    left.iter().for_each(|phrase| say::notice(Level::Warning, phrase));
    let again = way == FilesWay::Again;
    say::line(&Style::get().text(&back.said(again)))?;
    for path in &back.changed {
        say::line(&clean(&format!("  {path}")))?;
    }
    for (level, phrase) in back.notices(again) {
        say::notice(level, &phrase);
    }
    if !again && !back.changed.is_empty() {
        say::notice(Level::Info, &Phrase::new("undo.redo"));
    }
    Ok(if back.blocked.is_empty() { Exit::Done } else { Exit::Failed })
}

/// The conversation goes on before a turn; the prompt that is taken back is printed, for editing.
async fn chat(offline: Offline, turn: u32, notes: bool) -> anyhow::Result<Exit> {
    let goal = offline.before_turn(turn).map_err(|refused| told(&refused))?;
    let session = offline.session.short().to_owned();
    let op = Op::Rewind { turn, what: Rewind::Chat, summary: Some(true) };
    let exit = go(offline, &goal, notes.then_some(op)).await?;
    if exit == Exit::Done {
        say::notice(Level::Info, &Phrase::new("cli.chat_back").with("turn", turn).with("session", session));
        say::line(&clean(&goal.text.unwrap_or_default()))?;
    }
    Ok(exit)
}

/// Moves about in a session. Where notes are wanted on something that is left, its model is asked for them, and has the
/// session then.
pub(crate) async fn go(offline: Offline, goal: &Goal, with_notes: Option<Op>) -> anyhow::Result<Exit> {
    match with_notes.filter(|_| offline.leaves(goal)) {
        Some(op) => {
            let session = offline.session.to_string();
            drop(offline);
            crate::leave::leave(session, op).await
        }
        None => {
            offline.go(goal).await.map_err(|refused| told(&refused))?;
            Ok(Exit::Done)
        }
    }
}

/// Why a session could not be had.
pub(crate) fn not_had(error: &EngineError) -> anyhow::Error {
    say::failed(error.phrase())
}

/// Why something was not done in a session.
pub(crate) fn told(refused: &Refused) -> anyhow::Error {
    let cause = (refused.refusal == Refusal::Nothing).then_some(Cause::Unchanged);
    Told { phrase: refused.why.clone(), exit: Exit::Failed, cause }.into()
}
