//! Files that an answer names for what is in them now, without a word for what was done: "`src/a.rs`: nullable, indexed",
//! "`a.ts` uses `fetch` now". Such words claim a change only where the log has one; of a file that was not written they say
//! nothing.

use crate::components;
use crate::files::{self, path_pattern};
use crate::pattern::patterns;
use crate::prose::Sentence;
use std::ops::Range;

/// A name in signs for code that ends as files do: the log knows whether it is one.
macro_rules! quoted {
    () => {
        r"`[a-z0-9_@.+/\[\]-]*[a-z0-9_@+\]-]\.[a-z][a-z0-9]{0,11}`"
    };
}

/// Several files.
macro_rules! paths {
    () => {
        concat!(
            "(?:",
            path_pattern!(),
            "|",
            quoted!(),
            r")(?:(?:\s|,|，|、|&|\+|/|\band\b|和|及|与|以及)+(?:",
            path_pattern!(),
            "|",
            quoted!(),
            "))*"
        )
    };
}

/// A word or two before a file that say what it is.
macro_rules! lead {
    () => {
        r"(?:(?:the|in|a|an|and|also)\s+|[a-z]+\s+(?:in\s+|of\s+)?|(?:并且?|同时|另外|在)\s*|[\x{4e00}-\x{683f}\x{6841}-\x{7683}\x{7685}-\x{9fff}]{1,8}[ :：]\s*){0,3}"
    };
}

patterns! {
    BULLET = r"^\s*(?:[-*+•]|\d+[.)、])\s*";
    ITEM = concat!(r"^[\s\d.)、+•|✅✓✔☑-]*(?:\[x\])?\s*", lead!(), "(", paths!(), ")");
    LABEL = concat!(r"^\s*", paths!(), r"\s*(?:[:：]|—|–|\s-\s)");
    SUBJECT = concat!(r"^[\s，,；;:：(（—–]*", lead!(), "(", paths!(), ")");
    ANY = concat!("(", paths!(), ")");
    NAME = concat!(path_pattern!(), "|", quoted!());
    FILES = r"\bfiles? (?:were |was )?(?:changed |touched |modified |edited )?[:：(（]|\bfiles? (?:changed|touched|modified|edited)[:：]|个文件";
    SEGMENT = r"[，,；;。（(]|\s(?:—|–)\s|[.!]\s";
    CHANGES = r"\b(?:what (?:i|we) (?:changed|did)|changes?|changed|done)\b|改动|修改|变更|改了什么";
    TO_DO = r"\bto (?:be )?(?:chang|edit|touch|do|updat|fix|review|read|adapt)|要改|待改|需要改|将要|要动";
    // What an item's heading has to say for its files to be no changes.
    OTHER_HEAD = r"\b(?:causes?|why|background|problems?|bugs?|how it works|overview|structure|findings|review|reading|read|looked|related|relevant|involved|unchanged|untouched|left|open|tests?|checks?|results?|verif\w+|before)\b|原因|背景|现状|问题|流程|结构|参考|未改|没改|没动|验证|检查|测试|结果|之前";
    TABLE = r"^\s*\|\s*(?:changed |modified |touched )?(?:files?|paths?|modules?|文件|路径|模块|改动文件|文件名|位置)\s*\|[^\n]*(?:chang|what|did|done|改动|变更|修改|说明|内容|做了|改了)";
    NOT_HERE = r"^`?[\s|:：—–(（-]*(?:was|were|had|used to|is not|isn't|are not|needs?|should|must|may|might|could|would|will|can|unchanged|untouched|stays?|remains?|still|already|fails?|failed|pass(?:es|ed)?|looks?|lines? \d|not|no change|ok\b|不变|未|没|无需|不用|需要?|仍|还是|原来|之前|以前|本来|保持|应该?|可以|可能|会|通过|失败|里?(?:的)?第 ?\d)";
    DOUBT = r"\b(?:should|would|could|might|may|must|will|todo|please|you(?:'ll|’ll)? (?:need|have|can|may|want)|unchanged|untouched|not (?:been )?(?:changed|touched|modified|edited)|(?:did|have|has)(?: not|n't|n’t) (?:been )?(?:change|touch|edit|modif)\w*)\b|应该|可能|建议|需要你|需要?(?:再|先|手动)|[^申邀]请|^请|未改|没改|没动|没有(?:改|动)|不用改|无需|保持不变|不变|如果|若";
    PAST = r"\b(?:was|were|had|used to|previously|formerly|originally|until now|before)\b|之前|原来|以前|原先|本来|此前";
    NOW = r"\bnow\b|\bno longer\b|\bok longer\b|\bany ?more\b|\binstead\b|现在|如今|改为|改成|换成|不再|已再";
    DONE = r"\bnow\b|\bchange[ds]? (?:only |just )?in\b|\bfiles? (?:changed|touched|modified|edited)\b|\bno longer\b|\bany ?more\b|\bnew(?:ly)?\b|\b(?:is|are) (?:gone|out)\b|\b(?:only|one|two|three|\d+) (?:\w+ )?files? (?:that )?(?:i|we)\b|\b(?:i|we|i've|we've)(?: also| then| just| have)* (?:[a-z]+ed|rewrote|wrote|made|put|moved|split|cut)\b|已|现在|新增|新建|新写|新加|改为|改成|换成|替换为|修改|改动|变更|增加";
    NEW = r"了";
    CAUSE = r"\b(?:because|cause[ds]?|bugs?|wrong(?:ly)?|forgot|missing|missed|mistake|fault|culprit|defect|leaks?|crash\w*|panics?|fail\w*|errors? (?:in|at|from)|looked (?:at|into|through)|read|see|ran|run|open(?:ed)?|found|checked|reviewed)\b|漏|忘|跳过了|忽略了|误|少了|多了|搞错|因为|由于|原因|导致|写错|写死|问题|报错|失败|崩溃|看了|看过|读了|查了|检查了|跑|运行|执行|打开|查看|没有?(?:处理|考虑|判断|检查|释放|关闭|校验)";
    UNDONE = r"\b(?:delet\w+|remov\w+|renam\w+|mov(?:ed|ing)|erased)\b|n't\b|n’t\b|\bnot\b|\bnever\b|删除|删掉|移除|重命名|移动|没有|未|不(?:再)?是";
}

