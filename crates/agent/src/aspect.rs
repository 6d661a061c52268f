//! What stands around the calls and the turns of an agent: undo's look, hooks, checks of what was done.

use crate::ports::{Args, BoxFuture, Class, JournalError, Request, Runs, Stop, Tools, WantsAsked};
use crate::said::Said;
use reasonix_proto::{Action, Decided, FiredRule, FoldReason, TodoPhase, ToolCall, ToolOutcome, TurnEnd};
use std::sync::Arc;

/// Stands around what an agent does. Several stand in a list, and are asked in its order.
pub trait Aspect: Send + Sync {
    /// Something was said that would begin a turn: nothing of it is written down, and no model was asked for anything. Gives it as
    /// it goes on, or the end of the turn that it does not begin. Not asked where nobody but the harness spoke.
    fn before_turn<'a>(&'a self, said: Said, _stop: &'a Stop) -> BoxFuture<'a, Result<Said, TurnEnd>> {
        Box::pin(async { Ok(said) })
    }

    /// Something was said and is about to be written down. Gives it as the model reads it.
    fn before_prompt(&self, _turn: u32, said: Said) -> BoxFuture<'_, Said> {
        Box::pin(async { said })
    }

    /// What was said is written down, and no model was asked yet. Does what is to be done before that: gives what the model reads
    /// of it, or how the turn ends.
    fn before_model<'a>(&'a self, _turn: u32, _stop: &'a Stop) -> BoxFuture<'a, Option<Result<String, TurnEnd>>> {
        Box::pin(async { None })
    }

    /// Something was said into the running turn. Gives it as the model reads it; none when it is not to.
    fn before_steer(&self, _turn: u32, said: Said) -> BoxFuture<'_, Option<Said>> {
        Box::pin(async { Some(said) })
    }

    /// An answer is about to be asked for. Gives who hears it as it comes; none when nobody does.
    fn listener(&self, _turn: u32, _tools: &Tools) -> Option<Box<dyn Listener>> {
        None
    }

    /// A step begins, not the first. Gives what the model should read before it.
    fn before_step(&self, _turn: u32) -> BoxFuture<'_, Option<String>> {
        Box::pin(async { None })
    }

    /// The calls of an answer of this model are about to be judged. What is asked for gives what was said so far, up to that
    /// answer, as a request has it.
    fn before_calls(&self, _so_far: &dyn Fn() -> Request, _model: &str) {}

    /// A call is about to be judged. Other arguments in its place are judged like those of a call.
    fn before_call<'a>(&'a self, _about: About<'a>) -> BoxFuture<'a, Wish> {
        Box::pin(async { Wish::Go })
    }

    /// A call was allowed. It runs when the future resolves.
    fn before_run<'a>(&'a self, _about: About<'a>) -> BoxFuture<'a, ()> {
        Box::pin(async {})
    }

    /// A call has run. Gives what counts as its outcome.
    fn after_call<'a>(&'a self, _about: About<'a>, outcome: ToolOutcome) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async { outcome })
    }

    /// A call came to its end, once: unlike a reader's that wanted to write and runs again. Gives what counts as its outcome.
    fn at_outcome<'a>(&'a self, _about: About<'a>, outcome: ToolOutcome) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async { outcome })
    }

    /// The conversation is about to be folded, with what the user wants kept. False when it is not to be.
    fn before_fold<'a>(&'a self, _reason: FoldReason, _instructions: &'a str) -> BoxFuture<'a, bool> {
        Box::pin(async { true })
    }

    /// True when what its check says sends the model back to its work, which may happen only so often in a turn.
    fn sends_back(&self) -> bool {
        true
    }

    /// The model has nothing more to do. May run a command first; gives what the model should read before the turn may end.
    fn check<'a>(&'a self, _turn: u32, _runs: &'a dyn Runs) -> BoxFuture<'a, Result<Option<String>, JournalError>> {
        Box::pin(async { Ok(None) })
    }

    /// The model has nothing more to do. Gives what it should read before the turn may end; it is asked again then.
    fn before_end<'a>(&'a self, _turn: u32, _end: &'a TurnEnd) -> BoxFuture<'a, Option<String>> {
        Box::pin(async { None })
    }

    /// The tool that the next answer has to call, as far as the wire can say so.
    fn must_call(&self) -> Option<String> {
        None
    }

    /// The calls of a step have run. Gives why the turn is over then; none where it goes on.
    fn over(&self) -> Option<TurnOver> {
        None
    }

    /// The todo list as the session has it, where somebody but the model may have changed it. Asked before the conversation is folded.
    fn todo(&self) -> Option<Vec<TodoPhase>> {
        None
    }

    /// The turn has done everything it does, however it ended. Its end is journaled when the future resolves.
    fn at_end(&self, _turn: u32) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// A call, for those who stand around it.
