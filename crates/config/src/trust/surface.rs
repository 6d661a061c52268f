//! A surface: one thing of a repository that would be executed, with all the bytes that say what it does.

use super::SurfaceChange;
use super::named::content;
use reasonix_store::BlobKey;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Text of a part that is kept, so that a difference can be shown later.
pub(super) const SHOWN: usize = 256 * 1024;

/// What kind of thing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SurfaceKind {
    /// Runs at events of a session.
    Hook,
    /// An MCP server.
    Mcp,
    /// A language server.
    Lsp,
    /// A skill with scripts.
    Skill,
    /// A slash command that runs shell text.
    Command,
    /// An agent's profile, whose text stands in place of the system prompt.
    Agent,
    /// Checks that run after edits.
    Validation,
    /// Changes files after edits.
    Formatter,
    /// Fills the status line.
    StatusLine,
    /// Stands in place of the system prompt.
    Prompt,
    /// Run by git: a setting, a hook, a step of a rebase.
    Git,
    /// A command that was found to check edits: it runs what the repository has.
    Detected,
}

impl SurfaceKind {
    /// Its word in files and events.
    pub fn word(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Mcp => "mcp",
            Self::Lsp => "lsp",
            Self::Skill => "skill",
            Self::Command => "command",
            Self::Agent => "agent",
            Self::Validation => "validation",
            Self::Formatter => "formatter",
            Self::StatusLine => "status_line",
            Self::Prompt => "prompt",
            Self::Git => "git",
            Self::Detected => reasonix_proto::DETECTED_CHECK,
        }
    }
}

/// One thing that would be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surface {
    /// What it is.
    pub kind: SurfaceKind,
    /// Its name.
    pub name: String,
    /// The file it stands in, relative to the root.
    pub place: String,
    /// What it consists of: what the settings say, then the files.
    pub parts: Vec<SurfacePiece>,
    /// Variables that it names, with where they come from.
    pub variables: Vec<(String, &'static str)>,
    pub(super) hash: String,
    pub(super) blocked: Option<String>,
    /// The files among the parts, relative to the root.
    files: Vec<PathBuf>,
}

/// A piece of a surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfacePiece {
    /// The file, or the place in the settings.
    pub label: String,
    /// The hash of its bytes.
    pub hash: String,
    /// Its text, where it is one that can be shown.
    pub text: Option<String>,
}

impl SurfacePiece {
    pub(super) fn text(label: impl Into<String>, text: &str) -> Self {
        Self::bytes(label, text.as_bytes())
    }

    pub(super) fn bytes(label: impl Into<String>, bytes: &[u8]) -> Self {
        let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() <= SHOWN).map(str::to_owned);
        Self { label: label.into(), hash: BlobKey::of(bytes).to_string(), text }
    }

    /// A value that must not be shown or kept.
    pub(super) fn hidden(label: impl Into<String>, text: &str) -> Self {
        Self { text: None, ..Self::text(label, text) }
    }
}

/// One hash of several texts.
pub(super) fn hash_of(texts: &[&str]) -> String {
    let all: String = texts.iter().map(|text| format!("{}:{text}", text.len())).collect();
    BlobKey::of(all.as_bytes()).to_string()
}

impl Surface {
    pub(super) fn new(
        kind: SurfaceKind,
        name: &str,
        place: String,
        stated: Vec<SurfacePiece>,
        files: Vec<PathBuf>,
    ) -> Self {
        let (name, hash) = (name.to_owned(), String::new());
        Self { kind, name, place, parts: stated, variables: Vec::new(), hash, blocked: None, files }
    }

    /// The same with its files read and its hash made.
    pub(super) fn sealed(mut self, root: &Path) -> Self {
        let files: BTreeSet<PathBuf> = self.files.drain(..).collect();
        if files.len() > super::named::MOST_FILES {
            self.blocked = Some(format!("it consists of more than {} files", super::named::MOST_FILES));
        }
        for file in files.iter().take(super::named::MOST_FILES) {
            match content(root, file) {
                Ok(bytes) => self.parts.push(SurfacePiece::bytes(file.display().to_string(), &bytes)),
                Err(reason) => self.blocked = Some(format!("{}: {reason}", file.display())),
            }
        }
        self.files = files.into_iter().collect();
        let mut texts = vec![self.kind.word(), self.name.as_str()];
        texts.extend(self.parts.iter().flat_map(|part| [part.label.as_str(), part.hash.as_str()]));
        self.hash = hash_of(&texts);
        self
    }

    /// The same, which counts only where all of its text can be shown.
    pub(super) fn readable(mut self) -> Self {
        if self.blocked.is_none() && self.parts.iter().any(|part| part.text.is_none()) {
            self.blocked = Some("it is no text that can be shown".to_owned());
        }
        self
    }

    /// The same surface with its files read anew.
    pub(super) fn again(&self, root: &Path) -> Self {
        let is_file = |part: &SurfacePiece| self.files.iter().any(|file| file.display().to_string() == part.label);
        let stated = self.parts.iter().filter(|part| !is_file(part)).cloned().collect();
        let mut again = Self::new(self.kind, &self.name, self.place.clone(), stated, self.files.clone());
        again.variables.clone_from(&self.variables);
        again.sealed(root)
    }

    /// What says what it does: what the settings state, or else the text of the file that it is.
    pub(super) fn said(&self) -> Option<&str> {
        let stated = self.parts.iter().find(|part| part.label.starts_with(&format!("{} ", self.place)));
        let file = || self.parts.iter().find(|part| part.label == self.place);
        stated.or_else(file)?.text.as_deref()
    }

    /// The hash of all of it.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Why it cannot be trusted at all; none when it can.
    pub fn blocked(&self) -> Option<&str> {
        self.blocked.as_deref()
    }

    pub(super) fn changes_to(&self, now: &Self) -> Vec<SurfaceChange> {
        let old: Vec<_> = self.parts.iter().map(|part| (part.label.as_str(), part.hash.as_str())).collect();
        let text = |hash: &str| self.parts.iter().find(|part| part.hash == hash).and_then(|part| part.text.clone());
        changes(&old, now, &text)
    }
}

/// What is different between the parts that were and the parts that are.
pub(super) fn changes(
    old: &[(&str, &str)],
    now: &Surface,
    text: &dyn Fn(&str) -> Option<String>,
) -> Vec<SurfaceChange> {
    let mut changes = Vec::new();
    for part in &now.parts {
        let before = old.iter().find(|(label, _)| *label == part.label);
        if before.is_none_or(|(_, hash)| *hash != part.hash) {
            let before = before.and_then(|(_, hash)| text(hash));
            changes.push(SurfaceChange { label: part.label.clone(), before, after: part.text.clone() });
        }
    }
    for (label, hash) in old.iter().filter(|(label, _)| !now.parts.iter().any(|part| part.label == *label)) {
        changes.push(SurfaceChange { label: (*label).to_owned(), before: text(hash), after: None });
    }
    changes
}
