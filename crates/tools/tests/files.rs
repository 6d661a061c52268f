//! The file tools over a real folder.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests fail by panicking")]

use pretty_assertions::assert_eq;
use reasonix_agent::{Args, Artifacts, Call, Stop, Tools};
use reasonix_proto::{Action, Artifact, CallId, ChangeKind, Details, Family, ReadOnly, ToolOutcome};
use reasonix_tools::{Bash, Deps, ShellOptions, files};
use reasonix_workspace::{Options, Workspace};
use serde_json::{Value, json};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;

/// Artifacts that hold one text.
struct Shelf;

impl Artifacts for Shelf {
    fn put(&self, _bytes: &[u8]) -> io::Result<Artifact> {
        Err(io::Error::other("nothing is kept here"))
    }

    fn get(&self, uri: &str) -> io::Result<Vec<u8>> {
        match uri {
            "artifact://long" => Ok((1..=2500).map(|n| format!("output {n}\n")).collect::<String>().into_bytes()),
            _ => Err(io::Error::new(io::ErrorKind::NotFound, "no such artifact")),
        }
    }
}

struct Room {
    folder: tempfile::TempDir,
    tools: Tools,
}

impl Room {
    fn new(contents: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path(), Options::default()).unwrap();
        let tools = Tools::new(files(&Deps::new(workspace, Arc::new(Shelf))));
        let room = Self { folder, tools };
        contents.iter().for_each(|(path, text)| room.put(path, text));
        room
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    async fn outcome(&self, tool: &str, args: Value, stop: Stop) -> ToolOutcome {
        let (id, args) = (CallId::from("1"), object(args));
        let tool = self.tools.find(tool).unwrap_or_else(|| panic!("no tool {tool}"));
        tool.run(Call {
            id: &id,
            args: &args,
            class: reasonix_agent::Class::Writer,
            wanted: &std::sync::OnceLock::new(),
            stop,
            progress: &|_| {},
        })
        .await
    }

    async fn done(&self, tool: &str, args: Value) -> (String, Details) {
        match self.outcome(tool, args, Stop::new()).await {
            ToolOutcome::Done { content, details } => (content.into_words(), *details),
            other => panic!("{tool}: {other:?}"),
        }
    }

    async fn ok(&self, tool: &str, args: Value) -> String {
        self.done(tool, args).await.0
    }

    async fn failed(&self, tool: &str, args: Value) -> String {
        match self.outcome(tool, args, Stop::new()).await {
            ToolOutcome::Failed { message, hint, .. } => format!("{message} | {}", hint.unwrap_or_default()),
            other => panic!("{tool}: {other:?}"),
        }
    }

    fn action(&self, tool: &str, args: Value) -> Action {
        self.tools.find(tool).unwrap().action(&object(args))
    }

    async fn preview(&self, tool: &str, args: Value) -> Option<String> {
        let args = object(args);
        self.tools.find(tool).unwrap().preview(&args).await.ok().flatten().map(|preview| preview.diff)
    }
}

fn object(value: Value) -> Args {
    value.as_object().cloned().unwrap()
}

#[tokio::test]
async fn read_shows_lines_and_pages() {
    let long: String = (1..=2500).map(|n| format!("line {n}\n")).collect();
    let room = Room::new(&[("a.txt", "one\ntwo"), ("empty", ""), ("long", &long), ("src/x.rs", "fn x() {}\n")]);
    assert_eq!(room.ok("read_file", json!({"path": "a.txt"})).await, "   1\tone\n   2\ttwo\n");
    assert_eq!(room.ok("read_file", json!({"path": "empty"})).await, "(empty file)");
    let first = room.ok("read_file", json!({"path": "long"})).await;
    assert!(first.starts_with("   1\tline 1\n"));
    assert!(first.trim_end().ends_with("continue with offset 1001]"), "{}", first.lines().last().unwrap());
    let part = room.ok("read_file", json!({"path": "long", "offset": 2499, "limit": 5})).await;
    assert_eq!(part, "2499\tline 2499\n2500\tline 2500\n");
    let beyond = room.ok("read_file", json!({"path": "long", "offset": 9999})).await;
    assert!(beyond.contains("beyond the end") && beyond.contains("2500"), "{beyond}");
    assert_eq!(room.ok("view", json!({"file_path": "a.txt", "offset": 2})).await, "   2\ttwo\n");
    assert_eq!(room.ok("read_file", json!({"path": "src"})).await, "x.rs 10");
}

