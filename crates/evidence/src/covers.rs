//! Whether a check is of what a claim is about: of all there is, or of the part that it names.

use crate::check::Check;
use crate::command;
use crate::deeds::{Deeds, Run, What};
use crate::elsewhere;
use crate::halves::{HALVES, others_of};
use crate::line;
use crate::options;
use crate::pattern::patterns;
use crate::programs;
use crate::quoted;
use crate::said::Said;
use crate::scoped;
use crate::sorts;
use crate::tried::{Ended, Tried};
use reasonix_proto::ClaimKind;

patterns! {
    OF_PLACE = r"\b(?:package|crate|module|folder|directory)(?:['’]s)?(?: \d+)? (?:unit )?(?:tests?|specs|suite)\b|(?:^\W*|\b(?:all|the|every|existing|its) )tests? (?:in|of|for) the `?[\w./-]+`? (?:package|crate|module|folder|directory)\b|(?:包|模块|目录|文件夹)(?:下|里|中)?(?:的)?(?:全部|所有)?(?: ?\d+ ?个)?(?:单元)?(?:测试|用例|单测)";
}

/// The checks that a claim about a part is about: those of this part, and those of everything, unless they failed elsewhere.
pub(crate) fn about<'a>(all: Vec<Tried<'a>>, said: &Said) -> Vec<Tried<'a>> {
    let all = sorts::about(all, said);
    let names = &said.reach.names;
    let own = |tried: &Tried<'_>| names.iter().any(|name| is_of(tried.check, name)) || is_word_for_word(tried, said);
    if said.reach.all || names.is_empty() || !all.iter().any(own) {
        return all;
    }
    // What ran of just this part came behind runs of everything, and counts in their place.
    let behind = all.iter().rfind(|tried| own(tried) && tried.ended == Ended::Passed).map_or(0, |tried| tried.at);
    let folder = all.iter().rev().find(|tried| own(tried)).map(|tried| tried.check.folder.clone()).unwrap_or_default();
    let counts = |tried: &Tried<'_>| {
        let here = tried.check.folder.is_empty() || tried.check.folder == folder;
        let whole = tried.check.part.is_empty() && here;
        let spares = tried.ended == Ended::NotRun || (tried.ended == Ended::Failed && spares(tried.run, names));
        own(tried) || (whole && !spares && tried.at > behind)
    };
    all.into_iter().filter(counts).collect()
}

/// Of what is said of tests that failed before only those runs count that ran just these again, and what came behind.
pub(crate) fn behind_failures<'a>(mut all: Vec<Tried<'a>>, said: &Said) -> Vec<Tried<'a>> {
    let good = |tried: &Tried<'_>| tried.ended == Ended::Passed && tried.check.is_of_failed();
    match all.iter().rposition(good).filter(|_| said.reach.failed && !said.reach.all) {
        Some(at) => all.split_off(at),
        None => all,
    }
}

/// True when a run says what failed, and it is none of these.
pub(crate) fn spares(run: &Run, names: &[String]) -> bool {
    let Some(failures) = &run.failures else { return false };
    let clean = |name: &String| stem(name.trim_matches(['`', '/', '.']));
    !names.iter().map(clean).any(|name| name.is_empty() || failures.iter().any(|failure| failure.contains(&name)))
}

/// True when a check is just of what has this name.
pub(crate) fn is_of(check: &Check, name: &str) -> bool {
    let folder = check.folder.to_ascii_lowercase();
    let in_folder = others_of(name).iter().any(|name| folder.split('/').any(|part| part.contains(name.as_str())));
    (!folder.is_empty() && in_folder && check.part.is_empty()) || is_part(check, name)
}

/// True when a check was narrowed to what has this name, and not to less.
fn is_part(check: &Check, name: &str) -> bool {
    let (pieces, filters) = check.part.split_at(check.pieces.min(check.part.len()));
    let words = if filters.iter().any(|word| word != "-") { filters } else { pieces };
    let one = |name: &String| words.iter().any(|word| is_word(word, name));
    others_of(name).iter().any(one)
}

/// True when a check was narrowed to what has this name, and perhaps to less.
fn is_given(check: &Check, name: &str) -> bool {
    is_of(check, name) || others_of(name).iter().any(|name| check.part.iter().any(|word| is_word(word, name)))
}

/// True when a name only says where what a check was narrowed to is, and it was given that place.
fn is_place(check: &Check, said: &Said, name: &String) -> bool {
    let pieces = check.part.iter().take(check.pieces);
    said.reach.within.contains(name) && pieces.into_iter().any(|word| is_word(word, name))
}

