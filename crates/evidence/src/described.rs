//! Files that an answer names for what is in them now, without a word for what was done: "`src/a.rs`: nullable, indexed",
//! "`a.ts` uses `fetch` now". Such words claim a change only where the log has one; of a file that was not written they say
//! nothing.

use crate::components;
use crate::files::{self, path_pattern, zh_verb};
use crate::pattern::patterns;
use crate::prose::Sentence;
use crate::said::Manner;
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
        r"(?:(?:the|in|a|an|and|also)\s+|[a-z]+(?: [a-z]+)?\s*:\s*|[a-z]+\s+(?:in\s+|of\s+)?|(?:并且?|同时|另外|在)\s*|[\x{4e00}-\x{683f}\x{6841}-\x{7683}\x{7685}-\x{9fff}]{1,8}\s*[:：]\s*|[\x{4e00}-\x{683f}\x{6841}-\x{7683}\x{7685}-\x{9fff}]{1,8}[ :：]\s*){0,3}"
    };
}

patterns! {
    BULLET = r"^\s*(?:[-*+•]|\d+[.)、])\s*";
    ITEM = concat!(r"^[\s\d.)、+•|✅✓✔☑-]*(?:\[x\])?\s*", lead!(), "(", paths!(), ")");
    NAMED_ITEM = concat!(r"^[\s\d.)、+•-]*[a-z\x{4e00}-\x{9fff}][a-z0-9 \x{4e00}-\x{9fff}-]{1,30}[(（](", paths!(), r")\s*[)）]\s*(?:[:：—–]|-\s)");
    ALONE = concat!(r"^[\s#\d.)、:：]*(", paths!(), r")\s*(?:[(（](?:new|modified|updated|changed|edited|新增|新建|修改|更新)(?: file|文件)?[)）])?\s*[:：]?\s*$");
    PLANNED = r"\b(?:plan|planned|proposal|proposed|next|to ?do|suggest\w*|recommend\w*|options?|ideas?)\b|计划|建议|后续|待办|下一步|[^决复理]方案|思路";
    HEAD = r"^\s*\*\*[^`*]+\*\*\s*[:：]?\s*$";
    BEGINS_ZH = r"^\s*(?:[-*+•]|\d+[.)、])?\s*(?:已|将|把)?[^，。]{0,10}?(?:新增|新建|添加|增加|修改|改为|改成|替换|移除|删除|重写|抽取|抽出|拆分|加上|加入|引入|封装|补充|调整|更新|优化|改用|换成)";
    LABELLED_DEED = r"^[\s*+•-]*[a-z]+(?: [a-z]+)?:\s+[a-z]{2,}ed\s+(?:it|this|that|them|both|(?:the|an?)\s+[a-z-]+)\s+(?:in|into|to|from|at)\b";
    LABEL = concat!(r"^\s*", paths!(), r"\s*(?:[:：]|—|–|→|\s-\s)");
    SUBJECT = concat!(r"^[\s，,；;:：(（—–]*", lead!(), "(", paths!(), ")");
    ANY = concat!("(", paths!(), ")");
    NAME = concat!(path_pattern!(), "|", quoted!());
    FILES = r"\bfiles? (?:were |was )?(?:changed |touched |modified |edited )?[:：(（]|\bfiles? (?:changed|touched|modified|edited)[:：]|个文件";
    THIRD = r"^`?[\s|:：—–(（-]*(?:then |also )?[a-z]{3,}s\b";
    PLURAL = r"^`?[\s|:：—–(（-]*(?:\w*tests|types|docs|cases|options|fixtures|helpers|styles|routes|settings|fields|imports|changes|defaults|entries|notes|comments|keys|queries|mocks|specs|items|lines|less|class|access|css|params|columns|hooks|strings|translations|constants|endpoints|models|fixes|rules|address|progress|plus|versus|status|variables|labels|headers|errors|logs|links|sections|examples|instructions|steps)\b";
    POSSIBLE = r"\bcan (?:also )?be \w+\b|可以在[^，。]{1,40}(?:改|调整|设置|修改)";
    IN_PASSING = r"^[\s,，]*(?:[(（]|(?:and |with )?(?:including|incl\.|among|plus|all|both|of which|(?:one|two|three|four|\d+) of)\b|其中|包括|包含|含)";
    ASIDE = r"[(（][^()（）]*[)）]";
    SEGMENT = r"[，,；;。（(]|\s(?:—|–)\s|[.!]\s";
    CHANGES = r"\b(?:what (?:i|we) (?:changed|did)|changes?|changed|done)\b|改动|修改|变更|改了什么";
    TO_DO = r"\bto (?:be )?(?:chang|edit|touch|do|updat|fix|review|read|adapt)|(?:^|[^主重])要改(?:[^动]|$)|待改|需要改|将要|要动";
    LEADS = r"^[^,，;；]{0,40}(?:完成|搞定|做完|做好|弄好|写好|改好|[拆换改搬移升]完)了?[,，;；]|[,，;；][^,，;；]{0,10}(?:已(?:经)?(?:处理|修复|解决|完成|改好|修好|搞定)|(?:修|改|处理|解决)好?了)[:：]?$|^已(?:经)?(?:处理|修复|解决|完成|改好|修好|搞定)[,，;；]|^\W*(?:all )?(?:done|finished|complete[d]?)\b[^:]*[,;]|\b(?:is|are|was|were|has been|have been)(?: now| all)? (?:done|finished|complete[d]?|in place)\b[^:]*[,;]";
    // What an item's heading has to say for its files to be no changes.
    OTHER_HEAD = r"\b(?:causes?|why|background|problems?|bugs?|how it works|overview|structure|findings|review|reading|read|looked|related|relevant|involved|unchanged|untouched|left|open|tests?|checks?|results?|verif\w+|before|limitations?|risks?|caveats?|known)\b|风险|限制|注意|已知|后续|\b(?:where|map|layout)\b|相关(?:文件|代码|模块)|位置|原因|背景|现状|问题|流程|结构|参考|未改|没改|没动|验证|检查|测试|结果|之前";
    TABLE = r"^\s*\|\s*(?:changed |modified |touched )?(?:files?|paths?|modules?|文件|路径|模块|改动文件|文件名|位置)\s*\|[^\n]*(?:chang|what|did|done|改动|变更|修改|说明|内容|做了|改了)|^\s*\|\s*(?:files?|paths?|modules?|文件|路径|模块|位置)\s*\|\s*(?:(?:old|before|was|from)\b[^|\n]*\|\s*(?:new|after|now|to)\b|(?:旧|原|改前|替换前|之前)[^|\n]*\|\s*(?:新|现|改后|替换后|之后))";
    NOT_HERE = r"^`?[\s|:：—–(（-]*(?:was|were|had|used to|is not|isn't|are not|needs?|should|must|may|might|could|would|will|can|unchanged|untouched|stays?|remains?|still|already|fails?|failed|pass(?:es|ed)?|looks?|lines? \d|not|no change|ok\b|不变|未|没|无需|不用|需要?|仍|还是|原来|之前|以前|本来|保持|应该?|可以|可能|会|通过|失败|里?(?:的)?第 ?\d|::|(?:is |are )?(?:unrelated|not related)|[与跟和][^，。]{0,10}无关)";
    OTHER_STAYS = r"[,，;；] ?(?:which|that|it|and) would(?: otherwise| also)* have [a-z]+\b|[,，;；] ?(?:the |its |all |and |but |while |with )*[a-z`][\w` -]{2,40}?,? (?:is |are |was |were |being |left |kept |stays? |remains? |stayed |remained )*(?:unchanged|untouched)\b|[,，；] ?(?:而|且|但)?[\w` \x{4e00}-\x{9fff}]{2,16}?(?:保持|都|均|也|仍)*不变";
    // What a file still lacks was not done to it.
    WANTS = r"^`?\s*(?:(?:also|still|only|just)\s+)*(?:needs?\b|(?:has|have|had) (?:yet )?to\b|lacks?\b|is due\b|is not\b|isn't\b|isn’t\b|(?:目前|现在|也|都|仍|还)*(?:需要?|得|待|要|缺|欠|不符合|没有?通过)[^了]*$)";
    DOUBT = r"\bto (?:go|switch|turn|get) (?:it |this |that )?(?:back|off)\b|\bto (?:undo|revert|opt out)\b|\b(?:should|would|could|might|may|must|will|todo|please|you(?:'ll|’ll)? (?:need|have|can|may|want)|unchanged|untouched|not (?:been )?(?:changed|touched|modified|edited)|(?:did|have|has)(?: not|n't|n’t) (?:been )?(?:change|touch|edit|modif)\w*)\b|应该|可能|建议|需要你|需要?(?:再|先|手动)|[^申邀发再重新次]请[^求]|^请|未改|没改|没动|没有(?:改|动)|不用改|无需|保持不变|不变|如果|若";
    MADE = r"^[\s\d.)，,；;:：(（—–+|•✅✓✔☑-]*(?:[a-z]+(?: [a-z]+)?:\s+)?(?:(?:also|then|and|so|additionally|finally|just|now|there|while (?:i was )?(?:there|here|at it),?|plus|besides|in addition|instead|secondly|first|second|lastly|both)[, ]+)*(?:(?:i|we|i've|we've|i’ve)\s+(?:(?:also|then|have|just|now|only|simply)\s+)*)?(?:[a-z]+-)?(?:[a-z]{2,}ed|gave|made|took|put|set|left|taught|built|wrote|cut|hid|let|brought|threw|drew|hung|stuck|bound|fed|led|sent|tied|shrunk|shrank|undid|redid|overrode|went|got|gets|grew|gained|gains|moved|takes?|split|did|mention)\b";
    NOT_MADE = r"\b(?:based|compared|located|used|called|given|caused|needed|related|verified|tested|inspected|confirmed|tried|noticed|kept|reproduced|traced|considered|failed|passed|skipped|expected|limited|blocked|suggested|recommended|planned|proposed|detected|reported|scanned|validated|linted|compiled|searched|looked|returned|treated|happened|started|crashed|wanted|seemed|appeared|remained|stayed|relied|depended|allowed|required|supposed|intended|assumed|unaffected|affected|left (?:it|them|everything|the rest|alone|untouched|as)|left `[^`]+` (?:alone|as|untouched)|took (?:a look|me)|got (?:an?|the) (?:error|failure)|went (?:through|over)|takes? (?:an?|the|no|care)|made sure|set up in)\b";
    SET_IN = concat!(r"(?:[\x{4e00}-\x{9fff}]{2}|[a-z`])(?:也|都|均|主要|统一|就)*(?:放在|放到了?|位于|存放?[在于]|写在|保存[在到]|生成[在到]|导出到|输出[在到]|产出[在到]|落在|落到|归到|[并写移纳放插补合加注接嵌挂][入进]了?|[\x{4e00}-\x{9fff}](?:成|进)了?)\s*", paths!(), r"|[^看找读查遇提回用跑追及响得达感听收想等直位传走拿取碰指转跳溯]到了?\s*", paths!());
    PLAN = r"可以|可把|可将|可用|会|默认|需要|[^重主只]要|[若想]|方案|计划|思路|建议|待办|设计稿|\bplans?\b";
    DOES_ZH = concat!(r"^[\s，,；;:：(（—–]*(?:[\x{4e00}-\x{9fff}]{0,4})", paths!(), r"\s*(?:里|中|内)?(?:的[^，。；]{1,16}?)?(?:也|都|均|则|里|现|\s)*(?:把[^，。；]{1,16}?|将[^，。；]{1,16}?)?(?:", zh_verb!(), r"|导入|加载|统一导出|暴露)");
    IN_SHORT = concat!(r"^[\s#\d.)、*+•-]*[\x{4e00}-\x{9fff}]{1,6}\s*", paths!(), r"\s*[.。；;]?\s*$");
    LOOKED_AT = r"查看|阅读|分析|检查|运行|执行|打开|参考|依赖|调用|读取|见|例如|比如|测试|确认|核对|浏览|搜索|定位|审查|评审|理解|了解|关于|涉及|建议|需要|计划|待|问题|原因|无需|不|没|未|请|可|应|要|会|想|后续|下一步|尝试|看|读|跑|用|是|的|在";
    SMALL = r"\bthere(?:'s|’s| is| are)(?: now| also)? (?:an?|one|two|three|four|\d+|some|new|the)\b[^.;]{0,60}\bin\b|\byou(?:'ll|’ll| will| can)? find\b[^.;]{0,50}\bin\b|\b(?:lives?|resides?|sits?|itself is|all of it is|find (?:it|them)) in\b|\b(?:covered|tested|pinned|checked) by\b|\b(?:described|documented|explained) in\b|`[^`]*(?:test|spec)[^`]*` (?:covers?|exercises?|asserts?)\b|(?:test|spec)[^`]*` ?覆盖|(?:实现|代码|改动|测试|用例|文档|说明)见|\b(?:implementation|code|changes?|diff|tests?|cases?|logic|helper|example|flag|option) (?:itself )?(?:is|are|lives?|sits?) (?:all |both |mostly )?in\b|\b(?:in place|implemented|happens) in\b|\blearn(?:ed|t) to\b|\bsupports?\b|\bonly `[^`]+` (?:is affected|changes|was affected)|\bdiff (?:only )?touches\b|\b(?:one|two|three|four|\d+) (?:\w+ )?(?:tests?|cases|specs) in\b|^\W*(?:implementation|code|changes?|fix|docs|documentation)\s*:|^\W*what (?:(?:i|we) (?:did|changed)|changed)\b|\b(?:readme|changelog|`[^`]+\.(?:md|rst|adoc|txt)`) (?:now |also )?(?:explains?|describes?|mentions?|documents?|lists?|covers?|shows?|has)\b|(?:readme|\.md`) ?(?:里|中)?(?:也)?(?:有|写明|说明|介绍)|(?:实现|测试|用例|代码|改动|修改|核心|脚本|逻辑|入口|主体|组件|模块|配置|页面|接口|类型|迁移|定义|封装|工具|函数|源码|模板|报告|图表|产物)(?:都|均|主要)?(?:在|位于|写在|放在)|(?:提升|升级|升|降|调整)到|只改|\b(?:it (?:took|only took|needed|was)|(?:is|was) (?:just |only )?|that's |it's )(?:a|an|one|two|the|just|only|few|\d+)? ?(?:few|single|small|one|two|\d+)?[- ]?(?:lines?|change|edit|fix|tweak|one-liner|word|character)\b[^.]{0,16}\bin\b|\b(?:setting|default|switch|option|guide|section|entry|note|docs?)\b (?:\w+ )?(?:is|are|sits?|lives?)\b|改的(?:就|只)?是|由[^，。]{1,12}[改调提升降换变]|[调提升降改换]到 ?`?\d|打开|关掉|开启|拿掉|去掉|支持|多了";
    ENDING = concat!(r"^(?:[^`]*[a-z\x{4e00}-\x{9fff}]|[\s*+•-]*`[^`]*`\s*(?:→|->|=>))[^`]*(?:`[^`]*`[^`]*)*?(?:[(（]|\b(?:in|into|to|for|from|via)\s+(?:the\s+)?)(", paths!(), r")\s*[)）]?\s*[.。]?\s*$");
    BRACKETED = concat!(r"[(（](?:see |in |见|在)?\s*", paths!(), r"\s*[)）]\s*[.。]?\s*$");
    SEE = concat!(r"\s(?:—|–|-)\s(?:see|in)\s+(?:the\s+)?", paths!(), r"\s*[.。]?\s*$");
    CAUSE_LABEL = r"^\W*(?:原因|根因|起因|病因|问题|cause|root cause|reason|why|problem)\s*[:：]";
    LABELLED_FILE = concat!(r"^\s*(?:[\x{4e00}-\x{9fff}]{2,8}|[a-z]+(?: [a-z]+)?)\s*[:：]\s*", paths!());
    NAMING = r"^\s*[–—-]\s*see\b|\bmoved (?:in)?to (?:an?|the|its own|their own)\b|\bwhile i was (?:there|here|at it)\b|`\s*打开了?|(?:写[死错]|多余|错误|漏掉|忘了|缺失|遗漏|重复|失败|报错)的|未(?:使用|定义|捕获|处理|声明|用到?|关闭|释放|引用|初始化|授权|登录|知|来|格式化|覆盖|翻译|读|完成|命中|排序|转义|登陆|支付|匹配)的?|(?:错误|异常|失败|报错|超时|崩溃|问题)(?:处理|码|信息|提示|消息|页面?|类型?|日志|边界|分支|重试|用例|场景|上报|捕获|描述|文案|状态)|误差|(?:error|failure|failed|crash|panic|bug|exception|missing|wrong|leak)s?[- ](?:handling|handlers?|messages?|codes?|paths?|types?|boundar\w+|class|classes|cases?|reports?|reporter|reporting|branch|branches|states?|pages?|logs?|logging|hooks?|values?|keys?|password|login|attempts?|responses?|results?|check|checks|detection)\b|\b(?:not[- ]found|not[- ]null|read[- ]only|open[- ]api|missing[- ]file)\b";
    PRESENT = r"^`?[\s|:：—–(（-]*(?:it |this |that )?(?:still |already |only |just |also )?(?:uses?|calls?|imports?|reads?|handles?|contains?|holds?|exports?|defines?|provides?|implements?|wraps?|parses?|depends?|is|are|has|have|does|do|owns?|runs?|the (?:only|main|entry)|where|which|负责|调用|依赖|使用|包含|定义|提供|是|存放|用于|引用|没有)";
    PLACED = concat!(r"^[\s，,；;:：(（—–]*(?:(?:in|at|under|see|within|inside|all in|both in|into|to|at|is in|lives in|these are in|it is in|it's in)\s+(?:the\s+)?|(?:都|均|位于|见|在|放在|就在|全在|都在|代码在|文件在|主要在|入口在|路径(?:是|为)?|文件[是为]?|即)\s*[:：]?\s*)?(", paths!(), r")(?:\s*(?:里|中|下|内|文件))?\s*[)）]?\s*[.。;；,，!！]?\s*$");
    I_DID = r"\b(?:i|we|i've|we've|i’ve)(?: have| also| then| just| now| only)* (?:replaced|changed|fixed|added|removed|moved|swapped|switched|updated|rewrote|made|corrected|wrapped|renamed|dropped|put|set|adjusted|guarded|handled|turned|converted|introduced|extracted|split|reworked|deleted)\b|(?:我|已|现在|现已|手动|统一|顺手)[^，。；]{0,10}?(?:改|换|加|补|删|去掉|处理|替换|调整|修|挪|移|放|拆|抽)";
    NOT_DONE = r"没|未|不(?:会|改|动|做|再)";
    PAST = r"\b(?:was|were|had|used to|previously|formerly|originally|until now|before)\b|之前|原来|以前|原先|本来|此前";
    NOW = r"\bnow\b|\bno longer\b|\bok longer\b|\bany ?more\b|\binstead\b|现在|如今|改为|改成|换成|不再|已再";
    OWN = r"\b(?:i|we) (?:had to |needed to |only |just )*(?:touch|chang|edit|modif|handl|mov|fix|adjust|updat)\w*|\bthat (?:needed|had to)\b|\bhad to (?:change|move|go|be)\b";
    DONE = r"\bnow\b|\bneeded\b|\bhad to\b|\b(?:went|grew|rose|fell) from\b|\b(?:moved|went) (?:in)?to\b|\b(?:gets?|got) (?:an?|the|its|one|two|three) |\bchange[ds]? (?:only |just )?in\b|\bfiles? (?:changed|touched|modified|edited)\b|\bno longer\b|\bany ?more\b|\bnew(?:ly)?\b|\b(?:is|are) (?:gone|out)\b|\b(?:only|one|two|three|\d+) (?:\w+ )?files? (?:that )?(?:i|we)\b|\b(?:i|we|i've|we've)(?: also| then| just| have)* (?:[a-z]+ed|rewrote|wrote|made|put|moved|split|cut)\b|已|现在|新增|新建|新写|新加|改为|改成|换成|替换为|修改|改动|变更|增加";
    NEW = r"(?:^|[^除为])了";
    CAUSE = r"\b(?:because|cause[ds]?|bugs?|wrong(?:ly)?|forgot|missing|missed|mistake|fault|culprit|defect|leaks?|crash\w*|panics?|fail\w*|errors? (?:in|at|from)|looked (?:at|into|through)|read|see|ran|run|open(?:ed)?|found|checked|reviewed)\b|漏|忘|混用|混淆|误用|错用|[用拿写搞]反了|用错|拿错|搞混|\b(?:mix(?:es|ed)|conflat(?:es|ed)|confus(?:es|ed))\b|跳过了|忽略了|误|少了|搞错|因为|由于|原因|导致|写错|写死|问题|报错|失败|崩溃|看了|看过|读了|查了|检查了|跑|运行|执行|打开|查看|没有?(?:处理|考虑|判断|检查|释放|关闭|校验)";
    UNDONE = r"\b(?:delet\w+|remov\w+|renam\w+|mov(?:ed|ing)|erased)\b|n't\b|n’t\b|\bnot\b|\bnever\b|删除|删掉|移除|重命名|移动|没有|未|不(?:再)?是";
}

