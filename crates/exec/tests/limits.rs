//! What one command may take of the machine, against real commands that want more.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests fail by panicking")]

mod place;

use place::{Place, python};
use reasonix_exec::{Bounds, Command, Confinement, EndStatus, Finished, LimitHit, Sandbox, SandboxLevel, run};
use std::fs;
use std::path::Path;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const MIB: u64 = 1024 * 1024;

/// A box where there is one, and none elsewhere: the limits hold in both.
fn confinement(place: &Place) -> Confinement {
    match Sandbox::prepare(place.options(), SandboxLevel::Full) {
        Ok(sandbox) => Confinement::Boxed(sandbox),
        Err(error) if std::env::var_os("REASONIX_E2E").is_none() => {
            eprintln!("without a box: {error}");
            Confinement::None
        }
        Err(error) => panic!("{error}"),
    }
}

fn command(place: &Place, confinement: &Confinement, bounds: Bounds, line: &str) -> Command {
    Command::shell(Path::new("/bin/bash"), line, &place.work.path().canonicalize().unwrap())
        .with_environment(place.environment())
        .with_timeout(Some(Duration::from_secs(120)))
        .with_bounds(bounds)
        .with_confinement(confinement.clone())
}

async fn bounded(bounds: Bounds, line: &str) -> (Finished, Place) {
    let place = Place::new();
    let confinement = confinement(&place);
    let finished = run(&command(&place, &confinement, bounds, line), CancellationToken::new(), &|_| {}).await.unwrap();
    // Whatever it did, the next one runs.
    let next = command(&place, &confinement, Bounds::default(), "echo alive");
    let next = run(&next, CancellationToken::new(), &|_| {}).await.unwrap();
    assert_eq!(next.output.into_parts().0, b"alive\n");
    (finished, place)
}

fn kernel() -> (u32, u32) {
    let version = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap(), numbers.next().unwrap())
}

/// The kernel refuses more processes in a box; elsewhere the command is ended when they are counted.
#[tokio::test]
async fn c6_a_fork_bomb_is_bounded() {
    let bounds = Bounds { processes: 400, ..Bounds::NONE };
    let code = "import os,time\nmade=0\ntry:\n while made<1500:\n  if os.fork()==0:\n   time.sleep(1000)\n  made+=1\n\
                except OSError as e:\n print('refused',made<400,e.errno,flush=True)\n raise SystemExit(3)\ntime.sleep(1000)";
    let (finished, place) = bounded(bounds, &python(code)).await;
    let text = String::from_utf8_lossy(&finished.output.into_parts().0).into_owned();
    let boxed = matches!(confinement(&place), Confinement::Boxed(_));
    // The kernel counts for each box since 6.14, and for each user but root since 5.14.
    if boxed && (kernel() >= (6, 14) || (place::uid() != "0" && kernel() >= (5, 14))) {
        assert_eq!((text.trim(), finished.status), ("refused True 11", EndStatus::Exited(3)));
    } else {
        let hit = finished.hit.clone();
        assert_eq!((finished.status, hit), (EndStatus::Bounded, Some(LimitHit::Processes(400))), "{text}");
    }
    assert!(finished.leftovers_killed || finished.hit.is_some());
}

/// The same where only the supervisor counts.
#[tokio::test]
async fn c6_a_fork_bomb_without_a_box_is_ended() {
    let place = Place::new();
    let bounds = Bounds { processes: 100, ..Bounds::NONE };
    let line = "for i in $(seq 300); do sleep 1000 & done; wait";
    let command = command(&place, &Confinement::None, bounds, line);
    let finished = run(&command, CancellationToken::new(), &|_| {}).await.unwrap();
    assert_eq!((finished.status, finished.hit), (EndStatus::Bounded, Some(LimitHit::Processes(100))));
}

