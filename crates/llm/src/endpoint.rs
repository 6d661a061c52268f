//! Where a model lives and how it wants to be asked. Names a vendor only by address and model, never by code.

use crate::key::{ApiKey, KeySource};
use crate::recorder::Recorder;
use crate::sign::{Signing, encoded};
use reasonix_agent::ModelCard;
use reasonix_catalogue::{Catalogue, Compat, Effort, Overrides, ReasoningBack, Wire, compat};
use reasonix_proto::Price;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// One model behind one address.
#[derive(Clone)]
pub struct Endpoint {
    /// The provider's name in the settings.
    pub provider: String,
    /// The protocol it speaks.
    pub wire: Wire,
    /// The address up to `/v1`, or to whatever `/chat/completions` is appended to.
    pub base_url: String,
    /// The model as settings and logs call it.
    pub model: String,
    /// The model as the endpoint calls it, where that is another name.
    pub wire_model: Option<String>,
    /// The preset that it was made from, for what an address alone does not tell.
    pub preset: Option<String>,
    /// What is known of models.
    pub catalogue: Catalogue,
    /// What the user says about how it wants to be asked.
    pub overrides: Overrides,
    /// The key, if the endpoint wants one.
    pub key: Option<ApiKey>,
    /// The environment variable that the key should come from, for hints.
    pub key_env: Option<String>,
    /// What gives the key, where it is not the same for ever; wins over `key`.
    pub key_source: Option<Arc<dyn KeySource>>,
    /// Requests are signed with the key in place of carrying it.
    pub sign: Option<Signing>,
    /// What is appended to the address in place of the wire's own route; `{model}` is the model's name on the wire.
    pub own_route: Option<String>,
    /// More headers for every request.
    pub headers: Vec<(String, String)>,
    /// Tokens the model can see; 0 when unknown.
    pub window: u64,
    /// Sampling temperature; the endpoint's own when none.
    pub temperature: Option<f64>,
    /// Nucleus sampling; the endpoint's own when none.
    pub top_p: Option<f64>,
    /// The most tokens of an answer; the endpoint's own when none.
    pub max_tokens: Option<u64>,
    /// How hard the model should think, in the endpoint's own words; the endpoint's own choice when none.
    pub reasoning_effort: Option<String>,
    /// The same on our scale; wins over the endpoint's own words.
    pub effort: Option<Effort>,
    /// The most tokens of an answer that the model can give; 0 when unknown.
    pub max_output: u64,
    /// What its tokens cost.
    pub price: Option<Price>,
    /// True when it can look at pictures.
    pub vision: bool,
    /// More fields for the body; a `null` removes one of ours.
    pub extra_body: serde_json::Map<String, serde_json::Value>,
    /// What is repaired in answers beyond what always is.
    pub repairing: crate::Repairing,
    /// The proxy in between, for messages only.
    pub proxy: Option<String>,
    /// How long a stream may be silent.
    pub idle_timeout: Duration,
    /// How long the first byte may take.
    pub first_byte_timeout: Duration,
    /// A silence before the first word is tried again: whoever set its limit knows that nothing runs there any more.
    pub silence_passes: bool,
    /// How failures that may pass are tried again.
    pub retry: Retry,
    /// What keeps the bytes of answers, where somebody wants them.
    pub recorder: Option<Arc<dyn Recorder>>,
}

/// How failures that may pass are tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Attempts in all, the first included.
    pub attempts: u32,
    /// The first wait.
    pub initial: Duration,
    /// The longest wait.
    pub max: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 4, initial: Duration::from_millis(500), max: Duration::from_secs(10) }
    }
}

