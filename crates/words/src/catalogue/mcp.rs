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
    ("mcp.told", "the MCP server {server} answered with error {code}: {reason}", "MCP 服务器 {server} 返回错误 {code}：{reason}"),
    ("mcp.unreadable", "the answer of the MCP server {server} cannot be read: {reason}", "无法读取 MCP 服务器 {server} 的应答：{reason}"),
];
