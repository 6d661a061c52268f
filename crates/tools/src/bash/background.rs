//! Commands that go on behind their calls: what whoever keeps them gets, and what a call gives over.

use super::feed::Feed;
use super::{Ended, ShellTool};
use reasonix_agent::{BoxFuture, Stop};
use reasonix_exec::{ChildOptions, Command, EndStatus, ExecError, Finished, LimitHit, OnStderr, run, spawn};
use reasonix_proto::{CallId, JobKind, ToolOutcome};
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// How long a job has between being asked to end and being killed.
const GRACE: Duration = Duration::from_secs(2);
const PIECE: usize = 16 * 1024;

/// Who keeps commands that go on.
pub trait Background: fmt::Debug + Send + Sync {
    /// Begins a command that goes on behind its call; answers when it is ready, has ended, or the wait is over.
    fn begin<'a>(&'a self, job: NewJob, wait: Duration, stop: &'a Stop) -> BoxFuture<'a, ToolOutcome>;

    /// Whether a command that runs out of its time goes on here.
    fn takes_over(&self) -> bool;

    /// Takes over a command that runs; gives it back where there is no room.
    fn adopt(&self, job: JobAbout, live: LiveCommand) -> BoxFuture<'_, Result<ToolOutcome, LiveCommand>>;
}

/// What a job is about.
#[derive(Debug, Clone)]
pub struct JobAbout {
    /// The call that began it.
    pub call: CallId,
    /// What kind of job it is.
    pub kind: JobKind,
    /// The command line.
    pub line: String,
    /// What it is for, where somebody said so.
    pub description: String,
    /// A monitor that goes on after its first line.
    pub persistent: bool,
}

impl JobAbout {
    /// A job without more about it.
    pub fn new(call: &CallId, kind: JobKind, line: String) -> Self {
        Self { call: call.clone(), kind, line, description: String::new(), persistent: false }
    }
}

/// Starts the command, with where its output goes.
pub type StartsJob = Box<dyn FnOnce(Arc<Feed>) -> BoxFuture<'static, Result<LiveCommand, ToolOutcome>> + Send>;

/// A command that is to go on behind its call.
pub struct NewJob {
    /// What it is about.
    pub about: JobAbout,
    /// Starts it, once it is on the log.
    pub start: StartsJob,
}

/// A command that runs.
pub struct LiveCommand {
    /// What it writes.
    pub feed: Arc<Feed>,
    /// Ends it.
    pub stop: Stop,
    /// The process that everything of it ends with, where that is known.
    pub pid: Option<u32>,
    /// Resolves when it and everything below it has ended. It has to be driven.
    pub ending: BoxFuture<'static, JobEnding>,
}

/// How a command that went on ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobEnding {
    /// Its exit code as shells count it.
    pub code: i32,
    /// It was cancelled.
    pub cancelled: bool,
    /// What is to be said about the end; none where it ended well.
    pub said: Option<String>,
}

impl JobEnding {
    fn of(status: EndStatus, hit: Option<LimitHit>) -> Self {
        let (code, said) = super::end_of(status, hit, None);
        let code_said = matches!(status, EndStatus::Exited(1..)).then(|| format!("exit code {code}"));
        let said = code_said.or(said.map(|told| told.model));
        Self { code, cancelled: status == EndStatus::Cancelled, said }
    }

    fn failed(error: &ExecError) -> Self {
        Self { code: 127, cancelled: false, said: Some(error.to_string()) }
    }
}

impl ShellTool {
    /// Starts a command as a child that lives on.
    pub(crate) fn starts(&self, command: Command) -> StartsJob {
        let border = self.options.border.clone();
        Box::new(move |feed: Arc<Feed>| {
            Box::pin(async move {
                let errors = Arc::clone(&feed);
                let on_stderr = Some(OnStderr(Arc::new(move |piece: &[u8]| errors.feed(piece))));
                let options = ChildOptions { on_stderr, ..ChildOptions::default() };
                let mut child = spawn(&command, options).await.map_err(|error| super::not_started(&error))?;
                drop(child.stdin.take());
                let (pid, stop, out) = (child.pid(), Stop::new(), child.stdout.take());
                let (heard, spoken) = (stop.clone(), Arc::clone(&feed));
                let ending = async move {
                    let reading = async {
                        let (mut out, mut piece) = (out, vec![0; PIECE]);
                        while let Some(pipe) = &mut out {
                            match pipe.read(&mut piece).await {
                                Ok(read @ 1..) => spoken.take_spoken(piece.get(..read).unwrap_or_default()),
                                _ => out = None,
                            }
                        }
                    };
                    let living = async {
                        tokio::select! {
                            ended = child.wait() => ended,
                            () = heard.cancelled() => child.stop(GRACE).await,
                        }
                    };
                    let ((), ended) = tokio::join!(reading, living);
                    super::tell(border.as_ref(), (&ended.quarantined, &ended.unseen), ended.hit.as_ref());
                    JobEnding::of(ended.status, ended.hit)
                };
                Ok(LiveCommand { feed, stop, pid, ending: Box::pin(ending) })
            })
        })
    }

