//! Children that live on, against real processes: their pipes, their limits, and their end in every way there is.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests fail by panicking")]

mod place;

use place::Place;
use reasonix_exec::{
    Bounds, BoxOptions, Caches, Child, ChildOptions, Command, Confinement, EndStatus, Environment, ExecError, Exposed,
    Keep, LimitHit, Masked, OnStderr, Sandbox, SandboxLevel, spawn,
};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const MIB: u64 = 1024 * 1024;
/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);

/// A child that ignores SIGTERM, one in a session of its own, and a daemon twice forked away.
const TREE: &str = "bash -c 'trap \"\" TERM; while :; do sleep 1000; done' &
    setsid bash -c 'sleep 1000; true' &
    (setsid bash -c '(trap \"\" TERM HUP; exec sleep 1000) & exit' &)";

fn boxed(options: BoxOptions) -> Option<Confinement> {
    place::full(options).map(Confinement::Boxed)
}

/// Without a box, and in one where there is one.
fn everywhere(place: &Place) -> Vec<Confinement> {
    std::iter::once(Confinement::None).chain(boxed(place.options())).collect()
}

fn line(place: &Place, confinement: &Confinement, text: &str) -> Command {
    Command::shell(Path::new("/bin/bash"), text, &place.work.path().canonicalize().unwrap())
        .with_environment(place.environment())
        .with_confinement(confinement.clone())
}

async fn child(place: &Place, confinement: &Confinement, text: &str) -> Child {
    spawn(&line(place, confinement, text), ChildOptions::default()).await.unwrap()
}

async fn bounded(bounds: Bounds, text: &str) -> Child {
    let command = Command::shell(Path::new("/bin/bash"), text, Path::new("/"))
        .with_environment(Environment::inherited(&[]))
        .with_bounds(bounds);
    spawn(&command, ChildOptions::default()).await.unwrap()
}

/// Reads what comes next, which is to be this.
async fn expect(child: &mut Child, wanted: &str) {
    let mut read = vec![0; wanted.len()];
    child.stdout.as_mut().unwrap().read_exact(&mut read).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&read), wanted);
}

async fn tell(child: &mut Child, text: &str) {
    child.stdin.as_mut().unwrap().write_all(text.as_bytes()).await.unwrap();
}

/// Everything that is still to come.
async fn rest(child: &mut Child) -> String {
    let mut read = Vec::new();
    child.stdout.as_mut().unwrap().read_to_end(&mut read).await.unwrap();
    String::from_utf8(read).unwrap()
}

/// A pipe with a name: reading it ends when the last process that holds it has ended.
fn fifo(folder: &Path) -> PathBuf {
    let path = folder.join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

#[tokio::test]
async fn what_is_written_comes_back() {
    let place = Place::new();
    for confinement in everywhere(&place) {
        let mut cat = child(&place, &confinement, "exec cat").await;
        for text in ["one\n", "two\n"] {
            tell(&mut cat, text).await;
            expect(&mut cat, text).await;
        }
        drop(cat.stdin.take());
        assert_eq!(rest(&mut cat).await, "");
        let ended = cat.wait().await;
        assert_eq!((ended.status, ended.hit, ended.leftovers_killed), (EndStatus::Exited(0), None, false));
        assert_eq!(cat.close(LONG).await.status, EndStatus::Exited(0), "it has ended already");
    }
}

#[tokio::test]
async fn stderr_is_apart_and_bounded() {
    let place = Place::new();
    let heard = Arc::new(Mutex::new(0));
    let count = Arc::clone(&heard);
    let on_stderr = Some(OnStderr(Arc::new(move |bytes: &[u8]| *count.lock().unwrap() += bytes.len())));
    let options = ChildOptions { stderr: Keep { head: 5, tail: 1000 }, on_stderr, ..ChildOptions::default() };
    let text = "echo first >&2; head -c 10M /dev/zero | tr '\\0' x >&2; echo last >&2; echo out";
    let mut talks = spawn(&line(&place, &Confinement::None, text), options).await.unwrap();
    assert_eq!(rest(&mut talks).await, "out\n", "nobody has to read stderr");
    talks.wait().await;
    let kept = talks.stderr();
    assert_eq!((kept.total(), kept.dropped()), (10 * MIB + 11, 10 * MIB + 11 - 1005));
    let (head, tail) = kept.into_parts();
    assert!(head == b"first" && tail.ends_with(b"xlast\n"), "{}", String::from_utf8_lossy(&tail));
    assert_eq!(*heard.lock().unwrap() as u64, 10 * MIB + 11, "and somebody can see all of it");
}

fn most_memory() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() * 1024
}

