//! A command that only reads: whatever its words turn out to do, nothing of it lasts, and what it wanted to write is known.
//! Where the kernel cannot have level `full` these tests say so and pass; with `REASONIX_E2E=1` it is required.
#![cfg(target_os = "linux")]

use crate::place::{Place, python};
use reasonix_exec::{BoxOptions, Caches, Confinement, EndStatus, Finished, Sandbox, WriteWish, run};
use std::collections::BTreeMap;
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Command as Program;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

async fn held(place: &Place, sandbox: &Arc<Sandbox>, line: &str) -> Finished {
    let command = place.boxed(sandbox, line).with_confinement(Confinement::Held(Arc::clone(sandbox)));
    run(&command, CancellationToken::new(), &|_| {}).await.unwrap()
}

async fn says(place: &Place, sandbox: &Arc<Sandbox>, line: &str) -> (String, EndStatus, Option<WriteWish>) {
    let finished = held(place, sandbox, line).await;
    let text = String::from_utf8_lossy(&finished.output.into_parts().0).into_owned();
    (text, finished.status, finished.wish)
}

/// Everything that can be seen of a tree: kinds, modes, owners, times of files, contents.
fn state(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let meta = path.symlink_metadata().unwrap();
        let content = if meta.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        let told =
            format!("{:o} {} {} {:?} {content:?}", meta.mode(), meta.uid(), meta.gid(), meta.modified().unwrap());
        all.insert(path.clone(), told);
        if meta.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    all
}

fn furnish(place: &Place) {
    let work = place.work.path();
    fs::create_dir_all(work.join("src/deep")).unwrap();
    fs::write(work.join("a.txt"), "alpha\n").unwrap();
    fs::write(work.join("src/b.txt"), "beta\n").unwrap();
    fs::write(work.join("src/deep/c.txt"), "gamma\n").unwrap();
    Program::new("mkfifo").arg(work.join("pipe")).status().unwrap();
}

/// Lines that change something in the workspace, whatever they are taken for.
const CHANGES: &[&str] = &[
    "touch pwned",
    "rm -rf src",
    "rm a.txt",
    "mv a.txt b.txt",
    "echo x > a.txt",
    "echo x >> a.txt",
    "truncate -s 0 a.txt",
    "chmod 777 a.txt",
    "chmod 700 src",
    "touch -d 2001-01-01 a.txt",
    "ln -s a.txt l",
    "ln a.txt h",
    "mkdir new",
    "rmdir src/deep || rm -r src/deep",
    "rm -rf src && mkdir src",
    "mkfifo p",
    "cp a.txt c.txt",
    "sed -i s/alpha/x/ a.txt",
    "dd if=/dev/zero of=a.txt bs=1 count=1 2>/dev/null",
    "git init -q sub",
    "mv src/deep src/d2",
    "setfattr -n user.x -v y a.txt 2>/dev/null || touch -m a.txt",
    "find . -name '*.txt' -delete",
    "tar cf t.tar src",
    "echo 2>/dev/null $(rm -rf src)",
    "echo ${x:-<(touch pwned)}; sleep 0.1",
    "a='x[$(touch pwned)]'; echo ${!a}",
    "sort a.txt {-o,b.txt}",
    "python3 -c \"open('new','w')\"",
    "perl -e 'unlink \"a.txt\"'",
];

#[tokio::test]
async fn c14_nothing_that_a_reader_does_lasts_and_what_it_wanted_is_known() {
    let place = Place::new();
    furnish(&place);
    let sandbox = full_or_skip!(place.options());
    let before = state(place.work.path());
    for line in CHANGES {
        let (text, _, wish) = says(&place, &sandbox, line).await;
        assert_eq!(state(place.work.path()), before, "{line}");
        assert!(matches!(&wish, Some(WriteWish::Write(paths)) if !paths.is_empty()), "{line}: {wish:?} {text}");
    }
}

