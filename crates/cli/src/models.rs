//! `reasonix models`: what is configured, what is known, and what the endpoints offer.

use crate::args::{ModelsArgs, ModelsCommand};
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Style};
use reasonix_agent::Failure;
use reasonix_catalogue::{BUILT_IN_DATE, Catalogue, CatalogueFile, Effort, PRESETS, Preset, Wire};
use reasonix_config::{Flags, ModelRef, Settings};
use reasonix_llm::ListedModel;
use reasonix_proto::{FailureClass, Level, Phrase, Price};
use std::path::Path;

pub(crate) async fn models(args: &ModelsArgs) -> anyhow::Result<Exit> {
    match &args.command {
        Some(ModelsCommand::Import { file, write }) => return crate::import::import(file, *write),
        Some(ModelsCommand::Update { file, .. }) => return update(file.as_deref()),
        None => {}
    }
    let search = args.search.as_deref().unwrap_or_default().to_lowercase();
    if args.presets {
        return presets(&search);
    }
    if args.known {
        return known(&search, args.json);
    }
    let context = Context::load(None, Flags::default())?;
    let settings = &context.loaded.settings;
    if settings.providers.is_empty() {
        return Err(say::usage(Phrase::new("config.no_provider")));
    }
    configured(settings, &search)?;
    if args.live {
        live(&context, &search).await?;
    }
    Ok(Exit::Done)
}

/// The models of the settings: mark of the default, name, window, price, efforts, roles.
fn configured(settings: &Settings, search: &str) -> anyhow::Result<()> {
    let default = settings.default_model().ok().map(|found| found.name());
    let rows: Vec<_> = settings.models().filter(|found| found.name().to_lowercase().contains(search)).collect();
    if rows.is_empty() {
        say::notice(Level::Info, &Phrase::new("cli.models_none").with("search", search));
    }
    let wide = rows.iter().map(|found| found.name().chars().count()).max().unwrap_or(0).max(24);
    for found in rows {
        let name = found.name();
        let mark = if default.as_deref() == Some(name.as_str()) { "*" } else { " " };
        let efforts = words(&settings.efforts(&found));
        let roles: Vec<String> = settings
            .roles
            .iter()
            .filter(|(_, reference)| settings.resolve_model(reference).is_ok_and(|other| other.name() == name))
            .map(|(role, _)| if acts(role) { role.clone() } else { format!("({role})") })
            .collect();
        let price = settings.price(&found).as_ref().map(cost).unwrap_or_default();
        let cells = [window(settings.window(&found)), price, efforts, roles.join(" ")];
        say::line(&row(mark, &name, wide, &cells))?;
    }
    Ok(())
}

/// Whether anything follows from a role by itself.
fn acts(role: &str) -> bool {
    let path = format!("roles.{role}");
    reasonix_config::schema::KEYS.iter().any(|key| key.path == path && key.acts)
}

/// Everything that is known, and of which day it is.
fn known(search: &str, json: bool) -> anyhow::Result<Exit> {
    let home = crate::context::home()?;
    let kept = reasonix_config::kept_catalogue(&home).unwrap_or_else(|error| {
        say::notice(Level::Warning, &error.phrase());
        None
    });
    let catalogue = kept.clone().map(Catalogue::with).unwrap_or_default();
    let mut whole = catalogue.whole();
    whole.models.retain(|model| model.id.to_lowercase().contains(search));
    if json {
        say::line(&serde_json::to_string_pretty(&whole)?)?;
        return Ok(Exit::Done);
    }
    for model in &whole.models {
        let price = model.price.as_ref().map(cost).unwrap_or_default();
        say::line(&row(" ", &model.id, 24, &[window(model.window), price, words(&model.efforts), String::new()]))?;
    }
    let (level, phrase) = origin(&home, kept.as_ref());
    say::notice(level, &phrase);
    Ok(Exit::Done)
}

/// Where what is known of models comes from, and of which day it is.
pub(crate) fn origin(home: &Path, kept: Option<&CatalogueFile>) -> (Level, Phrase) {
    let Some(file) = kept else {
        return (Level::Info, Phrase::new("cli.models_built_in").with("dated", BUILT_IN_DATE));
    };
    let used = Catalogue::with(file.clone()).brought().is_some();
    let (level, code) =
        if used { (Level::Info, "cli.models_brought") } else { (Level::Warning, "cli.models_outdated") };
    let phrase = Phrase::new(code).with("path", reasonix_config::catalogue_path(home).display());
    (level, phrase.with("count", file.models.len()).with("dated", &file.dated).with("built", BUILT_IN_DATE))
}

/// Brings a catalogue in, or takes it away again where no file is named.
fn update(file: Option<&Path>) -> anyhow::Result<Exit> {
    let home = crate::context::home()?;
    let told = |error: reasonix_config::ConfigError| say::usage(error.phrase());
    let phrase = match file {
        Some(file) => origin(&home, Some(&reasonix_config::bring_catalogue(&home, file).map_err(told)?)).1,
        None if reasonix_config::remove_catalogue(&home).map_err(told)? => {
            Phrase::new("cli.models_removed").with("path", reasonix_config::catalogue_path(&home).display())
        }
        None => Phrase::new("cli.models_not_brought"),
    };
    say::line(&Style::get().text(&phrase))?;
    Ok(Exit::Done)
}

