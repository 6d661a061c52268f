//! Subagents that work behind the call that started them. Each is a job of the session, under its own name: its end is told like
//! that of a command, and `job` waits for it or ends it.

use super::told::Handed;
use super::{Children, Job, Kin};
use futures_util::FutureExt as _;
use reasonix_agent::Stop;
use reasonix_proto::{CallId, JobKind, ToolOutcome};
use reasonix_tools::{Feed, JobAbout, JobEnding, LiveCommand};
use std::sync::Arc;

impl Children {
    /// Has assignments worked on behind the call, and says what they are called.
    pub(super) async fn apart(self: &Arc<Self>, kin: &Kin, jobs: Vec<Job>, call: &CallId) -> ToolOutcome {
        let mut begun: Vec<String> = Vec::new();
        for job in jobs {
            let name = job.name.clone();
            let about = JobAbout {
                description: job.task.clone(),
                ..JobAbout::new(call, JobKind::Task, format!("{}: {}", job.profile.name, job.task))
            };
            let (me, own, by) = (Arc::clone(self), kin.clone(), call.clone());
            let live = move |feed: Arc<Feed>| {
                let (stop, told) = (Stop::new(), Arc::clone(&feed));
                let ends = stop.clone();
                let ending = async move {
                    let handed = me.one(&own, job, &by, &ends).await;
                    told.take(handed.text().as_bytes());
                    ending_of(&handed)
                };
                LiveCommand { feed, stop, pid: None, ending: ending.boxed() }
            };
            match kin.jobs.hold(&name, &about, live).await {
                Ok(()) => begun.push(name),
                Err(outcome) if begun.is_empty() => return outcome,
                Err(_) => break,
            }
        }
        ToolOutcome::done(format!(
            "At work in the background: {}. You are told when one ends; `job` waits for it or ends it.",
            begun.join(", ")
        ))
    }
}

fn ending_of(handed: &Handed) -> JobEnding {
    let code = i32::from(!handed.succeeded());
    JobEnding { code, cancelled: handed.was_stopped(), said: Some(handed.standing()) }
}
