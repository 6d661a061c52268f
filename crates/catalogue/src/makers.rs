//! How those who make a model serve it themselves, read off the built-in profiles. Only shown: what requests look like is
//! decided by the rules.

use crate::compat::Wire;
use crate::presets::{Preset, preset};
use crate::rows::Served;
use crate::rules::compat;

/// Beginnings of names, and the presets of their makers. Longer ones first.
const MAKERS: &[(&str, &[&str])] = &[
    ("gpt-oss", &[]),
    ("gpt-", &["openai"]),
    ("o3", &["openai"]),
    ("o4", &["openai"]),
    ("claude", &["anthropic"]),
    ("deepseek", &["deepseek"]),
    ("gemini", &["gemini"]),
    ("glm", &["glm", "glm-cn"]),
    ("grok", &["xai"]),
    ("kimi", &["kimi", "kimi-intl"]),
    ("minimax", &["minimax", "minimax-cn"]),
    ("mistral", &["mistral"]),
    ("devstral", &["mistral"]),
    ("codestral", &["mistral"]),
    ("qwen", &["dashscope", "dashscope-intl", "dashscope-us"]),
];

/// How a model is served by its maker.
pub(crate) fn served(model: &str) -> Vec<Served> {
    let name = model.to_ascii_lowercase();
    let makers = MAKERS.iter().find(|(start, _)| name.starts_with(start)).map_or(&[][..], |(_, makers)| makers);
    let mut places: Vec<Served> = Vec::new();
    for found in makers.iter().filter_map(|maker| preset(maker)) {
        let wires = match found.wire {
            Wire::Responses => [Some(Wire::Responses), Some(Wire::Chat)],
            wire => [Some(wire), None],
        };
        for wire in wires.into_iter().flatten() {
            put(&mut places, found, wire, model);
        }
    }
    places
}

/// One place more, or one more address of a place where it is asked in the same way.
fn put(places: &mut Vec<Served>, found: &Preset, wire: Wire, model: &str) {
    let host = found.base_url.split('/').nth(2).unwrap_or_default();
    let profile = compat(wire, host, Some(found.name), model);
    // Claude is asked in the same way by whoever speaks its own protocol.
    let at = if wire == Wire::Anthropic { Vec::new() } else { vec![host.to_owned(), found.name.to_owned()] };
    let (thinking, documents) = (Some(profile.thinking), Some(profile.documents));
    let place = Served { wire: wire.kind().to_owned(), at, thinking, documents };
    match places
        .iter_mut()
        .find(|other| (&other.wire, other.thinking, other.documents) == (&place.wire, place.thinking, place.documents))
    {
        Some(other) => other.at.extend(place.at),
        None => places.push(place),
    }
}
