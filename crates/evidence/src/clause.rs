//! Parts of a sentence, and whether something that stands in one is claimed: not denied, not hoped for, not a condition.

use crate::grammar;
use crate::inline;
use crate::news::without_bad;
use crate::pattern::patterns;
use std::ops::Range;

/// What else is said of something.
const SAYS: &str = r"\b(?:pass\w*|succe\w+|green|clean\w*|fix(?:ed|es)|resolve[sd]|solve[sd]|corrected|repaired|compil\w+|assembles|builds|built|work(?:s|ing)|ran|run|re-?ran|executed|tested|verified|ok|okay|fail\w*|created|added|wrote|updated|modified|edited|changed|rewrote|deleted|removed|renamed|moved|gone|happy|longer|any ?more|rid of|care of|addressed|eliminated|squashed|adapted|adjusted|documented|implemented|refactored|introduced|replaced|extended|bumped|upgraded|migrated|ported|converted|formatted|reformatted|(?:is|are) new|quiet|silent)\b|n't|✅|✓|✔|🟢|❌|通过|成功|修复|解决|修正|修好|全绿|正常|正确|没问题|没有问题|失败|跑|运行|执行|创建|新建|新增|添加|更新|修改|删除|移除|过了|不再|全过|都过|绿了|修完|改为|改成|改了|加了|补了|移动|移到|移至|挪到|搬到|重命名|更名|删掉|调整了|重构了|检查过|干净|无改动|没有改动|接入|引入|抽到|抽出|挂载|无变更|去掉|去除|清理|替换|搞定|消除|排除|不会再|已修|[\x{4e00}-\x{9fff}]{2}了";

