use super::{PackWriter, Packs};
use crate::{BlobError, BlobKey};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

fn keep(writer: &mut PackWriter, bytes: &[u8]) -> BlobKey {
    let key = BlobKey::of(bytes);
    if !writer.has(&key, bytes) {
        writer.append(key, bytes).unwrap();
    }
    key
}

fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.to_string_lossy().ends_with(end)).collect()
}

fn number(number: u32) -> Vec<u8> {
    format!("{number}\n").repeat(number as usize % 50).into_bytes()
}

#[test]
fn what_is_packed_is_had_back_once_and_bounded() {
    let root = tempfile::tempdir().unwrap();
    let packs = Packs::at(&root.path().join("packs"));
    assert!(matches!(packs.get(&BlobKey::of(b"x"), 9), Err(BlobError::Missing)));
    let mut writer = packs.writer().unwrap();
    let keys: Vec<BlobKey> = (0..300).map(|n| keep(&mut writer, &number(n))).collect();
    assert!(matches!(packs.get(&keys[7], 99), Err(BlobError::Missing)), "it is not finished");
    writer.finish().unwrap();
    for (n, key) in (0..300).zip(&keys) {
        assert_eq!(packs.get(key, u64::MAX).unwrap(), number(n));
    }
    assert!(matches!(packs.get(&keys[9], 5), Err(BlobError::TooLarge { size: 18, limit: 5 })));
    assert!(matches!(packs.get(&BlobKey::of(b"x"), 9), Err(BlobError::Missing)));
    // Another look keeps nothing twice, and makes what it met young.
    let path = files(&root.path().join("packs"), ".pack").remove(0);
    let old = SystemTime::now() - Duration::from_secs(7200);
    std::fs::File::open(&path).unwrap().set_modified(old).unwrap();
    let mut again = packs.writer().unwrap();
    (0..300).for_each(|n| _ = keep(&mut again, &number(n)));
    again.finish().unwrap();
    assert_eq!(files(&root.path().join("packs"), "").len(), 1);
    assert!(packs.all().unwrap()[0].age < Duration::from_secs(3600));
}

#[test]
fn a_look_that_is_called_off_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let packs = Packs::at(root.path());
    let mut writer = packs.writer().unwrap();
    keep(&mut writer, b"content");
    drop(writer);
    assert_eq!(files(root.path(), "").len(), 0);
}

#[test]
fn a_pack_that_is_cut_or_damaged_anywhere_gives_right_bytes_or_none_and_is_kept_again() {
    let root = tempfile::tempdir().unwrap();
    let packs = Packs::at(root.path());
    let mut writer = packs.writer().unwrap();
    let keys: Vec<BlobKey> = (0..9).map(|n| keep(&mut writer, &number(n))).collect();
    writer.finish().unwrap();
    let path = files(root.path(), ".pack").remove(0);
    let whole = std::fs::read(&path).unwrap();
    let damaged = (0..whole.len()).flat_map(|at| {
        let (mut zeros, mut other) = (whole.clone(), whole.clone());
        zeros[at..].fill(0);
        other[at] ^= 0x55;
        [whole[..at].to_vec(), zeros, other]
    });
    for bytes in damaged {
        std::fs::write(&path, &bytes).unwrap();
        for (n, key) in (0..9).zip(&keys) {
            if let Ok(there) = packs.get(key, u64::MAX) {
                assert_eq!(there, number(n));
            }
        }
        let mut again = packs.writer().unwrap();
        (0..9).for_each(|n| _ = keep(&mut again, &number(n)));
        again.finish().unwrap();
        for (n, key) in (0..9).zip(&keys) {
            assert_eq!(packs.get(key, u64::MAX).unwrap(), number(n));
        }
        files(root.path(), ".pack")
            .iter()
            .filter(|other| **other != path)
            .for_each(|other| std::fs::remove_file(other).unwrap());
    }
}

#[test]
fn a_pack_is_made_anew_with_what_is_wanted() {
    let root = tempfile::tempdir().unwrap();
    let packs = Packs::at(root.path());
    let mut writer = packs.writer().unwrap();
    let keys: Vec<BlobKey> = (1..9).map(|n| keep(&mut writer, &number(n))).collect();
    writer.finish().unwrap();
    let pack = packs.all().unwrap().remove(0);
    assert_eq!(pack.contents().map(|(_, length)| length).sum::<u64>(), (1..9).map(|n| 2 * n).sum::<u64>());
    packs.rewrite(std::slice::from_ref(&pack), &|key| keys[..3].contains(key)).unwrap();
    assert_eq!(files(root.path(), "").len(), 1);
    for (n, key) in (1..9).zip(&keys) {
        assert_eq!(packs.get(key, 99).is_ok(), n < 4, "{n}");
    }
}

