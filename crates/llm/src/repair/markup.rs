//! Calls in the markup of model families: tags, special tokens and their habits. Each dialect is a line of data where it
//! can be; the rest is a small parser a family.

use super::arguments::object_in;
use super::gemma;
use super::lexicon::Lexicon;
use super::objects::{self, Found, MOST, Proof};
use super::python;
use reasonix_proto::Fix;
use serde_json::{Map, Value};

/// A piece of text that is calls and nothing else.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    pub(crate) calls: Vec<Found>,
    /// Its length in bytes.
    pub(crate) length: usize,
    /// The dialect, for the report.
    pub(crate) dialect: &'static str,
}

/// Arguments, what was put right in them, and their length in bytes.
type Arguments = (Map<String, Value>, Vec<(Fix, String)>, usize);

/// How deep marks may nest.
const DEPTH: usize = 3;
/// The most arguments of one call; no tool has as many.
const MOST_ARGUMENTS: usize = 64;

/// An opening and a closing mark, and the dialect.
pub(crate) type Marks = (&'static str, &'static str, &'static str);

/// Tags: they stand at the beginning of a line, or behind a sentence.
pub(crate) const TAGS: [Marks; 19] = [
    ("<tool_call>", "</tool_call>", "hermes"),
    ("<tool_calls>", "</tool_calls>", "jamba"),
    ("<tools>", "</tools>", "qwen"),
    ("<TOOLCALL>", "</TOOLCALL>", "nemotron"),
    ("<function_call>", "</function_call>", "function_call"),
    ("<function_calls>", "</function_calls>", "function_calls"),
    ("<tool_code>", "</tool_code>", "gemma"),
    ("<tool_use>", "</tool_use>", "tool_use"),
    ("<seed:tool_call>", "</seed:tool_call>", "seed"),
    ("<minimax:tool_call>", "</minimax:tool_call>", "minimax"),
    ("<longcat_tool_call>", "</longcat_tool_call>", "longcat"),
    ("<steptml:tool_call>", "</steptml:tool_call>", "step"),
    ("functools", "", "phi"),
    ("<toolcall>", "</toolcall>", "hermes"),
    ("<xlam_tool_call>", "</xlam_tool_call>", "xlam"),
    ("<dots_function_call>", "</dots_function_call>", "dots"),
    ("<atem:function_calls>", "</atem:function_calls>", "muse"),
    ("<tool_calls:opensource>", "</tool_calls:opensource>", "hunyuan"),
    ("<tool_call:opensource>", "</tool_call:opensource>", "hunyuan"),
];

/// Special tokens: no person writes them, so they may stand anywhere outside of code.
pub(crate) const TOKENS: [Marks; 18] = [
    ("[TOOL_CALLS]", "", "mistral"),
    ("<|python_tag|>", "<|eom_id|>", "llama"),
    ("<|python_start|>", "<|python_end|>", "llama"),
    ("<|tool_call|>", "<|/tool_call|>", "granite"),
    ("<|tool_call>", "<tool_call|>", "gemma"),
    ("<start_function_call>", "<end_function_call>", "gemma"),
    ("<|tool_call_start|>", "<|tool_call_end|>", "lfm"),
    ("<|START_ACTION|>", "<|END_ACTION|>", "command"),
    ("<|tools_prefix|>", "<|tools_suffix|>", "apertus"),
    ("<|action_start|><|plugin|>", "<|action_end|>", "internlm"),
    ("<｜DSML｜function_calls>", "</｜DSML｜function_calls>", "deepseek"),
    ("<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", "deepseek"),
    ("<|DSML|function_calls>", "</|DSML|function_calls>", "deepseek"),
    ("<|function_call|>", "", "gigachat"),
    ("<|message_sep|>function call<|role_sep|>", "", "gigachat"),
    ("<|open|>tools<|sep|>", "<|close|>tools<|sep|>", "kimi"),
    (MINIMAX_OPEN, MINIMAX_CLOSE, "minimax"),
    (RECIPIENT, "", "functionary"),
];

/// What Functionary writes before the one that a part of its answer is for.
pub(crate) const RECIPIENT: &str = ">>>";

/// What Functionary writes before words that are for everybody.
pub(crate) const TO_ALL: &str = ">>>all\n";

/// What the protocol of gpt-oss has before a tool's name; at the beginning of an answer, where the rest of the header is a part of
/// the prompt.
pub(crate) const ADDRESSED: &str = "to=";

/// What Hunyuan writes behind the name of each of its tokens, and those of a call.
const SUFFIX: &str = ":opensource>";
const SUFFIXED: [&str; 5] = ["tool_calls", "tool_call", "tool_sep", "arg_key", "arg_value"];

/// What MiniMax M3 writes before each of its tags, and the tags around its calls.
const MINIMAX: &str = "]<]minimax[>[";
const MINIMAX_OPEN: &str = "]<]minimax[>[<tool_call>";
const MINIMAX_CLOSE: &str = "]<]minimax[>[</tool_call>";

/// The openings of sections, and of single calls without one, as Kimi and DeepSeek write them.
pub(crate) const SECTIONS: [&str; 7] = [
    "<|tool_calls_section_begin|>",
    "<|tool_call_section_begin|>",
    "<|tool_call_begin|>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "<|tool▁calls▁begin|>",
    "<｜tool_calls_begin｜>",
];

/// The beginnings of a call in the protocol of gpt-oss.
pub(crate) const CHANNELS: [&str; 4] =
    ["<|start|>assistant", "<|channel|>commentary to=", "<|channel|>analysis to=", "<|channel|>commentary"];

/// Reads the block at the beginning of a text.
pub(crate) fn block(text: &str, lexicon: &Lexicon) -> Option<Block> {
    if text.starts_with(MINIMAX_OPEN) {
        return minimax(text, lexicon);
    }
    if TAGS.iter().any(|(open, ..)| open.ends_with(SUFFIX) && text.starts_with(open)) {
        return hunyuan(text, lexicon);
    }
    for (open, close, dialect) in TAGS.iter().chain(&TOKENS) {
        if let Some(rest) = text.strip_prefix(open) {
            let (calls, length) = wrapped(rest, close, lexicon, 0)?;
            return Some(Block { calls, length: open.len() + length, dialect });
        }
    }
    if SECTIONS.iter().any(|open| text.starts_with(open)) {
        return section(text, lexicon);
    }
    if text.starts_with(ADDRESSED) || CHANNELS.iter().any(|open| text.starts_with(open)) {
        return channel(text, lexicon);
    }
    let found =
        [(function(text, lexicon), "qwen-coder"), (invoke(text, lexicon), "invoke"), (named_tag(text, lexicon), "tag")];
    found.into_iter().find_map(|(found, dialect)| {
        let (call, length) = found?;
        Some(Block { calls: vec![call], length, dialect })
    })
}

/// Calls of MiniMax M3: tags as others write them, each behind a mark of its own.
fn minimax(text: &str, lexicon: &Lexicon) -> Option<Block> {
    let length = text.find(MINIMAX_CLOSE).map_or(text.len(), |at| at + MINIMAX_CLOSE.len());
    let plain = text.get(..length)?.replace(MINIMAX, "");
    let (calls, read) = wrapped(plain.strip_prefix("<tool_call>")?, "</tool_call>", lexicon, 0)?;
    let whole = "<tool_call>".len() + read == plain.len();
    whole.then_some(Block { calls, length, dialect: "minimax" })
}

/// Calls of Hunyuan: tags as others write them, each with the same words behind its name.
fn hunyuan(text: &str, lexicon: &Lexicon) -> Option<Block> {
    let (open, close, dialect) = TAGS.iter().find(|(open, ..)| open.ends_with(SUFFIX) && text.starts_with(open))?;
    let length = text.find(close).map_or(text.len(), |at| at + close.len());
    let mut plain = text.get(..length)?.to_owned();
    for name in SUFFIXED {
        plain = plain.replace(&format!("<{name}{SUFFIX}"), &format!("<{name}>"));
        plain = plain.replace(&format!("</{name}{SUFFIX}"), &format!("</{name}>"));
    }
    let plain_close = close.replace(SUFFIX, ">");
    let inner = plain.strip_prefix(open.replace(SUFFIX, ">").as_str())?;
    let (calls, read) = wrapped(inner, &plain_close, lexicon, 0)?;
    (read == inner.len()).then_some(Block { calls, length, dialect })
}

/// The calls between two marks, at most one more than may be taken. The closing one may be missing at the end of the text.
fn wrapped(text: &str, close: &str, lexicon: &Lexicon, depth: usize) -> Option<(Vec<Found>, usize)> {
    let mut calls = Vec::new();
    let mut at = 0;
    loop {
        at += spaces(text, at);
        let rest = text.get(at..)?;
        if rest.is_empty() || calls.len() > MOST {
            break;
        }
        if !close.is_empty() && rest.starts_with(close) {
            at += close.len();
            break;
        }
        let Some((found, length)) = inner(rest, lexicon, depth) else { break };
        calls.extend(found);
        at += length;
    }
    (!calls.is_empty()).then_some((calls, at))
}

fn spaces(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.len() - rest.trim_start().len()
}

/// One or more calls in any of the forms that stand between marks.
fn inner(text: &str, lexicon: &Lexicon, depth: usize) -> Option<(Vec<Found>, usize)> {
    let one = |(call, length): (Found, usize)| (vec![call], length);
    if depth > DEPTH {
        return None;
    }
    if text.starts_with(['{', '[']) {
        let json = objects::calls(text, lexicon, Proof::Marked);
        return json.or_else(|| pythonic(text, lexicon));
    }
    if let Some(body) = text.strip_prefix("```") {
        let line = body.find('\n')? + 1;
        let (found, length) = inner(body.get(line..)?.trim_start(), lexicon, depth + 1)?;
        let at = 3 + line + spaces(body, line) + length;
        let gap = spaces(text, at);
        let fence = if text.get(at + gap..)?.starts_with("```") { gap + 3 } else { 0 };
        return Some((found, at + fence));
    }
    if let Some((open, close, _)) = TAGS.iter().find(|(open, ..)| text.starts_with(open)) {
        let (calls, length) = wrapped(text.get(open.len()..)?, close, lexicon, depth + 1)?;
        return Some((calls, open.len() + length));
    }
    if text.starts_with("<|open|>call ") {
        return xtml(text, lexicon).map(one);
    }
    if text.starts_with('<') {
        let found = function(text, lexicon).or_else(|| invoke(text, lexicon)).or_else(|| fields(text, lexicon));
        return found.or_else(|| named_tag(text, lexicon)).map(one);
    }
    if text.starts_with("call:") {
        return gemma::call(text, lexicon).map(one);
    }
    glm(text, lexicon).or_else(|| name_then_json(text, lexicon)).map(one).or_else(|| pythonic(text, lexicon))
}

fn pythonic(text: &str, lexicon: &Lexicon) -> Option<(Vec<Found>, usize)> {
    let (found, length) = python::calls(text)?;
    let found: Option<Vec<Found>> =
        found.into_iter().map(|(name, args)| Some(made(lexicon.find(&name)?, args))).collect();
    Some((found?, length))
}

fn made(tool: &str, args: Map<String, Value>) -> Found {
    Found { tool: tool.to_owned(), args, fixes: Vec::new() }
}

/// `<function=NAME>` with parameters or JSON in it.
fn function(text: &str, lexicon: &Lexicon) -> Option<(Found, usize)> {
    let rest = text.strip_prefix("<function=")?;
    let (name, _) = rest.split_once('>').filter(|(name, _)| name.len() < 128)?;
    let tool = lexicon.find(name)?;
    let body = "<function=".len() + name.len() + 1;
    let (args, fixes, length) = body_of(text.get(body..)?, "</function>")?;
    Some((Found { tool: tool.to_owned(), args, fixes }, body + length))
}

/// `<invoke name="NAME">` with parameters in it, whatever stands before `invoke`.
fn invoke(text: &str, lexicon: &Lexicon) -> Option<(Found, usize)> {
    let opens =
        ["<invoke", "<｜DSML｜invoke", "<|DSML|invoke", "<steptml:invoke", "<atem:invoke", "<tool", "<function"];
    let open = opens.iter().find(|open| text.starts_with(&format!("{open} name=")))?;
    let (head, _) = text.split_once('>')?;
    let name = attribute(head, "name")?;
    // Some write the name of a tool as that of its only function, too.
    let doubled = name.split_once('.').filter(|(group, name)| group == name).map(|(_, name)| name);
    let tool = lexicon.find(name).or_else(|| lexicon.find(doubled?))?;
    let body = head.len() + 1;
    let close = format!("</{}>", open.trim_start_matches('<'));
    if let Some((args, fixes, length)) = body_of(text.get(body..)?, &close) {
        return Some((Found { tool: tool.to_owned(), args, fixes }, body + length));
    }
    // The arguments are tags themselves.
    let rest = text.get(body..)?;
    rest.match_indices(&close).take(MOST).find_map(|(end, _)| {
        let args = children(rest.get(..end)?).filter(|args| lexicon.fits(tool, args))?;
        Some((made(tool, args), body + end + close.len()))
    })
}

/// A call of Kimi K3: `<|open|>call tool="NAME" index="1"<|sep|>`, arguments that say of what type they are, and an end.
fn xtml(text: &str, lexicon: &Lexicon) -> Option<(Found, usize)> {
    const SEP: &str = "<|sep|>";
    const END: &str = "<|close|>call<|sep|>";
    let (head, _) = text.split_once(SEP).filter(|(head, _)| head.len() < 512)?;
    let tool = lexicon.find(attribute(head, "tool")?)?;
    let mut at = head.len() + SEP.len();
    let mut args = Map::new();
    for _ in 0..MOST_ARGUMENTS {
        at += spaces(text, at);
        let rest = text.get(at..)?;
        if rest.starts_with(END) {
            return Some((made(tool, args), at + END.len()));
        }
        let (head, body) = rest.strip_prefix("<|open|>argument ")?.split_once(SEP)?;
        let (value, behind) = body.split_once("<|close|>argument<|sep|>")?;
        let key = attribute(head, "key")?.replace("&quot;", "\"").replace("&amp;", "&");
        let typed = attribute(head, "type").is_some_and(|kind| kind != "string");
        let json = if typed { serde_json::from_str(value).ok() } else { None };
        args.insert(key, json.unwrap_or_else(|| Value::from(value)));
        at = text.len() - behind.len();
    }
    None
}

fn attribute<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = head.split_once(&format!("{name}="))?;
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest.get(1..)?.split_once(quote).map(|(value, _)| value)
}

