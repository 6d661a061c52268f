//! The arrows between rooms: a crate may depend on another only where the table in ARCHITECTURE.md says so.

use crate::modules;
use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Path::parent).expect("the workspace")
}

/// Room to the rooms it may know, from the table behind the marker.
fn table() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let (_, after) = text.split_once("<!-- arrows").expect("the marker");
    after
        .lines()
        .skip_while(|line| !line.starts_with("| `"))
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
            let rooms = cells[2].split(',').map(str::trim).filter(|room| !room.is_empty()).map(str::to_owned).collect();
            (cells[0].trim_matches('`').to_owned(), rooms)
        })
        .collect()
}

#[test]
fn no_arrow_that_the_table_does_not_have() {
    let allowed = table();
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().expect("metadata");
    let room = |name: &str| name.strip_prefix("reasonix-").map(str::to_owned);
    let mut seen = BTreeSet::new();
    for package in &metadata.packages {
        let from = room(&package.name).expect("every package is a room");
        let known = allowed.get(&from).unwrap_or_else(|| panic!("the room {from} is not in ARCHITECTURE.md"));
        for dependency in &package.dependencies {
            let Some(to) = room(&dependency.name) else { continue };
            let is_test_of_testkit = dependency.kind == DependencyKind::Development && to == "testkit";
            assert!(is_test_of_testkit || known.contains(&to), "{from} may not know {to}");
        }
        seen.insert(from);
    }
    assert_eq!(seen, allowed.keys().cloned().collect(), "the table names rooms that do not exist");
}

/// Every source file of every room, without its tests: its path from the root, and its text.
fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let shown = path.strip_prefix(root()).expect("below the root").display().to_string();
            if path.is_dir() {
                folders.push(path);
            } else if shown.ends_with(".rs") && shown.contains("/src/") {
                let text = std::fs::read_to_string(&path).expect("a source file");
                found.push((shown, modules::text::without_tests(&text).to_owned()));
            }
        }
    }
    assert!(found.len() > 100, "the sources were found");
    found
}

#[test]
fn unsafe_code_lives_where_it_may() {
    let may =
        |path: &str| ["crates/exec/", "crates/workspace/", "crates/store/"].iter().any(|room| path.starts_with(room));
    let offenders: Vec<_> = sources()
        .into_iter()
        .filter(|(path, text)| !may(path) && text.contains(concat!("allow(", "unsafe_code)")))
        .map(|(path, _)| path)
        .collect();
    assert!(offenders.is_empty(), "{offenders:?}");
}

