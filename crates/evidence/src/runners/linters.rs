//! Linters, formatters and checkers of types.

use super::words::{is_all, operands, options};
use crate::check::{Check, LintClass};

pub(super) fn formatter(tool: &str, only_looks: bool) -> Check {
    Check { writes: !only_looks, ..Check::lint(LintClass::Format, tool) }
}

/// True when a linter is told to keep warnings to itself. Those that have only one sort of findings keep none.
fn keeps_warnings(name: &str, args: &[&str]) -> bool {
    const LEVELS: &[&str] = &["--diagnostic-level", "--level", "--threshold", "--severity", "--minimum-severity", "-S"];
    let has = |words: &[&str]| args.iter().any(|word| words.contains(word));
    let of_level = |word: &&str| LEVELS.contains(&word.split('=').next().unwrap_or(word));
    match name {
        "ruff" | "black" | "isort" | "mypy" | "golangci-lint" | "phpstan" | "larastan" => false,
        "phpcs" if has(&["-n", "--warning-severity=0"]) => true,
        "rubocop" if has(&["--display-only-fail-level-offenses"]) => true,
        _ => has(&["--quiet", "--errors-only", "-E", "--no-warnings"]) || args.iter().any(of_level),
    }
}

/// True when a program is told to read a file and to do nothing of what it says.
pub(super) fn only_parses(name: &str, args: &[&str]) -> bool {
    let before = args.iter().take_while(|word| word.starts_with('-'));
    let has = |flags: &[&str]| before.clone().any(|word| flags.contains(word));
    match name {
        "bash" | "sh" | "zsh" | "dash" => has(&["-n"]) && !has(&["-c"]),
        "node" => has(&["--check", "-c"]),
        "php" => has(&["-l", "--syntax-check"]),
        "ruby" | "perl" => has(&["-c", "-wc"]),
        "nginx" | "apachectl" | "httpd" => args.contains(&"-t"),
        "docker" => matches!(args, ["compose", rest @ ..] if rest.contains(&"config")),
        "docker-compose" => args.contains(&"config"),
        "ansible-playbook" => args.contains(&"--syntax-check"),
        "kubectl" => args.iter().any(|word| word.starts_with("--dry-run=") && *word != "--dry-run=none"),
        _ => false,
    }
}

/// Linters that take a word of their own first, and those that are known by a name alone.
const OF_STYLE: &[&str] = &[
    "eslint",
    "ruff",
    "flake8",
    "pylint",
    "golangci-lint",
    "staticcheck",
    "rubocop",
    "shellcheck",
    "stylelint",
    "biome",
    "oxlint",
    "ktlint",
    "phpstan",
    "larastan",
    "hlint",
    "pmd",
    "actionlint",
    "sqlfluff",
    "tflint",
    "clang-tidy",
    "credo",
    "swiftlint",
    "hadolint",
    "yamllint",
    "markdownlint",
    "markdownlint-cli2",
    "pre-commit",
    "prek",
    "psalm",
    "phpcs",
    "phpmd",
    "phan",
    "cppcheck",
    "cpplint",
    "bandit",
    "tslint",
    "detekt",
    "checkstyle",
    "spotbugs",
    "luacheck",
    "selene",
    "kubeconform",
    "kubeval",
    "kube-score",
    "codespell",
    "typos",
    "cspell",
    "vale",
    "slither",
    "statix",
    "deadnix",
    "standardrb",
    "standard",
    "xo",
    "reek",
    "brakeman",
    "erblint",
    "htmlhint",
    "textlint",
    "spectral",
    "checkov",
    "tfsec",
    "gosec",
    "revive",
    "errcheck",
    "ineffassign",
    "misspell",
    "semgrep",
    "pydocstyle",
    "vulture",
    "knip",
    "clj-kondo",
    "scalafix",
    "elvis",
    "ameba",
    "solhint",
    "dotenv-linter",
    "check-jsonschema",
    "djlint",
    "refurb",
    "polaris",
    "zizmor",
];

/// Checkers of types that do nothing else.
const OF_TYPES: &[&str] = &[
    "mypy",
    "pyright",
    "pyre",
    "flow",
    "sorbet",
    "srb",
    "vue-tsc",
    "basedpyright",
    "svelte-check",
    "pytype",
    "ty",
    "pyrefly",
    "dialyzer",
    "steep",
    "glint",
];

/// Formatters that write unless they are told to look only.
const WRITING: &[&str] = &[
    "black",
    "isort",
    "rustfmt",
    "yapf",
    "scalafmt",
    "swiftformat",
    "pint",
    "autopep8",
    "autoflake",
    "ormolu",
    "fourmolu",
    "mdformat",
    "php-cs-fixer",
    "docformatter",
    "elm-format",
    "nixpkgs-fmt",
    "alejandra",
    "erlfmt",
    "ktfmt",
    "gersemi",
    "pyupgrade",
];

/// Formatters that look, or show what they would write, unless they are told to write.
const LOOKING: &[&str] = &[
    "prettier",
    "gofmt",
    "gofumpt",
    "clang-format",
    "shfmt",
    "goimports",
    "stylua",
    "nixfmt",
    "taplo",
    "dprint",
    "swift-format",
    "cmake-format",
    "google-java-format",
    "buildifier",
    "ecs",
];

