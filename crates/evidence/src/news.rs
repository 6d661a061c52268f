//! Bad news that is denied, and bad news that is only told in passing: neither denies what stands beside it.

use crate::grammar::{self, GOOD_NEWS};
use crate::pattern::patterns;
use std::ops::Range;

/// Words that deny what follows.
const NO: &str = r"(?:no|zero|0|without|with no|with zero|not (?:a single|one|any)|free of)";

/// Bad news, as nouns and as verbs of a noun.
const BAD: &str = r"(?:failed|fails?|failures?|failing|errors?|warnings?|issues?|problems?|regressions?|errored|skipped|skips|diagnostics?|complaints?|changes?|modifications?|findings?|violations?|offen[sc]es?|differences?|diffs?|lints?|objections?|hits?|hitch(?:es)?|hints?|remarks?|defects?|breakages?|surprises?|races?|data races?|leaks?|crash(?:es)?|panics?|flakes?|timeouts?|conflicts?|deprecations?|mismatch(?:es)?|duplicates?|typos?|objections?|exceptions?|vulnerabilit(?:y|ies)|(?:broken|dead|dangling|unresolved) (?:references?|links?|imports?|anchors?))";

/// Verbs by which a check tells of something.
const TELLS: &str = r"(?:reports?|reported|finds?|found|prints?|printed|shows?|showed|says|said|has|had|gives?|gave|outputs?|returns?|returned|lists?|listed|detects?|detected|flags?|flagged|raises?|raised|yields?|emits?|emitted|produces?|produced|see|saw|turns? up|turned up|leaves?|left|names?|named|spots?|spotted|picks? up|picked up|brings? up|brought up|comes? up with|came up with|counts?|counted|ends? with|ended with|finish(?:es|ed) with|complet(?:es|ed) with|complains? about|complained about)";

/// The same in Chinese.
const TELLS_ZH: &str = r"(?:再|能)?(?:报告|发现|出现|引入|留下|报出?|产生|检测到|检测出|检出|提示|给出|输出|抛出|看到|遇到|触发|存在|收到|打印|有)?(?:了|过|到)?";

const BAD_ZH: &str = r"(?:错误|警告|问题|失败|报错|回归|异常|跳过|遗漏|告警|违规|差异|提示|意见|抱怨|缺陷|冲突|偏差|出错|竞态|数据竞争|泄漏|泄露|超时|崩溃|毛病|不符|漏洞|warnings?|errors?|issues?|problems?|findings?|violations?|diffs?|bugs?|offen[sc]es?)";

/// Words that may stand between a denial and what is denied.
fn qualities() -> String {
    let plain = r"a|any|new|more|further|remaining|additional|other|single|outstanding|open|tests?|types?|lint|linter|linting|compil(?:e|er|ation)|build|format|formatting|style|static|analysis|unused|deprecation|runtime|visible|unexpected|syntax|and|or|left|existing|real|known|obvious|security|code|blocking|fatal|serious|significant|critical|major|minor|reported|reportable|such|net|yaml|config|configuration|resource|schema|dependency|spelling|shell|logic|undefined|typing|import";
    format!(r"(?:[ -](?:{plain}|{}))*", grammar::tools())
}

