//! What is kept of the past: by age, by size, and not a moment longer than somebody names it.

use crate::common::{did, ended, folder, head, prompt, says};
use reasonix_agent::Artifacts;
use reasonix_proto::{SessionId, Usage};
use reasonix_session::{Entry, Ledger, Retention, SessionArtifacts, Sessions, retain};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const DAY: Duration = Duration::from_secs(24 * 3600);
const NONE: Retention = Retention { session_days: 0, sessions: 0, output_days: 0, outputs: 0, usage: 0 };

fn log_of(state: &Path, id: &SessionId) -> PathBuf {
    state.join("sessions").join(format!("{id}.jsonl"))
}

fn aged(path: &Path, age: Duration) {
    File::options().append(true).open(path).unwrap().set_modified(SystemTime::now() - age).unwrap();
}

/// A session that names an output.
fn session(state: &Path, output: &str) -> (SessionId, String) {
    let uri = SessionArtifacts::at(state).put(output.as_bytes()).unwrap().uri;
    let bodies = vec![
        (1, prompt(1, "look")),
        (2, says(1, 1, "", &["c"])),
        (3, did("c", &format!("cut; the whole is {uri}"))),
        (4, ended(1)),
    ];
    (Sessions::at(state).import(head("/w"), bodies).unwrap(), uri)
}

fn blobs(state: &Path) -> Vec<PathBuf> {
    let fans = std::fs::read_dir(state.join("blobs")).into_iter().flatten().flatten();
    let files = fans.flat_map(|fan| std::fs::read_dir(fan.path()).into_iter().flatten().flatten());
    files.map(|file| file.path()).collect()
}

#[test]
fn a_deleted_session_takes_its_outputs_along_but_not_those_of_others() {
    let temp = folder().unwrap();
    let state = temp.path();
    let (first, own) = session(state, "secret-line only here");
    let (second, shared) = session(state, "both have it");
    let (third, _) = session(state, "both have it");
    let outputs = SessionArtifacts::at(state);
    let sessions = Sessions::at(state);
    sessions.delete(first.as_str()).unwrap();
    assert!(outputs.get(&own).is_err(), "what only it named is gone");
    sessions.delete(second.as_str()).unwrap();
    assert!(outputs.get(&shared).is_ok(), "another one names it");
    sessions.delete(third.as_str()).unwrap();
    assert!(blobs(state).is_empty());
}

#[test]
fn what_was_handed_over_stays_as_long_as_it_can_be_reached() {
    let temp = folder().unwrap();
    let state = temp.path();
    let (old, inner) = session(state, "the original");
    let outer = SessionArtifacts::at(state).put(format!("the conversation: {inner}").as_bytes()).unwrap().uri;
    let from = Some(reasonix_proto::Origin::Handoff { session: old.clone() });
    let next = reasonix_proto::SessionHead { from, ..head("/w") };
    let new = Sessions::at(state).import(next, vec![(1, prompt(1, &format!("see {outer}")))]).unwrap();
    Sessions::at(state).delete(old.as_str()).unwrap();
    assert!(SessionArtifacts::at(state).get(&inner).is_ok(), "by way of the other one");
    blobs(state).iter().for_each(|path| aged(path, 2 * DAY));
    assert_eq!(retain(state, &NONE, false).unwrap().outputs.removed, 0);
    Sessions::at(state).delete(new.as_str()).unwrap();
    assert!(blobs(state).is_empty());
}

