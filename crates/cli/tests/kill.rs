//! Ctrl-C and `kill -9` at any moment: the session goes on, every call is answered, no child is left behind.

use crate::support;

use reasonix_testkit::Reply;
use serde_json::json;
use std::process::Child;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use support::Place;

fn signal(child: &Child, number: i32) {
    let pid = i32::try_from(child.id()).unwrap();
    // SAFETY: a plain kill of a child that was not waited for yet.
    #[allow(unsafe_code)]
    let sent = unsafe { libc::kill(pid, number) };
    assert_eq!(sent, 0);
}

/// Waits until something is true; the bound is only there so that a broken test ends.
fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < Duration::from_secs(60), "never happened: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn log_has(place: &Place, word: &str) -> bool {
    place.logs().first().is_some_and(|log| std::fs::read_to_string(log).unwrap_or_default().contains(word))
}

/// A command that leaves a daemon in a session of its own and goes on itself; both can be found by the mark.
fn slow_command(mark: &str) -> Reply {
    let line =
        format!("(setsid sleep {mark} &); until pgrep -f '^sleep' > daemon; do :; done; touch started; sleep {mark}");
    Reply::call("bash", json!({"command": line}))
}

/// A time to sleep that no other process has.
fn mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("300.{}{:03}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// How many processes on this machine have the mark among their words. In a box they have other numbers, so that
/// what they say of themselves does not help.
fn marked(mark: &str) -> usize {
    let lines = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path().join("cmdline"));
    lines.filter(|file| std::fs::read_to_string(file).is_ok_and(|line| line.contains(mark))).count()
}

