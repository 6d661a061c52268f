//! From the records of one branch to its conversation. Pure: the same records give the same messages.

use crate::earlier::EarlierMessages;
use crate::header::{Header, Kind};
use crate::shape::Shape;
use reasonix_agent::{Measures, NO_ANSWER, folded_messages, heal, into_message, message_tokens, outcome_text};
use reasonix_proto::{
    Break, CallId, ChildRun, Compacted, FiredSoFar, FoldReason, GoalInfo, JobInfo, Message, Mode, Origin, Record,
    RecordBody, Requested, SessionHead, SessionId, StopReason, TodoPhase, ToolCall, ToolOutcome, TurnEnd, Usage,
};
use std::collections::HashSet;
use std::io;

/// Tokens, by estimate, of a conversation that is held whole: about a megabyte. More than that hardly any model is sent.
const MOST_HELD: u64 = 256 * 1024;

/// What a branch tells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// What the session started from; none when its record is lost.
    pub head: Option<SessionHead>,
    /// The conversation, or its last messages from something the user said on. Every call has an id of its own and is answered
    /// exactly once, right after its message; the user speaks first, and nobody twice in a row, whatever is missing in the log.
    pub messages: Vec<Message>,
    /// The number of the last turn on this branch.
    pub turns: u32,
    /// All requests of this branch together.
    pub usage: Usage,
    /// Tokens of the last request and its answer.
    pub context: u64,
    /// The last folding on the way to the leaf; the first messages come from it.
    pub folded: Option<Compacted>,
    /// The last request.
    pub requested: Option<Requested>,
    /// How models counted the requests.
    pub measures: Measures,
    /// Why the next one will not extend it, where that is known.
    pub broke: Option<Break>,
    /// The todo list as it was last left.
    pub todo: Option<Vec<TodoPhase>>,
    /// The model that was last in use, as `provider/model`.
    pub model: String,
    /// The session of the planner, where one planned.
    pub planner: Option<SessionId>,
    /// The subagents that were started, as they were last written down, in the order they began.
    pub children: Vec<ChildRun>,
    /// How hard it was told to think.
    pub effort: Option<String>,
    /// What the model may do.
    pub mode: Mode,
    /// The same as it was when the model was last prompted: what it knows of it.
    pub told: Mode,
    /// The agent that is at work; empty for `build`.
    pub agent: String,
    /// The same as it was when the model was last prompted.
    pub told_agent: String,
    /// The rules that spoke up while models wrote.
    pub fired: FiredSoFar,
    /// The goal, whatever it stands.
    pub goal: Option<GoalInfo>,
    /// The model was told at its last prompt that it works on a goal.
    pub goal_told: bool,
    /// The jobs that began and of whose end nothing is written.
    pub jobs: Vec<JobInfo>,
    /// The number of the last job that began.
    pub last_job: u64,
    /// The jobs that ended behind the last turn: no prompt came since that could have told the model.
    pub untold_jobs: Vec<JobInfo>,
    /// A turn goes on.
    at_work: bool,
    /// What stands before the first of `messages`, where the conversation is so long that it was left in the log.
    pub earlier: Option<EarlierMessages>,
}

impl History {
    /// Takes in what works beside the turns: jobs, and subagents.
    fn note_beside(&mut self, body: &RecordBody) {
        match body {
            RecordBody::JobBegan(job) => {
                let number = job.job.strip_prefix('j').and_then(|number| number.parse().ok()).unwrap_or(0);
                self.last_job = self.last_job.max(number);
                self.jobs.push(*job.clone());
            }
            RecordBody::JobEnded(ended) => {
                self.jobs.retain(|job| job.job != ended.job);
                if !self.at_work {
                    self.untold_jobs.push(*ended.clone());
                }
            }
            RecordBody::Prompt { .. } => {
                self.at_work = true;
                self.untold_jobs.clear();
            }
            RecordBody::TurnEnded { .. } => self.at_work = false,
            RecordBody::Child(run) => {
                self.usage.add(run.usage);
                match self.children.iter_mut().find(|known| known.child == run.child) {
                    Some(known) => known.clone_from(run),
                    None => self.children.push(run.as_ref().clone()),
                }
            }
            RecordBody::ChildWork { child, unmerged } => {
                let known = self.children.iter_mut().find(|known| known.child == *child);
                known.into_iter().for_each(|known| known.unmerged.clone_from(unmerged));
            }
            _ => {}
        }
    }

