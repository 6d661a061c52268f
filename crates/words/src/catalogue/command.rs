//! What `/` commands do, and the parts of the context.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[
    ("command.arg_effort", "effort", "强度"),
    ("command.arg_mode", "mode", "模式"),
    ("command.arg_model", "model", "模型"),
    ("command.arg_session", "session", "会话"),
    ("command.arg_instructions", "what to keep", "要保留的内容"),
    ("command.arg_title", "title", "标题"),
    ("command.arg_turn", "turn", "轮次"),
    ("command.branch", "goes back to a prompt and edits it", "回到某个提示并修改它"),
    ("command.clear", "discards this session and starts a new one", "丢弃当前会话并开始新会话"),
    ("command.compact", "folds the conversation to make room", "整理对话以腾出空间"),
    ("command.config", "the settings and where they come from", "设置及其来源"),
    ("command.context", "what the context consists of", "上下文的组成"),
    ("command.effort", "how hard the model thinks", "模型的思考强度"),
    ("command.fork", "goes on in a copy of this session", "在当前会话的副本中继续"),
    ("command.help", "what can be typed", "可用的输入"),
    ("command.mode", "how much is asked: ask, auto or yolo", "询问的程度：ask、auto 或 yolo"),
    ("command.model", "shows the models, or changes to one", "查看或切换模型"),
    ("command.new", "starts a new session; this one is kept", "开始新会话；当前会话会保留"),
    ("command.permissions", "the permission rules and where they come from", "权限规则及其来源"),
    ("command.quit", "ends", "退出"),
    ("command.rename", "gives the session a title", "为会话命名"),
    ("command.resume", "goes on with another session", "继续另一个会话"),
    ("command.retry", "sends the last prompt again", "重新发送上一个提示"),
    ("command.rewind", "takes turns back", "撤回若干轮"),
    ("command.status", "session, model, tokens and cost", "会话、模型、令牌和费用"),
    ("command.todo", "the todo list", "待办清单"),
    ("command.tree", "shows every branch of the session", "显示会话的所有分支"),
    ("context.answers", "answers and calls", "回答与调用"),
    ("context.prompts", "prompts and notes", "提示与备注"),
    ("context.results", "results of calls", "调用结果"),
    ("context.system", "system prompt with rules", "系统提示及规则"),
    ("context.tools", "tools", "工具"),
];
