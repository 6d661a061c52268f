//! Taking back what turns did to files: the real binary, real shells, real git.

use crate::support;

use reasonix_testkit::Reply;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::Place;

fn bash(command: &str) -> Reply {
    Reply::call("bash", json!({ "command": command }))
}

/// A place whose commands may do what they want: nobody is there to ask.
fn place(replies: Vec<Reply>) -> Place {
    let place = Place::new(replies);
    place.work.write("src/a.txt", "one\n");
    place.work.write("src/b.txt", "two\r\n");
    place.work.write("run.sh", "#!/bin/sh\n");
    place
}

fn run(place: &Place, prompt: &str) {
    let rules = ["Bash(rm:*)", "Bash(git reset:*)", "Bash(git clean:*)", "Bash(git checkout:*)", "Bash(chmod:*)"]
        .into_iter()
        .flat_map(|rule| ["--approve", rule]);
    let args: Vec<&str> = ["run", "--continue"].into_iter().chain(rules).chain([prompt]).collect();
    let ran = place.run(&args);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

fn picture(place: &Place) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    collect(&place.work.path(), &mut files);
    files
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with(".git") {
            continue;
        }
        if path.is_dir() && !path.is_symlink() {
            collect(&path, files);
        } else {
            files.insert(path.clone(), std::fs::read(&path).unwrap_or_default());
        }
    }
}

#[test]
fn what_tools_and_the_shell_did_is_taken_back_and_brought_again() {
    let place = place(vec![
        Reply::call("write_file", json!({"path": "new/deep.txt", "content": "made"})),
        bash("rm -rf src && echo changed >> run.sh && chmod +x run.sh"),
        Reply::say("done"),
    ]);
    let before = picture(&place);
    run(&place, "do it");
    let after = picture(&place);
    assert!(!place.work.join("src").exists(), "the command ran");

    let shown = place.run(&["changes", "--turn", "1"]);
    assert_eq!(shown.code, Some(0), "{}", shown.err);
    for wanted in ["created new/deep.txt", "deleted src/a.txt", "changed run.sh", "+changed"] {
        assert!(shown.out.contains(wanted), "{wanted}: {}", shown.out);
    }
    let undone = place.run(&["undo"]);
    assert_eq!(undone.code, Some(0), "{}", undone.err);
    assert_eq!(picture(&place), before);
    assert!(!place.work.join("new").exists(), "folders go too");
    assert!(undone.out.contains("src/a.txt") && undone.err.contains("--redo"), "{} {}", undone.out, undone.err);

    let redone = place.run(&["undo", "--redo"]);
    assert_eq!(redone.code, Some(0), "{}", redone.err);
    assert_eq!(picture(&place), after);
    assert_eq!(place.run(&["undo", "--redo"]).code, Some(1), "there is nothing more to bring");
}

/// A session that runs elsewhere has one hand that writes its log; every other is refused, and nothing moves.
#[test]
fn a_session_that_runs_elsewhere_is_not_gone_back_in() {
    let place = place(vec![bash("echo 1 > one"), Reply::say("ok")]);
    run(&place, "make it");
    let session = place.logs()[0].file_stem().unwrap().to_str().unwrap().to_owned();
    let held = reasonix_session::Sessions::at(&place.home.join("state")).open(&session, |_| {}).unwrap();
    let before = std::fs::read(&place.logs()[0]).unwrap();
    for args in [
        &["undo"][..],
        &["undo", "--redo"],
        &["rewind", "--to", "1", "--both"],
        &["rewind", "--to", "1", "--chat"],
        &["sessions", "branch", &session, "2"],
        &["sessions", "rename", &session, "Mine"],
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(1), "{args:?}: {}", ran.err);
        assert!(ran.err.contains("is in use by process"), "{args:?}: {}", ran.err);
    }
    assert!(place.work.exists("one"), "the files stay");
    assert_eq!(std::fs::read(&place.logs()[0]).unwrap(), before, "and so does the log");
    assert_eq!(place.run(&["changes"]).code, Some(0), "looking is free");
    drop(held);
    assert_eq!(place.run(&["undo"]).code, Some(0));
}

#[test]
fn the_model_is_told_what_was_taken_back() {
    let place = place(vec![bash("echo 1 > one"), Reply::say("ok"), Reply::say("I see"), Reply::say("and again")]);
    run(&place, "make it");
    assert_eq!(place.run(&["undo"]).code, Some(0));
    run(&place, "what now?");
    run(&place, "and now?");
    let requests = place.server.requests();
    let said = |request: usize| requests[request].last_content().to_owned();
    assert!(said(2).contains("took back") && said(2).contains("one") && said(2).ends_with("what now?"), "{}", said(2));
    assert_eq!(said(3), "and now?", "it is told once");
    place.server.assert_valid();
    place.server.assert_prefixes_grow();
}

