//! `${NAME}` and `${NAME:-default}`.

/// A variable that is not set and has no default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unset(pub String);

/// Replaces `${NAME}` and `${NAME:-default}`; an empty variable counts as not set where there is a default.
/// What was put in is not looked into again. Anything else with a `$` stays as it is.
pub fn expand(text: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<String, Unset> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let Some((inner, tail)) = after.split_once('}').filter(|(inner, _)| is_reference(inner)) else {
            out.push_str("${");
            rest = after;
            continue;
        };
        let (name, default) = inner.split_once(":-").map_or((inner, None), |(name, default)| (name, Some(default)));
        match (lookup(name), default) {
            (Some(value), None) => out.push_str(&value),
            (Some(value), Some(_)) if !value.is_empty() => out.push_str(&value),
            (_, Some(default)) => out.push_str(default),
            (None, None) => return Err(Unset(name.to_owned())),
        }
        rest = tail;
    }
    out.push_str(rest);
    Ok(out)
}

fn is_reference(inner: &str) -> bool {
    let name = inner.split_once(":-").map_or(inner, |(name, _)| name);
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(word) && !name.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{Unset, expand};
    use proptest::prelude::*;

    fn lookup(name: &str) -> Option<String> {
        match name {
            "A" => Some("one".to_owned()),
            "EMPTY" => Some(String::new()),
            "NEST" => Some("${A}".to_owned()),
            _ => None,
        }
    }

    #[test]
    fn variables_and_defaults() {
        for (text, want) in [
            ("plain $A $$ {A}", "plain $A $$ {A}"),
            ("${A}/${A}", "one/one"),
            ("${A:-x}", "one"),
            ("${B:-x y}", "x y"),
            ("${B:-}", ""),
            ("${EMPTY:-x}", "x"),
            ("[${EMPTY}]", "[]"),
            ("${NEST}", "${A}"),
            ("${A", "${A"),
            ("${1A} ${} ${A B}", "${1A} ${} ${A B}"),
        ] {
            assert_eq!(expand(text, &lookup).as_deref(), Ok(want), "{text}");
        }
        assert_eq!(expand("x${B}", &lookup), Err(Unset("B".to_owned())));
    }

    proptest! {
        #[test]
        fn text_without_references_stays(text in "[^$]*") {
            prop_assert_eq!(expand(&text, &lookup), Ok(text));
        }

        #[test]
        fn nothing_panics(text in "[$\\{\\}AB:\\-é]{0,24}") {
            let _ = expand(&text, &lookup);
        }
    }
}
