//! The settings that people change most: what each is, and what came of a change.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[
    (
        "engine.setting_cleared",
        "{key} is out of your settings file; what is built in holds",
        "{key} 已从设置文件中移除，恢复内置值",
    ),
    ("engine.setting_fixed", "{key} cannot be changed from here", "{key} 不能在这里修改"),
    (
        "engine.setting_fixed.hint",
        "what guards you is changed with `reasonix config set {key} VALUE`; `reasonix docs config` says more",
        "与安全有关的设置请用 `reasonix config set {key} 值` 修改；详见 `reasonix docs config`",
    ),
    (
        "engine.setting_outweighed",
        "{key} is saved in your settings file, but here {origin} outweighs it",
        "{key} 已写入设置文件，但此处 {origin} 优先",
    ),
    (
        "engine.setting_outweighed.hint",
        "it holds where nothing else says otherwise",
        "在没有其他来源覆盖的地方才会生效",
    ),
    ("engine.setting_saved", "{key} is now {value}", "{key} 已改为 {value}"),
    ("engine.setting_saved_later", "{key} is {value} from the next session on", "{key} 从下一个会话起为 {value}"),
    ("engine.setting_saved_restart", "{key} is {value} from the next start on", "{key} 从下次启动起为 {value}"),
    ("engine.setting_value", "{key} does not take {value}", "{key} 不接受 {value}"),
    (
        "engine.setting_value.hint",
        "nothing was changed; choose one of the values that are shown",
        "未作更改；请选择列出的值",
    ),
    (
        "setting.ask_timeout",
        "Seconds to wait for your answer to a question of the model; 0 waits for ever.",
        "等待你回答模型提问的秒数；0 表示一直等待。",
    ),
    ("setting.auto_escalate", "A turn may go on to the larger model by itself.", "一轮进行中可以自动改用更大的模型。"),
    ("setting.bash_timeout", "Seconds that a command may take; 0 for no limit.", "命令最长运行秒数；0 表示不限。"),
    (
        "setting.checkpoint",
        "The model may explore from a checkpoint and fold that into a report.",
        "模型可以从检查点出发探索，再把过程收为一份报告。",
    ),
    (
        "setting.compaction_auto",
        "The conversation is folded by itself when the window fills.",
        "上下文将满时自动整理对话。",
    ),
    (
        "setting.compaction_idle",
        "Seconds of quiet after which a long conversation is folded; 0 for never.",
        "空闲多少秒后整理较长的对话；0 表示从不。",
    ),
    ("setting.compaction_prune", "Old output of tools gives way first.", "优先移除旧的工具输出。"),
    (
        "setting.compaction_ratio",
        "How full the window may get before that, from 0 to 1.",
        "整理前上下文可占的比例，0 到 1。",
    ),
    ("setting.default_model", "The model that new sessions begin with.", "新会话使用的模型。"),
    (
        "setting.escalation_model",
        "The larger model that /pro and hard turns go on to.",
        "/pro 和较难的轮次改用的更大的模型。",
    ),
    (
        "setting.full_screen",
        "The whole screen, in place of the terminal's own scrollback.",
        "使用整个屏幕，而非终端自身的滚动历史。",
    ),
    ("setting.history", "The model may look things up in earlier sessions.", "模型可以在以往会话中查找。"),
    ("setting.language", "The language of what you read.", "界面语言。"),
    ("setting.logs", "What is logged; never what was said, read or written.", "日志级别；从不记录对话和文件内容。"),
    ("setting.max_cost", "Money that a run may spend; 0 for no limit.", "一次运行可花费的金额；0 表示不限。"),
    (
        "setting.max_seconds",
        "Seconds that the turns of a run may take together; 0 for no limit.",
        "一次运行各轮合计的秒数；0 表示不限。",
    ),
    ("setting.max_steps", "Steps that a turn may take; 0 for no limit.", "每轮最多的步数；0 表示不限。"),
    (
        "setting.max_tokens",
        "Tokens that a run may take, in and out; 0 for no limit.",
        "一次运行可用的 token 数（输入加输出）；0 表示不限。",
    ),
    ("setting.memory", "The model may remember things, with your word for each.", "模型可以记忆，每条都需你同意。"),
    (
        "setting.mouse",
        "The wheel scrolls in the whole screen; selecting text then needs Shift.",
        "全屏时滚轮滚动；选择文本需按 Shift。",
    ),
    ("setting.network", "Commands share the machine's network, unfiltered.", "命令不受限制地使用本机网络。"),
    (
        "setting.notify",
        "How you are told, while you look elsewhere, that it asks or is done.",
        "你不在终端时，如何通知你有提问或已完成。",
    ),
    (
        "setting.permissions",
        "What happens to a change that no rule covers: allow, ask or deny.",
        "没有规则覆盖的更改如何处理：allow、ask 或 deny。",
    ),
    (
        "setting.planner_model",
        "A second model that looks around and plans each turn.",
        "每一轮先由它查看并制定计划的第二个模型。",
    ),
    (
        "setting.sandbox",
        "How commands are boxed: off, best-effort or enforce.",
        "命令的沙箱：off、best-effort 或 enforce。",
    ),
    ("setting.words", "{explained}", "{explained}"),
    ("setting.vim", "Keys as in vi in the place to write.", "输入框使用 vi 风格的按键。"),
    (
        "setting.screen_reader",
        "Lines only, and nothing that moves: for screen readers.",
        "只输出文本行，适合读屏软件。",
    ),
    ("setting.status", "The pieces of the status line, in order.", "状态栏显示的内容及顺序。"),
    ("setting.theme", "The colours; auto follows the terminal's background.", "配色；auto 跟随终端背景。"),
    ("setting.turn_timeout", "Seconds that a turn may take; 0 for no limit.", "每轮最长秒数；0 表示不限。"),
    (
        "setting.undo",
        "What files were before a turn is kept, so that it can be taken back.",
        "保留每轮之前的文件状态，以便撤销。",
    ),
    ("setting.undo_room", "How much of that is kept, in MiB.", "为撤销保留的空间（MiB）。"),
];
