//! Child processes: spawn, timeouts, kill of the whole tree, output caps, environment scrubbing, and the box that the kernel holds.
//! Decides nothing: whoever calls has asked the gate.

pub mod attacks;
mod bounds;
mod box_options;
mod capture;
mod child;
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
mod later;
mod limits;
mod oversee;
mod plain;
mod plan;
mod ports;
mod repository;
mod run;
mod running;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(not(target_os = "linux"))]
#[path = "no_sandbox.rs"]
mod sandbox;
mod tree;
mod vigil;
mod wish;

pub use bounds::{Bounds, Exposed, GroupLimits, LimitHit};
pub use box_options::{BoxOptions, Caches, Masked, Quarantined, SandboxLevel};
pub use capture::Captured;
pub use child::{Child, ChildOptions, ChildStdin, ChildStdout, OnStderr, spawn};
pub use command::{Command, Confinement, Keep};
pub use control_group::group_limits;
pub use environment::Environment;
pub use error::ExecError;
pub use later::run_later;
pub use limits::{most_open_files, survive_file_size_limit};
pub use plain::{Plain, plain_text};
pub use ports::Ports;
pub use repository::{Executes, Looked, SetAside, Surfaces, readers_run_nothing};
pub use run::{Finished, run};
pub use running::{EndStatus, Ended};
pub use sandbox::{Sandbox, recover, remove_tree};
pub use vigil::settle_all;
pub use wish::WriteWish;
