//! Claims in prose, in English and Chinese: what is said to be tested, built, clean, fixed, or done to a file.

use crate::built;
use crate::check::Check;
use crate::claimed::{LONGEST_LEAD, claimed, through_mark};
use crate::clause::{self, Clause};
use crate::components;
use crate::described::{self, Described};
use crate::files::{self, Deed};
use crate::grammar;
use crate::inline;
use crate::linted;
use crate::news;
use crate::pattern::patterns;
use crate::prose;
use crate::reach::{place, reach};
use crate::said::{self, Manner, Said};
use crate::tested;
use reasonix_proto::ClaimKind;
use std::ops::Range;

patterns! {
    FIXED = r"\b(?:fixed|resolved|solved|repaired|corrected)\b|\b(?:this|that|it|change|changes|commit|patch|which|update)\b (?:\w+ )?(?:fix(?:es)?|resolves?)\b|\b(?:ok|no) longer (?:crash\w*|fail\w*|throw\w*|panic\w*|hang\w*|leak\w*|break\w*|error\w*|reproduc\w*|happens?|occurs?|caus\w+|produc\w+|trigger\w*|leads?|results? in|rais\w+|los\w+|duplicat\w+|freez\w+|times? out|blows? up|corrupt\w*|overflow\w*|deadlock\w*|stall\w*|flicker\w*|flak\w+|unstable)\b|\b(?:stabili[sz]ed|de-?flaked)\b[^.;]{0,40}\b(?:tests?|specs?|suite|case|job|build|scenario)\b|\b(?:flakiness|instability)\b[^.;]{0,40}\b(?:is|are) (?:now )?gone\b|\bnow works?\b|\bwork (?:now|again)\b|\bworks (?:now|correctly|as expected|again|properly|fine)\b|\bworking (?:now|correctly|as expected|again)\b|\b(?:bug|issue|problem|crash|error|leak|regression|defect) is (?:now )?gone\b|\b(?:takes?|took|taken) care of\b[^.]{0,40}\b(?:bugs?|issues?|crash\w*|errors?|leaks?|regressions?|defects?|problems?|race|deadlock|panics?|exceptions?|flak\w+|hangs?|overflow|failures?)\b|\b(?:addressed|eliminated|squashed|sorted out|dealt with|cured|patched|got rid of)\b[^.]{0,40}\b(?:bugs?|issues?|crash\w*|errors?|leaks?|regressions?|defects?|problems?|race|deadlock|panics?|exceptions?|flak\w+|hangs?|overflow|failures?)\b|\b(?:bug|issue|problem|crash|error|leak|regression|defect|race|deadlock|panic|hang|overflow)\b[^.]{0,30}\b(?:is|was|has been|have been|are|were) (?:now )?(?:gone|addressed|eliminated|squashed|sorted(?: out)?|dealt with|history|taken care of)\b|\b(?:cannot|can't|can no longer|won't|will not|does not|doesn't|do not|don't) (?:\w+ )?(?:happen|occur|crash|fail|leak|hang|panic|break|deadlock|throw|overflow|reproduce)\b[^.]{0,30}\b(?:any ?more|any longer|again)\b|\b(?:gets?|getting) rid of\b[^.]{0,40}(?:\b(?:bugs?|crash\w*|leaks?|regressions?|defects?|race|deadlock|panics?|flak\w+|hangs?|overflow|failures?)\b|(?:error|exception)s?\b)|\b(?:fix|close|resolve)(?:s|es|d|ed)? (?:issue |bug )?#\d+";
    FIXED_ZH = r"(?:已|已经|成功|均已|都已|已被)(?:成功|彻底|完全)?(?:修复|修好|解决|修正|改正|纠正|更正|根除)|(?:修复|修好|解决|修正|改正|纠正|更正)了|修复完(?:成|毕)|修完了|修好了|(?:修|改)掉了|(?:问题|错误|bug|缺陷|漏洞|崩溃)[^，。]{0,6}?(?:修复|解决)|(?:不|已)再(?:崩溃|报错|失败|出现|泄漏|卡死|抛|复现|发生)|现在(?:可以|能够|能|已|已经|都|均|功能)*(?:正常|正确)(?:地)?(?:工作|运行|显示|返回|处理|登录|使用)?|^[\s\-*+\d.、✅]*修复|(?:问题|错误|bug|缺陷|漏洞|崩溃|异常|泄漏)[^，。]{0,8}?(?:搞定|排除|消除|根治|处理好|处理完|处理掉|已处理|已经处理|都处理了|消失)|(?:搞定|消除|排除|根治)了|不会再(?:崩溃|报错|失败|出现|泄漏|卡死|抛|复现|发生|超时|丢失|重复)|(?:已|已经)(?:搞定|根治|消除|排除)|已经?修(?:\s*$|掉)|(?:错误|报错|告警|泄漏|泄露|异常|崩溃|问题)(?:也|均|都|全部|已|已经|被)+(?:清除|清干净)";
    NOT_FIXED = r"\b(?:fixed|resolved|solved|corrected) (?:nothing|none|neither)\b|\b(?:a|the|an|be|of) (?:fixed|resolved|solved)\b|\bfixed[- ](?:size|width|point|length|position|at|to|seed|amount|rate|price|number)|自动修(?:复|正|掉)|\bauto-?(?:fix|correct)|(?:ruff|eslint|clippy|rubocop|prettier|black|isort|biome|stylelint|fixer|--fix|linter|formatter|fmt)`? (?:has |have |also )*(?:auto-?)?(?:fixed|corrected)|\d+ (?:of them )?(?:were |are |was )?(?:auto-?)?fixed (?:by|automatically)|\b(?:fixed|corrected) automatically|修复(?:方式|逻辑|要点|细节|范围|记录|手段|原理|情况|详情|位置|策略|流程|清单|列表|依据|思想|对象|方案|建议|步骤|思路|方法|计划|前|后|工作|过程|点|内容|说明|总结)|(?:解决|修复)(?:办法|的方法)|\b(?:conflicts?|paths?|values?|names?|symbols?|imports?|dependenc\w+|references?|urls?|types?|hosts?|promises?) (?:is|are|gets?) (?:resolved|corrected|fixed)|\b(?:resolved|corrected) (?:relative|lazily|dynamically|against|per)\b";
    BY_OTHERS = r"\bupstream\b|\blast (?:week|month|year|night|release)\b|\byesterday\b|\bago\b|\b(?:fixed|resolved|solved|corrected|repaired) in (?:version |release )?v?\d+\.\d|\bby (?:the )?(?:maintainers?|authors?|upstream|team|vendor)\b|上周|昨天|去年|上个?月|上游|官方|维护者";
    EXCLAIMED = r"^\W*(?:(?:done|all|and|it's|it’s|now|is|this|that|got it)\W+){0,3}(?:fixed|solved|resolved|(?:已经?|都)?(?:修好|修复|解决|搞定|修完)了?)[ \t]*[.!。！][ \t]+(?:[^\n.!。！]*)$|^\W*(?:已经?|都)?(?:修好|修复|解决|搞定|修完)了?[。！]\s*[^\n.!。！]*$";
    CHANGELOG = r"(?m)^[ \t]*#{1,6}[ \t]+(?:added|changed|removed|deprecated|security)[ \t]*:?[ \t]*$";
    CHANGELOG_FIXED = r"^[ \t\n]*#{1,6}[ \t]+fixed[ \t]*:?\s*$";
    RESTATED = r"\b(?:ok|no) longer \w+|\b(?:does not|doesn't|doesn’t|do not|don't|never|cannot|can't|can’t|won't) \w+[^.;]{0,60}\b(?:any ?more|again|twice)\b|\b(?:correct|proper|right|accurate)(?:ly)?\b|\bagain\b|\bas (?:it should|they should|expected|intended)\b|\b(?:only|exactly|just) once\b|\b(?:is|are|stays?|remains?) (?:now )?(?:stable|reliable|deterministic|back)\b|\b(?:survives?|withstands?|tolerates?|recovers?|copes? with)\b|稳定(?:了|下来)|[看读用跑打连登认显]得[\x{4e00}-\x{9fff}]{1,3}了|(?:已|不)再|(?:正常|正确|准确)|不会(?:再)?[^，。]{1,14}了|恢复|已(?:经)?处理|只会?[^，。]{1,8}一次|(?:能|可以)[^，。]{1,10}了";
    RIGHT_ONE = r"(?:正确|正常|准确)的?[\x{4e00}-\x{9fff}]{1,4}?(?:是|为|应)|\b(?:the|its|their) (?:correct|right|proper|accurate) (?:\w+ ){1,2}(?:is|are|was|were|would be|should be)\b";
    WRONG = r"(?:未|没有?|无法|不能|不会)[^，。；]{0,16}?的(?:问题|bug|缺陷|错误|情况|现象)";
    GOES_ON = r"[,，、]\s*(?:并且?|同时|再|然后|还|又|也|接着|另外|顺手|在|把|将)";
    LACKING = r"\bwithout (?:an?|any|the|its|their) ";
    CAN = r"\bcan (?:now )?(?:be )?";
    BACK = r"^[\s,;:—–-]*(?:and |which |all (?:of )?)*(?:they|these|those|them|both|it)?(?: all| both| now)* pass(?:ed|es)?\b";
    SEGMENT = r"[,，;；:：]";
    NEVER = r"(?:any ?more|any longer|again)$|^不会再";
    SKIPPED = r"\b(?:skip(?:ped|s)?|pending|ignored|excluded|disabled)\b|跳过|忽略";
    NOUN = format!(r"\btests?\b|\bsuite\b|pytest|测试|用例|{}", grammar::IDENTIFIER);
    CASES = r"\b(?:tests?|cases|specs?|suites?|scenarios|pytest)\b|测试|用例|单测";
    RAN_THEM = r"\b(?:ran|re-?ran|run|executed) (?:them|both|all|these|those)\b";
    THEY = r"^\W*(?:(?:i|we)(?:'ve|’ve| have)? (?:\w+ ){0,2}?(?:ran|run|re-?ran|executed) (?:them|those|these|both|all)\b|(?:they|those|these|both|all (?:of them|two|three|four|five|six|\d+))\b|它们|他们|这些|两个|全部|都|均|跑了|运行)";
    SOME_FAIL = r"\b(?:[1-9]\d*|one|two|three|four|five|several|some)\b (?:\w+ ){0,5}fail(?:s|ed|ing|ures?)?\b|[1-9]\d* ?(?:个|项|条)?[^，。]{0,6}?失败|失败 ?[:：]? ?[1-9]|有[^，。]{0,8}失败";
    LEADS = r"^(?:[\s\-+#>|,.:;，：、。（()✅✓✔]|\d+[.)、]|\[x\]|(?:and|but|so|then|however|while|because)\b|但是|但|不过|而且|并且|然后|所以)*";
    NO_WARNINGS = r"\b(?:no|zero|0|without)(?: [a-z]+){0,2} warnings?|\bwarning-free|(?:没有|没|无|零|0 ?(?:个|条)?)[^，。]{0,4}(?:警告|告警)";
    LONGER = r"longer|已再|清除|清干净";
    TYPESCRIPT = r"\b(?:tsc|typescript)`? (?:now |still )?(?:compil|编译)";
    GOOD_END = format!(r"{}|\b(?:formatted|works?|completes?|completed|quiet|silent|valid|well-formed)\b|合法|有效|\bbuilt in \d|{}", grammar::good(), making());
    MAKES = making();
    PACKS = r"\b(?:package|install|assemble|deploy|bundle)\b";
    GOOD_BEHIND = format!(r"^[\s:：,，—–→(（-]+(?:(?:it|they|all|everything|which|and|now|still|both|is|are|was|were|结果|全部|全都|均|都|也)\s*){{0,3}}{}", grammar::good());
    LED = format!(r"^[\s|]*[{0}]\x{{fe0f}}?\s*\||^[\s*+-]*(?:\[x\]|[{0}]\x{{fe0f}}?)\s*`", grammar::MARKS);
    LED_BY = r"(?:(?:已|均|都|全部)(?:顺利|成功)?通过了?|\bpass(?:es|ed)(?: both| all of)?)[:： ]*(?:`[^`]*`(?:\s*[（(][^（()）]*[)）])?(?:[、,，和与及以 ]|\band\b|\bas well as\b)*)+";
    AS_WELL = format!(r"{}[^.;]*?\b(?:as|so) (?:is|are|was|were|does|do|did)(?: the| our)? *$", grammar::good());
    ONLY_JOINS = r"^(?:\s|`[^`]*`|\b(?:and|or|nor|both|as well as|plus)\b|[,，、&+/]|和|与|及|以及)*$";
}