#[test]
fn another_pack_is_begun_when_one_is_large() {
    let root = tempfile::tempdir().unwrap();
    let packs = Packs::at(root.path());
    let mut writer = packs.writer().unwrap();
    writer.largest = 100;
    let keys: Vec<BlobKey> = (0..60).map(|n| keep(&mut writer, &number(n))).collect();
    assert!(packs.all().unwrap().len() > 5);
    writer.finish().unwrap();
    for (n, key) in (0..60).zip(&keys) {
        assert_eq!(packs.get(key, u64::MAX).unwrap(), number(n));
    }
}

/// The child of the test below: packs without end, and a line for each that is finished.
#[test]
#[ignore = "started by another test"]
fn packs_without_end() {
    let Some(folder) = std::env::var_os("REASONIX_TEST_PACKS") else { return };
    let packs = Packs::at(Path::new(&folder));
    for round in 0_u32.. {
        let mut writer = packs.writer().unwrap();
        (0..40).for_each(|n| _ = keep(&mut writer, &number(round * 40 + n)));
        writer.finish().unwrap();
        eprintln!("done {round}");
    }
}

#[test]
fn killed_anywhere_every_pack_that_was_finished_is_whole_and_every_other_is_a_leftover() {
    for kill in 0..12_u32 {
        let root = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "packs::tests::packs_without_end"])
            .env("REASONIX_TEST_PACKS", root.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
        let lines = told.by_ref().map_while(Result::ok).filter(|line| line.starts_with("done")).take(kill as usize + 1);
        assert_eq!(lines.count(), kill as usize + 1);
        // Somewhere in the next packs: a different number of steps each time.
        (0..kill * 20_000).for_each(|step| _ = std::hint::black_box(step));
        child.kill().unwrap();
        child.wait().unwrap();
        let rest = told.map_while(Result::ok).filter(|line| line.starts_with("done")).count();
        let finished = kill + 1 + u32::try_from(rest).unwrap();
        let packs = Packs::at(root.path());
        for n in 0..finished * 40 {
            assert_eq!(packs.get(&BlobKey::of(&number(n)), u64::MAX).unwrap(), number(n), "{kill} {n}");
        }
        for pack in packs.all().unwrap() {
            assert!(pack.contents().count() > 0, "a pack with a name is whole");
        }
        assert!(packs.leftovers().unwrap().len() <= 1);
        assert_eq!(files(root.path(), "").len(), packs.all().unwrap().len() + packs.leftovers().unwrap().len());
    }
}

#[test]
fn hundreds_of_packs_need_few_open_files() {
    let root = tempfile::tempdir().unwrap();
    let packs = Packs::at(root.path());
    for n in 1..=40 {
        let mut writer = packs.writer().unwrap();
        keep(&mut writer, &number(n));
        writer.finish().unwrap();
    }
    // The system names open files by where they really lie.
    let real = root.path().canonicalize().unwrap();
    let open = || {
        let files = std::fs::read_dir("/proc/self/fd").unwrap();
        let links = files.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
        links.filter(|link| link.starts_with(&real)).count()
    };
    let mut writer = packs.writer().unwrap();
    assert_eq!(open(), 0, "to know what is there keeps nothing open");
    let mut most = 0;
    for round in 0..2 {
        for n in 1..=40 {
            assert!(writer.has(&BlobKey::of(&number(n)), &number(n)), "{round} {n}");
            most = most.max(open());
            assert!(most <= super::OPEN, "{round} {n}");
        }
    }
    assert!(most > 0, "what is open is found");
}

#[test]
fn several_packs_become_one() {
    let root = tempfile::tempdir().unwrap();
    let packs = Packs::at(root.path());
    for round in 0..6_u32 {
        let mut writer = packs.writer().unwrap();
        (0..10).for_each(|n| _ = keep(&mut writer, &number(round * 10 + n)));
        writer.finish().unwrap();
    }
    let all = packs.all().unwrap();
    assert_eq!(all.len(), 6);
    let gone = BlobKey::of(&number(33));
    packs.rewrite(&all, &|key| *key != gone).unwrap();
    assert_eq!((packs.all().unwrap().len(), files(root.path(), "").len()), (1, 1));
    for n in (0..60).filter(|n| *n != 33) {
        assert_eq!(packs.get(&BlobKey::of(&number(n)), u64::MAX).unwrap(), number(n), "{n}");
    }
    assert!(packs.get(&gone, 99).is_err());
    // All of one is wanted: its name is the same, and it stays.
    let all = packs.all().unwrap();
    packs.rewrite(&all, &|_| true).unwrap();
    assert_eq!(packs.get(&BlobKey::of(&number(7)), 99).unwrap(), number(7));
}
