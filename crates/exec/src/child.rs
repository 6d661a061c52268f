//! Children that live on: servers that are talked to through pipes, jobs, kernels.
//!
//! They are commands like any other: the same guard, box, limits, environment and end. Only the pipes differ, three
//! instead of one, and nobody waits for them.
//!
//! **Who owns a child.** Whoever has its [`Child`], and nobody else: its pipes and the futures that wait for it keep nothing
//! alive. When the [`Child`] is dropped, everything below is ended, daemons included: SIGTERM, a short grace, SIGKILL. The
//! same happens when the runtime that it was spawned on ends, and when this process dies, however it dies. There is no
//! list of children and none that belongs to nobody; who wants several keeps several.
//!
//! **What it costs.** A thread that sleeps in the kernel, three pipes, and a look at processes, memory and disks: every
//! 200 ms at first, then less and less often down to once a second, and more often only while it comes closer to a limit.
//! What a control group holds is not looked at at all. Nothing is read ahead from its stdout, so that one who writes more than
//! is read waits; its stderr is always read, and of that a beginning and an end are kept.
//!
//! **What it sees.** The box as it was when it was spawned: places that a rule closes later stay open to it; where what hides or
//! fixes a file falls off, because somebody replaced the file, it is ended. A child that is
//! held to reading finds everything read-only, and the files as they become, where a command would have a layer of its own.
//! Protected files that a child in a box made are moved aside when it has ended, as for a command, and so is what anybody
//! else made at these places meanwhile.

mod keep;
mod pipes;

use crate::plan::{Ends, Life};
use crate::running::{Running, explain};
use crate::tree::Tree;
use crate::{Captured, Command, Ended, ExecError, Keep};
use keep::Keeper;
use pipes::{Line, Traffic};
use rustix::pipe::{PipeFlags, pipe_with};
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::watch;

pub use pipes::{ChildStdin, ChildStdout};

/// Takes pieces of what a child writes.
type Listens = dyn Fn(&[u8]) + Send + Sync;

/// Sees every piece of a child's stderr as it comes. It must not block.
#[derive(Clone)]
pub struct OnStderr(pub Arc<Listens>);

impl fmt::Debug for OnStderr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnStderr")
    }
}

/// What a child needs beyond its command. The command's `timeout` is how long it may live, and its limit of output counts
/// stdout, as far as it was read, and stderr together over its whole life.
#[derive(Debug, Clone)]
pub struct ChildOptions {
    /// Ends it when nothing went through its pipes for this long; none for never.
    pub idle: Option<Duration>,
    /// How much of its stderr is kept.
    pub stderr: Keep,
    /// Who sees its stderr as it comes.
    pub on_stderr: Option<OnStderr>,
}

impl Default for ChildOptions {
    fn default() -> Self {
        Self { idle: None, stderr: Keep { head: 4 * 1024, tail: 60 * 1024 }, on_stderr: None }
    }
}

/// A running child. Dropping it ends the child and everything below it.
#[derive(Debug)]
pub struct Child {
    /// What it reads. Dropping it, or shutting it down, is the end of the file for the child.
    pub stdin: Option<ChildStdin>,
    /// What it writes. Dropping it has the child fail when it writes more.
    pub stdout: Option<ChildStdout>,
    stderr: Arc<Mutex<Captured>>,
    /// Says how long a child has that is to close; its end is the end of the child.
    wishes: watch::Sender<Option<Wish>>,
    tree: Arc<Tree>,
    said: watch::Receiver<Option<Ended>>,
}

/// When a child is asked to end, and how long it has from then on.
#[derive(Debug, Clone, Copy)]
struct Wish {
    after: Duration,
    grace: Duration,
}

impl Wish {
    fn and(self, other: Self) -> Self {
        Self { after: self.after.min(other.after), grace: self.grace.min(other.grace) }
    }
}