/// Files are said to have been packed up.
fn making() -> String {
    format!(
        r"\b(?:produc|creat|yield|generat|emit|writ|wrot|build|built|pack)\w*(?: as| the| a| to| into)* `[^`]+\.{0}`|(?:打|产|构建|编译|打包|生成|输)出?(?:了|得到)? ?`[^`]+\.{0}`",
        grammar::PACKED
    )
}

/// What an answer claims, in the order of its text.
pub(crate) fn find(answer: &str) -> Vec<Said> {
    let text = prose::masked(answer);
    let sentences = prose::sentences(&text);
    let mut found: Vec<Said> = Vec::new();
    for (at, sentence) in sentences.iter().enumerate() {
        let words = text.get(sentence.range.clone()).unwrap_or_default();
        if sentence.claims_nothing || clause::is_hypothetical(words) || is_section(&text, words) {
            continue;
        }
        let mut here: Vec<Said> = Vec::new();
        for part in clause::clauses(words) {
            let earlier = prose::before(&text, &sentences, at);
            let before = format!("{earlier}{}", words.get(..part.range.start).unwrap_or_default());
            let ran_them = RAN_THEM.fits(&before) && CASES.fits(&before);
            let after_tests = NOUN.fits(&before) || ran_them || refers_to_tests(&text, &sentences, at);
            for said in of_clause(&part, &before, after_tests) {
                let range = sentence.range.start + said.range.start..sentence.range.start + said.range.end;
                let rest = words.get(part.range.start..).unwrap_or_default();
                let behind = words.get(part.range.end..).unwrap_or_default();
                let of_lint = said.kind == ClaimKind::Lint;
                let warnings = said.warnings
                    || ((of_lint || said.kind == ClaimKind::Build) && NO_WARNINGS.fits(&linted::without_told(rest)))
                    || (of_lint && linted::denied_behind(behind));
                let counts = of_lint || said.kind == ClaimKind::Build;
                let told_warnings = linted::told_warnings(&part.original, behind).filter(|_| counts);
                let told_files = linted::told_files(&part.original, behind).filter(|_| of_lint);
                let tells_skipped = SKIPPED.fits(words);
                let heading = components::heading(answer, sentence.range.start);
                // A label may be a word that says something by itself.
                let label = words.get(..part.range.start).and_then(|lead| match lead.split_once([':', '：']) {
                    Some((label, _)) => Some(label),
                    None => Some(lead).filter(|_| part.text.starts_with([':', '：'])),
                });
                let heading = format!("{heading}\n{}:", label.unwrap_or_default());
                let said = Said { range, warnings, told_warnings, told_files, tells_skipped, heading, ..said };
                match here.iter_mut().find(|earlier| earlier.is_with(&said)) {
                    Some(earlier) => earlier.joined(said),
                    None => here.push(said),
                }
            }
        }
        if here.is_empty() {
            here.extend(listed_file(&text, sentence.range.clone()));
        }
        if let Some((place, number)) = tested::only_number(words) {
            let of = |said: &&mut Said| said.kind == ClaimKind::Tests;
            let nearest = |said: &&mut Said| said.range.start <= sentence.range.start + place;
            let said = here.iter_mut().filter(of).rfind(nearest);
            said.into_iter().for_each(|said| said.number = said.number.or(Some(number)));
        }
        // That they were run, and behind a semicolon that they are good, is one claim.
        let continues = !prose::before(&text, &sentences, at).is_empty();
        let passed = here.iter().position(|said| said.kind == ClaimKind::Tests && !said.ran);
        if let (true, Some(last), Some(first)) = (continues, found.last_mut().filter(|last| last.ran), passed) {
            last.joined(here.remove(first));
        }
        let next = sentences.get(at + 1).and_then(|next| text.get(next.range.clone())).unwrap_or_default();
        let tells = here.iter().any(|said| said.kind != ClaimKind::File);
        let place = |said: &Said| (said.range.clone(), said.kind == ClaimKind::File);
        let places: Vec<(Range<usize>, bool)> = here.iter().map(place).collect();
        let described = described::find(answer, &text, sentence, &places).into_iter();
        here.extend(described.filter(|one| !tells || one.told).flat_map(described_files));
        let failed = clause::tells_failure(words) || clause::tells_failure(next);
        if !here.iter().any(|said| said.kind == ClaimKind::Fix) {
            here.extend(restated(words, sentence.range.start, &here));
        }
        let some_fail = SOME_FAIL.fits(&news::without_bad(words));
        let taken_back = |said: &Said| (said.ran && failed) || (said.kind == ClaimKind::Tests && some_fail);
        here.retain(|said| !taken_back(said));
        found.pop_if(|said| is_said_again(said, &here, sentence.range.start) || is_exclaimed(&text, said, &here));
        found.extend(here);
    }
    found
}

