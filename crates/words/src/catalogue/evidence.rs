//! Texts about claims: what an answer says, and what the log says to it.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[
    ("evidence.all", "verified by the log: {count} claims", "日志已证实：{count} 项说法"),
    ("evidence.empty", "not supported: “{quote}”: no test was run", "无依据：“{quote}”：没有运行到任何测试"),
    ("evidence.failed", "not supported: “{quote}”: `{command}` failed", "无依据：“{quote}”：`{command}` 失败了"),
    ("evidence.gone_again", "stale: “{quote}”: it was taken away again", "已过时：“{quote}”：之后又被移除"),
    ("evidence.more", "not supported or stale: {count} more", "无依据或已过时：还有 {count} 项"),
    (
        "evidence.not_run",
        "not supported: “{quote}”: no command in the log shows it",
        "无依据：“{quote}”：日志中没有命令能证明",
    ),
    (
        "evidence.not_written",
        "not supported: “{quote}”: nothing in the log did that to {path}",
        "无依据：“{quote}”：日志中没有对 {path} 的这一操作",
    ),
    (
        "evidence.nothing_changed",
        "not supported: “{quote}”: nothing was changed in this turn",
        "无依据：“{quote}”：这一轮没有任何更改",
    ),
    (
        "evidence.number",
        "not supported: “{quote}”: the output does not say {number}",
        "无依据：“{quote}”：输出中没有 {number} 这个数",
    ),
    (
        "evidence.part",
        "not supported: “{quote}”: `{command}` covers only a part",
        "无依据：“{quote}”：`{command}` 只覆盖一部分",
    ),
    ("evidence.proved", "verified: “{quote}” (`{command}`)", "已证实：“{quote}”（`{command}`）"),
    (
        "evidence.refused",
        "not supported: “{quote}”: `{command}` did not run",
        "无依据：“{quote}”：`{command}` 没有运行",
    ),
    (
        "evidence.stale",
        "stale: “{quote}”: {path} was changed after `{command}`",
        "已过时：“{quote}”：`{command}` 之后 {path} 又有更改",
    ),
    (
        "evidence.stale_by_command",
        "stale: “{quote}”: a command after `{command}` may have changed files",
        "已过时：“{quote}”：`{command}` 之后的命令可能更改了文件",
    ),
    (
        "evidence.unproved_fix",
        "not supported: “{quote}”: nothing was run after the change that shows it",
        "无依据：“{quote}”：更改之后没有运行能证明的命令",
    ),
    (
        "evidence.unseen",
        "not supported: “{quote}”: how `{command}` ended cannot be seen",
        "无依据：“{quote}”：看不出 `{command}` 的结果",
    ),
    (
        "evidence.warned",
        "not supported: “{quote}”: `{command}` printed warnings",
        "无依据：“{quote}”：`{command}` 有警告输出",
    ),
    ("evidence.written", "verified: “{quote}” (in the log)", "已证实：“{quote}”（见日志）"),
];
