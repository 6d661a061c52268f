//! What the words of a goal ask for, in English and Chinese: checks that have to pass, and a change. By rule, a sentence at a time;
//! a question asks for nothing.

/// What is asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// What an answer would have to be able to say.
    pub(crate) claims: Vec<AskedClaim>,
    /// Something is to be changed.
    pub(crate) changes: bool,
}

/// One of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AskedClaim {
    /// What an answer would say.
    pub(crate) said: &'static str,
    /// It is asked for a part, which nobody can tell: a check of any part shows it.
    pub(crate) part: bool,
}

/// Words that name no part when they stand before what is checked, and those that name one behind it.
const WHOLE: &[&str] = &[
    "", "the", "all", "every", "failing", "broken", "red", "unit", "our", "my", "its", "existing", "these", "whole",
    "full", "make", "get", "fix", "repair", "and", "test", "no", "of", "it",
];
const OF_PART: &[&str] = &["of", "in", "for", "from", "under"];

/// Checks by the words that name them and those that ask for a good end, with what an answer would say.
const CHECKS: &[(&[&str], &[&str], &str)] = &[
    (
        &["test", "tests", "testsuite", "suite", "specs", "pytest", "测试", "用例"],
        &["pass", "passes", "passing", "green", "succeed", "succeeds", "fix", "repair", "通过", "修复", "修好", "成功"],
        "All tests pass.",
    ),
    (
        &["build", "compile", "compiles", "compiling", "构建", "编译"],
        &[
            "pass", "passes", "green", "succeed", "succeeds", "works", "fix", "repair", "make", "compiles", "通过",
            "修复", "修好", "成功",
        ],
        "The build works.",
    ),
    (
        &["lint", "linter", "linters", "clippy", "eslint", "ruff", "warnings", "代码检查"],
        &["pass", "passes", "clean", "green", "silent", "fix", "no", "without", "rid", "通过", "修复", "清理", "消除"],
        "The linter is clean.",
    ),
];

/// Words by which something is to be changed.
const CHANGES: &[&str] = &[
    "fix",
    "repair",
    "implement",
    "add",
    "create",
    "write",
    "rename",
    "remove",
    "delete",
    "refactor",
    "replace",
    "update",
    "move",
    "port",
    "修复",
    "修好",
    "实现",
    "添加",
    "新增",
    "创建",
    "编写",
    "重命名",
    "删除",
    "重构",
    "替换",
    "更新",
];

/// Words by which a sentence asks, or says what is not wanted.
const NOT_ASKED: &[&str] = &[
    "which",
    "whether",
    "how",
    "why",
    "explain",
    "describe",
    "list",
    "find",
    "count",
    "not",
    "don't",
    "without",
    "never",
    "哪些",
    "是否",
    "如何",
    "为什么",
    "解释",
    "说明",
    "列出",
    "不要",
    "无需",
    "不用",
];

/// What these words of a goal ask for.
pub(crate) fn asked(objective: &str) -> Asked {
    let lower = objective.to_lowercase();
    let mut asked = Asked::default();
    for sentence in lower.split(['.', ';', '\n', '!', '?', '。', '；', '！', '？', ',', '，']) {
        let words: Vec<&str> = sentence.split(|c: char| !(c.is_alphanumeric() || c == '\'')).collect();
        // Chinese has no blanks between its words.
        let has = |known: &&str| if known.is_ascii() { words.contains(known) } else { sentence.contains(known) };
        let without_lint =
            |known: &&&str| **known != "without" || !words.iter().any(|word| word.starts_with("warning"));
        if NOT_ASKED.iter().filter(without_lint).any(has) {
            continue;
        }
        asked.changes |= CHANGES.iter().any(has);
        let wanted = CHECKS.iter().filter(|(what, good, _)| what.iter().any(has) && good.iter().any(has));
        for (what, _, said) in wanted {
            let part = names_part(&words, what) || sentence.contains("的测试") || sentence.contains("的用例");
            if !asked.claims.iter().any(|claim| claim.said == *said) {
                asked.claims.push(AskedClaim { said, part });
            }
        }
    }
    asked
}

/// Whether a part of what is checked is named around it.
fn names_part(words: &[&str], what: &[&str]) -> bool {
    words.iter().enumerate().filter(|(_, word)| what.contains(word)).any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        before.is_some_and(|word| !WHOLE.contains(word)) || words.get(at + 1).is_some_and(|word| OF_PART.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::asked;

    #[test]
    fn what_words_of_a_goal_ask_for() {
        const TESTS: &str = "All tests pass.";
        for (objective, claims, changes) in [
            ("make the tests pass", &[TESTS][..], false),
            ("Get the suite green, and make it compile", &[TESTS, "The build works."], false),
            ("fix the failing tests in tests/", &[TESTS], true),
            ("the build works without warnings", &["The build works.", "The linter is clean."], false),
            ("get rid of all clippy warnings", &["The linter is clean."], false),
            ("让测试通过", &[TESTS], false),
            ("修复编译错误，不要运行测试", &["The build works."], true),
            ("explain how the tests pass", &[], false),
            ("find out which tests pass", &[], false),
            ("列出哪些测试通过", &[], false),
            ("run the tests and say what you see", &[], false),
            ("do not fix the tests", &[], false),
            ("build a website", &[], false),
            ("add a flag to the parser", &[], true),
            ("measure the latency of the latest address", &[], false),
        ] {
            let found = asked(objective);
            let said: Vec<&str> = found.claims.iter().map(|claim| claim.said).collect();
            assert_eq!((said.as_slice(), found.changes), (claims, changes), "{objective}");
        }
    }

    #[test]
    fn a_part_that_is_named_is_told_from_the_whole() {
        for (objective, part) in [
            ("make the tests pass", false),
            ("make all tests pass", false),
            ("fix the failing unit tests", false),
            ("让测试通过", false),
            ("make the tests of the parser pass", true),
            ("make the parser tests pass", true),
            ("get the tests in tests/a green", true),
            ("让解析器的测试通过", true),
        ] {
            assert_eq!(asked(objective).claims[0].part, part, "{objective}");
        }
    }
}
