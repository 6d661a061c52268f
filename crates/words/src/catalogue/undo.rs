//! Texts about taking changes back: `undo`, `rewind`, `changes`, `store`.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[
    ("undo.blocked", "not taken back: {path}: {why}", "未能撤销：{path}：{why}"),
    (
        "undo.blocked.hint",
        "when that is put right, `reasonix rewind --to {turn}` tries again",
        "处理后可用 `reasonix rewind --to {turn}` 重试",
    ),
    ("undo.change_created", "created", "新建"),
    ("undo.change_deleted", "deleted", "删除"),
    ("undo.change_updated", "changed", "修改"),
    (
        "undo.cut_off",
        "turn {turn} was cut off with its process: what was changed after that is kept and named",
        "第 {turn} 轮随其进程中断：此后的更改均予保留并列出",
    ),
    (
        "undo.cut_off.hint",
        "`reasonix changes --turn {turn}` shows what it did",
        "`reasonix changes --turn {turn}` 查看该轮的更改",
    ),
    (
        "undo.done",
        "the files are as they were before turn {turn}: {count} {count|file|files}",
        "文件已恢复到第 {turn} 轮之前：{count} 个文件",
    ),
    ("undo.left", "nothing of turn {turn} was taken back", "第 {turn} 轮的更改均未撤销"),
    ("undo.kept", "kept, because somebody else changed it too: {path}", "已保留（他人也修改过）：{path}"),
    (
        "undo.kept.hint",
        "`reasonix rewind --to {turn} --force` takes it back all the same, once no chat has this session open",
        "没有对话打开本会话时，`reasonix rewind --to {turn} --force` 可强制撤销",
    ),
    ("undo.kept_again", "left, because somebody else changed it since: {path}", "未恢复（之后被他人修改过）：{path}"),
    (
        "undo.kept_again.hint",
        "`reasonix undo`, then `reasonix undo --redo --force` brings it all the same",
        "先 `reasonix undo`，再 `reasonix undo --redo --force` 可强制恢复",
    ),
    ("undo.no_changes", "turn {turn} changed no files", "第 {turn} 轮没有更改文件"),
    ("undo.no_changes.hint", "`reasonix changes` lists the turns that did", "`reasonix changes` 列出更改过文件的轮次"),
    ("undo.nothing", "there is nothing to take back in session {session}", "会话 {session} 中没有可撤销的更改"),
    ("undo.no_session", "there is no session of this folder", "此文件夹没有会话"),
    (
        "undo.no_session.hint",
        "`reasonix sessions --all` lists those of other folders",
        "`reasonix sessions --all` 列出其他文件夹的会话",
    ),
    ("undo.not_kept", "cannot read what was kept: {reason}", "无法读取已保存的状态：{reason}"),
    (
        "undo.not_kept.hint",
        "it may have been collected (`undo.max_mb`), or undo was off in that session",
        "它可能已被清理（`undo.max_mb`），或该会话未启用撤销",
    ),
    ("undo.nothing_here", "there is nothing to take back", "没有可撤销的更改"),
    ("undo.nothing_to_redo", "nothing was taken back since the last change", "自上次更改以来没有撤销任何内容"),
    ("undo.redo", "`reasonix undo --redo` brings it back", "`reasonix undo --redo` 可恢复"),
    (
        "undo.redone",
        "what was taken back is there again: {count} {count|file|files}",
        "已恢复撤销的更改：{count} 个文件",
    ),
    ("undo.store_busy", "a session is running that may still need what is kept", "有会话正在运行，可能还需要这些内容"),
    (
        "undo.store_busy_by",
        "these sessions are running and may still need what is kept, each with its process: {sessions}",
        "以下会话正在运行，可能还需要这些内容（括号内为进程号）：{sessions}",
    ),
    ("undo.store_busy_by.hint", "leave them, then try again", "请先退出它们，再重试"),
    ("undo.store_busy.hint", "try again when no session is running", "请在没有会话运行时重试"),
    (
        "undo.store_cache",
        "cache: {files} {files|file|files}, {size} MiB of {max} MiB; {old} too old or beyond the limit",
        "缓存：{files} 个文件，{size} MiB / {max} MiB；{old} 个过期或超出",
    ),
    (
        "undo.store_clones",
        "clones of subagents: {sessions} {sessions|session|sessions}, {size} MiB; left by sessions that are gone: {left}",
        "子智能体的克隆：{sessions} 个会话，{size} MiB；{left} 个属于已不在的会话",
    ),
    (
        "undo.store_recordings",
        "recorded answers: {files} {files|file|files}, {size} MiB; {left} of deleted sessions",
        "录制的回答：{files} 个文件，{size} MiB；{left} 个所属会话已删除",
    ),
    (
        "undo.store_sessions",
        "sessions: {files} {files|session|sessions}, {size} MiB of {max} MiB; {old} too old or beyond the limit",
        "会话：{files} 个，{size} MiB / {max} MiB；{old} 个过期或超出",
    ),
    (
        "undo.store_outputs",
        "outputs and pictures: {files} {files|file|files}, {size} MiB of {max} MiB; too old, too much or of no session: {old}",
        "输出与图片：{files} 个文件，{size} MiB / {max} MiB；{old} 个过期、超出或不属于任何会话",
    ),
    (
        "undo.store_usage",
        "usage: {files} {files|file|files}, {size} MiB of {max} MiB; too much: {old}",
        "用量记录：{files} 个文件，{size} MiB / {max} MiB；{old} 个超出",
    ),
    ("undo.store_all", "all together: {size} MiB in {path}", "合计：{path} 中共 {size} MiB"),
    (
        "undo.store_du",
        "undo: {blobs} {blobs|file|files} of {sessions} {sessions|session|sessions}, {size} MiB of {max} MiB",
        "撤销：{sessions} 个会话的 {blobs} 个文件，{size} MiB / {max} MiB",
    ),
    (
        "undo.store_gc",
        "{removed} {removed|file|files} removed, {freed} MiB freed",
        "已删除 {removed} 个文件，释放 {freed} MiB",
    ),
    (
        "undo.since_again",
        "brought again since, from turn {turn} on: {paths}",
        "之后已恢复（从第 {turn} 轮起）：{paths}",
    ),
    (
        "undo.since_again_many",
        "brought again since, from turn {turn} on: {paths} and {more} more",
        "之后已恢复（从第 {turn} 轮起）：{paths} 等，另有 {more} 项",
    ),
    ("undo.since_back", "taken back since, from turn {turn} on: {paths}", "之后已撤销（从第 {turn} 轮起）：{paths}"),
    (
        "undo.since_back_many",
        "taken back since, from turn {turn} on: {paths} and {more} more",
        "之后已撤销（从第 {turn} 轮起）：{paths} 等，另有 {more} 项",
    ),
    ("undo.turn", "turn {turn}: {count} {count|file|files}", "第 {turn} 轮：{count} 个文件"),
    ("undo.uncovered", "undo does not cover: {paths}", "撤销不包括：{paths}"),
    ("undo.uncovered_many", "undo does not cover: {paths} and {more} more", "撤销不包括：{paths} 等，另有 {more} 项"),
    (
        "undo.unseen",
        "{folder} is not covered since then, so that nobody can tell what became of: {paths}",
        "{folder} 自此不在撤销范围内，无法得知以下文件的变化：{paths}",
    ),
    (
        "undo.unseen.hint",
        "undo brings back what is missing of it; what is there stays, and undo names it",
        "撤销会恢复其中缺失的文件；仍在的文件予以保留并列出",
    ),
    (
        "undo.unseen_many",
        "{folder} is not covered since then, so that nobody can tell what became of: {paths} and {more} more",
        "{folder} 自此不在撤销范围内，无法得知以下文件的变化：{paths} 等，另有 {more} 项",
    ),
    (
        "undo.unseen_many.hint",
        "undo brings back what is missing of it; what is there stays, and undo names it",
        "撤销会恢复其中缺失的文件；仍在的文件予以保留并列出",
    ),
];
