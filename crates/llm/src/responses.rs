//! The OpenAI responses wire: items instead of messages, reasoning that only the endpoint can read and that goes back as
//! it came. Nothing is stored at the endpoint.

mod decode;
pub(crate) mod encode;

use crate::codec::Decode;
use crate::reader::reader;
use crate::{Endpoint, wire};
use decode::Responses;
use encode::Encoder;
use reasonix_agent::{Model, Request};
use std::sync::Arc;

/// What items of this wire are stamped with.
const NAME: &str = "responses";

/// A model on the responses wire. The client decides how the endpoint is reached.
pub fn responses(endpoint: Endpoint, client: reqwest::Client) -> Arc<dyn Model> {
    let encoder = Encoder::new(&endpoint);
    wire::model(endpoint, client, encoder, decoder)
}

pub(crate) fn decoder(endpoint: &Arc<Endpoint>, request: &Arc<Request>) -> Box<dyn Decode> {
    reader::<Responses>(endpoint, request)
}