/// In a process of its own, whose memory is nobody else's.
#[test]
fn one_that_writes_more_than_is_read_waits() {
    alone("inside_a_flood");
}

#[tokio::test]
#[ignore = "run by the test above"]
async fn inside_a_flood() {
    let place = Place::new();
    let mut flood = child(&place, &Confinement::None, "head -c 100M /dev/zero; echo done >&2").await;
    let before = most_memory();
    let mut out = flood.stdout.take().unwrap();
    let (mut left, mut piece) = (100 * MIB, vec![0; 64 * 1024]);
    while left > 0 {
        // Many turns for whoever would read ahead.
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        left -= out.read(&mut piece).await.unwrap() as u64;
        assert!(left < 2 * MIB || flood.stderr().total() == 0, "it ended with {left} bytes unread");
    }
    assert_eq!(out.read(&mut piece).await.unwrap(), 0);
    assert_eq!(flood.wait().await.status, EndStatus::Exited(0));
    assert!(most_memory() - before < 20 * MIB, "{} more", most_memory() - before);
}

/// Runs one ignored test of this program in a process of its own.
fn alone(test: &str) {
    let me = std::env::current_exe().unwrap();
    let out = std::process::Command::new(me).args(["--ignored", "--exact", test]).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&out.stderr));
}

#[tokio::test]
async fn dropping_it_ends_the_whole_tree() {
    let place = Place::new();
    for confinement in everywhere(&place) {
        let path = fifo(place.work.path());
        let held = path.clone();
        let reader = tokio::task::spawn_blocking(move || File::open(held).unwrap().read_to_end(&mut vec![]).unwrap());
        let text = format!("exec 9>{}\n{TREE}\necho up; sleep 1000; true", path.canonicalize().unwrap().display());
        let mut tree = child(&place, &confinement, &text).await;
        expect(&mut tree, "up\n").await;
        let (ended, stdin, mut stdout) = (tree.ended(), tree.stdin.take(), tree.stdout.take().unwrap());
        drop(tree);
        assert_eq!(reader.await.unwrap(), 0, "every holder of the pipe has ended");
        assert_eq!(ended.await.status, EndStatus::Cancelled);
        assert_eq!(stdout.read(&mut [0]).await.unwrap(), 0, "and its pipes keep nothing alive");
        drop(stdin);
        fs::remove_file(path).unwrap();
    }
}

/// The end of the runtime is the end of what was spawned on it.
#[test]
fn the_end_of_the_runtime_ends_it() {
    let place = Place::new();
    let path = fifo(place.work.path());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let text = format!("exec 9>{}\n{TREE}\nsleep 1000; true", path.display());
    let tree = runtime.block_on(child(&place, &Confinement::None, &text));
    let mut reader = File::open(path).unwrap();
    drop(runtime);
    assert_eq!(reader.read_to_end(&mut vec![]).unwrap(), 0, "every holder of the pipe has ended");
    let another = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    assert_eq!(another.block_on(tree.wait()).status, EndStatus::Cancelled, "who asks is not left waiting");
}

