//! Where a part of a sentence claims something: a pattern fits, and what is good is what is spoken of.

use crate::clause::{self, Clause};
use crate::pattern::{Pattern, patterns};
use std::ops::Range;

/// A quotation begins where its part of the sentence does, unless it is longer than this.
pub(crate) const LONGEST_LEAD: usize = 80;

patterns! {
    THAT_PASSES = r"\btests? (?:that|which|to|by) pass(?:es|ing)?\b|\bpass(?:es|ing|ed)? (?:through|along|down|(?:in )?(?:the|a|an) (?:flag|value|argument|option|result|token|parameter|config|context))\b|\bpass(?:es|ed|ing)? (?:(?:an?|the|its|their|your|some)(?: [\w`-]+){1,3}|it|them|`[^`]+`|\w+) (?:to|into|through|along|down|onto)\b|\bpass(?:es|ed|ing)? an? (?:mock|fake|stub|null|custom|new|different|dummy|wrong|fixed|real|list|string|path|callback|function|closure)\b|\bpass(?:es|ed|ing)? `[^`]+` (?:to|as|into|via|for)\b";
    WHICH_DOES = r"\b(?:that|which|who)(?: \w+){1,2}";
    DOES = r"\b(?:covers?|writes?|treats?|uses?|needs?|mocks?|creates?|reads?|contains?|exercises?|expects?|simulates?|where|requires?|depends?|doubles?|gets? an?|coverage|data|config\w*|has an?|have an?)\b|覆盖了|覆盖率|数据|命名|配置";
    BY_WAY_ZH = r"^ ?[^了，。；：:（(、\s！。✅][^，。；]{0,20}?(?:来|以|完成|实现|自动|进行|触发|判断|隔离)";
    OF_ZH = r"^的[^，。；！\s]|^是(?:你|您|前提|必要|必须|要求|目标)";
}

/// The first place that one of these fits and that is claimed.
pub(crate) fn claimed(clause: &Clause, patterns: &[&Pattern]) -> Option<Range<usize>> {
    let range =
        patterns.iter().find_map(|pattern| place_of(clause, pattern).filter(|range| !clause.hedges(range.end)))?;
    Some(through_mark(clause, range))
}

/// The place with what stands behind its mark: that is what it marks.
pub(crate) fn through_mark(clause: &Clause, range: Range<usize>) -> Range<usize> {
    let marked = clause.text.get(range.clone()).is_some_and(|text| text.ends_with(['✅', '✓', '✔', '🟢']));
    let whole = clause.text.trim_end_matches(|c: char| c.is_whitespace() || ".。!！;；|".contains(c)).len();
    let end = if marked && whole <= range.start + LONGEST_LEAD { whole.max(range.end) } else { range.end };
    range.start..end
}

/// Where a pattern fits and what is good is what is spoken of: not where the tests do something else, and something else is
/// fine.
fn place_of(clause: &Clause, pattern: &Pattern) -> Option<Range<usize>> {
    let mut from = 0;
    for _ in 0..4 {
        let place = pattern.find(clause.text.get(from..)?)?;
        let range = from + place.start..from + place.end;
        let text = clause::without_code(clause.text.get(range.clone()).unwrap_or_default());
        match DOES.find(&WHICH_DOES.blanked(&text)) {
            None => return (!is_by_way(clause, &range)).then_some(range),
            Some(does) => from = range.start + does.end,
        }
    }
    None
}

/// True when they pass on what they are given, or something is done by way of them.
fn is_by_way(clause: &Clause, range: &Range<usize>) -> bool {
    let text = clause.text.get(range.clone()).unwrap_or_default();
    let rest = clause.text.get(range.end..).unwrap_or_default();
    // "No longer" stands there as other letters, and says nothing by itself.
    let longer = text.ends_with("ok") && rest.starts_with(" longer");
    longer || THAT_PASSES.fits(&clause.text) || (text.ends_with("通过") && BY_WAY_ZH.fits(rest)) || OF_ZH.fits(rest)
}
