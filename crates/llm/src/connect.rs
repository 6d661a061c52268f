//! From an endpoint to a model, whatever it speaks.

use crate::{Endpoint, anthropic, chat, responses};
use reasonix_agent::Model;
use reasonix_catalogue::Wire;
use std::sync::Arc;

/// The model behind an endpoint. The client decides how it is reached.
pub fn connect(endpoint: Endpoint, client: reqwest::Client) -> Arc<dyn Model> {
    match endpoint.wire {
        Wire::Chat => chat(endpoint, client),
        Wire::Responses => responses(endpoint, client),
        Wire::Anthropic => anthropic(endpoint, client),
    }
}
