//! States and restores on real trees. What is expected is read by means of the standard library alone.

use super::{Reason, RelPath, RestoredTree, SnapshotError, SnapshotLimits, Snapshots, TreeEntry, changes_between};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

struct Place {
    _temp: tempfile::TempDir,
    root: PathBuf,
    kept: PathBuf,
}

impl Place {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap().join("project");
        fs::create_dir(&root).unwrap();
        let kept = temp.path().join("kept");
        Self { _temp: temp, root, kept }
    }

    fn snapshots(&self) -> Snapshots {
        Snapshots::open(&self.root, &self.kept, None, SnapshotLimits::default()).unwrap()
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn sh(&self, script: &str) {
        let done = Command::new("bash")
            .args(["-c", script])
            .current_dir(&self.root)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(done.status.success(), "{script}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn picture(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let mut picture = BTreeMap::new();
        picture_of(&self.root, Path::new(""), &mut picture);
        picture
    }
}

fn picture_of(root: &Path, below: &Path, picture: &mut BTreeMap<PathBuf, (u32, Vec<u8>)>) {
    for entry in fs::read_dir(root.join(below)).unwrap() {
        let entry = entry.unwrap();
        let path = below.join(entry.file_name());
        let found = entry.metadata().unwrap();
        if entry.file_name() == ".git" {
            continue;
        }
        let mode = found.permissions().mode();
        if found.is_dir() {
            let open = mode & 0o700 == 0o700;
            if !open {
                fs::set_permissions(root.join(&path), Permissions::from_mode(mode | 0o700)).unwrap();
            }
            picture_of(root, &path, picture);
            if !open {
                fs::set_permissions(root.join(&path), Permissions::from_mode(mode)).unwrap();
            }
            picture.insert(path, (mode, Vec::new()));
        } else if found.is_symlink() {
            let target = fs::read_link(root.join(&path)).unwrap().into_os_string().into_encoded_bytes();
            picture.insert(path, (0, target));
        } else {
            picture.insert(path.clone(), (mode, fs::read(root.join(&path)).unwrap()));
        }
    }
}

fn back(snapshots: &mut Snapshots, state: &str) -> RestoredTree {
    let before = snapshots.take(&|| false).unwrap().state;
    let (target, now) = (snapshots.read(state).unwrap(), snapshots.read(&before).unwrap());
    let paths: Vec<RelPath> = changes_between(&target, &now).into_iter().collect();
    snapshots.restore(&before, &target, &paths).unwrap()
}

#[test]
fn what_a_shell_did_is_taken_back() {
    let place = Place::new();
    place.write("src/main.rs", "fn main() {}\n");
    place.write("win.txt", "a\r\nb\r\n");
    place.write("bin", [0_u8, 255, 10, 13]);
    place.write("run.sh", "#!/bin/sh\n");
    fs::set_permissions(place.root.join("run.sh"), Permissions::from_mode(0o755)).unwrap();
    symlink("src/main.rs", place.root.join("link")).unwrap();
    fs::create_dir(place.root.join("empty")).unwrap();
    let mut snapshots = place.snapshots();
    let state = snapshots.take(&|| false).unwrap().state;
    let before = place.picture();
    place.sh("rm -rf src empty link; ln -s /etc/passwd src; printf x > bin; chmod 600 run.sh; mkdir -p win.txt.d new/deep; mv win.txt new/deep/; echo > new/f");
    let done = back(&mut snapshots, &state);
    assert_eq!(place.picture(), before);
    assert!(done.blocked.is_empty(), "{done:?}");
    // Going back can be taken back too.
    back(&mut snapshots, &done.before);
    assert!(place.root.join("new/deep/win.txt").exists() && place.root.join("src").is_symlink());
}

#[test]
fn survives_reset_clean_and_removal_of_everything() {
    let place = Place::new();
    place.write("tracked", "one\n");
    place.write(".gitignore", "*.log\n/secret\n");
    place.sh("git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm one");
    place.write("tracked", "edited\n");
    place.write("untracked/file", "two\n");
    place.write("a.log", "ignored\n");
    let mut snapshots = place.snapshots();
    let state = snapshots.take(&|| false).unwrap().state;
    let before = place.picture();
    for damage in
        ["git reset -q --hard", "git clean -qfd", "git clean -qfdx", "rm -rf -- * .gitignore", "rm -rf -- * .git*"]
    {
        place.sh(damage);
        assert_ne!(place.picture(), before, "{damage}");
        let done = back(&mut snapshots, &state);
        assert_eq!(place.picture(), before, "{damage}");
        assert!(done.blocked.is_empty(), "{damage}: {done:?}");
    }
}

#[test]
fn a_second_look_reads_only_what_changed_and_a_new_process_knows_it() {
    let place = Place::new();
    for number in 0..50 {
        place.write(&format!("d{}/f{number}", number % 5), format!("{number}"));
    }
    let first = place.snapshots().take(&|| false).unwrap();
    assert!(first.changed >= 50);
    let mut again = place.snapshots();
    let second = again.take(&|| false).unwrap();
    assert_eq!((second.changed, &second.state), (0, &first.state));
    place.write("d1/f1", "other");
    let third = again.take(&|| false).unwrap();
    assert_eq!(third.changed, 1);
    assert_eq!(again.read(&first.state).unwrap().len(), 55);
    // A write of the same length right after the look is seen, whatever the clock's grain is.
    for round in 0..20_u8 {
        place.write("d1/f1", [b'a' + round; 5]);
        assert_eq!(again.take(&|| false).unwrap().changed, 1, "round {round}");
    }
}

#[test]
fn what_is_not_covered_is_named() {
    let place = Place::new();
    place.write(".gitignore", "target/\n*.big\n*.log\n");
    place.write("target/debug/x", "built");
    place.write("cache/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");
    place.write("cache/file", "x");
    place.write("web/node_modules/m/index.js", "x");
    place.write("a.big", vec![0; 2000]);
    place.write("a.log", vec![1; 900]);
    place.write("b.log", vec![1; 900]);
    place.write("huge", vec![1; 9000]);
    place.write("build/hand-made", "kept: nothing says it is ignored");
    place.write(".git/HEAD", "ours");
    place.write("sub/.git/HEAD", "of a repository within");
    place.write("sub/file", "x");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        place.root.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let limits = SnapshotLimits { file: 8000, ignored_file: 1000, ignored: 1500, ..SnapshotLimits::default() };
    let mut snapshots = Snapshots::open(&place.root, &place.kept, None, limits).unwrap();
    let taken = snapshots.take(&|| false).unwrap();
    let named: Vec<_> = taken.uncovered.iter().map(|left| (left.path.shown(), left.reason)).collect();
    for wanted in [
        ("a.big", Reason::TooLarge),
        ("cache", Reason::BuildFolder),
        ("huge", Reason::TooLarge),
        ("pipe", Reason::Special),
        ("sub/.git", Reason::Repository),
        ("target", Reason::BuildFolder),
        ("web/node_modules", Reason::BuildFolder),
    ] {
        assert!(named.contains(&(wanted.0.to_owned(), wanted.1)), "{wanted:?} in {named:?}");
    }
    assert_eq!(named.iter().filter(|(_, reason)| *reason == Reason::IgnoredTooMuch).count(), 1, "{named:?}");
    assert_eq!(named.len(), 8);
    assert!(snapshots.read(&taken.state).unwrap().contains_key(&RelPath::from("build/hand-made")));
}

#[test]
fn a_changed_ignore_file_is_asked_again() {
    let place = Place::new();
    place.write("dist/app.js", "x");
    let mut snapshots = place.snapshots();
    assert!(snapshots.take(&|| false).unwrap().uncovered.is_empty());
    place.write(".gitignore", "dist/\n");
    let taken = snapshots.take(&|| false).unwrap();
    assert_eq!(taken.uncovered.len(), 1, "{taken:?}");
}

#[test]
fn what_a_repository_ignores_on_this_machine_alone_is_followed() {
    let place = Place::new();
    place.sh("git init -q .; mkdir -p .venv/lib/__pycache__ dist; echo x > .venv/lib/a.py; echo x > dist/app.js");
    let mut snapshots = place.snapshots();
    let names = |snapshots: &mut Snapshots| -> Vec<String> {
        snapshots.take(&|| false).unwrap().uncovered.iter().map(|left| left.path.shown()).collect()
    };
    assert_eq!(names(&mut snapshots), [".venv/lib/__pycache__"]);
    place.sh("echo .venv > .git/info/exclude");
    assert_eq!(names(&mut snapshots), [".venv"], "one line, and nothing of it is kept");
    place.sh("echo dist/ >> .git/info/exclude; echo '!.venv' > .gitignore");
    assert_eq!(names(&mut snapshots), [".venv/lib/__pycache__", "dist"], "a file of the tree says more");
    place.sh("echo > .git/info/exclude; rm .gitignore");
    assert_eq!(names(&mut place.snapshots()), [".venv/lib/__pycache__"], "nor for a new process");
    // In a linked worktree the file lies with the repository.
    place.sh("echo dist/ > .git/info/exclude; mv .git ../repository; echo 'gitdir: ../repository' > .git");
    assert_eq!(names(&mut snapshots), [".venv/lib/__pycache__", "dist"]);
    place.sh("rm .git");
    assert_eq!(names(&mut snapshots), [".venv/lib/__pycache__"]);
}

/// Small bounds, so that small files are too large.
fn narrow(place: &Place) -> Snapshots {
    let limits = SnapshotLimits { file: 1000, ignored_file: 1000, ignored: 1500, ..SnapshotLimits::default() };
    Snapshots::open(&place.root, &place.kept, None, limits).unwrap()
}

#[test]
fn what_a_state_did_not_cover_is_never_taken_for_new() {
    for (what, early, late) in [
        ("a large file became small", "head -c 2000 /dev/zero > f", "echo mine > f"),
        (
            "a folder is no longer ignored",
            "mkdir build; echo mine > build/f; echo build/ > .gitignore",
            "echo > .gitignore",
        ),
        (
            "the repository's own rules went",
            "git init -q .; mkdir build; echo mine > build/f; echo build/ > .git/info/exclude",
            "echo > .git/info/exclude",
        ),
        ("the ignore file went", "mkdir build; echo mine > build/f; echo build/ > .gitignore", "rm .gitignore"),
        (
            "the tag of a cache went",
            "mkdir c; echo 'Signature: 8a477f597d28d172789f06886806bc55' > c/CACHEDIR.TAG; echo mine > c/f",
            "rm c/CACHEDIR.TAG",
        ),
        (
            "room for ignored files",
            "echo '*.log' > .gitignore; head -c 900 /dev/zero > a.log; head -c 900 /dev/zero > b.log",
            "rm a.log; true > b.log",
        ),
        ("a pipe became a file", "mkfifo f", "rm f; echo mine > f"),
    ] {
        let place = Place::new();
        place.sh(early);
        let mut snapshots = narrow(&place);
        let state = snapshots.take(&|| false).unwrap().state;
        place.sh(late);
        let there: Vec<PathBuf> = place.picture().into_keys().collect();
        back(&mut snapshots, &state);
        let after = place.picture();
        for path in there {
            assert!(after.contains_key(&path), "{what}: {path:?} is gone");
        }
    }
}

#[test]
fn what_is_not_covered_now_is_never_overwritten() {
    for (what, early, late, file) in [
        ("a file became large", "echo old > f", "head -c 2000 /dev/zero > f", "f"),
        (
            "a folder is ignored now",
            "mkdir build; echo old > build/f",
            "echo build/ > .gitignore; echo mine > build/f",
            "build/f",
        ),
    ] {
        let place = Place::new();
        place.sh(early);
        let mut snapshots = narrow(&place);
        let state = snapshots.take(&|| false).unwrap().state;
        place.sh(late);
        let mine = fs::read(place.root.join(file)).unwrap();
        let done = back(&mut snapshots, &state);
        assert_eq!(fs::read(place.root.join(file)).unwrap(), mine, "{what}");
        assert!(done.blocked.iter().any(|left| left.path.as_path() == Path::new(file)), "{what}: {done:?}");
    }
}

#[test]
fn what_changed_since_the_look_is_left_alone() {
    let place = Place::new();
    for name in ["edited", "removed", "created"] {
        place.write(name, "one");
    }
    symlink("one", place.root.join("link")).unwrap();
    fs::remove_file(place.root.join("created")).unwrap();
    let mut snapshots = place.snapshots();
    let state = snapshots.take(&|| false).unwrap().state;
    place.sh("echo two > edited; rm removed; echo two > created; ln -sfn two link");
    let now = snapshots.take(&|| false).unwrap().state;
    // While the way back is being worked out, somebody saves each of them.
    place.sh("echo mine > edited; echo mine > removed; echo mine > created; ln -sfn mine link");
    let (target, current) = (snapshots.read(&state).unwrap(), snapshots.read(&now).unwrap());
    let paths: Vec<RelPath> = changes_between(&target, &current).into_iter().collect();
    let before = place.picture();
    let done = snapshots.restore(&now, &target, &paths).unwrap();
    assert_eq!(place.picture(), before);
    assert_eq!(done.blocked.len(), 4, "{done:?}");
}

#[test]
fn a_new_process_does_not_build_on_a_damaged_state() {
    let place = Place::new();
    place.write("a", "x");
    let state = place.snapshots().take(&|| false).unwrap().state;
    fs::write(place.kept.join("blobs").join(&state[..2]).join(&state[2..]), "nonsense").unwrap();
    place.write("b", "y");
    let mut fresh = place.snapshots();
    let taken = fresh.take(&|| false).unwrap();
    assert_eq!(fresh.read(&taken.state).unwrap().len(), 2);
}

#[test]
fn an_ignore_file_that_went_ignores_nothing() {
    let place = Place::new();
    place.write(".gitignore", "dist/\n");
    place.write("dist/app.js", "x");
    let mut snapshots = place.snapshots();
    assert_eq!(snapshots.take(&|| false).unwrap().uncovered.len(), 1);
    fs::remove_file(place.root.join(".gitignore")).unwrap();
    assert_eq!(snapshots.take(&|| false).unwrap().uncovered, []);
    place.write(".gitignore", "dist/\n");
    assert_eq!(snapshots.take(&|| false).unwrap().uncovered.len(), 1);
    fs::remove_file(place.root.join(".gitignore")).unwrap();
    assert_eq!(place.snapshots().take(&|| false).unwrap().uncovered, [], "nor for a new process");
}

#[test]
fn nothing_outside_is_touched() {
    let place = Place::new();
    let outside = place.root.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("f"), "theirs").unwrap();
    place.write("d/f", "ours");
    let mut snapshots = place.snapshots();
    let state = snapshots.take(&|| false).unwrap().state;
    place.sh("rm -rf d && ln -s ../outside d");
    let target = snapshots.read(&state).unwrap();
    // Asked for the file alone, the link in its way stays, and so does what it leads to.
    let now = snapshots.take(&|| false).unwrap().state;
    let done = snapshots.restore(&now, &target, &[RelPath::from("d/f")]).unwrap();
    assert_eq!(done.blocked.len(), 1);
    assert_eq!(fs::read(outside.join("f")).unwrap(), b"theirs");
    back(&mut snapshots, &state);
    assert_eq!(fs::read(place.root.join("d/f")).unwrap(), b"ours");
    assert_eq!(fs::read(outside.join("f")).unwrap(), b"theirs");
}

