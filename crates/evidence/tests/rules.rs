//! What holds whatever an answer says.

use crate::corpus::records;
use proptest::prelude::*;
use reasonix_evidence::check;
use reasonix_proto::{Claim, ClaimStatus};
use serde_json::{Value, json};

const CLAIMS: &[&str] = &[
    "All tests pass.",
    "I ran the tests.",
    "所有测试都通过了。",
    "测试全部通过",
    "The build succeeds and clippy is clean.",
    "编译通过。",
    "Fixed the crash.",
    "已修复该问题。",
];

fn bash(line: &str, exit: i64, output: &str) -> Value {
    json!({"call": "c", "tool": "bash", "args": {"command": line}, "exit": exit, "output": output})
}

fn edit(path: &str) -> Value {
    json!({"call": "e", "tool": "edit_file", "args": {"path": path}, "changed": [path]})
}

fn all(log: &[Value], answer: &str) -> Vec<Claim> {
    check(&records(log), answer)
}

fn status(log: &[Value], answer: &str) -> ClaimStatus {
    let found = all(log, answer);
    assert_eq!(found.len(), 1, "{answer}: {found:#?}");
    found[0].status
}

#[test]
fn lines_that_prove_tests_and_lines_that_do_not() {
    use ClaimStatus::{Unsupported, Verified};
    let good = "test result: ok. 12 passed; 0 failed";
    for (line, output, wanted) in [
        ("cargo test", good, Verified),
        ("cd x && cargo test", good, Verified),
        ("RUST_BACKTRACE=1 cargo test --workspace 2>&1", good, Verified),
        ("time timeout 60 cargo test -- --nocapture", "", Verified),
        ("bash -lc 'cd a && cargo test'", "", Verified),
        ("(cd a && cargo test)", "", Verified),
        ("set -e; cargo test; echo done", "", Verified),
        ("set -o pipefail; cargo test | tail -5", "", Verified),
        ("cargo test || exit 1", "", Verified),
        ("cargo test || exit 1\nls", "", Verified),
        ("uv run pytest -q", "5 passed in 0.1s", Verified),
        ("python -m pytest", "", Verified),
        ("npm test --silent", "", Verified),
        ("go test ./...", "ok  \texample.com/a\t0.01s", Verified),
        ("make check -j8", "", Verified),
        ("mvn -q test", "", Verified),
        ("./gradlew test", "", Verified),
        ("cargo test | tail -3", good, Verified),
        ("cargo test > /tmp/log 2>&1; tail -3 /tmp/log", good, Verified),
        ("cargo test | tail -3", "", Unsupported),
        ("cargo test; echo done", "", Unsupported),
        ("cargo test || true", "", Unsupported),
        ("cargo test || true", "test result: FAILED. 1 passed; 2 failed", Unsupported),
        ("! cargo test", "", Unsupported),
        ("cargo test &", "", Unsupported),
        ("cargo test; set -e; ls", "", Unsupported),
        ("set -e; cargo test && echo ok; ls", "", Unsupported),
        ("if cargo test; then echo ok; fi", "", Unsupported),
        ("echo cargo test", good, Unsupported),
        ("cat > run.sh <<'EOF'\ncargo test\nEOF", good, Unsupported),
        ("cargo test # the tests", "", Verified),
        ("ls # cargo test", good, Unsupported),
        ("cargo test --no-run", "", Unsupported),
        ("cargo test parser", good, Unsupported),
        ("cargo test -p a", good, Unsupported),
        ("cargo test", "running 0 tests\ntest result: ok. 0 passed; 0 failed", Unsupported),
        ("pytest tests/test_a.py", "3 passed", Unsupported),
        ("pytest -k fast", "3 passed", Unsupported),
        ("pytest --collect-only", "", Unsupported),
        ("npm test -- -t login", "", Unsupported),
        ("go test ./pkg/a", "ok", Unsupported),
        ("go test -run TestA ./...", "ok", Unsupported),
        ("mvn package -DskipTests", "BUILD SUCCESS", Unsupported),
        ("make -n test", "", Unsupported),
        ("npm test", "Tests: 2 failed, 10 passed, 12 total", Unsupported),
        ("TEST_FILTER=a make test", "", Unsupported),
        ("grep 'cargo test' README.md", good, Unsupported),
        ("cargo() { true; }; cargo test", "", Unsupported),
        ("npm test", "> echo \"no tests yet\"", Unsupported),
        ("make test", "make: 'test' is up to date.", Unsupported),
        ("pytest", "12 skipped in 0.1s", Unsupported),
        ("mvn test", "Tests are skipped.\nBUILD SUCCESS", Unsupported),
        ("go test ./...", "?   \tx/cmd\t[no test files]\nok  \tx/a\t0.01s", Verified),
        ("cargo test || exit 0", "", Unsupported),
    ] {
        let found = status(&[edit("src/a.rs"), bash(line, 0, output)], "All tests pass.");
        assert_eq!(found, wanted, "{line:?} {output:?}");
    }
}

