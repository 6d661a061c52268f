//! Pictures that somebody shows the model.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A picture. Its bytes lie outside of the log, by content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Where the bytes are: `artifact://…`.
    pub uri: String,
    /// What they are, by their first bytes: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub media: String,
    /// How many bytes.
    pub bytes: u64,
    /// Columns of pixels; 0 when unknown.
    #[serde(default)]
    pub width: u32,
    /// Rows of pixels; 0 when unknown.
    #[serde(default)]
    pub height: u32,
    /// As the user named it.
    pub name: String,
    /// The bytes, where they are at hand.
    #[serde(skip)]
    pub data: ImageData,
}

impl Image {
    /// The picture in a line, for whoever cannot see it.
    pub fn describe(&self) -> String {
        let size = if self.width == 0 { String::new() } else { format!(", {}x{}", self.width, self.height) };
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
