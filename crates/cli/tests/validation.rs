//! The check behind edits: the built binary against a scripted model.

use crate::support;

use reasonix_testkit::Reply;
use serde_json::{Value, json};
use support::{Place, Ran};

/// The user's own command, allowed.
const CHECK: &str =
    "[validation]\ncommand = \"sh check.sh\"\n\n[permissions]\nallow = [\"Bash(sh check.sh)\", \"Bash(touch:*)\"]\n\n";

fn ok(ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
}

fn edit(path: &str, content: &str) -> Reply {
    Reply::call("write_file", json!({ "path": path, "content": content }))
}

/// The last message of each request.
fn lasts(place: &Place) -> Vec<String> {
    let last = |messages: Vec<Value>| messages.last().map(|message| message["content"].to_string()).unwrap_or_default();
    place.server.requests().iter().map(|request| last(request.messages().to_vec())).collect()
}

/// The records of the check: each round has one before it runs and one behind it.
fn verdicts(place: &Place) -> Vec<String> {
    let log = std::fs::read_to_string(place.logs().pop().unwrap()).unwrap();
    let read = |line: &str| -> Option<Value> {
        let line = &line[line.find('{')?..];
        serde_json::from_str(line).or_else(|_| serde_json::from_str(&line[..line.rfind('}').unwrap() + 1])).ok()
    };
    let of = |value: Value| if value.get("record").is_some() { value["record"].clone() } else { value };
    let all = log.lines().filter_map(read).map(of).filter(|record| record["kind"] == "validation");
    all.map(|record| record["verdict"].as_str().unwrap_or("-").to_owned()).collect()
}

#[test]
fn what_fails_goes_back_to_the_model_until_it_passes() {
    let place = Place::new(vec![
        edit("a.py", "bad"),
        Reply::say("done"),
        edit("a.py", "good"),
        Reply::say("mended"),
        Reply::say("more"),
    ]);
    place.configure(CHECK);
    place.work.write("check.sh", "grep -q good a.py || { echo 'FAILED a.py: it is bad'; exit 3; }\n");
    let ran = place.run(&["run", "go"]);
    ok(&ran);
    assert!(ran.out.contains("mended"), "{}", ran.out);
    let lasts = lasts(&place);
    assert_eq!(lasts.len(), 4, "{lasts:?}");
    let told = &lasts[2];
    for word in ["`sh check.sh`", "exit code 3", "round 1 of 3", "FAILED a.py: it is bad"] {
        assert!(told.contains(word), "{word}: {told}");
    }
    assert_eq!(verdicts(&place), ["-", "failed", "-", "passed"], "each is written before it runs and with its outcome");
    assert!(ran.err.contains("sh check.sh") && ran.err.contains("validation.command"), "{}", ran.err);
    place.server.assert_valid();
    place.server.assert_prefixes_grow();
    place.assert_resumes();
}

#[test]
fn the_same_failure_twice_ends_the_turn() {
    let place = Place::new(vec![edit("a.py", "1"), Reply::say("done"), edit("a.py", "22"), Reply::say("again done")]);
    place.configure(CHECK);
    // The place and the time differ, the failure does not.
    place
        .work
        .write("check.sh", "echo \"/tmp/$$/a.py:$(wc -c < a.py): error: bad (took 0.$(wc -c < a.py)s)\"; exit 1\n");
    let ran = place.run(&["run", "go"]);
    ok(&ran);
    assert_eq!(place.server.request_count(), 4);
    assert_eq!(verdicts(&place), ["-", "failed", "-", "same"]);
    assert!(ran.err.contains("in the same way as before"), "{}", ran.err);
    place.server.assert_prefixes_grow();
}

