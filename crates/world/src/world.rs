//! What is outside of a session, and the models that it makes: protocol, endpoint and key are all settings.

use crate::error::EngineError;
use crate::keys::{KeyRing, key_source, signing};
use crate::network::{client_of, proxy_of_provider};
use crate::tap::Tap;
use crate::windows::learned_window;
use reasonix_agent::Model;
use reasonix_catalogue::{Effort, Thinking};
use reasonix_config::{ModelRef, Provider, Settings};
use reasonix_extensions::{FoundBundles, Shelf, found_bundles};
use reasonix_llm::{ApiKey, Endpoint, KeySource, Repairing, Script, Wire};
use reasonix_proto::{EditFormat, Phrase};
use reasonix_session::DocumentReader;
use reasonix_state::pooled::PurseHand;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A silence that is as good as for ever.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// What is outside of a session. It makes models.
#[derive(Clone)]
pub struct World {
    /// What the user wrote on disk and said on the command line.
    pub settings: Settings,
    /// The environment of the process, for keys.
    pub env: BTreeMap<String, String>,
    /// The user's folder, `~/.reasonix`.
    pub home: PathBuf,
    /// Where answers are recorded; the session that starts sets it, as its settings say.
    pub tap: Tap,
    /// The session's hand in a purse of several; none where it is alone.
    pub hand: Option<Arc<PurseHand>>,
    /// Who reads the documents that are written.
    pub reader: DocumentReader,
    /// Keys that were fetched.
    pub(crate) keys: KeyRing,
    /// Skills and commands, once somebody asked for them.
    pub shelf: Arc<OnceLock<Shelf>>,
    /// The bundles that the user took in, once somebody asked for them.
    pub bundles: Arc<OnceLock<FoundBundles>>,
}

impl World {
    /// The same world, with answers recorded elsewhere.
    pub fn recorded_by(&self, tap: Tap) -> Self {
        Self { tap, ..self.clone() }
    }

    /// A world in which nothing is recorded.
    pub fn new(settings: Settings, env: BTreeMap<String, String>, home: PathBuf) -> Self {
        let (keys, shelf, bundles) = (KeyRing::default(), Arc::default(), Arc::default());
        let (tap, reader) = (Tap::default(), DocumentReader::default());
        Self { settings, env, home, tap, hand: None, reader, keys, shelf, bundles }
    }

    /// The source of a provider's keys, shared with its other models.
    pub(crate) fn key_source(&self, provider: &Provider) -> Option<Arc<dyn KeySource>> {
        let source = key_source(provider, &self.env, &self.home)?;
        Some(self.keys.shared(provider, source))
    }

    /// The bundles that the user took in, as they were when somebody first asked.
    pub fn bundles(&self) -> &FoundBundles {
        self.bundles.get_or_init(|| found_bundles(&self.home))
    }

    /// Looks anew for what extends a session.
    pub(crate) fn look_anew(&mut self) {
        (self.shelf, self.bundles) = (Arc::default(), Arc::default());
    }

    /// Makes the model that a reference names, with those behind it that answer when it cannot; what they answer goes past
    /// the tap. Nothing is connected.
    pub fn model(&self, found: &ModelRef<'_>) -> Result<Arc<dyn Model>, EngineError> {
        if let Some(phrase) = missing_key(&self.settings, &self.env, &self.home) {
            return Err(EngineError::Settings(phrase));
        }
        let first = self.one(found)?;
        let chain = self.settings.fallbacks(found);
        if chain.is_empty() {
            return Ok(first);
        }
        let world = Arc::new(self.clone());
        let spare = |next: &ModelRef<'_>| -> reasonix_llm::Spare {
            let (world, name, effort) = (Arc::clone(&world), next.name(), next.effort);
            Box::new(move || {
                let found = world.settings.resolve_model(&name).ok()?;
                world.one(&ModelRef { effort, ..found }).ok()
            })
        };
        Ok(reasonix_llm::fallback(first, chain.iter().map(spare).collect()))
    }

    /// The model that a reference names, told to think as hard as this.
    pub fn model_thinking(&self, reference: &str, effort: Option<&str>) -> Result<Arc<dyn Model>, EngineError> {
        let mut world = self.clone();
        let name = self.settings.resolve_model(reference)?.provider.name.clone();
        if let Some(effort) = effort {
            let named = world.settings.providers.iter_mut().filter(|provider| provider.name == name);
            named.for_each(|provider| provider.reasoning_effort = Some(effort.to_owned()));
        }
        let found = world.settings.resolve_model(reference)?;
        world.model(&ModelRef { effort: effort.and_then(Effort::parse).or(found.effort), ..found })
    }

    /// One model, without those behind it.
    fn one(&self, found: &ModelRef<'_>) -> Result<Arc<dyn Model>, EngineError> {
        let provider = found.provider;
        if provider.kind == "scripted" {
            return scripted(found);
        }
        if Wire::parse(&provider.kind).is_none() {
            let phrase =
                Phrase::new("engine.unknown_kind").with("provider", &provider.name).with("kind", &provider.kind);
            return Err(EngineError::Settings(phrase));
        }
        let client = client_of(&self.settings, provider)?;
        let endpoint = endpoint_of(&self.settings, found, &self.env, &self.home);
        let key_source = self.key_source(provider);
        let endpoint = Endpoint { recorder: self.tap.recorder(), key_source, ..endpoint };
        let model = reasonix_llm::connect(endpoint.clone(), client);
        Ok(crate::windows::listened_to(model, &self.home, &endpoint))
    }
}

