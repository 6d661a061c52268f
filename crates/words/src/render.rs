//! Puts arguments into texts.

use crate::spacing::closed_up;
use crate::{Lang, catalogue};
use reasonix_proto::Phrase;
use std::borrow::Cow;

/// The text of a phrase. A code that the catalogue does not know shows itself with its arguments.
pub fn render(lang: Lang, phrase: &Phrase) -> String {
    match catalogue::find(&phrase.code) {
        Some(entry) => fill(lang, text_of(lang, entry), phrase),
        None => phrase.to_string(),
    }
}

/// What to do about it, when the catalogue has a `<code>.hint`.
pub fn hint(lang: Lang, phrase: &Phrase) -> Option<String> {
    let entry = catalogue::find(&format!("{}.hint", phrase.code))?;
    Some(fill(lang, text_of(lang, entry), phrase))
}

fn text_of(lang: Lang, (_, en, zh): &crate::Entry) -> &'static str {
    match lang {
        Lang::En => en,
        Lang::Zh => zh,
    }
}

/// A word of records, reports and tables as people read it, of a group such as `tree` or `scope`; one that is not known
/// shows itself.
pub fn named<'a>(lang: Lang, group: &str, word: &'a str) -> Cow<'a, str> {
    let entry = catalogue::find(&format!("{group}.{word}"));
    entry.map_or(Cow::Borrowed(word), |entry| Cow::Borrowed(text_of(lang, entry)))
}

/// Where a setting or a rule comes from, as `SettingSource` writes it: its layer in the words of people, and the place.
pub fn origin_told(lang: Lang, origin: &str) -> Cow<'_, str> {
    let (layer, place) = origin.split_once(' ').map_or((origin, None), |(layer, place)| (layer, Some(place)));
    match (catalogue::find(&format!("origin.{layer}")), place) {
        (Some(entry), Some(place)) if lang == Lang::Zh => Cow::Owned(format!("{} {place}", text_of(lang, entry))),
        (Some(entry), None) => Cow::Borrowed(text_of(lang, entry)),
        _ => Cow::Borrowed(origin),
    }
}

/// Who or what decided about a call, as `DecidedBy` writes it.
fn decided_told(lang: Lang, by: &str) -> Cow<'_, str> {
    match by.strip_prefix("rule ").filter(|_| lang == Lang::Zh) {
        Some(rule) => Cow::Owned(format!("规则 {rule}")),
        None => named(lang, "decided", by),
    }
}

