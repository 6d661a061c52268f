//! The ways in which a model can change a file.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A form in which a model writes down a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditFormat {
    /// One text replaced by another.
    EditFile,
    /// Several replacements in one call.
    MultiEdit,
    /// A patch.
    ApplyPatch,
    /// SEARCH/REPLACE blocks in the text.
    Blocks,
    /// The whole file.
    WriteFile,
}

impl EditFormat {
    /// Every format. Where two do equally well, the earlier one costs less or is bound to fewer mistakes.
    pub const ALL: [Self; 5] = [Self::EditFile, Self::MultiEdit, Self::ApplyPatch, Self::Blocks, Self::WriteFile];

    /// The name in settings and on disk; for all but blocks it is the tool's.
    pub fn name(self) -> &'static str {
        match self {
            Self::EditFile => "edit_file",
            Self::MultiEdit => "multi_edit",
            Self::ApplyPatch => "apply_patch",
            Self::Blocks => "blocks",
            Self::WriteFile => "write_file",
        }
    }

    /// The format of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The tool that is not offered where another format is in use; none for what is always there.
    pub fn of_tool(tool: &str) -> Option<Self> {
        Self::parse(tool).filter(|format| !matches!(format, Self::Blocks | Self::WriteFile))
    }
}

/// What a session edits with, as its head says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum EditsWith {
    /// One format.
    One(EditFormat),
    /// No one format: the model chooses among the tools that it is offered.
    Several,
    /// The head is of an earlier build, which did not say; or of a later one, with a word that is not known here.
    #[default]
    Unsaid,
}

impl EditsWith {
    /// The word for several.
    const SEVERAL: &'static str = "several";

    /// Whether the head does not say it.
    pub fn is_unsaid(&self) -> bool {
        *self == Self::Unsaid
    }
}

impl From<String> for EditsWith {
    fn from(word: String) -> Self {
        let one = EditFormat::parse(&word).map(Self::One);
        one.unwrap_or(if word == Self::SEVERAL { Self::Several } else { Self::Unsaid })
    }
}

impl From<EditsWith> for String {
    fn from(edit: EditsWith) -> Self {
        match edit {
            EditsWith::One(format) => format.name().to_owned(),
            EditsWith::Several => EditsWith::SEVERAL.to_owned(),
            EditsWith::Unsaid => Self::new(),
        }
    }
}

impl fmt::Display for EditFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::EditFormat;

    #[test]
    fn names_are_the_same_everywhere() {
        for format in EditFormat::ALL {
            assert_eq!(EditFormat::parse(format.name()), Some(format));
            assert_eq!(serde_json::to_value(format).unwrap(), format.name());
        }
        assert_eq!(EditFormat::parse("auto"), None);
        assert_eq!(EditFormat::of_tool("write_file"), None, "new files need it");
        assert_eq!(EditFormat::of_tool("apply_patch"), Some(EditFormat::ApplyPatch));
    }
}
