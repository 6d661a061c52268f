//! The OpenAI-compatible chat wire: one protocol for every endpoint that speaks it.

pub(crate) mod calls;
pub(crate) mod content;
pub(crate) mod decode;
mod details;
pub(crate) mod encode;

use crate::codec::Decode;
use crate::reader::reader;
use crate::{Endpoint, wire};
use decode::Chat;
use encode::Encoder;
use reasonix_agent::{Model, Request};
use std::sync::Arc;

/// A model on the chat wire. The client decides how the endpoint is reached.
pub fn chat(endpoint: Endpoint, client: reqwest::Client) -> Arc<dyn Model> {
    let encoder = Encoder::new(&endpoint);
    wire::model(endpoint, client, encoder, decoder)
}

pub(crate) fn decoder(endpoint: &Arc<Endpoint>, request: &Arc<Request>) -> Box<dyn Decode> {
    reader::<Chat>(endpoint, request)
}
