//! Where there are no control groups: the limits are counted from outside.

use crate::{Bounds, GroupLimits};

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

    /// None.
    pub(crate) fn holds(&self) -> GroupLimits {
        GroupLimits::default()
    }
}
