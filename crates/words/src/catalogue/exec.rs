//! Texts of the `exec` room.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[
    ("exec.cannot_start", "cannot run {program}: {reason}", "无法运行 {program}：{reason}"),
    (
        "exec.cannot_start.hint",
        "check that it is executable and that the system has room for another process",
        "请检查它是否可执行，以及系统是否还能创建新进程",
    ),
    (
        "exec.no_folder",
        "cannot run a command in {path}: there is no such folder",
        "无法在 {path} 中运行命令：没有这个文件夹",
    ),
    ("exec.no_folder.hint", "make the folder, or start from another one with -C", "请创建该文件夹，或用 -C 指定另一个"),
    ("exec.no_program", "cannot run {program}: there is no such program", "无法运行 {program}：没有这个程序"),
    ("exec.no_program.hint", "install it, or check PATH", "请安装它，或检查 PATH"),
];
