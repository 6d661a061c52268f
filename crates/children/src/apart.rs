//! Subagents that work behind the call that started them. Each is a job of the session, under its own name: its end is told like
//! that of a command, and `job` waits for it or ends it.

use super::told::Handed;
use super::{Children, Job, Kin};
use futures_util::FutureExt as _;
use reasonix_agent::{Stop, outcome_text};
use reasonix_jobs::JobPlaces;
use reasonix_proto::{CallId, JobKind, ToolOutcome};
use reasonix_tools::{Feed, JobAbout, JobEnding, LiveCommand};
use std::sync::Arc;

impl Children {
    /// Has assignments worked on behind the call, for all of which there is a place, and says what they are called. One that
    /// cannot be written down is not begun, and is named.
    pub(super) async fn apart(
        self: &Arc<Self>,
        kin: &Kin,
        (jobs, mut places): (Vec<Job>, JobPlaces),
        call: &CallId,
    ) -> ToolOutcome {
        let (mut begun, mut not): (Vec<String>, Vec<String>) = Default::default();
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
                    let handed = Box::pin(me.one(&own, job, &by, &ends)).await;
                    told.feed(handed.text().as_bytes());
                    ending_of(&handed)
                };
                LiveCommand { feed, stop, pid: None, ending: ending.boxed() }
            };
            match places.hold(&name, &about, live).await {
                Ok(()) => begun.push(name),
                Err(why) => not.push(format!("{name}: {}", outcome_text(&why))),
            }
        }
        let not = not.join(", ");
        let not = if not.is_empty() { not } else { format!("Not begun: {not}.") };
        if begun.is_empty() {
            return ToolOutcome::failed(not);
        }
        let text = format!(
            "At work in the background: {}. You are told when one ends; `job` waits for it or ends it. {not}",
            begun.join(", ")
        );
        ToolOutcome::done(text.trim_end())
    }
}

fn ending_of(handed: &Handed) -> JobEnding {
    let code = i32::from(!handed.succeeded());
    JobEnding { code, cancelled: handed.was_stopped(), said: Some(handed.standing()) }
}
