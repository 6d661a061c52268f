//! Claims that something compiles or builds.

use crate::check::Check;
use crate::claimed::claimed;
use crate::clause::Clause;
use crate::grammar::{self, EVERY, GOOD_NEWS};
use crate::inline;
use crate::linted;
use crate::news;
use crate::pattern::patterns;
use crate::reach::place;
use crate::said::{self, Said};
use reasonix_proto::ClaimKind;
use std::ops::Range;

/// What may stand behind a verb that says that something was built, where nothing is told of what it is made of.
const ENDS: &str = r"\s*(?:[.,;:!()—–|]|$|\b(?:as|again|cleanly|fine|now|too|without|and|successfully|locally)\b|\bwith(?: no| zero| \d+| `))";

/// A build that is said to be good by its verb.
const BUILT_ZH: &str = r"(?:打包|构建|编译)(?:后|完)?(?:得到|产出|生成|出)(?:了| ?`)|(?:镜像|包|安装包|产物|wheel|jar|tarball|二进制|制品|固件|程序|应用|可执行文件)(?:也|都|均|已|已经| )*(?:成功)?(?:构建|打包|编译|打)(?:好|完|出来|成功|通过)了?|(?:成功|正常|顺利)(?:地)?(?:编译|构建|打包)|通过了?(?:编译|构建)|(?:现在|已经|已)(?:可以|能|能够)?(?:编译|构建|打包)(?:了|通过)|能(?:够)?(?:编译|构建|打包)(?:通过)?了|(?:能|能够|可以)(?:正常|成功|顺利)[^，。]{0,12}?(?:编译|构建|打包)(?:了|$|[，。\s])";

patterns! {
    BUILD = format!(r"{}{}(?:{}|\b(?:works?|working|completes?|completed|finish(?:es|ed))\b|完成)|(?:\b(?:maven|gradle|mvn|gradlew|surefire)\b|打包|构建|编译)[^.。]{{0,30}}?\bbuild success(?:ful)?\b|{BUILT_ZH}", grammar::builds(), grammar::between(40), grammar::good());
    BUILD_BEHIND = format!(r"^\W*(?:built|compiled)\b[^.\w]{{0,4}}{GOOD_NEWS}|{}|{}|{}", grammar::denied_before(&grammar::builds()), grammar::marked(&grammar::builds()), grammar::likewise(&grammar::builds()));
    BUILD_LISTED = format!(r"{EVERY}[^.。:：(（—]{{0,24}}{}\s*[:：(（—–]+[^.。]{{0,60}}?{}", grammar::good(), grammar::builds());
    COMPILES = format!(r"\b(?:compiles|compiled|builds|built|compile|build|assembles)\b(?: \w+){{0,3}}? (?:cleanly|successfully|fine|correctly|ok|again|clean)\b|\b(?:it|code|project|everything|crate|workspace|app|application|package|library|module|binary|that|which|program|service|frontend|backend|repo|image|container|target|site|bundle|apk|aab|ipa|installer|extension|plugin|firmware|kernel|client|server|solutions?|monorepo|tree|codebase|docs|documentation|example|examples|projects?|packages?|crates|wheel|sdist|jar|war|chart|firmware|theme|site)\b (?:now |still |also |all )*(?:compiles\b|(?:builds|assembles)(?:{ENDS}|\s+(?:with|ok|okay|just|on|for|in|under|against|from|after|at|correctly|properly|normally|but|while|offline)\b))|\b(?:docs|wheels|charts|demos|bundles|targets|crates|packages|projects|modules|binaries|examples|images|services|sources|files|apps|members|configurations|variants|features|everything|they|(?:both|all) of (?:them|it))\b (?:now |still |also |all |both )*(?:compile|build)s?\b{ENDS}|\b(?:wheel|sdist|package|image|binary|binaries|jar|war|tarball|archive|bundle|installer|executable|artifacts?|apk|ipa|chart|docs|documentation|site|library|app|application|project|container|site|gem|release|firmware|kernel|extension|plugin|client|server|frontend|backend)\b(?: (?:for|of) v?[\w.-]+)? (?:was|were|is|has been|have been|got|gets?) (?:now |successfully |freshly |also )*(?:built|compiled|packaged|bundled|assembled|packed)\b{ENDS}|\b(?:artifacts?|jar|war|wheel|tarball|image|package|bundle)\b,? (?:packaged|built|produced|assembled|created)\b|\b(?:re)?(?:built|packed|packaged|bundled|assembled) (?:the |it |everything |again |a |as |into |cleanly )*(?:as |into )?`[^`]+\.(?:whl|tgz|tar\.gz|jar|war|zip|apk|aab|ipa|deb|rpm|gem|crate|exe|dmg|nupkg|img|iso)`|\bsuccessfully (?:compiled|built|builds|compiles)\b|\b(?:compil(?:es|ed)|builds)(?: (?:now|again|too|as well|locally))?[\s.!]*$|\bnow compiles\b");
    SUBJECT = r"\b(?:the|a|our|full|release|production|npm run|cargo|go) build\b|编译|构建|打包";
    CLEAN = r"\bclean(?:ly)?\b|干净";
    // What is built is no claim that something builds.
    NOUN = r"\b(?:\w+(?:ible|able|ed)|faster|smaller|slower|quicker|leaner|cleaner|later|lighter|incremental|local|parallel|clean|cold|warm|nightly|other|future|subsequent|production|ci|your|our|these|those|more|for|of|between|across|during|in|with|from) builds\s*[.!,;]?\s*$";
    RUNS_TESTS = r"\bzig build test(?:[\w:-]*)\b|[a-z]+ ?(?:构建|编译)(?:版本?)?(?:之?下|里|中|环境)[^，。]{0,12}?(?:测试|用例|单测)";
    SEVERAL = r"\b(?:both|two|all two) (?:build )?(?:configurations?|configs?|variants?|profiles?|modes?|settings)\b|[两2] ?[种个](?:配置|模式|情况|方式|变体|设置|选项)|\b(?:in|with) both (?:configurations|modes|profiles)\b|\b(?:debug|dev|development)(?: builds?| version| mode| profile)?,? (?:and|as well as) (?:(?:the|in|a) )?(?:release|production|prod|optimi[sz]ed)\b|\b(?:release|production|prod|optimi[sz]ed)(?: builds?| version| mode| profile)?,? (?:and|as well as) (?:(?:the|in|a) )?(?:debug|dev|development)\b|(?:debug|调试|开发) ?(?:版本?|模式|构建|配置)? ?(?:和|与|及|以及|、|\+|/) ?(?:release|发布|生产|正式)|(?:release|发布|生产|正式) ?(?:版本?|模式|构建|配置)? ?(?:和|与|及|以及|、|\+|/) ?(?:debug|调试|开发)";
    ELSEWHERE = r"\bci\b|\bpipeline\b|github actions|流水线";
}