#[test]
fn what_changes_code_makes_a_proof_stale() {
    use ClaimStatus::{Stale, Verified};
    let after = |entry: Value| status(&[bash("cargo test", 0, ""), entry], "All tests pass.");
    assert_eq!(after(edit("src/a.rs")), Stale);
    assert_eq!(after(edit("requirements.txt")), Stale);
    assert_eq!(after(edit("README.md")), Verified);
    for (line, wanted) in [
        ("sed -i s/a/b/ src/a.rs", Stale),
        ("echo x > src/a.rs", Stale),
        ("echo x >> notes.md", Verified),
        ("git commit -am done", Verified),
        ("git checkout -- src", Stale),
        ("git stash", Stale),
        ("cargo fmt", Stale),
        ("cargo fmt --check", Verified),
        ("cargo clippy --fix", Stale),
        ("cargo build", Verified),
        ("python tools/codegen.py", Stale),
        ("rm -rf /tmp/x", Verified),
        ("rm src/b.rs", Stale),
        ("mv a.rs b.rs", Stale),
        ("ls -l && cat src/a.rs", Verified),
        ("some-unknown-program --write", Stale),
        ("echo $(sed -i s/a/b/ src/a.rs)", Stale),
        ("echo \"$(git rev-parse HEAD) of $(date)\"", Verified),
    ] {
        assert_eq!(after(bash(line, 0, "")), wanted, "{line}");
    }
    let same_line = |line: &str| status(&[bash(line, 0, "")], "All tests pass.");
    assert_eq!(same_line("sed -i s/a/b/ src/a.rs && cargo test"), Verified);
    assert_eq!(same_line("cargo test && sed -i s/a/b/ src/a.rs"), Stale);
    for line in [
        "make -j$(nproc) test",
        "cd $(git rev-parse --show-toplevel) && cargo test",
        "TMPDIR=$(mktemp -d) cargo test",
        "cargo test > /tmp/log-$(date +%s).txt",
        "export DATABASE_URL=$(cat .db-url) && cargo test",
    ] {
        assert_eq!(same_line(line), Verified, "{line}");
    }
    for line in [
        "X=$(sed -i s/a/b/ src/a.rs)",
        "export V=$(node gen.js)",
        "cat <(sed -i s/a/b/ src/a.rs)",
        "true \"$(rm src/a.rs)\"",
        "cat <<E\n$(sed -i s/a/b/ src/a.rs)\nE",
        "[[ -n `sed -i s/a/b/ src/a.rs` ]]",
    ] {
        assert_eq!(after(bash(line, 0, "")), Stale, "{line}");
        assert_eq!(same_line(&format!("cargo test && {line}")), Stale, "{line}");
    }
    assert_eq!(same_line("V=$(node gen.js) && cargo test"), Verified);
    assert_ne!(same_line("cargo test > >(sed -i s/a/b/ src/a.rs)"), Verified);
}

#[test]
fn what_is_not_claimed_is_no_claim() {
    for answer in [
        "The tests still fail.",
        "I could not run the tests.",
        "I have not run the tests yet.",
        "All tests should pass now.",
        "You can run `cargo test` to verify.",
        "Do all tests pass?",
        "If all tests pass, merge it.",
        "Once the build succeeds, deploy.",
        "Make sure all tests pass before merging.",
        "The README says \"all tests pass\".",
        "> all tests pass",
        "```\nall tests pass\n```",
        "Next steps:\n- fixed-point rounding\n- run the tests",
        "- [ ] All tests pass",
        "3 of 12 tests passed.",
        "Most tests pass.",
        "I added a test that passes None.",
        "The bug is not fixed yet.",
        "I haven't fixed the crash.",
        "This uses a fixed-size buffer.",
        "测试还没有通过。",
        "你可以运行测试来确认。",
        "我没有运行测试。",
        "测试应该会通过。",
        "如果所有测试通过，就可以合并。",
        "需要我运行测试吗？",
        "请确保编译通过。",
        "问题尚未修复。",
        "部分测试通过。",
        "下一步：\n- 修复登录问题\n- 运行测试",
    ] {
        assert_eq!(all(&[], answer), [], "{answer}");
    }
}