/// The same test in a process of its own plays the agent that is killed.
#[test]
fn a_killed_agent_leaves_no_child() {
    if let Some(folder) = std::env::var_os("EXEC_TEST_FOLDER") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(agent(&PathBuf::from(folder)));
        panic!("the child ended by itself");
    }
    for level in ["off", "full"] {
        let folder = tempfile::tempdir().unwrap();
        let path = fifo(folder.path());
        let temporary = folder.path().join("tmp");
        fs::create_dir_all(folder.path().join("work")).unwrap();
        fs::create_dir(&temporary).unwrap();
        let mut agent = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "a_killed_agent_leaves_no_child"])
            .env("EXEC_TEST_FOLDER", folder.path().canonicalize().unwrap())
            .env("EXEC_TEST_LEVEL", level)
            .env("TMPDIR", temporary)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut reader = File::open(&path).unwrap();
        let mut up = [0; 3];
        reader.read_exact(&mut up).unwrap();
        agent.kill().unwrap();
        agent.wait().unwrap();
        assert_eq!(reader.read_to_end(&mut vec![]).unwrap(), 0, "every holder of the pipe has ended");
    }
}

async fn agent(folder: &Path) {
    // Should it fail, the one who reads hears the end.
    let _held = File::options().write(true).open(folder.join("fifo")).unwrap();
    let work = folder.join("work");
    fs::rename(folder.join("fifo"), work.join("fifo")).unwrap();
    let options = BoxOptions {
        writable: vec![work.clone()],
        opened: Vec::new(),
        readable: vec![],
        closed: vec![],
        shown: vec![],
        masked: None,
        linked: None,
        fixed: None,
        caches: Caches::Session,
        network: false,
        quarantine: folder.join("state/quarantine"),
        environment: Environment::inherited(&[]),
    };
    let wanted = std::env::var("EXEC_TEST_LEVEL").unwrap() == "full";
    let confinement = if wanted { boxed(options).unwrap_or_default() } else { Confinement::None };
    let text = format!("exec 9>fifo\n{TREE}\necho up >&9; sleep 1000; true");
    let command = Command::shell(Path::new("/bin/bash"), &text, &work)
        .with_environment(Environment::inherited(&[]))
        .with_confinement(confinement);
    spawn(&command, ChildOptions::default()).await.unwrap().wait().await;
}

#[tokio::test]
async fn a_memory_hog_is_ended_and_it_is_said() {
    let place = Place::new();
    for confinement in everywhere(&place) {
        // Without a line's end it has to keep everything, and nobody reads what it writes then.
        let command = line(&place, &confinement, "head -c 400M /dev/zero | tail; sleep 1000")
            .with_bounds(Bounds { memory: 128 * MIB, ..Bounds::NONE });
        let hog = spawn(&command, ChildOptions::default()).await.unwrap();
        let ended = hog.wait().await;
        assert_eq!((ended.status, ended.hit), (EndStatus::Bounded, Some(LimitHit::Memory(128 * MIB))));
    }
}

#[tokio::test]
async fn too_many_processes_are_ended_and_it_is_said() {
    let bounds = Bounds { processes: 50, ..Bounds::NONE };
    let many = bounded(bounds, "for i in {1..100}; do sleep 1000 & done; wait").await;
    let ended = many.wait().await;
    assert_eq!((ended.status, ended.hit), (EndStatus::Bounded, Some(LimitHit::Processes(50))));
}

#[tokio::test]
async fn too_much_output_is_ended_and_it_is_said() {
    let bounds = Bounds { output: MIB, ..Bounds::NONE };
    let mut flood = bounded(bounds, "yes").await;
    let read = rest(&mut flood).await.len() as u64;
    let ended = flood.wait().await;
    assert_eq!((ended.status, ended.hit), (EndStatus::Bounded, Some(LimitHit::Output(MIB))));
    assert!(read > MIB, "{read}");
    let ended = bounded(bounds, "yes >&2").await.wait().await;
    assert_eq!((ended.status, ended.hit), (EndStatus::Bounded, Some(LimitHit::Output(MIB))));
}

