//! How much of the machine one command may take, and what is said when it wants more.

use std::fmt;
use std::path::{Path, PathBuf};

const MIB: u64 = 1024 * 1024;

/// How much one command and everything it starts may take. 0 is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Processes and threads.
    pub processes: u32,
    /// Bytes of memory, all processes together.
    pub memory: u64,
    /// Bytes in one file.
    pub file: u64,
    /// Bytes of output.
    pub output: u64,
    /// Bytes that must stay free on the disks it writes to.
    pub free: u64,
}

impl Bounds {
    /// No limits at all.
    pub const NONE: Self = Self { processes: 0, memory: 0, file: 0, output: 0, free: 0 };
}

impl Default for Bounds {
    fn default() -> Self {
        Self { processes: 8192, memory: 0, file: 64 << 30, output: 1024 * MIB, free: 256 * MIB }
    }
}

/// Which limits of a command the kernel holds by its control group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GroupLimits {
    /// A group was delegated to us: commands have one each.
    pub given: bool,
    /// It holds the number of processes.
    pub processes: bool,
    /// It holds the memory.
    pub memory: bool,
}

/// A place that commands may not read, or not change, and that lay bare to one that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exposed {
    /// It was hidden, and somebody replaced, renamed or removed it.
    Hidden(PathBuf),
    /// The same of one that may not be changed.
    Fixed(PathBuf),
    /// It came to be, and would be hidden.
    Come(PathBuf),
}

impl Exposed {
    /// Where it is.
    pub fn path(&self) -> &Path {
        let (Self::Hidden(path) | Self::Fixed(path) | Self::Come(path)) = self;
        path
    }
}

impl fmt::Display for Exposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path().display();
        match self {
            Self::Hidden(_) => write!(f, "{path}, which is hidden from commands, was replaced while it ran"),
            Self::Fixed(_) => write!(f, "{path}, which commands may not change, was replaced while it ran"),
            Self::Come(_) => write!(f, "{path}, which is hidden from commands, came to be while it ran"),
        }
    }
}

/// A limit that a command hit, for which it was ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LimitHit {
    /// It had more processes.
    Processes(u32),
    /// It took more memory.
    Memory(u64),
    /// It wrote more.
    Output(u64),
    /// The disk was about to be full.
    Disk(u64),
    /// The disk was about to have no room for more files.
    Files,
    /// Something that it may not read or change lay bare to it.
    Exposed(Exposed),
}

impl LimitHit {
    /// The setting that says how much it may be; none where no setting does.
    pub fn setting(&self) -> Option<&'static str> {
        match self {
            Self::Processes(_) => Some("sandbox.max_processes"),
            Self::Memory(_) => Some("sandbox.max_memory_mb"),
            Self::Output(_) => Some("sandbox.max_output_mb"),
            Self::Disk(_) | Self::Files => Some("sandbox.min_free_mb"),
            Self::Exposed(_) => None,
        }
    }
}

impl fmt::Display for LimitHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: u64| bytes.div_ceil(MIB);
        match self {
            Self::Processes(most) => write!(f, "it had more than {most} processes"),
            Self::Memory(most) => write!(f, "it took more than {} MiB of memory", mib(*most)),
            Self::Output(most) => write!(f, "it wrote more than {} MiB of output", mib(*most)),
            Self::Disk(least) => write!(f, "it left less than {} MiB free on the disk", mib(*least)),
            Self::Files => f.write_str("it left almost no room for new files on the disk"),
            Self::Exposed(exposed) => exposed.fmt(f),
        }
    }
}
