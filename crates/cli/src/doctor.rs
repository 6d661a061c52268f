//! `reasonix doctor`: one line for everything that has to be right, with a hint where it is not.

mod attack;
mod net;
mod rules;

use crate::args::DoctorArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::models::ask;
use crate::say::{self, Colour, Style, clean};
use reasonix_catalogue::Wire;
use reasonix_config::{Flags, Hosts, ModelRef, shown_address};
use reasonix_exec::{Confinement, SandboxLevel, group_limits};
use reasonix_proto::{FailureClass, Level, Phrase};
use reasonix_words::hint;
use std::path::{Path, PathBuf};

/// What a check came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Good,
    Note,
    Bad,
}

struct Report {
    style: Style,
    bad: bool,
    /// What was found, where it is not printed line by line.
    lines: Option<Vec<(Level, Phrase)>>,
}

pub(crate) async fn doctor(args: &DoctorArgs) -> anyhow::Result<Exit> {
    let flags = Flags { config: args.config.clone(), ..Flags::default() };
    if args.attack {
        return attack::attack(&Context::load_silently(None, flags)?, args.json).await;
    }
    if args.net {
        return net::net(&Context::load_silently(None, flags)?, args.json);
    }
    let mut report = Report { style: Style::get(), bad: false, lines: None };
    examine(&mut report, (None, flags), args.offline).await?;
    Ok(if report.bad { Exit::Failed } else { Exit::Done })
}

/// The same about this folder, line by line.
pub(crate) async fn in_lines(dir: Option<&Path>) -> anyhow::Result<()> {
    let mut report = Report { style: Style::get(), bad: false, lines: None };
    examine(&mut report, (dir, Flags::default()), false).await
}

/// The same for whoever is at the screen, about the folder that they work in; it is told there.
pub(crate) async fn on_screen(dir: Option<PathBuf>, post: reasonix_tui::Post) {
    let mut report = Report { style: Style::get(), bad: false, lines: Some(Vec::new()) };
    if let Err(error) = examine(&mut report, (dir.as_deref(), Flags::default()), false).await {
        say::failure(&error);
    }
    post.tell(reasonix_tui::HostNews::Report(report.lines.unwrap_or_default()));
}

async fn examine(report: &mut Report, (dir, flags): (Option<&Path>, Flags), offline: bool) -> anyhow::Result<()> {
    report.line(Mark::Good, &Phrase::new("cli.doctor_version").with("version", env!("CARGO_PKG_VERSION")))?;
    match Context::load_silently(dir, flags) {
        Err(error) => match error.downcast_ref::<say::Told>() {
            Some(told) => report.line(Mark::Bad, &told.phrase)?,
            None => return Err(error),
        },
        Ok(context) => {
            report.style = Style::get();
            settings(report, &context)?;
            model(report, &context, offline).await?;
            machine(report, &context)?;
            rules::rules(report, &context)?;
            sandbox(report, &context)?;
            validation(report, &context)?;
        }
    }
    Ok(())
}

fn settings(report: &mut Report, context: &Context) -> anyhow::Result<()> {
    report.line(Mark::Good, &Phrase::new("cli.doctor_home").with("path", context.home.display()))?;
    for (level, phrase) in &context.loaded.notices {
        report.line(if *level == Level::Error { Mark::Bad } else { Mark::Note }, phrase)?;
    }
    // One that cannot be read stands among the notices.
    if let Ok(kept) = reasonix_config::kept_catalogue(&context.home) {
        let (level, phrase) = crate::models::origin(&context.home, kept.as_ref());
        report.line(if level == Level::Info { Mark::Good } else { Mark::Note }, &phrase)?;
    }
    match context.workspace(&[]) {
        Ok(workspace) => {
            report.line(Mark::Good, &Phrase::new("cli.doctor_folder").with("path", workspace.root().display()))
        }
        Err(error) => report.line(Mark::Bad, &Phrase::new("cli.doctor_text").with("text", format!("{error:#}"))),
    }
}