#[test]
fn folders_that_may_not_be_written_are_filled_and_closed_again() {
    let place = Place::new();
    place.write("locked/f", "x");
    place.sh("chmod 555 locked");
    let mut snapshots = place.snapshots();
    let state = snapshots.take(&|| false).unwrap().state;
    let before = place.picture();
    place.sh("chmod 755 locked; rm locked/f; echo y > locked/g; chmod 555 locked");
    let done = back(&mut snapshots, &state);
    assert_eq!(place.picture(), before);
    assert!(done.blocked.is_empty(), "{done:?}");
    place.sh("chmod 755 locked");
}

#[test]
fn home_and_the_top_are_refused_and_large_trees_too() {
    let place = Place::new();
    let open = |root: &Path, home: &Path| Snapshots::open(root, &place.kept, Some(home), SnapshotLimits::default());
    for (root, home) in [("/", "/nowhere"), ("/usr", "/usr/lib"), ("/usr", "/usr")] {
        assert!(matches!(open(root.as_ref(), home.as_ref()), Err(SnapshotError::NotAProject(_))), "{root}");
    }
    assert!(matches!(open("/proc".as_ref(), "/nowhere".as_ref()), Err(SnapshotError::NotAProject(_))));
    assert!(open(&place.root, place.root.parent().unwrap()).is_ok(), "a project below the home");
    let (link, real) = (place.kept.join("link"), place.root.canonicalize().unwrap());
    std::fs::create_dir_all(&place.kept).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    for (root, home) in [(&real, &link), (&link, &real), (&real, &link.join("below"))] {
        std::fs::create_dir_all(real.join("below")).unwrap();
        assert!(matches!(open(root, home), Err(SnapshotError::NotAProject(_))), "{root:?} {home:?}");
    }
    place.write("a", "");
    place.write("b", "");
    let limits = SnapshotLimits { entries: 1, ..SnapshotLimits::default() };
    let mut small = Snapshots::open(&place.root, &place.kept, None, limits).unwrap();
    assert!(matches!(small.take(&|| false), Err(SnapshotError::TooManyEntries(1))));
    (0..70).for_each(|number| place.write(&format!("f{number}"), ""));
    let limits = SnapshotLimits { patience: std::time::Duration::ZERO, ..SnapshotLimits::default() };
    let mut hasty = Snapshots::open(&place.root, &place.kept, None, limits).unwrap();
    assert!(matches!(hasty.take(&|| false), Err(SnapshotError::TooSlow(_))));
}

