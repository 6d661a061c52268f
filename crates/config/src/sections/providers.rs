//! `[[providers]]`: endpoints and their models.

use crate::node::{Node, Table};
use crate::view::{Context, View};
use crate::{ConfigError, Secret};
use reasonix_catalogue::{CacheRetention, Overrides, PRESETS, Preset};
use std::path::PathBuf;

/// Seconds that a key of a command is good for where nothing is said: half of what clouds give.
const KEY_TTL: u64 = 1_800;

/// What requests to AWS are signed with.
const AWS_VARIABLES: [&str; 3] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];

/// An endpoint that offers one or more models.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Provider {
    /// Its name.
    pub name: String,
    /// The known endpoint that it was made from.
    pub preset: Option<String>,
    /// The wire it speaks: `openai`, `responses`, `anthropic`, `scripted`.
    pub kind: String,
    /// Its address.
    pub base_url: String,
    /// The models it offers; at least one.
    pub models: Vec<String>,
    /// The model used when only the provider is named.
    pub default: String,
    /// The variable that holds the key.
    pub api_key_env: Option<String>,
    /// More variables that hold keys.
    pub api_key_pool: Vec<String>,
    /// A program and its arguments that print the key.
    pub api_key_command: Vec<String>,
    /// Seconds that what it printed is good for; 0 for until it is refused.
    pub api_key_ttl_seconds: u64,
    /// Requests are signed in place of carrying a key.
    pub sign: Option<SignSettings>,
    /// What is appended to the address in place of the wire's own route.
    pub route: Option<String>,
    /// How it is reached, where that is not how everything is.
    pub reach: ProviderReach,
    /// Tokens the models can see; 0 switches compaction off.
    pub context_window: u64,
    /// True when the window was said to be 0: the conversation is never folded.
    pub unfolded: bool,
    /// Headers to send with every request.
    pub headers: Vec<(String, Secret)>,
    /// What tokens cost.
    pub price: Option<PriceSettings>,
    /// Sampling temperature for this endpoint; wins over the agent's.
    pub temperature: Option<f64>,
    /// Nucleus sampling for this endpoint; wins over the agent's.
    pub top_p: Option<f64>,
    /// The most tokens an answer may have.
    pub max_tokens: Option<u64>,
    /// How hard the model should think, as the endpoint spells it.
    pub reasoning_effort: Option<String>,
    /// How tools are called: `native`, `text` or `guided`; `auto` for native, unless a probe found that nothing native
    /// is taken.
    pub tool_calls: String,
    /// Whether deep schemas are sent flat; none leaves it to the wire.
    pub flatten_schemas: Option<bool>,
    /// More fields for the body of every request.
    pub extra_body: serde_json::Map<String, serde_json::Value>,
    /// Seconds without a byte after which a stream counts as broken; none leaves it to the wire, 0 waits for ever.
    pub stream_idle_timeout_seconds: Option<u64>,
    /// Seconds until the first word of an answer; none leaves it to the wire, 0 waits for ever.
    pub first_byte_timeout_seconds: Option<u64>,
    /// How often a request is made in all; none leaves it to the wire.
    pub attempts: Option<u32>,
    /// The script that a `scripted` provider plays.
    pub script: Option<PathBuf>,
    /// How it wants to be asked, where that is not what is known of it.
    pub compat: Overrides,
    /// How long it is to keep what it cached.
    pub cache_retention: Option<CacheRetention>,
}

/// How requests are signed, as far as the user says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SignSettings {
    /// The region.
    pub region: Option<String>,
    /// The service.
    pub service: Option<String>,
}

/// How one endpoint is reached; what is not said is as for all of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProviderReach {
    /// Its proxy; empty for none at all.
    pub proxy: Option<Secret>,
    /// A file with more certificates to trust.
    pub ca_file: Option<PathBuf>,
    /// A file with the certificate to show.
    pub client_cert: Option<PathBuf>,
    /// A file with its key.
    pub client_key: Option<PathBuf>,
    /// The socket of this machine that it listens at.
    pub socket: Option<PathBuf>,
}

