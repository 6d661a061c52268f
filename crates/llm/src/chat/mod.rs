//! The OpenAI-compatible chat wire: one protocol for every endpoint that speaks it.

mod answer;
mod calls;
mod content;
mod decode;
mod encode;
mod think;

pub(crate) use answer::bounded_body;

use crate::Endpoint;
use crate::failure::Trouble;
use encode::Encoder;
use reasonix_agent::{Model, ModelCard, ModelStream, Request, Stop};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use std::sync::Arc;

/// A model on the chat wire. The client decides how the endpoint is reached.
pub fn chat(endpoint: Endpoint, client: reqwest::Client) -> Arc<dyn Model> {
    let card = ModelCard { name: endpoint.name(), window: endpoint.window };
    let encoder = Encoder::new(&endpoint);
    let url = endpoint.route("chat/completions");
    let headers = headers(&endpoint);
    let wire = Wire { endpoint: Arc::new(endpoint), client, url, headers };
    Arc::new(Chat { card, encoder, wire: Arc::new(wire) })
}

struct Chat {
    card: ModelCard,
    encoder: Encoder,
    wire: Arc<Wire>,
}

/// What every request to an endpoint shares.
struct Wire {
    endpoint: Arc<Endpoint>,
    client: reqwest::Client,
    url: String,
    headers: Result<HeaderMap, Trouble>,
}

impl Model for Chat {
    fn card(&self) -> &ModelCard {
        &self.card
    }

    fn stream(&self, request: Request, stop: Stop) -> ModelStream {
        let body = self.encoder.body(&request);
        answer::Answer::stream(Arc::clone(&self.wire), body, request.messages, stop)
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