/// The command that checks what turns edit.
fn validation(report: &mut Report, context: &Context) -> anyhow::Result<()> {
    let wanted = &context.loaded.settings.validation;
    let found = reasonix_engine::detect(&context.cwd, &[]);
    let (command, from) = match (&wanted.command, found) {
        _ if !wanted.enabled => return report.line(Mark::Good, &Phrase::new("cli.doctor_validation_off")),
        (Some(line), _) => (line.clone(), "validation.command".to_owned()),
        (None, Some(found)) => (found.line, found.file),
        (None, None) => return report.line(Mark::Good, &Phrase::new("cli.doctor_validation_none")),
    };
    // What a folder has is run for nobody who has not trusted it; the user's own command is.
    let trusted = wanted.command.is_some() || crate::trust::runs_check(context, &command);
    let (mark, code) = match trusted {
        true => (Mark::Good, "cli.doctor_validation"),
        false => (Mark::Note, "engine.validation_untrusted"),
    };
    report.line(mark, &Phrase::new(code).with("command", command).with("from", from))
}

/// The window that the endpoint named when it refused a request, where the user says nothing of it.
fn learned(context: &Context, found: &ModelRef<'_>) -> Option<u64> {
    let settings = &context.loaded.settings;
    let endpoint = reasonix_engine::unprobed_endpoint(settings, found, &context.env, &context.home);
    settings.said_window(found).map_or_else(|| reasonix_engine::learned_window(&context.home, &endpoint), |_| None)
}

async fn model(report: &mut Report, context: &Context, offline: bool) -> anyhow::Result<()> {
    let settings = &context.loaded.settings;
    let found = match settings.default_model() {
        Ok(found) => found,
        Err(error) => return report.line(Mark::Bad, &error.phrase()),
    };
    let phrase = match &found.provider.script {
        Some(path) => Phrase::new("cli.doctor_model_script").with("model", found.name()).with("path", path.display()),
        None => Phrase::new("cli.doctor_model")
            .with("model", found.name())
            .with("url", shown_address(&found.provider.base_url)),
    };
    report.line(Mark::Good, &phrase)?;
    report.line(Mark::Good, &reasonix_engine::editing(settings, &context.home, &found.name()).why)?;
    key(report, context, &found)?;
    if let Some(window) = learned(context, &found) {
        report.line(Mark::Good, &Phrase::new("cli.doctor_window_learned").with("window", window))?;
    }
    if offline || Wire::parse(&found.provider.kind).is_none() {
        return Ok(());
    }
    let told = |code| Phrase::new(code).with("url", shown_address(&found.provider.base_url));
    match ask(context, &found).await {
        // It answered; not every endpoint has a list.
        Err(failure) if failure.class == FailureClass::BadRequest => {
            report.line(Mark::Good, &told("cli.doctor_endpoint_unlisted"))
        }
        Err(failure) => report.line(Mark::Bad, &failure.phrase),
        Ok(models) if models.is_empty() || models.iter().any(|model| is_meant(&model.id, found.model)) => {
            report.line(Mark::Good, &told("cli.doctor_endpoint"))
        }
        Ok(models) => {
            let offered: Vec<_> = models.iter().take(8).map(|model| model.id.as_str()).collect();
            let phrase = told("cli.doctor_not_offered").with("model", found.model).with("offered", offered.join(", "));
            report.line(Mark::Note, &phrase)
        }
    }
}

/// Whether a listed name is the model: as it is written, with the date that vendors put behind it, or under its path.
fn is_meant(listed: &str, model: &str) -> bool {
    let listed = listed.strip_prefix("models/").unwrap_or(listed);
    let dated =
        |rest: &str| rest.starts_with('-') && rest.len() == 9 && rest.bytes().skip(1).all(|b| b.is_ascii_digit());
    listed == model || listed.strip_prefix(model).is_some_and(dated) || model.strip_suffix("-latest") == Some(listed)
}