#[test]
fn sessions_and_outputs_go_by_age_and_by_size_the_longest_unused_first() {
    let temp = folder().unwrap();
    let state = temp.path();
    let made: Vec<_> = (0..4).map(|number| session(state, &format!("{number}").repeat(50_000))).collect();
    for (number, (id, _)) in (0..).zip(&made) {
        aged(&log_of(state, id), DAY * (number * 10));
    }
    blobs(state).iter().for_each(|path| aged(path, 50 * DAY));
    let outputs = SessionArtifacts::at(state);
    let there = || made.iter().map(|(_, uri)| outputs.get(uri).is_ok()).collect::<Vec<_>>();
    let all = retain(state, &NONE, true).unwrap();
    assert_eq!((all.sessions.kept, all.outputs.kept), (4, 4));
    assert!(all.outputs.bytes >= 4 * 50_000 && all.all >= all.outputs.bytes + all.sessions.bytes);
    let by_age = Retention { output_days: 25, ..NONE };
    assert_eq!(retain(state, &by_age, true).unwrap().outputs.removed, 1);
    assert_eq!(there(), [true; 4], "only counted");
    retain(state, &by_age, false).unwrap();
    assert_eq!(there(), [true, true, true, false]);
    retain(state, &Retention { outputs: 120_000, ..NONE }, false).unwrap();
    assert_eq!(there(), [true, true, false, false]);
    let gone = retain(state, &Retention { session_days: 15, ..NONE }, false).unwrap();
    assert_eq!((gone.sessions.kept, gone.sessions.removed), (2, 2));
    assert!(log_of(state, &made[1].0).exists() && !log_of(state, &made[2].0).exists());
    // The newest one stays whatever its size; one that is in use stays however old it is.
    let held = Sessions::at(state).open(made[1].0.as_str(), |_| {}).unwrap();
    aged(&log_of(state, &made[1].0), 100 * DAY);
    let least = Retention { sessions: 1, session_days: 15, ..NONE };
    assert_eq!(retain(state, &least, false).unwrap().sessions.kept, 2);
    drop(held);
    assert_eq!(retain(state, &least, false).unwrap().sessions.kept, 1);
    assert!(log_of(state, &made[0].0).exists());
}

#[test]
fn what_nobody_names_goes_when_it_is_not_young_and_leftovers_go_too() {
    let temp = folder().unwrap();
    let state = temp.path();
    session(state, "named");
    SessionArtifacts::at(state).put(b"of no session").unwrap();
    assert_eq!(retain(state, &NONE, false).unwrap().outputs.kept, 2, "its record may be on its way");
    let left = state.join("sessions/.x.jsonl.0123456789abcdef.tmp");
    std::fs::write(&left, "half").unwrap();
    blobs(state).iter().chain([&left]).for_each(|path| aged(path, 2 * DAY));
    // A link to itself must not keep anybody from tidying up.
    std::os::unix::fs::symlink("x.jsonl", state.join("sessions/x.jsonl")).unwrap();
    assert_eq!(retain(state, &NONE, false).unwrap().outputs.removed, 1);
    assert!(!left.exists());
    assert!(Sessions::at(state).states().is_ok());
}

#[test]
fn the_ledger_keeps_the_newer_half() {
    let temp = folder().unwrap();
    let ledger = Ledger::at(temp.path());
    let enter = |number: u64| {
        let usage = Usage { input: number, ..Usage::default() };
        let (session, record) = (SessionId::from("s"), reasonix_proto::RecordId(number));
        let (folder, model) = ("/w".to_owned(), "a/b".to_owned());
        let (cost, kind, agent, child, parent) = (None, None, None, None, None);
        let entry = Entry { at: number, session, record, folder, model, usage, cost, kind, agent, child, parent };
        ledger.append(&entry).unwrap();
    };
    (0..10).for_each(enter);
    let size = ledger.path().metadata().unwrap().len();
    assert_eq!(ledger.bound(0, false).unwrap().bytes, size, "no bound");
    ledger.bound(size, false).unwrap();
    (10..20).for_each(enter);
    assert_eq!(ledger.read().unwrap().entries.len(), 20, "nothing is lost yet");
    assert_eq!(ledger.bound(size, true).unwrap().removed, 1);
    ledger.bound(size, false).unwrap();
    let kept: Vec<u64> = ledger.read().unwrap().entries.iter().map(|entry| entry.at).collect();
    assert_eq!(kept, (10..20).collect::<Vec<_>>());
}
