//! Runs one command to its end.

use crate::bounds::LimitHit;
use crate::guard;
use crate::plan::{Ends, Life};
use crate::running::{EndStatus, Ended, Running, explain};
use crate::sandbox::Knocks;
use crate::{Captured, Command, ExecError, Quarantined, WriteWish};
use rustix::pipe::{PipeFlags, pipe_with};
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio_util::sync::CancellationToken;

/// How long output is still read when everybody below us has ended but somebody else holds the pipe.
const DRAIN: Duration = Duration::from_millis(100);
const PIECE: usize = 64 * 1024;

/// A command that has ended, and with it everything it started.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: EndStatus,
    /// What it wrote.
    pub output: Captured,
    /// How long it took.
    pub took: Duration,
    /// Processes it left in the background had to be ended.
    pub leftovers_killed: bool,
    /// The limit for which it was ended.
    pub hit: Option<LimitHit>,
    /// Protected files that it made and that were moved aside.
    pub quarantined: Vec<Quarantined>,
    /// Folders that could not be looked through for what git would execute later.
    pub unseen: Vec<PathBuf>,
    /// What it wanted to write though it was held to reading; none when it was not held.
    pub wish: Option<WriteWish>,
    /// Places that are hidden from commands, which it opened and found empty.
    pub hidden: Vec<PathBuf>,
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
    let (ends, output) = pipe(command).map_err(|source| explain(command, source))?;
    let mut reading = Reading { running: Running::start(command, ends, Life::Short).await?, output };
    let mut output = Captured::new(command.keep);
    let watched = reading.watch(command, stop, &mut output, on_output).await;
    let (ending, hit) = watched.map_err(|source| explain(command, source))?;
    if let Some(knocks) = reading.running.knocks.take() {
        knocks.finish().await;
    }
    if let Some(error) = reading.running.failure(command) {
        return Err(error);
    }
    let ended = reading.running.ended(ending, hit).await.map_err(|source| explain(command, source))?;
    let Ended { status, took, leftovers_killed, hit, quarantined, unseen, wish, hidden } = ended;
    Ok(Finished { status, output, took, leftovers_killed, hit, quarantined, unseen, wish, hidden })
}

/// One pipe for all that it writes: its end, and ours.
fn pipe(command: &Command) -> io::Result<(Ends, Receiver)> {
    let (output, writer) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok((Ends::new(writer, command.stdin.as_deref())?, Receiver::from_owned_fd(output)?))
}

/// A command whose output is read as it comes.
struct Reading {
    running: Running,
    output: Receiver,
}

impl Reading {
    /// Reads until the tree has ended and the output with it. Says why it was ended, when it was us.
    async fn watch(
        &mut self,
        command: &Command,
        stop: CancellationToken,
        captured: &mut Captured,
        on_output: &(dyn Fn(&[u8]) + Send + Sync),
    ) -> io::Result<(Option<EndStatus>, Option<LimitHit>)> {
        let mut piece = vec![0; PIECE];
        let mut room = Room::new(command.bounds.output);
        let mut take = |bytes: &[u8]| {
            captured.feed(bytes);
            on_output(bytes);
            room.fill(bytes.len())
        };
        let (mut ending, mut hit, mut running, mut reading) = (None, None, true, true);
        let mut alarm = std::pin::pin!(tokio::time::sleep(command.timeout.unwrap_or_default()));
        let mut armed = command.timeout.is_some();
        let mut cancelled = std::pin::pin!(stop.cancelled());
        let mut overseer = std::pin::pin!(self.running.oversee());
        let mut knocks = std::pin::pin!(attend(self.running.knocks.as_mut()));
        while running || reading {
            let mut wait = None;
            let mut end = None;
            tokio::select! {
                biased;
                () = &mut cancelled, if ending.is_none() && running => end = Some(EndStatus::Cancelled),
                () = &mut alarm, if armed => match (running, ending) {
                    (false, _) => {
                        // Time may be up only because nobody looked for that long.
                        while let Ok(read @ 1..) = self.output.try_read(&mut piece) {
                            take(piece.get(..read).unwrap_or_default());
                        }
                        reading = false;
                    }
                    (true, None) => end = Some(EndStatus::TimedOut),
                    (true, Some(_)) => {
                        self.running.tree.force();
                        armed = false;
                    }
                },
                over = &mut self.running.over, if running => {
                    over.map_err(io::Error::other)??;
                    running = false;
                    wait = Some(DRAIN);
                }
                never = &mut knocks, if running => match never {},
                found = &mut overseer, if ending.is_none() && running => {
                    (end, hit) = (Some(EndStatus::Bounded), Some(found));
                }
                read = self.output.read(&mut piece), if reading => match piece.get(..read?) {
                    Some(bytes) if !bytes.is_empty() => if take(bytes) && ending.is_none() && running {
                        (end, hit) = (Some(EndStatus::Bounded), Some(LimitHit::Output(command.bounds.output)));
                    },
                    _ => reading = false,
                },
            }
            if end.is_some() {
                ending = end;
                self.running.tree.end();
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

/// Answers the kernel's questions about connections, where there are any.
pub(crate) async fn attend(knocks: Option<&mut Knocks>) -> std::convert::Infallible {
    match knocks {
        Some(knocks) => knocks.attend().await,
        None => std::future::pending().await,
    }
}

/// How much output there may still be.
struct Room(Option<u64>);

impl Room {
    fn new(most: u64) -> Self {
        Self((most > 0).then_some(most))
    }

    /// Takes in so many bytes. True when that was too much.
    fn fill(&mut self, bytes: usize) -> bool {
        let Some(left) = &mut self.0 else { return false };
        let fits = u64::try_from(bytes).is_ok_and(|bytes| bytes <= *left);
        *left = left.saturating_sub(bytes.try_into().unwrap_or(u64::MAX));
        !fits
    }
}