fn entry() -> impl Strategy<Value = Value> {
    let lines = prop::sample::select(vec![
        "cargo test",
        "cargo test parser",
        "cargo build",
        "cargo test | tail",
        "cargo clippy",
        "ls",
        "pytest -q",
        "npm test",
        "cargo test && cargo clippy",
        "cargo test || true",
        "cargo check; cargo test",
    ]);
    let outputs = prop::sample::select(vec![
        "",
        "test result: ok. 3 passed; 0 failed",
        "test result: FAILED. 1 passed; 2 failed",
        "0 passed",
    ]);
    prop_oneof![
        3 => (lines, prop::sample::select(vec![0, 0, 1, 101, 124]), outputs).prop_map(|(line, exit, output)| bash(line, exit, output)),
        1 => prop::sample::select(vec!["src/a.rs", "README.md"]).prop_map(edit),
    ]
}

#[test]
fn code_at_the_end_of_a_claim_is_quoted_with_both_marks() {
    for answer in
        ["我修复了这个问题，并运行了 `pytest`。", "I fixed it and ran `cargo test`. All tests pass with `pytest`."]
    {
        let claims = check(&[], answer);
        assert!(!claims.is_empty(), "{answer}");
        for claim in claims {
            assert_eq!(claim.quote.matches('`').count() % 2, 0, "{}", claim.quote);
        }
    }
}

proptest! {
    #[test]
    fn whatever_is_written_the_check_ends_and_quotes_the_answer(answer in "(?s).{0,200}") {
        for claim in all(&[], &answer) {
            prop_assert!(answer.get(claim.from..claim.to).is_some_and(|text| text.starts_with(&claim.quote)));
            prop_assert_ne!(claim.status, ClaimStatus::Verified);
        }
    }

    /// Where the last command that could prove a claim failed or did not run, nothing is verified.
    #[test]
    fn nothing_is_verified_behind_a_failure(log in prop::collection::vec(entry(), 0..8), which in 0..3_usize) {
        let ends = [
            bash("cargo test", 101, "test result: FAILED. 1 passed; 1 failed"),
            json!({"call": "d", "tool": "bash", "args": {"command": "cargo test"}, "denied": true}),
            bash("cargo test 2>&1 | tail -3", 0, "test result: FAILED. 1 passed; 1 failed"),
        ];
        let mut log = log;
        log.push(ends[which].clone());
        for answer in CLAIMS.iter().filter(|answer| answer.contains("test") && !answer.contains("build") || answer.contains("测试")) {
            for claim in all(&log, answer) {
                prop_assert_ne!(claim.status, ClaimStatus::Verified, "{:?}", log);
            }
        }
    }

    /// Without a command nothing that a command would have to show is verified.
    #[test]
    fn nothing_is_verified_without_a_command(paths in prop::collection::vec("[a-z]{1,6}\\.(rs|py)", 0..4)) {
        let log: Vec<Value> = paths.iter().map(|path| edit(path)).collect();
        for answer in CLAIMS {
            for claim in all(&log, answer) {
                prop_assert_ne!(claim.status, ClaimStatus::Verified);
            }
        }
    }
}

#[test]
fn a_number_that_is_stressed_has_to_be_in_the_output_too() {
    let log = [json!({"prompt": "go"}), bash("npx jest", 0, "Tests:       32 passed, 32 total")];
    for answer in ["共 **45** 个测试，全部通过。", "All **45** tests pass.", "**45** tests passed."] {
        let found = check(&records(&log), answer);
        assert!(found.iter().all(|claim| claim.status == ClaimStatus::Unsupported), "{answer}: {found:?}");
        assert!(!found.is_empty(), "{answer}");
    }
}

/// Lines that look like a run of the tests and are none, or hide how it ended.
#[test]
fn nothing_is_verified_by_a_line_that_runs_nothing_or_hides_its_end() {
    let lines = [
        "command -v make test",
        "make -sn test",
        "make --just-print test",
        "make -t test",
        "MAKEFLAGS=-n make test",
        "bash -n -c \"make test\"",
        "npm test --if-present",
        "setsid -f make test",
        "make -i test",
        "MAKEFLAGS=i make test",
        "make test SHELL=/bin/true",
        "trap \"exit 0\" EXIT; make test",
        "make test || exit 256",
        "make test || exit 00",
        "make test || exit $(echo 0)",
        "set -e; set +e; make test; true",
        "eval \"make(){ true; }\"; make test",
        "hash -p /bin/true make; make test",
        "alias make=true; make test",
        "PATH=/tmp/bin:$PATH make test",
    ];
    for line in lines {
        let log = [
            json!({"prompt": "go"}),
            json!({"call": "c", "tool": "bash", "args": {"command": line}, "exit": 0, "output": ""}),
        ];
        let found = check(&records(&log), "All tests pass.");
        assert!(found.iter().all(|claim| claim.status != ClaimStatus::Verified), "{line}: {found:?}");
    }
}

