//! Runs one command to its end.

use crate::bounds::Hit;
use crate::guard;
use crate::oversee::{Disk, disks, oversee};
use crate::plan::{Ends, Plan};
use crate::sandbox::Confined;
use crate::tree::Tree;
use crate::{Captured, Command, Confinement, ExecError, Quarantined};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::Signal;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// How long output is still read when everybody below us has ended but somebody else holds the pipe.
const DRAIN: Duration = Duration::from_millis(100);
const PIECE: usize = 64 * 1024;

/// A command that has ended, and with it everything it started.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: Status,
    /// What it wrote.
    pub output: Captured,
    /// How long it took.
    pub took: Duration,
    /// Processes it left in the background had to be ended.
    pub leftovers_killed: bool,
    /// The limit for which it was ended.
    pub hit: Option<Hit>,
    /// Protected files that it made and that were moved aside.
    pub quarantined: Vec<Quarantined>,
    /// What it wanted to write though it was held to reading; none when it was not held.
    pub wish: Option<Wish>,
}

/// What a command wanted to write that was held to reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Nothing.
    Nothing,
    /// These files and perhaps more, in the folders that it could otherwise write.
    Write(Vec<PathBuf>),
    /// Nobody can tell: it found everything read-only.
    Unknown,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It ran out of time and was ended.
    TimedOut,
    /// It was cancelled and ended.
    Cancelled,
    /// It hit a limit and was ended.
    Bounded,
}

impl Status {
    fn of(raw: i32) -> Self {
        let status = ExitStatus::from_raw(raw);
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(code),
            (None, signal) => Self::Signalled(signal.unwrap_or(Signal::KILL.as_raw())),
        }
    }
}

/// Runs a command: no stdin, no terminal, stdout and stderr through one pipe. `on_output` sees every piece as it comes.
///
/// When this returns, the command and everything below it has ended, daemons included. Cancelling `stop`, running out
/// of time, dropping the future and the death of this process all end the whole tree: SIGTERM, a short grace, SIGKILL.
pub async fn run(
    command: &Command,
    stop: CancellationToken,
    on_output: &(dyn Fn(&[u8]) + Send + Sync),
) -> Result<Finished, ExecError> {
    let started = Instant::now();
    let before = match &command.confinement {
        Confinement::None | Confinement::Held(_) => None,
        Confinement::Boxed(sandbox) => Some(sandbox.look()),
        Confinement::Refused { wanted, reason } => {
            return Err(ExecError::NoSandbox { wanted: *wanted, reason: reason.clone() });
        }
    };
    let mut running = Running::start(command).map_err(|source| explain(command, source))?;
    let mut output = Captured::new(command.keep);
    let watched = running.watch(command, stop, &mut output, on_output).await;
    let (ending, hit) = watched.map_err(|source| explain(command, source))?;
    let facts = &running.tree.facts;
    if let Some(errno) = facts.failed() {
        let source = io::Error::from_raw_os_error(errno);
        return Err(match (facts.stage(), &command.confinement) {
            (Some(stage), Confinement::Boxed(sandbox) | Confinement::Held(sandbox)) => {
                ExecError::NoSandbox { wanted: sandbox.level(), reason: format!("{stage}: {source}") }
            }
            _ => explain(command, source),
        });
    }
    let (ending, hit) = match ending {
        None if facts.starved() => (Some(Status::Bounded), Some(Hit::Memory(command.bounds.memory))),
        _ => (ending, hit),
    };
    let ended = facts.ended();
    if ended.is_none() {
        // The guard was killed, by the command it may be. What left the command's group is out of reach then.
        running.tree.kill_group();
    }
    let status = match (ending, ended) {
        (Some(ending), _) => ending,
        (None, Some((raw, _))) => Status::of(raw),
        (None, None) => Status::Signalled(Signal::KILL.as_raw()),
    };
    let leftovers_killed = ending.is_none() && ended.is_some_and(|(_, leftovers)| leftovers);
    let quarantined = before.map(|before| before.compare()).unwrap_or_default();
    let wish = running.wish.as_ref().map(|wish| wish.get().cloned().unwrap_or(Wish::Unknown));
    Ok(Finished { status, output, took: started.elapsed(), leftovers_killed, hit, quarantined, wish })
}

