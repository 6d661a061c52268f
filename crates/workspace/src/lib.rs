//! The file boundary. Every path a tool names passes through a [`Workspace`]: it is resolved below the roots the user
//! gave, opened without following a link out, decoded and encoded as it is on disk, written atomically, and refused
//! when it changed since the session read it. Searching runs in process over the same boundary.
//! Nothing here asks a person or knows a rule: that is the gate's work, before a call gets here.
//!
//! Which read to use: [`Workspace::read_lines`] and [`Workspace::read_text`] show a file and remember what was shown;
//! [`Workspace::read_base`] reads a file in order to change it, and refuses one that changed since it was shown.

mod act;
mod beneath;
mod blob;
mod board;
mod boundary;
mod bring;
mod candidates;
mod citations;
mod commit;
mod error;
mod fit;
mod format;
mod generated;
mod glob;
mod grep;
mod guard;
mod hits;
mod ignores;
mod kind;
mod leftover;
mod level;
mod lexical;
mod list;
mod names;
mod near;
mod options;
mod read;
mod resolve;
mod secrets;
pub mod snapshot;
mod stage;
mod text;
mod tracked;
mod walk;
mod window;
mod workspace;

#[cfg(test)]
mod tests;

pub use candidates::{Candidates, references, words};
pub use citations::citations;
pub use commit::{Step, Written};
pub use error::FileError;
pub use format::{Encoding, Eol, Format};
pub use generated::generated;
pub use glob::{FoundFiles, GlobQuery};
pub use grep::{FileMatches, GrepLine, GrepQuery, Matches};
pub use level::Near;
pub use list::{EntryKind, FolderEntry, Listing};
pub use names::Names;
pub use options::{MAX_TEXT_BYTES, Options};
pub use text::TextFile;
pub use tracked::{gitlinks, linked};
pub use window::Window;
pub use workspace::Workspace;
