//! What a wire has to know: to write requests, and to read answers.

use crate::Endpoint;
use crate::failure::Trouble;
use bytes::Bytes;
use reasonix_agent::{Item, Request};
use std::sync::Arc;

/// Turns requests into bodies. The body of a request extends that of the one before it.
pub(crate) trait Encode: Send + Sync {
    /// The body of a request; and, where it says which form the answer has to have, the same without that, for an endpoint that refuses to be told.
    fn bodies(&self, request: &Request) -> (Bytes, Option<Bytes>);

    /// The body of a request.
    #[cfg(test)]
    fn body(&self, request: &Request) -> Bytes {
        self.bodies(request).0
    }

    /// The body that asks how many tokens a request has, where the wire can be asked.
    fn count(&self, _request: &Request) -> Option<Bytes> {
        None
    }
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
    /// How much was said so far: grows with each piece that says anything.
    fn heard(&self) -> usize;
    /// Takes the data of one event.
    fn event(&mut self, data: &[u8]) -> Result<(), Trouble>;
    /// Takes an answer that came as one document.
    fn whole(&mut self, body: &[u8]) -> Result<(), Trouble>;
    /// The stream is over. Gives the calls and the end, or says that it broke off.
    fn finish(&mut self) -> Result<(), Trouble>;
    /// What is wrong with a finished answer that announced a call, and has none.
    fn lacking(&self) -> Option<Trouble>;
    /// Something failed: what had come stands, half a call does not.
    fn fail(&mut self, trouble: Trouble);
}

/// Makes the decoder of one answer.
pub(crate) type NewDecoder = fn(&Arc<Endpoint>, &Arc<Request>) -> Box<dyn Decode>;
