//! Child processes: spawn, timeouts, kill of the whole tree, output caps, environment scrubbing.
//! Decides nothing: whoever calls has asked the gate.

mod capture;
mod command;
mod environment;
mod error;
#[cfg(not(target_os = "linux"))]
#[path = "group.rs"]
mod guard;
#[cfg(target_os = "linux")]
mod guard;
mod plain;
mod run;

pub use capture::Captured;
pub use command::{Command, Confinement, Keep};
pub use environment::Environment;
pub use error::ExecError;
pub use plain::{Plain, plain_text};
pub use run::{Finished, Status, run};
