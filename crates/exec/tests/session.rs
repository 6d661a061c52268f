//! What the commands of a session share, and what they share with nobody else.

#![cfg(target_os = "linux")]

use crate::place::{Place, full, python};
use reasonix_exec::{BoxOptions, Caches, EndStatus, Masked, Sandbox, run};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Starts a server in the box, runs a line with its port in place of `PORT`, and ends the server.
async fn with_server(place: &Place, sandbox: &Arc<Sandbox>, others: &Arc<Sandbox>, line: &str) -> (String, EndStatus) {
    let (said, mut heard) = mpsc::unbounded_channel();
    let code = "import socket\ns=socket.create_server(('127.0.0.1',0))\nprint(s.getsockname()[1],flush=True)\n\
                while True:\n c=s.accept()[0]\n c.sendall(b'hello')\n c.close()";
    let (server, stop) = (place.boxed(sandbox, &python(code)), CancellationToken::new());
    let tell = move |bytes: &[u8]| drop(said.send(String::from_utf8_lossy(bytes).trim().to_owned()));
    let serving = run(&server, stop.clone(), &tell);
    let asking = async {
        let port = heard.recv().await.unwrap();
        let outside = std::net::TcpStream::connect(("127.0.0.1", port.parse::<u16>().unwrap()));
        assert!(outside.is_err(), "a server in the box is not one of the machine");
        let said = place.says(others, &line.replace("PORT", &port)).await;
        stop.cancel();
        said
    };
    tokio::join!(serving, asking).1
}

#[tokio::test]
async fn c4_a_server_is_reached_by_the_next_command_and_by_no_other_session() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let line = "exec 3<>/dev/tcp/127.0.0.1/PORT && cat <&3";
    let here = with_server(&place, &sandbox, &sandbox, line).await;
    assert_eq!(here, ("hello".to_owned(), EndStatus::Exited(0)));
    let another = full(place.options()).unwrap();
    let (text, status) = with_server(&place, &sandbox, &another, line).await;
    assert!(matches!(status, EndStatus::Exited(1..)), "{text}");
}

/// The one way out of the box is a socket that only its commands can connect to.
#[tokio::test]
async fn c4_only_commands_come_through_the_door() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let door = sandbox.take_door().unwrap();
    assert!(sandbox.take_door().is_none(), "one has it");
    let port = door.local_addr().unwrap().port();
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
    let served = std::thread::spawn(move || {
        door.set_nonblocking(false).unwrap();
        let mut client = door.accept().unwrap().0;
        let mut said = [0; 2];
        client.read_exact(&mut said).unwrap();
        client.write_all(b"out\n").unwrap();
        said
    });
    place.good(&sandbox, &format!("exec 3<>/dev/tcp/127.0.0.1/{port} && printf hi >&3 && cat <&3"), "out").await;
    assert_eq!(&served.join().unwrap(), b"hi");
}

fn project(place: &Place) -> BoxOptions {
    BoxOptions { caches: Caches::Project(place.state.path().join("caches/p")), ..place.options() }
}

/// What builds put into caches is there in the next session of the same project, and the user's own stay as they are.
#[tokio::test]
async fn caches_of_a_project_outlive_the_session() {
    let place = Place::new();
    let real = place.home.path().join(".cargo/registry");
    fs::create_dir_all(&real).unwrap();
    fs::write(real.join("index"), "old").unwrap();
    // It is built with npm, whose cache the user does not have yet.
    fs::write(place.work.path().join("package.json"), "{}").unwrap();
    let sandbox = full_or_skip!(project(&place));
    let line = "echo new > ~/.cargo/registry/index && mkdir ~/.cargo/registry/src && echo x > ~/.npm/entry && echo s > ~/other";
    place.good(&sandbox, line, "").await;
    // Another session at the same time keeps its changes to itself.
    let second = full(project(&place)).unwrap();
    place.good(&second, "cat ~/.cargo/registry/index && echo mine > ~/.cargo/registry/index", "old").await;
    drop((sandbox, second));
    let next = full(project(&place)).unwrap();
    place
        .good(
            &next,
            "cat ~/.cargo/registry/index ~/.npm/entry; ls ~/.cargo/registry; cat ~/other 2>&1 | tail -c 10",
            "new\nx\nindex\nsrc\ndirectory",
        )
        .await;
    assert_eq!(fs::read_to_string(real.join("index")).unwrap(), "old");
    assert!(!place.home.path().join(".npm").exists() && !real.join("src").exists());
}

