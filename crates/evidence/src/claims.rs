//! Claims in prose, in English and Chinese: what is said to be tested, built, clean, fixed, or done to a file.

use crate::check::LintClass;
use crate::clause::{self, Clause};
use crate::command;
use crate::deeds::Deeds;
use crate::files::{self, Deed};
use crate::line;
use crate::pattern::{Pattern, patterns};
use crate::prose;
use reasonix_proto::{CallId, ClaimKind};
use std::ops::Range;

/// Something that is claimed.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) kind: ClaimKind,
    /// Where in the answer.
    pub(crate) range: Range<usize>,
    /// What of it: of tests, which.
    pub(crate) reach: Reach,
    /// A number of tests.
    pub(crate) number: Option<u64>,
    /// True when it says that there are no warnings.
    pub(crate) warnings: bool,
    /// The class of a linter, and its name where it has one.
    pub(crate) lint: Option<(LintClass, Option<String>)>,
    /// The files that it names.
    pub(crate) paths: Vec<String>,
    /// What is said to have been done to them.
    pub(crate) deed: Deed,
    /// The words of the part of the sentence that claims it.
    pub(crate) words: String,
    /// True when it only says that tests were run.
    pub(crate) ran: bool,
    /// True when it speaks of a run elsewhere, which no log of ours shows.
    pub(crate) elsewhere: bool,
    /// The options of the command that it quotes: a run without them was another.
    pub(crate) flags: Vec<String>,
    /// True when it quotes a command that is no linter.
    pub(crate) quotes_build: bool,
    /// The calls that are said to prove it; none where any may.
    pub(crate) by: Option<Vec<CallId>>,
}

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
}

impl Reach {
    /// True when it says that it is about some.
    fn is_some(&self) -> bool {
        !self.all && !self.is_open()
    }

    /// True when it says nothing of how much it is about.
    pub(crate) fn is_open(&self) -> bool {
        !self.all && !self.some && !self.failed && self.names.is_empty()
    }
}

/// Linters, formatters and checkers of types by their names.
macro_rules! tools {
    () => {
        r"clippy|eslint|ruff|flake8|pylint|mypy|pyright|basedpyright|rubocop|golangci-lint|staticcheck|prettier|black|isort|yapf|rustfmt|fmt|gofmt|gofumpt|goimports|scalafmt|tsc|vue-tsc|typescript|phpstan|psalm|phpcs|biome|stylelint|oxlint|tslint|shellcheck|hadolint|yamllint|markdownlint|ktlint|detekt|spotless|spotbugs|checkstyle|pmd|credo|dialyzer|hlint|swiftlint|swiftformat|clang-tidy|clang-format|cppcheck|bandit|shfmt|svelte-check|sorbet|pre-commit"
    };
}