fn denied() -> String {
    let qualities = qualities();
    [
        format!(r"\b{NO}{qualities}[ -]+{BAD}\b(?:(?:,? (?:or|nor|and)| ?/| &){qualities} ?{BAD}\b)*(?: (?:fires?|fired|left|remain\w*|whatsoever|at all))?"),
        format!(r"\b(?:all|the)(?: (?:remaining|reported|other|open))* (?:{}|linter|lint|type) (?:errors|warnings|issues|problems|findings|violations|complaints) (?:are|have been|were) (?:now |all )*(?:gone|cleared)\b", grammar::tools()),
        format!(r"\b{TELLS} (?:nothing|no output|no complaints)\b(?: (?:else|wrong|new|more|amiss|suspicious|unusual|odd|unexpected))*(?: (?:left )?to (?:complain about|say|report|fix|flag|add|object to|mention|point out|criticise|criticize)(?: about (?:it|them|this))?| behind)?"),
        r"\b(?:lists?|listed|prints?|printed|reports?|reported|shows?|showed|returns?|returned|names?|named|gives?|gave|outputs?|flags?|flagged|finds?|found) no (?:other |more |further |unformatted |changed |misformatted )?(?:files?|lines?|entries|names|results|paths|differences)\b".to_owned(),
        r"\bwithout (?:any |a single |further )?(?:output|a word|complaints?|complaining|incident|trouble|fuss)\b|\b(?:went |go(?:es)? |come |came |is |are )?(?:down )?from \d+(?: [a-z]+){0,2} (?:down )?to (?:0|zero|none)\b".to_owned(),
        r"从 ?\d+ ?(?:个|条|处|项)?[^，。]{0,8}?(?:降|减|下降|减少|归|变)(?:到|至|为|成)了? ?(?:0|零)(?: ?(?:个|条|处|项))?|(?:已|已经|全部|全)(?:清零|归零)".to_owned(),
        r"\b(?:empty output|output (?:is|was|stays|stayed) empty|no output(?: at all)?|(?:stays?|stayed|remains?|remained|keeps?|kept) (?:silent|quiet))\b".to_owned(),
        r"\bnothing(?: left)?(?: (?:is|was|to|needs?|needed))*(?: be)? (?:fail(?:s|ed|ing)?|broke(?:n)?|breaks?|regress(?:ed|es)|skipped|red|pending|outstanding|missing|lost|flagged|wrong|reported|complain(?: about)?|report|flag|(?:re)?format\w*|fix\w*|chang\w*|mend\w*)\b".to_owned(),
        r"\bno files?(?: left)? (?:to|needs?|needed) (?:be )?(?:re)?(?:format|fix|chang|mend)\w*".to_owned(),
        r"\b(?:none|not one)(?: of (?:the|these|them|our|its|my|those))?(?: \d+)?(?: tests?| specs?| checks?| cases?)?(?: \w+)? (?:fail(?:s|ed|ing)?|breaks?|broke|complain(?:s|ed)?)\b|[,;(–—] ?(?:and )?none(?: (?:were|was|are))? (?:skipped|pending|ignored|flaky)\b".to_owned(),
        format!(r"\b(?:do|does|did)(?:n't|n’t| not) (?:report|find|show|flag|raise|print|emit|produce|give|yield|have|list|output|throw|detect|turn up|return)(?: (?:anything|a thing)| (?:any|a|a single|one){qualities} {BAD})\b"),
        r"\b(?:do|does|did)(?:n't|n’t| not|es not)(?: even)? (?:complain|object|fail|warn|choke)\b|\bno longer (?:complain|warn|object|report|flag)\w*(?: (?:anything|about anything))?".to_owned(),
        r"\b(?:fail(?:ed|ures?|s)?|errors?|warnings?|skipped) ?[:：=] ?0\b".to_owned(),
        r"\bneither .{1,40}? nor .{1,40}? (?:complain|object|fail|warn)(?:s|ed)?\b".to_owned(),
        r"\bnot only\b|\bas before\b|\b(?:comes?|came) back empty\b|\bleaves? (?:everything|all files|all of it|the (?:files|tree|code)|it|them) (?:as (?:it is|they are|is)|unchanged|untouched|alone)\b".to_owned(),
        format!(r"(?:没有?|无|未|零|并无|已无|再无|毫无|均无)(?:一[个条处项])?{TELLS_ZH}(?:任何|新的?|新增的?|明显的?|遗留的?|其他|其它|一[个条处项]|残留的?|额外的?|多余的?|剩余的?|严重的?)*(?: ?(?:lint|类型|编译|语法|格式|测试|用例|风格|单测|[a-z]+)(?:检查)? ?)?(?:上)?(?:的)? ?{BAD_ZH}(?:(?: ?(?:和|与|或者?|、|及|以及|/|,) ?|[，,]?也?(?:没有?|无) ?)(?:任何|新的?)?{BAD_ZH})*(?:的(?:测试|用例|单测)?)?"),
        r"(?:没有|无)(?:任何)?(?:额外|其他|其它)?输出|输出(?:是|为)?空的?|空输出|(?:没有?|未)列出(?:任何)?(?:文件|内容)|零(?:错误|警告|告警|失败|问题|违规)(?:[、,，/]?零(?:错误|警告|告警|失败|问题|违规))*|没有?(?:任何)?(?:需要|待|未|要)(?:格式化|修改|修复|改动|处理|调整)的?(?:文件|地方|内容)?|一(?:个|条|项)(?:测试|用例)?(?:都|也)没有?(?:挂|失败|报错|出错|红)(?:掉|的)?|(?:没有?|无)(?:一个)?(?:测试|用例)?(?:挂掉|挂的|变红|红的)|无一(?:例外|失败|报错|挂掉)|0 ?(?:个|条|项|处)? ?(?:失败|错误|警告|告警|跳过|问题)|失败 ?[:：]? ?0|不仅|没问题|不再(?:报告|提示|告警|警告|报警|有(?:任何)?(?:警告|告警))".to_owned(),
    ]
    .join("|")
}