/// A place of a sentence that describes files.
pub(crate) struct Described {
    pub(crate) range: Range<usize>,
    pub(crate) paths: Vec<String>,
    pub(crate) manner: Manner,
    /// True when its own part of the sentence tells of something that was done.
    pub(crate) told: bool,
}

fn names(list: &str) -> Vec<String> {
    NAME.all(list)
        .into_iter()
        .map(|(_, name)| name.trim_matches('`').to_owned())
        .filter(|name| !files::is_no_file(name))
        .collect()
}

/// The files that a sentence describes; `claimed` are the places of it that claim something by their words, each with
/// whether that is a file.
pub(crate) fn find(answer: &str, text: &str, sentence: &Sentence, claimed: &[(Range<usize>, bool)]) -> Vec<Described> {
    let words = text.get(sentence.range.clone()).unwrap_or_default();
    let row = words.trim_start().starts_with('|');
    if !ANY.fits(words) || (row && !TABLE.fits(table_head(text, sentence.range.start))) {
        return Vec::new();
    }
    let line = answer.get(sentence.range.clone()).unwrap_or_default();
    let begins = text.get(..sentence.range.start).is_none_or(|before| before.is_empty() || before.ends_with('\n'));
    let bullet = begins && BULLET.fits(line);
    if begins && let Some((_, _, list)) = ALONE.places(words).into_iter().next() {
        let free = !claimed.iter().any(|(_, of_file)| *of_file);
        let deeds = heads_deeds(answer, text, sentence.range.end);
        let told = free && deeds && !is_other_section(answer, sentence.range.start);
        let (range, paths, manner) = (sentence.range.clone(), names(list), Manner::Described);
        return told.then_some(Described { range, paths, manner, told: true }).into_iter().collect();
    }
    let labelled = LABELLED_FILE.fits(words) && !is_bad(words) && !OTHER_HEAD.fits(words);
    let items = begins && (row || bullet || labelled || LABEL.fits(words)) && is_item(words);
    let one = if items { item(answer, words, sentence, claimed) } else { None };
    if one.is_some() || (items && (!labelled || row || bullet) && !is_placed(words)) {
        return one.into_iter().collect();
    }
    let same_line = text.get(..sentence.range.start).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
    let label = same_line.trim_end().rsplit(['。', '.']).find(|part| !part.trim().is_empty()).unwrap_or_default();
    let under_changes = label.len() < 40 && CHANGES.fits(label) && !same_line.trim().is_empty();
    let heading = components::heading(answer, sentence.range.start);
    let listed = (bullet && !is_other(&heading) && ENDING.fits(words)) || BRACKETED.fits(words) || SEE.fits(words);
    if !under_changes && !tells(words) && !listed && !mended(text, sentence.range.start) {
        return Vec::new();
    }
    segments(words)
        .into_iter()
        .filter_map(|range| {
            let segment = words.get(range.clone())?;
            let at = sentence.range.start + range.start..sentence.range.start + range.end;
            // What a check says begins with what leads to it: where it ends it is said.
            // A claim may reach over the sign behind it.
            let end = at.end + '。'.len_utf8();
            let free = !claimed
                .iter()
                .any(|(other, of_file)| other.start < at.end && at.start < other.end && (*of_file || other.end <= end));
            let named = ANY.find(segment).map_or(at.end, |place| at.start + place.end);
            let mended = mended(text, named);
            // What stands in brackets doubts nothing.
            let segment = &segment_only(segment);
            let past = PAST.fits(&NAMING.blanked(segment)) && !OWN.fits(segment);
            let rest = SUBJECT.places(segment).into_iter().next().and_then(|(whole, ..)| segment.get(whole.end..));
            let wants = rest.is_some_and(|rest| WANTS.fits(rest));
            let caused = !mended && CAUSE_LABEL.fits(words);
            let doubted = wants || caused || DOUBT.fits(segment) || (!mended && (past || is_bad(segment)));
            let own = tells(segment);
            let before = words.get(..range.start).unwrap_or_default();
            let placed = PLACED.fits(segment) && !is_bad(before) && !DOUBT.fits(before) && !PAST.fits(before);
            let told = own
                || mended
                || (SUBJECT.fits(segment) && (DONE.fits(words) || sets(words)))
                || (placed && (DONE.fits(before) || NEW.fits(before)))
                || FILES.fits(words)
                || listed
                || under_changes;
            let places = ANY.all(segment);
            let is_path = |(_, list): &&(Range<usize>, &str)| !files::paths(list).is_empty();
            let (_, list) = places.iter().find(is_path).or(places.first())?;
            let range = if under_changes { sentence.range.clone() } else { at };
            let paths = names(list);
            (free && !doubted && told).then_some(Described {
                range,
                paths,
                manner: Manner::Described,
                told: (own || placed) && !IN_PASSING.fits(segment),
            })
        })
        .collect()
}