#[derive(Clone, Copy)]
pub struct About<'a> {
    /// The turn.
    pub turn: u32,
    /// The call as the model made it.
    pub call: &'a ToolCall,
    /// The name of the tool.
    pub tool: &'a str,
    /// Its arguments.
    pub args: &'a Args,
    /// What it would do.
    pub action: &'a Action,
    /// What it was judged to be.
    pub class: Class,
}

/// Hears one answer as it comes.
pub trait Listener: Send {
    /// A piece came. True when the answer is to stop at once.
    fn hear(&mut self, piece: HeardPiece<'_>) -> bool;

    /// The answer came to its end, or was stopped by this one; these are its calls. Gives what there is to say against it. Not
    /// asked about an answer that failed or was interrupted.
    fn over(self: Box<Self>, calls: &[ToolCall]) -> Option<Objection>;
}

/// A piece of an answer.
#[derive(Debug, Clone, Copy)]
pub enum HeardPiece<'a> {
    /// Of what the model says.
    Text(&'a str),
    /// Of what it thinks.
    Thinking(&'a str),
    /// Of the arguments of a call.
    Arguments {
        /// The call's place in the answer.
        index: usize,
        /// The tool as far as it is known.
        name: &'a str,
        /// The piece.
        delta: &'a str,
    },
    /// A whole call. They come in the order of their places.
    Call(&'a ToolCall),
    /// What came so far does not count.
    Anew,
}

/// What there is to say against an answer: it stops, and the model answers again.
#[derive(Debug, Clone, PartialEq)]
pub struct Objection {
    /// The rules that it goes against.
    pub rules: Vec<FiredRule>,
    /// What the model reads before it answers again.
    pub text: String,
    /// The answer leaves the conversation. Nobody has sent it anywhere yet.
    pub discard: bool,
}

/// What an aspect wants of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
    /// It goes on.
    Go,
    /// It does not run.
    Deny {
        /// To be journaled.
        record: Decided,
        /// What the model reads.
        message: String,
    },
    /// It goes on with these arguments; they are classified, and pass the gate.
    Instead(Args),
    /// It goes on, with these arguments where there are some, and a person is asked even where nobody would have been.
    Ask {
        /// Who wants that, and why.
        wants: WantsAsked,
        /// Other arguments.
        args: Option<Args>,
    },
}

/// Why a turn is over although the model has something to call.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnOver {
    /// What it is for is there: nobody is asked for a last word.
    Reached,
    /// It goes nowhere. The model says a last word.
    Stopped {
        /// What the model reads.
        why: String,
        /// How the turn ended.
        end: TurnEnd,
    },
}

/// So often what stands around a turn may keep it from ending.
const MOST_RETURNS: u32 = 16;

/// Those who stand around an agent, in their order.
#[derive(Clone, Default)]
pub struct Aspects(Vec<Arc<dyn Aspect>>);

impl Aspects {
    /// These, behind those that are there.
    pub fn extend(&mut self, more: impl IntoIterator<Item = Arc<dyn Aspect>>) {
        self.0.extend(more);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<dyn Aspect>> {
        self.0.iter()
    }

    /// What was said, as it goes on; or why it begins no turn: the first word of those against it.
    pub(crate) async fn before_turn(&self, mut said: Said, stop: &Stop) -> Result<Said, TurnEnd> {
        for aspect in &self.0 {
            said = aspect.before_turn(said, stop).await?;
        }
        Ok(said)
    }

    /// What the model reads of what was said.
    pub(crate) async fn before_prompt(&self, turn: u32, mut said: Said) -> Said {
        for aspect in &self.0 {
            said = aspect.before_prompt(turn, said).await;
        }
        said
    }

    /// What was done before a model is asked: by the first of them that does something.
    pub(crate) async fn before_model(&self, turn: u32, stop: &Stop) -> Option<Result<String, TurnEnd>> {
        for aspect in &self.0 {
            if let Some(done) = aspect.before_model(turn, stop).await {
                return Some(done);
            }
        }
        None
    }

    /// What the model reads of what was said into the turn.
    pub(crate) async fn before_steer(&self, turn: u32, mut said: Said) -> Option<Said> {
        for aspect in &self.0 {
            said = aspect.before_steer(turn, said).await?;
        }
        Some(said)
    }

    /// Who hears the next answer.
    pub(crate) fn listener(&self, turn: u32, tools: &Tools) -> Option<Box<dyn Listener>> {
        self.0.iter().find_map(|aspect| aspect.listener(turn, tools))
    }

    /// What the model should read before its next step.
    pub(crate) async fn before_step(&self, turn: u32) -> Vec<String> {
        let mut texts = Vec::new();
        for aspect in &self.0 {
            texts.extend(aspect.before_step(turn).await);
        }
        texts
    }

    /// The calls of an answer are about to be judged.
    pub(crate) fn before_calls(&self, so_far: &dyn Fn() -> Request, model: &str) {
        self.0.iter().for_each(|aspect| aspect.before_calls(so_far, model));
    }

    /// Whether the conversation may be folded. Where it does not fit any more it has to be, whatever is said of it.
    pub(crate) async fn before_fold(&self, reason: FoldReason, instructions: &str) -> bool {
        for aspect in &self.0 {
            if !aspect.before_fold(reason, instructions).await && reason != FoldReason::Overflow {
                return false;
            }
        }
        true
    }

    /// Returns when everything was looked at that has to be before a call runs.
    pub(crate) async fn before_run(&self, about: About<'_>) {
        for aspect in &self.0 {
            aspect.before_run(about).await;
        }
    }

    /// The outcome of a call as those around it see it.
    pub(crate) async fn after_call(&self, about: About<'_>, mut outcome: ToolOutcome) -> ToolOutcome {
        for aspect in &self.0 {
            outcome = aspect.after_call(about, outcome).await;
        }
        outcome
    }

    /// The outcome of a call that has come to its end.
    pub(crate) async fn at_outcome(&self, about: About<'_>, mut outcome: ToolOutcome) -> ToolOutcome {
        for aspect in &self.0 {
            outcome = aspect.at_outcome(about, outcome).await;
        }
        outcome
    }

    /// What keeps the turn from ending: the first word of those around it. `returns` counts how often there was one.
    pub(crate) async fn before_end(&self, turn: u32, end: &TurnEnd, returns: &mut u32) -> Option<String> {
        if *returns >= MOST_RETURNS {
            return None;
        }
        for aspect in &self.0 {
            if let Some(text) = aspect.before_end(turn, end).await {
                *returns += 1;
                return Some(text);
            }
        }
        None
    }

    /// The tool that the next answer has to call.
    pub(crate) fn must_call(&self) -> Option<String> {
        self.0.iter().find_map(|aspect| aspect.must_call())
    }

    /// Why the turn is over behind the calls of a step.
    pub(crate) fn over(&self) -> Option<TurnOver> {
        self.0.iter().find_map(|aspect| aspect.over())
    }

    /// The todo list as the session has it.
    pub(crate) fn todo(&self) -> Option<Vec<TodoPhase>> {
        self.0.iter().find_map(|aspect| aspect.todo())
    }

    /// What a check of those around the turn found, which the model should read.
    pub(crate) async fn check(
        &self,
        turn: u32,
        runs: &dyn Runs,
        returns: &mut u32,
    ) -> Result<Option<String>, JournalError> {
        for aspect in &self.0 {
            let counts = aspect.sends_back();
            if counts && *returns >= MOST_RETURNS {
                continue;
            }
            if let Some(text) = aspect.check(turn, runs).await? {
                *returns += u32::from(counts);
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// Everything that the turn does is done.
    pub(crate) async fn at_end(&self, turn: u32) {
        for aspect in &self.0 {
            aspect.at_end(turn).await;
        }
    }
}
