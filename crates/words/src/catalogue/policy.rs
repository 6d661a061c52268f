//! Texts of the `policy` room: why a command is dangerous.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[
    (
        "policy.danger_branch",
        "{program} deletes or overwrites a branch, tag or ref",
        "{program} 会删除或覆盖分支、标签或引用",
    ),
    (
        "policy.danger_clean",
        "git deletes files it does not know; no commit has them",
        "git 会删除未跟踪的文件，任何提交中都没有它们",
    ),
    ("policy.danger_delete", "{program} deletes files", "{program} 会删除文件"),
    ("policy.danger_discard", "git throws away changes that were not committed", "git 会丢弃未提交的更改"),
    ("policy.danger_disk", "{program} changes a disk or its partitions", "{program} 会修改磁盘或分区"),
    ("policy.danger_erase", "{program} erases what is in files", "{program} 会清除文件内容"),
    ("policy.danger_force", "git overwrites or deletes what is on the remote", "git 会覆盖或删除远程内容"),
    (
        "policy.danger_kill",
        "{program} ends processes by name, others' too",
        "{program} 会按名称结束进程，可能包括其他程序",
    ),
    ("policy.danger_machine", "{program} changes this machine", "{program} 会修改本机系统"),
    ("policy.danger_move", "{program} moves files that were there before", "{program} 会移动原有的文件"),
    (
        "policy.danger_overwrite_unknown",
        "it overwrites what its target is, which is only known when it runs",
        "目标要到运行时才知道；若已存在会被覆盖",
    ),
    ("policy.danger_overwrite", "it overwrites {path} if that is there already", "若 {path} 已存在，会被覆盖"),
    ("policy.danger_power", "{program} stops or restarts this machine", "{program} 会关闭或重启本机"),
    ("policy.danger_publish", "{program} publishes something for others", "{program} 会对外发布内容"),
    ("policy.danger_raw", "{program} writes raw data", "{program} 会直接写入原始数据"),
    (
        "policy.danger_remote",
        "{program} destroys or changes resources outside of this folder",
        "{program} 会销毁或更改此文件夹之外的资源",
    ),
    ("policy.danger_rights", "{program} changes rights or owners of files", "{program} 会修改文件的权限或所有者"),
    ("policy.danger_root", "{program} runs a command as another user", "{program} 会以其他用户身份执行命令"),
    (
        "policy.danger_setting",
        "permissions.dangerous names it: {pattern}",
        "permissions.dangerous 将其列为危险：{pattern}",
    ),
    (
        "policy.hidden_characters",
        "it has control or invisible characters outside of quotes",
        "引号之外含有控制字符或不可见字符",
    ),
    ("policy.hidden_deep", "its commands are nested too deeply to be read", "命令嵌套过深，无法判断"),
    ("policy.hidden_long", "it is too long to be read", "命令过长，无法判断"),
    ("policy.hidden_program", "which program runs is only known when it runs", "要运行的程序到执行时才能确定"),
    ("policy.hidden_text", "a shell is given text that is only known when it runs", "shell 会执行运行前无法得知的内容"),
    ("policy.hidden_unparsed", "it cannot be parsed", "无法解析该命令"),
];