#[test]
fn a_lost_or_damaged_state_says_so() {
    let place = Place::new();
    place.write("a", "x");
    let mut snapshots = place.snapshots();
    let state = snapshots.take(&|| false).unwrap().state;
    let blob = place.kept.join("blobs").join(&state[..2]).join(&state[2..]);
    fs::write(&blob, "nonsense").unwrap();
    assert!(matches!(snapshots.read(&state), Err(SnapshotError::Gone(_))));
    fs::remove_file(&blob).unwrap();
    assert!(matches!(snapshots.read(&state), Err(SnapshotError::Gone(_))));
    assert!(matches!(snapshots.read("../../etc"), Err(SnapshotError::Gone(_))));
    // A new process does not tell its states against one that is gone.
    place.write("b", "y");
    let mut fresh = place.snapshots();
    let taken = fresh.take(&|| false).unwrap();
    assert_eq!(fresh.read(&taken.state).unwrap().len(), 2);
}

#[test]
fn a_hundred_small_edits_take_little_room() {
    let place = Place::new();
    for number in 0..400 {
        place.write(&format!("d{}/file-{number}.txt", number % 20), vec![b'x'; 2000]);
    }
    let mut snapshots = place.snapshots();
    snapshots.take(&|| false).unwrap();
    let size = || -> u64 {
        let folders = fs::read_dir(place.kept.join("blobs")).unwrap().flatten();
        folders.flat_map(|fan| fs::read_dir(fan.path()).unwrap().flatten()).map(|f| f.metadata().unwrap().len()).sum()
    };
    let (first, mut written) = (size(), 0);
    for turn in 0..100_u32 {
        let content = format!("{turn}\n").repeat(300);
        written += content.len() as u64;
        place.write(&format!("d{}/file-{}.txt", turn % 20, turn % 400), content);
        snapshots.take(&|| false).unwrap();
    }
    let grown = size() - first;
    assert!(grown <= 2 * written, "{grown} bytes for {written} bytes of changes");
}