/// True for a file that was only described right before the sentence that says what was done to it.
fn is_said_again(earlier: &Said, here: &[Said], start: usize) -> bool {
    let other = |own: &Said| own.kind == ClaimKind::File && own.manner == Manner::Said && own.paths == earlier.paths;
    earlier.manner == Manner::Described && earlier.range.end + 3 >= start && here.iter().any(other)
}

/// True for the head of a section of a changelog, which only says of what sort its entries are.
fn is_section(text: &str, words: &str) -> bool {
    CHANGELOG_FIXED.fits(words) && CHANGELOG.fits(text)
}

/// True for "Fixed!" right before the sentence that says what is fixed: that is one claim.
fn is_exclaimed(text: &str, earlier: &Said, here: &[Said]) -> bool {
    let of_fix = |own: &&Said| own.kind == ClaimKind::Fix && own.manner == Manner::Said;
    let Some(next) = here.iter().find(of_fix) else { return false };
    let line = text.get(..earlier.range.start).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
    let words = text.get(earlier.range.start..next.range.start).unwrap_or_default();
    earlier.kind == ClaimKind::Fix && EXCLAIMED.fits(&format!("{line}{words}"))
}

/// True when a sentence begins with what the one before it spoke of, and that were tests.
fn refers_to_tests(text: &str, sentences: &[prose::Sentence], at: usize) -> bool {
    let words = |at: usize| sentences.get(at).and_then(|one| text.get(one.range.clone())).unwrap_or_default();
    let earlier = at.checked_sub(1).map(words).unwrap_or_default();
    THEY.fits(words(at)) && CASES.fits(earlier) && !clause::tells_failure(earlier)
}

