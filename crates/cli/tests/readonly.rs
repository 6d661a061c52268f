//! A home on a file system that is mounted read-only: root is stopped by it too, so nothing here is pretended.

use crate::support;

use reasonix_testkit::Reply;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use support::{Place, Ran, binary, everything_required, finish};

/// Runs the binary where its home is mounted read-only; none where no mount can be had.
fn read_only(place: &Place, args: &[&str]) -> Option<Ran> {
    let line = "mount --bind \"$REASONIX_HOME\" \"$REASONIX_HOME\" && mount -o remount,ro,bind \"$REASONIX_HOME\" || exit 77; exec \"$@\"";
    let binary = binary();
    let all: Vec<&str> =
        ["-rm", "sh", "-c", line, "sh", binary.to_str().unwrap()].into_iter().chain(args.iter().copied()).collect();
    let output = place.program(Path::new("unshare"), &all).output();
    let ran = output.ok().map(finish).filter(|ran| !matches!(ran.code, Some(77)) && !ran.err.starts_with("unshare:"));
    assert!(ran.is_some() || !everything_required(), "REASONIX_E2E=1 needs a mount of its own");
    ran
}

fn everything_in(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                found.insert(entry.path(), std::fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

#[test]
fn a_new_session_asks_no_model_and_runs_nothing() {
    let place = Place::new(vec![Reply::call("bash", json!({"command": "touch ran"})), Reply::say("x")]);
    let Some(ran) = read_only(&place, &["run", "go"]) else { return };
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("Read-only file system"), "{}", ran.err);
    assert!(ran.err.contains(&place.home.path().display().to_string()), "which folder: {}", ran.err);
    assert!(ran.err.contains("REASONIX_HOME"), "what to do is said: {}", ran.err);
    assert_eq!(place.server.request_count(), 0, "no model was asked");
    assert!(!place.work.join("ran").exists());
}

#[test]
fn a_session_is_left_as_it_is_and_goes_on_later() {
    let place = Place::new(vec![
        Reply::call("write_file", json!({"path": "made", "content": "x"})),
        Reply::say("one"),
        Reply::say("two"),
    ]);
    assert_eq!(place.run(&["run", "go"]).code, Some(0));
    let before = everything_in(&place.home.path());
    for (args, code) in
        [(&["run", "--continue", "more"][..], 2), (&["undo"], 1), (&["rewind", "--to", "1", "--both"], 1)]
    {
        let Some(ran) = read_only(&place, args) else { return };
        assert_eq!(ran.code, Some(code), "{args:?}: {}", ran.err);
        assert!(ran.err.contains("Read-only file system"), "{args:?}: {}", ran.err);
        assert_eq!(place.server.request_count(), 2, "{args:?} asked a model");
        assert_eq!(
            std::fs::read(place.work.join("made")).unwrap(),
            b"x",
            "{args:?} touched a file it could not note down"
        );
        assert_eq!(everything_in(&place.home.path()), before, "{args:?}");
    }
    for args in [&["sessions"][..], &["changes"], &["stats"], &["config", "show"], &["context"]] {
        let Some(ran) = read_only(&place, args) else { return };
        assert_eq!(ran.code, Some(0), "reading needs no writing: {args:?}: {}", ran.err);
    }
    place.assert_resumes();
}