    /// Runs a command to its end or, where its time is over before that, hands it over to whoever keeps jobs.
    pub(super) async fn run_or_hand_over(
        &self,
        keeps: &Arc<dyn Background>,
        command: &Command,
        (call, about): (&reasonix_agent::Call<'_>, JobAbout),
    ) -> Result<Handed, ExecError> {
        let (feed, stop) = (Arc::new(Feed::default()), Stop::new());
        let shown: Arc<Mutex<Showing>> = Arc::default();
        let (output, showing, ends) = (Arc::clone(&feed), Arc::clone(&shown), stop.clone());
        let (command, timeout) = (command.clone().with_timeout(None), command.timeout);
        let behind = Arc::clone(&command.behind);
        let mut running: BoxFuture<'static, Result<Finished, ExecError>> = Box::pin(async move {
            let take = move |piece: &[u8]| {
                output.feed(piece);
                showing.lock().unwrap_or_else(PoisonError::into_inner).feed(piece);
            };
            run(&command, ends, &take).await
        });
        let mut alarm = std::pin::pin!(tokio::time::sleep(timeout.unwrap_or_default()));
        let mut cancelled = false;
        loop {
            // What there is to show is shown after every step of the command.
            tokio::select! {
                biased;
                ended = &mut running => {
                    show(&shown, call);
                    return ended.map(Handed::Ended);
                }
                () = call.stop.cancelled(), if !cancelled => {
                    cancelled = true;
                    stop.cancel();
                }
                () = &mut alarm, if timeout.is_some() && !cancelled => break,
                () = tokio::time::sleep(super::SHOW_EVERY) => {}
            }
            show(&shown, call);
        }
        shown.lock().unwrap_or_else(PoisonError::into_inner).over = true;
        behind.store(true, Ordering::Relaxed);
        let border = self.options.border.clone();
        let ending = Box::pin(async move {
            match running.await {
                Ok(finished) => {
                    super::tell(border.as_ref(), (&finished.quarantined, &finished.unseen), finished.hit.as_ref());
                    JobEnding::of(finished.status, finished.hit)
                }
                Err(error) => JobEnding::failed(&error),
            }
        });
        let live = LiveCommand { feed, stop, pid: None, ending };
        Ok(match keeps.adopt(about, live).await {
            Ok(outcome) => Handed::Over(outcome),
            // There is no room: it ends, as one does that has no more time.
            Err(live) => {
                live.stop.cancel();
                let _ = live.ending.await;
                let content = String::from_utf8_lossy(&live.feed.whole()).into_owned();
                Handed::OutOfTime(Ended::out_of_time(content))
            }
        })
    }
}

/// What became of a command that could be handed over.
pub(super) enum Handed {
    /// It ended in its time.
    Ended(Finished),
    /// It goes on.
    Over(ToolOutcome),
    /// It was ended.
    OutOfTime(Ended),
}

/// What is to be shown of a command while its call runs.
#[derive(Default)]
struct Showing {
    shown: super::Shown,
    waits: String,
    /// The call is over: nobody looks any more.
    over: bool,
}

impl Showing {
    fn feed(&mut self, piece: &[u8]) {
        if !self.over {
            let Self { shown, waits, .. } = self;
            shown.feed(piece, &mut |text: &str| waits.push_str(text));
        }
    }
}

fn show(shown: &Mutex<Showing>, call: &reasonix_agent::Call<'_>) {
    let waits = std::mem::take(&mut shown.lock().unwrap_or_else(PoisonError::into_inner).waits);
    if !waits.is_empty() {
        (call.progress)(&waits);
    }
}
