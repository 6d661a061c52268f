//! Nothing outside the roots is read or written, and nothing that is closed.

use super::{Place, code, never, put, snapshot};
use crate::beneath::Beneath;
use crate::boundary::{Boundary, Last};
use crate::{EntryKind, FileError, GlobQuery, GrepQuery, Options, Step, Workspace};
use pretty_assertions::assert_eq;
use rustix::fs::{CWD, Mode, OFlags, RenameFlags, mkfifoat, renameat_with};
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

/// A tree with every kind of link.
fn linked() -> Place {
    let place = Place::new();
    let (root, top) = (&place.root, place.top());
    place.file("in/file", "inside");
    place.file("plain", "plain");
    symlink(top.join("out/secret"), root.join("abs-out")).unwrap();
    symlink("../out/secret", root.join("rel-out")).unwrap();
    symlink(top.join("out"), root.join("dir-out")).unwrap();
    symlink("../out/missing", root.join("dangling-out")).unwrap();
    symlink("in/missing", root.join("dangling-in")).unwrap();
    symlink("in/file", root.join("rel-in")).unwrap();
    symlink(root.join("in/file"), root.join("abs-in")).unwrap();
    symlink(root.join("in"), root.join("dir-in")).unwrap();
    symlink("../root/in/file", root.join("round-trip")).unwrap();
    symlink("abs-in", root.join("chain-in")).unwrap();
    symlink("dir-out/secret", root.join("chain-out")).unwrap();
    symlink("loop-b", root.join("loop-a")).unwrap();
    symlink("loop-a", root.join("loop-b")).unwrap();
    symlink("/proc/self/root", root.join("proc-root")).unwrap();
    symlink("/proc/self/cwd/Cargo.toml", root.join("proc-cwd")).unwrap();
    place
}

#[test]
fn reading_stays_inside() {
    let place = linked();
    let (root, top) = (place.root.display().to_string(), place.top().display().to_string());
    let table = [
        ("plain".to_owned(), "ok"),
        ("./in/../plain".to_owned(), "ok"),
        ("in//file".to_owned(), "ok"),
        ("in/./file".to_owned(), "ok"),
        (format!("{root}/plain"), "ok"),
        (format!("{root}/../root/plain"), "ok"),
        ("rel-in".to_owned(), "ok"),
        ("abs-in".to_owned(), "ok"),
        ("dir-in/file".to_owned(), "ok"),
        ("round-trip".to_owned(), "ok"),
        ("chain-in".to_owned(), "ok"),
        ("../out/secret".to_owned(), "outside_workspace"),
        ("in/../../out/secret".to_owned(), "outside_workspace"),
        (format!("{top}/out/secret"), "outside_workspace"),
        ("/etc/passwd".to_owned(), "outside_workspace"),
        ("~/x".to_owned(), "outside_workspace"),
        (format!("/proc/self/root{root}/plain"), "outside_workspace"),
        ("/proc/self/cwd/Cargo.toml".to_owned(), "outside_workspace"),
        ("abs-out".to_owned(), "outside_workspace"),
        ("rel-out".to_owned(), "outside_workspace"),
        ("dir-out/secret".to_owned(), "outside_workspace"),
        ("dangling-out".to_owned(), "outside_workspace"),
        ("chain-out".to_owned(), "outside_workspace"),
        ("loop-a".to_owned(), "outside_workspace"),
        ("proc-root/etc/passwd".to_owned(), "outside_workspace"),
        ("proc-cwd".to_owned(), "outside_workspace"),
        ("dangling-in".to_owned(), "not_found"),
        ("missing".to_owned(), "not_found"),
        ("in".to_owned(), "is_directory"),
        ("".to_owned(), "is_directory"),
        ("plain/x".to_owned(), "not_a_directory"),
        ("nul\0".to_owned(), "invalid_path"),
    ];
    for (way, workspace) in place.both(&Options::default()) {
        for (path, expect) in &table {
            assert_eq!(code(workspace.read_text(path)), *expect, "{way:?} read_text {path:?}");
            assert_eq!(code(workspace.read_lines(path, 1, 10, 1000)), *expect, "{way:?} read_lines {path:?}");
        }
        for path in ["dir-out", "..", "/", "proc-root"] {
            assert_eq!(code(workspace.list(path)), "outside_workspace", "{way:?} list {path:?}");
            let query = GrepQuery { pattern: "e".into(), path: Some(path.into()), ..GrepQuery::default() };
            assert_eq!(code(workspace.grep(&query, &super::never)), "outside_workspace");
            let query = GlobQuery { path: Some(path.into()), ..GlobQuery::default() };
            assert_eq!(code(workspace.glob(&query, &super::never)), "outside_workspace");
        }
    }
}

