//! Taking the terminal over and giving it back as it was: at the end, at a stop, after a panic and at a signal.

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Which of the terminal's modes are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Modes {
    /// Wheel and buttons; selecting with the mouse then needs Shift.
    pub mouse: bool,
    /// Ask for the colour of the background.
    pub colours: bool,
}

/// What was there before, while the terminal is ours.
static BEFORE: Mutex<Option<(Termios, Modes)>> = Mutex::new(None);

/// True while the other screen buffer is shown.
static FULL: AtomicBool = AtomicBool::new(false);

/// The terminal, taken over. Dropping it gives it back.
#[derive(Debug)]
pub struct Terminal {
    modes: Modes,
}

impl Terminal {
    /// Takes the terminal over: no echo, no line editing, keys as they are pressed.
    pub fn take(modes: Modes) -> io::Result<Self> {
        let terminal = Self { modes };
        terminal.retake()?;
        Ok(terminal)
    }

    /// Takes it over again after it was given back for a while.
    pub fn retake(&self) -> io::Result<()> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        if let Ok(mut saved) = BEFORE.lock() {
            *saved = Some((before, self.modes));
        }
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        write_all(self.opening().as_bytes())
    }

    /// Bracketed paste, focus, unambiguous keys, no wrapping by the terminal.
    fn opening(&self) -> String {
        let mut out = String::from("\x1b[22;2t\x1b[?2004h\x1b[?1004h\x1b[>1u\x1b[?7l");
        if self.modes.mouse {
            out.push_str("\x1b[?1000h\x1b[?1006h");
        }
        if self.modes.colours {
            out.push_str("\x1b]11;?\x1b\\");
        }
        out
    }

    /// The modes it was taken with.
    pub fn modes(&self) -> Modes {
        self.modes
    }

    /// The sequence that shows the other screen buffer, or this one again.
    pub fn buffer(other: bool) -> &'static str {
        FULL.store(other, Ordering::Relaxed);
        if other { "\x1b[?1049h" } else { "\x1b[?1049l" }
    }

    /// Columns and rows.
    pub fn size() -> (u16, u16) {
        let size = tcgetwinsize(io::stdout()).or_else(|_| tcgetwinsize(io::stdin()));
        match size {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
            _ => (80, 24),
        }
    }

    /// Writes a frame; the terminal shows it whole or not at all.
    pub fn frame(&self, body: &str) -> io::Result<()> {
        write_all(format!("\x1b[?2026h{body}\x1b[?2026l").as_bytes())
    }

    /// Writes as it is.
    pub fn write(&self, text: &str) -> io::Result<()> {
        write_all(text.as_bytes())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back; does nothing when it is not ours. For the end, for a panic and for a signal.
pub fn restore() {
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some((termios, modes)) = before {
        let mut out = String::from("\x1b[?2026l\x1b[m\x1b[?7h\x1b[<u\x1b[?1004l\x1b[?2004l\x1b[?25h\x1b[23;2t");
        if modes.mouse {
            out.push_str("\x1b[?1006l\x1b[?1000l");
        }
        if FULL.swap(false, Ordering::Relaxed) {
            out.push_str("\x1b[?1049l");
        }
        let _ = write_all(out.as_bytes());
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &termios);
    }
}

/// Straight to the terminal, in as few writes as it takes; what it does not take at once is offered again.
fn write_all(mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(io::stdout(), bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => std::thread::sleep(std::time::Duration::from_millis(1)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
