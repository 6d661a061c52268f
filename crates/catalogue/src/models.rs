//! Models that are known without asking: what they can see, what they cost, what they can do. Prices are those that were
//! published at [`BUILT_IN_DATE`], of older models in July of that year, for a million tokens; where they depend on the hour, the
//! length or the season, the higher one stands, and where nothing is said of cached input, it costs what other input does.
//! What the user writes wins.

use crate::canonical::official;
use crate::effort::Effort::{self, High, Low, Medium, Minimal, Off, Xhigh};
use reasonix_proto::Price;

/// The day of the built-in rows.
pub const BUILT_IN_DATE: &str = "2026-11-19";

/// A model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// Its official name.
    pub id: &'static str,
    /// Other names under which endpoints offer the same model.
    pub also: &'static [&'static str],
    /// Tokens it can see.
    pub window: u64,
    /// The most tokens of an answer.
    pub output: u64,
    /// Input, cached input and output, in US dollars; none where it depends on who serves it.
    pub usd: Option<(f64, f64, f64)>,
    /// Input that is written into the endpoint's cache for the usual time; none where it costs what other input does.
    pub write: Option<f64>,
    /// The efforts it knows; empty where it cannot be told.
    pub efforts: &'static [Effort],
    /// True when it can look at pictures.
    pub vision: bool,
}

impl Known {
    /// What it costs.
    pub fn price(&self) -> Option<Price> {
        let of =
            |(input, cached, output)| Price { input, cached, output, write: self.write, currency: "USD".to_owned() };
        self.usd.map(of)
    }

    /// Writing into the endpoint's cache costs this, in US dollars.
    const fn writes(self, price: f64) -> Self {
        Self { write: Some(price), ..self }
    }

    const fn sees(self) -> Self {
        Self { vision: true, ..self }
    }

    const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }
}

const fn model(
    id: &'static str,
    (window, output): (u64, u64),
    usd: (f64, f64, f64),
    efforts: &'static [Effort],
) -> Known {
    Known { id, also: &[], window, output, usd: Some(usd), write: None, efforts, vision: false }
}

const fn open(id: &'static str, (window, output): (u64, u64), efforts: &'static [Effort]) -> Known {
    Known { id, also: &[], window, output, usd: None, write: None, efforts, vision: false }
}

const SWITCH: &[Effort] = &[Off, High];
const DEEPSEEK: &[Effort] = &[Off, High, Xhigh];
const GPT5: &[Effort] = &[Minimal, Low, Medium, High];
const O: &[Effort] = &[Low, Medium, High];
const CLAUDE: &[Effort] = &[Off, Low, Medium, High, Xhigh];
/// Of models that cannot be told not to think.
const THINKS: &[Effort] = &[Low, Medium, High, Xhigh];

