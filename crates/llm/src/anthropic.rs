//! The Anthropic messages wire: content in blocks, thinking that is signed and goes back as it came, a cache that is told
//! where to look.

mod decode;
pub(crate) mod encode;

use crate::codec::Decode;
use crate::reader::reader;
use crate::{Endpoint, wire};
use decode::Messages;
use encode::Encoder;
use reasonix_agent::{Model, Request};
use std::sync::Arc;

/// What blocks of this wire are stamped with.
const NAME: &str = "anthropic";

/// A model on the messages wire. The client decides how the endpoint is reached.
pub fn anthropic(endpoint: Endpoint, client: reqwest::Client) -> Arc<dyn Model> {
    let encoder = Encoder::new(&endpoint);
    wire::model(endpoint, client, encoder, decoder)
}

pub(crate) fn decoder(endpoint: &Arc<Endpoint>, request: &Arc<Request>) -> Box<dyn Decode> {
    reader::<Messages>(endpoint, request)
}
