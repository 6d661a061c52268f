//! From a model reference to a model: protocol, endpoint and key are all settings.

use crate::error::EngineError;
use crate::start::Start;
use reasonix_agent::Model;
use reasonix_config::{ModelRef, Settings};
use reasonix_llm::{Endpoint, Key, Script, Wire};
use reasonix_net::NetOptions;
use reasonix_proto::Phrase;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A silence that is as good as for ever.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Builds the model that a reference names.
pub fn build_model(
    settings: &Settings,
    found: &ModelRef<'_>,
    env: &BTreeMap<String, String>,
    home: &Path,
) -> Result<Arc<dyn Model>, EngineError> {
    let provider = found.provider;
    if provider.kind == "scripted" {
        return scripted(found);
    }
    if Wire::parse(&provider.kind).is_none() {
        let phrase = Phrase::new("engine.unknown_kind").with("provider", &provider.name).with("kind", &provider.kind);
        return Err(EngineError::Settings(phrase));
    }
    let client = client_of(settings, &provider.base_url)?;
    Ok(reasonix_llm::connect(endpoint_of(settings, found, env, home), client))
}

/// The model that a reference names, told to think as hard as this.
pub(crate) fn model_of(start: &Start, reference: &str, effort: Option<&str>) -> Result<Arc<dyn Model>, EngineError> {
    let mut settings = start.settings.clone();
    let name = settings.resolve_model(reference)?.provider.name.clone();
    if let Some(effort) = effort {
        let named = settings.providers.iter_mut().filter(|provider| provider.name == name);
        named.for_each(|provider| provider.reasoning_effort = Some(effort.to_owned()));
    }
    let found = settings.resolve_model(reference)?;
    build_model(&settings, &found, &start.env, &start.home)
}

fn scripted(found: &ModelRef<'_>) -> Result<Arc<dyn Model>, EngineError> {
    let path = found.provider.script.clone().unwrap_or_default();
    let fail = |reason: String| {
        EngineError::Settings(Phrase::new("engine.bad_script").with("path", path.display()).with("reason", reason))
    };
    let text = std::fs::read_to_string(&path).map_err(|error| fail(error.to_string()))?;
    let script = Script::parse(&text).map_err(|error| fail(error.to_string()))?;
    Ok(reasonix_llm::scripted(script, found.name(), found.provider.context_window))
}

/// A client for this address, as the settings say how to reach it.
pub fn client_of(settings: &Settings, url: &str) -> Result<reasonix_net::Client, EngineError> {
    reasonix_net::client(url, &net_options(settings)).map_err(|error| EngineError::Settings(error.phrase()))
}

pub(crate) fn net_options(settings: &Settings) -> NetOptions {
    NetOptions {
        proxy: settings.net.proxy.as_ref().map(|proxy| proxy.expose().to_owned()),
        no_proxy: (!settings.net.no_proxy.is_empty()).then(|| settings.net.no_proxy.join(",")),
        ca_file: settings.net.ca_file.clone(),
        ..NetOptions::default()
    }
}

/// The endpoint that a reference names, with its key.
pub fn endpoint_of(settings: &Settings, found: &ModelRef<'_>, env: &BTreeMap<String, String>, home: &Path) -> Endpoint {
    let provider = found.provider;
    let mut endpoint = Endpoint::new(&provider.name, &provider.base_url, found.model);
    endpoint.wire = Wire::parse(&provider.kind).unwrap_or(Wire::Chat);
    endpoint.key = reasonix_config::api_key(provider, env, home).map(|key| Key::from(key.expose()));
    endpoint.key_env.clone_from(&provider.api_key_env);
    endpoint.proxy = reasonix_net::proxy_for(&provider.base_url, &net_options(settings));
    endpoint.headers = provider.headers.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())).collect();
    endpoint.window = provider.context_window;
    endpoint.temperature = provider.temperature.or(settings.agent.temperature);
    endpoint.max_tokens = provider.max_tokens;
    endpoint.reasoning_effort.clone_from(&provider.reasoning_effort);
    endpoint.extra_body = provider.extra_body.clone();
    if let Some(top_p) = provider.top_p.or(settings.agent.top_p) {
        endpoint.extra_body.entry("top_p").or_insert_with(|| top_p.into());
    }
    if let Some(seconds) = provider.stream_idle_timeout_seconds {
        endpoint.idle_timeout = if seconds == 0 { FOR_EVER } else { Duration::from_secs(seconds) };
        endpoint.first_byte_timeout = endpoint.first_byte_timeout.max(endpoint.idle_timeout);
    }
    endpoint
}
