//! Texts about models that take over from one another.

use crate::Entry;

/// Sorted by code.
#[rustfmt::skip]
pub(crate) const ENTRIES: &[Entry] = &[
    ("agent.promoted", "the context is nearly full: {model} goes on, with a larger window (turn {turn})", "上下文将满：由窗口更大的 {model} 继续（第 {turn} 轮）"),
    ("command.arg_on", "on or off", "on 或 off"),
    ("command.pro", "gives the next turn to the larger model", "下一轮交给更大的模型"),
    ("engine.armed", "the next turn goes to {model}", "下一轮将由 {model} 处理"),
    ("engine.disarmed", "the next turn does not go to {model}", "下一轮不再交给 {model}"),
    ("engine.escalated_failures", "{what}: {model} has the rest of this turn", "{what}：本轮余下部分由 {model} 处理"),
    ("engine.escalated_model", "the model asked for a larger one ({reason}): {model} has the rest of this turn", "模型请求更大的模型（{reason}）：本轮余下部分由 {model} 处理"),
    ("engine.escalated_user", "{model} has this turn", "本轮由 {model} 处理"),
    ("engine.no_escalation", "no larger model is set", "未设置更大的模型"),
    ("engine.no_escalation.hint", "name one: agent.escalation_model = \"provider/model\"", "请设置：agent.escalation_model = \"provider/model\""),
    ("engine.plan_model", "plan mode: {model} answers", "计划模式：由 {model} 回答"),
    ("engine.planner_begins", "{model} looks at it first and makes a plan", "{model} 先查看并制定计划"),
    ("engine.planner_failed", "{model} made no plan ({reason}); the prompt goes on without one", "{model} 未能制定计划（{reason}）；将直接处理提示词"),
    ("engine.planner_failed.hint", "check the planner's endpoint, or take agent.planner_model out of the settings", "请检查计划模型的服务，或从设置中去掉 agent.planner_model"),
    ("engine.planner_looks", "planner: {tool} {subject}", "计划：{tool} {subject}"),
    ("engine.role_unknown", "the role {role} names {reference}, which is no configured model; the session's own model does it", "角色 {role} 指定的 {reference} 不是已配置的模型；改由会话自身的模型承担"),
    ("engine.role_unknown.hint", "see what there is with reasonix models, and correct [roles] or the profile", "用 reasonix models 查看可用模型，并修正 [roles] 或模型方案"),
];