patterns! {
    BORDERS = r"[,，:：(（)）]|—|–|[·•]|\s-\s|\s\|\s|\b(?:but|however|although|though|whereas|while|because|so|and|then|yet)\b|但是|但|不过|然而|虽然|尽管|因为|所以|而且|并且|然后";
    PREDICATE = format!("{}|{SAYS}", grammar::good());
    CONDITION = r"^[\s\-*#\d.]*(?:please|kindly|which|how|why|make sure|be sure|remember|don't forget|do not forget|麻烦|记得|务必|请(?:[^求]|$)|if|unless|once|assuming|provided|in case|whether|as soon as|should you|when you|如果|若|一旦|假如|只要|除非|倘若|等到|等[^，。]{1,20}(?:后|再)|待)";
    GOAL = r"^[\s\-*#\d.]*(?:(?:the|our|my|your|its|this) )*(?:(?:main|only|stated|overall) )?(?:goals?|aim|target|objective|requirements?|acceptance criteri(?:on|a)|criteri(?:on|a)|definition of done|precondition|expectation|expected(?: result| outcome)?|to ?do|next(?: steps?)?|remaining|follow-?ups?|plan|still open)\b ?(?:for \w+ )?(?:is|are|was|says?|:|：|—|–|-)|^[\s\-*#\d.]*(?:(?:我们|本次|这次|最终|任务|验收|合并|发布)的?)*(?:目标|要求|验收标准|验收条件|标准|前提|条件|预期结果|预期|期望|待办|下一步|后续|计划|接下来)(?:是|为|：|:|在于)";
    ADVICE = r"^[\s\-*#\d.>]*(?:(?:pro[- ]?)?tips?|hints?|suggestions?|recommendations?|advice|reminder|小贴士|小提示|提示|建议|贴士|提醒)\s*[:：]";
    IMPERATIVE = r"^[\s\-*\d.]*(?:run|re-?run|verify|confirm|ensure|execute|try|double-check|check (?:that|if|whether)|see (?:that|whether)|get|keep|wait (?:until|for)) [^:：|→]*$";
    I_DID = r"\b(?:i|we|i've|we've|it|was|were|ran|passed)\b";
    HISTORY = r"\baccording to (?:the |its )?(?:git |commit |version )?(?:history|log|blame)\b|\b(?:git )?(?:log|blame|history) (?:shows?|says?|tells?|has it)\b|\b(?:commits?|prs?|pull requests?|merge requests?|mrs?) `?[#!]?[0-9a-f]{2,40}`? (?:has |had |also |then )?(?:added|changed|introduced|removed|deleted|renamed|moved|updated|created|rewrote|fixed|modified)\b|\bin (?:commit|pr|pull request|mr|merge request) `?[#!]?[0-9a-f]{2,40}\b|(?:根据|据|按照?|从)[^，。]{0,6}(?:git|提交|版本)[^，。]{0,4}(?:历史|记录|日志|blame|log)|(?:git )?(?:log|blame|提交历史|提交记录) ?(?:里|中|上)?(?:显示|表明|可以看到|可见)|(?:^|[^已了])提交 ?`?[0-9a-f]{6,40}`? ?(?:中|里)?(?:新增|新建|添加|修改|删除|移除|引入|更新|重构|改)";
    FIRST = r"\b(?:i|we|i've|we've)\b|我";
    OTHERS = r"\b(?:readme|docs?|documentation|comment|changelog|you|user|author|issue|ticket|commit message|issue says|teammate)\b[^.]{0,20}\b(?:says?|said|claims?|claimed|states?|stated|mention(?:s|ed)|told|reported)\b|\bsays (?:the|your|our|its)\b|\baccording to (?:the |your |my |its )?(?:readme|docs?|documentation|user|issue|ticket|author|comments?|changelog|you|him|her|them|spec|commit|messages?|reports?|notes?|description)\b|你说|您说|你提到|您提到|文档说|文档中(?:说|写)|注释(?:里|中)?(?:说|写)|据称|据说";
    TOOL_SAYS = format!(r"(?:\b(?:{})`?|`(?:[a-z-]+ )*(?:test|check|validate|vet|lint|build|plan|fmt|analyze|verify)(?: [^`]*)?`) says\b", grammar::tools());
    HEDGE = r"\b(?:should|would|will|could|might|may|must|expect\w*|hopefully|likely|probably|presumably|need(?:s|ed)? (?:to|it)|wants?|wanted|let me|let's|going to|try|tries|trying|tried|please|(?:i|we|they|you|still|also) plan to|plan(?:s|ned|ning) to|think|believe|suspect|assum\w+|if|unless|once|until|whether|ensures?|makes? sure|check(?:s|ed)? (?:that|if|whether)|in order to|so that|intend\w*|aims?|recommend\w*|suggest\w*|remember|todo|supposed|ideally|theoretically|in theory|used to|before|originally|yesterday|let(?:ting)? (?:the |your |our |its )?(?:\w+ )?(?:ci|pipelines?|suite|tests?|build|workflows?|checks) (?:go|run|pass|finish|complete|succeed|come|turn)|(?:was|were) last|last (?:green|passed|passing|ran|week|month|year|night|time|release)|ago|whenever|requires?|asserts?|only if|as long as|waits?|you can|you(?:'ll|’ll| will)|can be|can then|how to|ha(?:s|ve) to|to get|(?:when|while|after)(?: all| the| every| your| these)+(?: \w+)? (?:tests?|checks?|builds?|suite|ci)|partially|partly|half|almost|nearly|claims? that|to (?:confirm|verify|check|see|make|have|pass|succeed|compile|build|be))\b|^\W*(?:verify|confirm|check|run|make|ensure|get|next)\b|取决于|目标是|要(?:符合|保持|通过|确保|保证)|应该|应当|应能|应可|可能|也许|大概|预计|估计|理论上|将会|将要|即将|也会|就会|才会|会通过|会成功|需要|仍需|还需|需先|(?:^|[^邀申宴聘敬])请(?:[^求]|$)|建议|希望|确保|以便|(?:^|[^名改换变移设定])为了|打算|计划|准备|接下来|下一步|尝试|试图|能否|是否|如果|若|一旦|只要|除非|假如|直到|等到|等待|(?:修改|改动|重构|更改|变更)之?前|之前|原来|此前|以前|你可以|您可以|可以(?:运行|执行|跑)|可以通过[^了\s，。！；、)）]|可(?:运行|执行)|记得|想要|要确保|用于|用来|若要|部分(?:地)?(?:测试|用例|单测|通过|修复|完成|解决|成功)|(?:有|一|大)部分|^[\s、，]*部分|几乎|差不多";
    DENIED = r"\b(?:not|never|no|none|neither|all but|but (?:one|two|three|four|\d+)|bar one|apart from|other than|save for|nothing|cannot|unable|without|fail(?:s|ed|ing|ure|ures)?|broken|breaks?|errors?|unverified|untested|except|almost|nearly|only|partially|skip(?:ped)?|pending|blocked|instead of|todo)\b|n't|n’t|❌|⚠|\b\d+ failed|并非|不是|除[^，。]{1,12}外|与否|未|没有|没|无法|不能|不|失败|尚|除了|除此|仅|只有|跳过|有问题|待";
    NOT_ALL = r"\b(?:most|some|few|half)\b|大部分|多数|少数";
    EXCEPT = r"\b(?:tests?|specs?|cases?|all|everything|every one) but\b|\b(?:except|apart from|other than|save for|aside from|instead of|unable|cannot|could|only)\b|(?:^|[^删移清消排去解剔免废根])除|❌|⚠|失败|无法|不能";
    DENIED_BEFORE = r"\b(?:not|never|no|none|nothing|cannot|unable|without|haven|hasn|isn|failed to)\b|n't|n’t|❌|未|没有|没|无法|不能|并不|不会|尚";
    FAILURE = r"\bfail(?:s|ed|ing|ures?)?\b|\bbroken\b|\berrors?\b|\bred\b|❌|失败|报错|未通过|没通过|没有通过|不通过";
    HARMLESS = r"^[\s，,、]*其中[^，。]{0,60}?(?:是|为)(?:这次|本次)?(?:新|刚)(?:加|增|写|建)?的|(?:\b[1-9]\d*|\bone|\btwo|\bsome|\bfew|\bonly|只有|仅有|有)\b?[^,，。]{0,30}?(?:warning|警告|告警)|提示[^，。]{0,6}(?:过大|较大|偏大|弃用)|\d ?[km]i?b\b|较慢|偏慢|偏大|不管|忽略|不影响|无关|\bignor|unrelated|harmless";
    MEASURED = r"^[\s,]*and (?:now |also |still )?(?:it |they |the (?:\w+ )?)?(?:weighs?|takes?|took|needs?|uses?|comes? in at|measures?|finish(?:es|ed)|lasts?|shrinks?|shrank|is (?:now )?(?:about |only |just )?\d)\b|^[\s，,、]*(?:而且|并且|且)?(?:镜像|整体|总)?(?:体积|大小|耗时|用时|时间|速度|占用|共计|总共)";
    SINCE = r"\b(?:nothing|no (?:code|files?|source)|have not|haven't|haven’t|did not|didn't|didn’t)\b[^.;]{0,20}\b(?:chang|touch|edit|modif|alter)\w*[^.;]{0,16}\b(?:since|after(?:wards| that)?|in between)\b|(?:之后|此后|随后|后来|期间|以来)[^，。；]{0,8}?(?:没有?|未)(?:再)?(?:有)?(?:动|改|修改|变|碰|更改|编辑)|(?:没有?|未)再(?:动|改|修改|变|碰|更改|编辑)";
    UNLESS = r"\b(?:except|apart|but|fail\w*|not|without|error\w*)\b|n't|除|失败|报错|没|未|错误|❌";
    APART = r"^[\s]*(?:[,，;；(（]|—|–|\s-\s)";
    OF_CHECKS = format!(r"{}|{}|{}|\b(?:it|they|them|this|that|those|these|all|both|one|two|three|some|most|few|half|part|yet|still|only|just|except|apart|count\w*|includ\w*|exclud\w*|consider\w*|windows|macos|linux|ci|other|but|save|bar|aside|fail\w*|error\w*|broke\w*|red|skip\w*|pending|run|ran|check\w*|verif\w*|sure|certain|confirm\w*|guarantee\w*|know|think|believe|guess|hope|assum\w*|suppose|everything|exhaustive\w*|complete\w*|finish\w*)\b|\d|[它这那全都均部一二两三几些半多少]|不含|不包括|不算|不计|尚|还|待|除|仅|只|失败|报错|错|挂|红|跳过|跑|运行|执行|验证|检查|确认|保证|完", grammar::tests(), grammar::builds(), grammar::lints());
    MORE_FILES = r"^(?:[\s,，、&]|\band\b)*`?[a-z0-9_@./-]+\.[a-z0-9]{1,8}`?\s*$";
    CODE = r"`([^`\n]+)`";
    FROM_BEFORE = r"\b(?:run|result|green|build|suite|check)s? (?:from|of) (?:before|earlier)\b";
    SHORT_ANSWER = r"^\W*(?:(?:no|not|nope)\b[^,.;:，]{0,24}[,;—–-]+ ?but\b|(?:not |only )?(?:before|until|earlier|so far|yet)\b[^,.;:]{0,16}, but\b|(?:no|nope|yes|not yet|correct|right|sure|done|good point|you're right|fair point)[,.:!]? ?[—–-]+ |(?:没有|还没有?|之前没有?|刚才没有?|上次没有?|先前没有?)[^，。：:]{0,8}[，,](?:不过|但是?|现在|刚刚|刚才))";
    WHEN_ZH = r"[^同及实超临按小暂耗准当届]时\s*$|(?:通过|成功|错误|警告|问题|失败|完成)(?:时(?:[^间区刻序段钟长限]|$)|的时候|的话|之?后再|后才|才)|(?:的时候|的话)\s*$|(?:^|[|:：，,–—-]|需要?|要|会|再)\s*等[^，。|]{1,20}?(?:通过|成功|完成)|(?:通过|成功|完成)(?:之|以)?后[^，。的了]{0,4}(?:执行|运行|跑|上传|触发|部署|发布|继续|开始|进入)[^，了]*$";
    THEN_ZH = r"^\s*了?(?:时(?:[^间区刻序段钟长限]|$)|的时候|的话|之?后再|之?后才|之?后[，,]?\s*(?:请|就|即可|可|可以|方可|你|您|我会|我再))";
    THEN_LATER = r"(?:通过|成功|完成)(?:之|以)?后[，,][^，。了]{0,16}(?:才|就会|会自动|即可|请)";
    THINKS = r"\bi (?:think|believe|guess|suppose|assume|hope|expect)\b|\b(?:presumably|hopefully|probably|i'd say)\b|我(?:想|猜|估计|觉得)(?:是|应该)?\s*[。.]?\s*$";
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
    let sentence = &TOOL_SAYS.blanked(sentence);
    let told = IMPERATIVE.fits(sentence) && !I_DID.fits(sentence);
    let others = HISTORY.fits(sentence) && !FIRST.fits(sentence);
    THEN_LATER.fits(sentence)
        || CONDITION.fits(sentence)
        || GOAL.fits(sentence)
        || ADVICE.fits(sentence)
        || OTHERS.fits(sentence)
        || others
        || told
}