/// Replaces each `{name}`; an argument's own braces are never looked into. An argument `@code` stands for that
/// code's text, filled from the same arguments: how one phrase speaks of another. `{name|file|files}` is the first word
/// where the argument is 1, the second otherwise.
fn fill(lang: Lang, text: &str, phrase: &Phrase) -> String {
    let mut out = String::with_capacity(text.len() + 32);
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (before, after) = rest.split_at(open);
        out.push_str(before);
        let value = after.find('}').and_then(|close| Some((close, value_of(after.get(1..close)?, phrase)?)));
        match value {
            Some((close, value)) => {
                let mut spoken = String::new();
                match value.strip_prefix('@').and_then(catalogue::find) {
                    Some(entry) if !text_of(lang, entry).contains(text) => {
                        let text = fill(lang, text_of(lang, entry), phrase);
                        // A sentence that goes on does not end in the middle.
                        let goes_on =
                            after.get(close + 1..).is_some_and(|rest| rest.starts_with([':', '：', ',', '，']));
                        let end: &[char] = if goes_on { &['.', '。'] } else { &[] };
                        spoken.push_str(text.trim_end_matches(end));
                    }
                    // What the system or a tool gives as the reason is a sentence of its own.
                    _ if REASONS.iter().any(|name| after.starts_with(name)) => {
                        spoken.push_str(&crate::retold(lang, value))
                    }
                    _ if lang == Lang::Zh && after.starts_with("{explained}") => {
                        spoken.push_str(crate::setting_in_chinese(value).unwrap_or(value));
                    }
                    _ if after.starts_with("{rule}") => spoken.push_str(&named(lang, "rule", value)),
                    _ if after.starts_with("{by}") => spoken.push_str(&decided_told(lang, value)),
                    _ if after.starts_with("{origin}") => spoken.push_str(&origin_told(lang, value)),
                    _ if lang == Lang::Zh && LISTS.iter().any(|name| after.starts_with(name)) => {
                        spoken.push_str(&value.replace(", ", "、"));
                    }
                    _ => spoken.push_str(value),
                }
                rest = after.get(close + 1..).unwrap_or_default();
                if lang == Lang::Zh {
                    rest = closed_up(&mut out, &spoken, rest);
                }
                out.push_str(&spoken);
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

/// The places that hold what something else said.
const REASONS: [&str; 6] = ["{reason}", "{why}", "{error}", "{detail}", "{message}", "{missing}"];

/// The places that hold several names, which are listed with commas.
const LISTS: [&str; 12] = [
    "{known}",
    "{names}",
    "{paths}",
    "{values}",
    "{topics}",
    "{fields}",
    "{folders}",
    "{jobs}",
    "{offered}",
    "{sessions}",
    "{files}",
    "{lines}",
];

/// What stands for a placeholder.
fn value_of<'a>(placeholder: &'a str, phrase: &'a Phrase) -> Option<&'a str> {
    let Some((name, words)) = placeholder.split_once('|') else { return phrase.arg(placeholder) };
    let (one, several) = words.split_once('|')?;
    Some(if phrase.arg(name)? == "1" { one } else { several })
}

#[cfg(test)]
mod tests {
    use super::{fill, render};
    use crate::Lang;
    use reasonix_proto::Phrase;

    #[test]
    fn arguments_are_filled_once() {
        let phrase = Phrase::new("x").with("a", "{b}").with("b", "no");
        assert_eq!(fill(Lang::En, "<{a}> {c} {", &phrase), "<{b}> {c} {");
    }

    #[test]
    fn a_phrase_can_speak_of_another() {
        let phrase = Phrase::new("engine.retrying")
            .with("why", "@engine.empty_answer")
            .with("attempt", 1)
            .with("of", 4)
            .with("wait", "0.5");
        assert_eq!(
            render(Lang::En, &phrase),
            "the model answered with nothing: attempt 1 of 4 failed, trying again in 0.5 s"
        );
        let silent = phrase.clone().with("why", "@llm.idle");
        let args = [("provider", "mock"), ("seconds", "2")].map(|(name, value)| (name.into(), value.to_owned()));
        let kept = silent.args.into_iter().filter(|(name, value)| name != "why" || value != "@engine.empty_answer");
        let silent = Phrase { args: kept.chain(args).collect(), ..phrase };
        assert_eq!(
            render(Lang::En, &silent),
            "Nothing came from mock for 2 seconds: attempt 1 of 4 failed, trying again in 0.5 s"
        );
        assert_eq!(render(Lang::Zh, &silent), "mock 已有 2 秒没有响应：第 1/4 次尝试失败，0.5 秒后重试");
    }

    #[test]
    fn one_is_not_several() {
        let said = |lang, count: u32| render(lang, &Phrase::new("undo.turn").with("turn", 3).with("count", count));
        assert_eq!(said(Lang::En, 0), "turn 3: 0 files");
        assert_eq!(said(Lang::En, 1), "turn 3: 1 file");
        assert_eq!(said(Lang::En, 21), "turn 3: 21 files");
        assert_eq!(said(Lang::Zh, 1), "第 3 轮：1 个文件");
        let phrase = Phrase::new("x").with("a", 1);
        assert_eq!(fill(Lang::En, "{b|one|more} {a|one} {a|is|are}", &phrase), "{b|one|more} {a|one} is");
    }

    #[test]
    fn chinese_closes_up_around_chinese_and_keeps_a_space_from_the_rest() {
        let phrase = |rule: &str| Phrase::new("x").with("rule", rule).with("names", "a, b");
        assert_eq!(fill(Lang::Zh, "不再询问 {rule} 了", &phrase("危险命令")), "不再询问危险命令了");
        assert_eq!(fill(Lang::Zh, "不再询问 {rule} 了", &phrase("Bash(rm:*)")), "不再询问 Bash(rm:*) 了");
        assert_eq!(fill(Lang::Zh, "会话    {rule}", &phrase("甲")), "会话    甲", "columns stay");
        assert_eq!(fill(Lang::Zh, "可用：{names}", &phrase("")), "可用：a、b");
        assert_eq!(fill(Lang::En, "not {rule} {names}", &phrase("危险")), "not 危险 a, b");
    }

    #[test]
    fn an_unknown_code_shows_itself() {
        let phrase = Phrase::new("no.such.code").with("path", "a b");
        assert_eq!(render(Lang::Zh, &phrase), "no.such.code path=\"a b\"");
    }
}
