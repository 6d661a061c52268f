//! Headers of the Harmony protocol that a model wrote, as plain words, into the arguments of a call. What follows such a
//! header is not the model's intent. A patch is cut before the section that is spoilt; anything else is not trusted.

use serde_json::{Map, Value};

/// The marker of every leak.
const MARKER: &str = "to=functions.";
/// What stands right before a leaked marker.
const CHANNELS: [&str; 4] = ["analysis", "assistant", "commentary", "user"];
/// Words of the vocabulary that surface with leaks and nowhere else.
const GLITCHES: [&str; 4] = ["Japgolly", "Jsii", "RTLU", "changedFiles"];
/// Headers of the sections of a patch.
const SECTIONS: [&str; 3] = ["*** Update File:", "*** Add File:", "*** Delete File:"];

/// What became of arguments with a leak in them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Leak {
    /// The patch in this argument was cut.
    Cut(String),
    /// This argument is spoilt.
    Spoilt(String),
}

/// Looks for a leak, and cuts it where it can be cut.
pub(crate) fn clean(args: &mut Map<String, Value>) -> Option<Leak> {
    for (name, value) in args.iter_mut() {
        if let Value::String(text) = value
            && let Some(at) = find(text)
        {
            return Some(match cut(text, at) {
                Some(patch) => {
                    *text = patch;
                    Leak::Cut(name.clone())
                }
                None => Leak::Spoilt(name.clone()),
            });
        }
        if deep(value) {
            return Some(Leak::Spoilt(name.clone()));
        }
    }
    None
}

/// True when the raw text may hold a leak at all.
pub(crate) fn may_leak(arguments: &str) -> bool {
    memchr::memmem::find(arguments.as_bytes(), MARKER.as_bytes()).is_some()
}

fn deep(value: &Value) -> bool {
    match value {
        Value::Array(items) => {
            items.iter().any(|item| deep(item) || item.as_str().is_some_and(|text| find(text).is_some()))
        }
        Value::Object(map) => {
            map.values().any(|item| deep(item) || item.as_str().is_some_and(|text| find(text).is_some()))
        }
        _ => false,
    }
}

/// Where a leak begins: the marker, with junk before it and a channel's body behind it.
fn find(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text.get(from..)?.find(MARKER).map(|at| at + from) {
        let before = text.get(..at)?.trim_end();
        let behind = text.get(at + MARKER.len()..)?;
        let name = behind.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(behind.len());
        let body = behind.get(name..)?.trim_start();
        let header = ["code", "json", "commentary", "<|"].iter().any(|word| body.starts_with(word));
        if name > 0 && header && is_junk(before) {
            return Some(at);
        }
        from = at + MARKER.len();
    }
    None
}

fn is_junk(before: &str) -> bool {
    let word = CHANNELS.iter().any(|channel| before.ends_with(channel));
    let tail: String = before.chars().rev().take(48).collect();
    let glitch = GLITCHES.iter().any(|glitch| {
        before.chars().rev().take(64).collect::<String>().contains(&glitch.chars().rev().collect::<String>())
    });
    // Letters of another script right before it, in what is otherwise program text.
    let foreign = tail.chars().take(4).filter(|c| c.is_alphabetic() && !c.is_ascii()).count() >= 2;
    word || glitch || foreign || before.ends_with("】【") || before.ends_with('}')
}

/// A patch without the section that the leak is in, and all behind it.
fn cut(text: &str, at: usize) -> Option<String> {
    let before = text.get(..at).filter(|before| before.contains("*** Begin Patch"))?;
    let section = SECTIONS.iter().filter_map(|head| before.rfind(head)).max()?;
    let kept = before.get(..section)?.trim_end();
    SECTIONS.iter().any(|head| kept.contains(head)).then(|| format!("{kept}\n*** End Patch\n"))
}

#[cfg(test)]
mod tests {
    use super::{Leak, clean};
    use pretty_assertions::assert_eq;
    use serde_json::{Value, json};

    fn run(args: Value) -> (Option<Leak>, Value) {
        let Value::Object(mut args) = args else { panic!("an object") };
        (clean(&mut args), Value::Object(args))
    }

    #[test]
    fn leaks_spoil_or_are_cut() {
        let junk = "changedFiles analysis to=functions.edit code 天天中彩票";
        let (leak, _) = run(json!({ "path": "a", "new_string": format!("let x = 1;\n{junk}") }));
        assert_eq!(leak, Some(Leak::Spoilt("new_string".into())));
        let (leak, _) = run(json!({ "edits": [{ "old": "a", "new": junk }] }));
        assert_eq!(leak, Some(Leak::Spoilt("edits".into())));
        let whole = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Update File: b\n@@\n-x\n";
        let (leak, args) = run(json!({ "patch": format!("{whole}+{junk}\n*** End Patch") }));
        assert_eq!(leak, Some(Leak::Cut("patch".into())));
        assert_eq!(args["patch"], "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\n");
        let (leak, _) = run(json!({ "patch": format!("*** Begin Patch\n*** Update File: a\n+{junk}") }));
        assert_eq!(leak, Some(Leak::Spoilt("patch".into())), "nothing is left of it");
    }

    #[test]
    fn talk_of_the_protocol_is_no_leak() {
        for text in [
            "the header `to=functions.NAME` names the tool",
            "const MARKER: &str = \"to=functions.\";",
            "goto=functions.count",
            "analysis to=functions.",
            "commentary to=functions.x is what it looks like",
        ] {
            assert_eq!(run(json!({ "content": text })).0, None, "{text}");
        }
    }
}
