//! Kinds of danger, for whoever decides by them.

use crate::effects::Hidden;
use reasonix_proto::Phrase;

/// What is dangerous about a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DangerKind {
    /// Branches and tags are deleted or overwritten.
    Branch,
    /// Files that git does not know are deleted.
    Clean,
    /// Files are deleted.
    Delete,
    /// Changes are thrown away.
    Discard,
    /// Disks are changed.
    Disk,
    /// The content of files is destroyed.
    Erase,
    /// History that others may have is rewritten.
    Force,
    /// Processes of others are ended.
    Kill,
    /// The machine is changed.
    Machine,
    /// Files are moved.
    Move,
    /// Files are overwritten.
    Overwrite,
    /// The machine is switched off.
    Power,
    /// Something is published.
    Publish,
    /// Raw data is written.
    Raw,
    /// Something elsewhere is destroyed.
    Remote,
    /// Rights or owners of files are changed.
    Rights,
    /// It runs as another user.
    Root,
    /// The user's settings say so.
    Setting,
    /// A program is hidden, and what it would do.
    Hidden(Hidden),
}

impl DangerKind {
    /// What it does can be taken back where every state of the workspace is kept.
    pub fn ends_at_files(self) -> bool {
        matches!(self, Self::Clean | Self::Delete | Self::Erase | Self::Move | Self::Overwrite | Self::Rights)
    }

    /// Why it is dangerous, for people.
    pub(super) fn phrase(self) -> Phrase {
        Phrase::new(match self {
            Self::Branch => "policy.danger_branch",
            Self::Clean => "policy.danger_clean",
            Self::Delete => "policy.danger_delete",
            Self::Discard => "policy.danger_discard",
            Self::Disk => "policy.danger_disk",
            Self::Erase => "policy.danger_erase",
            Self::Force => "policy.danger_force",
            Self::Kill => "policy.danger_kill",
            Self::Machine => "policy.danger_machine",
            Self::Move => "policy.danger_move",
            Self::Overwrite => "policy.danger_overwrite",
            Self::Power => "policy.danger_power",
            Self::Publish => "policy.danger_publish",
            Self::Raw => "policy.danger_raw",
            Self::Remote => "policy.danger_remote",
            Self::Rights => "policy.danger_rights",
            Self::Root => "policy.danger_root",
            Self::Setting => "policy.danger_setting",
            Self::Hidden(hidden) => return hidden.phrase(),
        })
    }
}