#[tokio::test]
async fn c14_a_reader_that_wants_nothing_says_so_and_reads_what_is_there() {
    let place = Place::new();
    furnish(&place);
    let sandbox = full_or_skip!(place.options());
    for (line, wanted) in [
        ("cat a.txt", "alpha"),
        ("cat src/deep/c.txt | tr a-z A-Z", "GAMMA"),
        ("find . -name b.txt", "./src/b.txt"),
        ("grep -rn beta src", "src/b.txt:1:beta"),
        ("ls /usr/bin/env && ls -l a.txt | cut -c1-10", "/usr/bin/env\n-rw-r--r--"),
        ("cat <<E\n$(seq 1 30000 | tail -1)\nE", "30000"),
        ("seq 1 20000 | sort -S 1K -rn | head -1", "20000"),
        ("whoami >/dev/null && id -u >/dev/null; echo x >/dev/null; echo $?", "0"),
        ("awk 'NR==1' a.txt", "alpha"),
    ] {
        let (text, status, wish) = says(&place, &sandbox, line).await;
        assert_eq!((text.trim(), status, wish), (wanted, EndStatus::Exited(0), Some(WriteWish::Nothing)), "{line}");
    }
}

#[tokio::test]
async fn c14_a_reader_finds_what_other_commands_left_and_changes_none_of_it() {
    let place = Place::new();
    let cache = place.home.path().join(".cargo/registry");
    fs::create_dir_all(&cache).unwrap();
    fs::write(cache.join("crate"), "mine").unwrap();
    let sandbox = full_or_skip!(BoxOptions { caches: Caches::Session, ..place.options() });
    let left = "echo one > /tmp/f; echo two > ~/g; echo three > /dev/shm/h; echo four > ~/.cargo/registry/i";
    place.good(&sandbox, left, "").await;
    let seen = "cat /tmp/f ~/g /dev/shm/h ~/.cargo/registry/i ~/.cargo/registry/crate";
    let (text, status, _) = says(&place, &sandbox, seen).await;
    assert_eq!((text.as_str(), status), ("one\ntwo\nthree\nfour\nmine", EndStatus::Exited(0)));
    for path in
        ["/tmp/f", "~/g", "/dev/shm/h", "~/.cargo/registry/i", "/tmp/new", "~/new", "/dev/shm/new", "/var/tmp/new"]
    {
        let line = format!("echo poison > {path}; rm -f {path}; chmod 777 {path}");
        let _ = says(&place, &sandbox, &line).await;
    }
    place.good(&sandbox, seen, "one\ntwo\nthree\nfour\nmine").await;
    place.bad(&sandbox, "ls /tmp/new || ls ~/new || ls /dev/shm/new || ls /var/tmp/new").await;
}

#[tokio::test]
async fn c14_a_readers_own_folder_goes_with_it() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let (text, status, wish) = says(&place, &sandbox, "echo x > $TMPDIR/t && cat $TMPDIR/t").await;
    assert_eq!((text.as_str(), status, wish), ("x\n", EndStatus::Exited(0), Some(WriteWish::Nothing)));
    let (text, status, _) = says(&place, &sandbox, "ls -A $TMPDIR").await;
    assert_eq!((text.as_str(), status), ("", EndStatus::Exited(0)));
}

#[tokio::test]
async fn c14_a_reader_reaches_no_socket_no_pipe_and_no_memory_of_others() {
    let place = Place::new();
    furnish(&place);
    let sandbox = full_or_skip!(place.options());
    let _listener = UnixListener::bind(place.work.path().join("sock")).unwrap();
    for (code, why) in [
        ("import socket; socket.socket(socket.AF_UNIX).connect('sock')", "a socket in the workspace"),
        ("import socket; socket.socket(socket.AF_INET)", "the internet"),
        ("import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)", "netlink"),
        ("import ctypes,sys; sys.exit(ctypes.CDLL(None).shmget(0, 4096, 0o1600) < 0)", "shared memory of old"),
        ("import ctypes,sys; sys.exit(ctypes.CDLL(None).semget(0, 1, 0o1600) < 0)", "semaphores"),
        ("import ctypes,sys; sys.exit(ctypes.CDLL(None).msgget(0, 0o1600) < 0)", "queues"),
        ("import os; os.close(os.open('/dev/mqueue/x', os.O_CREAT | os.O_RDWR))", "queues of POSIX"),
    ] {
        let (text, status, _) = says(&place, &sandbox, &python(code)).await;
        assert!(matches!(status, EndStatus::Exited(1..)), "{why}: {status:?} {text}");
    }
    // Somebody who reads the pipe outside hears nothing.
    let pipe = place.work.path().join("pipe");
    let reader = std::thread::spawn(move || {
        let file = rustix::fs::open(
            &pipe,
            rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK,
            rustix::fs::Mode::empty(),
        )
        .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(400));
        let mut bytes = [0u8; 16];
        rustix::io::read(&file, &mut bytes).unwrap_or(0)
    });
    let _ = says(&place, &sandbox, "timeout 0.2 bash -c 'echo x > pipe'").await;
    assert_eq!(reader.join().unwrap(), 0);
}

