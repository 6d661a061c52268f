//! Programs that nobody knows, and that were told nothing which says what they do: tests by a summary in their output that cannot
//! be mistaken. Where there is none, they prove nothing.

use crate::check::{Check, interprets};
use crate::command;
use crate::others::OTHERWISE;
use crate::pattern::patterns;
use crate::ran::Ran;
use crate::summary::{Reading, Summary, summary};
use reasonix_policy::analyse;
use reasonix_proto::ReadOnly;

patterns! {
    SUMMARY = r"(?im)\b[1-9]\d* (?:tests? |specs? |examples? |cases? )?(?:passed|passing|succeeded|successes)\b[^\n]{0,30}\b(?:0|no|none) (?:tests? )?(?:failed|failing|failures?)\b|\b(?:0|no) (?:failed|failures?)\b[^\n]{0,30}\b[1-9]\d* (?:tests? )?(?:passed|passing|succeeded)\b|^=*\s*[1-9]\d* passed(?:, \d+ \w+)* in [\d.]+ ?m?s|^\s*[1-9]\d* passing \([\d.]+ ?m?s\)|\[  PASSED  \] [1-9]\d* tests?\.|^All tests passed \(\d+ assertions?|^\[ FAIL 0 \||\bRan [1-9]\d* tests[^\n]*\n+(?:OK\b|0 failures)|^TEST RUN PASSED|^# pass [1-9]|^OK \([1-9]\d* tests?,|\b[1-9]\d* (?:tests|examples|runs|specs)(?:, \d+ assertions)?, 0 failures|\bpassed:? +[1-9]\d*,? *\n? *failed:? +0\b|\bfailed:? +0,? *\n? *passed:? +[1-9]";
    SOME_FAILED = r"(?im)\b\d+ (?:tests? |specs? |cases? )?(?:passed|passing|succeeded|successes)\b[^\n]{0,30}\b[1-9]\d* (?:tests? )?(?:failed|failing|failures?)\b|\b[1-9]\d* (?:tests? )?(?:failed|failures?)\b[^\n]{0,30}\b\d+ (?:tests? )?(?:passed|passing|succeeded)\b|\[  FAILED  \] [1-9]|^\[ FAIL [1-9]|\b[1-9]\d* (?:tests|examples|runs|specs)(?:, \d+ assertions)?, [1-9]\d* failures?";
    TEST_WORDS = r"^(?:[a-z]+[-_.])*tests?(?:[-_.][a-z]+)*$|tests?$";
    TOLD = r"^-[AMXT]:tests?$|^:?(?:__\.)?tests?$";
}

/// The tests that a command ran which nobody knows, by a summary in its output that cannot be mistaken. It is of all of them
/// where the program's name says no more than that it tests.
pub(crate) fn by_output(ran: &Ran, exit: Option<i32>, output: &str) -> Option<Check> {
    let told = summary(output, Reading::Told);
    let good = exit == Some(0) && ran.told && SUMMARY.fits(output) && told.has_numbers();
    let bad = exit.is_some_and(|exit| exit != 0) && ran.last && told == Summary::Failed && SOME_FAILED.fits(output);
    if !(good || bad) || ran.away.is_some() || ran.strange || ran.behind || only_shows(ran) {
        return None;
    }
    let plain = command::plain(&ran.words)?;
    let words: Vec<&str> = plain.iter().map(String::as_str).collect();
    let (program, args) = words.split_first()?;
    let program = match (interprets(program), args.iter().position(|word| !word.starts_with('-'))) {
        // What is written on the line itself may print anything.
        (true, Some(at)) if at == 0 || args.get(at - 1).is_some_and(|word| word.len() > 2) => args.get(at)?,
        (true, _) => return None,
        (false, _) => program,
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem).to_ascii_lowercase();
    // A program that is installed tests what there is; one of the project may be of a part.
    let told = |word: &&str| TOLD.fits(word);
    let tests = TEST_WORDS.fits(&stem) && args.is_empty();
    let installed = (!program.contains(['/', '.']) && tests) || matches!(args, [only] if told(only));
    let whole = installed
        || (stem.split(['-', '_']).all(is_plain)
            && args.iter().all(|word| word.starts_with('-') || word.contains(program)));
    let part = if whole { Vec::new() } else { vec![stem] };
    let (family, unknown, program) = ("other", true, name.to_owned());
    Some(Check { family, unknown, program, ..Check::tests().placed(part) })
}

/// Words of names that say which tests they are of by nothing.
fn is_plain(word: &str) -> bool {
    const PLAIN: &[&str] =
        &["test", "tests", "unit", "all", "run", "runner", "suite", "ci", "check", "checks", "spec", "specs", "verify"];
    PLAIN.contains(&word)
}

/// True for a command that shows what stands elsewhere, or what it is given.
fn only_shows(ran: &Ran) -> bool {
    let name = ran.words.first().map(|word| word.rsplit('/').next().unwrap_or(word)).unwrap_or_default();
    let shows = ["docker", "podman", "journalctl", "xargs", "tee", "jq", "column", "less", "diff", "env", "watch"];
    let elsewhere = |word: &String| word.starts_with("/tmp/") || word.starts_with("/var/tmp/");
    OTHERWISE.contains(&name)
        || shows.contains(&name)
        || ran.words.iter().any(elsewhere)
        || analyse(&ran.words.join(" ")).read_only == ReadOnly::Yes
}