    /// Takes in who is at work from now on, with what, and how.
    fn note_standing(&mut self, body: &RecordBody) {
        match body {
            RecordBody::Session(head) => {
                self.model.clone_from(&head.model);
                self.agent = head.agent.clone().unwrap_or_default();
                self.head = Some(head.clone());
            }
            RecordBody::ToolsJoined { tools, specs } => {
                if let Some(head) = &mut self.head {
                    (head.tools, head.specs) = (tools.clone(), specs.clone());
                }
            }
            RecordBody::AgentChanged { agent, system, tools, specs } => {
                self.agent.clone_from(agent);
                if let Some(head) = &mut self.head {
                    head.agent = Some(agent.clone());
                    system.iter().for_each(|system| with_other_base(head, system));
                    tools.iter().for_each(|tools| head.tools.clone_from(tools));
                    head.specs = specs.clone().or(head.specs.take());
                }
                if system.is_some() || tools.is_some() {
                    self.broke = Some(Break::AgentChange);
                }
            }
            RecordBody::Resumed { model, .. } => self.model.clone_from(model),
            RecordBody::ModelChanged { model, effort } => {
                self.model.clone_from(model);
                self.effort.clone_from(effort);
            }
            RecordBody::ModeChanged { mode } => self.mode = *mode,
            RecordBody::Goal(change) => self.goal.clone_from(&change.goal),
            RecordBody::Planned(planned) if planned.approved || planned.cancelled => self.mode = Mode::Build,
            _ => {}
        }
    }

    /// What has to be written where a session moves to this place of its tree, so that it stays in this mode and with this
    /// model: the records that say so stand on the branch that is left, and whoever resumes does not read them.
    pub fn lacks(&self, mode: Mode, model: &str, effort: Option<&str>) -> Vec<RecordBody> {
        let other_mode = (self.mode != mode).then_some(RecordBody::ModeChanged { mode });
        let same = self.model == model && self.effort.as_deref() == effort;
        let other_model =
            (!same).then(|| RecordBody::ModelChanged { model: model.to_owned(), effort: effort.map(str::to_owned) });
        other_mode.into_iter().chain(other_model).collect()
    }

    /// Gives every message of the conversation, also those that were left in the log. Blocking.
    pub fn each_message(&self, mut give: impl FnMut(&Message)) -> io::Result<()> {
        if let Some(earlier) = &self.earlier {
            earlier.each(|message| give(&message))?;
        }
        self.messages.iter().for_each(give);
        Ok(())
    }
}

/// Takes records one after the other, so that they need not all be in memory.
#[derive(Default)]
pub(crate) struct Fold {
    history: History,
    /// Calls without an answer, with the ids that the log has for them.
    open_calls: Vec<(CallId, ToolCall)>,
    /// The ids of all calls of the conversation.
    ids: HashSet<CallId>,
    open_turn: Option<Unfinished>,
    /// What was let go of; none where everything is kept.
    spare: Option<Spare>,
}

/// What was let go of, and what is held of it, in tokens.
#[derive(Default)]
struct Spare {
    count: usize,
    tokens: u64,
    /// Tokens of those that are held, as far as they were reckoned, and how many those are.
    held: u64,
    reckoned: usize,
}

/// A turn that has no end.
struct Unfinished {
    turn: u32,
    steps: u32,
    usage: Usage,
    model: String,
}

impl Fold {
    /// One that holds the last messages alone when they are many: whoever drives it takes away the others after each record.
    pub(crate) fn sparing() -> Self {
        Self { spare: Some(Spare::default()), ..Self::default() }
    }

