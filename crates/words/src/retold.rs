//! Failures of tools, told to people in their language. The model reads them in English, and so they stand in the log; what
//! is shown is the same sentence again. A sentence that is not known here is shown as it is.

use crate::Lang;
use std::borrow::Cow;

/// A sentence as tools say it, and what people read. `{name}` stands for what differs.
type Sentence = (&'static str, &'static str);

const SENTENCES: &[Sentence] = &[
    ("{path} is outside the workspace: {reason}.", "{path} 在工作区之外：{reason}。"),
    ("{path} is closed to file tools: {reason}.", "{path} 不对文件工具开放：{reason}。"),
    ("{path} does not exist.", "{path} 不存在。"),
    ("{path} is a folder, not a file.", "{path} 是文件夹，不是文件。"),
    ("{path} is not a folder.", "{path} 不是文件夹。"),
    ("{path} is not text: {kind}, {size} bytes.", "{path} 不是文本（{kind}，{size} 字节）。"),
    (
        "{path} is too large for this: {size} bytes, the limit is {limit}.",
        "{path} 太大：{size} 字节，上限为 {limit} 字节。",
    ),
    (
        "{path} changed on disk since it was last read in this session. Nothing was written.",
        "{path} 在本会话读取之后已被修改。未写入任何内容。",
    ),
    (
        "The system refuses access to {path}: {reason}. Nothing was changed.",
        "系统拒绝访问 {path}：{reason}。未作任何更改。",
    ),
    ("{path} was not written: {reason}. Nothing was changed.", "{path} 未写入：{reason}。未作任何更改。"),
    ("{path} already exists. Nothing was changed.", "{path} 已存在。未作任何更改。"),
    ("{path} is not a usable path: {reason}.", "{path} 不是可用的路径：{reason}。"),
    ("The pattern is not valid: {reason}", "搜索模式无效：{reason}"),
    (
        "{which}old_string is empty, but {path} has content. Nothing was changed",
        "{which}old_string 为空，但 {path} 已有内容。未作任何更改",
    ),
    (
        "{which}old_string occurs {count} times in {path}, at lines {lines}. Nothing was changed",
        "{which}old_string 在 {path} 中出现 {count} 次（第 {lines} 行）。未作任何更改",
    ),
    (
        "{which}old_string is not in {path}, but new_string is, at line {line}. Nothing was changed",
        "{which}{path} 中没有 old_string，但第 {line} 行已有 new_string。未作任何更改",
    ),
    (
        "{which}old_string is not in {path}. Nothing was changed. The nearest text, at line {line}, is",
        "{which}{path} 中没有 old_string。未作任何更改。最接近的文本在第 {line} 行：",
    ),
    (
        "{which}old_string is not in {path}, nor anything like it. Nothing was changed",
        "{which}{path} 中没有 old_string，也没有相近的文本。未作任何更改",
    ),
    (
        "lines {start} to {end} are not in {path}: it has {total} lines. Nothing was changed",
        "{path} 没有第 {start} 到 {end} 行：它共有 {total} 行。未作任何更改",
    ),
    (
        "line {start} of {path} is not as expected. Nothing was changed. It is",
        "{path} 第 {start} 行与预期不符。未作任何更改。该行是：",
    ),
    ("the patch cannot be read: {reason}", "无法读取补丁：{reason}"),
    ("the patch does not apply. Nothing was changed.", "补丁无法应用。未作任何更改。"),
    (
        "{path} is generated ({reason}): a change made here would be lost",
        "{path} 是生成的文件（{reason}）：在此所作的更改会丢失",
    ),
    ("the command is empty", "命令为空"),
    ("pattern is empty", "搜索模式为空"),
    ("edits is empty: there is nothing to do", "edits 为空：没有要做的事"),
    ("ops is empty: there is nothing to do", "ops 为空：没有要做的事"),
    ("no program {program}", "没有程序 {program}"),
    ("there is no tool named {name}", "没有名为 {name} 的工具"),
    ("there is no skill {name}", "没有技能 {name}"),
    ("{which}the root is {path}", "{which}根文件夹是 {path}"),
    ("a symbolic link leads to {path}", "符号链接指向 {path}"),
    ("it is another name of a closed file", "它是一个不开放文件的别名"),
    (
        "it is an .env file that git does not have as it is; a rule such as allow Read(.env) opens it",
        "它是 git 中没有的 .env 文件；可用 allow Read(.env) 这样的规则开放",
    ),
    ("permission denied", "没有权限"),
    ("operation not permitted", "不允许的操作"),
    ("the file system is read-only", "文件系统为只读"),
    ("no space left on the disk", "磁盘空间不足"),
    ("`~` is not expanded; ", "`~` 不会展开；"),
    ("edit {number}: ", "第 {number} 处修改："),
];

