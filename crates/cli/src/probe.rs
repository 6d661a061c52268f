//! `reasonix probe`: finds out what an endpoint can do, keeps it, and says what each finding means. Also asks for the
//! user's word before an unknown local endpoint is used for the first time.

mod table;

use crate::args::ProbeArgs;
use crate::context::{Context, environment};
use crate::exit::Exit;
use crate::say::{self, Colour, Style, clean};
use crate::setup::Offer;
use reasonix_catalogue::Probed;
use reasonix_config::{Flags, ModelRef, Settings};
use reasonix_engine::{decline_probe, probe_age, probe_declined, probe_now, probed, unprobed_endpoint};
use reasonix_llm::{ApiKey, Endpoint, ProbeQuestion, Wire};
use reasonix_proto::{Level, Phrase};
use serde_json::json;
use std::io::{IsTerminal, Write};
use std::path::Path;

pub(crate) async fn probe(args: &ProbeArgs) -> anyhow::Result<Exit> {
    if args.discover {
        return discover(args.json).await;
    }
    let context = Context::load(None, Flags { config: args.config.clone(), ..Flags::default() })?;
    let settings = &context.loaded.settings;
    let (endpoint, said) = target(args, &context).await?;
    let kept = probed(&context.home, &endpoint).filter(|_| !args.refresh);
    let (found, is_fresh) = match kept {
        Some(found) if probe_age(&found) < settings.cache.limit() => (found, false),
        // An old one is better than none: sessions use it all the same.
        Some(old) => match asked(settings, &context.home, &endpoint).await {
            Ok(found) => (found, true),
            Err(phrase) => {
                say::notice(Level::Warning, &phrase);
                (old, false)
            }
        },
        None => (asked(settings, &context.home, &endpoint).await.map_err(say::failed)?, true),
    };
    if args.json {
        let age = probe_age(&found).as_secs();
        say::line(&say::json(&json!({ "v": 1, "age_seconds": age, "probe": found, "profile": found.overrides() }))?)?;
        return Ok(Exit::Done);
    }
    show(&found, said, is_fresh)?;
    Ok(Exit::Done)
}

/// Asks an endpoint, and says how far it is where somebody watches.
pub(crate) async fn asked(settings: &Settings, home: &Path, endpoint: &Endpoint) -> Result<Probed, Phrase> {
    let watched = std::io::stderr().is_terminal();
    let style = Style::get();
    let mut tell = |question: ProbeQuestion| {
        let place = place_of(question);
        if watched {
            let what = style.text(&Phrase::new(table::asking(question)));
            eprint!("\r\x1b[K{place}/{} {what}", ProbeQuestion::ALL.len());
            let _ = std::io::stderr().flush();
        }
    };
    let found = probe_now(settings, home, endpoint, &mut tell).await;
    if watched {
        eprint!("\r\x1b[K");
    }
    found
}

fn place_of(question: ProbeQuestion) -> usize {
    ProbeQuestion::ALL.iter().position(|other| *other == question).unwrap_or(0) + 1
}

/// What is being asked, and how far that is; the caller adds the model.
pub(crate) fn step_of(question: ProbeQuestion) -> Phrase {
    let what = format!("@{}", table::asking(question));
    Phrase::new("tui.setup.step")
        .with("number", place_of(question))
        .with("of", ProbeQuestion::ALL.len())
        .with("what", what)
}

/// The findings as a table, with what each of them means.
pub(crate) fn show(found: &Probed, said: u64, is_fresh: bool) -> anyhow::Result<()> {
    let style = Style::get();
    let head = Phrase::new("probe.head").with("model", &found.model).with("url", &found.endpoint);
    say::line(&clean(&style.text(&head)))?;
    for line in table::lines(found, style) {
        say::line(&line)?;
    }
    if let Some(served) = found.window.filter(|served| said > *served) {
        say::notice(Level::Warning, &Phrase::new("probe.window_less").with("said", said).with("served", served));
    }
    if !found.unanswered.is_empty() {
        let what = found.unanswered.join(", ");
        say::notice(Level::Warning, &Phrase::new("probe.unanswered").with("what", what));
    }
    let age = crate::sessions::age(found.at.saturating_mul(1000));
    let end =
        if is_fresh { Phrase::new("probe.kept") } else { Phrase::new("probe.from").with("age", style.text(&age)) };
    say::line(&style.out(Colour::Dim, &style.text(&end)))?;
    Ok(())
}