#[tokio::test]
async fn time_may_be_limited() {
    let place = Place::new();
    let sleeps = line(&place, &Confinement::None, "sleep 1000");
    let short = sleeps.clone().with_timeout(Some(Duration::from_millis(100)));
    let idle = ChildOptions { idle: Some(Duration::from_millis(100)), ..ChildOptions::default() };
    for (command, options) in [(short, ChildOptions::default()), (sleeps, idle)] {
        let ended = spawn(&command, options).await.unwrap().wait().await;
        assert_eq!(ended.status, EndStatus::TimedOut);
        assert!(ended.took >= Duration::from_millis(100));
    }
}

#[tokio::test]
async fn closing_lets_it_end_by_itself() {
    let place = Place::new();
    for confinement in everywhere(&place) {
        let mut polite = child(&place, &confinement, "while read x; do :; done; echo bye; exit 3").await;
        // Whoever has its stdin does not stand in the way.
        let mut stdin = polite.stdin.take().unwrap();
        let ended = polite.close(LONG).await;
        assert_eq!(ended.status, EndStatus::Exited(3));
        assert_eq!(rest(&mut polite).await, "bye\n", "what it said last can still be read");
        let error = stdin.write_all(b"x").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    }
}

#[tokio::test]
async fn closing_asks_and_then_kills() {
    let place = Place::new();
    for confinement in everywhere(&place) {
        let mut asked = child(&place, &confinement, "trap 'echo asked; exit' TERM; echo up; while :; do :; done").await;
        expect(&mut asked, "up\n").await;
        // It is asked at once, and then has as long as it needs; a grace that is cut short does not begin anew.
        let _ = tokio::time::timeout(Duration::ZERO, asked.close(LONG)).await;
        assert_eq!(asked.close(Duration::ZERO).await.status, EndStatus::Cancelled);
        let mut deaf = child(&place, &confinement, "trap '' TERM; echo up; while :; do sleep 1000; done").await;
        expect(&mut deaf, "up\n").await;
        let grace = Duration::from_millis(700);
        let ended = deaf.close(grace).await;
        assert_eq!(ended.status, EndStatus::Cancelled);
        assert!(ended.took >= grace * 2, "it has the grace twice: {:?}", ended.took);
        assert_eq!(rest(&mut deaf).await, "");
    }
}

/// Who waits to write to one that does not read hears that it was closed.
#[tokio::test]
async fn a_writer_that_waits_is_woken() {
    let place = Place::new();
    let mut deaf = child(&place, &Confinement::None, "trap '' TERM; echo up; sleep 1000; true").await;
    expect(&mut deaf, "up\n").await;
    let mut stdin = deaf.stdin.take().unwrap();
    let ended = deaf.ended();
    let writer = tokio::spawn(async move { stdin.write_all(&vec![b'x'; 10 << 20]).await.unwrap_err().kind() });
    let _ = tokio::time::timeout(Duration::from_millis(50), deaf.close(LONG)).await;
    assert_eq!(writer.await.unwrap(), ErrorKind::BrokenPipe);
    assert!(deaf.has_ended().is_none(), "it still has its grace");
    drop(deaf);
    assert_eq!(ended.await.status, EndStatus::Cancelled);
}

#[tokio::test]
async fn one_that_ends_at_once() {
    let place = Place::new();
    for confinement in everywhere(&place) {
        let mut short = child(&place, &confinement, "exit 4").await;
        assert_eq!(short.ended().await.status, EndStatus::Exited(4));
        assert_eq!(short.wait().await.status, EndStatus::Exited(4), "it can be asked again");
        assert_eq!(short.has_ended().unwrap().status, EndStatus::Exited(4));
        assert_eq!(rest(&mut short).await, "");
        assert_eq!(refused_write(&mut short).await, ErrorKind::BrokenPipe);
    }
}