fn is_word(word: &str, name: &str) -> bool {
    let word = word.to_ascii_lowercase();
    // An option that stands for a part is called by its whole name.
    if let Some(option) = word.strip_prefix("--") {
        return name == option || (option == "lib" && name == "library");
    }
    if word.starts_with(['!', '~', '^']) || word.starts_with("not ") || word.contains("!=") || word.contains("!~") {
        return false;
    }
    if is_other_file(&word, name) {
        return false;
    }
    // A package of a scope may have a short name of its own.
    if word.trim_start_matches('@') == name.trim_start_matches('@') {
        return true;
    }
    let is_name = |part: &&str| !matches!(*part, "" | "..." | "." | "tests");
    let finest = word
        .split("::")
        .flat_map(|part| part.split('/'))
        .filter(is_name)
        .filter(|part| !part.starts_with("*."))
        .last()
        .map(stem)
        .unwrap_or_default();
    let single = finest.strip_suffix("ies").map(|start| format!("{start}y"));
    let is_single = single.is_some_and(|single| stem(name) == single);
    is_single || (finest.len() >= 3 && (finest.contains(&stem(name)) || name.contains(&finest)))
}

/// True for two files in folders of different names.
fn is_other_file(one: &str, other: &str) -> bool {
    let own = |path: &str| path.trim_start_matches("$pwd").trim_matches(['.', '/', '`', '"']).to_ascii_lowercase();
    let is_file = |path: &str| {
        path.rsplit_once('/')
            .is_some_and(|(folder, file)| !folder.is_empty() && file.contains('.') && !file.contains("::"))
    };
    let (one, other) = (own(one), own(other));
    let wild = one.contains(['*', '{']) || other.contains(['*', '{']);
    !wild && is_file(&one) && is_file(&other) && !one.ends_with(&other) && !other.ends_with(&one)
}

/// True when a run is the one that a claim quotes or names: it has its options and its program, and a check of types is no
/// build.
pub(crate) fn is_quoted(tried: &Tried<'_>, said: &Said) -> bool {
    let words = tried.ran.map(|ran| ran.words.as_slice()).unwrap_or_default();
    let has = |flag: &String| options::has(words, flag);
    let other = said.kind == ClaimKind::Build && said.quotes_build && !tried.check.lints.is_empty();
    let same = |(family, program): &(String, String)| {
        *program == tried.check.program
            || (family == tried.check.family && !matches!(family.as_str(), "make" | "other"))
    };
    let is_step = |command: &Vec<String>| words.is_empty() || quoted::is_step(command, words);
    let quoted = said.programs.is_empty()
        || said.programs.iter().zip(&said.commands).any(|(program, command)| same(program) && is_step(command));
    // A script of a package shows the command that it runs.
    if said.commands.iter().any(|command| shows(tried, command)) {
        return !other && programs::runs(tried.check, words, said);
    }
    let another = said.kind == ClaimKind::Tests && said.commands.iter().any(|command| shows_another(tried, command));
    !other
        && !another
        && quoted
        && !is_of_less(tried, said)
        && said.flags.iter().all(has)
        && programs::runs(tried.check, words, said)
}

/// True when a script of a package ran, and showed just this command as one that it runs.
fn shows(tried: &Tried<'_>, command: &[String]) -> bool {
    let of_package = matches!(tried.check.program.as_str(), "npm" | "yarn" | "pnpm" | "bun");
    // A program alone is any run of it.
    let alone = |words: &[String]| {
        command.len() == 1 && command::plain(words).is_some_and(|own| own.first() == command.first())
    };
    let same = |line: &String| {
        line::commands(line).iter().any(|ran| command::is_same(command, &ran.words) || alone(&ran.words))
    };
    of_package && tried.run.commands.iter().any(same)
}

/// True when a script of a package showed that it runs tests by another runner, or other ones.
fn shows_another(tried: &Tried<'_>, command: &[String]) -> bool {
    const RUNNERS: &[&str] = &["jest", "vitest", "mocha", "ava", "jasmine", "playwright", "cypress"];
    let plain = |words: &[String]| command::plain(words).unwrap_or_default();
    let of_runner = |words: &Vec<String>| words.first().is_some_and(|first| RUNNERS.contains(&first.as_str()));
    let quoted = plain(command);
    let shown: Vec<Vec<String>> = tried
        .run
        .commands
        .iter()
        .flat_map(|line| line::commands(line))
        .map(|ran| plain(&ran.words))
        .filter(of_runner)
        .collect();
    let given = |own: &Vec<String>| {
        quoted.iter().filter(|word| !word.starts_with('-') && *word != "run").all(|word| own.contains(word))
    };
    of_runner(&quoted) && !shown.is_empty() && !shown.iter().any(given)
}

