//! Hooks as users and projects have them: the built binary against a scripted model.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use support::{Place, Ran};

fn ok(ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
}

/// The contents of the last request's messages, in their order.
fn contents(place: &Place) -> Vec<String> {
    let requests = place.server.requests();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    requests.last().unwrap().messages().iter().map(|message| text(&message["content"])).collect()
}

fn last(place: &Place) -> String {
    contents(place).pop().unwrap()
}

fn bash(command: &str) -> Reply {
    Reply::call("bash", json!({ "command": command }))
}

/// Trust in what the folder brings, as a pipeline has it.
fn lock(place: &Place) -> String {
    let file = place.home.join("trust.lock").display().to_string();
    ok(&place.run(&["trust", "--lock", &file]));
    file
}

fn run_trusted(place: &Place, prompt: &str) -> Ran {
    let lock = lock(place);
    place.run(&["run", "--trust-lock", &lock, prompt])
}

/// The records of hooks in the session's log.
fn records(place: &Place) -> Vec<Value> {
    let log = std::fs::read_to_string(place.logs().pop().unwrap()).unwrap();
    let read = |line: &str| -> Value {
        let line = line.find('{').map_or("", |at| &line[at..]);
        serde_json::from_str(line).or_else(|_| serde_json::from_str(&line[..line.rfind('}').unwrap() + 1])).unwrap()
    };
    let find = |value: Value| if value["kind"] == "hook" { Some(value) } else { value.get("record").cloned() };
    log.lines().map(read).filter_map(find).filter(|record| record["kind"] == "hook").collect()
}

/// A user's own hook for an event.
fn configure(place: &Place, event: &str, fields: &str) {
    place.configure(&format!("[[hooks.{event}]]\n{fields}\n\n"));
}

/// A guard whose script the box does not have lets everything pass, so nobody may overlook that.
#[test]
fn a_guard_that_cannot_be_started_is_an_error_that_says_what_to_do() {
    let place = Place::new(vec![bash("echo fine"), Reply::say("ok")]);
    configure(&place, "PreToolUse", "match = \"bash\"\ncommand = \"/nowhere/guard.sh\"");
    let ran = place.run(&["run", "hi"]);
    ok(&ran);
    let said = ran.err.lines().find(|line| line.contains("/nowhere/guard.sh")).unwrap_or_default();
    assert!(said.starts_with("error: ") && said.contains("could not be started (code 127)"), "{}", ran.err);
    assert!(ran.err.contains("sandbox = false"), "{}", ran.err);
}

#[test]
fn a_guard_refuses_a_call_and_the_model_reads_why() {
    let place = Place::new(vec![bash("touch made"), bash("echo fine"), Reply::say("ok")]);
    place.work.write("guard.sh", "input=$(cat); case \"$input\" in *touch*) echo 'no touching' >&2; exit 2;; esac\n");
    configure(&place, "PreToolUse", "match = \"bash\"\ncommand = \"sh guard.sh\"");
    ok(&place.run(&["run", "go"]));
    let all = contents(&place);
    assert!(all[3].contains("by the hook sh guard.sh: no touching"), "{}", all[3]);
    assert!(all[5].contains("fine"), "{}", all[5]);
    assert!(!place.work.exists("made"));
    let seen: Vec<_> =
        records(&place).iter().map(|record| (record["decision"].clone(), record["exit_code"].clone())).collect();
    assert_eq!(seen, [(json!("block"), json!(2)), (json!("pass"), json!(0))]);
    place.server.assert_valid();
    place.server.assert_prefixes_grow();
}