/// The parts of a sentence: each has something that is said, and what stands alone belongs to what comes next.
pub(crate) fn clauses(sentence: &str) -> Vec<Clause> {
    let text = without_bad(sentence);
    let plain = without_commands(&text);
    // A number behind a colon belongs to what is counted.
    let counts = |range: &Range<usize>| {
        let rest = plain.get(range.end..).unwrap_or_default().trim_start();
        matches!(plain.get(range.clone()), Some(":" | "：")) && rest.starts_with(|c: char| c.is_ascii_digit())
    };
    let borders = BORDERS.all(&plain).into_iter().map(|(range, _)| range);
    let borders = borders.filter(|range| !counts(range));
    let mut cuts: Vec<usize> = borders.map(|range| range.start).collect();
    cuts.push(text.len());
    // An answer in short that is taken back by "but" says nothing of what stands behind it.
    let skipped = SHORT_ANSWER.find(&plain).map_or(0, |short| short.end);
    cuts.retain(|cut| *cut > skipped);
    let (mut found, mut start): (Vec<Clause>, usize) = (Vec::new(), skipped);
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
    if found.len() > 1 && found.last().is_some_and(|last| !PREDICATE.fits(&without_commands(&last.text))) {
        let rest = found.pop();
        // Of what may be left alone nothing is taken back.
        let harmless = rest.as_ref().is_some_and(|rest| {
            let text = without_code(&rest.text);
            let aside = HARMLESS.fits(&text) || MEASURED.fits(&text);
            let apart = APART.fits(&text) && DENIED.fits(&text) && !OF_CHECKS.fits(&text);
            SINCE.fits(&text) || apart || (aside && !UNLESS.fits(&text))
        });
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

/// The text with signs in place of code, whose words deny nothing.
pub(crate) fn without_code(text: &str) -> String {
    let mut out = text.to_owned();
    for (range, code) in CODE.all(text) {
        out.replace_range(range, &"x".repeat(code.len()));
    }
    out
}

/// True when a text hopes for something, or plans it.
pub(crate) fn hedged(text: &str) -> bool {
    HEDGE.fits(&without_code(text))
}

/// The same for commands that stand without signs for code, too: nothing is said by their words.
fn without_commands(text: &str) -> String {
    let mut out = without_code(text);
    for (range, command) in inline::bare(text) {
        out.replace_range(range, &"x".repeat(command.len()));
    }
    out
}

impl Clause {
    /// True when what ends here is not claimed but hoped for, planned, or told of earlier times.
    pub(crate) fn hedges(&self, end: usize) -> bool {
        let text = FROM_BEFORE.blanked(&without_commands(&self.text));
        let rest = text.get(end..).unwrap_or_default();
        let doubted = THEN_ZH.fits(rest) || THINKS.fits(rest);
        HEDGE.fits(text.get(..end).unwrap_or_default()) || WHEN_ZH.fits(&text) || doubted
    }

    /// True when something is denied from the part on that this place stands in, or an exception is made anywhere.
    pub(crate) fn denies(&self, place: &Range<usize>) -> bool {
        let text = without_code(&self.text);
        let before = text.get(..place.start).unwrap_or_default();
        let start = before.rfind([',', '，']).unwrap_or_default();
        let not_all = NOT_ALL.fits(text.get(start..place.end).unwrap_or_default());
        not_all || DENIED.fits(text.get(start..).unwrap_or_default()) || EXCEPT.fits(&text) || BEFOREHAND.fits(&text)
    }

    /// True when something before this place is denied.
    pub(crate) fn denies_before(&self, end: usize) -> bool {
        DENIED_BEFORE.fits(without_code(&self.text).get(..end).unwrap_or_default())
    }
}

/// True when a sentence tells of tests, builds or checks that failed.
pub(crate) fn tells_failure(sentence: &str) -> bool {
    let text = without_bad(sentence);
    FAILURE.fits(&text)
}