/// The endpoint that is meant, and the window that the settings say it has.
async fn target(args: &ProbeArgs, context: &Context) -> anyhow::Result<(Endpoint, u64)> {
    let settings = &context.loaded.settings;
    let wanted = args.target.as_deref().unwrap_or_default();
    if wanted.contains("://") {
        let own = settings.providers.iter().find(|provider| same(&provider.base_url, wanted));
        if let Some(provider) = own {
            let model = args.model.as_deref().unwrap_or(&provider.default);
            return Ok(configured(context, &ModelRef::new(provider, model)));
        }
        return Ok((address(args, wanted).await?, 0));
    }
    let found = settings.model_or_default(args.target.as_deref()).map_err(|error| say::usage(error.phrase()))?;
    let found = ModelRef { model: args.model.as_deref().unwrap_or(found.model), ..found };
    if Wire::parse(&found.provider.kind).is_none() {
        return Err(say::usage(Phrase::new("probe.no_wire").with("provider", &found.provider.name)));
    }
    Ok(configured(context, &found))
}

fn same(one: &str, other: &str) -> bool {
    one.trim().trim_end_matches('/') == other.trim().trim_end_matches('/')
}

fn configured(context: &Context, found: &ModelRef<'_>) -> (Endpoint, u64) {
    let settings = &context.loaded.settings;
    (unprobed_endpoint(settings, found, &context.env, &context.home), settings.window(found))
}

/// An endpoint that no settings know.
async fn address(args: &ProbeArgs, url: &str) -> anyhow::Result<Endpoint> {
    let preset = reasonix_catalogue::preset_for(url);
    let variable = args.api_key_env.as_deref().or(preset.and_then(|preset| preset.key_env));
    let key = variable.and_then(|name| environment().get(name).cloned());
    let model = match &args.model {
        Some(model) => model.clone(),
        None => {
            let models =
                crate::setup::offered(url, key.clone().map(ApiKey::from).as_ref(), crate::setup::PATIENCE).await;
            let first = models.map_err(|why| say::failed(why.phrase(url, None)))?.into_iter().next();
            first.ok_or_else(|| say::usage(Phrase::new("cli.setup_no_model").with("url", url)))?.id
        }
    };
    let mut endpoint = Endpoint::new("probe", url, model);
    endpoint.wire = preset.map_or(Wire::Chat, |preset| preset.wire);
    endpoint.key = key.map(ApiKey::from);
    endpoint.key_env = variable.map(str::to_owned);
    Ok(endpoint)
}

/// Which local servers answer at their usual ports.
async fn discover(as_json: bool) -> anyhow::Result<Exit> {
    let found: Vec<Offer> = crate::setup::discover().await;
    if as_json {
        let rows: Vec<_> = found
            .iter()
            .map(|offer| {
                let models: Vec<_> = offer
                    .models
                    .iter()
                    .map(|model| json!({ "id": model.id, "context_window": model.context_window }))
                    .collect();
                json!({ "name": offer.name, "base_url": offer.base_url, "models": models })
            })
            .collect();
        say::line(&say::json(&json!({ "v": 1, "servers": rows }))?)?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        return Err(say::failed(Phrase::new("cli.setup_nothing_found")));
    }
    for offer in &found {
        let names: Vec<_> = offer.models.iter().take(5).map(|model| model.id.as_str()).collect();
        say::line(&clean(&format!("{:<10} {}  {}", offer.name, offer.base_url, names.join(", "))))?;
    }
    if let Some(first) = found.first() {
        say::line(&Style::get().text(&Phrase::new("probe.next").with("url", &first.base_url)))?;
    }
    Ok(Exit::Done)
}

/// Before an unknown local endpoint is used for the first time, a person is asked whether it may be probed. Never without
/// a terminal, never where automation runs, and only once.
pub(crate) async fn first_use(context: &Context, model: Option<&str>) {
    let settings = &context.loaded.settings;
    let Ok(found) = settings.model_or_default(model) else { return };
    let provider = found.provider;
    if !provider.is_local() || Wire::parse(&provider.kind).is_none() || settings.window(&found) > 0 {
        return;
    }
    if context.env.contains_key("CI") || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return;
    }
    let endpoint = unprobed_endpoint(settings, &found, &context.env, &context.home);
    if probed(&context.home, &endpoint).is_some() || probe_declined(&context.home, &endpoint) {
        return;
    }
    let style = Style::get();
    let question = Phrase::new("probe.first_use").with("url", reasonix_config::shown_address(&provider.base_url));
    let answer = rustyline::DefaultEditor::new().and_then(|mut editor| editor.readline(&style.text(&question)));
    let Ok(answer) = answer else { return };
    if matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes" | "是") {
        match asked(settings, &context.home, &endpoint).await {
            Ok(found) => table::lines(&found, style).iter().for_each(|line| say::line_err(line)),
            Err(phrase) => say::notice(Level::Warning, &phrase),
        }
    } else if let Err(error) = decline_probe(&context.home, &endpoint) {
        let path = context.home.join("state/probes");
        let phrase = Phrase::new("probe.not_kept").with("path", path.display()).with("reason", error);
        say::notice(Level::Warning, &phrase);
    }
}
