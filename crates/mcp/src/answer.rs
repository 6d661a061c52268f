//! What a call came to, as blocks that models read and see.

use crate::listing::bounded;
use crate::names::cut;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reasonix_proto::{Block, Content, image_of};
use rmcp::model::{ContentBlock, ResourceContents};
use serde_json::Value;

/// Bytes of a picture: with its encoding a larger one is more than endpoints take.
const LARGEST_PICTURE: usize = 3_750 * 1024;
/// Blocks of one answer.
const MOST_BLOCKS: usize = 256;
/// What addresses of servers' resources begin with.
const SCHEME: &str = "mcp://";

/// What a call came to.
#[derive(Debug, Clone, PartialEq)]
pub struct McpAnswer {
    /// Text, pictures and resources. Pictures have their bytes with them and are not kept anywhere yet.
    pub content: Content,
    /// The server says that it failed.
    pub failed: bool,
}

/// The address under which a model asks for a resource of a server.
pub fn resource_address(server: &str, uri: &str) -> String {
    format!("{SCHEME}{server}/{uri}")
}

/// The server and the resource of such an address.
pub fn parse_address(address: &str) -> Option<(&str, &str)> {
    address.strip_prefix(SCHEME)?.split_once('/').filter(|(server, uri)| !server.is_empty() && !uri.is_empty())
}

/// Reads the result of a call, block by block: one that is not known costs no other. None for what is no result.
pub(crate) fn answer(server: &str, result: &Value) -> Option<McpAnswer> {
    let list = result.get("content").and_then(Value::as_array);
    let structured = result.get("structuredContent").filter(|value| !value.is_null());
    let failed = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
    if list.is_none() && structured.is_none() && !failed {
        return None;
    }
    let list = list.map(Vec::as_slice).unwrap_or_default();
    let mut blocks: Vec<Block> = list.iter().take(MOST_BLOCKS).map(|entry| block(server, entry)).collect();
    if list.len() > MOST_BLOCKS {
        blocks.push(Block::text(format!("[{} more blocks]", list.len() - MOST_BLOCKS)));
    }
    if let Some(structured) = structured
        && !blocks.iter().any(|block| says(block, structured))
    {
        blocks.push(Block::text(structured.to_string()));
    }
    Some(McpAnswer { content: joined(blocks), failed })
}

/// True when the block is this value in other words.
fn says(block: &Block, value: &Value) -> bool {
    let Block::Text { text } = block else { return false };
    let same = |text: &str| serde_json::from_str::<Value>(text).is_ok_and(|said| said == *value);
    same(text) || value.as_str() == Some(text)
}

/// Texts that stand next to each other are one.
fn joined(blocks: Vec<Block>) -> Content {
    let mut out: Vec<Block> = Vec::with_capacity(blocks.len());
    for block in blocks {
        match (out.last_mut(), block) {
            (Some(Block::Text { text }), Block::Text { text: more }) => {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(&more);
            }
            (_, block) => out.push(block),
        }
    }
    Content::new(out)
}

/// One block of the protocol.
pub(crate) fn block(server: &str, entry: &Value) -> Block {
    let kind = || bounded(entry.get("type").and_then(Value::as_str).unwrap_or("unknown"), 80);
    match serde_json::from_value::<ContentBlock>(entry.clone()) {
        Ok(ContentBlock::Text(text)) => Block::text(text.text),
        Ok(ContentBlock::Image(image)) => picture(&image.data, &image.mime_type, server),
        Ok(ContentBlock::Audio(audio)) => placeholder("audio", Some(&audio.mime_type), &audio.data),
        Ok(ContentBlock::Resource(resource)) => resource_block(server, &resource.resource),
        Ok(ContentBlock::ResourceLink(link)) => Block::Resource {
            uri: resource_address(server, cut(&link.uri, 2048)),
            media: link.mime_type.map(|media| bounded(&media, 120)),
            text: None,
        },
        _ => Block::text(format!("[a block of the type {} that is not known here]", kind())),
    }
}

