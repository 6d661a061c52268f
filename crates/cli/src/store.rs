//! `reasonix store`: the room that everything on disk takes, and what goes because it is old or too much.

use crate::args::{StoreArgs, StoreCommand};
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Style};
use reasonix_config::Flags;
use reasonix_proto::Phrase;
use reasonix_session::Sessions;
use reasonix_undo::{RoomError, make_room};

const MIB: u64 = 1024 * 1024;

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
    let running = Sessions::at(&context.home.join("state")).running();
    let named: Vec<String> = running.iter().map(|(session, pid)| format!("{} ({pid})", session.short())).collect();
    match named.is_empty() {
        true => Phrase::new("undo.store_busy"),
        false => Phrase::new("undo.store_busy_by").with("sessions", named.join(", ")),
    }
}

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
    let kept = reasonix_engine::tidy_recordings(&context.home, dry)
        .map_err(|error| say::failed(Phrase::new("undo.not_kept").with("reason", error)))?;
    let phrase = Phrase::new("undo.store_recordings").with("files", kept.files).with("size", kept.bytes.div_ceil(MIB));
    say::line(&Style::get().text(&phrase.with("left", kept.left)))?;
    Ok(())
}
