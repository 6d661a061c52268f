//! What the output of a test run says about itself, where it says it in the way of a known runner.

use crate::pattern::patterns;

/// What an output says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Summary {
    /// Some passed and none failed.
    Passed(Counts),
    /// Something failed.
    Failed,
    /// There was nothing to run.
    Nothing,
    /// Nobody can tell.
    #[default]
    Unknown,
}

impl Summary {
    /// True when it says by a number of tests that they passed.
    pub(crate) fn has_numbers(&self) -> bool {
        matches!(self, Self::Passed(counts) if !counts.tests.is_empty())
    }
}

/// The numbers that stand in an output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Of tests, with their sum.
    pub(crate) tests: Vec<u64>,
    /// Of tests that ran, with those that were left out among them, where only they are counted.
    pub(crate) ran: Vec<u64>,
    /// Of files, suites and snapshots.
    pub(crate) others: Vec<u64>,
}

patterns! {
    PASSED = r"(?i)\b(\d+) tests? (?:successful|ok)\b|(?m:^\s*(\d+) pass\s*$)|\b(\d+) *(?:tests? +|examples? +|specs? +|assertions? +)?(?:passed|passing|succeeded|successes)\b|\b(\d+) tests? pass(?:es)?\b|\+(\d+)(?: ~\d+)?: All tests passed|\[\s*PASSED\s*\] (\d+) tests?\b|\| PASS (\d+) \]";
    OTHERS = r"(?im)(?:^|[ (])(?:# pass |ℹ pass |pass:\s*|ok:\s+|Passed:\s*|passed\s+|succeeded:? )(\d+)\b(?:[^.\d]|$)";
    RUNS = r"(?im)(?:^|[ (])(?:tests run:\s*|OK \(|Ran |Executed |DONE (?:\d+ runs, )?|tests: (?:\d+ of )?|Tests=|Done\. PASS=)(\d+)\b(?:[^.\d]|$)|\b(\d+) tests? run\b|\bassertions? in (\d+) test cases?\b";
    SKIPPED = r"(?i)\bskipped[=:]\s*(\d+)|\b(\d+) (?:skipped|pending|excluded|ignored)\b";
    LEFT_OUT = r"(?i)\b[1-9]\d* (?:skipped|deselected|filtered out|pending|ignored|excluded)\b|\bskipped:? [1-9]";
    GROUPS = r"(?m)^\s*(?:Test Suites:|Test Files |Snapshots:|Suites:).*$";
    NOT_FOUND = r"(?m)^(?:\S*sh: )?(?:line )?(?:\d+: )?[\w./-]+: (?:command )?not found\s*$|is not recognized as an internal";
    SHARES = r"(?im)\b(\d+/\d+)(?: tests?| specs?| cases?)? *(?:ok|pass(?:ed|ing)?|succeeded|green)\b|(?:pass(?:ed|ing)?|ok|tests?):? +(\d+/\d+)\s*$";
    TOTALS = r"(?m)^\s*Tests:?\s+(\d+ passed,? \(?\d+)(?:\)| total)";
    OUT_OF = r"\b0 tests failed out of (\d+)";
    EXAMPLES = r"(?i)\b(\d+) (?:examples?|tests?|runs?)(?:, \d+ assertions)?, 0 failures";
    LINES_PLANNED = r"(?m)^1\.\.(\d+)\s*$";
    LINES_SKIPPED = r"(?im)^ok \d+.*# (?:skip|todo)";
    WORDS = r"(?m)^(?:BUILD SUCCESS(?:FUL)?|PASS$|OK$|Result: PASS$|\s*Testing \S+ tests passed|\W*(?:[\w-]+[:\]] *)?All tests (?:passed|successful|succeeded)|\s*OK \()|100% tests passed|test result: ok|\*\* TEST SUCCEEDED \*\*|^SUCCESS! -- |Successfully ran targets? test for";
    PACKAGE = r"(?m)^ok\s+\S+\s+(?:[\d.]+m?s|\(cached\))(?:\s+coverage:[^\n]*)?\s*$|^> Task \S*:(?:\w+Test|test)(?: UP-TO-DATE| FROM-CACHE)?\s*$";
    FAILED = r"(?i)\b[1-9]\d* *(?:tests? +|examples? +)?(?:failed|failing|failures?)\b|\b(?:failures|errors|failed|fail)[:=]\s*[1-9]|# fail [1-9]|ℹ fail [1-9]|\b[1-9]\d* fails? (?:locally|remotely)|\bFAIL [1-9]\d* \||\bsucceeded:? \d+, failed:? [1-9]|\[\s*FAILED\s*\] [1-9]|\bsome tests failed\b|\*\* TEST FAILED \*\*|(?m:^\s*[1-9]\d* fail\s*$)|\bFailed: Total \d|\bFailed [1-9]\d*, (?:Errors|Passed)\b|\bErrors [1-9]\d*, Passed\b|\bFailed \d+/\d+ (?:test|subtest)|\bsubtests? failed|\bResult: FAIL\b|\bTimeout: +[1-9]|\bsubtests failed";
    ERRORS = r"(?i)\b[1-9]\d* *(?:tests? +|examples? +)?(?:errors?|errored)\b";
    TEST_ERRORS = r"(?im)\b\d+ (?:passed|failed|skipped)[^\n]*\b[1-9]\d* errors?\b|^=*\s*[1-9]\d* errors? in [\d.]+s";
    FAILED_TESTS = r"(?m)^\s*(?:FAILED |--- FAIL: |FAIL: |● |✕ |✗ |× |not ok \d+ (?:- )?)(\S.*)$|^test (\S+) \.\.\. FAILED";
    FAILED_FILES = r"(?m)^\s*FAIL(?:ED)?:?\s+(\S+)";
    FAILED_COUNT = r"(?i)\b([1-9]\d*) (?:tests? )?(?:failed|failing|failures?)\b";
    FAILED_RUNS = r"(?m)test result: FAILED|^FAIL(?:ED)?\b|^--- FAIL|^\s*not ok \d|BUILD FAIL(?:ED|URE)";
    FAILED_WORDS = r"(?m)panicked at|could not compile|Segmentation fault|npm ERR!|npm error|^make(?:\[\d+\])?: \*\*\*|^error(?:\[E\d+\])?:|command not found|No such file or directory|Traceback \(most recent|timed out after|exit code [1-9]|exit(?: status)?[:=] ?[1-9]|Killed$|core dumped";
    LINES_PASSED = r"(?m)^\S[^\n]* > [^\n]+ PASSED\s*$|^--- PASS: ";
    NAMES_PASSED = r"(?m)^--- PASS: (\S+)|^test (\S+) \.\.\. ok$|^(\S+) PASSED\b";
    CUT_OFF = r"(?m)^\s*(?:\.\.\.|…|\[\.\.\.\])|truncated|omitted";
    NOTHING = r"(?i)no tests (?:ran|found|to run|were found|collected|executed)|no test (?:files|suites?)\b|\[no tests|\b(?:\w+Test|test) NO-SOURCE|no test is available|no specs? found|collected 0 items|no test specified|found 0 tests|0 tests? ran|ran 0 tests|no tests? (?:yet|defined|configured|available)|tests? (?:are |were )?(?:skipped|disabled)|skipp(?:ed|ing) (?:the )?tests|is up to date|nothing to be done|[1-9]\d* (?:tests? )?(?:skipped|ignored|deselected|pending)";
    BUILT = r"(?im)^\s*Finished |BUILD SUCCESS|built in |compiled successfully|build (?:succeeded|complete|completed|successful)|successfully (?:built|compiled|tagged|created|packaged)|compiled .*successfully|^\[100%\] Built target|^\s*[✔✓]\s+(?:(?:service|image|container)\s+)?\S+\s+built\b|naming to \S+ (?:\d[\d.]*s )?done|writing image sha256";
    BROKEN = r"(?im)\berrors?:|\berror\[|error TS\d|[1-9]\d* errors?\b|\bfailed\b|could not compile|\bBUILD FAIL|\*\*\*|command not found|no such file";
    CLEAN = r"(?im)\b0 errors?\b|^\s*\[ok\] no errors|\b0 failure\(s\), 0 warning\(s\)|success: no issues|all checks passed|no issues found|no (?:errors|problems|offenses|warnings|issues)|^\s*Finished |0 problems|would be left unchanged|all matched files use prettier";
    WARNED = r"(?im)^\s*(?:.*:\s*)?warning(?:\[|:|\()|^\[warn\]|^\[warning\] \S+:\[?\d|\bwarning - |\[warning/|\b[1-9]\d* (?:warnings?\b|problems?\b|warning\(s\)|issue\(s\)|(?:other|weighted) issues?\b)|\bwarnings found\b|\brated at (?:-|\d\.)|\^-+\^? SC\d+ ";
    WARNED_AT = r"(?im)^\s*\S+:\d+(?::\d+)?:?\s+(?:\S+ )?\[?(?:warn(?:ing)?|style|performance|portability)\b";
    WARNINGS = r"(?i)\b(\d+) (?:warnings?\b|problems?\b|warning\(s\))";
    WARNING_LINES = r"(?im)^\s*(?:.*:\s*)?warning(?:\[\w+\])?: [^`\n]|^warning: `[^`]*` [^(]";
    FILES = r"(?i)\b(\d+) (?:source )?files?\b";
    FAULTLESS = r"(?i)\b0 errors?\b";
    UNBUILT = r"(?m)^error(?:\[E\d+\])?: |\berror TS\d+|^ERROR in |^\[ERROR\]|[Ff]ailed to compile|BUILD FAIL|^make(?:\[\d+\])?: \*\*\*|Error \d+ \(ignored\)|[1-9]\d* errors? generated|compiled with [1-9]\d* error|could not compile|^\S+:\d+(?::\d+)?: (?:fatal )?error\b|: error CS\d+|npm ERR!|npm error|[Bb]uild failed";
    FOUND = r"(?m)\b[1-9]\d* (?:errors?|violations?|offenses?|issues?)\b|\bproblems? \([1-9]|error TS\d+|^\S+:\d+(?::\d+)?:? (?:error\b|[A-Z]{1,3}\d{3})|: error: |[Ww]ould reformat|files? would be reformatted|[Cc]ode style issues|^\[ERROR\]|Error \d+ \(ignored\)|npm ERR!|^error(?:\[|:)";
    FAILED_LINES = r"(?m)^(?:FAILED|ERROR|rspec|FAIL) +(\S*[\w-]/\S*\.[a-z]+\S*(?: # [^\n]{1,120})?)";
    KILLED = r"(?i)\btimed out after \d+ ?(?:s|sec\w*|m|min\w*|ms)\b[^\n]{0,40}\bkilled\b|^\s*\[[^\]\n]{0,60}\b(?:timed out|killed|interrupted|aborted)\b[^\]\n]{0,60}\]\s*$";
    COMMANDS = r"(?m)^[>$] ([a-z][^\n]{0,200})$";
    SHOWN = r"(?m)^\s*(?:[\w.-]+: commands\[\d+\]> ?|nox > )?(?:[>$+] ?)*(?:npx |pnpm |yarn |uv run |poetry run |python -m |cargo |go )?([a-z][a-z0-9-]+)(?: |$)";
    LEFT = r"(?i)\b\d+ files? (?:left unchanged|already formatted|unchanged)|\b(?:no|0) (?:offenses|issues|problems) (?:detected|found)|all checks passed";
    MENDED = r"(?i)\b(?:fixed|fixes|corrected|corrections|reformatted|rewritten|applied|modified)\b|\bformatted [1-9]";
    DOTNET_ZH = r"(?m)(?:失败|通过|已跳过|总计): +\d+[^\n]*总计: +\d+|^\s*\d+ 个(?:警告|错误)\s*$|^\s*(?:已成功生成|生成失败)。?\s*$";
    NOTHING_FOUND = r"(?i)all checks passed|\b(?:no|0) (?:issues?|problems?|offenses|warnings?|findings|violations)\b|\b0 (?:warning|issue)\(s\)|would be left unchanged|all matched files use prettier";
}

