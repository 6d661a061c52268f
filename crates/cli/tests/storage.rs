//! What lies in the state folder beside sessions stays small and is looked after: the cache, the logs.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::json;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use support::Place;

const HOUR: Duration = Duration::from_secs(3600);

fn written(path: &Path, ago: Duration) {
    File::options().append(true).open(path).unwrap().set_modified(SystemTime::now() - ago).unwrap();
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The settings with the endpoint at a port where nobody answers.
fn unreachable(place: &Place) {
    let settings = place.home.read("config.toml");
    place.home.write("config.toml.was", &settings);
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    place.home.write("config.toml", settings.replace(&format!(":{}", place.server.port()), &format!(":{nobody}")));
}

/// A list of models that an endpoint gave is shown while it does not answer, until it is old.
#[test]
fn a_list_of_models_is_kept_as_long_as_the_settings_say() {
    let place = Place::new(Vec::new());
    place.server.set_models(json!({ "data": [{ "id": "kept-model", "max_model_len": 4096 }] }));
    // The same address answers at first, and then fails: a list belongs to an address.
    let live = place.run(&["models", "--live"]);
    assert!(live.out.contains("kept-model"), "{}{}", live.out, live.err);
    let kept = files_in(&place.home.join("state/cache/models"));
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(!std::fs::read_to_string(&kept[0]).unwrap().contains("sk-secret"));
    place.server.set_models(json!({ "nothing": true }));
    let before = place.run(&["models", "--live"]);
    assert!(
        before.out.contains("offered, when it was last asked") && before.out.contains("kept-model"),
        "{}",
        before.out
    );
    written(&kept[0], HOUR * 169);
    let old = place.run(&["models", "--live"]);
    assert!(!old.out.contains("kept-model"), "old: {}", old.out);
    place.configure("[cache]\nttl_hours = 200\n");
    assert!(place.run(&["models", "--live"]).out.contains("kept-model"), "not old by these settings");
    place.configure("[cache]\nttl_hours = 0\n");
    assert!(!place.run(&["models", "--live"]).out.contains("kept-model"), "0 keeps nothing");
    // Another address has another list.
    place.configure("");
    unreachable(&place);
    assert!(!place.run(&["models", "--live"]).out.contains("kept-model"));
}

#[test]
fn the_cache_lies_where_the_settings_say_and_only_its_own_files_go() {
    let place = Place::new(vec![Reply::say("a word to find")]);
    place.server.set_models(json!({ "data": [{ "id": "m1" }] }));
    let folder = place.work.join("my-cache");
    place.configure(&format!("[cache]\ndir = \"{}\"\nttl_hours = 24\n", folder.display()));
    place.run(&["run", "hi"]);
    assert!(place.run(&["history", "word"]).out.contains("a word to find"));
    place.run(&["models", "--live"]);
    let (index, list) = (folder.join("history.sqlite"), files_in(&folder.join("models"))[0].clone());
    assert!(index.exists() && !place.home.join("state/cache").exists());
    std::fs::write(folder.join("letter.txt"), "mine").unwrap();
    std::fs::write(folder.join("models/letter.json"), "mine").unwrap();
    for path in files_in(&folder).into_iter().chain(files_in(&folder.join("models"))).filter(|path| path.is_file()) {
        written(&path, HOUR * 25);
    }
    let du = place.run(&["store", "du"]);
    assert!(
        du.out.contains("too old or beyond the limit") && !du.out.contains("512 MiB; 0 too old"),
        "{}{}",
        du.out,
        du.err
    );
    assert!(index.exists() && list.exists(), "only counted");
    let gc = place.run(&["store", "gc"]);
    assert!(gc.out.contains("cache: 0 files"), "{}{}", gc.out, gc.err);
    assert!(!index.exists() && !list.exists());
    assert!(folder.join("letter.txt").exists() && folder.join("models/letter.json").exists(), "not ours");
    assert!(place.run(&["history", "word"]).out.contains("a word to find"), "made anew");
    place.configure(&format!("[cache]\ndir = \"{}\"\nmax_mb = 0\n", folder.display()));
    place.run(&["store", "gc"]);
    assert!(!index.exists(), "beyond the bound");
}

/// A probe that is old is asked again by `reasonix probe`; where nobody answers, the old one is shown.
#[test]
fn an_old_probe_is_asked_again() {
    let place = Place::with_server(ModelServer::start_with(|_| Some(Reply::say("yes"))));
    let first = place.run(&["probe"]);
    assert_eq!(first.code, Some(0), "{}", first.err);
    let asked = place.server.all_requests().len();
    place.run(&["probe"]);
    assert_eq!(place.server.all_requests().len(), asked, "a fresh one is only shown");
    place.configure("[cache]\nttl_hours = 0\n");
    place.run(&["probe"]);
    assert!(place.server.all_requests().len() > asked, "an old one is asked again");
}

/// The log makes way for a new file when it is as long as the settings allow, and all of it stays bounded.
#[test]
fn logs_rotate_and_stay_bounded() {
    let replies = (0..8).map(|_| Reply::say("ok")).collect();
    let place = Place::new(replies);
    place.configure("[logs]\nlevel = \"info\"\nmax_size_mb = 1\nmax_files = 2\n");
    let logs = place.home.join("state/logs");
    let newest = logs.join("reasonix.log");
    let full = "an old line\n".repeat(1024 * 1024 / 12 + 1);
    for round in 0..4 {
        place.run(&["run", "hi"]);
        assert!(newest.metadata().unwrap().len() < 100_000, "round {round}: a new file");
        std::fs::write(&newest, &full).unwrap();
        place.run(&["run", "hi"]);
        let sizes: u64 = files_in(&logs).iter().map(|path| path.metadata().unwrap().len()).sum();
        assert!(sizes <= 2 * (1024 * 1024 + 64 * 1024), "round {round}: {sizes}");
        let kept = files_in(&logs).into_iter().filter(|path| path.to_string_lossy().contains("reasonix.log")).count();
        assert_eq!(kept, 2, "round {round}");
        let text = std::fs::read_to_string(&newest).unwrap();
        assert!(!text.contains("an old line") && !text.is_empty(), "round {round}");
    }
}

/// What a deleted session printed is gone with it, and what lies on disk is counted and bounded.
#[test]
fn outputs_go_with_their_session_and_everything_is_counted() {
    let long = "for i in $(seq 1 20000); do echo secret-line-$i; done";
    let place = Place::new(vec![Reply::call("bash", json!({ "command": long })), Reply::say("ok"), Reply::say("two")]);
    assert_eq!(place.run(&["run", "print"]).code, Some(0));
    let first = place.logs()[0].file_stem().unwrap().to_str().unwrap().to_owned();
    let blobs = || files_in(&place.home.join("state/blobs")).iter().map(|fan| files_in(fan).len()).sum::<usize>();
    assert!(blobs() > 0);
    let du = place.run(&["store", "du"]);
    for part in ["sessions: 1 session,", "outputs and pictures: 1 file", "usage: 1 file", "all together:"] {
        assert!(du.out.contains(part), "{part}: {}{}", du.out, du.err);
    }
    assert_eq!(place.run(&["sessions", "delete", &first]).code, Some(0));
    assert_eq!(blobs(), 0, "no output is left");
    // By age.
    assert_eq!(place.run(&["run", "again"]).code, Some(0));
    let second = place.logs()[0].clone();
    written(&second, HOUR * 24 * 40);
    place.configure("[retention]\nsession_days = 30\n");
    assert!(place.run(&["store", "du"]).out.contains("8192 MiB; 1 too old or beyond the limit"));
    assert!(second.exists());
    assert_eq!(place.run(&["store", "gc"]).code, Some(0));
    assert!(!second.exists());
    // A link to itself among the sessions is passed over.
    std::os::unix::fs::symlink("x.jsonl", place.home.join("state/sessions/x.jsonl")).unwrap();
    assert_eq!(place.run(&["store", "gc"]).code, Some(0));
}
