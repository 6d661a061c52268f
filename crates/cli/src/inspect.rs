//! `reasonix config`: the settings, where they come from, and changing one.

use crate::args::{ConfigArgs, ConfigCommand};
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, clean};
use reasonix_config::schema::KEYS;
use reasonix_config::{Flags, Layer};
use reasonix_proto::{Level, Phrase};
use std::path::Path;

pub(crate) fn config(args: &ConfigArgs) -> anyhow::Result<Exit> {
    match &args.command {
        ConfigCommand::Show { origin, config } => show(*origin, config.as_deref()),
        ConfigCommand::Get { key } => get(key),
        ConfigCommand::Set { key, value } => set(key, value),
    }
}

fn show(origin: bool, config: Option<&Path>) -> anyhow::Result<Exit> {
    let flags = Flags { config: config.map(Path::to_owned), ..Flags::default() };
    let context = Context::load(None, flags)?;
    let width = context.loaded.origins.iter().map(|(key, shown)| key.len() + shown.value.len() + 3).max().unwrap_or(0);
    for (key, shown) in &context.loaded.origins {
        let setting = clean(&format!("{key} = {}", shown.value));
        let line =
            if origin { format!("{setting:<width$}  # {}", shown.places(), width = width.min(60)) } else { setting };
        say::line(&line)?;
    }
    Ok(Exit::Done)
}

/// The bare value of one setting, for scripts; the lines of a section.
fn get(key: &str) -> anyhow::Result<Exit> {
    let context = Context::load(None, Flags::default())?;
    if let Some(shown) = context.loaded.origins.get(key) {
        let text = shown.value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        say::line(&clean(text.unwrap_or(&shown.value)))?;
        return Ok(Exit::Done);
    }
    let section = format!("{key}.");
    let mut found = context.loaded.origins.iter().filter(|(name, _)| name.starts_with(&section)).peekable();
    if found.peek().is_none() {
        // One that is known and has no value is no mistake.
        return match reasonix_config::schema::KEYS.iter().any(|known| known.path == key) {
            true => Ok(Exit::Failed),
            false => Err(unknown(key)),
        };
    }
    for (name, shown) in found {
        say::line(&clean(&format!("{name} = {}", shown.value)))?;
    }
    Ok(Exit::Done)
}

/// Writes one setting into the user's own file, never the project's.
fn set(key: &str, value: &[String]) -> anyhow::Result<Exit> {
    if let Some(list) = KEYS.iter().filter_map(|known| known.path.split_once("[]")).find(|(list, _)| is_in(key, list)) {
        return Err(say::usage(Phrase::new("cli.config_list").with("key", key).with("list", list.0)));
    }
    if !KEYS.iter().any(|known| known.path == key) {
        return Err(unknown(key));
    }
    refuse_nonsense(key, &value.join(" "))?;
    let file = Context::settings_file()?;
    let (before, readable) = (std::fs::read(&file).ok(), Context::load_silently(None, Flags::default()).is_ok());
    reasonix_config::save_words(&file, key, value).map_err(|error| say::usage(error.phrase()))?;
    let loaded = Context::load(None, Flags::default()).and_then(|context| {
        names_a_model(&context, key, value)?;
        Ok(context)
    });
    let context = match loaded {
        // Nobody locks themselves out: what would not be read again is taken back.
        Err(error) if readable => {
            match before {
                Some(bytes) => std::fs::write(&file, bytes)?,
                None => std::fs::remove_file(&file)?,
            }
            return Err(error);
        }
        loaded => loaded.ok(),
    };
    let code = if value.is_empty() { "cli.config_removed" } else { "cli.config_saved" };
    say::notice(Level::Info, &Phrase::new(code).with("key", key).with("path", file.display()));
    let Some(context) = context else { return Ok(Exit::Done) };
    if let Some(shown) = context.loaded.origins.get(key).filter(|shown| shown.origin.layer > Layer::User) {
        let phrase = Phrase::new("engine.setting_outweighed").with("key", key).with("origin", &shown.origin);
        say::notice(Level::Warning, &phrase);
    }
    Ok(Exit::Done)
}

/// True for a key of a list of tables, however its entry is named.
fn is_in(key: &str, list: &str) -> bool {
    key.strip_prefix(list).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Refuses what the schema takes and nobody could follow: a theme that there is not, an address that is none.
fn refuse_nonsense(key: &str, value: &str) -> anyhow::Result<()> {
    match key {
        _ if value.is_empty() => Ok(()),
        "tui.theme" => {
            let themes = crate::context::home()?.join("themes");
            let read = |name: &str| crate::screen::theme_file(&themes, name);
            let chosen = reasonix_tui::theme::choose(value, true, reasonix_tui::Colours::True, &read);
            chosen.map(drop).map_err(|error| say::usage(error.phrase()))
        }
        // What stands in a variable is known when it is read.
        "net.proxy" if value != "none" && !value.contains("${") => {
            reasonix_net::check_proxy(value).map_err(|error| say::usage(error.phrase()))
        }
        _ => Ok(()),
    }
}

/// Whether a setting that names a model names one that there is.
fn names_a_model(context: &Context, key: &str, value: &[String]) -> anyhow::Result<()> {
    const ONE: [&str; 3] = ["default_model", "agent.planner_model", "agent.escalation_model"];
    if key != "fallback_models" && !ONE.contains(&key) {
        return Ok(());
    }
    for reference in value {
        let found = context.loaded.settings.resolve_model(reference);
        found.map(drop).map_err(|error| say::usage(error.phrase()))?;
    }
    Ok(())
}

fn unknown(key: &str) -> anyhow::Error {
    let near = KEYS
        .iter()
        .filter(|known| !known.path.contains("[]"))
        .map(|known| (strsim::jaro_winkler(key, known.path), known.path));
    let near = near.filter(|(score, _)| *score > 0.85).max_by(|a, b| a.0.total_cmp(&b.0));
    say::usage(match near {
        Some((_, near)) => Phrase::new("cli.config_unknown_but").with("key", key).with("near", near),
        None => Phrase::new("cli.config_unknown").with("key", key),
    })
}
