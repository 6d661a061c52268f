//! Which jobs a session knows, what each stands, and who waits for one. Begins and ends none: whoever wants that stops it here,
//! and hears when it is over.

use super::job::Job;
use reasonix_proto::{JobInfo, JobKind, ToolOutcome};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// How long a job is known after its end.
const KEPT: Duration = Duration::from_secs(5 * 60);
/// Prompts that come back at once.
const MOST_SCHEDULES: usize = 50;
/// Jobs that are known at once, those that ended among them: the oldest of these make way.
const MOST_KNOWN: usize = 200;

/// The jobs that are known, in the order they began.
pub(super) struct JobTable {
    rows: Mutex<Rows>,
    /// Counts up when something about a job changes.
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct Rows {
    last: u64,
    /// Those that are written down and not started yet.
    beginning: usize,
    jobs: Vec<Job>,
    /// The session is over: nothing begins any more.
    closed: bool,
}

impl Rows {
    /// How many run: what comes back at its times does not.
    fn running(&self) -> usize {
        self.jobs.iter().filter(|job| job.runs() && !is_schedule(job)).count()
    }

    fn schedules(&self) -> usize {
        self.jobs.iter().filter(|job| job.runs() && is_schedule(job)).count()
    }

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

fn is_schedule(job: &Job) -> bool {
    job.info.what == JobKind::Cron
}

impl JobTable {
    /// None; names go on behind this number.
    pub(super) fn behind(last: u64) -> Self {
        Self { rows: Mutex::new(Rows { last, ..Rows::default() }), changes: watch::Sender::new(0) }
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn running(&self) -> u32 {
        u32::try_from(self.rows().running()).unwrap_or(u32::MAX)
    }

    pub(super) fn list(&self) -> Vec<JobInfo> {
        let mut rows = self.rows();
        rows.forget();
        rows.jobs.iter().map(Job::listed).collect()
    }

    /// The name of a job that is about to begin, which counts as one from now on, where no more than so many run.
    pub(super) fn reserve(&self, most: usize) -> Result<String, ToolOutcome> {
        let mut rows = self.rows();
        let running = rows.running() + rows.beginning;
        if rows.closed {
            return Err(ToolOutcome::failed("the session is about to end"));
        }
        if running >= most {
            let hint = "end one with `job {\"cancel\": [\"ID\"]}`, or wait for one with `job {}`";
            let full = format!("{running} jobs run already, and no more may (jobs.max)");
            return Err(ToolOutcome::failed_with(full, hint));
        }
        rows.beginning += 1;
        rows.last += 1;
        Ok(format!("j{}", rows.last))
    }

    /// A place for one more of what comes back at its times, which has a bound of its own.
    pub(super) fn reserve_schedule(&self) -> Result<(), ToolOutcome> {
        let mut rows = self.rows();
        if rows.closed {
            return Err(ToolOutcome::failed("the session is about to end"));
        }
        if rows.schedules() + rows.beginning >= MOST_SCHEDULES {
            let full = format!("there are {MOST_SCHEDULES} schedules already, and no more may be");
            return Err(ToolOutcome::failed_with(full, "end one with `job {\"cancel\": [\"ID\"]}`"));
        }
        rows.beginning += 1;
        Ok(())
    }

    /// Places for so many at once, or for none of them: each counts as a job from now on.
    pub(super) fn reserve_all(&self, count: usize, most: usize) -> Result<(), ToolOutcome> {
        let mut rows = self.rows();
        let running = rows.running() + rows.beginning;
        if rows.closed {
            return Err(ToolOutcome::failed("the session is about to end"));
        }
        let left = most.saturating_sub(running);
        if count > left {
            let full = format!(
                "{count} were to begin in the background, and {left} more jobs may (jobs.max is {most}, {running} run): none \
                 of these {count} was started"
            );
            let fewer = if left > 0 { format!("begin {left} of them, ") } else { String::new() };
            let hint = format!(
                "{fewer}wait for all of them with `background: false`, or make room: `job {{}}` waits for a job, \
                 `job {{\"cancel\": [\"ID\"]}}` ends one"
            );
            return Err(ToolOutcome::failed_with(full, hint));
        }
        rows.beginning += count;
        Ok(())
    }

    /// So many that were about to begin do not.
    pub(super) fn give_up(&self, count: usize) {
        let mut rows = self.rows();
        rows.beginning = rows.beginning.saturating_sub(count);
    }

    /// One that was about to begin runs. It is stopped at once where the session ended meanwhile.
    pub(super) fn enter(&self, job: Job) {
        let mut rows = self.rows();
        rows.beginning = rows.beginning.saturating_sub(1);
        if rows.closed {
            job.stop.cancel();
        }
        rows.jobs.push(job);
        rows.forget();
    }

    /// What ended under this name is not known any more.
    pub(super) fn forget_ended(&self, name: &str) {
        self.rows().jobs.retain(|job| job.runs() || !job.is(name));
    }

    /// Ends a job. False where none of that name runs.
    pub(super) fn stop(&self, id: &str) -> bool {
        let rows = self.rows();
        let found = rows.jobs.iter().find(|job| job.is(id) && job.runs());
        found.inspect(|job| job.stop.cancel()).is_some()
    }

    /// Ends all that run, and says how many those were. With `close` nothing begins any more.
    pub(super) fn stop_all(&self, close: bool) -> usize {
        let mut rows = self.rows();
        rows.closed |= close;
        rows.jobs.iter().filter(|job| job.runs()).map(|job| job.stop.cancel()).count()
    }

    /// Ends all that would come back.
    pub(super) fn stop_schedules(&self) {
        self.rows().jobs.iter().filter(|job| job.runs() && is_schedule(job)).for_each(|job| job.stop.cancel());
    }

    /// The names of those that are meant: all that run where none is named.
    pub(super) fn meant(&self, ids: &[String]) -> Vec<String> {
        let rows = self.rows();
        let meant =
            |job: &&Job| if ids.is_empty() { job.runs() && !is_schedule(job) } else { ids.iter().any(|id| job.is(id)) };
        rows.jobs.iter().filter(meant).map(|job| job.info.job.clone()).collect()
    }

    /// Has the job of this name looked at or changed; none where none is known.
    pub(super) fn one<T>(&self, id: &str, look: impl FnOnce(&mut Job) -> T) -> Option<T> {
        self.rows().jobs.iter_mut().find(|job| job.is(id)).map(look)
    }

    /// Has those of these names looked at or changed.
    pub(super) fn each(&self, ids: &[String], look: impl FnMut(&mut Job)) {
        let mut rows = self.rows();
        rows.jobs.iter_mut().filter(|job| ids.iter().any(|id| job.is(id))).for_each(look);
    }

    /// True while the end of one of this name is not told: whatever the model is to read of it is still on its way.
    pub(super) fn is_open(&self, id: &str) -> bool {
        self.rows().jobs.iter().any(|job| job.is(id) && !job.closed)
    }

    /// The names of subagents whose end is not told.
    pub(super) fn open_subagents(&self) -> Vec<String> {
        let rows = self.rows();
        let open = rows.jobs.iter().filter(|job| job.info.what == JobKind::Task && !job.closed);
        open.map(|job| job.info.job.clone()).collect()
    }

    /// What the model is to be told of subagents that ended.
    pub(super) fn news_of_subagents(&self) -> Vec<String> {
        let rows = self.rows();
        rows.jobs.iter().filter(|job| job.info.what == JobKind::Task).filter_map(|job| job.news.clone()).collect()
    }

    /// Waits until something is so, which is looked at whenever a job changes.
    pub(super) async fn until(&self, so: impl Fn() -> bool) {
        let _ = self.changes.subscribe().wait_for(|_| so()).await;
    }

    /// Whoever waits for something looks again.
    pub(super) fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Waits until the first of them has ended, or `all` of them; or until somebody has waited enough. Nobody is told of the end
    /// of one that is waited for: whoever waits sees it.
    pub(super) async fn wait(&self, ids: &[String], all: bool, enough: impl Future<Output = ()>) {
        let over = |rows: &Rows| {
            let mut meant = rows.jobs.iter().filter(|job| ids.iter().any(|id| job.is(id)));
            if all { meant.all(|job| !job.runs()) } else { meant.any(|job| !job.runs()) }
        };
        self.each(ids, |job| job.watched += 1);
        let mut changes = self.changes.subscribe();
        tokio::select! {
            _ = changes.wait_for(|_| over(&self.rows())) => {}
            () = enough => {}
        }
        self.each(ids, |job| job.watched = job.watched.saturating_sub(1));
    }

    /// Waits until none runs.
    pub(super) async fn all_over(&self) {
        self.until(|| self.running() == 0).await;
    }
}