/// True when a part of a sentence says that a build is good.
pub(crate) fn speaks(clause: &Clause) -> bool {
    BUILD.fits(&clause.text)
}

/// What a part of a sentence says of builds; `before` is what stands before it, which it may speak of in short.
pub(crate) fn build(clause: &Clause, before: &str) -> Option<Said> {
    let (whole, clause) = (clause, &without_tests(clause));
    let range = claimed(clause, &[&BUILD, &BUILD_BEHIND, &BUILD_LISTED, &COMPILES])
        .or_else(|| {
            linted::said_in_short(clause, before).filter(|_| SUBJECT.fits(before) && !SUBJECT.fits(&clause.text))
        })
        .filter(|range| !clause.denies(range))?;
    // A command that is known to build nothing stands here as blanks, and is another one.
    let is_subject = |(place, code): (Range<usize>, &str)| {
        let between = whole.text.get(place.end + 1..range.start);
        code.trim().is_empty() && between.is_some_and(|between| between.trim().is_empty())
    };
    if inline::quoted(&whole.text).into_iter().any(is_subject) {
        return Some(Said { elsewhere: true, ..Said::new(ClaimKind::Build, range) });
    }
    let told = linted::without_told(&clause.original);
    let warnings = told.contains("warning") || told.contains("警告");
    let clean = CLEAN.fits(&told) || news::denies_findings(&told);
    let (reach, elsewhere) = (place(whole), ELSEWHERE.fits(&clause.text));
    let times = if SEVERAL.fits(&clause.original) || SEVERAL.fits(before) { 2 } else { 1 };
    Some(Said { warnings, clean, elsewhere, reach, times, ..Said::new(ClaimKind::Build, range) })
}

/// The part with signs in place of quoted commands that run tests: a folder of theirs called `build` is no build.
fn without_tests(clause: &Clause) -> Clause {
    let mut clause = Clause { text: NOUN.blanked(&RUNS_TESTS.blanked(&clause.text)), ..clause.clone() };
    for (range, code) in inline::quoted(&clause.text.clone()) {
        // A folder of that name in a path is no build either.
        let is_path = code.contains('/') && !code.contains(' ');
        let checks = said::quoted_checks(code);
        let builds = checks.iter().any(|check| check.build && (!check.tests || names_build(code, check)));
        if !builds && (is_path || checks.iter().any(|check| check.tests)) {
            clause.text.replace_range(range, &"x".repeat(code.len()));
        }
    }
    clause
}

/// True when a command that runs tests and builds is told to build, not only given a folder of that name.
fn names_build(code: &str, check: &Check) -> bool {
    let mut words = code.split_whitespace().peekable();
    let mut told = false;
    while let Some(word) = words.next() {
        let given = word.starts_with("--") && !word.contains('=');
        told |= !given && words.peek().is_some_and(|next| next.split(':').any(|part| part == "build"));
    }
    // The runner of `zig build test` is called that way.
    check.build && told && check.program != "zig"
}
