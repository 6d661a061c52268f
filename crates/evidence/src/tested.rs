//! Claims that tests were run or pass.

use crate::built;
use crate::claimed::claimed;
use crate::clause::Clause;
use crate::grammar::{self, EVERY, GOOD_NEWS};
use crate::inline;
use crate::linted;
use crate::news;
use crate::pattern::patterns;
use crate::reach::reach;
use crate::said::{self, Said};
use reasonix_proto::ClaimKind;

patterns! {
    VERSIONS = r"\b\d+(?:\.\d+)+\b";
    BUILT_COUNT = r"\d+ ?(?:个|项|条)(?:[^，。测用]{0,10}?)(?:构建|编译|打包)(?:均|都|全部|已|也)*(?:成功|通过|完成|正常)";
    RUNS_ANY = r"\b(?:tox|nox)\b";
    TESTS = format!("{}{}{}", grammar::tests(), grammar::between(80), grammar::passed());
    TESTS_BEHIND = format!(r"{0}[^.]{{0,20}}\b(?:including|includes|incl\.|along with|together with|as well as) (?:(?:the|all|its|our|\d+|existing|new|unit|integration|full|running|runs) )*(?:tests|test suite|test run|test task|specs)\b|\btests included\b|{0} with all (?:the |its |our |\d+ )*tests\b|(?:包括|包含|连同|含)(?:了)?(?:全部|所有|现有|已有|的)*(?:单元|集成)?(?:测试|用例|单测)|{1}|{2}|{3}", grammar::good(), grammar::denied_before(&grammar::tests()), grammar::marked(&grammar::tests()), grammar::likewise(&grammar::tests()));
    PASSES = r"\bpass(?:es|ed|ing)\b(?: (?:all|every|the|our|its|of|full|entire|whole|existing|unit|integration|\d+))* (?:\w+ )?(?:tests?|specs|test suite|suite)\b|通过(?:了)(?:全部|所有|全体)?[^，。]{0,12}?(?:测试|用例|单测)|通过 ?(?:全部|所有|\d+ ?(?:个|项|条))[^，。]{0,10}?(?:测试|用例|单测)|(?:已|已经|均|都)通过(?:了)?[^，。]{0,40}?(?:测试|用例|单测)";
    COUNTED = format!(r"\b\d+ (?:tests?|examples?|specs?|runs?),? *(?:and )?{GOOD_NEWS}|") + r"\b\d+ +(?:\w+ +)?(?:tests? +)?(?:pass(?:ed|ing)?|green)\b|\b\d+(?:/| of )\d+ (?:tests? )?(?:pass\w*|green|success)\b|\b\d+/\d+ (?:unit )?(?:tests?|specs|examples)\b|\d+ ?(?:个|项|条)[^，。]{0,6}?(?:测试|用例|单测)?[^，。]{0,6}?(?:通过|全过|全绿|都过|成功)|\bpass(?:ed|ing)? ?[:：] ?\d+\b|通过 ?[:：] ?\d+";
    SHARE_ONLY = format!(r"{}`?(?: (?:reports?|shows?|says|is at|gives|at))?[\s:：|（(—–-]*\d+ ?/ ?\d+", grammar::tests());
    TESTS_LISTED = format!(r"{EVERY}[^.。:：(（—]{{0,24}}{}\s*[:：(（—–]+[^.。]{{0,60}}?{}", grammar::good(), grammar::tests());
    EVERYTHING = r"\b(?:whole|entire|full) (?:workspace|project|repo|repository|codebase|monorepo)\b[^.]{0,12}\b(?:pass(?:es|ed)?|green)\b|\b(?:everything|all checks|all of (?:it|them)|it all|they all)\b[^.]{0,20}\b(?:pass(?:es|ed)?|is green|are green)\b|\ball green\b|\ball pass(?:es|ed|ing)?\b|\b(?:all|every)(?: \d+)?(?: of (?:the|our))? (?:packages?|crates?|modules?|targets|workspaces|projects|cases|assertions|examples|scenarios|services)\b[^.]{0,20}\b(?:pass(?:es|ed)?|green|ok)\b|全绿|全过|全部过了|全部通过|均(?:已)?通过|都通过|全部跑通";
    BACK = format!(r"\b(?:which|it|they|these|those|that|both)(?: all| now| also| both| is| are| was| were)* (?:pass(?:es|ed)?|clean|green|fine|ok)\b|\b(?:and|all|both)(?: (?:of (?:them|these|those)|two|three|four|five|six|seven|eight|nine|ten))?(?: now| also)? pass(?:es|ed)?\b|^[\s,;:：—–-]*all good\b|^[\s,;:：—–-]*everything(?: is| was| came back| looks)?(?: now)? (?:ok|okay|fine|good|in order)\b|(?:都|均|全部|全都|结果)(?:也|都)?{GOOD_NEWS}|(?:^|[，,；;)）])\s*(?:跑|测|运行|执行)(?:下来|完|了一遍)(?:之后|后|结果)?(?:也|都|均|全部|全都)*(?:过|绿|通过|没问题)");
    RAN = r"\b(?:ran|re-?ran|executed|have run|'ve run|has been run|have been run)\b[^.]{0,40}?\b(?:tests?|suite|pytest|jest|vitest|specs|nextest)\b|\b(?:tests?|suite)\b[^.]{0,20}?\b(?:have been|were|was|has been) (?:run|executed)\b|(?:已|已经)(?:运行|跑|执行)(?:了|过|完)?[^，。]{0,15}?(?:测试|用例|单测|pytest|cargo test|npm test|jest|go test)|(?:测试|用例|单测)[^，。]{0,12}?(?:跑|运行|执行)(?:了|过|完)|(?:运行|跑|执行)(?:了|过|完)[^，。]{0,15}?(?:测试|用例|单测|pytest|cargo test|npm test|jest|go test)";
    TESTED = r"\bi(?:'ve| have)?(?: \w+)? tested\b|\b(?:fully|thoroughly|well) tested\b|\btested (?:it|this|everything|locally|end[- ]to[- ]end|thoroughly|and (?:working|verified|works))\b|\bhas been tested\b|(?:已|已经|经过|经)(?:充分|完整|全面)?测试|测试过了";
    NUMBER = r"\b(\d+)(?:/\d+)? ?(?:\w+ )?(?:tests?\b|pass(?:ed|ing)?\b|test cases|specs|examples?\b|个|项|条)|\bpass(?:ed|es|ing)? ?[:：] ?(\d+)\b|通过 ?[:：] ?(\d+)";
    GROUPS = r"\b(\d+) (?:test )?(?:suites|files)\b|(\d+) ?个(?:测试)?(?:文件|套件)";
    OF_ALL = r"\b(\d+)(?:/| of )(\d+)\b";
    AMONG = r"\d+ ?(?:个|项|条)[^，。\d]{0,8}?(?:里|中|当中|之中)(?:面)?[^，。\d]{0,6}?\d+ ?(?:个|项|条)|\bof (?:the |our |all )?\d+ (?:\w+ )?(?:tests?|specs|cases|examples),? (?:only |just )?\d+ pass|\d+ (?:tests?|specs|cases|examples) (?:ran|in total),? (?:and |of which )?\d+ pass";
    OTHER_PLACE = r"\b(?:on|under) (?:(?:the )?[\w.]+(?:, and |, | and | or | & ))*(?:the )?(?:windows|macos|mac|os x|wsl|freebsd|openbsd|ios|android|arm64|aarch64|raspberry pi|(?:all|every|each|both|other|three|the other)(?: \w+)? (?:platforms?|systems?|machines?|oses)|(?:an? |the )?(?:real|physical|actual) (?:devices?|phones?|hardware|machines?|boards?)|staging|production|(?:your|another|a different|my) (?:machine|laptop|server|system))\b|(?:所有|各|各个|全|其他|其它|三个|多个|两个)(?:操作系统|平台|系统|机器)|(?:\b(?:windows|macos|mac|wsl|ios|android|freebsd|arm64|staging)|安卓) ?(?:系统|平台|机器|服务器)?(?:上|环境|下|里|中|端)|(?:线上|生产|预发布?|测试服务器)环境|真机(?:上|测试|环境)|(?:手动|手工|人工)(?:的|做了|进行)*(?:测试|验证|联调|点|走|试)|联调测试|\d ?[kmgt]b[^，。]{0,12}?测试";
    TIMES = r"\b(twice|(?:two|three|four|five|ten|\d+|several|multiple|many) times)\b|([两二三四五十]|\d+|多)(?:遍|次)";
    CHECKS = r"(?:[一二两三四五六七八九十]{1,2}|\d+) ?(?:项|步)(?:检查|验证|任务)?";
    ALL_OF = r"\ball (two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty) (?:\w+ )?(?:tests?|specs|cases)\b|(?:全部|所有)?([一二两三四五六七八九十]{1,3}) ?(?:个|项|条)(?:测试|用例|单测)?[^，。]{0,4}?(?:全部|全都|均)";
    SPELLED = r"\ball (two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty) (?:tests?|specs|cases|examples) (?:in|of|for|under)\b";
    FEW = r"\b(both)\b|\ball (two|three|four|five|six|seven|eight|nine|ten)\b|([两二三四五六七八九十]) ?个[^，。]{0,8}?(?:测试|用例|单测)?(?:都|均)";
    ELSEWHERE = r"\bci\b|\bpipeline\b|github actions|流水线";
}