#[test]
fn writing_stays_inside() {
    let table = [
        ("plain", "ok"),
        ("new/deep/file", "ok"),
        ("rel-in", "ok"),
        ("abs-in", "ok"),
        ("dir-in/new", "ok"),
        ("dangling-in", "ok"),
        ("../out/secret", "outside_workspace"),
        ("../new", "outside_workspace"),
        ("/tmp/reasonix-test-outside", "outside_workspace"),
        ("abs-out", "outside_workspace"),
        ("rel-out", "outside_workspace"),
        ("dir-out/new", "outside_workspace"),
        ("dir-out/new/deep", "outside_workspace"),
        ("dangling-out", "outside_workspace"),
        ("chain-out", "outside_workspace"),
        ("loop-a", "outside_workspace"),
        ("proc-root/tmp/x", "outside_workspace"),
        ("in", "is_directory"),
        ("new-folder/", "is_directory"),
        (".", "is_directory"),
        ("plain/x", "not_a_directory"),
    ];
    for index in 0..2 {
        let place = linked();
        let outside = snapshot(&place.top().join("out"));
        let workspaces = place.both(&Options::default());
        let (way, workspace) = &workspaces[index];
        for (path, expect) in table {
            assert_eq!(code(put(workspace, path, "written")), expect, "{way:?} {path:?}");
            let step = Step::Move { from: "in/file".into(), to: path.into(), base: None, text: None };
            if expect == "outside_workspace" && !path.ends_with("-out") && path != "loop-a" {
                assert_eq!(code(workspace.commit(vec![step])), expect, "{way:?} move to {path:?}");
            }
        }
        assert_eq!(snapshot(&place.top().join("out")), outside, "{way:?}");
        // A write through a link goes to its target, and the link stays.
        assert_eq!(std::fs::read_link(place.root.join("rel-in")).unwrap().to_str(), Some("in/file"));
        assert_eq!(std::fs::read(place.root.join("in/file")).unwrap(), b"written");
        assert_eq!(std::fs::read(place.root.join("in/missing")).unwrap(), b"written");
    }
}

#[test]
fn removing_and_moving_a_link_leaves_its_target_alone() {
    let place = linked();
    let workspace = place.open();
    let remove = |path: &str| workspace.commit(vec![Step::Remove { path: path.into() }]);
    assert_eq!(code(remove("abs-out")), "ok");
    assert_eq!(code(remove("dir-out/secret")), "outside_workspace");
    assert_eq!(code(remove("rel-in")), "ok");
    let step = Step::Move { from: "rel-out".into(), to: "moved".into(), base: None, text: None };
    assert_eq!(code(workspace.commit(vec![step])), "ok");
    assert!(place.root.join("moved").is_symlink());
    assert_eq!(std::fs::read(place.top().join("out/secret")).unwrap(), b"secret");
    assert_eq!(std::fs::read(place.root.join("in/file")).unwrap(), b"inside");
    assert!(!place.root.join("rel-in").is_symlink());
}

/// A hard link cannot be told from the file it is another name of, so reading one is reading inside. Writing
/// replaces the name and leaves the other one alone.
#[test]
fn a_write_never_goes_through_a_hard_link() {
    let place = Place::new();
    let outside = place.top().join("out/secret");
    std::fs::hard_link(&outside, place.root.join("hard")).unwrap();
    assert_eq!(code(put(&place.open(), "hard", "mine")), "ok");
    assert_eq!(std::fs::read(outside).unwrap(), b"secret");
    assert_eq!(std::fs::read(place.root.join("hard")).unwrap(), b"mine");
}

