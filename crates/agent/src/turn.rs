//! A turn: a prompt is admitted, steps follow until the model has nothing more to call, and one record ends it.

use crate::aspect::{Aspects, TurnOver};
use crate::compact::{Compaction, Need};
use crate::context::{DONE_FIRST, HANDED_BACK};
use crate::conversation::{Conversation, Inbox};
use crate::dispatch::{Tally, complete, dispatch, prepare, wished};
use crate::fold::Answer;
use crate::ports::{
    AnswerForm, Artifacts, BoxFuture, Budget, Classify, Gate, HeldTokens, Journal, JournalError, Model, Purpose,
    Router, Runs, Sink, Stop, Tools,
};
use crate::said::Said;
use crate::step::{answer, objected, report};
use crate::storm::Storm;
use reasonix_proto::{
    CallId, Event, FailureClass, FoldReason, Level, Message, Phrase, RecordBody, StopReason, ToolCall, ToolOutcome,
    TurnEnd, TurnRefusal, TurnState, Usage,
};
use std::sync::Arc;
use std::time::Duration;
use tracing::Instrument;

/// How often a request that does not fit is tried again with less.
const SQUEEZES: u32 = 4;

/// What a turn runs with.
pub struct Agent {
    /// Who says which model answers.
    pub router: Arc<dyn Router>,
    /// What it can call.
    pub tools: Tools,
    /// What tells what calls are.
    pub classify: Arc<dyn Classify>,
    /// What decides about calls.
    pub gate: Arc<dyn Gate>,
    /// What keeps records.
    pub journal: Arc<dyn Journal>,
    /// What keeps cut output.
    pub artifacts: Arc<dyn Artifacts>,
    /// Who watches.
    pub sink: Arc<dyn Sink>,
    /// What stands around its calls and turns.
    pub aspects: Aspects,
    /// What may be spent.
    pub budget: Arc<dyn Budget>,
    /// How far a turn may go.
    pub limits: Limits,
}

/// How far a turn may go.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Rounds of tool calls; 0 means no limit.
    pub max_steps: u32,
    /// How long a turn may take.
    pub turn_timeout: Option<Duration>,
    /// When and how room is made.
    pub compaction: Compaction,
}

/// The running figures of one turn.
#[derive(Default)]
struct Progress {
    turn: u32,
    steps: u32,
    usage: Usage,
    /// What refused the calls, when the last step's calls were all refused.
    refused: Option<Phrase>,
    /// Calls that repeat.
    storm: Storm,
    /// How often something had gone out of the conversation by the last step.
    cuts: u32,
    /// Answers that repeated themselves.
    loops: u32,
    /// The model was told of its open checkpoint.
    reminded: bool,
    /// How often what stands around the turn kept it from ending.
    returns: u32,
    /// The form that its answer has to have.
    form: Option<Arc<AnswerForm>>,
}

/// How often it is asked at most whether the time is up.
const SHORTEST: Duration = Duration::from_millis(10);

impl Agent {
    /// Asks those around this agent about something that a person said, before anything is done about it: gives it with what they
    /// add, or the end of the turn that it does not begin.
    pub fn before_turn<'a>(&'a self, said: Said, stop: &'a Stop) -> BoxFuture<'a, Result<Said, TurnEnd>> {
        Box::pin(self.aspects.before_turn(said, stop))
    }