/// What linters tell of that is no error.
const FINDINGS: &str = r"(?:\b(?:warnings?|problems?|issues?|findings?|violations?|offen[sc]es?|diagnostics?|complaints?|hints?|remarks?|objections?|lints|hits?)\b|警告|告警|问题|违规|提示|意见|抱怨)";

patterns! {
    DENIED = denied();
    CODE = r"`([^`\n]+)`";
    FINDING = FINDINGS;
    OF_ERRORS = r"error|fail|broke|break|regress|skip|choke|before|not only|错误|失败|报错|出错|异常|回归|跳过|冲突|挂|红|不仅|例外";
    ERRORS_AND = format!(r"\berrors?,? (?:or|and|nor) (?:[a-z]+ ){{0,2}}?{FINDINGS}|(?:错误|报错) ?(?:或者?|和|与|、|及|以及|也没有?) ?{FINDINGS}");
    PASSING = r"跳过的(?:那|这)?(?:[0-9一两三几]+ ?)?(?:个|条|项|些)?[^，。；]{0,6}?(?:是|为|属于)[^，。；]*|\bthe (?:\w+ )?skipped (?:ones?|tests?|cases?)\b[^.;`]*|\bpreviously[- ]fail\w*|\b(?:that|which)(?: (?:was|were|had been|had|have|previously|initially|originally|first|used to))+ (?:fail|failing|failed|broken|red)(?: (?:before|earlier|previously|initially|at first|last time|until now|so far))?\b|\b(?:that|which) (?:failed|broke|were red)(?: (?:before|earlier|previously|initially|at first|last time|until now|so far|in the first run|on the first run))?\b|\b(?:with |plus |and )?\d+ (?:tests? |others? |cases? )?(?:(?:was|were|are|is) )?(?:skipped|ignored|deselected|pending|todo)\b|(?:另有|另外|其余|还有|其中)? ?\d+ ?(?:个|项|条)?(?:测试|用例)?(?:被)? ?(?:跳过|忽略|pending|skipped|todo)(?:了)?|(?:跳过|忽略)(?:了)? ?\d+ ?(?:个|项|条)|(?:之前|原本|原先|此前|先前|一开始|原来)?(?:一直)?(?:失败|报错|挂掉|不通过|没过|挂)的";
    EARLIER = r"[(（][^()（）]{0,30}(?:一开始|起初|最初|开始时|第一次|首次|\bat first\b|\binitially\b|\bthe first (?:time|run|attempt)\b)[^()（）仍还也]{0,40}[)）]|[(（][^()（）\d仍还也]{0,16}(?:之前|以前|此前|修复前|改动前|修改前|改前|原先|原来)[^()（）\d仍还也]{0,8}(?:红|失败|报错|不过|没过|挂)(?:的|了|掉|着)*[)）]|[(（](?:it |there |this |that |they )?(?:was|were|had been|previously|formerly|originally|initially|before(?: that)?:?|earlier:?|used to be|down from|up from|from|instead of|原来|之前|原先|此前|改动前|修改前|修复前|原本|以前|从)[^()（）]{0,12}\d[^()（）]{0,28}[)）]|\bdown from \d+\b|(?:^|[，,、；;])(?:而|且|并且|同时)?(?:对外|公开|现有|原有)?(?:的)?[0-9 \x{4e00}-\x{9fff}]{0,10}?(?:没有?|无|未|并无|不)(?:任何|明显|其他|其它|发生|产生|带来|引入)?(?:变化|改变|变动|影响|副作用|改动|差别|区别)|(?:里面|其中|包里|包内|镜像里|产物里)[^，,。；;]{0,12}?[，,]?(?:已|也|都)?(?:没有?|无|不含|不再(?:包含|有))[^，,。；;]{0,16}|\bno (?:\w+ ){0,2}(?:behaviou?r(?:al)?|functional|semantic|api|schema|visible|resource|infrastructure|breaking|other|public) changes?\b";
    RED_BEFORE = r"((?:之前|原来|原先|此前|先前|一开始|改动前|修改前|修复前)[^，。现]{0,10}?(?:失败|报错|挂|不通过|没过|红)的?[，,、]?\s*)(?:现在|如今|目前|修改后|改完|修复后|已)|\b((?:failed|was failing|was red|used to fail)(?: before| earlier| previously| at first)?(?:,| and| but)*) (?:it )?(?:now |is green\b|passes\b)";
    SUMMED = r"\btests run: ?(\d+), ?failures: ?0(?:, ?errors: ?0)?(?:, ?skipped: ?\d+)?|\b(\d+) (?:tests|examples|specs|runs|scenarios)(?:, \d+ (?:assertions|steps|skipped|pending|excluded|doctests?))*, (?:0|no) (?:failures|failed)\b(?: (?:or|and)(?: no| 0)? errors\b)?(?:, (?:0 errors|\d+ (?:skipped|pending|excluded|omissions))\b)*|\b(\d+) (?:tests? )?(?:run|ran|executed)[,:;] (?:(?:all |and )?(?:ok|passed|green)|(?:0|no) (?:failures|failed)(?: (?:or|and)(?: no| 0)? errors\b)?)\b|\b(?:failed|errors?)[:=] ?0, (?:passed|pass)[:=] ?(\d+)(?:, (?:skipped|skip|total)[:=] ?\d+)*|\bpass=(\d+) (?:[a-z]+=0 ?)+(?:total=\d+)?";
    UNCHANGED = r"\bno (?:[a-z-]+ ){0,2}(?:changes?|modifications?|edits?) (?:were |was |have been |are )?(?:made )?(?:to|in|on) (?:the|any|our|its|other|your|this|these|those|existing)\b";
    ONLY_RAN = r"[(（](?:only|仅|只)(?:限|跑了?|运行了?)? ?`[^`()（）]{1,60}`[)）]|\bonly (?:ran|re-?ran|executed|tested|checked)\b|\b(?:ran|executed) only\b|(?:只|仅)(?:跑|运行|执行)了";
    COLOURS = r"\bwarnings? (?:are |were |treated |turned |promoted |denied )*(?:in)?(?:to|as) errors\b|\bdeny(?:ing)? warnings\b|把?警告(?:当作?|视为|升级为|作为)错误|\b(?:continue[sd]?|seems?|seemed|proved?) to\b|\bhappy[- ]paths?\b|\b(?:the|an?) (?:green|ok|happy|good|clean) (?:button|icon|badge|label|paths?|cases?|light|colou?r|dialog|flow|way|part|reason|response|idea|candidate|place|slate|separation|api|interface|architecture|code)\b";
    FAILING = r"\b(failing) (?:tests?|cases?|specs?|suite)\b";
    LONGER = r"\bno longer\b|不再";
    SPOKEN_OF = format!(r"{}|{}|{}|\btype\b|类型", grammar::tests(), grammar::builds(), grammar::lints());
}

