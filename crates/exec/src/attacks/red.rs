//! Each check seen red: with the protection taken out that holds it, the attempt gets through. So a check that is green is
//! green because of that protection, and not because the attempt could never succeed.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests fail by panicking")]

use super::{ATTACKS, Attack, Ground, Held, PATIENCE, Proof, SECRET, is_here, lives};
use crate::sandbox::Piece::{self, Aside, Filter, Landlock, Privileges, Walls};
use crate::{Bounds, Command, Confinement, EndStatus, SandboxLevel, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What is taken out.
#[derive(Debug, Clone, Copy)]
enum Out {
    /// Pieces of the box. What several of them hold is only seen without all of these.
    Pieces(&'static [Piece]),
    /// What holds a reader to reading; it is in the same box as any other command.
    Hold,
    /// The same, and pieces of the box too.
    HoldAnd(&'static [Piece]),
    /// The whole box.
    Box,
    /// The limits of a command.
    Limits,
    /// Whatever this crate does with a command: it is started as any program starts another.
    Everything,
}

use Out::{Box as NoBox, Everything, Hold, HoldAnd, Limits, Pieces};

/// What holds each attempt.
#[rustfmt::skip]
const TABLE: &[(&str, Out)] = &[
    ("write", Pieces(&[Walls, Landlock])),
    ("link", Pieces(&[Walls, Landlock])),
    ("dots", Pieces(&[Walls, Landlock])),
    ("proc", Pieces(&[Walls, Landlock])),
    ("hard_link", Pieces(&[Walls, Landlock])),
    ("remove", Pieces(&[Walls, Landlock])),
    ("rights", Pieces(&[Walls])),
    ("home_secret", Pieces(&[Walls])),
    ("closed_secret", Pieces(&[Walls])),
    ("hook", Pieces(&[Walls])),
    ("git_settings", Pieces(&[Walls])),
    ("new_settings", Pieces(&[Aside])),
    ("tcp", Pieces(&[Walls])),
    ("abstract_socket", Pieces(&[Walls, Landlock])),
    ("path_socket", Pieces(&[Walls])),
    ("raw_socket", Pieces(&[Filter, Privileges])),
    ("io_uring", Pieces(&[Filter])),
    ("descriptors", Everything),
    ("new_privileges", NoBox),
    ("capabilities", Pieces(&[Privileges])),
    ("user_namespace", Pieces(&[Filter])),
    ("mount", Pieces(&[Filter, Landlock, Privileges])),
    ("our_memory", Pieces(&[Walls, Landlock])),
    ("our_process", Pieces(&[Walls, Landlock])),
    ("terminal", Pieces(&[Filter])),
    ("endless_file", Limits),
    ("daemon", Everything),
    ("worktree_settings", Pieces(&[Aside])),
    ("module_settings", Pieces(&[Aside])),
    ("rebase", Pieces(&[Aside])),
    ("git_credentials", Pieces(&[Walls])),
    ("shell_history", Pieces(&[Walls])),
    ("our_command_line", Pieces(&[Walls])),
    ("setuid", Pieces(&[Filter])),
    ("fixed", Pieces(&[Walls])),
    ("reader_write", Hold),
    ("reader_remove", Hold),
    ("reader_rights", Hold),
    ("reader_make", Hold),
    ("reader_substitution", Hold),
    ("reader_subscript", Hold),
    ("reader_temporary", Hold),
    ("reader_home", Hold),
    ("reader_memory", Hold),
    ("reader_socket", Pieces(&[Filter])),
    ("reader_internet", Pieces(&[Filter])),
    ("reader_netlink", Pieces(&[Filter])),
    ("reader_shared_memory", Pieces(&[Filter])),
    ("reader_outside", Pieces(&[Landlock])),
    ("reader_link_out", Pieces(&[Landlock])),
    ("reader_system", Pieces(&[Landlock])),
    ("reader_signal", HoldAnd(&[Walls, Landlock])),
    ("environment", Everything),
];

/// What walls hide besides where this test's folder is below the temporary one, of which a box has its own.
const HIDDEN_WITH_THE_TEMPORARY_FOLDER: &[&str] = &["reader_outside", "reader_link_out"];

/// What some machines refuse to everybody, so that nothing of ours can be seen to hold it there.
const REFUSED_BY_MACHINES: &[(&str, &str)] = &[
    ("io_uring", "kernel.io_uring_disabled, or the container, refuses it to all"),
    ("user_namespace", "user.max_user_namespaces, or the container, allows no more of them"),
    ("terminal", "dev.tty.legacy_tiocsti refuses it to ordinary users"),
    ("path_socket", "the folder of this test has too long a name for a socket"),
];

/// What an ordinary user is refused in any case: the program that it executes keeps no capability of its namespace, whether
/// or not they are given up before. As root these are shown.
const REFUSED_TO_ORDINARY_USERS: &[&str] = &["raw_socket", "mount"];

fn ground() -> (tempfile::TempDir, Ground) {
    // Not in the temporary folder, which a box has of its own.
    let program = std::env::current_exe().unwrap();
    let folder = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
    let ground = Ground::new(folder.path()).unwrap();
    (folder, ground)
}

impl Ground {
    async fn without(&self, out: Out, attack: &Attack) -> Held {
        let boxed = |pieces: &[Piece]| {
            let sandbox = self.sandbox(SandboxLevel::Full).unwrap();
            sandbox.lack(pieces);
            Confinement::Boxed(sandbox)
        };
        let confinement = match out {
            Everything => return self.started_by_nobody(attack),
            Limits => return self.unlimited(boxed(&[]), attack).await,
            NoBox => Confinement::None,
            Hold => boxed(&[]),
            HoldAnd(pieces) => boxed(pieces),
            Pieces(pieces) if attack.reader => boxed(pieces).held().unwrap(),
            Pieces(pieces) => boxed(pieces),
        };
        self.try_out(confinement, attack).await.unwrap()
    }

    /// Runs it in a box that has no limits.
    async fn unlimited(&self, boxed: Confinement, attack: &Attack) -> Held {
        let command = Command::shell(Path::new("/bin/bash"), &self.line(attack), &self.folder.join("work"))
            .with_environment(self.environment())
            .with_timeout(Some(PATIENCE))
            .with_bounds(Bounds::NONE)
            .with_confinement(boxed);
        let finished = run(&command, CancellationToken::new(), &|_| {}).await.unwrap();
        if finished.status == EndStatus::Exited(0) { Held::No(String::new()) } else { Held::Yes }
    }

    /// Runs it as any program would, with descriptors that stay open and a key in the environment.
    fn started_by_nobody(&self, attack: &Attack) -> Held {
        if !is_here(attack.needs) {
            return Held::NotHere(attack.needs);
        }
        let before = self.seen(attack.proof);
        let null = fs::File::open("/dev/null").unwrap();
        let _open: Vec<_> = (0..4).map(|_| rustix::io::dup(&null).unwrap()).collect();
        let output = std::process::Command::new("/bin/bash")
            .args(["-c", &self.line(attack)])
            .current_dir(self.folder.join("work"))
            .env("HOME", self.folder.join("home"))
            .env("REASONIX_ATTACK_API_KEY", SECRET)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let through = match attack.proof {
            Proof::Exit => output.status.success(),
            Proof::Secret => String::from_utf8_lossy(&output.stdout).contains(SECRET),
            // What was left behind may not have begun yet.
            Proof::Alive => (0..APPEARS).any(|_| self.shows(attack.proof, &before) || pause()),
            other => self.shows(other, &before),
        };
        end_marked();
        if through { Held::No(String::new()) } else { Held::Yes }
    }
}

/// So often it is looked for what an attempt left behind.
const APPEARS: usize = 3000;

/// Gives others time; false, so that a search goes on.
fn pause() -> bool {
    std::thread::sleep(Duration::from_millis(10));
    false
}

/// Ends what an attempt of this process left behind, until nothing of it is there.
fn end_marked() {
    let mark = format!("333.{}", std::process::id());
    let has_mark = |file: &PathBuf| {
        let line = fs::read(file.join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())
    };
    while lives(&mark) {
        for file in fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path()).filter(has_mark) {
            let number = file.file_name().and_then(|name| name.to_str()?.parse().ok());
            if let Some(process) = number.and_then(rustix::process::Pid::from_raw) {
                let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
            }
        }
        pause();
    }
}

#[tokio::test]
async fn each_check_is_red_without_what_holds_it() {
    let required = std::env::var_os("REASONIX_E2E").is_some();
    let (_folder, first) = ground();
    match first.sandbox(SandboxLevel::Full) {
        Ok(_) => {}
        Err(error) if !required => return eprintln!("skipped: {error}"),
        Err(error) => panic!("{error}"),
    }
    let mut green = Vec::new();
    for (name, out) in TABLE {
        let attack = ATTACKS.iter().find(|attack| attack.name == *name).unwrap();
        let (_folder, ground) = ground();
        let hidden = ground.folder.starts_with("/tmp") && HIDDEN_WITH_THE_TEMPORARY_FOLDER.contains(name);
        let out = if hidden { Pieces(&[Walls, Landlock]) } else { *out };
        let held = ground.without(out, attack).await;
        let ordinary = !rustix::process::geteuid().is_root() && REFUSED_TO_ORDINARY_USERS.contains(name);
        let refused = REFUSED_BY_MACHINES.iter().find(|(known, _)| known == name);
        match (held, refused) {
            (Held::No(_), _) => {}
            (Held::NotHere(program), _) if !required => eprintln!("{name} is not shown: no {program} here"),
            (Held::Yes, Some((_, why))) if ground.started_by_nobody(attack) == Held::Yes => {
                eprintln!("{name} cannot be shown here: {why}");
            }
            (Held::Yes, _) if ordinary => eprintln!("{name} cannot be shown as an ordinary user"),
            (held, _) => green.push(format!("{name} without {out:?}: {held:?}")),
        }
    }
    assert!(green.is_empty(), "these hold although what holds them was taken out:\n{}", green.join("\n"));
}

#[test]
fn every_check_is_in_the_table_once() {
    let mut named: Vec<&str> = TABLE.iter().map(|(name, _)| *name).collect();
    let mut all: Vec<&str> = ATTACKS.iter().map(|attack| attack.name).collect();
    named.sort_unstable();
    all.sort_unstable();
    assert_eq!(named, all);
}
