//! Texts of `bench`: what is measured, what came of it, and what follows for sessions.

use crate::Entry;

/// Sorted by code.
#[rustfmt::skip]
pub(crate) const ENTRIES: &[Entry] = &[
    ("bench.all", "all", "合计"),
    ("bench.auto_chosen", "edits: {format}, which {model} got right {right} of {of} times ({other}: {other_right} of {other_of})", "编辑格式：{format}，{model} 在 {of} 次中做对 {right} 次（{other}：{other_of} 次中 {other_right} 次）"),
    ("bench.auto_equal", "edits: every edit tool is offered; {model} gets no format surely better than another", "编辑格式：提供全部编辑工具；{model} 的各种格式没有明确的优劣"),
    ("bench.auto_few", "edits: every edit tool is offered; too little was measured of {model}: it takes {least} trials each of two formats, {most} of one is the most there is", "编辑格式：提供全部编辑工具；{model} 的测量还太少：至少需要两种格式各 {least} 次，目前单一格式最多 {most} 次"),
    ("bench.auto_untried", "edits: every edit tool is offered; nothing was measured of {model} (reasonix bench edit)", "编辑格式：提供全部编辑工具；尚未测量 {model}（reasonix bench edit）"),
    ("bench.begins", "{model}: {count} {count|request|requests}, one after the other ({done} done before); about {input} tokens in and {output} out, reasoning aside. Ctrl-C stops and keeps what was done.", "{model}：依次发送 {count} 个请求（此前已完成 {done} 个）；约 {input} 个输入 token、{output} 个输出 token（不含推理）。Ctrl-C 停止并保留已完成的部分。"),
    ("bench.costs", "at its prices about {cost}", "按其价格约 {cost}"),
    ("bench.damaged", "{count} {count|line|lines} of {path} cannot be read: left out", "{path} 中有 {count} 行无法读取，已略过"),
    ("bench.damaged.hint", "what they held is tried again by the next run", "其内容会在下次运行时重新测量"),
    ("bench.error", "endpoint failed", "服务失败"),
    ("bench.format_set", "edits: {format}, as tools.edit says", "编辑格式：{format}，由 tools.edit 指定"),
    ("bench.minutes_left", "about {count} min left", "大约还需 {count} 分钟"),
    ("bench.no_call", "no change in this format", "没有以此格式给出修改"),
    ("bench.no_match", "did not match the file", "与文件不符"),
    ("bench.not_parsed", "could not be read", "无法解析"),
    ("bench.nothing_left", "everything was tried already with {model}; --restart tries it again, --seed makes other cases", "{model} 的全部测量均已完成；--restart 重新测量，--seed 生成其他用例"),
    ("bench.one_request", "one answer is all that is wanted", "只需要一个回答"),
    ("bench.other_file", "another file", "改了别的文件"),
    ("bench.output", "tokens out", "输出 token"),
    ("bench.progress", "{done} of {total}, {right} right", "{total} 个中的第 {done} 个，{right} 个正确"),
    ("bench.seconds_left", "about {count} s left", "大约还需 {count} 秒"),
    ("bench.stopped", "stopped; what was done is kept", "已停止；已完成的部分已保留"),
    ("bench.stopped.hint", "the same command goes on where it stopped", "再次运行同一命令即可从停止处继续"),
    ("bench.table", "{model}: changes that came out right", "{model}：改对的次数"),
    ("bench.time", "seconds", "秒"),
    ("bench.timed_out", "took too long", "超时"),
    ("bench.tools_chosen", "edits: with the tools that tools.enabled names", "编辑格式：使用 tools.enabled 指定的工具"),
    ("bench.unknown", "{name} is not known; there are: {known}", "未知的名称 {name}；可用：{known}"),
    ("bench.unknown_why", "for another reason", "其他原因"),
    ("bench.unreadable", "edits: every edit tool is offered; what was measured cannot be read: {reason}", "编辑格式：提供全部编辑工具；无法读取测量结果：{reason}"),
    ("bench.wrong", "{format} wrong: {why}", "{format} 出错：{why}"),
    ("bench.wrong_result", "wrong result", "结果不对"),
];
