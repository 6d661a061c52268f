//! What a process that is gone left of its subagents: those that were lost, and those that were done and whose results nobody
//! read.

use super::family::ChildFamily;
use super::family::SCHEME;
use reasonix_proto::{ChildRun, JobInfo, Level, Phrase, RecordBody};

/// What is written down, said to people and told to the model, once.
pub struct LeftBehind {
    /// For the log.
    pub records: Vec<RecordBody>,
    /// For people.
    pub said: Vec<(Level, Phrase)>,
    /// For the model.
    pub told: Option<String>,
}

/// Finds them. What was a job is told as one.
pub fn left_behind(family: &ChildFamily, jobs: &[JobInfo]) -> LeftBehind {
    let lost = family.lost();
    let waited: Vec<&ChildRun> = lost.iter().filter(|run| !jobs.iter().any(|job| job.job == run.child)).collect();
    let owner = |run: &ChildRun| run.child.rsplit_once('.').map(|(owner, _)| owner.to_owned());
    let is_of = |lost: &ChildRun, run: &ChildRun| {
        let siblings = lost.call == run.call && owner(lost) == owner(run);
        siblings || run.child.strip_prefix(&lost.child).is_some_and(|rest| rest.starts_with('.'))
    };
    let beside = |run: &ChildRun| !run.lost && run.end.is_some() && waited.iter().any(|lost| is_of(lost, run));
    let kept: Vec<ChildRun> = family.list().into_iter().filter(beside).collect();
    let phrase =
        |code: &'static str, run: &ChildRun| Phrase::new(code).with("child", &run.child).with("task", &run.task);
    let said = waited.iter().map(|run| (Level::Warning, phrase("engine.child_lost", run)));
    let said = said.chain(kept.iter().map(|run| (Level::Info, phrase("engine.child_kept", run)))).collect();
    let gone = waited.iter().map(|run| format!("{} ({}) was lost", run.child, run.task));
    let there = kept.iter().map(|run| format!("{} ({}) was done: read_file {SCHEME}{0}", run.child, run.task));
    let each: Vec<String> = gone.chain(there).collect();
    let told = (!each.is_empty()).then(|| {
        format!("[The process of Reasonix ended while subagents worked. {}. None was started again.]", each.join("; "))
    });
    LeftBehind { records: lost.into_iter().map(|run| RecordBody::Child(Box::new(run))).collect(), said, told }
}
