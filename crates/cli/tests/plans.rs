//! Plans with steps and todo lists, as people have them: the built binary, a terminal, and a scripted model.

use crate::scene::{Scene, line, until};
use crate::support::Place;

use reasonix_testkit::{Pty, Reply};
use serde_json::{Value, json};

fn plan(name: &str, second: &str) -> Reply {
    let steps = json!([{"id": "1", "title": "Read it", "risk": "low"}, {"id": "2", "title": second, "risk": "high"}]);
    Reply::call("submit_plan", json!({"plan": format!("# {name}\n"), "steps": steps}))
}

fn complete(step: &str, result: &str) -> Reply {
    Reply::call("complete_step", json!({"step": step, "result": result}))
}

fn write(path: &str) -> Reply {
    Reply::call("write_file", json!({"path": path, "content": "written\n"}))
}

/// The texts of the last request, in order.
fn last(place: &Place) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let requests = place.server.requests();
    requests.last().unwrap().messages().iter().map(|message| text(&message["content"])).collect()
}

fn some(texts: &[String], words: &str) -> usize {
    texts.iter().position(|text| text.contains(words)).unwrap_or_else(|| panic!("no {words:?} in {texts:#?}"))
}

#[test]
fn a_plan_is_refused_refined_approved_and_its_steps_are_ticked_off() {
    let place = Scene::new("plans")
        .file("a.txt", "alpha\n")
        .replies(vec![
            write("early.txt"),
            plan("First plan", "Write it"),
            plan("Second plan", "Write less"),
            complete("1", "I read it"),
            write("a.txt"),
            complete("2", "it is written"),
            Reply::say("Answer one."),
            Reply::say("Answer two."),
            plan("Third plan", "Write more"),
            Reply::say("Answer three."),
            write("late.txt"),
            Reply::say("Answer four."),
        ])
        .chat(vec![
            line("/plan", "plan mode is on"),
            until("do it", "answer> "),
            line("only half of it", "2. Write less"),
            line("y", "Answer one."),
            line("/todo", "[x] 2. Write less"),
            line("/todo add sweep up", "[~] sweep up"),
            line("and now?", "Answer two."),
            line("/plan", "plan mode is on"),
            until("more", "answer> "),
            line("x", "Answer three."),
            line("go on", "Answer four."),
        ])
        .play();
    let texts = last(&place);
    let order = [
        "plan mode is on and this could change something",
        "not approve this plan yet: only half of it",
        "The user approved the plan. Plan mode is off",
        "Done: 1. Read it. Nothing proves it: no call is named; name the calls that prove it.\nNext: 2. Write less",
        "That was the last step",
        "The user changed the todo list",
        "The user gives the plan up",
    ];
    let places: Vec<usize> = order.iter().map(|words| some(&texts, words)).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(
        texts[places[5]].contains("[x] 1. Read it") && texts[places[5]].contains("sweep up"),
        "{}",
        texts[places[5]]
    );
    assert!(!place.work.exists("early.txt"), "nothing is written before a plan was approved");
    assert_eq!(place.work.read("a.txt"), "written\n");
    assert!(place.work.exists("late.txt"), "plan mode is off when a plan was given up");
    place.server.assert_valid();
    place.server.assert_prefixes_grow();
}

#[test]
fn a_complex_task_begins_with_a_plan_where_the_settings_say_so() {
    let place = Scene::new("auto_plan")
        .settings("[agent]\nauto_plan = true\n")
        .replies(vec![Reply::say("Answer one."), plan("A plan", "Write it"), write("a.txt"), Reply::say("Answer two.")])
        .chat(vec![
            line("what is this?", "Answer one."),
            until("refactor the entire parser", "answer> "),
            line("y", "Answer two."),
        ])
        .play();
    let requests = place.server.requests();
    let said = |at: usize| requests[at].messages().last().unwrap()["content"].to_string();
    assert!(!said(0).contains("Plan mode is on"), "{}", said(0));
    assert!(said(1).contains("Plan mode is on") && said(1).contains("refactor the entire parser"), "{}", said(1));
    assert!(place.work.exists("a.txt"));
    place.server.assert_prefixes_grow();
}