/// Every known model.
#[rustfmt::skip]
pub const MODELS: &[Known] = &[
    model("deepseek-v4-flash", (1_000_000, 384_000), (0.30, 0.006, 1.20), DEEPSEEK).also(&["deepseek-flash"]),
    model("deepseek-v4-pro", (1_000_000, 384_000), (1.32, 0.044, 3.96), DEEPSEEK).also(&["deepseek-pro"]),
    model("deepseek-chat", (1_000_000, 384_000), (0.28, 0.028, 0.42), &[]),
    model("deepseek-reasoner", (1_000_000, 384_000), (0.28, 0.028, 0.42), &[]),
    model("qwen3-coder-plus", (1_000_000, 65_536), (6.00, 0.60, 60.00), &[]),
    model("qwen3-coder-flash", (1_000_000, 65_536), (1.60, 0.16, 9.60), &[]),
    model("qwen3-max", (262_144, 65_536), (3.00, 0.60, 15.00), &[]),
    model("qwen-plus", (1_000_000, 32_768), (1.20, 0.24, 3.60), SWITCH),
    model("qwen-flash", (1_000_000, 32_768), (0.25, 0.05, 2.00), SWITCH),
    open("qwen3-coder", (262_144, 65_536), &[]).also(&["qwen3-coder-480b-a35b-instruct"]),
    model("qwen3-vl-plus", (262_144, 32_768), (0.20, 0.20, 1.60), SWITCH).sees(),
    model("qwen3.5-122b-a10b", (262_144, 65_536), (0.40, 0.40, 3.20), SWITCH).sees(),
    model("qwen3.5-27b", (262_144, 65_536), (0.30, 0.30, 2.40), SWITCH).sees(),
    model("qwen3.5-35b-a3b", (262_144, 65_536), (0.25, 0.25, 2.00), SWITCH).sees(),
    model("qwen3.5-397b-a17b", (262_144, 65_536), (0.60, 0.60, 3.60), SWITCH).sees(),
    model("qwen3.5-plus", (1_000_000, 65_536), (0.40, 0.40, 2.40), SWITCH).sees(),
    model("qwen3.6-27b", (262_144, 65_536), (0.60, 0.60, 3.60), SWITCH).sees(),
    model("qwen3.6-35b-a3b", (262_144, 65_536), (0.248, 0.248, 1.485), SWITCH).sees(),
    model("qwen3.6-flash", (1_000_000, 65_536), (0.1875, 0.1875, 1.125), SWITCH).sees(),
    model("qwen3.6-max-preview", (262_144, 65_536), (1.30, 0.13, 7.80), SWITCH),
    model("qwen3.6-plus", (1_000_000, 65_536), (0.50, 0.05, 3.00), SWITCH).sees(),
    model("qwen3.7-max", (1_000_000, 65_536), (2.50, 0.50, 7.50), SWITCH),
    model("qwen3.7-plus", (1_000_000, 65_536), (0.50, 0.05, 3.00), SWITCH).sees(),
    model("kimi-k3", (1_048_576, 65_536), (3.00, 0.30, 15.00), &[]).sees(),
    model("kimi-k2.7-code", (262_144, 65_536), (0.95, 0.19, 4.00), &[]).sees(),
    model("kimi-k2.6", (262_144, 65_536), (0.95, 0.16, 4.00), SWITCH).sees(),
    model("kimi-k2.5", (262_144, 65_536), (0.60, 0.10, 3.00), SWITCH).sees(),
    model("kimi-k2-0905-preview", (262_144, 32_768), (0.60, 0.15, 2.50), &[]).also(&["kimi-k2-0905"]),
    model("kimi-k2-turbo-preview", (262_144, 32_768), (1.15, 0.15, 8.00), &[]),
    model("kimi-k2-thinking", (262_144, 65_536), (0.60, 0.15, 2.50), &[]),
    model("kimi-k2-thinking-turbo", (262_144, 262_144), (1.15, 0.15, 8.00), &[]),
    model("kimi-k2.7-code-highspeed", (262_144, 262_144), (1.90, 0.38, 8.00), &[]).sees(),
    model("glm-4.6", (200_000, 128_000), (0.60, 0.11, 2.20), SWITCH),
    model("glm-4.5-air", (128_000, 96_000), (0.20, 0.03, 1.10), SWITCH),
    model("glm-4.5", (131_072, 98_304), (0.60, 0.11, 2.20), SWITCH),
    model("glm-4.5v", (64_000, 16_384), (0.60, 0.60, 1.80), SWITCH).sees(),
    model("glm-4.6v", (128_000, 32_768), (0.30, 0.30, 0.90), SWITCH).sees(),
    open("glm-4.7-flash", (200_000, 131_072), SWITCH),
    model("glm-4.7-flashx", (200_000, 131_072), (0.07, 0.01, 0.40), SWITCH),
    model("glm-4.7", (204_800, 131_072), (0.60, 0.11, 2.20), SWITCH),
    model("glm-5-turbo", (200_000, 131_072), (1.20, 0.24, 4.00), SWITCH),
    model("glm-5.1", (200_000, 131_072), (1.40, 0.26, 4.40), SWITCH),
    model("glm-5.2", (1_000_000, 131_072), (1.40, 0.26, 4.40), SWITCH),
    model("glm-5", (204_800, 131_072), (1.00, 0.20, 3.20), SWITCH),
    model("glm-5v-turbo", (200_000, 131_072), (1.20, 0.24, 4.00), SWITCH).sees(),
    model("MiniMax-M2", (204_800, 131_072), (0.30, 0.03, 1.20), &[]),
    model("MiniMax-M2.1", (204_800, 131_072), (0.30, 0.30, 1.20), &[]),
    model("MiniMax-M2.5-highspeed", (204_800, 131_072), (0.60, 0.06, 2.40), &[]),
    model("MiniMax-M2.5", (204_800, 131_072), (0.30, 0.03, 1.20), &[]),
    model("MiniMax-M2.7-highspeed", (204_800, 131_072), (0.60, 0.06, 2.40), &[]),
    model("MiniMax-M2.7", (204_800, 131_072), (0.30, 0.06, 1.20), &[]),
    model("MiniMax-M3", (1_000_000, 128_000), (0.30, 0.06, 1.20), &[]).sees(),
    model("gpt-6.1-sol", (1_050_000, 128_000), (4.00, 0.20, 15.00), THINKS).sees().writes(5.00),
    model("gpt-6-astra", (1_050_000, 128_000), (20.00, 2.00, 75.00), THINKS).sees().writes(25.00),
    model("gpt-6-sol", (1_050_000, 128_000), (4.00, 0.40, 15.00), CLAUDE).sees().writes(5.00),
    model("gpt-6-luna", (1_050_000, 128_000), (0.20, 0.02, 0.75), CLAUDE).sees().writes(0.25),
    model("gpt-5.6-sol", (1_050_000, 128_000), (10.00, 1.00, 45.00), CLAUDE).sees().writes(12.50),
    model("gpt-5.6-terra", (1_050_000, 128_000), (4.00, 0.40, 18.00), CLAUDE).sees().writes(5.00),
    model("gpt-5.6-luna", (1_050_000, 128_000), (0.40, 0.04, 1.80), CLAUDE).sees().writes(0.50),
    model("gpt-5.5", (1_050_000, 128_000), (10.00, 1.00, 45.00), CLAUDE).sees(),
    model("gpt-5.4", (1_050_000, 128_000), (5.00, 0.50, 22.50), CLAUDE).sees(),
    model("gpt-5.2", (400_000, 128_000), (1.75, 0.175, 14.00), CLAUDE).sees(),
    model("gpt-5.1", (400_000, 128_000), (1.25, 0.125, 10.00), &[Off, Low, Medium, High]).sees(),
    model("gpt-5", (400_000, 128_000), (1.25, 0.125, 10.00), GPT5).sees(),
    model("gpt-5-codex", (400_000, 128_000), (1.25, 0.125, 10.00), O).sees(),
    model("gpt-5-mini", (400_000, 128_000), (0.25, 0.025, 2.00), GPT5).sees(),
    model("gpt-5-nano", (400_000, 128_000), (0.05, 0.005, 0.40), GPT5).sees(),
    model("gpt-4.1", (1_047_576, 32_768), (2.00, 0.50, 8.00), &[]).sees(),
    model("gpt-4.1-mini", (1_047_576, 32_768), (0.40, 0.10, 1.60), &[]).sees(),
    model("gpt-4o", (128_000, 16_384), (2.50, 1.25, 10.00), &[]).sees(),
    model("o3", (200_000, 100_000), (2.00, 0.50, 8.00), O).sees(),
    model("o4-mini", (200_000, 100_000), (1.10, 0.275, 4.40), O).sees(),
    model("gpt-5-pro", (400_000, 272_000), (15.00, 15.00, 120.00), O).sees(),
    model("gpt-5.1-codex-max", (400_000, 128_000), (1.25, 0.125, 10.00), THINKS).sees(),
    model("gpt-5.1-codex-mini", (400_000, 128_000), (0.25, 0.025, 2.00), O).sees(),
    model("gpt-5.1-codex", (400_000, 128_000), (1.25, 0.125, 10.00), O).sees(),
    model("gpt-5.2-codex", (400_000, 128_000), (1.75, 0.175, 14.00), THINKS).sees(),
    model("gpt-5.2-pro", (400_000, 128_000), (21.00, 21.00, 168.00), THINKS).sees(),
    model("gpt-5.3-codex-spark", (128_000, 32_000), (1.75, 0.175, 14.00), THINKS).sees(),
    model("gpt-5.3-codex", (400_000, 128_000), (1.75, 0.175, 14.00), THINKS).sees(),
    model("gpt-5.4-mini", (400_000, 128_000), (0.75, 0.075, 4.50), CLAUDE).sees(),
    model("gpt-5.4-nano", (400_000, 128_000), (0.20, 0.02, 1.25), CLAUDE).sees(),
    model("gpt-5.4-pro", (1_050_000, 128_000), (30.00, 30.00, 180.00), THINKS).sees(),
    model("gpt-5.5-pro", (1_050_000, 128_000), (30.00, 30.00, 180.00), THINKS).sees(),
    model("o3-pro", (200_000, 100_000), (20.00, 20.00, 80.00), O).sees(),
    model("gemini-3.8-flash", (1_048_576, 65_536), (1.50, 0.15, 7.50), GPT5).sees(),
    model("gemini-3.5-flash", (1_048_576, 65_536), (1.50, 0.15, 9.00), GPT5).sees(),
    model("gemini-3.1-pro-preview", (1_048_576, 65_536), (4.00, 0.40, 18.00), O).sees(),
    model("gemini-3-flash-preview", (1_048_576, 65_536), (0.50, 0.05, 3.00), GPT5).sees().also(&["gemini-3-flash"]),
    model("gemini-2.5-pro", (1_048_576, 65_536), (2.50, 0.25, 15.00), O).sees(),
    model("gemini-2.5-flash-lite", (1_048_576, 65_536), (0.10, 0.01, 0.40), GPT5).sees(),
    model("gemini-2.5-flash", (1_048_576, 65_536), (0.30, 0.03, 2.50), GPT5).sees(),
    model("gemini-3-pro-preview", (1_048_576, 65_536), (2.00, 0.20, 12.00), O).sees(),
    model("gemini-3.1-flash-lite", (1_048_576, 65_536), (0.25, 0.025, 1.50), GPT5).sees(),
    open("gpt-oss-120b", (131_072, 131_072), O).also(&["openai.gpt-oss-120b-1:0"]),
    open("gpt-oss-20b", (131_072, 131_072), O).also(&["openai.gpt-oss-20b-1:0"]),
    model("grok-4.5", (500_000, 32_768), (2.00, 0.50, 6.00), &[]).sees(),
    model("grok-code-fast-1", (256_000, 32_768), (0.20, 0.02, 1.50), &[]),
    model("grok-4", (256_000, 32_768), (3.00, 0.75, 15.00), &[]).sees(),
    model("grok-4-fast", (2_000_000, 32_768), (0.20, 0.05, 0.50), &[]).sees(),
    model("grok-4.20-0309-non-reasoning", (1_000_000, 30_000), (1.25, 0.20, 2.50), &[]).sees(),
    model("grok-4.20-0309-reasoning", (1_000_000, 30_000), (1.25, 0.20, 2.50), &[]).sees(),
    model("grok-4.3", (1_000_000, 30_000), (1.25, 0.20, 2.50), &[]).sees(),
    model("grok-build-0.1", (256_000, 256_000), (1.00, 0.20, 2.00), &[]).sees(),
    model("devstral-medium-latest", (262_144, 32_768), (0.40, 0.04, 2.00), &[]),
    model("mistral-large-latest", (262_144, 32_768), (0.50, 0.05, 1.50), &[]).sees(),
    model("mistral-medium-latest", (262_144, 32_768), (1.50, 0.15, 7.50), &[]).sees(),
    model("codestral-latest", (262_144, 32_768), (0.30, 0.03, 0.90), &[]),
    model("devstral-2512", (262_144, 262_144), (0.40, 0.40, 2.00), &[]),
    model("devstral-latest", (262_144, 262_144), (0.40, 0.40, 2.00), &[]),
    model("mistral-medium-2604", (262_144, 262_144), (1.50, 1.50, 7.50), &[]).sees(),
    model("mistral-small-2603", (256_000, 256_000), (0.15, 0.15, 0.60), &[]).sees(),
    model("mistral-small-latest", (256_000, 256_000), (0.15, 0.15, 0.60), &[]).sees(),
    model("claude-fable-5-1", (1_000_000, 128_000), (10.00, 1.00, 50.00), THINKS).sees().writes(12.50),
    model("claude-fable-5", (1_000_000, 128_000), (10.00, 1.00, 50.00), CLAUDE).sees(),
    model("claude-opus-5-5", (1_000_000, 128_000), (4.00, 0.20, 20.00), THINKS).sees().writes(5.00),
    model("claude-opus-5", (1_000_000, 128_000), (5.00, 0.50, 25.00), CLAUDE).sees().writes(6.25),
    model("claude-opus-4-8", (1_000_000, 128_000), (5.00, 0.50, 25.00), CLAUDE).sees().writes(6.25),
    model("claude-opus-4-7", (1_000_000, 128_000), (5.00, 0.50, 25.00), CLAUDE).sees().writes(6.25),
    model("claude-opus-4-6", (1_000_000, 128_000), (5.00, 0.50, 25.00), CLAUDE).sees().writes(6.25),
    model("claude-sonnet-5-5", (1_000_000, 128_000), (2.00, 0.20, 10.00), THINKS).sees().writes(2.50),
    model("claude-sonnet-5", (1_000_000, 128_000), (2.00, 0.20, 10.00), CLAUDE).sees().writes(2.50),
    model("claude-sonnet-4-6", (1_000_000, 64_000), (3.00, 0.30, 15.00), CLAUDE).sees().writes(3.75),
    model("claude-haiku-5-5", (1_000_000, 128_000), (0.50, 0.05, 2.50), CLAUDE).sees().writes(0.625),
    model("claude-opus-4-5", (200_000, 64_000), (5.00, 0.50, 25.00), CLAUDE).sees().writes(6.25),
    model("claude-opus-4-1", (200_000, 32_000), (15.00, 1.50, 75.00), CLAUDE).sees().writes(18.75),
    model("claude-sonnet-4-5", (200_000, 64_000), (3.00, 0.30, 15.00), CLAUDE).sees().writes(3.75),
    model("claude-sonnet-4", (200_000, 64_000), (3.00, 0.30, 15.00), CLAUDE).sees().writes(3.75).also(&["claude-sonnet-4-0"]),
    model("claude-haiku-4-5", (200_000, 64_000), (1.00, 0.10, 5.00), CLAUDE).sees().writes(1.25),
];

