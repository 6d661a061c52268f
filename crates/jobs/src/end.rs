//! The end of jobs: written down, told once to whoever has not seen it, and brought about before the session goes elsewhere.

use super::Jobs;
use super::job::Job;
use reasonix_proto::{JobState, fenced};
use reasonix_tools::JobEnding;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long all jobs together may take to end.
const ALL: Duration = Duration::from_secs(3);
/// Lines of output that go with the news of an end.
const TOLD_LINES: usize = 10;
/// And characters.
const TOLD: usize = 1200;

impl Jobs {
    /// A job came to its end: on the log first, then for everybody.
    pub(super) async fn ended(self: &Arc<Self>, id: &str, ending: JobEnding) {
        let facts = self.table.one(id, |job| (Arc::clone(&job.feed), job.info()));
        let Some((feed, mut info)) = facts else { return };
        let artifacts = Arc::clone(&self.artifacts);
        let whole = tokio::task::spawn_blocking(move || {
            let whole = feed.whole();
            if whole.is_empty() { None } else { artifacts.put(&whole).ok() }
        });
        info.output = whole.await.ok().flatten();
        info.exit_code = Some(ending.code).filter(|_| !ending.cancelled);
        info.state = match (ending.cancelled, ending.code) {
            (true, _) => JobState::Cancelled,
            (false, 0) => JobState::Completed,
            (false, _) => JobState::Failed,
        };
        info.pid = None;
        let over = self.table.one(id, |job| {
            info.took_ms = job.took_ms();
            (job.info, job.ended, job.said) = (info.clone(), Some(Instant::now()), ending.said);
            job.seen |= job.watched > 0;
            let news = (!job.seen).then(|| news_of(job));
            job.news.clone_from(&news);
            news
        });
        let Some(unseen) = over else { return };
        self.write_end(info.clone()).await;
        self.tell_border();
        // Somebody may have looked at it meanwhile.
        let untold = || self.table.one(id, |job| job.news.is_some()) == Some(true);
        if let Some((around, news)) = self.around.get().zip(unseen)
            && untold()
        {
            around.tell_end(&info, news);
        }
        self.table.one(id, |job| job.closed = true);
        self.table.changed();
    }

    /// Ends all of them and waits for that, as long as it may take. With `close` nothing begins any more.
    pub async fn end_all(&self, close: bool) -> u32 {
        let running = self.table.stop_all(close);
        if running > 0 {
            let _ = tokio::time::timeout(ALL, self.table.all_over()).await;
        }
        u32::try_from(running).unwrap_or(u32::MAX)
    }
}

/// A command in one short line.
pub fn first_line(command: &str) -> String {
    command.lines().next().unwrap_or_default().chars().take(80).collect()
}

/// What the model is told of an end that it has not seen.
fn news_of(job: &Job) -> String {
    let mut text = format!("[job {}]", job.line());
    let tail = job.feed.tail(TOLD_LINES);
    let from = tail.ceil_char_boundary(tail.len().saturating_sub(TOLD));
    if let Some(tail) = tail.get(from..).filter(|tail| !tail.trim().is_empty()) {
        text.push_str(&format!("\n{}", fenced("job_output", &[("job", &job.info.job)], tail)));
    }
    if let Some(output) = &job.info.output {
        text.push_str(&format!("\n[all of it: {}]", output.uri));
    }
    text
}
