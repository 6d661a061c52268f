//! The thread that waits for the terminal to send something. It can be held, so that another program has the terminal.

use crate::frame::{Input, Parser};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, Sender, channel};

/// How long the rest of a sequence may take; after that a lone Esc is the key.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 25_000_000 };

/// What one read gave: keys that come together were not pressed one by one.
pub type Batch = Vec<Input>;

/// Holds the reader and lets it go on.
#[derive(Debug)]
pub struct Reader {
    wake: OwnedFd,
    held: Receiver<()>,
    go: Sender<()>,
}

impl Reader {
    /// Starts to read; every batch goes to `give`, until it says that nobody listens. An empty one means that the terminal
    /// is gone.
    pub fn start(give: impl FnMut(Batch) -> bool + Send + 'static) -> io::Result<Self> {
        let (woken, wake) = rustix::pipe::pipe()?;
        let (tell, held) = channel();
        let (go, wait) = channel();
        let body = Body { woken, tell, wait };
        std::thread::Builder::new().name("keys".to_owned()).spawn(move || body.read(give))?;
        Ok(Self { wake, held, go })
    }

    /// Runs something that has the terminal to itself.
    pub fn without<T>(&self, run: impl FnOnce() -> T) -> T {
        let holds = rustix::io::write(&self.wake, b"h").is_ok() && self.held.recv().is_ok();
        let value = run();
        if holds {
            let _ = self.go.send(());
        }
        value
    }
}

struct Body {
    woken: OwnedFd,
    tell: Sender<()>,
    wait: Receiver<()>,
}

impl Body {
    fn read(self, mut give: impl FnMut(Batch) -> bool) {
        let mut parser = Parser::default();
        let mut bytes = [0u8; 8192];
        let terminal = io::stdin();
        loop {
            let mut waiting = [PollFd::new(&terminal, PollFlags::IN), PollFd::new(&self.woken, PollFlags::IN)];
            let patience = parser.waits().then_some(&PATIENCE);
            let inputs = match poll(&mut waiting, patience) {
                Ok(0) => parser.flush(),
                Ok(_) if waiting.get(1).is_some_and(|pipe| !pipe.revents().is_empty()) => {
                    let mut byte = [0u8; 1];
                    let _ = rustix::io::read(&self.woken, &mut byte);
                    if self.tell.send(()).is_err() || self.wait.recv().is_err() {
                        return;
                    }
                    continue;
                }
                Ok(_) => match rustix::io::read(&terminal, &mut bytes) {
                    Ok(0) => {
                        give(Batch::new());
                        return;
                    }
                    Ok(count) => parser.feed(bytes.get(..count).unwrap_or_default()),
                    Err(Errno::INTR | Errno::AGAIN) => continue,
                    Err(_) => {
                        give(Batch::new());
                        return;
                    }
                },
                Err(Errno::INTR) => continue,
                Err(_) => return,
            };
            if !inputs.is_empty() && !give(inputs) {
                return;
            }
        }
    }
}