    /// How many messages were let go of, and their tokens by estimate.
    pub(crate) fn gone(&self) -> (usize, u64) {
        self.spare.as_ref().map_or((0, 0), |spare| (spare.count, spare.tokens))
    }

    /// The messages that need not be held any more: where there are too many, all before the one of the user that precedes the
    /// last one of the user. Nothing that follows changes those.
    pub(crate) fn let_go(&mut self) -> impl Iterator<Item = Message> {
        let gone = self.excess().map(|to| self.history.messages.drain(..to).collect::<Vec<_>>());
        gone.unwrap_or_default().into_iter()
    }

    fn excess(&mut self) -> Option<usize> {
        let (spare, messages) = (self.spare.as_mut()?, &self.history.messages);
        let (Message::User { .. }, before) = messages.split_last()? else { return None };
        spare.held += messages.iter().skip(spare.reckoned).map(message_tokens).sum::<u64>();
        spare.reckoned = messages.len();
        if spare.held < MOST_HELD {
            return None;
        }
        let to = before.iter().rposition(|message| matches!(message, Message::User { .. })).filter(|to| *to > 0)?;
        let stays = messages.iter().skip(to).map(message_tokens).sum();
        spare.tokens += spare.held.saturating_sub(stays);
        spare.count += to;
        (spare.held, spare.reckoned) = (stays, messages.len() - to);
        Some(to)
    }

    pub(crate) fn apply(&mut self, record: Record) {
        self.history.fired.apply(&record.body);
        self.note(&record.body);
        if let RecordBody::Compacted(folded) = record.body {
            self.spare = self.spare.take().map(|_| Spare::default());
            self.open_calls.clear();
            self.history.messages = folded_messages(&folded);
            self.ids = calls_of(&self.history.messages).map(|call| call.id.clone()).collect();
            self.history.folded = Some(*folded);
            return;
        }
        if let RecordBody::Outcome { call, .. } = &record.body {
            // An answer to a call that is not open would be refused by every provider.
            let is_it = |(written, open): &(CallId, ToolCall)| written == call || open.id == *call;
            let Some(place) = self.open_calls.iter().position(is_it) else { return };
            let (_, answered) = self.open_calls.remove(place);
            if let Some(Message::Tool { name, content, .. }) = into_message(record.body) {
                self.history.messages.push(Message::Tool { call: answered.id, name, content });
            }
            return;
        }
        let Some(mut message) = into_message(record.body) else { return };
        self.close_calls();
        self.keep_order(&message);
        if let Message::Assistant { calls, .. } = &mut message {
            for call in calls {
                let written = call.id.clone();
                self.name_apart(call);
                self.open_calls.push((written, call.clone()));
            }
        }
        self.history.messages.push(message);
    }

    /// Gives a call an id of its own where it has none, or one that another call has: no endpoint takes that.
    fn name_apart(&mut self, call: &mut ToolCall) {
        let written = if call.id.as_str().is_empty() { "call".to_owned() } else { call.id.as_str().to_owned() };
        let others = (2_u32..).map(|number| CallId(format!("{written}-{number}")));
        let mut free = std::iter::once(CallId(written.clone())).chain(others);
        if let Some(id) = free.find(|id| !self.ids.contains(id)) {
            self.ids.insert(id.clone());
            call.id = id;
        }
    }

