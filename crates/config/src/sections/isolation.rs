//! `[isolation]`: what the clones of subagents that write have beside what git carries along, and how their work comes back.

use crate::view::View;

/// What clones have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IsolationSettings {
    /// Globs of ignored files that are copied into a clone.
    pub include: Vec<String>,
    /// How the work comes back.
    pub merge: MergeAs,
}

/// How the work of a subagent comes back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MergeAs {
    /// Its files are changed in the folder of the session.
    #[default]
    Patch,
    /// A branch of the repository has it; the folder of the session stays as it is.
    Branch,
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> IsolationSettings {
    let merge = match view.text("merge").as_deref() {
        Some("branch") => MergeAs::Branch,
        _ => MergeAs::Patch,
    };
    IsolationSettings { include: view.texts("include"), merge }
}
