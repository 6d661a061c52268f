//! What an endpoint answers, kept byte for byte while it is read. What we sent as a secret is taken out before anybody
//! gets it.

use crate::recorder::{Begun, Recorder};
use crate::repair::Form;
use crate::{Endpoint, redact};
use reasonix_proto::{Exchange, ExchangeEnd, Phrase, Reading};
use reqwest::header::HeaderMap;
use std::sync::Arc;

/// The most bytes of one answer that are kept. A real one has some ten thousand.
const MOST: usize = 16 * 1024 * 1024;
/// The headers that say how to read a response, which request it was, and what its sender allows.
const HEADERS: &[&str] = &[
    "content-type",
    "content-encoding",
    "retry-after",
    "retry-after-ms",
    "request-id",
    "x-request-id",
    "server",
    "openai-processing-ms",
];
/// A longer value of a header is cut.
const LONGEST_HEADER: usize = 200;

/// One exchange that is being recorded. It is handed over when it is dropped, however it ends.
pub(crate) struct Tape {
    recorder: Arc<dyn Recorder>,
    endpoint: Arc<Endpoint>,
    exchange: Option<Exchange>,
    body: Vec<u8>,
}

impl Tape {
    /// Begins to record, where that is wanted.
    pub(crate) fn begin(endpoint: &Arc<Endpoint>, form: Form, body: &[u8]) -> Option<Box<Self>> {
        let recorder = Arc::clone(endpoint.recorder.as_ref()?);
        let Begun { after, at, request } = recorder.begin(body)?;
        let repairing = endpoint.repairing;
        let exchange = Exchange {
            after,
            at,
            provider: endpoint.provider.clone(),
            model: endpoint.model.clone(),
            wire_model: endpoint.wire_model.clone(),
            wire: endpoint.wire.kind().to_owned(),
            url: redact::url(&endpoint.base_url),
            keyed: endpoint.secret().is_some(),
            key_env: endpoint.key_env.clone(),
            reading: Reading {
                blocks: repairing.blocks,
                flat: repairing.flattens(endpoint.wire, &endpoint.model),
                words: repairing.textual,
                guided: repairing.grammar,
                native: repairing.native_only,
                object: form == Form::Object,
            },
            request,
            request_bytes: body.len() as u64,
            status: 0,
            headers: Vec::new(),
            bytes: 0,
            kept: 0,
            end: ExchangeEnd::Stopped,
        };
        let endpoint = Arc::clone(endpoint);
        Some(Box::new(Self { recorder, endpoint, exchange: Some(exchange), body: Vec::new() }))
    }

    /// The head of the response came.
    pub(crate) fn head(&mut self, status: u16, headers: &HeaderMap) {
        let Some(exchange) = &mut self.exchange else { return };
        exchange.status = status;
        let value = |name: &&str| {
            let value = headers.get(*name)?.to_str().ok()?;
            Some(((*name).to_owned(), value.chars().take(LONGEST_HEADER).collect()))
        };
        exchange.headers = HEADERS.iter().filter_map(value).collect();
    }

    /// Bytes of the response came.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let Some(exchange) = &mut self.exchange else { return };
        exchange.bytes += bytes.len() as u64;
        let room = MOST.saturating_sub(self.body.len());
        self.body.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    /// The response was read to its end.
    pub(crate) fn whole(&mut self) {
        self.end(ExchangeEnd::Whole);
    }

    /// It failed.
    pub(crate) fn failed(&mut self, why: &Phrase) {
        self.end(ExchangeEnd::Failed { why: why.clone() });
    }

    fn end(&mut self, end: ExchangeEnd) {
        if let Some(exchange) = &mut self.exchange {
            exchange.end = end;
        }
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        let Some(mut exchange) = self.exchange.take() else { return };
        let whole = exchange.bytes == self.body.len() as u64;
        let body = redact::scrubbed(std::mem::take(&mut self.body), &self.endpoint);
        exchange.kept = body.len() as u64;
        // What was taken out was never there; what was cut off was.
        exchange.bytes = if whole { exchange.kept } else { exchange.bytes.max(exchange.kept + 1) };
        for (_, value) in &mut exchange.headers {
            let clean = redact::scrubbed(std::mem::take(value).into_bytes(), &self.endpoint);
            *value = String::from_utf8_lossy(&clean).into_owned();
        }
        self.recorder.keep(exchange, body);
    }
}
