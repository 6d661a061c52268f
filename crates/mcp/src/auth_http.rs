//! The requests of a login, through the client of `net`: no redirect is followed, and every body is bounded.

use futures_util::StreamExt;
use reasonix_net::NetOptions;
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest};
use std::time::Duration;

/// Bytes of one answer.
const LARGEST: usize = 1024 * 1024;
/// Longest that one request may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client for the servers that a login leads to.
pub(crate) struct AuthHttp {
    pub(crate) net: NetOptions,
}

impl AuthHttp {
    async fn send(&self, asked: OAuthHttpRequest) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        let (parts, body) = asked.request.into_parts();
        let url = parts.uri.to_string();
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