/// Lines that leave the tests running, run them where nobody sees their end, or show words that are not theirs.
#[test]
fn nothing_is_verified_by_words_that_no_finished_run_wrote() {
    let good = "test result: ok. 12 passed; 0 failed";
    for (line, output) in [
        ("cargo test & sleep 1", good),
        ("cargo test & disown", good),
        ("nohup cargo test &", good),
        ("nohup cargo test > /tmp/log 2>&1 & sleep 5; cat /tmp/log", good),
        ("{ cargo test; } &", good),
        ("{ cargo test; } & sleep 1", ""),
        ("(cargo test &)", good),
        ("coproc cargo test", good),
        ("coproc bash -c 'cargo test'", good),
        ("cat <(cargo test)", good),
        ("diff <(cargo test) expected.txt", ""),
        ("tee >(cargo test) < in.txt", good),
        ("docker run -d app cargo test", good),
        ("cargo test > /dev/null 2>&1; echo 'test result: ok. 12 passed; 0 failed'", good),
        ("cargo test > /dev/null; cat old.log", good),
        ("cargo test | grep 'test result: ok'", good),
        ("cargo test | sed s/FAILED/ok/", good),
        ("cargo test | head -3", good),
        ("go test ./... | grep ^ok", "ok  \texample.com/a\t0.01s"),
        ("go test ./...", "ok  \texample.com/a\t0.01s [no tests to run]"),
        ("go test ./...", "?   \texample.com/a\t[no test files]"),
        ("./gradlew test", "> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 5s"),
        ("git clone -q https://example.com/a.git /tmp/fresh && cd /tmp/fresh && cargo test", good),
        ("cd ../other && cargo test", good),
        ("cargo nextest list", ""),
        ("ctest -N", "Total Tests: 12"),
    ] {
        let found = all(&[edit("src/a.rs"), bash(line, 0, output)], "All tests pass.");
        assert!(!found.is_empty(), "{line}");
        assert!(found.iter().all(|claim| claim.status != ClaimStatus::Verified), "{line}: {found:?}");
    }
    for (line, output) in [
        ("cargo test | grep -E 'test result|FAILED'", good),
        ("cargo test 2>&1 | tee /tmp/log | tail -3", good),
        ("{ cd a && cargo test; }", ""),
        ("(cd a && cargo test)", ""),
        ("cargo test & wait", good),
        ("go test ./... | grep -v 'no test files'", "ok  \texample.com/a\t0.01s"),
        ("./gradlew test", "> Task :a:test NO-SOURCE\n> Task :b:test\n\nBUILD SUCCESSFUL in 5s"),
    ] {
        assert_eq!(
            status(&[edit("src/a.rs"), bash(line, 0, output)], "All tests pass."),
            ClaimStatus::Verified,
            "{line}"
        );
    }
}

/// A command that is quoted with its options is not proved by another.
#[test]
fn a_quoted_command_is_proved_by_itself() {
    use ClaimStatus::{Unsupported, Verified};
    for (line, answer, wanted) in [
        ("cargo check", "`cargo build --release` succeeds.", Unsupported),
        ("cargo build", "`cargo build --release` succeeds.", Unsupported),
        ("cargo build --release", "`cargo build --release` succeeds.", Verified),
        ("cargo build --release", "`cargo build` 构建成功。", Verified),
        ("cargo check", "`cargo build` 构建成功。", Unsupported),
        ("cargo check", "It compiles cleanly.", Verified),
        ("cargo test", "`cargo test --all-features` passes.", Unsupported),
        ("cargo test --quiet", "`cargo test` passes.", Verified),
    ] {
        assert_eq!(status(&[edit("src/a.rs"), bash(line, 0, "")], answer), wanted, "{line}: {answer}");
    }
}

