//! How much a claim says that it is about: all tests, some, those of a place.

use crate::check::Check;
use crate::clause::{self, Clause};
use crate::command;
use crate::components;
use crate::grammar;
use crate::halves::HALVES;
use crate::inline;
use crate::line;
use crate::pattern::patterns;
use std::ops::Range;

patterns! {
    ALL = r"\b(?:all|every|entire|whole|full|complete|100%)\b(?: of)?(?: the| our| its| of)*(?: \d+)?(?: existing| unit| project| workspace| automated| rust| python)?(?: and \w+)? (?:tests?|test suite|suite|specs|test cases)\b|(?:所有|全部|全体|整个)(?:的)?(?: ?\d+ ?(?:个|项|条))?(?:单元|现有|自动化)?(?:测试|用例|单测)";
    ALL_BEHIND = r"(?:测试|用例|单测)[^，。]{0,8}?(?:全部|全都|均|都)";
    PAIRED = r"([\w./:-]+)`?,? (?:and|or|&) (?:the )?`?[\w./:-]+`? (?:unit |integration )?tests?\b|([a-z0-9_./:-]+)`? ?(?:和|与|及|、) ?`?[a-z0-9_./:-]+`? ?(?:模块|包|目录|服务)?(?:的)?(?:测试|用例|单测)";
    PAIRED_BEHIND = r"\b(?:tests?|specs?|suites?) (?:in|of|for|from|under) (?:the )?(?:`?[\w./:-]+`?, )*`?([\w./:-]+)`?,? (?:and|&) (?:the )?(?:`[\w./:-]+`|[\w./:-]+ (?:pass|succeed|are|all|both|now|still)\b)";
    AT_A_PLACE = r"^ (?:in|of|for|from|under) ";
    NAMED = r"([\w.:/-]+)`?(?:['’]s)?(?: (?:crate|package|module)(?:['’]s)?| (?:service|app|library|component)['’]s)?(?: \d+)? (?:unit |integration |regression )?(?:tests?|specs?|examples|suite)\b";
    PLACED = r"\b(?:tests?|suite) (?:in|of|for|from|under) (?:the )?`?([\w./:-]+)";
    NAMED_ZH = r"([a-z0-9_./:-]*[a-z0-9_]|前端|后端|服务端|客户端)`? ?(?:这个|那个|该)? ?(?:模块|包|目录|服务|项目|组件|文件|子项目|端|crate|package|module)? ?(?:下|里|中)?(?:的)? ?(?:全部|所有|整个|相关的?|有关的?)?(?: ?\d+ ?(?:个|项|条))? ?(?:单元|集成|回归|相关的?|有关的?)?(?:测试|用例|单测)";
    WITHIN = r"([\w.:-]+)`?(?:[- ]related)? (?:unit |integration |regression )?(?:tests?|cases|specs|examples) (?:in|of|from|under|inside|within) (?:the )?(?:file |module |package )?`?[\w./-]+";
    WITHIN_ZH = r"`?[a-z0-9_./-]+`? ?(?:文件|目录|模块)?(?:中|里|下|内|里面)(?:的|与)? ?`?([a-z0-9_:-]+)`? ?(?:相关|有关)?的? ?(?:\d+ ?(?:个|项|条) ?)?(?:测试|用例|单测)";
    FILTERED = r"(?:^|[\s`(（:：，])(?:-k|-t|-m|-g|-run|--filter|--grep|--tests|--testnamepattern)[ =]['`]?([\w.:-]+)";
    BEYOND = r"\bsuite\b|\beverything\b|\b(?:workspace|monorepo|repo|repository|codebase|project) (?:unit )?tests?\b|\b(?:full|complete|entire|whole) (?:test )?run\b|套件|(?:完整|全量)(?:的)?(?:测试|用例|单测|回归)";
    THE_REST = r"\bso (?:do|does) (?:everything|all|the rest|the others)\b|\b(?:and|as well as|plus) (?:everything else|all other tests)\b|\bacross the board\b|\b(?:in|across) (?:every|all)(?: the| our)? (?:modules?|packages?|crates?|files?|services?)\b|\b(?:entire|whole|full) (?:project|workspace|repo|repository|codebase)\b|整个(?:项目|工程|仓库|工作区)|\b(?:unit|integration|e2e|doc) ?(?:tests? )?(?:and|&|\+|plus) (?:the )?(?:unit|integration|e2e|end-to-end|doc)\b|单元(?:测试)?(?:和|与|及|、)(?:集成|端到端)|其[他它余]的?(?:测试|用例)?也(?:都|全部)?(?:通过|没问题|过了)";
    SORTED = r"\b(?:unit|integration|e2e|end-to-end|doc)[ -]?(?:test )?(?:tests?|suite)\b|(?:单元|集成|端到端|文档)测试|单测";
    SIDE = r"\b(?:on|for|in|within) (?:the |our )?(backend|frontend|server|client|web|api)(?:[ -](?:side|half|part|end|app|service|project|folder|directory))?\b|\b(?:on|for|in|within) (?:the |our )?`?([\w./-]+)`? (?:side|half|service|subproject|crate|package|module|folder|directory)\b|(前端|后端|服务端|客户端)(?:这边|那边|方面|部分|这一侧|一侧|侧|这块|工程|代码)";
    RAN_IN = r"^[\s*+•-]*(?:in|under|inside|within) (?:the )?`?([a-z][\w./-]*)`?(?: (?:folder|directory|dir))?[,:]? `[^`]+ |([a-z][a-z0-9_./-]*)`? ?(?:目录|文件夹)?(?:下|里|中)(?:面)?(?:的)?(?:跑|运行|执行)?(?:了)? ?`[^`]+ ";
    BOTH = r"前后端|\bboth (?:sides|halves|ends)\b|两端|两边";
    INCLUDING = r"\bincluding\b|\bincl\.|\bamong them\b|包括|其中包含|其中 ?`";
    LABEL = r"^[\s\d.)#|•+-]*`?([a-z][a-z0-9_./-]*|前端|后端|服务端|客户端)`?(?: (?:module|package|crate|service|side|app))?(?:模块|服务|项目|端|部分)?\s*[:：|—–]";
    PLACES = r"\b(?:in|on|for|under|of|inside|about) (?:the )?`?([\w./-]+)`?|`?([a-z0-9_./-]+)`? (?:crate|package|module|service|folder|directory|subproject|library|chart|role|playbook|namespace|project|application)\b|([a-z0-9_./-]+)`? ?(?:这个|那个|该)? ?(?:目录|模块|包|文件夹|服务|子项目|项目|角色|脚本|role|chart)";
    PROJECT = r"([\w.-]+)`? (?:project|application)\b";
    ALL_CHECKS = r"\ball checks\b";
    OWN_WORDS = r"\ball checks passed\b|(?:全部|所有)(?:的)?检查(?:项|都|均)?(?:通过|ok)";
    PACKED = r"\b(\w+) (?:apk|aab|ipa)\b";
    WHOLE = r"\b(?:whole|entire|all|every|everything|repo|repository|codebase|project|workspace)\b|整个|所有|全部|全项目|全仓";
    SOME = r"\b(?:new|added|related|relevant|affected|targeted|corresponding|specific|focused|regression|updated|that|this|its|these) (?:\w+ )?tests?\b|相关|新增|对应|新加|新写|该测试|这个测试|回归测试|目标测试";
    FAILED_BEFORE = r"\b(?:previously|formerly|earlier|once)[- ](?:failing|failed|broken)\b|\b(?:failing|failed|broken) (?:tests?|cases?|specs?)\b|\b(?:that|which)(?: \w+){0,2}? (?:failing|failed|broken|broke|red)\b|(?:失败|挂掉|报错)的(?:那)?(?: ?[0-9一二两三四五六七八九十几]+ ?(?:个|项|条))?(?:测试|用例|单测)";
    NONE_FAILED = r"\b(?:no|0|zero|without)(?: any)? (?:failing|failed|broken)|没有?(?:任何)?失败的|无失败的|0 ?个?失败的";
    SINGLE = r"\btest\b (?:now |also |still )?(?:passes|passed|succeeds)";
    VERSION = r"\bpython ?([23]\.\d{1,2})\b";
    IDENTIFIER = grammar::IDENTIFIER;
    FILES = r"(?:[a-z0-9_@.-]+/)*[a-z0-9_@.-]*[a-z0-9_-]\.(?:rs|pyi?|jsx?|tsx?|mjs|cjs|go|java|kts?|c|h|cpp|hpp|cc|cs|rb|php|swift|sh|bash|css|scss|vue|svelte|ya?ml|sql|lua)\b";
}