    /// Runs one turn to its end. Whatever happens, the log afterwards gives a valid next request.
    pub fn turn<'a>(
        &'a self,
        conversation: &'a mut Conversation,
        prompt: Said,
        inbox: &'a Inbox,
        stop: &'a Stop,
    ) -> BoxFuture<'a, TurnEnd> {
        let span = tracing::info_span!("turn", turn = conversation.turns() + 1);
        Box::pin(self.whole_turn(conversation, prompt, inbox, stop).instrument(span))
    }

    async fn whole_turn(&self, conversation: &mut Conversation, prompt: Said, inbox: &Inbox, stop: &Stop) -> TurnEnd {
        let (turn, form) = (conversation.next_turn(), prompt.form.clone());
        let mut progress = Progress { turn, form, ..Progress::default() };
        self.budget.begin();
        let end = match self.recalled(conversation).await {
            Ok(()) => match self.timed(conversation, prompt, inbox, stop, &mut progress).await {
                Ok(end) => end,
                Err(error) => self.broken(&error),
            },
            Err(why) => TurnEnd::Broken { why },
        };
        self.aspects.at_end(progress.turn).await;
        let body = RecordBody::TurnEnded {
            turn: progress.turn,
            end: end.clone(),
            steps: progress.steps,
            usage: progress.usage,
            cost: self.budget.end(),
        };
        let end = match self.journal.append(body).await {
            Ok(record) => {
                self.sink.emit(Event::TurnEnded { record: Box::new(record) });
                end
            }
            Err(error) => self.broken(&error),
        };
        self.state(state_of(&end));
        end
    }

    /// The model that a step, or a folding that is no part of one, is for. Whoever asks passes it on.
    pub(crate) fn model(&self) -> Arc<dyn Model> {
        self.router.model(Purpose::Step)
    }

    /// Whoever would have the next step, for its name and its window. Nothing is sent to it.
    pub(crate) fn measure(&self) -> Arc<dyn Model> {
        self.router.model(Purpose::Measure)
    }

    /// Tells front ends where the turn stands.
    pub(crate) fn state(&self, state: TurnState) {
        self.sink.emit(Event::State { state });
    }

    /// Has the whole conversation at hand; where it cannot be read, everybody is told why.
    pub(crate) async fn recalled(&self, conversation: &mut Conversation) -> Result<(), Phrase> {
        let read = conversation.recall().await;
        if let Err(why) = &read {
            self.sink.emit(Event::Notice { level: Level::Error, phrase: why.clone() });
        }
        read
    }

    pub(crate) fn broken(&self, error: &JournalError) -> TurnEnd {
        let why = error.phrase();
        self.sink.emit(Event::Notice { level: Level::Error, phrase: why.clone() });
        TurnEnd::Broken { why }
    }

    /// The turn against its time limit: when time is up it is stopped like an interrupt, and says why.
    async fn timed(
        &self,
        conversation: &mut Conversation,
        prompt: Said,
        inbox: &Inbox,
        stop: &Stop,
        progress: &mut Progress,
    ) -> Result<TurnEnd, JournalError> {
        let limit = self.limits.turn_timeout.into_iter().chain(self.budget.time_left()).min();
        let Some(limit) = limit else {
            return self.steps(conversation, prompt, inbox, stop, progress).await;
        };
        let stop = stop.child_token();
        let mut timed_out = false;
        let steps = self.steps(conversation, prompt, inbox, &stop, progress);
        tokio::pin!(steps);
        let end = tokio::select! {
            biased;
            end = &mut steps => end,
            () = self.worked(limit) => {
                timed_out = true;
                stop.cancel();
                steps.await
            }
        }?;
        if !timed_out || end != TurnEnd::Interrupted {
            return Ok(end);
        }
        Ok(self.budget.used_up().map_or(TurnEnd::TimedOut, |why| TurnEnd::OutOfBudget { why }))
    }

    /// Waits until a turn that begins now has worked for so long; what a person is waited for does not count.
    async fn worked(&self, limit: Duration) {
        let (begun, before) = (tokio::time::Instant::now(), self.budget.waited());
        loop {
            let waited = self.budget.waited().saturating_sub(before);
            let left = limit.saturating_sub(begun.elapsed().saturating_sub(waited));
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left.max(SHORTEST)).await;
        }
    }

    /// The prompt is on the log, and the turn begins.
    async fn begin(&self, conversation: &mut Conversation, prompt: Said, turn: u32) -> Result<(), JournalError> {
        self.close(conversation, (turn.saturating_sub(1), 0)).await?;
        let prompt = self.aspects.before_prompt(turn, prompt).await;
        let record = self
            .journal
            .append(RecordBody::Prompt { turn, text: prompt.text, typed: prompt.typed, images: prompt.images })
            .await?;
        conversation.apply(&record);
        self.sink.emit(Event::TurnStarted { record: Box::new(record) });
        Ok(())
    }

    async fn steps(
        &self,
        conversation: &mut Conversation,
        prompt: Said,
        inbox: &Inbox,
        stop: &Stop,
        progress: &mut Progress,
    ) -> Result<TurnEnd, JournalError> {
        self.begin(conversation, prompt, progress.turn).await?;
        if let Some(done) = self.aspects.before_model(progress.turn, stop).await
            && let Some(end) = self.told_first(conversation, (progress.turn, 0), done).await?
        {
            return Ok(end);
        }
        loop {
            if self.limits.max_steps > 0 && progress.steps >= self.limits.max_steps {
                let why = format!("The limit of {} steps is reached.", self.limits.max_steps);
                return self.sum_up(conversation, inbox, stop, progress, (&why, TurnEnd::StepLimit)).await;
            }
            if !conversation.waits_for_answer() {
                self.take_steering(conversation, inbox, progress).await?;
            }
            let step = tracing::debug_span!("step", step = progress.steps + 1);
            let asked = self.ask_model(conversation, true, stop, progress).instrument(step.clone());
            let (answer, model) = match asked.await? {
                Ok(answered) => answered,
                Err(end) => return Ok(end),
            };
            if let Some(end) = early_end(&answer) {
                return Ok(end);
            }
            if answer.looped {
                if let Some(end) = self.looped(conversation, progress).await? {
                    return Ok(end);
                }
                continue;
            }
            let Message::Assistant { calls, .. } = &answer.message else { return Ok(TurnEnd::Done) };
            if calls.is_empty() {
                match self.ended(conversation, inbox, stop, progress).await? {
                    Some(end) => return Ok(end),
                    None => continue,
                }
            }
            progress.steps += 1;
            let work = (calls.as_slice(), answer.repairs.as_slice());
            if std::mem::replace(&mut progress.cuts, conversation.cuts()) != conversation.cuts() {
                progress.storm.forget();
            }
            progress.storm.begin();
            let called = dispatch(self, conversation, (model.as_ref(), work), &mut progress.storm, stop);
            let tally = called.instrument(step).await?;
            report(self, (progress.turn, progress.steps), &tally.repairs).await?;
            self.explored(conversation, &tally).await?;
            progress.refused = tally.denied.filter(|_| tally.ran == 0);
            if stop.is_cancelled() {
                self.close(conversation, (progress.turn, progress.steps + 1)).await?;
                return Ok(TurnEnd::Interrupted);
            }
            if let Some(end) = self.over(conversation, inbox, stop, progress).await? {
                return Ok(end);
            }
        }
    }

    /// The end of a turn whose model calls nothing more; none when it has something to read first.
    async fn ended(
        &self,
        conversation: &mut Conversation,
        inbox: &Inbox,
        stop: &Stop,
        progress: &mut Progress,
    ) -> Result<Option<TurnEnd>, JournalError> {
        if !inbox.is_empty() || self.remind(conversation, progress.turn, &mut progress.reminded).await? {
            return Ok(None);
        }
        let runner = Runner { agent: self, turn: progress.turn, stop };
        if let Some(text) = self.aspects.check(progress.turn, &runner, &mut progress.returns).await? {
            self.note(conversation, progress.turn, text, false).await?;
            return Ok(None);
        }
        // Somebody may have spoken while a check ran.
        if stop.is_cancelled() {
            return Ok(Some(TurnEnd::Interrupted));
        }
        if !inbox.is_empty() {
            return Ok(None);
        }
        let end = natural_end(progress);
        let Some(text) = self.aspects.before_end(progress.turn, &end, &mut progress.returns).await else {
            return Ok(Some(end));
        };
        self.note(conversation, progress.turn, text, false).await?;
        Ok(None)
    }

    /// The end of a turn behind the calls of a step: it has what it is for, or goes nowhere. None where it goes on.
    async fn over(
        &self,
        conversation: &mut Conversation,
        inbox: &Inbox,
        stop: &Stop,
        progress: &mut Progress,
    ) -> Result<Option<TurnEnd>, JournalError> {
        let storm = progress.storm.is_over().then(stormed);
        match self.aspects.over().or(storm) {
            None => Ok(None),
            Some(TurnOver::Reached) => {
                let objection = self.aspects.before_end(progress.turn, &TurnEnd::Done, &mut progress.returns).await;
                let Some(text) = objection else {
                    return self.handed_back(conversation, (progress.turn, progress.steps + 1)).await.map(Some);
                };
                self.note(conversation, progress.turn, text, false).await?;
                Ok(None)
            }
            Some(TurnOver::Stopped { why, end }) => {
                self.sum_up(conversation, inbox, stop, progress, (&why, end)).await.map(Some)
            }
        }
    }

    /// What was done before a model is asked is read by it; or the turn ends with that. Between the prompt and what came of it
    /// stands a word of ours, because some chat templates refuse two user messages in a row.
    async fn told_first(
        &self,
        conversation: &mut Conversation,
        place: (u32, u32),
        done: Result<String, TurnEnd>,
    ) -> Result<Option<TurnEnd>, JournalError> {
        match done {
            Ok(text) => {
                self.say(conversation, place, DONE_FIRST).await?;
                self.note(conversation, place.0, text, false).await?;
                Ok(None)
            }
            Err(end) => {
                self.close(conversation, place).await?;
                Ok(Some(end))
            }
        }
    }

    /// The turn has what it is for. Like every turn it ends with an answer, for which nobody is asked.
    async fn handed_back(&self, conversation: &mut Conversation, place: (u32, u32)) -> Result<TurnEnd, JournalError> {
        self.say(conversation, place, HANDED_BACK).await?;
        Ok(TurnEnd::Done)
    }

    /// A word of ours in the place of an answer.
    async fn say(
        &self,
        conversation: &mut Conversation,
        (turn, step): (u32, u32),
        text: &str,
    ) -> Result<(), JournalError> {
        let (text, stop) = (text.to_owned(), StopReason::End);
        let message = Message::Assistant { text, reasoning: None, calls: Vec::new(), stop };
        let model = self.measure().card().name.clone();
        let record = self.journal.append(RecordBody::Assistant { turn, step, model, message, usage: None }).await?;
        conversation.apply(&record);
        Ok(())
    }

    /// An answer repeated itself: the first time the model is told, the second time the turn ends.
    async fn looped(
        &self,
        conversation: &mut Conversation,
        progress: &mut Progress,
    ) -> Result<Option<TurnEnd>, JournalError> {
        progress.loops += 1;
        if progress.loops > 1 {
            return Ok(Some(TurnEnd::Refused { kind: TurnRefusal::TextLoop, why: Phrase::new("agent.text_loop") }));
        }
        let text = "[Your answer repeated itself and was cut. Go on without repeating; if you cannot, say so briefly.]";
        self.note(conversation, progress.turn, text.to_owned(), false).await?;
        Ok(None)
    }

    /// One answer, and the model that was asked for it; or the end of the turn, when nothing more may be spent on one.
    async fn ask_model(
        &self,
        conversation: &mut Conversation,
        may_call: bool,
        stop: &Stop,
        progress: &mut Progress,
    ) -> Result<Result<(Answer, Arc<dyn Model>), TurnEnd>, JournalError> {
        let mut model = self.model();
        if self.budget.used_up().is_none() {
            model = self.make_room(conversation, (progress.turn, model), stop).await?;
        }
        let mut squeeze = 0;
        loop {
            let name = model.card().name.clone();
            conversation.asks(&name);
            let held = tokio::select! {
                biased;
                held = self.budget.reserve(&name, conversation.tokens()) => held,
                // Whoever answers sees that, too.
                () = stop.cancelled() => Ok(HeldTokens::default()),
            };
            let held = match held {
                Ok(held) => held,
                Err(why) => {
                    self.close(conversation, (progress.turn, progress.steps + 1)).await?;
                    return Ok(Err(TurnEnd::OutOfBudget { why }));
                }
            };
            let place = (progress.turn, progress.steps + 1);
            // What is said in a few words at a limit is not the answer.
            let form = progress.form.as_ref().filter(|_| may_call);
            let mut answer = answer(self, conversation, place, (model.as_ref(), may_call, form), stop).await?;
            drop(held);
            progress.usage.add(answer.usage.unwrap_or_default());
            if let Some(objection) = answer.objection.take() {
                objected(self, conversation, place, (objection, answer.before, answer.usage)).await?;
                // The next request is another one, and what was decided while this was answered is for it.
                model = self.model();
                continue;
            }
            let overflow = answer.failure.as_ref().is_some_and(|failure| failure.class == FailureClass::ContextTooLong);
            if !overflow || !self.limits.compaction.auto || squeeze == SQUEEZES {
                return Ok(Ok((answer, model)));
            }
            let larger = self.promoted(progress.turn).await?;
            let makes_room = larger.as_ref().is_some_and(|larger| self.has_room(conversation, larger.as_ref()));
            // What was decided while it answered is for the next request.
            model = larger.unwrap_or_else(|| self.model());
            if makes_room {
                continue;
            }
            let (turn, own) = (progress.turn, &model);
            if let Some(window) = answer.failure.as_ref().and_then(|failure| failure.window) {
                conversation.asks(&own.card().name);
                conversation.did_not_fit(window);
            }
            let need = Need { turn, own, reason: FoldReason::Overflow, instructions: None, squeeze };
            if !self.compact(conversation, need, stop).await? {
                return Ok(Ok((answer, model)));
            }
            squeeze += 1;
        }
    }

    /// Steering messages and news enter between steps, where every call has its outcome; all that wait become one note,
    /// because some chat templates refuse two user messages in a row.
    async fn take_steering(
        &self,
        conversation: &mut Conversation,
        inbox: &Inbox,
        Progress { turn, storm, .. }: &mut Progress,
    ) -> Result<(), JournalError> {
        let turn = *turn;
        let (said, mut news) = (self.steered(inbox, turn).await, inbox.news());
        let (by_user, told) = (said.is_some(), news.len());
        match (by_user, told) {
            (true, _) => *storm = Storm::default(),
            (false, 0) => {}
            (false, _) => storm.forget(),
        }
        news.extend(self.aspects.before_step(turn).await);
        if news.is_empty() && !by_user {
            return Ok(());
        }
        let said = said.unwrap_or_else(|| Said::from(String::new()));
        self.note(conversation, turn, said.after_news(news), by_user).await?;
        inbox.news_kept(told);
        Ok(())
    }

    /// What was said into the turn, as the model may read it.
    async fn steered(&self, inbox: &Inbox, turn: u32) -> Option<Said> {
        self.aspects.before_steer(turn, inbox.take()?).await
    }

    pub(crate) async fn note(
        &self,
        conversation: &mut Conversation,
        turn: u32,
        said: impl Into<Said>,
        by_user: bool,
    ) -> Result<(), JournalError> {
        let Said { text, typed, images, .. } = said.into();
        let record = self.journal.append(RecordBody::Note { turn, text, typed, images, by_user }).await?;
        conversation.apply(&record);
        self.sink.emit(Event::Noted { record: Box::new(record) });
        Ok(())
    }

    /// One last answer in words; calls in it are neither run nor kept.
    async fn sum_up(
        &self,
        conversation: &mut Conversation,
        inbox: &Inbox,
        stop: &Stop,
        progress: &mut Progress,
        (why, end): (&str, TurnEnd),
    ) -> Result<TurnEnd, JournalError> {
        let end_now = format!(
            "[{why} Do not call tools. Say in a few sentences what is done, what is not, and what comes next.]"
        );
        // What the user said meanwhile goes along as what it is: with its pictures, and as it was typed.
        let (said, by_user) = match self.steered(inbox, progress.turn).await {
            Some(said) => {
                let (typed, text) = (Some(said.typed().to_owned()), format!("{}\n\n{end_now}", said.text));
                (Said { text, typed, ..said }, true)
            }
            None => (Said::from(end_now), false),
        };
        self.note(conversation, progress.turn, said, by_user).await?;
        let answer = self.ask_model(conversation, false, stop, progress).await?;
        Ok(answer.map_or_else(|spent| spent, |(answer, _)| early_end(&answer).unwrap_or(end)))
    }

    /// Completes what an interrupt or a failed disk left open, so that the next request is valid.
    pub(crate) async fn close(&self, conversation: &mut Conversation, place: (u32, u32)) -> Result<(), JournalError> {
        for body in conversation.missing(place, &self.measure().card().name) {
            let record = self.journal.append(body).await?;
            conversation.apply(&record);
        }
        Ok(())
    }
}

