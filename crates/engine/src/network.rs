//! How the settings say to reach the network.

use crate::error::EngineError;
use reasonix_config::{Provider, Settings};
use reasonix_llm::Endpoint;
use reasonix_net::NetOptions;
use std::time::Duration;

/// A client for an endpoint, as the settings say how to reach it.
pub fn client_of(settings: &Settings, provider: &Provider) -> Result<reasonix_net::Client, EngineError> {
    let options = provider_options(settings, provider);
    reasonix_net::client(&provider.base_url, &options).map_err(|error| EngineError::Settings(error.phrase()))
}

/// The proxy that requests to an endpoint would go through, without its password.
pub fn proxy_of_provider(settings: &Settings, provider: &Provider) -> Option<String> {
    let options = provider_options(settings, provider);
    options.socket.is_none().then(|| reasonix_net::proxy_for(&provider.base_url, &options)).flatten()
}

/// The proxy that requests to this address would go through, without its password.
pub fn proxy_of(settings: &Settings, url: &str) -> Option<String> {
    reasonix_net::proxy_for(url, &net_options(settings))
}

/// How an endpoint is reached, where a provider of the settings stands behind it.
pub(crate) fn endpoint_options(settings: &Settings, endpoint: &Endpoint) -> NetOptions {
    let own = |provider: &&Provider| provider.name == endpoint.provider && provider.base_url == endpoint.base_url;
    match settings.providers.iter().find(own) {
        Some(provider) => provider_options(settings, provider),
        None => net_options(settings),
    }
}

/// How one endpoint is reached: what is said of it, over what is said of all.
fn provider_options(settings: &Settings, provider: &Provider) -> NetOptions {
    let (all, own) = (net_options(settings), &provider.reach);
    let certificate = own.client_cert.is_some();
    NetOptions {
        proxy: own.proxy.as_ref().map(|proxy| proxy.expose().to_owned()).or(all.proxy),
        ca_file: own.ca_file.clone().or(all.ca_file),
        // A key belongs to its certificate.
        client_key: own.client_key.clone().or(all.client_key.filter(|_| !certificate)),
        client_cert: own.client_cert.clone().or(all.client_cert),
        socket: own.socket.clone(),
        ..all
    }
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
        socket: None,
        connect_timeout: settings.net.connect_timeout_seconds.map_or(usual.connect_timeout, Duration::from_secs),
    }
}