#[test]
fn turns_are_taken_back_one_by_one_or_down_to_one() {
    let place = place(vec![
        bash("echo 1 > one"),
        Reply::say("ok"),
        bash("echo 2 > two; rm one"),
        Reply::say("ok"),
        bash("echo 3 > three"),
        Reply::say("ok"),
    ]);
    let start = picture(&place);
    ["first", "second", "third"].iter().for_each(|prompt| run(&place, prompt));
    assert_eq!(place.run(&["undo"]).code, Some(0));
    assert!(!place.work.join("three").exists() && place.work.join("two").exists());
    assert_eq!(place.run(&["undo"]).code, Some(0));
    assert!(!place.work.join("two").exists() && place.work.join("one").exists());
    assert_eq!(place.run(&["undo", "--redo"]).code, Some(0));
    assert_eq!(place.run(&["rewind", "--to", "1"]).code, Some(0));
    assert_eq!(picture(&place), start);
    let nothing = place.run(&["undo"]);
    assert_eq!(nothing.code, Some(1));
    assert!(nothing.err.contains("nothing to take back"), "{}", nothing.err);
}

#[test]
fn what_the_user_changed_since_is_kept_unless_forced() {
    let place = place(vec![bash("sed -i s/.*/agent/ src/a.txt src/b.txt"), Reply::say("ok")]);
    run(&place, "go");
    place.work.write("src/a.txt", "mine\n");
    place.work.write("notes", "mine too\n");
    let undone = place.run(&["undo"]);
    assert_eq!(undone.code, Some(0), "{}", undone.err);
    assert!(undone.err.contains("src/a.txt") && undone.err.contains("--force"), "{}", undone.err);
    assert_eq!(std::fs::read(place.work.join("src/a.txt")).unwrap(), b"mine\n");
    assert_eq!(std::fs::read(place.work.join("src/b.txt")).unwrap(), b"two\r\n");
    let forced = place.run(&["rewind", "--to", "1", "--force"]);
    assert_eq!(forced.code, Some(0), "{}", forced.err);
    assert_eq!(std::fs::read(place.work.join("src/a.txt")).unwrap(), b"one\n");
    assert_eq!(std::fs::read(place.work.join("notes")).unwrap(), b"mine too\n", "no turn made it");
}

/// The command that a hint names.
fn hinted(err: &str) -> Vec<String> {
    let hint = err.lines().find(|line| line.contains("--force")).unwrap_or_default();
    let command = hint.split('`').nth(1).unwrap_or_default();
    command.split(' ').skip(1).map(str::to_owned).collect()
}

#[test]
fn the_hint_about_what_was_kept_takes_back_that_and_no_more() {
    let place =
        place(vec![bash("echo 1 > one"), Reply::say("ok"), bash("sed -i s/.*/agent/ src/a.txt"), Reply::say("ok")]);
    run(&place, "first");
    run(&place, "second");
    place.work.write("src/a.txt", "mine\n");
    let undone = place.run(&["undo"]);
    let command = hinted(&undone.err);
    let forced = place.run(&command.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(forced.code, Some(0), "{command:?}: {}", forced.err);
    assert_eq!(std::fs::read(place.work.join("src/a.txt")).unwrap(), b"one\n");
    assert!(place.work.join("one").exists(), "{command:?} took back the turn before too");
}

#[test]
fn survives_git_reset_git_clean_and_removal_of_everything() {
    for damage in ["git reset --hard", "git clean -fd", "rm -rf ./*"] {
        let place = place(vec![bash(damage), Reply::say("ok")]);
        let git = |args: &[&str]| {
            let mut command = place.program("git".as_ref(), args);
            let done = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
            assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        };
        git(&["init", "-q"]);
        git(&["add", "src/a.txt"]);
        git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]);
        place.work.write("src/a.txt", "edited, not committed\n");
        let before = picture(&place);
        run(&place, "clean up");
        assert_ne!(picture(&place), before, "{damage}");
        let undone = place.run(&["undo"]);
        assert_eq!(undone.code, Some(0), "{damage}: {}", undone.err);
        assert_eq!(picture(&place), before, "{damage}");
    }
}

