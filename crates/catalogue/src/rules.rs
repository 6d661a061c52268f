//! What is known of endpoints by their address and of models by their name. One table; a later row wins over an earlier
//! one, and what the user wrote over all of them.

use crate::canonical::{claude, plain};
use crate::compat::{
    Auth, Compat, Guided, MaxTokens, Overrides, ReasoningBack, ReasoningField, Structured, StructuredWhen, Thinking,
    ToolIds, Wire,
};
use crate::effort::EffortNames;
use std::borrow::Cow;

/// One row: whom it is about, and what holds there.
struct Rule {
    /// Domains, or names of presets; empty for every address.
    at: &'static [&'static str],
    /// Beginnings of model names, upstream prefixes aside; empty for every model.
    models: &'static [&'static str],
    says: Overrides,
}

const SAID: Overrides = Overrides::NONE;
const DEEPSEEK_WORDS: EffortNames = EffortNames {
    minimal: Some(Cow::Borrowed("high")),
    low: Some(Cow::Borrowed("high")),
    medium: Some(Cow::Borrowed("high")),
    xhigh: Some(Cow::Borrowed("max")),
    ..EffortNames::NONE
};

#[rustfmt::skip]
const RULES: &[Rule] = &[
    Rule { at: &["api.openai.com", "openai.azure.com", "openai", "azure"], models: &[], says: Overrides {
        max_tokens_field: Some(MaxTokens::MaxCompletionTokens), developer_role: Some(true), cache_key: Some(true), store: Some(true), tool_ids: Some(ToolIds::Plain), ..SAID } },
    Rule { at: &["openai.azure.com", "azure"], models: &[], says: Overrides { auth: Some(Auth::ApiKey), store: Some(false), ..SAID } },
    Rule { at: &["deepseek.com", "deepseek"], models: &[], says: Overrides {
        thinking: Some(Thinking::Deepseek), efforts: Some(DEEPSEEK_WORDS), reasoning_back: Some(ReasoningBack::Always), ..SAID } },
    Rule { at: &["deepseek.com", "deepseek"], models: &["deepseek-chat"], says: Overrides { reasoning_back: Some(ReasoningBack::Never), ..SAID } },
    Rule { at: &["aliyuncs.com", "dashscope", "dashscope-intl", "dashscope-us"], models: &[], says: Overrides { thinking: Some(Thinking::Qwen), ..SAID } },
    Rule { at: &["moonshot.cn", "moonshot.ai", "kimi.com", "kimi", "kimi-intl"], models: &[], says: Overrides {
        thinking: Some(Thinking::Zai), reasoning_back: Some(ReasoningBack::Always), ..SAID } },
    Rule { at: &["moonshot.cn", "moonshot.ai", "kimi.com", "kimi", "kimi-intl"], models: &["kimi-k2-0", "kimi-k2-turbo", "kimi-latest", "moonshot-v1"], says: Overrides {
        reasoning_back: Some(ReasoningBack::Never), ..SAID } },
    Rule { at: &["z.ai", "bigmodel.cn", "glm", "glm-cn"], models: &[], says: Overrides {
        thinking: Some(Thinking::Zai), reasoning_back: Some(ReasoningBack::Calls), ..SAID } },
    Rule { at: &["minimax.io", "minimaxi.com", "minimax", "minimax-cn"], models: &[], says: Overrides {
        thinking: Some(Thinking::None), reasoning_back: Some(ReasoningBack::Calls), ..SAID } },
    Rule { at: &["openrouter.ai", "openrouter"], models: &[], says: Overrides {
        thinking: Some(Thinking::Openrouter), reasoning_field: Some(ReasoningField::Reasoning), reasoning_back: Some(ReasoningBack::Calls), ..SAID } },
    Rule { at: &["openrouter.ai", "openrouter"], models: &["claude"], says: Overrides { cache_control: Some(true), ..SAID } },
    Rule { at: &["x.ai", "xai"], models: &[], says: Overrides { thinking: Some(Thinking::None), ..SAID } },
    Rule { at: &["googleapis.com", "gemini", "vertex"], models: &[], says: Overrides { signed_calls: Some(true), ..SAID } },
    Rule { at: &["googleapis.com", "gemini", "vertex"], models: &["gemini-1", "gemini-2"], says: Overrides { signed_calls: Some(false), ..SAID } },
    Rule { at: &["mistral.ai", "mistral"], models: &[], says: Overrides {
        tool_ids: Some(ToolIds::Nine), tool_result_name: Some(true), thinking: Some(Thinking::None), usage_in_stream: Some(false), ..SAID } },
    Rule { at: &["vllm", "sglang"], models: &[], says: Overrides { thinking: Some(Thinking::QwenChatTemplate), ..SAID } },
    Rule { at: &["vllm", "sglang", "llama.cpp"], models: &["mistral", "ministral", "devstral", "magistral", "codestral"], says: Overrides { tool_ids: Some(ToolIds::Nine), ..SAID } },
    Rule { at: &["vllm", "sglang", "llama.cpp"], models: &["gpt-oss"], says: Overrides {
        thinking: Some(Thinking::Openai), reasoning_back: Some(ReasoningBack::Calls), ..SAID } },
    Rule { at: &["llama.cpp"], models: &["qwen"], says: Overrides { thinking: Some(Thinking::QwenChatTemplate), ..SAID } },
    Rule { at: &["vllm", "sglang", "ollama", "lmstudio"], models: &[], says: Overrides { guided: Some(Guided::JsonSchema), ..SAID } },
    Rule { at: &["ollama"], models: &[], says: Overrides { reasoning_field: Some(ReasoningField::Reasoning), ..SAID } },
    // How each is told the form of an answer, by its own documentation.
    Rule { at: &["api.openai.com", "openai.azure.com", "openai", "azure"], models: &[], says: Overrides {
        structured: Some(Structured::Strict), structured_when: Some(StructuredWhen::Always), ..SAID } },
    Rule { at: &["openrouter.ai", "openrouter", "x.ai", "xai", "mistral.ai", "mistral"], models: &[], says: Overrides { structured: Some(Structured::Strict), ..SAID } },
    Rule { at: &["groq.com", "groq"], models: &[], says: Overrides {
        structured: Some(Structured::Strict), structured_when: Some(StructuredWhen::Alone), ..SAID } },
    Rule { at: &["googleapis.com", "gemini", "vertex"], models: &[], says: Overrides { structured: Some(Structured::JsonSchema), ..SAID } },
    Rule { at: &["googleapis.com", "gemini", "vertex"], models: &["gemini-1", "gemini-2"], says: Overrides { structured_when: Some(StructuredWhen::Alone), ..SAID } },
    Rule { at: &["vllm", "sglang", "llama.cpp", "ollama", "lmstudio"], models: &[], says: Overrides { structured: Some(Structured::JsonSchema), ..SAID } },
    Rule { at: &["deepseek.com", "deepseek", "moonshot.cn", "moonshot.ai", "kimi", "kimi-intl", "z.ai", "bigmodel.cn", "glm", "glm-cn",
        "aliyuncs.com", "dashscope", "dashscope-intl", "dashscope-us"], models: &[], says: Overrides { structured: Some(Structured::JsonObject), ..SAID } },
    // Who reads PDFs.
    Rule { at: &["api.openai.com", "openai"], models: &["gpt-4o", "gpt-4.1", "gpt-5", "gpt-6", "o1", "o3", "o4"], says: Overrides { documents: Some(true), ..SAID } },
    Rule { at: &["api.openai.com", "openai"], models: &["gpt-4o-audio", "gpt-4o-mini-audio", "o1-mini", "o1-preview", "o3-mini"], says: Overrides { documents: Some(false), ..SAID } },
    Rule { at: &["openrouter.ai", "openrouter"], models: &["claude", "gpt-4o", "gpt-4.1", "gpt-5", "gpt-6", "gemini"], says: Overrides { documents: Some(true), ..SAID } },
];