/// True when the list that begins behind a heading tells, from its first item on, of what was done.
fn heads_deeds(answer: &str, text: &str, end: usize) -> bool {
    let lines = |text: &'_ str| {
        text.get(end..).unwrap_or_default().lines().find(|line| !line.trim().is_empty()).map(str::to_owned)
    };
    let (Some(line), Some(words)) = (lines(answer), lines(text)) else { return false };
    let did = MADE.fits(&words) && !NOT_MADE.fits(&words);
    let did_zh = BEGINS_ZH.fits(&words);
    BULLET.fits(&line) && (did || did_zh) && !is_bad(&words) && !DOUBT.fits(&words)
}

/// True when the section that a place stands in is none of changes.
fn is_other_section(answer: &str, at: usize) -> bool {
    let above = answer.get(..at).unwrap_or_default();
    let head = above.lines().rev().find(|line| line.starts_with('#') || HEAD.fits(line)).unwrap_or_default();
    let head = head.to_ascii_lowercase();
    PLANNED.fits(&head) || is_other(&head) || is_other(&components::heading(answer, at))
}

/// True when a text tells of something that was done.
fn tells(text: &str) -> bool {
    let text = &POSSIBLE.blanked(text);
    let does = DOES_ZH.find(text).is_some_and(|does| text.get(..does.end).is_some_and(|lead| !PLAN.fits(lead)));
    let in_chinese = sets(text) || does || is_short(text);
    DONE.fits(text) || NEW.fits(text) || SMALL.fits(text) || in_chinese || (MADE.fits(text) && !NOT_MADE.fits(text))
}