impl Endpoint {
    /// An endpoint with everything else at its default.
    pub fn new(provider: impl Into<String>, base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            wire: Wire::Chat,
            base_url: base_url.into(),
            model: model.into(),
            wire_model: None,
            preset: None,
            catalogue: Catalogue::default(),
            overrides: Overrides::default(),
            key: None,
            key_env: None,
            key_source: None,
            sign: None,
            own_route: None,
            headers: Vec::new(),
            window: 0,
            temperature: None,
            top_p: None,
            max_tokens: None,
            reasoning_effort: None,
            effort: None,
            max_output: 0,
            price: None,
            vision: false,
            extra_body: serde_json::Map::new(),
            repairing: crate::Repairing::default(),
            proxy: None,
            idle_timeout: Duration::from_secs(300),
            first_byte_timeout: Duration::from_secs(600),
            silence_passes: false,
            retry: Retry::default(),
            recorder: None,
        }
    }

    /// True for a server on this machine, which somebody has to start.
    pub(crate) fn is_local(&self) -> bool {
        let host = self.host();
        let ip = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
        host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified())
    }

    /// The address of a route below the base, such as `chat/completions`. A base that already names that of a chat, or
    /// ends in slashes, is taken as it was meant; a query stays at the end.
    pub(crate) fn route(&self, route: &str) -> String {
        let (path, query) =
            self.base_url.trim().split_once('?').map_or((self.base_url.trim(), ""), |(path, query)| (path, query));
        let path = path.trim_end_matches('/');
        let named = ["/chat/completions", "/responses", "/messages"].iter().find_map(|end| path.strip_suffix(end));
        let path = named.unwrap_or(path).trim_end_matches('/');
        let mark = if query.is_empty() { "" } else { "?" };
        // Addresses of this protocol are usually given without the version.
        let version = if self.wire == Wire::Anthropic && !path.ends_with("/v1") { "/v1" } else { "" };
        format!("{path}{version}/{route}{mark}{query}")
    }

    /// The key, unless it is blank.
    pub(crate) fn secret(&self) -> Option<&str> {
        self.key.as_ref().map(|key| key.expose().trim()).filter(|key| !key.is_empty())
    }

    /// True for a service of which it is known that it answers nobody without a key, where there is none.
    pub(crate) fn lacks_its_key(&self) -> bool {
        let known = || reasonix_catalogue::preset_for(&self.base_url).is_some_and(|preset| preset.key_env.is_some());
        // Headers of the user's own may carry one.
        let fetched = self.key_source.is_some();
        self.key_env.is_some() && !fetched && self.secret().is_none() && self.headers.is_empty() && known()
    }

    /// The address that requests go to.
    pub(crate) fn target(&self) -> String {
        let Some(route) = &self.own_route else { return self.route(self.wire.route()) };
        let (path, query) = self.base_url.trim().split_once('?').unwrap_or((self.base_url.trim(), ""));
        let route = route.replace("{model}", &encoded(self.wire_name(), false).replace("%40", "@"));
        let mark = match (query.is_empty(), route.contains('?')) {
            (true, _) => "",
            (false, true) => "&",
            (false, false) => "?",
        };
        format!("{}/{}{mark}{query}", path.trim_end_matches('/'), route.trim_start_matches('/'))
    }

    /// What is known about the model.
    pub(crate) fn card(&self) -> ModelCard {
        let (window, price, documents) = (self.window, self.price.clone(), self.compat().documents);
        ModelCard { name: self.name(), window, max_output: self.max_output, price, vision: self.vision, documents }
    }

    /// The model's name on the wire.
    pub fn wire_name(&self) -> &str {
        self.wire_model.as_deref().unwrap_or(&self.model)
    }

    /// The host of the address.
    pub(crate) fn host(&self) -> String {
        let url = crate::redact::url(&self.base_url);
        let host = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
        if host.starts_with('[') {
            return host.split_inclusive(']').next().unwrap_or_default().to_owned();
        }
        host.split(['/', ':']).next().unwrap_or_default().to_owned()
    }

    /// How the endpoint wants to be asked: what is known of its wire, address and model, and what the user says.
    pub fn compat(&self) -> Compat {
        let (host, preset, model) = (self.host(), self.preset.as_deref(), self.wire_name());
        let mut compat = compat(self.wire, &host, preset, model);
        compat.set(&self.catalogue.said(self.wire, &host, preset, model));
        if self.extra_body.get("thinking").is_some_and(|thinking| thinking["type"] == "disabled") {
            compat.reasoning_back = ReasoningBack::Never;
        }
        compat.set(&self.overrides);
        compat.cache_control &= !self.extra_body.contains_key("cache_control");
        compat
    }

    /// The effort to ask for, as far as the model knows it.
    pub(crate) fn effort(&self) -> Option<Effort> {
        let asked = self.effort.or_else(|| Effort::parse(self.reasoning_effort.as_deref()?))?;
        Some(self.catalogue.known(self.wire_name()).map_or(asked, |known| asked.clamp_to(&known.efforts)))
    }

    /// The model as `provider/model`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider, self.model)
    }
}

