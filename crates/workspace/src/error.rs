//! What can go wrong at the boundary, in words the model can act on.

use reasonix_proto::Phrase;
use rustix::io::Errno;
use std::fmt;
use std::io;

/// A refused or failed file operation.
///
/// `Display` says what happened, why, and what to do; [`FileError::message`] and [`FileError::hint`] are its two halves.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The path leads out of every root.
    OutsideWorkspace {
        /// The path as it was given.
        path: String,
        /// How it leads out.
        reason: String,
    },
    /// The path lies in a place that is closed to file tools.
    Forbidden {
        /// The path as it was given.
        path: String,
        /// What closes it.
        reason: &'static str,
    },
    /// There is nothing at this path.
    NotFound {
        /// The path as it was given.
        path: String,
        /// Names that may have been meant.
        near: Vec<String>,
    },
    /// A folder stands where a file was meant.
    IsDirectory {
        /// The path as it was given.
        path: String,
    },
    /// A file stands where a folder was meant.
    NotADirectory {
        /// The path as it was given.
        path: String,
    },
    /// It is a pipe, a device, a socket or the like.
    NotAFile {
        /// The path as it was given.
        path: String,
        /// What it is.
        kind: &'static str,
    },
    /// The content is not text.
    Binary {
        /// The path as it was given.
        path: String,
        /// Its size in bytes.
        size: u64,
        /// What the first bytes look like.
        kind: &'static str,
    },
    /// The file is larger than this operation takes.
    TooLarge {
        /// The path as it was given.
        path: String,
        /// Its size in bytes.
        size: u64,
        /// The most this operation takes.
        limit: u64,
    },
    /// The content is not what the session last saw.
    ChangedSinceRead {
        /// The path as it was given.
        path: String,
    },
    /// The file system or its permissions do not allow it.
    ReadOnly {
        /// The path as it was given.
        path: String,
        /// What the system said.
        reason: &'static str,
    },
    /// The disk, the quota or a size limit is full.
    NoSpace {
        /// The path as it was given.
        path: String,
        /// What the system said.
        reason: &'static str,
    },
    /// The new text has a character that the file's encoding does not have.
    CannotEncode {
        /// The path as it was given.
        path: String,
        /// The first such character.
        character: char,
        /// Its line in the new text, from 1.
        line: usize,
        /// The file's encoding.
        encoding: &'static str,
    },
    /// Something already stands where something new was to be made.
    Exists {
        /// The path as it was given.
        path: String,
    },
    /// The path cannot name what was asked for.
    InvalidPath {
        /// The path as it was given.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A search pattern does not parse.
    InvalidPattern {
        /// What the parser said, with the place.
        message: String,
        /// What to try.
        hint: &'static str,
    },
    /// The system failed in some other way.
    Io {
        /// The path as it was given.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl FileError {
    /// A stable name for this kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::OutsideWorkspace { .. } => "outside_workspace",
            Self::Forbidden { .. } => "forbidden",
            Self::NotFound { .. } => "not_found",
            Self::IsDirectory { .. } => "is_directory",
            Self::NotADirectory { .. } => "not_a_directory",
            Self::NotAFile { .. } => "not_a_file",
            Self::Binary { .. } => "binary",
            Self::TooLarge { .. } => "too_large",
            Self::ChangedSinceRead { .. } => "changed_since_read",
            Self::ReadOnly { .. } => "read_only",
            Self::NoSpace { .. } => "no_space",
            Self::CannotEncode { .. } => "cannot_encode",
            Self::Exists { .. } => "exists",
            Self::InvalidPath { .. } => "invalid_path",
            Self::InvalidPattern { .. } => "invalid_pattern",
            Self::Io { .. } => "io",
        }
    }

    /// What happened and why.
    pub fn message(&self) -> String {
        match self {
            Self::OutsideWorkspace { path, reason } => format!("{path} is outside the workspace: {reason}."),
            Self::Forbidden { path, reason } => format!("{path} is closed to file tools: {reason}."),
            Self::NotFound { path, .. } => format!("{path} does not exist."),
            Self::IsDirectory { path } => format!("{path} is a folder, not a file."),
            Self::NotADirectory { path } => format!("{path} is not a folder."),
            Self::NotAFile { path, kind } => format!("{path} is {kind}, not a regular file."),
            Self::Binary { path, size, kind } => format!("{path} is not text: {kind}, {size} bytes."),
            Self::TooLarge { path, size, limit } => {
                format!("{path} is too large for this: {size} bytes, the limit is {limit}.")
            }
            Self::ChangedSinceRead { path } => {
                format!("{path} changed on disk since it was last read in this session. Nothing was written.")
            }
            Self::ReadOnly { path, reason } => {
                format!("The system refuses access to {path}: {reason}. Nothing was changed.")
            }
            Self::NoSpace { path, reason } => format!("{path} was not written: {reason}. Nothing was changed."),
            Self::CannotEncode { path, character, line, encoding } => format!(
                "{path} is encoded as {encoding}, which has no {character:?} (U+{:04X}, line {line} of the new text). Nothing was written.",
                u32::from(*character)
            ),
            Self::Exists { path } => format!("{path} already exists. Nothing was changed."),
            Self::InvalidPath { path, reason } => format!("{path:?} is not a usable path: {reason}."),
            Self::InvalidPattern { message, .. } => format!("The pattern is not valid: {message}"),
            Self::Io { path, source } => format!("{path}: {source}."),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::OutsideWorkspace { .. } => {
                "Use a path below the workspace root; the user can open more folders with --add-dir."
            }
            Self::Forbidden { .. } => "Do the task without this file, or ask the user for what is needed from it.",
            Self::NotFound { near, .. } if near.is_empty() => "Look for it with glob or ls.",
            Self::NotFound { near, .. } => return Some(format!("Did you mean {}?", near.join(" or "))),
            Self::IsDirectory { .. } => "Use ls for its entries, or name a file in it.",
            Self::NotADirectory { .. } => "Name a folder, or use the file itself.",
            Self::NotAFile { .. } => "Only regular files can be read or written.",
            Self::Binary { .. } => "Use a command that understands this kind of file.",
            Self::TooLarge { .. } => "Read a part of it by lines, or search it with grep.",
            Self::ChangedSinceRead { .. } => "Read it again, then make the change on what is there now.",
            Self::ReadOnly { .. } => "Ask the user to change its permissions, or write elsewhere.",
            Self::NoSpace { .. } => "Ask the user to free space; then try again.",
            Self::CannotEncode { .. } => {
                "Write it without this character, or ask the user whether to convert the file to UTF-8."
            }
            Self::Exists { .. } => "Choose another name, or edit or remove the existing one first.",
            Self::InvalidPath { .. } => "Use a plain path relative to the workspace root.",
            Self::InvalidPattern { hint, .. } => hint,
            Self::Io { .. } => return None,
        };
        Some(text.to_owned())
    }

    /// The same for a person: `workspace.<code>` of the catalogue, with the path and what else is known.
    pub fn phrase(&self) -> Phrase {
        let code = format!("workspace.{}", self.code());
        let phrase = Phrase { code: code.into(), args: Vec::new() };
        match self {
            Self::OutsideWorkspace { path, reason } => phrase.with("path", path).with("reason", reason),
            Self::Forbidden { path, reason }
            | Self::InvalidPath { path, reason }
            | Self::ReadOnly { path, reason }
            | Self::NoSpace { path, reason } => phrase.with("path", path).with("reason", reason),
            Self::NotFound { path, .. }
            | Self::IsDirectory { path }
            | Self::NotADirectory { path }
            | Self::ChangedSinceRead { path }
            | Self::Exists { path } => phrase.with("path", path),
            Self::NotAFile { path, kind } => phrase.with("path", path).with("kind", kind),
            Self::Binary { path, size, kind } => phrase.with("path", path).with("size", size).with("kind", kind),
            Self::TooLarge { path, size, limit } => phrase.with("path", path).with("size", size).with("limit", limit),
            Self::CannotEncode { path, character, encoding, .. } => {
                phrase.with("path", path).with("character", character).with("encoding", encoding)
            }
            Self::InvalidPattern { message, .. } => phrase.with("message", message),
            Self::Io { path, source } => phrase.with("path", path).with("error", source),
        }
    }

    /// The error for a failed system call on `path`.
    pub(crate) fn from_errno(path: &str, errno: Errno) -> Self {
        let path = path.to_owned();
        match errno {
            Errno::NOENT => Self::NotFound { path, near: Vec::new() },
            Errno::ISDIR => Self::IsDirectory { path },
            Errno::NOTDIR => Self::NotADirectory { path },
            Errno::EXIST | Errno::NOTEMPTY => Self::Exists { path },
            Errno::ACCESS => Self::ReadOnly { path, reason: "permission denied" },
            Errno::PERM => Self::ReadOnly { path, reason: "operation not permitted" },
            Errno::ROFS => Self::ReadOnly { path, reason: "the file system is read-only" },
            Errno::NOSPC => Self::NoSpace { path, reason: "no space left on the disk" },
            Errno::DQUOT => Self::NoSpace { path, reason: "the disk quota is used up" },
            Errno::FBIG => Self::NoSpace { path, reason: "the file size limit was reached" },
            Errno::NAMETOOLONG => Self::InvalidPath { path, reason: "a name in it is too long" },
            Errno::LOOP => Self::OutsideWorkspace {
                path,
                reason: "a symbolic link in it loops or changed while it was opened".into(),
            },
            other => Self::Io { path, source: other.into() },
        }
    }

    /// The error for a failed standard library call on `path`.
    pub(crate) fn from_io(path: &str, error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(errno) => Self::from_errno(path, errno),
            None => Self::Io { path: path.to_owned(), source: error },
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())?;
        self.hint().map_or(Ok(()), |hint| write!(f, " {hint}"))
    }
}

#[cfg(test)]
mod tests {
    use super::FileError;

    #[test]
    fn a_text_says_what_and_why_and_what_to_do() {
        let error = FileError::OutsideWorkspace { path: "../x".into(), reason: "the root is /w".into() };
        assert_eq!(
            error.to_string(),
            "../x is outside the workspace: the root is /w. \
             Use a path below the workspace root; the user can open more folders with --add-dir."
        );
        assert_eq!(error.phrase().code, "workspace.outside_workspace");
        assert_eq!(error.phrase().arg("reason"), Some("the root is /w"));
        let error = FileError::NotFound { path: "x".into(), near: vec!["a/x".into(), "b/x".into()] };
        assert_eq!(error.to_string(), "x does not exist. Did you mean a/x or b/x?");
    }
}
