//! The body of a response on its way into a decoder: events or one document, told by what it is. Pure: bytes in, items
//! out, whether they come from a socket or from a recording.

use crate::Endpoint;
use crate::codec::Decode;
use crate::failure::{Oddity, Trouble};
use crate::sse::{Sse, TooLong};
use std::time::Duration;

/// The most bytes of one answer.
const MOST_BYTES: usize = 512 * 1024 * 1024;
/// The most bytes of an answer that comes as one document.
const MOST_WHOLE: usize = 64 * 1024 * 1024;
/// The most blanks before a document.
const MOST_BLANKS: usize = 1024 * 1024;
/// How much of a body is kept in order to say what came.
const FRONT: usize = 1024;

/// A body that is being read.
pub(crate) struct Body {
    pub(crate) decoder: Box<dyn Decode>,
    sse: Sse,
    shape: Shape,
    /// The document so far, or what came before the shape was known.
    document: Vec<u8>,
    /// How the body begins, without the blanks before it.
    front: Vec<u8>,
    /// How many bytes came.
    pub(crate) read: usize,
    /// How many bytes of a document say anything.
    visible: usize,
    /// An event came, whatever it said.
    framed: bool,
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
        let (sse, document, front) = (Sse::default(), Vec::new(), Vec::new());
        Self { decoder, sse, shape, document, front, read: 0, visible: 0, framed: false }
    }

    /// Takes bytes, split anywhere.
    pub(crate) fn feed(&mut self, chunk: &[u8], endpoint: &Endpoint) -> Result<(), Trouble> {
        self.read += chunk.len();
        if self.read > MOST_BYTES {
            return Err(Trouble::too_long(endpoint));
        }
        let begins = if self.front.is_empty() { chunk.trim_ascii_start() } else { chunk };
        let room = FRONT.saturating_sub(self.front.len()).min(begins.len());
        self.front.extend_from_slice(begins.get(..room).unwrap_or_default());
        match self.shape {
            Shape::Events => self.events(chunk, endpoint),
            Shape::Unknown | Shape::Document => {
                // Blanks in front are neither kept nor looked at again.
                self.document.extend_from_slice(if self.document.is_empty() { begins } else { chunk });
                self.visible += chunk.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
                let blank = self.document.is_empty() && self.read > MOST_BLANKS;
                if blank || self.document.len() > MOST_WHOLE {
                    return Err(Trouble::too_long(endpoint));
                }
                self.look(endpoint)
            }
        }
    }

    /// How much of an answer came. Comments, pings, blanks and events that say nothing are not part of one.
    pub(crate) fn heard(&self) -> usize {
        self.decoder.heard() + if self.shape == Shape::Document { self.visible } else { 0 }
    }

    /// Nothing of an answer came for too long: where something else did, that is said.
    pub(crate) fn silent(&self, endpoint: &Endpoint, limit: Duration) -> Trouble {
        self.strange(endpoint).unwrap_or_else(|| Trouble::silent(endpoint, limit.as_secs()))
    }

    /// What came, where that is text of no protocol.
    fn strange(&self, endpoint: &Endpoint) -> Option<Trouble> {
        const FIELDS: [&str; 5] = [":", "data", "event", "id", "retry"];
        let text = String::from_utf8_lossy(&self.front);
        // A line may have broken off within its first word.
        let is_field = |line: &str| FIELDS.iter().any(|field| line.starts_with(field) || field.starts_with(line));
        let strange = text.lines().map(str::trim).any(|line| !line.is_empty() && !is_field(line));
        (self.shape == Shape::Events && !self.framed && strange).then(|| Trouble::not_json(endpoint, &text))
    }

    /// Tells the shape of the body by its first visible byte.
    fn look(&mut self, endpoint: &Endpoint) -> Result<(), Trouble> {
        match (self.shape, self.document.first()) {
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
        let (mut trouble, decoder, framed) = (None, &mut self.decoder, &mut self.framed);
        let fed = self.sse.feed(bytes, &mut |data| {
            *framed = true;
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
        let (mut last, framed) = (None, &mut self.framed);
        let _ = self.sse.finish(&mut |data| {
            *framed = true;
            last = decoder.event(data).err();
        });
        match last.or_else(|| self.strange(endpoint)) {
            Some(trouble) if trouble.oddity != Some(Oddity::NotJson) => Err(trouble),
            // What begins as an event does and may come whole the next time is no other protocol.
            Some(trouble) if !trouble.passing && !self.decoder.has_spoken() && !self.decoder.is_complete() => {
                Err(trouble)
            }
            _ => self.decoder.finish(),
        }
    }
}