/// What is built in of a model under any of its names.
pub fn known(model: &str) -> Option<&'static Known> {
    official(model, |name| {
        let named = |id: &&str| id.eq_ignore_ascii_case(name);
        MODELS.iter().find(|known| named(&known.id) || known.also.iter().any(named))
    })
}

/// The built-in official name of a model.
pub fn canonical(model: &str) -> Option<&'static str> {
    known(model).map(|known| known.id)
}

#[cfg(test)]
mod tests {
    use super::{MODELS, canonical, known};
    use std::collections::HashSet;

    #[test]
    fn every_model_is_whole() {
        let mut names = HashSet::new();
        for model in MODELS {
            for name in std::iter::once(&model.id).chain(model.also) {
                assert!(names.insert(name.to_ascii_lowercase()), "{name} stands twice");
                assert_eq!(known(name).map(|known| known.id), Some(model.id));
            }
            assert!(model.window > model.output / 2 && model.output > 0, "{}", model.id);
            assert!(model.efforts.is_sorted(), "{}", model.id);
            if let Some((input, cached, output)) = model.usd {
                assert!(0.0 < cached && cached <= input && input < output, "{}", model.id);
                assert!(model.write.is_none_or(|write| input < write && write < output), "{}", model.id);
            }
        }
    }

    #[test]
    fn models_of_this_year() {
        use crate::Effort;
        for model in ["claude-opus-5", "anthropic/claude-opus-4.8", "gpt-5.5", "gemini-3.5-flash", "kimi-k2.6"] {
            let known = known(model).unwrap_or_else(|| panic!("nothing is known about {model}"));
            assert!(known.vision && known.window > 200_000, "{model}");
        }
        let catalogued = [
            "gpt-5.3-codex",
            "gpt-5.4-mini",
            "glm-5.1",
            "MiniMax-M3",
            "qwen3.7-plus",
            "grok-4.3",
            "mistral-small-latest",
        ];
        assert!(catalogued.iter().all(|model| known(model).is_some_and(|known| known.price().is_some())));
        let least = |model| Effort::Off.clamp_to(known(model).unwrap().efforts);
        assert_eq!((least("claude-opus-5"), least("claude-opus-5-5")), (Effort::Off, Effort::Low));
    }