    /// Takes in everything about a record but its message.
    fn note(&mut self, body: &RecordBody) {
        let history = &mut self.history;
        history.note_standing(body);
        history.note_beside(body);
        match body {
            RecordBody::Compacted(folded) => {
                if let Some(asked) = history.requested.as_ref().filter(|_| folded.reason == FoldReason::Overflow) {
                    history.measures.did_not_fit(&asked.model, folded.before);
                }
                let from = history.head.as_ref().and_then(|head| head.from.as_ref());
                let handed = matches!(from, Some(Origin::Handoff { .. })) && history.turns == 0;
                history.broke = Some(if handed { Break::Handoff } else { Break::Compaction });
                history.usage.add(folded.usage.unwrap_or_default());
                history.context = 0;
            }
            RecordBody::Planner(turn) => {
                history.usage.add(turn.usage);
                history.planner = Some(turn.session.clone());
            }
            RecordBody::Left(left) => history.usage.add(left.usage.unwrap_or_default()),
            RecordBody::Rewound(_) => history.broke = Some(Break::Rewind),
            RecordBody::RulesFired(fired) => self.spend(fired.usage.unwrap_or_default()),
            RecordBody::Requested(requested) => {
                history.measures.learn(requested);
                // What was asked beside the conversation is not gone on with.
                if requested.step > 0 {
                    history.requested = Some(*requested.clone());
                    history.broke = None;
                }
            }
            RecordBody::Prompt { turn, .. } | RecordBody::Shell { turn, .. } => {
                if matches!(body, RecordBody::Prompt { .. }) {
                    history.told = history.mode;
                    history.told_agent.clone_from(&history.agent);
                    history.goal_told = history.goal.as_ref().is_some_and(GoalInfo::is_active);
                }
                history.turns = history.turns.max(*turn);
                let (turn, model) = (*turn, history.model.clone());
                self.open_turn = Some(Unfinished { turn, steps: 0, usage: Usage::default(), model });
            }
            RecordBody::Assistant { step, model, usage, .. } => {
                if let Some(usage) = usage {
                    history.usage.add(*usage);
                    history.context = usage.input.saturating_add(usage.output);
                }
                if let Some(open) = &mut self.open_turn {
                    open.steps = open.steps.max(*step);
                    open.model.clone_from(model);
                    open.usage.add(usage.unwrap_or_default());
                }
            }
            RecordBody::Outcome { outcome: ToolOutcome::Done { details, .. }, .. } => {
                if let Some(todo) = &details.todo {
                    history.todo = Some(todo.clone());
                }
            }
            RecordBody::TodoChanged { todo, .. } => history.todo = Some(todo.clone()),
            RecordBody::TurnEnded { .. } => self.open_turn = None,
            // What follows a move belongs to another time than the turn it left.
            RecordBody::Moved { why, .. } => {
                history.broke = Some((*why).into());
                self.open_turn = None;
            }
            _ => {}
        }
    }

    /// Counts what an answer took that is no part of the conversation.
    fn spend(&mut self, usage: Usage) {
        self.history.usage.add(usage);
        if let Some(open) = &mut self.open_turn {
            open.usage.add(usage);
        }
    }

    fn close_calls(&mut self) {
        for (_, call) in std::mem::take(&mut self.open_calls) {
            let content = outcome_text(&ToolOutcome::Aborted).into();
            let place = self.place_of(&call.id);
            self.history.messages.insert(place, Message::Tool { call: call.id, name: call.name, content });
        }
    }

    /// Where a result belongs whose record is lost: results stand in the order of the calls.
    fn place_of(&self, call: &CallId) -> usize {
        let messages = &self.history.messages;
        let results = messages.iter().rev().take_while(|message| matches!(message, Message::Tool { .. })).count();
        let first = messages.len() - results;
        let Some(Message::Assistant { calls, .. }) = first.checked_sub(1).and_then(|at| messages.get(at)) else {
            return messages.len();
        };
        let order = |id: &CallId| calls.iter().position(|call| call.id == *id);
        let before = |message: &&Message| match message {
            Message::Tool { call: other, .. } => order(other) <= order(call),
            _ => false,
        };
        first + messages.iter().skip(first).take_while(before).count()
    }

    /// Puts something between two that some chat templates refuse to see next to each other.
    fn keep_order(&mut self, next: &Message) {
        let filler = match (self.history.messages.last(), next) {
            (Some(Message::User { .. }), Message::User { .. }) => assistant(NO_ANSWER),
            (None | Some(Message::Assistant { .. }), Message::Assistant { .. }) => Message::user("[lost]".to_owned()),
            _ => return,
        };
        self.history.messages.push(filler);
    }

