//! Commands that go on behind their calls, and monitors: what they may have changed is not verified.

use crate::corpus::records;
use reasonix_evidence::{Deeds, TypedClaim};
use reasonix_proto::{CallId, ClaimStatus};
use serde_json::{Value, json};

const SED: &str = "sed -i s/a/broken/ src/a.rs";

fn tests() -> Value {
    json!({"call": "t", "tool": "bash", "args": {"command": "cargo test"}, "exit": 0, "output": ""})
}

fn began(line: &str) -> Value {
    json!({"job_began": "j1", "of": "b", "line": line})
}

fn ended(line: &str) -> Value {
    json!({"job_ended": "j1", "of": "b", "line": line})
}

/// A call whose command goes on, with the record of its beginning.
fn behind(tool: &str, flag: &str, line: &str) -> Value {
    let mut args = json!({"command": line});
    if !flag.is_empty() {
        args[flag] = true.into();
    }
    let output = "j1 running: It runs on; `job` looks after it.";
    json!({"call": "b", "tool": tool, "args": args, "goes_on": true, "output": output, "meanwhile": [began(line)]})
}

fn job() -> Value {
    json!({"call": "w", "tool": "job", "args": {}, "output": "j1 completed"})
}

fn deeds(log: &[Value]) -> Deeds {
    let mut deeds = Deeds::default();
    records(log).iter().for_each(|record| deeds.see(record));
    deeds
}

fn status(log: &[Value], answer: &str) -> ClaimStatus {
    let found = deeds(log).check(answer);
    assert_eq!(found.len(), 1, "{answer}: {found:#?}");
    found[0].status
}

fn tests_pass(log: &[Value]) -> ClaimStatus {
    status(log, "All tests pass.")
}

#[test]
fn what_a_job_changes_after_the_tests_makes_them_stale() {
    let names = [
        ("bash", "background"),
        ("bash", "run_in_background"),
        ("bash", "is_background"),
        ("bash", "async"),
        ("run_background", ""),
        ("monitor", ""),
    ];
    for (tool, flag) in names {
        let call = behind(tool, flag, SED);
        assert_eq!(tests_pass(&[tests(), call.clone()]), ClaimStatus::Stale, "{tool} {flag}: it runs");
        assert_eq!(tests_pass(&[tests(), call.clone(), ended(SED)]), ClaimStatus::Stale, "{tool} {flag}: it ended");
        // Even where no record tells of it.
        let mut bare = call;
        bare["meanwhile"] = json!([]);
        assert_eq!(tests_pass(&[tests(), bare.clone()]), ClaimStatus::Stale, "{tool} {flag}");
        assert_eq!(tests_pass(&[bare.clone(), tests()]), ClaimStatus::Stale, "{tool} {flag}: it runs");
        assert_eq!(tests_pass(&[bare, ended(SED), tests()]), ClaimStatus::Verified, "{tool} {flag}: it ended");
    }
    // By a name of a tool that nobody here knows, the records tell.
    let mut other = behind("use_tool", "", SED);
    other["tool"] = "use_tool".into();
    assert_eq!(tests_pass(&[tests(), other]), ClaimStatus::Stale);
    assert_eq!(tests_pass(&[tests(), ended(SED)]), ClaimStatus::Stale, "its beginning is not in this part of the log");
}