/// Parameters up to the closing mark, or to the end of the text; or one JSON object.
fn body_of(text: &str, close: &str) -> Option<Arguments> {
    let mut args = Map::new();
    let mut fixes = Vec::new();
    let mut at = spaces(text, 0);
    if text.get(at..)?.starts_with('{') {
        let read = super::loose::read(text.get(at..)?)?;
        let (map, found) = object_in(text.get(at..at + read.end)?, false).ok()?;
        (args, fixes) = (map, found);
        at += read.end;
    } else {
        for _ in 0..MOST_ARGUMENTS {
            let Some((name, value, length)) = parameter(text.get(at..)?) else { break };
            // A value that holds such marks itself may have ended too early.
            if args.contains_key(&name) {
                fixes.push((Fix::Spoilt, name.clone()));
            }
            args.insert(name, value);
            at += length;
            at += spaces(text, at);
        }
    }
    at += spaces(text, at);
    let rest = text.get(at..)?;
    if rest.starts_with(close) {
        return Some((args, fixes, at + close.len()));
    }
    // Without its closing mark the last parameter may have been cut.
    if rest.is_empty() {
        if !args.is_empty() {
            fixes.push((Fix::Closed, "tags".to_owned()));
        }
        return Some((args, fixes, at));
    }
    // The closing mark of what stands around closes this too.
    (rest.starts_with("</") && !args.is_empty()).then_some((args, fixes, at))
}

