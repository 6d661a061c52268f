//! Linters that are given places: whether these are all that a claim which names no place can be about. A claim about
//! everything is never proved by a place.

use crate::check::{Check, LintClass};
use crate::components;
use crate::deeds::{Deeds, Run, What};
use crate::pattern::patterns;
use crate::said::Said;
use crate::writes::is_changed_code;

patterns! {
    OTHERS = r"\b(?:both|other|two|three|several|remaining) (?:\w+ )?(?:apps?|packages?|modules?|services?|crates?|folders?|directories|components?|projects?|roles?|plugins?)\b|(?:两|其他|其它|另一|各)个?(?:应用|包|模块|服务|目录|组件|项目)";
    CODEBASE = r"\b(?:whole|entire|full|every) (?:\w+ )?(?:codebase|code base|repo|repository|project|tree|workspace)\b|整个(?:项目|仓库|工程|代码库)|全项目|全仓|全量代码";
}

/// Linters that are of files rather than of a project, each with the ends of those that it can read. They are given what they
/// look at, wherever it lies.
const GIVEN: &[(&str, &[&str])] = &[
    ("hadolint", &["dockerfile"]),
    ("shellcheck", &[".sh", ".bash", ".ksh"]),
    ("ansible-lint", &[".yml", ".yaml"]),
    ("yamllint", &[".yml", ".yaml"]),
    ("sqlfluff", &[".sql"]),
    ("helm lint", &[".yaml", ".yml", ".tpl"]),
    ("kubeconform", &[".yaml", ".yml"]),
    ("kubectl", &[".yaml", ".yml"]),
    ("actionlint", &[".yml", ".yaml"]),
    ("buf", &[".proto"]),
    ("clang-tidy", &[".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"]),
    ("clang-format", &[".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"]),
    ("cppcheck", &[".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"]),
    ("shfmt", &[".sh", ".bash"]),
    ("node", &[".js", ".mjs", ".cjs"]),
    ("php", &[".php"]),
    ("ruby", &[".rb"]),
    ("bash", &[".sh", ".bash"]),
    ("sh", &[".sh"]),
];

