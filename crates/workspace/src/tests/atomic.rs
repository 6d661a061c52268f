//! Changes happen all or not at all, and leave nothing behind.

use super::{Place, code, put, snapshot, write};
use crate::commit::Plan;
use crate::guard::Guard;
use crate::{Format, Options, Step};
use pretty_assertions::assert_eq;
use reasonix_proto::ChangeKind;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

fn shift(from: &str, to: &str, text: Option<&str>) -> Step {
    Step::Move { from: from.into(), to: to.into(), base: None, text: text.map(str::to_owned) }
}

fn remove(path: &str) -> Step {
    Step::Remove { path: path.into() }
}

#[test]
fn several_changes_happen_together() {
    let place = Place::new();
    for name in ["edit", "gone", "moved", "changed"] {
        place.file(name, format!("{name}\n"));
    }
    place.file("binary", b"\0\xff\0");
    let steps = vec![
        write("new/deep/file", "new\n"),
        write("edit", "EDIT\n"),
        remove("gone"),
        shift("moved", "there/moved", None),
        shift("changed", "there/changed", Some("CHANGED\n")),
        shift("binary", "there/binary", None),
    ];
    let workspace = place.open();
    let kinds: Vec<_> = workspace.commit(steps).unwrap().into_iter().map(|w| (w.path, w.kind, w.before)).collect();
    let moved = |from: &str| ChangeKind::Moved { from: from.into() };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        kinds,
        [
            ("new/deep/file".into(), ChangeKind::Created, None),
            ("edit".into(), ChangeKind::Updated, text("edit\n")),
            ("gone".into(), ChangeKind::Deleted, text("gone\n")),
            ("there/moved".into(), moved("moved"), text("moved\n")),
            ("there/changed".into(), moved("changed"), text("changed\n")),
            ("there/binary".into(), moved("binary"), None),
        ]
    );
    let files: Vec<_> = snapshot(&place.root)
        .into_iter()
        .filter_map(|(path, content)| Some((path.strip_prefix(&place.root).unwrap().to_owned(), content?)))
        .map(|(path, content)| (path.to_str().unwrap().to_owned(), content))
        .collect();
    let file = |path: &str, content: &[u8]| (path.to_owned(), content.to_vec());
    assert_eq!(
        files,
        [
            file("edit", b"EDIT\n"),
            file("new/deep/file", b"new\n"),
            file("there/binary", b"\0\xff\0"),
            file("there/changed", b"CHANGED\n"),
            file("there/moved", b"moved\n"),
        ]
    );
    // What was moved is still known as seen.
    std::fs::write(place.root.join("there/moved"), "theirs").unwrap();
    assert_eq!(code(put(&workspace, "there/moved", "mine")), "changed_since_read");
}

#[test]
fn one_bad_step_leaves_everything_as_it_was() {
    let place = Place::new();
    for name in ["a", "b", "taken"] {
        place.file(name, name);
    }
    place.file("gbk", encoding_rs::GBK.encode("这个函数读取配置文件，并返回用户的名字。").0);
    let before = snapshot(&place.root);
    let workspace = place.open();
    for (bad, expect) in [
        (write("../x", "x"), "outside_workspace"),
        (write("gbk", "🦀"), "cannot_encode"),
        (write("a/x", "x"), "not_a_directory"),
        (remove("missing"), "not_found"),
        (shift("b", "taken", None), "exists"),
        (shift("missing", "x", None), "not_found"),
        (write("a", "again"), "invalid_path"),
        (shift("a", "elsewhere", None), "invalid_path"),
        (write(&format!("new/{}", "n".repeat(300)), "x"), "invalid_path"),
    ] {
        let steps = vec![write("new/deep/file", "x"), write("a", "changed"), bad];
        assert_eq!(code(workspace.commit(steps)), expect);
        assert_eq!(snapshot(&place.root), before, "{expect}");
    }
}

/// Every act that can be taken back is, when one after it fails in the middle of the renames.
#[test]
fn a_change_that_fails_half_way_is_rolled_back() {
    let place = Place::new();
    for name in ["edit", "gone", "moved", "changed", "last"] {
        place.file(name, name);
    }
    let boundary = crate::boundary::Boundary::new(&place.root, &Options::default(), None).unwrap();
    let guard = Guard::default();
    let steps = vec![
        write("new/deep/file", "new"),
        write("edit", "EDIT"),
        remove("gone"),
        shift("moved", "there", None),
        shift("changed", "there2", Some("x")),
        write("last", "LAST"),
    ];
    let inode = std::fs::metadata(place.root.join("edit")).unwrap().ino();
    let plan = Plan::new(&boundary, &guard, steps).unwrap();
    std::fs::write(place.root.join("last"), "theirs").unwrap();
    assert_eq!(code(plan.apply()), "changed_since_read");
    let mut names: Vec<_> =
        std::fs::read_dir(&place.root).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["changed", "edit", "gone", "last", "moved"]);
    for name in ["edit", "gone", "moved", "changed"] {
        assert_eq!(std::fs::read_to_string(place.root.join(name)).unwrap(), name);
    }
    assert_eq!(std::fs::metadata(place.root.join("edit")).unwrap().ino(), inode);
}