patterns! {
    TESTS = r"(?:\b(?:tests?|test_\w+|\w+_tests?|test-suite|suites?|specs?|test cases?|pytest|jest|vitest|nextest|unittest|rspec|ctest|phpunit|mocha|tox|nox|playwright|cypress|ci|pipeline|go test|cargo test|npm test|exunit|xctest|gtest|catch2|karma|bats|behave|cucumber|minitest|junit|testng|nunit|xunit|doctests?)\b|测试|用例|单测)(?:[^.。]|\.\w){0,80}?(?:\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|successful(?:ly)?|succeeded|ok|okay)\b|✅|✓|✔|🟢|通过|全绿|跑通|成功|过了|绿了|全过|都过|全部过|正常|没有问题|没问题)";
    PASSES = r"\bpass(?:es|ed|ing)\b(?: (?:all|every|the|our|its|of|full|entire|whole|existing|unit|integration|\d+))* (?:\w+ )?(?:tests?|specs|test suite|suite)\b|通过(?:了)(?:全部|所有|全体)?[^，。]{0,12}?(?:测试|用例|单测)|通过(?:全部|所有|\d+ ?(?:个|项|条))[^，。]{0,10}?(?:测试|用例|单测)";
    COUNTED = r"\b\d+ (?:\w+ )?(?:tests? )?(?:pass(?:ed|ing)?|green)\b|\b\d+/\d+ (?:tests? )?(?:pass\w*|green)|\d+ ?(?:个|项|条)[^，。]{0,6}?(?:测试|用例|单测)?[^，。]{0,6}?(?:通过|全过|全绿|都过|成功)";
    EVERYTHING = r"\b(?:everything|all checks|all of (?:it|them)|it all|they all)\b[^.]{0,20}\b(?:pass(?:es|ed)?|is green|are green)\b|\ball green\b|\ball pass(?:es|ed|ing)?\b|\b(?:all|every)(?: \d+)?(?: of (?:the|our))? (?:packages?|crates?|modules?|targets|workspaces|projects|cases|assertions|examples|scenarios|services)\b[^.]{0,20}\b(?:pass(?:es|ed)?|green|ok)\b|全绿|全过|全部过了|全部通过|均(?:已)?通过|都通过|全部跑通";
    RAN = r"\b(?:ran|re-?ran|executed|have run|'ve run|has been run|have been run)\b[^.]{0,40}?\b(?:tests?|suite|pytest|jest|vitest|specs|nextest)\b|\b(?:tests?|suite)\b[^.]{0,20}?\b(?:have been|were|was|has been) (?:run|executed)\b|(?:已|已经)(?:运行|跑|执行)(?:了|过|完)?[^，。]{0,15}?(?:测试|用例|单测|pytest|cargo test|npm test|jest|go test)|(?:测试|用例|单测)[^，。]{0,4}?(?:跑|运行|执行)(?:了|过|完)|(?:运行|跑|执行)(?:了|过|完)[^，。]{0,15}?(?:测试|用例|单测|pytest|cargo test|npm test|jest|go test)";
    TESTED = r"\bi(?:'ve| have)?(?: \w+)? tested\b|\b(?:fully|thoroughly|well) tested\b|\btested (?:it|this|everything|locally|end[- ]to[- ]end|thoroughly|and (?:working|verified|works))\b|\bhas been tested\b|(?:已|已经|经过|经)(?:充分|完整|全面)?测试|测试过了";
    BUILD = r"\b(?:builds?|compilation|cargo check|cargo build)\b(?:[^.。]|\.\w){0,40}?(?:\b(?:pass(?:es|ed|ing)?|succe\w+|green|clean(?:ly)?|ok|works?|working|fine|completes?|completed|(?:no|0|zero|without) (?:warnings?|errors?))\b|✅|✓|✔|🟢|通过|成功|正常)|(?:编译|构建|打包)[^。]{0,20}?(?:通过|成功|没有问题|正常|无误|\bok\b|✅|✓|完成)|(?:成功|正常|顺利)(?:地)?(?:编译|构建|打包)|通过了?(?:编译|构建)|(?:现在|已经|已)(?:可以|能|能够)?(?:编译|构建|打包)(?:了|通过)|能(?:够)?(?:编译|构建|打包)(?:通过)?了";
    COMPILES = r"\b(?:compiles|compiled|builds|built|compile|build)\b(?: \w+){0,3}? (?:cleanly|successfully|fine|correctly|ok|again|clean)\b|\b(?:it|code|project|everything|crate|workspace|app|application|package|library|module|binary|that|which|program|service|frontend|backend|repo|image|container|target|site|bundle|extension|plugin|firmware|kernel|client|server|solution|monorepo|tree|codebase|docs|example|examples|projects?|packages?|crates)\b (?:now |still |also |all )*(?:compiles|builds)\b|\bsuccessfully (?:compiled|built|builds|compiles)\b|\b(?:compil(?:es|ed)|builds)(?: (?:now|again|too|as well|locally))?[\s.!]*$|\bnow compiles\b";
    LINT = concat!(r"(?:\b(?:", tools!(), r"|lint(?:er|ers|ing|s)?|go vet|cargo fmt|formatting|formatter|format check|type[- ]?check(?:s|ing|er)?|types)\b|类型检查|代码检查|静态检查|静态分析|格式检查|格式化检查|代码风格检查|代码格式|代码规范|代码风格)(?:[^.。]|\.\w){0,40}?(?:\b(?:pass(?:es|ed|ing)?|succe\w+|green|clean(?:ly)?|ok|happy|fine)\b|✅|✓|✔|🟢|通过|成功|干净|没有问题|没问题|正常|检查过|符合规范|符合要求|全绿|无误|没有?报错|零错误|零警告|过了)");
    NO_LINT = r"\b(?:no|zero|0|without)(?: any)?(?: new)? (?:clippy|lint(?:er|ing)?|eslint|ruff|mypy|type|typescript|tsc|pyright|flake8|pylint|rubocop)\b (?:warnings?|errors?|issues?|complaints?|problems?)|\b(?:lint|clippy)[- ]clean\b|\btype-?checks (?:cleanly|fine|ok)\b|(?:没有|无|零)(?:任何)? ?(?:clippy|lint|eslint|mypy|ruff|类型|ts|typescript) ?(?:的)?(?:警告|错误|报错|问题)";
    FIXED = r"\b(?:fixed|resolved|solved|repaired|corrected)\b|\b(?:this|that|it|change|changes|commit|patch|which|update)\b (?:\w+ )?(?:fix(?:es)?|resolves?)\b|\b(?:ok|no) longer (?:crash\w*|fail\w*|throw\w*|panic\w*|hang\w*|leak\w*|break\w*|error\w*|reproduc\w*|happens?|occurs?)\b|\bnow works?\b|\bworks (?:now|correctly|as expected|again|properly|fine)\b|\bworking (?:now|correctly|as expected|again)\b|\b(?:bug|issue|problem|crash|error|leak|regression|defect) is (?:now )?gone\b";
    FIXED_ZH = r"(?:已|已经|成功|均已|都已|已被)(?:成功)?(?:修复|修好|解决|修正)|(?:修复|修好|解决|修正)了|修复完(?:成|毕)|修完了|修好了|(?:问题|错误|bug|缺陷|漏洞|崩溃)[^，。]{0,6}?(?:修复|解决)|(?:不|已)再(?:崩溃|报错|失败|出现|泄漏|卡死|抛|复现|发生)|现在(?:可以|能够|能|已|已经|都|均|功能)*(?:正常|正确)(?:地)?(?:工作|运行|显示|返回|处理|登录|使用)?|^[\s\-*+\d.、✅]*修复";
    NOT_FIXED = r"\b(?:a|the|an|be|of) (?:fixed|resolved|solved)\b|\bfixed[- ](?:size|width|point|length|position|at|to|seed|amount|rate|price|number)|修复(?:方案|建议|步骤|思路|方法|计划|前|后|工作|过程|点|内容|说明|总结)|(?:解决|修复)(?:办法|的方法)";
    ALL = r"\b(?:all|every|entire|whole|full|complete|100%)\b(?: of)?(?: the| our| its| of)*(?: \d+)?(?: existing| unit| project| workspace| automated| rust| python)?(?: and \w+)? (?:tests?|test suite|suite|specs|test cases)\b|(?:所有|全部|全体|整个)(?:的)?(?: ?\d+ ?(?:个|项|条))?(?:单元|现有|自动化)?(?:测试|用例|单测)";
    ALL_BEHIND = r"(?:测试|用例|单测)[^，。]{0,8}?(?:全部|全都|均|都)";
    PAIRED = r"([\w./:-]+)`?,? (?:and|or|&) (?:the )?`?[\w./:-]+`? (?:unit |integration )?tests?\b|([a-z0-9_./:-]+)`? ?(?:和|与|及|、) ?`?[a-z0-9_./:-]+`? ?(?:模块|包|目录|服务)?(?:的)?(?:测试|用例|单测)";
    AT_A_PLACE = r"^ (?:in|of|for|from|under) ";
    NAMED = r"([\w.:/-]+)`? (?:unit |integration |regression )?tests?\b";
    PLACED = r"\btests? (?:in|of|for|from|under) (?:the )?`?([\w./:-]+)";
    NAMED_ZH = r"([a-z0-9_./:-]*[a-z0-9_]|前端|后端|服务端|客户端)`? ?(?:模块|包|目录|服务|项目|组件|文件|子项目|端)?(?:下|里|中)?(?:的)? ?(?:全部|所有|整个)?(?: ?\d+ ?(?:个|项|条))?(?:单元|集成|回归|相关)?(?:测试|用例|单测)";
    LABEL = r"^[\s\d.)#|•+-]*`?([a-z][a-z0-9_./-]*|前端|后端|服务端|客户端)`?(?: (?:module|package|crate|service|side|app))?(?:模块|服务|项目|端|部分)?\s*[:：|—–]";
    PLACES = r"\b(?:in|on|for|under|of|inside) (?:the )?`?([\w./-]+)`?|`?([a-z0-9_./-]+)`? (?:crate|package|module|service|folder|directory|subproject|library)\b|([a-z0-9_./-]+)`? ?(?:目录|模块|包|文件夹|服务|子项目|项目)";
    WHOLE = r"\b(?:whole|entire|all|every|everything|repo|repository|codebase|project|workspace)\b|整个|所有|全部|全项目|全仓";
    GOOD_END = r"\b(?:pass(?:es|ed|ing)?|succe\w+|green|clean(?:ly)?|ok|okay|happy|fine|formatted|works?|completes?|completed)\b|✅|✓|✔|🟢|通过|成功|干净|没有问题|没问题|正常|全绿|全过|都过|过了|无误|exit(?: code)? 0";
    SOME = r"\b(?:new|added|related|relevant|affected|targeted|corresponding|specific|focused|regression|updated|that|this|its|these) (?:\w+ )?tests?\b|相关|新增|对应|新加|新写|该测试|这个测试|回归测试|目标测试";
    FAILED_BEFORE = r"\b(?:previously|formerly|earlier|once)[- ](?:failing|failed|broken)\b|\b(?:failing|failed|broken) (?:tests?|cases?|specs?)\b|\b(?:that|which) (?:was|were|had)(?: previously)? (?:failing|failed|broken)\b|(?:失败|挂掉|报错)的(?:那)?(?: ?[0-9一二两三四五六七八九十几]+ ?(?:个|项|条))?(?:测试|用例|单测)";
    NONE_FAILED = r"\b(?:no|0|zero|without)(?: any)? (?:failing|failed|broken)|没有?(?:任何)?失败的|无失败的|0 ?个?失败的";
    SINGLE = r"\btest\b (?:now |also |still )?(?:passes|passed|succeeds)";
    NUMBER = r"\b(\d+)(?:/\d+)? ?(?:\w+ )?(?:tests?\b|pass(?:ed|ing)?\b|test cases|specs|examples?\b|个|项|条)";
    OF_ALL = r"\b(\d+)(?:/| of )(\d+)\b";
    THAT_PASSES = r"\btests? (?:that|which|to|by) pass(?:es|ing)?\b|\bpass(?:es|ing|ed)? (?:through|along|down|(?:in )?(?:the|a|an) (?:flag|value|argument|option|result|token|parameter|config|context))\b";
    BACK = r"\b(?:which|it|they|these|those|that|both)(?: all| now| also| both)* pass(?:es|ed)?\b|\b(?:and|all|both) (?:now )?pass(?:es|ed)?\b";
    NOUN = r"\btests?\b|\bsuite\b|pytest|测试|用例";
    SOME_FAIL = r"\b(?:[1-9]\d*|one|two|three|four|five|several|some)\b (?:\w+ ){0,2}fail(?:s|ed|ing|ures?)?\b|[1-9]\d* ?(?:个|项|条)?[^，。]{0,6}?失败|失败 ?[:：]? ?[1-9]|有[^，。]{0,8}失败";
    LEADS = r"^(?:[\s\-+#>|,.:;，：、。（()✅✓✔]|\d+[.)、]|\[x\]|(?:and|but|so|then|however|while|because)\b|但是|但|不过|而且|并且|然后|所以)*";
    ELSEWHERE = r"\bci\b|\bpipeline\b|github actions|流水线";
    INLINE = r"`([^`\n]+)`";
    WARNINGS = r"warning|警告|clean|干净";
    NO_WARNINGS = r"\b(?:no|zero|0|without)(?: [a-z]+){0,2} warnings?|\bwarning-free|(?:没有|没|无|零|0 ?(?:个|条)?)[^，。]{0,4}(?:警告|告警)";
    LINTERS = concat!(r"\b(", tools!(), r"|vet)\b");
    TYPES = r"type|tsc|mypy|pyright|pyre\b|dialyzer|flow\b|sorbet|类型";
    FORMATS = r"fmt\b|format|prettier|black|isort|yapf|spotless|格式";
}

