//! Subagents that begin as a copy of the session's conversation: with its system prompt, its tools and all that was said up to the
//! call that starts them, so that what is cached of it is of use. Their profile narrows what the gate lets them do, and nothing else.

use super::choosing::Choosing;
use super::models::{model_of, session_model};
use super::{Kin, isolation};
use reasonix_agent::{Journal, Model, Prefix, Request, Tools, into_message};
use reasonix_assembly::told::as_told;
use reasonix_proto::{
    AgentProfile, CallId, Message, Origin, RECORD_VERSION, RecordBody, SessionHead, SessionId, StopReason, ToolCall,
    ToolOutcome,
};
use reasonix_session::Beginning;
use reasonix_world::editing::edits_with;
use reasonix_world::error::EngineError;
use reasonix_world::spec::Start;
use std::sync::Arc;

/// What a copy reads in place of an answer to the results of the calls that it was made in the middle of.
const FORKED: &str = "[forked]";

/// A conversation up to the calls of its last answer, and the model that gave it.
pub(super) struct Forked {
    prefix: Arc<Prefix>,
    messages: Vec<Arc<Message>>,
    model: String,
}

impl Forked {
    pub(super) fn of(so_far: Request, model: &str) -> Self {
        let Request { prefix, messages, .. } = so_far;
        Self { prefix, messages, model: model.to_owned() }
    }

    /// The tools as the conversation is told of them; those that a subagent has not fail when they are called.
    pub(super) fn tools(&self, all: &Tools) -> Tools {
        let all: Vec<_> = all.iter().cloned().collect();
        Tools::new(as_told(&all, &self.prefix.tools))
    }

    /// What the session of a copy begins with.
    pub(super) fn beginning(&self, start: &Start, kin: &Kin, (name, agent): (&str, &str)) -> Beginning {
        let head = SessionHead {
            v: RECORD_VERSION,
            session: SessionId::fresh(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            cwd: start.workspace.root().display().to_string(),
            model: self.model.clone(),
            system: self.prefix.system.clone(),
            tools: Vec::new(),
            specs: None,
            edit: edits_with(&start.world.settings, &self.prefix.tools),
            sandbox: kin.kit.sandbox.clone(),
            from: Some(Origin::Task { session: kin.session.clone(), child: name.to_owned() }),
            parts: Vec::new(),
            agent: Some(agent.to_owned()),
        };
        Beginning::new(head, &self.prefix.tools)
    }

    /// Writes down what was said, and gives it: every call of the last answer has an outcome, and then comes a word of ours.
    pub(super) async fn begin(
        &self,
        journal: &dyn Journal,
        (call, name): (&CallId, &str),
    ) -> Result<Vec<Message>, EngineError> {
        let calls: &[ToolCall] = match self.messages.last().map(AsRef::as_ref) {
            Some(Message::Assistant { calls, .. }) => calls,
            _ => &[],
        };
        let outcome = |made: &ToolCall| {
            let text = match made.id == *call {
                true => format!("[You are {name} from here on, a copy of this conversation. Your assignment follows.]"),
                false => "[What this came to is not known in this copy of the conversation.]".to_owned(),
            };
            self.outcome(&made.id, &made.name, ToolOutcome::done(text))
        };
        let message =
            Message::Assistant { text: FORKED.to_owned(), reasoning: None, calls: Vec::new(), stop: StopReason::End };
        let said = self.messages.iter().map(|message| self.record(message));
        let all = said.chain(calls.iter().map(outcome)).chain([self.record(&message)]);
        let mut messages: Vec<Message> = self.messages.iter().map(|message| message.as_ref().clone()).collect();
        for (place, body) in all.enumerate() {
            // What was sent stays what it was, with its pictures.
            if place >= self.messages.len() {
                messages.extend(into_message(body.clone()));
            }
            journal.append(body).await.map_err(|error| EngineError::Settings(error.phrase()))?;
        }
        Ok(messages)
    }

    fn outcome(&self, call: &CallId, tool: &str, outcome: ToolOutcome) -> RecordBody {
        RecordBody::Outcome { call: call.clone(), tool: tool.to_owned(), took_ms: 0, outcome }
    }

    /// A message as a log keeps it. Nothing of it was spent by the copy.
    fn record(&self, message: &Message) -> RecordBody {
        match message {
            Message::User { text, images } => {
                let (text, images) = (text.clone(), images.clone());
                RecordBody::Note { turn: 0, text, typed: None, images, by_user: false }
            }
            Message::Tool { call, name, content } => self.outcome(call, name, ToolOutcome::done(content.clone())),
            message @ Message::Assistant { .. } => {
                let (model, message) = (self.model.clone(), message.clone());
                RecordBody::Assistant { turn: 0, step: 0, model, message, usage: None }
            }
        }
    }
}

impl Choosing<'_> {
    /// The conversation that copies begin with; or why there can be none of this profile.
    pub(super) fn forkable(
        &self,
        profile: &AgentProfile,
        (typed, isolated): (bool, bool),
    ) -> Result<Arc<Forked>, String> {
        let Some(forked) = self.of.so_far().filter(|_| self.of.works_as.is_none()) else {
            return Err("only the session's own conversation can be copied".to_owned());
        };
        let name = &profile.name;
        if typed {
            return Err(
                "a result that fits a schema is handed back by a tool that this conversation does not have".into()
            );
        }
        if isolated || isolation::writes(profile, &self.kin.kit.edits, isolated) {
            return Err(format!(
                "{name:?} would work in a clone of its own, and this conversation is about this folder"
            ));
        }
        let named = |model: Result<Arc<dyn Model>, EngineError>| model.map(|model| model.card().name.clone());
        let world = &self.kin.start.world;
        match (named(model_of(self.kin, world, profile)), named(session_model(self.kin, world))) {
            (Ok(other), _) if other != forked.model => {
                Err(format!("{name:?} works with the model {other}, and this conversation with {}", forked.model))
            }
            (_, Ok(other)) if other != forked.model => {
                Err(format!("this step was answered by {}, and the session's model is {other}", forked.model))
            }
            (Ok(_), Ok(_)) => Ok(forked),
            (Err(error), _) | (_, Err(error)) => Err(error.to_string()),
        }
    }
}

/// An assignment as a copy reads it: nothing of its system prompt says what it is.
pub(super) fn assigned(name: &str, prompt: &str) -> String {
    format!(
        "[You are the subagent {name} now, a copy of the conversation above, which goes on without you. Do this assignment and nothing else; you read, and whatever could change something is refused. Nobody can answer you. Your last message is all that is handed back: begin with the answer, give the evidence as `path:line`, and say plainly what you could not find out.]\n\n{prompt}"
    )
}
