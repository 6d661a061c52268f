//! One job.

use super::millis;
use reasonix_agent::Stop;
use reasonix_proto::{JobInfo, JobState};
use reasonix_tools::Feed;
use std::sync::Arc;
use std::time::Instant;

/// A list of jobs shows so many of their last lines, and so many bytes of them.
const LISTED_LINES: usize = 10;
const LISTED: usize = 2000;

/// A job that runs, or ended a while ago.
pub(super) struct Job {
    pub(super) info: JobInfo,
    pub(super) feed: Arc<Feed>,
    pub(super) stop: Stop,
    began: Instant,
    pub(super) ended: Option<Instant>,
    /// So many wait for it: whoever does sees its end.
    pub(super) watched: usize,
    /// The model was told of its end, or ended it.
    pub(super) seen: bool,
    /// Words about its end, beyond its code.
    pub(super) said: Option<String>,
    /// What the model is about to be told of its end.
    pub(super) news: Option<String>,
    /// Its end is written down and told.
    pub(super) closed: bool,
}

impl Job {
    pub(super) fn new(info: JobInfo, feed: Arc<Feed>, stop: Stop) -> Self {
        Self {
            info,
            feed,
            stop,
            began: Instant::now(),
            ended: None,
            watched: 0,
            seen: false,
            said: None,
            news: None,
            closed: false,
        }
    }

    /// Whether this is its name; numbers alone are understood.
    pub(super) fn is(&self, id: &str) -> bool {
        let own = self.info.job.as_str();
        own.eq_ignore_ascii_case(id.trim()) || own.strip_prefix('j') == Some(id.trim())
    }

    pub(super) fn runs(&self) -> bool {
        self.info.state == JobState::Running
    }

    /// What is known of it now.
    pub(super) fn info(&self) -> JobInfo {
        let mut info = self.info.clone();
        info.bytes = self.feed.total();
        info.ready = self.feed.is_ready();
        if self.runs() {
            info.took_ms = millis(self.began);
        }
        info
    }

    /// The same with the last lines that it wrote.
    pub(super) fn listed(&self) -> JobInfo {
        let tail = self.feed.tail(LISTED_LINES);
        let from = tail.ceil_char_boundary(tail.len().saturating_sub(LISTED));
        JobInfo { tail: tail.get(from..).unwrap_or_default().trim_end().to_owned(), ..self.info() }
    }

    pub(super) fn took_ms(&self) -> u64 {
        millis(self.began)
    }

    /// It in one line, for the model.
    pub(super) fn line(&self) -> String {
        let info = self.info();
        let seconds = info.took_ms as f64 / 1000.0;
        let mut line = format!("{} {} {seconds:.1} s", info.job, info.state.word());
        if let Some(said) = &self.said {
            line.push_str(&format!(", {said}"));
        }
        if let Some(pid) = info.pid.filter(|_| self.runs()) {
            line.push_str(&format!(", pid {pid}"));
        }
        if self.runs() && info.ready {
            line.push_str(", ready");
        }
        let what = if info.description.is_empty() { &info.command } else { &info.description };
        let what: String = what.lines().next().unwrap_or_default().chars().take(120).collect();
        format!("{line}: {what}")
    }
}
