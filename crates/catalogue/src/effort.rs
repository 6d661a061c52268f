//! How hard a model should think: one scale for every model, and each model's own words for it.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// How hard a model should think, from nothing to as hard as it can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Not at all, where the model can be told so.
    Off,
    /// As little as possible.
    Minimal,
    /// Little.
    Low,
    /// The middle.
    Medium,
    /// Much.
    High,
    /// As much as possible; also written `max`.
    #[serde(alias = "max")]
    Xhigh,
}

impl Effort {
    /// All of them, in order.
    pub const ALL: &'static [Self] = &[Self::Off, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::Xhigh];

    /// The effort's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
        }
    }

    /// Reads a name.
    pub fn parse(text: &str) -> Option<Self> {
        let text = if text == "max" { "xhigh" } else { text };
        Self::ALL.iter().copied().find(|effort| effort.name() == text)
    }

    /// The nearest effort among those a model knows: the next lower one, or else its lowest. Itself where nothing is known.
    #[must_use]
    pub fn clamp_to(self, known: &[Self]) -> Self {
        let below = known.iter().copied().filter(|other| *other <= self).max();
        below.or_else(|| known.iter().copied().min()).unwrap_or(self)
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A reference without its effort, and the effort. A colon that belongs to the model's own name, as in `qwen3:8b`,
/// stays with it.
pub fn split(reference: &str) -> (&str, Option<Effort>) {
    match reference.rsplit_once(':') {
        Some((model, suffix)) if !model.is_empty() => match Effort::parse(suffix) {
            Some(effort) => (model, Some(effort)),
            None => (reference, None),
        },
        _ => (reference, None),
    }
}

/// An endpoint's own words for efforts; where it has none the usual word is sent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EffortNames {
    /// For [`Effort::Off`].
    pub off: Option<Cow<'static, str>>,
    /// For [`Effort::Minimal`].
    pub minimal: Option<Cow<'static, str>>,
    /// For [`Effort::Low`].
    pub low: Option<Cow<'static, str>>,
    /// For [`Effort::Medium`].
    pub medium: Option<Cow<'static, str>>,
    /// For [`Effort::High`].
    pub high: Option<Cow<'static, str>>,
    /// For [`Effort::Xhigh`].
    #[serde(alias = "max")]
    pub xhigh: Option<Cow<'static, str>>,
}

impl EffortNames {
    pub(crate) const NONE: Self = Self { off: None, minimal: None, low: None, medium: None, high: None, xhigh: None };

    /// The word for an effort.
    pub fn word(&self, effort: Effort) -> &str {
        let own = match effort {
            Effort::Off => &self.off,
            Effort::Minimal => &self.minimal,
            Effort::Low => &self.low,
            Effort::Medium => &self.medium,
            Effort::High => &self.high,
            Effort::Xhigh => &self.xhigh,
        };
        match own {
            Some(word) => word,
            None if effort == Effort::Off => "none",
            None => effort.name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Effort, EffortNames, split};

    #[test]
    fn suffixes() {
        for (reference, model, effort) in [
            ("gpt-5:high", "gpt-5", Some(Effort::High)),
            ("p/gpt-5:max", "p/gpt-5", Some(Effort::Xhigh)),
            ("ollama/qwen3:8b", "ollama/qwen3:8b", None),
            ("ollama/qwen3:8b:off", "ollama/qwen3:8b", Some(Effort::Off)),
            ("gpt-5", "gpt-5", None),
            (":high", ":high", None),
            ("", "", None),
        ] {
            assert_eq!(split(reference), (model, effort), "{reference}");
        }
    }

    #[test]
    fn clamping() {
        use Effort::{High, Low, Medium, Minimal, Off, Xhigh};
        for (asked, known, expected) in [
            (Minimal, &[Low, Medium, High][..], Low),
            (Xhigh, &[Low, Medium, High], High),
            (Medium, &[High, Xhigh], High),
            (Off, &[Off, High], Off),
            (Low, &[Off, High], Off),
            (High, &[], High),
        ] {
            assert_eq!(asked.clamp_to(known), expected, "{asked} among {known:?}");
        }
    }

    #[test]
    fn words() {
        let names = EffortNames { xhigh: Some("max".into()), ..EffortNames::NONE };
        assert_eq!(
            (names.word(Effort::Xhigh), names.word(Effort::High), names.word(Effort::Off)),
            ("max", "high", "none")
        );
    }
}
