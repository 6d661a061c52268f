//! A file that changed since it was read is not overwritten.

use super::{Place, code, put};
use crate::Step;
use pretty_assertions::assert_eq;
use reasonix_proto::ChangeKind;

#[test]
fn a_file_changed_by_another_session_is_refused_until_it_is_read_again() {
    let place = Place::new();
    let path = place.file("f", "one\n");
    let (mine, theirs) = (place.open(), place.open());
    mine.read_text("f").unwrap();
    theirs.read_text("f").unwrap();
    assert_eq!(code(put(&theirs, "f", "theirs\n")), "ok");
    assert_eq!(code(put(&mine, "f", "mine\n")), "changed_since_read");
    assert_eq!(code(mine.read_base("f")), "changed_since_read");
    assert_eq!(code(mine.commit(vec![Step::Remove { path: "f".into() }])), "changed_since_read");
    let step = Step::Move { from: "f".into(), to: "g".into(), base: None, text: None };
    assert_eq!(code(mine.commit(vec![step])), "changed_since_read");
    assert_eq!(std::fs::read(&path).unwrap(), b"theirs\n");
    // Neither the refusal nor the read for an edit counts as having seen it.
    assert_eq!(code(put(&mine, "f", "mine\n")), "changed_since_read");
    mine.read_lines("f", 1, 10, 1000).unwrap();
    assert_eq!(code(put(&mine, "f", "mine\n")), "ok");
    assert_eq!(std::fs::read(&path).unwrap(), b"mine\n");
}

#[test]
fn ones_own_writes_count_as_seen() {
    let place = Place::new();
    let workspace = place.open();
    put(&workspace, "f", "1").unwrap();
    assert_eq!(code(put(&workspace, "f", "2")), "ok");
    assert_eq!(put(&workspace, "f", "2").unwrap().kind, ChangeKind::Unchanged);
    std::fs::write(place.root.join("f"), "theirs").unwrap();
    assert_eq!(code(put(&workspace, "f", "3")), "changed_since_read");
    let same = workspace.clone();
    workspace.read_text("f").unwrap();
    assert_eq!(code(put(&same, "f", "3")), "ok");
}

#[test]
fn the_base_of_an_edit_must_still_be_there() {
    let place = Place::new();
    let path = place.file("f", "one");
    let workspace = place.open();
    let base = workspace.read_base("f").unwrap();
    std::fs::write(&path, "two").unwrap();
    let step = |text: &str| Step::Write { path: "f".into(), base: Some(base.clone()), text: text.into() };
    assert_eq!(code(workspace.commit(vec![step("mine")])), "changed_since_read");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(code(workspace.commit(vec![step("mine")])), "changed_since_read");
    assert!(!path.exists());
}

#[test]
fn what_was_never_read_or_was_deleted_may_be_written() {
    let place = Place::new();
    let path = place.file("f", "one");
    let workspace = place.open();
    let written = put(&workspace, "f", "two").unwrap();
    assert_eq!((written.kind, written.before.as_deref()), (ChangeKind::Updated, Some("one")));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(put(&workspace, "f", "three").unwrap().kind, ChangeKind::Created);
}

#[test]
fn the_same_content_written_again_by_somebody_is_no_change() {
    let place = Place::new();
    let path = place.file("f", "one");
    let workspace = place.open();
    workspace.read_text("f").unwrap();
    std::fs::write(&path, "one").unwrap();
    assert_eq!(code(put(&workspace, "f", "two")), "ok");
}

#[test]
fn a_large_file_of_which_a_part_was_read_is_guarded_too() {
    let place = Place::new();
    let path = place.file("f", "line\n".repeat(200));
    let size = crate::MAX_TEXT_BYTES + 10;
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(size).unwrap();
    let workspace = place.open();
    assert_eq!(workspace.read_lines("f", 1, 1, 100).unwrap().lines, ["line"]);
    use std::os::unix::fs::FileExt;
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().write_at(b"LINE", 0).unwrap();
    std::fs::File::open(&path).unwrap().set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(code(put(&workspace, "f", "mine")), "changed_since_read");
    workspace.read_lines("f", 1, 1, 100).unwrap();
    assert_eq!(code(put(&workspace, "f", "mine")), "ok");
}
