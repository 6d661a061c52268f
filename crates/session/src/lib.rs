//! The append-only session log on disk: journal, resume, list and artifacts.
//! The log is the truth: what is not in it did not happen; everything else here is a projection of it.

mod artifacts;
mod error;
mod heal;
mod history;
mod journal;
mod line;
mod list;
mod load;
mod log;
mod sessions;
mod states;

pub use artifacts::{MemoryArtifacts, SessionArtifacts};
pub use error::SessionError;
pub use history::{History, history};
pub use list::{Ending, Summary};
pub use sessions::{Opened, Sessions, in_memory};
pub use states::States;