/// What a part of a sentence claims; `before` is what stands before it, which it may speak of in short, `after_tests` when that
/// were tests.
fn of_clause(clause: &Clause, before: &str, after_tests: bool) -> Vec<Said> {
    let mut found: Vec<Said> =
        [tested::tests(clause, after_tests), built::build(clause, before), fix(clause)].into_iter().flatten().collect();
    // A build that works again is no more than that.
    let builds = found.iter().any(|said| said.kind == ClaimKind::Build);
    let works = |said: &Said| clause.text.get(said.range.clone()).is_some_and(|text| text.starts_with("work"));
    found.retain(|said| !(builds && said.kind == ClaimKind::Fix && works(said)));
    let lints = linted::lints(clause, before);
    // A linter that no longer complains is no defect that is fixed.
    let is_lint = |said: &Said| {
        said.kind == ClaimKind::Fix && LONGER.fits(clause.text.get(said.range.clone()).unwrap_or_default())
    };
    found.retain(|said| lints.is_empty() || !is_lint(said));
    // What compiles TypeScript checks its types.
    let is_types = |said: &Said| said.kind == ClaimKind::Build && TYPESCRIPT.fits(&clause.text);
    found.retain(|said| lints.is_empty() || !is_types(said));
    found.extend(lints);
    let commands = by_command(clause, &found);
    found.extend(commands);
    let short = of_command_before(clause, before, &found);
    found.extend(short);
    let fixes = found.iter().any(|said| said.kind == ClaimKind::Fix);
    found.extend(file(clause, before).into_iter().filter(|_| !fixes));
    if !found.iter().any(|said| said.kind == ClaimKind::File) {
        found.extend(gone_folder(clause));
    }
    found.iter_mut().for_each(|said| said.is_of_before(before));
    found.iter_mut().for_each(|said| said.is_of_part(clause, before));
    found.iter_mut().for_each(|said| said.is_of_test(clause, before));
    found.iter_mut().for_each(|said| said.is_of_only(before, &clause.text));
    // What "they" are was said before.
    if BACK.fits(&clause.text) && !before.is_empty() {
        let earlier = Clause { range: 0..before.len(), text: before.to_owned(), original: before.to_owned() };
        let open = |said: &&mut Said| said.kind == ClaimKind::Tests && said.reach.is_open();
        found.iter_mut().filter(open).for_each(|said| said.reach = reach(&earlier, &(0..before.len())));
    }
    let lead = LEADS.find(&clause.text).map_or(0, |lead| lead.end);
    for said in &mut found {
        // The words that lead to it belong to the quotation, as long as it stays short.
        let start = lead.min(said.range.start);
        let from = if said.range.end - start <= LONGEST_LEAD { start } else { said.range.start };
        said.range = clause.range.start + from..clause.range.start + said.range.end;
        said.words.clone_from(&clause.text);
        said.quotes(clause);
    }
    found.sort_by_key(|said| said.range.start);
    found
}

