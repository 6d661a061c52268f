//! SEARCH/REPLACE blocks in prose: the edit format of models without tool calls. A block is one exact replacement; an
//! empty search makes a file. Nothing is matched loosely: the tool says so when the text is not there.

use super::lexicon::Lexicon;
use super::objects::Found;
use serde_json::{Map, Value, json};

const SEARCH: &str = "<<<<<<< SEARCH";
const MIDDLE: &str = "=======";
const REPLACE: &str = ">>>>>>> REPLACE";
/// The most blocks of one answer.
const MOST: usize = 64;

/// One block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EditBlock {
    pub(crate) path: String,
    pub(crate) search: String,
    pub(crate) replace: String,
    /// The block as it was written.
    pub(crate) raw: String,
    /// What was said before it, without the name of the file and the fence.
    pub(crate) before: String,
}

impl EditBlock {
    /// The call that makes this edit, if there is a tool for it.
    pub(crate) fn call(self, lexicon: &Lexicon) -> Option<Found> {
        let (tool, args) = if self.search.is_empty() {
            ("write_file", json!({ "path": self.path, "content": self.replace }))
        } else {
            ("edit_file", json!({ "path": self.path, "old_string": self.search, "new_string": self.replace }))
        };
        let tool = lexicon.find(tool)?.to_owned();
        let Value::Object(args) = args else { return Some(Found { tool, args: Map::new(), fixes: Vec::new() }) };
        Some(Found { tool, args, fixes: Vec::new() })
    }
}

/// The blocks of a text, in order. A block that is not complete is none.
pub(crate) fn find(text: &str) -> Vec<EditBlock> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks = Vec::new();
    let mut path: Option<String> = None;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if line.trim_end() != SEARCH {
            at += 1;
            continue;
        }
        let Some((search, replace, end)) = body(&lines, at + 1) else {
            at += 1;
            continue;
        };
        // A file that several blocks are about is named once.
        path = above(&lines, at).or(path);
        if let Some(path) = &path {
            let raw = lines.get(at..end).unwrap_or_default().join("\n");
            let before = introduction(&lines, at, path);
            blocks.push(EditBlock { path: path.clone(), search, replace, raw, before });
        }
        at = end;
        if blocks.len() >= MOST {
            break;
        }
    }
    blocks
}

/// The paragraph before a block: fences, blank lines and the line that names the file do not count.
fn introduction(lines: &[&str], at: usize, path: &str) -> String {
    let before = lines.get(..at).unwrap_or_default().iter().rev().map(|line| line.trim());
    let skipped = |line: &&str| line.is_empty() || line.starts_with("```") || line.contains(path);
    let said: Vec<&str> = before.skip_while(skipped).take_while(|line| !line.is_empty()).take(8).collect();
    // What stands behind an earlier block belongs to that one.
    let own: Vec<&str> = said.into_iter().take_while(|line| *line != REPLACE).collect();
    own.into_iter().rev().collect::<Vec<_>>().join("\n")
}

/// Both halves of a block, and the line behind it.
fn body(lines: &[&str], start: usize) -> Option<(String, String, usize)> {
    let rest = lines.get(start..)?;
    let end = rest.iter().position(|line| line.trim_end() == REPLACE)?;
    let inner = rest.get(..end)?;
    if inner.iter().any(|line| line.trim_end() == SEARCH) {
        return None;
    }
    let middle = inner.iter().position(|line| line.trim_end() == MIDDLE)?;
    let joined = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    Some((joined(inner.get(..middle)?), joined(inner.get(middle + 1..)?), start + end + 1))
}

/// The file that is named above a block: the nearest line that is neither blank nor a fence, within three lines.
fn above(lines: &[&str], at: usize) -> Option<String> {
    let before = lines.get(at.saturating_sub(3)..at)?;
    for line in before.iter().rev() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if let Some(info) = line.strip_prefix("```") {
            // Some models name the file in the fence.
            let info = info.trim();
            if is_path(info) && info.contains(['/', '.']) {
                return Some(info.to_owned());
            }
            continue;
        }
        let name = line.trim_start_matches('#').trim().trim_matches(['`', '*', ':', '"', '\'']).trim();
        return is_path(name).then(|| name.to_owned());
    }
    None
}

fn is_path(name: &str) -> bool {
    !name.is_empty() && name.len() < 512 && !name.contains(char::is_whitespace) && !name.contains(['<', '>', '`', '|'])
}

#[cfg(test)]
mod tests {
    use super::find;
    use pretty_assertions::assert_eq;

    fn flat(text: &str) -> Vec<(String, String, String)> {
        find(text).into_iter().map(|block| (block.path, block.search, block.replace)).collect()
    }

    fn block(path: &str, search: &str, replace: &str) -> (String, String, String) {
        (path.into(), search.into(), replace.into())
    }

    #[test]
    fn shapes() {
        let one = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
        assert_eq!(flat(&format!("src/a.rs\n{one}")), [block("src/a.rs", "a\n", "b\n")]);
        assert_eq!(
            flat(&format!("I change it.\n\n**src/a.rs**\n```rust\n{one}```\n")),
            [block("src/a.rs", "a\n", "b\n")]
        );
        assert_eq!(flat(&format!("```src/a.rs\n{one}```")), [block("src/a.rs", "a\n", "b\n")]);
        assert_eq!(flat(&format!("a.rs\n{one}\n{one}")).len(), 2, "the file is named once");
        assert_eq!(flat("new.txt\n<<<<<<< SEARCH\n=======\nhello\n>>>>>>> REPLACE"), [block("new.txt", "", "hello\n")]);
        assert_eq!(flat("a\n<<<<<<< SEARCH\nx\n=======\n>>>>>>> REPLACE"), [block("a", "x\n", "")]);
    }

    #[test]
    fn what_is_no_block() {
        for text in [
            "a.rs\n<<<<<<< SEARCH\na\n=======\nb\n",
            "a.rs\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE",
            "a.rs\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main",
            "This is what it looks like:\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE",
            "a.rs\n  <<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE",
            "",
        ] {
            assert_eq!(flat(text), [], "{text}");
        }
    }
}
