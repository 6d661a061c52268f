//! A text file as it was read, and the way between bytes and text. A file that does not come out of
//! decoding and encoding with the same bytes is not text: an edit could not leave the rest of it untouched.

use crate::format::{Encoding, Eol, Format};
use crate::kind;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use std::borrow::Cow;

/// The whole of a text file.
#[derive(Debug, Clone)]
pub struct TextFile {
    /// The decoded content without the byte order mark; line ends are those on disk.
    pub text: String,
    /// Its layout on disk.
    pub format: Format,
    /// The hash of its bytes on disk.
    pub(crate) hash: blake3::Hash,
}

/// A character that an encoding does not have, and its line.
pub(crate) struct Unmappable {
    pub(crate) character: char,
    pub(crate) line: usize,
}

/// How much of the start must be free of NUL bytes.
const HEAD: usize = 8 * 1024;

const BOM_8: &[u8] = b"\xef\xbb\xbf";
const BOM_LE: &[u8] = b"\xff\xfe";
const BOM_BE: &[u8] = b"\xfe\xff";

/// The text of `bytes` with its layout (without mode bits), or what kind of binary data it is.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<(String, Format), &'static str> {
    let (encoding, bom) = mark(&bytes).unwrap_or((Encoding::Utf8, false));
    let (text, encoding) = match encoding {
        Encoding::Utf8 => decode_8(bytes, bom)?,
        other => (decode_16(bytes.get(2..).unwrap_or_default(), other).ok_or("broken UTF-16")?, other),
    };
    let format = Format { encoding, bom, eol: Eol::of(&text), mode: None };
    Ok((text, format))
}

/// The encoding that a byte order mark names.
pub(crate) fn mark(bytes: &[u8]) -> Option<(Encoding, bool)> {
    [(BOM_8, Encoding::Utf8), (BOM_LE, Encoding::Utf16Le), (BOM_BE, Encoding::Utf16Be)]
        .into_iter()
        .find(|(mark, _)| bytes.starts_with(mark))
        .map(|(_, encoding)| (encoding, true))
}

fn decode_8(mut bytes: Vec<u8>, bom: bool) -> Result<(String, Encoding), &'static str> {
    if memchr::memchr(0, bytes.get(..HEAD).unwrap_or(&bytes)).is_some() {
        return Err(kind::guess(&bytes));
    }
    if bom {
        bytes.drain(..BOM_8.len());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok((text, Encoding::Utf8)),
        Err(error) if bom => Err(kind::guess(error.as_bytes())),
        Err(error) => legacy(error.as_bytes())
            .map(|(text, encoding)| (text, Encoding::Legacy(encoding)))
            .ok_or_else(|| kind::guess(error.as_bytes())),
    }
}

fn decode_16(bytes: &[u8], encoding: Encoding) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| match encoding {
        Encoding::Utf16Be => u16::from_be_bytes(*pair),
        _ => u16::from_le_bytes(*pair),
    });
    rest.is_empty().then(|| char::decode_utf16(units).collect::<Result<String, _>>().ok())?
}

/// The legacy encoding of `bytes`, which are not UTF-8, and their text.
pub(crate) fn legacy(bytes: &[u8]) -> Option<(String, &'static encoding_rs::Encoding)> {
    if kind::is_known(bytes) || looks_binary(bytes) {
        return None;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let wider = (guess == encoding_rs::GBK).then_some(encoding_rs::GB18030);
    std::iter::once(guess).chain(wider).find_map(|encoding| {
        let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
        let (again, _, unmappable) = encoding.encode(&text);
        let control = text.chars().any(|c| ('\u{80}'..='\u{9f}').contains(&c));
        (!unmappable && !control && *again == *bytes).then(|| (text.into_owned(), encoding))
    })
}

/// Control characters that no text has many of. Single-byte encodings decode anything, so this must say no.
fn looks_binary(bytes: &[u8]) -> bool {
    let control = bytes.iter().filter(|byte| matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f)).count();
    bytes.contains(&0) || control * 100 > bytes.len()
}

/// The bytes of `text` in this layout.
pub(crate) fn encode(text: &str, format: &Format) -> Result<Vec<u8>, Unmappable> {
    let mut out = Vec::with_capacity(text.len() + BOM_8.len());
    match format.encoding {
        Encoding::Utf8 => {
            out.extend_from_slice(if format.bom { BOM_8 } else { &[] });
            out.extend_from_slice(text.as_bytes());
        }
        Encoding::Utf16Le => {
            out.extend_from_slice(BOM_LE);
            out.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        }
        Encoding::Utf16Be => {
            out.extend_from_slice(BOM_BE);
            out.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
        }
        Encoding::Legacy(encoding) => {
            let bytes = lossless(text, encoding).ok_or_else(|| culprit(text, encoding))?;
            out.extend_from_slice(&bytes);
        }
    }
    Ok(out)
}

/// The bytes of `text`, if they decode to `text` again: some encoders map two characters to the same bytes.
fn lossless<'a>(text: &'a str, encoding: &'static encoding_rs::Encoding) -> Option<Cow<'a, [u8]>> {
    let (bytes, _, unmappable) = encoding.encode(text);
    if unmappable {
        return None;
    }
    let same = encoding.decode_without_bom_handling_and_without_replacement(&bytes).is_some_and(|again| again == text);
    same.then_some(bytes)
}

fn culprit(text: &str, encoding: &'static encoding_rs::Encoding) -> Unmappable {
    let mut line = 1;
    for character in text.chars() {
        if lossless(character.encode_utf8(&mut [0; 4]), encoding).is_none() {
            return Unmappable { character, line };
        }
        line += usize::from(character == '\n');
    }
    Unmappable { character: char::REPLACEMENT_CHARACTER, line }
}
