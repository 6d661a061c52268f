//! Pictures and documents by their first bytes. Nothing is decoded.

use crate::image::DOCUMENT;
use crate::{Image, ImageData};

/// What the bytes are, and how large the picture is; none when no endpoint would know it.
fn sniff(bytes: &[u8]) -> Option<(&'static str, u32, u32)> {
    let big = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let little = |at: usize| Some(u32::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some(("image/png", big(16).unwrap_or(0), big(20).unwrap_or(0)));
    }
    if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        return Some(("image/gif", little(6).unwrap_or(0), little(8).unwrap_or(0)));
    }
    if bytes.starts_with(b"\xff\xd8\xff") {
        let (width, height) = jpeg_size(bytes).unwrap_or((0, 0));
        return Some(("image/jpeg", width, height));
    }
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        let (width, height) = webp_size(bytes).unwrap_or((0, 0));
        return Some(("image/webp", width, height));
    }
    None
}

/// The size in the first frame header of a JPEG.
fn jpeg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let [mark, kind, high, low] = *bytes.get(at..at + 4)? else { return None };
        if mark != 0xff {
            return None;
        }
        let is_frame = matches!(kind, 0xc0..=0xcf) && !matches!(kind, 0xc4 | 0xc8 | 0xcc);
        if is_frame {
            let [a, b, c, d] = *bytes.get(at + 5..at + 9)? else { return None };
            return Some((u32::from(u16::from_be_bytes([c, d])), u32::from(u16::from_be_bytes([a, b]))));
        }
        at += if kind == 0xff { 1 } else { 2 + usize::from(u16::from_be_bytes([high, low])) };
    }
}

fn webp_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let three = |at: usize| {
        let [a, b, c] = *bytes.get(at..at + 3)? else { return None };
        Some(u32::from_le_bytes([a, b, c, 0]))
    };
    match bytes.get(12..16)? {
        b"VP8X" => Some((three(24)? + 1, three(27)? + 1)),
        b"VP8L" => {
            let bits = u32::from_le_bytes(bytes.get(21..25)?.try_into().ok()?);
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8 " => Some((three(26)? & 0x3fff, three(28)? & 0x3fff)),
        _ => None,
    }
}

/// A picture of these bytes, not kept anywhere yet. None when they are none that endpoints know.
pub fn image_of(name: &str, bytes: Vec<u8>) -> Option<Image> {
    let (media, width, height) = sniff(&bytes)?;
    let (uri, media, length) = (String::new(), media.to_owned(), bytes.len() as u64);
    let data = ImageData(Some(bytes.into()));
    Some(Image { uri, media, bytes: length, width, height, pages: 0, name: name.to_owned(), data })
}

/// A larger document is not sent: with its encoding, and several of them, it would be more than endpoints take.
pub const LARGEST_DOCUMENT: u64 = 8 * 1024 * 1024;

/// How a document begins.
const PDF: &[u8] = b"%PDF-";

/// What a whole document ends with, and how far from its end at most.
const WHOLE: (&[u8], usize) = (b"%%EOF", 2048);

/// A document of these bytes, not kept anywhere yet. None when they are none, or one that is cut off or locked: an endpoint refuses
/// that, and would refuse every later request of the session for it.
pub fn document_of(name: &str, bytes: Vec<u8>) -> Option<Image> {
    let has = |bytes: &[u8], word: &[u8]| bytes.windows(word.len()).any(|found| found == word);
    let end = bytes.get(bytes.len().saturating_sub(WHOLE.1)..).unwrap_or_default();
    if !bytes.starts_with(PDF) || !has(end, WHOLE.0) || has(&bytes, b"/Encrypt") {
        return None;
    }
    let (pages, length, media) = (pages(&bytes), bytes.len() as u64, DOCUMENT.to_owned());
    let (uri, data) = (String::new(), ImageData(Some(bytes.into())));
    Some(Image { uri, media, bytes: length, width: 0, height: 0, pages, name: name.to_owned(), data })
}

/// How many pages a document has, as far as it is written in the open; 0 where that is packed.
fn pages(bytes: &[u8]) -> u32 {
    let mut pages = 0;
    let mut rest = bytes;
    while let Some(at) = rest.windows(5).position(|word| word == b"/Type") {
        rest = rest.get(at + 5..).unwrap_or_default();
        let name = rest.trim_ascii_start();
        let ends = name.get(5).is_none_or(|byte| !byte.is_ascii_alphanumeric());
        pages += u32::from(name.starts_with(b"/Page") && ends);
    }
    pages
}

#[cfg(test)]
mod tests {
    use super::{document_of, image_of, sniff};

    /// The smallest PNG there is.
    const DOT: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x06\0\0\0\x1f\x15\xc4\x89";

    #[test]
    fn pictures_are_told_by_their_first_bytes() {
        let jpeg = [&b"\xff\xd8\xff\xe0\0\x04JF"[..], b"\xff\xc0\0\x11\x08\0\x10\0\x20\x03"].concat();
        let webp = [&b"RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0"[..], b"\x1f\0\0\x0f\0\0"].concat();
        let lossless = [&b"RIFF\x1a\0\0\0WEBPVP8L\x0a\0\0\0\x2f"[..], &(31_u32 | 15 << 14).to_le_bytes()].concat();
        for (bytes, wanted) in [
            (DOT, Some(("image/png", 2, 3))),
            (b"GIF89a\x05\0\x07\0", Some(("image/gif", 5, 7))),
            (&jpeg, Some(("image/jpeg", 32, 16))),
            (&webp, Some(("image/webp", 32, 16))),
            (&lossless, Some(("image/webp", 32, 16))),
            (b"\xff\xd8\xff", Some(("image/jpeg", 0, 0))),
            (b"<svg/>", None),
            (b"BM", None),
            (b"", None),
        ] {
            assert_eq!(sniff(bytes), wanted, "{bytes:?}");
        }
        assert_eq!(image_of("a.png", b"#!/bin/sh".to_vec()), None);
    }

    #[test]
    fn documents_are_told_by_their_first_bytes_and_their_pages_counted() {
        let open = b"%PDF-1.4\n<< /Type /Pages /Count 2 >>\n<</Type/Page/Parent 1 0 R>>\n<< /Type /Page >>\n<</Type/PageLabel>>%%EOF";
        for (bytes, pages, said) in [
            (&open[..], 2, "a.pdf (application/pdf, 2 pages, 107 bytes)"),
            (b"%PDF-1.7 <</Type/Page %%EOF", 1, "a.pdf (application/pdf, 1 page, 27 bytes)"),
            (b"%PDF-1.7 packed%%EOF\n", 0, "a.pdf (application/pdf, 21 bytes)"),
        ] {
            let document = document_of("a.pdf", bytes.to_vec()).unwrap();
            assert_eq!((document.pages, document.describe().as_str()), (pages, said));
            assert!(document.is_document() && image_of("a.pdf", bytes.to_vec()).is_none());
        }
        for bytes in [&b"no document"[..], b"%PDF-1.7 cut off", b"%PDF-1.7 <</Encrypt 3 0 R>> %%EOF"] {
            assert_eq!(document_of("a.pdf", bytes.to_vec()), None);
        }
    }
}
