//! Real processes: what a command gets, what it gives, and that nothing of it stays.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use reasonix_exec::{Command, EndStatus, Environment, ExecError, Finished, Keep, run};
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const BASH: &str = "/bin/bash";

fn line(text: &str) -> Command {
    Command::shell(Path::new(BASH), text, Path::new("/")).with_environment(Environment::inherited(&[]))
}

async fn finish(command: &Command) -> Finished {
    run(command, CancellationToken::new(), &|_| {}).await.unwrap()
}

async fn text_of(text: &str) -> String {
    let finished = finish(&line(text)).await;
    let (head, tail) = finished.output.into_parts();
    assert!(tail.is_empty());
    String::from_utf8(head).unwrap()
}

/// The processes whose numbers stand in the output.
fn pids(finished: Finished) -> Vec<u32> {
    let (head, _) = finished.output.into_parts();
    String::from_utf8(head).unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect()
}

fn assert_gone(pids: &[u32]) {
    for pid in pids {
        assert!(!Path::new(&format!("/proc/{pid}")).exists(), "process {pid} is still there");
    }
}

/// A pipe with a name: reading it ends when the last process that holds it has ended.
fn fifo(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

#[tokio::test]
async fn stdout_and_stderr_keep_their_order() {
    let text = text_of("for i in {1..200}; do echo o$i; echo e$i >&2; done").await;
    let expected: String = (1..=200).map(|i| format!("o{i}\ne{i}\n")).collect();
    assert_eq!(text, expected);
}

#[tokio::test]
async fn pieces_are_seen_as_they_come() {
    let seen = Mutex::new(Vec::new());
    let stop = CancellationToken::new();
    let command = line("echo ready; sleep 1000");
    let on_output = |piece: &[u8]| {
        seen.lock().unwrap().extend_from_slice(piece);
        stop.cancel();
    };
    let finished = run(&command, stop.clone(), &on_output).await.unwrap();
    assert_eq!(finished.status, EndStatus::Cancelled);
    assert_eq!(*seen.lock().unwrap(), b"ready\n");
}

#[tokio::test]
async fn exit_codes_and_signals() {
    for (text, status) in [
        ("true", EndStatus::Exited(0)),
        ("exit 7", EndStatus::Exited(7)),
        ("kill -9 $$", EndStatus::Signalled(9)),
        ("kill -TERM $$", EndStatus::Signalled(15)),
        ("no-such-program-anywhere", EndStatus::Exited(127)),
    ] {
        let finished = finish(&line(text)).await;
        assert_eq!(finished.status, status, "{text}");
        assert!(!finished.leftovers_killed, "{text}");
    }
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    let started = |command: Command| async move { run(&command, CancellationToken::new(), &|_| {}).await.unwrap_err() };
    let none: [&str; 0] = [];
    let missing = Command::program("/no/such/program", none, Path::new("/"));
    assert!(matches!(started(missing).await, ExecError::NoProgram { .. }));
    let nowhere = Command::program("true", none, Path::new("/no/such/folder"));
    assert!(matches!(started(nowhere).await, ExecError::NoFolder { .. }));
    let folder = Command::program("/", none, Path::new("/"));
    assert!(matches!(started(folder).await, ExecError::Start { .. }));
    let in_path = Command::program("no-such-program-anywhere", none, Path::new("/"));
    assert!(matches!(started(in_path).await, ExecError::NoProgram { .. }));
    assert!(matches!(started(line("echo \0")).await, ExecError::Start { .. }));
}

#[tokio::test]
async fn a_program_by_name_with_its_arguments() {
    let finished = finish(&Command::program("printf", ["%s|", "a b", "$HOME", ""], Path::new("/"))).await;
    assert_eq!(finished.status, EndStatus::Exited(0));
    assert_eq!(finished.output.into_parts().0, b"a b|$HOME||");
}

#[tokio::test]
async fn cancelled_before_it_began() {
    let stop = CancellationToken::new();
    stop.cancel();
    let finished = run(&line("sleep 1000; true"), stop, &|_| {}).await.unwrap();
    assert_eq!(finished.status, EndStatus::Cancelled);
}

/// Guards use this process's memory; what goes on in it meanwhile must not matter to them, nor they to it.
#[test]
fn many_at_once_beside_busy_threads() {
    let beside = std::sync::Arc::new(());
    std::thread::scope(|scope| {
        let busy = std::sync::Arc::downgrade(&beside);
        scope.spawn(move || {
            while busy.strong_count() > 0 {
                let words: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
                assert_eq!(words.concat().len(), 2890);
                assert_eq!(File::open("/no/such/file").unwrap_err().raw_os_error(), Some(2));
            }
        });
        let _until_the_end = beside;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let runs: Vec<_> = (0..60)
                .map(|number| {
                    tokio::spawn(async move {
                        let text =
                            text_of(&format!("for i in {{1..20}}; do echo {number}; done | sort -u; exit 0")).await;
                        assert_eq!(text, format!("{number}\n"));
                    })
                })
                .collect();
            for run in runs {
                run.await.unwrap();
            }
        });
    });
}