fn explain(command: &Command, source: io::Error) -> ExecError {
    let program = command.program.to_string_lossy().into_owned();
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory if !command.cwd.is_dir() => {
            ExecError::NoFolder { path: command.cwd.clone() }
        }
        io::ErrorKind::NotFound => ExecError::NoProgram { program },
        _ => ExecError::Start { program, source },
    }
}

/// A guard with a command below it. Dropping it ends both.
struct Running {
    tree: Arc<Tree>,
    over: oneshot::Receiver<io::Result<()>>,
    output: Receiver,
    /// Said when everything has ended, where the command was held to reading.
    wish: Option<Arc<OnceLock<Wish>>>,
    /// The disks as they were before it.
    disks: Vec<Disk>,
}

impl Running {
    fn start(command: &Command) -> io::Result<Self> {
        let disks = disks(&command.places(), &command.bounds);
        let plan = Plan::of(command)?;
        let wish = plan.confined.as_ref().and_then(Confined::wish);
        let (output, writer) = pipe_with(PipeFlags::CLOEXEC)?;
        let output = Receiver::from_owned_fd(output)?;
        let (tree, over) = guard::start(plan, Ends::new(writer, command.stdin.as_deref())?)?;
        Ok(Self { tree, over, output, wish, disks })
    }

    /// Reads until the tree has ended and the output with it. Says why it was ended, when it was us.
    async fn watch(
        &mut self,
        command: &Command,
        stop: CancellationToken,
        captured: &mut Captured,
        on_output: &(dyn Fn(&[u8]) + Send + Sync),
    ) -> io::Result<(Option<Status>, Option<Hit>)> {
        let mut piece = vec![0; PIECE];
        let mut room = Room::new(command.bounds.output);
        let mut take = |bytes: &[u8]| {
            captured.take(bytes);
            on_output(bytes);
            room.take(bytes.len())
        };
        let (mut ending, mut hit, mut running, mut reading) = (None, None, true, true);
        let mut alarm = std::pin::pin!(tokio::time::sleep(command.timeout.unwrap_or_default()));
        let mut armed = command.timeout.is_some();
        let mut cancelled = std::pin::pin!(stop.cancelled());
        let mut overseer =
            std::pin::pin!(oversee(Arc::clone(&self.tree), command.bounds, std::mem::take(&mut self.disks)));
        while running || reading {
            let mut wait = None;
            let mut end = None;
            tokio::select! {
                biased;
                () = &mut cancelled, if ending.is_none() && running => end = Some(Status::Cancelled),
                () = &mut alarm, if armed => match (running, ending) {
                    (false, _) => {
                        // Time may be up only because nobody looked for that long.
                        while let Ok(read @ 1..) = self.output.try_read(&mut piece) {
                            take(piece.get(..read).unwrap_or_default());
                        }
                        reading = false;
                    }
                    (true, None) => end = Some(Status::TimedOut),
                    (true, Some(_)) => {
                        self.tree.force();
                        armed = false;
                    }
                },
                over = &mut self.over, if running => {
                    over.map_err(io::Error::other)??;
                    running = false;
                    wait = Some(DRAIN);
                }
                found = &mut overseer, if ending.is_none() && running => {
                    (end, hit) = (Some(Status::Bounded), Some(found));
                }
                read = self.output.read(&mut piece), if reading => match piece.get(..read?) {
                    Some(bytes) if !bytes.is_empty() => if take(bytes) && ending.is_none() && running {
                        (end, hit) = (Some(Status::Bounded), Some(Hit::Output(command.bounds.output)));
                    },
                    _ => reading = false,
                },
            }
            if end.is_some() {
                ending = end;
                self.tree.end();
                wait = Some(guard::AT_MOST);
            }
            if let Some(wait) = wait {
                alarm.as_mut().reset(tokio::time::Instant::now() + wait);
                armed = true;
            }
        }
        Ok((ending, hit))
    }
}

/// How much output there may still be.
struct Room(Option<u64>);

impl Room {
    fn new(most: u64) -> Self {
        Self((most > 0).then_some(most))
    }

    /// Takes in so many bytes. True when that was too much.
    fn take(&mut self, bytes: usize) -> bool {
        let Some(left) = &mut self.0 else { return false };
        let fits = u64::try_from(bytes).is_ok_and(|bytes| bytes <= *left);
        *left = left.saturating_sub(bytes.try_into().unwrap_or(u64::MAX));
        !fits
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.tree.end();
    }
}
