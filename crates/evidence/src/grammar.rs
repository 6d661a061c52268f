//! The words that claims about checks are made of: what is spoken of, and what is said of it. Patterns are put together from
//! them, so that whatever can be said of one check can be said of all.

/// Linters, formatters and checkers of types by their names.
pub(crate) const TOOLS: &[&str] = &[
    "clippy",
    "eslint",
    "ruff",
    "flake8",
    "pylint",
    "mypy",
    "pyright",
    "basedpyright",
    "rubocop",
    "golangci-lint",
    "staticcheck",
    "prettier",
    "black",
    "isort",
    "yapf",
    "rustfmt",
    "gofmt",
    "gofumpt",
    "goimports",
    "fmt",
    "scalafmt",
    "vue-tsc",
    "tsc",
    "typescript",
    "phpstan",
    "psalm",
    "phpcs",
    "biome",
    "stylelint",
    "oxlint",
    "tslint",
    "shellcheck",
    "hadolint",
    "yamllint",
    "markdownlint",
    "ktlint",
    "detekt",
    "spotless",
    "spotbugs",
    "checkstyle",
    "pmd",
    "credo",
    "dialyzer",
    "hlint",
    "swiftlint",
    "swiftformat",
    "clang-tidy",
    "clang-format",
    "cppcheck",
    "bandit",
    "shfmt",
    "svelte-check",
    "sorbet",
    "pre-commit",
    "actionlint",
    "sqlfluff",
    "tflint",
    "luacheck",
    "selene",
    "stylua",
    "kubeconform",
    "pint",
    "php-cs-fixer",
    "larastan",
    "phpmd",
    "standardrb",
    "brakeman",
    "reek",
    "cpplint",
    "autopep8",
    "vulture",
    "cspell",
    "codespell",
    "spectral",
    "checkov",
    "tfsec",
    "semgrep",
    "gosec",
    "kube-score",
    "clj-kondo",
    "scalafix",
    "ormolu",
    "swift-format",
    "mdformat",
    "dprint",
    "knip",
    "pytype",
    "pyrefly",
    "buf",
    "textlint",
    "htmlhint",
    "ktfmt",
    "google-java-format",
    "taplo",
    "zizmor",
    "[a-z0-9]+-lint(?:er)?",
    "[a-z]{2,}lint",
];

/// What stands in the place of bad news that is denied: "no errors" is good news.
pub(crate) const GOOD_NEWS: char = '\u{6}';

/// Signs that something is good.
pub(crate) const MARKS: &str = "✅✓✔🟢☑👍";

/// All that is checked, before a list of it.
pub(crate) const EVERY: &str = r"(?:\b(?:all|every|everything|checks?)\b|全部|所有|以下|检查)";

/// The ends of files that something is packed up as.
pub(crate) const PACKED: &str = r"(?:whl|tgz|tar\.gz|jar|war|zip|apk|aab|ipa|deb|rpm|gem|crate|exe|dmg|nupkg|img|iso)";

/// The name of a test in code, by its letters.
pub(crate) const IDENTIFIER: &str = r"\bTest[A-Z]\w*|\b[A-Z]\w*[a-z]Tests?\b";

/// The tools as alternatives.
pub(crate) fn tools() -> String {
    TOOLS.join("|")
}

/// Tests as a subject.
pub(crate) fn tests() -> String {
    let words = r"\b(?:tests?|test_\w+|\w+_tests?|\w+_spec|test-suite|suites?|specs?|test cases?|pytest|jest|vitest|nextest|unittest|rspec|ctest|phpunit|mocha|tox|nox|playwright|cypress|ci|pipeline|go test|cargo test|npm test|exunit|xctest|gtest|catch2|karma|bats|behave|cucumber|minitest|junit|testng|nunit|xunit|doctests?|surefire|failsafe|gotestsum|ginkgo|jasmine|node:test|hspec|kotest|spock|behat|paratest|codeception|testing)\b|`(?:\w+tests?|test\w+)`|测试|用例|单测|自测";
    format!("(?:{words}|{IDENTIFIER})")
}