/// Words before "tests" that name none.
const PLAIN: &[&str] = &[
    "all",
    "the",
    "unit",
    "existing",
    "our",
    "my",
    "every",
    "of",
    "these",
    "its",
    "integration",
    "passing",
    "and",
    "ran",
    "run",
    "test",
    "new",
    "any",
    "full",
    "entire",
    "whole",
    "regression",
    "both",
    "added",
    "related",
    "relevant",
    "those",
    "other",
    "cargo",
    "go",
    "npm",
    "yarn",
    "pnpm",
    "mvn",
    "make",
    "that",
    "this",
    "more",
    "automated",
    "updated",
    "failing",
    "passed",
    "passes",
    "project",
    "workspace",
    "monorepo",
    "repo",
    "repository",
    "codebase",
    "with",
    "in",
    "affected",
    "targeted",
    "ok",
    "for",
    "also",
    "now",
    "previously",
    "are",
    "no",
    "bun",
    "tests",
    "suite",
    "result",
    "results",
    "status",
    "verification",
    "check",
    "checks",
    "remaining",
    "pytest",
    "jest",
    "vitest",
    "ctest",
    "rspec",
    "executed",
    "one",
    "two",
    "three",
    "first",
    "last",
];

/// How much a claim is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    /// All there are, in so many words.
    pub(crate) all: bool,
    /// These.
    pub(crate) names: Vec<String>,
    /// Some, which are told by what was changed.
    pub(crate) some: bool,
    /// Those that failed before.
    pub(crate) failed: bool,
    /// Those of the names that only say where the others are.
    pub(crate) within: Vec<String>,
    /// Those of the names that say which tests they are.
    pub(crate) subjects: Vec<String>,
    /// True when all there are is all of one sort.
    pub(crate) sorted: bool,
}

