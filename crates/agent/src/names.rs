//! How models spell the names of tools and arguments, brought to one spelling. Pure; knows no tool by name.

/// What some templates and models put in front of a tool's name.
const FRONTS: [&str; 7] = ["functions.", "function.", "tools.", "tool.", "default_api.", "functions/", "tool:"];

/// A name in one spelling: no wrapping, no counter behind it, words in lower case with `_` between them.
pub fn plain_name(name: &str) -> String {
    let mut name = name.trim().trim_matches(['"', '\'', '`', ' ']);
    while let Some(rest) = FRONTS.iter().find_map(|front| name.strip_prefix(front)) {
        name = rest;
    }
    name = name.strip_suffix("()").unwrap_or(name);
    if let Some((front, counter)) = name.rsplit_once(':')
        && !counter.is_empty()
        && counter.bytes().all(|byte| byte.is_ascii_digit())
    {
        name = front;
    }
    let mut out = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for c in name.chars() {
        let apart = matches!(c, '-' | ' ' | '.' | '/' | ':');
        if c.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit()) {
            out.push('_');
        }
        if apart {
            out.push('_')
        } else {
            out.extend(c.to_lowercase())
        }
        before = c;
    }
    out
}

/// The one of the known names that a misspelt one is near to; none when there are two, or it is far from all.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let plain = plain_name(name);
    let most = (plain.chars().count() / 4).min(2);
    let mut best: Option<(usize, &str)> = None;
    let mut tied = false;
    for candidate in known {
        let away = distance(&plain, &plain_name(candidate));
        if away > most {
            continue;
        }
        tied = best.is_some_and(|(closest, _)| closest == away) || (tied && best.is_some_and(|(c, _)| c < away));
        if best.is_none_or(|(closest, _)| away < closest) {
            best = Some((away, candidate));
            tied = false;
        }
    }
    best.filter(|_| !tied).map(|(_, name)| name)
}

/// How many characters have to be put in, taken out or changed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = i;
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(&b) {
            let change = corner + usize::from(x != *y);
            corner = *cell;
            *cell = change.min(left + 1).min(corner + 1);
            left = *cell;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest, plain_name};

    #[test]
    fn spellings() {
        for (written, plain) in [
            ("read_file", "read_file"),
            ("functions.read_file", "read_file"),
            ("functions.read_file:0", "read_file"),
            ("default_api.read_file", "read_file"),
            ("ReadFile", "read_file"),
            ("readFile", "read_file"),
            ("read-file", "read_file"),
            (" `read_file()` ", "read_file"),
            ("mcp__git__log", "mcp__git__log"),
            ("", ""),
        ] {
            assert_eq!(plain_name(written), plain, "{written}");
        }
    }

    #[test]
    fn near_names() {
        let known = || ["path", "old_string", "new_string", "offset", "limit"].into_iter();
        assert_eq!(nearest("oldString", known()), Some("old_string"));
        assert_eq!(nearest("old_strng", known()), Some("old_string"));
        assert_eq!(nearest("paht", known()), None, "two changes of four letters is another word");
        assert_eq!(nearest("pat", known()), None);
        assert_eq!(nearest("paths", known()), Some("path"));
        assert_eq!(nearest("cold_string", known()), Some("old_string"));
        assert_eq!(nearest("command", known()), None);
        assert_eq!(nearest("aold_string", ["bold_string", "cold_string"].into_iter()), None, "a tie decides nothing");
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
