//! `reasonix replay` and `reasonix diff`: a session played again offline, and two of them compared.

use crate::args::{DiffArgs, ReplayArgs, SessionArgs};
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Colour, Style, clean};
use crate::view::{Json, Plain, Quiet, View};
use reasonix_agent::Sink;
use reasonix_config::Flags;
use reasonix_lab::{Heard, Replayed, replay as play};
use reasonix_proto::{Cost, Envelope, Event, Level, PROTOCOL_VERSION, Phrase, Record, RecordBody, SessionId};
use reasonix_session::{Comparison, PairKind, Recordings, Reel, SeenSession, Sessions, Side, compare};
use std::path::Path;
use std::sync::Arc;

/// A session by its id, or by the path of its file wherever that lies.
fn look(context: &Context, wanted: &str) -> anyhow::Result<SeenSession> {
    let sessions = Sessions::at(&context.home.join("state"));
    let path = Path::new(wanted);
    let seen = if path.is_file() { Sessions::look_file(path) } else { sessions.look(wanted) };
    let seen = seen.map_err(|error| say::failed(error.phrase()))?;
    for notice in &seen.notices {
        say::notice(Level::Warning, notice);
    }
    Ok(seen)
}

fn unreadable(error: std::io::Error) -> anyhow::Error {
    say::failed(Phrase::new("engine.log_unreadable").with("reason", error))
}

pub(crate) async fn replay(args: ReplayArgs) -> anyhow::Result<Exit> {
    let context = Context::load_silently(None, Flags::default())?;
    let seen = look(&context, &args.session)?;
    let reel = if args.wire { Some(reel_of(&context, &args.session, &seen)?) } else { None };
    let host = context.host(&SessionArgs::default(), false)?;
    let mut view: Box<dyn View> = match () {
        () if args.json => Box::new(Json::default()),
        () if args.check => Box::new(Quiet::default()),
        () => Box::new(Plain::new(None)),
    };
    let session = match &seen.head.body {
        RecordBody::Session(head) => head.session.clone(),
        _ => SessionId::from(""),
    };
    let (to, mut from) = tokio::sync::mpsc::unbounded_channel();
    let stage = Arc::new(Stage(to));
    let showing = async {
        let mut seq = 0;
        while let Some(event) = from.recv().await {
            seq += 1;
            let (session, ephemeral) = (session.clone(), event.is_ephemeral());
            view.show(&Envelope { v: PROTOCOL_VERSION, seq, session, parent: None, ephemeral, event })?;
            view.flush()?;
        }
        view.close()
    };
    let (replayed, shown) = tokio::join!(play(&seen.past, host.base(), reel, stage), showing);
    let replayed = replayed.map_err(unreadable)?;
    shown?;
    tell(&replayed);
    let heard = !args.wire || tell_heard(replayed.heard);
    Ok(if replayed.difference.is_none() && heard { Exit::Done } else { Exit::Failed })
}

/// What was recorded of a session, beside its file wherever that lies.
fn reel_of(context: &Context, wanted: &str, seen: &SeenSession) -> anyhow::Result<Reel> {
    let path = Path::new(wanted);
    let recordings = match &seen.head.body {
        _ if path.is_file() => Recordings::beside(path),
        RecordBody::Session(head) => Sessions::at(&context.home.join("state")).recordings(&head.session),
        _ => Recordings::beside(path),
    };
    let place = recordings.path().display().to_string();
    let failed = |error| say::failed(Phrase::new("session.io").with("path", &place).with("reason", error));
    let reel = recordings.read().map_err(failed)?;
    let reel = reel.ok_or_else(|| say::failed(Phrase::new("cli.wire_none").with("path", &place)))?;
    if !reel.damaged.is_empty() {
        say::notice(Level::Warning, &damaged_lines(&reel, &place));
    }
    Ok(reel)
}

/// What to say about lines of a recording that cannot be read.
pub(crate) fn damaged_lines(reel: &Reel, place: &str) -> Phrase {
    let lines: Vec<String> = reel.damaged.iter().take(5).map(usize::to_string).collect();
    let phrase = Phrase::new("cli.wire_damaged").with("path", place).with("count", reel.damaged.len());
    phrase.with("lines", lines.join(", "))
}

/// Says how many answers came out of recorded bytes; false when none did.
fn tell_heard(heard: Heard) -> bool {
    let Heard { answers, bytes, missing } = heard;
    if answers > 0 {
        say::notice(Level::Info, &Phrase::new("cli.wire_heard").with("answers", answers).with("bytes", bytes));
    }
    if missing > 0 {
        say::notice(Level::Warning, &Phrase::new("cli.wire_missing").with("count", missing));
    }
    if answers == 0 && missing == 0 {
        say::notice(Level::Warning, &Phrase::new("cli.wire_unheard"));
    }
    answers > 0
}