#[test]
fn a_folder_swapped_for_a_link_between_the_check_and_the_open_is_refused() {
    for way in [Beneath::Kernel, Beneath::Walk] {
        let place = Place::new();
        place.file("dir/secret", "mine");
        let boundary = Boundary::new(&place.root, &Options::default(), Some(way)).unwrap();
        let file = boundary.resolve("dir/secret", Last::Follow).unwrap();
        let new = boundary.resolve("dir/new", Last::Follow).unwrap();
        std::fs::rename(place.root.join("dir"), place.root.join("aside")).unwrap();
        symlink("../out", place.root.join("dir")).unwrap();
        assert!(boundary.open(&file, OFlags::RDONLY).is_err(), "{way:?} opened the file outside");
        assert!(boundary.open_parent(&new).is_err(), "{way:?} opened the folder outside");
    }
}

#[test]
fn a_folder_swapped_all_the_time_never_leads_out() {
    let place = Place::new();
    let mine = place.file("dir/secret", "mine");
    symlink("../out", place.root.join("link")).unwrap();
    for (way, workspace) in place.both(&Options::default()) {
        let (done, mut escaped) = (AtomicBool::new(false), false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let (dir, link) = (place.root.join("dir"), place.root.join("link"));
                while !done.load(Ordering::Relaxed) || !mine.exists() || dir.is_symlink() {
                    renameat_with(CWD, &dir, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                }
            });
            for _ in 0..2000 {
                escaped |= workspace.read_text("dir/secret").is_ok_and(|file| file.text != "mine");
                let _ = put(&workspace, "dir/new", "x");
            }
            done.store(true, Ordering::Relaxed);
        });
        assert!(!escaped, "{way:?} read the file outside");
        assert!(!place.top().join("out/new").exists(), "{way:?} wrote outside");
    }
}

#[test]
fn pipes_and_sockets_are_refused_without_waiting() {
    let place = Place::new();
    mkfifoat(CWD, place.root.join("pipe"), Mode::RWXU).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.root.join("socket")).unwrap();
    for (_, workspace) in place.both(&Options::default()) {
        for path in ["pipe", "socket"] {
            assert_eq!(code(workspace.read_text(path)), "not_a_file");
            assert_eq!(code(workspace.read_lines(path, 1, 1, 100)), "not_a_file");
            assert_eq!(code(put(&workspace, path, "x")), "not_a_file");
            assert_eq!(code(workspace.commit(vec![Step::Remove { path: path.into() }])), "not_a_file");
            let query = GrepQuery { pattern: "x".into(), path: Some(path.into()), ..GrepQuery::default() };
            assert_eq!(code(workspace.grep(&query, &super::never)), "not_a_file");
        }
        let query = GrepQuery { pattern: "x".into(), ..GrepQuery::default() };
        assert_eq!(workspace.grep(&query, &super::never).unwrap().shown, 0);
    }
}

#[test]
fn more_roots_are_open_and_the_rest_is_not() {
    let place = linked();
    let top = place.top();
    for name in ["extra", "scratch", "other"] {
        std::fs::create_dir(top.join(name)).unwrap();
        std::fs::write(top.join(name).join("f"), name).unwrap();
    }
    std::fs::write(top.join("one.log"), "log").unwrap();
    symlink(top.join("extra/f"), place.root.join("to-extra")).unwrap();
    let options = Options {
        add_dirs: vec!["../extra".into()],
        allow_write: vec![top.join("scratch"), top.join("one.log"), top.join("not-there")],
        ..Options::default()
    };
    for (way, workspace) in place.both(&options) {
        for (path, expect) in [
            (top.join("extra/f"), "ok"),
            (top.join("scratch/f"), "ok"),
            (top.join("one.log"), "ok"),
            (top.join("other/f"), "outside_workspace"),
            (top.join("one.log.bak"), "outside_workspace"),
            (top.join("extra-not/f"), "outside_workspace"),
        ] {
            let path = path.to_str().unwrap();
            if expect == "ok" {
                assert_eq!(code(workspace.read_text(path)), expect, "{way:?} {path}");
            }
            assert_eq!(code(put(&workspace, path, &format!("{way:?}"))), expect, "{way:?} {path}");
        }
        assert_eq!(workspace.read_text("to-extra").unwrap().text, format!("{way:?}"));
        assert_eq!(workspace.real("to-extra").unwrap(), top.join("extra/f").to_str().unwrap());
    }
    let missing = Options { add_dirs: vec![top.join("nowhere")], ..Options::default() };
    assert_eq!(code(crate::Workspace::open(&place.root, missing)), "not_found");
    assert_eq!(code(crate::Workspace::open(&place.root.join("plain"), Options::default())), "not_a_directory");
}

