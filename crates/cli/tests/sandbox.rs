//! The sandbox as the user meets it: on by default, said in the log, refused where it cannot be had.

use crate::support;

use reasonix_testkit::Reply;
use serde_json::json;
use std::process::Command;
use support::{Place, Ran, finish};

fn bash(line: &str) -> Reply {
    Reply::call("bash", json!({"command": line}))
}

/// The answer to the first call of the turn.
fn result(place: &Place) -> String {
    place.server.requests()[1].messages()[3]["content"].as_str().unwrap().to_owned()
}

/// Runs the program where no namespaces can be made. None where even that cannot be arranged.
fn without_namespaces(place: &Place, args: &[&str]) -> Option<Ran> {
    let plain = place.command(args);
    let mut command = Command::new("unshare");
    let line = "echo 0 > /proc/sys/user/max_user_namespaces || exit 99; exec \"$0\" \"$@\"";
    command.args(["-Ur", "sh", "-c", line]).arg(plain.get_program()).args(plain.get_args()).env_clear();
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let ran = finish(command.current_dir(place.work.path()).output().ok()?);
    let arranged = ran.code != Some(99) && !ran.err.starts_with("unshare:");
    assert!(arranged || !support::everything_required(), "{}", ran.err);
    arranged.then_some(ran)
}

