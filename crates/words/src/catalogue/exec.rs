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
        "exec.clone_address",
        "only https://, ssh:// and file:// lead to a repository",
        "仓库地址只能以 https://、ssh:// 或 file:// 开头",
    ),
    ("exec.clone_failed", "git could not fetch it: {said}", "git 未能获取：{said}"),
    ("exec.clone_late", "fetching it took more than {seconds} seconds", "获取超过 {seconds} 秒"),
    (
        "exec.interrupted",
        "interrupted; what it had printed is kept, and the model sees it too",
        "已中断；此前的输出已保留，模型也能看到",
    ),
    (
        "exec.no_folder",
        "cannot run a command in {path}: there is no such folder",
        "无法在 {path} 中运行命令：没有这个文件夹",
    ),
    ("exec.no_folder.hint", "make the folder, or start from another one with -C", "请创建该文件夹，或用 -C 指定另一个"),
    (
        "exec.denied_file_size",
        "files that commands write may have only so many bytes; the limit is sandbox.max_file_mb",
        "命令写入的文件大小有上限，由 sandbox.max_file_mb 设置",
    ),
    (
        "exec.denied_git",
        "git's own folder can only be read here: to commit, start a session at the repository's root (reasonix -C ROOT)",
        "此处只能读取 git 自己的文件夹：要提交，请在仓库的根文件夹启动会话（reasonix -C 根文件夹）",
    ),
    (
        "exec.denied_loopback",
        "commands run in a sandbox: localhost is its own there; sandbox.loopback opens ports of the machine",
        "命令在沙箱中运行：其中的 localhost 不是本机；可用 sandbox.loopback 开放本机端口",
    ),
    (
        "exec.denied_network",
        "commands run in a sandbox without network; sandbox.allow_hosts opens hosts, sandbox.network = true everything",
        "命令在没有网络的沙箱中运行；可用 sandbox.allow_hosts 开放主机，或用 sandbox.network = true 全部开放",
    ),
    (
        "exec.denied_privileges",
        "commands run in a sandbox without privileges: no mounts, no namespaces, no ptrace, no raw sockets, no change of owner",
        "命令在没有特权的沙箱中运行：不能挂载、建命名空间、ptrace、用原始套接字或更改所有者",
    ),
    (
        "exec.denied_processes",
        "commands may have only so many processes; the limit is sandbox.max_processes",
        "命令的进程数有上限，由 sandbox.max_processes 设置",
    ),
    (
        "exec.denied_write",
        "commands run in a sandbox: only the workspace, /tmp and a private home can be written; sandbox.allow_write opens more",
        "命令在沙箱中运行：只能写入工作区、/tmp 和单独的主文件夹；可用 sandbox.allow_write 开放更多",
    ),
    ("exec.ended_by_bound", "ended with everything it started: {reason}", "命令及其启动的一切已被结束：{reason}"),
    ("exec.killed_by_signal", "killed by signal {signal}", "被信号 {signal} 终止"),
    ("exec.left_processes_ended", "processes it left in the background were ended", "它留在后台的进程已被结束"),
    (
        "exec.moved_away",
        "{path} is protected: what the command made there was moved to {kept}",
        "{path} 受保护：命令在那里创建的内容已移到 {kept}",
    ),
    (
        "exec.not_moved_away",
        "{path} is protected, but what the command made there could not be moved",
        "{path} 受保护，但命令在那里创建的内容无法移走",
    ),
    (
        "exec.ran_held",
        "it was taken for a command that only reads, and ran where nothing can be written",
        "它被当作只读命令，在无法写入的环境中运行",
    ),
    ("exec.ran_outside", "run outside the sandbox, as you allowed once", "按你这一次的允许，已在沙箱之外运行"),
    (
        "exec.timed_out",
        "timed out: the command and everything it started was ended",
        "超时：命令及其启动的一切已被结束",
    ),
    (
        "exec.timed_out_after",
        "timed out after {seconds} s: the command and everything it started was ended",
        "{seconds} 秒后超时：命令及其启动的一切已被结束",
    ),
    ("exec.no_program", "cannot run {program}: there is no such program", "无法运行 {program}：没有这个程序"),
    ("exec.no_program.hint", "install it, or check PATH", "请安装它，或检查 PATH"),
    (
        "exec.no_sandbox",
        "commands are not run: sandbox level {level} cannot be had here ({reason})",
        "不会运行命令：此处无法达到沙箱级别 {level}（{reason}）",
    ),
    (
        "exec.no_sandbox.hint",
        "level full needs user namespaces (user.max_user_namespaces, AppArmor, the container's profile) and Landlock; in ~/.reasonix/config.toml, [sandbox] bash = \"best-effort\" accepts level partial (nothing is hidden), and bash = \"off\" runs commands without a box",
        "full 级别需要用户命名空间（user.max_user_namespaces、AppArmor、容器配置）和 Landlock；在 ~/.reasonix/config.toml 的 [sandbox] 中，bash = \"best-effort\" 接受 partial 级别（不隐藏任何文件），bash = \"off\" 则不使用沙箱运行命令",
    ),
    (
        "exec.no_sandbox_root",
        "commands are not run: this folder is the whole file system, and no sandbox of level {level} can close around it",
        "不会运行命令：这个文件夹是整个文件系统，{level} 级别的沙箱无法围住它",
    ),
    (
        "exec.no_sandbox_root.hint",
        "start in a folder of your own: cd PROJECT, or reasonix -C PROJECT",
        "请在自己的文件夹中启动：cd 项目，或 reasonix -C 项目",
    ),
    (
        "exec.limits_group",
        "limits on processes and memory are held by the kernel: each command has a control group",
        "进程数和内存的限制由内核保证：每个命令都有自己的 cgroup",
    ),
    (
        "exec.limits_some",
        "each command has a control group, which lacks the controller for processes or for memory; what it lacks is counted every 200 ms",
        "每个命令都有自己的 cgroup，但缺少进程数或内存的控制器；缺少的部分每 200 毫秒统计一次",
    ),
    (
        "exec.limits_counted",
        "limits on processes and memory are counted every 200 ms: no control group with these controllers is delegated to us (systemd-run --user --scope -p Delegate=yes gives one)",
        "进程数和内存的限制每 200 毫秒统计一次：没有把带这些控制器的 cgroup 委派给本程序（可用 systemd-run --user --scope -p Delegate=yes）",
    ),
    (
        "exec.sandbox_full",
        "commands run in a sandbox, level full: only the workspace is writable, the home folder is hidden, network {network}",
        "命令在沙箱中运行，级别 full：仅工作区可写，主文件夹被隐藏，网络 {network}",
    ),
    (
        "exec.sandbox_off",
        "commands run without a sandbox: the permission rules are what holds them",
        "命令在没有沙箱的情况下运行：仅由权限规则约束",
    ),
    (
        "exec.sandbox_off.hint",
        "take bash = \"off\" out of [sandbox] in ~/.reasonix/config.toml",
        "请从 ~/.reasonix/config.toml 的 [sandbox] 中去掉 bash = \"off\"",
    ),
    (
        "exec.sandbox_partial",
        "the sandbox is only at level partial: commands can read what you can read ({reason})",
        "沙箱仅为 partial 级别：命令可以读取你能读取的内容（{reason}）",
    ),
    (
        "exec.sandbox_partial.hint",
        "level full needs user namespaces: check user.max_user_namespaces, and in a container its seccomp or AppArmor profile",
        "full 级别需要用户命名空间：请检查 user.max_user_namespaces；在容器中还要检查 seccomp 或 AppArmor 配置",
    ),
    (
        "exec.sandbox_promise_partial",
        "commands run in a sandbox, level partial: only the workspace is writable, network {network}",
        "命令在沙箱中运行，级别 partial：仅工作区可写，网络 {network}",
    ),
    (
        "exec.hidden",
        "hidden from commands, so it looked empty to this one: {path}",
        "对命令隐藏，因此该命令看到的是空内容：{path}",
    ),
    (
        "exec.hidden_in_git",
        "hidden from commands, so it looked empty to this one, and changed to git: {path}",
        "对命令隐藏，因此该命令看到的是空内容，git 会认为它已更改：{path}",
    ),
];
