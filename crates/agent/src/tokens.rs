//! Token estimates for where the provider has not counted yet.

use reasonix_proto::Block;

/// What a page of a document is worth: its text, and a picture of it.
const PAGE_TOKENS: u64 = 2_000;
/// The bytes of a page, where it is not known how many there are.
const PAGE_BYTES: u64 = 50_000;

/// Estimates the tokens of a text, erring on the high side: four bytes of ASCII a token, and more than
/// one token for every other character, so that Chinese text is never taken for less than it is.
pub fn estimate_tokens(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    // Every other character begins with one such byte.
    let others = text.bytes().filter(|byte| *byte >= 0xC0).count() as u64;
    ascii.div_ceil(4) + others + others / 4
}

/// Estimates the tokens of a picture: a token for 750 pixels, as endpoints count it at their highest, and as much as a
/// large one where its size is unknown. A document is counted by its pages.
pub fn image_tokens(image: &reasonix_proto::Image) -> u64 {
    if image.is_document() {
        let pages = if image.pages == 0 { 1 + image.bytes / PAGE_BYTES } else { u64::from(image.pages) };
        return pages * PAGE_TOKENS;
    }
    match u64::from(image.width) * u64::from(image.height) {
        0 => 1_600,
        pixels => (pixels / 750).clamp(255, 4_096),
    }
}

/// Estimates the tokens of what a call gave back.
pub fn content_tokens(content: &reasonix_proto::Content) -> u64 {
    let each = content.blocks().iter().map(|block| match block {
        Block::Picture(image) => image_tokens(image),
        other => estimate_tokens(&other.words()),
    });
    each.sum()
}

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    #[test]
    fn chinese_counts_at_least_one_token_a_character() {
        assert!(estimate_tokens("修复失败的测试") >= 7);
        assert_eq!(estimate_tokens("abcdefgh"), 2);
        assert_eq!(estimate_tokens(""), 0);
    }
}
