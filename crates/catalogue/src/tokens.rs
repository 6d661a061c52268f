//! The tokens by which templates part the roles of a conversation. Servers that put messages into a template as text may
//! read such a token in somebody's file as what it is in the template. Which ones a model reads depends on its family.

use crate::canonical::plain;

/// A way in which such tokens are written. All of them begin with `<`, `[` or `]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoleToken {
    /// Exactly this.
    Exactly(&'static str),
    /// The beginning of a tag, in capitals or not.
    Tag(&'static str),
    /// `<|name|>`, `<|name>` and `<name|>`, whatever the name is.
    Bars,
}

use RoleToken::{Bars, Exactly};

const BARS: &[RoleToken] = &[Bars];
const WIDE: &[RoleToken] = &[Exactly("<｜"), Exactly("</｜"), Bars];
const INST: &[RoleToken] = &[
    Exactly("[INST]"),
    Exactly("[/INST]"),
    Exactly("<<SYS>>"),
    Exactly("<</SYS>>"),
    Exactly("<s>"),
    Exactly("</s>"),
    Exactly("[SYSTEM_PROMPT]"),
    Exactly("[/SYSTEM_PROMPT]"),
    Exactly("[AVAILABLE_TOOLS]"),
    Exactly("[/AVAILABLE_TOOLS]"),
    Exactly("[TOOL_CALLS]"),
    Exactly("[TOOL_RESULTS]"),
    Exactly("[/TOOL_RESULTS]"),
    Exactly("[TOOL_CONTENT]"),
    Exactly("[CALL_ID]"),
    Exactly("[ARGS]"),
    Exactly("[THINK]"),
    Exactly("[/THINK]"),
];
const TURN: &[RoleToken] =
    &[Exactly("<start_of_turn>"), Exactly("<end_of_turn>"), Exactly("<bos>"), Exactly("<eos>"), Bars];
const MASK: &[RoleToken] = &[Exactly("[gMASK]"), Exactly("<sop>"), Exactly("<eop>"), Bars];
const ENDS: &[RoleToken] = &[Exactly("[BOS]"), Exactly("[EOS]"), Bars];
const TILDES: &[RoleToken] = &[Exactly("]~b]"), Exactly("]~!b["), Exactly("[e~["), Bars];
const SENTENCE: &[RoleToken] = &[Exactly("<s>"), Exactly("</s>"), Bars];

/// Beginnings of names of models, upstream prefixes aside, and the tokens of their templates.
#[rustfmt::skip]
const FAMILIES: &[(&[&str], &[RoleToken])] = &[
    (&["qwen", "qwq", "qvq", "llama-3", "llama3", "llama-4", "llama4", "meta-llama-3", "meta-llama-4", "gpt-oss", "phi", "granite", "command", "c4ai", "aya"], BARS),
    (&["deepseek"], WIDE),
    (&["mistral", "mixtral", "ministral", "devstral", "magistral", "codestral", "pixtral", "llama-2", "llama2", "codellama"], INST),
    (&["gemma"], TURN),
    (&["glm", "chatglm", "codegeex"], MASK),
    (&["kimi", "moonshot"], ENDS),
    (&["minimax"], TILDES),
    (&["zephyr", "tulu", "olmo", "smollm", "internlm", "yi-"], SENTENCE),
];

/// Whether a model writes before its words whom they are for: the mark before that is a part of its prompt.
pub fn addresses(model: &str) -> bool {
    plain(model).to_ascii_lowercase().starts_with("functionary")
}

/// Addresses of vendors who serve their own models and read no token out of a text.
const VENDORS: &[&str] = &["anthropic.com", "openai.com", "openai.azure.com", "googleapis.com", "x.ai", "mistral.ai"];
/// Names of models that nobody serves but such vendors.
const CLOSED: &[&str] = &["gpt-3", "gpt-4", "gpt-5", "chatgpt", "codex", "o1", "o3", "o4", "claude", "gemini", "grok"];

/// The tokens that a model at an address may read in a text: those of its family, none where its vendor reads none, all
/// where nothing is known.
pub fn role_tokens(host: &str, model: &str) -> Vec<RoleToken> {
    let host = host.to_ascii_lowercase();
    let within = |domain: &&str| host == **domain || host.strip_suffix(*domain).is_some_and(|sub| sub.ends_with('.'));
    if VENDORS.iter().any(within) {
        return Vec::new();
    }
    let model = plain(model).to_ascii_lowercase();
    let named = |names: &[&str]| names.iter().any(|name| model.starts_with(name));
    // Whoever serves a model at home calls it what programs expect.
    if !is_home(&host) && named(CLOSED) {
        return Vec::new();
    }
    if let Some((_, tokens)) = FAMILIES.iter().find(|(names, _)| named(names)) {
        return tokens.to_vec();
    }
    let mut all: Vec<RoleToken> = Vec::new();
    for token in FAMILIES.iter().flat_map(|(_, tokens)| *tokens) {
        if !all.contains(token) {
            all.push(*token);
        }
    }
    all
}

/// True for an address of the user's own.
fn is_home(host: &str) -> bool {
    let number = host.starts_with('[') || host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    number || !host.contains('.') || [".local", ".lan", ".internal", ".home.arpa"].iter().any(|end| host.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::RoleToken::{Bars, Exactly};
    use super::{FAMILIES, role_tokens};

    #[test]
    fn d4_tokens_by_family_and_address() {
        let of = |host: &str, model: &str| role_tokens(host, model);
        let all = of("127.0.0.1", "something-new-7b");
        assert!(FAMILIES.iter().flat_map(|(_, tokens)| *tokens).all(|token| all.contains(token)));
        assert_eq!(of("127.0.0.1", "Qwen/Qwen3-8B"), [Bars]);
        assert!(of("localhost", "mistralai/Devstral-Small").contains(&Exactly("[INST]")));
        assert!(of("api.deepseek.com", "deepseek-v4-pro").contains(&Exactly("<｜")), "hosted, but a known template");
        for (host, model) in [
            ("api.openai.com", "gpt-5"),
            ("x.openai.azure.com", "anything"),
            ("api.anthropic.com", "claude-sonnet-4-5"),
            ("api.mistral.ai", "devstral"),
            ("openrouter.ai", "anthropic/claude-sonnet-4.5"),
        ] {
            assert_eq!(of(host, model), [], "{host} {model}");
        }
        for (host, model) in [
            ("127.0.0.1", "gpt-4"),
            ("localhost", "claude"),
            ("box.lan", "o3"),
            ("[::1]", "gpt-4o"),
            ("notopenai.com", "a-model"),
            ("openrouter.ai", "some/model"),
        ] {
            assert_eq!(of(host, model), all, "{host} {model}: nobody knows what answers there");
        }
        assert_eq!(of("openrouter.ai", "openai/gpt-oss-120b"), [Bars]);
    }
}
