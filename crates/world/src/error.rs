//! Why a session could not start.

use reasonix_proto::Phrase;

/// A session could not start.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The settings do not allow it: no model, an unknown one, a rule that cannot be read.
    #[error("{0}")]
    Settings(Phrase),
    /// What the folder would execute is not trusted, and it has to be.
    #[error("{0}")]
    Untrusted(Phrase),
    /// What the user wrote on disk cannot be read, or lacks something.
    #[error("{0}")]
    Config(#[from] reasonix_config::ConfigError),
    /// The session on disk could not be had.
    #[error(transparent)]
    Session(#[from] reasonix_session::SessionError),
    /// The working folder could not be opened.
    #[error(transparent)]
    Workspace(#[from] reasonix_workspace::FileError),
}

impl From<reasonix_policy::RuleError> for EngineError {
    fn from(error: reasonix_policy::RuleError) -> Self {
        Self::Settings(Phrase::new("engine.bad_rule").with("rule", error.rule).with("reason", error.reason))
    }
}

impl EngineError {
    /// What to tell the user.
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::Settings(phrase) | Self::Untrusted(phrase) => phrase.clone(),
            Self::Config(error) => error.phrase(),
            Self::Session(error) => error.phrase(),
            Self::Workspace(error) => Phrase::new("engine.workspace").with("reason", error),
        }
    }
}
