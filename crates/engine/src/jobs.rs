//! The jobs of a session: commands that go on behind the calls that began them. It owns each from its record to its end, and
//! nobody else ends one; what they may do was decided before they got here.

mod end;
mod job;
mod lines;
mod rest;
mod tool;

use crate::border::Crossing;
use crate::outbox::Outbox;
use crate::queue::Queue;
use crate::state::Book;
use job::Job;
use reasonix_agent::{Artifacts, BoxFuture, Journal, Sink, Stop, Tool};
use reasonix_config::JobSettings;
use reasonix_proto::{Event, JobInfo, JobKind, JobState, Mode, RecordBody, ToolOutcome};
use reasonix_tools::{Background, Feed, HearsLine, JobAbout, LiveCommand, NewJob, Typed};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::watch;

pub(crate) use end::first_line;
pub(crate) use rest::{Rests, at_work};
use tool::JobTool;

/// How long a job is known after its end.
const KEPT: Duration = Duration::from_secs(5 * 60);
/// Jobs that are known at once, those that ended among them: the oldest of these make way.
const MOST_KNOWN: usize = 200;

/// The jobs of one session.
pub(crate) struct Jobs {
    me: Weak<Self>,
    settings: JobSettings,
    /// Somebody is there: what takes too long may go on.
    attended: bool,
    table: Mutex<Table>,
    /// Counts up when something about a job changes.
    changes: watch::Sender<u64>,
    artifacts: Arc<dyn Artifacts>,
    around: OnceLock<Around>,
}

/// Who hears of jobs.
pub(crate) struct Around {
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) book: Arc<Book>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) crossing: Option<Arc<Crossing>>,
}

#[derive(Default)]
struct Table {
    last: u64,
    /// Those that are written down and not started yet.
    beginning: usize,
    jobs: Vec<Job>,
    /// The session is over: nothing begins any more.
    closed: bool,
}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jobs").field("running", &self.running()).finish_non_exhaustive()
    }
}

