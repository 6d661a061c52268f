//! `reasonix undo`, `rewind` and `changes`: what turns did to files, and taking it back.

use crate::args::{ChangesArgs, RewindArgs, UndoArgs};
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Cause, Style, Told, clean};
use crate::view::diff_lines;
use reasonix_config::Flags;
use reasonix_engine::{EngineError, Goal, Offline, TurnChanges, changes_of};
use reasonix_proto::{Change, ChangeKind, Level, Op, Phrase, Refusal, Refused, Rewind};
use reasonix_undo::FilesWay;

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
    for TurnChanges { turn, changes, notes } in turns {
        if args.json {
            let mut told = serde_json::json!({ "turn": turn, "changes": changes });
            if !notes.is_empty() {
                told["notes"] = serde_json::json!(notes);
            }
            say::line(&say::json(&told)?)?;
        } else {
            for line in turn_lines(turn, &changes, args.turn.is_some()) {
                say::line(&line)?;
            }
            notes.iter().for_each(|note| say::notice(Level::Info, note));
        }
    }
    Ok(Exit::Done)
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
        lines.push(clean(&format!("  {word} {}  +{} −{}", change.path, change.added, change.removed)));
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
