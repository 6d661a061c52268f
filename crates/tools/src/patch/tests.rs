use super::{FileOp, FilePatch, apply, created, parse};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use similar::TextDiff;

fn only(patch: &str) -> FilePatch {
    let mut files = parse(patch, None).unwrap_or_else(|error| panic!("{error}\n{patch}"));
    assert_eq!(files.len(), 1, "{patch}");
    files.remove(0)
}

fn applied(text: &str, patch: &str) -> String {
    apply(text, &only(patch).hunks).unwrap_or_else(|rejects| panic!("{rejects:?}\n{patch}"))
}

fn rejected(text: &str, patch: &str) -> String {
    let rejects = apply(text, &only(patch).hunks).unwrap_err();
    rejects.iter().map(|reject| format!("{} {} {}\n", reject.hunk, reject.header, reject.why)).collect()
}

fn update(path: &str, to: Option<&str>) -> FileOp {
    FileOp::Update { path: path.into(), to: to.map(Into::into) }
}

#[test]
fn files_are_named_in_many_ways() {
    let body = "@@ -1 +1 @@\n-a\n+b\n";
    let table = [
        (format!("--- a/src/x.rs\n+++ b/src/x.rs\n{body}"), update("src/x.rs", None)),
        (format!("--- src/x.rs\n+++ src/x.rs\n{body}"), update("src/x.rs", None)),
        (format!("--- x.orig\t2024-01-01\n+++ x\t2024-01-02\n{body}"), update("x.orig", Some("x"))),
        (format!("diff --git a/x b/x\nindex 12..34 100644\n--- a/x\n+++ b/x\n{body}"), update("x", None)),
        (format!("diff --git a/x b/x\n{body}"), update("x", None)),
        (format!("+++ b/x\n{body}"), update("x", None)),
        (format!("Here it is:\n\n```diff\n--- a/x\n+++ b/x\n{body}```\nDone.\n"), update("x", None)),
        (
            format!("diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n{body}"),
            update("x", Some("y")),
        ),
        ("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n".into(), update("x", Some("y"))),
        ("--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n".into(), FileOp::Create { path: "n".into() }),
        ("diff --git a/n b/n\nnew file mode 100644\nindex 0..0\n".into(), FileOp::Create { path: "n".into() }),
        ("--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n".into(), FileOp::Delete { path: "n".into() }),
        ("diff --git a/n b/n\ndeleted file mode 100644\n".into(), FileOp::Delete { path: "n".into() }),
        ("*** Begin Patch\n*** Add File: n\n+a\n*** End Patch".into(), FileOp::Create { path: "n".into() }),
        ("*** Begin Patch\n*** Delete File: n\n*** End Patch".into(), FileOp::Delete { path: "n".into() }),
        ("*** Update File: n\n*** Move to: m\n@@\n-a\n+b".into(), update("n", Some("m"))),
        ("Sure!\n```\n*** Begin Patch\n*** Update File: n\n-a\n+b\n*** End Patch\n```\n".into(), update("n", None)),
    ];
    for (patch, op) in table {
        assert_eq!(only(&patch).op, op, "{patch}");
    }
}

#[test]
fn what_is_no_patch_is_refused() {
    for (patch, why) in [
        ("", "changes nothing"),
        ("hello\n", "changes nothing"),
        ("@@ -1 +1 @@\n-a\n+b\n", "names no file"),
        ("*** Begin Patch\n*** Update File: x\n*** End Patch", "no hunk for x"),
        ("*** Begin Patch\n*** Update File: x\n*** Frobnicate\n*** End Patch", "not a known line"),
        ("*** Begin Patch\n*** Add File: \n*** End Patch", "names no file"),
        ("diff --git a/x b/x\nGIT binary patch\nliteral 0\n", "binary"),
        ("diff --git a/x b/y\ncopy from x\ncopy to y\n", "copies"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "both sides"),
    ] {
        let error = parse(patch, None).unwrap_err();
        assert!(error.contains(why), "{patch:?}: {error}");
    }
    assert_eq!(parse("@@ -1 +1 @@\n-a\n+b\n", Some("x")).unwrap()[0].op, update("x", None));
}

const SEVEN: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

/// Checks that each patch turns [`SEVEN`] into itself with some lines replaced by others.
fn check(table: &[(&str, String, &str, &str)]) {
    for (name, patch, from, to) in table {
        assert_eq!(applied(SEVEN, patch), SEVEN.replacen(from, to, 1), "{name}");
    }
}