/// Commands that are said to have ended well, in a part of a sentence that says nothing else of their kinds.
fn by_command(clause: &Clause, found: &[Said]) -> Vec<Said> {
    let mut more: Vec<Said> = Vec::new();
    let bare = inline::bare(&clause.text);
    let codes = inline::quoted(&clause.text).into_iter().chain(bare.iter().cloned());
    for (range, code) in codes.filter(|(range, _)| !clause.denies(range)) {
        let rest = clause.text.get(range.end..said_until(clause, range.end)).unwrap_or_default();
        let behind = LED_BY.find(&clause.text).is_some_and(|led| led.start < range.start && range.end <= led.end);
        let as_well = clause.text.get(..range.start.saturating_sub(1)).is_some_and(|before| AS_WELL.fits(before));
        let led = (behind || as_well || LED.fits(&clause.text)).then_some(0..0);
        let Some(good) = GOOD_END.find(rest).or(led) else { continue };
        let is_bare = bare.iter().any(|(other, _)| *other == range);
        let signs = usize::from(!is_bare);
        let whole = through_mark(clause, range.start.saturating_sub(signs)..range.end + good.end);
        if clause.hedges(whole.end) {
            continue;
        }
        // The name of a step beside the linter that it runs is no other one.
        let step = !code.contains(' ') && !grammar::TOOLS.contains(&code);
        let of_step =
            |check: &Check| step && !check.lints.is_empty() && found.iter().any(|other| other.kind == ClaimKind::Lint);
        // A build that another command is said to have done says nothing of this one's tests.
        let built_apart = || {
            let others = inline::quoted(&clause.text).into_iter().filter(|(other, _)| *other != range);
            others.flat_map(|(_, code)| said::quoted_checks(code)).any(|other| other.build && !other.tests)
        };
        for check in said::quoted_checks(code).into_iter().filter(|check| !of_step(check)) {
            // What a build system writes of a good end is said of the build.
            let of_build = check.build && (rest.contains("build success") || MAKES.find(rest) == Some(good.clone()));
            // What is said of tests beside it is said of them alone.
            let apart = || check.build && found.iter().any(|other| other.kind == ClaimKind::Tests && !other.ran);
            let kinds = if of_build || (check.tests && PACKS.fits(code) && apart()) {
                vec![ClaimKind::Build]
            } else {
                kinds(&check)
            };
            for mut said in kinds.into_iter().map(|kind| of_command(clause, kind, &check, whole.clone())) {
                let apart = said.kind == ClaimKind::Tests && built_apart();
                let builds = |other: &Said| other.kind == ClaimKind::Build && check.build && !apart;
                if !found.iter().chain(&more).any(|other| other.is_of_same(&said) || builds(other)) {
                    said.keeps(if is_bare { code } else { "" });
                    more.push(said);
                }
            }
        }
    }
    more
}