/// Spawns a child, in the runtime of whoever waits for this. It is there when this returns; one that cannot be executed
/// is an error.
pub async fn spawn(command: &Command, options: ChildOptions) -> Result<Child, ExecError> {
    if command.stdin.is_some() {
        // Its stdin is a pipe of ours, so that a very long line cannot come that way.
        return Err(explain(command, io::ErrorKind::ArgumentListTooLong.into()));
    }
    let (ends, mut ours) = pipes().map_err(|source| explain(command, source))?;
    let mut running = Running::start(command, ends, Life::Lasting).await?;
    let _ = ours.begun.read(&mut [0]).await;
    if let Some(error) = running.failure(command) {
        // Whoever hears of it finds everything tidied up.
        let _ = (&mut running.over).await;
        return Err(error);
    }
    let (traffic, tree) = (Arc::new(Traffic::new(command.bounds.output)), Arc::clone(&running.tree));
    let line = Arc::new(Line::new(ours.stdin, Arc::clone(&traffic)));
    let stderr = Arc::new(Mutex::new(Captured::new(options.stderr)));
    let (wishes, heard) = watch::channel(None);
    let (say, said) = watch::channel(None);
    let keeper = Keeper {
        running,
        lasts: command.timeout,
        output: command.bounds.output,
        idle: options.idle,
        errors: ours.stderr,
        kept: Arc::clone(&stderr),
        on_stderr: options.on_stderr.map(|on| on.0),
        line: Arc::clone(&line),
        traffic: Arc::clone(&traffic),
        wishes: heard,
        say,
    };
    tokio::spawn(keeper.keep());
    let stdout = ChildStdout::new(ours.stdout, traffic);
    Ok(Child { stdin: Some(ChildStdin(line)), stdout: Some(stdout), stderr, wishes, tree, said })
}

impl Child {
    /// Closes its stdin and waits for it to end; asks it to after `grace`, and kills everything after as long again. It goes
    /// on when this future is dropped, and can be asked for any number of times: the shortest grace counts.
    pub async fn close(&self, grace: Duration) -> Ended {
        self.wish(Wish { after: grace, grace });
        self.wait().await
    }

    /// Asks it to end now, and kills everything after `grace`. Goes on and can be repeated like [`Child::close`].
    pub async fn stop(&self, grace: Duration) -> Ended {
        self.wish(Wish { after: Duration::ZERO, grace });
        self.wait().await
    }

    fn wish(&self, new: Wish) {
        self.wishes.send_modify(|wish| *wish = Some(wish.map_or(new, |before| before.and(new))));
    }

    /// The process that everything of it ends with: itself, or what stands around it in a box. None once it has ended.
    pub fn pid(&self) -> Option<u32> {
        let own = self.tree.facts.command().and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok());
        own.filter(|_| !self.tree.is_over()).or_else(|| self.tree.owner())
    }

    /// Waits until it and everything below it has ended. Can be asked any number of times, and be dropped.
    pub async fn wait(&self) -> Ended {
        end_of(self.said.clone()).await
    }

    /// The same without borrowing, for whoever waits for its words and for its end at a time.
    pub fn ended(&self) -> impl Future<Output = Ended> + Send + use<> {
        end_of(self.said.clone())
    }

    /// Whether it has ended, and how.
    pub fn has_ended(&self) -> Option<Ended> {
        self.said.borrow().clone()
    }

    /// What is kept of its stderr so far.
    pub fn stderr(&self) -> Captured {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn end_of(mut said: watch::Receiver<Option<Ended>>) -> Ended {
    match said.wait_for(Option::is_some).await.ok().and_then(|said| said.clone()) {
        Some(ended) => ended,
        // Its keeper is gone with its runtime, which ended it.
        None => Ended::unseen(),
    }
}

/// Our ends of its pipes.
struct Ours {
    stdin: Sender,
    stdout: Receiver,
    stderr: Receiver,
    begun: Receiver,
}

fn pipes() -> io::Result<(Ends, Ours)> {
    let new = || pipe_with(PipeFlags::CLOEXEC);
    let ((reads, stdin), (stdout, writes), (stderr, errors), (begun, held)) = (new()?, new()?, new()?, new()?);
    let ours = Ours {
        stdin: Sender::from_owned_fd(stdin)?,
        stdout: Receiver::from_owned_fd(stdout)?,
        stderr: Receiver::from_owned_fd(stderr)?,
        begun: Receiver::from_owned_fd(begun)?,
    };
    Ok((Ends::piped(reads, writes, errors, held)?, ours))
}
