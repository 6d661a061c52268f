//! The moments at which hooks are run.

/// A moment of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookEvent {
    /// A call is about to be judged.
    PreToolUse,
    /// A call did what was asked.
    PostToolUse,
    /// A call could not do it.
    PostToolUseFailure,
    /// A person is asked for permission.
    PermissionRequest,
    /// A person said something.
    UserPromptSubmit,
    /// The model has nothing more to do.
    Stop,
    /// A subagent has nothing more to do.
    SubagentStop,
    /// A session begins, or goes on.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// The conversation is about to be folded.
    PreCompact,
    /// A person is waited for.
    Notification,
}

impl HookEvent {
    /// All of them, in the order of lists.
    pub const ALL: [Self; 11] = [
        Self::PreToolUse,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::PermissionRequest,
        Self::UserPromptSubmit,
        Self::Stop,
        Self::SubagentStop,
        Self::SessionStart,
        Self::SessionEnd,
        Self::PreCompact,
        Self::Notification,
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::PermissionRequest => "PermissionRequest",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::Stop => "Stop",
            Self::SubagentStop => "SubagentStop",
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::PreCompact => "PreCompact",
            Self::Notification => "Notification",
        }
    }

    /// The event of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    /// True when something waits for what a hook of ours says.
    pub fn blocks(self) -> bool {
        matches!(self, Self::PreToolUse | Self::UserPromptSubmit)
    }

    /// True when it is about a call.
    pub fn has_tool(self) -> bool {
        matches!(self, Self::PreToolUse | Self::PostToolUse | Self::PostToolUseFailure | Self::PermissionRequest)
    }

    /// True when a matcher is about its kind: what a session began from, why it folds, what is waited for.
    pub(crate) fn has_kind(self) -> bool {
        matches!(self, Self::SessionStart | Self::SessionEnd | Self::PreCompact | Self::Notification)
    }

    /// True when what a hook writes is told to the model.
    pub(crate) fn tells(self) -> bool {
        matches!(self, Self::UserPromptSubmit | Self::SessionStart)
    }
}
