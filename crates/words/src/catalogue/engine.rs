//! Texts of the `engine`, `agent` and `net` rooms.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[
    (
        "agent.compacting",
        "the context is nearly full: writing notes on what was done so far",
        "上下文将满：正在整理此前的工作记录",
    ),
    ("agent.repaired", "put right in the model's answer: {what}", "已修正模型回答：{what}"),
    (
        "agent.storm",
        "the model made the same calls again and again; the turn was ended",
        "模型反复发出相同的调用；本轮已结束",
    ),
    ("agent.storm.hint", "say what to do differently, or try another model", "请说明换一种做法，或换一个模型"),
    (
        "agent.text_loop",
        "the model's answer repeated itself twice; the turn was ended",
        "模型的回答两次陷入重复；本轮已结束",
    ),
    (
        "agent.text_loop.hint",
        "ask again in other words, set a temperature above 0, or try another model",
        "请换一种说法重试，将 temperature 设为大于 0，或换一个模型",
    ),
    (
        "engine.answer_late",
        "question {ask} was already answered; this answer is not used",
        "问题 {ask} 已有答复，此次答复未采用",
    ),
    (
        "engine.answer_not_offered",
        "question {ask}: that rule was not offered; the question is still open",
        "问题 {ask}：该规则不在可选项中，问题仍待答复",
    ),
    (
        "engine.answer_other",
        "question {ask}: the answer is about another call; the question is still open",
        "问题 {ask}：答复针对的是另一个调用，问题仍待答复",
    ),
    (
        "engine.ask_danger",
        "dangerous: it is always asked about, and nothing is remembered",
        "危险操作：每次都需确认，不会记住答复",
    ),
    (
        "engine.ask_host",
        "a command in the sandbox wants to reach {host}; it has no network of its own",
        "沙箱中的命令想访问 {host}；沙箱本身没有网络",
    ),
    (
        "engine.ask_mode",
        "permissions.mode is \"ask\": changes and commands are asked about",
        "permissions.mode 为 \"ask\"：修改和命令需经同意",
    ),
    (
        "engine.ask_outside",
        "it failed in the sandbox, which may have been in the way; run it once outside, with all your rights? ({reason})",
        "该命令在沙箱中失败，可能是被沙箱阻止；是否以你的全部权限在沙箱外运行一次？（{reason}）",
    ),
    (
        "engine.ask_protected",
        "{paths} tells agents, editors or git what to do: changes are always asked about, and nothing is remembered",
        "{paths} 会指示代理、编辑器或 git 的行为：每次修改都需确认，不会记住答复",
    ),
    ("engine.ask_rule", "the rule {rule} says to ask", "规则 {rule} 要求询问"),
    ("engine.bad_rule", "cannot read the permission rule {rule}: {reason}", "无法读取权限规则 {rule}：{reason}"),
    (
        "engine.bad_rule.hint",
        "rules look like Bash(cargo test:*), Edit(docs/**) or Read; see docs/config.md",
        "规则形如 Bash(cargo test:*)、Edit(docs/**) 或 Read；参见 docs/config.md",
    ),
    ("engine.bad_script", "cannot play the script {path}: {reason}", "无法播放脚本 {path}：{reason}"),
    ("engine.bad_script.hint", "the format is described in docs/scripted.md", "脚本格式见 docs/scripted.md"),
    ("engine.empty_answer", "the model answered with nothing", "模型返回了空回答"),
    (
        "engine.empty_answer.hint",
        "ask again, or try another model; some models need a larger max_tokens",
        "请重试或换一个模型；某些模型需要更大的 max_tokens",
    ),
    (
        "engine.grant_unsaved",
        "the rule {rule} could not be saved: {reason}; this call is allowed, once",
        "无法保存规则 {rule}：{reason}；仅允许本次调用",
    ),
    (
        "engine.grant_unsaved.hint",
        "mend your settings file, or write the rule there yourself; see docs/permissions.md",
        "请修复设置文件，或自行写入该规则；参见 docs/permissions.md",
    ),
    ("engine.journal_failed", "cannot write the session log {path}: {reason}", "无法写入会话日志 {path}：{reason}"),
    (
        "engine.journal_failed.hint",
        "nothing was run after this point; make room or fix the folder, then continue the session",
        "此后没有执行任何操作；请腾出空间或修复目录权限，然后继续会话",
    ),
    ("engine.not_possible", "this session cannot do that", "此会话无法执行该操作"),
    ("engine.not_possible.hint", "`/help` shows what it can do", "`/help` 会列出可用的操作"),
    (
        "engine.nothing_to_continue",
        "there is no session of this folder to go on with; this is a new one",
        "本目录没有可继续的会话；已新建会话",
    ),
    ("engine.other_folder", "this session belongs to {folder}, not to {here}", "该会话属于 {folder}，而不是 {here}"),
    ("engine.other_folder.hint", "add -C {folder}", "请加上 -C {folder}"),
    ("engine.reference_failed", "@{path} could not be read: {reason}", "无法读取 @{path}：{reason}"),
    ("engine.refused", "the last calls were refused: {by}", "最后的调用被拒绝：{by}"),
    (
        "engine.refused.hint",
        "to be asked, work in a terminal; for one run there is --approve RULE; a deny rule is changed where it stands: reasonix config show --origin",
        "要获得询问，请在终端中使用；单次运行可用 --approve RULE；deny 规则须在其所在处修改：reasonix config show --origin",
    ),
    ("engine.fell_back", "{why}: the answer comes from {now} instead", "{why}：改由 {now} 回答"),
    (
        "engine.retrying",
        "{why}: attempt {attempt} of {of} failed, trying again in {seconds} s",
        "{why}：第 {attempt}/{of} 次尝试失败，{seconds} 秒后重试",
    ),
    (
        "engine.undo_off",
        "changes to files cannot be taken back in this session: {reason}",
        "本会话中对文件的更改无法撤销：{reason}",
    ),
    (
        "engine.undo_off.hint",
        "the work goes on; commit what you want to keep before large changes",
        "工作继续进行；大改动之前请先提交要保留的内容",
    ),
    (
        "engine.trust_other",
        "what this folder would execute is no longer what was shown; nothing was trusted",
        "该目录将执行的内容已与所示不同；未信任任何内容",
    ),
    ("engine.trust_other.hint", "look again: reasonix trust", "请重新查看：reasonix trust"),
    ("engine.trusted", "what {root} would execute is trusted as it is now", "已信任 {root} 当前将执行的内容"),
    (
        "engine.untrusted",
        "this folder brings things that would be executed; they stay off until you trust them: {names}",
        "该目录带有将被执行的内容，在你信任之前保持关闭：{names}",
    ),
    (
        "engine.untrusted.hint",
        "look at them with `reasonix trust` in a terminal; for pipelines see --trust-lock in docs/trust.md",
        "请在终端中用 `reasonix trust` 查看；流水线请参见 docs/trust.md 中的 --trust-lock",
    ),
    (
        "engine.unknown_kind",
        "provider {provider} has the kind {kind}, which does not exist",
        "提供方 {provider} 的 kind 为 {kind}，不存在该类型",
    ),
    (
        "engine.unknown_kind.hint",
        "use kind = \"openai\" or kind = \"scripted\"",
        "请使用 kind = \"openai\" 或 kind = \"scripted\"",
    ),
    ("engine.workspace", "cannot use the working folder: {reason}", "无法使用工作目录：{reason}"),
    ("engine.workspace.hint", "choose another folder with -C DIR", "请用 -C DIR 指定其他目录"),
    ("net.build", "cannot build an HTTP client: {reason}", "无法创建 HTTP 客户端：{reason}"),
    ("net.ca_file", "cannot use the certificate file {path}: {reason}", "无法使用证书文件 {path}：{reason}"),
    ("net.ca_file.hint", "net.ca_file must be a PEM file with certificates", "net.ca_file 必须是 PEM 格式的证书文件"),
    ("net.proxy", "cannot use the proxy {proxy}: {reason}", "无法使用代理 {proxy}：{reason}"),
    (
        "net.proxy.hint",
        "check net.proxy in the settings, and HTTPS_PROXY, HTTP_PROXY and ALL_PROXY in the environment",
        "请检查设置中的 net.proxy，以及环境变量 HTTPS_PROXY、HTTP_PROXY 和 ALL_PROXY",
    ),
    ("net.url", "{url} is not an http or https address", "{url} 不是 http 或 https 地址"),
    ("net.url.hint", "base_url looks like http://127.0.0.1:8000/v1", "base_url 形如 http://127.0.0.1:8000/v1"),
];
