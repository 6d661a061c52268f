//! Pictures in prompts: told by their first bytes, bounded, kept by content. Nothing is decoded.

use reasonix_agent::Artifacts;
use reasonix_proto::{Image, ImageData, Message};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A larger picture is not taken: with its encoding it would be more than endpoints take.
pub(crate) const LARGEST: u64 = 3_750 * 1024;
/// Pictures of one prompt.
pub(crate) const MOST: usize = 10;

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

/// A picture of these bytes, not kept anywhere yet. None when they are none.
pub(crate) fn image(name: &str, bytes: Vec<u8>) -> Option<Image> {
    let (media, width, height) = sniff(&bytes)?;
    let (uri, media, length) = (String::new(), media.to_owned(), bytes.len() as u64);
    let data = ImageData(Some(bytes.into()));
    Some(Image { uri, media, bytes: length, width, height, name: name.to_owned(), data })
}

/// Keeps the bytes where they can be found by content.
pub(crate) fn keep(images: &mut [Image], artifacts: &dyn Artifacts) -> std::io::Result<()> {
    for image in images.iter_mut().filter(|image| image.uri.is_empty()) {
        let bytes = image.data.0.as_deref().unwrap_or_default();
        image.uri = artifacts.put(bytes)?.uri;
    }
    Ok(())
}

/// Fetches the bytes of pictures that come from the log. One that is gone stays without; the model is told.
pub(crate) fn fetch(messages: &mut [Message], artifacts: &dyn Artifacts) {
    for message in messages {
        let images: Vec<&mut Image> = match message {
            Message::User { images, .. } => images.iter_mut().collect(),
            Message::Tool { content, .. } => content.pictures_mut().collect(),
            Message::Assistant { .. } => Vec::new(),
        };
        for image in images.into_iter().filter(|image| image.data.0.is_none()) {
            image.data = ImageData(artifacts.get(&image.uri).ok().map(Into::into));
        }
    }
}

/// Reads a picture from anywhere, for a person who named it: an absolute path, or one below their home. Whatever is no
/// picture is not read, and neither is what lies in `closed`.
pub(crate) fn from_outside(path: &str, closed: &[PathBuf]) -> Option<Image> {
    let whole = match path.strip_prefix("~/") {
        Some(rest) => PathBuf::from(std::env::var_os("HOME")?).join(rest),
        None => PathBuf::from(path),
    };
    let real = whole.is_absolute().then(|| whole.canonicalize().ok()).flatten()?;
    if !real.metadata().ok()?.is_file() || closed.iter().any(|closed| real.starts_with(closed)) {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(&real).ok()?.take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
    let name = Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned());
    image(&name, bytes).filter(|image| image.bytes <= LARGEST)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{from_outside, image, sniff};

    /// The smallest PNG there is.
    pub(crate) const DOT: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x06\0\0\0\x1f\x15\xc4\x89";

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
        assert_eq!(image("a.png", b"#!/bin/sh".to_vec()), None);
    }

    #[test]
    fn from_elsewhere_only_pictures_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(at("a.txt"), DOT).unwrap();
        std::fs::write(at("key.png"), "secret").unwrap();
        std::fs::write(at("big.png"), [DOT, &vec![0; 4 << 20]].concat()).unwrap();
        assert_eq!(from_outside(&at("a.txt"), &[]).map(|image| image.name).as_deref(), Some("a.txt"));
        for path in [at("key.png"), at("big.png"), at("none.png"), at(""), "a.txt".into(), "/dev/zero".into()] {
            assert_eq!(from_outside(&path, &[]), None, "{path}");
        }
        let closed = [folder.path().canonicalize().unwrap()];
        assert_eq!(from_outside(&at("a.txt"), &closed), None);
    }
}
