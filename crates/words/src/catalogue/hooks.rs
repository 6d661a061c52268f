//! Texts about hooks.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[
    (
        "hooks.changed",
        "the hook {hook} ({file}) is not what you trusted; it is off, and the calls that it is for are asked about",
        "钩子 {hook}（{file}）与你信任时的内容不同，已停用；它负责的调用将询问你",
    ),
    ("hooks.changed.hint", "/hooks reload, then /trust", "请先 /hooks reload，再 /trust"),
    ("hooks.event", "{file}: there is no event {name} for hooks here", "{file}：此处没有名为 {name} 的钩子事件"),
    (
        "hooks.failed",
        "the hook {hook} ({event}) could not be run: {reason}",
        "钩子 {hook}（{event}）无法运行：{reason}",
    ),
    (
        "hooks.fold_blocked",
        "the conversation is not folded: the hook {hook} is against it: {reason}",
        "未整理对话：钩子 {hook} 不同意：{reason}",
    ),
    ("hooks.json", "{file} has no hooks that could be read: it is no JSON", "无法读取 {file} 中的钩子：不是 JSON"),
    (
        "hooks.key",
        "{file}: nobody knows the key {key} of {at}; it says nothing",
        "{file}：{at} 中的键 {key} 无法识别，不起作用",
    ),
    (
        "hooks.refused",
        "the hook {hook} refused the call of {tool}: {reason}",
        "钩子 {hook} 拒绝了对 {tool} 的调用：{reason}",
    ),
    ("hooks.no_reason", "it gave no reason", "没有给出原因"),
    (
        "hooks.kind",
        "{file}: a hook for {event} is of the kind {kind}, which is not run here",
        "{file}：{event} 的一个钩子属于 {kind} 类型，此处不运行",
    ),
    ("hooks.more", "and {count} more like these about hooks", "另有 {count} 条与钩子有关的类似消息"),
    ("hooks.off", "{file}: disableAllHooks is set, so its hooks are off", "{file}：已设置 disableAllHooks，其钩子停用"),
    (
        "hooks.pattern",
        "{file}: the matcher {pattern} cannot be read ({reason}), so its hooks are run for everything",
        "{file}：无法读取匹配式 {pattern}（{reason}），其钩子将对所有情况运行",
    ),
    (
        "hooks.prompt_blocked",
        "not sent: the hook {hook} is against it: {reason}",
        "未发送：钩子 {hook} 不同意：{reason}",
    ),
    ("hooks.reloaded", "hooks were read anew: {count}", "已重新读取钩子：{count} 个"),
    ("hooks.says", "hook {hook}: {text}", "钩子 {hook}：{text}"),
    ("hooks.shape", "{file}: {at} is no list of hooks, or no hook", "{file}：{at} 不是钩子列表，或不是钩子"),
    ("hooks.shape.hint", "`reasonix docs hooks` shows how one is written", "写法见 `reasonix docs hooks`"),
    (
        "hooks.stop_limit",
        "the hook {hook} kept the turn from ending {count} times; it ends now",
        "钩子 {hook} 已 {count} 次阻止本轮结束；现在结束",
    ),
    ("hooks.stopped", "the hook {hook} ended the turn: {reason}", "钩子 {hook} 结束了本轮：{reason}"),
    (
        "hooks.timed_out",
        "the hook {hook} ({event}) took longer than {seconds} s and was ended",
        "钩子 {hook}（{event}）超过 {seconds} 秒，已被终止",
    ),
    (
        "hooks.too_many",
        "{file} has more than {most} hooks; the rest is left out",
        "{file} 的钩子超过 {most} 个，其余已忽略",
    ),
    (
        "hooks.too_many_aside",
        "the hook {hook} ({event}) was not run: {most} hooks that nobody waits for still run",
        "未运行钩子 {hook}（{event}）：仍有 {most} 个无人等待的钩子在运行",
    ),
    (
        "hooks.unstarted",
        "the hook {hook} ({event}) did nothing: its program could not be started (code {code}): {reason}",
        "钩子 {hook}（{event}）未起作用：无法启动其程序（代码 {code}）：{reason}",
    ),
    (
        "hooks.unstarted.hint",
        "Hooks run in the box, which your home folder is not in: give it `sandbox = false` in your own settings, or put its program where the box has it, such as /usr/local/bin (`reasonix docs hooks`).",
        "钩子在沙箱中运行，沙箱中没有你的主文件夹：请在你自己的设置中为它加上 `sandbox = false`，或把程序放到沙箱可见之处，如 /usr/local/bin（见 `reasonix docs hooks`）",
    ),
    (
        "hooks.warned",
        "the hook {hook} ({event}) ended with code {code}: {reason}",
        "钩子 {hook}（{event}）以代码 {code} 结束：{reason}",
    ),
];
