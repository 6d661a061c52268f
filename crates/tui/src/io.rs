//! The front end's own small files: prompts of earlier, drafts. And what goes through the terminal to the desktop.

use crate::app::Notify;
use crate::composer::MOST_HISTORY;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Of a history file only so much of its end is read.
const MOST_BYTES: u64 = 1 << 20;

/// Where the files are.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    folder: PathBuf,
    draft: PathBuf,
    workspace: String,
}

impl Files {
    /// Files below our own state folder; drafts are kept for each working folder and process.
    pub(crate) fn at(state: &Path, workspace: &Path) -> Self {
        let folder = state.join("tui");
        let workspace = name_of(workspace);
        let draft = folder.join(format!("draft-{workspace}-{}", std::process::id()));
        Self { folder, draft, workspace }
    }

    fn make_folder(&self) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)
    }

    fn history(&self) -> PathBuf {
        self.folder.join("history.jsonl")
    }

    /// Prompts of earlier, oldest first.
    pub(crate) fn recall(&self) -> Vec<String> {
        let text = read_end(&self.history()).unwrap_or_default();
        let prompts: Vec<String> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let extra = prompts.len().saturating_sub(MOST_HISTORY);
        prompts.into_iter().skip(extra).collect()
    }

    /// Adds a prompt: one line, in one write, so that two processes do not mix.
    pub(crate) fn remember(&self, prompt: &str) -> io::Result<()> {
        self.make_folder()?;
        let path = self.history();
        let mut line = serde_json::to_string(prompt)?;
        line.push('\n');
        OpenOptions::new().create(true).append(true).mode(0o600).open(&path)?.write_all(line.as_bytes())?;
        if fs::metadata(&path)?.len() > MOST_BYTES * 2 {
            let kept: Vec<String> =
                self.recall().iter().filter_map(|prompt| serde_json::to_string(prompt).ok()).collect();
            replace(&path, format!("{}\n", kept.join("\n")).as_bytes())?;
        }
        Ok(())
    }

    /// Keeps the draft; an empty one is forgotten.
    pub(crate) fn keep_draft(&self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return match fs::remove_file(&self.draft) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                other => other,
            };
        }
        self.make_folder()?;
        replace(&self.draft, text.as_bytes())
    }

    /// A draft of this folder whose process is gone. It is ours from now on.
    pub(crate) fn left_draft(&self) -> Option<String> {
        let prefix = format!("draft-{}-", self.workspace);
        for entry in fs::read_dir(&self.folder).ok()?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(process) = name.strip_prefix(&prefix).and_then(|id| id.parse::<u32>().ok()) else { continue };
            if !Path::new(&format!("/proc/{process}")).exists() {
                let text = fs::read_to_string(entry.path()).ok();
                let _ = fs::rename(entry.path(), &self.draft);
                return text.filter(|text| !text.trim().is_empty());
            }
        }
        None
    }
}

/// A short name for a folder that no other has.
fn name_of(folder: &Path) -> String {
    use std::hash::{Hash, Hasher};
    let mut hasher = std::hash::DefaultHasher::new();
    folder.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn read_end(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MOST_BYTES)))?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension(format!("new{}", std::process::id()));
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&beside)?;
    file.write_all(bytes)?;
    fs::rename(&beside, path)
}

/// The sequence that puts a text into the clipboard.
pub(crate) fn clipboard(text: &str) -> String {
    format!("\x1b]52;c;{}\x07", base64(text.as_bytes()))
}

/// The sequences that tell the desktop, and a bell for terminals that know neither.
pub(crate) fn notification(text: &str, how: Notify) -> String {
    if how == Notify::Bell {
        return "\x07".to_owned();
    }
    let text: String = text.chars().filter(|c| !c.is_control() && *c != ';').collect();
    format!("\x1b]777;notify;Reasonix;{text}\x1b\\\x1b]9;{text}\x1b\\\x07")
}

/// The sequence for the window's title.
pub(crate) fn title(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("\x1b]2;{text}\x1b\\")
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for piece in bytes.chunks(3) {
        let number = piece.iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - piece.len()));
        for place in 0..4usize {
            let six = (number >> (18 - 6 * place)) as usize & 63;
            let sign = if place <= piece.len() { SIGNS.get(six).copied().unwrap_or(b'=') } else { b'=' };
            out.push(char::from(sign));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Files, Notify, base64, notification};
    use std::path::Path;

    #[test]
    fn base64_is_what_terminals_read() {
        for (text, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("中文", "5Lit5paH")] {
            assert_eq!(base64(text.as_bytes()), coded);
        }
    }

    #[test]
    fn a_notification_cannot_hold_a_sequence() {
        assert!(!notification("a\x1b]52;c;x\x07b", Notify::Desktop).contains("\x1b]52"));
        assert_eq!(notification("a", Notify::Bell), "\x07");
    }

    #[test]
    fn prompts_of_earlier_come_back_in_order() {
        let home = tempfile::tempdir().unwrap();
        let files = Files::at(home.path(), Path::new("/work"));
        assert!(files.recall().is_empty());
        for text in ["one", "two\nlines", "三"] {
            files.remember(text).unwrap();
        }
        assert_eq!(files.recall(), ["one", "two\nlines", "三"]);
    }

    #[test]
    fn a_draft_of_a_process_that_is_gone_is_found_once() {
        let home = tempfile::tempdir().unwrap();
        let files = Files::at(home.path(), Path::new("/work"));
        files.keep_draft("mine").unwrap();
        assert_eq!(files.left_draft(), None, "its own process lives");
        let gone = files.draft.with_file_name(format!("draft-{}-4194999", files.workspace));
        std::fs::rename(&files.draft, gone).unwrap();
        assert_eq!(files.left_draft().as_deref(), Some("mine"));
        files.keep_draft("").unwrap();
        assert_eq!(files.left_draft(), None);
    }
}
