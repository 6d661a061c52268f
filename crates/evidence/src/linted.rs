//! Claims that linters, formatters and checks of types are clean.

use crate::check::LintClass;
use crate::claimed::claimed;
use crate::clause::{self, Clause};
use crate::grammar::{self, EVERY, GOOD_NEWS};
use crate::inline;
use crate::news;
use crate::pattern::patterns;
use crate::reach::place;
use crate::said::{self, Said};
use reasonix_proto::ClaimKind;
use std::ops::Range;

patterns! {
    LINT = format!(r"{}{}(?:{}|\bcame up empty\b|\b(?:quiet|silent|formatted|accept(?:s|ed)|(?:ok|no) longer (?:fail|break|error)\w*)\b|检查过|没有?报错|(?:无|没有)(?:任何)?(?:改动|变更|变化)|\bpass\b|(?:不|已)再(?:报错|失败))", grammar::lints(), grammar::between(40), grammar::good());
    CLEARED = format!(r"{}[^，。]{{0,8}}?(?:错误|警告|告警|问题)(?:也|均|都|全部|已|已经|被)*(?:清除|清空|清完|清理干净|清干净)", grammar::lints());
    FOUND_BY = format!(r"\b({0})`?(?: ?(?:报|提示|指出|发现|检查)(?:出|告|到)?的?| 的)?(?: ?[a-z0-9_-]+)? ?(?:问题|错误|警告|告警|报错|errors?\b|warnings?\b|issues?\b|findings?\b|violations?\b|complaints?\b)|\b(?:errors?|warnings?|issues?|findings?|violations?|complaints?|problems?)(?: (?:that|which))? (?:reported|found|flagged|raised)?(?: ?(?:by|from))? ?`?({0})\b", grammar::tools());
    LINT_BEHIND = format!("{}|{}|{}", grammar::denied_before(&format!(r"(?:{}|\btype\b|类型)", grammar::lints())), grammar::marked(&grammar::lints()), grammar::likewise(&grammar::lints()));
    LINT_PASSED = format!(r"\bpass(?:es|ed)?\b(?: (?:all|the|our|its|both|and))*(?: `?[\w.-]+`?,?){{0,4}}? `?{0}|(?:(?:已|已经|均|都)通过(?:了)?|通过了)[^，。]{{0,16}}?{0}", grammar::lints());
    LINT_LISTED = format!(r"{EVERY}[^.。:：(（—]{{0,24}}{}\s*[:：(（—–]+[^.。]{{0,60}}?{}", grammar::good(), grammar::lints());
    NO_LINT = format!(r"格式(?:也|都|均)?\s*{GOOD_NEWS}|") + r"\b(?:lint|clippy)[- ]clean\b|\b(?:it|code|project|everything|that|which|app|package|crate|module|codebase|repo|repository|tree)\b (?:now |still |also |all )*type-?checks\b|\btype-?checks (?:cleanly|fine|ok|now|again)\b|\b(?:code|files?|everything|it|sources?|tree|repo|changes?)\b (?:is|are|now|all|is now|are all|are now|stays?) (?:(?:properly|correctly|cleanly|well|already|consistently|still) )*formatted\b|\b(?:report\w*|says?|shows?|counts?|leaves?) (?:all|every|each) (?:\w+ )?files? as formatted\b|\ball (?:\d+ )?files (?:\w+ )?formatted\b|(?:已|已经)[^，。]{0,16}格式化(?:好|过|完成)?|格式化(?:好|过)了";
    LINT_SUBJECT = grammar::lints();
    LINTERS = format!(r"\b((?:helm|buf|ct|deno|dart|swift|redocly|spectral|protolint) lint)\b|\b({}|vet)(?:check|main|test|debug|release|all|java|kotlin)*\b", grammar::tools());
    JOINED = r"\b(?:and|or|nor)\b|[,，、&+/]|和|与|及|或";
    TYPES = r"type|tsc|svelte-check|mypy|pyright|pyre\b|pyrefly|dialyzer|flow\b|sorbet|类型";
    FORMATS = r"fmt(?:\b|check)|format|prettier|black|isort|yapf|spotless|\bpint\b|php-cs-fixer|autopep8|ormolu|dprint|goimports|gofumpt|stylua|taplo|格式";
    WARNINGS = r"warning|警告|告警|clean|干净|spotless|\b(?:quiet|silent)\b";
    TOLD = r"\b(?:[1-9]\d*|two|three|several|some|a few|only|just|(?:with|has|had|and|only|just) one)(?: [a-z-]+){0,2}? warnings?\b|(?:[1-9]\d*|[两三几]|若干|少量|一些) ?(?:个|条|处|项)? ?[^，。\d]{0,6}?(?:警告|告警)";
    TOLD_NUMBER = r"\b([1-9]\d*)(?: [a-z-]+){0,2}? warnings?\b|([1-9]\d*) ?(?:个|条|处|项)? ?[^，。\d]{0,6}?(?:警告|告警)";
    ONCE = r"\b(?:fix\w*|remov\w+|resolv\w+|clear\w+|suppress\w*|silenc\w+|from|was|were|had|before|previous\w*|earlier|max\w*|limit|allow\w*)\b|修|清|消除|解决|去掉|处理|原来|之前|原有|上限|允许";
    TOLD_FILES = r"\b(\d+) (?:[a-z]+ )?files?\b|(\d+) ?个(?:源|代码|源代码)?文件";
    WRITTEN = r"\b(?:chang|edit|modif|touch|reformat|updat|creat|add|mov|delet|new)\w*\b|修改|改动|改了|格式化了|新增|更新|删除";
    OTHER_SUBJECT = format!("{}|{}|{}", grammar::tests(), grammar::builds(), grammar::lints());
    IN_SHORT = format!(r"^[\s,;，；:：—–-]*(?:and |with )?(?:which|both|all|they|it|everything|these|都|均|全部|全都|结果|也都)[^.。]{{0,20}}?{0}", grammar::good());
    DIRECT = format!(r"^[\s,，:：—–-]+(?:(?:all|still|now|completely|很|也|都|均)\s*)?(?:{}|\b(?:clean|all good|fine)\b|干净|没问题|没有问题)", grammar::GOOD_NEWS);
    EARLIER = r"前|\b(?:before|earlier|last time|previously)\b";
    MENDED = format!(r"^[\s,，;；]*(?:后来|现在)?(?:处理|修改|改|修|修复|调整|修正|清理)(?:完|好|过)?(?:之后|以后|后|完)[^。，,]{{0,12}}?{}", grammar::good());
    FIRST_TOLD = r"(?:起初|一开始|开始时|最初|刚开始|第一次|首次|首轮)[^。]{0,12}(?:提示|报|告警|警告|发现|指出|抱怨)";
    RAN_BEFORE = r"\b(?:ran|re-?ran|run|checked|double-checked|executed|with|through|had)\b|跑|运行|执行|用|(?:构建|编译|打包)(?:了|过)";
}

