//! Puts arguments into texts.

use crate::{Lang, catalogue};
use reasonix_proto::Phrase;

/// The text of a phrase. A code that the catalogue does not know shows itself with its arguments.
pub fn render(lang: Lang, phrase: &Phrase) -> String {
    match catalogue::find(&phrase.code) {
        Some(entry) => fill(text_of(lang, entry), phrase),
        None => phrase.to_string(),
    }
}

/// What to do about it, when the catalogue has a `<code>.hint`.
pub fn hint(lang: Lang, phrase: &Phrase) -> Option<String> {
    let entry = catalogue::find(&format!("{}.hint", phrase.code))?;
    Some(fill(text_of(lang, entry), phrase))
}

fn text_of(lang: Lang, (_, en, zh): &crate::Entry) -> &'static str {
    match lang {
        Lang::En => en,
        Lang::Zh => zh,
    }
}

/// Replaces each `{name}`; an argument's own braces are never looked into.
fn fill(text: &str, phrase: &Phrase) -> String {
    let mut out = String::with_capacity(text.len() + 32);
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (before, after) = rest.split_at(open);
        out.push_str(before);
        let value = after.find('}').and_then(|close| Some((close, phrase.arg(after.get(1..close)?)?)));
        match value {
            Some((close, value)) => {
                out.push_str(value);
                rest = after.get(close + 1..).unwrap_or_default();
            }
            None => {
                out.push('{');
                rest = after.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{fill, render};
    use crate::Lang;
    use reasonix_proto::Phrase;

    #[test]
    fn arguments_are_filled_once() {
        let phrase = Phrase::new("x").with("a", "{b}").with("b", "no");
        assert_eq!(fill("<{a}> {c} {", &phrase), "<{b}> {c} {");
    }

    #[test]
    fn an_unknown_code_shows_itself() {
        let phrase = Phrase::new("no.such.code").with("path", "a b");
        assert_eq!(render(Lang::Zh, &phrase), "no.such.code path=\"a b\"");
    }
}
