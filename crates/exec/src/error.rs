//! Why a command could not be started.

use crate::SandboxLevel;
use reasonix_proto::Phrase;
use std::io;
use std::path::PathBuf;

/// Why there is no box around the whole file system: no machine could have one.
pub(crate) const ALL_WRITABLE: &str = "the whole file system is to be writable";

/// A command could not be started, or not be watched.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// There is no such program.
    #[error("no program {program}")]
    NoProgram {
        /// The program.
        program: String,
    },
    /// The folder it should start in is not there.
    #[error("no folder {}", path.display())]
    NoFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The box that was wanted cannot be had on this machine, so nothing runs.
    #[error("commands are not run: sandbox level {wanted} cannot be had here ({reason})")]
    NoSandbox {
        /// The level that was wanted.
        wanted: SandboxLevel,
        /// Why it cannot be had.
        reason: String,
    },
    /// The system refused.
    #[error("cannot run {program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
}

impl ExecError {
    /// What to tell the user.
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::NoProgram { program } => Phrase::new("exec.no_program").with("program", program),
            Self::NoFolder { path } => Phrase::new("exec.no_folder").with("path", path.display()),
            Self::NoSandbox { wanted, reason } if reason == ALL_WRITABLE => {
                Phrase::new("exec.no_sandbox_root").with("level", wanted)
            }
            Self::NoSandbox { wanted, reason } => {
                Phrase::new("exec.no_sandbox").with("level", wanted).with("reason", reason)
            }
            Self::Start { program, source } => {
                Phrase::new("exec.cannot_start").with("program", program).with("reason", source)
            }
        }
    }
}
