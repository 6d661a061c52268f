//! Claims that say themselves how little they are about: what they say is told by the very run that was no larger. A claim has the
//! number that the run printed, names what it was narrowed to, or is a linter's verdict on just the files that were changed.

use crate::components;
use crate::deeds::{Deeds, Run, What};
use crate::halves::others_of;
use crate::pattern::patterns;
use crate::said::Said;
use crate::sorts;
use crate::summary::Summary;
use crate::tried::Tried;
use reasonix_proto::ClaimKind;

patterns! {
    // So many of which all are good; "all twelve" are all there are.
    ALL_OF = r"\b(\d+) ?(?:个|项|条)[^，。]{0,16}?(?:全部|全都|全过|全绿|都|均)|\b(\d+) (?:\w+ )?(?:tests?|specs|cases|examples) all\b";
    ALL = r"\b(?:all|every|everything|each|whole|entire|full|complete|monorepo|workspace|codebase|repo|repository)\b|全部|所有|全都|全量|全套|全过|全绿|完整|整个";
    REPEATED = r"(?:-count|--count|--repeat|--repeat-each|--rerun)[= ](\d+)\b";
    OTHERS_TOO = r"\b(?:old|existing|others?|rest|remaining)\b|其[他它余]|已有|原有|其他";
    SORTS = r"\b(?:everything|every|e2e|unit|integration)\b|全部|所有";
    SORT = r"^(?:tests?|specs?|unit|integration|e2e)$";
    GROUPED = r"\b(\d+)(?:/\d+| of \d+)? (?:packages|crates|modules|projects|services|targets|apps|platforms|files|suites)\b|(\d+) ?个(?:包|模块|项目|服务|文件|套件|应用)";
    BEYOND = r"\b(?:suite|everything|workspace|monorepo|repo|repository|codebase|project|entire|whole|full|complete|overall)\b|套件|全量|完整|整个|整体|回归";
}

/// True when a claim is about no more than this run by its own words.
pub(crate) fn tells(deeds: &Deeds, tried: &Tried<'_>, said: &Said) -> bool {
    let (check, run) = (tried.check, tried.run);
    let parts = || check.part.iter().filter(|word| *word != "-");
    match said.kind {
        ClaimKind::Tests => {
            let number = said.number.or(said.few);
            let counted = number.is_some_and(|number| prints(run, number)) && !is_wider(deeds, run, said);
            let named = !said.reach.all && knows_tests(deeds, tried, said);
            named || (counted && names_no_other(deeds, tried, said) && sorts::is_of_said(check, said))
        }
        ClaimKind::Build => {
            let other = components::is_foreign(&said.words, |name| is_given(&check.part, name));
            !said.reach.all
                && !other
                && parts().next().is_some()
                && parts().all(|part| is_spoken(part, said))
                && names_no_other(deeds, tried, said)
        }
        _ => false,
    }
}

/// True when a run printed this number of tests.
fn prints(run: &Run, number: u64) -> bool {
    // Of several in one line nobody can say whose it is, unless each of them printed it.
    let several = run.checks.iter().filter(|(_, check)| check.tests).count();
    // The last number is their sum.
    let each = |numbers: &[u64]| numbers.iter().rev().skip(1).filter(|own| **own == number).count() >= several;
    let same = || matches!(&run.told, Summary::Passed(counts) if each(&counts.tests) || each(&counts.ran));
    (several == 1 || (several > 1 && same()))
        && matches!(&run.told, Summary::Passed(counts) if counts.tests.contains(&number) || counts.ran.contains(&number))
}

/// True when a claim with the number of a run is about more than that: it says so, or says "all" where more are known.
fn is_wider(deeds: &Deeds, run: &Run, said: &Said) -> bool {
    let groups = GROUPED.all(&said.words);
    let grouped = groups.iter().any(|(_, told)| told.parse().ok() == said.number);
    if OTHERS_TOO.fits(&said.words) || grouped {
        return true;
    }
    if said.few.is_some() && !BEYOND.fits(&said.words) && !SORTS.fits(&said.words) {
        return false;
    }
    if !said.reach.all && !ALL.fits(&said.words) {
        return said.reach.failed;
    }
    let Some(number) = said.number else { return true };
    let most = |run: &Run| match &run.told {
        Summary::Passed(counts) => counts.tests.iter().chain(&counts.ran).copied().max(),
        _ => None,
    };
    // The last of its own numbers is their sum.
    let own = match &run.told {
        Summary::Passed(counts) => counts.tests.split_last().map(|(_, rest)| rest).unwrap_or_default(),
        _ => &[],
    };
    let larger = deeds.done.iter().any(|deed| match &deed.what {
        What::Ran(other) if std::ptr::eq(other.as_ref(), run) => own.iter().any(|own| *own > number),
        What::Ran(other) => most(other).is_some_and(|most| most > number),
        What::Wrote(_) => false,
    });
    let just_these = ALL_OF.all(&said.words).iter().any(|(_, told)| told.parse() == Ok(number));
    !just_these || larger || run.leaves_out || BEYOND.fits(&said.words)
}