/// True when a part of a sentence says that a linter is clean.
pub(crate) fn speaks(clause: &Clause) -> bool {
    LINT.fits(&clause.text)
}

/// True when a part of a sentence says that there are no warnings, that something is clean, or that nothing was found: that
/// there are no errors says nothing of warnings, and neither does a number of them.
pub(crate) fn of_warnings(clause: &Clause) -> bool {
    let text = TOLD.blanked(&clause.original);
    WARNINGS.fits(&text) || news::denies_findings(&text)
}

/// The text with blanks in place of warnings that it tells of.
pub(crate) fn without_told(text: &str) -> String {
    TOLD.blanked(text)
}

/// True when what stands behind a claim says of the same that nothing was found.
pub(crate) fn denied_behind(rest: &str) -> bool {
    !OTHER_SUBJECT.fits(rest) && news::denies_findings(rest)
}

/// The linter whose findings these words speak of.
pub(crate) fn found_by(text: &str) -> Option<(LintClass, String)> {
    let tool = FOUND_BY.all(text).into_iter().map(|(_, tool)| tool).next()?;
    Some((class_of(tool), named_tool(tool)?))
}

/// The number of warnings that a claim tells of, in its own words or in those behind it.
pub(crate) fn told_warnings(own: &str, behind: &str) -> Option<u64> {
    let text = said_of(own, behind);
    match TOLD_NUMBER.all(&text)[..] {
        [(_, number)] if !ONCE.fits(&text) => number.parse().ok(),
        _ => None,
    }
}

/// The number of files that a claim says were looked at.
pub(crate) fn told_files(own: &str, behind: &str) -> Option<u64> {
    let text = said_of(own, behind);
    match TOLD_FILES.all(&text)[..] {
        [(_, number)] if !ONCE.fits(&text) && !WRITTEN.fits(&text) => number.parse().ok(),
        _ => None,
    }
}

/// The words of a claim, with those behind it that speak of nothing else.
fn said_of(own: &str, behind: &str) -> String {
    if OTHER_SUBJECT.fits(behind) { own.to_owned() } else { format!("{own}{behind}") }
}

/// What a part of a sentence says of linters; `before` is what stands before it, which it may speak of in short.
pub(crate) fn lints(clause: &Clause, before: &str) -> Vec<Said> {
    let short = lint_in_short(clause, before);
    if short.is_empty() { lint(clause) } else { short }
}