/// What a million tokens cost.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PriceSettings {
    /// Tokens that were not in the endpoint's cache.
    pub input: f64,
    /// Tokens that were.
    pub cached_input: f64,
    /// Tokens that the endpoint writes into its cache; none where they cost what other input does.
    pub cache_write: Option<f64>,
    /// Tokens of the answer.
    pub output: f64,
    /// The currency as it is shown.
    pub currency: String,
}

impl Provider {
    /// The endpoint that a preset describes, for people who only have a key.
    pub fn from_preset(preset: &Preset) -> Self {
        Self {
            name: preset.name.to_owned(),
            preset: Some(preset.name.to_owned()),
            kind: preset.wire.kind().to_owned(),
            base_url: preset.base_url.to_owned(),
            models: preset.models.iter().map(|model| (*model).to_owned()).collect(),
            default: preset.models.first().map(|model| (*model).to_owned()).unwrap_or_default(),
            api_key_env: preset.key_env.map(str::to_owned),
            api_key_ttl_seconds: KEY_TTL,
            route: preset.route.map(str::to_owned),
            extra_body: preset_field(Some(preset)).collect(),
            tool_calls: "auto".to_owned(),
            ..Self::default()
        }
    }

    /// Every variable that holds a key of this endpoint.
    pub fn key_variables(&self) -> impl Iterator<Item = &str> {
        let signs: &[&str] = if self.sign.is_some() { &AWS_VARIABLES } else { &[] };
        self.api_key_env.iter().chain(&self.api_key_pool).map(String::as_str).chain(signs.iter().copied())
    }

    /// True for a server on this machine.
    pub fn is_local(&self) -> bool {
        let host = self.base_url.split_once("://").map_or(self.base_url.as_str(), |(_, rest)| rest);
        let host = host.split(['/', '?']).next().unwrap_or_default();
        let host = host
            .strip_prefix('[')
            .and_then(|host| host.split(']').next())
            .unwrap_or_else(|| host.split(':').next().unwrap_or_default());
        self.reach.socket.is_some()
            || host == "localhost"
            || host.ends_with(".localhost")
            || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified())
    }
}

/// The endpoints, in the order they were written.
pub(crate) fn resolve(table: &Table, context: &Context<'_>) -> Result<Vec<Provider>, ConfigError> {
    let root = View::root(table, context);
    let mut providers: Vec<Provider> = Vec::new();
    for node in root.items("providers") {
        let provider = one(node, context)?;
        if providers.iter().any(|other| other.name == provider.name) {
            let key = format!("providers.{}", provider.name);
            return Err(ConfigError::Twice { origin: node.origin.clone(), key });
        }
        providers.push(provider);
    }
    Ok(providers)
}