/// The kernel's word for it, from one that lives and reads no more.
#[tokio::test]
async fn writing_to_one_that_reads_no_more_is_an_error() {
    let place = Place::new();
    let mut deaf = child(&place, &Confinement::None, "exec <&-; echo deaf; sleep 1000").await;
    expect(&mut deaf, "deaf\n").await;
    assert_eq!(refused_write(&mut deaf).await, ErrorKind::BrokenPipe);
}

/// How the kernel refuses what is written to one that reads no more. Not always at once: a process that another test is just
/// starting has every pipe of this one open, until it is the program that it will be.
async fn refused_write(child: &mut Child) -> ErrorKind {
    let stdin = child.stdin.as_mut().unwrap();
    loop {
        match tokio::time::timeout(LONG, stdin.write_all(b"hello")).await.unwrap() {
            Ok(()) => tokio::time::sleep(Duration::from_millis(5)).await,
            Err(error) => return error.kind(),
        }
    }
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    let place = Place::new();
    for confinement in everywhere(&place) {
        let start = async |command: Command| {
            spawn(&command.with_confinement(confinement.clone()), ChildOptions::default()).await.unwrap_err()
        };
        let none: [&str; 0] = [];
        let error = start(Command::program("/no/such/program", none, Path::new("/"))).await;
        assert!(matches!(error, ExecError::NoProgram { .. }), "{error}");
        let error = start(Command::program("/bin/true", none, Path::new("/no/such/folder"))).await;
        assert!(matches!(error, ExecError::NoFolder { .. }), "{error}");
        let error = start(Command::program("/etc/passwd", none, Path::new("/"))).await;
        assert!(matches!(error, ExecError::Start { .. }), "{error}");
        let long = "x".repeat(200 * 1024);
        let error = start(Command::shell(Path::new("/bin/bash"), &long, Path::new("/"))).await;
        assert!(matches!(error, ExecError::Start { .. }), "{error}");
    }
    let refused = Confinement::Refused { wanted: SandboxLevel::Full, reason: "a test".to_owned() };
    let error = spawn(&line(&place, &refused, "true"), ChildOptions::default()).await.unwrap_err();
    assert!(matches!(error, ExecError::NoSandbox { .. }), "{error}");
}

#[tokio::test]
async fn twenty_at_once() {
    let place = Place::new();
    for confinement in everywhere(&place) {
        let mut all = Vec::new();
        for _ in 0..20 {
            all.push(child(&place, &confinement, "while read x; do echo $x; done; exit 9").await);
        }
        for (number, one) in all.iter_mut().enumerate() {
            tell(one, &format!("{number}\n")).await;
        }
        for (number, one) in all.iter_mut().enumerate().rev() {
            expect(one, &format!("{number}\n")).await;
        }
        for one in &all {
            assert_eq!(one.close(LONG).await.status, EndStatus::Exited(9));
        }
    }
}

/// In a process of its own, whose descriptors are nobody else's.
#[test]
fn nothing_is_left_open() {
    alone("inside_a_count_of_descriptors");
}

#[test]
#[ignore = "run by the test above"]
fn inside_a_count_of_descriptors() {
    let place = Place::new();
    let confinements = everywhere(&place);
    let descriptors = || {
        let all = fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| fs::read_link(entry.unwrap().path()).ok());
        let mut all: Vec<PathBuf> = all.collect();
        all.sort();
        all
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let some = |times: usize| {
        for number in 0..times {
            for confinement in &confinements {
                let text = if number % 2 == 0 { "exec cat" } else { "exec no-such-program" };
                // Without limits nobody looks at it, with files open for a moment.
                let command = line(&place, confinement, text).with_bounds(Bounds::NONE);
                let one = runtime.block_on(spawn(&command, ChildOptions::default())).unwrap();
                runtime.block_on(one.close(LONG));
            }
            let missing = Command::program("/no/such/program", [""; 0], Path::new("/"));
            runtime.block_on(spawn(&missing, ChildOptions::default())).unwrap_err();
        }
    };
    some(1);
    let before = descriptors();
    some(50);
    assert_eq!(descriptors(), before);
}