/// True for a file behind nothing but a word or two for what was done.
fn is_short(text: &str) -> bool {
    IN_SHORT.fits(text) && !LOOKED_AT.fits(&ANY.blanked(text))
}

/// True when a text tells, in Chinese, what was put into which file.
fn sets(text: &str) -> bool {
    SET_IN.find(text).is_some_and(|set| text.get(..set.end).is_some_and(|lead| !PLAN.fits(lead)))
}

/// The file that an item begins with, or what is called by it in brackets.
fn item_place(words: &str) -> Option<(Range<usize>, Range<usize>, &str)> {
    [&ITEM, &NAMED_ITEM].iter().find_map(|pattern| pattern.places(words).into_iter().next())
}

/// True for an item that begins with a file, and says something of it.
fn is_item(words: &str) -> bool {
    item_place(words).is_some() && !LABELLED_DEED.fits(words)
}

/// True for an item that ends with the file in which something is said to be.
fn is_placed(words: &str) -> bool {
    let place = item_place(words);
    place.is_some_and(|(whole, ..)| !words.get(whole.end..).is_some_and(|rest| rest.contains(char::is_alphanumeric)))
        && (SMALL.fits(words)
            || sets(words)
            || is_short(words)
            || (ENDING.fits(words) && !words.contains([':', '：']) && !NOT_MADE.fits(words)))
}