#[test]
fn tests_prove_nothing_of_what_a_job_changes_during_them_or_afterwards() {
    let line = format!("sleep 2; {SED}");
    let call = behind("bash", "background", &line);
    let log = [call.clone(), tests(), ended(&line), job()];
    assert_eq!(tests_pass(&log), ClaimStatus::Stale, "it ended after them");
    assert_eq!(tests_pass(&log[..2]), ClaimStatus::Stale, "it runs");
    let mut during = tests();
    during["meanwhile"] = json!([ended(&line)]);
    assert_eq!(tests_pass(&[call.clone(), during]), ClaimStatus::Stale, "it ended during them");
    let log = [call.clone(), ended(&line), job(), tests()];
    assert_eq!(tests_pass(&log), ClaimStatus::Verified, "it ended before them");
    let log = [call, tests(), ended(&line), tests()];
    assert_eq!(tests_pass(&log), ClaimStatus::Verified, "they ran once more");
    // The same by a command of the user's own.
    let shell = |meanwhile: Value| json!({"user_shell": "cargo test", "output": "", "meanwhile": meanwhile});
    let call = behind("bash", "background", &line);
    assert_eq!(tests_pass(&[call.clone(), ended(&line), shell(json!([]))]), ClaimStatus::Verified);
    assert_eq!(tests_pass(&[call, shell(json!([ended(&line)]))]), ClaimStatus::Stale);
}

#[test]
fn a_job_that_changes_code_changed_it() {
    for (tool, flag) in [("bash", "background"), ("monitor", ""), ("run_background", "")] {
        assert!(deeds(&[behind(tool, flag, SED)]).changed_code().is_some(), "{tool}");
        assert_eq!(deeds(&[behind(tool, flag, "tail -f server.log")]).changed_code(), None, "{tool}");
    }
    assert!(deeds(&[ended(SED)]).changed_code().is_some());
}

#[test]
fn a_command_that_was_handed_over_goes_on() {
    let said = "j1 running for 120 s: Its time was over; it was not ended and goes on as a job. `job` waits for it.";
    let handed = |line: &str, meanwhile: Value| json!({"call": "b", "tool": "bash", "args": {"command": line}, "goes_on": true, "output": said, "meanwhile": meanwhile});
    let line = format!("sleep 200; {SED}");
    for meanwhile in [json!([]), json!([began(&line)])] {
        let call = handed(&line, meanwhile);
        assert_eq!(tests_pass(&[tests(), call.clone()]), ClaimStatus::Stale);
        assert_eq!(tests_pass(&[call.clone(), tests()]), ClaimStatus::Stale, "it runs");
        assert_eq!(tests_pass(&[call.clone(), tests(), ended(&line)]), ClaimStatus::Stale);
        assert_eq!(tests_pass(&[call, ended(&line), tests()]), ClaimStatus::Verified);
    }
    let slow = handed("cargo test", json!([began("cargo test")]));
    assert_eq!(tests_pass(std::slice::from_ref(&slow)), ClaimStatus::Unsupported, "nobody saw how they ended");
    assert_eq!(tests_pass(&[slow, ended("cargo test")]), ClaimStatus::Unsupported);
}

#[test]
fn jobs_count_by_what_is_known_of_their_commands() {
    use ClaimStatus::{Stale, Verified};
    for (line, wanted) in [
        ("tail -f server.log", Verified),
        ("npm start", Verified),
        ("npm run dev -- --port 3000", Verified),
        ("pnpm --filter web dev", Verified),
        ("cd dist && python3 -m http.server 8000", Verified),
        ("npm run codegen", Stale),
        ("npm run codegen start", Stale),
        ("npm run dev & sed -i s/a/b/ src/a.rs", Stale),
        ("npm run dev | tee src/out.rs", Stale),
        ("while true; do curl -s localhost:3000/health; sleep 5; done", Verified),
        ("cargo build --release", Verified),
        ("echo x >> notes.md", Verified),
        ("./server --port 3000", Stale),
        ("python3 watch.py", Stale),
        ("while true; do cargo fmt; sleep 5; done", Stale),
        ("for f in src/*.rs; do sed -i s/a/b/ $f; done", Stale),
        ("echo $(sed -i s/a/b/ src/a.rs)", Stale),
        ("timeout 60 bash -c 'sed -i s/a/b/ src/a.rs'", Stale),
        ("bash -c 'sleep 3; git checkout -- src'", Stale),
        ("echo 'unfinished", Stale),
        ("$EDITOR src/a.rs", Stale),
    ] {
        assert_eq!(tests_pass(&[tests(), behind("bash", "background", line)]), wanted, "{line}");
        assert_eq!(tests_pass(&[behind("monitor", "", line), tests()]), wanted, "{line} runs during the tests");
        let over = [behind("bash", "background", line), ended(line), tests()];
        assert_eq!(tests_pass(&over), Verified, "{line} is over");
    }
    let long = format!("cat {}", "a".repeat(2000));
    let cut = &long[..2000];
    assert_eq!(tests_pass(&[tests(), began(cut)]), Stale, "nobody knows what stands behind it");
}

