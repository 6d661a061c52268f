//! `reasonix explain`: what would happen to a command, and why. Runs nothing.

use crate::args::{ExplainArgs, SessionArgs};
use crate::context::{Context, flags_of};
use crate::exit::Exit;
use crate::say;
use reasonix_agent::Class;
use reasonix_engine::Explainer;
use reasonix_gate::{Explained, Outlook};
use reasonix_proto::{Level, Phrase};
use std::io::{BufRead, IsTerminal};

pub(crate) fn explain(args: &ExplainArgs) -> anyhow::Result<Exit> {
    let session = SessionArgs { dir: args.dir.clone(), ..SessionArgs::default() };
    let host = Context::load(args.dir.as_deref(), flags_of(&session))?.host(&session, !args.unattended)?;
    let explainer = Explainer::new(host.base()).map_err(|error| say::usage(error.phrase()))?;
    if args.line.is_empty() {
        // Whoever sits at a terminal is not waited for in silence.
        if std::io::stdin().is_terminal() {
            return Err(say::usage(Phrase::new("cli.explain_what")));
        }
        let mut any = false;
        for line in std::io::stdin().lock().lines() {
            any = true;
            tell(&explainer, &read(&line?, args.json)?, args.json)?;
        }
        if !any {
            say::notice(Level::Warning, &Phrase::new("cli.explain_what"));
        }
    } else {
        tell(&explainer, &args.line.join(" "), args.json)?;
    }
    Ok(Exit::Done)
}

/// A line of standard input: as it is, or as the JSON text that it may have to be when it has line ends in it.
fn read(line: &str, json: bool) -> anyhow::Result<String> {
    if !json {
        return Ok(line.to_owned());
    }
    serde_json::from_str(line).map_err(|error| say::usage(Phrase::new("cli.explain_json").with("reason", error)))
}

fn tell(explainer: &Explainer, line: &str, json: bool) -> anyhow::Result<()> {
    let told = explainer.explain(line);
    if json {
        let value = serde_json::json!({
            "line": line,
            "verdict": word(told.verdict),
            "by": told.by,
            "class": class(told.class),
            "dangerous": !told.dangers.is_empty(),
            "held": told.held,
        });
        return Ok(say::line(&say::json(&value)?)?);
    }
    say::line(&say::Style::get().text(&sentence(&told)))?;
    for danger in &told.dangers {
        say::line(&format!("  ! {}", say::Style::get().text(danger)))?;
    }
    Ok(())
}

fn sentence(told: &Explained) -> Phrase {
    let code = match (told.verdict, told.held) {
        (Outlook::Runs, true) => "cli.explain_held",
        (Outlook::Runs, false) => "cli.explain_runs",
        (Outlook::Asked, _) => "cli.explain_asked",
        (Outlook::Refused, _) => "cli.explain_refused",
    };
    Phrase::new(code).with("by", &told.by)
}

fn word(answer: Outlook) -> &'static str {
    match answer {
        Outlook::Runs => "allow",
        Outlook::Asked => "ask",
        Outlook::Refused => "deny",
    }
}

fn class(class: Class) -> &'static str {
    match class {
        Class::Reader => "reader",
        Class::Writer => "writer",
        Class::Outside => "outside",
    }
}