/// "I ran `terraform validate`: success": said in short of the command that stands right before it.
fn of_command_before(clause: &Clause, before: &str, said: &[Said]) -> Vec<Said> {
    let last = inline::ends_with(before);
    let good = GOOD_BEHIND.find(&clause.text).filter(|place| !clause.denies(place) && !clause.hedges(place.end));
    let (Some(code), Some(good)) = (last, good) else { return Vec::new() };
    let mut found: Vec<Said> = Vec::new();
    for check in said::quoted_checks(code) {
        for mut one in kinds(&check).into_iter().map(|kind| of_command(clause, kind, &check, good.clone())) {
            if !said.iter().chain(&found).any(|other| other.is_of_same(&one)) {
                one.keeps(code);
                found.push(one);
            }
        }
    }
    found
}

/// That this command ended well, as a claim of this kind.
fn of_command(clause: &Clause, kind: ClaimKind, check: &Check, range: Range<usize>) -> Said {
    let lint = check.lints.first().filter(|_| kind == ClaimKind::Lint);
    let lint = lint.map(|linter| (linter.class, Some(linter.tool.clone())));
    let reach = if kind == ClaimKind::Tests { reach(clause, &range) } else { place(clause) };
    let warnings = kind == ClaimKind::Lint && linted::of_warnings(clause);
    Said { lint, reach, warnings, ..Said::new(kind, range) }
}

