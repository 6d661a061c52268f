//! SIGINT and SIGTERM, heard on a thread of their own: also while the main thread waits for a terminal, or for a reader
//! that does not read.

use crate::exit::Exit;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// How long the main thread may take to leave by itself after the second interrupt.
const PATIENCE: Duration = Duration::from_millis(500);

/// What a shell shows for a process that SIGTERM ended.
const TERMINATED: i32 = 143;

/// Whether something runs that an interrupt stops, or a person sits at a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Both signals stop the turn; the second one ends the process.
    Run,
    /// SIGINT stops the turn, SIGTERM ends the chat.
    Chat,
}

/// The receiving side.
pub(crate) struct Interrupts {
    heard: mpsc::UnboundedReceiver<()>,
    count: Arc<AtomicU32>,
}

impl Interrupts {
    /// Listens from now on.
    pub(crate) fn listen(manner: Manner) -> io::Result<Self> {
        let (tell, heard) = mpsc::unbounded_channel();
        let count = Arc::new(AtomicU32::new(0));
        let ear = Ear { tell, count: Arc::clone(&count), manner, screen: tcgetattr(io::stdin()).ok() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // The handlers are in place before this returns.
        let (int, term) = {
            let _entered = runtime.enter();
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
        };
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || runtime.block_on(ear.listen(int, term)))?;
        Ok(Self { heard, count })
    }

    /// Forgets what was heard before this turn.
    pub(crate) fn begin(&mut self) {
        self.count.store(0, Ordering::Relaxed);
        while self.heard.try_recv().is_ok() {}
    }

    /// The next interrupt of this turn, counted from 1.
    pub(crate) async fn next(&mut self) -> u32 {
        match self.heard.recv().await {
            Some(()) => self.count.load(Ordering::Relaxed),
            None => std::future::pending().await,
        }
    }
}

struct Ear {
    tell: mpsc::UnboundedSender<()>,
    count: Arc<AtomicU32>,
    manner: Manner,
    screen: Option<Termios>,
}

impl Ear {
    async fn listen(self, mut int: tokio::signal::unix::Signal, mut term: tokio::signal::unix::Signal) {
        loop {
            let terminated = tokio::select! {
                _ = int.recv() => false,
                _ = term.recv() => true,
            };
            if terminated && self.manner == Manner::Chat {
                self.leave(TERMINATED);
            }
            let count = self.count.fetch_add(1, Ordering::Relaxed) + 1;
            if self.tell.send(()).is_err() || count > 1 {
                tokio::time::sleep(PATIENCE).await;
                self.leave(Exit::Interrupted as i32);
            }
        }
    }

    /// Ends the process; the terminal gets back what it had. Nothing is lost: the log is written before anything acts.
    fn leave(&self, code: i32) -> ! {
        if let Some(screen) = &self.screen {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, screen);
        }
        std::process::exit(code)
    }
}
