//! `reasonix sessions` and `reasonix config show`: looking at what is on disk.

use crate::args::{ConfigArgs, ConfigCommand, SessionsArgs};
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Style, clean};
use reasonix_config::Flags;
use reasonix_proto::{Phrase, TurnEnd};
use reasonix_session::{Ending, Sessions, Summary};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(crate) fn sessions(args: &SessionsArgs) -> anyhow::Result<Exit> {
    let context = Context::load(None, Flags::default())?;
    let sessions = Sessions::at(&context.home.join("state"));
    let all = sessions.list().map_err(|error| say::failed(error.phrase()))?;
    let here = context.root().display().to_string();
    let shown: Vec<_> = all.iter().filter(|session| args.all || session.cwd == here).collect();
    if shown.is_empty() && !args.json {
        let code = if all.is_empty() { "cli.no_sessions" } else { "cli.no_sessions_here" };
        say::line_err(&Style::get().text(&Phrase::new(code)));
    }
    for session in shown {
        let line = if args.json { json_line(session) } else { text_line(session, args.all) };
        say::line(&line)?;
    }
    Ok(Exit::Done)
}

fn text_line(session: &Summary, with_folder: bool) -> String {
    let style = Style::get();
    let ending = style.text(&Phrase::new(ending_code(&session.ending)));
    let folder = if with_folder { format!("  {}", session.cwd) } else { String::new() };
    let age = style.text(&age(session.active));
    clean(&format!("{}  {age:>10}  {:>3}  {ending:<11}  {}{folder}", session.id.short(), session.turns, session.title))
}

fn json_line(session: &Summary) -> String {
    serde_json::json!({
        "id": session.id, "cwd": session.cwd, "started": session.started, "active": session.active,
        "model": session.model, "title": session.title, "turns": session.turns,
        "ending": ending_code(&session.ending).trim_start_matches("cli.ending_"),
    })
    .to_string()
}

fn ending_code(ending: &Ending) -> &'static str {
    match ending {
        Ending::Ended(TurnEnd::Done) => "cli.ending_done",
        Ending::Ended(TurnEnd::Interrupted) => "cli.ending_interrupted",
        Ending::Ended(TurnEnd::TimedOut | TurnEnd::StepLimit) => "cli.ending_limit",
        Ending::Ended(TurnEnd::Refused { .. }) => "cli.ending_refused",
        Ending::Ended(TurnEnd::ProviderFailed { .. } | TurnEnd::Broken { .. }) => "cli.ending_failed",
        Ending::Open => "cli.ending_open",
        Ending::Broken => "cli.ending_broken",
    }
}

/// How long ago, in the largest unit that fits.
fn age(at_ms: u64) -> Phrase {
    let then = UNIX_EPOCH + Duration::from_millis(at_ms);
    let seconds = SystemTime::now().duration_since(then).unwrap_or_default().as_secs();
    match seconds {
        0..60 => Phrase::new("cli.age_now"),
        60..3600 => Phrase::new("cli.age_minutes").with("count", seconds / 60),
        3600..86_400 => Phrase::new("cli.age_hours").with("count", seconds / 3600),
        _ => Phrase::new("cli.age_days").with("count", seconds / 86_400),
    }
}

pub(crate) fn config(args: &ConfigArgs) -> anyhow::Result<Exit> {
    let ConfigCommand::Show { origin } = args.command;
    let context = Context::load(None, Flags::default())?;
    let width = context.loaded.origins.iter().map(|(key, shown)| key.len() + shown.value.len() + 3).max().unwrap_or(0);
    for (key, shown) in &context.loaded.origins {
        let setting = clean(&format!("{key} = {}", shown.value));
        let line =
            if origin { format!("{setting:<width$}  # {}", shown.origin, width = width.min(60)) } else { setting };
        say::line(&line)?;
    }
    Ok(Exit::Done)
}