/// What a command is said to have done where it is said to have ended well.
fn kinds(check: &Check) -> Vec<ClaimKind> {
    let tests = check.tests.then_some(ClaimKind::Tests);
    let lints = (!check.lints.is_empty()).then_some(ClaimKind::Lint);
    let both: Vec<ClaimKind> = tests.into_iter().chain(lints).collect();
    if both.is_empty() { vec![ClaimKind::Build] } else { both }
}

/// How far what stands behind a quoted command is said of it: up to the next one, unless they are joined.
fn said_until(clause: &Clause, end: usize) -> usize {
    for (next, _) in inline::quoted(&clause.text).into_iter().filter(|(range, _)| range.start > end) {
        let between = clause.text.get(end + 1..next.start.saturating_sub(1)).unwrap_or_default();
        if !ONLY_JOINS.fits(between) && GOOD_END.fits(clause.text.get(next.end..).unwrap_or_default()) {
            return next.start;
        }
    }
    clause.text.len()
}

fn fix(clause: &Clause) -> Option<Said> {
    let range = claimed(clause, &[&FIXED, &FIXED_ZH])?;
    let around = clause.text.get(..clause.text.ceil_char_boundary(range.end + 24)).unwrap_or(&clause.text);
    // That it cannot happen any more is no denial.
    let never = NEVER.fits(clause.text.get(range.clone()).unwrap_or_default());
    let denies = || Clause { text: WRONG.blanked(&clause.text), ..clause.clone() }.denies_before(range.end);
    if (!never && denies()) || NOT_FIXED.fits(around) || BY_OTHERS.fits(&clause.text) {
        return None;
    }
    let paths = inline::quoted(&clause.text).into_iter().map(|(_, code)| code.to_owned());
    let bare = clause.text.split(|c: char| c.is_whitespace() || "，。、的中里`()（）".contains(c));
    let paths = paths.chain(bare.map(|word| word.trim_matches(['.', ',']).to_owned()));
    let paths = paths.filter(|word| word.contains('.') || word.contains("readme")).collect();
    Some(Said { paths, ..Said::new(ClaimKind::Fix, range) })
}

