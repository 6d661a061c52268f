//! What cannot be done is said, and the chat goes on as it was. Needs tmux; with `REASONIX_E2E=1` a missing one is a
//! failure.

use crate::support;

use reasonix_testkit::Reply;
use support::Place;
use support::pane::{Pane, tmux};

/// Types a line and sends it. Text and Enter come apart, as from a person.
fn say(pane: &Pane, line: &str) {
    pane.keys(&["-l", line]);
    pane.shows(line.split(' ').next().unwrap_or_default());
    pane.keys(&["Enter"]);
}

#[test]
fn a_session_that_cannot_be_opened_is_said_and_this_one_goes_on() {
    let Some(pane) = Pane::open("110", "40") else { return };
    let place = Place::new(vec![Reply::say("one is here"), Reply::say("two is here"), Reply::say("three is here")]);
    pane.start(&place);
    say(&pane, "/fork");
    pane.shows("there is nothing to copy yet");
    say(&pane, "/resume zzzz");
    pane.shows("there is no session zzzz");
    say(&pane, "the first prompt");
    pane.shows("one is here");
    let Some(other) = Pane::open("110", "40") else { return };
    other.start(&place);
    say(&other, "of another process");
    other.shows("two is here");
    let listed = place.run(&["sessions"]).out;
    let id_of = |title: &str| {
        let line = listed.lines().find(|line| line.contains(title)).expect(title);
        line.split_whitespace().find(|word| word.len() >= 8 && word.chars().all(|c| c.is_ascii_hexdigit())).unwrap()
    };
    say(&pane, &format!("/resume {}", id_of("of another process")));
    pane.shows("is in use by process");
    say(&pane, &format!("/resume {}", id_of("the first prompt")));
    pane.shows("this is the session you are in");
    say(&pane, "/new");
    pane.shows("another session begins here");
    pane.loses("one is here ");
    say(&pane, "/fork");
    pane.shows("there is nothing to copy yet");
    say(&pane, "and so on");
    pane.shows("three is here");
    pane.keys(&["C-d"]);
    pane.shows("ended 0");
}

#[test]
fn what_streams_stands_once_in_the_scrollback_however_the_window_changes() {
    let Some(pane) = Pane::open("80", "24") else { return };
    let line = |n: usize| format!("- item{n:03} with some more words that fill up the row until it is nearly full\n");
    let text: String = (1..=120).map(line).collect();
    let place = Place::new(vec![Reply::hang_mid_stream(&text)]);
    pane.start(&place);
    say(&pane, "count");
    pane.shows("item118");
    pane.resize("60", "24");
    pane.shows("item118");
    pane.keys(&["Escape"]);
    pane.shows("item120");
    pane.shows("Ask anything");
    let all = tmux(&pane.socket, &["capture-pane", "-p", "-S", "-", "-t", "t"]);
    let twice: Vec<usize> = (1..=120).filter(|n| all.matches(&format!("item{n:03}")).count() != 1).collect();
    assert!(twice.is_empty(), "{twice:?}\n{all}");
}
