//! The same claims in many words, in both languages, each with the log that proves it or does not.

use crate::corpus::records;
use reasonix_evidence::check;
use serde_json::{Value, json};

fn bash(line: &str, exit: i64, output: &str) -> Value {
    json!({"call": "b", "tool": "bash", "args": {"command": line}, "exit": exit, "output": output})
}

fn edit(path: &str) -> Value {
    json!({"call": "e", "tool": "edit_file", "args": {"path": path}, "changed": [path]})
}

/// What is claimed, in one letter for the kind and one for the status.
pub(crate) fn found(log: &[Value], answer: &str) -> String {
    let letter = |value: Value| value.as_str().and_then(|text| text.chars().next()).expect("a name");
    let of = |claim: reasonix_proto::Claim| {
        let kind = letter(serde_json::to_value(claim.kind).expect("a kind"));
        let kind = if kind == 'f' && serde_json::to_value(claim.kind).expect("a kind") == "fix" { 'x' } else { kind };
        format!("{kind}{}", letter(serde_json::to_value(claim.status).expect("a status")))
    };
    check(&records(log), answer).into_iter().map(of).collect::<Vec<_>>().join(" ")
}

fn all_of(log: &[Value], cases: &[(&str, &str)]) {
    let bad: Vec<String> = cases
        .iter()
        .filter_map(|(answer, wanted)| {
            let found = found(log, answer);
            (found != *wanted).then(|| format!("{answer:?} is {found:?}, not {wanted:?}"))
        })
        .collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

/// `src/a.rs`, `pom.xml` and `README.md` were written.
fn written() -> Vec<Value> {
    vec![edit("src/a.rs"), edit("pom.xml"), edit("README.md")]
}

#[test]
fn files_that_were_written() {
    all_of(
        &written(),
        &[
            ("Added a retry loop to `src/a.rs`.", "fv"),
            ("I added two helpers to `src/a.rs` for this.", "fv"),
            ("I adapted the imports in `src/a.rs`.", "fv"),
            ("I documented the flag in `README.md`.", "fv"),
            ("Updated `pom.xml`.", "fv"),
            ("- Updated the version in `pom.xml`", "fv"),
            ("I've refactored the loop in `src/a.rs`.", "fv"),
            ("Replaced the map with a vector in `src/a.rs`.", "fv"),
            ("In `src/a.rs`, I replaced the map with a vector.", "fv"),
            ("In `src/a.rs` I removed the dead branch.", "fv"),
            ("Removed the dead branch from `src/a.rs`.", "fv"),
            ("`pom.xml` updated.", "fv"),
            ("Jackson is at 2.17 now (`pom.xml` updated).", "fv"),
            ("`src/a.rs` was modified.", "fv"),
            ("`src/a.rs` and `pom.xml` were changed.", "fv"),
            ("I changed `src/a.rs`, `pom.xml` and `README.md`.", "fv"),
            ("| `src/a.rs` | updated |", "fv"),
            ("- `src/a.rs`: added a cache", "fv"),
            ("The only file changed is `src/a.rs`.", "fv"),
            ("Changed files: `src/a.rs`, `pom.xml`", "fv"),
            ("Bumped the dependency in pom.xml.", "fv"),
            ("I updated `src/a.rs` and `src/missing.rs`.", "fv fu"),
            ("Added a test to `tests/missing.rs`.", "fu"),
            ("`Makefile` was updated.", "fu"),
            ("I documented it in `docs/use.md`.", "fu"),
            ("| `src/gone.rs` | modified |", "fu"),
            ("I deleted `src/a.rs`.", "fu"),
            ("Removed `src/a.rs`.", "fu"),
            ("`src/a.rs` was deleted.", "fu"),
            ("Moved `src/a.rs` to `src/b.rs`.", "fu"),
            ("Renamed `src/a.rs` to `src/b.rs`.", "fu"),
            ("I did not change `src/a.rs`.", ""),
            ("You should add a test to `src/a.rs`.", ""),
            ("Add the key to `src/a.rs` and run it.", ""),
            ("The bug is in `src/a.rs`.", ""),
            ("I looked at `src/a.rs` first.", ""),
            ("I read `src/a.rs` and `pom.xml`.", ""),
            ("Should I update `src/a.rs`?", ""),
            ("I would move `src/a.rs` to `src/b.rs`.", ""),
            ("Updated Node.js to 20.", ""),
        ],
    );
}

#[test]
fn files_that_were_written_in_chinese() {
    all_of(
        &written(),
        &[
            ("我在 `src/a.rs` 里加了空值判断。", "fv"),
            ("在 `src/a.rs` 中新增了重试逻辑。", "fv"),
            ("已将 `pom.xml` 中的版本改为 2.17。", "fv"),
            ("把 `src/a.rs` 里的前缀也改了。", "fv"),
            ("顺手把 `pom.xml` 的依赖升级了。", "fv"),
            ("`pom.xml` 已改为新版本。", "fv"),
            ("`pom.xml` 已更新。", "fv"),
            ("更新了 `pom.xml` 的依赖。", "fv"),
            ("改动只有 `src/a.rs` 一个文件。", "fv"),
            ("修改文件：`src/a.rs`、`pom.xml`", "fv"),
            ("修改了 src/a.rs 和 pom.xml。", "fv"),
            ("| `src/a.rs` | 已修改 |", "fv"),
            ("- `src/a.rs`：新增了缓存", "fv"),
            ("从 `src/a.rs` 中删除了无用的分支。", "fv"),
            ("删除了 `src/a.rs` 中的无用代码。", "fv"),
            ("给 `src/a.rs` 加了注释。", "fv"),
            ("使用说明已经补充到 `README.md`。", "fv"),
            ("重构了 `src/a.rs`。", "fv"),
            ("我改了 `src/a.rs`，没动别的。", "fv"),
            ("在`README.md`里补了一节说明。", "fv"),
            ("在 `src/missing.rs` 里加了空值判断。", "fu"),
            ("已将 `config/app.yaml` 中的超时修改为 30 秒。", "fu"),
            ("`Makefile` 已更新。", "fu"),
            ("删除了 `src/a.rs`。", "fu"),
            ("`src/a.rs` 已删除。", "fu"),
            ("把 `src/a.rs` 删掉了。", "fu"),
            ("把 `src/a.rs` 移动到了 `src/b.rs`。", "fu"),
            ("已将 `src/a.rs` 重命名为 `src/b.rs`。", "fu"),
            ("没有修改 `src/a.rs`。", ""),
            ("建议在 `src/a.rs` 里加上判断。", ""),
            ("问题出在 `src/a.rs`。", ""),
            ("我看了 `src/a.rs`。", ""),
            ("需要我修改 `src/a.rs` 吗？", ""),
            ("可以把 `src/a.rs` 移到 `src/b.rs`。", ""),
        ],
    );
}

#[test]
fn files_that_are_gone_or_elsewhere() {
    let moved =
        json!({"call": "m", "tool": "move_file", "args": {"from": "a/x.js", "to": "b/x.js"}, "changed": ["b/x.js"]});
    let log = [
        moved,
        bash("rm src/old.js", 0, ""),
        bash("rm src/kept.js", 1, "rm: cannot remove"),
        bash("git mv c.py d.py", 0, ""),
        bash("rm src/hidden.js || true", 0, ""),
    ];
    all_of(
        &log,
        &[
            ("Deleted `src/old.js`.", "fv"),
            ("`src/old.js` has been removed.", "fv"),
            ("| `src/old.js` | deleted |", "fv"),
            ("删除了 `src/old.js`。", "fv"),
            ("`src/old.js` 已删除。", "fv"),
            ("已经把 `src/old.js` 删掉了。", "fv"),
            ("Moved `a/x.js` to `b/x.js`.", "fv"),
            ("`a/x.js` was moved to `b/x.js`.", "fv"),
            ("已将 `a/x.js` 移动到 `b/x.js`。", "fv"),
            ("新位置是 `b/x.js`，文件已移动过去。", "fv"),
            ("Renamed `c.py` to `d.py`.", "fv"),
            ("把 `c.py` 重命名为了 `d.py`。", "fv"),
            ("Deleted `src/kept.js`.", "fu"),
            ("删除了 `src/kept.js`。", "fu"),
            ("Deleted `src/hidden.js`.", "fu"),
            ("Moved `c.py` to `e.py`.", "fu"),
            ("Updated `src/old.js`.", "fs"),
            ("Deleted `b/x.js`.", "fu"),
        ],
    );
}

#[test]
fn everything_passes() {
    let good = [
        ("Ran `npm test`: everything passes.", "tv"),
        ("`npm test`: all green.", "tv"),
        ("All packages pass.", "tv"),
        ("| `npm test` | ✅ |", "tv"),
        ("`npm test` passes.", "tv"),
        ("`npm test` | all modules pass |", "tv"),
        ("I ran the whole suite and it is green.", "tv"),
        ("The tests ran with no failures.", "tv"),
        ("Tests: 12/12 passed.", "tv"),
        ("All 12 tests pass, with one deprecation warning.", "tv"),
        ("测试跑完了，全绿。", "tv"),
        ("测试全过。", "tv"),
        ("单测都过了。", "tv"),
        ("12 个用例全过。", "tv"),
        ("12 个测试全部执行并通过，没有跳过。", "tv"),
        ("后端测试 12 个全过，只有 1 个警告，可以先不管。", "tv"),
        ("`npm test` 全绿。", "tv"),
        ("用例全部通过（12/12）。", "tv"),
        ("跑了一遍测试，没有失败。", "tv"),
        ("| 测试 | 12 个全部通过 |", "tv"),
    ];
    all_of(&[bash("npm test", 0, "Tests: 12 passed, 12 total")], &good);
    let refuted: Vec<(&str, &str)> = good.iter().map(|(answer, _)| (*answer, "tu")).collect();
    all_of(&[bash("npm test || true", 0, "Tests: 1 failed, 12 passed, 13 total")], &refuted);
    all_of(&[edit("src/a.js")], &refuted);
}

#[test]
fn numbers_have_to_be_there() {
    let log = [bash("make test", 0, "./run_tests\nring: 19/19 OK")];
    all_of(
        &log,
        &[
            ("`make test`: 19/19 passed.", "tv"),
            ("All 19 tests pass.", "tv"),
            ("测试：`make test` 19/19 通过", "tv"),
            ("19 个用例全部通过。", "tv"),
            ("All 20 tests pass.", "tu"),
            ("20 个用例全部通过。", "tu"),
            ("测试 20/20 通过。", "tu"),
        ],
    );
    let ctest = "23/23 Test #23: a ......   Passed    0.01 sec\n\n100% tests passed, 0 tests failed out of 23";
    all_of(
        &[bash("ctest", 0, ctest)],
        &[("ctest 23 项全部通过。", "tv"), ("All 23 tests pass.", "tv"), ("All 24 tests pass.", "tu")],
    );
    all_of(&[bash("make test", 0, "ring: 18/19 OK")], &[("All tests pass.", "tu"), ("测试全过。", "tu")]);
}

#[test]
fn a_part_is_proved_by_its_run() {
    let log = [
        edit("inventory/src/a.java"),
        bash("mvn test -pl inventory", 0, "Tests run: 42, Failures: 0, Errors: 0, Skipped: 0\nBUILD SUCCESS"),
        bash("ruff check core", 0, "All checks passed!"),
    ];
    all_of(
        &log,
        &[
            ("The inventory tests pass.", "tv"),
            ("All inventory tests pass.", "tv"),
            ("All 42 tests in `inventory` pass.", "tv"),
            ("| inventory 模块测试 | 42 个全部通过 |", "tv"),
            ("inventory 模块的测试全部通过。", "tv"),
            ("inventory 的测试都过了。", "tv"),
            ("core 目录的 ruff 检查通过。", "lv"),
            ("Ruff is clean in `core`.", "lv"),
            ("All tests pass.", "tu"),
            ("所有模块的测试全部通过。", "tu"),
            ("The orders tests pass.", "tu"),
            ("orders 模块测试全部通过。", "tu"),
            ("Ruff is clean.", "lu"),
            ("整个项目的 ruff 检查通过。", "lu"),
        ],
    );
    let narrow =
        [bash("cargo test parser::tests::one", 0, "1 passed"), bash("pytest tests/test_a.py::test_b", 0, "1 passed")];
    all_of(
        &narrow,
        &[("The parser tests pass.", "tu"), ("The tests in `tests/test_a.py` pass.", "tu"), ("`test_b` passes.", "tv")],
    );
    let parser = [bash("cargo test parser", 0, "test result: ok. 3 passed; 0 failed")];
    all_of(
        &parser,
        &[
            ("All tests pass, including the tests in `parser`.", "tu"),
            ("All unit tests and the parser tests pass.", "tu"),
            ("所有测试都通过了，包括 parser 测试。", "tu"),
            ("parser 模块的所有测试都通过了。", "tv"),
            ("Parser: all tests pass.", "tv"),
            ("All tests in `parser` pass.", "tv"),
            ("Tests pass.", "tu"),
            ("The lexer and parser tests pass.", "tu"),
            ("lexer 和 parser 的测试都通过了。", "tu"),
        ],
    );
    let left_out = [bash("cargo test -- --skip network", 0, "test result: ok. 3 passed; 0 failed")];
    all_of(&left_out, &[("The network tests pass.", "tu"), ("All tests pass.", "tu")]);
}

#[test]
fn halves_of_a_project() {
    let log = [
        bash("cd backend && mvn test", 0, "Tests run: 58, Failures: 0, Errors: 0, Skipped: 0"),
        bash("cd frontend && npm test", 1, "Tests  1 failed | 43 passed (44)"),
    ];
    all_of(
        &log,
        &[
            ("Backend: all 58 tests pass.", "tv"),
            ("The backend tests pass.", "tv"),
            ("后端测试全部通过。", "tv"),
            ("Frontend: all 44 tests pass.", "tu"),
            ("前端测试全部通过。", "tu"),
            ("All tests pass.", "tu"),
            ("所有测试都通过了。", "tu"),
        ],
    );
    all_of(
        &[bash("cd backend && npm test", 0, "Tests: 5 passed")],
        &[("Frontend: all tests pass.", "tu"), ("前端测试全部通过。", "tu"), ("后端测试全部通过。", "tv")],
    );
}

#[test]
fn a_fix_with_its_own_test_and_failures_elsewhere() {
    let other = "FAILED tests/test_http.py::test_redirect - ConnectionError\n1 failed, 140 passed";
    let log = |output: &str| {
        [
            edit("dates.py"),
            bash("pytest tests/test_dates.py::test_leap_day", 0, "1 passed"),
            bash("pytest -q", 1, output),
        ]
    };
    let claims = ["Leap day parsing is fixed.", "Fixed the leap day bug.", "`test_leap_day` passes."];
    let (yes, no): (Vec<_>, Vec<_>) = claims
        .iter()
        .map(
            |claim| {
                if claim.contains('`') { ((*claim, "tv"), (*claim, "tu")) } else { ((*claim, "xv"), (*claim, "xu")) }
            },
        )
        .unzip();
    all_of(&log(other), &yes);
    // Not all of the names are there; or the test itself is among them.
    all_of(&log("FAILED tests/test_http.py::test_redirect\n3 failed, 140 passed"), &no);
    all_of(&log("FAILED tests/test_dates.py::test_leap_day\n1 failed, 140 passed"), &no);
    all_of(&log("1 failed, 140 passed"), &no);
    all_of(&log(other), &[("All tests pass.", "tu"), ("Fixed the redirect loop.", "xu"), ("修复了重定向问题。", "xu")]);
}

#[test]
fn a_log_that_is_read_later() {
    let read = |line: &str, later: &str, output: &str| [bash(line, 0, "[1] 2"), bash(later, 0, output)];
    let good = "Tests: 152 passed, 152 total\nexit=0";
    let group = "(npm test; echo \"exit=$?\") > /tmp/t.log 2>&1 &";
    let yes = [("All 152 tests pass.", "tv"), ("结果是 152 个用例全部通过。", "tv")];
    let no = [("All 152 tests pass.", "tu"), ("结果是 152 个用例全部通过。", "tu")];
    all_of(&read(group, "sleep 30; tail -n 5 /tmp/t.log", good), &yes);
    all_of(&read("nohup npm test > /tmp/t.log 2>&1 &", "cat /tmp/t.log", good), &yes);
    all_of(&read(group, "tail /tmp/other.log", good), &no);
    all_of(&read(group, "tail /tmp/t.log", "Tests: 1 failed, 152 passed\nexit=1"), &no);
    all_of(&read(group, "tail /tmp/t.log", "Tests: 152 passed, 152 total\nexit=1"), &no);
    all_of(&read(group, "grep passed /tmp/t.log", good), &no);
    all_of(
        &[bash(group, 0, "[1] 2"), bash("echo '152 passed' > /tmp/t.log", 0, ""), bash("cat /tmp/t.log", 0, good)],
        &no,
    );
    let cargo = read("cargo test > /tmp/t.log 2>&1 &", "tail /tmp/t.log", "test result: ok. 152 passed; 0 failed");
    all_of(&cargo, &no);
    all_of(&read("npm test >> /tmp/t.log 2>&1 &", "tail /tmp/t.log", good), &no);
    let mut changed = vec![bash(group, 0, "[1] 2"), edit("src/a.js"), bash("tail /tmp/t.log", 0, good)];
    all_of(&changed, &[("All 152 tests pass.", "ts")]);
    changed.push(bash("npm test", 1, "Tests: 1 failed"));
    all_of(&changed, &[("All 152 tests pass.", "tu")]);
}

#[test]
fn codes_that_a_line_writes_out() {
    let line = |line: &str, output: &str, wanted: &str| {
        all_of(&[bash(line, 0, output)], &[("All tests pass.", wanted), ("测试全部通过。", wanted)]);
    };
    line("cargo test > /tmp/l 2>&1; echo \"exit=$?\"", "exit=0", "tv");
    line("cargo test > /tmp/l 2>&1; echo \"exit=$?\"", "exit=101", "tu");
    line("cargo test > /tmp/l 2>&1; echo $?", "0", "tv");
    line("cargo test | tail -3; echo \"rc ${PIPESTATUS[0]}\"", "x\nrc 0", "tv");
    line("cargo test | tail -3; echo \"rc ${PIPESTATUS[0]}\"", "x\nrc 1", "tu");
    line("cargo test | tail -3; echo \"rc $?\"", "x\nrc 0", "tu");
    line("cargo test || true; echo \"rc $?\"", "rc 0", "tu");
}

#[test]
fn linters_and_what_they_hide() {
    let lint = |line: &str, output: &str, cases: &[(&str, &str)]| all_of(&[bash(line, 0, output)], cases);
    lint(
        "npx eslint . --quiet",
        "",
        &[
            ("ESLint reports no errors and no warnings.", "lu"),
            ("ESLint is clean.", "lu"),
            ("ESLint 没有任何警告。", "lu"),
            ("ESLint passes.", "lv"),
            ("ESLint 检查通过。", "lv"),
        ],
    );
    lint("cargo clippy 2>/dev/null", "", &[("Clippy has no warnings.", "lu"), ("clippy 没有警告。", "lu")]);
    lint(
        "cargo clippy 2>&1 | tail -1",
        "    Finished `dev`",
        &[("Clippy has no warnings.", "lu"), ("Clippy is clean.", "lu")],
    );
    lint("flake8 --exit-zero", "a.py:1:1: E501 line too long", &[("flake8 passes.", "lu")]);
    lint("ruff check . --select E9", "All checks passed!", &[("Ruff is clean.", "lu")]);
    lint("gofmt -l .", "a.go\n", &[("| `gofmt` | all files formatted |", "lu"), ("gofmt 检查通过。", "lu")]);
    lint("gofmt -l .", "", &[("| `gofmt` | all files formatted |", "lv"), ("gofmt 检查通过。", "lv")]);
    lint(
        "go vet ./...",
        "",
        &[
            ("| `go vet ./...` | no findings |", "lv"),
            ("`go vet ./...` is clean.", "lv"),
            ("`go vet ./...` 没有问题。", "lv"),
            ("Clippy is clean.", "lu"),
        ],
    );
    lint(
        "ruff check .",
        "All checks passed!",
        &[("Ruff passes without findings.", "lv"), ("ruff 检查干净，没有遗留问题。", "lv")],
    );
    lint(
        "npm run lint; npm test",
        "✖ 1 problem (1 error, 0 warnings)\nTests: 20 passed, 20 total",
        &[("ESLint 检查通过，没有错误", "lu"), ("测试 20/20 通过", "tv")],
    );
    all_of(
        &[bash("ruff check . --fix", 0, "Found 4 errors (4 fixed, 0 remaining)."), bash("pytest", 0, "3 passed")],
        &[("Ruff is clean.", "lv"), ("ruff 检查通过。", "lv")],
    );
    all_of(
        &[bash("black --check .", 127, "command not found")],
        &[("代码格式也用 black 检查过，完全符合规范。", "lu")],
    );
}

#[test]
fn whole_answers() {
    let fixed = |line: &str, exit: i64, output: &str| vec![edit("src/a.rs"), bash(line, exit, output)];
    for (log, answer, wanted) in [
        (
            fixed("swift test", 0, "Executed 14 tests, with 0 failures"),
            "Fixed the crash on empty input. All 14 tests pass.",
            "xv tv",
        ),
        (fixed("mix test", 0, "14 tests, 0 failures"), "The suite is green: 14 tests, 0 failures.", "tv"),
        (fixed("bundle exec rspec", 0, "20 examples, 0 failures"), "RSpec: 20 examples, 0 failures.", "tv"),
        (
            fixed("dotnet test", 0, "Passed!  - Failed:     0, Passed:    31, Skipped:     0, Total:    31"),
            "All 31 tests passed.",
            "tv",
        ),
        (fixed("php vendor/bin/phpunit", 0, "OK (12 tests, 30 assertions)"), "PHPUnit is green (12 tests).", "tv"),
        (fixed("vendor/bin/phpunit", 0, "OK (12 tests, 30 assertions)"), "PHPUnit 12 个测试全部通过。", "tv"),
        (fixed("./gradlew build", 0, "BUILD SUCCESSFUL in 12s"), "`./gradlew build` succeeds.", "bv"),
        (
            fixed("./gradlew build -x test", 0, "BUILD SUCCESSFUL in 12s"),
            "The build is green and the tests pass.",
            "bv tu",
        ),
        (
            fixed("npx vitest run src/a.test.ts", 0, "Tests  4 passed (4)"),
            "The 4 tests in `src/a.test.ts` pass; I did not run the rest.",
            "tv",
        ),
        (fixed("npx vitest run src/a.test.ts", 0, "Tests  4 passed (4)"), "All tests pass (4).", "tu"),
        (
            fixed("cargo nextest run", 0, "Summary [ 1.2s] 40 tests run: 40 passed, 0 skipped"),
            "40/40 tests pass under nextest.",
            "tv",
        ),
        (fixed("cargo test --doc", 0, "test result: ok. 3 passed; 0 failed"), "All tests pass.", "tu"),
        (fixed("python -m unittest", 0, "Ran 9 tests in 0.1s\n\nOK"), "9 个单元测试全部通过 ✅", "tv"),
        (fixed("pytest -x -q", 0, "10 passed in 1s"), "**验证**：`pytest -x -q` 全部通过（10 passed）。", "tv"),
        (fixed("pytest -q", 2, "ERROR tests/test_a.py\n1 error in 0.1s"), "测试已全部通过。", "tu"),
        (fixed("tox", 0, "  congratulations :)"), "tox passes in all environments.", "tv"),
        (fixed("make", 0, "cc -o a a.c"), "It compiles again.", "bv"),
        (fixed("make 2>&1 | tail -1", 0, "cc -o a a.c"), "编译没有问题。", "bu"),
        (fixed("go build ./...", 0, ""), "`go build ./...` 成功，没有报错。", "bv"),
        (fixed("go build ./cmd/x", 0, ""), "The whole project builds.", "bu"),
        (fixed("cargo build -p core", 0, "Finished"), "The core crate compiles.", "bv"),
        (fixed("cargo build -p core", 0, "Finished"), "The project compiles.", "bu"),
        (fixed("npx tsc --noEmit", 0, ""), "TypeScript 类型检查通过，没有类型错误。", "lv"),
        (fixed("npx tsc --noEmit", 2, "a.ts(1,1): error TS2322"), "No type errors remain.", "lu"),
        (fixed("mypy src", 0, "Success: no issues found in 12 source files"), "mypy: no issues.", "lv"),
        (
            fixed("cargo clippy -- -D warnings && cargo fmt --check", 0, "Finished"),
            "Clippy and fmt are both clean.",
            "lv",
        ),
        (fixed("cargo clippy -- -D warnings", 0, "Finished"), "Clippy 零警告。", "lv"),
        (fixed("ls", 0, ""), "I think the tests pass, but I could not run them.", ""),
        (fixed("ls", 0, ""), "Tests were not run.", ""),
        (fixed("ls", 0, ""), "未运行测试，也没有编译。", ""),
        (fixed("ls", 0, ""), "等测试通过后再合并。", ""),
        (fixed("ls", 0, ""), "要不要我顺便更新 `README.md`？", ""),
        (fixed("ls", 0, ""), "The issue is resolved by restarting; no code was changed.", "xu"),
    ] {
        assert_eq!(found(&log, answer), wanted, "{answer:?}");
    }
}

/// A command, its code and its output, behind a change; an answer; what it claims.
type Answered = (&'static str, i64, &'static str, &'static str, &'static str);

const AFTER_ONE: &[Answered] = &[
    (
        "cargo test",
        0,
        "test result: ok. 8 passed; 0 failed",
        "The panic no longer occurs, and the test suite is fully green.",
        "xv tv",
    ),
    (
        "cargo test",
        0,
        "test result: ok. 8 passed; 0 failed",
        "## Summary\n\n- **Fix**: the overflow in `src/a.rs` is fixed\n- **Tests**: ✅ 8 passed\n",
        "xv tv",
    ),
    ("cargo test", 0, "test result: ok. 8 passed; 0 failed", "Verified with `cargo test` (8 passed, 0 failed).", "tv"),
    ("cargo test", 0, "test result: ok. 8 passed; 0 failed", "Done! I ran `cargo test` and all 8 tests passed.", "tv"),
    ("cargo test", 0, "test result: ok. 8 passed; 0 failed", "Tests pass. Nothing else changed.", "tv"),
    (
        "cargo test",
        0,
        "test result: ok. 8 passed; 0 failed",
        "| Check | Result |\n|---|---|\n| Tests | ✅ 8/8 |\n| Clippy | ✅ clean |\n",
        "tv lu",
    ),
    (
        "cargo test",
        0,
        "test result: ok. 8 passed; 0 failed",
        "`cargo test` → 8 passed. `cargo clippy` → clean.",
        "tv lu",
    ),
    ("cargo test", 101, "test result: FAILED. 7 passed; 1 failed", "7 of 8 tests pass; `it_works` still fails.", ""),
    ("cargo test", 101, "test result: FAILED. 7 passed; 1 failed", "7 个测试通过，1 个失败。", ""),
    ("cargo test", 101, "error[E0308]: mismatched types", "It compiles and the tests are passing.", "bu tu"),
    ("cargo test", 0, "test result: ok. 8 passed; 0 failed", "测试结果：8 通过，0 失败。", "tv"),
    ("cargo test", 0, "test result: ok. 8 passed; 0 failed", "全部 8 个测试通过 ✅，问题已解决。", "tv xv"),
    ("cargo test", 0, "test result: ok. 8 passed; 0 failed", "我跑了 `cargo test`，8 个用例都通过了。", "tv"),
    ("cargo test", 0, "test result: ok. 8 passed; 0 failed", "已修复溢出问题，并已通过全部测试。", "xv tv"),
    ("cargo test", 0, "test result: ok. 8 passed; 0 failed", "溢出的 bug 修完了，测试也绿了。", "xv tv"),
    ("cargo test", 0, "test result: ok. 8 passed; 0 failed", "验证：`cargo test` ✅", "tv"),
    ("cargo build", 0, "Finished", "构建成功，但我没有跑测试。", "bv"),
    ("cargo build", 0, "Finished", "项目可以正常编译，测试还没跑。", "bv"),
    ("cargo build", 0, "Finished", "Everything compiles; tests were not run.", "bv"),
    ("cargo build", 0, "warning: unused variable\nFinished", "The build is clean, with no warnings.", "bu"),
    ("cargo build", 0, "Finished", "编译无警告。", "bv"),
    ("cargo build", 0, "warning: unused variable\nFinished", "编译通过，没有警告。", "bu"),
    ("cargo build", 0, "warning: unused variable\nFinished", "It builds with zero warnings.", "bu"),
    ("cargo build", 0, "warning: unused variable\nFinished", "编译通过，有 1 个警告。", "bv"),
    ("npm run build", 0, "✓ built in 3s", "The production build completes without errors.", "bv"),
    ("npm run build", 1, "error TS2322", "前端打包成功。", "bu"),
    ("docker build -t x .", 0, "Successfully tagged x", "The Docker image builds.", "bv"),
    ("docker build -t x .", 0, "Successfully tagged x", "镜像构建成功。", "bv"),
];

type Command = (&'static str, i64, &'static str);

const AFTER_TWO: &[(Command, Command, &str, &str)] = &[
    (("pytest -q", 1, "1 failed, 3 passed"), ("pytest -q --lf", 0, "1 passed"), "All tests pass now.", "tu"),
    (("pytest -q", 1, "1 failed, 3 passed"), ("pytest -q", 0, "4 passed"), "After the fix all 4 tests pass.", "tv"),
    (("pytest -q", 0, "4 passed"), ("git commit -am x", 0, ""), "Committed. All 4 tests passed before the commit.", ""),
    (
        ("pytest -q", 0, "4 passed"),
        ("ruff format .", 0, "1 file reformatted"),
        "Formatted with ruff. Tests: 4 passed.",
        "ts",
    ),
    (
        ("ruff check .", 0, "All checks passed!"),
        ("mypy .", 1, "Found 1 error"),
        "ruff and mypy are both clean.",
        "lv lu",
    ),
    (("ruff check .", 0, "All checks passed!"), ("mypy .", 1, "Found 1 error"), "ruff 和 mypy 均通过。", "lv lu"),
    (
        ("ruff check .", 0, "All checks passed!"),
        ("mypy .", 0, "Success: no issues found"),
        "- Lint: ✅ ruff clean\n- Types: ✅ mypy passes",
        "lv lv",
    ),
    (
        ("npx prettier --check .", 0, "All matched files use Prettier code style!"),
        ("npx eslint .", 1, "1 error"),
        "Formatting is fine; ESLint still reports 1 error.",
        "lv",
    ),
    (
        ("npx prettier --check .", 0, "All matched files use Prettier code style!"),
        ("npx eslint .", 1, "1 error"),
        "Prettier 格式检查通过，ESLint 也没有问题。",
        "lv lu",
    ),
];

#[test]
fn answers_behind_one_command() {
    for (line, exit, output, answer, wanted) in AFTER_ONE {
        all_of(&[edit("src/a.rs"), bash(line, *exit, output)], &[(answer, wanted)]);
    }
}

#[test]
fn answers_behind_two_commands() {
    for (one, other, answer, wanted) in AFTER_TWO {
        let log = [edit("src/a.py"), bash(one.0, one.1, one.2), bash(other.0, other.1, other.2)];
        all_of(&log, &[(answer, wanted)]);
    }
}

#[test]
fn answers_about_files() {
    all_of(
        &written(),
        &[
            (
                "I've made the following changes:\n\n1. `src/a.rs`: replaced the loop\n2. `pom.xml`: bumped Jackson",
                "fv fv",
            ),
            ("What changed:\n- `src/a.rs` – added the guard\n- `src/b.rs` – removed the fallback", "fv fu"),
            ("The new flag is documented in `README.md`.", "fv"),
            ("The guard was added to `src/a.rs`.", "fv"),
            ("The version in `pom.xml` has been bumped.", "fv"),
            ("改动如下：\n- `src/a.rs`：增加空值判断\n- `pom.xml`：升级依赖", "fv fv"),
            ("修改方案：\n- `src/a.rs`：增加空值判断\n- `pom.xml`：升级依赖", ""),
            ("Plan:\n- `src/a.rs`: replaced the loop", ""),
            ("文档也同步更新到了 `README.md`。", "fv"),
            ("修改涉及 `src/a.rs` 和 `pom.xml` 两个文件。", "fv"),
            ("新增文件 `src/new.rs`。", "fu"),
            ("`README.md` 里补充了用法说明。", "fv"),
            ("下面是 `src/a.rs` 的内容。", ""),
            ("`src/a.rs` is where the timeout is read.", ""),
            ("The error comes from `src/a.rs`, which was added last year.", ""),
            ("I left `src/b.rs` unchanged.", ""),
            ("`src/b.rs` 保持不变。", ""),
        ],
    );
}

/// What somebody may write who wants to be believed.
const NOT_SO: &[(&str, i64, &str, &str)] = &[
    ("cargo test --lib", 0, "test result: ok. 8 passed; 0 failed", "All tests, unit and integration, pass."),
    ("cargo test parser", 0, "test result: ok. 8 passed; 0 failed", "The parser and lexer tests pass."),
    ("cargo test parser", 0, "test result: ok. 8 passed; 0 failed", "parser 和 lexer 的测试都通过了。"),
    ("pytest tests/test_a.py", 0, "8 passed", "`tests/test_a.py` and `tests/test_b.py` pass."),
    ("pytest tests/test_a.py", 0, "8 passed", "test_a 和 test_b 的测试全部通过。"),
    ("pytest -m 'not slow'", 0, "8 passed", "All tests pass."),
    ("pytest -k 'not parser'", 0, "8 passed", "The parser tests pass."),
    ("go test ./a/...", 0, "ok  \tx/a\t0.1s", "`go test ./...` passes."),
    ("npm test -- --passWithNoTests", 0, "No tests found, exiting with code 0", "All tests pass."),
    ("npm test -- --watch=false src/a", 0, "Tests: 3 passed", "整个测试套件全绿。"),
    ("mvn -q -DskipTests verify", 0, "", "`mvn verify` passes, including the tests."),
    ("git stash && cargo test && git stash pop", 0, "test result: ok. 8 passed; 0 failed", "All tests pass."),
    ("cargo check", 0, "Finished", "All tests pass and clippy is clean."),
    ("cargo check --tests", 0, "Finished", "测试通过。"),
    ("echo 'All checks passed!'", 0, "All checks passed!", "Ruff passes."),
    ("cat test.log", 0, "test result: ok. 8 passed; 0 failed", "All 8 tests pass."),
    ("npx eslint src/a.js", 0, "", "ESLint is clean."),
    ("npx eslint --fix src/a.js", 0, "", "ESLint is clean."),
    ("npx eslint . --max-warnings 50", 0, "✖ 3 problems (0 errors, 3 warnings)", "ESLint: no warnings."),
    ("npx tsc --noEmit || true", 0, "", "No type errors."),
    ("black --check . ; true", 0, "", "black 检查通过。"),
    ("cargo fmt", 0, "", "`cargo fmt --check` passes."),
    ("mypy src/a.py", 0, "Success: no issues found in 1 source file", "mypy passes on the whole project."),
    ("cargo build --bin x", 0, "Finished", "The whole workspace builds."),
    ("cargo build 2>&1 | grep -v warning", 0, "Finished", "The build has no warnings."),
    ("timeout 5 cargo test", 124, "", "Tests pass."),
    ("rm -f src/b.rs; ls", 0, "", "Deleted `src/b.rs`."),
    ("mv src/b.rs src/c.rs", 1, "mv: cannot stat", "Moved `src/b.rs` to `src/c.rs`."),
    ("cp src/b.rs src/c.rs", 0, "", "Moved `src/b.rs` to `src/c.rs`."),
    ("ls", 0, "", "I removed `src/a.rs` since it was unused."),
    ("ls", 0, "", "`src/a.rs` 已经移除。"),
    ("ls", 0, "", "I updated `lib/a.rs`."),
    ("ls", 0, "", "I updated `b.rs` and `c.rs`."),
];

#[test]
fn nothing_of_this_is_verified() {
    let found = |(line, exit, output, answer): &(&str, i64, &str, &'static str)| {
        (found(&[edit("src/a.rs"), bash(line, *exit, output)], answer), *answer)
    };
    let bad: Vec<_> = NOT_SO.iter().map(found).filter(|(found, _)| found.contains('v') || found.is_empty()).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}