/// One end of a pair of datagrams would send them to any socket that has a path the reader sees.
#[tokio::test]
async fn c14_a_reader_sends_no_datagram_to_a_socket_of_the_machine() {
    let place = Place::new();
    let outside = place.outside.path().canonicalize().unwrap();
    let sandbox = full_or_skip!(BoxOptions { readable: vec![outside.clone()], ..place.options() });
    let has_python = Program::new("python3").arg("--version").output().is_ok();
    if !has_python || crate::place::is_replaced(&outside) {
        return eprintln!("skipped: there is no python3, or what is outside is not seen");
    }
    // The name of a socket has room for a hundred letters, which the folder may need alone.
    let folder = fs::File::open(&outside).unwrap();
    let socket = UnixDatagram::bind(format!("/proc/self/fd/{}/s", folder.as_raw_fd())).unwrap();
    socket.set_nonblocking(true).unwrap();
    let pair = |kind: &str, then: &str| {
        let code = "import os, socket\nos.chdir('{at}')\nos.stat('s')\nprint('there')\n\
                    a, b = socket.socketpair(socket.AF_UNIX, socket.{kind})\n{then}";
        let at = outside.display().to_string();
        python(&code.replace("{at}", &at).replace("{kind}", kind).replace("{then}", then))
    };
    for kind in ["SOCK_DGRAM", "SOCK_RAW"] {
        let (text, status, _) = says(&place, &sandbox, &pair(kind, "a.sendto(b'x', 's')")).await;
        let heard = socket.recv(&mut [0]).map_err(|error| error.kind());
        assert_eq!(heard, Err(std::io::ErrorKind::WouldBlock), "{kind}: {text}");
        assert!(text.contains("there") && matches!(status, EndStatus::Exited(1..)), "{kind}: {status:?} {text}");
    }
    for kind in ["SOCK_STREAM", "SOCK_SEQPACKET"] {
        let (text, status, _) = says(&place, &sandbox, &pair(kind, "a.send(b'x'); print(b.recv(1))")).await;
        assert_eq!((text.as_str(), status), ("there\nb'x'\n", EndStatus::Exited(0)), "{kind}");
    }
}

#[tokio::test]
async fn c14_a_reader_sees_the_workspace_and_the_system_and_nothing_else() {
    let place = Place::new();
    furnish(&place);
    fs::write(place.outside.path().join("secret"), "secret\n").unwrap();
    symlink(place.outside.path().join("secret"), place.work.path().join("l1")).unwrap();
    symlink("/etc/hostname", place.work.path().join("l2")).unwrap();
    let sandbox = full_or_skip!(place.options());
    let outside = place.outside.path().join("secret");
    for line in [
        format!("cat {}", outside.display()),
        "cat l*1".to_owned(),
        "cat l2".to_owned(),
        "grep -R secret l1 l2 src".to_owned(),
        "cat {/etc/hostname,/etc/hosts}".to_owned(),
        "cat /etc/shadow /etc/sudoers".to_owned(),
        "cat /var/log/*".to_owned(),
        "awk 'BEGIN{ARGV[ARGC++]=\"/etc/hostname\"}{print}'".to_owned(),
        "cat /proc/1/cmdline /proc/1/environ".to_owned(),
        format!("ls {}", place.outside.path().display()),
    ] {
        let (text, status, _) = says(&place, &sandbox, &line).await;
        assert!(matches!(status, EndStatus::Exited(1..)) && !text.contains("secret\n"), "{line}: {status:?} {text}");
    }
    // What a rule of the user's opens is read; in a clone below `/tmp` it is not there, because each session has its own.
    if crate::place::is_replaced(place.outside.path()) {
        return;
    }
    let opened = BoxOptions { readable: vec![place.outside.path().to_owned()], ..place.options() };
    let sandbox = full_or_skip!(opened);
    let (text, status, _) = says(&place, &sandbox, &format!("cat {}", outside.display())).await;
    assert_eq!((text.as_str(), status), ("secret\n", EndStatus::Exited(0)));
}

