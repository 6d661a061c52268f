//! What is known about files when a verdict is made. Looked up by whoever calls; this room never looks itself.

use crate::effects::Places;

/// Knows files.
pub trait Facts {
    /// What is at this path, seen from wherever the command may run. Where it cannot be told, the worst.
    fn target(&self, places: &Places, path: &str) -> Target;
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Something is there, or may be.
    pub exists: bool,
    /// It is a folder.
    pub folder: bool,
    /// This session made it.
    pub ours: bool,
    /// It certainly lies inside the workspace.
    pub inside: bool,
    /// It certainly lies in a temporary folder that only this session has, and that goes with it.
    pub passing: bool,
}

impl Target {
    /// What must be assumed where nothing is known.
    pub const WORST: Self = Self { exists: true, folder: false, ours: false, inside: false, passing: false };
}

/// Knows nothing, and so assumes the worst.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFacts;

impl Facts for NoFacts {
    fn target(&self, _: &Places, _: &str) -> Target {
        Target::WORST
    }
}
