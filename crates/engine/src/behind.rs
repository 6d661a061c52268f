//! What runs behind a conversation: it ends before that goes elsewhere, and what went with a process that died is told.

use crate::desk::Desk;
use reasonix_agent::{Journal, Sink};
use reasonix_jobs::first_line;
use reasonix_proto::{Event, JobInfo, JobState, Level, Phrase, RecordBody};

impl Desk {
    /// Before the conversation goes elsewhere, what runs behind it ends.
    pub(crate) async fn end_jobs(&self) {
        let ended = self.behind.jobs.end_all(false).await;
        if ended > 0 {
            self.notice(Level::Info, Phrase::new("engine.jobs_stopped").with("count", ended));
        }
    }

    /// Jobs whose end no prompt has told: most were ended with the session that ran them. People know; the model does not.
    pub(crate) fn tell_over(&self, over: Vec<JobInfo>) {
        for info in over {
            let told = match info.state {
                JobState::Completed | JobState::Failed => {
                    let code = info.exit_code.map(|code| format!(", exit code {code}")).unwrap_or_default();
                    format!("ended when you were away ({}{code})", info.state.word())
                }
                _ => "is gone: it was ended with the session that ran it. Begin it again if it is needed".to_owned(),
            };
            let output = info.output.map(|output| format!("; all it wrote: {}", output.uri)).unwrap_or_default();
            let text = format!("[job {} ({}) {told}{output}]", info.job, first_line(&info.command));
            self.queue.inbox().push_news(text);
        }
    }

    /// Jobs of a process that is gone are gone with it: that is said once, to the person and to the model.
    pub(crate) async fn tell_lost(&self, lost: Vec<JobInfo>) {
        for info in lost {
            let lost = JobInfo { state: JobState::Lost, ..info.clone() };
            let Ok(record) = self.book.append(RecordBody::JobEnded(Box::new(lost))).await else { continue };
            self.outbox.emit(Event::Job { record: Box::new(record), running: self.behind.jobs.running() });
            let command = first_line(&info.command);
            let phrase = Phrase::new("engine.job_lost").with("job", &info.job).with("command", &command);
            self.notice(Level::Warning, phrase);
            let told = "is gone: it ended with the process of Reasonix that ran it; nobody saw how. Begin it again if it is needed";
            self.queue.inbox().push_news(format!("[job {} ({command}) {told}]", info.job));
        }
    }
}
