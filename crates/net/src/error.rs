//! Why no client could be made.

use reasonix_proto::Phrase;
use std::path::PathBuf;

/// Why no client could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// The address is not an http or https url.
    #[error("not an http or https address: {url}")]
    Url {
        /// What was given.
        url: String,
    },
    /// The proxy's address is no good.
    #[error("bad proxy address {proxy}: {reason}")]
    Proxy {
        /// What was given, without its password.
        proxy: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A certificate file is no good.
    #[error("cannot use the certificate file {path}: {reason}", path = path.display())]
    CaFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The client could not be built.
    #[error("cannot build an HTTP client: {0}")]
    Build(String),
}

impl NetError {
    /// What to tell the user.
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::Url { url } => Phrase::new("net.url").with("url", url),
            Self::Proxy { proxy, reason } => Phrase::new("net.proxy").with("proxy", proxy).with("reason", reason),
            Self::CaFile { path, reason } => {
                Phrase::new("net.ca_file").with("path", path.display()).with("reason", reason)
            }
            Self::Build(reason) => Phrase::new("net.build").with("reason", reason),
        }
    }
}
