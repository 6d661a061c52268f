//! What follows from other settings: endpoints that are only named, models that are only described, the profile's roles.

use crate::sections::providers::preset_address;
use crate::{Layer, Provider, Settings};
use reasonix_catalogue::{PRESETS, preset, split};
use std::collections::BTreeMap;

/// Completes the settings. `said` is the layer that named the default model.
pub(crate) fn complete(settings: &mut Settings, said: Option<Layer>, env: &BTreeMap<String, String>) {
    choose(settings, said);
    let mut named: Vec<String> = settings.roles.values().cloned().collect();
    named.extend(settings.default_model.clone());
    named.extend(settings.fallback_models.iter().cloned());
    named.extend(settings.models.iter().flat_map(|model| model.fallback.iter().cloned()));
    let agent = &settings.agent;
    named
        .extend(agent.planner_model.iter().chain(&agent.subagent_model).chain(agent.subagent_models.values()).cloned());
    if let Some(profile) = settings.model_profile.as_ref().and_then(|name| settings.profile(name)) {
        named.extend(profile.requires);
    }
    for reference in named {
        add_preset(settings, &reference, env);
    }
    describe(settings);
    spare(settings);
}

/// Fills the roles: what is written for a role, then what the profile says. A model that was named for this run, by the
/// command line or the environment, is the default whatever the profile says.
fn choose(settings: &mut Settings, said: Option<Layer>) {
    if let Some(profile) = settings.model_profile.as_ref().and_then(|name| settings.profile(name)) {
        for (role, reference) in profile.roles {
            if role == "default" && said < Some(Layer::Env) {
                settings.default_model = Some(reference.clone());
            }
            settings.roles.entry(role).or_insert(reference);
        }
    }
    if settings.default_model.is_none() {
        settings.default_model = settings.roles.get("default").cloned();
    }
}

/// A reference to a known endpoint that is not configured stands for the endpoint as it is known.
fn add_preset(settings: &mut Settings, reference: &str, env: &BTreeMap<String, String>) {
    let reference = split(reference).0;
    let (name, model) = reference.split_once('/').map_or((reference, None), |(name, model)| (name, Some(model)));
    if settings.providers.iter().any(|provider| provider.name == name) || settings.resolve_model(reference).is_ok() {
        return;
    }
    let Some(preset) = preset(name).filter(|preset| preset.name == name && !preset.base_url.is_empty()) else { return };
    let mut provider = Provider::from_preset(preset);
    provider.base_url = preset_address(preset, env);
    if let Some(model) = model.filter(|model| !provider.models.iter().any(|known| known == model)) {
        provider.models.push(model.to_owned());
    }
    if provider.models.is_empty() {
        return;
    }
    if provider.default.is_empty() {
        provider.default = provider.models.first().cloned().unwrap_or_default();
    }
    settings.providers.push(provider);
}

/// Keeps the hosted endpoints that are not configured at hand, so that a session can go to one of them by its name as the
/// command line can.
fn spare(settings: &mut Settings) {
    let configured = |name: &str| settings.providers.iter().any(|provider| provider.name == name);
    let hosted = PRESETS.iter().filter(|preset| !preset.is_local() && !preset.base_url.is_empty());
    settings.spares = hosted.filter(|preset| !configured(preset.name)).map(Provider::from_preset).collect();
}

/// Models that are described but not listed are offered by their provider all the same.
fn describe(settings: &mut Settings) {
    for model in &settings.models {
        let Some((name, id)) = model.id.split_once('/') else { continue };
        if let Some(provider) = settings.providers.iter_mut().find(|provider| provider.name == name)
            && !provider.models.iter().any(|known| known == id)
        {
            provider.models.push(id.to_owned());
        }
    }
}