#[tokio::test]
async fn c6_a_memory_hog_is_ended() {
    let bounds = Bounds { memory: 300 * MIB, ..Bounds::NONE };
    let hog = "import time\nheld=[]\nfor i in range(64):\n held.append(bytearray(b'x')*(16<<20))\n time.sleep(.05)\n\
               time.sleep(1000)";
    let (finished, _) = bounded(bounds, &python(hog)).await;
    assert_eq!((finished.status, finished.hit), (EndStatus::Bounded, Some(LimitHit::Memory(300 * MIB))));
    // Shared by many processes it is still counted once.
    let shared = "import os,time\nheld=bytearray(b'x')*(120<<20)\nfor i in range(6):\n if os.fork()==0:\n  time.sleep(1.5)\n  \
                  os._exit(0)\nfor i in range(6): os.wait()\nprint('whole')";
    let (finished, _) = bounded(bounds, &python(shared)).await;
    assert_eq!((finished.output.into_parts().0.as_slice(), finished.hit), (&b"whole\n"[..], None));
}

#[tokio::test]
async fn c6_a_flood_of_output_is_ended() {
    let bounds = Bounds { output: 20 * MIB, ..Bounds::NONE };
    let (finished, _) = bounded(bounds, "yes").await;
    assert_eq!((finished.status, finished.hit), (EndStatus::Bounded, Some(LimitHit::Output(20 * MIB))));
    assert!(finished.output.total() > 20 * MIB && finished.output.into_parts().0.len() <= 4 << 20);
}

#[tokio::test]
async fn c6_a_huge_file_is_refused() {
    let bounds = Bounds { file: 2 * MIB, ..Bounds::NONE };
    let (finished, place) = bounded(bounds, "head -c 10000000 /dev/zero > big; echo $?").await;
    // 128 and the signal for a file that grows too large.
    assert_eq!(String::from_utf8_lossy(&finished.output.into_parts().0).lines().last(), Some("153"));
    assert_eq!(fs::metadata(place.work.path().join("big")).unwrap().len(), 2 * MIB);
    let usual = Bounds::default();
    let (finished, _) = bounded(usual, "truncate -s 100G big || echo refused").await;
    let text = String::from_utf8_lossy(&finished.output.into_parts().0).into_owned();
    assert!(text.contains("refused") || text.contains("File size limit"), "100 GB by default: {text}");
}

#[tokio::test]
async fn c6_a_never_ending_process_is_ended() {
    let place = Place::new();
    let mut command = command(&place, &confinement(&place), Bounds::NONE, "trap '' TERM INT HUP; while :; do :; done");
    command.timeout = Some(Duration::from_millis(300));
    let finished = run(&command, CancellationToken::new(), &|_| {}).await.unwrap();
    assert_eq!(finished.status, EndStatus::TimedOut);
}

/// On a small disk of the test's own: what is about to fill it is ended, with bytes and with files.
#[test]
fn c6_a_disk_is_not_filled() {
    let before = "mkdir -p \"$TMPDIR/small\" && mount -t tmpfs -o size=96m,nr_inodes=9000 none \"$TMPDIR/small\"";
    let folder = tempfile::tempdir().unwrap();
    let before = format!("export TMPDIR={} && {before}", folder.path().display());
    place::inside("-Urm", &before, "inside_a_small_disk");
}

#[tokio::test]
#[ignore = "run by the test above, where a small disk is mounted"]
async fn inside_a_small_disk() {
    let disk = std::env::temp_dir().join("small");
    let bounds = Bounds { free: 32 * MIB, ..Bounds::NONE };
    let run_there = async |line: &str| {
        let command = Command::shell(Path::new("/bin/bash"), line, &disk)
            .with_environment(reasonix_exec::Environment::inherited(&[]))
            .with_bounds(bounds);
        run(&command, CancellationToken::new(), &|_| {}).await.unwrap()
    };
    let line = "for i in $(seq 80); do head -c 1M /dev/zero > f$i; sleep .02; done; sleep 100";
    let finished = run_there(line).await;
    assert_eq!((finished.status, finished.hit), (EndStatus::Bounded, Some(LimitHit::Disk(32 * MIB))));
    run_there("rm f*").await;
    let line = "i=0; while :; do : > n$i; i=$((i+1)); [ $((i % 100)) = 0 ] && sleep .01; done";
    let finished = run_there(line).await;
    assert_eq!((finished.status, finished.hit), (EndStatus::Bounded, Some(LimitHit::Files)));
}

