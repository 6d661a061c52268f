//! The few ways in which endpoints of one protocol differ, decided by address and model.

use crate::Endpoint;

/// How one endpoint wants to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Compat {
    /// Assistant messages carry `reasoning_content`, even an empty one. Where it is not wanted it costs tokens at best.
    pub(crate) reasoning_back: bool,
    /// The field that bounds the answer.
    pub(crate) max_tokens: &'static str,
}

impl Compat {
    pub(crate) fn of(endpoint: &Endpoint) -> Self {
        let host = crate::redact::url(&endpoint.base_url).to_ascii_lowercase();
        let host = host.split_once("://").map_or(host.as_str(), |(_, rest)| rest);
        let host = host.split(['/', ':']).next().unwrap_or_default();
        let model = endpoint.model.to_ascii_lowercase();
        let within = |domain: &str| host == domain || host.strip_suffix(domain).is_some_and(|sub| sub.ends_with('.'));
        let thinking_off = endpoint.extra_body.get("thinking").is_some_and(|thinking| thinking["type"] == "disabled");
        let deepseek = within("deepseek.com") && model != "deepseek-chat";
        let kimi = (within("moonshot.cn") || within("moonshot.ai")) && model.contains("thinking");
        Self {
            reasoning_back: endpoint.reasoning_back.unwrap_or((deepseek || kimi) && !thinking_off),
            max_tokens: if within("api.openai.com") { "max_completion_tokens" } else { "max_tokens" },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Compat;
    use crate::Endpoint;

    #[test]
    fn profiles() {
        for (base, model, back, max_tokens) in [
            ("https://api.deepseek.com", "deepseek-v4-flash", true, "max_tokens"),
            ("https://api.deepseek.com/v1", "deepseek-chat", false, "max_tokens"),
            ("https://notdeepseek.com/v1", "deepseek-reasoner", false, "max_tokens"),
            ("https://api.moonshot.cn/v1", "kimi-k2-thinking", true, "max_tokens"),
            ("http://127.0.0.1:8080/v1", "deepseek-reasoner", false, "max_tokens"),
            ("https://api.openai.com/v1", "gpt-5", false, "max_completion_tokens"),
        ] {
            let compat = Compat::of(&Endpoint::new("p", base, model));
            assert_eq!((compat.reasoning_back, compat.max_tokens), (back, max_tokens), "{base} {model}");
        }
        let mut endpoint = Endpoint::new("p", "https://api.deepseek.com", "deepseek-v4-pro");
        endpoint.extra_body.insert("thinking".into(), serde_json::json!({ "type": "disabled" }));
        assert!(!Compat::of(&endpoint).reasoning_back);
        endpoint.reasoning_back = Some(true);
        assert!(Compat::of(&endpoint).reasoning_back);
    }
}
