//! A panic says what it says on a terminal that can show it.

use reasonix_testkit::Pty;
use reasonix_tui::{HostNews, Look, ScreenOptions};
use std::process::Command;

/// Says to the program below that it is the one to panic.
const CHILD: &str = "REASONIX_TEST_PANICS";

#[test]
fn a_panic_gives_the_terminal_back_before_it_speaks() {
    if std::env::var_os(CHILD).is_some() {
        return panics();
    }
    let pty = Pty::new(80, 24);
    let before = format!("{:?}", pty.modes());
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "--nocapture", "restore::a_panic_gives_the_terminal_back_before_it_speaks"])
        .env(CHILD, "1");
    let mut child = pty.spawn(command);
    assert!(!child.wait().unwrap().success());
    let written = pty.wait_for("the panic", |written| written.contains("on purpose"));
    assert!(written.contains("\x1b[?2004h"), "the terminal was taken: {written:?}");
    assert!(written.find("\x1b[?2004l") < written.find("on purpose"), "{written:?}");
    assert_eq!(format!("{:?}", pty.modes()), before);
}

/// The front end, whose engine fails in the worst way.
fn panics() {
    let (post, inbox) = reasonix_tui::channel();
    post.tell(HostNews::Ready);
    let options = ScreenOptions {
        look: Look::default(),
        dark: true,
        theme: None,
        themes: Box::new(|_| None),
        own_themes: Vec::new(),
        notify: reasonix_tui::Notify::default(),
        keys: None,
        status: Vec::new(),
        state: None,
        folder: "/".into(),
        home: String::new(),
        full: false,
        mouse: false,
        vim: false,
        reflows: true,
        clipboard: None,
        edit: Box::new(|_| None),
        leave: || {},
    };
    let _ = reasonix_tui::run(options, post, inbox, |_| panic!("on purpose"));
}
