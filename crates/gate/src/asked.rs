//! What was asked and waits: a question is shown, waits as long as there is patience, is answered once by its id, and is
//! taken back when nobody waits for it any more.

use reasonix_agent::Sink;
use reasonix_proto::{AskId, Event, TurnState};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// What became of a question.
#[derive(Debug, PartialEq, Eq)]
pub enum QuestionEnd<T> {
    /// Somebody answered.
    Answered(T),
    /// Nobody is there who could.
    Nobody,
    /// Nobody did in time.
    TimedOut(Duration),
}

impl<T: Default> QuestionEnd<T> {
    /// What was answered; what counts as no answer otherwise.
    pub fn or_nothing(self) -> T {
        match self {
            Self::Answered(said) => said,
            Self::Nobody | Self::TimedOut(_) => T::default(),
        }
    }
}

/// What became of an answer.
#[derive(Debug, PartialEq, Eq)]
pub enum AnswerHeard {
    /// It was the first.
    Taken,
    /// The question was already answered, or never asked.
    TooLate,
    /// It was not offered, such as a rule that nobody suggested.
    NotOffered,
    /// It is about something else than what would run.
    OtherThing,
}

/// Questions of one kind that wait for answers `T`, each with what it offers.
pub struct OpenQuestions<T, O = ()> {
    kind: &'static str,
    waiting: Mutex<HashMap<AskId, (O, oneshot::Sender<T>)>>,
    asked: AtomicU64,
}

impl<T, O> OpenQuestions<T, O> {
    /// None yet; their ids begin with this.
    pub fn new(kind: &'static str) -> Self {
        Self { kind, waiting: Mutex::default(), asked: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AskId, (O, oneshot::Sender<T>)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows a question to whoever hears, and waits for its answer. After an interrupt, or when a client goes away, it must
    /// not stay answerable: dropping the future takes it back.
    pub async fn ask(
        &self,
        sink: &dyn Sink,
        patience: Option<Duration>,
        shown: impl FnOnce(&AskId) -> (O, Event),
    ) -> (AskId, QuestionEnd<T>) {
        let id = AskId(format!("{}-{}", self.kind, self.asked.fetch_add(1, Ordering::Relaxed) + 1));
        let (offered, event) = shown(&id);
        let (answer, answered) = oneshot::channel();
        self.lock().insert(id.clone(), (offered, answer));
        let _back = TakeBack { questions: self, id: &id };
        sink.emit(Event::State { state: TurnState::AwaitingPermission });
        sink.emit(event);
        let said = match patience {
            None => answered.await.map_or(QuestionEnd::Nobody, QuestionEnd::Answered),
            Some(time) => match tokio::time::timeout(time, answered).await {
                Ok(said) => said.map_or(QuestionEnd::Nobody, QuestionEnd::Answered),
                Err(_) => QuestionEnd::TimedOut(time),
            },
        };
        sink.emit(Event::State { state: TurnState::ToolRunning });
        (id.clone(), said)
    }

    /// True while somebody waits for an answer to it.
    pub fn is_open(&self, id: &AskId) -> bool {
        self.lock().contains_key(id)
    }

    /// Takes the first answer that fits what the question offers.
    pub fn answer(&self, id: &AskId, fit: impl FnOnce(&O) -> Result<T, AnswerHeard>) -> AnswerHeard {
        let mut waiting = self.lock();
        let said = match waiting.get(id).map(|(offered, _)| fit(offered)) {
            Some(Ok(said)) => said,
            Some(Err(unfit)) => return unfit,
            None => return AnswerHeard::TooLate,
        };
        match waiting.remove(id).map(|(_, answer)| answer.send(said)) {
            Some(Ok(())) => AnswerHeard::Taken,
            _ => AnswerHeard::TooLate,
        }
    }
}

struct TakeBack<'a, T, O> {
    questions: &'a OpenQuestions<T, O>,
    id: &'a AskId,
}

impl<T, O> Drop for TakeBack<'_, T, O> {
    fn drop(&mut self) {
        self.questions.lock().remove(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::{AnswerHeard, OpenQuestions, QuestionEnd};
    use reasonix_agent::Sink;
    use reasonix_proto::{AskId, Event, Level, Phrase};
    use std::sync::Mutex;
    use std::time::Duration;

    /// Counts what it hears.
    #[derive(Default)]
    struct Ear(Mutex<usize>);

    impl Sink for Ear {
        fn emit(&self, _event: Event) {
            *self.0.lock().unwrap() += 1;
        }
    }

    fn shown(_id: &AskId) -> (u8, Event) {
        (2, Event::Notice { level: Level::Info, phrase: Phrase::new("engine.busy") })
    }

    fn fit(said: u8) -> impl Fn(&u8) -> Result<u8, AnswerHeard> {
        move |most| if said <= *most { Ok(said) } else { Err(AnswerHeard::NotOffered) }
    }

    #[tokio::test]
    async fn the_first_answer_that_fits_counts_and_no_other() {
        let (questions, ear, id) = (OpenQuestions::new("ask"), Ear::default(), AskId("ask-1".to_owned()));
        assert_eq!(questions.answer(&id, fit(1)), AnswerHeard::TooLate, "nothing was asked");
        let answers = async {
            assert_eq!(*ear.0.lock().unwrap(), 2, "it is shown before it is answered");
            assert_eq!(questions.answer(&AskId("ask-2".to_owned()), fit(1)), AnswerHeard::TooLate);
            assert_eq!(questions.answer(&id, fit(3)), AnswerHeard::NotOffered);
            assert!(questions.is_open(&id));
            assert_eq!(questions.answer(&id, fit(1)), AnswerHeard::Taken);
            assert_eq!(questions.answer(&id, fit(2)), AnswerHeard::TooLate);
            assert!(!questions.is_open(&id));
        };
        let (said, ()) = tokio::join!(biased; questions.ask(&ear, None, shown), answers);
        assert_eq!(said, (id, QuestionEnd::Answered(1)));
        assert_eq!(*ear.0.lock().unwrap(), 3);
    }

    #[tokio::test]
    async fn what_nobody_waits_for_cannot_be_answered() {
        let (questions, ear) = (OpenQuestions::new("ask"), Ear::default());
        let time = Duration::from_millis(1);
        let (id, said) = questions.ask(&ear, Some(time), shown).await;
        // What does not fit is too late all the same: the question is gone.
        assert_eq!((questions.answer(&id, fit(3)), said), (AnswerHeard::TooLate, QuestionEnd::TimedOut(time)));
        tokio::select! {
            biased;
            _ = questions.ask(&ear, None, shown) => {}
            () = std::future::ready(()) => {}
        }
        assert_eq!(questions.answer(&AskId("ask-2".to_owned()), fit(3)), AnswerHeard::TooLate, "it was taken back");
    }
}
