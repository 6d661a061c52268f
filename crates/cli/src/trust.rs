//! `reasonix trust`: what this folder would execute, and the user's word on it.

use crate::args::TrustArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Colour, Style, clean};
use reasonix_config::{Flags, Trust};
use reasonix_engine::{trust_info, with_git};
use reasonix_policy::visible;
use reasonix_proto::{Level, Phrase, SurfaceInfo, SurfacePart, TrustInfo, TrustStanding};
use std::io::{IsTerminal, Write};
use std::path::Path;

/// Lines of a part that are shown when a yes is asked for.
const LINES: usize = 60;

pub(crate) fn trust(args: &TrustArgs) -> anyhow::Result<Exit> {
    let context = Context::load(args.dir.as_deref(), Flags::default())?;
    let cwd = context.cwd.clone();
    let (mut trust, unseen) = with_git(context.0.loaded.settings.trust).map_err(|error| say::failed(error.phrase()))?;
    if args.revoke {
        let had = trust.revoke().map_err(|error| say::failed(error.phrase()))?;
        let code = if had { "cli.trust_revoked" } else { "cli.trust_none_kept" };
        return told(&Phrase::new(code).with("root", trust.root().display()));
    }
    if let Some(file) = &args.lock {
        return lock(&trust, &cwd.join(file));
    }
    if !unseen.is_empty() {
        let folders: Vec<String> = unseen.iter().map(|folder| folder.display().to_string()).collect();
        say::notice(Level::Warning, &Phrase::new("cli.trust_unseen").with("folders", folders.join(", ")));
    }
    let info = trust_info(&trust);
    if info.surfaces.is_empty() {
        return told(&Phrase::new("cli.trust_nothing").with("root", &info.root));
    }
    show(&info, args.show);
    if args.show {
        return Ok(Exit::Done);
    }
    if !info.is_open() {
        return told(&Phrase::new("cli.trust_all").with("root", &info.root));
    }
    if !at_terminal() {
        return Err(say::usage(Phrase::new("cli.trust_no_terminal")));
    }
    if !asked() {
        return Err(refused(Phrase::new("cli.trust_refused")));
    }
    trust.grant().map_err(|error| say::failed(error.phrase()))?;
    told(&Phrase::new("engine.trusted").with("root", &info.root))
}

fn lock(trust: &Trust, file: &Path) -> anyhow::Result<Exit> {
    let write = reasonix_store::write_atomic(file, trust.lock().as_bytes(), 0o644);
    write.map_err(|error| {
        let reason = error.to_string();
        say::failed(reasonix_config::ConfigError::Write { path: file.to_owned(), reason }.phrase())
    })?;
    told(&Phrase::new("cli.trust_locked").with("count", trust.surfaces().len()).with("file", file.display()))
}

fn told(phrase: &Phrase) -> anyhow::Result<Exit> {
    say::notice(Level::Info, phrase);
    Ok(Exit::Done)
}

fn refused(phrase: Phrase) -> anyhow::Error {
    say::Told { phrase, exit: Exit::Refused, cause: None }.into()
}

/// True where somebody can read a question and answer it.
pub(crate) fn at_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Shows what would be executed. `all`: what is trusted too.
pub(crate) fn show(info: &TrustInfo, all: bool) {
    let style = Style::get();
    let title = Phrase::new("cli.trust_title").with("root", &info.root);
    say::line_err(&style.err(Colour::Yellow, &clean(&style.text(&title))));
    let shown = info.surfaces.iter().filter(|surface| all || surface.standing != TrustStanding::Trusted);
    shown.for_each(|surface| show_surface(style, surface));
}

fn show_surface(style: Style, surface: &SurfaceInfo) {
    let (code, colour) = match surface.standing {
        TrustStanding::Trusted => ("cli.trust_trusted", Colour::Green),
        TrustStanding::Changed => ("cli.trust_changed", Colour::Yellow),
        TrustStanding::Unknown => ("cli.trust_unknown", Colour::Yellow),
        TrustStanding::Refused => ("cli.trust_blocked", Colour::Red),
    };
    let standing = style.err(colour, &style.text(&Phrase::new(code)));
    let line = format!("{} {} ({})", surface.kind, surface.name, surface.place);
    say::line_err(&format!("  {}: {standing}", clean(&visible(&line))));
    if let Some(reason) = &surface.reason {
        say::line_err(&clean(&format!("    {}", visible(reason))));
    }
    let parts = if surface.standing == TrustStanding::Changed { &surface.changes } else { &surface.parts };
    for part in parts.iter().filter(|_| surface.standing != TrustStanding::Trusted) {
        show_part(style, part);
    }
    for (name, from) in &surface.variables {
        let code = if from == "-" { "cli.trust_unset" } else { "cli.trust_variable" };
        let phrase = Phrase::new(code).with("name", name).with("from", from);
        say::line_err(&clean(&style.text(&phrase)));
    }
}

fn show_part(style: Style, part: &SurfacePart) {
    say::line_err(&style.err(Colour::Bold, &clean(&format!("    {}", visible(&part.label)))));
    let Some(text) = &part.text else {
        return say::line_err(&style.err(Colour::Dim, &style.text(&Phrase::new("cli.trust_not_shown"))));
    };
    for line in text.lines().take(LINES) {
        say::line_err(&clean(&format!("      {}", visible(line))));
    }
    let more = text.lines().count().saturating_sub(LINES);
    if more > 0 {
        say::line_err(&style.text(&Phrase::new("cli.trust_more").with("count", more)));
    }
}

/// Asks for the user's word on what was shown.
pub(crate) fn asked() -> bool {
    asked_about(&Phrase::new("cli.trust_prompt"))
}

/// Asks a question that is answered by yes or no.
pub(crate) fn asked_about(question: &Phrase) -> bool {
    let style = Style::get();
    // What was typed before the question was on the screen is not an answer to it.
    let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
    loop {
        let mut err = std::io::stderr().lock();
        let _ = write!(err, "{}", style.text(question));
        let _ = err.flush();
        drop(err);
        let mut line = String::new();
        match std::io::stdin().read_line(&mut line) {
            Ok(0) | Err(_) => return false,
            Ok(_) => match line.trim().to_lowercase().as_str() {
                "y" | "yes" | "是" => return true,
                "n" | "no" | "否" => return false,
                _ => {}
            },
        }
    }
}
