//! Child processes: spawn, timeouts, kill of the whole tree, output caps, environment scrubbing, and the box that the kernel holds.
//! Decides nothing: whoever calls has asked the gate.

pub mod attacks;
mod bounds;
mod box_options;
mod capture;
mod command;
#[cfg(target_os = "linux")]
mod control_group;
#[cfg(not(target_os = "linux"))]
#[path = "no_control_group.rs"]
mod control_group;
mod environment;
mod error;
pub mod git;
#[cfg(target_os = "linux")]
mod guard;
#[cfg(not(target_os = "linux"))]
#[path = "group.rs"]
mod guard;
mod limits;
mod oversee;
mod plain;
mod plan;
mod repository;
mod run;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(not(target_os = "linux"))]
#[path = "no_sandbox.rs"]
mod sandbox;
mod tree;

pub use bounds::{Bounds, GroupLimits, Hit};
pub use box_options::{BoxOptions, Caches, Masked, Quarantined, SandboxLevel};
pub use capture::Captured;
pub use command::{Command, Confinement, Keep};
pub use control_group::group_limits;
pub use environment::Environment;
pub use error::ExecError;
pub use limits::{most_open_files, survive_file_size_limit};
pub use plain::{Plain, plain_text};
pub use repository::{SetAside, Surfaces};
pub use run::{Finished, Status, Wish, run};
pub use sandbox::Sandbox;