/// What a sentence tells as right now: a fix where the prompt said that it was wrong.
fn restated(words: &str, at: usize, here: &[Said]) -> Option<Said> {
    // What is called the right one is only named.
    let text = RIGHT_ONE.blanked(&news::without_bad(words));
    let mut cuts: Vec<usize> = SEGMENT.all(&text).into_iter().map(|(range, _)| range.start).collect();
    cuts.push(text.len());
    let mut start = 0;
    for cut in cuts {
        let range = std::mem::replace(&mut start, cut)..cut;
        let original = text.get(range.clone()).unwrap_or_default().to_owned();
        let clause = Clause { range: range.clone(), text: CAN.blanked(&original), original };
        let Some(place) = claimed(&clause, &[&RESTATED]) else { continue };
        let from = at + range.start + place.start;
        // What a check says again is no fix.
        let of_check = here.iter().any(|said| said.range.start < from && from < said.range.end + 12);
        let of_file = here.iter().any(|said| said.kind == ClaimKind::File && said.manner == Manner::Said);
        // What somebody is without only says who it is.
        let longer = clause.text.get(place.clone()).is_some_and(|words| LONGER.fits(words));
        let own = if longer { LACKING.blanked(&clause.text) } else { clause.text.clone() };
        let plain = Clause { text: own, ..clause.clone() };
        let denied = plain.denies_before(place.start) || NOT_FIXED.fits(&clause.text) || BY_OTHERS.fits(&clause.text);
        if !of_check && !of_file && !denied {
            let range = at + range.start..at + range.start + place.end;
            return Some(Said { manner: Manner::Restated, words: text, ..Said::new(ClaimKind::Fix, range) });
        }
    }
    None
}

/// A file in a list of those that were changed.
fn listed_file(text: &str, sentence: Range<usize>) -> Option<Said> {
    let filed = files::listed(text, &sentence)?;
    let range = sentence.start + filed.range.start..sentence.start + filed.range.end;
    Some(Said { paths: filed.paths, deed: filed.deed, ..Said::new(ClaimKind::File, range) })
}

/// Each file that is only described has its own proof.
fn described_files(one: Described) -> impl Iterator<Item = Said> {
    let said = move |path: String| {
        let manner = if files::paths(&path).is_empty() { Manner::Described } else { one.manner };
        Said { paths: vec![path], manner, ..Said::new(ClaimKind::File, one.range.clone()) }
    };
    one.paths.into_iter().map(said)
}

/// A folder is only known to be one, and to be gone, by the log.
fn gone_folder(clause: &Clause) -> Option<Said> {
    let filed = files::gone_folder(clause)?;
    let (paths, deed, manner) = (filed.paths, filed.deed, Manner::Described);
    Some(Said { paths, deed, manner, ..Said::new(ClaimKind::File, filed.range) })
}

fn file(clause: &Clause, before: &str) -> Vec<Said> {
    let Some(filed) = files::find(clause, before).or_else(|| files::of_it(clause, before)) else { return Vec::new() };
    let mut found = filed_apart(&filed);
    let mut last = filed.clone();
    while let Some(next) = files::also(clause, &last) {
        found.extend(filed_apart(&next));
        last = next;
    }
    // What was done to another file goes on behind "and".
    let rest = filed.range.end..clause.text.len();
    if let Some(next) = clause.text.get(rest.clone()).and_then(|rest| GOES_ON.find(rest)) {
        let cut = rest.start + next.start..rest.end;
        let (text, lead) = (clause.text.get(cut.clone()), clause.text.get(..cut.start));
        let (text, lead) = (text.unwrap_or_default().to_owned(), lead.unwrap_or_default());
        let own = Clause { range: cut.clone(), original: text.clone(), text };
        let known = |said: &Said| found.iter().any(|other| other.paths == said.paths);
        let more = file(&own, &format!("{before}{lead}已")).into_iter().filter(|said| !known(said));
        let more = more.map(|said| Said { range: said.range.start + cut.start..said.range.end + cut.start, ..said });
        let more: Vec<Said> = more.collect();
        found.extend(more);
    }
    found
}

/// The claims of a deed, each of several files apart.
fn filed_apart(filed: &files::Filed) -> Vec<Said> {
    let said = |paths: Vec<String>| Said { paths, deed: filed.deed, ..Said::new(ClaimKind::File, filed.range.clone()) };
    // Each of several files has its own proof; a file that moved has a place before and a place after.
    match filed.deed {
        Deed::Moved => vec![said(filed.paths.clone())],
        _ => filed.paths.iter().map(|path| said(vec![path.clone()])).collect(),
    }
}