/// Where the user says so, the caches are the user's own.
#[tokio::test]
async fn shared_caches_are_written() {
    let place = Place::new();
    let real = place.home.path().join(".cache/pip");
    fs::create_dir_all(&real).unwrap();
    let sandbox = full_or_skip!(BoxOptions { caches: Caches::Shared, ..place.options() });
    place.good(&sandbox, "echo x > ~/.cache/pip/wheel && echo y > ~/.cache/other", "").await;
    assert_eq!(fs::read_to_string(real.join("wheel")).unwrap(), "x\n");
    assert!(!place.home.path().join(".cache/other").exists());
}

/// A toolchain that keeps its cache outside of the home has it through the same layer.
#[tokio::test]
async fn a_cache_elsewhere_is_written_to_the_box() {
    let place = Place::new();
    let cargo = place.outside.path().canonicalize().unwrap().join("cargo");
    fs::create_dir_all(cargo.join("registry")).unwrap();
    fs::write(cargo.join("registry/index"), "old").unwrap();
    let mut options = place.options();
    options.environment = options.environment.with("CARGO_HOME", &cargo);
    let sandbox = full_or_skip!(options);
    let line = format!("cd {0}/registry && cat index && echo new > index && cat index", cargo.display());
    place.good(&sandbox, &line, "oldnew").await;
    // Beside its caches nothing is written: refused, or in a clone below `/tmp` put into the session's own.
    place.says(&sandbox, &format!("echo x > {}/else", cargo.display())).await;
    assert!(!cargo.join("else").exists());
    assert_eq!(fs::read_to_string(cargo.join("registry/index")).unwrap(), "old");
}

/// What rules hide is worked out for each command, so that what came later is hidden too.
#[tokio::test]
async fn what_rules_deny_is_closed_to_programs() {
    let place = Place::new();
    let work = place.work.path().canonicalize().unwrap();
    let hidden: Vec<PathBuf> = ["secret", "keys", "keys/in", "late"].iter().map(|name| work.join(name)).collect();
    let masked = Masked(Arc::new(move || hidden.iter().filter(|path| path.exists()).cloned().collect()));
    fs::write(work.join("secret"), "SECRET").unwrap();
    fs::create_dir_all(work.join("keys/in")).unwrap();
    fs::write(work.join("keys/in/k"), "SECRET").unwrap();
    let sandbox = full_or_skip!(BoxOptions { masked: Some(masked), ..place.options() });
    place.good(&sandbox, "cat secret; ls -A keys; echo SECRET > late; cat late", "SECRET").await;
    let (text, _) = place
        .says(&sandbox, "cat late secret keys/in/k; grep -r SECRET .; python3 -c 'print(open(\"late\").read())'")
        .await;
    assert!(!text.contains("SECRET"), "{text}");
    // Nor does another name for it help: it cannot be linked to, copied or renamed.
    for line in
        ["ln secret s && cat s | grep .", "cp secret c && grep . c", "mv secret m", "ln keys/in/k k", "mv keys kk"]
    {
        place.bad(&sandbox, line).await;
    }
    assert_eq!(fs::read_to_string(work.join("secret")).unwrap(), "SECRET");
}

/// C9: nothing that lies in the workspace or in PATH has a part in making the box.
#[tokio::test]
async fn c9_no_program_of_the_repository_makes_the_box() {
    let place = Place::new();
    let work = place.work.path().canonicalize().unwrap();
    for name in ["bwrap", "unshare", "newuidmap", "newgidmap", "mount", "ip", "nsenter", "iptables"] {
        let file = work.join(name);
        fs::write(&file, format!("#!/bin/sh\necho {name} >> {}/ran\n", work.display())).unwrap();
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let mut options = place.options();
    let path = format!("{}:{}", work.display(), std::env::var("PATH").unwrap());
    options.environment = options.environment.with("PATH", path);
    let sandbox = full_or_skip!(options);
    place.good(&sandbox, "echo fine", "fine").await;
    assert!(!work.join("ran").exists());
}

/// C10: the box's own folder is nobody else's.
#[test]
fn c10_the_folder_behind_the_box_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let me = std::env::current_exe().unwrap();
    let out = std::process::Command::new(me)
        .args(["--ignored", "--exact", "session::inside_a_prepared_folder"])
        .env("TMPDIR", folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && text.contains("1 passed"), "{text}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "it goes with its session");
}

#[tokio::test]
#[ignore = "run by the test above, with a folder of its own for temporary files"]
async fn inside_a_prepared_folder() {
    use std::os::unix::fs::MetadataExt;
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let boxes: Vec<PathBuf> = fs::read_dir(std::env::temp_dir())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("reasonix-box-"))
        .collect();
    assert_eq!(boxes.len(), 1);
    let found = fs::symlink_metadata(&boxes[0]).unwrap();
    assert!(found.is_dir() && found.mode() & 0o777 == 0o700, "{:o}", found.mode());
    place.good(&sandbox, "echo x > /tmp/f", "").await;
    assert!(!Path::new("/tmp/f").exists());
}