/// What holds for Claude from a version on: it reads PDFs; its answers can be held to a schema; newer ones think as they see fit, and
/// refuse a budget and to be sampled.
#[rustfmt::skip]
const CLAUDE: &[((u32, u32), Overrides)] = &[
    ((3, 5), Overrides { documents: Some(true), ..SAID }),
    ((4, 5), Overrides { structured: Some(Structured::Strict), ..SAID }),
    ((4, 6), Overrides { thinking: Some(Thinking::Adaptive), efforts: Some(CLAUDE_WORDS), ..SAID }),
    ((4, 7), Overrides { sampling: Some(false), ..SAID }),
];
/// Where Claude is served by others in Anthropic's own protocol.
#[rustfmt::skip]
const CLAUDE_AT: &[Rule] = &[
    Rule { at: &["amazonaws.com", "api.aws", "bedrock-anthropic", "googleapis.com", "vertex-anthropic"], models: &[], says: Overrides { auth: Some(Auth::Bearer), ..SAID } },
    Rule { at: &["googleapis.com", "vertex-anthropic"], models: &[], says: Overrides { model_in_body: Some(false), ..SAID } },
];
const CLAUDE_WORDS: EffortNames =
    EffortNames { minimal: Some(Cow::Borrowed("low")), xhigh: Some(Cow::Borrowed("max")), ..EffortNames::NONE };

