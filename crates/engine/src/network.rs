//! How the settings say to reach the network.

use crate::error::EngineError;
use reasonix_config::Settings;
use reasonix_net::NetOptions;
use std::time::Duration;

/// A client for this address, as the settings say how to reach it.
pub fn client_of(settings: &Settings, url: &str) -> Result<reasonix_net::Client, EngineError> {
    reasonix_net::client(url, &net_options(settings)).map_err(|error| EngineError::Settings(error.phrase()))
}

/// The proxy that requests to this address would go through, without its password.
pub fn proxy_of(settings: &Settings, url: &str) -> Option<String> {
    reasonix_net::proxy_for(url, &net_options(settings))
}

/// The settings as clients take them.
pub(crate) fn net_options(settings: &Settings) -> NetOptions {
    let usual = NetOptions::default();
    NetOptions {
        proxy: settings.net.proxy.as_ref().map(|proxy| proxy.expose().to_owned()),
        no_proxy: (!settings.net.no_proxy.is_empty()).then(|| settings.net.no_proxy.join(",")),
        ca_file: settings.net.ca_file.clone(),
        client_cert: settings.net.client_cert.clone(),
        client_key: settings.net.client_key.clone(),
        connect_timeout: settings.net.connect_timeout_seconds.map_or(usual.connect_timeout, Duration::from_secs),
    }
}
