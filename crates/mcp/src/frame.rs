//! One message a line, in bounded memory. Noise is skipped, and an answer that is too large or makes no sense becomes an
//! error for exactly the request that waits for it.

use memchr::memchr;
use rmcp::ErrorData;
use rmcp::model::{NumberOrString, RequestId, ServerJsonRpcMessage};
use serde_json::Value;

/// What came of the bytes so far.
pub(crate) enum Framed {
    /// A message.
    Message(Box<ServerJsonRpcMessage>),
    /// Nothing yet.
    More,
    /// It is no use to read on, for this reason.
    Broken(String),
}

/// Bytes on their way to messages.
pub(crate) struct Frames {
    buffer: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Where the search for the end of the line goes on.
    looked: usize,
    /// The line is longer than any message may be: only who it is for is looked for.
    long: Option<WhoseAnswer>,
    /// Bytes since the last message that belong to none.
    noise: usize,
    most: usize,
    most_noise: usize,
}

impl Frames {
    pub(crate) fn new(most: usize, most_noise: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, looked: 0, long: None, noise: 0, most, most_noise }
    }

    /// Where the next bytes go.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// The next message of what is there.
    pub(crate) fn next(&mut self) -> Framed {
        loop {
            let rest = self.buffer.get(self.looked..).unwrap_or_default();
            let Some(at) = memchr(b'\n', rest).map(|at| self.looked + at) else {
                // Moved once for all the lines of a piece.
                self.buffer.drain(..self.start);
                self.start = 0;
                self.looked = self.buffer.len();
                return self.unfinished();
            };
            let line = self.buffer.get(self.start..=at).unwrap_or_default().to_vec();
            self.start = at + 1;
            self.looked = self.start;
            if let Some(message) = self.line(&line) {
                self.noise = 0;
                return Framed::Message(Box::new(message));
            }
            if let Some(why) = self.too_loud() {
                return Framed::Broken(why);
            }
        }
    }

    /// A line that has not ended.
    fn unfinished(&mut self) -> Framed {
        if self.long.is_none() && self.buffer.len() <= self.most {
            return Framed::More;
        }
        self.long.get_or_insert_default().read(&self.buffer);
        self.noise += self.buffer.len();
        // What it took is given back.
        self.buffer = Vec::new();
        self.looked = 0;
        self.too_loud().map_or(Framed::More, Framed::Broken)
    }

    fn too_loud(&self) -> Option<String> {
        let mib = self.most_noise / (1024 * 1024);
        (self.noise > self.most_noise).then(|| format!("it wrote more than {mib} MiB that is no message"))
    }

    fn line(&mut self, line: &[u8]) -> Option<ServerJsonRpcMessage> {
        let was_long = self.long.take().or_else(|| (line.len() > self.most).then(WhoseAnswer::default));
        if let Some(mut whose) = was_long {
            whose.read(line);
            self.noise += line.len();
            let message = format!("the answer has more than {} MiB", self.most / (1024 * 1024));
            return whose.id.map(|id| failed(message, id));
        }
        let text = line.trim_ascii();
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let message = if text.first() == Some(&b'{') { read(text) } else { None };
        if message.is_none() {
            self.noise += line.len();
        }
        message
    }
}

/// A message, or an error in the place of an answer that is none.
pub(crate) fn read(text: &[u8]) -> Option<ServerJsonRpcMessage> {
    let error = match serde_json::from_slice(text) {
        Ok(message) => return Some(message),
        Err(error) => error,
    };
    let whole: Value = serde_json::from_slice(text).ok()?;
    let id = match whole.get("id")? {
        Value::Number(number) => RequestId::Number(number.as_i64()?),
        Value::String(text) => RequestId::String(text.as_str().into()),
        _ => return None,
    };
    let answers = whole.get("method").is_none();
    answers.then(|| failed(format!("the answer cannot be read: {error}"), id))
}

fn failed(message: String, id: RequestId) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(ErrorData::internal_error(message, None), Some(id))
}

/// Finds the `id` of an object as it passes by, without keeping the object.
#[derive(Default)]
struct WhoseAnswer {
    id: Option<RequestId>,
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// What comes is the value of the id.
    wanted: bool,
    /// The last text or number of the outermost level, as far as it can matter.
    word: Vec<u8>,
}

