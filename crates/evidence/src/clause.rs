//! Parts of a sentence, and whether something that stands in one is claimed: not denied, not hoped for, not a condition.

use crate::pattern::patterns;
use std::ops::Range;

patterns! {
    BORDERS = r"[,，:：(（)）]|—|–|\s-\s|\s\|\s|\b(?:but|however|although|though|whereas|while|because|so|and|then|yet)\b|但是|但|不过|然而|虽然|尽管|因为|所以|而且|并且|然后";
    PREDICATE = r"\b(?:pass\w*|succe\w+|green|clean\w*|fix(?:ed|es)|resolve[sd]|solve[sd]|corrected|repaired|compil\w+|builds|built|work(?:s|ing)|ran|run|re-?ran|executed|tested|verified|ok|okay|fail\w*|created|added|wrote|updated|modified|edited|changed|rewrote|deleted|removed|renamed|moved|gone|happy|longer|adapted|adjusted|documented|implemented|refactored|introduced|replaced|extended|bumped|upgraded|migrated|ported|converted|formatted|reformatted)\b|n't|✅|✓|✔|🟢|❌|通过|成功|修复|解决|修正|修好|全绿|正常|正确|没问题|没有问题|失败|跑|运行|执行|创建|新建|新增|添加|更新|修改|删除|移除|过了|不再|全过|都过|绿了|修完|改为|改成|改了|加了|补了|移动|重命名|删掉|调整了|重构了|检查过|干净";
    CONDITION = r"^[\s\-*#\d.]*(?:if|unless|once|assuming|provided|in case|whether|as soon as|should you|when you|如果|若|一旦|假如|只要|除非|倘若|等到|等[^，。]{1,20}(?:后|再)|待)";
    OTHERS = r"\b(?:readme|docs?|documentation|comment|changelog|you|user|author|issue|ticket|commit message|issue says|teammate)\b[^.]{0,20}\b(?:says?|said|claims?|claimed|states?|stated|mention(?:s|ed)|told|reported)\b|\baccording to\b|你说|您说|你提到|您提到|文档说|文档中(?:说|写)|注释(?:里|中)?(?:说|写)|据称|据说";
    GOOD = r"\bno longer\b|\b(?:without|with no|with zero|no|zero|0)\b(?: (?:any|new|more|further|remaining|additional|test))* ?(?:failed|fails?|failures?|failing|errors?|warnings?|issues?|problems?|regressions?|errored|skipped|skips|diagnostics|complaints|changes?|modifications?|findings?|violations?|offen[sc]es?|differences|diffs?)\b|\bnot only\b|\bpreviously[- ]fail\w*|\b(?:that|which) (?:was|were|had been|previously)(?: previously)? (?:failing|failed|broken)\b|\bfailing (?:tests?|cases?|specs?|suite)\b|\bas before\b|\b(?:reports?|reported|finds?|found|prints?|printed|shows?|showed|says) (?:nothing|no output)\b|\b(?:nothing|no files?)(?: left)? (?:to|needs?|needed) (?:be )?(?:re)?(?:format|fix|chang|mend)\w*|没有?(?:任何)?(?:需要|待|未|要)(?:格式化|修改|修复|改动|处理|调整)的?(?:文件|地方|内容)?|(?:没有|无)(?:任何)?输出|\b(?:with |plus |and )?\d+ (?:tests? |others? |cases? )?(?:(?:was|were|are|is) )?(?:skipped|ignored|deselected|pending|todo)\b|(?:另有|另外|其余|还有|其中)? ?\d+ ?(?:个|项|条)?(?:测试|用例)?(?:被)? ?(?:跳过|忽略|pending|skipped|todo)(?:了)?|(?:跳过|忽略)(?:了)? ?\d+ ?(?:个|项|条)|没有?(?:发现|出现|引入|留下)?(?:任何|新的|新增|明显|遗留|遗留的|其他|其它|一个|残留|残留的)?(?: ?lint| ?类型)?(?:错误|警告|问题|失败|报错|回归|异常|跳过|遗漏|告警|违规|差异)(?:的)?|无(?:任何)?(?:错误|警告|报错|失败|问题|误)|零(?:错误|警告|失败)|0 ?(?:个|条|项)? ?(?:失败|错误|警告|跳过)|失败 ?[:：]?0|不再|不仅|(?:之前|原本|原先|此前|先前)?(?:失败|报错|挂掉)的|未(?:发现|出现|引入)(?:任何|新的)?(?:问题|错误|回归|异常)|没问题";
    HEDGE = r"\b(?:should|would|will|could|might|may|must|expect\w*|hopefully|likely|probably|presumably|need(?:s|ed)? (?:to|it)|wants?|wanted|let me|let's|going to|try|tries|trying|tried|please|plan(?:s|ned|ning)? to|think|believe|suspect|assum\w+|if|unless|once|until|whether|ensures?|makes? sure|check(?:s|ed)? (?:that|if|whether)|in order to|so that|intend\w*|aims?|recommend\w*|suggest\w*|remember|todo|supposed|ideally|theoretically|in theory|used to|before|originally|yesterday|whenever|requires?|asserts?|only if|as long as|waits?|you can|can be|can then|how to|ha(?:s|ve) to|to get|(?:when|while|after)(?: all| the| every| your| these)+(?: \w+)? (?:tests?|checks?|builds?|suite|ci)|partially|partly|half|almost|nearly|claims? that|to (?:confirm|verify|check|see|make|have))\b|^\W*(?:verify|confirm|check|run|make|ensure|get|next)\b|应该|应当|应能|应可|可能|也许|大概|预计|估计|理论上|将会|将要|即将|也会|就会|才会|会通过|会成功|需要|仍需|还需|需先|请(?:[^求]|$)|建议|希望|确保|以便|(?:^|[^名改换变移设定])为了|打算|计划|准备|接下来|下一步|尝试|试图|能否|是否|如果|若|一旦|只要|除非|假如|直到|等到|等待|(?:修改|改动|重构|更改|变更)之?前|之前|原来|此前|以前|你可以|您可以|可以(?:运行|执行|跑)|可以通过[^了\s，。！；、)）]|可(?:运行|执行)|记得|想要|要确保|用于|用来|若要|部分(?:地)?(?:测试|用例|单测|通过|修复|完成|解决|成功)|(?:有|一|大)部分|^[\s、，]*部分|几乎|差不多";
    DENIED = r"\b(?:not|never|no|none|nothing|cannot|unable|without|fail(?:s|ed|ing|ure|ures)?|broken|breaks?|errors?|unverified|untested|except|almost|nearly|most|some|only|partially|skip(?:ped)?|pending|blocked|instead of|todo)\b|n't|n’t|❌|⚠|\b\d+ failed|未|没有|没|无法|不能|不|失败|尚|大部分|多数|除了|除此|仅|只有|跳过|有问题|待";
    DENIED_BEFORE = r"\b(?:not|never|no|none|nothing|cannot|unable|without|haven|hasn|isn|failed to)\b|n't|n’t|❌|未|没有|没|无法|不能|并不|不会|尚";
    FAILURE = r"\bfail(?:s|ed|ing|ures?)?\b|\bbroken\b|\berrors?\b|\bred\b|❌|失败|报错|未通过|没通过|没有通过|不通过";
    HARMLESS = r"(?:\b[1-9]\d*|\bone|\btwo|\bsome|\bfew|\bonly|只有|仅有|有)\b?[^,，。]{0,30}?(?:warning|警告|告警)|不管|忽略|不影响|无关|\bignor|unrelated|harmless";
    UNLESS = r"\b(?:except|apart|but|fail\w*|not|without|error\w*)\b|n't|除|失败|报错|没|未|错误|❌";
    MORE_FILES = r"^(?:[\s,，、&]|\band\b)*`?[a-z0-9_@./-]+\.[a-z0-9]{1,8}`?\s*$";
    CODE = r"`([^`\n]+)`";
    WHEN_ZH = r"[^同及实超临按小暂耗准当届]时\s*$|(?:通过|成功|错误|警告|问题|失败|完成)(?:时|的时候|的话|之?后再|后才|才)|(?:的时候|的话)\s*$";
    THEN_ZH = r"^\s*了?(?:时|的时候|的话|之?后再|之?后才)";
    LEADING = r"^[\s\-*+#\d.)(（,，、|]*(?:✅|✓|✔|🟢|❌)";
    LABELLED = r"^\s*[:：|(（—–]";
    BEFOREHAND = r"\bbefore (?:my|the|this|these|your|any|we|i)\b|\byesterday\b|\bin (?:the )?past\b|修改前|改动前|之前就";
}

