//! Which model a reference means: `provider`, `model` or `provider/model`.

use crate::{ConfigError, Provider, Settings};

/// A model of a provider.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelRef<'a> {
    /// The provider.
    pub provider: &'a Provider,
    /// The model, as the endpoint names it.
    pub model: &'a str,
}

impl ModelRef<'_> {
    /// `provider/model`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider.name, self.model)
    }
}

impl Settings {
    /// Finds what a reference means. A provider's name wins over a model's; a model that several providers offer
    /// must be named with its provider.
    pub fn resolve_model(&self, reference: &str) -> Result<ModelRef<'_>, ConfigError> {
        if self.providers.is_empty() {
            return Err(ConfigError::NoProvider);
        }
        if let Some(provider) = self.providers.iter().find(|provider| provider.name == reference) {
            return Ok(ModelRef { provider, model: &provider.default });
        }
        let explicit = self.models().find(|model| {
            reference.strip_prefix(model.provider.name.as_str()).and_then(|rest| rest.strip_prefix('/'))
                == Some(model.model)
        });
        if let Some(model) = explicit {
            return Ok(model);
        }
        let mut named = self.models().filter(|model| model.model == reference);
        match (named.next(), named.next()) {
            (Some(model), None) => Ok(model),
            (None, _) => Err(self.unknown(reference)),
            (Some(_), Some(_)) => Err(ConfigError::AmbiguousModel {
                reference: reference.to_owned(),
                candidates: self.models().filter(|model| model.model == reference).map(|model| model.name()).collect(),
            }),
        }
    }

    /// The model to use when none was named: `default_model`, or else the first provider's default.
    pub fn default_model(&self) -> Result<ModelRef<'_>, ConfigError> {
        match (&self.default_model, self.providers.first()) {
            (Some(reference), _) => self.resolve_model(reference),
            (None, Some(provider)) => Ok(ModelRef { provider, model: &provider.default }),
            (None, None) => Err(ConfigError::NoProvider),
        }
    }

    /// Every model of every provider, in order.
    pub fn models(&self) -> impl Iterator<Item = ModelRef<'_>> {
        self.providers.iter().flat_map(|provider| provider.models.iter().map(move |model| ModelRef { provider, model }))
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
    fn what_cannot_be_resolved_says_what_there_is() {
        match settings().resolve_model("v4-pro") {
            Err(ConfigError::AmbiguousModel { candidates, .. }) => {
                assert_eq!(candidates, ["deepseek/v4-pro", "local/v4-pro"]);
            }
            other => panic!("{other:?}"),
        }
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