fn key(report: &mut Report, context: &Context, found: &ModelRef<'_>) -> anyhow::Result<()> {
    let Some(name) = &found.provider.api_key_env else { return Ok(()) };
    let there = reasonix_config::api_key(found.provider, &context.env, &context.home).is_some();
    let needed = !found.provider.is_local();
    let (mark, code) = match there {
        true => (Mark::Good, "cli.doctor_key"),
        false if needed => (Mark::Bad, "cli.doctor_key_needed"),
        false => (Mark::Note, "cli.doctor_no_key"),
    };
    report.line(mark, &Phrase::new(code).with("name", name))
}

fn machine(report: &mut Report, context: &Context) -> anyhow::Result<()> {
    if let Some(shell) = &context.loaded.settings.tools.shell.path {
        let (mark, code) = match Path::is_file(shell) {
            true => (Mark::Good, "cli.doctor_shell"),
            false => (Mark::Bad, "cli.doctor_no_shell"),
        };
        report.line(mark, &Phrase::new(code).with("path", shell.display()))?;
    }
    for program in ["bash", "git"] {
        match in_path(program) {
            Some(path) => {
                report.line(Mark::Good, &Phrase::new("cli.doctor_program").with("name", program).with("path", path))?;
            }
            None => report.line(Mark::Bad, &Phrase::new("cli.doctor_no_program").with("name", program))?,
        }
    }
    Ok(())
}

/// The level that commands run at, tried out; what it promises, or why it is not more.
fn sandbox(report: &mut Report, context: &Context) -> anyhow::Result<()> {
    let Ok(workspace) = context.workspace(&[]) else { return Ok(()) };
    let settings = &context.loaded.settings;
    let confinement = reasonix_engine::confinement(settings, &workspace, &context.home);
    if let Confinement::Boxed(sandbox) = &confinement {
        let code = match sandbox.level() {
            SandboxLevel::Full => "exec.sandbox_full",
            SandboxLevel::Partial => "exec.sandbox_promise_partial",
        };
        let network = if settings.sandbox.network { "@cli.on" } else { "@cli.off" };
        report.line(Mark::Good, &Phrase::new(code).with("network", network))?;
    }
    let limits = group_limits();
    let code = match (limits.processes, limits.memory) {
        (true, true) => "exec.limits_group",
        (false, false) => "exec.limits_counted",
        _ => "exec.limits_some",
    };
    report.line(Mark::Good, &Phrase::new(code))?;
    for preset in Hosts::unknown(&settings.sandbox.allow_hosts) {
        report.line(Mark::Note, &Phrase::new("cli.doctor_preset").with("preset", preset))?;
    }
    match (reasonix_engine::shortcoming(&confinement), &confinement) {
        (None, _) => Ok(()),
        (Some(phrase), Confinement::Refused { .. }) => report.line(Mark::Bad, &phrase),
        (Some(phrase), _) => report.line(Mark::Note, &phrase),
    }
}

fn in_path(program: &str) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| Path::is_file(file))?;
    Some(found.display().to_string())
}

impl Report {
    fn line(&mut self, mark: Mark, phrase: &Phrase) -> anyhow::Result<()> {
        self.bad |= mark == Mark::Bad;
        if let Some(lines) = &mut self.lines {
            let level = match mark {
                Mark::Good => Level::Info,
                Mark::Note => Level::Warning,
                Mark::Bad => Level::Error,
            };
            lines.push((level, phrase.clone()));
            return Ok(());
        }
        let (code, colour) = match mark {
            Mark::Good => ("cli.doctor_good", Colour::Green),
            Mark::Note => ("cli.doctor_note", Colour::Yellow),
            Mark::Bad => ("cli.doctor_bad", Colour::Red),
        };
        let label = self.style.out(colour, &self.style.text(&Phrase::new(code)));
        say::line(&format!("{label}  {}", clean(&self.style.text(phrase))))?;
        if mark != Mark::Good
            && let Some(hint) = hint(self.style.lang, phrase)
        {
            let label = self.style.out(Colour::Cyan, &self.style.text(&Phrase::new("cli.label_hint")));
            say::line(&format!("      {label}{}{}", self.style.colon(), clean(&hint)))?;
        }
        Ok(())
    }
}