#[test]
fn unified_hunks_find_their_place() {
    let x = |hunks: &str| format!("--- a/x\n+++ b/x\n{hunks}");
    let cut = "\\ No newline at end of file\n";
    check(&[
        ("right", x("@@ -2,3 +2,3 @@\n two\n-three\n+3\n four\n"), "three", "3"),
        ("wrong offset", x("@@ -20,3 +20,3 @@\n two\n-three\n+3\n four\n"), "three", "3"),
        ("wrong counts", x("@@ -2,9 +2,1 @@\n two\n-three\n+3\n four\n"), "three", "3"),
        ("no numbers", x("@@\n two\n-three\n+3\n"), "three", "3"),
        ("dots", x("@@ ... @@\n-six\n+6\n"), "six", "6"),
        ("two hunks", x("@@ -1 +1 @@\n-one\n+1\n@@ -2 +2 @@\n-two\n+2\n"), "one\ntwo", "1\n2"),
        ("out of order", x("@@\n-two\n+2\n@@\n-one\n+1\n"), "one\ntwo", "1\n2"),
        ("insertion by number", x("@@ -3,0 +4,1 @@\n+new\n"), "three\n", "three\nnew\n"),
        ("insertion at the top", x("@@ -0,0 +1 @@\n+new\n"), "one", "new\none"),
        ("append", x("@@ -7 +7,2 @@\n seven\n+eight\n"), "seven\n", "seven\neight\n"),
        ("lost newline", x(&format!("@@ -7 +7 @@\n-seven\n+seven\n{cut}")), "seven\n", "seven"),
        ("trailing blanks", x("@@ -2,2 +2,2 @@\n two  \n-three \n+3\n"), "three", "3"),
        ("indentation", x("@@ -2,2 +2,2 @@\n   two\n-  three\n+  3\n"), "three", "3"),
        ("carriage returns", x("@@ -1 +1 @@\n-one\n+1\n").replace('\n', "\r\n"), "one", "1"),
        ("removal", x("@@ -1,2 +1,1 @@\n-one\n two\n"), "one\n", ""),
        ("headers in the body", x("@@ -1,1 +1,3 @@\n one\n+++ plus\n+-- minus\n"), "one\n", "one\n++ plus\n-- minus\n"),
    ]);
}

#[test]
fn envelope_hunks_find_their_place() {
    let x = |hunks: &str| format!("*** Begin Patch\n*** Update File: x\n{hunks}*** End Patch");
    check(&[
        ("context", x("@@\n two\n-three\n+3\n"), "three", "3"),
        ("no header", x("-three\n+3\n"), "three", "3"),
        ("anchor", x("@@ four\n-five\n+5\n"), "five", "5"),
        ("two anchors", x("@@ two\n@@ four\n-five\n+5\n"), "five", "5"),
        ("anchor that is not there", x("@@ eleven\n-five\n+5\n"), "five", "5"),
        ("insertion after an anchor", x("@@ four\n+4.5\n"), "four", "four\n4.5"),
        ("append", x("@@\n+eight\n*** End of File\n"), "seven\n", "seven\neight\n"),
        ("numbers", x("@@ -6,1 +6,1 @@\n-six\n+6\n"), "six", "6"),
        ("context without its space", x("@@\ntwo\n-three\n+3\n"), "three", "3"),
        ("blank line before the end", x("@@\n-three\n+3\n\n"), "three", "3"),
    ]);
}

