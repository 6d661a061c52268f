//! Every overlay in a real terminal, by keys: opened, used and closed. Needs tmux; with `REASONIX_E2E=1` a missing one is
//! a failure.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::json;
use support::Place;
use support::pane::{Pane, until};

/// What stands in the composer when nothing lies over it.
const IDLE: &str = "Ask anything";

/// Waits until the turn with this answer is over: while it runs, one key does not leave.
fn is_over(pane: &Pane, answer: &str) {
    let ended = || pane.screen().rsplit_once(answer).is_some_and(|(_, rest)| rest.contains(" out · "));
    until("the end of the turn", ended);
}

/// Types a line and sends it. Text and Enter come apart, as from a person.
fn say(pane: &Pane, line: &str) {
    pane.keys(&["-l", line]);
    pane.shows(line.split(' ').next().unwrap_or_default());
    pane.keys(&["Enter"]);
}

/// Closes what lies over the composer.
fn close(pane: &Pane, key: &str, title: &str) {
    pane.keys(&[key]);
    pane.shows(IDLE);
    pane.loses(title);
}

#[test]
fn lists_are_opened_and_closed() {
    let Some(pane) = Pane::open("100", "30") else { return };
    let place = Place::new(vec![Reply::say("the total is twelve"), Reply::say("on we go")]);
    pane.start(&place);
    say(&pane, "what is the total");
    pane.shows("the total is twelve");
    for (command, title, key) in [
        ("/model", "type to search", "Escape"),
        ("/tree", "Ctrl+O filter", "Escape"),
        ("/permissions", "Permission rules", "Escape"),
        ("/resume", "Sessions of this folder", "Escape"),
        ("/rewind", "Go back to before", "Escape"),
        ("/branch", "Go on from another place", "Escape"),
        ("/effort", "/effort", "Escape"),
        ("/mode", "/mode", "Escape"),
        ("/theme", "light-colourblind", "Escape"),
        ("/memory", "What is remembered", "Escape"),
        ("/history total", "Earlier sessions: total", "Escape"),
        ("/config", "Settings", "Escape"),
        ("/clear", "Give up this session?", "Escape"),
        ("/keys", "/ searches · q closes", "q"),
        ("/help", "/ searches · q closes", "q"),
        ("/transcript", "/ searches · q closes", "q"),
    ] {
        say(&pane, command);
        pane.shows(title);
        close(&pane, key, title);
    }
    say(&pane, "/queue");
    pane.shows("nothing is waiting");
    pane.keys(&["C-r"]);
    pane.shows("Earlier prompts");
    close(&pane, "Escape", "Earlier prompts");
    pane.keys(&["C-d"]);
    pane.shows("ended 0");
    place.assert_resumes();
}

#[test]
fn settings_are_changed_in_the_users_file() {
    let Some(pane) = Pane::open("100", "30") else { return };
    let place = Place::new(vec![]);
    let before = place.home.read("config.toml");
    place.work.write("reasonix.toml", "[compaction]\nprune = false\n");
    pane.start(&place);
    say(&pane, "/settings");
    pane.shows("default_model");
    pane.keys(&["-l", "tui.full"]);
    pane.loses("default_model");
    pane.keys(&["Enter"]);
    pane.shows("tui.full_screen is true from the next start on");
    assert!(place.home.read("config.toml").contains("[tui]\nfull_screen = true"), "{}", place.home.read("config.toml"));
    pane.keys(&["DC"]);
    pane.shows("is out of your settings file");
    assert!(!place.home.read("config.toml").contains("full_screen"));
    pane.keys(&["Escape"]);
    pane.shows("default_model");
    pane.keys(&["-l", "language"]);
    pane.loses("default_model");
    pane.keys(&["Enter"]);
    pane.shows("en");
    pane.keys(&["Down", "Enter"]);
    pane.shows("设置");
    pane.keys(&["Escape"]);
    pane.shows("default_model");
    pane.keys(&["-l", "compaction.prune"]);
    pane.loses("default_model");
    pane.keys(&["Enter"]);
    // What a project says outweighs the user's file, and that is said.
    pane.shows("优先");
    pane.keys(&["Escape", "Escape"]);
    pane.shows("输入问题");
    let after = place.home.read("config.toml");
    assert!(after.contains("language = \"zh\"") && after.contains("prune = true"), "{after}");
    assert!(before.lines().all(|line| after.contains(line)), "what was there stays:\n{after}");
    assert_eq!(
        place.work.read("reasonix.toml"),
        "[compaction]\nprune = false\n",
        "the project's file is never written"
    );
    pane.keys(&["C-d"]);
    pane.shows("ended 0");
}