#[test]
fn ctrl_c_while_the_model_speaks() {
    let place = Place::new(vec![Reply::hang_mid_stream("half"), Reply::say("ok")]);
    let child = place.spawn(&["run", "hello"]);
    until("the request", || place.server.request_count() == 1 && log_has(&place, "hello"));
    std::thread::sleep(Duration::from_millis(50));
    signal(&child, libc::SIGINT);
    let ran = support::finish(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(ran.err.contains("--continue"), "{}", ran.err);
    place.assert_resumes();
}

#[test]
fn ctrl_c_while_a_command_runs_kills_its_tree() {
    for number in [libc::SIGINT, libc::SIGTERM] {
        let mark = mark();
        let place = Place::new(vec![slow_command(&mark), Reply::say("ok")]);
        let child = place.spawn(&["run", "hello"]);
        until("the command", || place.work.exists("started"));
        until("the command and its daemon", || marked(&mark) >= 2);
        signal(&child, number);
        let ran = support::finish(child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(130), "{}", ran.err);
        until("the tree is gone", || marked(&mark) == 0);
        place.assert_resumes();
        let results = place.server.requests()[1].messages()[3]["content"].as_str().unwrap().to_owned();
        assert!(
            results.contains("interrupted") || results.contains("aborted") || results.contains("cancel"),
            "{results}"
        );
    }
}

#[test]
fn kill_9_while_the_model_speaks() {
    let place = Place::new(vec![Reply::hang_mid_stream("half"), Reply::say("ok")]);
    let mut child = place.spawn(&["run", "hello"]);
    until("the request", || place.server.request_count() == 1 && log_has(&place, "hello"));
    signal(&child, libc::SIGKILL);
    child.wait().unwrap();
    let listed = place.run(&["sessions"]);
    assert!(listed.out.contains("hello"), "a killed session without an answer is listed: {}", listed.out);
    place.assert_resumes();
}

#[test]
fn kill_9_while_a_command_runs() {
    let mark = mark();
    let place = Place::new(vec![slow_command(&mark), Reply::say("ok")]);
    let mut child = place.spawn(&["run", "hello"]);
    until("the command", || place.work.exists("started"));
    until("the command and its daemon", || marked(&mark) >= 2);
    signal(&child, libc::SIGKILL);
    child.wait().unwrap();
    until("the command and the daemon that left its session are gone", || marked(&mark) == 0);
    place.assert_resumes();
    let request = &place.server.requests()[1];
    assert_eq!(request.messages()[3]["role"], "tool", "the call that was running is answered");
}

#[test]
fn kill_9_at_many_moments_of_a_busy_turn() {
    for delay in (0..40).step_by(4) {
        let mut replies: Vec<_> =
            (0..30).map(|n| Reply::call("bash", json!({"command": format!("echo {n} >> trace")}))).collect();
        replies.push(Reply::say("done"));
        let place = Place::with_server(reasonix_testkit::ModelServer::start_with({
            let mut replies = replies.into_iter();
            move |_| Some(replies.next().unwrap_or_else(|| Reply::say("ok")))
        }));
        let mut child = place.spawn(&["run", "work"]);
        std::thread::sleep(Duration::from_millis(delay));
        signal(&child, libc::SIGKILL);
        child.wait().unwrap();
        // Before the first prompt is on disk there is nothing to resume, and --continue starts anew.
        place.assert_resumes();
    }
}

#[test]
fn two_processes_cannot_write_one_session() {
    let place = Place::new(vec![Reply::say("one"), Reply::hang(), Reply::say("three")]);
    assert_eq!(place.run(&["run", "first"]).code, Some(0));
    let mut child = place.spawn(&["run", "-c", "second"]);
    until("the second request", || place.server.request_count() == 2);
    let ran = place.run(&["run", "-c", "third"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains(&child.id().to_string()), "the holder is named: {}", ran.err);
    signal(&child, libc::SIGKILL);
    child.wait().unwrap();
    place.assert_resumes();
}

#[test]
fn a_run_that_waits_for_stdin_can_be_ended() {
    let place = Place::new(vec![]);
    let mut command = place.command(&["run", "go"]);
    let mut child = command.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let open = child.stdin.take();
    // The note says that it reads; from then on it is known to wait.
    let mut note = [0; 16];
    std::io::Read::read_exact(child.stderr.as_mut().unwrap(), &mut note).unwrap();
    // Not SIGINT: a shell that starts tests in the background hands it down as ignored, and that is to be kept.
    signal(&child, libc::SIGTERM);
    assert!(!child.wait().unwrap().success());
    drop(open);
}

#[test]
fn a_reader_that_does_not_read_does_not_hold_the_process() {
    let place =
        Place::with_server(reasonix_testkit::ModelServer::start_with(|_| Some(Reply::say(&"x".repeat(3_000_000)))));
    let mut child = place.spawn(&["run", "--json", "go"]);
    until("the request", || place.server.request_count() == 1);
    std::thread::sleep(Duration::from_millis(300));
    signal(&child, libc::SIGTERM);
    std::thread::sleep(Duration::from_millis(100));
    signal(&child, libc::SIGTERM);
    until("its end", || child.try_wait().unwrap().is_some());
}

/// A command that leaves something for git and goes on.
fn planting(mark: &str) -> Reply {
    let line = format!(
        "trap '' TERM; git init -q s 2>/dev/null; git -C s config core.fsmonitor ./evil; touch started; sleep {mark}"
    );
    Reply::call("bash", json!({"command": line}))
}

fn plant_stands(place: &Place) -> bool {
    std::fs::read_to_string(place.work.path().join("s/.git/config")).is_ok_and(|text| text.contains("evil"))
}

#[test]
fn c2_whoever_leaves_in_a_hurry_looks_at_what_the_command_left() {
    if !support::has_box() {
        return;
    }
    for (signals, code) in [(&[libc::SIGHUP] as &[i32], 129), (&[libc::SIGINT, libc::SIGINT], 130)] {
        let mark = mark();
        let place = Place::new(vec![planting(&mark), Reply::say("ok")]);
        let child = place.spawn(&["run", "hello"]);
        until("the command", || place.work.exists("started") && plant_stands(&place));
        for number in signals {
            signal(&child, *number);
            std::thread::sleep(Duration::from_millis(30));
        }
        let ran = support::finish(child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(code), "{}", ran.err);
        assert!(!plant_stands(&place) && place.work.exists("s/.git/HEAD"), "{code}: {}", ran.err);
        assert!(ran.err.contains("s/.git/config"), "it is said: {}", ran.err);
        assert!(!place.home.path().join("state/quarantine.running").exists(), "nothing is left for the next one");
        until("the tree is gone", || marked(&mark) == 0);
        place.assert_resumes();
    }
}

#[test]
fn c2_what_a_killed_run_left_for_git_is_set_aside_at_the_next_start() {
    if !support::has_box() {
        return;
    }
    for next in [&["run", "--continue", "go on"] as &[&str], &["run", "--no-session", "other"], &["undo"]] {
        let mark = mark();
        let place = Place::new(vec![planting(&mark), Reply::say("ok")]);
        let mut child = place.spawn(&["run", "hello"]);
        until("the command", || place.work.exists("started") && plant_stands(&place));
        signal(&child, libc::SIGKILL);
        child.wait().unwrap();
        until("the tree is gone", || marked(&mark) == 0);
        assert!(plant_stands(&place), "nobody was left to look");
        let elsewhere = place.home.path().join("elsewhere");
        std::fs::create_dir_all(&elsewhere).unwrap();
        let listed = place.command(&["sessions"]).current_dir(&elsewhere).output().unwrap();
        assert!(listed.status.success() && plant_stands(&place));
        let ran = place.run(next);
        assert!(!plant_stands(&place), "{next:?}: {}", ran.err);
        assert!(ran.err.contains("s/.git/config") && ran.err.contains("quarantine"), "{next:?} {}", ran.err);
        assert!(!place.home.path().join("state/quarantine.running").exists());
    }
}

/// Two jobs, one of which left its session: a `kill -9` leaves neither, and who goes on says once that they are gone.
#[test]
fn kill_9_while_two_jobs_run() {
    let mark = mark();
    let job = |line: String| Reply::call("bash", json!({"command": line, "background": true, "wait": 0}));
    let place = Place::new(vec![
        job(format!("(setsid sleep {mark} &); sleep {mark}")),
        job(format!("sleep {mark}")),
        Reply::hang_mid_stream("half"),
        Reply::say("ok"),
        Reply::say("again"),
    ]);
    let mut child = place.spawn(&["run", "hello"]);
    until("both jobs", || place.server.request_count() == 3 && marked(&mark) >= 3);
    signal(&child, libc::SIGKILL);
    child.wait().unwrap();
    until("the jobs are gone", || marked(&mark) == 0);
    let ran = place.run(&["run", "--continue", "go on"]);
    assert!(ran.err.contains("j1 is gone") && ran.err.contains("j2 is gone"), "{}", ran.err);
    let again = place.run(&["run", "--continue", "once more"]);
    assert!(!again.err.contains("is gone"), "{}", again.err);
    let last = place.server.requests()[4].body["messages"].to_string();
    for id in ["j1", "j2"] {
        assert_eq!(last.matches(&format!("[job {id} (")).count(), 1, "{last}");
    }
}

/// The end of a run is the end of its jobs.
#[test]
fn the_end_of_a_run_is_the_end_of_its_jobs() {
    let mark = mark();
    let line = json!({"command": format!("trap '' TERM; sleep {mark}"), "background": true, "wait": 0});
    let place = Place::new(vec![Reply::call("bash", line), Reply::say("ok")]);
    let ran = place.run(&["run", "hello"]);
    assert_eq!((ran.code, marked(&mark)), (Some(0), 0), "{}", ran.err);
}
