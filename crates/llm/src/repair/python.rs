//! Calls as Python writes them: `read_file(path="a", limit=5)`, alone or in a list. Keyword arguments only.

use super::loose;
use serde_json::{Map, Value};

/// The most calls of one list.
const MOST: usize = 64;

/// A name and its arguments.
pub(crate) type Named = (String, Map<String, Value>);

/// The calls at the beginning of a text, and the byte behind them.
pub(crate) fn calls(text: &str) -> Option<(Vec<Named>, usize)> {
    let whole = text;
    let mut rest = text.trim_start();
    let list = rest.strip_prefix('[');
    rest = list.unwrap_or(rest);
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start();
        let (name, args, behind) = call(rest)?;
        found.push((name, args));
        rest = behind.trim_start_matches([' ', '\t']);
        match rest.strip_prefix([',', ';']) {
            Some(more) if found.len() < MOST => rest = more,
            _ if list.is_none() && found.len() < MOST && next_line(rest).is_some_and(|next| call(next).is_some()) => {
                rest = next_line(rest)?;
            }
            _ => break,
        }
    }
    if list.is_some() {
        rest = rest.trim_start().strip_prefix(']')?;
    }
    Some((found, whole.len() - rest.len()))
}

fn next_line(text: &str) -> Option<&str> {
    text.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n').map(str::trim_start)
}

/// One call, and what stands behind it.
fn call(text: &str) -> Option<(String, Map<String, Value>, &str)> {
    let inner = text.strip_prefix("print(");
    let text = inner.unwrap_or(text);
    let length = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')))?;
    let (name, rest) = text.split_at(length);
    let rest = rest.strip_prefix('(')?;
    let name = name.strip_suffix(".call").unwrap_or(name);
    let (args, mut behind) = keywords_until(rest, ')')?;
    if inner.is_some() {
        behind = behind.trim_start().strip_prefix(')')?;
    }
    (!name.is_empty()).then(|| (name.to_owned(), args, behind))
}

/// `a=1, b="x"` up to the end of the text.
pub(crate) fn keywords(text: &str) -> Option<Map<String, Value>> {
    let closed = format!("{text})");
    let (args, rest) = keywords_until(&closed, ')')?;
    rest.is_empty().then_some(args)
}

fn keywords_until(text: &str, close: char) -> Option<(Map<String, Value>, &str)> {
    let mut args = Map::new();
    let mut rest = text.trim_start();
    loop {
        if let Some(behind) = rest.strip_prefix(close) {
            return Some((args, behind));
        }
        if rest.starts_with('{') && args.is_empty() {
            let read = loose::read(rest)?;
            let Value::Object(map) = read.value else { return None };
            let behind = rest.get(read.end..)?.trim_start().strip_prefix(close)?;
            return Some((map, behind));
        }
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
        let (name, behind) = rest.split_at(length);
        let value = behind.trim_start().strip_prefix('=')?;
        if name.is_empty() {
            return None;
        }
        // The reader ends a text where a comma or a bracket follows it.
        let read = loose::read(value).filter(|read| !read.marks.quotes && read.marks.cut == loose::Cut::No)?;
        args.insert(name.to_owned(), read.value);
        rest = value.get(read.end..)?.trim_start();
        if let Some(more) = rest.strip_prefix(',') {
            rest = more.trim_start();
        } else if !rest.starts_with(close) {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{calls, keywords};
    use serde_json::json;

    #[test]
    fn shapes() {
        for (text, count) in [
            (r#"read_file(path="a", limit=5)"#, 1),
            (r#"[read_file(path='a'), ls()]"#, 2),
            ("print(default_api.ls(path=\".\"))", 1),
            ("ls.call(path=\".\")", 1),
            ("ls(path=\".\")\nls(path=\"src\")", 2),
            (r#"ls({"path": "."})"#, 1),
            (r#"edit(edits=[{"old": "a", "new": "b"}], all=True)"#, 1),
        ] {
            let (found, end) = calls(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((found.len(), end), (count, text.len()), "{text}");
        }
        for text in ["read_file(\"a\")", "f(x)", "ls", "if (a) { b }", "f(a=b)", "[1, 2]", "f(a=\"x\"", ""] {
            assert_eq!(calls(text), None, "{text}");
        }
        assert_eq!(keywords("a=1, b=[1, 2]"), json!({ "a": 1, "b": [1, 2] }).as_object().cloned());
        assert_eq!(keywords("ls -la"), None);
    }
}