/// Somebody who escaped with the pipe has nobody wait for them.
#[tokio::test]
async fn the_end_is_seen_though_somebody_else_holds_the_pipe() {
    let place = Place::new();
    let path = fifo(place.work.path());
    let text = format!("setsid bash -c 'echo held; read x <{}' & read x; kill -9 $PPID; sleep 1000", path.display());
    let mut escapes = child(&place, &Confinement::None, &text).await;
    expect(&mut escapes, "held\n").await;
    tell(&mut escapes, "\n").await;
    assert_eq!(rest(&mut escapes).await, "");
    assert_eq!(escapes.wait().await.status, EndStatus::Signalled(9));
    fs::write(path, "go\n").unwrap();
}

/// One that only reads sees what becomes of the files, and changes none.
#[tokio::test]
async fn a_held_child_sees_files_as_they_become() {
    let place = Place::new();
    let Some(Confinement::Boxed(sandbox)) = boxed(place.options()) else { return };
    let held = Confinement::Boxed(sandbox).held().unwrap();
    let work = place.work.path();
    fs::write(work.join("f"), "old\n").unwrap();
    let mut reads = child(&place, &held, "while read x; do cat f; echo x 2>&- >made || echo refused; done").await;
    tell(&mut reads, "\n").await;
    expect(&mut reads, "old\nrefused\n").await;
    fs::write(work.join("g"), "new\n").unwrap();
    fs::rename(work.join("g"), work.join("f")).unwrap();
    tell(&mut reads, "\n").await;
    expect(&mut reads, "new\nrefused\n").await;
    assert_eq!(reads.close(LONG).await.status, EndStatus::Exited(0));
    assert!(!work.join("made").exists());
}

#[tokio::test]
async fn protected_files_that_it_made_are_moved_aside() {
    let place = Place::new();
    let Some(confinement) = boxed(place.options()) else { return };
    let made = child(&place, &confinement, "echo 'touch x' > .envrc; read x").await;
    let ended = made.close(LONG).await;
    assert_eq!(ended.quarantined.len(), 1, "{ended:?}");
    assert!(!place.work.path().join(".envrc").exists());
}

/// Plants what git, direnv and editors would run: `sub` is a repository.
const PLANTS: &str = "printf '[core]\\n\\tfsmonitor = evil\\n' > sub/.git/config; printf '#!/bin/sh\\n' > sub/.git/hooks/post-checkout; \
                      chmod +x sub/.git/hooks/post-checkout; echo evil > .envrc; mkdir -p .vscode; echo {} > .vscode/tasks.json; \
                      echo planted; read x";