#[test]
fn a_turn_that_only_reads_keeps_nothing_and_a_killed_one_can_be_taken_back() {
    let place = place(vec![
        Reply::call("read_file", json!({"path": "run.sh"})),
        bash("cat run.sh"),
        Reply::say("ok"),
        bash("echo x > made; kill -9 $PPID; sleep 5"),
        Reply::say("never"),
    ]);
    run(&place, "look");
    let log = std::fs::read_to_string(&place.logs()[0]).unwrap();
    assert!(!log.contains("\"kind\":\"snapshot\""), "{log}");

    let mut child = place.spawn(&["run", "--continue", "break"]);
    let made = place.work.join("made");
    while !made.exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let _ = Command::new("kill").args(["-9", &child.id().to_string()]).status();
    child.wait().unwrap();
    assert!(made.exists());
    let undone = place.run(&["undo"]);
    assert_eq!(undone.code, Some(0), "{}", undone.err);
    assert!(!made.exists());
    assert!(undone.err.contains("turn 2 was cut off"), "{}", undone.err);
    place.assert_resumes();
}

#[test]
fn a_killed_undo_is_gone_on_with_and_redo_brings_all_of_it() {
    let place = place(vec![
        bash("mkdir new; seq 1 1500 | split -l 1 -a 4 - new/f; echo x >> run.sh"),
        Reply::say("ok"),
        Reply::say("on"),
    ]);
    let before = picture(&place);
    let rules = ["Bash(mkdir:*)", "Bash(split:*)"].into_iter().flat_map(|rule| ["--approve", rule]);
    let args: Vec<&str> = ["run"].into_iter().chain(rules).chain(["make files"]).collect();
    let ran = place.run(&args);
    let after = picture(&place);
    assert!(ran.code == Some(0) && after.len() > 1500, "{}", ran.err);
    for round in 0..3 {
        let mut child = place.spawn(&["undo"]);
        let left = || std::fs::read_dir(place.work.join("new")).map_or(0, Iterator::count);
        while left() > 1400 - 400 * round && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let undone = place.run(&["undo"]);
        // It may have come to its end just before it was killed.
        let over = undone.err.contains("nothing to take back");
        assert!(over || undone.code == Some(0), "{}", undone.err);
        assert_eq!(picture(&place), before, "round {round}");
        let again = place.run(&["undo", "--redo"]);
        assert_eq!(again.code, Some(0), "{}", again.err);
        assert_eq!(picture(&place), after, "round {round}");
    }
    place.assert_resumes();
}

#[test]
fn what_the_user_does_after_a_killed_turn_is_kept_and_named() {
    let place = place(vec![
        bash("sed -i s/.*/agent/ src/a.txt src/b.txt; echo x > made; kill -9 $PPID; sleep 5"),
        Reply::say("ok"),
        bash("echo later > later"),
        Reply::say("ok"),
    ]);
    let mut child = place.spawn(&["run", "break"]);
    let made = place.work.join("made");
    while !made.exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let _ = Command::new("kill").args(["-9", &child.id().to_string()]).status();
    child.wait().unwrap();
    // The last sign of life is a second old, so that what comes now came after it.
    let alive = std::fs::read_dir(place.home.join("state/undo/alive")).unwrap().next().unwrap().unwrap().path();
    let seen = alive.metadata().unwrap().modified().unwrap();
    while seen.elapsed().unwrap_or_default() < std::time::Duration::from_millis(1100) {
        std::thread::yield_now();
    }
    place.work.write("src/a.txt", "mine\n");
    place.work.write("notes", "mine too\n");
    // Another turn comes before anybody takes anything back.
    run(&place, "go on");
    run(&place, "more");
    assert!(place.work.join("later").exists());
    let undone = place.run(&["rewind", "--to", "1"]);
    assert_eq!(undone.code, Some(0), "{}", undone.err);
    assert!(undone.err.contains("turn 1 was cut off"), "{}", undone.err);
    for kept in ["src/a.txt", "notes"] {
        assert!(undone.err.contains(kept), "{kept} is named: {}", undone.err);
    }
    assert_eq!(std::fs::read(place.work.join("src/a.txt")).unwrap(), b"mine\n");
    assert_eq!(std::fs::read(place.work.join("notes")).unwrap(), b"mine too\n");
    assert_eq!(std::fs::read(place.work.join("src/b.txt")).unwrap(), b"two\r\n", "the turn's own is taken back");
    assert!(!made.exists() && !place.work.join("later").exists());
    assert!(!alive.exists(), "the sign of life goes with the turn");
}