#[test]
fn what_no_state_needs_is_collected_but_never_under_a_running_process() {
    let place = Place::new();
    place.write("a", "first");
    let mut snapshots = place.snapshots();
    let first = snapshots.take(&|| false).unwrap().state;
    place.write("a", "second");
    let second = snapshots.take(&|| false).unwrap().state;
    let keep = |states: &[&String], most: u64| {
        let wanted: Vec<Vec<String>> = states.iter().map(|state| vec![(*state).clone()]).collect();
        super::collect(&place.kept, most, false, || Ok::<_, SnapshotError>(wanted)).unwrap()
    };
    assert_eq!(keep(&[&second], u64::MAX), None, "in use");
    drop(snapshots);
    assert_eq!(keep(&[&second], u64::MAX).unwrap().removed, 0, "all of it is young");
    age(&place);
    // The second state is told against the first, so all that goes is nothing; without either, all of it.
    let kept = keep(&[&second], u64::MAX).unwrap();
    assert_eq!(place.snapshots().read(&second).unwrap().len(), 1);
    assert_eq!(kept.removed, 1, "the first content");
    assert!(place.snapshots().content(&place.snapshots().read(&second).unwrap()[&RelPath::from("a")]).is_ok());
    assert_eq!(keep(&[&second, &first], 1).unwrap().kept, 0, "more than fits");
    // What an index vouched for is gone, and so is the index: the next look reads the file again.
    let mut fresh = place.snapshots();
    let taken = fresh.take(&|| false).unwrap();
    let tree = fresh.read(&taken.state).unwrap();
    assert_eq!(fresh.content(&tree[&RelPath::from("a")]).unwrap(), b"second");
}

