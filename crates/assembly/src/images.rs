//! Pictures and documents in prompts: bounded, kept by content. Nothing is decoded.

use reasonix_agent::Artifacts;
use reasonix_proto::{Image, ImageData, LARGEST_DOCUMENT, Message, document_of, image_of};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A larger picture is not taken: with its encoding it would be more than endpoints take.
pub const LARGEST: u64 = 3_750 * 1024;
/// Pictures of one prompt.
pub const MOST: usize = 10;
/// Pages of a document: more are refused by endpoints, or cut.
const MOST_PAGES: u32 = 100;

/// A document that can be sent; none where the bytes are none. The other way round: one that is too long.
pub fn document(name: &str, bytes: Vec<u8>) -> Option<Result<Image, Image>> {
    let document = document_of(name, bytes)?;
    let fits = document.pages <= MOST_PAGES && document.bytes <= LARGEST_DOCUMENT;
    Some(if fits { Ok(document) } else { Err(document) })
}

/// Keeps the bytes where they can be found by content.
pub fn keep(images: &mut [Image], artifacts: &dyn Artifacts) -> std::io::Result<()> {
    for image in images.iter_mut().filter(|image| image.uri.is_empty()) {
        let bytes = image.data.0.as_deref().unwrap_or_default();
        image.uri = artifacts.put(bytes)?.uri;
    }
    Ok(())
}

/// Fetches the bytes of pictures that come from the log. One that is gone stays without; the model is told.
pub fn fetch(messages: &mut [Message], artifacts: &dyn Artifacts) {
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

/// The absolute path that a person means: one from the top, or one below their home.
pub fn placed(path: &str) -> Option<PathBuf> {
    let whole = match path.strip_prefix("~/") {
        Some(rest) => PathBuf::from(std::env::var_os("HOME")?).join(rest),
        None => PathBuf::from(path),
    };
    whole.is_absolute().then_some(whole)
}

/// Reads a picture or a document from anywhere, for a person who named it: an absolute path, or one below their home. Whatever is
/// neither is not read, and neither is what lies in `closed`.
pub fn from_outside(path: &str, closed: &[PathBuf]) -> Option<Image> {
    let real = placed(path)?.canonicalize().ok()?;
    if !real.metadata().ok()?.is_file() || closed.iter().any(|closed| real.starts_with(closed)) {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(&real).ok()?.take(LARGEST_DOCUMENT + 1).read_to_end(&mut bytes).ok()?;
    let name = Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned());
    if let Some(document) = document(&name, bytes.clone()) {
        return document.ok();
    }
    image_of(&name, bytes).filter(|image| image.bytes <= LARGEST)
}

#[cfg(test)]
mod tests {
    use super::from_outside;

    /// The smallest PNG there is.
    pub(crate) const DOT: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x06\0\0\0\x1f\x15\xc4\x89";

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