/// Linters of a project, each with the ends of the files that it can read.
const OF_PROJECTS: &[(&str, &[&str])] = &[
    ("mypy", &[".py", ".pyi"]),
    ("pyright", &[".py", ".pyi"]),
    ("pylint", &[".py", ".pyi"]),
    ("flake8", &[".py", ".pyi"]),
    ("ruff", &[".py", ".pyi"]),
    ("black", &[".py", ".pyi"]),
    ("isort", &[".py", ".pyi"]),
    ("bandit", &[".py"]),
    ("phpstan", &[".php"]),
    ("phpcs", &[".php"]),
    ("psalm", &[".php"]),
    ("pint", &[".php"]),
    ("rubocop", &[".rb", ".rake"]),
    ("eslint", &[".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".vue", ".svelte", ".astro"]),
    ("stylelint", &[".css", ".scss", ".sass", ".less", ".vue", ".svelte"]),
    ("golangci-lint", &[".go"]),
    ("gofmt", &[".go"]),
    ("ktlint", &[".kt", ".kts"]),
    ("swiftlint", &[".swift"]),
    ("credo", &[".ex", ".exs"]),
];

/// First folders of tests, which are not those of sources.
const TESTS: &[&str] = &["tests", "test", "spec", "specs", "__tests__", "e2e"];

/// True when all that was changed and that a linter can read lies in the places that it was given: what is said of it without
/// another place is said of these. Types of one file hang on others, so that one of a project has to be given its first folders.
pub(crate) fn holds_changes(deeds: &Deeds, check: &Check, said: &Said) -> bool {
    let of_files = check.lints.iter().any(|linter| GIVEN.iter().any(|(name, _)| *name == linter.tool));
    let types = check.lints.iter().any(|linter| linter.class == LintClass::Types);
    let is_place = |place: &String| place == "-" || !place.starts_with(['!', '-', '$']);
    let first =
        |place: &String| is_folder(place) && !place.trim_start_matches("./").trim_end_matches('/').contains('/');
    let all = if check.given.is_empty() { check.part.get(..check.pieces).unwrap_or_default() } else { &check.given };
    let given = || all.iter().filter(|place| *place != "-" && !is_step(place));
    let only_places = check.pieces > 0 && check.pieces == check.part.len() && check.part.iter().all(is_place);
    if !only_places
        || said.reach.all
        || (types && !of_files && !given().all(|place| first(place) || is_named(check, place)))
    {
        return false;
    }
    if OTHERS.fits(&said.words) && given().count() < 2 {
        return false;
    }
    // "The app" is what was changed, where nothing else is called so.
    let is_any = |name: &String| ANY_PART.contains(&name.as_str()) && !is_known(deeds, name);
    let named = |name: &String| {
        !components::names_part(name)
            || is_any(name)
            || given().any(|place| place.to_ascii_lowercase().contains(name.as_str()))
    };
    let changed = changed(deeds, check, said.since(deeds));
    // Its places are those of the folder that it ran in.
    let folder = format!("{}/", check.folder.trim_matches(['.', '/']).to_ascii_lowercase());
    let changed: Vec<&str> = changed.iter().map(|path| path.strip_prefix(&folder).unwrap_or(path)).collect();
    // A chart is all that it can be given.
    let of_chart = is_of_charts(check);
    (of_chart || !changed.is_empty())
        && changed.iter().all(|path| {
            let beside = given().all(first) && path.split_once('/').is_some_and(|(folder, _)| TESTS.contains(&folder));
            beside || given().any(|place| lies_in(path, place) || is_package(check, path, place))
        })
        && said.reach.names.iter().all(named)
}

fn is_of_charts(check: &Check) -> bool {
    check.lints.iter().any(|linter| linter.tool == "helm lint")
}

/// Words for the part of a project that is spoken of, whatever it is called.
const ANY_PART: &[&str] = &["app", "application", "service", "component", "role", "plugin", "应用"];

/// True when the log knows of something that is called so.
fn is_known(deeds: &Deeds, name: &str) -> bool {
    let called = |path: &String| path.to_ascii_lowercase().split('/').any(|part| part.trim_end_matches('s') == name);
    deeds.done.iter().any(|deed| match &deed.what {
        What::Wrote(written) => written.paths.iter().chain(&written.gone).any(called),
        What::Ran(run) => run.checks.iter().any(|(_, check)| check.given.iter().chain(&check.part).any(called)),
    })
}

/// True when a check was given this as the name of a package.
fn is_named(check: &Check, name: &str) -> bool {
    let pairs = check.part.iter().zip(check.part.iter().skip(1));
    pairs.into_iter().any(|(sign, word)| sign == "-" && word == name)
}

/// True when a linter was given a package by its name, and a file lies in a folder that is called so.
fn is_package(check: &Check, path: &str, name: &str) -> bool {
    let given = is_named(check, name);
    // A package of a scope lies in a folder without it.
    let name = name.rsplit('/').next().unwrap_or(name);
    let folder = format!("/{name}/");
    let path = format!("/{path}");
    let inside = path.find(&folder).and_then(|at| path.get(at + folder.len()..));
    let rooted = |rest: &str| {
        let tests = rest.split_once('/').is_some_and(|(first, _)| TESTS.contains(&first));
        check.roots.is_empty() || tests || check.roots.iter().any(|root| lies_in(rest, root))
    };
    given && inside.is_some_and(rooted)
}

/// A word by which a linter is told what to do.
fn is_step(word: &str) -> bool {
    matches!(word, "check" | "lint" | "run" | "format" | "fix" | "ci" | "analyse" | "analyze" | "examine" | "scan")
}

/// The files of code that were written since and that a linter can read.
fn changed(deeds: &Deeds, check: &Check, since: usize) -> Vec<String> {
    let tools = check.lints.iter().map(|linter| linter.tool.as_str());
    let ends = tools
        .into_iter()
        .find_map(|tool| GIVEN.iter().chain(OF_PROJECTS).find(|(name, _)| *name == tool))
        .map(|(_, ends)| *ends);
    let reads = |path: &str| {
        ends.is_none_or(|ends| {
            ends.iter().any(|end| path.ends_with(end) || path.contains("dockerfile") && *end == "dockerfile")
        })
    };
    let written = deeds.done.iter().skip(since).filter_map(|deed| match &deed.what {
        What::Wrote(written) => Some(&written.paths),
        What::Ran(_) => None,
    });
    let paths = written.flatten().filter(|path| is_changed_code(path)).map(|path| path.to_ascii_lowercase());
    let of_chart = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        path.contains("templates/") || name.starts_with("values") || name.starts_with("chart.")
    };
    paths.filter(|path| reads(path) && (!is_of_charts(check) || of_chart(path))).collect()
}

/// A folder, or all files of a sort in one; a file that is called like what it is for is all of its sort.
fn is_folder(place: &str) -> bool {
    let last = place.trim_end_matches('/').rsplit('/').next().unwrap_or(place);
    !place.starts_with(['!', '-', '$']) && (!last.contains('.') || last.contains('*') || last == "Dockerfile")
}

fn lies_in(path: &str, place: &str) -> bool {
    let place = place.trim_start_matches("./").trim_end_matches("/...").trim_end_matches('/').to_ascii_lowercase();
    match place.rsplit_once('*') {
        Some((before, end)) => {
            let folder = before.split('*').next().unwrap_or_default();
            let folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
            let inside = path.strip_prefix(folder).map(|rest| rest.trim_start_matches('/'));
            inside.is_some_and(|rest| rest.ends_with(end) && !rest.contains('/'))
        }
        None => path == place || path.strip_prefix(place.as_str()).is_some_and(|rest| rest.starts_with('/')),
    }
}

/// True when a claim says how many files were looked at, and the run says the same: it is about that run.
pub(crate) fn is_counted(run: &Run, check: &Check, said: &Said) -> bool {
    let only_places = check.pieces == check.part.len();
    let own = said.told_files.is_some_and(|number| run.counted_files.contains(&number));
    // All of so many files are the files of that run.
    let told =
        |number: u64| said.words.contains(&format!("all {number}")) || said.words.contains(&format!("全部 {number}"));
    let whole = said.reach.all && !said.told_files.is_some_and(told);
    own && only_places && !whole && !check.lints.is_empty()
}

/// True when a linter was given the folder of the sources, and code was changed in another folder than that and the tests.
pub(crate) fn leaves_out(deeds: &Deeds, check: &Check, said: &Said) -> bool {
    let inside = |path: &String| match path.split_once('/') {
        Some((folder, _)) => TESTS.contains(&folder) || check.roots.iter().any(|root| lies_in(path, root)),
        None => true,
    };
    let named = |name: &String| check.roots.iter().any(|root| lies_in(&name.to_ascii_lowercase(), root));
    if check.roots.is_empty() || (!said.reach.names.is_empty() && said.reach.names.iter().all(named)) {
        return false;
    }
    CODEBASE.fits(&said.words) || !changed(deeds, check, said.since(deeds)).iter().all(inside)
}