/// The profile of an endpoint: by its wire, its address, its preset and its model.
pub fn compat(wire: Wire, host: &str, preset: Option<&str>, model: &str) -> Compat {
    let mut compat = Compat::of(wire);
    if wire == Wire::Anthropic {
        for (since, says) in CLAUDE {
            if claude(model).is_some_and(|version| version >= *since) {
                compat.set(says);
            }
        }
        put_rules(&mut compat, CLAUDE_AT, host, preset, model);
        return compat;
    }
    put_rules(&mut compat, RULES, host, preset, model);
    if wire == Wire::Responses {
        let own = Compat::of(wire);
        (compat.max_tokens_field, compat.reasoning_back) = (own.max_tokens_field, own.reasoning_back);
        compat.store = own.store;
    }
    compat
}

/// Whether a place is this domain or below it, or has this preset.
pub(crate) fn is_at(at: &str, host: &str, preset: Option<&str>) -> bool {
    if !at.contains('.') || at == "llama.cpp" {
        return preset == Some(at);
    }
    host == at || host.strip_suffix(at).is_some_and(|sub| sub.ends_with('.'))
}

fn put_rules(compat: &mut Compat, rules: &[Rule], host: &str, preset: Option<&str>, model: &str) {
    let host = host.to_ascii_lowercase();
    let model = plain(model).to_ascii_lowercase();
    for rule in rules {
        let here = rule.at.iter().any(|at| is_at(at, &host, preset));
        let named = rule.models.is_empty() || rule.models.iter().any(|name| model.starts_with(name));
        if here && named {
            compat.set(&rule.says);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::compat;
    use crate::compat::{Auth, MaxTokens, ReasoningBack, Thinking, ToolIds, Wire};

    #[test]
    fn by_address_preset_and_model() {
        use ReasoningBack::{Always, Calls, Never};
        for (host, preset, model, back, thinking, ids) in [
            ("api.deepseek.com", None, "deepseek-v4-flash", Always, Thinking::Deepseek, ToolIds::Any),
            ("api.deepseek.com", None, "deepseek-chat", Never, Thinking::Deepseek, ToolIds::Any),
            ("notdeepseek.com", None, "deepseek-reasoner", Never, Thinking::Openai, ToolIds::Any),
            ("api.moonshot.cn", None, "kimi-k2-thinking", Always, Thinking::Zai, ToolIds::Any),
            ("api.moonshot.cn", None, "kimi-k2-0905-preview", Never, Thinking::Zai, ToolIds::Any),
            ("api.moonshot.ai", None, "kimi-k3", Always, Thinking::Zai, ToolIds::Any),
            ("api.kimi.com", None, "kimi-for-coding", Always, Thinking::Zai, ToolIds::Any),
            ("127.0.0.1", None, "deepseek-reasoner", Never, Thinking::Openai, ToolIds::Any),
            ("127.0.0.1", Some("vllm"), "Qwen/Qwen3-8B", Never, Thinking::QwenChatTemplate, ToolIds::Any),
            ("127.0.0.1", Some("vllm"), "mistralai/Devstral-Small", Never, Thinking::QwenChatTemplate, ToolIds::Nine),
            ("127.0.0.1", Some("llama.cpp"), "gpt-oss-20b", Calls, Thinking::Openai, ToolIds::Any),
            ("dashscope-intl.aliyuncs.com", None, "qwen3-max", Never, Thinking::Qwen, ToolIds::Any),
            ("api.z.ai", None, "glm-4.6", Calls, Thinking::Zai, ToolIds::Any),
            ("openrouter.ai", None, "z-ai/glm-4.6", Calls, Thinking::Openrouter, ToolIds::Any),
            ("api.mistral.ai", None, "devstral", Never, Thinking::None, ToolIds::Nine),
        ] {
            let found = compat(Wire::Chat, host, preset, model);
            let found = (found.reasoning_back, found.thinking, found.tool_ids);
            assert_eq!(found, (back, thinking, ids), "{host} {preset:?} {model}");
        }
    }

    #[test]
    fn what_an_endpoint_refuses_is_not_sent_to_it() {
        let chat = |host, model| compat(Wire::Chat, host, None, model);
        assert!(!chat("api.mistral.ai", "mistral-large-latest").usage_in_stream, "it counts without being asked");
        assert!(chat("api.openai.com", "gpt-5").usage_in_stream);
        for wire in [Wire::Chat, Wire::Responses] {
            let openai = compat(wire, "api.openai.com", None, "gpt-5");
            assert_eq!(openai.tool_ids, ToolIds::Plain, "an id that another server made may be longer than it takes");
        }
        let google = "generativelanguage.googleapis.com";
        assert!(
            chat(google, "gemini-3-pro-preview").signed_calls && chat(google, "models/gemini-3.5-flash").signed_calls
        );
        assert!(!chat(google, "gemini-2.5-pro").signed_calls && !chat("h", "gemini-3-pro").signed_calls);
    }

    #[test]
    fn who_is_told_the_form_of_an_answer_and_when() {
        use crate::compat::{Structured, StructuredWhen};
        use Structured::{JsonObject, JsonSchema, None as Words, Strict};
        use StructuredWhen::{Alone, Always, Closing};
        for (wire, host, preset, model, structured, when) in [
            (Wire::Chat, "api.openai.com", None, "gpt-5", Strict, Always),
            (Wire::Responses, "x.openai.azure.com", None, "gpt-5", Strict, Always),
            (Wire::Chat, "openrouter.ai", None, "z-ai/glm-4.6", Strict, Closing),
            (Wire::Chat, "api.groq.com", None, "openai/gpt-oss-120b", Strict, Alone),
            (Wire::Chat, "generativelanguage.googleapis.com", None, "gemini-2.5-pro", JsonSchema, Alone),
            (Wire::Chat, "generativelanguage.googleapis.com", None, "gemini-3-pro", JsonSchema, Closing),
            (Wire::Chat, "127.0.0.1", Some("vllm"), "Qwen/Qwen3-8B", JsonSchema, Closing),
            (Wire::Chat, "127.0.0.1", Some("llama.cpp"), "m", JsonSchema, Closing),
            (Wire::Chat, "api.deepseek.com", None, "deepseek-chat", JsonObject, Closing),
            (Wire::Chat, "127.0.0.1", None, "m", Words, Closing),
            (Wire::Responses, "127.0.0.1", None, "m", Words, Closing),
            (Wire::Anthropic, "api.anthropic.com", None, "claude-sonnet-4-5", Strict, Closing),
            (Wire::Anthropic, "api.anthropic.com", None, "claude-sonnet-4-20250514", Words, Closing),
            (Wire::Anthropic, "api.deepseek.com", None, "deepseek-v4-pro", Words, Closing),
        ] {
            let found = compat(wire, host, preset, model);
            assert_eq!((found.structured, found.structured_when), (structured, when), "{host} {preset:?} {model}");
        }
    }

    #[test]
    fn who_reads_documents() {
        for (wire, host, model, reads) in [
            (Wire::Anthropic, "api.anthropic.com", "claude-sonnet-4-5", true),
            (Wire::Anthropic, "api.anthropic.com", "claude-3-haiku-20240307", false),
            (Wire::Anthropic, "api.deepseek.com", "deepseek-v4-pro", false),
            (Wire::Chat, "api.openai.com", "gpt-5.1", true),
            (Wire::Responses, "api.openai.com", "o3", true),
            (Wire::Chat, "api.openai.com", "o3-mini", false),
            (Wire::Chat, "openrouter.ai", "google/gemini-3-pro", true),
            (Wire::Chat, "openrouter.ai", "z-ai/glm-4.6", false),
            (Wire::Chat, "127.0.0.1", "gpt-5", false),
        ] {
            assert_eq!(compat(wire, host, None, model).documents, reads, "{host} {model}");
        }
    }

    #[test]
    fn claude_where_others_serve_it() {
        let of = |host, preset, model| compat(Wire::Anthropic, host, preset, model);
        let bedrock = of("bedrock-runtime.us-west-2.amazonaws.com", None, "us.anthropic.claude-opus-4-8");
        assert_eq!((bedrock.auth, bedrock.model_in_body), (Auth::Bearer, true));
        assert_eq!(bedrock.thinking, Thinking::Adaptive, "its version is found behind what stands before it");
        let vertex = of("us-east5-aiplatform.googleapis.com", None, "claude-sonnet-4-5@20250929");
        assert_eq!((vertex.auth, vertex.model_in_body), (Auth::Bearer, false));
        assert_eq!(of("gateway.example", Some("vertex-anthropic"), "claude-sonnet-5").auth, Auth::Bearer);
        assert_eq!(of("api.anthropic.com", None, "claude-sonnet-5").auth, Auth::XApiKey);
        let router = |model| compat(Wire::Chat, "openrouter.ai", None, model).cache_control;
        assert!(router("anthropic/claude-sonnet-4.5") && !router("z-ai/glm-4.6"), "others cache by themselves");
    }

    #[test]
    fn wires_keep_what_is_theirs() {
        let azure = compat(Wire::Responses, "x.openai.azure.com", None, "gpt-5");
        assert_eq!((azure.auth, azure.max_tokens_field), (Auth::ApiKey, MaxTokens::MaxOutputTokens));
        assert_eq!(
            compat(Wire::Chat, "api.openai.com", None, "gpt-5").max_tokens_field,
            MaxTokens::MaxCompletionTokens
        );
        let deepseek = compat(Wire::Anthropic, "api.deepseek.com", None, "deepseek-v4-pro");
        assert_eq!((deepseek.auth, deepseek.thinking), (Auth::XApiKey, Thinking::Anthropic));
        for (model, thinking, sampling) in [
            ("claude-sonnet-4-5", Thinking::Anthropic, true),
            ("claude-opus-4-6", Thinking::Adaptive, true),
            ("claude-opus-4-7", Thinking::Adaptive, false),
            ("claude-opus-5", Thinking::Adaptive, false),
        ] {
            let found = compat(Wire::Anthropic, "api.anthropic.com", None, model);
            assert_eq!((found.thinking, found.sampling), (thinking, sampling), "{model}");
        }
    }
}