    #[test]
    fn prices() {
        let price = known("anthropic/claude-sonnet-4.5").unwrap().price().unwrap();
        assert_eq!((price.input, price.cached, price.output, price.currency.as_str()), (3.0, 0.3, 15.0, "USD"));
        assert_eq!(price.write, Some(3.75), "what enters the cache costs more than what does not");
        // Of these the vendors' own price lists say so; glm-4.7-flash is free at its maker's, and has a price elsewhere.
        for (model, usd) in [
            ("kimi-k3", (3.0, 0.3, 15.0)),
            ("kimi-k2.6", (0.95, 0.16, 4.0)),
            ("gemini-3.8-flash", (1.5, 0.15, 7.5)),
            ("mistral-large-latest", (0.5, 0.05, 1.5)),
        ] {
            assert_eq!(known(model).unwrap().usd, Some(usd), "{model}");
        }
        assert!(known("gpt-oss-20b").unwrap().price().is_none(), "it depends on who serves it");
    }

    #[test]
    fn names() {
        for (model, expected) in [
            ("claude-sonnet-4-5", Some("claude-sonnet-4-5")),
            ("anthropic/claude-sonnet-4.5", Some("claude-sonnet-4-5")),
            ("claude-sonnet-4-5-20250929", Some("claude-sonnet-4-5")),
            ("openai/gpt-5-2025-08-07", Some("gpt-5")),
            ("gpt-4-1", Some("gpt-4.1")),
            ("z-ai/glm-4.6:free", Some("glm-4.6")),
            ("DeepSeek-Chat", Some("deepseek-chat")),
            ("MiniMaxAI/MiniMax-M2", Some("MiniMax-M2")),
            ("gpt-5-mini", Some("gpt-5-mini")),
            ("gpt-5-medium", None),
            ("claude", None),
            ("Qwen/Qwen3-8B", None),
            ("", None),
        ] {
            assert_eq!(canonical(model), expected, "{model}");
        }
    }
}