/// A part of a sentence.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    pub(crate) range: Range<usize>,
    /// Its text, with what only sounds like a failure in other words of the same length.
    pub(crate) text: String,
    /// Its text as it stands.
    pub(crate) original: String,
}

/// True when a sentence speaks of a condition, or of what others say.
pub(crate) fn is_hypothetical(sentence: &str) -> bool {
    CONDITION.fits(sentence) || OTHERS.fits(sentence)
}

/// The parts of a sentence: each has something that is said, and what stands alone belongs to what comes next.
pub(crate) fn clauses(sentence: &str) -> Vec<Clause> {
    let text = without_good(sentence);
    let plain = without_code(&text);
    let mut cuts: Vec<usize> = BORDERS.all(&plain).into_iter().map(|(range, _)| range.start).collect();
    cuts.push(text.len());
    let (mut found, mut start): (Vec<Clause>, usize) = (Vec::new(), 0);
    for cut in cuts {
        let part = text.get(start..cut).unwrap_or_default();
        let more =
            MORE_FILES.fits(part) && !text.get(cut..).is_some_and(|rest| rest.starts_with([':', '：', '(', '（']));
        if let Some(last) = found.last_mut().filter(|_| more) {
            last.range.end = cut;
            last.text = text.get(last.range.clone()).unwrap_or_default().to_owned();
            start = cut;
        } else if says(&plain, start..cut) || cut == text.len() {
            found.push(Clause { range: start..cut, text: part.to_owned(), original: String::new() });
            start = cut;
        }
    }
    // A rest that says nothing belongs to what stands before it.
    if found.len() > 1 && found.last().is_some_and(|last| !PREDICATE.fits(&without_code(&last.text))) {
        let rest = found.pop();
        // Of what may be left alone nothing is taken back.
        let harmless = rest.as_ref().is_some_and(|rest| HARMLESS.fits(&rest.text) && !UNLESS.fits(&rest.text));
        let rest = rest.map(|last| last.range.end).unwrap_or_default();
        if let Some(last) = found.last_mut().filter(|_| !harmless) {
            last.range.end = rest;
            last.text = text.get(last.range.clone()).unwrap_or_default().to_owned();
        }
    }
    for clause in &mut found {
        sentence.get(clause.range.clone()).unwrap_or_default().clone_into(&mut clause.original);
    }
    found
}

