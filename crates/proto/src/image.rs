//! Pictures and documents that somebody shows the model.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// What a document is.
pub(crate) const DOCUMENT: &str = "application/pdf";

/// A picture, or a document of pages. Its bytes lie outside of the log, by content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Where the bytes are: `artifact://…`.
    pub uri: String,
    /// What they are, by their first bytes: `image/png`, `image/jpeg`, `image/gif` or `image/webp`; `application/pdf` for a
    /// document.
    pub media: String,
    /// How many bytes.
    pub bytes: u64,
    /// Columns of pixels; 0 when unknown.
    #[serde(default)]
    pub width: u32,
    /// Rows of pixels; 0 when unknown.
    #[serde(default)]
    pub height: u32,
    /// Pages of a document; 0 when unknown, and for a picture.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pages: u32,
    /// As the user named it.
    pub name: String,
    /// The bytes, where they are at hand.
    #[serde(skip)]
    pub data: ImageData,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_zero(pages: &u32) -> bool {
    *pages == 0
}

impl Image {
    /// True for a document, which not everybody can read who can see.
    pub fn is_document(&self) -> bool {
        self.media == DOCUMENT
    }

    /// What it is, in a word.
    pub fn kind(&self) -> &'static str {
        if self.is_document() { "PDF" } else { "picture" }
    }

    /// The picture in a line, for whoever cannot see it.
    pub fn describe(&self) -> String {
        let size = match (self.pages, self.width) {
            (0, 0) => String::new(),
            (0, width) => format!(", {width}x{}", self.height),
            (1, _) => ", 1 page".to_owned(),
            (pages, _) => format!(", {pages} pages"),
        };
        format!("{} ({}{size}, {} bytes)", self.name, self.media, self.bytes)
    }
}

/// The bytes of a picture, shared, where they are at hand. They are never written with it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ImageData(pub Option<Arc<[u8]>>);

impl fmt::Debug for ImageData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "(here)" } else { "(not here)" })
    }
}
