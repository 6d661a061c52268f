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
pub fn net_options(settings: &Settings) -> NetOptions {
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

#[cfg(test)]
mod tests {
    use super::{client_of, endpoint_options, proxy_of_provider};
    use reasonix_config::{Provider, ProviderReach, Secret, Settings};
    use reasonix_llm::Endpoint;
    use std::path::PathBuf;
    use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

    const URL: &str = "http://model.example/v1";
    /// A proxy that nobody is.
    const NOBODY: &str = "http://127.0.0.1:9";

    fn provider(url: &str, reach: ProviderReach) -> Provider {
        Provider { name: "p".to_owned(), base_url: url.to_owned(), reach, ..Provider::default() }
    }

    /// Answers one request, and gives its first line.
    async fn answered(mut stream: impl AsyncRead + AsyncWrite + Unpin) -> String {
        let mut bytes = vec![0; 4096];
        let read = stream.read(&mut bytes).await.unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok").await.unwrap();
        String::from_utf8_lossy(&bytes[..read]).lines().next().unwrap_or_default().to_owned()
    }

    async fn ask(settings: &Settings, provider: &Provider) -> String {
        let client = client_of(settings, provider).unwrap();
        client.get(format!("{URL}/models")).send().await.unwrap().text().await.unwrap()
    }

    #[tokio::test]
    async fn a_provider_has_a_proxy_of_its_own() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
        let reach = ProviderReach { proxy: Some(Secret::new(address.as_str())), ..ProviderReach::default() };
        let provider = provider(URL, reach);
        let mut settings = Settings { providers: vec![provider.clone()], ..Settings::default() };
        settings.net.proxy = Some(Secret::new(NOBODY));
        let serve = async { answered(listener.accept().await.unwrap().0).await };
        let (said, line) = tokio::join!(ask(&settings, &provider), serve);
        assert_eq!((said.as_str(), line.as_str()), ("ok", "GET http://model.example/v1/models HTTP/1.1"));
        assert_eq!(proxy_of_provider(&settings, &provider), Some(address.clone()), "and it is the one that is named");
        let options = |url: &str| endpoint_options(&settings, &Endpoint::new("p", url, "m"));
        assert_eq!(options(URL).proxy, Some(address));
        assert_eq!(
            options("http://other.example/v1").proxy.as_deref(),
            Some(NOBODY),
            "another address has that of all"
        );
    }

    #[tokio::test]
    async fn a_provider_listens_at_a_socket() {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("s");
        let listener = tokio::net::UnixListener::bind(&socket).unwrap();
        let proxy = Some(Secret::new(NOBODY));
        let reach = ProviderReach { socket: Some(socket), proxy, ..ProviderReach::default() };
        let (settings, provider) = (Settings::default(), provider(URL, reach));
        let serve = async { answered(listener.accept().await.unwrap().0).await };
        let (said, line) = tokio::join!(ask(&settings, &provider), serve);
        assert_eq!((said.as_str(), line.as_str()), ("ok", "GET /v1/models HTTP/1.1"));
        assert_eq!(proxy_of_provider(&settings, &provider), None, "nothing stands in between");
    }

    #[test]
    fn a_provider_has_certificates_of_its_own() {
        let missing = |name: &str| Some(PathBuf::from(format!("/nowhere/{name}")));
        let fault = |settings: &Settings, reach: ProviderReach| {
            let made = client_of(settings, &provider("https://model.example/v1", reach));
            made.err().map(|error| format!("{error:?}")).unwrap_or_default()
        };
        let own = || ProviderReach { ca_file: missing("own.pem"), ..ProviderReach::default() };
        let shown = ProviderReach { client_cert: missing("cert.pem"), ..ProviderReach::default() };
        let mut settings = Settings::default();
        assert_eq!(fault(&settings, ProviderReach::default()), "", "a client is made");
        assert!(fault(&settings, own()).contains("own.pem"), "{}", fault(&settings, own()));
        let found = fault(&settings, shown);
        assert!(found.contains("cert.pem"), "{found}");
        settings.net.ca_file = missing("all.pem");
        assert!(fault(&settings, ProviderReach::default()).contains("all.pem"));
        assert!(fault(&settings, own()).contains("own.pem"), "what is said of one wins");
    }
}
