//! One model under many names: endpoints put prefixes before the names that a model's makers gave it, and write dots as
//! dashes.

/// A model's name without what gateways put before it, such as `anthropic/` or `Qwen/`, and after it, such as `:free`.
pub fn plain(model: &str) -> &str {
    let name = model.rsplit_once('/').map_or(model, |(_, name)| name);
    // Bedrock puts a region and the maker before a name and a revision behind it, Vertex a date.
    if let Some((_, name)) = name.split_once("anthropic.") {
        return name.rsplit_once("-v").filter(|(_, end)| end.contains(':')).map_or(name, |(name, _)| name);
    }
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    name.strip_suffix(":free").or_else(|| name.strip_suffix(":thinking")).unwrap_or(name)
}

/// What stands under the official name of a model, where that is sure: the name itself, or the name with dots for dashes. A
/// date at its end is taken off. None where nothing is known: families are never guessed together.
pub(crate) fn official<T>(model: &str, find: impl Fn(&str) -> Option<T>) -> Option<T> {
    let name = plain(model).to_ascii_lowercase();
    find(&name)
        .or_else(|| find(undated(&name)))
        .or_else(|| find(&name.replace('.', "-")))
        .or_else(|| find(&dotted(&name)?))
}

/// The version in a name of Anthropic's, wherever a gateway puts it: `claude-opus-4-6`, `claude-4.6-opus`.
pub(crate) fn claude(model: &str) -> Option<(u32, u32)> {
    let name = plain(model).to_ascii_lowercase();
    let (_, rest) = name.split_once("claude-")?;
    // A date is no version.
    let mut numbers = rest.split(['-', '.']).map(|part| part.parse().ok().filter(|number| *number < 100));
    let major = numbers.find_map(|number| number)?;
    Some((major, numbers.next().flatten().unwrap_or(0)))
}

/// Without a date such as `-20250929` or `-2025-08-07` at the end.
fn undated(name: &str) -> &str {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    for length in [9, 11] {
        let Some(at) = name.len().checked_sub(length) else { continue };
        if let (Some(head), Some(tail)) = (name.get(..at), name.get(at..))
            && tail.starts_with("-20")
            && digits(tail)
        {
            return head;
        }
    }
    name
}

/// With the last dash between two digits as a dot.
fn dotted(name: &str) -> Option<String> {
    let bytes = name.as_bytes();
    let between = |at: &usize| {
        let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        bytes.get(*at) == Some(&b'-') && at.checked_sub(1).is_some_and(digit) && digit(at + 1)
    };
    let at = (0..bytes.len()).rev().find(between)?;
    Some(format!("{}.{}", name.get(..at)?, name.get(at + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::claude;

    #[test]
    fn versions() {
        for (model, expected) in [
            ("claude-opus-4-6", Some((4, 6))),
            ("claude-opus-4-20250514", Some((4, 0))),
            ("claude-sonnet-4-5-20250929", Some((4, 5))),
            ("anthropic/claude-4.7-opus", Some((4, 7))),
            ("us.anthropic.claude-opus-4-6-v1", Some((4, 6))),
            ("claude-3-7-sonnet-latest", Some((3, 7))),
            ("claude-opus-5", Some((5, 0))),
            ("claude-latest", None),
            ("gpt-5", None),
        ] {
            assert_eq!(claude(model), expected, "{model}");
        }
    }
}