#[test]
fn what_wanted_states_need_stays_and_nothing_else() {
    let place = Place::new();
    (0..10).for_each(|number| place.write(&format!("f{number}"), format!("first {number}")));
    let mut snapshots = place.snapshots();
    let mut states = Vec::new();
    // More than one whole state, and contents that come back.
    for round in 0..150_u32 {
        place.write(&format!("f{}", round % 10), format!("{} of {}", round % 7, round / 40));
        states.push(snapshots.take(&|| false).unwrap().state);
    }
    let contents = |states: &[String]| -> std::collections::BTreeSet<[u8; 32]> {
        let trees = states.iter().map(|state| place.snapshots().read(state).unwrap());
        trees
            .flat_map(|tree| tree.into_values())
            .filter_map(|entry| match entry {
                TreeEntry::File { content, .. } => Some(content),
                _ => None,
            })
            .collect()
    };
    let pick = |offset: usize| -> Vec<String> { states.iter().skip(offset).step_by(29).cloned().collect() };
    let wanted = [pick(20), pick(3)];
    let (all, needed) = (contents(&states), contents(&wanted.concat()));
    drop(snapshots);
    age(&place);
    super::collect(&place.kept, u64::MAX, false, || Ok::<_, SnapshotError>(wanted.to_vec())).unwrap().unwrap();
    assert_eq!(contents(&wanted.concat()), needed, "every wanted state can be read");
    let blobs = reasonix_store::Blobs::at(&place.kept.join("blobs"));
    for content in all {
        let key = reasonix_store::BlobKey::from_bytes(content);
        assert_eq!(blobs.contains(&key), needed.contains(&content));
    }
}

/// Makes everything that is kept look as if it had been kept long ago.
fn age(place: &Place) {
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(7200);
    let folders = fs::read_dir(place.kept.join("blobs")).unwrap().flatten().map(|fan| fan.path());
    let packs = place.kept.join("packs").exists().then(|| place.kept.join("packs"));
    for blob in folders.chain(packs).flat_map(|folder| fs::read_dir(folder).unwrap().flatten()) {
        fs::File::open(blob.path()).unwrap().set_modified(old).unwrap();
    }
}

/// As many files that a look of them packs, with contents of about 1 KB.
const MANY: u32 = 600;

fn many(place: &Place, word: &str, numbers: std::ops::Range<u32>) {
    numbers
        .for_each(|number| place.write(&format!("d{}/f{number}", number % 9), format!("{word} {number}\n").repeat(90)));
}

fn packs_of(place: &Place) -> Vec<std::path::PathBuf> {
    let mut found: Vec<_> = fs::read_dir(place.kept.join("packs")).unwrap().map(|file| file.unwrap().path()).collect();
    found.sort();
    found
}

#[test]
fn a_look_at_many_files_makes_few_and_brings_each_back() {
    let place = Place::new();
    many(&place, "first", 0..MANY);
    let mut snapshots = place.snapshots();
    let first = snapshots.take(&|| false).unwrap().state;
    assert_eq!(packs_of(&place).len(), 1);
    let before = place.picture();
    many(&place, "second", 0..MANY);
    place.sh("rm -r d1 d2");
    let done = back(&mut snapshots, &first);
    assert_eq!(done.blocked, []);
    assert_eq!(place.picture(), before);
    // Contents that come back are in no third pack.
    assert_eq!(packs_of(&place).len(), 2);
    drop(snapshots);
    restart(&place);
    assert_eq!(place.snapshots().take(&|| false).unwrap().changed, 0);
    assert_eq!(packs_of(&place).len(), 2);
}

#[test]
fn a_pack_that_a_power_cut_damaged_is_kept_again() {
    let place = Place::new();
    many(&place, "first", 0..MANY);
    std::thread::sleep(std::time::Duration::from_millis(150));
    let state = place.snapshots().take(&|| false).unwrap().state;
    let before = place.picture();
    let pack = packs_of(&place).remove(0);
    let whole = fs::read(&pack).unwrap();
    let holed = [&whole[..1000], &vec![0; 200_000], &whole[201_000..]].concat();
    for left in [Vec::new(), whole[..whole.len() / 2].to_vec(), vec![0; whole.len()], holed] {
        fs::write(&pack, left).unwrap();
        restart(&place);
        let mut fresh = place.snapshots();
        assert_eq!(fresh.take(&|| false).unwrap().changed, 0);
        place.sh("rm -r d1 d2");
        assert_eq!(back(&mut fresh, &state).blocked, []);
        assert_eq!(place.picture(), before);
    }
}