/// One parameter: `<parameter=NAME>value</parameter>` or `<parameter name="NAME">value</parameter>`.
fn parameter(text: &str) -> Option<(String, Value, usize)> {
    let opens = [
        "<parameter",
        "<｜DSML｜parameter",
        "<|DSML|parameter",
        "<steptml:parameter",
        "<atem:parameter",
        "<param",
        "<arg",
    ];
    let open = opens.iter().find(|open| {
        text.strip_prefix(**open).is_some_and(|rest| rest.starts_with('=') || rest.starts_with(" name="))
    })?;
    let (head, _) = text.split_once('>')?;
    let name = match head.strip_prefix(open)?.strip_prefix('=') {
        Some(name) => name.trim_matches(['"', '\'', ' ']),
        None => attribute(head, "name")?,
    };
    let start = head.len() + 1;
    let close = format!("</{}>", open.trim_start_matches('<'));
    let (raw, length) = until_close(text.get(start..)?, &close)?;
    let marked = raw.trim().strip_prefix("<![CDATA[").and_then(|raw| raw.strip_suffix("]]>"));
    let is_text = attribute(head, "string") == Some("true") || marked.is_some();
    let raw = marked.unwrap_or(raw);
    Some((name.to_owned(), scalar(raw, is_text), start + length))
}