/// True when a text tells of a cause, or of what is no change. What is only called by such a word is none.
fn is_bad(text: &str) -> bool {
    let text = NAMING.blanked(text);
    CAUSE.fits(&text) || UNDONE.fits(&text)
}

/// True when somebody did something to what is wrong with a file, in the same breath.
fn mended(text: &str, at: usize) -> bool {
    let rest = text.get(at..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let first = if rest.contains('。') { rest.split(['。', '.']).next() } else { rest.split(". ").next() };
    let done = |first: &str| I_DID.all(first).into_iter().any(|(_, words)| !NOT_DONE.fits(words));
    first.is_some_and(done)
}

/// The first line of the table that a place stands in.
fn table_head(text: &str, at: usize) -> &str {
    let above = text.get(..at).unwrap_or_default();
    above.lines().rev().take_while(|line| line.trim_start().starts_with('|')).last().unwrap_or_default()
}

/// The file that an item of a list begins with.
fn item(answer: &str, words: &str, sentence: &Sentence, claimed: &[(Range<usize>, bool)]) -> Option<Described> {
    let (whole, _, list) = item_place(words)?;
    let rest = words.get(whole.end..).unwrap_or_default();
    let first = rest.split(['。', '；', ';']).next().unwrap_or_default();
    let range = sentence.range.start + whole.start..sentence.range.end;
    let heading = components::heading(answer, sentence.range.start);
    let past = PAST.fits(first) && !NOW.fits(first);
    let other = is_other(&heading);
    let free = !claimed.iter().any(|(other, _)| other.start < range.end && range.start < other.end);
    // What stays as it was behind a comma is something else.
    let doubted = NOT_HERE.fits(rest) || DOUBT.fits(&OTHER_STAYS.blanked(first)) || past;
    let whole_rest = answer.get(sentence.range.start + whole.end..sentence.range.end).unwrap_or_default();
    let bare = !whole_rest.contains(char::is_alphanumeric) && !CHANGES.fits(&heading);
    let changes = words.trim_start().starts_with('|') || CHANGES.fits(&heading);
    let third = !changes && THIRD.fits(rest) && !PLURAL.fits(rest);
    let manner = match files::is_labelled(rest) {
        true => Manner::Said,
        false if PRESENT.fits(rest) || third || bare => Manner::Described,
        false => Manner::Listed(list_start(answer, sentence.range.start)),
    };
    let paths = names(list);
    (free && !other && !doubted && !bare).then_some(Described { range, paths, manner, told: true })
}

/// True for the heading of a list whose files are no changes.
fn is_other(heading: &str) -> bool {
    // A sentence that tells of something done leads to what was done, whatever else it tells of.
    let other = || OTHER_HEAD.fits(heading) && !CHANGES.fits(heading) && !LEADS.fits(heading);
    other() || TO_DO.fits(heading)
}

/// Where the list or the table begins that a line stands in.
fn list_start(answer: &str, at: usize) -> usize {
    let mut start = at;
    for line in answer.get(..at).unwrap_or_default().split_inclusive('\n').rev() {
        if !(BULLET.fits(line) || line.starts_with(['|', ' ', '\t'])) || line.trim().is_empty() {
            break;
        }
        start -= line.len();
    }
    start
}

/// A part of a sentence with blanks in place of what stands in brackets and names no file.
fn segment_only(segment: &str) -> String {
    let mut out = segment.to_owned();
    for (range, _) in ASIDE.all(segment).into_iter().filter(|(_, text)| files::paths(text).is_empty()) {
        let blanks = " ".repeat(range.len());
        out.replace_range(range, &blanks);
    }
    out
}

/// The parts of a sentence between its commas that name files; one that only goes on naming them belongs to the one before.
fn segments(words: &str) -> Vec<Range<usize>> {
    // What stands in brackets before the first file belongs to what they stand in.
    let aside = |at: usize| {
        let rest = words.get(at..).unwrap_or_default();
        let own = rest.find([')', '）']).and_then(|end| rest.get(..end));
        let first = words.get(..at).is_some_and(|before| files::paths(before).is_empty());
        first && rest.starts_with(['(', '（']) && own.is_some_and(|own| files::paths(own).is_empty())
    };
    let in_code = |at: usize| words.get(..at).is_some_and(|before| before.matches('`').count() % 2 == 1);
    let cuts = SEGMENT.all(words).into_iter().map(|(range, _)| range.start).filter(|at| !aside(*at) && !in_code(*at));
    let cuts: Vec<usize> = cuts.chain([words.len()]).collect();
    let mut start = 0;
    let mut found = Vec::new();
    for cut in cuts {
        found.push(start..cut);
        start = cut;
    }
    found.retain(|range| words.get(range.clone()).is_some_and(|part| ANY.fits(part)));
    found
}
