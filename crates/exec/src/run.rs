//! Runs one command to its end.
#![allow(unsafe_code)]

use crate::guard::{self, Report};
use crate::{Captured, Command, ExecError};
use rustix::fs::OFlags;
use rustix::pipe::{PipeFlags, pipe_with};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::Child;
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
    let mut running = Running::start(command).map_err(|source| explain(command, source))?;
    let watched = running.watch(command, stop, on_output).await;
    let (status, ending, output) = watched.map_err(|source| explain(command, source))?;
    let (id, report) = running.report();
    if let (Some(id), None) = (id, report) {
        guard::orphaned(id);
    }
    let status = match ending {
        Some(Ending::TimedOut) => Status::TimedOut,
        Some(Ending::Cancelled) => Status::Cancelled,
        None => status_of(report.map_or(status, |report| ExitStatus::from_raw(report.status))),
    };
    let leftovers_killed = ending.is_none() && report.is_some_and(|Report { leftovers, .. }| leftovers);
    Ok(Finished { status, output, took: started.elapsed(), leftovers_killed })
}

fn status_of(status: ExitStatus) -> Status {
    match (status.code(), status.signal()) {
        (Some(code), _) => Status::Exited(code),
        (None, signal) => Status::Signalled(signal.unwrap_or(libc::SIGKILL)),
    }
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

/// Why a command is being ended by us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    TimedOut,
    Cancelled,
}

/// A guard with a command below it. Dropping it while it runs ends both.
struct Running {
    guard: Child,
    output: Receiver,
    report: File,
    reported: Vec<u8>,
}

impl Running {
    fn start(command: &Command) -> io::Result<Self> {
        let (output, writer) = pipe_with(PipeFlags::CLOEXEC)?;
        let (report, reporter) = pipe_with(PipeFlags::CLOEXEC)?;
        rustix::fs::fcntl_setfl(&report, OFlags::NONBLOCK)?;
        let guard = spawn(command, writer, &reporter)?;
        drop(reporter);
        Ok(Self { guard, output: Receiver::from_owned_fd(output)?, report: File::from(report), reported: Vec::new() })
    }

    async fn watch(
        &mut self,
        command: &Command,
        stop: CancellationToken,
        on_output: &(dyn Fn(&[u8]) + Send + Sync),
    ) -> io::Result<(ExitStatus, Option<Ending>, Captured)> {
        let mut captured = Captured::new(command.keep);
        let mut piece = vec![0; PIECE];
        let (mut status, mut ending, mut reading) = (None, None, true);
        let mut alarm = std::pin::pin!(tokio::time::sleep(command.timeout.unwrap_or_default()));
        let mut armed = command.timeout.is_some();
        let mut cancelled = std::pin::pin!(stop.cancelled());
        loop {
            if let (Some(status), false) = (status, reading) {
                return Ok((status, ending, captured));
            }
            let mut wait = None;
            tokio::select! {
                biased;
                () = &mut cancelled, if ending.is_none() && status.is_none() => {
                    ending = Some(Ending::Cancelled);
                    self.end();
                    wait = Some(guard::AT_MOST);
                }
                () = &mut alarm, if armed => match (status, ending) {
                    (Some(_), _) => reading = false,
                    (None, Some(_)) => {
                        self.force();
                        armed = false;
                    }
                    (None, None) => {
                        ending = Some(Ending::TimedOut);
                        self.end();
                        wait = Some(guard::AT_MOST);
                    }
                },
                ended = self.guard.wait(), if status.is_none() => {
                    status = Some(ended?);
                    wait = Some(DRAIN);
                }
                read = self.output.read(&mut piece), if reading => match piece.get(..read?) {
                    Some(bytes) if !bytes.is_empty() => {
                        captured.take(bytes);
                        on_output(bytes);
                    }
                    _ => reading = false,
                },
            }
            if let Some(wait) = wait {
                alarm.as_mut().reset(tokio::time::Instant::now() + wait);
                armed = true;
            }
        }
    }

    fn id(&self) -> Option<i32> {
        self.guard.id().and_then(|id| i32::try_from(id).ok())
    }

    fn end(&self) {
        if let Some(id) = self.id() {
            guard::end(id);
        }
    }

    fn force(&mut self) {
        let (command, _) = self.report();
        if let Some(id) = self.id() {
            guard::force(id, command);
        }
    }

    fn report(&mut self) -> (Option<i32>, Option<Report>) {
        // What cannot be read yet is not there yet.
        let _ = self.report.read_to_end(&mut self.reported);
        guard::read_report(&self.reported)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// Starts the guard, and the command below it.
fn spawn(command: &Command, output: OwnedFd, report: &OwnedFd) -> io::Result<Child> {
    let parent = i32::try_from(std::process::id()).map_err(io::Error::other)?;
    let report = report.as_raw_fd();
    let mut child = std::process::Command::new(&command.program);
    child
        .args(&command.args)
        .current_dir(&command.cwd)
        .env_clear()
        .envs(command.environment.vars())
        .env("PWD", &command.cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::from(output.try_clone()?))
        .stderr(Stdio::from(output));
    let mut child = tokio::process::Command::from(child);
    // SAFETY: `split` is made to run between fork and exec: system calls only, no allocation, no locks.
    unsafe { child.pre_exec(move || guard::split(parent, report)) };
    child.spawn()
}
