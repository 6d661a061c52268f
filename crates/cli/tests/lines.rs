//! The line chat: where the screen cannot be drawn on, every command of the table does what it does there, in lines.

use crate::support::{Place, binary};
use reasonix_testkit::{ModelServer, Pty, Reply};
use serde_json::json;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

/// What waits for a line that answers something.
const ASKS: [&str; 2] = ["answer> ", "yes or no> "];

/// A chat in lines, and what is typed into it.
struct Chat {
    pty: Pty,
    child: Child,
}

impl Chat {
    fn open(place: &Place, args: &[&str]) -> Self {
        let (pty, binary) = (Pty::new(100, 40), binary());
        // The terminal says of itself what it is; this one can do nothing but lines.
        let mut words = vec!["TERM=dumb", binary.to_str().unwrap()];
        words.extend(args);
        let child = pty.spawn(place.program(Path::new("/usr/bin/env"), &words));
        pty.wait_for("the first prompt", |written| written.ends_with("> "));
        Self { pty, child }
    }

    /// Types a line and waits until the next one is read; gives what was written in between.
    fn line(&mut self, typed: &str) -> String {
        let before = self.pty.written().len();
        self.pty.keys(&format!("{typed}\r"));
        let written = self.pty.wait_for(typed, |written| {
            // The line editor writes what is typed, and its own prompt before it.
            let new = written.get(before..).unwrap_or_default();
            new.split_once('\n').is_some_and(|(_, after)| after.ends_with("> "))
        });
        written.get(before..).unwrap_or_default().to_owned()
    }

    fn end(mut self) {
        self.pty.keys("\x04");
        self.child.wait().unwrap();
    }
}

fn place(replies: Vec<Reply>) -> Place {
    let place = Place::new(replies);
    place.configure("[permissions]\nmode = \"allow\"\n");
    place
}

#[test]
fn every_command_of_the_table_is_answered_in_lines() {
    let place = place(vec![]);
    let mut chat = Chat::open(&place, &[]);
    for command in reasonix_proto::builtin_commands() {
        if command.is("quit") {
            continue;
        }
        let mut said = chat.line(&format!("/{}", command.name));
        assert!(!said.contains("there is no command"), "{said}");
        let answer = said.split_once('\n').map(|(_, answer)| answer.trim()).unwrap_or_default();
        assert!(answer != ">", "{}: {said}", command.name);
        while ASKS.iter().any(|asks| said.ends_with(asks)) {
            said = chat.line("");
        }
    }
    assert!(chat.line("/hlep").contains("there is no command /hlep"));
    assert!(chat.line("/help").contains("/redo"));
    chat.pty.keys("/quit\r");
    chat.child.wait().unwrap();
}

/// A command of the user's own shows what it printed and how it ended, as on the screen.
#[test]
fn what_the_users_own_commands_print_is_seen_in_lines() {
    let place = place(vec![]);
    let mut chat = Chat::open(&place, &[]);
    assert!(chat.line("!echo one-$((1+1))").contains("one-2"));
    assert!(chat.line("!exit 3").contains("exit code 3"));
    chat.end();
}

#[test]
fn another_agent_goes_on_in_lines() {
    let place = place(vec![Reply::call("write_file", json!({"path": "a", "content": "1"})), Reply::say("looked")]);
    place.home.write("agents/reviewer.md", "You review.");
    let mut chat = Chat::open(&place, &[]);
    let listed = chat.line("/agent");
    assert!(listed.contains("explore") && listed.contains("reviewer") && listed.ends_with("answer> "), "{listed}");
    chat.line("");
    let said = chat.line("/agent explore");
    assert!(said.contains("the agent is now explore"), "{said}");
    chat.line("make it");
    assert!(!place.work.exists("a"));
    assert!(chat.line("/agent nosuch").contains("there is no agent nosuch"));
    assert!(chat.line("/agent plan").contains("plan mode is on"));
    chat.end();
}

/// A line that comes after the time for an answer is one like any other, and the other questions are over too.
#[test]
fn a_line_behind_a_question_that_is_over_is_a_prompt() {
    let questions = json!({"questions": [{"question": "Which?", "options": ["A", "B"]}, {"question": "And why?"}]});
    let place = Place::new(vec![Reply::call("ask", questions), Reply::say("assumed"), Reply::say("heard")]);
    place.configure("[permissions]\nmode = \"allow\"\n[ask]\ntimeout = 1\n");
    let mut chat = Chat::open(&place, &[]);
    assert!(chat.line("go").ends_with("answer> "));
    let until = Instant::now() + Duration::from_secs(60);
    while place.server.requests().len() < 2 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    let said = chat.line("use B, it is faster");
    assert!(said.contains("the question was over") && !said.contains("And why?"), "{said}");
    assert!(!said.contains("already answered"), "{said}");
    chat.pty.wait_for("the answer to it", |written| written.contains("heard"));
    assert!(place.server.requests().last().unwrap().last_content().contains("use B, it is faster"));
    chat.end();
    place.server.assert_valid();
}