    /// The records to append so that every call has an outcome, every turn an answer and an end.
    pub(crate) fn missing(&self) -> Vec<RecordBody> {
        let Some(open) = &self.open_turn else { return Vec::new() };
        let place = (open.turn, open.steps.saturating_add(1));
        let mut healed = heal(self.history.messages.iter(), place, &open.model);
        let end = TurnEnd::Interrupted;
        healed.push(RecordBody::TurnEnded { turn: open.turn, end, steps: open.steps, usage: open.usage, cost: None });
        healed
    }

    pub(crate) fn finish(mut self) -> History {
        self.close_calls();
        // A turn that ended without an answer, as far as the log still has it: the next prompt must not follow its own.
        if self.open_turn.is_none() && matches!(self.history.messages.last(), Some(Message::User { .. })) {
            self.history.messages.push(assistant(NO_ANSWER));
        }
        self.history
    }
}

/// The head with another system prompt, of which only the first part is different.
fn with_other_base(head: &mut SessionHead, system: &str) {
    let rest = head.parts.iter().skip(1).map(|part| part.bytes).sum::<u64>();
    if let Some(first) = head.parts.first_mut() {
        first.bytes = (system.len() as u64).saturating_sub(rest);
    }
    system.clone_into(&mut head.system);
}

fn calls_of(messages: &[Message]) -> impl Iterator<Item = &ToolCall> {
    messages.iter().flat_map(|message| match message {
        Message::Assistant { calls, .. } => calls.as_slice(),
        _ => &[],
    })
}

fn assistant(text: &str) -> Message {
    Message::Assistant { text: text.to_owned(), reasoning: None, calls: Vec::new(), stop: StopReason::Interrupted }
}

/// The conversation that these records of a log give, on the branch that leads to the last of them.
pub fn history(records: &[Record]) -> History {
    let mut shape = Shape::default();
    for record in records {
        let parent = record.parent.map(|parent| parent.0);
        shape.push(Header { id: record.id.0, parent, at: record.at, kind: Kind::Other, turn: 0 }, 0, 0);
    }
    let path = shape.leaf().map(|leaf| shape.path(leaf)).unwrap_or_default();
    let mut fold = Fold::default();
    path.iter().filter_map(|place| records.get(*place)).for_each(|record| fold.apply(record.clone()));
    fold.finish()
}

#[cfg(test)]
mod tests {
    use super::history;
    use reasonix_proto::{CallId, Message, Record, RecordBody, RecordId, StopReason, ToolCall, ToolOutcome};

    #[test]
    fn a_lost_result_stands_where_its_call_does() {
        let called = |id: &str| ToolCall { id: CallId::from(id), name: "ls".into(), arguments: "{}".into() };
        let prompt =
            |turn| RecordBody::Prompt { turn, text: format!("prompt {turn}"), typed: None, images: Vec::new() };
        let calls = ["a", "b", "c"].map(called).to_vec();
        let message = Message::Assistant { text: String::new(), reasoning: None, calls, stop: StopReason::Calls };
        let asked = RecordBody::Assistant { turn: 1, step: 1, model: "m".into(), message, usage: None };
        let told = |id: &str| RecordBody::Outcome {
            call: CallId::from(id),
            tool: "ls".into(),
            took_ms: 1,
            outcome: ToolOutcome::Aborted,
        };
        for lost in ["a", "b", "c"] {
            let kept = ["a", "b", "c"].into_iter().filter(|id| *id != lost).map(told);
            let bodies = [prompt(1), asked.clone()].into_iter().chain(kept).chain([prompt(2)]);
            let record = |(id, body): (u64, RecordBody)| {
                let parent = (id > 1).then(|| RecordId(id - 1));
                Record { id: RecordId(id), parent, at: 0, body }
            };
            let records: Vec<Record> = (1..).zip(bodies).map(record).collect();
            let messages = history(&records).messages;
            let results: Vec<&str> = messages
                .iter()
                .filter_map(|message| match message {
                    Message::Tool { call, .. } => Some(call.as_str()),
                    _ => None,
                })
                .collect();
            assert_eq!(results, ["a", "b", "c"], "without {lost}");
        }
    }
}