/// A quotation begins where its part of the sentence does, unless it is longer than this.
const LONGEST_LEAD: usize = 80;

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
];

/// What an answer claims, in the order of its text.
pub(crate) fn find(answer: &str) -> Vec<Said> {
    let text = prose::masked(answer);
    let sentences = prose::sentences(&text);
    let mut found: Vec<Said> = Vec::new();
    for (at, sentence) in sentences.iter().enumerate() {
        let words = text.get(sentence.range.clone()).unwrap_or_default();
        if sentence.claims_nothing || clause::is_hypothetical(words) {
            continue;
        }
        let mut here: Vec<Said> = Vec::new();
        for part in clause::clauses(words) {
            let before = words.get(..part.range.start).unwrap_or_default();
            for said in of_clause(&part, NOUN.fits(before)) {
                let range = sentence.range.start + said.range.start..sentence.range.start + said.range.end;
                let rest = words.get(part.range.start..).unwrap_or_default();
                let warnings = said.warnings
                    || (matches!(said.kind, ClaimKind::Lint | ClaimKind::Build) && NO_WARNINGS.fits(rest));
                let said = Said { range, warnings, ..said };
                match here.iter_mut().find(|earlier| earlier.is_with(&said)) {
                    Some(earlier) => earlier.joined(said),
                    None => here.push(said),
                }
            }
        }
        if let Some((place, number)) = only_number(words) {
            let of = |said: &&mut Said| said.kind == ClaimKind::Tests;
            let nearest = |said: &&mut Said| said.range.start <= sentence.range.start + place;
            let said = here.iter_mut().filter(of).rfind(nearest);
            said.into_iter().for_each(|said| said.number = said.number.or(Some(number)));
        }
        let next = sentences.get(at + 1).and_then(|next| text.get(next.range.clone())).unwrap_or_default();
        let failed = clause::tells_failure(words) || clause::tells_failure(next);
        let some_fail = SOME_FAIL.fits(&clause::without_good(words));
        let taken_back = |said: &Said| (said.ran && failed) || (said.kind == ClaimKind::Tests && some_fail);
        here.retain(|said| !taken_back(said));
        found.extend(here);
    }
    found
}