/// Runs commands for whoever stands around a turn.
struct Runner<'a> {
    agent: &'a Agent,
    turn: u32,
    stop: &'a Stop,
}

impl Runs for Runner<'_> {
    fn can_run(&self) -> bool {
        self.agent.tools.shell().is_some() && self.goes_on()
    }

    fn goes_on(&self) -> bool {
        !self.stop.is_cancelled()
    }

    fn stopped(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.stop.cancelled())
    }

    fn run<'a>(
        &'a self,
        id: &'a CallId,
        (line, seconds): (&'a str, u64),
    ) -> BoxFuture<'a, Result<(u64, ToolOutcome), JournalError>> {
        Box::pin(async move {
            let Self { agent, turn, stop } = *self;
            agent.state(TurnState::ToolRunning);
            let name = agent.tools.shell().map(|tool| tool.spec().name.clone()).unwrap_or_default();
            let arguments =
                serde_json::json!({ "command": line, "timeout_seconds": seconds, "to_its_end": true }).to_string();
            let call = ToolCall { id: id.clone(), name, arguments };
            let mut tally = Tally::default();
            let ready = prepare(agent, &call, None, &mut Storm::default(), &mut Vec::new());
            let ready = wished(agent, ready, turn, stop, &mut tally).await?;
            match complete(agent, ready, (agent.measure().as_ref(), false, turn), stop, &mut tally).await? {
                RecordBody::Outcome { took_ms, outcome, .. } => Ok((took_ms, outcome)),
                _ => Ok((0, ToolOutcome::Aborted)),
            }
        })
    }
}

