//! A command: a Markdown file whose text is sent in place of `/its-name arguments`.

use crate::expand::filled_root;
use crate::file::{head, whole};
use crate::flaw::{ExtensionFlaw, FlawKind};
use crate::front::{Matter, split};
use crate::names::{BroughtBy, is_hiding, one_line};
use reasonix_proto::unhidden;
use std::path::{Path, PathBuf};

const LONGEST_DESCRIPTION: usize = 1024;
/// A first line that stands in for a description.
const LONGEST_LINE: usize = 120;
const LONGEST_HINT: usize = 200;

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomCommand {
    /// What is typed behind the slash: `commit`, or `git:commit` for a file in the folder `git`.
    pub name: String,
    /// What it does, in one line; empty when nothing says so.
    pub description: String,
    /// Who brought it.
    pub by: BroughtBy,
    /// The file.
    pub file: PathBuf,
    /// What to type behind its name.
    pub argument_hint: Option<String>,
    /// The model that it wants.
    pub model: Option<String>,
    /// The tools that it is content with, as it writes them.
    pub allowed_tools: Option<Vec<String>>,
    /// The folder of the bundle that it came with.
    pub bundle: Option<PathBuf>,
    /// The folder that it was found below.
    pub(crate) root: PathBuf,
}

impl CustomCommand {
    /// Reads the head of a command's file; also what is odd about it.
    pub(crate) fn read(
        name: String,
        file: &Path,
        root: &Path,
        by: BroughtBy,
    ) -> Result<(Self, Vec<FlawKind>), FlawKind> {
        let text = head(file, root)?;
        let parted = split(&text)?;
        let mut matter = parted.matter.map(Matter::parse).transpose()?.unwrap_or_default();
        if matter.hides() {
            return Err(FlawKind::Hidden);
        }
        let first = || {
            let line = parted.body.lines().map(str::trim).find(|line| !line.is_empty())?;
            Some(one_line(line.trim_start_matches('#'), LONGEST_LINE).0)
        };
        let description = matter.text("description", LONGEST_DESCRIPTION).or_else(first).unwrap_or_default();
        if is_hiding(&description) {
            return Err(FlawKind::Hidden);
        }
        let command = Self {
            name,
            description,
            by,
            file: file.to_owned(),
            argument_hint: matter.text("argument-hint", LONGEST_HINT),
            model: matter.text("model", LONGEST_HINT),
            allowed_tools: matter.rules("allowed-tools"),
            bundle: None,
            root: root.to_owned(),
        };
        Ok((command, matter.flaws))
    }

    /// What it says, read now: the text behind the front matter, without what nobody sees.
    pub fn body(&self) -> Result<String, ExtensionFlaw> {
        let text = whole(&self.file, &self.root).map_err(|kind| kind.at(&self.file))?;
        let body = split(&text).map_err(|kind| kind.at(&self.file))?.body;
        Ok(filled_root(&unhidden(body.trim()).text, self.bundle.as_deref()))
    }
}