/// What a part of a sentence says of tests; `after_tests` when the sentence spoke of them before.
pub(crate) fn tests(clause: &Clause, after_tests: bool) -> Option<Said> {
    let of_linter = linted::speaks(clause);
    let bare = !built::speaks(clause) && !of_linter && !quotes_another(clause);
    // What runs anything beside a linter is what runs that linter.
    let text = said::without_others(&clause.text, |check| check.tests);
    let text = if of_linter { RUNS_ANY.blanked(&text) } else { text };
    // So many projects that were built are no tests.
    let text = BUILT_COUNT.blanked(&text);
    let clause = &Clause { text: with_digits(&text), ..clause.clone() };
    let passes = claimed(clause, &[&TESTS, &TESTS_BEHIND, &PASSES, &COUNTED, &SHARE_ONLY, &TESTS_LISTED])
        .or_else(|| claimed(clause, &[&EVERYTHING]).filter(|_| bare))
        .or_else(|| claimed(clause, &[&BACK]).filter(|_| bare && after_tests));
    let ran = passes.is_none();
    let range = passes.or_else(|| claimed(clause, &[&RAN, &TESTED])).filter(|range| !clause.denies(range))?;
    // Of twelve tests ten pass: that tells of a failure.
    let shares = OF_ALL.find(&clause.text).and_then(|place| share(clause.text.get(place)?));
    let parted = AMONG.find(&clause.text).and_then(|place| share(clause.text.get(place)?));
    if shares.is_some_and(|(of, all)| of < all) || parted.is_some_and(|(all, of)| of < all) {
        return None;
    }
    // Of several checks their number is none of tests.
    let several = of_linter || built::speaks(clause);
    let counted = if several { CHECKS.blanked(&clause.text) } else { clause.text.clone() };
    let text = linted::without_told(&said::without_commands(&counted));
    let number = NUMBER.all(&unstressed(&VERSIONS.blanked(&text))).first().and_then(|(_, number)| number.parse().ok());
    let spelled = || ALL_OF.all(&counted).first().and_then(|(_, word)| numeral(word));
    let number = number.or(shares.map(|(of, _)| of)).or_else(spelled);
    let tested = ran && !RAN.fits(&clause.text);
    let mut reach = reach(clause, &range);
    reach.some |= tested;
    let elsewhere =
        ELSEWHERE.fits(clause.text.get(range.clone()).unwrap_or_default()) || OTHER_PLACE.fits(&clause.text);
    let times = TIMES.all(&clause.text).first().map_or(1, |(_, word)| repeated(word));
    let of_groups = GROUPS.all(&clause.text).first().is_some_and(|(_, group)| group.parse().ok() == number);
    let few = few(clause.text.get(..range.end).unwrap_or_default());
    Some(Said { reach, number, few, of_groups, times, ran, elsewhere, ..Said::new(ClaimKind::Tests, range) })
}