fn git(root: &Path, args: &[&str]) -> String {
    let out = Program::new("git")
        .args(["-c", "user.name=x", "-c", "user.email=x@example.com"])
        .args(args)
        .current_dir(root)
        .output()
        .unwrap();
    assert!(out.status.success(), "{args:?} {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).into_owned()
}

#[tokio::test]
async fn c14_git_answers_truly_and_starts_neither_monitor_nor_hook() {
    let place = Place::new();
    furnish(&place);
    let work = place.work.path();
    git(work, &["init", "-q"]);
    git(work, &["add", "a.txt", "src"]);
    git(work, &["commit", "-q", "-m", "first"]);
    fs::write(work.join("a.txt"), "changed\n").unwrap();
    // Touched, and the same as before: only a refreshed index tells.
    fs::write(work.join("src/b.txt"), "beta\n").unwrap();
    let hooks = work.join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    fs::write(hooks.join("post-index-change"), "#!/bin/sh\ntouch ran\n").unwrap();
    fs::set_permissions(hooks.join("post-index-change"), fs::Permissions::from_mode(0o755)).unwrap();
    let sandbox = full_or_skip!(place.options());
    git(work, &["config", "core.fsmonitor", "touch ran; false"]);
    let before = state(work);
    for (line, wanted) in [
        ("git status --short", " M a.txt\n?? pipe"),
        ("git diff --stat | tail -1", " 1 file changed, 1 insertion(+), 1 deletion(-)"),
        ("git diff --name-only", "a.txt"),
        ("git log --oneline | cut -d' ' -f2", "first"),
        ("git ls-files -m", "a.txt"),
        ("git describe --always --dirty | sed 's/.*-//'", "dirty"),
        ("git show HEAD:a.txt", "alpha"),
        ("printenv GIT_NO_LAZY_FETCH", "1"),
    ] {
        let (text, status, wish) = says(&place, &sandbox, line).await;
        // A pipe is no file to git.
        let text = text.trim_end().replace("\n?? pipe", "");
        let wanted = wanted.replace("\n?? pipe", "");
        assert_eq!(
            (text.as_str(), status, wish),
            (wanted.as_str(), EndStatus::Exited(0), Some(WriteWish::Nothing)),
            "{line}"
        );
        assert_eq!(state(work), before, "{line}");
    }
    // A driver of the repository runs, and what it does does not last.
    fs::write(work.join(".gitattributes"), "*.txt diff=conv\n").unwrap();
    git(work, &["config", "diff.conv.textconv", "touch ran; cat"]);
    let before = state(work);
    let (text, _, wish) = says(&place, &sandbox, "git diff").await;
    assert!(text.contains("+changed"), "{text}");
    assert_eq!(state(work), before);
    assert!(matches!(wish, Some(WriteWish::Write(paths)) if paths == [PathBuf::from("ran")]));
}

#[tokio::test]
async fn c14_programs_of_the_workspace_are_not_found_by_name() {
    let place = Place::new();
    furnish(&place);
    let bin = place.work.path().canonicalize().unwrap().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("ls"), "#!/bin/sh\necho false one\n").unwrap();
    fs::set_permissions(bin.join("ls"), fs::Permissions::from_mode(0o755)).unwrap();
    let sandbox = full_or_skip!(place.options());
    let path = format!("{}:.::{}", bin.display(), std::env::var("PATH").unwrap());
    let command = place
        .boxed(&sandbox, "ls a.txt")
        .with_environment(place.environment().with("PATH", path))
        .with_confinement(Confinement::Held(Arc::clone(&sandbox)));
    let finished = run(&command, CancellationToken::new(), &|_| {}).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&finished.output.into_parts().0), "a.txt\n");
}

/// A root with something mounted below it has no layer: then it is read-only, and nobody knows what was wanted.
#[tokio::test]
async fn c14_without_a_layer_everything_is_read_only() {
    let Some(true) = crate::place::inside("-rm", "true", "held::read_only_without_a_layer") else { return };
}