#[test]
fn closed_places_win_over_every_root_under_any_name() {
    let place = Place::new();
    place.file("keep/a.txt", "needle");
    place.file("keys/deep/k.txt", "needle");
    place.file("one.env", "needle");
    place.file("home/state.txt", "needle");
    symlink("keys", place.root.join("alias")).unwrap();
    std::fs::hard_link(place.root.join("one.env"), place.root.join("twin.txt")).unwrap();
    let options = Options {
        forbid_read: vec!["keys".into(), place.root.join("one.env"), "later".into()],
        closed: vec![place.root.join("home")],
        ..Options::default()
    };
    for (way, workspace) in place.both(&options) {
        for path in ["keys/deep/k.txt", "alias/deep/k.txt", "one.env", "twin.txt", "home/state.txt", "keep/../one.env"]
        {
            assert_eq!(code(workspace.read_text(path)), "forbidden", "{way:?} {path}");
            assert_eq!(code(put(&workspace, path, "x")), "forbidden", "{way:?} {path}");
            let query = GrepQuery { pattern: "needle".into(), path: Some(path.into()), ..GrepQuery::default() };
            assert_eq!(code(workspace.grep(&query, &super::never)), "forbidden", "{way:?} {path}");
        }
        assert_eq!(code(workspace.list("keys")), "forbidden");
        assert_eq!(code(put(&workspace, "later/x", "x")), "forbidden");
        let names: Vec<_> = workspace.list(".").unwrap().entries.into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["alias", "keep"]);
        let query = GrepQuery { pattern: "needle".into(), ..GrepQuery::default() };
        let files: Vec<_> =
            workspace.grep(&query, &super::never).unwrap().files.into_iter().map(|file| file.path).collect();
        assert_eq!(files, ["keep/a.txt"], "{way:?}");
        let query = GlobQuery { pattern: "*.txt".into(), ..GlobQuery::default() };
        assert_eq!(workspace.glob(&query, &super::never).unwrap().paths, ["keep/a.txt"], "{way:?}");
        let Err(FileError::NotFound { near, .. }) = workspace.read_text("k.txt") else { panic!("found") };
        assert_eq!(near, Vec::<String>::new(), "{way:?}");
    }
}

#[test]
fn the_users_spelling_of_the_root_is_understood() {
    let place = Place::new();
    place.file("a", "x");
    symlink(&place.root, place.top().join("link")).unwrap();
    let workspace = crate::Workspace::open(&place.top().join("link"), Options::default()).unwrap();
    let given = place.top().join("link/a");
    assert_eq!(workspace.root(), place.root);
    assert_eq!(workspace.shown(given.to_str().unwrap()), "a");
    assert_eq!(workspace.read_text(given.to_str().unwrap()).unwrap().text, "x");
}

#[test]
fn a_listing_says_what_each_entry_is() {
    let place = linked();
    mkfifoat(CWD, place.root.join("pipe"), Mode::RWXU).unwrap();
    let listing = place.open().list("").unwrap();
    let find = |name: &str| listing.entries.iter().find(|entry| entry.name == name).unwrap().clone();
    assert_eq!((find("plain").kind, find("plain").size), (EntryKind::File, 5));
    assert_eq!(find("in").kind, EntryKind::Dir);
    assert_eq!(find("rel-in").kind, EntryKind::Link { target: "in/file".into() });
    assert_eq!(find("pipe").kind, EntryKind::Other);
    assert!(listing.entries.is_sorted_by(|a, b| a.name < b.name));
    assert_eq!(code(place.open().list("plain")), "not_a_directory");
}