#[test]
fn there_are_as_many_rounds_as_the_settings_say() {
    let mut replies = Vec::new();
    for round in 0..6 {
        replies.extend([edit("a.py", &round.to_string()), Reply::say("done")]);
    }
    let place = Place::new(replies);
    place.configure(CHECK);
    place.work.write("check.sh", "echo \"FAILED number_$(cat a.py)\"; exit 1\n");
    let ran = place.run(&["run", "go"]);
    ok(&ran);
    assert_eq!(verdicts(&place), ["-", "failed", "-", "failed", "-", "failed", "-", "rounds"]);
    assert_eq!(place.server.request_count(), 8);
    assert!(ran.err.contains("still fails after 3 rounds"), "{}", ran.err);
}

#[test]
fn what_failed_before_the_first_edit_is_told_and_does_not_loop() {
    let first = Reply::call("bash", json!({ "command": "sh check.sh" }));
    let place = Place::new(vec![first, edit("a.py", "x"), Reply::say("done")]);
    place.configure(CHECK);
    place.work.write("check.sh", "echo 'FAILED old_test'; exit 1\n");
    let ran = place.run(&["run", "go"]);
    ok(&ran);
    assert_eq!(place.server.request_count(), 3);
    assert_eq!(verdicts(&place), ["-", "before"]);
    assert!(ran.err.contains("as it did before the first edit"), "{}", ran.err);
}

#[test]
fn text_alone_and_what_the_model_checked_itself_are_not_checked_again() {
    let own = || Reply::call("bash", json!({ "command": "sh  check.sh" }));
    for (replies, runs) in [
        (vec![edit("README.md", "x"), Reply::say("done")], 0),
        (vec![edit("a.py", "x"), own(), Reply::say("done")], 0),
        (vec![own(), edit("a.py", "x"), Reply::say("done")], 1),
    ] {
        let place = Place::new(replies);
        place.configure(CHECK);
        place.work.write("check.sh", "exit 0\n");
        ok(&place.run(&["run", "go"]));
        assert_eq!(verdicts(&place).len(), runs * 2);
    }
}

/// What commands change is seen by a look at the files, or by their words where there is no undo.
#[test]
fn what_commands_changed_is_checked_too() {
    let bash = |line: &str| Reply::call("bash", json!({ "command": line }));
    let own = || bash("sh check.sh");
    let say = || Reply::say("done");
    let without = "[undo]\nenabled = false\n\n";
    for (more, replies, wanted) in [
        (
            "",
            vec![bash("sed -i s/good/bad/ a.py"), say(), bash("sh mend"), say()],
            ["-", "failed", "-", "passed"].as_slice(),
        ),
        ("", vec![bash("sed -i s/good/fine/ a.py"), own(), say(), say()], &["-", "failed"]),
        ("", vec![bash("sed -i s/d/d/ a.py; echo 1 >> a.py"), own(), say()], &[]),
        ("", vec![bash("echo x > notes.md; echo 1 > results.csv"), say()], &[]),
        ("", vec![bash("sh quiet"), say()], &[]),
        (without, vec![bash("sed -i s/good/bad/ a.py"), say(), say()], &["-", "failed"]),
        (without, vec![bash("sh quiet"), say()], &[]),
    ] {
        let place = Place::new(replies);
        place.configure(&format!("{more}{CHECK}"));
        place.work.write("a.py", "good");
        place.work.write("mend", "echo good > a.py\n");
        place.work.write("quiet", "cat a.py\n");
        place.work.write("check.sh", "grep -q good a.py || { echo 'FAILED a.py'; exit 3; }\n");
        ok(&place.run(&["run", "go"]));
        assert_eq!(verdicts(&place), wanted, "{more}{:?}", lasts(&place));
    }
}