/// A line longer than the kernel takes as an argument runs like any other.
#[tokio::test]
async fn a_very_long_line_runs() {
    let place = Place::new();
    let padding = "x".repeat(300 * 1024);
    let line = format!("a={padding}\necho ${{#a}} $0 $#\ncat\nread b || echo nothing to read\nexit 7");
    for confinement in [Confinement::None, confinement(&place)] {
        let command = command(&place, &confinement, Bounds::default(), &line);
        let finished = run(&command, CancellationToken::new(), &|_| {}).await.unwrap();
        let text = String::from_utf8_lossy(&finished.output.into_parts().0).into_owned();
        assert_eq!((text.as_str(), finished.status), ("307200 /bin/bash 0\nnothing to read\n", EndStatus::Exited(7)));
    }
}

/// What no process has mapped, and what no file backs, is memory too.
#[tokio::test]
async fn c6_memory_that_nobody_mapped_counts() {
    let bounds = Bounds { memory: 256 * MIB, ..Bounds::NONE };
    let code = "import os,time\nf=os.memfd_create('x')\nb=b'x'*(1<<20)\nfor _ in range(600): os.write(f,b)\nprint('had it',flush=True)\ntime.sleep(60)";
    let (finished, _) = bounded(bounds, &python(code)).await;
    assert_eq!((finished.status, finished.hit), (EndStatus::Bounded, Some(LimitHit::Memory(256 * MIB))));
    let code = "import ctypes,time\nlibc=ctypes.CDLL(None)\nlibc.shmat.restype=ctypes.c_void_p\nfor _ in range(10):\n id=libc.shmget(0,64<<20,0o1600)\n\
                if id<0: raise SystemExit(3)\n at=libc.shmat(id,None,0)\n ctypes.memset(at,1,64<<20)\n libc.shmdt(ctypes.c_void_p(at))\n\
                print('had it',flush=True)";
    let code = code.replace("if id<0", " if id<0");
    let (finished, place) = bounded(bounds, &python(&code)).await;
    let boxed = matches!(confinement(&place), Confinement::Boxed(_));
    let text = String::from_utf8_lossy(&finished.output.into_parts().0).into_owned();
    assert!(!boxed || !text.contains("had it"), "{text} {:?}", finished.status);
}

/// The disk is looked at before the command can write, and one that is low already is watched too.
#[tokio::test]
async fn c6_a_disk_is_watched_from_the_first_write() {
    let place = Place::new();
    let free = rustix::fs::statvfs(place.work.path()).map(|now| now.f_bavail * now.f_frsize).unwrap();
    let line = "fallocate -l 300M f; sleep 60";
    let before = Bounds { free: free - 150 * MIB, ..Bounds::NONE };
    let low = Bounds { free: free + 1024 * MIB, ..Bounds::NONE };
    for bounds in [before, low] {
        let (finished, _) = bounded(bounds, line).await;
        assert!(matches!(finished.hit, Some(LimitHit::Disk(_))), "{:?} {:?}", finished.status, finished.hit);
    }
}

#[tokio::test]
async fn c5_a_command_leaves_no_program_that_runs_as_its_owner() {
    let place = Place::new();
    if let Confinement::Boxed(sandbox) = confinement(&place) {
        let line =
            "cp /bin/true t; chmod u+s t; chmod 6755 t; install -m 4755 /bin/true i; find . -perm -4000; echo looked";
        let (text, _) = place.says(&sandbox, line).await;
        assert!(text.ends_with("looked\n") && !text.contains("./"), "{text}");
        place.good(&sandbox, "chmod 755 t && chmod g+s . && mkdir -m 2755 d && echo fine", "fine").await;
    }
}
