//! Failures of tools, told to people in their language. The model reads them in English, and so they stand in the log; what
//! is shown is the same sentence again. A sentence that is not known here is shown as it is.

mod sentences;

use crate::Lang;
use crate::spacing::closed_up;
use reasonix_proto::{Details, tools, unfenced};
use sentences::SENTENCES;
use std::borrow::Cow;

/// What a tool said, as a person reads it; lines behind the first are what was found, and stay.
pub fn retold(lang: Lang, said: &str) -> Cow<'_, str> {
    if lang == Lang::En {
        return Cow::Borrowed(said);
    }
    let (first, rest) = said.split_once('\n').map_or((said, None), |(first, rest)| (first, Some(rest)));
    match (sentence(first, 0), rest) {
        (Some(text), Some(rest)) if first.ends_with("regex parse error:") => {
            Cow::Owned(format!("{text}\n{}", pattern_told(rest)))
        }
        (Some(text), Some(rest)) => Cow::Owned(format!("{text}\n{rest}")),
        (Some(text), None) => Cow::Owned(text),
        (None, _) => Cow::Borrowed(said),
    }
}

/// What a call came to, as a person reads it: without the lines that tell the model what the notes say, and its exit code.
pub fn outcome_told<'a>(lang: Lang, content: &'a str, details: &Details) -> Cow<'a, str> {
    let content = details.without_notes(content);
    if details.notes.iter().any(|note| note.code.starts_with("jobs.")) {
        return Cow::Owned(retold(lang, &unfenced(content)).into_owned());
    }
    let code = details.exit_code.map(|code| format!("exit code {code}"));
    Cow::Borrowed(code.and_then(|code| content.trim_end().strip_suffix(&code)).unwrap_or(content))
}

/// What a call is about, as a person reads it: the words for an operation on the todo list are ours.
pub fn subject_told<'a>(lang: Lang, tool: &str, subject: &'a str) -> Cow<'a, str> {
    if lang == Lang::En || tool != tools::TODO_WRITE {
        return Cow::Borrowed(subject);
    }
    let operation = |line: &str| match line.split_once(' ') {
        Some(("done", "all")) => "全部完成".to_owned(),
        Some(("drop", "all")) => "全部放弃".to_owned(),
        Some(("rm", "all")) => "全部删除".to_owned(),
        Some(("append", count)) => format!("新增 {count} 项"),
        Some(("start", what)) => format!("开始 {what}"),
        Some(("done", what)) => format!("完成 {what}"),
        Some(("drop", what)) => format!("放弃 {what}"),
        Some(("rm", what)) => format!("删除 {what}"),
        Some(("note", what)) => format!("备注 {what}"),
        Some((count, "tasks")) => format!("{count} 项"),
        _ => line.to_owned(),
    };
    let several = |line: &str| line.split(", ").map(operation).collect::<Vec<_>>().join("、");
    Cow::Owned(subject.lines().map(several).collect::<Vec<_>>().join("\n"))
}

/// A question about a step of a plan, as a person reads it: what the log says to it.
pub fn step_told(lang: Lang, text: &str) -> Cow<'_, str> {
    if lang == Lang::En {
        return Cow::Borrowed(text);
    }
    let line = |line: &str| match ["verified: ", "stale (", "unsupported ("].iter().any(|word| line.starts_with(word)) {
        true => retold(lang, line).into_owned(),
        false => line.to_owned(),
    };
    Cow::Owned(text.split('\n').map(line).collect::<Vec<_>>().join("\n"))
}

/// Below the line that says that a pattern is wrong: the pattern with a mark, and why.
fn pattern_told(rest: &str) -> String {
    let line = |line: &str| match line.strip_prefix("error: ") {
        Some(why) => format!("错误：{}", sentence(why, 0).as_deref().unwrap_or(why)),
        None => line.to_owned(),
    };
    rest.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// One sentence, and what stands in its places; none when it is not known. Of the forms that fit, the one that says most
/// counts.
fn sentence(said: &str, depth: usize) -> Option<String> {
    let fits = SENTENCES.iter().filter_map(|(form, text)| Some((literal(form), values(form, said)?, *text)));
    let (_, values, text) = fits.max_by_key(|(literal, ..)| *literal)?;
    let mut out = String::with_capacity(text.len() + said.len());
    let mut rest = text;
    while let Some((before, (name, behind))) =
        rest.split_once('{').and_then(|(before, open)| Some((before, open.split_once('}')?)))
    {
        out.push_str(before);
        let value = values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| *value);
        let spoken = match value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) {
            Some(bare) => format!("“{bare}”"),
            None if depth < 3 => sentence(value, depth + 1).unwrap_or_else(|| value.to_owned()),
            None => value.to_owned(),
        };
        rest = closed_up(&mut out, &spoken, behind);
        out.push_str(&spoken);
    }
    out.push_str(rest);
    Some(out)
}