/// Commands see the repository around the root: what is closed inside is closed there, too, whatever a rule opens inside.
#[test]
fn env_files_of_the_repository_around_the_root_are_named_too() {
    let place = Place::new();
    for file in [".env", "whole.txt", "part/.env", "part/.env.local", "other/.env.local"] {
        place.file(file, "KEY=needle");
    }
    let (around, root) = (place.root.clone(), place.root.join("part"));
    let _listeners =
        ["agent.sock", "part/own.sock"].map(|name| std::os::unix::net::UnixListener::bind(around.join(name)).unwrap());
    let opened = vec!["**/.env.local".into()];
    let options = Options { opened, around: Some(around.clone()), ..Options::default() };
    let workspace = Workspace::open(&root, options.clone()).unwrap();
    let mut secrets = workspace.secrets();
    secrets.sort();
    assert_eq!(secrets, [".env", "agent.sock", "other/.env.local", "part/.env"].map(|path| around.join(path)));
    assert_eq!(workspace.around(), Some(around.as_path()));
    assert_eq!(code(workspace.read_text("../whole.txt")), "outside_workspace");
    // What cannot be looked through is closed as a whole.
    for number in 0..5_100 {
        std::fs::create_dir_all(around.join(format!("many/{number}"))).unwrap();
    }
    assert!(workspace.secrets().contains(&around));
    std::fs::remove_dir_all(around.join("many")).unwrap();
    // A folder that is not around it is none, and neither is that of a copy.
    for elsewhere in [root.clone(), around.join("other"), around.join("nowhere")] {
        let options = Options { around: Some(elsewhere), ..options.clone() };
        assert_eq!(Workspace::open(&root, options).unwrap().around(), None);
    }
    assert_eq!(workspace.copied_to(&around.join("other")).unwrap().around(), None);
}

#[test]
fn env_files_that_git_does_not_track_are_closed_unless_a_rule_opens_them() {
    for version in ["2", "3", "4"] {
        let place = Place::new();
        let git = |args: &[&str]| {
            let mut command = std::process::Command::new("git");
            command.arg("-C").arg(&place.root).args(args).env("GIT_CONFIG_GLOBAL", "/dev/null");
            assert!(command.output().unwrap().status.success(), "{args:?}");
        };
        git(&["init", "-q"]);
        for file in [".env", ".env.local", ".env.example", "a/.env", "a/kept/.env", "a/kept/.env.prod", ".envrc"] {
            place.file(file, "KEY=needle");
        }
        for file in [".env.d/plain", ".envs/.local/db", "a/.env.d/kept", ".env-prod"] {
            place.file(file, "KEY=needle");
        }
        for file in ["bin/x", "pyvenv.cfg", "key"] {
            place.file(&format!(".env.py/{file}"), "KEY=needle");
        }
        place.file("a/changed/.env", "KEY=");
        git(&["add", "-f", ".envrc", "a/kept/.env", "a/kept/.env.prod", "a/.env.d/kept", "a/changed/.env"]);
        // As it is when it was added where it was closed: git has something else.
        place.file("a/changed/.env", "KEY=needle");
        git(&["add", "-N", ".env.example"]);
        git(&["update-index", "--index-version", version]);
        let options = Options { opened: vec!["**/.env.local".into()], ..Options::default() };
        for (way, workspace) in place.both(&options) {
            let mut secrets = workspace.secrets();
            secrets.sort();
            let closed =
                [".env", ".env-prod", ".env.d/plain", ".env.py/key", ".envs/.local/db", "a/.env", "a/changed/.env"];
            let mut closed = closed.map(|path| place.root.join(path));
            closed.sort();
            assert_eq!(secrets, closed, "{way:?} {version}");
            assert_eq!(workspace.copied_secrets(), ["a/changed/.env"], "{way:?} {version}");
            for (path, expect) in [
                (".env", "forbidden"),
                ("a/../a/.env", "forbidden"),
                ("a/kept/.env", "ok"),
                ("a/kept/.env.prod", "ok"),
                (".env.local", "ok"),
                (".env.example", "ok"),
                (".env.d/plain", "forbidden"),
                (".envs/.local/db", "forbidden"),
                (".env-prod", "forbidden"),
                ("a/changed/.env", "forbidden"),
                ("a/.env.d/kept", "ok"),
                (".env.py/bin/x", "ok"),
                (".env.py/key", "forbidden"),
                (".envrc", "ok"),
            ] {
                assert_eq!(code(workspace.read_text(path)), expect, "{way:?} {version} {path}");
            }
            assert_eq!(code(put(&workspace, ".env", "x")), "forbidden");
            git(&["add", "-f", ".env"]);
            assert_eq!(code(workspace.read_text(".env")), "forbidden", "what a session adds opens nothing");
            assert_eq!(workspace.copied_secrets().len(), 2, "and git has a copy then");
            git(&["rm", "-q", "--cached", ".env"]);
        }
    }
}