/// An output with the summaries of `dotnet` as they are in English.
pub(crate) fn in_english(output: &str) -> String {
    const WORDS: &[(&str, &str)] = &[
        ("已成功生成", "Build succeeded"),
        ("生成失败", "Build FAILED"),
        ("失败:", "Failed:"),
        ("通过:", "Passed:"),
        ("已跳过:", "Skipped:"),
        ("总计:", "Total:"),
        (" 个警告", " Warning(s)"),
        (" 个错误", " Error(s)"),
        ("，", ", "),
    ];
    let mut out = output.to_owned();
    for (range, line) in DOTNET_ZH.all(output).into_iter().rev() {
        let english = WORDS.iter().fold(line.to_owned(), |text, (word, own)| text.replace(word, own));
        out.replace_range(range, &english);
    }
    out
}

/// How an output is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The code is known, and all of the output is that of tests.
    Told,
    /// The code is known, and other checks wrote into the same output.
    Mixed,
    /// The code is not known: whatever looks like a failure is one.
    Untold,
    /// The same, and other checks wrote into the same output.
    UntoldMixed,
}

/// What this output says.
pub(crate) fn summary(output: &str, reading: Reading) -> Summary {
    let mixed = matches!(reading, Reading::Mixed | Reading::UntoldMixed);
    let untold = matches!(reading, Reading::Untold | Reading::UntoldMixed);
    let failed = FAILED.fits(output)
        || FAILED_RUNS.fits(output)
        || NOT_FOUND.fits(output)
        || (!mixed && ERRORS.fits(output))
        || TEST_ERRORS.fits(output)
        || (untold && FAILED_WORDS.fits(output));
    let shares: Vec<(u64, u64)> = SHARES.all(output).into_iter().filter_map(|(_, text)| share(text)).collect();
    let totals = TOTALS.all(output).into_iter().filter_map(|(_, text)| two_numbers(text));
    if failed || shares.iter().copied().chain(totals).any(|(of, all)| of < all) {
        return Summary::Failed;
    }
    let groups: String = GROUPS.all(output).into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n");
    let tests = GROUPS.blanked(output);
    let mut passed = numbers(&[&PASSED, &OTHERS, &OUT_OF], &tests);
    passed.extend(shares.into_iter().map(|(of, _)| of));
    let mut runs = numbers(&[&RUNS, &EXAMPLES], &tests);
    if runs.is_empty() && !untold && !LINES_SKIPPED.fits(output) {
        runs.extend(numbers(&[&LINES_PLANNED], output));
    }
    if runs.is_empty() && passed.is_empty() {
        runs.extend(u64::try_from(LINES_PASSED.all(output).len()).ok().filter(|lines| *lines > 0));
    }
    // Where only those that ran are counted, the ones that were left out are among them.
    let skipped = if passed.is_empty() { numbers(&[&SKIPPED], &tests).iter().sum() } else { 0 };
    let counted = if passed.is_empty() { &runs } else { &passed };
    let total: u64 = counted.iter().sum();
    let others = numbers(&[&PASSED], &groups);
    if total <= skipped {
        // Packages without tests stand beside those that have some.
        let none = !counted.is_empty() || (NOTHING.fits(output) && !PACKAGE.fits(output));
        return match (none, WORDS.fits(output) || PACKAGE.fits(output) || !others.is_empty()) {
            (true, _) => Summary::Nothing,
            (false, true) => Summary::Passed(Counts { others, ..Counts::default() }),
            (false, false) => Summary::Unknown,
        };
    }
    let mut tests = if skipped == 0 { counted.clone() } else { Vec::new() };
    tests.push(total - skipped);
    let ran = if skipped == 0 { Vec::new() } else { counted.iter().copied().chain([total]).collect() };
    Summary::Passed(Counts { tests, ran, others })
}