/// The end of a turn whose calls repeat.
fn stormed() -> TurnOver {
    let end = TurnEnd::Refused { kind: TurnRefusal::Storm, why: Phrase::new("agent.storm") };
    TurnOver::Stopped { why: "The same calls were made again and again, so the turn ends here.".to_owned(), end }
}

/// The end of a turn whose answer is not whole.
fn early_end(answer: &Answer) -> Option<TurnEnd> {
    if let Some(failure) = &answer.failure {
        return Some(TurnEnd::ProviderFailed { class: failure.class, why: failure.phrase.clone() });
    }
    match answer.message {
        Message::Assistant { stop: StopReason::Interrupted, .. } => Some(TurnEnd::Interrupted),
        _ => None,
    }
}

fn natural_end(progress: &mut Progress) -> TurnEnd {
    match progress.refused.take() {
        Some(why) => TurnEnd::Refused { kind: TurnRefusal::Call, why },
        None => TurnEnd::Done,
    }
}

pub(crate) fn state_of(end: &TurnEnd) -> TurnState {
    match end {
        TurnEnd::Done | TurnEnd::StepLimit | TurnEnd::OutOfBudget { .. } | TurnEnd::Refused { .. } => TurnState::Done,
        TurnEnd::Interrupted => TurnState::Aborted,
        TurnEnd::TimedOut => TurnState::TimedOut,
        TurnEnd::ProviderFailed { .. } | TurnEnd::Broken { .. } => TurnState::Error,
    }
}