#[test]
fn questions_and_plans_are_answered() {
    let Some(pane) = Pane::open("100", "30") else { return };
    let place = Place::new(vec![
        Reply::call(
            "ask",
            json!({"questions": [{"question": "Which shop?", "options": [{"label": "Bakery"}, {"label": "Butcher"}]}]}),
        ),
        Reply::say("The second, then."),
        Reply::call("submit_plan", json!({"plan": "# Sell bread\n\n1. Bake it\n"})),
        Reply::say("Planned and done."),
    ]);
    pane.start(&place);
    say(&pane, "ask me");
    pane.shows("Which shop?");
    pane.keys(&["2"]);
    pane.shows("The second, then.");
    assert!(place.server.requests()[1].last_content().contains("Butcher"));
    say(&pane, "/plan");
    pane.shows("plan mode");
    say(&pane, "sell bread");
    pane.shows("keep planning");
    pane.answer("y", "keep planning");
    pane.shows("plan approved");
    is_over(&pane, "Planned and done.");
    pane.keys(&["C-d"]);
    pane.shows("ended 0");
}

#[test]
fn what_a_turn_did_is_shown_taken_back_and_written_down() {
    let Some(pane) = Pane::open("100", "30") else { return };
    let place = Place::new(vec![
        Reply::call("write_file", json!({"path": "made.txt", "content": "one\n"})),
        Reply::say("Made it."),
    ]);
    pane.start(&place);
    say(&pane, "make it");
    pane.shows("Allow write_file?");
    pane.answer("y", "Allow write_file?");
    pane.shows("Made it.");
    say(&pane, "/diff");
    pane.shows("Turn 1: 1 file ");
    close(&pane, "q", "Turn 1: 1 file ");
    say(&pane, "/export talk.md");
    pane.shows("the conversation is in");
    assert!(place.work.read("talk.md").contains("Made it."));
    say(&pane, "/undo");
    pane.shows("did to 1 file?");
    assert!(place.work.exists("made.txt"));
    pane.keys(&["Enter"]);
    pane.loses("did to 1 file?");
    pane.shows(IDLE);
    until("the file is gone", || !place.work.exists("made.txt"));
    say(&pane, "/doctor");
    pane.shows("working folder");
    say(&pane, "/cwd");
    pane.shows("this session works in");
    say(&pane, "/cwd nowhere");
    pane.shows("cannot work in");
    say(&pane, "/trust");
    pane.shows("would be run by itself");
    pane.keys(&["C-d"]);
    pane.shows("ended 0");
}

#[test]
fn what_a_folder_would_execute_is_asked_about() {
    let Some(pane) = Pane::open("100", "30") else { return };
    let place = Place::new(vec![]);
    place.work.write(".mcp.json", r#"{"mcpServers": {"shop": {"command": "shop-server"}}}"#);
    pane.begin(&place);
    pane.shows("They are off until you trust them");
    pane.shows("shop-server");
    // Enter is pressed too easily: only a letter answers.
    pane.keys(&["Enter"]);
    pane.shows("They are off until you trust them");
    pane.insists("Escape", IDLE);
    say(&pane, "/trust");
    pane.shows("They are off until you trust them");
    pane.insists("n", IDLE);
    pane.keys(&["C-d"]);
    pane.shows("ended 0");
}

#[test]
fn the_first_run_sets_up_a_model_in_the_same_screen() {
    let Some(pane) = Pane::open("100", "30") else { return };
    // What the endpoint can do is asked before it is used; the rest is the conversation.
    let replies = (0..40).map(|_| Reply::say("ready to work")).collect();
    let place = Place::bare(ModelServer::start_blocking(replies));
    if !support::has_box() {
        place.home.write("config.toml", support::unboxed());
    }
    pane.begin(&place);
    pane.shows("Welcome to Reasonix");
    pane.keys(&["1"]);
    pane.shows("Another address");
    pane.keys(&["-l", "another"]);
    pane.loses("deepseek");
    pane.keys(&["Enter"]);
    pane.shows("The address of the endpoint");
    pane.keys(&["C-u"]);
    pane.keys(&["-l", &place.server.base_url()]);
    pane.keys(&["Enter"]);
    let asked = pane.shows("is now the default");
    assert!(!asked.contains("\nended"), "the screen was never left:\n{asked}");
    pane.shows(IDLE);
    say(&pane, "hello");
    is_over(&pane, "ready to work");
    assert!(place.home.read("config.toml").contains(&place.server.base_url()));
    pane.keys(&["C-d"]);
    pane.shows("ended 0");
}

#[test]
fn the_first_run_plays_the_demo_in_the_same_screen() {
    let Some(pane) = Pane::open("100", "50") else { return };
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    pane.begin(&place);
    pane.shows("Welcome to Reasonix");
    pane.keys(&["2"]);
    let screen = pane.shows("that was the demo");
    assert!(!screen.contains("\nended"), "{screen}");
    pane.shows("Welcome to Reasonix");
    pane.keys(&["Escape"]);
    pane.shows("ended 0");
}