impl fmt::Debug for Endpoint {
    /// Leaves out every value that may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("provider", &self.provider)
            .field("base_url", &crate::redact::url(&self.base_url))
            .field("model", &self.model)
            .field("key", &self.key)
            .field("headers", &self.headers.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("window", &self.window)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{ApiKey, Endpoint};
    use reasonix_catalogue::{Effort, ReasoningBack};

    #[test]
    fn the_route_is_appended_once() {
        for (base, url) in [
            ("http://h/v1", "http://h/v1/chat/completions"),
            ("http://h/v1/", "http://h/v1/chat/completions"),
            ("http://h/v1//", "http://h/v1/chat/completions"),
            (" http://h/v1/chat/completions ", "http://h/v1/chat/completions"),
            ("http://h/v1/chat/completions/", "http://h/v1/chat/completions"),
            ("http://h/d?api-version=1", "http://h/d/chat/completions?api-version=1"),
        ] {
            assert_eq!(Endpoint::new("p", base, "m").route("chat/completions"), url, "{base}");
        }
        assert_eq!(Endpoint::new("p", "http://h/v1/chat/completions", "m").route("models"), "http://h/v1/models");
        for base in ["https://h/anthropic", "https://h/anthropic/v1/", "https://h/anthropic/v1/messages"] {
            let endpoint = Endpoint { wire: reasonix_catalogue::Wire::Anthropic, ..Endpoint::new("p", base, "m") };
            assert_eq!(endpoint.target(), "https://h/anthropic/v1/messages", "{base}");
        }
    }

    #[test]
    fn profiles() {
        let mut endpoint = Endpoint::new("p", "https://api.deepseek.com:443/v1", "deepseek-v4-pro");
        assert_eq!(endpoint.compat().reasoning_back, ReasoningBack::Always);
        endpoint.extra_body.insert("thinking".into(), serde_json::json!({ "type": "disabled" }));
        assert_eq!(endpoint.compat().reasoning_back, ReasoningBack::Never, "there is none to send back");
        endpoint.overrides.reasoning_back = Some(ReasoningBack::Calls);
        assert_eq!(endpoint.compat().reasoning_back, ReasoningBack::Calls, "the user's word is the last");
        endpoint.effort = Some(Effort::Medium);
        assert_eq!(endpoint.effort(), Some(Effort::Off), "the next lower one that it knows");
        endpoint.wire_model = Some("unknown-model".into());
        assert_eq!(endpoint.effort(), Some(Effort::Medium));
        assert_eq!(endpoint.name(), "p/deepseek-v4-pro", "the name on the wire is nobody else's business");
    }

    #[test]
    fn no_secret_is_printed() {
        let mut endpoint = Endpoint::new("p", "https://user:hunter2@host/v1?key=hunter3", "m");
        endpoint.key = Some(ApiKey::from("sk-hunter4"));
        endpoint.headers.push(("X-Token".into(), "hunter5".into()));
        endpoint.extra_body.insert("token".into(), "hunter6".into());
        let shown = format!("{endpoint:?}");
        assert!(!shown.contains("hunter"), "{shown}");
        assert!(shown.contains("X-Token") && shown.contains("https://host/v1"), "{shown}");
    }
}
