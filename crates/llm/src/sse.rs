//! Events out of a byte stream. Knows nothing of what the events say. Memory is bounded: an event that does not end
//! is an error.

use memchr::memchr2;

/// The longest event. A real one is a few hundred bytes.
const LONGEST: usize = 16 * 1024 * 1024;

/// An event did not end in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// A parser of server-sent events; only `data` is kept.
#[derive(Debug)]
pub(crate) struct Sse {
    /// The line that has begun.
    line: Vec<u8>,
    /// The data lines of the event that has begun.
    data: Vec<u8>,
    has_data: bool,
    /// The last byte was a carriage return: a line feed right after it belongs to it.
    after_cr: bool,
    first: bool,
    longest: usize,
}

impl Default for Sse {
    fn default() -> Self {
        Self { line: Vec::new(), data: Vec::new(), has_data: false, after_cr: false, first: true, longest: LONGEST }
    }
}

impl Sse {
    /// Takes bytes, split anywhere, and gives the data of each event that they complete.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], emit: &mut impl FnMut(&[u8])) -> Result<(), TooLong> {
        if !bytes.is_empty() && std::mem::take(&mut self.after_cr) {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = memchr2(b'\r', b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            if self.line.is_empty() {
                self.take_line(line, emit)?;
            } else {
                self.line.extend_from_slice(line);
                let whole = std::mem::take(&mut self.line);
                self.take_line(&whole, emit)?;
            }
            bytes = match rest {
                [b'\r', b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [_, rest @ ..] => rest,
                [] => &[],
            };
        }
        if self.line.len() + bytes.len() > self.longest {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// The stream is over; gives the event that was not closed by an empty line.
    pub(crate) fn finish(&mut self, emit: &mut impl FnMut(&[u8])) -> Result<(), TooLong> {
        let line = std::mem::take(&mut self.line);
        self.take_line(&line, emit)?;
        self.take_line(&[], emit)
    }

    fn take_line(&mut self, mut line: &[u8], emit: &mut impl FnMut(&[u8])) -> Result<(), TooLong> {
        if std::mem::take(&mut self.first) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            if std::mem::take(&mut self.has_data) {
                emit(&self.data);
                self.data.clear();
            }
            return Ok(());
        }
        // Some servers drop the framing for an error in the middle of a stream.
        if line.first() == Some(&b'{') {
            emit(line);
            return Ok(());
        }
        let Some(value) = line.strip_prefix(b"data") else { return Ok(()) };
        let value = match value {
            [b':', b' ', value @ ..] | [b':', value @ ..] => value,
            [] => value,
            _ => return Ok(()),
        };
        if self.data.len() + value.len() > self.longest {
            return Err(TooLong);
        }
        if self.has_data {
            self.data.push(b'\n');
        }
        self.has_data = true;
        self.data.extend_from_slice(value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Sse, TooLong};
    use proptest::prelude::*;

    fn events(chunks: &[&[u8]]) -> Vec<String> {
        let mut out = Vec::new();
        let mut emit = |data: &[u8]| out.push(String::from_utf8_lossy(data).into_owned());
        let mut sse = Sse::default();
        for chunk in chunks {
            sse.feed(chunk, &mut emit).expect("short events");
        }
        sse.finish(&mut emit).expect("short events");
        out
    }

    #[test]
    fn framing() {
        for (text, expected) in [
            ("data: a\n\ndata: b\n\n", vec!["a", "b"]),
            ("data:a\r\n\r\ndata:b\r\n\r\n", vec!["a", "b"]),
            ("data: a\r\rdata: b\r\r", vec!["a", "b"]),
            (": comment\n\ndata: a\nevent: x\nid: 1\n\n", vec!["a"]),
            ("data: a\ndata: b\n\n", vec!["a\nb"]),
            ("data:  a\n\n", vec![" a"]),
            ("data\n\n", vec![""]),
            ("database: a\n\n", vec![]),
            ("\u{feff}data: a\n\n", vec!["a"]),
            ("data: a", vec!["a"]),
            ("{\"error\":1}\n", vec!["{\"error\":1}"]),
            ("\n\n\n", vec![]),
        ] {
            assert_eq!(events(&[text.as_bytes()]), expected, "{text:?}");
        }
    }

    #[test]
    fn a_line_feed_of_its_own_is_taken_once() {
        assert_eq!(events(&[b"data: a\r", b"", b"\n", b"\n", b"data: b\n\n"]), ["a", "b"]);
    }

    #[test]
    fn an_endless_line_is_an_error() {
        let mut sse = Sse { longest: 1000, ..Sse::default() };
        let results: Vec<_> = (0..5).map(|_| sse.feed(&[b'x'; 300], &mut |_| ())).collect();
        assert_eq!(results[..4], [Ok(()), Ok(()), Ok(()), Err(TooLong)]);
        assert!(sse.line.len() <= 1000);

        let mut sse = Sse { longest: 1000, ..Sse::default() };
        let results: Vec<_> = (0..200).map(|_| sse.feed(b"data: xxxxxxxxxx\n", &mut |_| ())).collect();
        assert!(results.contains(&Err(TooLong)), "an event of endless lines is bounded too");
    }

    #[test]
    fn a_megabyte_on_one_line_is_fine() {
        let text = format!("data: {}\n\n", "y".repeat(1 << 20));
        let chunks: Vec<&[u8]> = text.as_bytes().chunks(4096).collect();
        assert_eq!(events(&chunks)[0].len(), 1 << 20);
    }

    proptest! {
        #[test]
        fn splits_do_not_matter(
            lines in prop::collection::vec("(data: ?|: |event: )?[a-z界]{0,5}(\r\n|\n|\r|\n\n)", 0..20),
            cuts in prop::collection::vec(1..7_usize, 1..20),
        ) {
            let text = lines.concat();
            let mut chunks = Vec::new();
            let mut rest = text.as_bytes();
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (chunk, tail) = rest.split_at((*cut).min(rest.len()));
                chunks.push(chunk);
                rest = tail;
            }
            prop_assert_eq!(events(&chunks), events(&[text.as_bytes()]));
        }
    }
}