/// The value before the closing mark that something of the protocol follows; values may hold such marks themselves.
fn until_close<'a>(text: &'a str, close: &str) -> Option<(&'a str, usize)> {
    let mut from = 0;
    let mut last = None;
    while let Some(at) = text.get(from..)?.find(close).map(|at| at + from) {
        let behind = text.get(at + close.len()..)?.trim_start();
        last = Some(at);
        if behind.is_empty() || behind.starts_with('<') {
            break;
        }
        from = at + close.len();
    }
    match last {
        Some(at) => Some((text.get(..at)?, at + close.len())),
        None => {
            // Some models close a parameter with the beginning of the next one.
            let next =
                ["\n<parameter=", "\n</function>", "\n</invoke>"].iter().filter_map(|mark| text.find(mark)).min()?;
            Some((text.get(..next)?, next))
        }
    }
}

/// A value between tags: a line end on both sides belongs to the tags. JSON that is no text is taken as what it is;
/// which of them is meant as a text is told by the schema later.
fn scalar(raw: &str, is_text: bool) -> Value {
    let inner = raw.strip_prefix("\r\n").or_else(|| raw.strip_prefix('\n'));
    let value =
        inner.map_or(raw, |inner| inner.strip_suffix("\r\n").or_else(|| inner.strip_suffix('\n')).unwrap_or(inner));
    if is_text {
        return Value::String(value.to_owned());
    }
    match serde_json::from_str::<Value>(value.trim()) {
        Ok(json @ (Value::Array(_) | Value::Object(_) | Value::Bool(_))) => json,
        Ok(Value::Number(number)) if number.to_string() == value.trim() => Value::Number(number),
        _ => Value::String(value.to_owned()),
    }
}

