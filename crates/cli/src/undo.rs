//! `reasonix undo`, `rewind` and `changes`: what turns did to files, and taking it back.

use crate::args::{ChangesArgs, RewindArgs, StoreArgs, StoreCommand, UndoArgs};
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Cause, Style, Told, clean};
use crate::view::diff_lines;
use reasonix_config::Flags;
use reasonix_engine::left_behind;
use reasonix_proto::{Change, ChangeKind, Level, MoveReason, Op, Phrase, Record, RecordBody, Rewind, SessionId};
use reasonix_session::{Opened, Past, Sessions, typed};
use reasonix_undo::{
    Alive, BackError, FilesBack, Plan, RoomError, Span, Work, bring_again, changes, end_of_broken, last_standing,
    make_room, snapshots_of, spans, take_back,
};
use reasonix_workspace::snapshot::Snapshots;
use std::path::Path;

pub(crate) async fn undo(args: &UndoArgs) -> anyhow::Result<Exit> {
    let mut place = Place::open(args.session.as_deref()).await?;
    if args.redo {
        let spans = place.spans()?;
        let plan = bring_again(&mut place.files, &spans, args.force).map_err(|error| told(&error))?;
        return place.carry_out(plan, "undo.redone").await;
    }
    let Some(turn) = last_standing(&place.spans()?) else {
        return Err(say::failed(Phrase::new("undo.nothing").with("session", place.session.as_str())));
    };
    place.take_back(turn, args.force).await
}

pub(crate) async fn rewind(args: &RewindArgs) -> anyhow::Result<Exit> {
    let mut place = Place::open(args.session.as_deref()).await?;
    let notes = args.notes.wanted(place.notes);
    if args.chat {
        return place.take_chat_back(args.to, notes).await;
    }
    if args.both && place.opened.past.beginning(Some(args.to)).is_none() {
        return Err(say::failed(Phrase::new("engine.no_turn").with("turn", args.to)));
    }
    let exit = match place.take_back(args.to, args.force).await {
        Err(error) if args.both && Cause::Unchanged.is_of(&error) => Exit::Done,
        other => other?,
    };
    if args.both && exit == Exit::Done { place.take_chat_back(args.to, notes).await } else { Ok(exit) }
}

