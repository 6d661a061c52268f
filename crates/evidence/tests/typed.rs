//! Claims that name their calls: what proves them, what does not, and what the model is told.

use crate::corpus::records;
use reasonix_evidence::{Deeds, TypedClaim};
use reasonix_proto::{CallId, ClaimKind, ClaimStatus};
use serde_json::{Value, json};

fn bash(id: &str, line: &str, exit: i64, output: &str) -> Value {
    json!({"call": id, "tool": "bash", "args": {"command": line}, "exit": exit, "output": output})
}

fn edit(id: &str, path: &str) -> Value {
    json!({"call": id, "tool": "edit_file", "args": {"path": path}, "changed": [path]})
}

fn deeds(log: &[Value]) -> Deeds {
    let mut deeds = Deeds::default();
    records(log).iter().for_each(|record| deeds.see(record));
    deeds
}

/// What is claimed, the calls, the status, and words that the reason has.
type Row<'a> = (TypedClaim<'a>, &'a [&'a str], ClaimStatus, &'a str);

fn all_of(log: &[Value], rows: &[Row<'_>]) {
    let deeds = deeds(log);
    for (claim, calls, status, words) in rows {
        let calls: Vec<CallId> = calls.iter().map(|id| CallId::from(*id)).collect();
        let found = deeds.hold(*claim, &calls);
        assert_eq!(found.status, *status, "{claim:?} {calls:?}: {found:?}");
        assert!(found.why.contains(words), "{claim:?} {calls:?}: {found:?}");
        assert!(found.status != ClaimStatus::Verified || !found.by.is_empty(), "{found:?}");
    }
}

#[test]
fn a_claim_is_verified_by_the_calls_it_names() {
    use ClaimStatus::{Unsupported, Verified};
    use TypedClaim::{Kind, Words};
    let log = [
        json!({"prompt": "go"}),
        bash("red", "cargo test", 101, "test result: FAILED. 11 passed; 1 failed"),
        edit("fix", "src/a.rs"),
        json!({"prompt": "go on"}),
        bash("part", "cargo test parser", 0, "test result: ok. 3 passed; 0 failed"),
        bash("green", "cargo test", 0, "test result: ok. 12 passed; 0 failed"),
        bash("piped", "cargo clippy | tail -1", 0, ""),
        json!({"call": "no", "tool": "bash", "args": {"command": "cargo build"}, "denied": true}),
        json!({"call": "look", "tool": "read_file", "args": {"path": "src/a.rs"}, "output": "fn a() {}"}),
        json!({"call": "lost", "tool": "read_file", "args": {"path": "src/b.rs"}, "failed": "not found"}),
    ];
    all_of(
        &log,
        &[
            (Words("All tests pass."), &["green"], Verified, "ended well"),
            (Words("所有测试都通过了。"), &["green"], Verified, ""),
            (Words("All 12 tests pass."), &["fix", "green"], Verified, ""),
            (Words("All 13 tests pass."), &["green"], Unsupported, "13"),
            (Words("All tests pass."), &["part"], Unsupported, "call `green` does"),
            (Words("The parser tests pass."), &["part"], Verified, ""),
            (Words("All tests pass."), &["red"], Unsupported, "call `green` does"),
            (Words("All tests pass."), &["look"], Unsupported, "call `green` does"),
            (Words("All tests pass."), &[], Unsupported, "name the calls"),
            (Words("All tests pass."), &["nope"], Unsupported, "no call `nope`"),
            (Words("All tests pass."), &["green", "no"], Unsupported, "refused"),
            (Words("Fixed the crash in `src/a.rs`."), &["fix", "green"], Verified, ""),
            (Words("Fixed the crash in `src/a.rs`."), &["fix"], Unsupported, "call `green` does"),
            (Words("I changed `src/a.rs`."), &["fix"], Verified, ""),
            (Words("I changed `src/a.rs`."), &["green"], Unsupported, "src/a.rs"),
            (Words("I changed `src/c.rs`."), &["fix"], Unsupported, "src/c.rs"),
            (Words("Clippy is clean."), &["piped"], Unsupported, "cannot be seen"),
            (Words("All tests pass and clippy is clean."), &["green", "piped"], Unsupported, "clippy is clean"),
            (Words("Found the cause in the parser."), &["look"], Verified, "the log shows it"),
            (Words("Found the cause in the parser."), &["lost"], Unsupported, "failed and proves nothing"),
            (Words("The parser does what was asked."), &["fix", "green"], Verified, "cargo test"),
            (Words("The parser does what was asked."), &["red"], Unsupported, "failed"),
            (Words("The parser does what was asked."), &["red", "green"], Verified, ""),
            (Words("Reproduced: one test fails."), &["red"], Verified, ""),
            (Kind(ClaimKind::Tests), &["green"], Verified, ""),
            (Kind(ClaimKind::Tests), &["part"], Unsupported, ""),
            (Kind(ClaimKind::Build), &["green"], Unsupported, "did not run"),
            (Kind(ClaimKind::Lint), &["piped"], Unsupported, "cannot be seen"),
            (Kind(ClaimKind::Fix), &["green"], Verified, ""),
            (Kind(ClaimKind::File), &["fix"], Verified, ""),
            (Kind(ClaimKind::File), &["look"], Unsupported, "nothing was changed"),
            (Kind(ClaimKind::Unknown), &["green"], Unsupported, ""),
        ],
    );
}

#[test]
fn what_is_changed_behind_a_named_call_makes_it_stale() {
    use ClaimStatus::{Stale, Verified};
    use TypedClaim::{Kind, Words};
    let log = [
        edit("one", "src/a.rs"),
        bash("green", "cargo test", 0, "test result: ok. 12 passed; 0 failed"),
        edit("two", "src/b.rs"),
        edit("text", "README.md"),
    ];
    all_of(
        &log,
        &[
            (Words("All tests pass."), &["green"], Stale, "src/b.rs was changed after `cargo test`"),
            (Words("测试全部通过。"), &["green"], Stale, "run it again and name the new call"),
            (Words("The step is done."), &["two", "green"], Stale, "src/b.rs"),
            (Words("The step is done."), &["two"], Verified, ""),
            (Kind(ClaimKind::Tests), &["green"], Stale, ""),
            (Kind(ClaimKind::Fix), &["green"], Stale, ""),
            (Words("I changed `src/a.rs`."), &["one"], Verified, ""),
        ],
    );
    let log = [bash("green", "cargo test", 0, ""), bash("odd", "some-program --write", 0, "")];
    all_of(&log, &[(Kind(ClaimKind::Tests), &["green"], Stale, "may have changed files")]);
}

#[test]
fn a_call_that_was_made_twice_under_one_name_counts_as_it_ended_last() {
    use ClaimStatus::{Unsupported, Verified};
    use TypedClaim::Words;
    let (red, green) = (bash("c", "npm test", 1, "1 failed"), bash("c", "npm test", 0, "4 passed"));
    all_of(&[red.clone(), green.clone()], &[(Words("All tests pass."), &["c"], Verified, "")]);
    all_of(&[green, red], &[(Words("All tests pass."), &["c"], Unsupported, "failed")]);
}

#[test]
fn one_proof_that_is_named_by_its_line_or_its_call() {
    use ClaimStatus::{Stale, Unsupported, Verified};
    let good = "test result: ok. 12 passed; 0 failed";
    let log = [
        edit("one", "src/a.rs"),
        bash("green", "cargo test", 0, good),
        bash("tail", "cargo test | tail -1", 0, good),
        bash("hidden", "cargo test | tail -1; echo ok", 0, "ok"),
        bash("loop", "for i in 1 2; do cargo test; done", 0, good),
        bash("red", "cargo clippy", 101, "error: unused"),
        bash("look", "cat src/a.rs", 0, "fn a() {}"),
    ];
    let shown = deeds(&log);
    for (named, wanted) in [
        ("cargo test", Verified),
        ("  cargo   test ", Verified),
        ("green", Verified),
        ("tail", Verified),
        ("hidden", Unsupported),
        ("loop", Unsupported),
        ("red", Unsupported),
        ("look", Unsupported),
        ("cargo build", Unsupported),
    ] {
        assert_eq!(shown.proved_by(named).status, wanted, "{named}");
    }
    let own = deeds(&[
        bash("gen", "./tools/gen --all", 0, ""),
        bash("test", "cargo test && sed -i s/a/b/ src/a.rs", 0, good),
    ]);
    assert_eq!(own.proved_by("test").status, Stale);
    assert_eq!(own.proved_by("gen").status, Stale);
    assert_eq!(deeds(&[bash("gen", "./tools/gen --all", 0, "")]).proved_by("gen").status, Verified);
}

/// What moves, records or rewrites files shows nothing of them, and neither does what only looks.
#[test]
fn what_only_looks_or_only_writes_shows_nothing() {
    for line in [
        "ls -la",
        "cat src/a.rs | head",
        "git status",
        "git diff --stat && git log -1",
        "echo fine",
        "git apply fix.patch",
        "patch -p1 < fix.patch",
        "perl -pi -e s/a/b/ src/a.rs",
        "perl -i.bak -pe s/a/b/ src/a.rs",
        "sed -i s/a/b/ src/a.rs",
        "npm install left-pad",
        "pip install x",
    ] {
        let shown = deeds(&[bash("one", line, 0, "")]);
        assert_eq!(shown.proved_by(line).status, ClaimStatus::Unsupported, "{line}");
        assert!(shown.went_well(line) && shown.went_well("one"), "{line}");
    }
    assert!(!deeds(&[bash("one", "ls x", 2, "")]).went_well("ls x"));
}

/// A look at the files says what a program changed that nobody knows.
#[test]
fn a_look_tells_what_an_unknown_program_changed() {
    let look = |moment: &str, changed: Value| json!({"look": moment, "changed": changed});
    let log = |changed: Value| {
        let (one, two) = (bash("gen", "./gen.sh", 0, ""), bash("look", "./check-all", 0, ""));
        [look("before", Value::Null), one, look("between", changed), two, look("after", json!([]))]
    };
    let shown = deeds(&log(json!(["src/a.rs"])));
    assert_eq!(shown.changed_code().as_deref(), Some("src/a.rs"));
    assert_eq!(shown.proved_by("./check-all").status, ClaimStatus::Verified);
    assert_eq!(shown.proved_by("./gen.sh").status, ClaimStatus::Stale);
    let alone = [look("before", Value::Null), bash("gen", "./gen.sh", 0, ""), look("after", json!(["src/a.rs"]))];
    let held = deeds(&alone).proved_by("./gen.sh");
    assert_eq!(
        (held.status, held.why.contains("changed src/a.rs itself")),
        (ClaimStatus::Unsupported, true),
        "{held:?}"
    );
    for nothing in [json!([]), json!(["notes.md", "results.csv", "out/run.json", "target/debug/x"])] {
        assert_eq!(deeds(&log(nothing.clone())).changed_code(), None, "{nothing}");
    }
    for code in ["package.json", "src/gen.ts", "config.json", "Makefile"] {
        assert_eq!(deeds(&log(json!([code]))).changed_code().as_deref(), Some(code));
    }
    assert_eq!(deeds(&log(Value::Null)).changed_code().as_deref(), Some("perhaps by `./gen.sh`"), "nobody looked");
    assert_eq!(deeds(&[bash("one", "ls", 0, "")]).changed_code(), None);
}
