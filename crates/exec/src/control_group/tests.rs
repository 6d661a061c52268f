//! Against the kernel's own groups: a hierarchy of the second version, mounted where only the test sees it, with a group
//! in it that is marked as delegated. Which controllers that hierarchy has is up to the machine; limits are tried where it
//! has them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests fail by panicking")]

use super::{Given, WANTED, group_limits, is_delegated, own_group, placed, words};
use crate::{
    Bounds, BoxOptions, Caches, Command, Confinement, EndStatus, Environment, Finished, LimitHit, Sandbox,
    SandboxLevel, run,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Mounts, makes the group, enters it, runs one test of this binary, and takes it all away again.
const SCRIPT: &str = "at=$(mktemp -d) && mount -t cgroup2 none \"$at\" || exit 77
back=\"$at$(sed -n 's/^0:://p' /proc/self/cgroup)\"
group=\"$back/delegated-$$\"
mkdir \"$group\" || exit 77
[ \"$2\" = marked ] && { python3 -c 'import os,sys; os.setxattr(sys.argv[1], \"user.delegate\", b\"1\")' \"$group\" || exit 77; }
sh -c 'echo $$ > \"$3/cgroup.procs\" && exec \"$0\" --ignored --exact --nocapture \"$1\"' \"$0\" \"$1\" - \"$group\"
code=$?
find \"$group\" -mindepth 1 -type d -exec rmdir {} + 2>/dev/null
rmdir \"$group\" && umount \"$at\" && rmdir \"$at\"
exit $code";

/// Runs one ignored test inside; where the machine cannot have such a group, that is said.
fn inside(test: &str, marked: &str) {
    let insists = std::env::var_os("REASONIX_E2E").is_some() && rustix::process::geteuid().is_root();
    let me = std::env::current_exe().unwrap();
    let mut unshare = std::process::Command::new("unshare");
    unshare.args(["-m", "sh", "-c", SCRIPT]).arg(me).arg(format!("control_group::tests::{test}")).arg(marked);
    let out = unshare.output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    if text.is_empty() && !insists {
        return eprintln!("skipped: no control group of its own can be had here: {errors}");
    }
    assert!(out.status.success() && text.contains("1 passed"), "{text}{errors}");
    eprint!("{errors}");
}

async fn shell(line: &str, bounds: Bounds) -> Finished {
    confined(line, bounds, Path::new("/"), Confinement::None).await
}

async fn confined(line: &str, bounds: Bounds, folder: &Path, confinement: Confinement) -> Finished {
    let command = Command::shell(Path::new("/bin/bash"), line, folder)
        .with_confinement(confinement)
        .with_environment(Environment::inherited(&[]))
        .with_bounds(bounds)
        .with_timeout(Some(Duration::from_secs(60)));
    run(&command, CancellationToken::new(), &|_| {}).await.unwrap()
}

fn ours(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_dir() && !path.to_string_lossy().ends_with("-self")).collect()
}

#[test]
fn a_group_is_found_below_its_mount() {
    for (mount, group, at) in [
        ("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "/a/b", Some("/sys/fs/cgroup/a/b")),
        ("30 23 0:26 /a /cg rw shared:4 - cgroup2 cgroup2 rw", "/a/b", Some("/cg/b")),
        ("30 23 0:26 /a /cg rw - cgroup2 cgroup2 rw", "/a", Some("/cg/")),
        ("30 23 0:26 /a /cg rw - cgroup2 cgroup2 rw", "/ab", None),
        ("30 23 0:26 / /with\\040blank rw - cgroup2 none rw", "/x", Some("/with blank/x")),
        ("30 23 0:26 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids", "/a", None),
    ] {
        assert_eq!(placed(mount, group), at.map(PathBuf::from), "{mount}");
    }
}

#[test]
fn c6_a_command_has_a_group_of_its_own_which_ends_it() {
    inside("a_command_in_a_group", "marked");
}

#[tokio::test]
#[ignore = "run by the test above, in a group of its own"]
async fn a_command_in_a_group() {
    let own = own_group().unwrap();
    let has = |name: &str| words(&own.join("cgroup.controllers")).iter().any(|there| there == name);
    let limits = group_limits();
    assert!(limits.given && limits.processes == has("pids") && limits.memory == has("memory"), "{limits:?}");
    let finished = shell("cat /proc/self/cgroup", Bounds::NONE).await;
    let text = String::from_utf8(finished.output.into_parts().0).unwrap();
    let inner = text.lines().find_map(|line| line.strip_prefix("0::")).unwrap();
    assert!(inner.contains(&format!("/reasonix-{}-", std::process::id())), "{text}");
    assert_eq!(ours(&own), Vec::<PathBuf>::new(), "it is removed when the command has ended");
    // Whoever kills the guard frees what left the command's session; the group has it all the same.
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let escape = format!("(setsid sleep 1000 & echo $! > {}) ; kill -9 $PPID; sleep 1000", pid.display());
    shell(&escape, Bounds::NONE).await;
    let escaped = fs::read_to_string(&pid).unwrap();
    let gone = || {
        let status = fs::read_to_string(format!("/proc/{}/status", escaped.trim())).unwrap_or_default();
        status.is_empty() || status.contains("State:\tZ")
    };
    let until = Instant::now() + Duration::from_secs(20);
    while !gone() && Instant::now() < until {
        std::thread::yield_now();
    }
    assert!(gone(), "what escaped is ended with the group");
    assert_eq!(ours(&own), Vec::<PathBuf>::new());
    let_limits_hold(limits).await;
}

/// Only where the hierarchy has the controllers.
async fn let_limits_hold(limits: super::GroupLimits) {
    if !limits.processes || !limits.memory {
        eprintln!("not tried: the hierarchy of this machine lacks the controllers pids and memory ({limits:?})");
    }
    if limits.processes {
        let bounds = Bounds { processes: 20, ..Bounds::NONE };
        let finished = shell("for i in $(seq 40); do sleep 5 & done 2>&1; wait", bounds).await;
        let text = String::from_utf8_lossy(&finished.output.into_parts().0).into_owned();
        assert!(text.contains("Resource temporarily unavailable"), "{text}");
    }
    if limits.memory {
        let bounds = Bounds { memory: 64 << 20, ..Bounds::NONE };
        let finished = shell("head -c 300M /dev/zero | tail -c 299M | wc -c", bounds).await;
        assert_eq!((finished.status, finished.hit), (EndStatus::Bounded, Some(LimitHit::Memory(64 << 20))));
    }
}

#[test]
fn c6_a_boxed_command_is_in_its_group_too() {
    inside("a_boxed_command_in_a_group", "marked");
}

#[tokio::test]
#[ignore = "run by the test above, in a group of its own"]
async fn a_boxed_command_in_a_group() {
    let own = own_group().unwrap();
    let (work, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = BoxOptions {
        writable: vec![work.path().to_owned()],
        opened: Vec::new(),
        readable: Vec::new(),
        closed: Vec::new(),
        shown: Vec::new(),
        masked: None,
        linked: None,
        fixed: None,
        caches: Caches::Session,
        network: false,
        quarantine: kept.path().to_owned(),
        environment: Environment::inherited(&[]),
    };
    let sandbox = match Sandbox::prepare(options, SandboxLevel::Full) {
        Ok(sandbox) => sandbox,
        Err(error) if std::env::var_os("REASONIX_E2E").is_none() => return eprintln!("not tried: {error}"),
        Err(error) => panic!("{error}"),
    };
    // The command, and what leaves its session. The first process of the box is ours, and stays outside of the limits.
    let line = "cat /proc/self/cgroup; (setsid cat /proc/self/cgroup)";
    let finished = confined(line, Bounds::NONE, work.path(), Confinement::Boxed(sandbox)).await;
    let text = String::from_utf8(finished.output.into_parts().0).unwrap();
    let groups: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("0::")).collect();
    let name = format!("/reasonix-{}-", std::process::id());
    assert!(groups.len() == 2 && groups.iter().all(|group| group.contains(&name)), "{text}");
    assert_eq!(ours(&own), Vec::<PathBuf>::new(), "it is removed when the command has ended");
}

#[test]
fn root_needs_the_mark_of_a_delegation() {
    inside("no_mark_no_group", "unmarked");
}

#[tokio::test]
#[ignore = "run by the test above, in a group that was not delegated"]
async fn no_mark_no_group() {
    let own = own_group().unwrap();
    assert!(!is_delegated(&own) && !group_limits().given);
    let finished = shell("sed -n 's/^0:://p' /proc/self/cgroup", Bounds::NONE).await;
    let text = String::from_utf8(finished.output.into_parts().0).unwrap();
    assert!(own.ends_with(text.trim().trim_start_matches('/')), "{text}");
}

#[test]
fn controllers_are_handed_on_by_whoever_is_alone() {
    inside("handing_on", "marked");
}

/// With whatever controller the machine has left for this hierarchy.
#[test]
#[ignore = "run by the test above, in a group of its own"]
fn handing_on() {
    let own = own_group().unwrap();
    let there = words(&own.join("cgroup.controllers"));
    let Some(first) = there.first() else { return eprintln!("not tried: there is no controller to hand on") };
    let nobody = own.join("reasonix-4194999-0");
    fs::create_dir(&nobody).unwrap();
    let mut other = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
    let shared = Given::take(own.clone(), &[first.as_str()]).unwrap();
    assert!(!shared.has(first), "others in the group are not moved");
    assert!(!nobody.exists(), "groups of the dead are removed");
    other.kill().unwrap();
    other.wait().unwrap();
    let alone = Given::take(own.clone(), &[first.as_str()]).unwrap();
    assert!(alone.has(first));
    let group = alone.group(&Bounds::NONE).unwrap();
    assert!(words(&group.folder.join("cgroup.controllers")).contains(first));
    drop(group);
    assert_eq!(ours(&own), Vec::<PathBuf>::new());
    assert!(own_group().unwrap().to_string_lossy().ends_with("-self"));
    assert!(WANTED.contains(&"memory"));
    fs::write(own.join("cgroup.subtree_control"), format!("-{first}")).unwrap();
    fs::write(own.join("cgroup.procs"), "0").unwrap();
}