/// The format that these settings name, where it is settled.
pub fn format_of(settings: &Settings) -> Option<EditFormat> {
    EditFormat::parse(&settings.tools.edit)
}

/// Why the active profile cannot be used: a provider that it requires is not there or has no key.
pub fn missing_key(settings: &Settings, env: &BTreeMap<String, String>, home: &Path) -> Option<Phrase> {
    let profile = settings.model_profile.as_deref().unwrap_or_default();
    let without = |(_, provider): &(String, Option<&Provider>)| match provider {
        Some(provider) => provider.api_key_env.is_some() && reasonix_config::api_key(provider, env, home).is_none(),
        None => true,
    };
    let (name, provider) = settings.required().into_iter().find(without)?;
    let variable = provider.and_then(|provider| provider.api_key_env.as_deref()).unwrap_or("api_key_env");
    Some(Phrase::new("engine.profile_key").with("profile", profile).with("provider", name).with("env", variable))
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

/// The endpoint that a reference names, with its key, what a probe saw of it and what it said itself of its window.
pub fn endpoint_of(settings: &Settings, found: &ModelRef<'_>, env: &BTreeMap<String, String>, home: &Path) -> Endpoint {
    let mut endpoint = unprobed_endpoint(settings, found, env, home);
    if let Some(probed) = crate::probes::probed(home, &endpoint) {
        crate::probes::apply(&probed, &mut endpoint, &found.provider.tool_calls);
    }
    if settings.said_window(found).is_none() {
        endpoint.window = learned_window(home, &endpoint).unwrap_or(endpoint.window);
    }
    endpoint
}

/// The same as the settings alone say it.
pub fn unprobed_endpoint(
    settings: &Settings,
    found: &ModelRef<'_>,
    env: &BTreeMap<String, String>,
    home: &Path,
) -> Endpoint {
    let provider = found.provider;
    let mut endpoint = Endpoint::new(&provider.name, &provider.base_url, found.model);
    endpoint.wire = Wire::parse(&provider.kind).unwrap_or(Wire::Chat);
    endpoint.preset.clone_from(&provider.preset);
    endpoint.key = match &provider.sign {
        Some(_) => reasonix_config::aws_pair(env, home),
        None => reasonix_config::api_key(provider, env, home),
    }
    .map(|key| ApiKey::from(key.expose()));
    endpoint.key_env.clone_from(&provider.api_key_env);
    endpoint.key_source = key_source(provider, env, home);
    endpoint.sign = provider.sign.as_ref().map(|said| signing(said, &provider.base_url, env));
    endpoint.own_route.clone_from(&provider.route);
    endpoint.proxy = proxy_of_provider(settings, provider);
    endpoint.headers = provider.headers.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())).collect();
    endpoint.window = settings.window(found);
    endpoint.price = settings.price(found);
    endpoint.temperature = provider.temperature.or(settings.agent.temperature);
    endpoint.max_tokens = provider.max_tokens;
    endpoint.reasoning_effort.clone_from(&provider.reasoning_effort);
    endpoint.repairing = Repairing {
        blocks: format_of(settings) == Some(EditFormat::Blocks),
        flatten: provider.flatten_schemas,
        textual: provider.tool_calls == "text",
        grammar: provider.tool_calls == "guided",
        addressed: reasonix_catalogue::addresses(found.model),
        native_only: provider.tool_calls == "native",
    };
    endpoint.extra_body = provider.extra_body.clone();
    endpoint.catalogue = settings.catalogue.clone();
    endpoint.overrides = provider.compat.clone();
    if provider.cache_retention.is_some() {
        endpoint.overrides.cache_retention = provider.cache_retention;
    }
    if let Some(known) = settings.catalogue.known(found.model) {
        (endpoint.max_output, endpoint.vision) = (known.output, known.vision);
    }
    say_more(settings, found, &mut endpoint);
    if endpoint.wire_model.is_none() && provider.preset.as_deref() == Some("azure") {
        endpoint.wire_model = deployment(env, found.model);
    }
    endpoint.top_p = provider.top_p.or(settings.agent.top_p);
    if let Some(seconds) = provider.stream_idle_timeout_seconds {
        endpoint.idle_timeout = if seconds == 0 { FOR_EVER } else { Duration::from_secs(seconds) };
        endpoint.first_byte_timeout = endpoint.first_byte_timeout.max(endpoint.idle_timeout);
    }
    if let Some(seconds) = provider.first_byte_timeout_seconds {
        endpoint.first_byte_timeout = if seconds == 0 { FOR_EVER } else { Duration::from_secs(seconds) };
        endpoint.silence_passes = true;
    }
    endpoint.retry.attempts = provider.attempts.unwrap_or(endpoint.retry.attempts);
    pin_thinking(found, &mut endpoint);
    endpoint
}

