//! Texts of the `workspace` room.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[
    (
        "workspace.binary",
        "{path} is not text: {kind}, {size} {size|byte|bytes}",
        "{path} 不是文本：{kind}，{size} 字节",
    ),
    ("workspace.binary.hint", "Use a command that understands this kind of file.", "请使用能处理这种文件的命令"),
    (
        "workspace.cannot_encode",
        "{path} is encoded as {encoding}, which has no {character}; nothing was written",
        "{path} 的编码是 {encoding}，其中没有 {character}；未写入任何内容",
    ),
    (
        "workspace.cannot_encode.hint",
        "Write it without this character, or convert the file to UTF-8 first.",
        "请去掉这个字符，或先把文件转换为 UTF-8",
    ),
    (
        "workspace.changed_since_read",
        "{path} changed on disk since it was read; nothing was written",
        "{path} 在读取之后已被修改；未写入任何内容",
    ),
    ("workspace.changed_since_read.hint", "Read it again, then repeat the change.", "请重新读取后再修改"),
    ("workspace.exists", "{path} already exists; nothing was changed", "{path} 已存在；未作任何更改"),
    (
        "workspace.exists.hint",
        "Choose another name, or remove the existing one first.",
        "请换一个名称，或先删除已有的文件",
    ),
    ("workspace.forbidden", "{path} is closed to file tools: {reason}", "{path} 不对文件工具开放：{reason}"),
    ("workspace.forbidden.hint", "See forbid_read in the settings.", "请查看设置中的 forbid_read"),
    ("workspace.invalid_path", "{path} is not a usable path: {reason}", "{path} 不是可用的路径：{reason}"),
    ("workspace.invalid_pattern", "The pattern is not valid: {message}", "搜索模式无效：{message}"),
    ("workspace.io", "{path}: {error}", "{path}：{error}"),
    ("workspace.is_directory", "{path} is a folder, not a file", "{path} 是文件夹，不是文件"),
    ("workspace.is_directory.hint", "Name a file in it.", "请指定其中的文件"),
    (
        "workspace.no_space",
        "{path} was not written: {reason}; nothing was changed",
        "{path} 未写入：{reason}；未作任何更改",
    ),
    ("workspace.no_space.hint", "Free some space and try again.", "请释放空间后重试"),
    ("workspace.not_a_directory", "{path} is not a folder", "{path} 不是文件夹"),
    ("workspace.not_a_directory.hint", "Name a folder.", "请指定一个文件夹"),
    ("workspace.not_a_file", "{path} is {kind}, not a regular file", "{path} 是 {kind}，不是普通文件"),
    ("workspace.not_found", "{path} does not exist", "{path} 不存在"),
    ("workspace.not_found.hint", "Check the spelling and the folder it is relative to.", "请检查拼写以及相对的文件夹"),
    ("workspace.outside_workspace", "{path} is outside the workspace: {reason}", "{path} 在工作区之外：{reason}"),
    ("workspace.outside_workspace.hint", "Open more folders with --add-dir DIR.", "可用 --add-dir DIR 打开更多文件夹"),
    ("workspace.read_only", "The system refuses access to {path}: {reason}", "系统拒绝访问 {path}：{reason}"),
    ("workspace.read_only.hint", "Check the permissions of the file and its folder.", "请检查文件及其文件夹的权限"),
    (
        "workspace.too_large",
        "{path} is too large for this: {size} {size|byte|bytes}, the limit is {limit}",
        "{path} 太大：{size} 字节，上限为 {limit}",
    ),
    ("workspace.too_large.hint", "Read a part of it, or search it.", "请读取其中一部分，或进行搜索"),
];