/// The yes was for what lies in the project's folder: in one below it, the same line could run something else.
#[test]
fn a_command_of_a_project_runs_only_in_the_folder_that_was_trusted() {
    let place = Place::new(vec![edit("a.c", "x"), Reply::say("done"), edit("b.c", "x"), Reply::say("done")]);
    place.work.git_init();
    place.configure("[permissions]\nallow = [\"Bash(sh check.sh)\"]\n\n");
    place.work.write("reasonix.toml", "[validation]\ncommand = \"sh check.sh\"\n");
    place.work.write("check.sh", "echo x > ran\n");
    place.work.write("sub/check.sh", "echo x > ran\n");
    let file = place.home.join("trust.lock").display().to_string();
    ok(&place.run(&["trust", "--lock", &file]));
    let sub = place.work.join("sub").display().to_string();
    let ran = place.run(&["run", "-C", &sub, "--trust-lock", &file, "go"]);
    ok(&ran);
    assert!(ran.err.contains("edits are not checked: `sh check.sh`"), "{}", ran.err);
    assert!(!place.work.exists("sub/ran"));
    ok(&place.run(&["run", "--trust-lock", &file, "go"]));
    assert!(place.work.exists("ran"));
}

/// A command that was merely found runs what the folder has, so it needs the user's word.
#[test]
fn a_command_that_was_found_runs_only_where_the_folder_is_trusted() {
    let new = || {
        let place = Place::new(vec![edit("a.c", "x"), Reply::say("done")]);
        place.configure("[permissions]\nallow = [\"Bash(make test)\"]\n\n");
        place.work.write("Makefile", "test:\n\t@echo ran > made-by-test\n");
        place
    };
    let place = new();
    let ran = place.run(&["run", "go"]);
    ok(&ran);
    assert!(ran.err.contains("edits are not checked: `make test`"), "{}", ran.err);
    assert!(verdicts(&place).is_empty() && !place.work.exists("made-by-test"));
    let place = new();
    let file = place.home.join("trust.lock").display().to_string();
    ok(&place.run(&["trust", "--lock", &file]));
    let ran = place.run(&["run", "--trust-lock", &file, "go"]);
    ok(&ran);
    assert_eq!(verdicts(&place).first().map(String::as_str), Some("-"), "{}", ran.err);
    assert!(ran.err.contains("make test") && ran.err.contains("Makefile"), "{}", ran.err);
    let doctor = place.run(&["doctor", "--offline"]);
    assert!(doctor.out.contains("edits are not checked: `make test` would run"), "{}", doctor.out);
}

#[test]
fn it_can_be_switched_off_and_a_refusal_ends_it() {
    let place = Place::new(vec![edit("a.py", "x"), Reply::say("done")]);
    place.configure("[validation]\nenabled = false\ncommand = \"touch checked\"\n\n");
    ok(&place.run(&["run", "go"]));
    assert!(verdicts(&place).is_empty() && !place.work.exists("checked"));
    let place = Place::new(vec![edit("a.py", "x"), Reply::say("done")]);
    place.configure("[validation]\ncommand = \"touch checked\"\n\n[permissions]\ndeny = [\"Bash(touch:*)\"]\n\n");
    let ran = place.run(&["run", "go"]);
    ok(&ran);
    assert_eq!(verdicts(&place), ["-", "unrun"]);
    assert!(!place.work.exists("checked"));
    assert!(ran.err.contains("was refused"), "{}", ran.err);
}

#[test]
fn one_that_takes_too_long_is_ended_and_sends_nothing_back() {
    let place = Place::new(vec![edit("a.py", "x"), Reply::say("done")]);
    place.configure("[validation]\ncommand = \"sleep 1000\"\ntimeout_seconds = 1\n\n");
    let ran = place.run(&["run", "go"]);
    ok(&ran);
    assert_eq!(verdicts(&place), ["-", "timed_out"]);
    assert_eq!(place.server.request_count(), 2);
    assert!(ran.err.contains("took too long"), "{}", ran.err);
}

/// The endpoint names calls. One that is named like a run of the check is a call like every other.
#[test]
fn a_call_cannot_be_named_past_the_check() {
    let place = Place::new(vec![edit("a.py", "x").with_call_id("validation-1-1"), Reply::say("done")]);
    place.configure("[validation]\ncommand = \"touch checked\"\n\n[permissions]\nallow = [\"Bash(touch:*)\"]\n\n");
    ok(&place.run(&["run", "go"]));
    assert_eq!(verdicts(&place), ["-", "passed"]);
    assert!(place.work.exists("checked"));
}