impl Reach {
    /// True when it says that it is about some.
    pub(crate) fn is_some(&self) -> bool {
        !self.all && !self.is_open()
    }

    /// True when it says nothing of how much it is about.
    pub(crate) fn is_open(&self) -> bool {
        !self.all && !self.some && !self.failed && self.names.is_empty()
    }
}

/// What a claim about tests is about, by what stands up to its end and beside it.
pub(crate) fn reach(clause: &Clause, range: &Range<usize>) -> Reach {
    let text = &clause.text;
    // What is only an example of it is not what it is about.
    let including = INCLUDING.find(text).map(|place| place.start);
    let own = text.get(..including.unwrap_or(text.len())).unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    let mut command = None;
    for (_, code) in inline::quoted(own) {
        let checks = quoted_checks(code);
        let own = checks.iter().find(|check| check.tests).or(checks.first());
        match own.cloned() {
            Some(check) => command = Some(check.part),
            None if code.starts_with('-') => {}
            None => names.push(code.to_owned()),
        }
    }
    let before = text.get(..range.end.min(own.len())).unwrap_or_default();
    let mut places: Vec<String> = Vec::new();
    let labels = LABEL.all(before).into_iter().filter(|(_, label)| components::names_part(label));
    for found in [NAMED.all(before), PLACED.all(before), NAMED_ZH.all(before), labels.collect()] {
        let words = found.into_iter().map(|(_, word)| word);
        // The server-side tests are those of the server.
        let words = words.map(|word| word.trim_end_matches(':'));
        let words = words.map(|word| word.strip_suffix("-side").unwrap_or(word));
        places.extend(words.filter(|word| names_some(word)).map(str::to_owned));
    }
    let named = halves(text);
    let both = named.len() > 1;
    if both {
        places.retain(|place| !HALVES.contains(&place.as_str()));
        names.extend(named);
    } else {
        places.extend(side(own));
    }
    // An environment is called by the version that it has.
    let versions = VERSION.all(own).into_iter().map(|(_, version)| format!("py{}", version.replace('.', "")));
    places.extend(versions);
    names.extend(IDENTIFIER.all(own).into_iter().map(|(_, name)| name.to_ascii_lowercase()));
    places.extend(ran_in(own));
    let whole_command = command.as_ref().is_some_and(Vec::is_empty);
    // Of several only a run of everything is known to be of each.
    let pairs = PAIRED.all(before).into_iter().chain(PAIRED_BEHIND.all(text));
    let paired = pairs.into_iter().any(|(_, word)| !PLAIN.contains(&word));
    let of_all = || whole_command || ALL_BEHIND.fits(text) || BEYOND.fits(before);
    let only_examples = including.is_some() && names.is_empty() && places.is_empty() && command.is_none();
    let all = both
        || paired
        || only_examples
        || THE_REST.fits(text)
        || says_all(text, before)
        || (places.is_empty() && of_all());
    let sorted =
        ALL.find(text).map_or_else(|| SORTED.fits(before), |all| SORTED.fits(text.get(all).unwrap_or_default()));
    let subjects = places.clone();
    names.extend(places);
    names.extend(command.into_iter().flatten());
    let within = within(own, &names);
    let filters = FILTERED.all(own).into_iter().filter(|(place, _)| !quoted_command(clause, place));
    names.extend(filters.map(|(_, word)| word.to_owned()));
    let failed = FAILED_BEFORE.fits(&clause.original) && !NONE_FAILED.fits(&clause.original);
    let some = SOME.fits(text) || SINGLE.fits(text);
    Reach { all: all && !failed, names, some, failed, within, sorted, subjects }
}

