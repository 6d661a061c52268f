//! `@` references in a prompt. A reference counts only when something of that name exists, so that an ordinary
//! mention or an e-mail address stays what it is. Reading goes through the workspace's boundary.

use reasonix_proto::Phrase;
use reasonix_workspace::{FileError, Workspace};

/// Lines of a referenced file that are put into the prompt.
const MOST_LINES: usize = 2000;
/// Bytes of a referenced file that are put into the prompt.
const MOST_BYTES: usize = 64 * 1024;
/// Entries of a referenced folder that are listed.
const MOST_ENTRIES: usize = 200;

/// A prompt with its references resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// What is sent: the referenced content, then the prompt as it was typed.
    pub text: String,
    /// References that exist and could not be read.
    pub notices: Vec<Phrase>,
}

/// Puts the content of every `@path` of the prompt before it.
pub fn resolve_refs(workspace: &Workspace, prompt: &str) -> Resolved {
    let mut blocks = String::new();
    let mut notices = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for path in mentions(prompt) {
        let Some(path) = existing(workspace, path) else {
            notices.extend(refused(workspace, path));
            continue;
        };
        if seen.contains(&path) {
            continue;
        }
        seen.push(path);
        match block(workspace, path) {
            Ok(text) => blocks.push_str(&text),
            Err(error) => {
                notices.push(Phrase::new("engine.reference_failed").with("path", path).with("reason", error));
            }
        }
    }
    Resolved { text: blocks + prompt, notices }
}

/// What follows each `@` that begins a word.
fn mentions(prompt: &str) -> impl Iterator<Item = &str> {
    prompt.split_whitespace().filter_map(|word| word.strip_prefix('@')).filter(|path| !path.is_empty())
}

/// The mention, or the mention without the punctuation after it, whichever exists.
fn existing<'a>(workspace: &Workspace, mention: &'a str) -> Option<&'a str> {
    let trimmed =
        mention.trim_end_matches([',', '.', ';', ':', '!', '?', ')', '，', '。', '；', '：', '！', '？', '）']);
    [mention, trimmed].into_iter().find(|path| !path.is_empty() && workspace.exists(path).unwrap_or(false))
}

/// A mention that clearly names a file which may not be read is told, not dropped.
fn refused(workspace: &Workspace, mention: &str) -> Option<Phrase> {
    let is_path = mention.starts_with(['/', '.']) || mention.contains('/');
    let reason = workspace.exists(mention).err().filter(|_| is_path && workspace.root().join(mention).exists())?;
    Some(Phrase::new("engine.reference_failed").with("path", mention).with("reason", reason.message()))
}

fn block(workspace: &Workspace, path: &str) -> Result<String, FileError> {
    let shown = workspace.shown(path);
    match workspace.read_lines(path, 1, MOST_LINES, MOST_BYTES) {
        Ok(window) => {
            let cut = if window.more || window.cut > 0 { "\n[cut: use read_file for the rest]" } else { "" };
            Ok(format!("<file path=\"{shown}\">\n{}{cut}\n</file>\n\n", window.lines.join("\n")))
        }
        Err(FileError::IsDirectory { .. }) => {
            let listing = workspace.list(path)?;
            let names: Vec<_> = listing.entries.iter().take(MOST_ENTRIES).map(|entry| entry.name.as_str()).collect();
            Ok(format!("<folder path=\"{shown}\">\n{}\n</folder>\n\n", names.join("\n")))
        }
        Err(FileError::Binary { .. }) => Ok(format!("<file path=\"{shown}\">[binary file]</file>\n\n")),
        Err(error) => Err(error),
    }
}