/// True when a claim quotes a command that is given everything, and this one was given something else.
fn is_of_less(tried: &Tried<'_>, said: &Said) -> bool {
    let words = tried.ran.map(|ran| ran.words.as_slice()).unwrap_or_default();
    let program = words.iter().position(|word| word.rsplit('/').next() == Some(tried.check.program.as_str()));
    let given = words.iter().skip(program.map_or(0, |at| at + 1)).filter(|word| !word.starts_with('-'));
    let whole = |word: &String| matches!(word.as_str(), "." | "./" | "./...");
    let other = |command: &Vec<String>| {
        command.iter().any(whole) && !words.iter().any(whole) && given.clone().any(|word| !command.contains(word))
    };
    said.commands.iter().any(other)
}

/// True when a claim quotes just the command that ran, word for word, and says nothing of more than that.
pub(crate) fn is_word_for_word(tried: &Tried<'_>, said: &Said) -> bool {
    let ([command], Some(ran)) = (said.commands.as_slice(), tried.ran) else { return false };
    let given = |name: &String| {
        let mut words = ran.words.iter().chain(&tried.check.part);
        words.any(|word| word.eq_ignore_ascii_case(name))
    };
    let has = |name: &String| given(name) || is_part(tried.check, name);
    !said.reach.all
        && (command::is_same(command, &ran.words) || quoted::is_among(command, &ran.words))
        && said.reach.names.iter().all(has)
        && !is_of_another(tried.check, said)
}

/// True when a check is of everything that the claim is about.
pub(crate) fn covers(deeds: &Deeds, check: &Check, said: &Said) -> bool {
    let is_file = |name: &&String| name.contains("test") || name.contains(['/', '.']);
    let part = || {
        let names = &said.reach.names;
        !said.reach.all
            && names.iter().any(|name| is_part(check, name))
            && said.reach.subjects.iter().all(|name| is_given(check, name))
            && names.iter().filter(is_file).all(|name| is_part(check, name) || is_place(check, said, name))
    };
    if is_elsewhere(deeds, check, said) || is_filtered_place(check, said) {
        return false;
    }
    let named = || said.reach.names.iter().all(|name| is_part(check, name));
    match said.kind {
        ClaimKind::Build => (check.pieces == 0 && (check.part.is_empty() || check.tests)) || part(),
        ClaimKind::Tests if said.reach.failed => check.part.is_empty() || part() || check.is_of_failed(),
        ClaimKind::Tests if sorts::covers(check, said) && named() => true,
        ClaimKind::Tests => check.part.is_empty() || part() || (!said.reach.all && covers_changed(deeds, check, said)),
        _ => {
            (check.part.is_empty() && !scoped::leaves_out(deeds, check, said))
                || check.narrows_tests
                || part()
                || scoped::holds_changes(deeds, check, said)
        }
    }
}

/// True when a claim is about a package by that word, and a check ran only tests of some names in it.
fn is_filtered_place(check: &Check, said: &Said) -> bool {
    let filtered = check.part.iter().skip(check.pieces).any(|word| word != "-" && !word.starts_with("--"));
    said.kind == ClaimKind::Tests
        && check.pieces > 0
        && filtered
        && said.reach.within.is_empty()
        && OF_PLACE.fits(&said.words)
}

/// True when a check is known to be of something else than what a claim is about.
pub(crate) fn is_elsewhere(deeds: &Deeds, check: &Check, said: &Said) -> bool {
    is_of_another(check, said) || elsewhere::is(deeds, check, said)
}

/// The halves of a project that a claim is about.
pub(crate) fn halves(said: &Said) -> Vec<String> {
    let names = said.reach.names.iter().map(|name| name.trim_matches('/'));
    names.filter(|name| HALVES.contains(name)).map(str::to_owned).collect()
}

fn is_of_another(check: &Check, said: &Said) -> bool {
    let halves = halves(said);
    let elsewhere = HALVES.iter().any(|half| check.folder.to_ascii_lowercase().contains(half));
    elsewhere && !halves.is_empty() && !halves.iter().all(|name| is_of(check, name))
}

/// True when a check is of one of the files that were changed, and the claim of some tests that have no name.
fn covers_changed(deeds: &Deeds, check: &Check, said: &Said) -> bool {
    let fits =
        |name: &str| {
            name.len() >= 3
                && check.part.iter().filter(|word| !word.starts_with('!')).any(|word| {
                    word.to_ascii_lowercase().contains(name) || (word.len() >= 3 && name.contains(&stem(word)))
                })
        };
    let paths = deeds.done.iter().skip(said.since(deeds)).filter_map(|deed| match &deed.what {
        What::Wrote(written) => Some(&written.paths),
        What::Ran(_) => None,
    });
    said.reach.some && said.reach.names.is_empty() && paths.flatten().any(|path| fits(&stem(path)))
}

fn stem(path: &str) -> String {
    let file = path.split("::").next().unwrap_or(path).trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_ascii_lowercase()
}