/// How often a run was told to run each of its tests.
pub(crate) fn repeats(tried: &Tried<'_>) -> usize {
    let line = tried.ran.map(|ran| ran.words.join(" ")).unwrap_or_default();
    REPEATED.all(&line).first().and_then(|(_, number)| number.parse().ok()).unwrap_or(1)
}

/// True when each test that a claim names is one that this run is known to have run: it lists it, or it failed in a run of the
/// same before.
fn knows_tests(deeds: &Deeds, tried: &Tried<'_>, said: &Said) -> bool {
    let failed_before = |name: &String| {
        deeds.done.iter().take(tried.at).any(|deed| match &deed.what {
            What::Ran(run) => {
                let same = run.checks.iter().any(|(_, check)| check.part == tried.check.part);
                same && run.failures.iter().flatten().any(|failed| failed.contains(name.as_str()))
            }
            What::Wrote(_) => false,
        })
    };
    let listed = |name: &String| tried.run.passed.iter().any(|passed| passed.ends_with(name.as_str()));
    let mut names = said.reach.names.iter().filter(|name| *name != "-").peekable();
    names.peek().is_some() && names.all(|name| is_test(name) && (listed(name) || failed_before(name)))
}

/// The name of a test, not of a file of them.
fn is_test(name: &str) -> bool {
    name.starts_with("test") && name.len() > 5 && !name.contains(['/', '.', ' ', '-', ':'])
}

/// True unless a run lists the tests that were good, and one that is named is not among them.
pub(crate) fn lists(run: &Run, said: &Said) -> bool {
    let listed = |name: &String| run.passed.iter().any(|passed| passed.contains(name.as_str()));
    run.passed.is_empty()
        || said.kind != ClaimKind::Tests
        || said.reach.names.iter().filter(|name| is_test(name)).all(listed)
}

/// True when all that a claim names is what a run was given. One that was narrowed by names of tests may be of any file.
fn names_no_other(deeds: &Deeds, tried: &Tried<'_>, said: &Said) -> bool {
    let check = tried.check;
    let started_by = |name: &str| tried.ran.is_some_and(|ran| ran.words.iter().any(|word| word == name));
    let written = |name: &str| {
        check.pieces == 0
            && name.contains('.')
            && deeds.done.iter().any(|deed| match &deed.what {
                What::Wrote(written) => written.paths.iter().any(|path| path.to_ascii_lowercase().ends_with(name)),
                What::Ran(_) => false,
            })
    };
    let (places, filters) = check.part.split_at(check.pieces.min(check.part.len()));
    let narrowest = if filters.iter().any(|word| word != "-") { filters } else { places };
    // What is called by its subject may be called by the folder that it lies in, too.
    let called = |word: &String| {
        let stem = plain(word);
        let mut pieces = stem.split(['_', '-']).filter(|piece| piece.len() >= 3 && !SORT.fits(piece)).peekable();
        pieces.peek().is_some() && pieces.all(|piece| said.words.contains(piece))
    };
    let by_subject = narrowest.iter().filter(|word| *word != "-").all(called);
    let lies = |name: &str| {
        by_subject
            && narrowest
                .iter()
                .any(|word| word.split('/').any(|part| part.trim_end_matches('s') == name.trim_end_matches('s')))
    };
    let is_place = |name: &String| lies(name) || said.reach.within.contains(name) && is_given(places, name);
    let own = |name: &String| {
        (said.kind != ClaimKind::Tests && !components::names_part(name))
            || is_given(narrowest, name)
            || is_place(name)
            || started_by(name)
            || (said.few.is_some() && written(name))
            || check.folder.to_ascii_lowercase().contains(name.as_str())
    };
    said.reach.names.iter().chain(&said.reach.subjects).filter(|name| *name != "-").all(own)
}

/// True when a name is that of one of these, of something in it, or of what it lies in.
fn is_given(parts: &[String], name: &str) -> bool {
    let name = plain(name);
    let given = |word: &String| {
        let word = plain(word);
        word == name || (name.len() >= 3 && word.contains(&name)) || (word.len() >= 3 && name.contains(&word))
    };
    parts.iter().any(given)
}

fn plain(name: &str) -> String {
    let name = name.trim_matches(['`', '/', '.', ':']).to_ascii_lowercase();
    let last = name.rsplit(['/', ':']).find(|part| !part.is_empty()).unwrap_or(&name);
    last.rsplit_once('.').map_or(last, |(stem, _)| stem).to_owned()
}

/// True when the words of a claim name this part of a project.
fn is_spoken(part: &str, said: &Said) -> bool {
    let part = plain(part);
    let spoken = |words: &str| others_of(&part).iter().any(|name| words.contains(name.as_str()));
    part.len() >= 3 && (spoken(&said.words) || said.heading.lines().any(spoken))
}
