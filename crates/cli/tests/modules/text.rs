//! Source text without what is no code.

/// The text of a file up to the tests that stand in it.
pub(crate) fn without_tests(source: &str) -> &str {
    source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default()
}

/// The modules of a file that are there for tests alone.
pub(super) fn test_modules(source: &str) -> Vec<String> {
    let declared = source.split("#[cfg(test)]\nmod ").skip(1);
    declared
        .filter_map(|rest| rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next())
        .map(str::to_owned)
        .collect()
}

/// The code of a file: no comments, nothing between quotes, and nothing from its tests on.
pub(crate) fn code(source: &str) -> String {
    let source = without_tests(source);
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(next) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(length) = raw(rest) {
            length
        } else if next == '"' {
            quoted(rest)
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\\"'") {
            rest[1..].find("\"'").map_or(rest.len(), |at| at + 3)
        } else {
            code.push(next);
            next.len_utf8()
        };
        rest = &rest[length..];
    }
    code
}

/// Length of a text that ends at the first quote without a backslash before it.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// Length of a raw text with its marks.
fn raw(text: &str) -> Option<usize> {
    let marks = text.strip_prefix('r')?;
    let hashes = marks.len() - marks.trim_start_matches('#').len();
    let inside = marks[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(inside.find(&end).map_or(text.len(), |at| 1 + hashes + 1 + at + end.len()))
}

#[test]
fn only_code_is_left() {
    assert_eq!(
        code("a // crate::b\nc \"crate::\\\"d\" r#\"crate::\"e\"# f '\"' g\n#[cfg(test)]\nmod tests {h"),
        "a \nc   f  g\n"
    );
}