/// The records of the log of one kind.
fn records(place: &Place, kind: &str) -> Vec<Value> {
    let log = std::fs::read_to_string(place.logs().pop().unwrap()).unwrap();
    let read = |line: &str| -> Option<Value> {
        let line = &line[line.find('{')?..];
        serde_json::from_str(line).or_else(|_| serde_json::from_str(&line[..line.rfind('}').unwrap() + 1])).ok()
    };
    let of = |value: Value| if value.get("record").is_some() { value["record"].clone() } else { value };
    log.lines().filter_map(read).map(of).filter(|record| record["kind"] == kind).collect()
}

#[test]
fn a_prompt_with_three_parts_begins_a_list_that_stays() {
    let done = Reply::call("todo_write", json!({"op": "done", "task": "read it"}));
    let place = Place::new(vec![done, Reply::say("one"), Reply::call("todo_read", json!({})), Reply::say("two")]);
    let prompt = "please:\n1. read it\n2. write it\n3. test it";
    assert_eq!(place.run(&["run", prompt]).code, Some(0));
    let first = place.server.requests()[0].messages().last().unwrap()["content"].as_str().unwrap().to_owned();
    assert!(first.contains("A todo list was begun") && first.contains("[~] read it\n[ ] write it"), "{first}");
    assert!(first.ends_with(prompt), "what was said stands as it was: {first}");
    let begun = records(&place, "todo_changed");
    assert_eq!((begun.len(), begun[0]["by_user"].clone()), (1, json!(false)));
    assert_eq!(place.run(&["run", "--continue", "and:\n- more\n- of\n- it"]).code, Some(0));
    let texts = last(&place);
    assert!(texts.last().unwrap().contains("[x] read it\n[~] write it"), "{texts:?}");
    assert_eq!(records(&place, "todo_changed").len(), 1, "a list of which something is open is not begun anew");
    place.server.assert_prefixes_grow();
    place.server.assert_valid();
}

#[test]
fn a_second_file_begins_a_list_once_and_a_list_of_the_models_own_is_left_alone() {
    let place = Place::new(vec![write("a.txt"), write("b.txt"), write("c.txt"), Reply::say("ok")]);
    assert_eq!(place.run(&["run", "make them"]).code, Some(0));
    let texts = last(&place);
    let told = texts.iter().filter(|text| text.contains("You are changing a second file")).count();
    assert_eq!(told, 1, "{texts:#?}");
    assert!(texts[some(&texts, "second file")].contains("[~] make them"));
    assert_eq!(records(&place, "todo_changed").len(), 1);
    place.server.assert_prefixes_grow();
    let own = Reply::call("todo_write", json!({"todos": ["x", "y"]}));
    let place = Place::new(vec![own, write("a.txt"), write("b.txt"), Reply::say("ok")]);
    assert_eq!(place.run(&["run", "make them"]).code, Some(0));
    assert!(records(&place, "todo_changed").is_empty());
}

/// `/todo edit` in the line chat: the editor gets Markdown, and what it leaves is the list.
#[test]
fn the_list_goes_to_the_editor_and_back() {
    let list = Reply::call("todo_write", json!({"todos": ["walls", "roof"]}));
    let place = Place::new(vec![list, Reply::say("Answer one."), Reply::say("Answer two.")]);
    let editor = place
        .home
        .write("editor.sh", "#!/bin/sh\nsed -i 's/^\\[ \\] roof/[-] roof/' \"$1\"\necho '[ ] garden' >> \"$1\"\n");
    let mut pty = Pty::new(100, 30);
    let mut command = place.command(&[]);
    command.env("REASONIX_PLAIN", "1").env("EDITOR", format!("sh {}", editor.display()));
    let mut child = pty.spawn(command);
    pty.wait_for("the chat", |written| written.contains("> "));
    pty.keys("build\r");
    pty.wait_for("the answer", |written| written.contains("Answer one."));
    pty.keys("/todo edit\r");
    pty.wait_for("the list", |written| written.contains("[-] roof") && written.contains("[ ] garden"));
    pty.keys("go on\r");
    pty.wait_for("the answer", |written| written.contains("Answer two."));
    pty.keys("/quit\r");
    assert!(child.wait().unwrap().success());
    let texts = last(&place);
    assert!(texts.last().unwrap().contains("[~] walls\n[-] roof\n[ ] garden"), "{texts:?}");
    assert_eq!(records(&place, "todo_changed")[0]["by_user"], json!(true));
    place.server.assert_prefixes_grow();
}
