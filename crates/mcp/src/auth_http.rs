//! The requests of a login, through the client of `net`: no redirect is followed, and every body is bounded.

use crate::listing::bounded;
use futures_util::StreamExt;
use reasonix_net::NetOptions;
use reqwest::Url;
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest};
use std::time::Duration;

/// Bytes of one answer.
const LARGEST: usize = 1024 * 1024;
/// Longest that one request may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client for the servers that a login leads to.
pub(crate) struct AuthHttp {
    pub(crate) net: NetOptions,
    /// The address of the server that is logged in to.
    pub(crate) server: String,
}

/// Whether a login may lead to an address: https, or this machine where the server is on it too. Else why not.
pub(crate) fn checked(text: &str, server: &str) -> Result<(), String> {
    let elsewhere = || format!("{} is no address for a login", bounded(text, 200));
    let local = |url: &Url| url.host_str().is_some_and(|host| matches!(host, "localhost" | "127.0.0.1" | "[::1]"));
    let url = Url::parse(text).map_err(|_| elsewhere())?;
    let near = Url::parse(server).is_ok_and(|server| local(&server)) && local(&url);
    let safe = url.scheme() == "https" || (url.scheme() == "http" && near);
    (safe && url.username().is_empty() && url.password().is_none()).then_some(()).ok_or_else(elsewhere)
}

/// Whether something may be asked of an address. A server may be asked in its own place what it says of logins, however it
/// is reached; secrets and tokens go only where a login may lead.
fn may_ask(method: &http::Method, url: &str, server: &str) -> Result<(), String> {
    let origin = |text: &str| Url::parse(text).ok().map(|url| url.origin());
    let own = *method == http::Method::GET && origin(url).is_some() && origin(url) == origin(server);
    if own { Ok(()) } else { checked(url, server) }
}

impl AuthHttp {
    async fn send(&self, asked: OAuthHttpRequest) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        let (parts, body) = asked.request.into_parts();
        let url = parts.uri.to_string();
        // Each time: what a server says of its logins may be another thing by now.
        may_ask(&parts.method, &url, &self.server)?;
        let client = reasonix_net::client(&url, &self.net)?;
        let request = client.request(parts.method, &url).headers(parts.headers).body(body);
        let response = request.send().await.map_err(reqwest::Error::without_url)?;
        let mut answer = http::Response::builder().status(response.status());
        if let Some(headers) = answer.headers_mut() {
            headers.clone_from(response.headers());
        }
        let mut whole = Vec::new();
        let mut pieces = response.bytes_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(reqwest::Error::without_url)?;
            if whole.len() + piece.len() > LARGEST {
                return Err(format!("an answer has more than {LARGEST} bytes").into());
            }
            whole.extend_from_slice(&piece);
        }
        Ok(answer.body(whole)?)
    }
}

impl OAuthHttpClient for AuthHttp {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            match tokio::time::timeout(PATIENCE, self.send(request)).await {
                Ok(answer) => answer,
                Err(_) => Err(format!("no answer within {} s", PATIENCE.as_secs()).into()),
            }
        })
    }
}
