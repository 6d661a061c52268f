//! Texts of the `session` room.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[
    ("session.ambiguous", "{wanted} fits {count} sessions: {matches}", "{wanted} 匹配 {count} 个会话：{matches}"),
    ("session.ambiguous.hint", "give more of the id", "请输入更完整的会话编号"),
    (
        "session.broken",
        "session {session} cannot be resumed: the first line of {path} cannot be read",
        "无法恢复会话 {session}：{path} 的第一行无法读取",
    ),
    (
        "session.broken.hint",
        "the file was left as it is; what can be read of it is plain JSON, one record a line",
        "该文件未被改动；其中可读的部分是纯 JSON，每行一条记录",
    ),
    (
        "session.head_damaged",
        "the checksum of the first line of {path} is wrong; it was used all the same (line {line})",
        "{path} 第一行的校验和有误，仍已使用（第 {line} 行）",
    ),
    ("session.in_use", "session {session} is in use by process {pid}", "会话 {session} 正被进程 {pid} 使用"),
    (
        "session.in_use.hint",
        "go on in that one, end it, or start a new session",
        "请在那个进程中继续、结束它，或开始新的会话",
    ),
    ("session.io", "cannot use {path}: {reason}", "无法使用 {path}：{reason}"),
    (
        "session.io.hint",
        "check free space and permissions, or run with --no-session",
        "请检查剩余空间和权限，或使用 --no-session 运行",
    ),
    (
        "session.line_skipped",
        "line {line} of {path} is damaged and was skipped; the rest was kept",
        "{path} 的第 {line} 行已损坏，已跳过；其余内容已保留",
    ),
    ("session.not_found", "there is no session {wanted}", "没有会话 {wanted}"),
    ("session.not_found.hint", "`reasonix sessions` lists them", "用 `reasonix sessions` 查看所有会话"),
    (
        "session.too_new",
        "session {session} was written by a newer Reasonix (format {found}, this one reads up to {known})",
        "会话 {session} 由更新的 Reasonix 写入（格式 {found}，本版本最多读取 {known}）",
    ),
    ("session.too_new.hint", "update Reasonix, or start a new session", "请更新 Reasonix，或开始新的会话"),
    (
        "session.torn",
        "the last {bytes} bytes of the session log were an unfinished line; they were moved to {path}",
        "会话日志末尾的 {bytes} 字节是未写完的一行，已移到 {path}",
    ),
];