#[test]
fn a_job_proves_nothing_by_itself() {
    for (tool, flag) in [("bash", "background"), ("run_background", ""), ("monitor", "")] {
        let mut call = behind(tool, flag, "cargo test");
        call["output"] = "j1 completed with code 0\ntest result: ok. 12 passed; 0 failed".into();
        let log = [call.clone(), ended("cargo test")];
        assert_eq!(tests_pass(&log), ClaimStatus::Unsupported, "{tool}");
        assert_eq!(deeds(&log).proved_by("cargo test").status, ClaimStatus::Unsupported, "{tool}");
        let held = deeds(&log).hold(TypedClaim::Words("All tests pass."), &[CallId::from("b")]);
        assert_eq!(held.status, ClaimStatus::Unsupported, "{tool}");
        // Not even where the outcome has a code.
        (call["goes_on"], call["exit"]) = (false.into(), 0.into());
        assert_eq!(tests_pass(&[call.clone(), ended("cargo test")]), ClaimStatus::Unsupported, "{tool}");
        assert_eq!(tests_pass(&[call, tests()]), ClaimStatus::Verified, "{tool}: it writes nothing");
    }
}

#[test]
fn files_that_a_job_may_have_removed_are_not_there_for_sure() {
    let made = json!({"call": "e", "tool": "write_file", "args": {"path": "src/b.rs"}, "changed": ["src/b.rs"], "created": true});
    let remove = behind("bash", "background", "sleep 1; rm src/b.rs");
    let answer = "I created `src/b.rs`.";
    assert_eq!(status(std::slice::from_ref(&made), answer), ClaimStatus::Verified);
    assert_eq!(status(&[made.clone(), remove.clone()], answer), ClaimStatus::Stale);
    assert_eq!(status(&[remove.clone(), made.clone()], answer), ClaimStatus::Stale, "it runs");
    assert_eq!(status(&[remove.clone(), ended("sleep 1; rm src/b.rs"), made.clone()], answer), ClaimStatus::Verified);
    assert_eq!(status(&[made, behind("bash", "background", SED)], answer), ClaimStatus::Verified);
    let removed = status(&[remove, ended("sleep 1; rm src/b.rs")], "I deleted `src/b.rs`.");
    assert_eq!(removed, ClaimStatus::Unsupported, "nobody saw it");
}

#[test]
fn an_interrupted_command_may_have_written() {
    let stopped = |line: &str| json!({"call": "b", "tool": "bash", "args": {"command": line}, "aborted": true});
    assert_eq!(tests_pass(&[tests(), stopped(SED)]), ClaimStatus::Stale);
    assert_eq!(tests_pass(&[tests(), stopped("ls")]), ClaimStatus::Verified);
    let denied = json!({"call": "b", "tool": "bash", "args": {"command": SED, "background": true}, "denied": true});
    assert_eq!(tests_pass(&[tests(), denied]), ClaimStatus::Verified, "it did not run");
}

#[test]
fn the_model_is_told_which_job_is_in_the_way() {
    let log = [tests(), behind("bash", "background", "python3 watch.py")];
    let held = deeds(&log).hold(TypedClaim::Words("All tests pass."), &[CallId::from("t")]);
    assert_eq!(held.status, ClaimStatus::Stale);
    assert!(held.why.contains("`python3 watch.py` still runs"), "{}", held.why);
}