#[tokio::test]
async fn it_has_no_stdin_no_terminal_and_a_session_of_its_own() {
    assert_eq!(text_of("read x; echo $?; cat; tty").await, "1\nnot a tty\n");
    assert_eq!(text_of("{ : </dev/tty; } 2>/dev/null || echo none").await, "none\n");
    let ids = text_of("echo $$ $(cut -d' ' -f5,6 /proc/$$/stat)").await;
    let ids: Vec<&str> = ids.split_whitespace().collect();
    assert_eq!(ids[0], ids[1], "leads its group");
    assert_eq!(ids[0], ids[2], "leads its session");
}

#[tokio::test]
async fn it_starts_from_a_clean_slate() {
    // The Rust runtime ignores SIGPIPE in this very process.
    let state = text_of("grep -E '^Sig(Blk|Ign):' /proc/self/status; ulimit -c").await;
    assert_eq!(state, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n0\n");
    assert_eq!(text_of("yes | head -1; echo ${PIPESTATUS[0]}").await, "y\n141\n");
    let ours = std::fs::read_to_string("/proc/self/oom_score_adj").unwrap();
    let theirs = text_of("cat /proc/self/oom_score_adj").await;
    assert!(theirs.trim().parse::<i32>().unwrap() >= 300, "the first to go when memory runs out");
    assert_eq!(std::fs::read_to_string("/proc/self/oom_score_adj").unwrap(), ours, "not us");
}

#[tokio::test]
async fn no_descriptor_is_inherited() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let open = File::open(file.path()).unwrap();
    rustix::io::fcntl_setfd(&open, rustix::io::FdFlags::empty()).unwrap();
    let links = text_of("readlink /proc/$$/fd/*").await;
    assert!(links.contains("/dev/null"), "{links}");
    assert!(!links.contains(file.path().to_str().unwrap()), "{links}");
}

#[tokio::test]
async fn its_environment_is_what_it_was_given() {
    let user =
        [("PATH", "/usr/bin:/bin"), ("MY_API_KEY", "hush"), ("LD_PRELOAD", "/x.so"), ("CI", "yes"), ("PLAIN", "no")];
    let user = user.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let command = line("env").with_environment(Environment::scrubbed(user, &[]));
    let (head, _) = finish(&command).await.output.into_parts();
    let env = String::from_utf8(head).unwrap();
    assert!(
        env.contains("CI=yes\n") && !env.contains("PLAIN") && env.contains("PAGER=cat\n") && env.contains("PWD=/\n"),
        "{env}"
    );
    assert!(!env.contains("hush") && !env.contains("/x.so"), "{env}");
}

#[tokio::test]
async fn a_flood_is_counted_and_its_middle_dropped() {
    let mut command = line("echo first; yes | head -c 50000000; echo; echo last");
    command.keep = Keep { head: 1000, tail: 1000 };
    let finished = finish(&command).await;
    assert_eq!(finished.output.total(), 50_000_000 + 12);
    assert_eq!(finished.output.dropped(), 50_000_000 + 12 - 2000);
    let (head, tail) = finished.output.into_parts();
    assert!(head.starts_with(b"first\ny\n") && tail.ends_with(b"y\n\nlast\n"));
}

/// A shell, a child that ignores SIGTERM, one in a session of its own, and a daemon twice forked away.
const TREE: &str = "echo $$
    bash -c 'trap \"\" TERM; echo $$; while :; do sleep 1000; done' &
    setsid bash -c 'echo $$; sleep 1000; true' &
    (setsid bash -c '(trap \"\" TERM HUP; echo $BASHPID; exec sleep 1000) & exit' &)
    sleep 1000; true";

#[tokio::test]
async fn cancel_ends_the_whole_tree() {
    let (seen, stop) = (Mutex::new(0), CancellationToken::new());
    let command = line(TREE);
    let on_output = |piece: &[u8]| {
        let mut seen = seen.lock().unwrap();
        *seen += piece.iter().filter(|byte| **byte == b'\n').count();
        if *seen == 4 {
            stop.cancel();
        }
    };
    let finished = run(&command, stop.clone(), &on_output).await.unwrap();
    assert_eq!(finished.status, EndStatus::Cancelled);
    let pids = pids(finished);
    assert_eq!(pids.len(), 4);
    assert_gone(&pids);
}

