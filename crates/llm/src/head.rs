//! The headers that a request is sent with, and the key in them, which may have to be fetched.

use crate::endpoint::Endpoint;
use crate::failure::Trouble;
use crate::sign::{Unsigned, signed};
use reasonix_catalogue::{Auth, Effort, Thinking};
use reasonix_proto::FailureClass;
use reqwest::Url;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use std::borrow::Cow;
use std::time::SystemTime;

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

/// The headers of every request; the user's own win over ours.
fn headers(endpoint: &Endpoint) -> Result<HeaderMap, Trouble> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
    if endpoint.wire == reasonix_catalogue::Wire::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        let budget = endpoint.compat().thinking == Thinking::Anthropic;
        if budget && endpoint.effort().is_some_and(|effort| effort != Effort::Off) {
            headers.insert("anthropic-beta", HeaderValue::from_static("interleaved-thinking-2025-05-14"));
        }
    }
    let (name, before) = match endpoint.compat().auth {
        _ if endpoint.sign.is_some() => return add_own(headers, endpoint),
        Auth::Bearer => (AUTHORIZATION, "Bearer "),
        Auth::XApiKey => (HeaderName::from_static("x-api-key"), ""),
        Auth::ApiKey => (HeaderName::from_static("api-key"), ""),
        Auth::None => return add_own(headers, endpoint),
    };
    if let Some(key) = endpoint.secret() {
        let mut value = HeaderValue::from_str(&format!("{before}{key}"))
            .map_err(|_| Trouble::unsendable(endpoint, name.as_str()))?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    add_own(headers, endpoint)
}

/// Adds the user's own headers.
fn add_own(mut headers: HeaderMap, endpoint: &Endpoint) -> Result<HeaderMap, Trouble> {
    for (name, value) in &endpoint.headers {
        let bad = || Trouble::unsendable(endpoint, name);
        let mut value = HeaderValue::from_str(value.trim()).map_err(|_| bad())?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?, value);
    }
    Ok(headers)
}
