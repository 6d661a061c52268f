//! `reasonix config show`: the settings and where they come from.

use crate::args::{ConfigArgs, ConfigCommand};
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, clean};
use reasonix_config::Flags;

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