fn address(preset: &Preset) -> &'static str {
    if preset.base_url.is_empty() { "https://…" } else { preset.base_url }
}

/// The known endpoints.
fn presets(search: &str) -> anyhow::Result<Exit> {
    let widest = |cell: &dyn Fn(&Preset) -> &'static str| {
        PRESETS.iter().map(|preset| cell(preset).chars().count()).max().unwrap_or(0)
    };
    let wide = [widest(&|preset| preset.name), widest(&|preset| preset.wire.kind()), widest(&address)];
    for preset in PRESETS.iter().filter(|preset| preset.name.contains(search)) {
        let (name, kind, url, key) = (preset.name, preset.wire.kind(), address(preset), preset.key_env);
        let line =
            format!("  {name:<0$}  {kind:<1$}  {url:<2$}  {3}", wide[0], wide[1], wide[2], key.unwrap_or_default());
        say::line(line.trim_end())?;
    }
    Ok(Exit::Done)
}

fn row(mark: &str, name: &str, wide: usize, cells: &[String; 4]) -> String {
    let [window, price, efforts, roles] = cells;
    let line = format!("{mark} {name:<wide$}  {window:>16}  {price:<28} {efforts:<30} {roles}");
    line.trim_end().to_owned()
}

fn words(efforts: &[Effort]) -> String {
    efforts.iter().map(|effort| effort.name()).collect::<Vec<_>>().join(" ")
}

/// Input, cached input and output for a million tokens.
fn cost(price: &Price) -> String {
    if price.input == 0.0 && price.output == 0.0 {
        return String::new();
    }
    format!("{} / {} / {} {}", price.input, price.cached, price.output, price.currency)
}

async fn live(context: &Context, search: &str) -> anyhow::Result<()> {
    let settings = &context.loaded.settings;
    for provider in settings.providers.iter().filter(|provider| Wire::parse(&provider.kind).is_some()) {
        let found = ModelRef::new(provider, &provider.default);
        match ask(context, &found).await {
            Ok(models) => {
                let offers = Phrase::new("cli.models_live")
                    .with("provider", &provider.name)
                    .with("url", reasonix_config::shown_address(&provider.base_url));
                say::line(&Style::get().text(&offers))?;
                list(&models, search)?;
                balance(context, &found).await?;
            }
            Err(failure) => {
                say::notice(Level::Warning, &failure.phrase);
                offered_before(context, &found, search)?;
            }
        }
    }
    Ok(())
}

/// What an endpoint that does not answer offered the last time.
fn offered_before(context: &Context, found: &ModelRef<'_>, search: &str) -> anyhow::Result<()> {
    let settings = &context.loaded.settings;
    let endpoint = reasonix_engine::endpoint_of(settings, found, &context.env, &context.home);
    let Some((models, age)) = reasonix_engine::kept_models(settings, &context.home, &endpoint) else { return Ok(()) };
    let style = Style::get();
    let then = style.text(&crate::sessions::how_long(age));
    say::line(&style.text(&Phrase::new("cli.models_before").with("provider", &found.provider.name).with("age", then)))?;
    list(&models, search)
}

fn list(models: &[ListedModel], search: &str) -> anyhow::Result<()> {
    for model in models.iter().filter(|model| model.id.to_lowercase().contains(search)) {
        let size = window(model.context_window.unwrap_or(0));
        say::line(format!("  {:<40} {size}", say::clean(&model.id)).trim_end())?;
    }
    Ok(())
}

/// What is left on the account, where the endpoint says so.
async fn balance(context: &Context, found: &ModelRef<'_>) -> anyhow::Result<()> {
    let settings = &context.loaded.settings;
    let endpoint = reasonix_engine::endpoint_of(settings, found, &context.env, &context.home);
    let Ok(client) = reasonix_engine::client_of(settings, found.provider) else { return Ok(()) };
    for left in reasonix_llm::balance(&endpoint, &client).await.into_iter().flatten() {
        let amount = say::clean(&format!("{} {}", left.total, left.currency));
        say::line(&Style::get().text(&Phrase::new("cli.models_balance").with("amount", amount)))?;
    }
    Ok(())
}

/// Asks the endpoint of a model what it offers.
pub(crate) async fn ask(context: &Context, found: &ModelRef<'_>) -> Result<Vec<ListedModel>, Failure> {
    let settings = &context.loaded.settings;
    let endpoint = reasonix_engine::endpoint_of(settings, found, &context.env, &context.home);
    let client = reasonix_engine::client_of(settings, found.provider)
        .map_err(|error| Failure::new(FailureClass::Unreachable, error.phrase()))?;
    let models = reasonix_llm::list_models(&endpoint, &client).await?;
    reasonix_engine::keep_models(settings, &context.home, &endpoint, &models);
    Ok(models)
}

fn window(tokens: u64) -> String {
    if tokens == 0 {
        String::new()
    } else {
        Style::get().text(&Phrase::new("cli.models_window").with("tokens", tokens))
    }
}