impl Jobs {
    /// None yet; names go on behind those that the log has.
    pub(crate) fn new(settings: &JobSettings, attended: bool, last: u64, artifacts: Arc<dyn Artifacts>) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            me: Weak::clone(me),
            settings: settings.clone(),
            attended,
            table: Mutex::new(Table { last, ..Table::default() }),
            changes: watch::Sender::new(0),
            artifacts,
            around: OnceLock::new(),
        })
    }

    /// For tools that are never run.
    pub(crate) fn bare() -> Arc<Self> {
        Self::new(&JobSettings::default(), false, 0, Arc::new(reasonix_session::MemoryArtifacts::default()))
    }

    /// From now on these hear of them.
    pub(crate) fn told_to(&self, around: Around) {
        let _ = self.around.set(around);
    }

    /// The tools that look after them, in the order they are sent.
    pub(crate) fn tools(self: &Arc<Self>) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(Typed::of(JobTool(Arc::clone(self))))]
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many run.
    pub(crate) fn running(&self) -> u32 {
        let running = self.table().jobs.iter().filter(|job| job.runs()).count();
        u32::try_from(running).unwrap_or(u32::MAX)
    }

    /// All that are known, in the order they began.
    pub(crate) fn list(&self) -> Vec<JobInfo> {
        let mut table = self.table();
        table.forget();
        table.jobs.iter().map(Job::info).collect()
    }

    fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Ends a job, for the person who wants that. False where none of that name runs.
    pub(crate) fn stop(&self, id: &str) -> bool {
        let table = self.table();
        let found = table.jobs.iter().find(|job| job.is(id) && job.runs());
        found.inspect(|job| job.stop.cancel()).is_some()
    }

    fn plans(&self) -> bool {
        self.around.get().is_some_and(|around| around.book.state().mode == Mode::Plan)
    }

    /// Keeps a subagent that works behind its call, under its own name.
    pub(crate) async fn hold(
        self: &Arc<Self>,
        name: &str,
        about: &JobAbout,
        live: impl FnOnce(Arc<Feed>) -> LiveCommand,
    ) -> Result<(), ToolOutcome> {
        let info = self.admit(about, Some(name)).await?;
        // One that goes on was a job before.
        self.table().jobs.retain(|job| job.runs() || !job.is(name));
        self.keep(info, live(Arc::new(Feed::heard_by(None))));
        Ok(())
    }

    /// Writes down that a job began, before it does; gives its name.
    async fn admit(&self, about: &JobAbout, name: Option<&str>) -> Result<JobInfo, ToolOutcome> {
        let Some(around) = self.around.get() else { return Err(ToolOutcome::failed("no jobs can be had here")) };
        let id = {
            let mut table = self.table();
            let running = table.jobs.iter().filter(|job| job.runs()).count() + table.beginning;
            if table.closed {
                return Err(ToolOutcome::failed("the session is about to end"));
            }
            if running >= self.settings.max {
                let hint = "end one with `job {\"cancel\": [\"ID\"]}`, or wait for one with `job {}`";
                let full = format!("{running} jobs run already, and no more may (jobs.max)");
                return Err(ToolOutcome::failed_with(full, hint));
            }
            table.beginning += 1;
            match name {
                Some(name) => name.to_owned(),
                None => {
                    table.last += 1;
                    format!("j{}", table.last)
                }
            }
        };
        let info = JobInfo {
            job: id,
            what: about.kind,
            call: about.call.clone(),
            command: JobInfo::short(&about.line),
            description: JobInfo::short(&about.description),
            began: now(),
            ..JobInfo::default()
        };
        match around.book.append(RecordBody::JobBegan(Box::new(info.clone()))).await {
            Ok(record) => {
                let running = self.running() + 1;
                around.outbox.emit(Event::Job { record: Box::new(record), running });
                Ok(info)
            }
            Err(error) => {
                self.table().beginning -= 1;
                Err(ToolOutcome::failed(error.to_string()))
            }
        }
    }

    /// Keeps a job that runs, and sees it to its end.
    fn keep(self: &Arc<Self>, info: JobInfo, live: LiveCommand) {
        let LiveCommand { feed, stop, pid, ending } = live;
        let id = info.job.clone();
        let mut table = self.table();
        table.beginning = table.beginning.saturating_sub(1);
        let closed = table.closed;
        table.jobs.push(Job::new(JobInfo { pid, ..info }, feed, stop.clone()));
        table.forget();
        drop(table);
        if closed {
            stop.cancel();
        }
        self.tell_border();
        let jobs = Arc::clone(self);
        tokio::spawn(async move {
            let ending = ending.await;
            jobs.ended(&id, ending).await;
        });
    }

    /// Whoever asks about connections has to know that they may be those of a job.
    fn tell_border(&self) {
        if let Some(crossing) = self.around.get().and_then(|around| around.crossing.as_ref()) {
            crossing.note_jobs(self.running());
        }
    }

    /// One that was written down and could not be started.
    async fn failed(&self, info: JobInfo) {
        {
            let mut table = self.table();
            table.beginning = table.beginning.saturating_sub(1);
        }
        self.write_end(JobInfo { state: JobState::Failed, ..info }).await;
    }

    async fn write_end(&self, info: JobInfo) {
        let Some(around) = self.around.get() else { return };
        if let Ok(record) = around.book.append(RecordBody::JobEnded(Box::new(info))).await {
            around.outbox.emit(Event::Job { record: Box::new(record), running: self.running() });
        }
    }

    async fn start(&self, job: NewJob, wait: Duration, stop: &Stop) -> ToolOutcome {
        let Some(me) = self.me.upgrade() else { return ToolOutcome::Aborted };
        let NewJob { about, start } = job;
        let info = match self.admit(&about, None).await {
            Ok(info) => info,
            Err(outcome) => return outcome,
        };
        let id = info.job.clone();
        let feed = Arc::new(Feed::heard_by(self.hears(&about, &id)));
        match start(Arc::clone(&feed)).await {
            Ok(live) => me.keep(info, live),
            Err(outcome) => {
                self.failed(info).await;
                return outcome;
            }
        }
        if about.kind == JobKind::Monitor {
            return ToolOutcome::done(format!("Monitor started · task {id} · persistent: {}", about.persistent));
        }
        let ids = [id];
        self.watch(&ids, true);
        let mut changes = self.changes.subscribe();
        let [id] = &ids;
        tokio::select! {
            _ = changes.wait_for(|_| !self.runs(id)) => {}
            () = feed.ready() => {}
            () = tokio::time::sleep(wait) => {}
            () = stop.cancelled() => {}
        }
        self.watch(&ids, false);
        self.begun(id)
    }

    /// Who hears the lines of a monitor.
    fn hears(&self, about: &JobAbout, id: &str) -> Option<HearsLine> {
        let lines = (about.kind == JobKind::Monitor).then(|| lines::Told::new(about, id))?;
        let jobs = Weak::clone(&self.me);
        Some(Arc::new(move |line: &str| {
            if let Some(jobs) = jobs.upgrade() {
                jobs.heard(&lines, line);
            }
        }))
    }

    fn runs(&self, id: &str) -> bool {
        self.table().jobs.iter().any(|job| job.is(id) && job.runs())
    }
}

impl Table {
    /// Forgets jobs that ended long ago.
    fn forget(&mut self) {
        self.jobs.retain(|job| job.ended.is_none_or(|ended| ended.elapsed() < KEPT));
        while self.jobs.len() > MOST_KNOWN
            && let Some(place) = self.jobs.iter().position(|job| !job.runs())
        {
            self.jobs.remove(place);
        }
    }
}

impl Background for Jobs {
    fn begin<'a>(&'a self, job: NewJob, wait: Duration, stop: &'a Stop) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(self.start(job, wait, stop))
    }

    fn takes_over(&self) -> bool {
        self.settings.auto_background.unwrap_or(self.attended) && self.around.get().is_some()
    }

    fn adopt(&self, about: JobAbout, live: LiveCommand) -> BoxFuture<'_, Result<ToolOutcome, LiveCommand>> {
        Box::pin(async move {
            let crossing = self.around.get().and_then(|around| around.crossing.as_ref());
            if crossing.is_some_and(|crossing| crossing.must_end(&about.call)) {
                return Err(live);
            }
            let Some(me) = self.me.upgrade() else { return Err(live) };
            let Ok(info) = self.admit(&about, None).await else { return Err(live) };
            let id = info.job.clone();
            me.keep(info, live);
            Ok(self.taken_over(&id))
        })
    }
}

fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