/// The folders that a quoted command is said to have run in.
fn ran_in(text: &str) -> Vec<String> {
    RAN_IN.all(text).into_iter().map(|(_, name)| name).filter(|name| names_some(name)).map(str::to_owned).collect()
}

/// The one side of a project that a text speaks of.
fn side(text: &str) -> Vec<String> {
    let words = SIDE.all(text).into_iter().map(|(_, word)| word).filter(|word| names_some(word));
    words.map(str::to_owned).collect()
}

/// The halves of a project that a text names outside of code.
fn halves(text: &str) -> Vec<String> {
    if BOTH.fits(text) {
        return vec!["前端".to_owned(), "后端".to_owned()];
    }
    let plain = clause::without_code(text);
    let words: Vec<&str> = plain.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let named = |half: &&&str| if half.is_ascii() { words.contains(*half) } else { plain.contains(**half) };
    let sides = ["backend", "frontend", "前端", "后端", "服务端", "客户端"];
    sides.iter().filter(named).map(|half| (*half).to_owned()).collect()
}

/// True for a word before "tests" that says which.
fn names_some(word: &str) -> bool {
    !PLAIN.contains(&word) && word.parse::<u64>().is_err() && word.contains(char::is_alphanumeric)
}

/// Those of the names that are places of what else is named: "the refresh tests in `tests/test_auth.py`".
fn within(text: &str, names: &[String]) -> Vec<String> {
    let mut spans: Vec<&str> = Vec::new();
    for pattern in [&WITHIN, &WITHIN_ZH] {
        let narrower = pattern.places(text).into_iter().filter(|(_, _, word)| names_some(word));
        spans.extend(narrower.filter_map(|(whole, ..)| text.get(whole)));
    }
    spans.extend(FILTERED.fits(text).then_some(text));
    let is_there = |name: &&String| name.contains(['/', '.']) && spans.iter().any(|span| span.contains(name.as_str()));
    names.iter().filter(is_there).cloned().collect()
}