#[test]
fn what_a_hook_allows_is_judged_all_the_same() {
    let place = Place::new(vec![bash("touch made"), Reply::say("ok")]);
    place.work.write("yes.sh", "cat >/dev/null; echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\"}}'\n");
    place.configure(
        "[permissions]\ndeny = [\"Bash(touch:*)\"]\n\n[[hooks.PreToolUse]]\nhooks = [{ command = \"sh yes.sh\" }]\n\n",
    );
    let ran = place.run(&["run", "go"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(last(&place).contains("Bash(touch:*)"), "{}", last(&place));
    assert!(!place.work.exists("made"));
}

#[test]
fn a_changed_call_is_judged_as_what_it_became_and_guards_see_it() {
    let place = Place::new(vec![bash("echo a"), bash("echo b"), bash("echo c"), Reply::say("ok")]);
    place.work.write(
        "change.py",
        "import json, sys\n\
         said = json.load(sys.stdin)['tool_input']['command']\n\
         new = {'echo a': 'touch denied', 'echo b': 'echo changed', 'echo c': 'echo guarded'}.get(said, said)\n\
         print(json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse', 'updatedInput': {'command': new}}}))\n",
    );
    place.work.write("guard.sh", "grep -q guarded && { echo seen >&2; exit 2; }; exit 0\n");
    place.configure(
        "[permissions]\ndeny = [\"Bash(touch:*)\"]\n\n[[hooks.PreToolUse]]\ncommand = \"sh guard.sh\"\n\n\
         [[hooks.PreToolUse]]\nmatcher = \"Bash\"\nhooks = [{ type = \"command\", command = \"python3 change.py\" }]\n\n",
    );
    let ran = place.run(&["run", "go"]);
    assert_eq!(ran.code, Some(3), "the last call was refused: {}", ran.err);
    let all = contents(&place);
    assert!(all[3].contains("Bash(touch:*)"), "{}", all[3]);
    assert!(all[5].contains("changed") && all[5].contains("a hook changed this call"), "{}", all[5]);
    assert!(all[7].contains("by the hook sh guard.sh: seen"), "who was asked before is asked again: {}", all[7]);
    place.server.assert_prefixes_grow();
}

#[test]
fn a_hook_that_wants_a_person_asked_is_a_no_where_nobody_is() {
    let place = Place::new(vec![Reply::call("read_file", json!({"path": "a"})), Reply::say("ok")]);
    place.work.write("a", "text\n");
    place.work.write(
        "ask.sh",
        "cat >/dev/null; echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"ask\",\"permissionDecisionReason\":\"hm\"}}'\n",
    );
    place.configure("[[hooks.PreToolUse]]\nmatcher = \"Read\"\nhooks = [{ command = \"sh ask.sh\" }]\n\n");
    let ran = place.run(&["run", "go"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(last(&place).contains("hm") && !last(&place).contains("text"), "{}", last(&place));
}

#[test]
fn a_repository_that_is_not_trusted_starts_no_program_and_after_trust_its_hooks_work() {
    let place = Place::new(vec![
        bash("echo 1"),
        Reply::say("a"),
        bash("echo 2"),
        Reply::say("b"),
        bash("echo 3"),
        Reply::say("c"),
    ]);
    let mark = place.work.join("ran").display().to_string();
    let entry = |name: &str| json!([{"command": format!("cat >> {mark}-{name}")}]);
    let theirs = |name: &str| json!([{"hooks": [{"type": "command", "command": format!("cat >> {mark}-{name}")}]}]);
    let all = |make: &dyn Fn(&str) -> Value, name: &str| {
        let events = ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart", "SessionEnd"];
        let hooks: serde_json::Map<_, _> = events.iter().map(|event| ((*event).to_owned(), make(name))).collect();
        json!({ "hooks": hooks }).to_string()
    };
    place.work.write("reasonix.toml", format!("[[hooks.Stop]]\ncommand = \"cat >> {mark}-toml\"\n"));
    place.work.write(".reasonix/hooks/h.json", all(&entry, "folder"));
    place.work.write(".reasonix/settings.json", all(&entry, "settings"));
    place.work.write(".claude/settings.json", all(&theirs, "claude"));
    place.work.write(".codex/hooks.json", all(&theirs, "codex"));
    let traces = || {
        let entries = std::fs::read_dir(place.work.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        let mut names: Vec<_> = names.filter(|name| name.starts_with("ran-")).collect();
        names.sort();
        names
    };
    let ran = place.run(&["run", "go"]);
    ok(&ran);
    assert_eq!(traces(), [""; 0]);
    for name in ["hook hooks", "hook h.json", "hook .reasonix", "hook .claude", "hook .codex"] {
        assert!(ran.err.contains(name), "{name}: {}", ran.err);
    }
    let lock = lock(&place);
    ok(&place.run(&["run", "--trust-lock", &lock, "go"]));
    assert_eq!(traces(), ["ran-claude", "ran-codex", "ran-folder", "ran-settings", "ran-toml"]);
    let told = std::fs::read_to_string(format!("{mark}-claude")).unwrap();
    let events: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<_> = events.iter().map(|event| event["hook_event_name"].as_str().unwrap()).collect();
    assert_eq!(names, ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"]);
    assert_eq!((&events[2]["tool_name"], &events[2]["tool_input"]), (&json!("Bash"), &json!({"command": "echo 2"})));
    for name in traces() {
        std::fs::remove_file(place.work.join(name)).unwrap();
    }
    place.work.write(".claude/settings.json", all(&theirs, "other"));
    ok(&place.run(&["run", "--trust-lock", &lock, "go"]));
    assert_eq!(traces(), ["ran-codex", "ran-folder", "ran-settings", "ran-toml"], "what changed is off again");
}

#[test]
fn what_a_hook_says_of_a_prompt_is_read_with_it_and_a_block_sends_nothing() {
    let place = Place::new(vec![Reply::say("a"), Reply::say("b")]);
    place.work.write(
        "prompt.sh",
        "input=$(cat); case \"$input\" in *sk-*) echo 'a key' >&2; exit 2;; esac; echo \"branch main\"\n",
    );
    configure(&place, "UserPromptSubmit", "command = \"sh prompt.sh\"");
    ok(&place.run(&["run", "hello"]));
    let first = contents(&place);
    assert_eq!(first[1], "[hook sh prompt.sh: branch main]\n\nhello");
    let ran = place.run(&["run", "--continue", "my key is sk-1"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("not sent") && ran.err.contains("a key"), "{}", ran.err);
    assert_eq!(place.server.request_count(), 1);
    ok(&place.run(&["run", "--continue", "again"]));
    assert!(!contents(&place).iter().any(|text| text.contains("sk-1")));
    place.server.assert_valid();
    place.server.assert_prefixes_grow();
    let blocked = Place::new(vec![]);
    blocked.work.write("no.sh", "exit 2\n");
    configure(&blocked, "UserPromptSubmit", "command = \"sh no.sh\"");
    assert_eq!(blocked.run(&["run", "x"]).code, Some(3));
    assert!(blocked.logs().is_empty(), "what was never sent leaves no session");
}

#[test]
fn a_stop_hook_keeps_a_turn_going_three_times_at_most() {
    let place = Place::new((0..6).map(|n| Reply::say(&format!("done {n}"))).collect());
    place
        .work
        .write("stop.sh", "cat >> seen; echo >> seen; echo '{\"decision\":\"block\",\"reason\":\"run the tests\"}'\n");
    place.configure("[[hooks.Stop]]\nhooks = [{ command = \"sh stop.sh\" }]\n\n");
    let ran = place.run(&["run", "go"]);
    ok(&ran);
    assert_eq!(place.server.request_count(), 4);
    assert!(ran.err.contains("3 times"), "{}", ran.err);
    assert!(last(&place).contains("you are not done: run the tests"), "{}", last(&place));
    let seen = std::fs::read_to_string(place.work.join("seen")).unwrap();
    let seen: Vec<Value> =
        seen.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect();
    let active: Vec<_> = seen.iter().map(|said| said["stop_hook_active"].as_bool().unwrap()).collect();
    assert_eq!(active, [false, true, true, true]);
    assert_eq!(seen[0]["last_assistant_message"], "done 0");
    place.server.assert_prefixes_grow();
}

/// Hooks stand around subagents too: their calls, and their end, which is kept back three times at most.
#[test]
fn a_subagent_stop_hook_keeps_a_subagent_going_three_times_at_most() {
    let server = ModelServer::start_with(|request| {
        let child = request.messages()[0]["content"].as_str().unwrap_or_default().starts_with("You are a subagent");
        let said = request.messages().iter().filter(|message| message["role"] == "assistant").count();
        Some(match (child, said) {
            (false, 0) => Reply::call("task", json!({"tasks": [{"id": "A", "assignment": "look"}]})),
            (false, _) => Reply::say("all done"),
            (true, n) => Reply::say(&format!("seen {n}")),
        })
    });
    let place = Place::with_server(server);
    place
        .work
        .write("stop.sh", "cat >> seen; echo >> seen; echo '{\"decision\":\"block\",\"reason\":\"look again\"}'\n");
    place.configure("[[hooks.SubagentStop]]\nhooks = [{ command = \"sh stop.sh\" }]\n\n");
    let ran = place.run(&["run", "go"]);
    ok(&ran);
    assert_eq!(ran.out.trim(), "all done");
    assert_eq!(place.server.request_count(), 2 + 4, "{}", ran.err);
    assert!(last(&place).contains("seen 3"), "{}", last(&place));
    let seen = std::fs::read_to_string(place.work.join("seen")).unwrap();
    let seen: Vec<Value> =
        seen.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(seen.len(), 4);
    assert_eq!(
        (&seen[0]["hook_event_name"], &seen[0]["last_assistant_message"]),
        (&json!("SubagentStop"), &json!("seen 0"))
    );
}

#[test]
fn what_is_said_after_a_call_is_read_with_its_outcome() {
    let place = Place::new(vec![
        Reply::call("write_file", json!({"path": "a.txt", "content": "x\n"})),
        Reply::call("read_file", json!({"path": "nowhere"})),
        Reply::say("ok"),
    ]);
    place.work.write("post.sh", "cat > told-post; echo 'lint: line 1' >&2; exit 2\n");
    place.work.write("fail.sh", "cat > told-fail\n");
    place.configure(
        "[[hooks.PostToolUse]]\nmatcher = \"Write\"\nhooks = [{ command = \"sh post.sh\" }]\n\n\
         [[hooks.PostToolUseFailure]]\nhooks = [{ command = \"sh fail.sh\" }]\n\n",
    );
    ok(&place.run(&["run", "go"]));
    assert!(contents(&place)[3].contains("[hook sh post.sh: lint: line 1]"), "{}", contents(&place)[3]);
    let told = |name: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(place.work.join(name)).unwrap()).unwrap()
    };
    let file = place.work.path().canonicalize().unwrap().join("a.txt").display().to_string();
    assert_eq!(told("told-post")["tool_input"]["file_path"], json!(file));
    assert_eq!(told("told-post")["tool_response"]["filePath"], json!(file));
    assert!(told("told-fail")["error"].as_str().unwrap().contains("nowhere"));
}

#[test]
fn a_hook_has_bounds_of_time_and_output_and_no_keys() {
    let place = Place::new(vec![bash("echo 1"), Reply::say("ok")]);
    place.work.write("flood.sh", "yes | head -c 3000000; env > environment; sleep 60 & sleep 60\n");
    configure(&place, "PreToolUse", "command = \"sh flood.sh\"\ntimeout = 2500");
    let ran = place.run(&["run", "go"]);
    ok(&ran);
    assert!(ran.err.contains("longer than 2.5 s"), "{}", ran.err);
    let record = records(&place).remove(0);
    assert_eq!(
        (&record["decision"], &record["truncated"], record.get("exit_code")),
        (&json!("timeout"), &json!(true), None)
    );
    assert!(record["stdout"].as_str().unwrap().len() < 5000);
    let seen = std::fs::read_to_string(place.work.join("environment")).unwrap();
    assert!(
        seen.contains("REASONIX_CWD=") && seen.contains("CLAUDE_PROJECT_DIR=") && !seen.contains("sk-secret"),
        "{seen}"
    );
}

#[test]
fn a_hook_can_end_the_turn() {
    let place = Place::new(vec![bash("echo 1"), Reply::say("never")]);
    place.work.write("end.sh", "cat >/dev/null; echo '{\"continue\":false,\"stopReason\":\"enough for today\"}'\n");
    place.configure("[[hooks.PostToolUse]]\nhooks = [{ command = \"sh end.sh\" }]\n\n");
    let ran = place.run(&["run", "go"]);
    assert!(ran.err.contains("enough for today"), "{}", ran.err);
    assert_eq!(place.server.request_count(), 1);
    place.assert_resumes();
}

#[test]
fn what_is_not_run_is_named() {
    let place = Place::new(vec![Reply::say("ok")]);
    place.home.write(
        "settings.json",
        json!({"hooks": {
            "Stop": [{"hooks": [{"type": "prompt", "prompt": "done?"}, {"type": "http", "url": "http://x"}]}],
            "Someday": [],
        }})
        .to_string(),
    );
    place.home.write("hooks/broken.json", "{");
    let ran = place.run(&["run", "go"]);
    ok(&ran);
    for said in ["of the kind prompt", "of the kind http", "no event Someday", "broken.json"] {
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
}

#[test]
fn a_replay_runs_no_hooks() {
    let place = Place::new(vec![bash("echo 1"), Reply::say("ok")]);
    configure(&place, "PreToolUse", "command = \"cat >> told\"");
    ok(&place.run(&["run", "go"]));
    let before = std::fs::read_to_string(place.work.join("told")).unwrap();
    let session = place.logs().pop().unwrap().file_stem().unwrap().to_string_lossy().into_owned();
    ok(&place.run(&["replay", &session]));
    assert_eq!(std::fs::read_to_string(place.work.join("told")).unwrap(), before);
}

#[test]
fn a_guard_whose_script_the_model_changes_is_not_switched_off_by_that() {
    let place = Place::new(vec![
        Reply::call("write_file", json!({"path": "guard.sh", "content": "exit 0\n"})),
        bash("touch made"),
        Reply::say("ok"),
    ]);
    place.work.write("guard.sh", "grep -q touch && exit 2; exit 0\n");
    place.work.write(
        ".claude/settings.json",
        json!({"hooks": {"PreToolUse": [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/guard.sh"}]}]}})
        .to_string(),
    );
    let ran = run_trusted(&place, "go");
    assert!(ran.err.contains("is not what you trusted"), "{}", ran.err);
    assert!(last(&place).contains("it is not what you trusted"), "{}", last(&place));
    assert!(!place.work.exists("made"));
}

#[test]
fn a_guard_of_reading_that_changed_does_not_let_everything_be_read() {
    let place = Place::new(vec![
        Reply::call("write_file", json!({"path": "guard.sh", "content": "exit 0\n"})),
        Reply::call("read_file", json!({"path": "secret.txt"})),
        Reply::say("ok"),
    ]);
    place.work.write("secret.txt", "the secret");
    place.work.write("guard.sh", "grep -q secret && exit 2; exit 0\n");
    let guard = json!({"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/guard.sh"});
    let hooks = json!({"hooks": {"PreToolUse": [{"matcher": "Read", "hooks": [guard]}]}});
    place.work.write(".claude/settings.json", hooks.to_string());
    let ran = run_trusted(&place, "go");
    let told = last(&place);
    assert!(told.contains("it is not what you trusted") && !told.contains("the secret"), "{told}");
    assert!(ran.err.contains("is not what you trusted"), "{}", ran.err);
    assert!(!ran.err.contains("the rule hook"), "a hook is no rule: {}", ran.err);
}

#[test]
fn a_script_of_the_folder_that_a_users_hook_names_is_held_to_what_it_was() {
    let place = Place::new(vec![
        Reply::call("write_file", json!({"path": "guard.sh", "content": "exit 0\n"})),
        bash("touch made"),
        Reply::say("ok"),
    ]);
    place.work.write("guard.sh", "grep -q touch && exit 2; exit 0\n");
    configure(&place, "PreToolUse", "match = \"bash\"\ncommand = \"sh guard.sh\"");
    let ran = place.run(&["run", "go"]);
    assert!(last(&place).contains("it is not what you trusted"), "{}\n{}", last(&place), ran.err);
    assert!(!place.work.exists("made"));
}

#[test]
fn a_filter_sees_commands_however_they_are_spelt_and_a_person_why_one_was_refused() {
    let place = Place::new(vec![
        bash("t\\ouch made"),
        bash("echo a; command 'tou'ch made"),
        bash("echo fine"),
        Reply::say("ok"),
    ]);
    let guard = json!({"type": "command", "command": "echo 'no touching' >&2; exit 2", "if": "Bash(touch *)",
        "description": "keeper"});
    let hooks = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [guard]}]}});
    place.home.write("settings.json", hooks.to_string());
    let ran = place.run(&["run", "go"]);
    assert!(!place.work.exists("made"), "{}", ran.err);
    let refused = ran.err.matches("the hook keeper refused the call of bash: no touching").count();
    assert_eq!(refused, 2, "{}", ran.err);
    assert!(last(&place).contains("fine"), "{}", last(&place));
}

#[test]
fn files_of_hooks_that_cannot_be_read_or_are_misspelt_are_named() {
    let place = Place::new(vec![Reply::say("ok")]);
    place.work.write(".claude/settings.json", "{\"hooks\": {\"PreToolUse\": [");
    let typo = json!({"hooks": {"PreTolUse": [], "Stop": [{"command": "true", "timout": 3}]}});
    place.home.write("settings.json", typo.to_string());
    let ran = place.run(&["run", "go"]);
    for said in [".claude/settings.json has no hooks that could be read", "no event PreTolUse", "the key timout"] {
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    let listed = place.run(&["extensions"]).out;
    for said in ["no event PreTolUse", "the key timout", "it is no JSON"] {
        assert!(listed.contains(said), "{said}: {listed}");
    }
}

/// Whoever starts below the root of a repository has what the root brings, its guards among it; only where something nearer
/// is the project it is not used, and that is said.
#[test]
fn what_the_root_of_a_repository_brings_holds_below_it() {
    let place = Place::new(vec![bash("touch made"), Reply::say("ok"), Reply::say("ok"), Reply::say("ok")]);
    place.work.write("tools/guard.sh", "grep -q touch && { echo 'no touching' >&2; exit 2; }; exit 0\n");
    let guard = json!({"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/tools/guard.sh"});
    let hooks = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [guard]}]}});
    place.work.write(".claude/settings.json", hooks.to_string());
    place.work.write("sub/deep/a", "");
    place.work.git_init();
    let (root, deep) = (place.work.path().display().to_string(), place.work.join("sub/deep").display().to_string());
    let file = place.home.join("trust.lock").display().to_string();
    ok(&place.run(&["trust", "-C", &deep, "--lock", &file]));
    let ran = place.run(&["run", "-C", &deep, "--trust-lock", &file, "go"]);
    assert!(last(&place).contains("no touching") && !place.work.exists("sub/deep/made"), "{}", last(&place));
    assert!(!ran.err.contains("not used here"), "{}", ran.err);
    // Something nearer is the project then.
    place.work.write("sub/.claude/commands/x.md", "x");
    let said = format!("what {root} brings for agents (servers, hooks, skills, rules, …) is not used here");
    let ran = place.run(&["run", "-C", &deep, "go"]);
    assert!(ran.err.contains(&said) && ran.err.contains(&format!("start there: -C {root}\n")), "{}", ran.err);
    // Settings hold wherever they are.
    place.work.write("reasonix.toml", "");
    let ran = place.run(&["run", "-C", &deep, "go"]);
    assert!(!ran.err.contains("not used here"), "{}", ran.err);
}

/// The example of the page, run as it stands there.
#[test]
fn the_example_of_the_docs_works() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hooks.md");
    let place = Place::new(vec![bash("cd sub; git push origin main"), bash("echo fine"), Reply::say("ok")]);
    let text = std::fs::read_to_string(page).unwrap();
    let (_, rest) = text.split_once("<!-- example: a test runs it -->").expect("a marked example");
    let script = rest.split_once("```sh\n").unwrap().1.split_once("```").unwrap().0;
    let made =
        std::process::Command::new("bash").arg("-c").arg(script).current_dir(place.work.path()).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    ok(&run_trusted(&place, "go"));
    let all = contents(&place);
    assert!(all[3].contains("by the hook no pushes: do not push"), "{}", all[3]);
    assert!(all[5].contains("fine"), "{}", all[5]);
}