/// The number of tests in a sentence that has one, and where: it may stand in another part than the claim.
fn only_number(words: &str) -> Option<(usize, u64)> {
    let good = clause::without_good(words);
    let plain = unstressed(&good.to_lowercase());
    match NUMBER.all(&plain)[..] {
        [(_, number)] => Some((good.find(number).unwrap_or_default(), number.parse().ok()?)),
        _ => None,
    }
}

/// A number that is stressed is one all the same: where the stars stood there are blanks.
fn unstressed(text: &str) -> String {
    text.replace('*', "").split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Said {
    /// Where the deeds begin that it is about: what names its calls may be about all turns.
    pub(crate) fn since(&self, deeds: &Deeds) -> usize {
        if self.by.is_some() { 0 } else { deeds.turn }
    }

    pub(crate) fn may_be_proved_by(&self, call: Option<&CallId>) -> bool {
        self.by.as_ref().is_none_or(|named| call.is_some_and(|call| named.contains(call)))
    }

    pub(crate) fn new(kind: ClaimKind, range: Range<usize>) -> Self {
        let (reach, lint) = (Reach::default(), None);
        Self {
            kind,
            range,
            reach,
            number: None,
            warnings: false,
            lint,
            paths: Vec::new(),
            deed: Deed::Changed,
            words: String::new(),
            ran: false,
            elsewhere: false,
            flags: Vec::new(),
            quotes_build: false,
            by: None,
        }
    }

    /// True when this says the same of the same, once more in one sentence.
    fn is_with(&self, other: &Self) -> bool {
        let tools = |said: &Self| said.lint.as_ref().map(|(class, tool)| (*class, tool.clone()));
        let same_tool = match (tools(self), tools(other)) {
            (Some((class, tool)), Some((other_class, other_tool))) => {
                class == other_class && (other_tool.is_none() || tool == other_tool)
            }
            _ => true,
        };
        let apart = !self.reach.names.is_empty()
            && !other.reach.names.is_empty()
            && self.reach.names != other.reach.names
            && self.kind == ClaimKind::Tests;
        let apart = apart || (self.kind == ClaimKind::Tests && self.reach.is_some() && other.reach.all);
        self.kind == other.kind && self.kind != ClaimKind::File && same_tool && !apart
    }

    /// Keeps what it says of the command that it is about.
    fn quotes(&mut self, clause: &Clause) {
        const TALK: &[&str] = &["--quiet", "--silent", "--verbose", "--nocapture", "--color", "--no-color"];
        for (_, code) in INLINE.all(&clause.text) {
            for ran in line::commands(code) {
                let about = command::check(&ran.words).filter(|check| match self.kind {
                    ClaimKind::Tests => check.tests,
                    ClaimKind::Build => check.build,
                    ClaimKind::Lint => check.lint.is_some(),
                    _ => false,
                });
                let Some(check) = about else { continue };
                self.quotes_build |= check.lint.is_none();
                let flags = ran.words.into_iter().filter(|word| word.len() > 2 && word.starts_with("--"));
                self.flags.extend(flags.filter(|flag| !TALK.contains(&flag.as_str())));
            }
        }
    }

    /// The same said once more in one sentence.
    fn joined(&mut self, other: Self) {
        self.range.end = self.range.end.max(other.range.end);
        // What says nothing of how much it is about is about the same.
        if self.reach.is_open() {
            self.reach.names.clone_from(&other.reach.names);
            self.reach.some |= other.reach.some;
        }
        self.number = self.number.or(other.number);
        self.ran &= other.ran;
        self.warnings |= other.warnings;
        self.quotes_build |= other.quotes_build;
        self.flags.extend(other.flags);
        self.elsewhere |= other.elsewhere;
        self.reach.all |= other.reach.all;
    }
}

/// `after_tests` when the sentence spoke of tests before it.
fn of_clause(clause: &Clause, after_tests: bool) -> Vec<Said> {
    let mut found: Vec<Said> = [tests(clause, after_tests), build(clause), fix(clause)].into_iter().flatten().collect();
    found.extend(lint(clause));
    let commands = by_command(clause, &found);
    found.extend(commands);
    let fixes = found.iter().any(|said| said.kind == ClaimKind::Fix);
    found.extend(file(clause).into_iter().filter(|_| !fixes));
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

/// The first place that one of these fits and that is claimed.
fn claimed(clause: &Clause, patterns: &[&Pattern]) -> Option<Range<usize>> {
    let places = patterns.iter().filter_map(|pattern| pattern.find(&clause.text));
    let range = places.into_iter().find(|range| !clause.hedges(range.end))?;
    // What stands behind a mark is what it marks.
    let marked = clause.text.get(range.clone()).is_some_and(|text| text.ends_with(['✅', '✓', '✔', '🟢']));
    let whole = clause.text.trim_end_matches(|c: char| c.is_whitespace() || ".。!！;；|".contains(c)).len();
    let end = if marked && whole <= range.start + LONGEST_LEAD { whole.max(range.end) } else { range.end };
    Some(range.start..end)
}

fn tests(clause: &Clause, after_tests: bool) -> Option<Said> {
    if clause.denies() || THAT_PASSES.fits(&clause.text) {
        return None;
    }
    let bare = !BUILD.fits(&clause.text) && !LINT.fits(&clause.text);
    let passes = claimed(clause, &[&TESTS, &PASSES, &COUNTED])
        .or_else(|| claimed(clause, &[&EVERYTHING]).filter(|_| bare))
        .or_else(|| claimed(clause, &[&BACK]).filter(|_| bare && after_tests));
    let ran = passes.is_none();
    let range = passes.or_else(|| claimed(clause, &[&RAN, &TESTED]))?;
    // Of twelve tests ten pass: that tells of a failure.
    let shares = OF_ALL.find(&clause.text).and_then(|place| share(clause.text.get(place)?));
    if shares.is_some_and(|(of, all)| of < all) {
        return None;
    }
    let number = NUMBER.all(&unstressed(&clause.text)).first().and_then(|(_, number)| number.parse().ok());
    let number = number.or(shares.map(|(of, _)| of));
    let tested = ran && !RAN.fits(&clause.text);
    let mut reach = reach(clause, &range);
    reach.some |= tested;
    let elsewhere = ELSEWHERE.fits(clause.text.get(range.clone()).unwrap_or_default());
    Some(Said { reach, number, ran, elsewhere, ..Said::new(ClaimKind::Tests, range) })
}

/// The numbers of `10/12` and `10 of 12`.
fn share(text: &str) -> Option<(u64, u64)> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

fn reach(clause: &Clause, range: &Range<usize>) -> Reach {
    let text = &clause.text;
    let mut names: Vec<String> = Vec::new();
    let mut command = None;
    for (_, code) in INLINE.all(text) {
        let check = line::commands(code).iter().find_map(|ran| command::check(&ran.words));
        match check {
            Some(check) => command = Some(check.part),
            None => names.push(code.to_owned()),
        }
    }
    let before = text.get(..range.end).unwrap_or_default();
    let mut places: Vec<String> = Vec::new();
    for pattern in [&NAMED, &PLACED, &NAMED_ZH, &LABEL] {
        let words = pattern.all(before).into_iter().map(|(_, word)| word);
        places.extend(words.filter(|word| !PLAIN.contains(word) && word.parse::<u64>().is_err()).map(str::to_owned));
    }
    let whole_command = command.as_ref().is_some_and(Vec::is_empty);
    // Of several only a run of everything is known to be of each.
    let paired = PAIRED.all(before).into_iter().any(|(_, word)| !PLAIN.contains(&word));
    let all = paired || says_all(text, before) || (places.is_empty() && (whole_command || ALL_BEHIND.fits(text)));
    names.extend(places);
    names.extend(command.into_iter().flatten());
    let failed = FAILED_BEFORE.fits(&clause.original) && !NONE_FAILED.fits(&clause.original);
    let some = SOME.fits(text) || SINGLE.fits(text);
    Reach { all: all && !failed, names, some, failed }
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
        && !NAMED_ZH.places(before).into_iter().any(around)
        && !LABEL.all(before).into_iter().any(named)
}

/// Commands that are said to have ended well, in a part of a sentence that says nothing else of their kinds.
fn by_command(clause: &Clause, found: &[Said]) -> Vec<Said> {
    let mut more: Vec<Said> = Vec::new();
    for (range, code) in INLINE.all(&clause.text).into_iter().filter(|_| !clause.denies()) {
        let rest = clause.text.get(range.end..).unwrap_or_default();
        let check = line::commands(code).iter().find_map(|ran| command::check(&ran.words));
        let (Some(check), Some(good)) = (check, GOOD_END.find(rest)) else { continue };
        let whole = range.start.saturating_sub(1)..range.end + good.end;
        let is_said = |said: &Said| match said.kind {
            ClaimKind::Tests => check.tests,
            ClaimKind::Build => check.build,
            ClaimKind::Lint => check.lint.is_some(),
            _ => false,
        };
        if clause.hedges(whole.end) || found.iter().chain(&more).any(is_said) {
            continue;
        }
        let kind = match (&check.lint, check.tests) {
            (_, true) => ClaimKind::Tests,
            (Some(_), _) => ClaimKind::Lint,
            _ => ClaimKind::Build,
        };
        let lint = check.lint.map(|linter| (linter.class, Some(linter.tool)));
        let reach = if kind == ClaimKind::Tests { reach(clause, &whole) } else { place(clause) };
        let warnings = kind == ClaimKind::Lint && WARNINGS.fits(&clause.text);
        more.push(Said { lint, reach, warnings, ..Said::new(kind, whole) });
    }
    more
}

/// The place that a build or a linter is said to be good for.
fn place(clause: &Clause) -> Reach {
    let named = PLACES.all(&clause.text).into_iter().map(|(_, word)| word);
    let cut = |word: &str| {
        let mut words = word.split(|c: char| c.is_whitespace() || c == '`').filter(|word| !word.is_empty());
        let first = words.next().map(str::to_owned);
        first
            .filter(|first| !matches!(first.as_str(), "in" | "on" | "for" | "of" | "under" | "inside" | "the"))
            .or_else(|| words.next_back().map(str::to_owned))
    };
    let clean = |word: String| word.trim_end_matches(|c: char| !c.is_ascii()).to_owned();
    let names = named.filter_map(cut).map(clean).filter(|name| !PLAIN.contains(&name.as_str())).collect();
    Reach { all: WHOLE.fits(&clause.text), names, ..Reach::default() }
}

fn build(clause: &Clause) -> Option<Said> {
    if clause.denies() {
        return None;
    }
    let range = claimed(clause, &[&BUILD, &COMPILES])?;
    let warnings = clause.text.contains("warning") || clause.text.contains("警告");
    let (reach, elsewhere) = (place(clause), ELSEWHERE.fits(&clause.text));
    Some(Said { warnings, elsewhere, reach, ..Said::new(ClaimKind::Build, range) })
}

fn lint(clause: &Clause) -> Vec<Said> {
    let clean = claimed(clause, &[&NO_LINT]);
    let Some(range) = clean.or_else(|| claimed(clause, &[&LINT]).filter(|_| !clause.denies())) else {
        return Vec::new();
    };
    let text = clause.text.get(range.clone()).unwrap_or_default();
    let class = |text: &str| match (TYPES.fits(text), FORMATS.fits(text)) {
        (true, _) => LintClass::Types,
        (_, true) => LintClass::Format,
        _ => LintClass::Style,
    };
    let said = |lint: (LintClass, Option<String>)| Said {
        warnings: WARNINGS.fits(&clause.text),
        reach: place(clause),
        lint: Some(lint),
        ..Said::new(ClaimKind::Lint, range.clone())
    };
    let named = |tool| if tool == "typescript" { "tsc" } else { tool };
    let mut tools: Vec<&str> = LINTERS.all(text).into_iter().map(|(_, tool)| named(tool)).collect();
    tools.dedup();
    match tools.as_slice() {
        [] => vec![said((class(text), None))],
        [tool] => vec![said((class(text), Some((*tool).to_owned())))],
        // Each of several has its own proof.
        tools => tools.iter().map(|tool| said((class(tool), Some((*tool).to_owned())))).collect(),
    }
}

fn fix(clause: &Clause) -> Option<Said> {
    let range = claimed(clause, &[&FIXED, &FIXED_ZH])?;
    let around = clause.text.get(..clause.text.ceil_char_boundary(range.end + 24)).unwrap_or(&clause.text);
    if clause.denies_before(range.end) || NOT_FIXED.fits(around) {
        return None;
    }
    let paths = INLINE.all(&clause.text).into_iter().map(|(_, code)| code.to_owned());
    let bare = clause.text.split(|c: char| c.is_whitespace() || "，。、的中里`()（）".contains(c));
    let paths = paths.chain(bare.map(|word| word.trim_matches(['.', ',']).to_owned()));
    let paths = paths.filter(|word| word.contains('.') || word.contains("readme")).collect();
    Some(Said { paths, ..Said::new(ClaimKind::Fix, range) })
}

fn file(clause: &Clause) -> Vec<Said> {
    let Some(filed) = files::find(clause) else { return Vec::new() };
    let said = |paths: Vec<String>| Said { paths, deed: filed.deed, ..Said::new(ClaimKind::File, filed.range.clone()) };
    // Each of several files has its own proof; a file that moved has a place before and a place after.
    match filed.deed {
        Deed::Moved => vec![said(filed.paths.clone())],
        _ => filed.paths.iter().map(|path| said(vec![path.clone()])).collect(),
    }
}