#[test]
fn commands_are_boxed_without_a_word_in_the_settings() {
    if !support::has_box() {
        return;
    }
    let line = "echo x > /etc/reasonix-test; make -s; \
                grep NoNewPrivs /proc/self/status";
    let place = Place::new(vec![bash(line), Reply::say("ok")]);
    // A line that names the file is asked about; this is what a program does on its own.
    place.work.write("Makefile", "all:\n\techo '{}' > .mcp.json\n");
    let ran = place.run(&["run", "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let result = result(&place);
    assert!(result.contains("/etc/reasonix-test: Read-only file system"), "{result}");
    assert!(result.contains("NoNewPrivs:\t1"), "{result}");
    assert!(result.contains(".mcp.json is protected") && result.contains("quarantine"), "{result}");
    assert!(!place.work.exists(".mcp.json") && place.home.exists("state/quarantine/1-.mcp.json"));
    let log = std::fs::read_to_string(&place.logs()[0]).unwrap();
    assert!(log.lines().next().unwrap().contains(r#""sandbox":"full""#), "{log}");
    assert!(!ran.err.contains("sandbox"), "nothing to be said about it: {}", ran.err);
}

/// git and builds need all of a repository, wherever in it somebody works; what is closed in it stays closed, and nothing of it
/// is changed from there.
#[test]
fn commands_in_a_part_of_a_repository_see_all_of_it_and_change_only_their_part() {
    if !support::has_box() {
        return;
    }
    let line = "git log --oneline; cat ../whole.txt ../.env ../other/.env.local";
    let program = Reply::call("bash", json!({"command": "make -s"}));
    let place = Place::new(vec![bash(line), program, Reply::say("ok")]);
    place.work.write("whole.txt", "all of it\n");
    place
        .work
        .write("part/Makefile", "all:\n\t-cat ../whole.txt ../.env\n\t-touch ../made\n\t-git add mine\n\ttouch mine\n");
    place.work.git_init();
    place.work.write(".env", "KEY=hush\n");
    place.work.write("other/.env.local", "KEY=hush\n");
    let ran = place.run(&["run", "-C", &place.work.join("part").display().to_string(), "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let results: Vec<String> = [3, 5].map(|at| place.server.requests()[2].messages()[at]["content"].to_string()).into();
    let [reader, writer] = results.as_slice() else { unreachable!() };
    assert!(reader.contains("start") && reader.contains("all of it") && !reader.contains("hush"), "{reader}");
    assert!(reader.contains("hidden from commands"), "{reader}");
    assert!(writer.contains("all of it") && !writer.contains("hush"), "{writer}");
    assert_eq!(writer.matches("Read-only file system").count(), 2, "{writer}");
    assert!(place.work.exists("part/mine") && !place.work.exists("made"), "{writer}");
}

/// Rules of a project that lies between the repository and the working folder hold for its files.
#[test]
fn what_a_project_around_denies_is_hidden_from_its_parts() {
    if !support::has_box() {
        return;
    }
    let place = Place::new(vec![bash("make -s"), Reply::say("ok")]);
    place.work.write("mid/reasonix.toml", "[permissions]\ndeny = [\"Read(secrets/**)\"]\n");
    place.work.write("mid/secrets/key", "hush\n");
    place.work.write("mid/part/Makefile", "all:\n\t-cat ../secrets/key\n\tcat ../open.txt\n");
    place.work.write("mid/open.txt", "open\n");
    place.work.git_init();
    let ran = place.run(&["run", "-C", &place.work.join("mid/part").display().to_string(), "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let result = result(&place);
    assert!(result.contains("open") && !result.contains("hush"), "{result}");
}

/// The user's own settings are read where they were named, not in a folder that a repository makes the project.
#[test]
fn settings_that_a_person_names_are_not_looked_for_in_the_project() {
    let place = Place::new(vec![Reply::say("ok"), Reply::say("ok")]);
    place.work.write(".mcp.json", "{}");
    place.work.write("mine.toml", "default_model = \"evil\"\n[sandbox]\nbash = \"off\"\n");
    place.work.write("sub/mine.toml", place.home.read("config.toml"));
    place.work.git_init();
    for named in [&["run", "--config", "mine.toml", "go"][..], &["run", "go"]] {
        let mut command = place.command(named);
        command.current_dir(place.work.join("sub"));
        if named.len() == 2 {
            command.env("REASONIX_CONFIG", "mine.toml");
        }
        let ran = finish(command.output().unwrap());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    assert_eq!(place.server.request_count(), 2, "both asked the user's own endpoint");
}

/// Who keeps their home in git does not show it to every command below it.
#[test]
fn a_home_that_is_a_repository_stays_hidden() {
    if !support::has_box() {
        return;
    }
    let place = Place::new(vec![bash("make -s"), Reply::say("ok")]);
    place.work.write("diary.txt", "DEAR DIARY\n");
    place.work.write("part/Makefile", "all:\n\t-cat ../diary.txt\n\t-git status\n");
    place.work.git_init();
    let part = place.work.join("part").display().to_string();
    let ran = finish(place.command(&["run", "-C", &part, "go"]).env("HOME", place.work.path()).output().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let result = result(&place);
    assert!(result.contains("not a git repository") && !result.contains("DEAR"), "{result}");
}

/// The home lies where the box would show it: not in a folder that it replaces anyway. Without the box it is read.
#[test]
fn the_home_and_our_own_folder_are_hidden_without_a_word_in_the_settings() {
    if !support::has_box() {
        return;
    }
    for (settings, open) in [("", false), ("[sandbox]\nbash = \"off\"\n", true)] {
        let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let place = Place::new(vec![bash("make -s"), Reply::say("ok")]);
        place.configure(settings);
        let ours = home.path().join(".reasonix");
        std::fs::create_dir_all(home.path().join(".ssh")).unwrap();
        std::fs::create_dir(&ours).unwrap();
        std::fs::write(home.path().join(".ssh/id_test"), "PRIVATE\n").unwrap();
        // In no list of secrets: it is hidden because the home is.
        std::fs::write(home.path().join("diary.txt"), "DEAR DIARY\n").unwrap();
        std::fs::write(ours.join("config.toml"), place.home.read("config.toml")).unwrap();
        // A line that names the files is judged by them; this is what a program does on its own.
        let read = format!(
            "all:\n\t-cat {0}/.ssh/id_test\n\t-cat {0}/.reasonix/config.toml\n\t-cat {0}/diary.txt\n",
            home.path().display()
        );
        place.work.write("Makefile", &read);
        let mut command = place.command(&["run", "go"]);
        let out = command.env("HOME", home.path()).env("REASONIX_HOME", &ours).output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let result = result(&place);
        assert_eq!(result.contains("PRIVATE"), open, "a key: {result}");
        assert_eq!(result.contains("DEAR DIARY"), open, "the home: {result}");
        assert_eq!(result.contains("[[providers]]"), open, "our own folder: {result}");
    }
}

#[test]
fn what_cannot_be_had_is_refused_with_the_way_out() {
    if !support::has_box() {
        return;
    }
    let place = Place::new(vec![Reply::say("never")]);
    let Some(ran) = without_namespaces(&place, &["run", "go"]) else { return };
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    for wanted in [
        "sandbox level full cannot be had",
        "making namespaces",
        "user.max_user_namespaces",
        "best-effort",
        "bash = \"off\"",
        "config.toml",
    ] {
        assert!(ran.err.contains(wanted), "{wanted}: {}", ran.err);
    }
    assert_eq!(place.server.request_count(), 0, "nothing was spent");
    assert!(place.logs().is_empty());
    let ran = without_namespaces(&place, &["doctor", "--offline"]).unwrap();
    assert!(ran.code == Some(1) && ran.out.contains("sandbox level full cannot be had"), "{}", ran.out);
    // Without commands there is nothing to box.
    let ran = without_namespaces(&place, &["run", "--tools", "ls", "go"]).unwrap();
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "never\n"), "{}", ran.err);
}

#[test]
fn the_user_may_take_less_and_is_told() {
    for (setting, said, level) in [("best-effort", "level partial", "partial"), ("off", "without a sandbox", "off")] {
        let place = Place::new(vec![bash("echo x > inside; echo x > ../outside"), Reply::say("ok")]);
        place.configure(&format!("[sandbox]\nbash = \"{setting}\"\n"));
        let Some(ran) = without_namespaces(&place, &["run", "go"]) else { return };
        let _ = std::fs::remove_file(place.work.path().join("../outside"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.err.contains(said), "{}", ran.err);
        assert!(place.work.exists("inside"), "{}", result(&place));
        assert_eq!(result(&place).contains("denied"), setting == "best-effort", "{}", result(&place));
        let log = std::fs::read_to_string(&place.logs()[0]).unwrap();
        assert!(log.contains(&format!(r#""sandbox":"{level}""#)), "{log}");
        let ran = without_namespaces(&place, &["doctor", "--offline"]).unwrap();
        assert!(ran.code == Some(0) && ran.out.contains(said), "{}", ran.out);
    }
}

#[test]
fn a_project_cannot_open_the_box() {
    if !support::has_box() {
        return;
    }
    let place = Place::new(vec![bash("echo x > /etc/reasonix-test; ls ~"), Reply::say("ok")]);
    place.work.write("reasonix.toml", "[sandbox]\nbash = \"off\"\nnetwork = true\n");
    let ran = place.run(&["run", "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(result(&place).contains("Read-only file system"), "{}", result(&place));
}

#[test]
fn the_model_is_told_when_the_box_was_in_the_way() {
    if !support::has_box() {
        return;
    }
    for (line, said) in [
        ("touch /usr/reasonix-test", "commands run in a sandbox: only the workspace"),
        ("python3 -c \"import socket; socket.create_connection(('192.0.2.1', 80))\"", "in a sandbox without network"),
    ] {
        let place = Place::new(vec![bash(line), Reply::say("ok")]);
        let ran = place.run(&["run", "go"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(result(&place).contains(said), "{}", result(&place));
    }
    let place = Place::new(vec![bash("echo 'Read-only file system'"), Reply::say("ok")]);
    assert_eq!(place.run(&["run", "go"]).code, Some(0));
    assert_eq!(result(&place).trim(), "Read-only file system", "nothing failed, so nothing is said");
}

#[test]
fn the_demo_runs_also_where_there_is_no_box() {
    let place = Place::bare(reasonix_testkit::ModelServer::start_blocking(vec![]));
    let Some(ran) = without_namespaces(&place, &["demo"]) else { return };
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("all tests passed"), "{}", ran.err);
}

#[test]
fn a_project_in_shared_memory_is_seen_and_nothing_else_there() {
    let Ok(outside) = tempfile::tempdir_in("/dev/shm") else { return };
    if !support::has_box() {
        return;
    }
    let work = outside.path().join("work");
    std::fs::create_dir(&work).unwrap();
    std::fs::write(outside.path().join("other"), "secret").unwrap();
    let place = Place::new(vec![bash("cat ../other; ls /dev/shm/*; echo made > here"), Reply::say("ok")]);
    let ran = place.run(&["run", "-C", &work.display().to_string(), "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(work.join("here")).unwrap(), "made\n");
    assert!(!result(&place).contains("secret"), "{}", result(&place));
}

#[test]
fn env_files_that_git_does_not_track_are_closed_to_commands_and_file_tools() {
    if !support::has_box() {
        return;
    }
    // The name is put together by the program, so that only the kernel can say no.
    let line = "for d in . sub kept; do for e in env env.example; do cat $d/.$e; done; done; true";
    let read = |path: &str| Reply::call("read_file", json!({"path": path}));
    for (settings, open) in [("", false), ("[permissions]\nallow = [\"Read(.env)\"]\n", true)] {
        let place = Place::new(vec![bash(line), read(".env"), read("kept/.env"), Reply::say("ok")]);
        place.configure(settings);
        let git = |args: &[&str]| {
            assert!(place.program(std::path::Path::new("git"), args).output().unwrap().status.success(), "{args:?}");
        };
        git(&["init", "-q"]);
        place.work.write(".env", "KEY=at-the-root\n");
        place.work.write(".env.example", "KEY=an-example\n");
        place.work.write("sub/.env", "KEY=further-down\n");
        place.work.write("kept/.env", "KEY=tracked\n");
        git(&["add", "-f", "kept/.env"]);
        let ran = place.run(&["run", "go"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let sent = place.server.requests();
        let all = sent.last().unwrap().messages();
        let said = |at: usize| all[at]["content"].as_str().unwrap().to_owned();
        assert!(said(3).contains("an-example") && said(3).contains("KEY=tracked"), "{}", said(3));
        assert!(!said(3).contains("further-down"), "{}", said(3));
        assert_eq!(said(3).contains("at-the-root"), open, "{}", said(3));
        assert_eq!(said(5).contains("at-the-root"), open, "{}", said(5));
        assert_eq!(said(5).contains("git does not have as it is"), !open, "{}", said(5));
        assert!(said(7).contains("KEY=tracked"), "{}", said(7));
    }
}