#[test]
fn what_a_turn_did_is_taken_back_and_brought_again_in_lines() {
    let place = place(vec![
        Reply::call("write_file", json!({"path": "one.txt", "content": "1"})),
        Reply::say("made"),
        Reply::say("planned"),
    ]);
    let mut chat = Chat::open(&place, &[]);
    assert!(chat.line("make it").contains("made"));
    assert!(place.work.exists("one.txt"));
    let asked = chat.line("/undo");
    assert!(asked.contains("one.txt") && asked.ends_with("yes or no> "), "{asked}");
    assert!(chat.line("n").ends_with("> ") && place.work.exists("one.txt"), "a no leaves it");
    chat.line("/undo");
    assert!(chat.line("y").contains("as they were before turn 1"));
    assert!(!place.work.exists("one.txt"));
    chat.line("/redo");
    assert!(place.work.exists("one.txt"), "{}", chat.pty.written());
    assert!(chat.line("/diff").contains("created one.txt"));
    // A task behind it is planned: nothing of it may change anything.
    let said = chat.line("/plan add two");
    assert!(said.contains("plan mode is on") && said.contains("planned"), "{said}");
    assert!(place.server.requests().last().unwrap().last_content().contains("add two"));
    assert!(chat.line("/mode auto").contains("plan mode is off"));
    chat.end();
    place.server.assert_valid();
}

#[test]
fn the_conversation_is_folded_rewound_and_counted_in_lines() {
    let server = ModelServer::start_with(|request| {
        let folds = request.last_content().contains("The context is nearly full");
        Some(Reply::say(if folds { "NOTES: half" } else { "Answer." }).with_usage(900, 10, 800))
    });
    let place = Place::with_server(server);
    let mut chat = Chat::open(&place, &[]);
    for prompt in ["the port is 4711", "second", "third"] {
        assert!(chat.line(prompt).contains("Answer."));
    }
    let parts = chat.line("/context");
    assert!(parts.contains("100000 tokens") && parts.contains("910"), "{parts}");
    assert!(chat.line("/status").contains("mock/m1"));
    assert!(chat.line("/cache").contains('%'));
    let turns = chat.line("/rewind");
    assert!(turns.contains("third") && turns.ends_with("answer> "), "{turns}");
    assert!(chat.line("3").contains("before turn 3"));
    assert!(chat.line("1").contains("third"), "the prompt comes back");
    assert!(chat.line("/compact keep all ports").contains("folded"));
    assert!(place.server.requests().last().unwrap().last_content().contains("keep all ports"));
    chat.line("and now?");
    let sent = place.server.requests().last().unwrap().body["messages"].to_string();
    assert!(sent.contains("NOTES: half") && sent.contains("and now?") && !sent.contains("third"), "{sent}");
    chat.end();
    place.server.assert_valid();
}

#[test]
fn the_context_is_shown_with_its_limit_and_its_share() {
    let place = place(vec![Reply::say("hello").with_usage(4_000, 20, 0)]);
    let mut chat = Chat::open(&place, &[]);
    chat.line("hi");
    let shown = chat.line("/context");
    let window = shown.lines().find(|line| line.contains("window: ")).unwrap_or_else(|| panic!("{shown}"));
    assert!(window.contains(" tokens, ") && window.contains("% in use"), "{window}");
    assert!(shown.contains("4020") || shown.contains("4,020"), "{shown}");
    chat.end();
}

#[test]
fn models_and_sessions_are_changed_in_lines() {
    let place = place(vec![Reply::say("noted"), Reply::say("hello"), Reply::say("again"), Reply::say("4711")]);
    let more = format!(
        "[[providers]]\nname = \"other\"\nkind = \"openai\"\nbase_url = \"{}\"\nmodel = \"m2\"\napi_key_env = \"MOCK_KEY\"\n",
        place.server.base_url()
    );
    place.configure(&more);
    assert_eq!(place.run(&["run", "the port is 4711"]).code, Some(0));
    let earlier = place.logs()[0].file_stem().unwrap().to_str().unwrap().to_owned();
    let mut chat = Chat::open(&place, &[]);
    assert!(chat.line("/models other/m2").contains("the model is now other/m2"));
    chat.line("/mode auto");
    chat.line("hi");
    assert_eq!(place.server.requests().last().unwrap().body["model"], "m2");
    assert!(chat.line("/new").contains("the new session asks again before changes; the one before was in auto"));
    assert!(!chat.line("/new").contains("asks again"), "it asked already");
    chat.line("once more");
    assert_eq!(place.server.requests().last().unwrap().body["model"], "m2", "a new session goes on with the model");
    let list = chat.line("/model");
    assert!(list.contains("other/m2") && list.ends_with("answer> "), "{list}");
    assert!(chat.line("1").contains("the model is now mock/m1"));
    assert!(chat.line(&format!("/resume {earlier}")).contains("mock/m1"));
    chat.line("which port?");
    let sent = place.server.requests().last().unwrap().body["messages"].to_string();
    assert!(sent.contains("the port is 4711") && sent.contains("which port?") && !sent.contains("hi\""), "{sent}");
    assert!(chat.line("/resume nowhere").contains("nowhere"), "whoever cannot go elsewhere stays");
    assert!(chat.line("/status").contains(&earlier));
    chat.end();
    place.server.assert_valid();
}

