//! Texts about files that extend Reasonix: skills and commands.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[
    ("extensions.bad_name", "{path} is not used: {name} cannot be a name", "未使用 {path}：{name} 不能作为名称"),
    (
        "extensions.bad_name.hint",
        "use letters, digits, -, _ and ., at most 64 of them",
        "请使用英文字母、数字、-、_ 和 .，最多 64 个字符",
    ),
    ("extensions.binary", "{path} is not used: it is no UTF-8 text", "未使用 {path}：不是 UTF-8 文本"),
    ("extensions.bound_bytes", "{most} MiB in one file, {all} in all", "单个文件 {most} MiB，共 {all} MiB"),
    ("extensions.bound_deep", "{most} folders deep", "{most} 层文件夹"),
    ("extensions.bound_files", "{most} files", "{most} 个文件"),
    ("extensions.bundle_broken", "the plugin {name} is off: {reason}", "插件 {name} 已停用：{reason}"),
    (
        "extensions.bundle_broken.hint",
        "Fetch it again with `reasonix plugin update {name}`, or take it out with `reasonix plugin remove {name}`.",
        "用 `reasonix plugin update {name}` 重新获取，或用 `reasonix plugin remove {name}` 移除",
    ),
    (
        "extensions.bundle_changed",
        "the plugin {name} is off: it is not what you took in",
        "插件 {name} 已停用：内容与你添加时不同",
    ),
    (
        "extensions.bundle_changed.hint",
        "`reasonix plugin update {name}` fetches it again and shows what is different.",
        "`reasonix plugin update {name}` 会重新获取并显示差异",
    ),
    (
        "extensions.bundles_damaged",
        "no plugins are used: {file} cannot be read ({reason})",
        "未使用任何插件：无法读取 {file}（{reason}）",
    ),
    ("extensions.bundles_damaged.hint", "Remove the file and add the plugins anew.", "请删除该文件并重新添加插件"),
    (
        "extensions.fault_leads_out",
        "{part} is a link that leads out of the folder, or nowhere",
        "{part} 是指向文件夹之外或不存在之处的链接",
    ),
    ("extensions.fault_manifest", "{part} cannot be read: {why}", "无法读取 {part}：{why}"),
    (
        "extensions.fault_name",
        "\"{part}\" cannot be the name of a plugin: letters, digits, `-`, `_` and `.` are, and not what is taken",
        "“{part}”不能作为插件名称：只能使用英文字母、数字、`-`、`_` 和 `.`，且不能是已占用的名称",
    ),
    (
        "extensions.fault_none",
        "there is no .claude-plugin/plugin.json, no .codex-plugin/plugin.json and nothing that a plugin carries",
        "其中没有 .claude-plugin/plugin.json、.codex-plugin/plugin.json，也没有插件会携带的内容",
    ),
    ("extensions.fault_special", "{part} is neither a file nor a folder", "{part} 既不是文件也不是文件夹"),
    ("extensions.fault_too_much", "{part}: more than a plugin may have ({why})", "{part}：超过插件的上限（{why}）"),
    ("extensions.fault_unreadable", "{part} cannot be read: {why}", "无法读取 {part}：{why}"),
    (
        "extensions.cut",
        "{path}: {field} is longer than {most} characters; the rest is left out",
        "{path}：{field} 超过 {most} 个字符，其余已省略",
    ),
    (
        "extensions.hidden",
        "{path} is not used: its name or description has characters that cannot be seen",
        "未使用 {path}：名称或描述中含有不可见字符",
    ),
    (
        "extensions.leads_out",
        "{path} is not used: it is a link that leads out of its folder",
        "未使用 {path}：链接指向所在文件夹之外",
    ),
    (
        "extensions.leads_out.hint",
        "name the folder that it leads to in skills.paths, or copy it",
        "请在 skills.paths 中写明其指向的文件夹，或复制一份",
    ),
    (
        "extensions.loose",
        "{path}: its front matter is not valid YAML and was read line by line",
        "{path}：文件头不是有效的 YAML，已逐行读取",
    ),
    ("extensions.loose.hint", "put values with a colon in quotes", "含冒号的值请加引号"),
    (
        "extensions.loosens",
        "{path}: permissionMode {mode} is left out, because it would ask less than your rules do",
        "{path}：已忽略 permissionMode {mode}，因为它会放宽你的规则",
    ),
    (
        "extensions.more_flaws",
        "{count} more files of skills or commands have something wrong",
        "另有 {count} 个技能或命令文件存在问题",
    ),
    (
        "extensions.odd_name",
        "{path}: {name} cannot be a name; the folder's name is used",
        "{path}：{name} 不能作为名称，改用文件夹名",
    ),
    (
        "extensions.only_tightens",
        "{path}: {fields} is left out, because a project's agent can only tighten",
        "{path}：已忽略 {fields}，因为项目的智能体只能收紧权限",
    ),
    (
        "extensions.shadowed",
        "{path} is not used: {used} has the same name, {name}, and comes first",
        "未使用 {path}：{used} 使用了相同名称 {name} 且优先",
    ),
    (
        "extensions.shadowed_more",
        "{path} is not used: {used} has the same name, {name}, and comes first; {count} more are hidden in the same way",
        "未使用 {path}：{used} 使用了相同名称 {name} 且优先；另有 {count} 个同样被遮蔽",
    ),
    (
        "extensions.name_taken",
        "/{name} is a built-in command; this skill is /skill:{name}",
        "/{name} 是内置命令；此技能请用 /skill:{name}",
    ),
    ("extensions.never_holds", "{path} is not used: it does not say when it holds", "未使用 {path}：没有说明何时生效"),
    (
        "extensions.never_holds.hint",
        "put `alwaysApply: true`, `globs:` or a `description:` between two lines ---",
        "请在两行 --- 之间写入 `alwaysApply: true`、`globs:` 或 `description:`",
    ),
    (
        "extensions.bad_condition",
        "{path}: the condition {condition} is not watched for: {reason}",
        "{path}：不监视条件 {condition}：{reason}",
    ),
    (
        "extensions.bad_condition.hint",
        "conditions are regular expressions without look-around and back-references",
        "条件是不含环视和反向引用的正则表达式",
    ),
    (
        "extensions.bad_scope",
        "{path}: {scope} is no text that a rule can watch",
        "{path}：{scope} 不是规则可以监视的文本",
    ),
    (
        "extensions.bad_scope.hint",
        "`text`, `thinking`, `tool:NAME` or `tool:NAME(glob)`",
        "`text`、`thinking`、`tool:名称` 或 `tool:名称(模式)`",
    ),
    (
        "extensions.bad_interrupt",
        "{path}: {word} is no interruptMode; the rule interrupts always",
        "{path}：{word} 不是有效的 interruptMode；该规则总是打断",
    ),
    (
        "extensions.bad_interrupt.hint",
        "`never`, `prose-only`, `tool-only` or `always`",
        "`never`、`prose-only`、`tool-only` 或 `always`",
    ),
    ("extensions.bad_glob", "{path}: {glob} is no pattern for files", "{path}：{glob} 不是有效的文件模式"),
    (
        "extensions.stream_rules_left",
        "these rules watch for more than there is room for, and are not used: {names}",
        "以下规则监视的内容超出上限，未使用：{names}",
    ),
    (
        "extensions.rules_left",
        "there is no room for all rules that always hold; the model reads these only when it looks them up: {names}",
        "放不下全部始终生效的规则；以下规则只有在模型查阅时才会读到：{names}",
    ),
    ("extensions.too_large", "{path} is not used: it has more than {most} bytes", "未使用 {path}：超过 {most} 字节"),
    ("extensions.too_many", "of {path} only the first {most} are used", "{path} 中只使用前 {most} 个"),
    ("extensions.unclosed", "{path} is not used: its front matter has no end", "未使用 {path}：文件头没有结束"),
    ("extensions.unclosed.hint", "end it with a line that is ---", "请以一行 --- 结束文件头"),
    (
        "extensions.undescribed",
        "{path} is not used: nothing in it says what it is for",
        "未使用 {path}：没有说明其用途",
    ),
    ("extensions.undescribed.hint", "give it a description in its front matter", "请在文件头中写明 description"),
    ("extensions.unparsed", "{path} is not used: its front matter cannot be read", "未使用 {path}：无法读取文件头"),
    (
        "extensions.bad_permissions",
        "{path}: `{field}` says nothing about permissions, so nobody can work as this agent",
        "{path}：无法理解权限设置 `{field}`，因此无法使用该智能体",
    ),
    (
        "extensions.bad_permissions.hint",
        "known are mode, allow, ask, deny, fallbacks, external_directory and dangerous, with \"allow\", \"ask\" or \"deny\"",
        "可用 mode、allow、ask、deny、fallbacks、external_directory、dangerous，取值为“allow”、“ask”或“deny”",
    ),
    ("extensions.bad_values", "{path}: {fields} is not understood, and left out", "{path}：无法理解 {fields}，已忽略"),
    ("extensions.unknown_fields", "{path}: nobody knows {fields} here", "{path}：此处没有 {fields} 字段"),
    ("extensions.unknown_skills", "{path}: there is no skill {names}", "{path}：没有名为 {names} 的技能"),
    ("extensions.unknown_tools", "{path}: no tool is called {names}", "{path}：没有名为 {names} 的工具"),
    ("extensions.unused_fields", "{path}: nothing follows from {fields} here", "{path}：此处 {fields} 不起作用"),
    ("extensions.unreadable", "{path} is not used: {reason}", "未使用 {path}：{reason}"),
];