/// A place of a sentence that describes files.
pub(crate) struct Described {
    pub(crate) range: Range<usize>,
    pub(crate) paths: Vec<String>,
    /// True when its words say that something was done.
    pub(crate) by_words: bool,
}

fn names(list: &str) -> Vec<String> {
    NAME.all(list).into_iter().map(|(_, name)| name.trim_matches('`').to_owned()).collect()
}

/// The files that a sentence describes; `claimed` are the places of it that claim something by their words.
pub(crate) fn find(answer: &str, text: &str, sentence: &Sentence, claimed: &[Range<usize>]) -> Vec<Described> {
    let words = text.get(sentence.range.clone()).unwrap_or_default();
    let row = words.trim_start().starts_with('|');
    if !ANY.fits(words) || (row && !TABLE.fits(table_head(text, sentence.range.start))) {
        return Vec::new();
    }
    let line = answer.get(sentence.range.clone()).unwrap_or_default();
    let begins = text.get(..sentence.range.start).is_none_or(|before| before.is_empty() || before.ends_with('\n'));
    if begins && (row || BULLET.fits(line) || LABEL.fits(words)) && ITEM.fits(words) {
        return item(answer, words, sentence, claimed).into_iter().collect();
    }
    let same_line = text.get(..sentence.range.start).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
    let label = same_line.trim_end().rsplit(['。', '.']).find(|part| !part.trim().is_empty()).unwrap_or_default();
    let under_changes = label.len() < 40 && CHANGES.fits(label) && !same_line.trim().is_empty();
    if !under_changes && !DONE.fits(words) && !NEW.fits(words) {
        return Vec::new();
    }
    segments(words)
        .into_iter()
        .filter_map(|range| {
            let segment = words.get(range.clone())?;
            let at = sentence.range.start + range.start..sentence.range.start + range.end;
            let free = !claimed.iter().any(|other| other.start < at.end && at.start < other.end);
            let doubted = DOUBT.fits(segment) || PAST.fits(segment) || CAUSE.fits(segment) || UNDONE.fits(segment);
            let told = DONE.fits(segment)
                || NEW.fits(segment)
                || (SUBJECT.fits(segment) && DONE.fits(words))
                || FILES.fits(words)
                || under_changes;
            let place = ANY.find(segment)?;
            let range = if under_changes { sentence.range.clone() } else { at };
            let paths = names(segment.get(place).unwrap_or_default());
            (free && !doubted && told).then_some(Described { range, paths, by_words: false })
        })
        .collect()
}

/// The first line of the table that a place stands in.
fn table_head(text: &str, at: usize) -> &str {
    let above = text.get(..at).unwrap_or_default();
    above.lines().rev().take_while(|line| line.trim_start().starts_with('|')).last().unwrap_or_default()
}

/// The file that an item of a list begins with.
fn item(answer: &str, words: &str, sentence: &Sentence, claimed: &[Range<usize>]) -> Option<Described> {
    let (whole, _, list) = ITEM.places(words).into_iter().next()?;
    let rest = words.get(whole.end..).unwrap_or_default();
    let first = rest.split(['。', '；', ';']).next().unwrap_or_default();
    let range = sentence.range.start + whole.start..sentence.range.end;
    let heading = components::heading(answer, sentence.range.start);
    let past = PAST.fits(first) && !NOW.fits(first);
    let other = (OTHER_HEAD.fits(&heading) && !CHANGES.fits(&heading)) || TO_DO.fits(&heading);
    let free = !claimed.iter().any(|other| other.start < range.end && range.start < other.end);
    let doubted = NOT_HERE.fits(rest) || DOUBT.fits(first) || past;
    let bare = !rest.contains(char::is_alphanumeric) && !CHANGES.fits(&heading);
    let (paths, by_words) = (names(list), files::is_labelled(rest));
    (free && !other && !doubted && !bare).then_some(Described { range, paths, by_words })
}

/// The parts of a sentence between its commas that name files; one that only goes on naming them belongs to the one before.
fn segments(words: &str) -> Vec<Range<usize>> {
    let mut cuts: Vec<usize> = SEGMENT.all(words).into_iter().map(|(range, _)| range.start).collect();
    cuts.push(words.len());
    let mut start = 0;
    let mut found = Vec::new();
    for cut in cuts {
        found.push(start..cut);
        start = cut;
    }
    found.retain(|range| words.get(range.clone()).is_some_and(|part| ANY.fits(part)));
    found
}
