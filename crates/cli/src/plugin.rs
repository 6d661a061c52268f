//! `reasonix plugin`: bundles that carry skills, commands, agents, hooks and servers together. They are copied, shown with all
//! that they carry, taken in by one yes, and held to exactly what that yes was about.

mod fetch;
mod kept;
mod shown;

pub(crate) use kept::{unwritable, write_files};

use crate::args::{PluginArgs, PluginCommand};
use crate::exit::Exit;
use crate::say::{self, Style, in_line};
use fetch::Staged;
use kept::{change, pins};
use reasonix_extensions::{Bundle, BundlePin, bundle_files, bundles_folder};
use reasonix_proto::{Level, Phrase};
use serde_json::{Value, json};
use std::path::Path;

pub(crate) fn plugin(args: PluginArgs) -> anyhow::Result<Exit> {
    let home = crate::context::Context::load_silently(None, reasonix_config::Flags::default())
        .map_or_else(|_| crate::context::home(), |context| Ok(context.home.clone()))?;
    match args.command {
        None | Some(PluginCommand::List) => list(&home, args.json),
        Some(PluginCommand::Show { name }) => show(&home, &name, args.json),
        Some(PluginCommand::Add { source, folder, yes }) => add(&home, &source, folder.as_deref(), yes),
        Some(PluginCommand::Update { name, yes }) => update(&home, name.as_deref(), yes),
        Some(PluginCommand::Remove { name }) => remove(&home, &name),
    }
}

fn named(home: &Path, name: &str) -> anyhow::Result<BundlePin> {
    let unknown = || say::usage(Phrase::new("cli.plugin_unknown").with("name", name));
    pins(home)?.named(name).cloned().ok_or_else(unknown)
}

fn list(home: &Path, json: bool) -> anyhow::Result<Exit> {
    let opened: Vec<_> = pins(home)?.pins.into_iter().map(|pin| (pin.open(home), pin)).collect();
    if json {
        let rows: Vec<Value> = opened.iter().map(|(bundle, pin)| row(pin, bundle.as_ref())).collect();
        say::line(&say::json(&json!({"v": 1, "plugins": rows}))?)?;
        return Ok(Exit::Done);
    }
    if opened.is_empty() {
        say::notice(Level::Info, &Phrase::new("cli.plugin_none"));
    }
    let style = Style::get();
    for (bundle, pin) in &opened {
        let what = match bundle {
            Ok(bundle) => shown::counts(style, bundle),
            Err(phrase) => style.text(phrase),
        };
        let version = bundle.as_ref().ok().and_then(|bundle| bundle.version.clone()).unwrap_or_default();
        say::line(&in_line(&format!("{} {version}  {what}  {}", pin.name, pin.source)))?;
    }
    Ok(Exit::Done)
}

fn row(pin: &BundlePin, bundle: Result<&Bundle, &Phrase>) -> Value {
    let mut row = json!({"name": pin.name, "digest": pin.digest, "source": pin.source, "folder": pin.folder});
    let more = match bundle {
        Ok(bundle) => shown::parts(bundle),
        Err(phrase) => json!({"state": "off", "why": phrase}),
    };
    if let (Some(row), Value::Object(more)) = (row.as_object_mut(), more) {
        row.extend(more);
    }
    row
}

fn show(home: &Path, name: &str, json: bool) -> anyhow::Result<Exit> {
    let pin = named(home, name)?;
    let bundle = pin.open(home);
    if json {
        say::line(&say::json(&row(&pin, bundle.as_ref()))?)?;
        return Ok(Exit::Done);
    }
    let bundle = bundle.map_err(say::failed)?;
    for line in shown::lines(Style::get(), &bundle, &pin) {
        say::line(&line)?;
    }
    Ok(Exit::Done)
}

fn add(home: &Path, source: &str, folder: Option<&str>, yes: bool) -> anyhow::Result<Exit> {
    let staged = Staged::fetch(home, source, folder)?;
    let (bundle, pin) = (&staged.bundle, &staged.pin);
    if let Some(known) = pins(home)?.named(&bundle.name) {
        let same = known.digest == pin.digest && known.open(home).is_ok();
        let code = if same { "cli.plugin_there" } else { "cli.plugin_taken" };
        let phrase = Phrase::new(code).with("name", &known.name).with("source", &known.source);
        return if same { told(&phrase) } else { Err(say::usage(phrase)) };
    }
    tell(&shown::lines(Style::get(), bundle, pin));
    agreed(yes, "cli.plugin_ask")?;
    staged.take_in(home)?;
    told(&Phrase::new("cli.plugin_added").with("name", &pin.name))
}

fn update(home: &Path, name: Option<&str>, yes: bool) -> anyhow::Result<Exit> {
    let wanted = match name {
        Some(name) => vec![named(home, name)?],
        None => pins(home)?.pins,
    };
    if wanted.is_empty() {
        return told(&Phrase::new("cli.plugin_none"));
    }
    for pin in wanted {
        renew(home, &pin, yes)?;
    }
    Ok(Exit::Done)
}

fn renew(home: &Path, pin: &BundlePin, yes: bool) -> anyhow::Result<Exit> {
    let staged = Staged::fetch(home, &pin.source, pin.folder.as_deref())?;
    if staged.bundle.name != pin.name {
        let phrase = Phrase::new("cli.plugin_renamed").with("name", &pin.name).with("new", &staged.bundle.name);
        return Err(say::failed(phrase));
    }
    if staged.pin.digest == pin.digest {
        // The user's yes was about exactly this; where it is damaged it is put back.
        let code = match pin.open(home) {
            Ok(_) => "cli.plugin_same",
            Err(_) => {
                staged.take_in(home)?;
                "cli.plugin_restored"
            }
        };
        return told(&Phrase::new(code).with("name", &pin.name));
    }
    let before = bundle_files(&pin.place(home)).unwrap_or_default();
    tell(&shown::differences(&before, &staged.files));
    tell(&shown::lines(Style::get(), &staged.bundle, &staged.pin));
    agreed(yes, "cli.plugin_ask_update")?;
    staged.take_in(home)?;
    told(&Phrase::new("cli.plugin_updated").with("name", &pin.name))
}

fn remove(home: &Path, name: &str) -> anyhow::Result<Exit> {
    let pin = named(home, name)?;
    change(home, |mut pins| {
        pins.pins.retain(|other| other.name != pin.name);
        pins
    })?;
    let folder = bundles_folder(home).join(&pin.name);
    match std::fs::remove_dir_all(&folder) {
        // Somebody was faster.
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(unwritable(&folder, &error)),
        _ => {}
    }
    told(&Phrase::new("cli.plugin_removed").with("name", &pin.name))
}

fn told(phrase: &Phrase) -> anyhow::Result<Exit> {
    say::notice(Level::Info, phrase);
    Ok(Exit::Done)
}

/// What somebody is to look at before they say yes.
fn tell(lines: &[String]) {
    lines.iter().for_each(|line| say::line_err(line));
}

/// The user's word: given before, or asked for; an error where there is none.
fn agreed(yes: bool, question: &'static str) -> anyhow::Result<()> {
    if yes {
        return Ok(());
    }
    if !crate::trust::at_terminal() {
        return Err(say::usage(Phrase::new("cli.plugin_no_terminal")));
    }
    match crate::trust::asked_about(&Phrase::new(question)) {
        true => Ok(()),
        false => Err(say::Told { phrase: Phrase::new("cli.plugin_refused"), exit: Exit::Refused, cause: None }.into()),
    }
}