#[test]
fn packs_are_counted_and_give_back_their_room() {
    let place = Place::new();
    many(&place, "first", 0..MANY);
    let mut snapshots = place.snapshots();
    let first = snapshots.take(&|| false).unwrap().state;
    place.sh("rm -r d3 d4 d5 d6 d7 d8");
    many(&place, "second", 0..3);
    let keep = |states: &[&String], dry: bool| {
        let wanted: Vec<Vec<String>> = states.iter().map(|state| vec![(*state).clone()]).collect();
        super::collect(&place.kept, u64::MAX, dry, || Ok::<_, SnapshotError>(wanted)).unwrap().unwrap()
    };
    drop(snapshots);
    fs::remove_dir_all(place.kept.join("index")).unwrap();
    let mut snapshots = place.snapshots();
    let second = snapshots.take(&|| false).unwrap().state;
    let before = place.picture();
    drop(snapshots);
    let left = place.kept.join("packs/.pack.0123456789abcdef.tmp");
    fs::write(&left, "half").unwrap();
    age(&place);
    let size = || packs_of(&place).iter().map(|file| reasonix_store::taken_by(&file.metadata().unwrap())).sum::<u64>();
    let whole = size();
    assert!(keep(&[&first, &second], true).bytes > whole / 2);
    assert!(left.exists(), "it was only counted");
    let would = keep(&[&second], true);
    assert_eq!(keep(&[&second], false), would);
    assert!(!left.exists());
    assert!(size() < whole / 4 * 3, "{} of {whole}", size());
    assert!(would.freed > whole / 4, "{would:?}");
    let mut fresh = place.snapshots();
    place.sh("rm -r d0 d1 d2");
    assert_eq!(back(&mut fresh, &second).blocked, []);
    assert_eq!(place.picture(), before);
    drop(fresh);
    age(&place);
    keep(&[], false);
    assert_eq!(packs_of(&place), [] as [std::path::PathBuf; 0]);
}

#[test]
fn many_small_packs_are_joined_and_lose_nothing() {
    let place = Place::new();
    let mut snapshots = place.snapshots();
    let mut states = Vec::new();
    for round in 0..20 {
        many(&place, &format!("round {round}"), 0..300);
        states.push(snapshots.take(&|| false).unwrap().state);
    }
    drop(snapshots);
    assert_eq!(packs_of(&place).len(), 20);
    // A process that another test starts has a copy of our lock for as long as it is not itself yet.
    let keep = || loop {
        let kept = super::collect(&place.kept, u64::MAX, false, || Ok::<_, SnapshotError>(vec![states.clone()]));
        if kept.unwrap().is_some() {
            break;
        }
        std::thread::yield_now();
    };
    keep();
    assert_eq!(packs_of(&place).len(), 20, "what is young is left alone");
    age(&place);
    keep();
    assert_eq!(packs_of(&place).len(), 1);
    let mut fresh = place.snapshots();
    for (round, state) in states.iter().enumerate() {
        let tree = fresh.read(state).unwrap();
        let entry = tree.get(&super::RelPath(b"d2/f290".to_vec())).unwrap();
        assert_eq!(fresh.content(entry).unwrap(), format!("round {round} 290\n").repeat(90).into_bytes());
    }
    assert_eq!(back(&mut fresh, &states[3]).blocked, []);
}

#[test]
fn nobody_can_begin_to_use_what_is_being_collected() {
    let place = Place::new();
    place.write("a", "x");
    place.snapshots().take(&|| false).unwrap();
    let asked = || {
        let lock = fs::File::open(place.kept.join("lock")).unwrap();
        let begun = rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockShared);
        assert_eq!(begun, Err(rustix::io::Errno::WOULDBLOCK), "which states are wanted is asked too early");
        Ok::<_, SnapshotError>(Vec::new())
    };
    assert!(super::collect(&place.kept, u64::MAX, false, asked).unwrap().is_some());
}

#[test]
fn a_content_that_comes_back_is_as_good_as_new() {
    let place = Place::new();
    place.write("a", "first");
    let mut snapshots = place.snapshots();
    snapshots.take(&|| false).unwrap();
    place.write("a", "second");
    let second = snapshots.take(&|| false).unwrap().state;
    age(&place);
    place.write("a", "first");
    let third = snapshots.take(&|| false).unwrap().state;
    drop(snapshots);
    // The third state is not written down yet.
    super::collect(&place.kept, u64::MAX, false, || Ok::<_, SnapshotError>(vec![vec![second]])).unwrap().unwrap();
    let snapshots = place.snapshots();
    let tree = snapshots.read(&third).unwrap();
    assert_eq!(snapshots.content(&tree[&RelPath::from("a")]).unwrap(), b"first");
}

/// Makes the index one of an earlier start of the system.
fn restart(place: &Place) {
    let index = fs::read_dir(place.kept.join("index")).unwrap().next().unwrap().unwrap().path();
    let bytes = fs::read(&index).unwrap();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let at = bytes.windows(36).position(|part| part == boot.trim().as_bytes()).unwrap();
    let mut body = bytes[32..].to_vec();
    body[at - 32] = if body[at - 32] == b'0' { b'1' } else { b'0' };
    fs::write(index, [blake3::hash(&body).as_bytes().as_slice(), &body].concat()).unwrap();
}

#[test]
fn what_a_power_cut_took_of_the_kept_contents_is_kept_again() {
    // What file systems leave of a file that was renamed but not flushed: nothing, a part, or zeros.
    for left in [&b""[..], b"conte", b"\0\0\0\0\0\0\0"] {
        let place = Place::new();
        place.write("a", "content");
        std::thread::sleep(std::time::Duration::from_millis(150));
        let mut snapshots = place.snapshots();
        let state = snapshots.take(&|| false).unwrap().state;
        let entry = snapshots.read(&state).unwrap()[&RelPath::from("a")].clone();
        drop(snapshots);
        let TreeEntry::File { content, .. } = entry else { panic!("a file") };
        let name = reasonix_store::BlobKey::from_bytes(content).to_string();
        fs::write(place.kept.join("blobs").join(&name[..2]).join(&name[2..]), left).unwrap();
        restart(&place);
        let mut fresh = place.snapshots();
        let taken = fresh.take(&|| false).unwrap();
        assert_eq!((taken.state, taken.changed), (state.clone(), 0), "{left:?}");
        place.write("a", "overwritten");
        back(&mut fresh, &state);
        assert_eq!(fs::read(place.root.join("a")).unwrap(), b"content", "{left:?}");
    }
}

