//! Endpoints that people use, each a few lines of data. A preset only fills in what the user did not write.

use crate::compat::Wire;

/// An endpoint with its address and its models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// The name that settings use.
    pub name: &'static str,
    /// The protocol.
    pub wire: Wire,
    /// The address; empty where every user has another one.
    pub base_url: &'static str,
    /// The variable that holds the key; none for servers without keys.
    pub key_env: Option<&'static str>,
    /// Models it offers, the default first; empty where the server is asked.
    pub models: &'static [&'static str],
    /// The route that tells the account's balance, where there is one.
    pub balance: Option<&'static str>,
    /// The route of requests, where it is not the protocol's own.
    pub route: Option<&'static str>,
    /// A field that every body needs.
    pub field: Option<(&'static str, &'static str)>,
}

const fn hosted(
    name: &'static str,
    wire: Wire,
    base_url: &'static str,
    key_env: &'static str,
    models: &'static [&'static str],
) -> Preset {
    Preset { name, wire, base_url, key_env: Some(key_env), models, balance: None, route: None, field: None }
}

const fn local(name: &'static str, base_url: &'static str) -> Preset {
    Preset { name, wire: Wire::Chat, base_url, key_env: None, models: &[], balance: None, route: None, field: None }
}

impl Preset {
    const fn with_balance(self, route: &'static str) -> Self {
        Self { balance: Some(route), ..self }
    }

    const fn with_route(self, route: &'static str, field: (&'static str, &'static str)) -> Self {
        Self { route: Some(route), field: Some(field), ..self }
    }

    /// True for a server on the user's own machine.
    pub fn is_local(&self) -> bool {
        self.key_env.is_none()
    }
}

#[rustfmt::skip]
const QWEN: &[&str] = &["qwen3-coder-plus", "qwen3.7-plus", "qwen3.7-max", "qwen3-max", "qwen-plus", "qwen3-coder-flash", "qwen-flash"];
const KIMI: &[&str] = &["kimi-k2.6", "kimi-k2.7-code", "kimi-k3"];
const GLM: &[&str] = &["glm-5.2", "glm-5-turbo", "glm-4.7", "glm-4.6", "glm-4.5-air"];
const MINIMAX: &[&str] = &["MiniMax-M3", "MiniMax-M2.7", "MiniMax-M2"];
#[rustfmt::skip]
const CLAUDE: &[&str] = &["claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5", "claude-sonnet-4-5", "claude-opus-4-5", "claude-haiku-4-5"];
#[rustfmt::skip]
const GPT: &[&str] = &["gpt-6.1-sol", "gpt-6-luna", "gpt-5.5", "gpt-5.4", "gpt-5.4-mini", "gpt-5.3-codex", "gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5-codex", "gpt-4.1", "o4-mini"];
const GROK: &[&str] = &["grok-4.5", "grok-4.3", "grok-code-fast-1", "grok-4", "grok-4-fast"];
const MISTRAL: &[&str] = &[
    "devstral-medium-latest",
    "mistral-large-latest",
    "mistral-medium-latest",
    "mistral-small-latest",
    "codestral-latest",
];
const GEMINI: &[&str] = &["gemini-3.5-flash", "gemini-3.1-pro-preview", "gemini-3.8-flash", "gemini-2.5-pro"];

