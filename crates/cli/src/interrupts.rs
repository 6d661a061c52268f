//! SIGINT, SIGTERM and SIGHUP, heard on a thread of their own: also while the main thread waits for a terminal, or for a reader
//! that does not read.

use crate::exit::Exit;
use reasonix_proto::Level;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

/// How long the main thread may take to leave by itself after the second interrupt.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long it may take to end commands, and to look at what they left, before the process itself ends.
const LAST_LOOK: Duration = Duration::from_secs(3);

/// What a shell shows for a process that SIGTERM ended, and for one whose terminal went away.
const TERMINATED: i32 = 143;
const HUNG_UP: i32 = 129;

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
        let heard_signals = {
            let _entered = runtime.enter();
            let hangup = hangup_counts().then(|| signal(SignalKind::hangup())).transpose()?;
            Signals { int: signal(SignalKind::interrupt())?, term: signal(SignalKind::terminate())?, hangup }
        };
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || runtime.block_on(ear.listen(heard_signals)))?;
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

/// What is listened for.
struct Signals {
    int: Signal,
    term: Signal,
    /// None where whoever started us wants a terminal that goes away to be ignored.
    hangup: Option<Signal>,
}

/// What was heard.
enum Heard {
    Interrupt,
    Terminate,
    HangUp,
}

impl Signals {
    async fn next(&mut self) -> Heard {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.int.recv() => Heard::Interrupt,
            _ = self.term.recv() => Heard::Terminate,
            _ = hangup => Heard::HangUp,
        }
    }
}

/// Whether SIGHUP is for us: `nohup` has it ignored, and that is to stay. Where it cannot be told, the system does with it
/// what it does.
fn hangup_counts() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 == 0)
}

/// Ends the commands of this process, which is about to end, and says what they left and what became of it.
pub(crate) fn leave_nothing() {
    for phrase in reasonix_engine::leave_nothing(LAST_LOOK) {
        crate::say::notice(Level::Warning, &phrase);
    }
}

struct Ear {
    tell: mpsc::UnboundedSender<()>,
    count: Arc<AtomicU32>,
    manner: Manner,
    screen: Option<Termios>,
}

impl Ear {
    async fn listen(self, mut signals: Signals) {
        loop {
            match signals.next().await {
                Heard::HangUp => self.leave(HUNG_UP),
                Heard::Terminate if self.manner == Manner::Chat => self.leave(TERMINATED),
                Heard::Interrupt | Heard::Terminate => {}
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
        leave_nothing();
        if let Some(screen) = &self.screen {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, screen);
        }
        std::process::exit(code)
    }
}