/// `NAME` and pairs of `<arg_key>` and `<arg_value>`.
fn glm(text: &str, lexicon: &Lexicon) -> Option<(Found, usize)> {
    let length = text.find(['\n', '<'])?;
    let tool = lexicon.find(text.get(..length)?.trim())?;
    let mut args = Map::new();
    let mut at = length + spaces(text, length);
    if text.get(at..)?.starts_with("<tool_sep>") {
        at += "<tool_sep>".len();
        at += spaces(text, at);
    }
    while let Some(rest) = text.get(at..)?.strip_prefix("<arg_key>") {
        let (key, rest) = rest.split_once("</arg_key>")?;
        let rest = rest.trim_start().strip_prefix("<arg_value>")?;
        let start = text.len() - rest.len();
        let (value, length) = until_close(rest, "</arg_value>")?;
        args.insert(key.trim().to_owned(), scalar(value, false));
        at = start + length;
        at += spaces(text, at);
    }
    let empty = args.is_empty() && !text.get(at..)?.starts_with("</");
    (!empty).then(|| (made(tool, args), at))
}

/// `NAME[ARGS]{…}`, `NAME{…}`, `NAME` and JSON on the next line, also in a fence.
fn name_then_json(text: &str, lexicon: &Lexicon) -> Option<(Found, usize)> {
    let length = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')))?;
    let tool = lexicon.find(text.get(..length)?)?;
    let mut at = length;
    let rest = text.get(at..)?;
    if let Some(id) = rest.strip_prefix("[CALL_ID]") {
        at += "[CALL_ID]".len() + id.find(['[', '{'])?;
    }
    if text.get(at..)?.starts_with("[ARGS]") {
        at += "[ARGS]".len();
    }
    at += spaces(text, at);
    let fence = text.get(at..)?.strip_prefix("```").and_then(|body| body.find('\n'));
    if let Some(line) = fence {
        at += 3 + line + 1;
        at += spaces(text, at);
    }
    let (args, fixes, length) = json_args(text.get(at..)?)?;
    at += length;
    if fence.is_some() {
        let gap = spaces(text, at);
        at += if text.get(at + gap..)?.starts_with("```") { gap + 3 } else { 0 };
    }
    Some((Found { tool: tool.to_owned(), args, fixes }, at))
}

