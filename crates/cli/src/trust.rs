//! `reasonix trust`: what this folder would execute, and the user's word on it.

use crate::args::TrustArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::pages::all_shown;
use crate::say::{self, Colour, Style, clean};
use reasonix_config::{Flags, Trust};
use reasonix_engine::{trust_info, with_check, with_git};
use reasonix_policy::visible;
use reasonix_proto::{Level, Phrase, SurfaceInfo, SurfacePart, TrustInfo, TrustStanding};
use std::io::{IsTerminal, Write};
use std::path::Path;

pub(crate) fn trust(args: &TrustArgs) -> anyhow::Result<Exit> {
    let context = Context::load(args.dir.as_deref(), Flags::default())?;
    let cwd = context.cwd.clone();
    let settings = &context.0.loaded.settings;
    let found = with_git(settings.trust.clone()).and_then(|(trust, unseen)| Ok((with_check(trust, settings)?, unseen)));
    let (mut trust, unseen) = found.map_err(|error| say::failed(error.phrase()))?;
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
    if args.show {
        let sheet = Sheet { style: Style::get(), out: true };
        sheet.lines(&info, true).iter().try_for_each(|line| say::line(line))?;
        return Ok(Exit::Done);
    }
    if !info.is_open() {
        show(&info, false);
        return told(&Phrase::new("cli.trust_all").with("root", &info.root));
    }
    if !at_terminal() {
        show(&info, false);
        return Err(say::usage(Phrase::new("cli.trust_no_terminal")));
    }
    if !agreed(&info, false) {
        return Err(refused(Phrase::new("cli.trust_refused")));
    }
    trust.grant().map_err(|error| say::failed(error.phrase()))?;
    told(&Phrase::new("engine.trusted").with("root", &info.root))
}

/// Whether the command that checks this folder runs unasked.
pub(crate) fn runs_check(context: &Context, line: &str) -> bool {
    let settings = &context.loaded.settings;
    let trust = with_check(settings.trust.clone(), settings);
    trust.is_ok_and(|trust| trust.root() == context.root() && trust.trusts_detected(line))
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

/// Shows what would be executed. `all`: what is trusted is named too.
pub(crate) fn show(info: &TrustInfo, all: bool) {
    let sheet = Sheet { style: Style::get(), out: false };
    sheet.lines(info, all).iter().for_each(|line| say::line_err(line));
}

/// How it is written down: for a question, or as what was asked for.
#[derive(Clone, Copy)]
struct Sheet {
    style: Style,
    /// It goes to the output, and has the text of what is trusted too.
    out: bool,
}

impl Sheet {
    fn lines(self, info: &TrustInfo, all: bool) -> Vec<String> {
        let title = Phrase::new("cli.trust_title").with("root", &info.root);
        let mut lines = vec![self.paint(Colour::Yellow, &clean(&self.style.text(&title)))];
        let shown = info.surfaces.iter().filter(|surface| all || surface.standing != TrustStanding::Trusted);
        shown.for_each(|surface| self.surface(surface, &mut lines));
        lines
    }

    fn paint(self, colour: Colour, text: &str) -> String {
        if self.out { self.style.out(colour, text) } else { self.style.err(colour, text) }
    }

    fn surface(self, surface: &SurfaceInfo, lines: &mut Vec<String>) {
        let (code, colour) = match surface.standing {
            TrustStanding::Trusted => ("cli.trust_trusted", Colour::Green),
            TrustStanding::Changed => ("cli.trust_changed", Colour::Yellow),
            TrustStanding::Unknown => ("cli.trust_unknown", Colour::Yellow),
            TrustStanding::Refused => ("cli.trust_blocked", Colour::Red),
        };
        let standing = self.paint(colour, &self.style.text(&Phrase::new(code)));
        let said = Phrase::new("cli.trust_surface")
            .with("kind", reasonix_words::named(self.style.lang, "surface", &surface.kind))
            .with("name", visible(&surface.name))
            .with("place", visible(&surface.place));
        lines.push(format!("  {}{standing}", clean(&self.style.text(&said))));
        if let Some(reason) = &surface.reason {
            lines.push(clean(&format!("    {}", visible(reason))));
        }
        let parts = if surface.standing == TrustStanding::Changed { &surface.changes } else { &surface.parts };
        for part in parts.iter().filter(|_| self.out || surface.standing != TrustStanding::Trusted) {
            self.part(part, lines);
        }
        for (name, from) in &surface.variables {
            let code = if from == "-" { "cli.trust_unset" } else { "cli.trust_variable" };
            let phrase = Phrase::new(code).with("name", name).with("from", from);
            lines.push(clean(&self.style.text(&phrase)));
        }
    }

    fn part(self, part: &SurfacePart, lines: &mut Vec<String>) {
        lines.push(self.paint(Colour::Bold, &clean(&format!("    {}", visible(&part.label)))));
        match &part.text {
            None => lines.push(self.paint(Colour::Dim, &self.style.text(&Phrase::new("cli.trust_not_shown")))),
            Some(text) => lines.extend(text.lines().map(|line| clean(&format!("      {}", visible(line))))),
        }
    }
}

/// Shows what would be executed, a screen at a time, and asks for the user's word when all of it was shown: a yes counts for
/// all of it.
pub(crate) fn agreed(info: &TrustInfo, all: bool) -> bool {
    let sheet = Sheet { style: Style::get(), out: false };
    let more = |left: usize| sheet.style.text(&Phrase::new("cli.trust_more").with("count", left));
    all_shown(&sheet.lines(info, all), say::line_err, more) && asked_about(&Phrase::new("cli.trust_prompt"))
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
