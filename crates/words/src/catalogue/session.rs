//! Texts of the `session` room.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[
    (
        "session.ambiguous",
        "{wanted} fits {count} {count|session|sessions}: {matches}",
        "{wanted} 匹配 {count} 个会话：{matches}",
    ),
    ("session.ambiguous.hint", "give more of the id", "请输入更完整的会话编号"),
    (
        "session.broken",
        "session {session} cannot be resumed: the first line of {path} cannot be read",
        "无法恢复会话 {session}：{path} 的第一行无法读取",
    ),
    (
        "session.broken.hint",
        "`reasonix sessions repair` makes a session of what can be read; the old file is kept beside it",
        "`reasonix sessions repair` 会用可读的部分恢复会话；旧文件保留在旁边",
    ),
    (
        "session.edited",
        "{path} was changed by an editor: a byte order mark or other line ends",
        "{path} 被编辑器改动过：字节顺序标记或换行符不同",
    ),
    (
        "session.edited.hint",
        "every record is there; `reasonix sessions repair` puts the file right",
        "所有记录都在；`reasonix sessions repair` 可修正文件",
    ),
    ("session.elsewhere", "{path} is not one of the saved sessions", "{path} 不是已保存的会话"),
    (
        "session.elsewhere.hint",
        "`reasonix sessions import FILE` makes a session of it",
        "`reasonix sessions import 文件` 可将其导入为会话",
    ),
    (
        "session.head_damaged",
        "the checksum of the first line of {path} is wrong; it was used all the same (line {line})",
        "{path} 第一行的校验和有误，仍已使用（第 {line} 行）",
    ),
    ("session.exists", "{path} is there already, and nothing is written over it", "{path} 已存在，不会覆盖"),
    ("session.exists.hint", "name another file, or remove that one first", "请换一个文件名，或先删除该文件"),
    (
        "session.in_use",
        "session {session} is in use by process {pid} since {since}",
        "会话 {session} 自 {since} 起被进程 {pid} 使用",
    ),
    (
        "session.in_use.hint",
        "go on there, end it, or work on a copy: `reasonix --fork {short}`",
        "请在那里继续、结束它，或使用副本：`reasonix --fork {short}`",
    ),
    ("session.index_busy", "the index of sessions is in use by process {pid}", "会话索引正被进程 {pid} 使用"),
    ("session.index_busy.hint", "try again in a moment", "请稍后再试"),
    ("session.index_failed", "the index of sessions cannot be used: {reason}", "无法使用会话索引：{reason}"),
    (
        "session.index_failed.hint",
        "check free space and permissions of the cache folder; the index can be deleted, it is made anew",
        "请检查缓存文件夹的剩余空间和权限；索引可以删除，会自动重建",
    ),
    ("session.io", "cannot use {path}: {reason}", "无法使用 {path}：{reason}"),
    (
        "session.io.hint",
        "check that it is there, the free space and the permissions",
        "请检查它是否存在、剩余空间和权限",
    ),
    (
        "session.lines_missing",
        "lines are missing in {path}, or not in their order: {count} {count|record follows|records follow} one that is not there",
        "{path} 缺少行或行序错乱：{count} 条记录的前一条不存在",
    ),
    (
        "session.lines_missing.hint",
        "what is there was kept; `reasonix sessions repair` puts the file right",
        "现有内容已保留；`reasonix sessions repair` 可修正文件",
    ),
    (
        "session.line_skipped",
        "line {line} of {path} is damaged and was skipped; the rest was kept",
        "{path} 的第 {line} 行已损坏，已跳过；其余内容已保留",
    ),
    (
        "session.lines_skipped",
        "{path}: {count} more damaged lines were left out",
        "{path}：另有 {count} 行损坏，已跳过",
    ),
    (
        "session.lines_skipped.hint",
        "`reasonix sessions verify` names all of them",
        "`reasonix sessions verify` 会列出全部",
    ),
    ("session.memory_empty", "there is nothing to remember: the text is empty", "没有可记住的内容：文本为空"),
    ("session.memory_full", "there is no room for it in memory", "记忆已满"),
    (
        "session.memory_full.hint",
        "a text may have 16 KiB, and a scope 500 of them; forget what is not needed any more",
        "每条文本最多 16 KiB，每个范围最多 500 条；请忘掉不再需要的",
    ),
    ("session.memory_name", "{name} cannot be the name of a memory", "{name} 不能作为记忆的名称"),
    ("session.memory_name.hint", "use 3 to 40 letters, digits, - and _", "请使用 3 到 40 个字母、数字、- 和 _"),
    ("session.no_memory", "there is no memory named {name}", "没有名为 {name} 的记忆"),
    ("session.no_memory.hint", "`reasonix memory list` shows the names", "用 `reasonix memory list` 查看名称"),
    ("session.no_record", "session {session} has no record {record}", "会话 {session} 没有记录 {record}"),
    (
        "session.no_record.hint",
        "`reasonix sessions show --tree` lists the records",
        "`reasonix sessions show --tree` 会列出记录",
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
        "the last {bytes} {bytes|byte|bytes} of the session log {bytes|was|were} an unfinished line, which was moved to {path}",
        "会话日志末尾的 {bytes} 字节是未写完的一行，已移到 {path}",
    ),
    (
        "session.two_writers",
        "{path} was written by two processes at the same time: {count} {count|record has|records have} a number that was taken",
        "{path} 曾被两个进程同时写入：{count} 条记录的编号重复",
    ),
    (
        "session.two_writers.hint",
        "`reasonix sessions repair` gives every record its own number",
        "`reasonix sessions repair` 会为每条记录重新编号",
    ),
    (
        "session.unfinished",
        "{path}: the last line is not finished ({bytes} {bytes|byte|bytes})",
        "{path}：最后一行未写完（{bytes} 字节）",
    ),
];