impl WhoseAnswer {
    fn read(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.byte(*byte));
    }

    fn byte(&mut self, byte: u8) {
        if self.in_text {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => {
                    self.in_text = false;
                    if self.wanted && self.depth == 1 {
                        let text = String::from_utf8_lossy(&self.word);
                        self.id = Some(NumberOrString::String(text.as_ref().into()));
                        self.wanted = false;
                    }
                }
                _ => self.keep(byte),
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_text = true;
                self.word.clear();
            }
            b'{' | b'[' => self.depth += 1,
            b':' if self.depth == 1 => {
                self.wanted = self.word == b"id";
                self.word.clear();
            }
            b',' | b'}' | b']' => {
                if self.wanted && self.depth == 1 {
                    let text = String::from_utf8_lossy(&self.word);
                    self.id = text.parse().ok().map(RequestId::Number).or(self.id.take());
                    self.wanted = false;
                }
                if byte != b',' {
                    self.depth = self.depth.saturating_sub(1);
                }
            }
            b'0'..=b'9' | b'-' => self.keep(byte),
            _ => {}
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.word.len() < 64 {
            self.word.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Framed, Frames};
    use rmcp::model::{RequestId, ServerJsonRpcMessage};

    /// The messages of these bytes in pieces, each as who it is for and whether it is an error; then why it broke.
    fn framed(
        bytes: &[u8],
        piece: usize,
        most: usize,
        noise: usize,
    ) -> (Vec<(Option<RequestId>, bool)>, Option<String>) {
        let (mut frames, mut out) = (Frames::new(most, noise), Vec::new());
        for piece in bytes.chunks(piece) {
            frames.buffer().extend_from_slice(piece);
            loop {
                match frames.next() {
                    Framed::More => break,
                    Framed::Broken(why) => return (out, Some(why)),
                    Framed::Message(message) => out.push(match *message {
                        ServerJsonRpcMessage::Response(response) => (Some(response.id), false),
                        ServerJsonRpcMessage::Error(error) => (error.id, true),
                        _ => (None, false),
                    }),
                }
            }
            assert!(frames.buffer.capacity() <= 4 * (most + piece.len()), "{}", frames.buffer.capacity());
        }
        (out, None)
    }

    #[test]
    fn noise_is_skipped_however_it_comes() {
        let text = "hello\n\n[1]\n{\"a\":1}\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\n{\nstarted\n\
            {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";
        for piece in [1, 2, 7, 1000] {
            let wanted = vec![(Some(RequestId::Number(1)), false), (None, false)];
            assert_eq!(framed(text.as_bytes(), piece, 1000, 1000), (wanted, None), "{piece}");
        }
    }

    #[test]
    fn an_answer_that_is_too_large_fails_its_own_request() {
        let long = "x\\\"id\\\":5,{".repeat(500);
        for (text, id) in [
            (format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{{\"id\":9,\"a\":\"{long}\"}}}}\n"), 7),
            (format!("{{\"result\":{{\"id\":9,\"a\":[\"{long}\"]}},\"jsonrpc\":\"2.0\",\"id\": 8 }}\n"), 8),
        ] {
            let text = format!("{text}{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{}}}}\n");
            for piece in [1, 100, 100_000] {
                let wanted = vec![(Some(RequestId::Number(id)), true), (Some(RequestId::Number(1)), false)];
                assert_eq!(framed(text.as_bytes(), piece, 200, 100_000), (wanted, None), "{piece}");
            }
        }
    }

    #[test]
    fn an_answer_that_makes_no_sense_fails_its_own_request() {
        let text = b"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{},\"error\":{\"code\":1,\"message\":\"x\"}}\n";
        assert_eq!(framed(text, 10, 1000, 1000), (vec![(Some(RequestId::Number(3)), true)], None));
    }

    #[test]
    fn too_much_noise_is_the_end() {
        let lines = "log\n".repeat(1000);
        assert!(framed(lines.as_bytes(), 100, 1000, 2000).1.is_some());
        let endless = "x".repeat(10_000);
        assert!(framed(endless.as_bytes(), 100, 1000, 5000).1.is_some());
        let spread = "log\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n".repeat(1000);
        assert_eq!(framed(spread.as_bytes(), 100, 1000, 2000).1, None, "a little between messages is no harm");
    }
}
