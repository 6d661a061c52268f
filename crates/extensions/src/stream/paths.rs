//! The files that a call is about, as far as its arguments say it.

use reasonix_proto::tools::FILE_ARGUMENTS;
use regex::Regex;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// How patches name one.
const MARKS: &[&str] = &["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
const MOST: usize = 64;
const DEEPEST: usize = 3;

static FIRST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let written = format!(r#""(?:{})"\s*:\s*("(?:[^"\\]|\\.)*")"#, FILE_ARGUMENTS.join("|"));
    Regex::new(&written).ok()
});

/// The first file in arguments of which only the beginning has come.
pub(crate) fn first(arguments: &str) -> Option<PathBuf> {
    let written = FIRST.as_ref()?.captures(arguments)?.get(1)?.as_str();
    serde_json::from_str::<String>(written).ok().map(PathBuf::from)
}

/// The files in arguments that are whole.
pub(crate) fn all(arguments: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if let Ok(value) = serde_json::from_str::<Value>(arguments) {
        gather(&value, DEEPEST, &mut found);
    }
    found
}

fn gather(value: &Value, depth: usize, found: &mut Vec<PathBuf>) {
    if found.len() >= MOST || depth == 0 {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if FILE_ARGUMENTS.contains(&name.as_str()) => found.push(PathBuf::from(text)),
                    Value::String(text) => found.extend(patched(text)),
                    other => gather(other, depth - 1, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| gather(value, depth - 1, found)),
        _ => {}
    }
}

fn patched(text: &str) -> impl Iterator<Item = PathBuf> {
    let named =
        |line: &str| MARKS.iter().find_map(|mark| line.strip_prefix(mark)).map(|path| PathBuf::from(path.trim()));
    let lines = if text.starts_with("*** ") { text } else { "" };
    lines.lines().filter_map(named).take(MOST).collect::<Vec<_>>().into_iter()
}

/// The path below this folder, as patterns see it.
pub(crate) fn below(path: &Path, folder: &Path) -> PathBuf {
    path.strip_prefix(folder).unwrap_or(path).components().filter(|part| part.as_os_str() != ".").collect()
}

#[cfg(test)]
mod tests {
    use super::{all, below, first};
    use std::path::{Path, PathBuf};

    #[test]
    fn files_are_found_in_halves_and_in_wholes() {
        let half = r#"{"content":"say \"path\": \"no.rs\"","path": "src/a\"b.rs","more":"#;
        assert_eq!(first(half), Some(PathBuf::from("src/a\"b.rs")));
        for text in [r#"{"path": "src/a"#, r#"{"pa"#, "", r#"{"command":"x"}"#] {
            assert_eq!(first(text), None, "{text}");
        }
        let paths = |text: &str| all(text).iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
        assert_eq!(paths(r#"{"edits":[{"path":"a"},{"path":"b"}],"to":"c"}"#), ["a", "b", "c"]);
        assert_eq!(
            paths(r#"{"patch":"*** Begin Patch\n*** Update File: x/y.rs\n*** Move to: z.rs\n"}"#),
            ["x/y.rs", "z.rs"]
        );
        assert!(paths("{").is_empty());
    }

    #[test]
    fn paths_are_told_from_the_projects_folder() {
        for (path, wanted) in [("/p/src/a.rs", "src/a.rs"), ("./src/a.rs", "src/a.rs"), ("/q/a.rs", "/q/a.rs")] {
            assert_eq!(below(Path::new(path), Path::new("/p")), Path::new(wanted), "{path}");
        }
    }
}
