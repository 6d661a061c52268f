//! A session played again, offline: the real loop runs on what its log has of the model and of the tools. Nothing is run,
//! sent or asked; what the loop would write is held against what it wrote.

mod player;
mod project;
mod tape;

use player::{Actor, Voice};
use reasonix_agent::{Agent, Aspect, Conversation, Model, Prefix, Said, Sink, Stop, Tool, Tools};
use reasonix_engine::{Blueprint, Start, as_told, bare_tools};
use reasonix_gate::ByText;
use reasonix_proto::{Record, RecordBody, RecordId, SessionHead, TurnEnd};
use reasonix_session::{Past, Reel, history};
use std::sync::Arc;
use tape::Tape;

/// What came of playing a session again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Turns that ran through the loop again.
    pub turns: u32,
    /// Steps of them.
    pub steps: u32,
    /// Turns that were only shown, because something outside of the log decided how they went: an interrupt, a limit of
    /// time or money, a folding.
    pub shown: u32,
    /// Where the loop did something else than it did then.
    pub difference: Option<Difference>,
    /// What of the answers was read out of recorded bytes.
    pub heard: Heard,
}

/// What of the answers was read out of recorded bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Heard {
    /// Answers that were.
    pub answers: u32,
    /// How many bytes they had.
    pub bytes: u64,
    /// Answers that were not, because their bytes are not there, not all of them, or damaged.
    pub missing: u32,
}

/// Where the loop did something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The record that the log has there.
    pub record: RecordId,
    /// What the log has, in a few words.
    pub then: String,
    /// What the loop would write now.
    pub now: String,
}

/// Plays the active branch of a session again. `start` says which tools there are; their code is not run. With a reel the
/// answers are read out of the recorded bytes, where there are any.
pub async fn replay(past: &Past, start: &Start, reel: Option<Reel>, sink: Arc<dyn Sink>) -> std::io::Result<Replayed> {
    let mut records = Vec::new();
    past.each_active(|record| records.push(record))?;
    let Some(head) = records.iter().find_map(head_of).cloned() else { return Ok(Replayed::default()) };
    let tape = Arc::new(Tape::new(sink.clone()));
    let voice = Arc::new(Voice::new(&head.model, tape.clone(), reel));
    let tools = tools_of(&head, past, start);
    let (agent, prefix) = agent_of(&head, tools, (&tape, &voice), &sink);
    let mut stage = Stage { agent, tape, sink, prefix, conversation: None };
    let mut replayed = Replayed::default();
    let mut next = 0;
    while let Some(record) = records.get(next) {
        let begins = matches!(record.body, RecordBody::Prompt { .. } | RecordBody::Shell { .. });
        let end = if begins { end_of(&records, next) } else { None };
        match end.filter(|end| plays(records.get(next..=*end).unwrap_or_default())) {
            Some(end) => {
                let turn = records.get(next..=end).unwrap_or_default();
                let difference = stage.play(records.get(..next).unwrap_or_default(), turn).await;
                replayed.heard = voice.heard();
                replayed.turns += 1;
                replayed.steps += steps_of(turn);
                if difference.is_some() {
                    replayed.difference = difference;
                    return Ok(replayed);
                }
                next = end + 1;
            }
            None => {
                replayed.shown += u32::from(begins);
                stage.conversation = None;
                if changes_head(&record.body) {
                    // From here on other tools or other words are sent.
                    let so_far = history(records.get(..=next).unwrap_or_default());
                    let now = so_far.head.unwrap_or_else(|| head.clone());
                    let tools = tools_of(&now, past, start);
                    (stage.agent, stage.prefix) = agent_of(&now, tools, (&stage.tape, &voice), &stage.sink);
                }
                project::show(record).into_iter().for_each(|event| stage.sink.emit(event));
                next += 1;
            }
        }
    }
    Ok(replayed)
}

/// Whether another head is sent after a record.
fn changes_head(body: &RecordBody) -> bool {
    match body {
        RecordBody::ToolsJoined { .. } => true,
        RecordBody::AgentChanged { system, tools, .. } => system.is_some() || tools.is_some(),
        _ => false,
    }
}

fn head_of(record: &Record) -> Option<&SessionHead> {
    match &record.body {
        RecordBody::Session(head) => Some(head),
        _ => None,
    }
}

/// The place of the record that ends the turn which begins here.
fn end_of(records: &[Record], from: usize) -> Option<usize> {
    let later = records.iter().enumerate().skip(from + 1);
    let stops = |body: &RecordBody| {
        matches!(body, RecordBody::TurnEnded { .. } | RecordBody::Prompt { .. } | RecordBody::Shell { .. })
    };
    let (place, record) = later.into_iter().find(|(_, record)| stops(&record.body))?;
    matches!(record.body, RecordBody::TurnEnded { .. }).then_some(place)
}