/// A build as a subject.
pub(crate) fn builds() -> String {
    r"(?:\b(?:builds?|compilation|compiler?s?|compiles|compiling|compile-time|cargo check|cargo build)\b|编译|构建|打包)".to_owned()
}

/// A linter, a formatter or a check of types as a subject.
pub(crate) fn lints() -> String {
    let named = r"(?:helm|buf|ct|redocly|spectral|protolint) lint|(?:ktlint|spotless|checkstyle|scalafmt|detekt|spotbugs|pmd|lint|scalafix)(?:check|main|test|debug|release|all|java|kotlin)+|lint(?:er|ers|ing|s)?|go vet|cargo fmt|formatting|formatter|format check|vet|type[- ]?check(?:s|ing|er)?|types|static analysis|code style|syntax[- ]check(?:s|ed)?|spell[- ]?check(?:er|s)?";
    let chinese = r"类型检查|类型 ?[|:：]|代码检查|静态检查|静态分析|语法检查|格式检查|格式化检查|代码风格检查|代码格式|代码规范|代码风格";
    format!(r"(?:\b(?:{}|{named})\b|{chinese})", tools())
}

/// What is said of anything that is good.
pub(crate) fn good() -> String {
    format!(r"(?:{}|\b(?:clean(?:ly)?|happy|satisfied|fine)\b)", passed())
}

/// What is said of tests that are good: other words for it are too common beside them to stand alone.
pub(crate) fn passed() -> String {
    let english = r"\b(?:pass(?:es|ed|ing)?|green|succe(?:eds?|eded|ssful|ssfully)|ok|okay)\b|(?:\b(?:is|are|was|were|looks?|runs?|ran|all|both|back|out|stays?|remains?|went|goes|ended)|[:：|—–→])(?: (?:now|all|also|still|completely|fully|again|perfectly|just))* ?(?:clean(?:ly)?|happy|satisfied|good|fine)\b|\bin order\b|\b(?:went|goes|go|come|comes|came|gets?|got|runs?|ran) through\b|-free\b|\bchecks? out\b|\bexit(?:s|ed)?(?: (?:with|code|status|of|was|is))* 0\b|100 ?%|[:：|→=—–] ?success\b|\bbuild success\b|\breport(?:s|ed) success\b|返回(?:了)? ?success\b";
    let chinese = r"通过|成功|全绿|绿(?:了|的|色|灯)|跑通|过了|全过|都过|全部过|正常|没问题|没有问题|干净|无误|顺利|是过的|都过的|良好|达标|已过|已全过|符合(?:规范|要求|标准)|(?:退出码|返回码|返回值|返回)(?:为|是|均为|都是|都为|:|：|\s)*0\b";
    // Bad news that is denied ends where its second sign stands.
    format!(r"(?:{english}|{chinese}|[{MARKS}]|{GOOD_NEWS}(?: *{GOOD_NEWS})?)")
}

/// Words between a subject and what is said of it, at most so many bytes.
pub(crate) fn between(most: usize) -> String {
    format!(r"(?:[^.。]|\.[\w/]|\.\./|\.\.\. ){{0,{most}}}?")
}

/// What is denied before this is the subject of it: "no type errors".
pub(crate) fn denied_before(subject: &str) -> String {
    format!(r"{GOOD_NEWS}[^.。,，;；]{{0,30}}?{subject}")
}

/// What is said of something else is said of this, too: "the tests pass, as does the linter".
pub(crate) fn likewise(subject: &str) -> String {
    format!(
        r"{}`?,? (?:and )?(?:as|so) (?:does|do|did|is|are|was|were)(?: the| our| also)* `?(?:[\w-]+ )?{subject}",
        good()
    )
}

/// A sign, and behind it nothing but what it is about.
pub(crate) fn marked(subject: &str) -> String {
    format!(
        r"(?:^[\s|]*[{MARKS}]\x{{fe0f}}?\s*\||[{MARKS}]\x{{fe0f}}?)\s*(?:(?:[\w/.-]+|`[^`]+`)\s+){{0,2}}?(?:单元|集成|回归|全部|所有|全量|前端|后端|代码)*{subject}\s*(?:$|[|,.:;(（，。、{MARKS}☐⬜❌])"
    )
}
