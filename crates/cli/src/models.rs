//! `reasonix models`: what is configured, and what the endpoints offer.

use crate::args::ModelsArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Style};
use reasonix_config::{Flags, ModelRef};
use reasonix_llm::ModelInfo;
use reasonix_proto::{Level, Phrase};

pub(crate) async fn models(args: &ModelsArgs) -> anyhow::Result<Exit> {
    let context = Context::load(None, Flags::default())?;
    let settings = &context.loaded.settings;
    if settings.providers.is_empty() {
        return Err(say::usage(Phrase::new("config.no_provider")));
    }
    let default = settings.default_model().ok().map(|found| found.name());
    for found in settings.models() {
        let mark = if default.as_deref() == Some(found.name().as_str()) { "*" } else { " " };
        say::line(&format!("{mark} {:<40} {}", found.name(), window(found.provider.context_window)))?;
    }
    if args.live {
        live(&context).await?;
    }
    Ok(Exit::Done)
}

async fn live(context: &Context) -> anyhow::Result<()> {
    let settings = &context.loaded.settings;
    for provider in settings.providers.iter().filter(|provider| provider.kind == "openai") {
        let found = ModelRef::new(provider, &provider.default);
        match ask(context, &found).await {
            Ok(models) => {
                let offers =
                    Phrase::new("cli.models_live").with("provider", &provider.name).with("url", reasonix_config::shown_address(&provider.base_url));
                say::line(&Style::get().text(&offers))?;
                for model in models {
                    let size = window(model.context_window.unwrap_or(0));
                    say::line(&format!("  {:<40} {size}", say::clean(&model.id)))?;
                }
            }
            Err(phrase) => say::notice(Level::Warning, &phrase),
        }
    }
    Ok(())
}

/// Asks the endpoint of a model what it offers.
pub(crate) async fn ask(context: &Context, found: &ModelRef<'_>) -> Result<Vec<ModelInfo>, Phrase> {
    let settings = &context.loaded.settings;
    let endpoint = reasonix_engine::endpoint_of(settings, found, &context.env, &context.home);
    let client = reasonix_engine::client_of(settings, &endpoint.base_url).map_err(|error| error.phrase())?;
    reasonix_llm::list_models(&endpoint, &client).await.map_err(|failure| failure.phrase)
}

fn window(tokens: u64) -> String {
    if tokens == 0 {
        String::new()
    } else {
        Style::get().text(&Phrase::new("cli.models_window").with("tokens", tokens))
    }
}
