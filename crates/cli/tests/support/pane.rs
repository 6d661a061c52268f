//! The binary in a real terminal, driven by keys.

use super::{Place, binary, everything_required};
use reasonix_testkit::TempWorkspace;
use std::process::Command;
use std::time::{Duration, Instant};

pub fn tmux(socket: &TempWorkspace, args: &[&str]) -> String {
    let output = Command::new("tmux").arg("-S").arg(socket.join("tmux")).args(args).output().expect("tmux");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn screen_with(socket: &TempWorkspace, wanted: &str) -> String {
    let started = Instant::now();
    loop {
        let screen = tmux(socket, &["capture-pane", "-p", "-t", "t"]);
        if screen.contains(wanted) {
            return screen;
        }
        assert!(started.elapsed() < Duration::from_secs(90), "{wanted:?} never came:\n{screen}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Waits until something outside of the terminal is so.
pub fn until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(90), "{what} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A shell in a real terminal, with a session's server, folder and home.
pub struct Pane {
    pub socket: TempWorkspace,
}

impl Pane {
    /// None where there is no tmux and none is required.
    pub fn open(width: &str, height: &str) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(!everything_required(), "REASONIX_E2E=1 needs tmux");
            return None;
        }
        let socket = TempWorkspace::new();
        tmux(&socket, &["new-session", "-d", "-s", "t", "-x", width, "-y", height, "bash --norc"]);
        Some(Self { socket })
    }

    pub fn start(&self, place: &Place) {
        self.begin(place);
        self.shows("Ask anything");
    }

    pub fn begin(&self, place: &Place) {
        let line = format!(
            "cd {} && env -i PATH=\"$PATH\" TERM=xterm-256color LANG=C.UTF-8 HOME={home} REASONIX_HOME={home} MOCK_KEY=k {}; echo ended $?",
            place.work.path().display(),
            binary().display(),
            home = place.home.path().display(),
        );
        self.keys(&[&line, "Enter"]);
    }

    pub fn keys(&self, keys: &[&str]) {
        let mut args = vec!["send-keys", "-t", "t"];
        args.extend(keys);
        tmux(&self.socket, &args);
    }

    /// Presses a key, and again where the screen asks for that, until it shows this: one that comes beside another, as it does
    /// when the machine is busy, answers no question.
    pub fn insists(&self, key: &str, wanted: &str) -> String {
        let (started, mut pressed) = (Instant::now(), Instant::now());
        self.keys(&[key]);
        loop {
            let screen = self.screen();
            if screen.contains(wanted) {
                return screen;
            }
            if screen.contains("press it again") && pressed.elapsed() > Duration::from_secs(2) {
                self.keys(&[key]);
                pressed = Instant::now();
            }
            assert!(started.elapsed() < Duration::from_secs(90), "{wanted:?} never came:\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub fn shows(&self, wanted: &str) -> String {
        screen_with(&self.socket, wanted)
    }

    /// What is on the screen now.
    pub fn screen(&self) -> String {
        tmux(&self.socket, &["capture-pane", "-p", "-t", "t"])
    }

    /// Waits until something is gone from the screen.
    pub fn loses(&self, unwanted: &str) -> String {
        let started = Instant::now();
        loop {
            let screen = self.screen();
            if !screen.contains(unwanted) {
                return screen;
            }
            assert!(started.elapsed() < Duration::from_secs(90), "{unwanted:?} never went:\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Presses a key at a question until it is taken: one that comes early, or close behind another, is not.
    pub fn answer(&self, key: &str, question: &str) {
        let started = Instant::now();
        while self.screen().contains(question) {
            assert!(started.elapsed() < Duration::from_secs(90), "{question:?} is not answered:\n{}", self.screen());
            self.keys(&[key]);
            let pressed = Instant::now();
            while self.screen().contains(question) && pressed.elapsed() < Duration::from_millis(1200) {
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }

    pub fn resize(&self, width: &str, height: &str) {
        tmux(&self.socket, &["resize-window", "-t", "t", "-x", width, "-y", height]);
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        tmux(&self.socket, &["kill-server"]);
    }
}
