//! What the context consists of: the parts of the system prompt, the tools, what was folded, and the messages since.

use reasonix_agent::{ToolSpec, content_tokens, estimate_tokens, folded_messages, image_tokens};
use reasonix_config::Settings;
use reasonix_proto::{CacheReport, ContextPart, Message, PartKind, Phrase, PromptPart, RecordBody, Requested};
use reasonix_session::{History, Past, cache_report};
use std::io;

/// What of the requests of a session had been sent before, priced as the settings say.
pub fn cache_of(past: &Past, settings: &Settings) -> io::Result<CacheReport> {
    let mut entries: Vec<Requested> = Vec::new();
    past.each(|record| {
        if let RecordBody::Requested(entry) = record.body {
            entries.push(*entry);
        }
    })?;
    let price = |model: &str| settings.resolve_model(model).ok().and_then(|found| settings.price(&found));
    Ok(cache_report(&entries, price))
}

/// The parts in the order they are sent. Blocking.
pub(crate) fn parts(history: &History, tools: &[ToolSpec]) -> io::Result<Vec<ContextPart>> {
    let part = |name, (messages, tokens)| ContextPart { name, tokens, messages };
    let mut parts = vec![part(Phrase::new("context.tools"), (0, tools_tokens(tools)))];
    if let Some(head) = &history.head {
        parts.extend(sections(&head.system, &head.parts).map(|(name, text)| part(name, (0, estimate_tokens(text)))));
    }
    let folded = history.folded.as_ref().map_or(0, |folded| folded_messages(folded).len() - folded.tail.len());
    let (mut place, mut head, mut rest) = (0, (0, 0), [(0, 0); 3]);
    history.each_message(|message| {
        let kind = match message {
            _ if place < folded => Some(&mut head),
            message => rest.get_mut(kind_of(message)),
        };
        if let Some((count, tokens)) = kind {
            (*count, *tokens) = (*count + 1, *tokens + size(message));
        }
        place += 1;
    })?;
    if folded > 0 {
        parts.push(part(Phrase::new("context.folded"), head));
    }
    let names = [Phrase::new("context.prompts"), Phrase::new("context.answers"), Phrase::new("context.results")];
    parts.extend(names.into_iter().zip(rest).map(|(name, sums)| part(name, sums)));
    Ok(parts)
}

/// What every request of a session begins with.
pub(crate) fn prefix_tokens(system: &str, tools: &[ToolSpec]) -> u64 {
    estimate_tokens(system) + tools_tokens(tools)
}

fn tools_tokens(tools: &[ToolSpec]) -> u64 {
    estimate_tokens(&serde_json::to_string(tools).unwrap_or_default())
}

/// The system prompt in its parts; in one where a log does not say what they are.
fn sections<'a>(system: &'a str, parts: &'a [PromptPart]) -> impl Iterator<Item = (Phrase, &'a str)> {
    let known = parts.iter().map(|part| part.bytes).sum::<u64>() == system.len() as u64;
    let parts = if known { parts } else { &[] };
    let whole = parts.is_empty().then(|| (Phrase::new("context.system"), system));
    let mut at = 0;
    let pieces = parts.iter().map(move |part| {
        let start = at;
        at += usize::try_from(part.bytes).unwrap_or(usize::MAX);
        (name_of(part), system.get(start..at).unwrap_or_default())
    });
    whole.into_iter().chain(pieces)
}

fn name_of(part: &PromptPart) -> Phrase {
    let name = |code| Phrase::new(code).with("file", &part.name);
    match part.kind {
        PartKind::Base => Phrase::new("context.base"),
        PartKind::UserRules => name("context.user_rules"),
        PartKind::ProjectRules => name("context.project_rules"),
        PartKind::Instructions => name("context.instructions"),
        PartKind::Ignored => name("context.ignored"),
        PartKind::AlwaysRules => Phrase::new("context.always_rules"),
        PartKind::Rulebook => Phrase::new("context.rulebook"),
        PartKind::Memory => Phrase::new("context.memory"),
        PartKind::Skills => Phrase::new("context.skills"),
        PartKind::Appended => Phrase::new("context.appended"),
        PartKind::Other => Phrase::new("context.system"),
    }
}

fn kind_of(message: &Message) -> usize {
    match message {
        Message::User { .. } => 0,
        Message::Assistant { .. } => 1,
        Message::Tool { .. } => 2,
    }
}

fn size(message: &Message) -> u64 {
    match message {
        Message::User { text, images } => estimate_tokens(text) + images.iter().map(image_tokens).sum::<u64>(),
        Message::Assistant { text, reasoning, calls, .. } => {
            let reasoning = reasoning.as_ref().map_or(0, |reasoning| estimate_tokens(&reasoning.text));
            let calls = calls.iter().map(|call| estimate_tokens(&call.name) + estimate_tokens(&call.arguments));
            estimate_tokens(text) + reasoning + calls.sum::<u64>()
        }
        Message::Tool { content, .. } => content_tokens(content),
    }
}

#[cfg(test)]
mod tests {
    use super::sections;
    use reasonix_proto::{PartKind, PromptPart};

    #[test]
    fn the_parts_are_exactly_the_prompt_or_it_is_one() {
        let part = |kind, bytes| PromptPart { kind, name: "f".into(), bytes, cut: false };
        let parts = [part(PartKind::Base, 3), part(PartKind::ProjectRules, 4)];
        let found: Vec<_> = sections("abcdefg", &parts).map(|(name, text)| (name.code, text)).collect();
        assert_eq!(found, [("context.base".into(), "abc"), ("context.project_rules".into(), "defg")]);
        for (what, parts) in [("an older log", vec![]), ("a prompt that was changed", vec![part(PartKind::Base, 3)])] {
            let found: Vec<_> = sections("abcdefg", &parts).map(|(name, text)| (name.code, text)).collect();
            assert_eq!(found, [("context.system".into(), "abcdefg")], "{what}");
        }
    }
}
