//! Texts about MCP servers.

use crate::Entry;

/// Sorted by code.
#[rustfmt::skip]
pub(crate) const ENTRIES: &[Entry] = &[
    ("mcp.aborted", "interrupted", "已中断"),
    ("mcp.changed", "the MCP server {server} says that its tools, prompts or resources changed", "MCP 服务器 {server} 表示其工具、提示或资源已变更"),
    ("mcp.down", "the MCP server {server} is not there: {reason}", "MCP 服务器 {server} 不可用：{reason}"),
    ("mcp.down.hint", "Check its command or its address. It is tried again when it is needed.", "请检查其命令或地址。需要时会再次尝试。"),
    ("mcp.late", "the MCP server {server} did not answer within {seconds} s", "MCP 服务器 {server} 在 {seconds} 秒内没有应答"),
    ("mcp.login", "the MCP server {server} wants a login", "MCP 服务器 {server} 需要登录"),
    ("mcp.missing", "the MCP server {server} has no {what}", "MCP 服务器 {server} 没有 {what}"),
    ("mcp.no_server", "there is no MCP server {server}", "没有名为 {server} 的 MCP 服务器"),
    ("mcp.redefined", "the MCP server {server} changed the definition of {tool} since it was accepted", "自接受以来，MCP 服务器 {server} 更改了 {tool} 的定义"),
    ("mcp.refused", "the MCP server {server} cannot be used: {reason}", "无法使用 MCP 服务器 {server}：{reason}"),
    ("mcp.resting", "the MCP server {server} died too often and is tried again in {seconds} s: {reason}", "MCP 服务器 {server} 退出过于频繁，将在 {seconds} 秒后重试：{reason}"),
    ("mcp.sampling", "the MCP server {server} asked for the answer of a model and did not get it", "MCP 服务器 {server} 请求模型作答，未予提供"),
    ("mcp.server_blocked", "the MCP server {server} cannot be trusted: {reason}", "无法信任 MCP 服务器 {server}：{reason}"),
    ("mcp.server_changed", "the MCP server {server} is not what you trusted before; it stays off", "MCP 服务器 {server} 与之前信任的不同，因此保持关闭"),
    ("mcp.server_changed.hint", "See what changed and decide with `reasonix trust`.", "用 `reasonix trust` 查看变更并决定。"),
    ("mcp.server_off", "the MCP server {server} is switched off", "MCP 服务器 {server} 已关闭"),
    ("mcp.server_off.hint", "Set `enabled = true` in its settings.", "在其设置中写入 `enabled = true`。"),
    ("mcp.server_unset", "the MCP server {server} needs the variable {variable}, which is not set", "MCP 服务器 {server} 需要变量 {variable}，但它没有设置"),
    ("mcp.server_unset.hint", "Set it in the environment, or write a default: `${{variable}:-…}`.", "在环境中设置它，或写一个默认值：`${{variable}:-…}`。"),
    ("mcp.server_untrusted", "the MCP server {server} is the project's, and you did not trust it; it stays off", "MCP 服务器 {server} 属于该项目，您尚未信任它，因此保持关闭"),
    ("mcp.server_untrusted.hint", "See what it is and decide with `reasonix trust`.", "用 `reasonix trust` 查看内容并决定。"),
    ("mcp.told", "the MCP server {server} answered with error {code}: {reason}", "MCP 服务器 {server} 返回错误 {code}：{reason}"),
    ("mcp.unreadable", "the answer of the MCP server {server} cannot be read: {reason}", "无法读取 MCP 服务器 {server} 的应答：{reason}"),
];
