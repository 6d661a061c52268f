//! One bounded exchange with an endpoint. Nothing is followed, nothing is unpacked, and what takes too long or says too
//! much is left where it is: what was heard until then counts.

use super::heard::Heard;
use crate::Endpoint;
use crate::answer::bounded_body;
use crate::failure::Trouble;
use crate::head::{head, keyed};
use crate::sse::Sse;
use serde_json::Value;
use std::future::Future;
use std::time::{Duration, Instant};

/// The longest answer that is read.
const MOST_BYTES: usize = 256 * 1024;
/// How long a side question about the server itself may take.
const SIDE: Duration = Duration::from_secs(3);

/// An endpoint, and how long it may take.
pub(super) struct Line<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) client: &'a reqwest::Client,
    pub(super) question: Duration,
    pub(super) until: Instant,
}

impl Line<'_> {
    /// The result of some work, when it comes in time.
    pub(super) async fn timed<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let left = self.until.saturating_duration_since(Instant::now());
        tokio::time::timeout(left.min(self.question), work).await.ok()
    }

    /// A document at the server's root; none when there is no such thing.
    pub(super) async fn document(&self, path: &str, body: Option<&Value>) -> Option<Value> {
        let url = format!("{}{path}", origin(&self.endpoint.base_url)?);
        let read = async {
            let endpoint = keyed(self.endpoint, false).await.ok()?;
            let request = match body.map(Value::to_string) {
                Some(body) => {
                    let headers = head(&endpoint, "POST", &url, body.as_bytes()).ok()?;
                    self.client.post(&url).headers(headers).body(body)
                }
                None => self.client.get(&url).headers(head(&endpoint, "GET", &url, b"").ok()?),
            };
            let response = request.send().await.ok().filter(|response| response.status().is_success())?;
            serde_json::from_str(&bounded_body(response).await).ok()
        };
        self.timed(tokio::time::timeout(SIDE, read)).await?.ok().flatten()
    }

    /// Asks a question of the chat wire.
    pub(super) async fn ask(&self, body: &Value) -> Result<Heard, Trouble> {
        let endpoint = &*keyed(self.endpoint, false).await?;
        let (url, body) = (endpoint.target(), body.to_string());
        let headers = head(endpoint, "POST", &url, body.as_bytes())?;
        let request = self.client.post(url).headers(headers).body(body);
        let started = Instant::now();
        let silent = || Trouble::silent(endpoint, self.question.as_secs());
        let response = self.timed(request.send()).await.ok_or_else(silent)?;
        let response = response.map_err(|error| Trouble::unreachable(endpoint, error))?;
        let status = response.status();
        if status.is_redirection() {
            let target = response.headers().get("location").and_then(|to| to.to_str().ok()).unwrap_or_default();
            return Err(Trouble::redirect(endpoint, status.as_u16(), target));
        }
        if !status.is_success() {
            let body = self.timed(bounded_body(response)).await.unwrap_or_default();
            return Err(Trouble::status(endpoint, status.as_u16(), &body));
        }
        let mut heard = Heard::default();
        // What was heard before the time is up counts.
        let _ = self.timed(read(response, &mut heard, started)).await;
        match heard.error.take() {
            Some(error) => Err(Trouble::in_stream(endpoint, &error)),
            None => Ok(heard),
        }
    }
}

/// Reads an answer, as events or as one document.
async fn read(mut response: reqwest::Response, heard: &mut Heard, started: Instant) {
    let (mut sse, mut bytes, mut total) = (Sse::default(), Vec::new(), 0);
    let mut is_events = None;
    while let Ok(Some(chunk)) = response.chunk().await {
        total += chunk.len();
        if total > MOST_BYTES {
            return;
        }
        if heard.took.is_zero() {
            heard.took = started.elapsed();
        }
        bytes.extend_from_slice(&chunk);
        let first = bytes.iter().copied().find(|byte| !byte.is_ascii_whitespace());
        match is_events.or(first.map(|byte| byte != b'{')) {
            Some(true) => {
                is_events = Some(true);
                let fed = sse.feed(&std::mem::take(&mut bytes), &mut |data| heard.event(data));
                if fed.is_err() || heard.is_whole {
                    return;
                }
            }
            shape => is_events = shape,
        }
    }
    match is_events {
        Some(false) => heard.document(&bytes),
        _ => drop(sse.finish(&mut |data| heard.event(data))),
    }
}

/// Scheme, host and port of an address.
fn origin(url: &str) -> Option<String> {
    let (scheme, rest) = url.trim().split_once("://")?;
    let host = rest.split(['/', '?', '#']).next().filter(|host| !host.is_empty())?;
    Some(format!("{scheme}://{host}"))
}

#[cfg(test)]
mod tests {
    use super::origin;

    #[test]
    fn only_the_endpoints_own_host_is_asked() {
        for (url, expected) in [
            ("http://127.0.0.1:8080/v1", Some("http://127.0.0.1:8080")),
            (" https://h.example/a/b?x=1 ", Some("https://h.example")),
            ("http://[::1]:1/v1", Some("http://[::1]:1")),
            ("nonsense", None),
        ] {
            assert_eq!(origin(url).as_deref(), expected, "{url}");
        }
    }
}