/// The text, byte for byte, with a sign for good news in place of bad news that is denied, and blanks in place of bad news
/// that is told in passing. What is spoken of stays.
pub(crate) fn without_bad(text: &str) -> String {
    // That something was left as it was is neither good nor bad.
    let text = &summed(&UNCHANGED.blanked(text));
    let mut out = text.to_owned();
    // What stands in code is a word of a command.
    let code = CODE.all(text);
    let in_code = |range: &Range<usize>| code.iter().any(|(place, _)| place.contains(&range.start));
    for (range, _) in DENIED.all(text).into_iter().filter(|(range, _)| !in_code(range)) {
        let kept = spoken_of(text, &range);
        blank(&mut out, range.clone(), &kept);
        for at in [range.start, range.end - 1] {
            if out.get(at..=at) == Some(" ") {
                out.replace_range(at..=at, GOOD_NEWS.encode_utf8(&mut [0; 4]));
            }
        }
    }
    for pattern in [&EARLIER, &RED_BEFORE, &PASSING] {
        for (range, _) in pattern.all(&out.clone()) {
            blank(&mut out, range, &[]);
        }
    }
    // What was run is less than all, but that it was run is not denied.
    for (range, text) in ONLY_RAN.all(&out.clone()) {
        let word = text.replace("only", "just").replace(['只', '仅'], "又");
        out.replace_range(range, &word);
    }
    for (range, _) in COLOURS.all(&out.clone()) {
        blank(&mut out, range, &[]);
    }
    for (range, _) in FAILING.all(&out.clone()) {
        blank(&mut out, range, &[]);
    }
    for (range, _) in LONGER.all(&out.clone()) {
        let word = out.get(range.clone()).unwrap_or_default().replace("no ", "ok ").replace('不', "已");
        out.replace_range(range, &word);
    }
    out
}

