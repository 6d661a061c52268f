//! The jobs of a session: commands that go on behind the calls that began them. It owns each from its record to its end, and
//! nobody else ends one; what they may do was decided before they got here.

mod cron;
mod end;
mod job;
mod lines;
mod rest;
mod table;
mod told;
mod tool;

use cron::CronTool;
use job::Job;
use reasonix_agent::{Artifacts, BoxFuture, Stop, Tool};
use reasonix_config::JobSettings;
use reasonix_proto::{JobInfo, JobKind, JobState, ToolOutcome};
use reasonix_tools::{Background, Feed, HearsLine, JobAbout, LiveCommand, NewJob, Typed};
use std::fmt;
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};
use table::JobTable;

pub use end::first_line;
pub use rest::{Rests, at_work};
pub use told::Around;
use tool::{JobTool, begun, taken_over};

/// The jobs of one session.
pub struct Jobs {
    me: Weak<Self>,
    settings: JobSettings,
    /// Somebody is there: what takes too long may go on.
    attended: bool,
    table: JobTable,
    artifacts: Arc<dyn Artifacts>,
    around: OnceLock<Around>,
}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jobs").field("running", &self.running()).finish_non_exhaustive()
    }
}

impl Jobs {
    /// None yet; names go on behind those that the log has.
    pub fn new(settings: &JobSettings, attended: bool, last: u64, artifacts: Arc<dyn Artifacts>) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            me: Weak::clone(me),
            settings: settings.clone(),
            attended,
            table: JobTable::behind(last),
            artifacts,
            around: OnceLock::new(),
        })
    }

    /// For tools that are never run.
    pub fn bare() -> Arc<Self> {
        Self::new(&JobSettings::default(), false, 0, Arc::new(reasonix_session::MemoryArtifacts::default()))
    }

    /// From now on these hear of them.
    pub fn told_to(&self, around: Around) {
        let _ = self.around.set(around);
    }

    /// The tools that look after them, in the order they are sent.
    pub fn tools(self: &Arc<Self>) -> Vec<Arc<dyn Tool>> {
        let mut tools: Vec<Arc<dyn Tool>> = vec![Arc::new(Typed::of(JobTool(Arc::clone(self))))];
        if self.settings.cron && self.attended {
            tools.push(Arc::new(Typed::of(CronTool(Arc::clone(self)))));
        }
        tools
    }

    /// How many run.
    pub fn running(&self) -> u32 {
        self.table.running()
    }

    /// All that are known, in the order they began.
    pub fn list(&self) -> Vec<JobInfo> {
        self.table.list()
    }

    /// Ends what would come back: there is nothing left to spend on it.
    pub fn end_schedules(&self) {
        self.table.stop_schedules();
    }

    /// Ends a job, for the person who wants that. False where none of that name runs.
    pub fn stop(&self, id: &str) -> bool {
        self.table.stop(id)
    }

    /// Places for so many subagents that are to work behind their call, or for none of them.
    pub fn places(self: &Arc<Self>, count: usize) -> Result<JobPlaces, ToolOutcome> {
        self.around.get().ok_or_else(not_here)?;
        self.table.reserve_all(count, self.settings.max)?;
        Ok(JobPlaces { jobs: Arc::clone(self), left: count })
    }

    /// A place for one more of what comes back at its times.
    fn schedule_place(self: &Arc<Self>) -> Result<JobPlaces, ToolOutcome> {
        self.table.reserve_schedule()?;
        Ok(JobPlaces { jobs: Arc::clone(self), left: 1 })
    }

    /// Writes down that a job began, before it does.
    async fn admit(&self, about: &JobAbout) -> Result<JobInfo, ToolOutcome> {
        let around = self.around.get().ok_or_else(not_here)?;
        let job = self.table.reserve(self.settings.max)?;
        self.begin_as(job, about, around).await
    }

    /// The same of one that has its place and this name.
    async fn begin_as(&self, job: String, about: &JobAbout, around: &Around) -> Result<JobInfo, ToolOutcome> {
        let info = JobInfo {
            job,
            what: about.kind,
            call: about.call.clone(),
            command: JobInfo::short(&about.line),
            description: JobInfo::short(&about.description),
            began: now(),
            ..JobInfo::default()
        };
        match around.began(&info, || self.running() + 1).await {
            Ok(()) => Ok(info),
            Err(error) => {
                self.table.give_up(1);
                Err(ToolOutcome::failed(error.to_string()))
            }
        }
    }

    /// Keeps a job that runs, and sees it to its end.
    fn keep(self: &Arc<Self>, info: JobInfo, live: LiveCommand) {
        let LiveCommand { feed, stop, pid, ending } = live;
        let id = info.job.clone();
        self.table.enter(Job::new(JobInfo { pid, ..info }, feed, stop));
        self.tell_border();
        let jobs = Arc::clone(self);
        tokio::spawn(async move {
            let ending = ending.await;
            jobs.ended(&id, ending).await;
        });
    }

    fn tell_border(&self) {
        if let Some(around) = self.around.get() {
            around.tell_border(self.running());
        }
    }

    /// One that was written down and could not be started.
    async fn failed(&self, info: JobInfo) {
        self.table.give_up(1);
        self.write_end(JobInfo { state: JobState::Failed, ..info }).await;
    }

    async fn write_end(&self, info: JobInfo) {
        if let Some(around) = self.around.get() {
            around.ended(info, || self.running()).await;
        }
    }

    async fn start(&self, job: NewJob, wait: Duration, stop: &Stop) -> ToolOutcome {
        let Some(me) = self.me.upgrade() else { return ToolOutcome::Aborted };
        let NewJob { about, start } = job;
        let info = match self.admit(&about).await {
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
        let enough = async {
            tokio::select! {
                () = feed.ready() => {}
                () = tokio::time::sleep(wait) => {}
                () = stop.cancelled() => {}
            }
        };
        self.table.wait(std::slice::from_ref(&id), false, enough).await;
        begun(self, &id)
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
}

/// Places for subagents that are about to work behind their call; those that nobody takes are given back.
pub struct JobPlaces {
    jobs: Arc<Jobs>,
    left: usize,
}

impl JobPlaces {
    /// Keeps one of them from here on, under its own name.
    pub async fn hold(
        &mut self,
        name: &str,
        about: &JobAbout,
        live: impl FnOnce(Arc<Feed>) -> LiveCommand,
    ) -> Result<(), ToolOutcome> {
        let around = self.jobs.around.get().ok_or_else(not_here)?;
        self.left = self.left.saturating_sub(1);
        let info = self.jobs.begin_as(name.to_owned(), about, around).await?;
        // One that goes on was a job before.
        self.jobs.table.forget_ended(name);
        self.jobs.keep(info, live(Arc::new(Feed::heard_by(None))));
        Ok(())
    }
}

impl Drop for JobPlaces {
    fn drop(&mut self) {
        self.jobs.table.give_up(self.left);
    }
}

fn not_here() -> ToolOutcome {
    ToolOutcome::failed("no jobs can be had here")
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
            if self.around.get().is_some_and(|around| around.must_end(&about.call)) {
                return Err(live);
            }
            let Some(me) = self.me.upgrade() else { return Err(live) };
            let Ok(info) = self.admit(&about).await else { return Err(live) };
            let id = info.job.clone();
            me.keep(info, live);
            Ok(taken_over(self, &id))
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
