//! Whoever can be asked by a tool, and what they were asked; the first answer counts, whichever front end it comes from.

use reasonix_agent::{Journal, Sink};
use reasonix_gate::{AnswerHeard, OpenQuestions, QuestionEnd, Stance, Stands};
use reasonix_proto::{AskId, CallId, ClientId, Event, Inquiry, Mode, PlanAnswer, Question, Response};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// An answer, and the front end that it came from, where that said its name.
pub type FromClient<T> = (T, Option<ClientId>);

/// The people at the other end of a session.
pub struct People {
    /// What they hear by, and what their words act on; none where nobody can answer.
    pub floor: Option<Floor>,
    /// How long an answer to a question is waited for.
    patience: Option<Duration>,
    inquiries: OpenQuestions<FromClient<Vec<Response>>>,
    /// The plans that wait for them.
    pub plans: OpenQuestions<FromClient<PlanAnswer>>,
    /// One thing is asked at a time.
    pub turn: tokio::sync::Mutex<()>,
    /// A plan was approved, which is not on the log yet; and whether planning goes on all the same.
    pub approved: Mutex<Option<bool>>,
}

/// Who puts a question to people.
#[derive(Clone, Copy)]
pub enum Asker<'a> {
    /// The model, with this call.
    Model(&'a CallId),
    /// The same, behind a step of a plan.
    Step(&'a CallId),
    /// The MCP server of this name.
    Server(&'a str),
}

/// Says that questions are over, however that comes about: whoever shows them takes them off the screen.
struct InquiryOver<'a> {
    sink: &'a dyn Sink,
    /// None until they are shown.
    ask: Option<AskId>,
    answered: Option<Option<ClientId>>,
}

impl Drop for InquiryOver<'_> {
    fn drop(&mut self) {
        if let Some(ask) = self.ask.take() {
            let (answered, client) = (self.answered.is_some(), self.answered.take().flatten());
            self.sink.emit(Event::InquiryOver { ask, answered, client });
        }
    }
}

/// What people hear by, and what keeps their words.
pub struct Floor {
    /// Where questions are shown.
    pub sink: Arc<dyn Sink>,
    /// Where answers are written down.
    pub journal: Arc<dyn Journal>,
    /// How strict the session is at the moment.
    pub stance: Box<dyn Stands>,
}

/// Nobody.
impl Default for People {
    fn default() -> Self {
        Self::new(None, 0)
    }
}

impl People {
    /// People who are given so many seconds for an answer to a question; 0 for as long as they want.
    pub fn new(floor: Option<Floor>, seconds: u64) -> Self {
        let patience = (seconds > 0).then(|| Duration::from_secs(seconds));
        let (inquiries, plans) = (OpenQuestions::new("inquiry"), OpenQuestions::new("plan"));
        Self { floor, patience, inquiries, plans, turn: tokio::sync::Mutex::default(), approved: Mutex::default() }
    }

    /// Puts questions to them and waits. Dropping the future takes the questions back.
    pub async fn inquire(&self, asker: Asker<'_>, questions: Vec<Question>) -> QuestionEnd<FromClient<Vec<Response>>> {
        let Some(Floor { sink, .. }) = &self.floor else { return QuestionEnd::Nobody };
        let _alone = self.turn.lock().await;
        let mut over = InquiryOver { sink: sink.as_ref(), ask: None, answered: None };
        let shown = |ask: &AskId| {
            over.ask = Some(ask.clone());
            let step = matches!(asker, Asker::Step(_));
            let (call, server) = match asker {
                Asker::Model(call) | Asker::Step(call) => (call.clone(), None),
                Asker::Server(name) => (CallId::from(format!("mcp:{name}").as_str()), Some(name.to_owned())),
            };
            let inquiry = Inquiry { ask: ask.clone(), call, server, step, questions };
            ((), Event::Inquired { inquiry: Box::new(inquiry) })
        };
        let end = self.inquiries.ask(sink.as_ref(), self.patience(asker), shown).await.1;
        if let QuestionEnd::Answered((_, client)) = &end {
            over.answered = Some(client.clone());
        }
        end
    }