/// DeepSeek's agents think as hard as they can, unless somebody says otherwise: its own default is made for chats.
fn pin_thinking(found: &ModelRef<'_>, endpoint: &mut Endpoint) {
    let said = endpoint.effort.is_some() || endpoint.reasoning_effort.is_some();
    let own = ["thinking", "reasoning_effort"].iter().any(|field| endpoint.extra_body.contains_key(*field));
    let knows = endpoint.catalogue.known(found.model).is_some_and(|known| known.efforts.contains(&Effort::Xhigh));
    if !said && !own && knows && endpoint.compat().thinking == Thinking::Deepseek {
        endpoint.effort = Some(Effort::Xhigh);
    }
}

/// What the user says about the model itself, over what holds for its provider.
fn say_more(settings: &Settings, found: &ModelRef<'_>, endpoint: &mut Endpoint) {
    let efforts = settings.efforts(found);
    endpoint.effort = found.effort.map(|effort| effort.clamp_to(&efforts));
    let Some(entry) = settings.entry(found.provider, found.model) else { return };
    endpoint.max_tokens = entry.max_tokens.or(endpoint.max_tokens);
    endpoint.wire_model.clone_from(&entry.wire_model);
    endpoint.vision = entry.vision.unwrap_or(endpoint.vision);
    for (name, value) in &entry.headers {
        endpoint.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        endpoint.headers.push((name.clone(), value.expose().to_owned()));
    }
    endpoint.extra_body.extend(entry.extra_body.clone());
    endpoint.overrides.set(&entry.compat);
    if entry.cache_retention.is_some() {
        endpoint.overrides.cache_retention = entry.cache_retention;
    }
}

/// The deployment of a model: `AZURE_OPENAI_DEPLOYMENT_NAME_MAP="model=deployment,…"`.
fn deployment(env: &BTreeMap<String, String>, model: &str) -> Option<String> {
    let pairs = env.get("AZURE_OPENAI_DEPLOYMENT_NAME_MAP")?.split(',').filter_map(|pair| pair.split_once('='));
    pairs.into_iter().find(|(name, _)| name.trim() == model).map(|(_, deployment)| deployment.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::unprobed_endpoint;
    use reasonix_catalogue::{Effort, preset};
    use reasonix_config::{ModelRef, Provider, Settings};
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::time::Duration;

    fn endpoint(preset_name: &str, model: &str, said: impl FnOnce(&mut Provider)) -> reasonix_llm::Endpoint {
        let mut provider = Provider::from_preset(preset(preset_name).expect("a preset"));
        said(&mut provider);
        let settings = Settings { providers: vec![provider.clone()], ..Settings::default() };
        unprobed_endpoint(&settings, &ModelRef::new(&provider, model), &BTreeMap::new(), Path::new("/nowhere"))
    }

    #[test]
    fn deepseek_thinks_as_hard_as_it_can_unless_told_otherwise() {
        assert_eq!(endpoint("deepseek", "deepseek-v4-flash", |_| {}).effort, Some(Effort::Xhigh));
        assert_eq!(endpoint("deepseek", "deepseek-chat", |_| {}).effort, None, "it does not think");
        assert_eq!(endpoint("openai", "gpt-5.5", |_| {}).effort, None, "others decide for themselves");
        let said = |provider: &mut Provider| provider.reasoning_effort = Some("high".into());
        assert_eq!(endpoint("deepseek", "deepseek-v4-flash", said).effort, None);
        let said = |provider: &mut Provider| drop(provider.extra_body.insert("thinking".into(), "own".into()));
        assert_eq!(endpoint("deepseek", "deepseek-v4-flash", said).effort, None);
    }

    #[test]
    fn patience_and_attempts_are_the_providers() {
        let said = |provider: &mut Provider| {
            (provider.first_byte_timeout_seconds, provider.attempts) = (Some(7), Some(2));
            provider.stream_idle_timeout_seconds = Some(60);
        };
        let own = endpoint("vllm", "m", said);
        let want = (Duration::from_secs(7), Duration::from_secs(60), 2);
        assert_eq!((own.first_byte_timeout, own.idle_timeout, own.retry.attempts), want);
        assert_eq!(endpoint("vllm", "m", |_| {}).retry.attempts, 4);
    }
}