/// True for all tests there are. All tests of one place are all of that place only.
fn says_all(text: &str, before: &str) -> bool {
    let Some(all) = ALL.find(text) else { return false };
    let behind = text.get(all.end..).unwrap_or_default();
    let around = |(whole, _, name): (Range<usize>, Range<usize>, &str)| {
        !PLAIN.contains(&name) && whole.start <= all.start && all.end <= whole.end
    };
    let named = |(_, word): (Range<usize>, &str)| !PLAIN.contains(&word);
    !AT_A_PLACE.fits(behind)
        && side(text).is_empty()
        && !NAMED_ZH.places(before).into_iter().any(around)
        && !LABEL.all(before).into_iter().any(named)
}

/// The place that a build or a linter is said to be good for.
pub(crate) fn place(clause: &Clause) -> Reach {
    let named = PLACES.all(&clause.text).into_iter().map(|(_, word)| word);
    let cut = |word: &str| {
        let mut words = word.split(|c: char| c.is_whitespace() || c == '`').filter(|word| !word.is_empty());
        let first = words.next().map(str::to_owned);
        first
            .filter(|first| {
                !matches!(first.as_str(), "in" | "on" | "for" | "of" | "under" | "inside" | "about" | "the")
            })
            .or_else(|| words.next_back().map(str::to_owned))
    };
    // A file is what it is about wherever it stands.
    let files = FILES.all(&clause.text).into_iter().filter(|(place, _)| !quoted_command(clause, place));
    let files: Vec<String> = files.map(|(_, path)| path.to_owned()).collect();
    let clean = |word: String| word.trim_end_matches(|c: char| !c.is_ascii() || c == '.').to_owned();
    // A word for any file says only what is spoken of.
    const ANY: &[&str] = &["script", "file", "code", "it", "them", "this", "that", "change", "changes"];
    let named = named.filter_map(cut).map(clean).filter(|name| {
        !ANY.contains(&name.as_str()) && !PLAIN.contains(&name.as_str()) && name.parse::<u64>().is_err()
    });
    // A folder that is quoted is what it is about, too.
    let is_folder =
        |code: &&str| code.contains('/') && !code.contains([' ', '.', '*']) && !code.starts_with(['/', '@', '-']);
    let folders = inline::quoted(&clause.text).into_iter().map(|(_, code)| code).filter(is_folder).map(str::to_owned);
    let mut names: Vec<String> = named.chain(files).chain(folders).collect();
    let sides = halves(&clause.text).into_iter().filter(|half| !names.contains(half)).collect::<Vec<_>>();
    names.extend(sides);
    names.extend(
        PACKED.all(&clause.text).into_iter().map(|(_, name)| name).filter(|name| names_some(name)).map(str::to_owned),
    );
    names.extend(ran_in(&clause.text));
    Reach { all: is_whole(&clause.text, &names), names, ..Reach::default() }
}

/// True when a build or a linter is said to be good for all there is: neither one of several projects nor all checks are.
fn is_whole(text: &str, names: &[String]) -> bool {
    const ANY: &[&str] = &["current", "main", "root", "git", "rust", "go", "java", "maven", "gradle", "node", "cargo"];
    let text = OWN_WORDS.blanked(text);
    let mut text = if names.is_empty() { text } else { ALL_CHECKS.blanked(&text) };
    for (whole, _, name) in PROJECT.places(&text.clone()) {
        if names_some(name) && !ANY.contains(&name) && !WHOLE.fits(name) {
            text.replace_range(whole.clone(), &" ".repeat(whole.len()));
        }
    }
    WHOLE.fits(&text)
}

/// True when this place stands in a quoted command, whose words are its own.
fn quoted_command(clause: &Clause, place: &Range<usize>) -> bool {
    let holds =
        |range: &Range<usize>, code: &str| range.contains(&place.start) && code.contains(' ') && !code.starts_with('-');
    inline::quoted(&clause.text).into_iter().any(|(range, code)| holds(&range, code))
}

/// What the quoted commands prove, each.
pub(crate) fn quoted_checks(code: &str) -> Vec<Check> {
    line::commands(code).iter().filter_map(|ran| command::check(&ran.words)).collect()
}