/// Every preset, in the order they are offered.
#[rustfmt::skip]
pub const PRESETS: &[Preset] = &[
    hosted("deepseek", Wire::Chat, "https://api.deepseek.com", "DEEPSEEK_API_KEY", &["deepseek-v4-flash", "deepseek-v4-pro", "deepseek-chat", "deepseek-reasoner"]).with_balance("user/balance"),
    hosted("dashscope", Wire::Chat, "https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY", QWEN),
    hosted("dashscope-intl", Wire::Chat, "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY", QWEN),
    hosted("dashscope-us", Wire::Chat, "https://dashscope-us.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY", QWEN),
    hosted("kimi", Wire::Chat, "https://api.moonshot.cn/v1", "MOONSHOT_API_KEY", KIMI).with_balance("users/me/balance"),
    hosted("kimi-intl", Wire::Chat, "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", KIMI).with_balance("users/me/balance"),
    hosted("glm", Wire::Chat, "https://api.z.ai/api/paas/v4", "ZAI_API_KEY", GLM),
    hosted("glm-cn", Wire::Chat, "https://open.bigmodel.cn/api/paas/v4", "ZHIPU_API_KEY", GLM),
    hosted("minimax", Wire::Chat, "https://api.minimax.io/v1", "MINIMAX_API_KEY", MINIMAX),
    hosted("minimax-cn", Wire::Chat, "https://api.minimaxi.com/v1", "MINIMAX_API_KEY", MINIMAX),
    hosted("openrouter", Wire::Chat, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", &["deepseek/deepseek-v4-flash", "qwen/qwen3-coder", "z-ai/glm-4.6", "anthropic/claude-sonnet-4.5"]).with_balance("credits"),
    hosted("openai", Wire::Responses, "https://api.openai.com/v1", "OPENAI_API_KEY", GPT),
    hosted("anthropic", Wire::Anthropic, "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", CLAUDE),
    hosted("gemini", Wire::Chat, "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", GEMINI),
    hosted("mistral", Wire::Chat, "https://api.mistral.ai/v1", "MISTRAL_API_KEY", MISTRAL),
    hosted("groq", Wire::Chat, "https://api.groq.com/openai/v1", "GROQ_API_KEY", &["openai/gpt-oss-120b", "openai/gpt-oss-20b"]),
    hosted("xai", Wire::Chat, "https://api.x.ai/v1", "XAI_API_KEY", GROK),
    hosted("azure", Wire::Responses, "", "AZURE_OPENAI_API_KEY", GPT),
    hosted("bedrock", Wire::Chat, "", "AWS_BEARER_TOKEN_BEDROCK", &["openai.gpt-oss-120b-1:0", "openai.gpt-oss-20b-1:0"]),
    hosted("vertex", Wire::Chat, "", "VERTEX_ACCESS_TOKEN", &["google/gemini-3.5-flash", "google/gemini-3.1-pro-preview", "google/gemini-2.5-pro"]),
    hosted("bedrock-anthropic", Wire::Anthropic, "", "AWS_BEARER_TOKEN_BEDROCK", &["anthropic.claude-sonnet-5", "anthropic.claude-opus-4-8", "anthropic.claude-haiku-4-5"]),
    hosted("vertex-anthropic", Wire::Anthropic, "", "VERTEX_ACCESS_TOKEN", &["claude-sonnet-5", "claude-opus-4-8", "claude-haiku-4-5@20251001"]).with_route("{model}:streamRawPredict", ("anthropic_version", "vertex-2023-10-16")),
    local("llama.cpp", "http://127.0.0.1:8080/v1"),
    local("vllm", "http://127.0.0.1:8000/v1"),
    local("ollama", "http://127.0.0.1:11434/v1"),
    local("lmstudio", "http://127.0.0.1:1234/v1"),
    local("sglang", "http://127.0.0.1:30000/v1"),
];

/// The preset of a name, in the words of several programs.
pub fn preset(name: &str) -> Option<&'static Preset> {
    let name = match name {
        "zai" | "z-ai" => "glm",
        "qwen" | "bailian" => "dashscope",
        "moonshot" => "kimi",
        "grok" => "xai",
        "lm-studio" => "lmstudio",
        "llamacpp" | "llama-cpp" => "llama.cpp",
        other => other,
    };
    PRESETS.iter().find(|preset| preset.name == name)
}

/// The hosted preset that an address belongs to.
pub fn preset_for(base_url: &str) -> Option<&'static Preset> {
    let host = host_of(base_url);
    PRESETS
        .iter()
        .filter(|preset| !preset.is_local())
        .find(|preset| !preset.base_url.is_empty() && host_of(preset.base_url) == host)
}

/// The route that tells a balance at an address, where one is known.
pub fn balance_route(base_url: &str) -> Option<&'static str> {
    preset_for(base_url)?.balance
}

/// The host of an address.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split(['/', '?']).next().unwrap_or_default();
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    rest.split(':').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{PRESETS, balance_route, preset, preset_for};
    use crate::models::known;
    use std::collections::HashSet;

    #[test]
    fn every_preset_is_whole() {
        let mut names = HashSet::new();
        for preset in PRESETS {
            assert!(names.insert(preset.name), "{} stands twice", preset.name);
            let local = preset.base_url.starts_with("http://127.0.0.1:");
            let own = ["azure", "bedrock", "vertex", "bedrock-anthropic", "vertex-anthropic"].contains(&preset.name);
            assert_eq!(preset.base_url.is_empty(), own, "{}: every user has another address", preset.name);
            assert!(local || own || preset.base_url.starts_with("https://"), "{}", preset.name);
            assert_eq!(local, preset.is_local(), "{}", preset.name);
            assert_eq!(local, preset.models.is_empty(), "{}", preset.name);
            for model in preset.models {
                assert!(known(model).is_some(), "{}: nothing is known about {model}", preset.name);
            }
        }
        for name in ["gemini", "mistral", "groq", "xai", "openrouter", "bedrock", "vertex"] {
            assert!(names.contains(name), "{name}");
        }
    }

    #[test]
    fn names_and_addresses() {
        assert_eq!(preset("z-ai").unwrap().name, "glm");
        assert_eq!(preset_for("https://api.deepseek.com/v1").unwrap().name, "deepseek");
        assert_eq!(preset_for("http://127.0.0.1:8080/v1"), None);
        assert_eq!(preset_for("https://api.deepseek.com.evil.example/v1"), None);
        assert_eq!(balance_route("https://api.deepseek.com"), Some("user/balance"));
        assert_eq!(balance_route("https://api.anthropic.com/v1"), None);
    }
}
