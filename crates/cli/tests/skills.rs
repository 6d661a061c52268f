//! Skills and commands, as a user has them: the built binary against a scripted model.

use crate::support;

use reasonix_testkit::Reply;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use support::{Place, Ran};

const SKILL: &str = "---\nname: release\ndescription: How we publish: steps and checks.\nargument-hint: <version>\n---\nRead notes.md, then publish $ARGUMENTS.\n";

fn ok(ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
}

/// The last calls were refused.
fn refused(ran: &Ran) {
    assert_eq!(ran.code, Some(3), "{}\n{}", ran.out, ran.err);
}

/// Trust in what the folder brings, as a pipeline has it.
fn lock(place: &Place) -> String {
    let file = place.home.join("trust.lock").display().to_string();
    ok(&place.run(&["trust", "--lock", &file]));
    file
}

fn with_skill(replies: Vec<Reply>) -> Place {
    let place = Place::new(replies);
    place.work.write(".reasonix/skills/release/SKILL.md", SKILL);
    place.work.write(".reasonix/skills/release/notes.md", "the third drawer\n");
    place
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The contents of a request's messages, in their order.
fn contents(place: &Place, request: usize) -> Vec<String> {
    place.server.requests()[request].messages().iter().map(|message| text(&message["content"])).collect()
}

fn tools(place: &Place, request: usize) -> Vec<String> {
    let body = &place.server.requests()[request].body;
    let names = body["tools"].as_array().unwrap().iter();
    names.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_index_is_in_the_prefix_and_the_body_comes_when_it_is_wanted() {
    let place = with_skill(vec![
        Reply::call("skill", json!({})),
        Reply::call("skill", json!({"name": "release", "arguments": "1.2"})),
        Reply::call("read_file", json!({"path": "skill://release/notes.md"})),
        Reply::call("read_file", json!({"path": "skill://release/../../../reasonix.toml"})),
        Reply::say("published"),
    ]);
    place.work.write("reasonix.toml", "language = \"en\"\n");
    ok(&place.run(&["run", "publish it"]));
    let first = contents(&place, 0);
    assert!(
        first[0].contains("# Skills\n") && first[0].contains("\n- release: How we publish: steps and checks."),
        "{}",
        first[0]
    );
    assert!(!first[0].contains("Read notes.md"), "the body is not in the prefix");
    assert_eq!(tools(&place, 0).last().map(String::as_str), Some("skill"));
    let last = contents(&place, 4);
    assert!(
        last[3].contains("- release <version> (project): ") && last[3].contains("- security-review"),
        "{}",
        last[3]
    );
    assert!(last[5].contains("# Skill release\n\nRead notes.md, then publish 1.2."), "{}", last[5]);
    assert!(
        last[5].contains("skill://release/notes.md") && last[5].contains(".reasonix/skills/release"),
        "{}",
        last[5]
    );
    assert!(last[7].contains("the third drawer"), "{}", last[7]);
    assert!(!last[9].contains("language"), "{}", last[9]);
    place.server.assert_valid();
    place.server.assert_prefixes_grow();
}

#[test]
fn files_of_a_users_skill_are_reached_and_nothing_beside_it() {
    let read = |path: &str| Reply::call("read_file", json!({ "path": path }));
    let place = Place::new(vec![
        read("skill://mine/notes.md"),
        read("skill://mine"),
        read("skill://mine/../../config.toml"),
        read("skill://mine/out"),
        Reply::say("done"),
    ]);
    place.home.write("skills/mine/SKILL.md", "---\ndescription: mine\n---\nbody\n");
    place.home.write("skills/mine/notes.md", "the top shelf\n");
    std::os::unix::fs::symlink(place.home.join("config.toml"), place.home.join("skills/mine/out")).unwrap();
    ok(&place.run(&["run", "go"]));
    let last = contents(&place, 4);
    assert!(last[3].contains("the top shelf"), "{}", last[3]);
    assert!(last[5].contains("SKILL.md") && last[5].contains("notes.md"), "{}", last[5]);
    assert!(!last[7].contains("base_url") && !last[9].contains("base_url"), "{} {}", last[7], last[9]);
}

#[test]
fn without_skills_nothing_of_them_is_sent() {
    let place = Place::new(vec![Reply::say("hello")]);
    ok(&place.run(&["run", "hi"]));
    assert!(!contents(&place, 0)[0].contains("# Skills"));
    assert!(!tools(&place, 0).contains(&"skill".to_owned()));
}

#[test]
fn a_person_calls_a_skill_by_its_name() {
    let place = with_skill(vec![Reply::say("a"), Reply::say("b"), Reply::say("c"), Reply::say("d")]);
    place
        .home
        .write("skills/mine/SKILL.md", "---\ndescription: d\ndisable-model-invocation: true\n---\nOnly I say so.\n");
    for (request, (typed, wanted)) in [
        ("/skill:release 2.0 @.reasonix/skills/release/notes.md", "then publish 2.0 @"),
        ("/release 3.0", "then publish 3.0."),
        ("/mine", "Only I say so."),
        ("/init", "Write the file AGENTS.md"),
    ]
    .into_iter()
    .enumerate()
    {
        ok(&place.run(&["run", typed]));
        let sent = contents(&place, request).pop().unwrap();
        assert!(sent.contains(wanted), "{typed}: {sent}");
    }
    assert!(contents(&place, 0)[1].contains("the third drawer"), "references in what was typed count");
    assert!(!contents(&place, 0)[0].contains("- mine"), "a model is not told of it");
    let listed = place.run(&["sessions"]);
    assert!(listed.out.contains("/skill:release 2.0"), "it is remembered as it was typed: {}", listed.out);
}

#[test]
fn what_is_denied_is_hidden_and_its_body_is_not_read() {
    let place = with_skill(vec![
        Reply::call("skill", json!({"name": "secret-keys"})),
        Reply::call("skill", json!({})),
        Reply::call("read_file", json!({"path": "skill://secret-keys/SKILL.md"})),
        Reply::say("no"),
    ]);
    place.home.write("skills/secret-keys/SKILL.md", "---\ndescription: hidden words\n---\nthe body of it\n");
    place.configure("[permissions]\ndeny = [\"Skill(secret-*)\"]\n");
    refused(&place.run(&["run", "go"]));
    let last = contents(&place, 3).join("\n");
    assert!(last.contains("- release"), "{last}");
    assert!(!last.contains("hidden words") && !last.contains("the body of it"), "{last}");
    let sent = contents(&place, 3).len();
    for unknown in ["/skill:secret-keys", "/nosuch words", "/compact"] {
        let ran = place.run(&["run", "--json", unknown]);
        assert!(ran.code == Some(2) && ran.err.contains("/release"), "{unknown}: {}", ran.err);
    }
    assert_eq!(contents(&place, 3).len(), sent);
}

#[test]
fn the_fallback_and_ask_rules_for_skills_act() {
    let place =
        with_skill(vec![Reply::say("hello"), Reply::call("skill", json!({"name": "release"})), Reply::say("no")]);
    place.configure("[permissions.fallbacks]\nSkill = \"deny\"\n");
    ok(&place.run(&["run", "hi"]));
    assert!(!contents(&place, 0)[0].contains("# Skills"), "all of them are hidden");
    place.configure("[permissions]\nask = [\"Skill(rel*)\"]\n");
    refused(&place.run(&["run", "hi"]));
    let last = contents(&place, 2).pop().unwrap();
    assert!(last.contains("Skill(rel*)") && !last.contains("Read notes.md"), "nobody was there to say yes: {last}");
}

#[test]
fn disabled_and_excluded_skills_are_not_there() {
    let place = with_skill(vec![Reply::say("hello")]);
    place.home.write(".agents/skills/shared/SKILL.md", "---\ndescription: shared\n---\n");
    place.work.write(".claude/skills/theirs/SKILL.md", "---\ndescription: theirs\n---\n");
    let agents = place.home.join(".agents/skills");
    place.configure(&format!(
        "[skills]\ndisabled_skills = [\"release\"]\nexcluded_paths = [\"{}\"]\n",
        agents.display()
    ));
    ok(&place.run(&["run", "hi"]));
    let system = contents(&place, 0).remove(0);
    assert!(
        system.contains("- theirs: theirs") && !system.contains("- release") && !system.contains("shared"),
        "{system}"
    );
}

#[test]
fn a_command_is_filled_in_and_the_projects_counts() {
    let place = Place::new(vec![Reply::say("a"), Reply::say("b"), Reply::say("c")]);
    place.work.write("notes.txt", "buy milk\n");
    place.work.write(
        ".reasonix/commands/git/commit.md",
        "---\ndescription: Commits\n---\nCommit $2 before $1. It costs $$5. See @notes.txt\n",
    );
    place.work.write(".claude/commands/fix.md", "Fix it.\n");
    place.home.write("commands/fix.md", "Not this one.\n");
    ok(&place.run(&["run", "/git:commit one 'two three'"]));
    let sent = contents(&place, 0).pop().unwrap();
    assert!(sent.contains("Commit two three before one. It costs $5. See @notes.txt"), "{sent}");
    assert!(sent.contains("buy milk"), "{sent}");
    ok(&place.run(&["run", "/fix now"]));
    assert_eq!(contents(&place, 1).pop().unwrap(), "Fix it.\n\nArguments: now");
    ok(&place.run(&["run", "/etc is a folder"]));
    assert_eq!(contents(&place, 2).pop().unwrap(), "/etc is a folder");
}

#[test]
fn command_lines_of_a_project_run_only_after_trust() {
    let place = Place::new(vec![Reply::say("a"), Reply::say("b"), Reply::say("c")]);
    place.work.write(".reasonix/commands/look.md", "It is !`echo s''een; touch ran-look`.\n");
    place.home.write("commands/own.md", "It is !`echo o''wn`.\n");
    let ran = place.run(&["run", "/look"]);
    ok(&ran);
    assert!(ran.err.contains("/look") && ran.err.contains("trust"), "{}", ran.err);
    assert!(!place.work.exists("ran-look"));
    let sent = contents(&place, 0).pop().unwrap();
    assert!(sent.contains("!`echo s''een; touch ran-look`"), "{sent}");
    ok(&place.run(&["run", "/own"]));
    assert!(contents(&place, 1).join("\n").contains("own"), "{:?}", contents(&place, 1));
    let lock = lock(&place);
    ok(&place.run(&["run", "--trust-lock", &lock, "/look"]));
    assert!(place.work.exists("ran-look"));
    let sent = contents(&place, 2).join("\n");
    assert!(sent.contains("seen"), "{sent}");
    assert!(sent.contains("stands above"), "{sent}");
    place.server.assert_valid();
}

#[test]
fn scripts_of_an_untrusted_skill_are_not_run() {
    let run = || Reply::call("bash", json!({"command": "sh .reasonix/skills/release/go.sh"}));
    let place = with_skill(vec![run(), Reply::say("no"), run(), Reply::say("yes")]);
    place.work.write(".reasonix/skills/release/go.sh", "touch ran-script\n");
    refused(&place.run(&["run", "go"]));
    assert!(!place.work.exists("ran-script"));
    assert!(contents(&place, 1).pop().unwrap().contains("not trusted"), "{:?}", contents(&place, 1));
    let lock = lock(&place);
    ok(&place.run(&["run", "--trust-lock", &lock, "go"]));
    assert!(place.work.exists("ran-script"), "{:?}", contents(&place, 3));
}

#[test]
fn an_untrusted_skill_is_known_by_other_ways_to_its_folder_and_others_are_left_alone() {
    let lines = [
        "sh .reasonix/skills//release/go.sh",
        "cd .reasonix/skills && sh release/go.sh",
        "sh ./.reasonix/./skills/*/go.sh",
    ];
    let mut replies: Vec<Reply> = lines.iter().map(|line| Reply::call("bash", json!({"command": line}))).collect();
    replies.push(Reply::call("bash", json!({"command": "ls .reasonix/skills/released"})));
    let place = with_skill(replies.into_iter().chain([Reply::say("end")]).collect());
    place.work.write(".reasonix/skills/release/go.sh", "touch ran-script\n");
    place.work.write(".reasonix/skills/released/notes.txt", "");
    ok(&place.run(&["run", "go"]));
    assert!(!place.work.exists("ran-script"));
    assert!(contents(&place, 4).pop().unwrap().contains("notes.txt"), "{:?}", contents(&place, 4));
}

#[test]
fn allowed_tools_narrow_the_turn_and_grant_nothing() {
    let write = || Reply::call("write_file", json!({"path": "made.txt", "content": "x"}));
    let place = Place::new(vec![write(), Reply::say("no"), write(), Reply::say("yes"), write(), Reply::say("no")]);
    place.home.write("commands/look.md", "---\nallowed-tools: Read, Grep\n---\nLook.\n");
    refused(&place.run(&["run", "/look"]));
    assert!(!place.work.exists("made.txt"));
    assert!(contents(&place, 1).pop().unwrap().contains("allowed-tools of /look"), "{:?}", contents(&place, 1));
    ok(&place.run(&["run", "write it"]));
    assert!(place.work.exists("made.txt"), "only that turn was narrowed");
    std::fs::remove_file(place.work.join("made.txt")).unwrap();
    place.home.write("commands/make.md", "---\nallowed-tools: Write\n---\nMake.\n");
    place.configure("[permissions]\ndeny = [\"Edit(made.txt)\"]\n");
    refused(&place.run(&["run", "/make"]));
    assert!(!place.work.exists("made.txt"), "a deny rule stands above it");
}

#[test]
fn what_is_wrong_with_files_is_said_and_the_rest_is_used() {
    let place = with_skill(vec![Reply::say("hello")]);
    place.work.write(".reasonix/skills/broken/SKILL.md", "---\nname: broken\n");
    place.work.write(".reasonix/skills/hides/SKILL.md", "---\ndescription: a \u{202e} b\n---\n");
    place.home.write("skills/release/SKILL.md", SKILL);
    let ran = place.run(&["run", "hi"]);
    ok(&ran);
    for wanted in ["broken/SKILL.md is not used", "hides/SKILL.md is not used", "has the same name, release"] {
        assert!(ran.err.contains(wanted), "{wanted}: {}", ran.err);
    }
    assert!(contents(&place, 0)[0].contains("- release"));
}

/// The examples of these pages, run as they stand there.
#[test]
fn the_examples_of_the_docs_work() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/");
    let programs = Path::new(env!("CARGO_BIN_EXE_reasonix")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let clock = || Reply::call("use_tool", json!({"name": "mcp__clock__now", "arguments": {}}));
    for (page, typed, replies, wanted) in [
        ("skills.md", &["/skill:changelog 1.4"][..], vec![], "entry for version 1.4"),
        ("commands.md", &["/git:message"], vec![], "Write a commit message"),
        ("agents.md", &["--agent", "naysayer", "go"], vec![], "You look for what speaks against"),
        ("rules.md", &["go"], vec![], "Name every column"),
        ("plugins.md", &["/kit:tidy src/price.rs"], vec![], "Tidy src/price.rs and change nothing"),
        ("mcp.md", &["go"], vec![clock()], "It is "),
    ] {
        let last = replies.len();
        let place = Place::new(replies.into_iter().chain([Reply::say("done")]).collect());
        let text = std::fs::read_to_string(format!("{root}{page}")).unwrap();
        let (_, rest) = text.split_once("<!-- example: a test runs it -->").expect("a marked example");
        let script = rest.split_once("```sh\n").unwrap().1.split_once("```").unwrap().0;
        let mut made = Command::new("bash");
        made.args(["-e", "-c", script]).current_dir(place.work.path());
        let made = made.env("PATH", &path).env("REASONIX_HOME", place.home.path()).output().unwrap();
        assert!(made.status.success(), "{page}: {}", String::from_utf8_lossy(&made.stderr));
        ok(&place.run(&[&["run"], typed].concat()));
        let sent = contents(&place, last).join("\n");
        assert!(sent.contains(wanted), "{page}: {sent}");
    }
}

/// Names of skills have no case and come with marks around them; rules hold for the skill, however it is written.
#[test]
fn no_spelling_goes_around_a_rule_for_a_skill() {
    let spelled = ["deploy", "Deploy", "/DEPLOY", "skill:deploy", "deploy [x]"];
    let mut replies: Vec<Reply> = spelled.iter().map(|name| Reply::call("skill", json!({"name": name}))).collect();
    for name in ["Release", "release x", "skill:release"] {
        replies.push(Reply::call("read_file", json!({"path": format!("skill://{name}/notes.md")})));
    }
    let place = Place::new(replies.into_iter().chain([Reply::say("no")]).collect());
    place
        .work
        .write(".reasonix/skills/deploy/SKILL.md", "---\nname: Deploy\ndescription: hidden words\n---\nits body\n");
    place.home.write("skills/release/SKILL.md", SKILL);
    place.home.write("skills/release/notes.md", "the third drawer\n");
    place.configure("[permissions]\ndeny = [\"Skill(dePloy)\"]\nask = [\"Skill(release)\"]\n");
    refused(&place.run(&["run", "go"]));
    let all = contents(&place, spelled.len() + 3).join("\n");
    for text in ["hidden words", "its body", "third drawer"] {
        assert!(!all.contains(text), "{text}: {all}");
    }
}

#[test]
fn a_file_brings_no_endpoint_that_nobody_configured() {
    let place = Place::new(vec![Reply::say("here")]);
    place.work.write(".reasonix/commands/tidy.md", "---\nmodel: openai\n---\nTidy up.\n");
    let mut command = place.command(&["run", "--json", "/tidy"]);
    let output = command.env("OPENAI_API_KEY", "k").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("engine.model_of_command"));
    assert_eq!(place.server.request_count(), 1, "it went to the model that is configured");
}

/// What is in a project's file is nobody's word: a rule that asks closes what it refers to.
#[test]
fn references_in_a_projects_command_are_not_the_persons() {
    let place = Place::new(vec![Reply::say("a"), Reply::say("b")]);
    place.work.write("secret.txt", "the third drawer\n");
    place.work.write(".reasonix/commands/peek.md", "Look at @secret.txt\n");
    place.configure("[permissions]\nask = [\"Read(secret.txt)\"]\n");
    ok(&place.run(&["run", "/peek"]));
    assert!(!contents(&place, 0).join("\n").contains("third drawer"));
    ok(&place.run(&["run", "Look at @secret.txt"]));
    assert!(contents(&place, 1).join("\n").contains("third drawer"), "a person's own word");
}

#[test]
fn what_is_typed_becomes_no_command_line() {
    let place = Place::new(vec![Reply::say("a"), Reply::say("b")]);
    place.home.write("commands/hi.md", "Said: !`echo h''i $ARGUMENTS`\n");
    let ran = place.run(&["run", "/hi x; touch pwned"]);
    ok(&ran);
    assert!(!place.work.exists("pwned") && ran.err.contains("is not run"), "{}", ran.err);
    ok(&place.run(&["run", "/hi there"]));
    assert!(contents(&place, 1).join("\n").contains("hi there"), "{:?}", contents(&place, 1));
    place.work.write("s.json", "{\"type\": \"object\"}");
    let ran = place.run(&["run", "--output-schema", "s.json", "/hi there"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}
