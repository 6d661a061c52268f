//! Places in files that an answer names as `path:line`, found and checked against the workspace.

use crate::workspace::Workspace;
use reasonix_proto::{BrokenCitation, Citation};

/// Citations that are checked of one answer.
const MOST: usize = 200;
/// A line beyond this is not counted to.
const FARTHEST: u64 = 10_000_000;

/// The citations of a text, in order. Only what looks like a path with an extension or a folder, and a line, counts.
pub fn citations(workspace: &Workspace, text: &str) -> Vec<Citation> {
    find(text).take(MOST).map(|citation| checked(workspace, citation)).collect()
}

fn find(text: &str) -> impl Iterator<Item = Citation> + '_ {
    let mut rest = 0;
    std::iter::from_fn(move || {
        loop {
            let tail = text.get(rest..)?;
            let (start, word) = next_word(tail)?;
            let at = rest + start;
            rest = at + word.len();
            if let Some(found) = read(word, at) {
                return Some(found);
            }
        }
    })
}

/// The next run of characters that can be in a citation, and where it begins.
fn next_word(text: &str) -> Option<(usize, &str)> {
    let part = |c: char| c.is_alphanumeric() || "_-./:+@~#".contains(c);
    let start = text.find(part)?;
    let rest = text.get(start..)?;
    let end = rest.find(|c: char| !part(c)).unwrap_or(rest.len());
    Some((start, rest.get(..end)?))
}

fn read(word: &str, at: usize) -> Option<Citation> {
    // A reference as people write it names the same file.
    let (at, word) = word.strip_prefix('@').map_or((at, word), |rest| (at + 1, rest));
    let (path, lines) = word.split_once(':')?;
    let is_path = path.contains(['.', '/']) && path.chars().any(char::is_alphabetic) && !lines.starts_with("//");
    if !is_path || path.starts_with("..") || path.contains("//") || is_host(path) {
        return None;
    }
    let (line, rest) = number(lines.strip_prefix('L').unwrap_or(lines))?;
    let after = rest.strip_prefix('-').map(|rest| rest.strip_prefix('L').unwrap_or(rest));
    let end = after.and_then(number).filter(|(end, _)| *end >= line);
    let rest = end.map_or(rest, |(_, rest)| rest);
    // `host.name:8080/path` and `12:30:45` are something else; a column or the end of a sentence may follow.
    if rest.contains('/') || line == 0 {
        return None;
    }
    let length = word.len() - rest.len();
    Some(Citation {
        text: word.get(..length)?.to_owned(),
        start: at,
        path: path.trim_start_matches("./").to_owned(),
        line,
        end: end.map(|(end, _)| end),
        broken: None,
    })
}

/// Endings that names of machines have, and files hardly ever.
const HOSTS: &[&str] = &[
    "ai",
    "app",
    "cloud",
    "cn",
    "com",
    "de",
    "dev",
    "edu",
    "eu",
    "example",
    "gov",
    "internal",
    "invalid",
    "io",
    "jp",
    "lan",
    "local",
    "localhost",
    "net",
    "org",
    "uk",
];

/// True for what reads like a machine with a port, not like a file with a line.
fn is_host(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    !path.contains('/') && HOSTS.contains(&ending.to_lowercase().as_str())
}

fn number(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at_checked(digits)?;
    Some((number.parse().ok()?, rest))
}

fn checked(workspace: &Workspace, mut citation: Citation) -> Citation {
    let last = citation.end.unwrap_or(citation.line);
    citation.broken = match workspace.count_lines(&citation.path, last.min(FARTHEST)) {
        Some(lines) if lines >= last => None,
        Some(lines) => Some(BrokenCitation::NoLine { lines }),
        None => Some(BrokenCitation::NoFile),
    };
    citation
}

#[cfg(test)]
mod tests {
    use super::find;

    fn found(text: &str) -> Vec<(String, u64, Option<u64>)> {
        find(text).map(|citation| (citation.path, citation.line, citation.end)).collect()
    }

    #[test]
    fn what_is_a_citation() {
        for (text, path, line, end) in [
            ("see src/main.rs:12.", "src/main.rs", 12, None),
            ("(`./a.py:3-9`)", "a.py", 3, Some(9)),
            ("crates/x/lib.rs:L5-L7, and", "crates/x/lib.rs", 5, Some(7)),
            ("在 文档/说明.md:4 里", "文档/说明.md", 4, None),
            ("src/a.rs:10:5: error", "src/a.rs", 10, None),
            ("as in @calc.py:1-2", "calc.py", 1, Some(2)),
        ] {
            assert_eq!(found(text), [(path.to_owned(), line, end)], "{text}");
        }
        let text = "at src/a.rs:7 now";
        let citation = find(text).next().unwrap();
        assert_eq!(&text[citation.start..citation.start + citation.text.len()], "src/a.rs:7");
    }

    #[test]
    fn what_is_not() {
        for text in [
            "example.com:443",
            "db.internal:5432",
            "12:30",
            "http://x.org:80/a",
            "https://a.b/c:1",
            "x.org:8080/path",
            "a: 1",
            "fn x::y",
            "1.5:2",
            "",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}