/// Those that name the files which they would write anew, and end with 0 all the same.
const LISTING: &[&str] = &["gofmt", "gofumpt", "goimports"];

/// Words by which a linter is told to write what it finds wrong.
const FIXES: &[&str] =
    &["--fix", "-w", "--write", "-i", "--unsafe-fixes", "-a", "-A", "--autocorrect", "--auto-correct", "--in-place"];

/// Words by which a formatter is told to look only.
const LOOKS: &[&str] = &[
    "--check",
    "--diff",
    "-c",
    "-d",
    "--check-only",
    "--test",
    "--lint",
    "--dry-run",
    "check",
    "--verify",
    "--validate",
    "--fail-on-change",
];

/// What a linter of this name is, told this.
fn kind(name: &str, sub: &str, args: &[&str]) -> Option<Check> {
    let has = |words: &[&str]| args.iter().any(|word| words.contains(word));
    let looks = has(LOOKS);
    Some(match name {
        "tsc" => Check::lint(LintClass::Types, "tsc").and_build(),
        _ if OF_TYPES.contains(&name) => Check::lint(LintClass::Types, name),
        "ruff" if sub == "format" => formatter("ruff", looks),
        "sqlfluff" | "buf" | "swift-format" | "biome" if matches!(sub, "fix" | "format") && !looks => {
            formatter(name, false)
        }
        "buf" if !matches!(sub, "lint" | "format" | "breaking") => return None,
        "buf" => Check::lint(LintClass::Style, "buf"),
        "dprint" | "cljfmt" => formatter(name, sub == "check"),
        _ if only_parses(name, args) => Check::lint(LintClass::Style, name),
        "pre-commit" | "prek" if !has(&["--all-files", "-a"]) => {
            Check::lint(LintClass::Style, name).narrowed(vec!["staged".to_owned()])
        }
        _ if OF_STYLE.contains(&name) => Check::lint(LintClass::Style, name),
        _ if WRITING.contains(&name) => formatter(name, looks),
        _ if LOOKING.contains(&name) => formatter(name, !has(FIXES)),
        _ if name.ends_with("lint") || name.ends_with("-linter") => Check::lint(LintClass::Style, name),
        _ => return None,
    })
}

/// Folders that have the sources, as a rule all of them.
const ROOTS: &[&str] = &["src", "lib", "app", "./src", "./lib", "./app"];

/// Words that are no places, or places of everything.
fn is_whole(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "check", "src", "src/", "lib", "app", "run", "./...", "format", "lint", "ci", "analyse", "analyze", "fix",
        "examine", "scan", "breaking", "tc",
    ];
    is_all(word) || WORDS.contains(&word) || word.contains("**")
}

/// Options of linters that have a value behind them.
const VALUED: &[&str] = &[
    "--config",
    "-c",
    "--ext",
    "--max-warnings",
    "--format",
    "-f",
    "-p",
    "--project",
    "--max-line-length",
    "--dialect",
    "--memory-limit",
    "--level",
    "--severity",
    "-S",
    "--shell",
    "--standard",
    "--config-file",
    "--rcfile",
    "-j",
    "--jobs",
    "--python-version",
    "--target-version",
    "--line-length",
    "--configuration",
    "--output-format",
    "--std",
    "--style",
    "--profile",
    "--against",
    "--color",
];

pub(super) fn linter(name: &str, sub: &str, args: &[&str]) -> Option<Check> {
    let mut check = kind(name, sub, args)?;
    let fixes = args.iter().any(|word| FIXES.contains(word));
    check.quiet = keeps_warnings(name, args);
    let has = |words: &[&str]| args.iter().any(|word| words.contains(word));
    // A difference that is shown is told by no code.
    let shows = matches!(name, "black" | "isort" | "autopep8") && has(&["--diff", "-d"]);
    check.lenient = has(&["--exit-zero"]) || (shows && !has(&["--check", "-c", "--check-only", "--exit-code"]));
    check.lists = LISTING.contains(&name) && !fixes;
    check.writes |= fixes && check.lints.iter().any(|linter| linter.class == LintClass::Style);
    let staged = std::mem::take(&mut check.part);
    // Where it says how to look it has no value.
    let alone = WRITING.contains(&name) || only_parses(name, args);
    let valued: Vec<&str> = VALUED.iter().copied().filter(|word| !alone || *word != "-c").collect();
    let given = operands(args, &valued);
    check.roots = given.iter().filter(|word| ROOTS.contains(&word.trim_end_matches('/'))).cloned().collect();
    check.part = given.into_iter().filter(|word| !is_whole(word)).collect();
    check.pieces = check.part.len();
    check.part.extend(options(args, &["--select", "--disable", "--only", "--rule", "--ignore", "--filter"]));
    let recent = |word: &&&str| word.starts_with("--new") || matches!(**word, "--changed" | "--staged" | "--dirty");
    check.part.extend(args.iter().filter(recent).map(|word| (*word).to_owned()));
    check.part.extend(staged);
    Some(check)
}