/// A tool's name alone in its line and JSON that fits the tool: what Functionary writes first, since the mark before it is a
/// part of its prompt.
pub(crate) fn recipient(text: &str, lexicon: &Lexicon) -> Option<(Found, usize)> {
    let (name, rest) = text.split_once('\n').filter(|(name, _)| name.len() < 64)?;
    let tool = lexicon.find(name)?;
    let (args, fixes, length) = json_args(rest)?;
    lexicon.fits(tool, &args).then(|| (Found { tool: tool.to_owned(), args, fixes }, name.len() + 1 + length))
}

fn json_args(text: &str) -> Option<Arguments> {
    let read = text.starts_with('{').then(|| super::loose::read(text))??;
    let (args, fixes) = object_in(text.get(..read.end)?, false).ok()?;
    Some((args, fixes, read.end))
}

/// `<name>NAME</name>` and `<arguments>…</arguments>`.
fn fields(text: &str, lexicon: &Lexicon) -> Option<(Found, usize)> {
    let (name, mut at) = field(text, &["name", "tool_name", "function_name", "function"])?;
    let tool = lexicon.find(name.trim())?;
    at += spaces(text, at);
    let Some((body, length)) = field(text.get(at..)?, &["arguments", "parameters", "args", "input", "params"]) else {
        return Some((made(tool, Map::new()), at));
    };
    let (args, fixes) =
        if body.trim_start().starts_with('{') { object_in(body, false).ok()? } else { (children(body)?, Vec::new()) };
    Some((Found { tool: tool.to_owned(), args, fixes }, at + length))
}

fn field<'a>(text: &'a str, names: &[&str]) -> Option<(&'a str, usize)> {
    names.iter().find_map(|name| {
        let rest = text.strip_prefix(&format!("<{name}>"))?;
        let close = format!("</{name}>");
        let end = rest.find(&close)?;
        Some((rest.get(..end)?, name.len() + 2 + end + close.len()))
    })
}

/// `<path>a</path><limit>5</limit>` as arguments.
fn children(text: &str) -> Option<Map<String, Value>> {
    let mut args = Map::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, body) = rest.strip_prefix('<')?.split_once('>')?;
        let legal = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        let (value, length) = until_close(body, &format!("</{name}>")).filter(|_| legal)?;
        args.insert(name.to_owned(), scalar(value, false));
        rest = body.get(length..)?.trim_start();
    }
    Some(args)
}

/// `<read_file><path>a</path></read_file>`: the tool is the tag.
fn named_tag(text: &str, lexicon: &Lexicon) -> Option<(Found, usize)> {
    let (name, _) = text.strip_prefix('<')?.split_once('>').filter(|(name, _)| name.len() < 64)?;
    let tool = lexicon.find(name)?;
    let start = name.len() + 2;
    let close = format!("</{name}>");
    let rest = text.get(start..)?;
    // A value may hold the closing tag itself.
    rest.match_indices(&close).take(MOST).find_map(|(end, _)| {
        let args = children(rest.get(..end)?).filter(|args| lexicon.fits(tool, args))?;
        Some((made(tool, args), start + end + close.len()))
    })
}

/// A section of Kimi or DeepSeek.
fn section(text: &str, lexicon: &Lexicon) -> Option<Block> {
    let dialect = if text.starts_with("<｜") || text.contains('▁') { "deepseek" } else { "kimi" };
    let mut calls = Vec::new();
    let mut at = token(text).filter(|(name, _)| is_section_begin(name)).map_or(0, |(_, length)| length);
    loop {
        at += spaces(text, at);
        let rest = text.get(at..)?;
        match token(rest) {
            Some((name, length)) if name == "tool_call_begin" && calls.len() <= MOST => {
                let (call, inner) = section_call(rest.get(length..)?, lexicon)?;
                calls.push(call);
                at += length + inner;
            }
            Some((name, length)) if name.ends_with("_end") => at += length,
            _ => break,
        }
    }
    (!calls.is_empty()).then_some(Block { calls, length: at, dialect })
}