/// One piece of damage.
#[derive(Debug, Clone)]
enum Damage {
    Write(u8, Vec<u8>),
    Delete(u8),
    Folder(u8),
    Link(u8, u8),
    Mode(u8, u32),
    Rename(u8, u8),
    RemoveTree(u8),
}

fn damage() -> impl Strategy<Value = Damage> {
    let name = 0..24_u8;
    prop_oneof![
        4 => (name.clone(), prop::collection::vec(any::<u8>(), 0..40)).prop_map(|(at, bytes)| Damage::Write(at, bytes)),
        2 => name.clone().prop_map(Damage::Delete),
        2 => name.clone().prop_map(Damage::Folder),
        1 => (name.clone(), name.clone()).prop_map(|(at, to)| Damage::Link(at, to)),
        2 => (name.clone(), prop::sample::select(vec![0o600, 0o644, 0o755, 0o500, 0o555, 0o400])).prop_map(|(at, mode)| Damage::Mode(at, mode)),
        2 => (name.clone(), name.clone()).prop_map(|(at, to)| Damage::Rename(at, to)),
        1 => name.prop_map(Damage::RemoveTree),
    ]
}

/// Few names, three levels deep, so that files, folders and links often meet in the same place. Some are not UTF-8.
fn name(number: u8) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    let part = |digit: u8| -> Vec<u8> {
        match digit {
            0 => b"a".to_vec(),
            1 => "名字".into(),
            2 => vec![b'n', 0xff],
            _ => b"-rf x".to_vec(),
        }
    };
    let mut path = part(number % 4);
    if number >= 4 {
        path.push(b'/');
        path.extend(part(number / 4 % 4));
    }
    if number >= 16 {
        path.push(b'/');
        path.extend(part(number % 3));
    }
    PathBuf::from(std::ffi::OsString::from_vec(path))
}

