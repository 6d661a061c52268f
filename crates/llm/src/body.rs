//! The body of a response on its way into a decoder: events or one document, told by what it is. Pure: bytes in, items
//! out, whether they come from a socket or from a recording.

use crate::Endpoint;
use crate::failure::Trouble;
use crate::sse::{Sse, TooLong};
use crate::wire::Decode;

/// The most bytes of one answer.
const MOST_BYTES: usize = 512 * 1024 * 1024;
/// The most bytes of an answer that comes as one document.
const MOST_WHOLE: usize = 64 * 1024 * 1024;

/// A body that is being read.
pub(crate) struct Body {
    pub(crate) decoder: Box<dyn Decode>,
    sse: Sse,
    shape: Shape,
    /// The document so far, or what came before the shape was known.
    document: Vec<u8>,
    /// How many bytes came.
    pub(crate) read: usize,
}

/// What the body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Told by the first visible byte.
    Unknown,
    Events,
    Document,
}

impl Body {
    /// A body of this content type.
    pub(crate) fn new(kind: &str, decoder: Box<dyn Decode>) -> Self {
        let shape = if kind.starts_with("text/event-stream") { Shape::Events } else { Shape::Unknown };
        Self { decoder, sse: Sse::default(), shape, document: Vec::new(), read: 0 }
    }

    /// Takes bytes, split anywhere.
    pub(crate) fn take(&mut self, chunk: &[u8], endpoint: &Endpoint) -> Result<(), Trouble> {
        self.read += chunk.len();
        if self.read > MOST_BYTES {
            return Err(Trouble::too_long(endpoint));
        }
        match self.shape {
            Shape::Events => self.events(chunk, endpoint),
            Shape::Unknown | Shape::Document => {
                self.document.extend_from_slice(chunk);
                if self.document.len() > MOST_WHOLE {
                    return Err(Trouble::too_long(endpoint));
                }
                self.look(endpoint)
            }
        }
    }

    /// Tells the shape of the body by its first visible byte.
    fn look(&mut self, endpoint: &Endpoint) -> Result<(), Trouble> {
        let visible = self.document.iter().find(|byte| !byte.is_ascii_whitespace());
        match (self.shape, visible) {
            (Shape::Unknown, Some(b'<')) => Err(Trouble::html(endpoint)),
            (Shape::Unknown, Some(b'{' | b'[')) => {
                self.shape = Shape::Document;
                Ok(())
            }
            (Shape::Unknown, Some(_)) => {
                self.shape = Shape::Events;
                let begun = std::mem::take(&mut self.document);
                self.events(&begun, endpoint)
            }
            _ => Ok(()),
        }
    }

    fn events(&mut self, bytes: &[u8], endpoint: &Endpoint) -> Result<(), Trouble> {
        let (mut trouble, decoder) = (None, &mut self.decoder);
        let fed = self.sse.feed(bytes, &mut |data| {
            if trouble.is_none() {
                trouble = decoder.event(data).err();
            }
        });
        match (trouble, fed) {
            (Some(trouble), _) => Err(trouble),
            (None, Err(TooLong)) => Err(Trouble::too_long(endpoint)),
            (None, Ok(())) => Ok(()),
        }
    }

    /// The body is over.
    pub(crate) fn end(&mut self, endpoint: &Endpoint) -> Result<(), Trouble> {
        if self.shape == Shape::Document {
            self.decoder.whole(&self.document)?;
            return self.decoder.finish();
        }
        if self.read == 0 {
            return Err(Trouble::broken(endpoint, "the answer was empty"));
        }
        // An event that breaks off at the end of the stream is no event.
        let decoder = &mut self.decoder;
        let mut last = None;
        let _ = self.sse.finish(&mut |data| last = decoder.event(data).err());
        match last {
            Some(trouble) if trouble.failure.phrase.code != "llm.not_json" => Err(trouble),
            Some(trouble) if !self.decoder.has_spoken() && !self.decoder.is_complete() => Err(trouble),
            _ => self.decoder.finish(),
        }
    }
}
