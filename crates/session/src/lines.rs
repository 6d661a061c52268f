//! Lines of files that anybody may have written: none is read into memory that no record of ours can have.

use std::io::{self, BufRead, Read as _};

/// The longest line that is read, in bytes.
pub(crate) const LONGEST: usize = 64 * 1024 * 1024;

/// How much of a line that is too long is looked at at once.
const PIECE: u64 = 256 * 1024;

/// A line as it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    /// How many bytes it has in the file, with its newline.
    pub(crate) length: u64,
    /// True when it was too long, and nothing of it was kept.
    pub(crate) too_long: bool,
    /// True when it ends with a newline.
    pub(crate) ended: bool,
}

/// Reads the next line, with its newline, into `line`; none at the end. One that is too long is passed over.
pub(crate) fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<Found>> {
    next_of(reader, line, LONGEST)
}

fn next_of<R: BufRead>(reader: &mut R, line: &mut Vec<u8>, longest: usize) -> io::Result<Option<Found>> {
    line.clear();
    // What one long line took is given back.
    line.shrink_to(1024 * 1024);
    let most = longest as u64 + 1;
    let mut length = reader.by_ref().take(most).read_until(b'\n', line)? as u64;
    let mut ended = line.ends_with(b"\n");
    let too_long = !ended && length == most;
    if too_long {
        *line = Vec::new();
        let rest = skip_line(reader)?;
        (length, ended) = (length + rest.0, rest.1);
    }
    Ok((length > 0).then_some(Found { length, too_long, ended }))
}

/// Passes over the rest of a line; gives how long it was and whether it has an end.
fn skip_line<R: BufRead>(reader: &mut R) -> io::Result<(u64, bool)> {
    let mut length = 0;
    loop {
        let mut piece = Vec::new();
        let read = reader.by_ref().take(PIECE).read_until(b'\n', &mut piece)?;
        length += read as u64;
        if read == 0 || piece.ends_with(b"\n") {
            return Ok((length, read > 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, next_of};
    use std::io::BufReader;

    #[test]
    fn a_line_that_is_too_long_is_passed_over_in_bounded_memory() {
        let text = format!("one\n\n{}\ntwo\nlast", "x".repeat(1000));
        for capacity in [1, 7, 4096] {
            let mut reader = BufReader::with_capacity(capacity, text.as_bytes());
            let (mut line, mut all) = (Vec::new(), Vec::new());
            while let Some(Found { length, too_long, ended }) = next_of(&mut reader, &mut line, 100).unwrap() {
                assert!(line.capacity() <= 1024, "{}", line.capacity());
                all.push((String::from_utf8(line.clone()).unwrap(), length, too_long, ended));
            }
            let wanted = [("one\n", 4, false), ("\n", 1, false), ("", 1001, true), ("two\n", 4, false)];
            let mut wanted: Vec<_> = wanted.map(|(text, length, long)| (text.to_owned(), length, long, true)).into();
            wanted.push(("last".to_owned(), 4, false, false));
            assert_eq!(all, wanted);
        }
    }
}
