//! Commands of other agents in our words: what they fill in, and nothing that would run here and did not there.

/// Plain text as the text of a command: nothing in it is filled in or run. None where a part of it would be.
pub(super) fn plain(text: &str) -> Option<String> {
    let runs = text.contains("!`") || text.contains("```!");
    (!runs).then(|| text.replace('$', "$$"))
}

/// A command with its description above.
pub(super) fn described(description: Option<&str>, text: &str) -> String {
    let line = description.map(|words| words.split_whitespace().collect::<Vec<_>>().join(" "));
    match line.filter(|line| !line.is_empty()) {
        Some(line) => format!("---\ndescription: {}\n---\n{text}\n", serde_json::Value::String(line)),
        None => format!("{text}\n"),
    }
}

/// A prompt of Gemini CLI: `{{args}}`, `!{command}` and `@{path}`. None where a command line could not be written here.
pub(super) fn of_gemini(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['!', '@']) {
        let (before, from) = rest.split_at(at);
        out.push_str(&plain(before)?);
        let mark = from.get(..1)?;
        let Some(inner) = from.get(1..).and_then(|from| from.strip_prefix('{')) else {
            // A mark that means nothing there means nothing here either, unless something follows that would.
            if from.starts_with("!`") {
                return None;
            }
            out.push_str(mark);
            rest = from.get(1..)?;
            continue;
        };
        let end = closing(inner)?;
        let (inside, after) = (inner.get(..end)?.trim(), inner.get(end + 1..)?);
        if inside.contains(['`', '\n']) || (mark == "@" && inside.contains(char::is_whitespace)) {
            return None;
        }
        let inside = inside.replace('$', "$$");
        out.push_str(&if mark == "!" { format!("!`{inside}`") } else { format!("@{inside}") });
        rest = after;
    }
    out.push_str(&plain(rest)?);
    Some(out.replace("{{args}}", "$ARGUMENTS"))
}

/// Where the brace closes that was opened before.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    text.char_indices().find_map(|(at, c)| {
        open += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        (open == 0).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::{described, of_gemini, plain};

    #[test]
    fn prompts_in_our_words() {
        for (given, wanted) in [
            ("Review {{args}} for $5", Some("Review $ARGUMENTS for $$5")),
            (
                "See @{docs/a.md} and !{git log --format=%h {{args}}}.",
                Some("See @docs/a.md and !`git log --format=%h $ARGUMENTS`."),
            ),
            ("!{git log | awk '{print $1}'}", Some("!`git log | awk '{print $$1}'`")),
            ("Mail a@b.c! Now", Some("Mail a@b.c! Now")),
            ("Never !`rm -rf x`", None),
            ("!{echo `date`}", None),
            ("!{never closed", None),
        ] {
            assert_eq!(of_gemini(given).as_deref(), wanted, "{given}");
        }
        assert_eq!((plain("costs $1").as_deref(), plain("run !`x`")), (Some("costs $$1"), None));
        assert_eq!(
            described(Some("Says: \"hi\"\n there"), "Go."),
            "---\ndescription: \"Says: \\\"hi\\\" there\"\n---\nGo.\n"
        );
    }
}
