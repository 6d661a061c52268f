//! Which model a reference means: `provider`, `model` or `provider/model`, a role, or a model's official name; each perhaps
//! with an effort, as in `model:high`.

use crate::{ConfigError, ModelEntry, Provider, Settings};
use reasonix_catalogue::{Effort, split};

/// A model of a provider.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelRef<'a> {
    /// The provider.
    pub provider: &'a Provider,
    /// The model, as the endpoint names it.
    pub model: &'a str,
    /// How hard it should think, where the reference said so.
    pub effort: Option<Effort>,
}

impl<'a> ModelRef<'a> {
    /// A model of a provider.
    pub fn new(provider: &'a Provider, model: &'a str) -> Self {
        Self { provider, model, effort: None }
    }

    /// `provider/model`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider.name, self.model)
    }
}

impl Settings {
    /// Finds what a reference means. A provider's name wins over a model's; a role stands for its model. A model's name, also an
    /// official one, is that of the first provider that offers it and has the key that it wants.
    pub fn resolve_model(&self, reference: &str) -> Result<ModelRef<'_>, ConfigError> {
        self.resolve_within(reference, 4)
    }

    fn resolve_within(&self, reference: &str, depth: u32) -> Result<ModelRef<'_>, ConfigError> {
        let plain = match self.resolve_plain(reference) {
            Err(ConfigError::UnknownModel { .. }) => None,
            found => Some(found),
        };
        if let Some(found) = plain {
            return found;
        }
        let (base, effort) = split(reference);
        if let Some(effort) = effort {
            let found = self.resolve_within(base, depth).map_err(|_| self.unknown(reference))?;
            return Ok(ModelRef { effort: Some(effort), ..found });
        }
        if let Some(next) = self.roles.get(reference).filter(|next| depth > 0 && *next != reference) {
            return self.resolve_within(next, depth - 1);
        }
        let official = |model: &ModelRef<'_>| {
            let said = self.entry(model.provider, model.model).and_then(|entry| entry.canonical.as_deref());
            match said.or_else(|| self.catalogue.canonical(model.model)) {
                Some(name) => name == reference || Some(name) == self.catalogue.canonical(reference),
                None => false,
            }
        };
        self.first_offered(official).or_else(|| self.spare(reference)).ok_or_else(|| self.unknown(reference))
    }

    /// The model of a known endpoint that is not configured, named with its endpoint.
    fn spare(&self, reference: &str) -> Option<ModelRef<'_>> {
        let (name, model) = reference.split_once('/').map_or((reference, None), |(name, model)| (name, Some(model)));
        let provider = self.spares.iter().find(|provider| provider.name == name)?;
        match model {
            None => Some(ModelRef::new(provider, &provider.default)),
            Some(model) => {
                provider.models.iter().find(|known| *known == model).map(|model| ModelRef::new(provider, model))
            }
        }
    }

    /// What the user says about a model of a provider. What is said of `provider/model` wins.
    pub fn entry(&self, provider: &Provider, model: &str) -> Option<&ModelEntry> {
        let own = |entry: &&ModelEntry| {
            entry.id.strip_prefix(provider.name.as_str()).and_then(|rest| rest.strip_prefix('/')) == Some(model)
        };
        self.models.iter().find(own).or_else(|| self.models.iter().find(|entry| entry.id == model))
    }

    /// Tokens that a model can see: what the user says of it, of its provider, or what is known of it. What a server on
    /// this machine serves is its own affair. 0 when nobody knows.
    pub fn window(&self, found: &ModelRef<'_>) -> u64 {
        let known =
            || self.catalogue.known(found.model).filter(|_| !found.provider.is_local()).map(|known| known.window);
        self.said_window(found).or_else(known).unwrap_or(0)
    }

    /// The same as the user alone says it; 0 where nothing is to be folded.
    pub fn said_window(&self, found: &ModelRef<'_>) -> Option<u64> {
        if !self.folds(found) {
            return Some(0);
        }
        let said = self.entry(found.provider, found.model).and_then(|entry| entry.context_window);
        said.or_else(|| Some(found.provider.context_window).filter(|window| *window > 0))
    }

    /// False where the user says that the window is 0: then nothing is folded.
    pub fn folds(&self, found: &ModelRef<'_>) -> bool {
        match self.entry(found.provider, found.model).and_then(|entry| entry.context_window) {
            Some(window) => window > 0,
            None => !found.provider.unfolded,
        }
    }

    /// What a model's tokens cost: what the user says of it, of its provider, or what is known of it.
    pub fn price(&self, found: &ModelRef<'_>) -> Option<reasonix_proto::Price> {
        let entry = self.entry(found.provider, found.model).and_then(|entry| entry.price.as_ref());
        match entry.or(found.provider.price.as_ref()) {
            Some(price) => Some(reasonix_proto::Price {
                input: price.input,
                cached: price.cached_input,
                output: price.output,
                write: price.cache_write,
                currency: price.currency.clone(),
            }),
            None if found.provider.is_local() => None,
            None => self.catalogue.known(found.model)?.price,
        }
    }

    /// The efforts that a model knows; none where nobody knows.
    pub fn efforts(&self, found: &ModelRef<'_>) -> Vec<Effort> {
        let said = self.entry(found.provider, found.model).and_then(|entry| entry.efforts.clone());
        said.or_else(|| Some(self.catalogue.known(found.model)?.efforts)).unwrap_or_default()
    }

    /// The models that are asked in order when one is overloaded or out of reach. References that mean nothing are
    /// left out, and so is the model itself.
    pub fn fallbacks(&self, found: &ModelRef<'_>) -> Vec<ModelRef<'_>> {
        let own = self.entry(found.provider, found.model).map(|entry| &entry.fallback);
        let list = own.filter(|list| !list.is_empty()).unwrap_or(&self.fallback_models);
        let mut chain: Vec<ModelRef<'_>> = Vec::new();
        for next in list.iter().filter_map(|reference| self.resolve_model(reference).ok()) {
            if next.name() != found.name() && !chain.iter().any(|other| other.name() == next.name()) {
                chain.push(next);
            }
        }
        chain
    }

    /// The providers that the active profile requires.
    pub fn required(&self) -> Vec<(String, Option<&Provider>)> {
        let profile = self.model_profile.as_ref().and_then(|name| self.profile(name));
        let named = |name: String| {
            let provider = self.providers.iter().find(|provider| provider.name == name);
            (name, provider)
        };
        profile.into_iter().flat_map(|profile| profile.requires).map(named).collect()
    }

    fn resolve_plain(&self, reference: &str) -> Result<ModelRef<'_>, ConfigError> {
        if self.providers.is_empty() {
            return Err(ConfigError::NoProvider);
        }
        if let Some(provider) = self.providers.iter().find(|provider| provider.name == reference) {
            return Ok(ModelRef::new(provider, &provider.default));
        }
        let explicit = self.models().find(|model| {
            reference.strip_prefix(model.provider.name.as_str()).and_then(|rest| rest.strip_prefix('/'))
                == Some(model.model)
        });
        if let Some(model) = explicit {
            return Ok(model);
        }
        self.first_offered(|model| model.model == reference).ok_or_else(|| self.unknown(reference))
    }

    /// The first model of this kind; of several providers that offer one, the first that can be asked.
    fn first_offered(&self, wanted: impl Fn(&ModelRef<'_>) -> bool) -> Option<ModelRef<'_>> {
        self.models().filter(wanted).min_by_key(|model| self.keyless.contains(&model.provider.name))
    }

    /// The model to use when none was named: `default_model`, or else the first provider's default.
    pub fn default_model(&self) -> Result<ModelRef<'_>, ConfigError> {
        match (&self.default_model, self.providers.first()) {
            (Some(reference), _) => self.resolve_model(reference),
            (None, Some(provider)) => Ok(ModelRef::new(provider, &provider.default)),
            (None, None) => Err(ConfigError::NoProvider),
        }
    }

    /// The model that is named, or the one to use when none is.
    pub fn model_or_default(&self, named: Option<&str>) -> Result<ModelRef<'_>, ConfigError> {
        named.map_or_else(|| self.default_model(), |reference| self.resolve_model(reference))
    }

    /// Every model of every provider, in order.
    pub fn models(&self) -> impl Iterator<Item = ModelRef<'_>> {
        self.providers
            .iter()
            .flat_map(|provider| provider.models.iter().map(move |model| ModelRef::new(provider, model)))
    }

    fn unknown(&self, reference: &str) -> ConfigError {
        let known: Vec<String> = self.models().map(|model| model.name()).collect();
        let names = self.providers.iter().map(|provider| provider.name.as_str());
        let names = names.chain(self.models().map(|model| model.model)).chain(known.iter().map(String::as_str));
        let suggestion = crate::unknown::nearest(reference, names);
        ConfigError::UnknownModel { reference: reference.to_owned(), suggestion, known }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ConfigError, Provider, Settings};
    use reasonix_catalogue::Effort;

    fn provider(name: &str, models: &[&str]) -> Provider {
        Provider {
            name: name.to_owned(),
            models: models.iter().map(|model| (*model).to_owned()).collect(),
            default: models.last().copied().unwrap_or_default().to_owned(),
            ..Provider::default()
        }
    }

    fn settings() -> Settings {
        Settings {
            providers: vec![
                provider("deepseek", &["v4-flash", "v4-pro"]),
                provider("local", &["Qwen/Qwen3-8B", "v4-pro"]),
                provider("Qwen", &["other"]),
                provider("v4-flash", &["x"]),
            ],
            ..Settings::default()
        }
    }

    #[test]
    fn references() {
        let settings = settings();
        for (reference, want) in [
            ("deepseek", "deepseek/v4-pro"),
            ("deepseek/v4-flash", "deepseek/v4-flash"),
            ("Qwen/Qwen3-8B", "local/Qwen/Qwen3-8B"),
            ("local/Qwen/Qwen3-8B", "local/Qwen/Qwen3-8B"),
            ("Qwen/other", "Qwen/other"),
            ("other", "Qwen/other"),
            ("v4-flash", "v4-flash/x"),
        ] {
            assert_eq!(settings.resolve_model(reference).map(|model| model.name()), Ok(want.to_owned()), "{reference}");
        }
        assert_eq!(settings.default_model().unwrap().name(), "deepseek/v4-pro");
    }

    #[test]
    fn efforts_roles_and_official_names() {
        let mut settings = settings();
        settings.providers.push(provider("router", &["anthropic/claude-sonnet-4.5", "x/y:8b"]));
        settings.providers.push(provider("direct", &["claude-sonnet-4-5-20250929"]));
        settings.roles = [("planner", "critic:low"), ("critic", "v4-flash/x:high"), ("small", "small")]
            .map(|(role, reference)| (role.to_owned(), reference.to_owned()))
            .into();
        for (reference, want, effort) in [
            ("deepseek/v4-flash:high", "deepseek/v4-flash", Some(Effort::High)),
            ("router/x/y:8b", "router/x/y:8b", None),
            ("x/y:8b:off", "router/x/y:8b", Some(Effort::Off)),
            ("critic", "v4-flash/x", Some(Effort::High)),
            ("planner", "v4-flash/x", Some(Effort::Low)),
            ("planner:max", "v4-flash/x", Some(Effort::Xhigh)),
            ("claude-sonnet-4-5", "router/anthropic/claude-sonnet-4.5", None),
        ] {
            let found = settings.resolve_model(reference).unwrap_or_else(|error| panic!("{reference}: {error}"));
            assert_eq!((found.name().as_str(), found.effort), (want, effort), "{reference}");
        }
        for reference in ["small", "nobody:high", "gpt-5"] {
            assert!(matches!(settings.resolve_model(reference), Err(ConfigError::UnknownModel { .. })), "{reference}");
        }
    }

    #[test]
    fn a_known_endpoint_that_nobody_configured_can_be_named() {
        let mut settings = settings();
        crate::implied::complete(&mut settings, None, &std::collections::BTreeMap::new());
        for (reference, want, effort) in [
            ("openai/gpt-5", "openai/gpt-5", None),
            ("openai/gpt-5:high", "openai/gpt-5", Some(Effort::High)),
            ("anthropic", "anthropic/claude-sonnet-5-5", None),
        ] {
            let found = settings.resolve_model(reference).unwrap_or_else(|error| panic!("{reference}: {error}"));
            assert_eq!((found.name().as_str(), found.effort), (want, effort), "{reference}");
        }
        assert!(settings.models().all(|model| model.provider.name != "openai"), "it is not listed");
        // What is configured under the name of a known endpoint is what it says.
        assert!(settings.resolve_model("deepseek/deepseek-chat").is_err());
    }

    #[test]
    fn a_name_that_several_offer_is_that_of_the_first_that_can_be_asked() {
        let named = |settings: &Settings| settings.resolve_model("v4-pro").map(|model| model.name());
        assert_eq!(named(&settings()), Ok("deepseek/v4-pro".to_owned()));
        let keyless = Settings { keyless: vec!["deepseek".to_owned()], ..settings() };
        assert_eq!(named(&keyless), Ok("local/v4-pro".to_owned()));
        let nobody = Settings { keyless: vec!["deepseek".to_owned(), "local".to_owned()], ..settings() };
        assert_eq!(named(&nobody), Ok("deepseek/v4-pro".to_owned()), "who says then that a key is missing");
    }

    #[test]
    fn what_cannot_be_resolved_says_what_there_is() {
        match settings().resolve_model("deepsek") {
            Err(ConfigError::UnknownModel { suggestion, known, .. }) => {
                assert_eq!(suggestion.as_deref(), Some("deepseek"));
                assert_eq!(known.len(), 6);
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(Settings::default().resolve_model("x"), Err(ConfigError::NoProvider));
        assert_eq!(Settings::default().default_model(), Err(ConfigError::NoProvider));
    }
}
