//! How many columns a text takes.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The columns of a text: the sum over its graphemes, none wider than two.
pub fn columns(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(grapheme_columns).sum()
}

/// The columns of one grapheme: nothing, one or two.
pub fn grapheme_columns(grapheme: &str) -> usize {
    grapheme.width().min(2)
}

/// The longest beginning that fits into so many columns.
pub fn cut(text: &str, width: usize) -> &str {
    if text.len() <= width && text.is_ascii() {
        return text;
    }
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += grapheme_columns(grapheme);
        if used > width {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// The text, or its beginning with an ellipsis where it does not fit.
pub fn shorten(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    match width {
        0 => String::new(),
        _ => format!("{}…", cut(text, width - 1)),
    }
}

/// Tabs become blanks up to the next stop; columns are counted from the beginning of the text.
pub fn expand_tabs(text: &str, stop: usize) -> std::borrow::Cow<'_, str> {
    if !text.contains('\t') {
        return text.into();
    }
    let stop = stop.max(1);
    let mut out = String::with_capacity(text.len() + 16);
    let mut column = 0;
    for (index, part) in text.split('\t').enumerate() {
        if index > 0 {
            let blanks = stop - column % stop;
            out.extend(std::iter::repeat_n(' ', blanks));
            column += blanks;
        }
        out.push_str(part);
        column += columns(part);
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::{columns, cut, expand_tabs, shorten};

    #[test]
    fn every_width_class() {
        for (text, width) in [
            ("abc", 3),
            ("中文", 4),
            ("ｱｲ", 2),
            ("Ａ", 2),
            ("한글", 4),
            ("e\u{301}", 1),
            ("🦀", 2),
            ("👨\u{200d}👩\u{200d}👧", 2),
            ("🇨🇳", 2),
            ("👍🏽", 2),
            ("❤\u{fe0f}", 2),
            ("—…·", 3),
            ("\u{200b}", 0),
            ("", 0),
        ] {
            assert_eq!(columns(text), width, "{text:?}");
        }
    }

    #[test]
    fn a_cut_never_splits_a_grapheme() {
        assert_eq!(cut("中文", 3), "中");
        assert_eq!(cut("a👨\u{200d}👩\u{200d}👧b", 2), "a");
        assert_eq!(cut("e\u{301}x", 1), "e\u{301}");
        assert_eq!(shorten("中文字", 5), "中文…");
        assert_eq!(shorten("abc", 3), "abc");
        assert_eq!(shorten("abc", 0), "");
    }

    #[test]
    fn tabs_reach_the_next_stop() {
        assert_eq!(expand_tabs("a\tb", 4), "a   b");
        assert_eq!(expand_tabs("中\tb", 4), "中  b");
        assert_eq!(expand_tabs("\t\tx", 2), "    x");
    }
}