/// The text, byte for byte, with digits in place of numbers of tests that are spelled.
fn with_digits(text: &str) -> String {
    let mut out = text.to_owned();
    for (range, word) in SPELLED.all(text) {
        if let Some(number) = numeral(word) {
            out.replace_range(range.clone(), &format!("{number:0width$}", width = range.len()));
        }
    }
    out
}

/// How many all of those are that were spoken of: "both pass".
fn few(text: &str) -> Option<u64> {
    let (_, word) = *FEW.all(text).first()?;
    if word == "both" { Some(2) } else { numeral(word) }
}

/// How often something was done by these words; twice at least where they do not say.
fn repeated(word: &str) -> usize {
    let first = word.split(' ').next().unwrap_or(word);
    let number = first.parse().ok().or_else(|| numeral(first).and_then(|number| usize::try_from(number).ok()));
    number.unwrap_or(2).max(1)
}

/// A number that is spelled.
fn numeral(word: &str) -> Option<u64> {
    const ENGLISH: [&str; 20] = [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    if let Some(at) = ENGLISH.iter().position(|name| *name == word) {
        return u64::try_from(at + 1).ok();
    }
    let digit = |c: char| "零一二三四五六七八九".chars().position(|other| other == c).or((c == '两').then_some(2));
    let (mut tens, mut ones) = (0, None);
    for c in word.chars() {
        if c == '十' {
            tens = ones.take().unwrap_or(1);
        } else {
            ones = Some(digit(c)?);
        }
    }
    u64::try_from(tens * 10 + ones.unwrap_or(0)).ok().filter(|number| *number > 0)
}

/// True when a part quotes a command that runs no tests: what it says in short is said of that.
fn quotes_another(clause: &Clause) -> bool {
    inline::quoted(&clause.text).into_iter().flat_map(|(_, code)| said::quoted_checks(code)).any(|check| !check.tests)
}

/// The numbers of `10/12` and `10 of 12`.
fn share(text: &str) -> Option<(u64, u64)> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

/// The number of tests in a sentence that has one, and where: it may stand in another part than the claim.
pub(crate) fn only_number(words: &str) -> Option<(usize, u64)> {
    let good = linted::without_told(&said::without_commands(&news::without_bad(words)));
    let plain = unstressed(&VERSIONS.blanked(&good.to_lowercase()));
    match NUMBER.all(&plain)[..] {
        [(_, number)] => Some((good.find(number).unwrap_or_default(), number.parse().ok()?)),
        _ => None,
    }
}

/// A number that is stressed is one all the same: where the stars stood there are blanks.
fn unstressed(text: &str) -> String {
    text.replace('*', "").split_whitespace().collect::<Vec<_>>().join(" ")
}