#[test]
fn the_file_keeps_its_ways() {
    let table = [
        ("crlf", "a\r\nb\r\nc\r\n", "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+B2\n c\n", "a\r\nB\r\nB2\r\nc\r\n"),
        ("context is not rewritten", "a  \nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "a  \nB\n"),
        ("no last newline", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "a\nB"),
        ("after the last line", "a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n", "a\nb\nc"),
        ("newline comes", "a", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", "a\n"),
        (
            "tabs",
            "if x {\n\ty();\n}\n",
            "@@ -1,3 +1,4 @@\n if x {\n     y();\n+    z();\n }\n",
            "if x {\n\ty();\n\tz();\n}\n",
        ),
        ("blank context without its space", "a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n", "a\n\nB\n"),
        ("into an empty file", "", "@@ -0,0 +1 @@\n+a\n", "a\n"),
    ];
    for (name, text, hunk, wanted) in table {
        assert_eq!(applied(text, &format!("--- a/x\n+++ b/x\n{hunk}")), wanted, "{name}");
    }
    let new = only("--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n");
    assert_eq!(created(&new.hunks), "a\nb");
    assert_eq!(created(&only("*** Add File: n\n+a\n+\n++b\n*** End Patch").hunks), "a\n\n+b\n");
}

#[test]
fn a_repeated_context_needs_help() {
    let text = "fn a() {\n    run();\n}\nfn b() {\n    run();\n}\n";
    let hunk = "-    run();\n+    go();\n";
    let ambiguous = rejected(text, &format!("--- a/x\n+++ b/x\n@@\n{hunk}"));
    assert!(ambiguous.contains("fits at lines 2, 5"), "{ambiguous}");
    let second = "fn a() {\n    run();\n}\nfn b() {\n    go();\n}\n";
    assert_eq!(applied(text, &format!("--- a/x\n+++ b/x\n@@ -5 +5 @@\n{hunk}")), second);
    assert_eq!(applied(text, &format!("*** Update File: x\n@@ fn b() {{\n{hunk}")), second);
    let end = "*** Update File: x\n@@\n-    run();\n+    go();\n }\n*** End of File\n";
    assert_eq!(applied(text, end), second);
}

#[test]
fn rejected_hunks_show_the_nearest_text() {
    let text = "alpha beta\ngamma delta\nepsilon\n";
    let patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-alpha bets\n+x\n@@ -3 +3 @@\n-epsilon\n+e\n@@ -9 +9 @@\n-zzzzzz\n+y\n";
    let message = rejected(text, patch);
    assert!(
        message.contains("1 @@ -1 +1 @@ its context is not in the file; the nearest text is\n   1\talpha beta"),
        "{message}"
    );
    assert!(message.contains("3 @@ -9 +9 @@ its context is not in the file, nor anything like it"), "{message}");
    assert!(!message.contains("2 @@"), "{message}");
    let again = rejected("new second line\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old second line\n+new second line\n");
    assert!(again.contains("applied already"), "{again}");
}

fn made_by_similar(a: &str, b: &str, radius: usize) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (a.split_inclusive('\n').collect(), b.split_inclusive('\n').collect());
    let diff = TextDiff::configure().newline_terminated(true).diff_slices(&old, &new);
    diff.unified_diff().context_radius(radius).header("a/x", "b/x").to_string()
}

proptest! {
    #[test]
    fn a_patch_made_from_two_texts_leads_from_one_to_the_other(
        a in "([abc +-]{0,3}\n){0,12}[abc]{0,2}", b in "([abc +-]{0,3}\n){0,12}[abc]{0,2}", radius in 0_usize..4, crlf: bool
    ) {
        prop_assume!(a != b);
        let ends = |text: String| if crlf { text.replace('\n', "\r\n") } else { text };
        let (a, b) = (ends(a), ends(b));
        let patch = made_by_similar(&a, &b, radius);
        let files = parse(&patch, None).unwrap();
        prop_assert_eq!(files.len(), 1);
        prop_assert_eq!(apply(&a, &files[0].hunks).unwrap(), b, "{}", patch);
    }

    #[test]
    fn an_edit_of_a_long_text_survives_a_shift(lines in proptest::collection::vec("[a-z]{6,9}", 8..30), at in 2_usize..6, shift in 1_usize..9) {
        let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let mut distinct = lines.clone();
        distinct.sort();
        distinct.dedup();
        prop_assume!(distinct.len() == lines.len());
        let mut edited = lines.clone();
        edited[at] = "EDITED".to_owned();
        let patch = made_by_similar(&text(&lines), &text(&edited), 3);
        let shifted = "shift\n".repeat(shift);
        let wanted = shifted.clone() + &text(&edited);
        prop_assert_eq!(applied(&(shifted + &text(&lines)), &patch), wanted);
    }

    #[test]
    fn any_text_is_parsed_without_panic(text in "(@@|---|\\+\\+\\+|\\*\\*\\* Update File: x|\\*\\*\\* Add File: y| a|-b|\\+c|\\\\|\r|\n|diff --git a b|@@ -1,2 \\+1 @@){0,20}", file in "[abc\r\n]{0,10}") {
        if let Ok(files) = parse(&text, Some("p")) {
            for patch in files {
                let _ = apply(&file, &patch.hunks).is_ok();
            }
        }
    }
}
