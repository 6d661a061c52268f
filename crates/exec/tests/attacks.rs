//! The catalogue of attempts to get out, each made by a real process in a real box; and made without one, so that it is
//! known that they would get through.
#![cfg(target_os = "linux")]

use reasonix_exec::attacks::{ATTACKS, Ground, Held};
use reasonix_exec::{Confinement, SandboxLevel};

fn ground() -> (tempfile::TempDir, Ground) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let ground = Ground::new(folder.path()).unwrap();
    (folder, ground)
}

#[tokio::test]
async fn every_attempt_is_held_at_level_full() {
    let (_folder, ground) = ground();
    let sandbox = match ground.sandbox(SandboxLevel::Full) {
        Ok(sandbox) => sandbox,
        Err(error) if std::env::var_os("REASONIX_E2E").is_none() => return eprintln!("skipped: {error}"),
        Err(error) => panic!("{error}"),
    };
    for attack in ATTACKS {
        let held = ground.attempt(&sandbox, attack).await.unwrap();
        assert!(matches!(held, Held::Yes | Held::NotHere(_)), "{} {}: {held:?}", attack.id, attack.name);
    }
}

/// Attempts that succeed here for anybody, so that holding them is the box's doing.
#[tokio::test]
async fn without_a_box_they_get_through() {
    const PLAIN: &[&str] = &[
        "write",
        "link",
        "dots",
        "proc",
        "hard_link",
        "rights",
        "home_secret",
        "closed_secret",
        "hook",
        "git_settings",
        "new_settings",
        "tcp",
        "our_memory",
        "new_privileges",
        "worktree_settings",
        "module_settings",
        "rebase",
        "git_credentials",
        "shell_history",
        "our_command_line",
        "setuid",
        "fixed",
        "reader_write",
        "reader_remove",
        "reader_rights",
        "reader_make",
        "reader_substitution",
        "reader_subscript",
        "reader_temporary",
        "reader_home",
        "reader_memory",
        "reader_socket",
        "reader_internet",
        "reader_netlink",
        "reader_shared_memory",
        "reader_outside",
        "reader_link_out",
        "reader_system",
        "reader_signal",
    ];
    for name in PLAIN {
        let (_folder, ground) = ground();
        let attack = ATTACKS.iter().find(|attack| attack.name == *name).unwrap();
        let held = ground.try_out(Confinement::None, attack).await.unwrap();
        assert!(matches!(held, Held::No(_)), "{name}: {held:?}");
    }
}

/// Without the hold, in the same box, a reader's attempts get through but for what every command is held to: so that it is
/// the hold that stops them.
#[tokio::test]
async fn without_the_hold_they_get_through_in_the_box() {
    for attack in
        ATTACKS.iter().filter(|attack| attack.reader && !matches!(attack.name, "reader_internet" | "reader_signal"))
    {
        let (folder, ground) = ground();
        let sandbox = match ground.sandbox(SandboxLevel::Full) {
            Ok(sandbox) => sandbox,
            Err(error) if std::env::var_os("REASONIX_E2E").is_none() => return eprintln!("skipped: {error}"),
            Err(error) => panic!("{error}"),
        };
        // In a clone below `/tmp` what lies outside is not there for any command.
        if folder.path().starts_with("/tmp") && matches!(attack.name, "reader_outside" | "reader_link_out") {
            continue;
        }
        let held = ground.try_out(Confinement::Boxed(sandbox), attack).await.unwrap();
        assert!(matches!(held, Held::No(_)), "{}: {held:?}", attack.name);
    }
}

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = ATTACKS.iter().map(|attack| attack.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), ATTACKS.len());
}
