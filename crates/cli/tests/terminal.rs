//! The terminal as the program leaves it: at the end, at a stop and at every signal that can be heard.

use crate::support;

use reasonix_testkit::{Pty, Reply};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::process::Child;
use support::Place;

/// What switches each mode on, and what switches it off again.
const MODES: &[(&str, &str)] = &[
    ("\x1b[?2004h", "\x1b[?2004l"),
    ("\x1b[?1004h", "\x1b[?1004l"),
    ("\x1b[>1u", "\x1b[<u"),
    ("\x1b[?7l", "\x1b[?7h"),
    ("\x1b[22;2t", "\x1b[23;2t"),
    ("\x1b[?2026h", "\x1b[?2026l"),
];

/// True when everything that was switched on is off.
fn is_given_back(written: &str) -> bool {
    let hidden = written.rfind("\x1b[?25l").is_none_or(|hidden| written.rfind("\x1b[?25h") > Some(hidden));
    hidden && MODES.iter().all(|(on, off)| written.rfind(on) < written.rfind(off))
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

fn open(place: &Place) -> (Pty, Child, rustix::termios::Termios) {
    let pty = Pty::new(80, 24);
    let before = pty.modes();
    let child = pty.spawn(place.command(&[]));
    pty.wait_for("the composer", |written| written.contains("Ask anything") || written.contains("mock/m1"));
    assert_ne!(format!("{:?}", pty.modes()), format!("{before:?}"), "keys come as they are pressed");
    (pty, child, before)
}

#[test]
fn every_end_gives_the_terminal_back() {
    for end in ["TERM", "HUP", "INT", "keys"] {
        let place = Place::new(vec![]);
        let (mut pty, mut child, before) = open(&place);
        match end {
            "TERM" => kill_process(pid(&child), Signal::TERM).unwrap(),
            "HUP" => kill_process(pid(&child), Signal::HUP).unwrap(),
            "INT" => kill_process(pid(&child), Signal::INT).unwrap(),
            _ => pty.keys("\x04"),
        }
        child.wait().unwrap();
        pty.wait_for(end, is_given_back);
        assert_eq!(format!("{:?}", pty.modes()), format!("{before:?}"), "{end}");
    }
}

#[test]
fn a_stop_gives_it_back_and_going_on_takes_it_again() {
    let place = Place::new(vec![Reply::say("hello")]);
    let (mut pty, mut child, before) = open(&place);
    let ours = format!("{:?}", pty.modes());
    for by_signal in [false, true] {
        match by_signal {
            false => pty.keys("\x1a"),
            true => kill_process(pid(&child), Signal::TSTP).unwrap(),
        }
        let (_, status) = waitpid(Some(pid(&child)), WaitOptions::UNTRACED).unwrap().unwrap();
        assert!(status.stopped());
        let stopped = pty.wait_for("the terminal back", is_given_back);
        assert_eq!(format!("{:?}", pty.modes()), format!("{before:?}"));
        kill_process(pid(&child), Signal::CONT).unwrap();
        pty.wait_for("the modes again", |written| {
            written.len() > stopped.len()
                && !is_given_back(written)
                && written.rfind("Ask anything") > Some(stopped.len())
        });
        assert_eq!(format!("{:?}", pty.modes()), ours);
    }
    pty.keys("\x04");
    assert!(child.wait().unwrap().success());
    assert_eq!(format!("{:?}", pty.modes()), format!("{before:?}"));
}

/// While a line is read nothing else runs: what a command asked for is done, and said, before the next line is read.
#[test]
fn a_command_of_the_line_chat_is_done_before_the_next_line() {
    let place = Place::new(vec![]);
    let mut pty = Pty::new(100, 24);
    let mut command = place.command(&[]);
    command.env("REASONIX_PLAIN", "1");
    let mut child = pty.spawn(command);
    pty.wait_for("the first prompt", |written| written.contains("> "));
    for (typed, wanted) in [
        ("/plan\r", "plan mode is on"),
        ("/plan\r", "plan mode is off"),
        ("/plan\r", "plan mode is on"),
        ("/pro\r", "no larger model"),
    ] {
        let before = pty.written().len();
        pty.keys(typed);
        // What is typed before the next line is read may be lost: the prompt comes last.
        pty.wait_for(wanted, |written| {
            let said = written.get(before..).and_then(|new| new.split_once(wanted));
            said.is_some_and(|(_, after)| after.contains("> "))
        });
    }
    pty.keys("\x04");
    child.wait().unwrap();
}

#[test]
fn a_chat_begins_with_what_the_command_line_says() {
    for plain in ["", "1"] {
        let place = Place::new(vec![Reply::say("a roof is a roof"), Reply::say("yes")]);
        let mut pty = Pty::new(100, 24);
        let mut command = place.command(&["mend the roof"]);
        command.env("REASONIX_PLAIN", plain);
        let mut child = pty.spawn(command);
        // Behind the answer, where the turn is over: while it runs, one key does not leave.
        pty.wait_for("the end of the turn", |written| {
            let after = written.split_once("a roof is a roof").map(|(_, after)| after);
            after.is_some_and(|after| after.contains("> ") || after.contains(" out · "))
        });
        pty.keys("\x04");
        child.wait().unwrap();
        let said = place.server.requests()[0].body["messages"].to_string();
        assert!(said.contains("mend the roof"), "{said}");
    }
}

#[test]
fn resume_without_an_id_is_chosen_on_the_screen() {
    let place = Place::new(vec![Reply::say("hello"), Reply::say("again")]);
    place.run(&["run", "mend the roof"]);
    let mut pty = Pty::new(100, 24);
    let mut child = pty.spawn(place.command(&["--resume"]));
    pty.wait_for("the list", |written| written.contains("mend the roof"));
    pty.keys("\r");
    pty.wait_for("the session", |written| written.contains("hello"));
    pty.keys("\x04");
    child.wait().unwrap();
}
