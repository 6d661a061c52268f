//! Masks what looks like a key, and what is known to be one. Pure.

use std::borrow::Cow;

/// What stands in place of a secret.
const MASK: &str = "[redacted]";
/// Beginnings of keys that services give out; what follows is letters, digits and a few marks.
const PREFIXES: &[&str] = &[
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "pk_live_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "hf_",
    "npm_",
    "pypi-",
    "dop_v1_",
    "SG.",
];
/// A key is at least this long beyond its beginning.
const SHORTEST: usize = 12;
/// Names after which a value is a secret.
const NAMES: &[&str] = &["password", "passwd", "secret", "api_key", "apikey", "api-key", "access_token", "auth_token"];

/// Masks secrets in texts.
#[derive(Clone)]
pub(crate) struct Redact {
    known: Vec<String>,
}

impl std::fmt::Debug for Redact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redact({} secrets)", self.known.len())
    }
}

impl Redact {
    /// Known secrets, beside everything that looks like one. Short ones are left out: they would mask ordinary words.
    pub(crate) fn new(known: &[String]) -> Self {
        let mut known: Vec<String> = known.iter().filter(|secret| secret.len() >= 8).cloned().collect();
        known.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self { known }
    }

    /// The text without secrets.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.known {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), MASK);
            }
        }
        private_keys(&words(&text))
    }
}

fn is_key(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+' | '=')
}

/// Masks word by word, keeping everything between words.
fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut named = false;
    while let Some(start) = rest.find(is_key) {
        let (gap, tail) = rest.split_at(start);
        let end = tail.find(|c: char| !is_key(c)).unwrap_or(tail.len());
        let (word, after) = tail.split_at(end);
        let bridge = gap.chars().all(|c| matches!(c, ':' | '"' | '\'' | ' ' | '='));
        out.push_str(gap);
        out.push_str(&masked(word, named && bridge && !gap.is_empty()));
        named = word.eq_ignore_ascii_case("bearer") || is_name(word);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// True when what follows this word is a secret.
fn is_name(word: &str) -> bool {
    let ends = |name: &str| {
        let end = word.len().checked_sub(name.len()).and_then(|start| word.get(start..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(name))
    };
    NAMES.iter().any(|name| ends(name))
}

fn masked(word: &str, named: bool) -> Cow<'_, str> {
    // Most words are too short for a key, and there are many words.
    for prefix in PREFIXES.iter().filter(|_| word.len() > SHORTEST) {
        if let Some(at) = word.find(prefix)
            && word.len() - at - prefix.len() >= SHORTEST
        {
            return format!("{}{MASK}", word.get(..at).unwrap_or_default()).into();
        }
    }
    // `password=hunter2`: the sign of equality is part of the word.
    if let Some((name, value)) = word.split_once('=')
        && value.len() >= 6
        && is_name(name)
    {
        return format!("{name}={MASK}").into();
    }
    Cow::Borrowed(if named && word.len() >= 6 { MASK } else { word })
}

/// Masks what lies between the marks of a private key.
fn private_keys(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("-----BEGIN ") {
        let (before, block) = rest.split_at(start);
        let body = block.find("PRIVATE KEY-----").filter(|at| *at < 60).map(|at| at + "PRIVATE KEY-----".len());
        let Some(body) = body else {
            let (kept, tail) = block.split_at("-----BEGIN ".len());
            out.push_str(before);
            out.push_str(kept);
            rest = tail;
            continue;
        };
        out.push_str(before);
        out.push_str(block.get(..body).unwrap_or_default());
        out.push_str(MASK);
        let tail = block.get(body..).unwrap_or_default();
        rest = tail.find("-----END ").and_then(|end| tail.get(end..)).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::Redact;

    #[test]
    fn d10_keys_are_masked_and_words_are_not() {
        let redact = Redact::new(&["hunter2-hunter2".into(), "x".into()]);
        for secret in [
            "sk-proj-aaaabbbbccccddddeeee",
            "ghp_0123456789abcdefghij0123456789abcdef",
            "AKIAIOSFODNN7EXAMPLE",
            "Authorization: Bearer abcdef0123456789",
            "password=correct-horse",
            "\"api_key\": \"0123456789abcdef\"",
            "it is hunter2-hunter2 here",
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----",
        ] {
            let text = redact.text(secret);
            assert!(text.contains("[redacted]"), "{secret} became {text}");
            for part in ["aaaabbbb", "0123456789abcdef", "IOSFODNN7", "correct-horse", "hunter2-h", "MIIEabc"] {
                assert!(!text.contains(part), "{secret} became {text}");
            }
        }
        for plain in ["task-list is long-enough-for-this", "the secret: it is simple", "x y z", "skill-based", "=== a"]
        {
            assert_eq!(redact.text(plain), plain);
        }
    }
}
