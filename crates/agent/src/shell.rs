//! A command of the user's own: a turn without a model, through the same gate, sandbox and log as every call.

use crate::conversation::Conversation;
use crate::dispatch::{Tally, complete, prepare};
use crate::ports::{BoxFuture, JournalError, Stop};
use crate::storm::Storm;
use crate::turn::{Agent, state_of};
use reasonix_proto::{
    CallId, Event, Phrase, RecordBody, ToolCall, ToolOutcome, TurnEnd, TurnRefusal, TurnState, Usage,
};
use tracing::Instrument;

impl Agent {
    /// True when commands can be run at all.
    pub fn has_shell(&self) -> bool {
        self.tools.shell().is_some()
    }

    /// Runs a command that a person typed. Whatever happens, the log afterwards gives a valid next request.
    pub fn shell<'a>(
        &'a self,
        conversation: &'a mut Conversation,
        command: String,
        keep: bool,
        stop: &'a Stop,
    ) -> BoxFuture<'a, TurnEnd> {
        let span = tracing::info_span!("turn", turn = conversation.turns() + 1);
        let whole = async move {
            let turn = conversation.next_turn();
            let end = match self.run_shell(conversation, (turn, command, keep), stop).await {
                Ok(end) => end,
                Err(error) => self.broken(&error),
            };
            self.aspects.at_end(turn).await;
            let usage = Usage::default();
            let end = match self
                .journal
                .append(RecordBody::TurnEnded { turn, end: end.clone(), steps: 0, usage, cost: None })
                .await
            {
                Ok(record) => {
                    self.sink.emit(Event::TurnEnded { record: Box::new(record) });
                    end
                }
                Err(error) => self.broken(&error),
            };
            self.state(state_of(&end));
            end
        };
        Box::pin(whole.instrument(span))
    }

    async fn run_shell(
        &self,
        conversation: &mut Conversation,
        (turn, command, keep): (u32, String, bool),
        stop: &Stop,
    ) -> Result<TurnEnd, JournalError> {
        self.close(conversation, (turn.saturating_sub(1), 0)).await?;
        let record = self.journal.append(RecordBody::Shell { turn, command: command.clone(), keep }).await?;
        conversation.apply(&record);
        self.sink.emit(Event::TurnStarted { record: Box::new(record) });
        self.state(TurnState::ToolRunning);
        let arguments = serde_json::json!({ "command": command }).to_string();
        let name = self.tools.shell().map(|tool| tool.spec().name.clone()).unwrap_or_default();
        let call = ToolCall { id: CallId::of_own_command(turn), name, arguments };
        let mut tally = Tally::default();
        let ready = prepare(self, &call, None, &mut Storm::default(), &mut Vec::new());
        let RecordBody::Outcome { took_ms, outcome, .. } =
            complete(self, ready, (self.measure().as_ref(), true, turn), stop, &mut tally).await?
        else {
            return Ok(TurnEnd::Done);
        };
        let end = match &outcome {
            ToolOutcome::Aborted => TurnEnd::Interrupted,
            // What it printed before that is its outcome.
            _ if stop.is_cancelled() => TurnEnd::Interrupted,
            ToolOutcome::Denied { by } => {
                let why = tally.denied.take().unwrap_or_else(|| Phrase::new("engine.refused").with("why", by));
                TurnEnd::Refused { kind: TurnRefusal::Call, why }
            }
            _ => TurnEnd::Done,
        };
        let record = self.journal.append(RecordBody::ShellEnded { turn, command, keep, took_ms, outcome }).await?;
        conversation.apply(&record);
        self.sink.emit(Event::ToolEnded { record: Box::new(record) });
        Ok(end)
    }
}