#[tokio::test]
async fn time_runs_out_for_the_whole_tree() {
    let command = line("echo $$; (setsid sleep 1000 & echo $!); trap '' TERM; while :; do sleep 1000; done")
        .with_timeout(Some(Duration::from_millis(300)));
    let finished = finish(&command).await;
    assert_eq!(finished.status, EndStatus::TimedOut);
    assert!(finished.took >= Duration::from_millis(300));
    assert!(!finished.leftovers_killed, "said by the status");
    assert_gone(&pids(finished));
}

#[tokio::test]
async fn sigterm_comes_first_so_that_programs_can_tidy_up() {
    let command = line("trap 'echo tidy; exit 3' TERM; while :; do sleep 0.01; done")
        .with_timeout(Some(Duration::from_millis(500)));
    let finished = finish(&command).await;
    assert_eq!(finished.status, EndStatus::TimedOut);
    assert!(finished.output.into_parts().0.ends_with(b"tidy\n"));
}

#[tokio::test]
async fn what_is_left_in_the_background_is_ended_and_said() {
    for text in ["sleep 1000 & echo $!", "sleep 1000 >/dev/null 2>&1 & echo $!", "(setsid sleep 1000 & echo $!)"] {
        let finished = finish(&line(text)).await;
        assert_eq!(finished.status, EndStatus::Exited(0), "{text}");
        assert!(finished.leftovers_killed, "{text}");
        assert_gone(&pids(finished));
    }
}

#[tokio::test]
async fn a_command_that_kills_its_guard_gains_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = fifo(folder.path());
    let command = line(&format!("exec 9>{}; sleep 1000 & kill -9 $PPID; sleep 1000; true", path.display()));
    let reader = tokio::task::spawn_blocking(move || File::open(path).unwrap().read_to_end(&mut Vec::new()).unwrap());
    assert_eq!(finish(&command).await.status, EndStatus::Signalled(9));
    assert_eq!(reader.await.unwrap(), 0, "every holder of the pipe has ended");
}

#[tokio::test]
async fn a_stopped_tree_is_ended_too() {
    let command =
        line("sleep 1000 & echo $!; kill -STOP $!; kill -STOP $$").with_timeout(Some(Duration::from_millis(200)));
    let finished = finish(&command).await;
    assert_eq!(finished.status, EndStatus::TimedOut);
    assert_gone(&pids(finished));
}

#[tokio::test]
async fn dropping_the_future_ends_the_tree() {
    let folder = tempfile::tempdir().unwrap();
    let path = fifo(folder.path());
    let command = line(&format!("exec 9>{}; echo started; (setsid sleep 1000 &); sleep 1000; true", path.display()));
    let started = CancellationToken::new();
    let reader = tokio::task::spawn_blocking(move || File::open(path).unwrap().read_to_end(&mut Vec::new()).unwrap());
    let on_output = |_: &[u8]| started.cancel();
    tokio::select! {
        _ = run(&command, CancellationToken::new(), &on_output) => panic!("ended by itself"),
        () = started.cancelled() => {}
    }
    assert_eq!(reader.await.unwrap(), 0, "every holder of the pipe has ended");
}

/// The same test in a process of its own plays the agent that is killed.
#[test]
fn a_killed_agent_leaves_no_children() {
    if let Some(path) = std::env::var_os("EXEC_TEST_FIFO") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let text = format!("exec 9>{}; echo up >&9\n{TREE}", Path::new(&path).display());
        runtime.block_on(finish(&line(&text)));
        panic!("the command ended by itself");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = fifo(folder.path());
    let mut agent = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_killed_agent_leaves_no_children"])
        .env("EXEC_TEST_FIFO", &path)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut reader = File::open(&path).unwrap();
    let mut up = [0; 3];
    reader.read_exact(&mut up).unwrap();
    agent.kill().unwrap();
    agent.wait().unwrap();
    assert_eq!(reader.read_to_end(&mut Vec::new()).unwrap(), 0, "every holder of the pipe has ended");
}

/// The kernel's parent-death signal is bound to the thread that forked; ours must not be.
#[test]
fn a_command_outlives_the_thread_that_started_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = fifo(folder.path());
    let text = format!("echo started; read x <{}; echo $x", path.display());
    let starter = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let started = CancellationToken::new();
        let heard = started.clone();
        let running = runtime.spawn(async move {
            let command = line(&text);
            run(&command, CancellationToken::new(), &move |_| heard.cancel()).await.unwrap()
        });
        runtime.block_on(started.cancelled());
        (runtime, running)
    });
    let (runtime, running) = starter.join().unwrap();
    std::fs::write(&path, "go on\n").unwrap();
    let finished = runtime.block_on(running).unwrap();
    assert_eq!(finished.status, EndStatus::Exited(0));
    assert_eq!(finished.output.into_parts().0, b"started\ngo on\n");
}
