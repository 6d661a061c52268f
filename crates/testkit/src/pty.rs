//! A terminal that a program runs in: keys go in, what it writes is collected, and its modes can be looked at.

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, Termios, Winsize, tcgetattr, tcsetattr, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A wait that takes longer than this is a failure.
const PATIENCE: Duration = Duration::from_secs(60);

/// The terminal.
pub struct Pty {
    keys: File,
    side: OwnedFd,
    written: Arc<(Mutex<Vec<u8>>, Condvar)>,
}

impl Pty {
    /// A terminal of so many columns and rows. It answers when it is asked whether it has drawn.
    pub fn new(columns: u16, rows: u16) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).expect("a terminal");
        grantpt(&master).expect("a terminal of ours");
        unlockpt(&master).expect("an open terminal");
        let name = ptsname(&master, Vec::new()).expect("a name");
        let side = open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).expect("its other side");
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&side, size).expect("a size");
        // A shell gives a terminal with echo and line editing; it must come back like that.
        let keys = File::from(master);
        let written: Arc<(Mutex<Vec<u8>>, Condvar)> = Arc::default();
        collect(keys.try_clone().expect("a second hand"), Arc::clone(&written));
        Self { keys, side, written }
    }

    /// Runs a program in it.
    pub fn spawn(&self, mut command: Command) -> Child {
        let end = || Stdio::from(self.side.try_clone().expect("a hand for the program"));
        command.stdin(end()).stdout(end()).stderr(end()).env("TERM", "xterm-256color");
        command.spawn().expect("the program starts")
    }

    /// Types.
    pub fn keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("keys are taken");
    }

    /// How the terminal treats keys now.
    pub fn modes(&self) -> Termios {
        tcgetattr(self.side.as_fd()).expect("modes")
    }

    /// Treats them like this.
    pub fn set_modes(&self, modes: &Termios) {
        tcsetattr(self.side.as_fd(), OptionalActions::Now, modes).expect("modes");
    }

    /// All that was written so far.
    pub fn written(&self) -> String {
        String::from_utf8_lossy(&self.written.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    /// Waits until what was written fits.
    pub fn wait_for(&self, what: &str, fits: impl Fn(&str) -> bool) -> String {
        let mut bytes = self.written.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if fits(&text) {
                return text;
            }
            let (next, late) = self.written.1.wait_timeout(bytes, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            assert!(!late.timed_out(), "{what} never came; written so far: {text:?}");
            bytes = next;
        }
    }
}

fn collect(mut from: File, written: Arc<(Mutex<Vec<u8>>, Condvar)>) {
    let mut answers = from.try_clone().expect("a hand for answers");
    std::thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(count) = from.read(&mut piece) {
            let new = piece.get(..count).unwrap_or_default();
            if new.windows(4).any(|window| window == b"\x1b[5n") {
                let _ = answers.write_all(b"\x1b[0n");
            }
            written.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(new);
            written.1.notify_all();
        }
    });
}