/// How much of a form is not left open.
fn literal(form: &str) -> usize {
    form.split('{').map(|part| part.split_once('}').map_or(part, |(_, behind)| behind).len()).sum()
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
    use super::sentences::SENTENCES;
    use super::{outcome_told, retold, step_told, subject_told};
    use crate::Lang;
    use reasonix_proto::{Details, Phrase, tools};

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
            (
                "the call broke off before its arguments were complete (inside content); nothing was run or changed",
                "调用在参数写完之前中断（在 content 中）；没有执行任何操作，也没有更改任何内容",
            ),
            ("there is no tool named \"x\" to be found", "找不到名为“x”的工具"),
            (
                "The pattern is not valid: regex parse error:\n    (a\n    ^\nerror: unclosed group",
                "搜索模式无效：正则表达式解析错误：\n    (a\n    ^\n错误：分组没有闭合",
            ),
            (
                "lines 5 to 6 are not in a.txt: it has 1 line. Nothing was changed",
                "a.txt 没有第 5 到 6 行：它共有 1 行。未作任何更改",
            ),
            ("something nobody knows", "something nobody knows"),
            ("", ""),
        ] {
            assert_eq!(retold(Lang::Zh, said), wanted);
            assert_eq!(retold(Lang::En, said), said);
        }
    }

    #[test]
    fn what_is_for_the_model_is_not_shown_of_an_outcome() {
        let exit =
            Details { exit_code: Some(6), notes: vec![Phrase::new("exec.denied_network")], ..Details::default() };
        assert_eq!(outcome_told(Lang::Zh, "out\nexit code 6\ncommands run in a sandbox", &exit).trim_end(), "out");
        let job = Details { notes: vec![Phrase::new("jobs.runs_on")], ..Details::default() };
        let said = "j1 running 0.5 s, pid 7: npm run dev\n<job_output job=\"j1\" id=\"ab\">\nready\n</job_output id=\"ab\">\nIt runs on; `job` looks after it.";
        assert_eq!(outcome_told(Lang::Zh, said, &job), "j1 运行中，已 0.5 秒，pid 7：npm run dev\nready");
        assert_eq!(outcome_told(Lang::En, said, &job), "j1 running 0.5 s, pid 7: npm run dev\nready");
    }

    #[test]
    fn steps_of_plans_and_lists_are_told_in_chinese() {
        let said = "读取\nunsupported (no call is named; name the calls that prove it): 完成";
        assert_eq!(step_told(Lang::Zh, said), "读取\n无依据（没有写明能证明它的调用）：完成");
        assert_eq!(step_told(Lang::En, said), said);
        assert_eq!(retold(Lang::Zh, "risk: low"), "风险：低");
        assert_eq!(subject_told(Lang::Zh, tools::TODO_WRITE, "3 tasks"), "3 项");
        assert_eq!(subject_told(Lang::Zh, tools::TODO_WRITE, "done 乙, start 甲"), "完成 乙、开始 甲");
        assert_eq!(subject_told(Lang::Zh, "bash", "done all"), "done all");
    }

    /// Literals that are no sentence for people: what a model alone meets, or another's own words.
    const NAMED: [&str; 0] = [];

    /// The rooms whose failures people see.
    const ROOMS: [&str; 12] = [
        "agent", "tools", "mcp", "state", "world", "talk", "hooks", "servers", "jobs", "assembly", "children", "engine",
    ];

    /// Everything that is a failure of a tool somewhere in the sources, with what differs replaced: the literal itself, or
    /// those of the variable that it is kept in.
    fn failures() -> Vec<String> {
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut folders: Vec<_> = ROOMS.iter().map(|room| crates.join(room).join("src")).collect();
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder of sources").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
                    let text = std::fs::read_to_string(&path).expect("a source");
                    failures_in(text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default(), &mut found);
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }

    fn failures_in(text: &str, found: &mut Vec<String>) {
        for (at, _) in text.match_indices("ToolOutcome::failed") {
            let Some((_, rest)) = text[at..].split_once('(') else { continue };
            let rest = rest.trim_start();
            let rest = rest.strip_prefix("format!(").unwrap_or(rest).trim_start();
            if let Some(literal) = rest.strip_prefix('"') {
                found.push(sample(literal));
                continue;
            }
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            // The variable's own value: literals from its `let` to the end of the statement.
            let Some(made) = text[..at].rfind(&format!("let {name} ")) else { continue };
            let statement = &text[made..at];
            let statement = statement.split(";\n").next().unwrap_or(statement);
            let mut left = statement;
            while let Some((_, behind)) = left.split_once('"') {
                found.push(sample(behind));
                left = &behind[end_of(behind)..];
                left = left.strip_prefix('"').unwrap_or(left);
            }
        }
    }

    fn end_of(literal: &str) -> usize {
        let mut escaped = false;
        let end = literal.char_indices().find(|(_, c)| {
            let ends = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        end.map_or(literal.len(), |(at, _)| at)
    }

    /// A literal as it may be said: its places filled, its first line.
    fn sample(literal: &str) -> String {
        let literal = &literal[..end_of(literal)];
        let joined: Vec<&str> = literal.split("\\\n").map(str::trim_start).collect();
        let first = joined.join("");
        let first = first.split("\\n").next().unwrap_or_default();
        let mut out = String::new();
        let mut rest = first;
        while let Some((before, open)) = rest.split_once('{') {
            out.push_str(before);
            out.push_str("x7");
            rest = open.split_once('}').map_or("", |(_, behind)| behind);
        }
        out + rest
    }

    #[test]
    fn every_failure_of_a_tool_is_there_in_chinese() {
        let all = failures();
        assert!(all.len() > 80, "the sources were read: {}", all.len());
        let unknown: Vec<&String> = all
            .iter()
            .filter(|said| !NAMED.contains(&said.as_str()))
            .filter(|said| !retold(Lang::Zh, said).chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)))
            .collect();
        assert_eq!(unknown, Vec::<&String>::new());
    }

    #[test]
    fn both_sides_of_a_sentence_have_the_same_places() {
        let places = |text: &str| {
            let mut names: Vec<String> =
                text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())).collect();
            // Chinese has one form for one and several.
            names.retain(|name| name != "noun");
            names.sort();
            names
        };
        for (said, shown) in SENTENCES {
            assert_eq!(places(said), places(shown), "{said}");
        }
    }
}
