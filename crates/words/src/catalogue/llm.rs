//! Texts of the `llm` room.

use crate::Entry;

/// Sorted by code.
pub(crate) const ENTRIES: &[Entry] = &[
    (
        "llm.answer_too_long",
        "The answer of {provider} is longer than any real answer; it was cut off.",
        "{provider} 的回答过长，已被截断",
    ),
    (
        "llm.answer_too_long.hint",
        "The server or the model is broken; try again or use another one.",
        "服务或模型可能有问题；请重试或换一个",
    ),
    (
        "llm.bad_header",
        "The header {header} for {provider} cannot be sent: it has characters that no header may have.",
        "发给 {provider} 的请求头 {header} 无法发送：其中含有请求头不允许的字符",
    ),
    (
        "llm.bad_header.hint",
        "Check the key in {env} and the provider's headers for line breaks and other invisible characters.",
        "请检查 {env} 中的密钥和该供应商的请求头是否含有换行等不可见字符",
    ),
    (
        "llm.bad_request",
        "{provider} refused the request (HTTP {status}): {message}",
        "{provider} 拒绝了请求（HTTP {status}）：{message}",
    ),
    (
        "llm.bad_request.hint",
        "Check the provider's settings, such as extra_body and max_tokens, against what {model} supports.",
        "请对照 {model} 支持的内容检查该供应商的设置，例如 extra_body 和 max_tokens",
    ),
    ("llm.bad_url", "The address of {provider} is not valid: {url}", "{provider} 的地址无效：{url}"),
    (
        "llm.bad_url.hint",
        "Set base_url to something like http://127.0.0.1:8080/v1.",
        "请把 base_url 设为类似 http://127.0.0.1:8080/v1 的地址",
    ),
    (
        "llm.balance_empty",
        "The account at {provider} has no balance left: {message}",
        "{provider} 账户余额不足：{message}",
    ),
    (
        "llm.balance_empty.hint",
        "Top up the account, or switch to another model with --model.",
        "请为账户充值，或用 --model 换一个模型",
    ),
    ("llm.certificate", "The certificate of {url} is not trusted: {reason}", "{url} 的证书不受信任：{reason}"),
    (
        "llm.certificate.hint",
        "If it is signed by your own authority, name its PEM file in ca_file or in SSL_CERT_FILE.",
        "如果证书由你自己的机构签发，请在 ca_file 或 SSL_CERT_FILE 中指定其 PEM 文件",
    ),
    (
        "llm.context_too_long",
        "The conversation is longer than {model} can take: {message}",
        "对话超出了 {model} 的上下文长度：{message}",
    ),
    (
        "llm.context_too_long.hint",
        "Set context_window to what the endpoint really serves, start a new session, or use a model with a larger window.",
        "请把 context_window 设为服务端实际支持的长度，或开始新会话，或使用上下文更长的模型",
    ),
    (
        "llm.forbidden",
        "{provider} does not allow this key to use {model}: {message}",
        "{provider} 不允许此密钥使用 {model}：{message}",
    ),
    (
        "llm.forbidden.hint",
        "Check what the key in {env} may do, and whether the endpoint serves your region.",
        "请检查 {env} 中密钥的权限，以及该服务是否面向你所在的地区",
    ),
    ("llm.html", "{url} answered with a web page.", "{url} 返回的是网页"),
    (
        "llm.html.hint",
        "base_url is probably wrong: most servers want it to end in /v1.",
        "base_url 可能有误：多数服务要求以 /v1 结尾",
    ),
    ("llm.idle", "Nothing came from {provider} for {seconds} seconds.", "{provider} 已有 {seconds} 秒没有响应"),
    (
        "llm.idle.hint",
        "Try again. If the model is only slow, raise the provider's timeouts.",
        "请重试。如果只是模型较慢，请调大该供应商的超时设置。",
    ),
    ("llm.key_missing", "{provider} wants a key and there is none.", "{provider} 需要密钥，但没有配置"),
    (
        "llm.key_missing.hint",
        "Set the environment variable {env}, or run `reasonix setup`.",
        "请设置环境变量 {env}，或运行 `reasonix setup`",
    ),
    ("llm.key_rejected", "{provider} did not accept the key: {message}", "{provider} 不接受此密钥：{message}"),
    (
        "llm.key_rejected.hint",
        "Check the key in {env}, or run `reasonix setup`.",
        "请检查 {env} 中的密钥，或运行 `reasonix setup`",
    ),
    (
        "llm.key_unnamed",
        "{provider} needs a key, and the settings do not name a variable for it.",
        "{provider} 需要密钥，但设置中没有指定存放密钥的环境变量",
    ),
    (
        "llm.key_unnamed.hint",
        "Give this provider `api_key_env = \"NAME\"` and set that variable, or run `reasonix setup`.",
        "请为该供应商设置 `api_key_env = \"变量名\"` 并设置该环境变量，或运行 `reasonix setup`",
    ),
    (
        "llm.model_unknown",
        "{provider} does not know the model {model}: {message}",
        "{provider} 没有模型 {model}：{message}",
    ),
    (
        "llm.model_unknown.hint",
        "`reasonix models` lists what the endpoint has.",
        "`reasonix models` 可列出该服务提供的模型",
    ),
    ("llm.no_name", "{host} cannot be found: there is no address for this name.", "找不到 {host}：该域名无法解析"),
    (
        "llm.no_name.hint",
        "Check that this machine is online, and base_url for a mistake; behind a proxy, set HTTPS_PROXY.",
        "请检查本机是否联网、base_url 是否写错；若需经过代理，请设置 HTTPS_PROXY",
    ),
    (
        "llm.no_route",
        "There is nothing at {url} (HTTP {status}): {message}",
        "{url} 不存在（HTTP {status}）：{message}",
    ),
    (
        "llm.no_route.hint",
        "base_url is probably wrong: most servers want it to end in /v1.",
        "base_url 可能有误：多数服务要求以 /v1 结尾",
    ),
    (
        "llm.no_tools",
        "{model} cannot be given tools at {provider} (HTTP {status}): {message}",
        "{provider} 的 {model} 不支持工具（HTTP {status}）：{message}",
    ),
    (
        "llm.no_tools.hint",
        "`reasonix probe` finds out how it can be driven; tool_calls = \"text\" puts the tools into words.",
        "`reasonix probe` 可查明驱动方式；设置 tool_calls = \"text\" 可用文字描述工具",
    ),
    (
        "llm.not_json",
        "{url} answered with something that is not the chat protocol: {message}",
        "{url} 的响应不符合对话协议：{message}",
    ),
    (
        "llm.not_json.hint",
        "Check that base_url belongs to an OpenAI-compatible server.",
        "请确认 base_url 指向兼容 OpenAI 的服务",
    ),
    (
        "llm.garbled",
        "The answer of {provider} broke off: one of its events cannot be read: {message}",
        "{provider} 的回答中断：其中一个事件无法读取：{message}",
    ),
    ("llm.garbled.hint", "What had arrived is kept. Ask it to go on.", "已收到的内容都已保留。可以让它继续。"),
    (
        "llm.paused",
        "the endpoint paused the answer while it worked with its own tools",
        "服务在使用自带工具时暂停了回答",
    ),
    ("llm.paused.hint", "say `go on`", "可以说“继续”"),
    ("llm.window_full", "the answer was cut off: the window of the model is full", "回答被截断：模型的上下文窗口已满"),
    (
        "llm.window_full.hint",
        "/compact makes room, or take a model with a larger window",
        "用 /compact 腾出空间，或换用窗口更大的模型",
    ),
    (
        "llm.tool_use_failed",
        "{provider} could not read the call that its model wrote: {message}",
        "{provider} 无法读取其模型写出的调用：{message}",
    ),
    (
        "llm.tool_use_failed.hint",
        "Try again or use another model; `tool_calls = \"text\"` for this provider puts calls into words, which are read here.",
        "请重试或换一个模型；为此服务设置 `tool_calls = \"text\"` 可将调用写成文字，由本程序读取",
    ),
    (
        "llm.rate_limited",
        "{provider} says that there are too many requests: {message}",
        "{provider} 表示请求过于频繁：{message}",
    ),
    (
        "llm.rate_limited.hint",
        "Wait a little and try again; what was done so far is kept.",
        "请稍候重试；已完成的内容都已保留",
    ),
    (
        "llm.redirect",
        "{url} points to another address (HTTP {status}): {target}",
        "{url} 指向了另一个地址（HTTP {status}）：{target}",
    ),
    (
        "llm.redirect.hint",
        "It was not followed, so that the key stays where you sent it. If you trust the target, set base_url to it.",
        "为避免密钥外泄，没有跟随跳转。如果信任该地址，请把 base_url 改为它。",
    ),
    (
        "llm.script_expected",
        "The script expected \"{expected}\" at step {step} and found: {found}",
        "脚本第 {step} 步期望出现“{expected}”，实际是：{found}",
    ),
    (
        "llm.script_expected.hint",
        "Change the script's `expect`, or find out why the run went another way.",
        "请修改脚本的 `expect`，或查明运行过程为何不同",
    ),
    (
        "llm.script_failed",
        "The script failed at step {step}, as it says: {message}",
        "脚本在第 {step} 步按其内容失败：{message}",
    ),
    (
        "llm.script_over",
        "The script is over: it has {steps} {steps|step|steps} and one more was wanted.",
        "脚本已结束：共 {steps} 步，但还需要下一步",
    ),
    ("llm.script_over.hint", "Add a step to the script, or ask for less.", "请在脚本中增加一步，或减少请求"),
    ("llm.server", "{provider} failed (HTTP {status}): {message}", "{provider} 出错（HTTP {status}）：{message}"),
    (
        "llm.server.hint",
        "Try again later; what was done so far is kept. A local server's own log says more.",
        "请稍后重试；已完成的内容都已保留。本地服务的日志中有更多信息。",
    ),
    ("llm.stream_broken", "The answer of {provider} broke off: {reason}", "{provider} 的回答中断：{reason}"),
    ("llm.stream_broken.hint", "What had arrived is kept. Ask it to go on.", "已收到的内容都已保留。可以让它继续。"),
    (
        "llm.too_many_calls",
        "{model} made more than {most} tool calls at once; none of them was run.",
        "{model} 一次发起了超过 {most} 个工具调用，均未执行",
    ),
    ("llm.too_many_calls.hint", "Try again or use another model.", "请重试或换一个模型"),
    ("llm.unreachable", "Nobody answers at {url}: {reason}", "无法连接 {url}：{reason}"),
    (
        "llm.unreachable.hint",
        "Check that the server runs and that base_url is right.",
        "请确认服务已启动且 base_url 正确",
    ),
    ("llm.unreachable_hosted", "{host} cannot be reached: {reason}", "无法连接 {host}：{reason}"),
    (
        "llm.unreachable_hosted.hint",
        "Check that this machine is online; behind a proxy, set HTTPS_PROXY. The service may also be down: try again later.",
        "请检查本机是否联网；若需经过代理，请设置 HTTPS_PROXY。也可能是该服务暂时不可用，请稍后再试。",
    ),
    (
        "llm.unreachable_proxy",
        "{url} could not be reached through the proxy {proxy}: {reason}",
        "无法通过代理 {proxy} 连接 {url}：{reason}",
    ),
    (
        "llm.unreachable_proxy.hint",
        "Check the proxy, or name the host in NO_PROXY to reach it directly.",
        "请检查代理，或在 NO_PROXY 中列出该主机以直接连接",
    ),
    (
        "llm.unsignable",
        "Requests to {provider} are to be signed, and what is there is no key of AWS.",
        "发给 {provider} 的请求需要签名，但现有的内容不是 AWS 密钥",
    ),
    (
        "llm.unsignable.hint",
        "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or `api_key_command = [\"aws\", \"configure\", \"export-credentials\"]`.",
        "请设置 AWS_ACCESS_KEY_ID 和 AWS_SECRET_ACCESS_KEY，或设置 `api_key_command = [\"aws\", \"configure\", \"export-credentials\"]`",
    ),
    (
        "llm.wait_too_long",
        "{provider} wants no other request for {wait}, which is too long to wait for: {message}",
        "{provider} 要求等待 {wait} 后再请求，时间过长，不再等待：{message}",
    ),
    (
        "llm.wait_too_long.hint",
        "Try again then, or use another model with --model.",
        "请届时再试，或用 --model 换一个模型",
    ),
    ("llm.why_offline", "there is no network connection to it", "网络不通"),
    ("llm.why_refused", "connection refused", "连接被拒绝"),
    ("llm.why_reset", "the connection was broken off", "连接被中断"),
    ("llm.why_slow", "it took too long to answer", "响应超时"),
];