fn inflict(root: &Path, damage: &Damage) {
    // Whatever the system refuses is no damage.
    let at = |number: &u8| root.join(name(*number));
    match damage {
        Damage::Write(path, bytes) => drop(fs::write(at(path), bytes)),
        Damage::Delete(path) => drop(fs::remove_file(at(path))),
        Damage::Folder(path) => drop(fs::create_dir_all(at(path))),
        Damage::Link(path, to) => drop(symlink(name(*to), at(path))),
        Damage::Mode(path, mode) => {
            if at(path).symlink_metadata().is_ok_and(|found| !found.is_symlink()) {
                fs::set_permissions(at(path), Permissions::from_mode(*mode)).unwrap();
            }
        }
        Damage::Rename(from, to) => drop(fs::rename(at(from), at(to))),
        Damage::RemoveTree(path) => drop(fs::remove_dir_all(at(path))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_damage_is_taken_back_byte_for_byte(
        first in prop::collection::vec(damage(), 0..40),
        then in prop::collection::vec(damage(), 0..40),
    ) {
        let place = Place::new();
        first.iter().for_each(|damage| inflict(&place.root, damage));
        let mut snapshots = place.snapshots();
        let taken = snapshots.take(&|| false).unwrap();
        let before = place.picture();
        then.iter().for_each(|damage| inflict(&place.root, damage));
        let done = back(&mut snapshots, &taken.state);
        // Whatever is not as it was, the output names: the entry itself or a folder above it.
        let named = |path: &Path| {
            let uncovered = taken.uncovered.iter().map(|left| left.path.as_path().to_owned());
            let blocked = done.blocked.iter().map(|left| left.path.as_path().to_owned());
            uncovered.chain(blocked).any(|left| path.starts_with(&left))
        };
        let after = place.picture();
        for path in before.keys().chain(after.keys()) {
            prop_assert!(before.get(path) == after.get(path) || named(path), "{:?} {:?}", path, done);
        }
        if rustix::process::geteuid().is_root() {
            prop_assert_eq!(before, after);
        }
        fs::set_permissions(&place.root, Permissions::from_mode(0o755)).unwrap();
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn a_state_read_back_is_what_was_scanned(steps in prop::collection::vec(prop::collection::vec(damage(), 0..6), 1..90)) {
        let place = Place::new();
        let mut snapshots = place.snapshots();
        let mut states = Vec::new();
        for step in &steps {
            step.iter().for_each(|damage| inflict(&place.root, damage));
            let taken = snapshots.take(&|| false).unwrap();
            let files = snapshots.read(&taken.state).unwrap().values().filter(|entry| matches!(entry, TreeEntry::File { .. })).count();
            states.push((taken.state, files));
        }
        for (state, files) in states {
            let again = snapshots.read(&state).unwrap().values().filter(|entry| matches!(entry, TreeEntry::File { .. })).count();
            prop_assert_eq!(again, files);
        }
    }
}

#[test]
fn an_ignore_file_that_is_a_pipe_endless_or_too_large_is_not_used() {
    for way in 0..3 {
        let place = Place::new();
        place.write("dist/app.js", "x");
        place.write("sub/a", "x");
        let file = place.root.join(if way == 1 { "sub/.gitignore" } else { ".gitignore" });
        match way {
            0 => rustix::fs::mknodat(rustix::fs::CWD, &file, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap(),
            1 => std::os::unix::fs::symlink("/dev/zero", &file).unwrap(),
            _ => std::fs::write(&file, "dist\n".repeat(300_000)).unwrap(),
        }
        let mut snapshots = place.snapshots();
        let taken = snapshots.take(&|| false).unwrap();
        assert!(snapshots.read(&taken.state).unwrap().contains_key(&RelPath::from("dist/app.js")), "{way}");
    }
}

#[test]
fn a_name_stays_on_one_line() {
    assert_eq!(RelPath::from("a.]\n\nNow \u{1b}[2J").shown(), "a.]\\n\\nNow \\u{1b}[2J");
}

#[test]
fn what_git_tracks_is_covered_whatever_its_rules_and_folders_are_called() {
    let place = Place::new();
    place.sh(
        "git init -q .; printf 'dist\\n*.dat\\nbuild/\\n' > .gitignore; mkdir -p dist/deep build node_modules/a cache; \
         echo src > dist/s.js; echo b > build/b.txt; head -c 3000000 /dev/zero > big.dat; echo m > node_modules/a/m.js; \
         echo 'Signature: 8a477f597d28d172789f06886806bc55' > cache/CACHEDIR.TAG; echo c > cache/c; \
         git add -f .; echo made > dist/made.js; echo made > dist/deep/made.js; echo x > other.dat; mkdir -p out/dist; \
         echo made > out/dist/x; for f in dist/s.js build/b.txt big.dat node_modules/a/m.js cache/c; do echo mine >> $f; done",
    );
    let mut snapshots = place.snapshots();
    let before = snapshots.take(&|| false).unwrap();
    let left: Vec<String> = before.uncovered.iter().map(|left| left.path.shown()).collect();
    assert_eq!(left, ["dist/deep", "dist/made.js", "out/dist"], "what git does not track is left out as ever");
    let picture = place.picture();
    place.sh("rm -r dist/s.js build big.dat node_modules cache");
    let target = snapshots.read(&before.state).unwrap();
    let now = snapshots.take(&|| false).unwrap();
    let current = snapshots.read(&now.state).unwrap();
    let paths: Vec<RelPath> = changes_between(&target, &current).into_iter().collect();
    let done = snapshots.restore(&now.state, &target, &paths).unwrap();
    assert_eq!(done.blocked, []);
    assert_eq!(place.picture(), picture);
    // In another process, and when git has ceased to track them.
    let seen = place.snapshots().take(&|| false).unwrap().state;
    assert_eq!(snapshots.read(&seen).unwrap(), snapshots.read(&done.after).unwrap());
    place.sh("git rm -rqf --cached dist; rm -r dist/s.js");
    let now = snapshots.take(&|| false).unwrap();
    let paths = [RelPath::from("dist/s.js")];
    let done = snapshots.restore(&now.state, &target, &paths).unwrap();
    assert_eq!((done.blocked.len(), done.changed.len()), (0, 1), "{done:?}");
    assert_eq!(place.picture(), picture);
}

#[test]
fn what_git_tracks_is_known_below_the_top_of_its_repository() {
    let place = Place::new();
    place.sh(
        "git init -q .; echo '*.dat' > .gitignore; mkdir -p sub; head -c 2000000 /dev/zero > sub/a.dat; git add -f .",
    );
    let root = place.root.join("sub");
    let mut snapshots = Snapshots::open(&root, &place.kept, None, SnapshotLimits::default()).unwrap();
    fs::write(root.join(".gitignore"), "*.dat\n").unwrap();
    assert_eq!(snapshots.take(&|| false).unwrap().uncovered, []);
}

#[test]
fn temporary_files_of_dead_processes_go_and_are_never_part_of_a_state() {
    let place = Place::new();
    place.write("src/a", "mine");
    let mut snapshots = place.snapshots();
    let before = snapshots.take(&|| false).unwrap();
    let dead = |end: &str, number: u32| {
        let ours = crate::leftover::name(crate::leftover::Holds::Ours);
        format!("src/{}{:08x}{number:016x}.{end}", &ours[..18], u32::MAX)
    };
    let living = format!("src/{}", crate::leftover::name(crate::leftover::Holds::Ours));
    let (made, kept, only) = (dead("tmp", 1), dead("old", 2), dead("old", 3));
    symlink("a", place.root.join(dead("tmp", 4))).unwrap();
    for (name, text) in [(&made, "half"), (&kept, "mine"), (&only, "the only copy"), (&living, "")] {
        place.write(name, text);
    }
    let after = snapshots.take(&|| false).unwrap();
    assert_eq!(after.changed, 1, "what may be the only copy is a file like others");
    assert!(snapshots.read(&after.state).unwrap().contains_key(&RelPath::from(only.as_str())));
    let mut left: Vec<String> = place.picture().keys().map(|path| path.display().to_string()).collect();
    left.retain(|path| path.starts_with("src/."));
    let mut wanted = vec![only, living];
    wanted.sort();
    assert_eq!(left, wanted);
    assert_ne!(before.state, after.state);
}