#[tokio::test]
async fn read_handles_what_is_no_plain_text() {
    let room = Room::new(&[]);
    room.put("bin", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    room.put("gbk.txt", b"\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7\r\n\xd6\xd0\xce\xc4\xb1\xe0\xc2\xeb\r\n");
    room.put("wide", format!("{}\nend\n", "x".repeat(1_000_000)));
    room.put("open.pdf", b"%PDF-1.4\n<</Type/Page>>\nendobj\n%%EOF\n");
    room.put("real.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\0\0stream\n%%EOF");
    assert_eq!(
        room.ok("read_file", json!({"path": "open.pdf"})).await,
        "[PDF open.pdf (application/pdf, 1 page, 37 bytes)]"
    );
    assert_eq!(room.ok("read_file", json!({"path": "real.pdf"})).await, "[PDF real.pdf (application/pdf, 29 bytes)]");
    let binary = room.failed("read_file", json!({"path": "bin"})).await;
    assert!(binary.contains("not text"), "{binary}");
    let gbk = room.ok("read_file", json!({"path": "gbk.txt"})).await;
    assert!(gbk.starts_with("   1\t你好，世界\n   2\t中文编码\n[GB"), "{gbk}");
    let wide = room.ok("read_file", json!({"path": "wide"})).await;
    assert!(wide.len() < 30_000 && wide.contains("1 long lines were cut"), "{} bytes", wide.len());
    let missing = room.failed("read_file", json!({"path": "gbk.text"})).await;
    assert!(missing.contains("does not exist") && missing.contains("gbk.txt"), "{missing}");
    let outside = room.failed("read_file", json!({"path": "../secret"})).await;
    assert!(outside.contains("outside the workspace"), "{outside}");
    let wrong = room.failed("read_file", json!({"offset": 1})).await;
    assert!(wrong.contains("missing field `path`"), "{wrong}");
}

#[tokio::test]
async fn artifacts_are_read_by_pages() {
    let room = Room::new(&[]);
    let first = room.ok("read_file", json!({"path": "artifact://long"})).await;
    assert!(first.ends_with("[lines 1-1000 of 2500; continue with offset 1001]\n"), "{first}");
    let last = room.ok("read_file", json!({"path": "artifact://long", "offset": 2500})).await;
    assert_eq!(last, "2500\toutput 2500\n");
    let none = room.failed("read_file", json!({"path": "artifact://nope"})).await;
    assert!(none.contains("no such artifact"), "{none}");
    assert_eq!(room.action("read_file", json!({"path": "artifact://long"})).subjects, ["artifact://long"]);
}

#[tokio::test]
async fn writes_say_what_they_did() {
    let room = Room::new(&[("old.txt", "a\nb\nc\n")]);
    let (text, details) = room.done("write_file", json!({"path": "new/deep.txt", "content": "x\ny\n"})).await;
    assert_eq!(text, "created new/deep.txt (+2 -0)");
    assert_eq!((details.changes[0].kind.clone(), details.changes[0].added), (ChangeKind::Created, 2));
    assert!(details.changes[0].diff.starts_with("--- /dev/null\n+++ b/new/deep.txt\n"));
    let text = room.ok("write_file", json!({"path": "old.txt", "content": "a\nB\nc\n"})).await;
    assert_eq!(text, "updated old.txt (+1 -1)\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c");
    let (text, details) = room.done("write", json!({"file_path": "old.txt", "contents": "a\nB\nc\n"})).await;
    assert_eq!(text, "unchanged old.txt: it already has this content");
    assert_eq!((details.changes[0].kind.clone(), details.changes[0].diff.as_str()), (ChangeKind::Unchanged, ""));
    let folder = room.failed("write_file", json!({"path": "new", "content": ""})).await;
    assert!(folder.contains("is a folder"), "{folder}");
}

#[tokio::test]
async fn the_way_a_file_is_written_is_kept() {
    let room = Room::new(&[("crlf.txt", "a\r\nb\r\n"), ("bom.txt", "\u{feff}a\nb\n"), ("run.sh", "#!/bin/sh\ntrue\n")]);
    room.put("gbk.txt", b"\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7\n\xd6\xd0\xce\xc4\xb1\xe0\xc2\xeb\n");
    std::fs::set_permissions(room.path("run.sh"), std::fs::Permissions::from_mode(0o750)).unwrap();
    room.ok("edit_file", json!({"path": "crlf.txt", "old_string": "a\nb", "new_string": "a\nx\nb"})).await;
    assert_eq!(room.text("crlf.txt"), "a\r\nx\r\nb\r\n");
    room.ok("write_file", json!({"path": "crlf.txt", "content": "1\n2\n"})).await;
    assert_eq!(room.text("crlf.txt"), "1\r\n2\r\n");
    room.ok("edit_file", json!({"path": "bom.txt", "old_string": "a\n", "new_string": "z\n"})).await;
    assert_eq!(room.text("bom.txt"), "\u{feff}z\nb\n");
    room.ok("write_file", json!({"path": "bom.txt", "content": "\u{feff}q\n"})).await;
    assert_eq!(room.text("bom.txt"), "\u{feff}q\n");
    room.ok("edit_file", json!({"path": "run.sh", "old_string": "true", "new_string": "false"})).await;
    assert_eq!(std::fs::metadata(room.path("run.sh")).unwrap().permissions().mode() & 0o777, 0o750);
    room.ok("edit_file", json!({"path": "gbk.txt", "old_string": "世界", "new_string": "中文"})).await;
    assert_eq!(room.bytes("gbk.txt"), b"\xc4\xe3\xba\xc3\xa3\xac\xd6\xd0\xce\xc4\n\xd6\xd0\xce\xc4\xb1\xe0\xc2\xeb\n");
    let lossy = room.failed("edit_file", json!({"path": "gbk.txt", "old_string": "编码", "new_string": "🦀"})).await;
    assert!(lossy.contains("🦀") && lossy.contains("Nothing was written"), "{lossy}");
}

#[tokio::test]
async fn edits_that_do_not_fit_change_nothing() {
    let before = "fn a() {\n    run(1);\n}\nfn b() {\n    run(1);\n}\n";
    let room = Room::new(&[("a.rs", before)]);
    let twice = room.failed("edit_file", json!({"path": "a.rs", "old_string": "run(1)", "new_string": "x"})).await;
    assert!(twice.contains("occurs 2 times in a.rs, at lines 2, 5") && twice.contains("replace_all"), "{twice}");
    let missing =
        room.failed("edit_file", json!({"path": "a.rs", "old_string": "fn b() {\n  run(2);", "new_string": "x"})).await;
    assert!(missing.contains("nearest text, at line 4") && missing.contains("   5\t    run(1);"), "{missing}");
    let empty = room.failed("edit_file", json!({"path": "a.rs", "old_string": "", "new_string": "x"})).await;
    assert!(empty.contains("old_string is empty"), "{empty}");
    let none = room.failed("edit_file", json!({"path": "b.rs", "old_string": "x", "new_string": "y"})).await;
    assert!(none.contains("does not exist"), "{none}");
    assert_eq!(room.text("a.rs"), before);
    let all = room
        .ok("edit", json!({"filePath": "a.rs", "oldString": "run(1)", "newString": "go()", "replaceAll": true}))
        .await;
    assert!(all.starts_with("updated a.rs (+2 -2)\nnote: 2 places replaced\n"), "{all}");
    let same = room.ok("edit_file", json!({"path": "a.rs", "old_string": "go()", "new_string": "go()"})).await;
    assert!(same.starts_with("unchanged a.rs"), "{same}");
    let new = room.ok("edit_file", json!({"path": "n.rs", "old_string": "", "new_string": "x\n"})).await;
    assert_eq!((new.as_str(), room.text("n.rs").as_str()), ("created n.rs (+1 -0)", "x\n"));
    let loose = room.ok("edit_file", json!({"path": "n.rs", "old_string": "x  \n", "new_string": "y\n"})).await;
    assert!(loose.contains("note: matched without regard to trailing blanks"), "{loose}");
}

#[tokio::test]
async fn multi_edit_is_all_or_nothing() {
    let room = Room::new(&[("a.txt", "one\ntwo\nthree\n")]);
    let edits = |second: &str| json!({"path": "a.txt", "edits": [{"old_string": "one", "new_string": "1"}, {"old_str": second, "new_str": "2"}]});
    let error = room.failed("multi_edit", edits("zwei")).await;
    assert!(error.contains("edit 2: old_string is not in a.txt"), "{error}");
    assert_eq!(room.text("a.txt"), "one\ntwo\nthree\n");
    let diff = room.preview("multi_edit", edits("two")).await.unwrap();
    assert!(diff.contains("-one\n-two\n+1\n+2\n"), "{diff}");
    assert_eq!(room.text("a.txt"), "one\ntwo\nthree\n", "a preview changes nothing");
    assert!(room.ok("multi_edit", edits("two")).await.starts_with("updated a.txt (+2 -2)"));
    assert_eq!(room.text("a.txt"), "1\n2\nthree\n");
    assert!(room.failed("multi_edit", json!({"path": "a.txt", "edits": []})).await.contains("nothing to do"));
}

const PATCH: &str = "*** Begin Patch
*** Update File: a.txt
@@
-one
+1
*** Add File: sub/new.txt
+fresh
*** Delete File: gone.txt
*** Update File: from.txt
*** Move to: sub/to.txt
@@
-x
+y
*** End Patch
";

#[tokio::test]
async fn a_patch_changes_many_files() {
    let room = Room::new(&[("a.txt", "one\ntwo\n"), ("gone.txt", "bye\n"), ("from.txt", "x\n")]);
    let diff = room.preview("apply_patch", json!({"patch": PATCH})).await.unwrap();
    assert!(diff.contains("--- a/from.txt\n+++ b/sub/to.txt\n") && diff.contains("+++ /dev/null\n"), "{diff}");
    let (text, details) = room.done("apply_patch", json!({"patch": PATCH})).await;
    for line in [
        "updated a.txt (+1 -1)",
        "created sub/new.txt (+1 -0)",
        "deleted gone.txt (+0 -1)",
        "moved from.txt to sub/to.txt (+1 -1)",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!(details.changes.len(), 4);
    assert_eq!(room.names(), ["a.txt", "sub"]);
    assert_eq!([room.text("a.txt"), room.text("sub/new.txt"), room.text("sub/to.txt")], ["1\ntwo\n", "fresh\n", "y\n"]);
    let action = room.action("apply_patch", json!({"patch": PATCH}));
    assert_eq!(action.subjects, ["a.txt", "sub/new.txt", "gone.txt", "from.txt", "sub/to.txt"]);
    assert_eq!((action.family, action.read_only), (Family::Edit, ReadOnly::No));
}

#[tokio::test]
async fn a_patch_that_fails_anywhere_changes_nothing() {
    let room = Room::new(&[("a.txt", "one\ntwo\n"), ("gone.txt", "bye\n"), ("from.txt", "z z z z\n")]);
    let error = room.failed("apply_patch", json!({"patch": PATCH})).await;
    assert!(error.contains("Nothing was changed") && error.contains("from.txt hunk 1 (@@)"), "{error}");
    let missing = room.failed("patch", json!({"diff": "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n"})).await;
    assert!(missing.contains("none does not exist"), "{missing}");
    let exists = room.failed("apply_patch", json!({"patch": "*** Add File: a.txt\n+other\n"})).await;
    assert!(exists.contains("a.txt: it is to be added, but it exists"), "{exists}");
    let more = room.failed("apply_patch", json!({"patch": "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"})).await;
    assert!(more.contains("more than the patch deletes"), "{more}");
    let nonsense = room.failed("apply_patch", json!({"patch": "please change it"})).await;
    assert!(nonsense.contains("cannot be read"), "{nonsense}");
    assert_eq!(room.names(), ["a.txt", "from.txt", "gone.txt"]);
    assert_eq!(room.text("a.txt"), "one\ntwo\n");
}

#[tokio::test]
async fn unified_diffs_apply_too() {
    let room = Room::new(&[("src/a.rs", "fn a() {\r\n\told();\r\n}\r\n"), ("b", "1\n"), ("x", "only\n")]);
    let patch = "Here:\n```diff\ndiff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,4 @@\n fn a() {\n-    old();\n+    new();\n+    more();\n }\ndiff --git a/b b/c\nrename from b\nrename to c\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n only\n+two\n--- a/x\n+++ b/x\n@@ -2 +2 @@\n-two\n+2\n```\n";
    let text = room.ok("apply_patch", json!({"patch": patch})).await;
    assert!(text.contains("moved b to c\n"), "{text}");
    assert_eq!(room.text("src/a.rs"), "fn a() {\r\n\tnew();\r\n\tmore();\r\n}\r\n");
    assert_eq!([room.text("c"), room.text("x")], ["1\n", "only\n2\n"]);
}

#[tokio::test]
async fn lines_are_deleted_by_number() {
    let room = Room::new(&[("a.txt", "1\n2\n3\n4")]);
    let call = |start: usize, end: usize| json!({"path": "a.txt", "start_line": start, "end_line": end});
    for (start, end) in [(0, 1), (3, 2), (1, 5), (5, 5)] {
        let error = room.failed("delete_range", call(start, end)).await;
        assert!(error.contains("it has 4 lines"), "{error}");
    }
    let wrong = json!({"path": "a.txt", "start_line": 2, "end_line": 3, "expect": "3"});
    let error = room.failed("delete_range", wrong).await;
    assert!(error.contains("line 2 of a.txt is not as expected") && error.contains("   2\t2"), "{error}");
    let right = json!({"path": "a.txt", "start_line": 2, "end_line": 3, "expect": " 2 "});
    assert!(room.ok("delete_range", right).await.starts_with("updated a.txt (+0 -2)"));
    assert_eq!(room.text("a.txt"), "1\n4");
}

#[tokio::test]
async fn files_move_and_never_overwrite() {
    let room = Room::new(&[("a", "a\n"), ("b", "b\n")]);
    let error = room.failed("move_file", json!({"from": "a", "to": "b"})).await;
    assert!(error.contains("b already exists"), "{error}");
    assert_eq!(room.text("b"), "b\n");
    assert!(room.failed("move_file", json!({"from": "a", "to": "./a"})).await.contains("the same"));
    let action = room.action("move_file", json!({"source": "a", "destination": "sub/"}));
    assert_eq!(action.subjects, ["a", "sub/a"]);
    let preview = room.preview("move_file", json!({"from": "a", "to": "sub/a"})).await;
    assert_eq!(preview.as_deref(), Some("rename from a\nrename to sub/a\n"));
    let (text, details) = room.done("rename", json!({"source": "a", "destination": "sub/"})).await;
    assert_eq!(text, "moved a to sub/a");
    assert_eq!(details.changes[0].kind, ChangeKind::Moved { from: "a".into() });
    assert_eq!((room.text("sub/a"), room.names()), ("a\n".into(), vec!["b".into(), "sub".into()]));
}

#[tokio::test]
async fn what_a_person_was_shown_is_what_is_written_or_nothing() {
    let room = Room::new(&[("a.txt", "one\n")]);
    for (tool, args) in [
        ("write_file", json!({"path": "a.txt", "content": "two\n"})),
        ("edit_file", json!({"path": "a.txt", "old_string": "one", "new_string": "two"})),
    ] {
        room.put("a.txt", "one\n");
        room.ok("read_file", json!({"path": "a.txt"})).await;
        assert!(room.preview(tool, args.clone()).await.is_some());
        room.put("a.txt", "one\nwork of somebody else\n");
        let error = room.failed(tool, args).await;
        assert!(error.contains("changed on disk"), "{tool}: {error}");
        assert_eq!(room.text("a.txt"), "one\nwork of somebody else\n");
    }
    let unread = Room::new(&[("b.txt", "one\n")]);
    let args = json!({"path": "b.txt", "content": "two\n"});
    assert!(unread.preview("write_file", args.clone()).await.is_some());
    unread.put("b.txt", "changed\n");
    assert!(unread.failed("write_file", args).await.contains("changed on disk"));
    let new = json!({"path": "new.txt", "content": "x\n"});
    assert!(room.preview("write_file", new.clone()).await.is_some());
    room.put("new.txt", "came in between\n");
    assert!(room.failed("write_file", new).await.contains("changed on disk"));
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_is_left_alone() {
    let room = Room::new(&[("a.txt", "one\n")]);
    room.ok("read_file", json!({"path": "a.txt"})).await;
    room.put("a.txt", "someone else\n");
    for (tool, args) in [
        ("edit_file", json!({"path": "a.txt", "old_string": "one", "new_string": "1"})),
        ("write_file", json!({"path": "a.txt", "content": "1\n"})),
        ("delete_range", json!({"path": "a.txt", "start_line": 1, "end_line": 1})),
        ("apply_patch", json!({"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-someone else\n+1\n"})),
    ] {
        let error = room.failed(tool, args).await;
        assert!(error.contains("changed on disk since") && error.contains("Read it again"), "{tool}: {error}");
    }
    assert_eq!(room.text("a.txt"), "someone else\n");
    room.ok("read_file", json!({"path": "a.txt"})).await;
    room.ok("edit_file", json!({"path": "a.txt", "old_string": "someone", "new_string": "nobody"})).await;
    room.ok("edit_file", json!({"path": "a.txt", "old_string": "nobody", "new_string": "we"})).await;
    assert_eq!(room.text("a.txt"), "we else\n");
}

#[tokio::test]
async fn generated_files_are_guarded() {
    let text = "// Code generated by protoc. DO NOT EDIT.\npackage x\n";
    let room = Room::new(&[("x.pb.go", text)]);
    let edit = |anyway: bool| json!({"path": "x.pb.go", "old_string": "package x", "new_string": "package y", "allow_generated": anyway});
    let error = room.failed("edit_file", edit(false)).await;
    assert!(error.contains("is generated") && error.contains("allow_generated"), "{error}");
    assert!(room.failed("write_file", json!({"path": "x.pb.go", "content": ""})).await.contains("is generated"));
    assert_eq!(room.text("x.pb.go"), text);
    room.ok("edit_file", edit(true)).await;
    assert!(room.text("x.pb.go").ends_with("package y\n"));
}

#[tokio::test]
async fn a_read_only_folder_refuses_and_keeps_everything() {
    let room = Room::new(&[("locked/a.txt", "a\n"), ("b.txt", "b\n")]);
    let locked = room.path("locked");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).unwrap();
    let may_write = std::fs::write(locked.join("probe"), "").is_ok();
    let patch = "*** Update File: b.txt\n@@\n-b\n+B\n*** Update File: locked/a.txt\n@@\n-a\n+A\n";
    let outcome = room.outcome("apply_patch", json!({"patch": patch}), Stop::new()).await;
    // Permissions do not hold for root: there the patch must go through, everywhere else nothing may change.
    let wanted = if may_write { ("B\n", "A\n") } else { ("b\n", "a\n") };
    assert_eq!(outcome.is_done(), may_write, "{outcome:?}");
    assert_eq!((room.text("b.txt").as_str(), room.text("locked/a.txt").as_str()), wanted);
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn a_file_that_cannot_be_written_holds_back_the_others() {
    let room = Room::new(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
    let patch = "*** Update File: a.txt\n@@\n-a\n+A\n*** Update File: b.txt\n*** Move to: a.txt/below\n@@\n-b\n+B\n";
    room.failed("apply_patch", json!({"patch": patch})).await;
    assert_eq!((room.text("a.txt"), room.text("b.txt")), ("a\n".into(), "b\n".into()));
    assert_eq!(room.names(), ["a.txt", "b.txt"], "no temporary file is left");
}

#[tokio::test]
async fn folders_are_listed_and_searched() {
    let room = Room::new(&[
        ("src/a.rs", "fn alpha() {}\nlet x = 1;\n"),
        ("src/b.rs", "fn Beta() {}\n"),
        ("target/c.rs", "fn c() {}\n"),
        (".gitignore", "target\n"),
    ]);
    std::os::unix::fs::symlink("src", room.path("link")).unwrap();
    let (text, details) = room.done("ls", json!({})).await;
    assert_eq!(text, ".gitignore 7\nlink -> src\nsrc/\ntarget/");
    assert_eq!(details.count, Some(4));
    assert_eq!(room.ok("list_directory", json!({"path": "src"})).await, "a.rs 25\nb.rs 13");
    let (text, details) = room.done("glob", json!({"pattern": "**/*.rs"})).await;
    assert_eq!((text.as_str(), details.count), ("src/a.rs\nsrc/b.rs", Some(2)));
    assert_eq!(room.ok("glob", json!({"pattern": "*.py"})).await, "no files match *.py");
    let (text, details) = room.done("grep", json!({"pattern": "fn \\w+"})).await;
    assert_eq!(text, "src/a.rs\n  1: fn alpha() {}\nsrc/b.rs\n  1: fn Beta() {}");
    assert_eq!(details.count, Some(2));
    let text = room.ok("search_content", json!({"query": "BETA()", "literal": true, "ignore_case": true})).await;
    assert_eq!(text, "src/b.rs\n  1: fn Beta() {}");
    let text = room.ok("grep", json!({"pattern": "x = 1", "glob": "*.rs", "context": 1})).await;
    assert_eq!(text, "src/a.rs\n  1- fn alpha() {}\n  2: let x = 1;");
    let text = room.ok("grep", json!({"pattern": "fn", "limit": 1})).await;
    assert!(text.ends_with("more matches; narrow the pattern, path or glob]"), "{text}");
    assert_eq!(room.ok("grep", json!({"pattern": "nowhere"})).await, "no matches");
    assert!(room.failed("grep", json!({"pattern": "fn ("})).await.contains("pattern is not valid"));
    assert!(room.failed("grep", json!({"pattern": ""})).await.contains("empty"));
    assert!(room.failed("ls", json!({"path": "none"})).await.contains("does not exist"));
}

#[tokio::test]
async fn an_interrupted_call_does_nothing() {
    let room = Room::new(&[("a.txt", "one\n")]);
    let stop = Stop::new();
    stop.cancel();
    for (tool, args) in [
        ("read_file", json!({"path": "a.txt"})),
        ("grep", json!({"pattern": "one"})),
        ("write_file", json!({"path": "a.txt", "content": "2\n"})),
    ] {
        assert_eq!(room.outcome(tool, args, stop.clone()).await, ToolOutcome::Aborted, "{tool}");
    }
    assert_eq!(room.text("a.txt"), "one\n");
}

#[tokio::test]
async fn actions_name_the_paths() {
    let room = Room::new(&[]);
    let table = [
        ("read_file", json!({"file_path": "./src/../a.rs"}), Family::Read, vec!["a.rs"]),
        ("ls", json!({}), Family::Read, vec!["."]),
        ("glob", json!({"pattern": "*", "path": "src/"}), Family::Read, vec!["src"]),
        ("grep", json!({"pattern": "x"}), Family::Grep, vec!["."]),
        ("write_file", json!({"path": "a.rs", "content": ""}), Family::Edit, vec!["a.rs"]),
        ("edit_file", json!({"filename": "a.rs"}), Family::Edit, vec!["a.rs"]),
        ("apply_patch", json!({"filename": "a.rs", "patch": "@@ -1 +1 @@\n-a\n+b\n"}), Family::Edit, vec!["a.rs"]),
        ("multi_edit", json!({"path": "a.rs"}), Family::Edit, vec!["a.rs"]),
        ("delete_range", json!({"path": "a.rs"}), Family::Edit, vec!["a.rs"]),
    ];
    for (tool, args, family, subjects) in table {
        let action = room.action(tool, args);
        assert_eq!(
            (action.family, action.subjects),
            (family, subjects.into_iter().map(String::from).collect()),
            "{tool}"
        );
        assert_eq!(action.read_only == ReadOnly::No, family == Family::Edit, "{tool}");
    }
}

#[test]
fn every_name_belongs_to_one_tool() {
    let room = Room::new(&[]);
    let bash = Bash::new(ShellOptions::at(room.folder.path()));
    let mut seen = std::collections::HashSet::new();
    let tools = room.tools.iter().map(|tool| tool.as_ref()).chain([&bash as &dyn reasonix_agent::Tool]);
    for tool in tools {
        for name in tool.aliases().iter().copied().chain([tool.spec().name.as_str()]) {
            assert!(seen.insert(name.to_lowercase()), "{name} names two tools");
        }
    }
    for name in [
        "read",
        "view",
        "cat",
        "write",
        "create_file",
        "edit",
        "str_replace",
        "patch",
        "list",
        "list_directory",
        "search_content",
        "search_files",
    ] {
        assert!(room.tools.find(name).is_some(), "{name}");
    }
}

#[tokio::test]
async fn a_patch_may_replace_a_file() {
    let room = Room::new(&[("a.txt", "old\n")]);
    let patch = "*** Delete File: a.txt\n*** Add File: a.txt\n+new\n*** Update File: a.txt\n@@\n-new\n+newer\n";
    assert!(room.ok("apply_patch", json!({"patch": patch})).await.starts_with("updated a.txt (+1 -1)"));
    assert_eq!(room.text("a.txt"), "newer\n");
}

/// Every request carries the specs: all tools together have 6,000 bytes, of which the todo tools take up to 1,000.
#[test]
fn the_specs_are_small() {
    let room = Room::new(&[]);
    let bash = Bash::new(ShellOptions::at(room.folder.path()));
    let mut specs = room.tools.specs();
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "read_file",
            "write_file",
            "edit_file",
            "multi_edit",
            "apply_patch",
            "delete_range",
            "move_file",
            "ls",
            "glob",
            "grep"
        ]
    );
    specs.push(reasonix_agent::Tool::spec(&bash).clone());
    let sizes: Vec<(String, usize)> =
        specs.iter().map(|spec| (spec.name.clone(), serde_json::to_string(spec).unwrap().len())).collect();
    let total: usize = sizes.iter().map(|(_, size)| size).sum();
    println!("{total} bytes: {sizes:?}");
    assert!(total <= 5000, "{total} bytes: {sizes:?}");
    let text = serde_json::to_string(&specs).unwrap();
    for noise in ["$schema", "\"title\"", "\"format\"", "null", "$ref", "additionalProperties", "allow_generated"] {
        assert!(!text.contains(noise), "{noise} in {text}");
    }
}

#[tokio::test]
async fn a_name_cannot_pretend_to_be_two() {
    let room = Room::new(&[("a\nb.txt", "x\n")]);
    for (tool, args) in [("ls", json!({})), ("glob", json!({"pattern": "*"})), ("grep", json!({"pattern": "x"}))] {
        let text = room.ok(tool, args).await;
        assert!(text.contains("a\\nb.txt"), "{tool}: {text}");
    }
}