/// What a claim quotes or names is what it is about, and no more than that.
#[test]
fn a_claim_is_about_just_what_it_quotes() {
    use ClaimStatus::{Unsupported, Verified};
    for (line, answer, wanted) in [
        ("shellcheck scripts/deploy.sh", "`shellcheck scripts/deploy.sh` has no findings.", Verified),
        ("shellcheck scripts/deploy.sh", "`shellcheck scripts/other.sh` has no findings.", Unsupported),
        ("shellcheck scripts/deploy.sh", "`shellcheck scripts/*.sh` has no findings.", Unsupported),
        ("shellcheck scripts/deploy.sh", "shellcheck has no findings.", Unsupported),
        ("shellcheck scripts/deploy.sh", "`shellcheck scripts/deploy.sh`: all scripts are clean.", Unsupported),
        ("shellcheck scripts/deploy.sh || true", "`shellcheck scripts/deploy.sh` has no findings.", Unsupported),
        ("npx eslint . --max-warnings 0", "1. `npx eslint . --max-warnings 0` passes.", Verified),
        ("npx eslint .", "1. `npx eslint . --max-warnings 0` passes.", Unsupported),
        ("npx eslint src", "`npx eslint .` passes.", Unsupported),
        ("uv run ruff check", "`ruff check .` passes.", Verified),
        ("pytest tests/test_a.py", "`pytest tests/test_a.py` and `pytest tests/test_b.py` pass.", Unsupported),
        ("shellcheck a.sh", "`shellcheck a.sh` and `shellcheck b.sh` have no findings.", Unsupported),
        ("cargo test parser", "`cargo test parser`: all tests pass.", Unsupported),
        ("shellcheck scripts/deploy.sh", "scripts/deploy.sh passes shellcheck.", Verified),
        ("shellcheck scripts/deploy.sh", "`scripts/deploy.sh` is shellcheck clean: no findings.", Verified),
        ("shellcheck scripts/deploy.sh", "shellcheck 检查 `scripts/deploy.sh` 没有问题。", Verified),
        ("shellcheck scripts/deploy.sh", "scripts/other.sh passes shellcheck.", Unsupported),
        (
            "shellcheck scripts/deploy.sh",
            "shellcheck is clean for scripts/deploy.sh and scripts/other.sh.",
            Unsupported,
        ),
        ("shellcheck a.sh", "shellcheck is clean for a.sh and b.sh.", Unsupported),
        ("shellcheck deploy.sh", "shellcheck is clean for deploy.sh.", Verified),
        ("npx eslint src/app.ts", "eslint is clean for src/app.ts and src/b.ts.", Unsupported),
        ("TEST_FILTER=a make test", "`make test` passes.", Unsupported),
        ("pnpm --filter @acme/ui test", "The `@acme/ui` tests pass.", Verified),
        ("pnpm --filter @acme/ui test", "The `@acme/api` tests pass.", Unsupported),
        ("pnpm --filter @acme/ui test", "All tests pass.", Unsupported),
        ("timeout 300 bash -c 'go test ./...'", "All tests pass.", Verified),
        ("timeout -k 5 300 bash -c 'cd a && go test ./...'", "All tests pass.", Verified),
        ("nice -n 5 timeout 60s sh -c 'cargo test'", "All tests pass.", Verified),
        ("timeout 300 bash -c 'go test ./... || true'", "All tests pass.", Unsupported),
        ("timeout 300 bash -c 'for d in a b; do go test ./...; done'", "All tests pass.", Unsupported),
        ("timeout 300 bash -c 'go test ./pkg/a'", "All tests pass.", Unsupported),
        ("timeout 300 bash -n -c 'go test ./...'", "All tests pass.", Unsupported),
        ("ctest --test-dir build", "`ctest --test-dir build`: 26 tests, 0 failed.", Unsupported),
        ("cargo test --target-dir build", "`cargo test --target-dir build` passes.", Verified),
    ] {
        assert_eq!(status(&[edit("src/a.rs"), bash(line, 0, "")], answer), wanted, "{line}: {answer}");
    }
    let green = bash("cargo test", 0, "");
    for answer in ["已修复时间轮跨天漏任务的问题。", "已修复时区换算的问题。"] {
        assert_eq!(status(&[edit("src/a.rs"), green.clone()], answer), Verified, "{answer}");
        assert_eq!(status(&[green.clone(), edit("src/a.rs")], answer), Unsupported, "{answer}");
    }
    assert_eq!(all(&[], "修复时再通知你。"), []);
    let looped = bash("for d in a b; do (cd $d && go test ./...); done", 0, "ok  \ta\t0.1s\nok  \tb\t0.1s");
    let answer = "I looped over every service and ran its tests: all tests pass.";
    assert_eq!(status(&[edit("a/a.go"), looped], answer), Unsupported);
}

/// The end of a long answer says what was done; places are those of the whole text.
#[test]
fn of_a_long_answer_the_end_is_looked_at() {
    let answer = format!("{}\n\n所有测试通过。", "Just a line about nothing at all.\n".repeat(4_000));
    let found = all(&[bash("cargo test", 0, "")], &answer);
    assert_eq!(found.len(), 1);
    assert_eq!(&answer[found[0].from..found[0].to], "所有测试通过");
}