/// What this output says where its code is known, and where it is not. Mostly that is the same, and the output is read once.
pub(crate) fn summaries(output: &str, mixed: bool) -> (Summary, Summary) {
    let told = summary(output, if mixed { Reading::Mixed } else { Reading::Told });
    let untold = if told == Summary::Failed || FAILED_WORDS.fits(output) {
        Summary::Failed
    } else if LINES_PLANNED.fits(output) {
        summary(output, if mixed { Reading::UntoldMixed } else { Reading::Untold })
    } else {
        told.clone()
    };
    (told, untold)
}

fn numbers(patterns: &[&crate::pattern::Pattern], output: &str) -> Vec<u64> {
    let all = patterns.iter().flat_map(|pattern| pattern.all(output));
    all.filter_map(|(_, number)| number.parse().ok()).collect()
}

/// True when an output has warnings in it.
pub(crate) fn warns(output: &str) -> bool {
    WARNED.fits(output) || WARNED_AT.fits(output)
}

/// The numbers of warnings that an output has, with their sum and the number of lines that are one.
pub(crate) fn warnings(output: &str) -> Vec<u64> {
    let mut found = numbers(&[&WARNINGS], output);
    found.push(found.iter().sum());
    let lines = [WARNED_AT.all(output).len(), WARNING_LINES.all(output).len()];
    found.extend(lines.into_iter().filter_map(|lines| u64::try_from(lines).ok()));
    found
}