fn one(node: &Node, context: &Context<'_>) -> Result<Provider, ConfigError> {
    let missing = |key: String| ConfigError::Missing { origin: node.origin.clone(), key };
    let name = View::of(node.as_table(), context, "providers").text("name").filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| missing("providers.name".to_owned()))?;
    let section = format!("providers.{name}");
    let view = View::of(node.as_table(), context, &section);
    let preset = known_preset(&view, &section)?;
    let kind = view.text("kind").or_else(|| preset.map(|preset| preset.wire.kind().to_owned()));
    let kind = kind.unwrap_or_else(|| "openai".to_owned());
    let scripted = kind == "scripted";
    let script = view.path("script")?;
    if scripted && script.is_none() {
        return Err(missing(format!("{section}.script")));
    }
    let own = preset.map(|preset| preset_address(preset, context.env));
    let base_url = view.expanded("base_url")?.or(own).filter(|url| !url.is_empty());
    if base_url.is_none() && !scripted {
        return Err(missing(format!("{section}.base_url")));
    }
    let (models, default) = models(&view, scripted, preset).ok_or_else(|| missing(format!("{section}.model")))?;
    if let Some(node) = view.node("default").filter(|_| !models.contains(&default)) {
        return Err(ConfigError::Value {
            origin: node.origin.clone(),
            key: format!("{section}.default"),
            expected: models.iter().map(|model| crate::node::quote(model)).collect::<Vec<_>>().join(" | "),
            found: node.sketch(),
        });
    }
    Ok(Provider {
        kind,
        base_url: base_url.unwrap_or_default(),
        models,
        default,
        api_key_env: match view.text("api_key_env") {
            Some(name) => Some(name).filter(|name| !name.is_empty()),
            // What is signed, or has its key elsewhere, needs no variable that nobody named.
            None if view.text("sign").is_some() || !view.texts("api_key_command").is_empty() => None,
            None => preset.and_then(|preset| preset.key_env).map(str::to_owned),
        },
        preset: preset.map(|preset| preset.name.to_owned()),
        compat: compat(&view, &section)?,
        cache_retention: retention(&view),
        api_key_pool: key_pool(&view, &section)?,
        api_key_command: view.texts("api_key_command"),
        api_key_ttl_seconds: view.count("api_key_ttl_seconds").unwrap_or(KEY_TTL),
        sign: view
            .text("sign")
            .map(|_| SignSettings { region: view.text("sign_region"), service: view.text("sign_service") }),
        route: view.text("route").or_else(|| preset?.route.map(str::to_owned)).filter(|route| !route.is_empty()),
        reach: reach(&view)?,
        context_window: view.count("context_window").unwrap_or(0),
        unfolded: view.count("context_window") == Some(0),
        headers: view.secrets("headers")?,
        price: view.node("price").and_then(Node::as_table).map(|table| price(table, context)),
        temperature: view.number("temperature"),
        top_p: view.number("top_p"),
        max_tokens: view.count("max_tokens"),
        reasoning_effort: view.text("reasoning_effort"),
        tool_calls: view.text("tool_calls").unwrap_or_else(|| "auto".to_owned()),
        flatten_schemas: view.bool("flatten_schemas"),
        extra_body: preset_field(preset)
            .chain(body_fields(&view, "extra"))
            .chain(body_fields(&view, "extra_body"))
            .collect(),
        stream_idle_timeout_seconds: view.count("stream_idle_timeout_seconds"),
        first_byte_timeout_seconds: view.count("first_byte_timeout_seconds"),
        attempts: view.steps("attempts").map(|attempts| attempts.max(1)),
        script,
        name,
    })
}

/// More variables with keys. Whoever has a command for the key would count on them in vain.
fn key_pool(view: &View<'_>, section: &str) -> Result<Vec<String>, ConfigError> {
    let pool = view.texts("api_key_pool");
    let vain = !pool.is_empty() && !view.texts("api_key_command").is_empty();
    match view.node("api_key_pool").filter(|_| vain) {
        Some(node) => Err(ConfigError::Beside {
            origin: node.origin.clone(),
            key: format!("{section}.api_key_pool"),
            other: "api_key_command",
        }),
        None => Ok(pool),
    }
}

/// The field that a preset's bodies need.
fn preset_field(preset: Option<&Preset>) -> impl Iterator<Item = (String, serde_json::Value)> + use<> {
    preset.and_then(|preset| preset.field).into_iter().map(|(name, value)| (name.to_owned(), value.into()))
}

fn reach(view: &View<'_>) -> Result<ProviderReach, ConfigError> {
    Ok(ProviderReach {
        proxy: view.expanded("proxy")?.map(|proxy| Secret::new(if proxy == "none" { String::new() } else { proxy })),
        ca_file: view.path("ca_file")?,
        client_cert: view.path("client_cert")?,
        client_key: view.path("client_key")?,
        socket: view.path("socket")?,
    })
}

