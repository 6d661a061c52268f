//! A recorded answer read again: the same bytes through the same decoder and the same repairs.

use crate::body::Body;
use crate::codec::NewDecoder;
use crate::failure::Trouble;
use crate::repair::{Form, flat_prefix};
use crate::wire::read_by;
use crate::{ApiKey, Endpoint, Repairing, Wire, anthropic, chat, responses};
use reasonix_agent::{Item, Request};
use reasonix_proto::{Exchange, ExchangeEnd, FailureClass};
use std::sync::Arc;

/// In pieces of this size, so that reading goes through the same steps as from a socket.
const PIECE: usize = 16 * 1024;
/// Stands for a key that was there.
const SOME_KEY: &str = "key";

/// What a recorded exchange comes to, as the answer to this request. Nothing is sent.
pub fn hear(exchange: &Exchange, body: &[u8], mut request: Request) -> Vec<Item> {
    let endpoint = Arc::new(endpoint_of(exchange));
    if let Some(failure) = refused(exchange, &endpoint, body) {
        return vec![Item::Failed(failure.failure)];
    }
    if exchange.reading.flat {
        request.prefix = flat_prefix(&request.prefix);
    }
    let form = if exchange.reading.object { Form::Object } else { Form::Tags };
    let decoder: NewDecoder = match endpoint.wire {
        Wire::Chat => chat::decoder,
        Wire::Responses => responses::decoder,
        Wire::Anthropic => anthropic::decoder,
    };
    let decoder = read_by(decoder, &endpoint, &Arc::new(request), form);
    let mut reading = Body::new(exchange.header("content-type").unwrap_or_default(), decoder);
    if let Err(trouble) = read(&mut reading, exchange, body, &endpoint) {
        reading.decoder.fail(trouble);
    }
    std::iter::from_fn(|| reading.decoder.pop()).collect()
}

/// Reads the bytes as far as they were read then.
fn read(reading: &mut Body, exchange: &Exchange, body: &[u8], endpoint: &Endpoint) -> Result<(), Trouble> {
    for piece in body.chunks(PIECE) {
        reading.feed(piece, endpoint)?;
        if reading.decoder.is_done() {
            return reading.decoder.finish();
        }
    }
    match &exchange.end {
        // The bytes cannot tell that the line was cut or silent.
        ExchangeEnd::Failed { why } if !reading.decoder.is_complete() => {
            Err(Trouble::of(FailureClass::StreamBroken, why.clone()))
        }
        _ => reading.end(endpoint),
    }
}

/// The failure of an exchange that has no answer.
fn refused(exchange: &Exchange, endpoint: &Endpoint, body: &[u8]) -> Option<Trouble> {
    let ExchangeEnd::Failed { why } = &exchange.end else { return None };
    match exchange.status {
        400.. => Some(Trouble::status(endpoint, exchange.status, &String::from_utf8_lossy(body))),
        200..300 if exchange.bytes > 0 => None,
        _ => Some(Trouble::of(FailureClass::BadResponse, why.clone())),
    }
}

/// The endpoint as far as reading needs to know it.
fn endpoint_of(exchange: &Exchange) -> Endpoint {
    let reading = exchange.reading;
    let mut endpoint = Endpoint::new(&exchange.provider, &exchange.url, &exchange.model);
    endpoint.wire = Wire::parse(&exchange.wire).unwrap_or(Wire::Chat);
    endpoint.wire_model.clone_from(&exchange.wire_model);
    endpoint.key_env.clone_from(&exchange.key_env);
    endpoint.key = exchange.keyed.then(|| ApiKey::from(SOME_KEY));
    endpoint.repairing = Repairing {
        blocks: reading.blocks,
        flatten: Some(reading.flat),
        textual: reading.words,
        grammar: reading.guided,
        addressed: reasonix_catalogue::addresses(&exchange.model),
        native_only: reading.native,
    };
    endpoint
}
