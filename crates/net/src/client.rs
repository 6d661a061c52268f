//! Makes clients.

use crate::proxy::{self, Route};
use crate::{NetError, dns::Names, tls};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How to reach an endpoint.
#[derive(Debug, Clone)]
pub struct NetOptions {
    /// A proxy (`http`, `https`, `socks5` or `socks5h`); when none, what `HTTPS_PROXY`, `HTTP_PROXY` or `ALL_PROXY` say.
    /// Loopback addresses are always reached directly.
    pub proxy: Option<String>,
    /// Hosts that are reached directly; when none, what `NO_PROXY` says.
    pub no_proxy: Option<String>,
    /// A PEM file with certificate authorities to trust besides the system's.
    pub ca_file: Option<PathBuf>,
    /// A PEM file with the certificate to show to servers that ask for one.
    pub client_cert: Option<PathBuf>,
    /// A PEM file with its key; the certificate's own file when none.
    pub client_key: Option<PathBuf>,
    /// A socket of this machine that every connection goes to, whatever host the address names.
    pub socket: Option<PathBuf>,
    /// How long making a connection may take.
    pub connect_timeout: Duration,
}

impl Default for NetOptions {
    fn default() -> Self {
        Self {
            proxy: None,
            no_proxy: None,
            ca_file: None,
            client_cert: None,
            client_key: None,
            socket: None,
            connect_timeout: Duration::from_secs(15),
        }
    }
}

/// Makes a client for one address.
///
/// It follows no redirect, asks for no compression, speaks HTTP/2 where an encrypted server offers it, and keeps its
/// connections. Certificates are read
/// only when there is something to check with them, so that a client for a local `http` address costs microseconds.
pub fn client(url: &str, options: &NetOptions) -> Result<Client, NetError> {
    let target = parse(url)?;
    let route = proxy::route(&target, options, &proxy::environment)?;
    let secure =
        target.scheme() == "https" || matches!(&route, Route::Proxy { address, .. } if address.starts_with("https:"));
    let mut builder = Client::builder()
        .tls_backend_preconfigured(tls::config(secure, options)?)
        .redirect(Policy::none())
        .referer(false)
        .dns_resolver(Arc::new(Names::default()))
        .user_agent(concat!("reasonix/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(options.connect_timeout)
        .tcp_nodelay(true)
        .tcp_keepalive(Duration::from_secs(30))
        .http2_keep_alive_interval(Duration::from_secs(30))
        .http2_adaptive_window(true)
        .pool_max_idle_per_host(8)
        .no_proxy();
    if let Some(socket) = &options.socket {
        builder = builder.unix_socket(socket.as_path());
    } else if let Route::Proxy { address, except } = route {
        builder = builder.proxy(proxy::rule(&address, &except)?);
    }
    builder.build().map_err(|error| NetError::Build(chain(&error)))
}

pub(crate) fn parse(url: &str) -> Result<Url, NetError> {
    let bad = || NetError::Url { url: url.to_owned() };
    let parsed = Url::parse(url).map_err(|_| bad())?;
    let known = matches!(parsed.scheme(), "http" | "https") && parsed.host_str().is_some();
    if known { Ok(parsed) } else { Err(bad()) }
}

/// An error with everything that caused it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{NetOptions, client};
    use crate::NetError;

    #[test]
    fn only_web_addresses_are_taken() {
        for url in ["", "localhost:8080", "ftp://host/", "file:///etc/passwd", "http://", "not a url"] {
            assert_eq!(client(url, &NetOptions::default()).err(), Some(NetError::Url { url: url.into() }), "{url}");
        }
        assert!(client("http://127.0.0.1:8080/v1", &NetOptions::default()).is_ok());
    }

    #[test]
    fn a_bad_certificate_file_is_named_only_where_it_matters() {
        let options = NetOptions { ca_file: Some("/no/such/file.pem".into()), ..NetOptions::default() };
        assert!(client("http://127.0.0.1/v1", &options).is_ok(), "no certificates are read for http");
        let error = client("https://127.0.0.1/v1", &options).expect_err("the file does not exist");
        assert!(error.to_string().contains("/no/such/file.pem"), "{error}");
    }
}