#[tokio::test]
#[ignore = "in namespaces of its own, by the test above"]
async fn read_only_without_a_layer() {
    let place = Place::new();
    furnish(&place);
    let work = place.work.path();
    fs::create_dir(work.join("mounted")).unwrap();
    let mounted = Program::new("mount").args(["-t", "tmpfs", "none"]).arg(work.join("mounted")).status().unwrap();
    assert!(mounted.success());
    fs::write(work.join("mounted/in"), "inside\n").unwrap();
    let sandbox = full_or_skip!(place.options());
    let before = state(work);
    let (text, status, wish) = says(&place, &sandbox, "cat mounted/in a.txt").await;
    assert_eq!((text.as_str(), status, wish), ("inside\nalpha\n", EndStatus::Exited(0), Some(WriteWish::Unknown)));
    for line in CHANGES.iter().chain(&["echo x > mounted/in", "timeout 0.2 bash -c 'echo x > pipe'"]) {
        let (_, _, wish) = says(&place, &sandbox, line).await;
        assert_eq!(wish, Some(WriteWish::Unknown), "{line}");
        assert_eq!(state(work), before, "{line}");
    }
    let _ = Program::new("umount").arg(work.join("mounted")).status();
}

/// Where namespaces were taken away, Landlock and the filter hold a reader alone.
#[test]
fn c14_without_walls_a_reader_is_held_all_the_same() {
    crate::place::inside("-Ur", "echo 0 > /proc/sys/user/max_user_namespaces", "held::a_reader_without_walls");
}

#[tokio::test]
#[ignore = "run by the test above, in a user namespace that cannot have another"]
async fn a_reader_without_walls() {
    let place = Place::new();
    furnish(&place);
    fs::write(place.outside.path().join("secret"), "secret\n").unwrap();
    fs::write(place.home.path().join(".netrc"), "secret\n").unwrap();
    fs::create_dir_all(place.home.path().join(".config/git")).unwrap();
    fs::write(place.home.path().join(".config/git/credentials"), "secret\n").unwrap();
    fs::write(place.home.path().join(".config/git/ignore"), "mine\n").unwrap();
    let sandbox = Sandbox::prepare(place.options(), reasonix_exec::SandboxLevel::Partial).unwrap();
    assert_eq!(sandbox.level(), reasonix_exec::SandboxLevel::Partial);
    if !sandbox.holds_readers() {
        return eprintln!("skipped: this kernel's Landlock does not know how files are cut");
    }
    let before = state(place.work.path());
    let own = "setfattr -n user.x -v y a.txt; chattr +i a.txt; flock a.txt true";
    for line in CHANGES.iter().chain(&["timeout 0.2 bash -c 'echo x > pipe'", own]) {
        let (_, _, wish) = says(&place, &sandbox, line).await;
        assert_eq!(wish, Some(WriteWish::Unknown), "{line}");
        assert_eq!(state(place.work.path()), before, "{line}");
    }
    let (text, status, _) =
        says(&place, &sandbox, "cat a.txt; echo x > $TMPDIR/t; cat $TMPDIR/t; cat src/b.txt | wc -l").await;
    assert_eq!((text.as_str(), status), ("alpha\nx\n1\n", EndStatus::Exited(0)));
    for line in [
        format!("cat {}/secret", place.outside.path().display()),
        "cat ~/.netrc".to_owned(),
        "cat ~/.config/git/credentials".to_owned(),
        "ls /dev/shm".to_owned(),
        "cat /etc/hosts".to_owned(),
        format!("kill -0 {}", std::process::id()),
        format!("renice 5 {}", std::process::id()),
        format!("prlimit --pid {} --nofile=10", std::process::id()),
        python("import socket; socket.socket(socket.AF_UNIX)"),
        python("import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)"),
        "flock a.txt true".to_owned(),
    ] {
        let (text, status, _) = says(&place, &sandbox, &line).await;
        assert!(matches!(status, EndStatus::Exited(1..)), "{line}: {status:?} {text}");
    }
    // A writer does not read homes either.
    let (text, _) = place.says(&sandbox, "cat ~/.netrc; cat a.txt").await;
    assert!(text.contains("alpha") && !text.contains("secret\n"), "{text}");
}