/// True when something is said here. A mark before a label only leads to what is said behind it.
fn says(text: &str, range: Range<usize>) -> bool {
    let part = text.get(range.clone()).unwrap_or_default();
    let label = LABELLED.fits(text.get(range.end..).unwrap_or_default());
    let lead = LEADING.find(part).filter(|_| label).map_or(0, |lead| lead.end);
    PREDICATE.fits(part.get(lead..).unwrap_or_default())
}

/// The text with good news that is told by words for bad news replaced by words that deny nothing.
pub(crate) fn without_good(text: &str) -> String {
    let mut out = text.to_owned();
    for (range, found) in GOOD.all(text) {
        if let Some(rest) = found.strip_prefix("failing ") {
            out.replace_range(range.clone(), &format!("ok      {rest}"));
            continue;
        }
        let word = if found.contains("longer") || found.contains("不再") || found.contains("warning") {
            found.replace("no ", "ok ").replace("不", "已")
        } else {
            String::new()
        };
        let filler = if word.len() == found.len() { word } else { format!("{:<width$}", " ok", width = range.len()) };
        out.replace_range(range, &filler);
    }
    out
}

/// The text with signs in place of code, whose words deny nothing.
fn without_code(text: &str) -> String {
    let mut out = text.to_owned();
    for (range, code) in CODE.all(text) {
        out.replace_range(range, &"x".repeat(code.len()));
    }
    out
}

impl Clause {
    /// True when what ends here is not claimed but hoped for, planned, or told of earlier times.
    pub(crate) fn hedges(&self, end: usize) -> bool {
        let text = without_code(&self.text);
        let rest = text.get(end..).unwrap_or_default();
        HEDGE.fits(text.get(..end).unwrap_or_default()) || WHEN_ZH.fits(&text) || THEN_ZH.fits(rest)
    }

    /// True when something in it is denied.
    pub(crate) fn denies(&self) -> bool {
        let text = without_code(&self.text);
        DENIED.fits(&text) || BEFOREHAND.fits(&text)
    }

    /// True when something before this place is denied.
    pub(crate) fn denies_before(&self, end: usize) -> bool {
        DENIED_BEFORE.fits(without_code(&self.text).get(..end).unwrap_or_default())
    }
}

/// True when a sentence tells of tests, builds or checks that failed.
pub(crate) fn tells_failure(sentence: &str) -> bool {
    let text = without_good(sentence);
    FAILURE.fits(&text)
}
