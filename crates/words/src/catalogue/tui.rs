//! Texts of the `tui` room.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[
    (
        "tui.theme_no_colour",
        "theme {name}: the style {style} has the word {word}, which is neither a colour nor an attribute",
        "主题 {name}：样式 {style} 中的 {word} 既不是颜色也不是属性",
    ),
    (
        "tui.theme_no_colour.hint",
        "colours are #rrggbb, 0 to 255, or names such as red and bright-blue; attributes are bold, dim, italic, underline, strike and reverse",
        "颜色写作 #rrggbb、0 到 255，或 red、bright-blue 等名称；属性有 bold、dim、italic、underline、strike 和 reverse",
    ),
    ("tui.theme_no_style", "theme {name}: there is no style {style}", "主题 {name}：没有样式 {style}"),
    ("tui.theme_no_style.hint", "the styles are: {known}", "可用的样式：{known}"),
    (
        "tui.theme_too_deep",
        "theme {name} builds on too many others, or on itself",
        "主题 {name} 的 base 层数过多，或以自身为基础",
    ),
    (
        "tui.theme_too_deep.hint",
        "give it a built-in base, such as base = \"dark\"",
        "请使用内置主题作为基础，例如 base = \"dark\"",
    ),
    ("tui.theme_unknown", "there is no theme {name}", "没有主题 {name}"),
    (
        "tui.theme_unknown.hint",
        "the built-in ones are {known}; your own are files such as ~/.reasonix/themes/NAME.toml",
        "内置主题有 {known}；自定义主题是 ~/.reasonix/themes/NAME.toml 这样的文件",
    ),
    ("tui.theme_unreadable", "cannot read theme {name}: {reason}", "无法读取主题 {name}：{reason}"),
    (
        "tui.theme_unreadable.hint",
        "a theme has base = \"…\", [vars] and [styles]; the one in use stays",
        "主题由 base = \"…\"、[vars] 和 [styles] 组成；继续使用当前主题",
    ),
];