#[test]
fn what_the_user_saves_while_the_model_thinks_is_not_taken_back() {
    let work = reasonix_testkit::TempWorkspace::new();
    let (asked, folder) = (std::sync::atomic::AtomicUsize::new(0), work.path());
    let server = reasonix_testkit::ModelServer::start_with(move |_| {
        Some(match asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => bash("sed -i s/.*/agent/ a.txt"),
            1 => {
                save_later(&folder.join("mine.txt"));
                bash("sed -i s/.*/agent/ b.txt")
            }
            2 => {
                save_later(&folder.join("late.txt"));
                Reply::say("done")
            }
            _ => Reply::say("ok"),
        })
    });
    let place = Place { work, ..Place::with_server(server) };
    for name in ["a.txt", "b.txt", "mine.txt", "late.txt"] {
        place.work.write(name, "old\n");
    }
    run(&place, "go");
    let text = |name: &str| std::fs::read_to_string(place.work.join(name)).unwrap();
    let undone = place.run(&["undo"]);
    assert_eq!(undone.code, Some(0), "{}", undone.err);
    assert_eq!((text("a.txt"), text("b.txt")), ("old\n".to_owned(), "old\n".to_owned()));
    for name in ["mine.txt", "late.txt"] {
        assert_eq!(text(name), "mine\n", "{name}: {}", undone.err);
        assert!(undone.err.contains(name), "{name} is named: {}", undone.err);
    }
}

/// Somebody saves a file, when the clock of the file system has gone on.
fn save_later(path: &Path) {
    let then = std::time::SystemTime::now();
    loop {
        std::fs::write(path, "mine\n").unwrap();
        if path.metadata().unwrap().modified().unwrap() > then {
            return;
        }
    }
}

#[test]
fn nothing_is_kept_where_the_user_does_not_want_it_and_home_is_refused() {
    let place = place(vec![bash("echo x > made"), Reply::say("ok")]);
    place.configure("[undo]\nenabled = false\n");
    run(&place, "go");
    assert!(!place.home.join("state/undo").exists());
    assert_eq!(place.run(&["undo"]).code, Some(1));

    let home = Place::new(vec![bash("echo x > made"), Reply::say("ok")]);
    let mut command = home.command(&["run", "--json", "go"]);
    let output = command.env("HOME", home.work.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let notice = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let codes: Vec<_> = notice.filter_map(|line| Some(line["event"]["phrase"]["code"].as_str()?.to_owned())).collect();
    assert!(codes.contains(&"engine.undo_off".to_owned()), "{codes:?}");
}

#[test]
fn our_own_state_inside_the_project_is_not_part_of_it() {
    let place = place(vec![bash("echo 1 > one"), Reply::say("ok"), Reply::say("still here")]);
    let home = place.work.join("home");
    place.work.write("home/config.toml", std::fs::read_to_string(place.home.join("config.toml")).unwrap());
    let run = |args: &[&str]| {
        let ran = support::finish(place.command(args).env("REASONIX_HOME", &home).output().unwrap());
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
        ran
    };
    run(&["run", "go"]);
    let undone = run(&["undo"]);
    assert!(!place.work.join("one").exists());
    assert!(!undone.out.contains("state/"), "{}", undone.out);
    run(&["sessions", "verify"]);
    run(&["run", "--continue", "and now?"]);
    assert!(place.server.requests()[2].last_content().contains("took back"));
}

/// A folder that a command took out of sight: what was in it is named, and what undo did is told afterwards.
#[test]
fn changes_name_what_went_out_of_sight_and_what_was_taken_back() {
    let tag = "echo 'Signature: 8a477f597d28d172789f06886806bc55' > src/CACHEDIR.TAG; rm src/a.txt; sed -i s/two/3/ src/b.txt";
    let place = place(vec![bash(tag), Reply::say("done")]);
    run(&place, "go");
    let shown = place.run(&["changes", "--turn", "1"]);
    assert!(shown.err.contains("src is not covered") && shown.err.contains("src/a.txt, src/b.txt"), "{}", shown.err);
    assert!(!shown.out.contains("created src"), "{}", shown.out);
    place.run(&["undo"]);
    assert_eq!(place.work.read("src/a.txt"), "one\n");
    let shown = place.run(&["changes", "--turn", "1"]);
    assert!(
        shown.err.contains("taken back since, from turn 1 on: ") && shown.err.contains("src/a.txt"),
        "{}",
        shown.err
    );
    let json: Value = serde_json::from_str(place.run(&["changes", "--turn", "1", "--json"]).out.trim()).unwrap();
    assert_eq!(json["notes"].as_array().map(Vec::len), Some(2), "{json}");
}