    /// How long this one waits. Silence is no yes: what is agreed on, behind a step or while planning, waits for a word.
    fn patience(&self, asker: Asker<'_>) -> Option<Duration> {
        let planning = self.stance().is_some_and(|stance| stance.mode == Mode::Plan);
        self.patience.filter(|_| !planning && !matches!(asker, Asker::Step(_)))
    }

    /// How strict the session is; none where nobody can answer.
    pub fn stance(&self) -> Option<Stance> {
        self.floor.as_ref().map(|floor| floor.stance.stance())
    }

    /// True while somebody waits for an answer to these questions.
    pub fn awaits(&self, ask: &AskId) -> bool {
        self.inquiries.is_open(ask)
    }

    /// Takes an answer. False when it comes too late, or to nothing.
    pub fn respond(&self, ask: &AskId, responses: Vec<Response>, client: Option<ClientId>) -> bool {
        self.inquiries.answer(ask, |()| Ok((responses, client))) == AnswerHeard::Taken
    }

    /// Takes an answer to a plan. False when it comes too late, or to nothing.
    pub fn answer_plan(&self, ask: &AskId, answer: PlanAnswer, client: Option<ClientId>) -> bool {
        let approves = matches!(answer, PlanAnswer::Approve { .. });
        let taken = self.plans.answer(ask, |()| Ok((answer, client))) == AnswerHeard::Taken;
        if taken && approves {
            *self.approved.lock().unwrap_or_else(PoisonError::into_inner) = Some(false);
        }
        taken
    }

    /// Planning is to go on. True when that is said behind a yes to a plan that is not on the log yet: then it is written
    /// after it, because the yes would end what was only said to go on.
    pub fn plans_on(&self) -> bool {
        let mut approved = self.approved.lock().unwrap_or_else(PoisonError::into_inner);
        approved.as_mut().map(|goes_on| *goes_on = true).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{Asker, Floor, People};
    use reasonix_agent::{BoxFuture, Journal, JournalError, Sink};
    use reasonix_gate::{QuestionEnd, Stance};
    use reasonix_proto::{CallId, Event, Mode, Question, Record, RecordBody};
    use std::sync::Arc;
    use std::time::Duration;

    struct Deaf;

    impl Sink for Deaf {
        fn emit(&self, _event: Event) {}
    }

    impl Journal for Deaf {
        fn append(&self, _body: RecordBody) -> BoxFuture<'static, Result<Record, JournalError>> {
            Box::pin(std::future::pending())
        }
    }

    /// People who say nothing, and have no time at all for an answer.
    fn silent(mode: Mode) -> People {
        let stance = Box::new(Stance { mode, ..Stance::default() });
        let mut people = People::new(Some(Floor { sink: Arc::new(Deaf), journal: Arc::new(Deaf), stance }), 1);
        people.patience = Some(Duration::ZERO);
        people
    }

    /// True when it still waits.
    async fn waits<T>(said: impl Future<Output = QuestionEnd<T>>) -> bool {
        match tokio::time::timeout(Duration::from_millis(50), said).await {
            Err(_) => true,
            Ok(QuestionEnd::TimedOut(_)) => false,
            Ok(_) => panic!("nobody said anything"),
        }
    }

    #[tokio::test]
    async fn silence_settles_a_question_and_neither_a_plan_nor_a_step() {
        let call = CallId::from("call-1");
        for (asker, mode, patient) in [
            (Asker::Model(&call), Mode::Build, false),
            (Asker::Server("docs"), Mode::Build, false),
            (Asker::Step(&call), Mode::Build, true),
            (Asker::Model(&call), Mode::Plan, true),
            (Asker::Server("docs"), Mode::Plan, true),
        ] {
            let people = silent(mode);
            assert_eq!(waits(people.inquire(asker, Vec::<Question>::new())).await, patient, "{mode:?}");
        }
        for (mode, revises) in [(Mode::Plan, false), (Mode::Build, false), (Mode::Build, true)] {
            let people = silent(mode);
            assert!(waits(people.propose(&call, ("# Do it", &[]), revises)).await, "{mode:?} {revises}");
        }
    }
}
