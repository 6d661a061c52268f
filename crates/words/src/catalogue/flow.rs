//! Texts about goals.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[
    (
        "flow.goal_blocked",
        "the goal waits: the same stopped it three times: {reason}",
        "目标已暂停：同一问题连续三次受阻：{reason}",
    ),
    (
        "flow.goal_blocked.hint",
        "put it right, then /goal resume, or `reasonix run --continue --goal`",
        "解决后用 /goal resume 继续，或运行 `reasonix run --continue --goal`",
    ),
    ("flow.goal_budget", "the goal waits: its budget is used up", "目标已暂停：预算已用完"),
    (
        "flow.goal_budget.hint",
        "/goal resume, or `reasonix run --continue --goal`, goes on with the whole budget again",
        "/goal resume 或 `reasonix run --continue --goal` 会以完整预算继续",
    ),
    ("flow.goal_cleared", "there is no goal any more", "目标已清除"),
    ("flow.goal_edit_which", "the goal is to be what?", "目标要改成什么？"),
    ("flow.goal_edit_which.hint", "/goal edit NEW WORDS", "/goal edit 新的内容"),
    ("flow.goal_edited", "the goal has other words now", "目标内容已修改"),
    ("flow.goal_empty", "a goal needs words that say what is to be reached", "目标需要说明要达成什么"),
    (
        "flow.goal_empty.hint",
        "/goal OBJECTIVE, or `reasonix run --goal \"OBJECTIVE\"`",
        "/goal 目标内容，或 `reasonix run --goal \"目标内容\"`",
    ),
    (
        "flow.goal_goes_on",
        "the goal goes on: {turns} of at most {most} turns",
        "目标继续：第 {turns} 轮已结束，最多 {most} 轮",
    ),
    (
        "flow.goal_impossible",
        "the goal waits: the model says that it cannot go on: {reason}",
        "目标已暂停：模型表示无法继续：{reason}",
    ),
    (
        "flow.goal_impossible.hint",
        "do what only you can do, or /goal edit it; then /goal resume",
        "处理只有您能做的事，或用 /goal edit 修改；然后 /goal resume",
    ),
    ("flow.goal_later", "the goal begins when this turn is over", "本轮结束后开始目标"),
    ("flow.goal_not_begun", "a turn of the goal did not begin", "目标的一轮未能开始"),
    ("flow.goal_not_begun.hint", "/goal resume tries it again", "/goal resume 可重试"),
    (
        "flow.goal_not_proved",
        "the goal is said to be done, and the log does not prove it ({turns} of at most {most} turns): {missing}",
        "模型称目标已完成，但日志未能证实（第 {turns} 轮，最多 {most} 轮）：{missing}",
    ),
    ("flow.goal_over", "the goal is reached", "目标已达成"),
    ("flow.goal_over.hint", "/goal OBJECTIVE sets another one", "/goal 目标内容 可设置新目标"),
    ("flow.goal_paused", "the goal waits", "目标已暂停"),
    (
        "flow.goal_paused.hint",
        "/goal resume, or `reasonix run --continue --goal`, goes on",
        "用 /goal resume 或 `reasonix run --continue --goal` 继续",
    ),
    ("flow.goal_provider", "the goal waits: the endpoint failed", "目标已暂停：服务出错"),
    (
        "flow.goal_provider.hint",
        "when it answers again: /goal resume, or `reasonix run --continue --goal`",
        "服务恢复后：/goal resume 或 `reasonix run --continue --goal`",
    ),
    (
        "flow.goal_reached",
        "the goal is reached, and the log proves it; turns: {turns}",
        "目标已达成，日志已证实；轮数：{turns}",
    ),
    (
        "flow.goal_research",
        "the goal is worked on as research; its course is kept in {folder}",
        "目标按研究方式进行；过程保存在 {folder}",
    ),
    ("flow.goal_research.hint", "/goal --simple OBJECTIVE does without", "/goal --simple 目标内容 则不用研究方式"),
    ("flow.goal_restarted", "the goal waits: its process had ended", "目标已暂停：上次进程已结束"),
    (
        "flow.goal_restarted.hint",
        "Alt+G, /goal resume, or `reasonix run --continue --goal` goes on; /goal clear gives it up",
        "用 Alt+G、/goal resume 或 `reasonix run --continue --goal` 继续；/goal clear 放弃",
    ),
    ("flow.goal_resumed", "the goal goes on, and counts from the beginning", "目标继续，计数重新开始"),
    (
        "flow.goal_seconds",
        "the goal's time is used up: {spent} of {allowed} s",
        "目标的时间已用完：{spent} / {allowed} 秒",
    ),
    (
        "flow.goal_seconds.hint",
        "goal.max_seconds sets it; /goal resume goes on with all of it again",
        "由 goal.max_seconds 设置；/goal resume 会重新计时并继续",
    ),
    ("flow.goal_set", "the goal is set; Esc or /goal pause lets it wait", "目标已设置；按 Esc 或 /goal pause 可暂停"),
    (
        "flow.goal_tokens",
        "the goal's tokens are used up: {spent} of {allowed}",
        "目标的 token 已用完：{spent} / {allowed}",
    ),
    (
        "flow.goal_tokens.hint",
        "goal.max_tokens sets it; /goal resume goes on with all of it again",
        "由 goal.max_tokens 设置；/goal resume 会重新计数并继续",
    ),
    ("flow.goal_turns", "the goal waits: it took as many turns as it may", "目标已暂停：已达到轮数上限"),
    (
        "flow.goal_turns.hint",
        "goal.max_turns sets how many; /goal resume goes on with all of them again",
        "上限由 goal.max_turns 设置；/goal resume 会重新计数并继续",
    ),
    (
        "flow.goal_unproved",
        "the goal waits: it was said to be done three times, and the log does not prove it: {missing}",
        "目标已暂停：三次声称完成，日志都未能证实：{missing}",
    ),
    (
        "flow.goal_unproved.hint",
        "look at it yourself; /goal resume goes on, /goal clear gives it up",
        "请自行检查；/goal resume 继续，/goal clear 放弃",
    ),
    ("flow.goal_waits", "a goal waits here: {objective}", "此会话有暂停的目标：{objective}"),
    (
        "flow.goal_waits.hint",
        "Alt+G, /goal resume, or `reasonix run --continue --goal` goes on; /goal clear gives it up",
        "用 Alt+G、/goal resume 或 `reasonix run --continue --goal` 继续；/goal clear 放弃",
    ),
    ("flow.no_goal", "there is no goal", "没有目标"),
    ("flow.no_goal.hint", "/goal OBJECTIVE sets one", "/goal 目标内容 可设置目标"),
    (
        "flow.research_unkept",
        "cannot keep the course of research in {path}: {reason}",
        "无法将研究过程保存到 {path}：{reason}",
    ),
    ("flow.research_unkept.hint", "the goal goes on without it", "目标会继续，但不保存过程"),
    ("flow.shown_active", "goes on", "进行中"),
    ("flow.shown_done", "reached", "已达成"),
    ("flow.shown_goal", "goal", "目标"),
    ("flow.shown_paused", "waits", "已暂停"),
    ("flow.shown_research", "research", "研究"),
    ("flow.shown_spent", "spent", "已用"),
    ("flow.shown_standing", "standing", "状态"),
    ("flow.status", "goal {turns}", "目标 {turns}"),
    ("flow.status_done", "goal reached", "目标已达成"),
    ("flow.status_paused", "goal waits", "目标已暂停"),
];