/// The numbers of files that an output has.
pub(crate) fn counted_files(output: &str) -> Vec<u64> {
    numbers(&[&FILES], output)
}

/// True when an output tells of tests that were there and did not run.
pub(crate) fn leaves_out(output: &str) -> bool {
    LEFT_OUT.fits(output)
}

/// True when an output says in its summary that a linter found nothing at all.
pub(crate) fn nothing_found(output: &str) -> bool {
    NOTHING_FOUND.fits(output) && !warns(output)
}

/// True when an output says that all was left as it was.
pub(crate) fn leaves_all(output: &str) -> bool {
    LEFT.fits(output) && !MENDED.fits(output)
}

/// True when an output says that a build came to a good end, and nothing in it says otherwise.
pub(crate) fn built(output: &str) -> bool {
    BUILT.fits(output) && !BROKEN.fits(&output.replace("0 errors", ""))
}

/// True when an output says that a linter found nothing, or no errors, and nothing in it says otherwise.
pub(crate) fn clean(output: &str) -> bool {
    let fine = (CLEAN.fits(output) && !warns(output)) || FAULTLESS.fits(output);
    fine && !BROKEN.fits(&output.replace("0 errors", "").replace("0 failed", ""))
}

/// True when an output says that a build failed, whatever its code was.
pub(crate) fn fails_to_build(output: &str) -> bool {
    UNBUILT.fits(output) || NOT_FOUND.fits(output)
}

