//! What a call gives back: blocks of text, pictures, resources and errors. One block of text is written as plain text,
//! as it always was; everything else as a list. Both are read.

use crate::{Image, fenced};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// The blocks of an outcome, in order. A single empty text is no block at all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Content(Vec<Block>);

/// One block of an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A picture.
    Picture(Image),
    /// Something that has an address of its own.
    Resource {
        /// The address.
        uri: String,
        /// What it is, such as `text/markdown`, where that was said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media: Option<String>,
        /// Its text, where it came with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// What went wrong beside the rest.
    Error {
        /// What happened and why.
        text: String,
    },
    /// A block that a later version wrote; it is kept as it is.
    #[serde(untagged)]
    Other(serde_json::Value),
}

impl Block {
    /// A block of words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// The block as words.
    pub fn words(&self) -> Cow<'_, str> {
        match self {
            Self::Text { text } => Cow::Borrowed(text),
            Self::Picture(image) => Cow::Owned(format!("[{} {}]", image.kind(), image.describe())),
            Self::Resource { uri, text: None, .. } => Cow::Owned(format!("[resource {uri}]")),
            Self::Resource { uri, text: Some(text), .. } => Cow::Owned(fenced("resource", &[("uri", uri)], text)),
            Self::Error { text } => Cow::Owned(format!("error: {text}")),
            Self::Other(_) => Cow::Borrowed("[something that this version of Reasonix does not know]"),
        }
    }

    /// The part of it that somebody else wrote and that can be long.
    pub fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Text { text } | Self::Error { text } => Some(text),
            Self::Resource { text, .. } => text.as_mut(),
            Self::Picture(_) | Self::Other(_) => None,
        }
    }
}

impl Content {
    /// These blocks. Texts without a word are left out: no endpoint takes them.
    pub fn new(blocks: impl IntoIterator<Item = Block>) -> Self {
        let says = |block: &Block| !matches!(block, Block::Text { text } if text.is_empty());
        Self(blocks.into_iter().filter(says).collect())
    }

    /// The blocks in order.
    pub fn blocks(&self) -> &[Block] {
        &self.0
    }

    /// The blocks, to be changed in place.
    pub fn blocks_mut(&mut self) -> &mut [Block] {
        &mut self.0
    }

    /// The text, where it is nothing but one text or nothing at all.
    pub fn plain(&self) -> Option<&str> {
        match self.0.as_slice() {
            [] => Some(""),
            [Block::Text { text }] => Some(text),
            _ => None,
        }
    }

    /// All of it as words.
    pub fn words(&self) -> Cow<'_, str> {
        match self.plain() {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(self.0.iter().map(Block::words).collect::<Vec<_>>().join("\n")),
        }
    }

    /// The same where the blocks are not needed any more.
    pub fn into_words(mut self) -> String {
        if self.plain().is_none() {
            return self.words().into_owned();
        }
        match self.0.pop() {
            Some(Block::Text { text }) => text,
            _ => String::new(),
        }
    }

    /// The pictures in it, in order.
    pub fn pictures_mut(&mut self) -> impl Iterator<Item = &mut Image> {
        self.0.iter_mut().filter_map(|block| if let Block::Picture(image) = block { Some(image) } else { None })
    }

    /// True when there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::new([Block::Text { text }])
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<Cow<'_, str>> for Content {
    fn from(text: Cow<'_, str>) -> Self {
        text.into_owned().into()
    }
}

impl From<Vec<Block>> for Content {
    fn from(blocks: Vec<Block>) -> Self {
        Self::new(blocks)
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words())
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.plain() {
            Some(text) => to.serialize_str(text),
            None => to.collect_seq(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Shapes)
    }
}

/// Reads both shapes.
struct Shapes;

impl<'de> Visitor<'de> for Shapes {
    type Value = Content;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list of blocks")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Content, E> {
        Ok(text.into())
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Content, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Content, A::Error> {
        let mut blocks = Vec::new();
        while let Some(block) = list.next_element()? {
            blocks.push(block);
        }
        Ok(Content::new(blocks))
    }
}

#[cfg(test)]
mod tests {
    use super::{Block, Content};
    use serde_json::{Value, json};

    #[test]
    fn one_text_is_a_plain_string_and_everything_else_a_list() {
        let error = || Block::Error { text: "no".into() };
        for (content, wanted) in [
            (Content::from("a"), json!("a")),
            (Content::default(), json!("")),
            (Content::new([Block::text("")]), json!("")),
            (
                Content::new([Block::text("a"), Block::text("b")]),
                json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
            ),
            (Content::new([error()]), json!([{"type": "error", "text": "no"}])),
        ] {
            assert_eq!(serde_json::to_value(&content).unwrap(), wanted);
            assert_eq!(serde_json::from_value::<Content>(wanted).unwrap(), content);
        }
        let list = json!([{"type": "text", "text": "a"}]);
        assert_eq!(serde_json::from_value::<Content>(list).unwrap(), Content::from("a"), "both shapes are read");
        assert!(serde_json::from_value::<Content>(Value::Null).is_err());
    }

    #[test]
    fn a_block_that_nobody_knows_is_kept_as_it_is() {
        let list =
            json!([{"type": "text", "text": "a"}, {"type": "smell", "of": [1, {"b": null}]}, {"type": "picture"}]);
        let read: Content = serde_json::from_value(list.clone()).unwrap();
        assert!(matches!(read.blocks(), [Block::Text { .. }, Block::Other(_), Block::Other(_)]), "{read:?}");
        assert_eq!(serde_json::to_value(&read).unwrap(), list);
    }
}
