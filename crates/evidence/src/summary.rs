//! What the output of a test run says about itself, where it says it in the way of a known runner.

use crate::pattern::patterns;

/// What an output says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Summary {
    /// So many passed and none failed; the numbers that stand there, and their sum.
    Passed(Vec<u64>),
    /// Something failed.
    Failed,
    /// There was nothing to run.
    Nothing,
    /// Nobody can tell.
    Unknown,
}

patterns! {
    PASSED = r"(?i)\b(\d+)\s*(?:tests?\s+|examples?\s+|specs?\s+|assertions?\s+)?(?:passed|passing|succeeded)\b";
    OTHERS = r"(?im)(?:^|[ (])(?:tests run:\s*|OK \(|Ran |# pass |ℹ pass |Passed:\s*|passed\s+)(\d+)\b";
    EXAMPLES = r"(?i)\b(\d+) (?:examples?|tests?|runs?)(?:, \d+ assertions)?, 0 failures";
    WORDS = r"(?m)^(?:BUILD SUCCESS(?:FUL)?|PASS$|OK$|All tests passed|\s*OK \()|100% tests passed|test result: ok";
    PACKAGE = r"(?m)^ok\s+\S+\s+(?:\d|\(cached\))";
    FAILED = r"(?i)\b[1-9]\d*\s*(?:tests?\s+|examples?\s+)?(?:failed|failing|failures?|errors?|errored)\b|\b(?:failures|errors|failed|fail)[:=]\s*[1-9]|# fail [1-9]|ℹ fail [1-9]";
    FAILED_RUNS = r"(?m)test result: FAILED|^FAIL(?:ED)?\b|^--- FAIL|^\s*not ok \d|BUILD FAIL(?:ED|URE)";
    FAILED_WORDS = r"(?m)panicked at|could not compile|Segmentation fault|npm ERR!|npm error|^make(?:\[\d+\])?: \*\*\*|^error(?:\[E\d+\])?:|command not found|No such file or directory|Traceback \(most recent|timed out after|exit code [1-9]|exit(?: status)?[:=] ?[1-9]|Killed$|core dumped";
    NOTHING = r"(?i)no tests (?:ran|found|to run|were found|collected|executed)|no test (?:files|suites?) |collected 0 items|no test specified|found 0 tests|0 tests? ran|ran 0 tests|no tests? (?:yet|defined|configured|available)|tests? (?:are |were )?(?:skipped|disabled)|skipp(?:ed|ing) (?:the )?tests|is up to date|nothing to be done|[1-9]\d* (?:tests? )?(?:skipped|ignored|deselected|pending)";
    BUILT = r"(?im)^\s*Finished |BUILD SUCCESS|built in |compiled successfully|build (?:succeeded|complete|completed|successful)|successfully (?:built|compiled|tagged)|compiled .*successfully";
    BROKEN = r"(?im)\berrors?:|\berror\[|error TS\d|[1-9]\d* errors?\b|\bfailed\b|could not compile|\bBUILD FAIL|\*\*\*|command not found|no such file";
    CLEAN = r"(?im)\b0 errors?\b|all checks passed|no issues found|no (?:errors|problems|offenses|warnings)|^\s*Finished |0 problems|would be left unchanged|all matched files use prettier";
    WARNED = r"(?im)^\s*(?:.*:\s*)?warning(?:\[|:|\()|generated [1-9]\d* warnings?|[1-9]\d* warnings?\b";
}

/// What this output says. Where the code of the command is not known, whatever looks like a failure is one.
pub(crate) fn summary(output: &str, told: bool) -> Summary {
    if FAILED.fits(output) || FAILED_RUNS.fits(output) || (!told && FAILED_WORDS.fits(output)) {
        return Summary::Failed;
    }
    let mut numbers: Vec<u64> = [&PASSED, &OTHERS, &EXAMPLES]
        .iter()
        .flat_map(|pattern| pattern.all(output))
        .filter_map(|(_, number)| number.parse().ok())
        .collect();
    let sum = numbers.iter().sum();
    if sum == 0 {
        // Packages without tests stand beside those that have some.
        let none = !numbers.is_empty() || (NOTHING.fits(output) && !PACKAGE.fits(output));
        return match (none, WORDS.fits(output) || PACKAGE.fits(output)) {
            (true, _) => Summary::Nothing,
            (false, true) => Summary::Passed(Vec::new()),
            (false, false) => Summary::Unknown,
        };
    }
    numbers.push(sum);
    Summary::Passed(numbers)
}

/// True when an output has warnings in it.
pub(crate) fn warns(output: &str) -> bool {
    WARNED.fits(output) && !output.contains("0 warnings")
}

/// True when an output says that a build came to a good end, and nothing in it says otherwise.
pub(crate) fn built(output: &str) -> bool {
    BUILT.fits(output) && !BROKEN.fits(&output.replace("0 errors", ""))
}

/// True when an output says that a linter found nothing, and nothing in it says otherwise.
pub(crate) fn clean(output: &str) -> bool {
    CLEAN.fits(output) && !warns(output) && !BROKEN.fits(&output.replace("0 errors", "").replace("0 failed", ""))
}