/// A screen reader reads what is written as it comes: whole lines, none of them written over.
#[test]
fn an_answer_comes_line_by_line_where_lines_are_all_there_is() {
    let replies = vec![
        Reply::call("ls", json!({ "path": "." })).after_saying("I will look."),
        Reply::call("ls", json!({ "path": ".." })).after_saying("First here.\nThen there.\n"),
        Reply::hang_mid_stream("The first line.\nThe second line.\nThe third is not ov"),
    ];
    let place = place(replies);
    let mut chat = Chat::open(&place, &[]);
    let before = chat.pty.written().len();
    chat.pty.keys("go\r");
    let written = chat.pty.wait_for("the lines that are over", |written| written.contains("The second line.\r\n"));
    let written = written.get(before..).unwrap_or_default();
    assert!(!written.contains("The third"), "half a line is not read out: {written}");
    let plan = written.find("PLAN").unwrap_or(usize::MAX);
    assert!(plan < written.find("I will look.").unwrap_or(0), "a line alone is told for what it is: {written}");
    let then = written.find("Then there.").unwrap_or(usize::MAX);
    assert!(written.get(then..).is_some_and(|after| after.contains("(PLAN)")), "{written}");
    let shown = written.split_once('\n').map_or("", |(_, shown)| shown);
    assert!(!shown.contains("\u{1b}["), "nothing is written over: {shown:?}");
    let interrupted = std::process::Command::new("kill").args(["-INT", &chat.child.id().to_string()]).status();
    assert!(interrupted.is_ok_and(|status| status.success()));
    chat.pty.wait_for("the rest of what had come", |written| written.contains("The third is not ov"));
    chat.end();
}

#[test]
fn who_stands_in_the_way_of_a_cleaning_is_named() {
    let place = place(vec![Reply::call("bash", json!({ "command": "echo x > made" })), Reply::say("done")]);
    let mut chat = Chat::open(&place, &[]);
    chat.line("make it");
    let id = place.logs()[0].file_stem().unwrap().to_str().unwrap().to_owned();
    let gc = place.run(&["store", "gc"]);
    let short = reasonix_proto::SessionId::from(id.as_str()).short().to_owned();
    assert_eq!(gc.code, Some(1), "{}", gc.err);
    assert!(gc.err.contains(&format!("{short} ({})", chat.child.id())), "{}", gc.err);
    chat.end();
    assert_eq!(place.run(&["store", "gc"]).code, Some(0));
}

/// While a line is waited for everything else goes on: jobs have their limits, and end.
#[test]
fn jobs_go_on_and_end_while_a_line_is_waited_for() {
    let ends = json!({"command": "echo begun; sleep 1000", "background": true, "timeout_seconds": 1});
    let place = place(vec![Reply::call("bash", ends), Reply::say("It runs.")]);
    let mut chat = Chat::open(&place, &[]);
    assert!(chat.line("go").contains("It runs."));
    let log = place.logs().pop().unwrap();
    crate::support::pane::until("the end of the job", || {
        std::fs::read_to_string(&log).is_ok_and(|text| text.contains("job_ended"))
    });
    chat.end();
}

/// Of a word that is no number of a list nothing is left but that it was one.
#[test]
fn what_is_no_number_of_a_list_is_named() {
    let place = place(vec![]);
    let mut chat = Chat::open(&place, &[]);
    let list = chat.line("/model");
    assert!(list.ends_with("answer> "), "{list}");
    let told = chat.line("/compact");
    assert!(told.contains("/compact is no number of the list; nothing was chosen"), "{told}");
    chat.line("/model");
    let empty = chat.line("");
    assert!(!empty.contains("no number"), "{empty}");
    chat.end();
    // The list of sessions says what its columns are, to a person.
    let place = self::place(vec![Reply::say("ok")]);
    assert_eq!(place.run(&["run", "hello"]).code, Some(0));
    assert!(!place.run(&["sessions"]).out.contains("last used"), "a program reads lines");
    let pty = Pty::new(100, 40);
    let mut child = pty.spawn(place.program(&binary(), &["sessions"]));
    pty.wait_for("the list", |written| written.contains("hello"));
    assert!(pty.written().contains("session    last used  turns  ended"), "{}", pty.written());
    child.wait().unwrap();
}