/// True when an output tells of what a linter found and nobody mended, whatever its code was.
pub(crate) fn complains(output: &str) -> bool {
    (FOUND.fits(output) && !output.contains("0 remaining")) || NOT_FOUND.fits(output)
}

/// The linters that an output names where it shows the commands that ran.
pub(crate) fn shown_tools(output: &str) -> Vec<String> {
    SHOWN.all(output).into_iter().map(|(_, name)| name.to_ascii_lowercase()).collect()
}

/// The command lines that a script of a package shows before it runs them.
pub(crate) fn shown_commands(output: &str) -> Vec<String> {
    COMMANDS.all(output).into_iter().take(8).map(|(_, line)| line.trim().to_owned()).collect()
}

/// True when an output ends with the word that its command was killed.
pub(crate) fn was_killed(output: &str) -> bool {
    output.trim_end().lines().next_back().is_some_and(|last| KILLED.fits(last))
}

/// The tests that failed as far as their files stand beside them, in small letters.
pub(crate) fn failed_places(output: &str) -> Vec<String> {
    FAILED_LINES.all(output).into_iter().map(|(_, place)| place.to_ascii_lowercase()).collect()
}

/// The numbers of `10 passed (12)`: where nothing is told of the others, they did not pass.
fn two_numbers(text: &str) -> Option<(u64, u64)> {
    let mut found = text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
    Some((found.next()?, found.next()?))
}

/// The numbers of `10/12`.
fn share(text: &str) -> Option<(u64, u64)> {
    let at = text.find('/')?;
    let (of, all) = (text.get(..at)?, text.get(at + 1..)?);
    let digits = |text: &str, from_end: bool| -> Option<u64> {
        let is_digit = |c: &char| c.is_ascii_digit();
        let found: String = if from_end {
            let found: Vec<char> = text.chars().rev().take_while(is_digit).collect();
            found.into_iter().rev().collect()
        } else {
            text.chars().take_while(is_digit).collect()
        };
        found.parse().ok()
    };
    Some((digits(of, true)?, digits(all, false)?))
}

/// The names of what failed, in small letters; none where not all of them may be there.
pub(crate) fn failures(output: &str) -> Option<Vec<String>> {
    let names = |pattern: &crate::pattern::Pattern| -> Vec<String> {
        pattern.all(output).into_iter().map(|(_, name)| name.to_ascii_lowercase()).collect()
    };
    let mut tests = names(&FAILED_TESTS);
    tests.sort();
    tests.dedup();
    let counts = FAILED_COUNT.all(output).into_iter().filter_map(|(_, count)| count.parse::<usize>().ok());
    if tests.is_empty() || counts.max().is_some_and(|count| count > tests.len()) {
        return None;
    }
    tests.extend(names(&FAILED_FILES));
    Some(tests)
}

/// The names of the tests that an output lists as good, in small letters; none where it may not list all of them.
pub(crate) fn passed_names(output: &str) -> Vec<String> {
    if CUT_OFF.fits(output) {
        return Vec::new();
    }
    NAMES_PASSED.all(output).into_iter().map(|(_, name)| name.to_ascii_lowercase()).collect()
}

/// The code that stands behind this text in an output.
pub(crate) fn code_behind(output: &str, text: &str) -> Option<i32> {
    let text = text.trim_start();
    let rest = output.lines().rev().find_map(|line| line.trim_start().strip_prefix(text))?;
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    let whole = !text.is_empty() || rest.trim() == digits;
    digits.parse().ok().filter(|_| whole)
}