/// True when everything that decided how a turn went is on the log.
fn plays(turn: &[Record]) -> bool {
    let outside = |record: &Record| match &record.body {
        RecordBody::Compacted(_) | RecordBody::Moved { .. } | RecordBody::Rewound(_) => true,
        RecordBody::RulesFired(_) => true,
        RecordBody::Repaired { repairs, .. } => repairs.iter().any(|repair| repair.fix == reasonix_proto::Fix::Loop),
        RecordBody::TurnEnded { end, .. } => matches!(
            end,
            TurnEnd::Interrupted | TurnEnd::TimedOut | TurnEnd::OutOfBudget { .. } | TurnEnd::Broken { .. }
        ),
        _ => false,
    };
    !turn.iter().any(outside)
}

fn steps_of(turn: &[Record]) -> u32 {
    match turn.last().map(|record| &record.body) {
        Some(RecordBody::TurnEnded { steps, .. }) => *steps,
        _ => 0,
    }
}

/// The tools as the session was told of them; where its log has names alone, as this build tells of them.
fn tools_of(head: &SessionHead, past: &Past, start: &Start) -> Vec<Arc<dyn Tool>> {
    if let Ok(Some(mut specs)) = past.specs(head) {
        // Older logs have the names alone of an agent's tools.
        specs.retain(|spec| head.tools.contains(&spec.name));
        return as_told(&bare_tools(start), &specs);
    }
    let had = |tool: &Arc<dyn Tool>| head.tools.iter().any(|name| *name == tool.spec().name);
    bare_tools(start).into_iter().filter(had).collect()
}

/// The loop of a session that is played again: nothing is limited, and nothing is folded.
fn agent_of(
    head: &SessionHead,
    tools: Vec<Arc<dyn Tool>>,
    (tape, voice): (&Arc<Tape>, &Arc<Voice>),
    sink: &Arc<dyn Sink>,
) -> (Agent, Arc<Prefix>) {
    let act = |tool| Arc::new(Actor::new(tool, tape.clone())) as Arc<dyn Tool>;
    let tools = Tools::new(tools.into_iter().map(act).collect());
    let model: Arc<dyn Model> = voice.clone();
    Blueprint::new(Arc::new(model), tools)
        .judged_by(Arc::new(ByText), tape.clone())
        .kept_by(tape.clone(), tape.clone(), sink.clone())
        .surrounded_by([tape.clone() as Arc<dyn Aspect>])
        .build(head.system.clone())
}

/// The loop and where it stands.
struct Stage {
    agent: Agent,
    tape: Arc<Tape>,
    sink: Arc<dyn Sink>,
    prefix: Arc<Prefix>,
    /// The conversation after the turns so far; none when it has to be read out of the log.
    conversation: Option<Conversation>,
}

impl Stage {
    async fn play(&mut self, before: &[Record], turn: &[Record]) -> Option<Difference> {
        let (first, last) = turn.first().zip(turn.last())?;
        let turns = turn_of(&first.body).saturating_sub(1);
        // Turns are numbered through all branches; on this one some may be left out.
        let at_hand = self.conversation.take().filter(|conversation| conversation.turns() == turns);
        let mut conversation = at_hand.unwrap_or_else(|| {
            let history = history(before);
            Conversation::replay(self.prefix.clone(), history.messages, turns, history.usage, history.context)
                .folded_by(history.folded)
        });
        self.agent.limits.max_steps = match &last.body {
            RecordBody::TurnEnded { end: TurnEnd::StepLimit, steps, .. } => *steps,
            _ => 0,
        };
        let inbox = self.tape.load(turn);
        let stop = Stop::new();
        match &first.body {
            RecordBody::Shell { command, keep, .. } => {
                self.agent.shell(&mut conversation, command.clone(), *keep, &stop).await;
            }
            RecordBody::Prompt { text, typed, images, .. } => {
                let said = Said { text: text.clone(), typed: typed.clone(), images: images.clone(), form: None };
                self.agent.turn(&mut conversation, said, &inbox, &stop).await;
            }
            _ => {}
        }
        self.conversation = Some(conversation);
        self.tape.finish()
    }
}

fn turn_of(body: &RecordBody) -> u32 {
    match body {
        RecordBody::Prompt { turn, .. } | RecordBody::Shell { turn, .. } => *turn,
        _ => 0,
    }
}