#[test]
fn a_file_that_appears_in_the_meantime_is_not_overwritten() {
    let place = Place::new();
    let boundary = crate::boundary::Boundary::new(&place.root, &Options::default(), None).unwrap();
    let guard = Guard::default();
    let plan = Plan::new(&boundary, &guard, vec![write("f", "mine")]).unwrap();
    place.file("f", "theirs");
    assert_eq!(code(plan.apply()), "changed_since_read");
    assert_eq!(snapshot(&place.root).len(), 2);
    assert_eq!(std::fs::read(place.root.join("f")).unwrap(), b"theirs");
}

/// A reader at any moment sees the old text or the new one, never a part.
#[test]
fn a_reader_never_sees_half_a_file() {
    let place = Place::new();
    let texts = ["a".repeat(300_000), "b".repeat(400_000)];
    let path = place.file("f", &texts[0]);
    let workspace = place.open();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| (0..50).all(|i| put(&workspace, "f", &texts[i % 2]).is_ok()));
        while !writer.is_finished() {
            let seen = std::fs::read_to_string(&path).unwrap();
            assert!(texts.contains(&seen), "{} bytes", seen.len());
        }
        assert!(writer.join().unwrap());
    });
}

#[test]
fn a_private_file_stays_private_and_a_removed_one_reports_its_layout() {
    let place = Place::new();
    let path = place.file("f", "one\r\n");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    put(&place.open(), "f", "two\r\n").unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
    let removed = place.open().commit(vec![remove("f")]).unwrap().remove(0);
    assert_eq!(removed.format, Format { eol: crate::Eol::Crlf, mode: Some(0o600), ..Format::NEW });
}

#[test]
fn a_read_only_file_or_folder_is_said_to_be_so() {
    if rustix::process::geteuid().is_root() {
        // Permissions do not bind root; the mapping of the system's answer is the same for all.
        for (errno, expect) in [
            (rustix::io::Errno::ACCESS, "read_only"),
            (rustix::io::Errno::ROFS, "read_only"),
            (rustix::io::Errno::NOSPC, "no_space"),
            (rustix::io::Errno::DQUOT, "no_space"),
        ] {
            assert_eq!(crate::FileError::from_errno("f", errno).code(), expect);
        }
        return;
    }
    let place = Place::new();
    let file = place.file("dir/f", "x");
    let read_only = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    };
    read_only(&file, 0o444);
    assert_eq!(code(put(&place.open(), "dir/f", "y")), "read_only");
    read_only(&place.root.join("dir"), 0o555);
    assert_eq!(code(put(&place.open(), "dir/new", "y")), "read_only");
    read_only(&place.root.join("dir"), 0o755);
    assert_eq!(std::fs::read(file).unwrap(), b"x");
}

/// Runs in a child whose files may not grow beyond 8 KiB, as on a full disk.
#[test]
fn a_full_disk_changes_nothing() {
    const INSIDE: &str = "REASONIX_TEST_FULL_DISK";
    let name = "tests::atomic::a_full_disk_changes_nothing";
    if std::env::var_os(INSIDE).is_none() {
        let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" --exact --nocapture \"$1\"";
        let exe = std::env::current_exe().unwrap();
        let output = Command::new("bash").args(["-c", script]).arg(exe).arg(name).env(INSIDE, "1").output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let place = Place::new();
    place.file("a", "a");
    place.file("big", "b");
    let before = snapshot(&place.root);
    let steps = vec![write("a", "changed"), write("new/file", "x"), write("big", &"x".repeat(100_000))];
    let error = place.open().commit(steps).unwrap_err();
    assert_eq!(error.code(), "no_space", "{error}");
    assert_eq!(snapshot(&place.root), before);
    assert_eq!(code(put(&place.open(), "big", "small enough")), "ok");
}

/// Whenever the process dies while it writes, nothing of it is left.
#[test]
fn what_is_staged_has_no_name_until_it_is_published() {
    let place = Place::new();
    place.file("old", "old\n");
    let workspace = place.open();
    let boundary = crate::boundary::Boundary::new(&place.root, &Options::default(), None).unwrap();
    let guard = Guard::default();
    let steps = vec![write("new", "new\n"), write("old", "other\n")];
    let plan = Plan::new(&boundary, &guard, steps).unwrap();
    assert_eq!(std::fs::read_dir(&place.root).unwrap().count(), 1, "only what was there");
    plan.apply().unwrap();
    assert_eq!(std::fs::read_dir(&place.root).unwrap().count(), 2);
    // Many at once do not hold many files open.
    let many: Vec<Step> = (0..100).map(|number| write(&format!("many{number}"), "x\n")).collect();
    workspace.commit(many).unwrap();
    assert_eq!(std::fs::read_dir(&place.root).unwrap().count(), 102);
}
