//! Where there are no control groups: the limits are counted from outside.

use crate::Bounds;

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

/// Which limits the kernel holds by control groups here: none.
pub fn group_limits() -> GroupLimits {
    GroupLimits::default()
}

/// The group of one command.
#[derive(Debug)]
pub(crate) struct Group;

impl Group {
    /// None.
    pub(crate) fn of(_: &Bounds) -> Option<Self> {
        None
    }
}
