//! The exact bytes of every request: scripted sessions are played anew and their bodies compared with those that were
//! recorded; and recorded logs of earlier builds open, resume and go on with the bytes that they went on with.
//!
//! `REASONIX_BLESS=1` writes the bodies anew, after a change that is meant to change them. Logs are written when a scene
//! is new, and never again: they are what an earlier build left on somebody's disk.

use crate::scene::fixture::{self, Sent};
use crate::scene::{Made, at, blessing, longer, moves, person, wires};
use crate::support::Place;

/// A test for each scene that it plays as recorded, and one that its log goes on as recorded.
macro_rules! scenes {
    ($($module:ident :: $name:ident),+ $(,)?) => {
        const NAMES: &[&str] = &[$(stringify!($name)),+];
        $(mod $name {
            #[test]
            fn is_played_as_recorded() {
                super::plays(super::$module::$name);
            }

            #[test]
            fn goes_on_from_its_log_as_recorded() {
                super::resumes(super::$module::$name);
            }
        })+
    };
}

scenes! {
    wires::chat_tools,
    wires::responses_tools,
    wires::anthropic_tools,
    wires::text_tools,
    wires::chat_garbled,
    wires::text_garbled,
    wires::chat_reasoning,
    wires::chat_reasoning_kept,
    wires::responses_reasoning,
    wires::anthropic_reasoning,
    wires::chat_pictures,
    wires::responses_pictures,
    wires::anthropic_pictures,
    wires::blind_pictures,
    wires::edit_blocks,
    wires::another_model,
    moves::undo_is_told,
    moves::undo_is_pending,
    moves::rewound,
    moves::rewound_with_notes,
    moves::branched,
    moves::failed_turns,
    moves::explored,
    moves::handed_over,
    moves::forked,
    moves::tools_chosen,
    longer::pruned,
    longer::folded_by_the_model,
    longer::folded_by_the_log,
    longer::folded_by_hand,
    longer::overflowed,
    longer::step_limit,
    longer::out_of_budget,
    longer::long_outputs,
    longer::failed_and_fallen_back,
    longer::another_session,
    person::references,
    person::standard_input,
    person::rules_and_memory,
    person::remembered,
    person::todo,
    person::refused,
    person::plan_mode,
    person::plan_refused,
    person::questions,
    person::shell_lines,
    person::escalated_by_hand,
    person::escalated_by_itself,
    person::planner,
    person::role_of_plan_mode,
    person::output_schema,
}

fn text(name: &str, file: &str) -> String {
    std::fs::read_to_string(at(name).join(file))
        .unwrap_or_else(|_| panic!("there is no tests/bodies/{name}/{file}: REASONIX_BLESS=1 writes it"))
}

/// The requests that a scene made when it was recorded.
fn played(name: &str) -> Vec<Sent> {
    fixture::read(&text(name, "played"), None)
}

fn compare(name: &str, file: &str, wanted: &[Sent], got: &[Sent]) {
    if let Some(difference) = fixture::difference(wanted, got) {
        panic!("{name}, {file}: {difference}\nIf that is meant, REASONIX_BLESS=1 writes tests/bodies/{name} anew.");
    }
}

/// What is recorded has to be valid; what is the same as that is.
fn sent(place: &Place, scene: Made) -> Vec<Sent> {
    if blessing() && scene().checked {
        place.server.assert_valid();
    }
    fixture::sent(place)
}

fn plays(scene: Made) {
    let name = scene().name;
    let place = scene().play();
    let got = sent(&place, scene);
    if !blessing() {
        return compare(name, "played", &played(name), &got);
    }
    fixture::write(format!("{name}/played"), fixture::written(&got, None));
    if fixture::recorded_state(name).is_empty() {
        for (file, bytes) in fixture::state_of(&place) {
            fixture::write(at(name).join("home").join(file), bytes);
        }
    }
    let resumed = sent(&scene().resume(&fixture::recorded_state(name)), scene);
    fixture::write(format!("{name}/resumed"), fixture::written(&resumed, got.last()));
}

/// Bodies of both kinds are written by the test that plays the scene.
fn resumes(scene: Made) {
    if blessing() {
        return;
    }
    let name = scene().name;
    let wanted = fixture::read(&text(name, "resumed"), played(name).last());
    let place = scene().resume(&fixture::recorded_state(name));
    compare(name, "resumed", &wanted, &sent(&place, scene));
}

fn files(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

#[test]
fn fixtures_are_those_of_the_scenes_and_name_no_machine() {
    if blessing() {
        return;
    }
    let mut there: Vec<String> = std::fs::read_dir(at(""))
        .expect("fixtures")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    there.sort();
    let mut names = NAMES.to_vec();
    names.sort_unstable();
    assert_eq!(there, names, "a scene has a folder, and a folder has a scene");
    let (mut found, mut size) = (Vec::new(), 0);
    files(&at(""), &mut found);
    for path in found {
        let bytes = std::fs::read(&path).expect("a fixture");
        size += bytes.len();
        let text = String::from_utf8_lossy(&bytes);
        for of_a_machine in ["/tmp/", "/home/", "/root", "reasonix-test-"] {
            assert!(!text.contains(of_a_machine), "{} has {of_a_machine}", path.display());
        }
        if path.extension().is_some_and(|end| end == "jsonl") {
            assert!(text.contains("\"v\":1,"), "{} is a log of version 1", path.display());
        }
    }
    // What resumes a log of an earlier build is kept as a difference to what a new session sends: it grows with each tool
    // that those sessions do not have.
    assert!(size < 2_500_000, "{size} bytes of fixtures");
}

#[test]
fn a_difference_is_named_with_its_request_and_byte() {
    let sent = |bodies: &[&str]| -> Vec<Sent> {
        bodies.iter().map(|body| Sent { route: "/v1".to_owned(), body: (*body).to_owned() }).collect()
    };
    let wanted = sent(&["{\"a\":\"é1\"}", "{\"a\":\"é1\",\"b\":2}", "{}"]);
    assert_eq!(fixture::read(&fixture::written(&wanted, None), None), wanted);
    let after = fixture::written(&wanted[1..], wanted.first());
    assert_eq!(fixture::read(&after, wanted.first()), wanted[1..]);
    assert_eq!(fixture::difference(&wanted, &wanted), None);
    let other = sent(&["{\"a\":\"é1\"}", "{\"a\":\"é1\",\"b\":3}", "{}"]);
    let said = fixture::difference(&wanted, &other).expect("a difference");
    assert!(said.contains("request 2 differs at byte 15"), "{said}");
    assert!(said.contains("⟦here⟧2") && said.contains("⟦here⟧3"), "{said}");
    assert_eq!(fixture::difference(&wanted, &wanted[..2]).as_deref(), Some("3 requests are wanted, 2 were sent"));
}
