//! `[jobs]`: commands that go on behind the calls that began them.

use crate::view::View;

/// Settings of jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobSettings {
    /// How many may run at once, from 1 to 100.
    pub max: usize,
    /// Seconds that `job` waits for the first one to end.
    pub wait: u64,
    /// Whether a command that runs out of its time goes on as a job; where somebody is there when none.
    pub auto_background: Option<bool>,
    /// Whether prompts may come back at their times.
    pub cron: bool,
}

impl Default for JobSettings {
    fn default() -> Self {
        Self { max: 15, wait: 30, auto_background: None, cron: false }
    }
}

/// Reads the section, and the switch of what comes back.
pub(crate) fn resolve(view: &View<'_>, cron: &View<'_>) -> JobSettings {
    let built_in = JobSettings::default();
    let max = view.count("max").and_then(|max| usize::try_from(max).ok()).unwrap_or(built_in.max);
    JobSettings {
        max: max.clamp(1, 100),
        wait: view.count("wait").unwrap_or(built_in.wait).clamp(1, 300),
        auto_background: view.bool("auto_background"),
        cron: cron.bool("enabled").unwrap_or(built_in.cron),
    }
}