/// The text, byte for byte, with the summaries of runners that tell of no failure in short: so many tests passed.
fn summed(text: &str) -> String {
    let mut out = text.to_owned();
    for (whole, number) in SUMMED.with_numbers(text) {
        let short = [format!("{number} tests passed"), format!("{number} passed")];
        if let Some(short) = short.iter().find(|short| short.len() <= whole.len()) {
            let gap = " ".repeat(whole.len() - short.len());
            out.replace_range(whole, &format!("{short}{gap}"));
        }
    }
    out
}

/// True when it is denied that there is anything to tell, and not errors only.
pub(crate) fn denies_findings(text: &str) -> bool {
    let of_all = |(_, part): (Range<usize>, &str)| FINDING.fits(part) || !OF_ERRORS.fits(part);
    DENIED.all(text).into_iter().any(of_all) || ERRORS_AND.fits(text)
}

fn spoken_of(text: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let part = text.get(range.clone()).unwrap_or_default();
    let places = SPOKEN_OF.all(part).into_iter().map(|(place, _)| place);
    places.map(|place| range.start + place.start..range.start + place.end).collect()
}

fn blank(out: &mut String, range: Range<usize>, kept: &[Range<usize>]) {
    let mut at = range.start;
    for end in kept.iter().chain([&(range.end..range.end)]) {
        if let Some(gap) = end.start.checked_sub(at) {
            out.replace_range(at..end.start, &" ".repeat(gap));
        }
        at = end.end;
    }
}
