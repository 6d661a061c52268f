//! Texts of the `cli` room.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[];