fn repository(work: &Path) {
    fs::create_dir_all(work.join("sub/.git/hooks")).unwrap();
    fs::write(work.join("sub/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(work.join("sub/.git/config"), HARMLESS).unwrap();
}

const HARMLESS: &str = "[core]\n\tbare = false\n";

/// Nothing of what was planted is there.
fn assert_clean(work: &Path) {
    assert_eq!(fs::read_to_string(work.join("sub/.git/config")).unwrap(), HARMLESS);
    for gone in ["sub/.git/hooks/post-checkout", ".envrc", ".vscode"] {
        assert!(!work.join(gone).exists(), "{gone}");
    }
}

/// What one of them plants is not what was there before the next.
#[tokio::test]
async fn c2_of_commands_that_overlap_what_stood_before_the_first_counts() {
    let place = Place::new();
    let work = place.work.path();
    let Some(confinement) = boxed(place.options()) else { return };
    repository(work);
    let again = format!("echo up; read x; {PLANTS}");
    let mut first = child(&place, &confinement, PLANTS).await;
    expect(&mut first, "planted\n").await;
    let mut second = child(&place, &confinement, &again).await;
    expect(&mut second, "up\n").await;
    assert_eq!(first.close(LONG).await.quarantined.len(), 4);
    assert_clean(work);
    // The first is over, and counts all the same: the second has taken over.
    let mut third = child(&place, &confinement, &again).await;
    expect(&mut third, "up\n").await;
    for mut last in [second, third] {
        tell(&mut last, "go\n").await;
        expect(&mut last, "planted\n").await;
        assert_eq!(last.close(LONG).await.quarantined.len(), 4, "set aside once, set aside again");
        assert_clean(work);
    }
}

/// The same where the first belongs to another process, of which nothing is known but what is on disk.
#[tokio::test]
async fn c2_commands_of_other_sessions_overlap_too() {
    let place = Place::new();
    let work = place.work.path();
    let Some(confinement) = boxed(place.options()) else { return };
    repository(work);
    let first = child(&place, &confinement, "read x").await;
    let folder = place.state.path().join("quarantine.running");
    let record = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let theirs = folder.join("0-1x1-0.look");
    fs::copy(record, &theirs).unwrap();
    let lock = File::open(&theirs).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
    first.close(LONG).await;
    // As the command of that session would.
    fs::write(work.join("sub/.git/config"), "[core]\n\tfsmonitor = evil\n").unwrap();
    fs::write(work.join(".envrc"), "evil\n").unwrap();
    let mut second = child(&place, &confinement, PLANTS).await;
    expect(&mut second, "planted\n").await;
    assert_eq!(second.close(LONG).await.quarantined.len(), 4);
    assert_clean(work);
}

/// A child that goes on behind its call.
async fn job(place: &Place, confinement: &Confinement, text: &str) -> Child {
    let command = line(place, confinement, text).with_behind(Arc::new(true.into()));
    spawn(&command, ChildOptions::default()).await.unwrap()
}

/// Hides `.env` wherever it lies at the top.
fn hiding(place: &Place) -> BoxOptions {
    let work = place.work.path().canonicalize().unwrap();
    let found = move || Vec::from_iter(Some(work.join(".env")).filter(|path| path.exists()));
    BoxOptions { masked: Some(Masked(Arc::new(found))), ..place.options() }
}

/// As editors and git save.
fn replace(path: &Path, text: &str) {
    let beside = path.with_extension("beside");
    fs::write(&beside, text).unwrap();
    fs::rename(&beside, path).unwrap();
}

async fn exposed(child: &Child) -> (EndStatus, Option<LimitHit>) {
    let ended = tokio::time::timeout(LONG / 20, child.wait()).await.unwrap();
    (ended.status, ended.hit)
}

/// What hides a file goes when the file is replaced, and the command with it.
#[tokio::test]
async fn c4_whoever_replaces_a_hidden_file_ends_the_commands_it_was_hidden_from() {
    let place = Place::new();
    let work = place.work.path().canonicalize().unwrap();
    fs::write(work.join(".env"), "KEY=old").unwrap();
    let Some(confinement) = boxed(hiding(&place)) else { return };
    let reads = "cat .env; echo up; while :; do sleep 1; done";
    let mut short = child(&place, &confinement, reads).await;
    let mut long = job(&place, &confinement, reads).await;
    let mut held = child(&place, &confinement.held().unwrap(), reads).await;
    for child in [&mut short, &mut long, &mut held] {
        expect(child, "up\n").await;
    }
    // Written where it is, it stays hidden.
    fs::write(work.join(".env"), "KEY=new").unwrap();
    assert_eq!(long.has_ended().map(|ended| ended.status), None);
    replace(&work.join(".env"), "KEY=secret");
    let hit = || Some(LimitHit::Exposed(Exposed::Hidden(work.join(".env"))));
    for child in [&mut short, &mut long, &mut held] {
        assert_eq!(exposed(child).await, (EndStatus::Bounded, hit()));
        assert_eq!(rest(child).await, "");
    }
}

/// What comes later was never hidden.
#[tokio::test]
async fn c4_a_file_to_be_hidden_that_comes_to_be_ends_what_goes_on_behind_its_call() {
    let place = Place::new();
    let work = place.work.path().canonicalize().unwrap();
    let Some(confinement) = boxed(hiding(&place)) else { return };
    let waits = "echo up; read x; echo done";
    let mut job = job(&place, &confinement, waits).await;
    let mut short = child(&place, &confinement, waits).await;
    expect(&mut job, "up\n").await;
    expect(&mut short, "up\n").await;
    fs::write(work.join(".env"), "KEY=secret").unwrap();
    let hit = Some(LimitHit::Exposed(Exposed::Come(work.join(".env"))));
    assert_eq!(exposed(&job).await, (EndStatus::Bounded, hit));
    // It may have made it itself, and somebody waits for it.
    tell(&mut short, "x\n").await;
    assert_eq!(rest(&mut short).await, "done\n");
}

/// A job finds the repository's own folder read-only as a whole, so that no replacement of a file in it opens anything.
#[tokio::test]
async fn c2_a_job_never_writes_settings_and_hooks_whoever_replaces_them() {
    let place = Place::new();
    let work = place.work.path().canonicalize().unwrap();
    fs::create_dir_all(work.join(".git/hooks")).unwrap();
    fs::write(work.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(work.join(".git/config"), HARMLESS).unwrap();
    fs::write(work.join(".mcp.json"), "{}").unwrap();
    let Some(confinement) = boxed(place.options()) else { return };
    let tries = "echo up; read x; for file in .git/config .git/hooks/pre-commit .git/config.worktree .git/made; do \
                 (echo evil >> $file) 2>/dev/null && echo wrote $file; mv $file $file.x 2>/dev/null && echo moved $file; done; \
                 mv .git g 2>/dev/null && echo moved; echo made > made; echo tried; read x";
    let mut job = job(&place, &confinement, tries).await;
    let mut short = child(&place, &confinement, "echo up; read x").await;
    expect(&mut job, "up\n").await;
    expect(&mut short, "up\n").await;
    replace(&work.join(".git/config"), "[core]\n\tbare = false\n[user]\n\tname = me\n");
    tell(&mut job, "x\n").await;
    expect(&mut job, "tried\n").await;
    // Who may write there, but not to this file, is ended.
    let hit = Some(LimitHit::Exposed(Exposed::Fixed(work.join(".git/config"))));
    assert_eq!(exposed(&short).await, (EndStatus::Bounded, hit));
    assert!(work.join("made").exists());
    // And so is who could change another one of those that are fixed one by one.
    replace(&work.join(".mcp.json"), "{ }");
    let hit = Some(LimitHit::Exposed(Exposed::Fixed(work.join(".mcp.json"))));
    assert_eq!(exposed(&job).await, (EndStatus::Bounded, hit));
    assert!(fs::read_to_string(work.join(".git/config")).unwrap().contains("name = me"));
    assert!(!work.join(".git/made").exists());
}

/// What it can reach is what its box says.
#[tokio::test]
async fn a_child_is_held_by_its_box() {
    let place = Place::new();
    let Ok(sandbox) = Sandbox::prepare(place.options(), SandboxLevel::Full) else { return };
    let text = format!("echo x > {}/made; kill -0 {}; echo tried", place.outside.path().display(), std::process::id());
    let mut tries = child(&place, &Confinement::Boxed(sandbox), &text).await;
    assert_eq!(rest(&mut tries).await, "tried\n");
    tries.wait().await;
    let (said, _) = tries.stderr().into_parts();
    assert_eq!(String::from_utf8_lossy(&said).lines().count(), 2, "{}", String::from_utf8_lossy(&said));
    assert!(!place.outside.path().join("made").exists());
}