/// Fields for a body. TOML has no null, which takes a field out: `"-name" = true` says the same.
pub(crate) fn body_fields(view: &View<'_>, key: &str) -> serde_json::Map<String, serde_json::Value> {
    let written = view.node(key).map(Node::to_json).unwrap_or_default();
    let one = |(name, value): (&String, &serde_json::Value)| match name.strip_prefix('-') {
        Some(name) if *value == serde_json::Value::Bool(true) => (name.to_owned(), serde_json::Value::Null),
        _ => (name.clone(), value.clone()),
    };
    written.as_object().into_iter().flatten().map(one).collect()
}

/// The address of a preset: a local server's may stand in the environment.
pub(crate) fn preset_address(preset: &Preset, env: &std::collections::BTreeMap<String, String>) -> String {
    let variable = match preset.name {
        "ollama" => "OLLAMA_BASE_URL",
        "llama.cpp" => "LLAMA_CPP_BASE_URL",
        "lmstudio" => "LM_STUDIO_BASE_URL",
        _ => return preset.base_url.to_owned(),
    };
    let said = env.get(variable).map(|url| url.trim().trim_end_matches('/')).filter(|url| !url.is_empty());
    match said {
        None => preset.base_url.to_owned(),
        // Other programs write the server alone.
        Some(url) if url.split_once("://").is_some_and(|(_, rest)| !rest.contains('/')) => format!("{url}/v1"),
        Some(url) => url.to_owned(),
    }
}

fn known_preset(view: &View<'_>, section: &str) -> Result<Option<&'static Preset>, ConfigError> {
    let Some(node) = view.node("preset") else { return Ok(None) };
    let found = node.as_text().and_then(reasonix_catalogue::preset);
    found.map(Some).ok_or_else(|| ConfigError::Value {
        origin: node.origin.clone(),
        key: format!("{section}.preset"),
        expected: PRESETS.iter().map(|preset| crate::node::quote(preset.name)).collect::<Vec<_>>().join(" | "),
        found: node.sketch(),
    })
}

/// How an endpoint wants to be asked. A mistake is an error: a profile that is half understood would be worse than none.
pub(crate) fn compat(view: &View<'_>, section: &str) -> Result<Overrides, ConfigError> {
    let Some(node) = view.node("compat") else { return Ok(Overrides::default()) };
    serde_json::from_value(node.to_json()).map_err(|error| ConfigError::Value {
        origin: node.origin.clone(),
        key: format!("{section}.compat"),
        expected: error.to_string(),
        found: node.sketch(),
    })
}

pub(crate) fn retention(view: &View<'_>) -> Option<CacheRetention> {
    match view.text("cache_retention")?.as_str() {
        "none" => Some(CacheRetention::None),
        "long" => Some(CacheRetention::Long),
        _ => Some(CacheRetention::Short),
    }
}

/// The models and the default among them; `model` counts as the first of `models`.
fn models(view: &View<'_>, scripted: bool, preset: Option<&Preset>) -> Option<(Vec<String>, String)> {
    let mut models = view.texts("models");
    if models.is_empty() && view.node("model").is_none() {
        models.extend(preset.iter().flat_map(|preset| preset.models).map(|model| (*model).to_owned()));
    }
    if let Some(model) = view.text("model").filter(|model| !models.contains(model)) {
        models.insert(0, model);
    }
    if models.is_empty() && scripted {
        models.push("script".to_owned());
    }
    let chosen = view.text("default").or_else(|| view.text("model")).filter(|name| !name.is_empty());
    let default = chosen.or_else(|| models.first().cloned())?;
    (!models.is_empty()).then_some((models, default))
}

pub(crate) fn price(table: &Table, context: &Context<'_>) -> PriceSettings {
    let view = View::of(Some(table), context, "price");
    let input = view.number("input").unwrap_or_default();
    PriceSettings {
        input,
        cached_input: view.number("cached_input").unwrap_or(input),
        cache_write: view.number("cache_write"),
        output: view.number("output").unwrap_or_default(),
        currency: view.text("currency").unwrap_or_else(|| "USD".to_owned()),
    }
}