/// A command that reads through a link, or the file it leads to, finds nothing; what git tracks stays as it is.
#[test]
fn what_an_env_link_leads_to_is_named_as_closed() {
    let place = Place::new();
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.arg("-C").arg(&place.root).args(args).env("GIT_CONFIG_GLOBAL", "/dev/null");
        assert!(command.output().unwrap().status.success(), "{args:?}");
    };
    git(&["init", "-q"]);
    for file in ["keys/dev", "keys/tracked", "keys/open", "plain"] {
        place.file(file, "KEY=needle");
    }
    std::fs::write(place.top().join("outside"), "x").unwrap();
    for (link, target) in [
        (".env", "keys/dev"),
        (".env.local", "keys/tracked"),
        (".env.test", "keys/open"),
        (".env.prod", "../outside"),
        (".env.gone", "nowhere"),
        (".env.example", "plain"),
    ] {
        symlink(target, place.root.join(link)).unwrap();
    }
    git(&["add", "-f", "keys/tracked"]);
    let options = Options { opened: vec!["keys/open".into()], ..Options::default() };
    for (way, workspace) in place.both(&options) {
        assert_eq!(workspace.secrets(), [place.root.join("keys/dev")], "{way:?}");
    }
}

#[test]
fn what_a_rule_opens_outside_is_read_and_never_written() {
    let place = Place::new();
    let out = place.top().join("out");
    std::fs::create_dir(out.join("sub")).unwrap();
    std::fs::write(out.join("sub/deep"), "needle").unwrap();
    std::fs::write(out.join(".env"), "KEY=1").unwrap();
    std::fs::write(place.top().join("beside"), "needle").unwrap();
    symlink(place.top().join("beside"), out.join("away")).unwrap();
    let [secret, folder, away, env, beside] =
        ["secret", "", "away", ".env", "../beside"].map(|name| out.join(name).display().to_string());
    let rule = |pattern: &str| Options { readable: vec![format!("{}/{pattern}", out.display())], ..Options::default() };

    let closed = place.open();
    assert_eq!(code(closed.read_text(&secret)), "outside_workspace");
    for (_, one) in place.both(&rule("secret")) {
        assert_eq!(one.read_text(&secret).unwrap().text, "secret");
        assert!(one.reads_outside(&secret) && !one.reads_outside(&beside) && !one.reads_outside("a"));
        assert_eq!(code(one.list(&folder)), "outside_workspace", "one file does not open its folder");
        assert_eq!(code(put(&one, &secret, "changed")), "outside_workspace");
        assert_eq!(code(one.exists(&secret)), "outside_workspace", "it is not inside because it can be read");
    }
    for (_, all) in place.both(&rule("**")) {
        assert_eq!(all.list(&folder).unwrap().entries.len(), 4);
        let query = GrepQuery { pattern: "needle".to_owned(), path: Some(folder.clone()), ..GrepQuery::default() };
        assert_eq!(all.grep(&query, &never).unwrap().files.len(), 1);
        assert_eq!(code(all.read_text(&away)), "outside_workspace", "a link leads no farther than the rule");
        assert_eq!(code(all.read_text(&out.join("gone").display().to_string())), "not_found");
        assert_eq!(all.read_text(&env).unwrap().text, "KEY=1", "a rule names it");
        assert_eq!(code(put(&all, &secret, "changed")), "outside_workspace");
    }
    let everything = Options { readable: vec!["/**".to_owned()], ..Options::default() };
    let wide = place.with(everything.clone());
    assert_eq!(wide.read_text(&away).unwrap().text, "needle");
    assert_eq!(code(wide.read_text(&env)), "forbidden", "keys need a rule that names them");
    assert_eq!(code(wide.read_text("/proc/self/environ")), "outside_workspace");
    let forbidden = place.with(Options { forbid_read: vec![out.clone()], ..everything.clone() });
    assert_eq!(code(forbidden.read_text(&secret)), "forbidden");
    let hidden = place.with(Options { unlisted: vec![format!("{}/sub/**", out.display())], ..everything });
    let query = GrepQuery { pattern: "needle".to_owned(), path: Some(folder), ..GrepQuery::default() };
    assert_eq!(hidden.grep(&query, &never).unwrap().files.len(), 0, "what a rule denies is not found either");
    assert_eq!(std::fs::read_to_string(out.join("secret")).unwrap(), "secret");
}