fn is_section_begin(name: &str) -> bool {
    matches!(name, "tool_calls_section_begin" | "tool_call_section_begin" | "tool_calls_begin")
}

/// A special token at the beginning of a text, in one spelling, and its length.
fn token(text: &str) -> Option<(String, usize)> {
    let inner = text.strip_prefix('<')?;
    let bar = inner.chars().next().filter(|c| matches!(c, '|' | '｜'))?;
    let inner = inner.get(bar.len_utf8()..)?;
    let end = inner.find(['|', '｜', '<', '\n'])?;
    let close = inner.get(end..)?.chars().next()?;
    let behind = inner.get(end + close.len_utf8()..)?;
    behind
        .starts_with('>')
        .then(|| (inner.get(..end).unwrap_or_default().replace('▁', "_"), text.len() - behind.len() + 1))
}

/// The inside of one call of a section: `[type SEP] NAME SEP {…} END`, with a fence around the JSON or without.
fn section_call(text: &str, lexicon: &Lexicon) -> Option<(Found, usize)> {
    let mut at = 0;
    let mut words: Vec<&str> = Vec::new();
    loop {
        let rest = text.get(at..)?;
        let next = rest.find(['<', '{', '`']).unwrap_or(rest.len());
        let word = rest.get(..next)?.trim();
        if !word.is_empty() {
            words.push(word);
        }
        at += next;
        match token(text.get(at..)?) {
            Some((name, length)) if matches!(name.as_str(), "tool_sep" | "tool_call_argument_begin") => at += length,
            _ => break,
        }
    }
    if text.get(at..)?.starts_with("<steptml:invoke") {
        let (found, length) = invoke(text.get(at..)?, lexicon)?;
        at += length;
        at += spaces(text, at);
        let end = token(text.get(at..)?).filter(|(name, _)| name == "tool_call_end").map_or(0, |(_, length)| length);
        return Some((found, at + end));
    }
    let tool = lexicon.find(words.last()?.lines().next()?)?;
    if let Some(line) = text.get(at..)?.strip_prefix("```").and_then(|body| body.find('\n')) {
        at += 3 + line + 1;
        at += spaces(text, at);
    }
    let (args, fixes, length) = json_args(text.get(at..)?)?;
    at += length;
    at += spaces(text, at);
    if text.get(at..)?.starts_with("```") {
        at += 3;
        at += spaces(text, at);
    }
    if let Some((name, length)) = token(text.get(at..)?)
        && name == "tool_call_end"
    {
        at += length;
    }
    Some((Found { tool: tool.to_owned(), args, fixes }, at))
}

/// A call in the protocol of gpt-oss: a header that ends with `<|message|>`, JSON, `<|call|>`.
fn channel(text: &str, lexicon: &Lexicon) -> Option<Block> {
    let (head, rest) = text.split_once("<|message|>").filter(|(head, _)| head.len() < 256)?;
    let (_, to) = head.split_once("to=")?;
    if let Some((open, close, dialect)) = TAGS.iter().find(|(.., dialect)| *dialect == "muse")
        && let Some(inner) = rest.trim_start().strip_prefix(open)
    {
        let (calls, length) = wrapped(inner, close, lexicon, 0)?;
        return Some(Block { calls, length: text.len() - inner.len() + length, dialect });
    }
    let name = to.split(|c: char| c.is_whitespace() || c == '<').next()?;
    let tool = lexicon.find(name)?;
    let start = head.len() + "<|message|>".len();
    let gap = spaces(text, start);
    let (args, fixes, length) = json_args(rest.get(gap..)?)?;
    let mut at = start + gap + length;
    for mark in ["<|call|>", "<|end|>"] {
        if text.get(at..)?.starts_with(mark) {
            at += mark.len();
        }
    }
    let calls = vec![Found { tool: tool.to_owned(), args, fixes }];
    Some(Block { calls, length: at, dialect: "harmony" })
}