fn lint(clause: &Clause) -> Vec<Said> {
    let text = said::without_others(&clause.text, |check| !check.lints.is_empty());
    let clause = &Clause { text, ..clause.clone() };
    let found = claimed(clause, &[&LINT, &CLEARED, &LINT_BEHIND, &LINT_PASSED, &LINT_LISTED, &NO_LINT])
        .filter(|range| !clause.denies(range));
    let Some(range) = found else { return Vec::new() };
    let said = |lint: (LintClass, Option<String>)| Said {
        warnings: of_warnings(clause),
        reach: place(clause),
        lint: Some(lint),
        ..Said::new(ClaimKind::Lint, range.clone())
    };
    let reversed = clause.text.get(range.clone()).is_some_and(|text| {
        text.trim_start_matches([' ', '|']).starts_with(is_good_sign)
            || LINT_PASSED.fits(text)
            || LINT_LISTED.fits(text)
    });
    let text = clause.text.get(range.start..if reversed { clause.text.len() } else { range.end }).unwrap_or_default();
    let all = quoted_linters(clause, &range).unwrap_or_else(|| linters(text, reversed));
    // Each of several has its own proof.
    if all.is_empty() {
        vec![said((class_of(text), named_tool(&clause.text)))]
    } else {
        all.into_iter().map(said).collect()
    }
}

/// Where all of what was run just before is said to be good.
pub(crate) fn said_in_short(clause: &Clause, before: &str) -> Option<Range<usize>> {
    let mended = || claimed(clause, &[&MENDED]).filter(|_| FIRST_TOLD.fits(before));
    claimed(clause, &[&IN_SHORT]).filter(|_| RAN_BEFORE.fits(before)).or_else(mended)
}

/// "I ran the linter; it is clean": said of what was run just before.
fn lint_in_short(clause: &Clause, before: &str) -> Vec<Said> {
    let spoken = LINT_SUBJECT.fits(&clause.text) || LINTERS.fits(&clause.text);
    // What stands right behind it is said of that alone.
    let last = before.trim_end_matches(|c: char| c.is_whitespace() || ",，:：;；".contains(c));
    let last = last.rsplit([',', '，', ';', '；']).next().unwrap_or_default();
    let direct = || claimed(clause, &[&DIRECT]).filter(|_| RAN_BEFORE.fits(last) && !EARLIER.fits(last));
    let whole = said_in_short(clause, before);
    let before = if whole.is_some() { before } else { last };
    let found = whole.or_else(direct).filter(|range| !spoken && !clause.denies(range));
    let Some(range) = found else { return Vec::new() };
    let said =
        |lint| Said { warnings: of_warnings(clause), lint: Some(lint), ..Said::new(ClaimKind::Lint, range.clone()) };
    linters(before, false).into_iter().map(said).collect()
}

fn is_good_sign(c: char) -> bool {
    c == GOOD_NEWS || grammar::MARKS.contains(c)
}

/// The linters of the commands that are quoted here, where no others are named beside them.
fn quoted_linters(clause: &Clause, range: &Range<usize>) -> Option<Vec<(LintClass, Option<String>)>> {
    let codes = inline::quoted(&clause.text)
        .into_iter()
        .filter(|(place, _)| place.start < range.end && range.start < place.end);
    let lints = codes.flat_map(|(_, code)| said::quoted_checks(code)).flat_map(|check| check.lints);
    let mut found: Vec<_> = lints.map(|linter| (linter.class, Some(linter.tool))).collect();
    found.dedup();
    let others = LINTERS.fits(clause::without_code(&clause.text).get(range.clone()).unwrap_or_default());
    (!found.is_empty() && !others).then_some(found)
}

/// The linters that are joined in this text, each with its class.
fn linters(text: &str, reversed: bool) -> Vec<(LintClass, Option<String>)> {
    let mut cuts: Vec<usize> = JOINED.all(text).into_iter().map(|(range, _)| range.end).collect();
    cuts.push(text.len());
    let (mut start, mut found) = (0, Vec::new());
    for cut in cuts {
        let part = text.get(start..cut).unwrap_or_default();
        start = cut;
        let mut tools: Vec<&str> = LINTERS.all(part).into_iter().map(|(_, tool)| tool).collect();
        tools.dedup();
        if tools.len() > 1 {
            found.extend(tools.iter().map(|tool| (class_of(tool), named_tool(tool))));
        } else if LINT_SUBJECT.fits(part) || LINTERS.fits(part) || (reversed && TYPES.fits(part)) {
            let one = (class_of(part), named_tool(part));
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    // What a tool is called by is no other one.
    let named: Vec<LintClass> = found.iter().filter(|(_, tool)| tool.is_some()).map(|(class, _)| *class).collect();
    found.retain(|(class, tool)| tool.is_some() || !named.contains(class));
    found
}

fn named_tool(text: &str) -> Option<String> {
    let tool = LINTERS.all(text).into_iter().map(|(_, tool)| tool).next()?;
    Some(if tool == "typescript" { "tsc" } else { tool }.to_owned())
}

fn class_of(text: &str) -> LintClass {
    match (TYPES.fits(text), FORMATS.fits(text)) {
        (true, _) => LintClass::Types,
        (_, true) => LintClass::Format,
        _ => LintClass::Style,
    }
}