/// A resource as it came.
pub(crate) fn resource_block(server: &str, resource: &ResourceContents) -> Block {
    match resource {
        ResourceContents::TextResourceContents { uri, mime_type, text, .. } => Block::Resource {
            uri: resource_address(server, cut(uri, 2048)),
            media: mime_type.as_deref().map(|media| bounded(media, 120)),
            text: Some(text.clone()),
        },
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            let is_picture = mime_type.as_deref().is_some_and(|media| media.starts_with("image/"));
            if is_picture { picture(blob, "image", uri) } else { placeholder("data", mime_type.as_deref(), blob) }
        }
        _ => Block::text("[a resource of a kind that is not known here]"),
    }
}

fn picture(data: &str, media: &str, name: &str) -> Block {
    let fits = data.len() <= LARGEST_PICTURE.div_ceil(3) * 4;
    let bytes = fits.then(|| STANDARD.decode(data.trim()).ok()).flatten();
    match bytes.and_then(|bytes| image_of(&bounded(name, 200), bytes)) {
        Some(image) => Block::Picture(image),
        None => placeholder("picture", Some(media), data),
    }
}

/// What is not shown, in a line.
fn placeholder(what: &str, media: Option<&str>, data: &str) -> Block {
    let media = media.map(|media| format!(" of the type {}", bounded(media, 120))).unwrap_or_default();
    Block::text(format!("[{what}{media}, {} bytes, not shown]", data.len() / 4 * 3))
}

#[cfg(test)]
mod tests {
    use super::{answer, parse_address, resource_address};
    use reasonix_proto::Block;
    use serde_json::{Value, json};

    fn words(result: &Value) -> String {
        answer("s", result).unwrap().content.into_words()
    }

    #[test]
    fn structured_content_is_said_once() {
        let text = |text: &str| json!({"type": "text", "text": text});
        let value = json!({"b": 1, "a": [true]});
        for (content, wanted) in [
            (json!([text("{\"a\": [true], \"b\": 1}")]), "{\"a\": [true], \"b\": 1}".to_owned()),
            (json!([text("done")]), format!("done\n{value}")),
            (json!([]), value.to_string()),
        ] {
            assert_eq!(words(&json!({"content": content, "structuredContent": value})), wanted);
        }
        assert_eq!(words(&json!({"structuredContent": value})), value.to_string());
        assert!(answer("s", &json!({"other": 1})).is_none());
    }

    #[test]
    fn every_kind_of_block_is_something() {
        let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
        let result = json!({"isError": true, "content": [
            {"type": "text", "text": "a"}, {"type": "text", "text": "b"},
            {"type": "image", "data": png, "mimeType": "image/png"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "file:///x", "name": "x"},
            {"type": "resource", "resource": {"uri": "demo://y", "mimeType": "text/plain", "text": "why"}},
            {"type": "resource", "resource": {"uri": "demo://z", "blob": "AAAA"}},
            {"type": "smell"}]});
        let answer = answer("s", &result).unwrap();
        assert!(answer.failed);
        let kinds: Vec<_> = answer.content.blocks().iter().map(Block::words).collect();
        assert_eq!(kinds[0], "a\nb");
        assert!(kinds[1].starts_with("[picture ") && kinds[1].contains("1x1"), "{}", kinds[1]);
        assert!(kinds[2].contains("[picture of the type image/png, 3 bytes, not shown]\n[audio of the type audio/wav"));
        assert_eq!(kinds[3], "[resource mcp://s/file:///x]");
        assert!(kinds[4].contains("mcp://s/demo://y") && kinds[4].contains("why"), "{}", kinds[4]);
        assert!(kinds[5].contains("[data, 3 bytes") && kinds[5].contains("smell"), "{}", kinds[5]);
    }

    #[test]
    fn addresses_go_there_and_back() {
        assert_eq!(parse_address(&resource_address("s", "file:///a/b")), Some(("s", "file:///a/b")));
        for odd in ["mcp://", "mcp:///x", "mcp://s/", "file:///x"] {
            assert_eq!(parse_address(odd), None, "{odd}");
        }
    }
}
