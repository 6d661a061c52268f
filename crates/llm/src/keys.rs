//! Keys that are fetched, and fetched again when they are refused; and the headers that a request is sent with.

use crate::endpoint::{ApiKey, Endpoint};
use crate::failure::Trouble;
use crate::sign::{Unsigned, signed};
use crate::wire::headers;
use reasonix_agent::BoxFuture;
use reasonix_proto::{FailureClass, Phrase};
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use std::borrow::Cow;
use std::time::SystemTime;

/// Where keys come from that do not stand in a variable.
pub trait KeySource: Send + Sync {
    /// The key to send now; `refused` when the last one was not taken, so that another one is wanted.
    fn key(&self, refused: bool) -> BoxFuture<'_, Result<ApiKey, Phrase>>;

    /// How often another key may help one request that failed like this.
    fn spares(&self, class: FailureClass) -> usize;
}

/// The endpoint with its key in it, fetched where it has to be.
pub(crate) async fn keyed(endpoint: &Endpoint, refused: bool) -> Result<Cow<'_, Endpoint>, Trouble> {
    let Some(source) = &endpoint.key_source else { return Ok(Cow::Borrowed(endpoint)) };
    match source.key(refused).await {
        Ok(key) => Ok(Cow::Owned(Endpoint { key: Some(key), ..endpoint.clone() })),
        Err(why) => Err(Trouble::of(FailureClass::KeyRejected, why)),
    }
}

/// The headers of one request to an endpoint that has its key: the usual ones, or signed for exactly this request.
pub(crate) fn head(endpoint: &Endpoint, method: &str, url: &str, body: &[u8]) -> Result<HeaderMap, Trouble> {
    let mut all = headers(endpoint)?;
    let Some(signing) = &endpoint.sign else { return Ok(all) };
    let key = endpoint.key.as_ref().ok_or_else(|| Trouble::key_missing(endpoint))?;
    let url = Url::parse(url).map_err(|_| Trouble::bad_url(endpoint))?;
    let host = url.host_str().unwrap_or_default();
    let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let kind = all.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_owned();
    let signed_too = vec![("content-type", kind), ("host", host)];
    let (path, query) = (url.path(), url.query().unwrap_or_default());
    let request = Unsigned { method, path, query, headers: signed_too, body };
    let lines = signed(signing, key, request, SystemTime::now());
    for (name, value) in lines.ok_or_else(|| Trouble::unsignable(endpoint))? {
        let mut value = HeaderValue::from_str(&value).map_err(|_| Trouble::unsendable(endpoint, name))?;
        value.set_sensitive(true);
        all.insert(name, value);
    }
    Ok(all)
}
