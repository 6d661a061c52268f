//! `reasonix batch` against the built binary: each task once, however often the process dies; clones, patches, budgets.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use support::Place;

fn results(place: &Place) -> Vec<Value> {
    let text = std::fs::read_to_string(place.work.join("tasks.results.jsonl")).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn by_id(place: &Place) -> BTreeMap<String, Value> {
    results(place).into_iter().map(|result| (result["id"].as_str().unwrap().to_owned(), result)).collect()
}

/// Two hundred tasks, and the process is killed five times in between: two hundred results, each once.
#[test]
fn every_task_has_one_result_however_often_it_is_killed() {
    let server = ModelServer::start_with(|request| {
        let messages = request.messages();
        let called = messages.iter().any(|message| message["role"] == "tool");
        let prompt = messages.iter().find(|message| message["role"] == "user")?["content"].to_string();
        Some(if called { Reply::say(&format!("done with {prompt}")) } else { Reply::call("ls", json!({})) })
    });
    let place = Place::with_server(server);
    let mut tasks = String::new();
    for number in 0..200 {
        writeln!(tasks, "{}", json!({"id": format!("t{number}"), "prompt": format!("task {number};")})).unwrap();
    }
    place.work.write("tasks.jsonl", tasks);
    for death in 1..=5 {
        let mut child = place.spawn(&["batch", "tasks.jsonl", "--jobs", "8"]);
        let started = Instant::now();
        while results(&place).len() < death * 30 {
            assert!(started.elapsed() < Duration::from_secs(300), "no results: {}", results(&place).len());
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let before = results(&place).len();
    assert!((150..200).contains(&before), "{before}");
    let ran = place.run(&["batch", "tasks.jsonl", "--jobs", "8"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let (all, each) = (results(&place), by_id(&place));
    assert_eq!((all.len(), each.len()), (200, 200));
    for (id, result) in &each {
        let number = id.strip_prefix('t').unwrap();
        assert_eq!((result["end"].as_str(), result["code"].as_u64()), (Some("done"), Some(0)), "{result}");
        assert!(result["answer"].as_str().unwrap().contains(&format!("task {number};")), "{result}");
        assert!(result["session"].is_string() && result["usage"]["input"].as_u64() > Some(0), "{result}");
    }
    let ran = place.run(&["batch", "tasks.jsonl"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(results(&place).len(), 200, "nothing is done again");
}

/// The same in clones of a repository, every second task a goal: each has its one patch, and no clone is left.
#[test]
fn every_task_in_a_clone_has_one_patch_however_often_it_is_killed() {
    const ALL: usize = 16;
    let server = ModelServer::start_with(|request| {
        let messages = request.messages();
        let prompt = messages.iter().find(|message| message["role"] == "user")?["content"].to_string();
        let number: String = prompt.split("make ").nth(1)?.chars().take_while(char::is_ascii_digit).collect();
        let called = messages.iter().any(|message| message["role"] == "tool");
        let write = json!({"path": format!("f{number}.txt"), "content": format!("of {number}\n")});
        Some(if called { Reply::say("Done here.\nGOAL: done") } else { Reply::call("write_file", write) })
    });
    let place = Place::with_server(server);
    place.work.git_init();
    place.work.write("old.txt", "old\n");
    place.work.git(&["add", "old.txt"]);
    place.work.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]);
    let task = |n: usize| json!({"id": format!("t{n}"), "prompt": format!("make {n}."), "repo": ".", "goal": n.is_multiple_of(2)});
    let tasks = (0..ALL).fold(String::new(), |all, number| format!("{all}{}\n", task(number)));
    place.work.write("tasks.jsonl", tasks);
    for death in 1..=5 {
        let mut child = place.spawn(&["batch", "tasks.jsonl", "--jobs", "3"]);
        let started = Instant::now();
        while results(&place).len() < death {
            assert!(started.elapsed() < Duration::from_secs(300), "no results: {}", results(&place).len());
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(results(&place).len() < ALL, "it was over before it was killed");
    let ran = place.run(&["batch", "tasks.jsonl", "--jobs", "3"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let each = by_id(&place);
    assert_eq!((results(&place).len(), each.len()), (ALL, ALL));
    for (id, result) in &each {
        let number: usize = id.strip_prefix('t').unwrap().parse().unwrap();
        let end = if number.is_multiple_of(2) { "goal done" } else { "done" };
        assert_eq!((result["end"].as_str(), result["code"].as_u64()), (Some(end), Some(0)), "{result}");
        let patch = std::fs::read_to_string(result["patch"].as_str().unwrap_or_else(|| panic!("{result}"))).unwrap();
        assert_eq!(patch.matches("new file mode").count(), 1, "{patch}");
        assert!(patch.contains(&format!("+of {number}\n")), "{id}: {patch}");
    }
    let left = std::fs::read_dir(place.work.join("tasks.work/clones")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "clones are left");
}

/// A task works in a clone: what it changed is a patch, the repository stays as it is, and no hook of it is run.
#[test]
fn a_task_works_in_a_clone_and_leaves_a_patch() {
    let place = Place::new(vec![
        Reply::call("write_file", json!({"path": "new.txt", "content": "made\n"})),
        Reply::say("done"),
    ]);
    place.work.git_init();
    place.work.write("old.txt", "old\n");
    place.work.git(&["add", "old.txt"]);
    place.work.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]);
    place.work.write(".git/hooks/post-checkout", "#!/bin/sh\ntouch hooked\n");
    place.work.git(&["config", "core.fsmonitor", "touch monitored"]);
    place.work.write("tasks.jsonl", "{\"id\":\"a\",\"prompt\":\"make it\",\"repo\":\".\"}\n");
    let ran = place.run(&["batch", "tasks.jsonl"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let result = by_id(&place).remove("a").unwrap();
    let patch = std::fs::read_to_string(result["patch"].as_str().unwrap_or_else(|| panic!("{result}"))).unwrap();
    assert!(patch.contains("+++ b/new.txt") && patch.contains("+made") && !patch.contains("old.txt"), "{patch}");
    assert!(!place.work.exists("new.txt") && !place.work.exists("hooked") && !place.work.exists("monitored"));
    assert!(!place.work.exists("tasks.work/clones/a"), "the clone is gone");
}

#[test]
fn a_batch_spends_no_more_than_it_may_and_goes_on_later() {
    let server = ModelServer::start_with(|_| Some(Reply::say("done").with_usage(900, 100, 0)));
    let place = Place::with_server(server);
    let tasks: String = (0..6).fold(String::new(), |all, number| all + &format!("{{\"prompt\":\"task {number}\"}}\n"));
    place.work.write("tasks.jsonl", tasks);
    let ran = place.run(&["batch", "tasks.jsonl", "--jobs", "1", "--max-tokens", "2500"]);
    assert_eq!(ran.code, Some(5), "{}", ran.err);
    assert_eq!(results(&place).len(), 3, "{}", ran.err);
    assert_eq!(place.server.request_count(), 3, "one request goes beyond");
    let ran = place.run(&["batch", "tasks.jsonl", "--jobs", "3"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!((results(&place).len(), by_id(&place).len()), (6, 6));
}

#[test]
fn what_is_wrong_with_a_batch_is_said_before_anything_begins() {
    let place = Place::new(vec![Reply::say("never")]);
    place.work.write("tasks.jsonl", "{\"prompt\":\"a\"}\n{\"promt\":\"b\"}\n");
    let ran = place.run(&["batch", "tasks.jsonl"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("line 2") && place.server.requests().is_empty(), "{}", ran.err);
    place.work.write("tasks.jsonl", "{\"id\":\"x\",\"prompt\":\"a\",\"repo\":\"nowhere\"}\n");
    let ran = place.run(&["batch", "tasks.jsonl"]);
    assert_eq!((ran.code, results(&place).len()), (Some(1), 0), "what cannot begin has no result: {}", ran.err);
    assert!(ran.err.contains("x: cannot begin"), "{}", ran.err);
    place.work.write("tasks.jsonl", "{\"id\":\"x\",\"prompt\":\"a\",\"cwd\":\"nowhere\"}\n");
    let ran = place.run(&["batch", "tasks.jsonl"]);
    assert!(ran.code == Some(1) && ran.err.contains("x: cannot begin: cannot work in"), "{}", ran.err);
    for option in [&["--continue"][..], &["--resume", "x"], &["--fork", "x"], &["--out", "tasks.jsonl"]] {
        let ran = place.run(&[&["batch", "tasks.jsonl"], option].concat());
        assert_eq!(ran.code, Some(2), "{option:?}: {}", ran.err);
    }
}

/// A repository with one commit in the folder of the batch.
fn committed(place: &Place) {
    place.work.git_init();
    place.work.write("old.txt", "old\n");
    place.work.write("sub/inside.txt", "inside\n");
    place.work.git(&["add", "."]);
    place.work.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "the first words"]);
}

/// A folder is removed only where a batch made it.
#[test]
fn nothing_of_the_user_is_removed_for_a_clone() {
    let place = Place::new(vec![Reply::say("never")]);
    place.work.write("src/main.rs", "mine");
    place.work.write("elsewhere/src/deep/f", "mine");
    std::os::unix::fs::symlink(place.work.join("elsewhere"), place.work.join("tasks.work")).unwrap();
    place.work.write("tasks.jsonl", "{\"id\":\"src\",\"prompt\":\"look at it\"}\n");
    for args in [&["batch", "tasks.jsonl", "--work", "."][..], &["batch", "tasks.jsonl"]] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains("no folder of a batch"), "{}", ran.err);
    }
    assert!(place.work.exists("src/main.rs") && place.work.exists("elsewhere/src/deep/f"));
    assert!(!place.work.exists("tasks.results.jsonl") && place.server.requests().is_empty());
}

/// Where a task may write our own git does not work.
#[test]
fn clones_do_not_lie_where_a_task_may_write() {
    let place = Place::new(vec![Reply::say("never")]);
    place.work.write("tasks.jsonl", "{\"prompt\":\"a\",\"cwd\":\".\"}\n{\"prompt\":\"b\"}\n");
    for more in [&[][..], &["--work", "deep/er"]] {
        let ran = place.run(&[&["batch", "tasks.jsonl"], more].concat());
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains("where tasks may write"), "{}", ran.err);
    }
    place.work.write("tasks.jsonl", "{\"prompt\":\"b\"}\n");
    let ran = place.run(&["batch", "tasks.jsonl", "--add-dir", "."]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(place.server.requests().is_empty());
}

/// What is not in a patch is not thrown away, and no success.
#[test]
fn what_does_not_fit_into_a_patch_is_kept() {
    let ids = |prompt: &str| format!("{{\"id\":\"{prompt}\",\"prompt\":\"{prompt}\"}}\n");
    let server = ModelServer::start_with(|request| {
        let messages = request.messages();
        let prompt = messages.iter().find(|message| message["role"] == "user")?["content"].to_string();
        if messages.iter().any(|message| message["role"] == "tool") {
            return Some(Reply::say("done"));
        }
        Some(match prompt.contains("nested") {
            true => Reply::call("bash", json!({"command": "git init -q own && echo x > own/x && echo y > y"})),
            false => Reply::call(
                "write_file",
                json!({"path": ".gitattributes", "content": "*.txt working-tree-encoding=UTF-16\n"}),
            ),
        })
    });
    let place = Place::with_server(server);
    committed(&place);
    // Names that once met: the patch of one and the clone of another.
    place.work.write("tasks.jsonl", ["nested", "odd", "nested.patch"].map(ids).concat());
    let ran = place.run(&["batch", "tasks.jsonl", "--jobs", "1"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let all = by_id(&place);
    for (id, reason) in [("nested", "repositories of their own"), ("odd", "no patch"), ("nested.patch", "own")] {
        let result = &all[id];
        assert!(result["code"] == 1 && result["error"].as_str().unwrap().contains(reason), "{result}");
        assert!(ran.err.contains(&format!("warning: {id}: ")), "{}", ran.err);
        let kept = std::path::Path::new(result["folder"].as_str().unwrap_or_else(|| panic!("{result}")));
        assert!(kept.join(if id == "odd" { ".gitattributes" } else { "own/x" }).exists(), "{result}");
        assert_eq!(result["patch"].is_string(), id != "odd", "{result}");
    }
}

/// The box hides the folders of the user; git in a clone still has what it shares with the repository.
#[test]
fn git_works_in_a_clone() {
    let command = "git log --format=%s && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m more && git log --format=%s";
    let place = Place::new(vec![Reply::call("bash", json!({"command": command})), Reply::say("done")]);
    committed(&place);
    place.work.write("tasks.jsonl", "{\"prompt\":\"look\"}\n");
    let ran = place.run(&["batch", "tasks.jsonl"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let requests = place.server.requests();
    let said = requests[1].messages().iter().find(|message| message["role"] == "tool").unwrap().to_string();
    assert!(said.contains("more") && said.matches("the first words").count() == 2, "{said}");
}

#[test]
fn a_task_begins_where_the_batch_is_in_the_repository() {
    let server = ModelServer::start_with(|request| {
        let called = request.messages().iter().any(|message| message["role"] == "tool");
        let command = "echo made > new.txt && git log --format=%s";
        Some(if called { Reply::say("done") } else { Reply::call("bash", json!({"command": command})) })
    });
    let place = Place::with_server(server);
    committed(&place);
    place.work.write("tasks.jsonl", "{\"id\":\"a\",\"prompt\":\"make it\"}\n");
    let ran = place.run(&["batch", "tasks.jsonl", "-C", "sub"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let mut command = place.command(&["batch", "../tasks.jsonl", "--work", "../w2", "--out", "../second.jsonl"]);
    let ran = support::finish(command.current_dir(place.work.join("sub")).output().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for patch in ["tasks.work/a.patch", "w2/a.patch"] {
        let patch = std::fs::read_to_string(place.work.join(patch)).unwrap();
        assert!(patch.contains("+++ b/sub/new.txt"), "{patch}");
    }
    for request in place.server.requests().iter().filter(|request| request.messages().len() > 2) {
        let said = request.messages().iter().find(|message| message["role"] == "tool").unwrap().to_string();
        assert!(said.contains("the first words"), "{said}");
    }
}

/// Subagents spend what the whole may spend, and who was cut off by it is done another time.
#[test]
fn subagents_spend_of_the_whole_and_who_was_cut_off_has_no_result() {
    let server = ModelServer::start_with(|request| {
        let messages = request.messages();
        let prompt = messages.iter().find(|message| message["role"] == "user")?["content"].to_string();
        let called = messages.iter().any(|message| message["role"] == "tool");
        let tasks = json!({"tasks": [{"id": "A", "assignment": "look"}, {"id": "B", "assignment": "look"}]});
        let reply = if prompt.contains("TOP") && !called { Reply::call("task", tasks) } else { Reply::say("done") };
        Some(reply.with_usage(900, 100, 0))
    });
    let place = Place::with_server(server);
    place.work.write("tasks.jsonl", "{\"prompt\":\"TOP\"}\n".repeat(3));
    // The second request of the first task is not made any more.
    let ran = place.run(&["batch", "tasks.jsonl", "--jobs", "1", "--max-tokens", "2500"]);
    assert_eq!((ran.code, results(&place).len()), (Some(5), 0), "{}", ran.err);
    assert_eq!(place.server.request_count(), 3, "{}", ran.err);
    // Four requests are a task.
    let ran = place.run(&["batch", "tasks.jsonl", "--jobs", "1", "--max-tokens", "3500"]);
    assert_eq!((ran.code, results(&place).len()), (Some(5), 1), "{}", ran.err);
    assert_eq!(place.server.request_count(), 7, "{}", ran.err);
    let ran = place.run(&["batch", "tasks.jsonl"]);
    assert_eq!((ran.code, by_id(&place).len()), (Some(0), 3), "{}", ran.err);
    for result in results(&place) {
        assert_eq!((&result["usage"]["input"], &result["usage"]["output"]), (&json!(3600), &json!(400)), "{result}");
    }
}

/// Money is counted with each request, and what a task may spend is what the others left.
#[test]
fn money_is_counted_as_it_is_spent() {
    let server = ModelServer::start_with(|request| {
        let called = request.messages().iter().filter(|message| message["role"] == "tool").count();
        let write = json!({"path": format!("f{called}"), "content": "x"});
        let reply = if called < 2 { Reply::call("write_file", write) } else { Reply::say("done") };
        Some(reply.with_usage(900, 100, 0))
    });
    let place = Place::with_server(server);
    place.configure("price = { input = 100.0, output = 100.0 }\n");
    place.work.write("tasks.jsonl", "{\"prompt\":\"a\"}\n".repeat(4));
    let ran = place.run(&["batch", "tasks.jsonl", "--jobs", "1", "--max-cost", "0.35"]);
    assert_eq!((ran.code, results(&place).len()), (Some(5), 1), "{}", ran.err);
    assert_eq!(place.server.request_count(), 4, "{}", ran.err);
    assert_eq!(results(&place)[0]["cost"]["spent"], 300_000);
}

/// A session's warnings are told with the task that it works on.
#[test]
fn what_a_session_warns_of_is_passed_on() {
    let place = Place::new(vec![
        Reply::call("ls", json!({})).with_usage(900, 100, 0),
        Reply::say("done").with_usage(90, 10, 0),
    ]);
    place.work.write("tasks.jsonl", "{\"id\":\"a\",\"prompt\":\"x\",\"budget\":{\"tokens\":\"1200\"}}\n");
    let ran = place.run(&["batch", "tasks.jsonl"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("warning: a: 1000 of the allowed 1200"), "{}", ran.err);
}

/// Nobody waits for a clone that hangs.
#[test]
fn an_interrupt_ends_a_clone() {
    use std::io::{BufRead, BufReader};
    let place = Place::new(vec![Reply::say("never")]);
    place.work.write("stuck/.git/config", "");
    for folder in ["objects", "refs"] {
        std::fs::create_dir(place.work.join("stuck/.git").join(folder)).unwrap();
    }
    let made = std::process::Command::new("mkfifo").arg(place.work.join("stuck/.git/HEAD")).status().unwrap();
    assert!(made.success());
    place.work.write("tasks.jsonl", "{\"id\":\"a\",\"prompt\":\"x\",\"repo\":\"stuck\"}\n");
    let mut command = place.command(&["batch", "tasks.jsonl"]);
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.by_ref().any(|line| line.unwrap().contains("a: begins")));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(lines);
    assert!(results(&place).is_empty() && place.server.requests().is_empty());
}

/// A task whose endpoint failed has a result that says why, is no success, and is done once more where that is wanted.
#[test]
fn a_task_that_failed_says_why_and_is_no_success() {
    let well = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let now = std::sync::Arc::clone(&well);
    let server = ModelServer::start_with(move |request| {
        let bad = request.messages().iter().any(|message| message["content"].to_string().contains("bad"));
        let fails = bad && !now.load(std::sync::atomic::Ordering::SeqCst);
        Some(if fails { Reply::fail(401, "{\"error\": {\"message\": \"no such key\"}}") } else { Reply::say("fine") })
    });
    let place = Place::with_server(server);
    place.work.write("tasks.jsonl", "{\"id\":\"a\",\"prompt\":\"good\"}\n{\"id\":\"b\",\"prompt\":\"bad\"}\n");
    for _ in 0..2 {
        let ran = place.run(&["batch", "tasks.jsonl"]);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(ran.err.contains("tasks that did not end well: 1") && ran.err.contains("--again"), "{}", ran.err);
    }
    let result = by_id(&place)["b"].clone();
    assert!(result["why"].as_str().unwrap().contains("key") && result.get("answer").is_none(), "{result}");
    assert_eq!(result["end"], "provider_failed");
    assert!(by_id(&place)["a"].get("why").is_none());
    well.store(true, std::sync::atomic::Ordering::SeqCst);
    let before = place.server.request_count();
    let ran = place.run(&["batch", "tasks.jsonl", "--again"]);
    assert_eq!((ran.code, place.server.request_count()), (Some(0), before + 1), "{}", ran.err);
    assert_eq!((results(&place).len(), by_id(&place)["b"]["answer"].as_str()), (2, Some("fine")));
}
