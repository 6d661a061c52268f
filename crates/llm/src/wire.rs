//! What every wire shares: where requests go, with which headers, and who reads what comes back.

use crate::Endpoint;
use crate::answer::Answer;
use crate::failure::Trouble;
use bytes::Bytes;
use reasonix_agent::{Item, Model, ModelCard, ModelStream, Request, Stop};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use std::sync::Arc;

/// Turns requests into bodies. The body of a request extends that of the one before it.
pub(crate) trait Encode: Send + Sync {
    /// The body of a request.
    fn body(&self, request: &Request) -> Bytes;
}

/// Folds the events of one answer into items. Pure: no IO, no clock.
pub(crate) trait Decode: Send {
    /// The next item that is ready.
    fn pop(&mut self) -> Option<Item>;
    /// True when the endpoint said that nothing more comes.
    fn is_done(&self) -> bool;
    /// True when the answer is complete, whatever may still follow.
    fn is_complete(&self) -> bool;
    /// True once anything was said.
    fn has_spoken(&self) -> bool;
    /// Takes the data of one event.
    fn event(&mut self, data: &[u8]) -> Result<(), Trouble>;
    /// Takes an answer that came as one document.
    fn whole(&mut self, body: &[u8]) -> Result<(), Trouble>;
    /// The stream is over. Gives the calls and the end, or says that it broke off.
    fn finish(&mut self) -> Result<(), Trouble>;
    /// Something failed: what had come stands, half a call does not.
    fn fail(&mut self, trouble: Trouble);
}

/// Makes the decoder of one answer.
pub(crate) type NewDecoder = fn(&Arc<Endpoint>, &Arc<Request>) -> Box<dyn Decode>;

/// What every request to an endpoint shares.
pub(crate) struct Wire {
    pub(crate) endpoint: Arc<Endpoint>,
    pub(crate) client: reqwest::Client,
    pub(crate) url: String,
    pub(crate) headers: Result<HeaderMap, Trouble>,
    pub(crate) decoder: NewDecoder,
}

/// A model behind a wire.
struct Wired<E> {
    card: ModelCard,
    encoder: E,
    wire: Arc<Wire>,
}

/// Puts a model together.
pub(crate) fn model<E: Encode + 'static>(
    endpoint: Endpoint,
    client: reqwest::Client,
    encoder: E,
    decoder: NewDecoder,
) -> Arc<dyn Model> {
    let card = endpoint.card();
    let url = endpoint.target();
    let headers = headers(&endpoint);
    let wire = Wire { endpoint: Arc::new(endpoint), client, url, headers, decoder };
    Arc::new(Wired { card, encoder, wire: Arc::new(wire) })
}

impl<E: Encode> Model for Wired<E> {
    fn card(&self) -> &ModelCard {
        &self.card
    }

    fn stream(&self, request: Request, stop: Stop) -> ModelStream {
        let body = self.encoder.body(&request);
        Answer::stream(Arc::clone(&self.wire), body, request, stop)
    }
}

/// The headers of every request; the user's own win over ours.
pub(crate) fn headers(endpoint: &Endpoint) -> Result<HeaderMap, Trouble> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
    if let Some(key) = endpoint.secret() {
        let mut value = HeaderValue::from_str(&format!("Bearer {key}"))
            .map_err(|_| Trouble::unsendable(endpoint, "Authorization"))?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    for (name, value) in &endpoint.headers {
        let bad = || Trouble::unsendable(endpoint, name);
        let mut value = HeaderValue::from_str(value.trim()).map_err(|_| bad())?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?, value);
    }
    Ok(headers)
}