#[test]
fn every_code_that_is_said_has_words() {
    let known: BTreeSet<_> = reasonix_words::codes().collect();
    let mut missing = Vec::new();
    for (path, text) in sources() {
        for rest in text.split("Phrase::new(\"").skip(1) {
            let code = rest.split('"').next().unwrap_or_default();
            if !known.contains(code) {
                missing.push(format!("{code} in {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "codes without words: {missing:#?}");
}

/// A phrase is rendered, never compared: whoever renames a text must not change what the program does.
#[test]
fn nobody_decides_by_the_words_that_people_read() {
    // A subagent's failure is told to the model by its code, which is what models read of it.
    let renders = ["words/", "proto/src/phrase.rs", "children/src/told.rs"];
    let compares = |line: &str| {
        let fields = ["phrase.code", "why.code", "notice.code", "refused.why"];
        let places =
            fields.iter().flat_map(|field| line.match_indices(field).map(|(at, field)| (at, at + field.len())));
        places.into_iter().any(|(from, to)| {
            let (before, after) = (&line[..from], line[to..].trim_start());
            let asks = [".as_ref()", ".as_str()", ".starts_with", ".ends_with", ".contains", "==", "!="];
            // A text that a code is put into can be compared elsewhere.
            let written = ["format!(", "write!("].iter().any(|word| before.contains(word));
            written
                || asks.iter().any(|word| after.starts_with(word))
                || ["match ", "matches!(", "contains(&", "== ", "!= "]
                    .iter()
                    .any(|word| before.contains(word) && !before.contains('{'))
        })
    };
    let mut deciding = Vec::new();
    for (path, text) in sources() {
        let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
        if is_test || renders.iter().any(|room| path.starts_with(&format!("crates/{room}"))) {
            continue;
        }
        let lines = text.lines().enumerate().filter(|(_, line)| compares(line));
        deciding.extend(lines.map(|(number, line)| format!("{path}:{}: {}", number + 1, line.trim())));
    }
    assert!(deciding.is_empty(), "{deciding:#?}");
}

/// A repository can have git run whatever it likes: where we run git ourselves, one place switches all of that off.
#[test]
fn a11_our_own_git_is_run_in_one_place() {
    let runs = |line: &str| ["program(\"git\"", "new(\"git\")"].iter().any(|call| line.contains(call));
    let mut running = Vec::new();
    for (path, text) in sources() {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let tested = path.starts_with("crates/testkit/") || path.contains("/tests");
        if !tested && path != "crates/exec/src/git.rs" {
            running.extend(code.lines().filter(|line| runs(line)).map(|line| format!("{path}: {}", line.trim())));
        }
    }
    assert!(running.is_empty(), "{running:#?}");
}

/// The log is written by `session`, and by `engine` through it: front ends read records and make none.
#[test]
fn front_ends_write_no_records() {
    let makes = |line: &str| {
        let Some((before, after)) = line.split_once("RecordBody::") else {
            return [".journal", ".amend("].iter().any(|word| line.contains(word));
        };
        let reads = after.contains("=>") || before.ends_with("let ") || before.contains("matches!(");
        !reads
    };
    assert!(makes("let body = RecordBody::Discarded;") && !makes("if let RecordBody::Session(head) = &record.body {"));
    let mut making = Vec::new();
    for (path, text) in sources() {
        let is_front_end = ["crates/cli/", "crates/tui/"].iter().any(|room| path.starts_with(room));
        if is_front_end && !path.contains("/tests") {
            let lines = text.lines().enumerate().filter(|(_, line)| makes(line));
            making.extend(lines.map(|(number, line)| format!("{path}:{}: {}", number + 1, line.trim())));
        }
    }
    assert!(making.is_empty(), "{making:#?}");
}

/// A file of tests that its room's one program does not name would look tested and never run.
/// Places that name a tool and are not its home, and why they may.
const TOOLS_BY_NAME: &[(&str, &str)] = &[
    ("crates/config/src/schema/keys.rs", "edit formats are settings, and are called like their tools"),
    ("crates/config/src/shape/permission.rs", "rules of other programs are read, in the words of those"),
    ("crates/world/src/confine/masks.rs", "asks rules about a tool of each family, by the name that rules have for it"),
    ("crates/extensions/src/hooks/claude.rs", "hooks of other programs are told of calls in the words of those"),
    ("crates/gate/src/lib.rs", "asks rules about a tool of each family, by the name that rules have for it"),
    ("crates/gate/src/person.rs", "asks rules about a tool of each family, by the name that rules have for it"),
    ("crates/lab/src/bench/attempt.rs", "says which tools a trial of an edit format has"),
    ("crates/llm/src/repair/blocks.rs", "makes calls out of blocks, which are edits without a call"),
    ("crates/policy/src/rule.rs", "rules are written with names of tools"),
    ("crates/proto/src/editing.rs", "edit formats are called like their tools"),
];

#[test]
fn nobody_knows_tools_by_their_names() {
    let workspace =
        reasonix_workspace::Workspace::open(root(), reasonix_workspace::Options::default()).expect("a root");
    let names = reasonix_engine::tool_names(&workspace);
    assert!(names.len() > 15, "{names:?}");
    // A word such as `ls` or `ask` may as well be a program, a command of the user or a setting: it is looked for in the rooms
    // that deal with calls, and where it is compared.
    let of_calls = ["agent", "session", "undo", "lab", "llm"];
    let of_calls: Vec<_> = of_calls.iter().chain(ENGINE_ROOMS).map(|room| format!("crates/{room}/src/")).collect();
    let home = |path: &str| {
        let homes = ["crates/tools/src/", "crates/talk/src/tools/", "crates/testkit/", "crates/proto/src/tools.rs"];
        homes.iter().any(|home| path.starts_with(home)) || path.ends_with("/tests.rs")
    };
    let sources = sources();
    let for_tests = |path: &str| {
        let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let declared = format!("#[cfg(test)]\nmod {stem};");
        let room = path.split("/src/").next().unwrap_or_default();
        sources.iter().any(|(other, text)| other.starts_with(room) && text.contains(&declared))
    };
    let (mut found, mut excused) = (Vec::new(), BTreeSet::new());
    for (path, text) in sources.iter().filter(|(path, _)| !home(path) && !for_tests(path)) {
        let decides = of_calls.iter().any(|room| path.starts_with(room.as_str()));
        let by_constant = ["== reasonix_proto::tools::", "== tools::"];
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let named = |name: &String| {
                let word = format!("\"{name}\"");
                let compared =
                    [format!("== {word}"), format!("{word} =>"), format!("{word} |"), format!("contains(&{word})")];
                match name.contains('_') {
                    true => line.contains(&word),
                    false => decides && compared.iter().any(|compared| line.contains(compared.as_str())),
                }
            };
            if names.iter().any(named) || (decides && by_constant.iter().any(|compared| line.contains(compared))) {
                match TOOLS_BY_NAME.iter().find(|(excepted, _)| path == excepted) {
                    Some((excepted, _)) => drop(excused.insert(*excepted)),
                    None => found.push(format!("{path}:{}: {}", number + 1, line.trim())),
                }
            }
        }
    }
    assert!(found.is_empty(), "what a tool can is told by the traits in its spec:\n{}", found.join("\n"));
    let needed: BTreeSet<&str> = TOOLS_BY_NAME.iter().map(|(path, _)| *path).collect();
    assert_eq!(excused, needed, "an exception that nothing needs");
}

#[test]
fn every_file_of_tests_is_run() {
    let mut forgotten = Vec::new();
    for room in std::fs::read_dir(root().join("crates")).expect("the rooms") {
        let room = room.expect("a room").path();
        let manifest = std::fs::read_to_string(room.join("Cargo.toml")).expect("a manifest");
        if !manifest.contains("autotests = false") {
            continue;
        }
        let named = std::fs::read_to_string(room.join("tests/all.rs")).expect("the one program of tests");
        for file in std::fs::read_dir(room.join("tests")).expect("its tests") {
            let path = file.expect("a file").path();
            let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let is_source = path.extension().is_some_and(|ending| ending == "rs");
            let alone = manifest.contains(&format!("path = \"tests/{stem}.rs\""));
            if is_source && !alone && !named.lines().any(|line| line == format!("mod {stem};")) {
                forgotten.push(path);
            }
        }
    }
    assert!(forgotten.is_empty(), "named neither in tests/all.rs nor in Cargo.toml: {forgotten:?}");
}

/// Every program of tests is linked alone, with everything below it.
#[test]
fn programs_of_tests_are_few() {
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().expect("metadata");
    let targets = metadata.packages.iter().flat_map(|package| &package.targets);
    let programs = targets.filter(|target| target.is_test()).count();
    assert!((10..=20).contains(&programs), "{programs}");
}

/// Sizes of the groups of modules that name each other in a circle, room by room. This list only shrinks.
const CYCLES: &[(&str, &[usize])] = &[
    ("agent", &[5]),
    ("cli", &[7, 2, 2, 2]),
    ("config", &[7]),
    ("exec", &[5]),
    ("llm", &[2, 2]),
    ("net", &[4]),
    ("proto", &[4, 2]),
    ("session", &[2]),
    ("tui", &[7, 4, 2]),
    ("workspace", &[3, 2]),
];

#[test]
fn modules_have_arrows_too() {
    let allowed: BTreeMap<&str, &[usize]> = CYCLES.iter().copied().collect();
    let mut wrong = Vec::new();
    for room in table().keys() {
        let found = modules::cycles(&modules::arrows(&root().join("crates").join(room).join("src")));
        let sizes: Vec<usize> = found.iter().map(Vec::len).collect();
        if sizes != allowed.get(room.as_str()).copied().unwrap_or_default() {
            wrong.push(format!("{room}: {sizes:?} {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whoever wants an agent takes a blueprint: nothing runs that is not judged or not kept.
#[test]
fn one_place_builds_agents() {
    let builds = |(path, text): &(String, String)| {
        let is_literal = |line: &str| line.contains("Agent {") && !line.contains("struct ") && !line.contains("impl ");
        text.lines().any(is_literal).then(|| path.clone())
    };
    let places: Vec<String> = sources().iter().filter_map(builds).collect();
    assert_eq!(places, ["crates/assembly/src/blueprint.rs"]);
}

/// Who reads a name in one room must not have to ask which of two things it is. `cli` is a program that nobody calls, and
/// `testkit` is for tests alone.
#[test]
fn no_public_type_name_stands_in_two_rooms() {
    let mut rooms: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for room in table().into_keys().filter(|room| !["cli", "testkit"].contains(&room.as_str())) {
        for name in modules::public::types(&root().join("crates").join(&room).join("src")) {
            rooms.entry(name).or_default().push(room.clone());
        }
    }
    assert!(rooms.len() > 500, "the names were found: {}", rooms.len());
    let shared: Vec<_> = rooms.into_iter().filter(|(_, rooms)| rooms.len() > 1).collect();
    assert!(shared.is_empty(), "{shared:#?}");
}

/// The engine, and the rooms that were parts of it: everything of a live session.
const ENGINE_ROOMS: &[&str] = &["engine", "state", "world", "talk", "hooks", "servers", "jobs", "assembly", "children"];

/// So many lines may the composition have. What grows beyond that is something of its own, and gets a room.
const MOST_LINES_OF_THE_ENGINE: usize = 9_500;

#[test]
fn the_engine_stays_small() {
    let own = sources().into_iter().map(|(path, _)| path).filter(|path| path.starts_with("crates/engine/src/"));
    let text = |path| std::fs::read_to_string(root().join::<String>(path)).expect("a source file");
    let lines: usize = own.map(|path| text(path).lines().count()).sum();
    assert!((4_000..=MOST_LINES_OF_THE_ENGINE).contains(&lines), "{lines}");
}

/// So many fields may one type of the engine have, and so many methods where they stand in several files.
const LARGEST: (usize, usize) = (15, 25);
/// Those that are larger, with their fields and methods: none, and it stays so.
const LARGE: &[(&str, usize, usize)] = &[];

/// What one type holds and does has to fit into a head. The engine is where everything is attached, and types grow there first.
#[test]
fn no_type_of_the_engine_is_too_large() {
    let rooms = ENGINE_ROOMS.iter().map(|room| (room, root().join("crates").join(room).join("src")));
    let sizes: Vec<_> = rooms
        .flat_map(|(room, src)| {
            modules::sizes::sizes(&src).into_iter().map(move |(name, size)| (format!("{room}::{name}"), size))
        })
        .collect();
    assert!(sizes.len() > 200, "the types were found: {}", sizes.len());
    let (fields, methods) = LARGEST;
    let large: Vec<_> = sizes
        .iter()
        .filter(|(_, size)| size.fields > fields || (size.methods > methods && size.files.len() > 1))
        .map(|(name, size)| (name.as_str(), size.fields, size.methods))
        .collect();
    assert_eq!(large, LARGE);
}
