//! `reasonix import`: what of another agent's settings can come over to the user's own. It is shown first, with what stays behind
//! and why; nothing is overwritten, and credentials are never read into a file of ours.

mod claude;
mod codex;
mod cursor;
mod gemini;
mod haul;
mod opencode;
mod prompts;
mod servers;

use crate::args::{ImportArgs, ImportFrom};
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Style};
use haul::Ways;
use reasonix_config::Flags;
use reasonix_proto::{Level, Phrase};
use std::path::{Path, PathBuf};
use toml_edit::DocumentMut;

/// More of the user's own settings is not read.
const LARGEST_SETTINGS: u64 = 4 << 20;

pub(crate) fn import(args: &ImportArgs) -> anyhow::Result<Exit> {
    let context = Context::load(None, Flags::default())?;
    let ways = ways(args.agent, &context)?;
    if !ways.from.is_dir() {
        return Err(say::usage(Phrase::new("cli.bring_nothing").with("folder", ways.from.display())));
    }
    // Whoever keeps settings as JSON keeps comments in them, and edits them by hand.
    if ways.file.extension().is_some_and(|ending| ending != "toml") {
        return Err(say::usage(Phrase::new("cli.bring_json").with("file", ways.file.display())));
    }
    let mut haul = match args.agent {
        ImportFrom::Claude => claude::haul(&ways),
        ImportFrom::Codex => codex::haul(&ways),
        ImportFrom::Cursor => cursor::haul(&ways),
        ImportFrom::Opencode => opencode::haul(&ways),
        ImportFrom::Gemini => gemini::haul(&ways),
    };
    haul.sift(&ways);
    for line in haul.lines(Style::get()) {
        say::line(&line)?;
    }
    if haul.is_empty() {
        say::notice(Level::Info, &Phrase::new("cli.bring_none"));
        return Ok(Exit::Done);
    }
    if !args.yes && (args.dry_run || !crate::trust::at_terminal()) {
        say::notice(Level::Info, &Phrase::new("cli.bring_dry"));
        return Ok(Exit::Done);
    }
    if !args.yes && !crate::trust::asked_about(&Phrase::new("cli.bring_ask")) {
        let phrase = Phrase::new("cli.bring_refused");
        return Err(say::Told { phrase, exit: Exit::Refused, cause: None }.into());
    }
    haul.bring(&ways)?;
    say::notice(Level::Info, &Phrase::new("cli.bring_done").with("file", ways.file.display()));
    Ok(Exit::Done)
}

fn ways(agent: ImportFrom, context: &Context) -> anyhow::Result<Ways> {
    let user = context.env.get("HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let user = user.ok_or_else(|| say::usage(Phrase::new("cli.no_home")))?;
    let (variable, below, usual) = match agent {
        ImportFrom::Claude => ("CLAUDE_CONFIG_DIR", "", ".claude"),
        ImportFrom::Codex => ("CODEX_HOME", "", ".codex"),
        ImportFrom::Cursor => ("", "", ".cursor"),
        ImportFrom::Opencode => ("XDG_CONFIG_HOME", "opencode", ".config/opencode"),
        ImportFrom::Gemini => ("", "", ".gemini"),
    };
    let said = context.env.get(variable).filter(|path| !path.is_empty()).map(|path| Path::new(path).join(below));
    let workspace = context.workspace(&[]).map_err(|error| say::failed(error.phrase()))?;
    let file = context.loaded.settings.user_file.clone().map_or_else(Context::settings_file, Ok)?;
    Ok(Ways {
        from: said.unwrap_or_else(|| user.join(usual)),
        user,
        home: context.home.clone(),
        tools: reasonix_engine::tool_names(&workspace),
        settings: settings(&file)?,
        file,
    })
}

/// What stands in the user's own settings; nothing where there are none. What cannot be read is not written to either: rules
/// that stand there would be lost.
fn settings(file: &Path) -> anyhow::Result<DocumentMut> {
    let unreadable = |reason: String| {
        say::failed(Phrase::new("cli.bring_settings").with("file", file.display()).with("reason", reason))
    };
    match reasonix_store::read_text(file, LARGEST_SETTINGS) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(DocumentMut::default()),
        Err(error) => Err(unreadable(error.to_string())),
        Ok(text) => text.parse().map_err(|error: toml_edit::TomlError| unreadable(error.message().to_owned())),
    }
}