/// What a tool said, as a person reads it; lines behind the first are what was found, and stay.
pub fn retold(lang: Lang, said: &str) -> Cow<'_, str> {
    if lang == Lang::En {
        return Cow::Borrowed(said);
    }
    let (first, rest) = said.split_once('\n').map_or((said, None), |(first, rest)| (first, Some(rest)));
    match sentence(first, 0) {
        Some(text) => Cow::Owned(rest.map_or(text.clone(), |rest| format!("{text}\n{rest}"))),
        None => Cow::Borrowed(said),
    }
}

/// One sentence, and what stands in its places; none when it is not known.
fn sentence(said: &str, depth: usize) -> Option<String> {
    let (values, text) = SENTENCES.iter().find_map(|(form, text)| Some((values(form, said)?, *text)))?;
    let mut out = text.to_owned();
    for (name, value) in values {
        let inner = if depth < 2 { sentence(value, depth + 1) } else { None };
        out = out.replacen(&format!("{{{name}}}"), inner.as_deref().unwrap_or(value), 1);
    }
    Some(out)
}

/// What stands at the places of a form; none where the text is not of this form.
fn values<'a>(form: &'static str, text: &'a str) -> Option<Vec<(&'static str, &'a str)>> {
    let (head, mut form) = form.split_once('{').map_or((form, None), |(head, form)| (head, Some(form)));
    let mut rest = text.strip_prefix(head)?;
    let mut found = Vec::new();
    while let Some(open) = form {
        let (name, behind) = open.split_once('}')?;
        let (literal, next) = behind.split_once('{').map_or((behind, None), |(literal, next)| (literal, Some(next)));
        let at = match next {
            None => rest.len().checked_sub(literal.len()).filter(|_| rest.ends_with(literal))?,
            Some(_) => rest.find(literal)?,
        };
        found.push((name, rest.get(..at)?));
        rest = rest.get(at + literal.len()..)?;
        form = next;
    }
    rest.is_empty().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::{SENTENCES, retold};
    use crate::Lang;

    #[test]
    fn what_tools_say_is_told_in_chinese() {
        for (said, wanted) in [
            ("nosuch does not exist.", "nosuch 不存在。"),
            ("/etc/x is outside the workspace: the root is /w.", "/etc/x 在工作区之外：根文件夹是 /w。"),
            (
                "~/x is outside the workspace: `~` is not expanded; the root is /w.",
                "~/x 在工作区之外：`~` 不会展开；根文件夹是 /w。",
            ),
            (
                "edit 2: old_string is not in calc.py. Nothing was changed. The nearest text, at line 3, is\n   3\tx = 1",
                "第 2 处修改：calc.py 中没有 old_string。未作任何更改。最接近的文本在第 3 行：\n   3\tx = 1",
            ),
            (
                "old_string is not in calc.py, nor anything like it. Nothing was changed",
                "calc.py 中没有 old_string，也没有相近的文本。未作任何更改",
            ),
            ("something nobody knows", "something nobody knows"),
            ("", ""),
        ] {
            assert_eq!(retold(Lang::Zh, said), wanted);
            assert_eq!(retold(Lang::En, said), said);
        }
    }

    #[test]
    fn both_sides_of_a_sentence_have_the_same_places() {
        let places = |text: &str| {
            let mut names: Vec<String> =
                text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())).collect();
            names.sort();
            names
        };
        for (said, shown) in SENTENCES {
            assert_eq!(places(said), places(shown), "{said}");
        }
    }
}
