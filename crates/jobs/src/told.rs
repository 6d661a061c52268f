//! Who hears of jobs: the log first, then front ends, the model with its next prompt, and the border of the box.

use super::first_line;
use reasonix_agent::{Journal, JournalError, Sink};
use reasonix_proto::{CallId, Event, JobInfo, Level, Mode, Phrase, RecordBody};
use reasonix_state::Book;
use reasonix_state::outbox::Outbox;
use reasonix_talk::queue::Queue;
use reasonix_world::border::Crossing;
use std::sync::Arc;

/// Who hears of jobs.
pub struct Around {
    /// Where people hear of them.
    pub outbox: Arc<Outbox>,
    /// Where they are written down.
    pub book: Arc<Book>,
    /// Where the model hears of them.
    pub queue: Arc<Queue>,
    /// The border of the box that they run in.
    pub crossing: Option<Arc<Crossing>>,
}

impl Around {
    /// While planning, no process is ended.
    pub(super) fn plans(&self) -> bool {
        self.book.state().mode == Mode::Plan
    }

    /// A job begins when this is written.
    pub(super) async fn began(&self, info: &JobInfo, running: impl FnOnce() -> u32) -> Result<(), JournalError> {
        let record = self.book.append(RecordBody::JobBegan(Box::new(info.clone()))).await?;
        self.outbox.emit(Event::Job { record: Box::new(record), running: running() });
        Ok(())
    }

    /// A job has ended.
    pub(super) async fn ended(&self, info: JobInfo, running: impl FnOnce() -> u32) {
        if let Ok(record) = self.book.append(RecordBody::JobEnded(Box::new(info))).await {
            self.outbox.emit(Event::Job { record: Box::new(record), running: running() });
        }
    }

    /// Nobody saw the end of this one: the model reads of it with its next prompt, and the person now.
    pub(super) fn tell_end(&self, info: &JobInfo, news: String) {
        self.queue.inbox().push_news(news);
        let phrase = Phrase::new("engine.job_ended")
            .with("job", &info.job)
            .with("state", format!("@jobs.state_{}", info.state.word()));
        let phrase = phrase.with("command", first_line(&info.command));
        self.outbox.emit(Event::Notice { level: Level::Info, phrase });
    }

    /// The model has seen what these would have told it.
    pub(super) fn seen(&self, news: &[String]) {
        news.iter().for_each(|news| self.queue.inbox().drop_news(news));
    }

    /// Whoever asks about connections has to know that they may be those of a job.
    pub(super) fn tell_border(&self, running: u32) {
        if let Some(crossing) = &self.crossing {
            crossing.note_jobs(running);
        }
    }

    /// A call whose connections were allowed for itself alone does not go on behind it.
    pub(super) fn must_end(&self, call: &CallId) -> bool {
        self.crossing.as_ref().is_some_and(|crossing| crossing.must_end(call))
    }
}