/// Says what came of it.
fn tell(replayed: &Replayed) {
    let Replayed { turns, steps, shown, difference, .. } = replayed;
    let phrase = match difference {
        None if *shown == 0 => Phrase::new("cli.replay_same").with("turns", turns).with("steps", steps),
        None => Phrase::new("cli.replay_same_but").with("turns", turns).with("steps", steps).with("shown", shown),
        Some(difference) => Phrase::new("cli.replay_differs")
            .with("record", difference.record)
            .with("then", clean(&difference.then))
            .with("now", clean(&difference.now)),
    };
    say::notice(if difference.is_none() { Level::Info } else { Level::Error }, &phrase);
}

/// Hands events on as they come.
struct Stage(tokio::sync::mpsc::UnboundedSender<Event>);

impl Sink for Stage {
    fn emit(&self, event: Event) {
        // Nobody listens any more when the output could not be written; that is said where it failed.
        let _ = self.0.send(event);
    }
}

pub(crate) fn diff(args: &DiffArgs) -> anyhow::Result<Exit> {
    let context = Context::load_silently(None, Flags::default())?;
    let records = |wanted: &str| -> anyhow::Result<Vec<Record>> {
        let (seen, mut records) = (look(&context, wanted)?, Vec::new());
        seen.past.each_active(|record| records.push(record)).map_err(unreadable)?;
        Ok(records)
    };
    let comparison = compare(&records(&args.a)?, &records(&args.b)?);
    if args.json {
        say::line(&say::json(&comparison)?)?;
    } else {
        print(&comparison)?;
    }
    Ok(Exit::Done)
}

fn print(comparison: &Comparison) -> anyhow::Result<()> {
    let style = Style::get();
    let Comparison { a, b, turns, parts } = comparison;
    let costs = |side: &Side, of: fn(&Cost) -> String| match side.costs.as_slice() {
        [] => "-".to_owned(),
        costs => costs.iter().map(of).collect::<Vec<_>>().join(" + "),
    };
    let rows: Vec<(&'static str, String, String)> = vec![
        ("cli.diff_models", clean(&a.models.join(", ")), clean(&b.models.join(", "))),
        ("cli.diff_turns", a.turns.to_string(), b.turns.to_string()),
        ("cli.diff_requests", a.requests.to_string(), b.requests.to_string()),
        ("cli.diff_calls", calls(a), calls(b)),
        ("cli.diff_input", a.usage.input.to_string(), b.usage.input.to_string()),
        ("cli.diff_cached", format!("{}%", a.cached_percent), format!("{}%", b.cached_percent)),
        ("cli.diff_output", a.usage.output.to_string(), b.usage.output.to_string()),
        ("cli.diff_cost", costs(a, Cost::spent_text), costs(b, Cost::spent_text)),
        ("cli.diff_saved", costs(a, Cost::saved_text), costs(b, Cost::saved_text)),
    ];
    let word = |code: &'static str| style.text(&Phrase::new(code));
    let head = vec![String::new(), "A".to_owned(), "B".to_owned()];
    let table = std::iter::once(head).chain(rows.into_iter().map(|(code, one, other)| vec![word(code), one, other]));
    for line in crate::stats::aligned(&table.collect::<Vec<_>>()) {
        say::line(line.trim_end())?;
    }
    say::line("")?;
    for pair in turns.iter().filter(|pair| pair.kind != PairKind::Same) {
        let code = match pair.kind {
            PairKind::OnlyA => "cli.diff_only_a",
            PairKind::OnlyB => "cli.diff_only_b",
            _ => "cli.diff_differs",
        };
        let phrase = Phrase { code: code.into(), args: Vec::new() }.with("turn", pair.turn);
        let tools = |names: &[String]| if names.is_empty() { "-".to_owned() } else { clean(&names.join(" ")) };
        say::line(&format!("{}  A: {}  B: {}", style.text(&phrase), tools(&pair.a), tools(&pair.b)))?;
    }
    match parts {
        None => say::line(&style.out(Colour::Green, &word("cli.diff_same")))?,
        Some(parts) => {
            say::line(&style.text(&Phrase::new("cli.diff_parts").with("turn", parts.turn)))?;
            say::line(&format!("  A  {}", said(style, &parts.a)))?;
            say::line(&format!("  B  {}", said(style, &parts.b)))?;
        }
    }
    Ok(())
}

/// One thing that was said or done: its kind in the words of people, a name where it has one, and its text.
fn said(style: Style, text: &str) -> String {
    let Some((what, said)) = text.split_once(": ") else { return clean(text) };
    let (kind, name) = what.split_once(' ').map_or((what, String::new()), |(kind, name)| (kind, format!(" {name}")));
    let kind = reasonix_words::named(style.lang, "part", kind);
    clean(&format!("{kind}{name}{}{said}", style.colon()))
}

fn calls(side: &Side) -> String {
    if side.failed == 0 { side.calls.to_string() } else { format!("{} ({} ✗)", side.calls, side.failed) }
}