pub(crate) fn show_changes(args: &ChangesArgs) -> anyhow::Result<Exit> {
    let mut place = Seen::find(args.session.as_deref())?;
    let spans = spans_of(&place.past)?;
    let turns: Vec<u32> = match args.turn {
        Some(turn) => vec![turn],
        None => {
            let mut turns: Vec<u32> =
                spans.iter().filter(|span| span.kind == Work::Turn).map(|span| span.turn).collect();
            turns.dedup();
            turns
        }
    };
    if turns.is_empty() {
        return Err(say::failed(Phrase::new("undo.nothing").with("session", place.session.as_str())));
    }
    for turn in turns {
        let changes = changes(&mut place.files, &spans, turn).map_err(|error| told(&error))?;
        if args.json {
            say::line(&say::json(&serde_json::json!({ "turn": turn, "changes": changes }))?)?;
        } else {
            print_turn(turn, &changes, args.turn.is_some())?;
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
    let all = look_after_past(&context, dry)?;
    let room = make_room(&context.home, max.saturating_mul(MIB), dry).map_err(|error| {
        say::failed(match error {
            RoomError::InUse => Phrase::new("undo.store_busy"),
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

/// What endpoints answered, as it is recorded: how much, and what went because its session is gone.
fn look_after_recordings(context: &Context, dry: bool) -> anyhow::Result<()> {
    let sessions = Sessions::at(&context.home.join("state"));
    let failed = |error: std::io::Error| say::failed(Phrase::new("undo.not_kept").with("reason", error));
    let (mut files, mut bytes, mut left) = (0, 0, 0);
    for sessions in [&sessions, &sessions.planners()] {
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

fn print_turn(turn: u32, changes: &[Change], with_diff: bool) -> anyhow::Result<()> {
    let style = Style::get();
    let title = Phrase::new("undo.turn").with("turn", turn).with("count", changes.len());
    say::line(&style.text(&title))?;
    for change in changes {
        let word = style.text(&Phrase::new(match change.kind {
            ChangeKind::Created => "undo.change_created",
            ChangeKind::Deleted => "undo.change_deleted",
            _ => "undo.change_updated",
        }));
        say::line(&clean(&format!("  {word} {}  +{} -{}", change.path, change.added, change.removed)))?;
        if with_diff {
            for line in diff_lines(style, &change.diff) {
                say::line(&line)?;
            }
        }
    }
    Ok(())
}

/// A session that is only looked at, with the files it worked on.
struct Seen {
    session: String,
    past: Past,
    files: Snapshots,
}

impl Seen {
    /// The named session, or the last one of this folder; somebody may be writing it.
    fn find(wanted: Option<&str>) -> anyhow::Result<Self> {
        let (context, sessions, id) = named(wanted)?;
        let seen = sessions.look(id.as_str()).map_err(|error| say::failed(error.phrase()))?;
        seen.notices.iter().for_each(|phrase| say::notice(Level::Warning, phrase));
        let files = files_of(&seen.head, &context)?;
        Ok(Self { session: id.short().to_owned(), past: seen.past, files })
    }
}

/// The named session, or the last one of this folder.
fn named(wanted: Option<&str>) -> anyhow::Result<(Context, Sessions, SessionId)> {
    let context = Context::load(None, Flags::default())?;
    let sessions = Sessions::at(&context.home.join("state"));
    let found = match wanted {
        Some(wanted) => sessions.find(wanted).map(Some),
        None => sessions.latest(context.root()),
    };
    let id = found.map_err(|error| say::failed(error.phrase()))?;
    Ok((context, sessions, id.ok_or_else(|| say::failed(Phrase::new("undo.no_session")))?))
}

/// The folder that a session works in.
fn root_of<'a>(head: &'a Record, context: &'a Context) -> &'a Path {
    match &head.body {
        RecordBody::Session(head) => Path::new(&head.cwd),
        _ => context.root(),
    }
}

/// The files of the folder that a session speaks of.
fn files_of(head: &Record, context: &Context) -> anyhow::Result<Snapshots> {
    snapshots_of(root_of(head, context), &context.home)
        .map_err(|error| say::failed(Phrase::new("undo.not_kept").with("reason", error)))
}

fn spans_of(past: &Past) -> anyhow::Result<Vec<Span>> {
    let unreadable = |error| say::failed(Phrase::new("engine.log_unreadable").with("reason", error));
    Ok(spans(&past.of_files().map_err(unreadable)?))
}

/// A session with the files it worked on.
struct Place {
    session: String,
    id: String,
    /// The settings want notes on what is left.
    notes: bool,
    opened: Opened,
    files: Snapshots,
}

impl Place {
    /// The named session, or the last one of this folder. Nobody else may be writing it.
    async fn open(wanted: Option<&str>) -> anyhow::Result<Self> {
        let (context, sessions, id) = named(wanted)?;
        let opened = sessions.open(id.as_str(), |_| {}).map_err(|error| say::failed(error.phrase()))?;
        opened.notices.iter().for_each(|phrase| say::notice(Level::Warning, phrase));
        // What is brought back, or kept as it is now, has nothing in it that a killed command left for git.
        let left = left_behind(&context.home, vec![root_of(&opened.head, &context).to_owned()]);
        left.iter().for_each(|phrase| say::notice(Level::Warning, phrase));
        let files = files_of(&opened.head, &context)?;
        let notes = context.loaded.settings.branch.summary;
        let mut alive = Alive::of(&context.home, id.as_str());
        let mut place = Self { session: id.short().to_owned(), id: id.0.clone(), notes, opened, files };
        place.close_broken(&mut alive).await?;
        Ok(place)
    }

    /// Gives a turn or a going back that ended with its process the end it had, as far as that can be told.
    async fn close_broken(&mut self, alive: &mut Alive) -> anyhow::Result<()> {
        let Some(last) = self.spans()?.pop() else { return Ok(()) };
        // Where its states are gone, there is nothing to take back either, and that is said where it matters.
        if let Ok(Some(end)) = end_of_broken(&mut self.files, &last, alive) {
            self.journal(end).await?;
            alive.end();
        }
        Ok(())
    }

    async fn journal(&self, body: RecordBody) -> anyhow::Result<()> {
        self.opened.journal.append(body).await.map(drop).map_err(|error| say::failed(error.phrase()))
    }

    fn spans(&self) -> anyhow::Result<Vec<Span>> {
        spans_of(&self.opened.past)
    }

    async fn take_back(&mut self, turn: u32, force: bool) -> anyhow::Result<Exit> {
        let spans = self.spans()?;
        let plan = take_back(&mut self.files, &spans, turn, force).map_err(|error| told(&error))?;
        self.carry_out(plan, "undo.done").await
    }

    /// Does it. What is about to be done is on the log first.
    async fn carry_out(&mut self, plan: Plan, code: &'static str) -> anyhow::Result<Exit> {
        if let Some(intent) = plan.intent(code == "undo.redone") {
            self.journal(RecordBody::Restoring(intent)).await?;
        }
        let back = plan.carry_out(&mut self.files).map_err(|error| told(&error))?;
        self.tell(&back, code).await
    }

    /// The conversation goes on before a turn; the prompt that is taken back is printed, for editing.
    async fn take_chat_back(self, turn: u32, notes: bool) -> anyhow::Result<Exit> {
        let Self { session, id, opened, .. } = self;
        let past = &opened.past;
        let none = || say::failed(Phrase::new("engine.no_turn").with("turn", turn));
        let record = past.beginning(Some(turn)).ok_or_else(none)?;
        let to = past.parent(record.id).unwrap_or(record.id);
        if notes && past.left_by(to).is_some() {
            // The model that writes the notes has the session then.
            drop(opened);
            let op = Op::Rewind { turn, what: Rewind::Chat, summary: Some(true) };
            let (exit, _) = crate::leave::leave(id, op).await?;
            if exit != Exit::Done {
                return Ok(exit);
            }
        } else {
            let unreadable = |error| say::failed(Phrase::new("engine.log_unreadable").with("reason", error));
            let (there, now) = (past.history_at(to).map_err(unreadable)?, &opened.history);
            let lacking = there.map(|there| there.lacks(now.mode, &now.model, now.effort.as_deref()));
            let moved = RecordBody::Moved { to, why: MoveReason::Rewind };
            for body in std::iter::once(moved).chain(lacking.into_iter().flatten()) {
                opened.journal.append(body).await.map_err(|error| say::failed(error.phrase()))?;
            }
        }
        say::notice(Level::Info, &Phrase::new("cli.chat_back").with("turn", turn).with("session", &session));
        say::line(&clean(&typed(&record.body).unwrap_or_default()))?;
        Ok(Exit::Done)
    }

    /// Journals what was done and says it. What is not as it was makes the command fail.
    async fn tell(&self, back: &FilesBack, code: &'static str) -> anyhow::Result<Exit> {
        let body = RecordBody::Restored(back.record(code == "undo.redone"));
        self.journal(body).await?;
        let style = Style::get();
        let done = Phrase::new(code).with("turn", back.turn).with("count", back.changed.len());
        say::line(&style.text(&done))?;
        for path in &back.changed {
            say::line(&clean(&format!("  {path}")))?;
        }
        for (level, phrase) in back.notices(code == "undo.redone") {
            say::notice(level, &phrase);
        }
        if code == "undo.done" && !back.changed.is_empty() {
            say::notice(Level::Info, &Phrase::new("undo.redo"));
        }
        Ok(if back.blocked.is_empty() { Exit::Done } else { Exit::Failed })
    }
}

fn told(error: &BackError) -> anyhow::Error {
    let cause = matches!(error, BackError::NothingToTakeBack(_)).then_some(Cause::Unchanged);
    Told { phrase: error.phrase(), exit: Exit::Failed, cause }.into()
}
