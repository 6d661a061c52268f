//! How many columns a text takes.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The columns of a text: the sum over its graphemes, none wider than two.
pub fn columns(text: &str) -> usize {
    text.graphemes(true).map(|grapheme| grapheme.width().min(2)).sum()
}

/// The longest beginning that fits into so many columns.
pub fn cut(text: &str, width: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += grapheme.width().min(2);
        if used > width {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}
