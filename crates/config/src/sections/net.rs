//! `[net]`: proxies and certificates.

use crate::view::View;
use crate::{ConfigError, Secret};
use std::path::PathBuf;

/// Settings of the network. Only the user can set them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Net {
    /// The proxy for every connection; empty for none at all, also not the environment's.
    pub proxy: Option<Secret>,
    /// Hosts that are reached without it.
    pub no_proxy: Vec<String>,
    /// A file with more certificates to trust.
    pub ca_file: Option<PathBuf>,
    /// A file with the certificate to show to servers that ask for one.
    pub client_cert: Option<PathBuf>,
    /// A file with its key.
    pub client_key: Option<PathBuf>,
    /// Seconds that making a connection may take.
    pub connect_timeout_seconds: Option<u64>,
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> Result<Net, ConfigError> {
    Ok(Net {
        proxy: view.expanded("proxy")?.map(|proxy| Secret::new(if proxy == "none" { String::new() } else { proxy })),
        no_proxy: view.texts("no_proxy"),
        ca_file: view.path("ca_file")?,
        client_cert: view.path("client_cert")?,
        client_key: view.path("client_key")?,
        connect_timeout_seconds: view.count("connect_timeout_seconds").filter(|seconds| *seconds > 0),
    })
}
