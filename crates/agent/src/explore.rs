//! Explore, then fold: a checkpoint marks a place, and a report takes everything since then out of the conversation. What
//! was sent up to the mark stays as it is, to the byte. Nothing but the conversation goes back.

use crate::conversation::Conversation;
use crate::dispatch::Tally;
use crate::ports::{Explores, JournalError, Tools};
use crate::turn::Agent;
use reasonix_proto::{Event, RecordBody, ToolOutcome};

/// What a model that would stop in the middle is told, once a turn.
const UNFINISHED: &str = "[A checkpoint is open. Call rewind with a report of what you found before you finish.]";

impl Tally {
    /// Takes in what a call came to.
    pub(crate) fn note(&mut self, tools: &Tools, body: &RecordBody) {
        let RecordBody::Outcome { tool, outcome: ToolOutcome::Done { content, .. }, .. } = body else { return };
        match tools.find(tool).and_then(|tool| tool.spec().traits.explores) {
            Some(Explores::From) => self.marked = true,
            Some(Explores::Report) => self.report = Some(content.words().into_owned()),
            None => {}
        }
    }
}

impl Agent {
    /// After all calls of a step have their outcomes: goes back where one of them brought a report, else sets the mark
    /// where one of them asked for it.
    pub(crate) async fn explored(&self, conversation: &mut Conversation, tally: &Tally) -> Result<(), JournalError> {
        let back = tally.report.clone().and_then(|report| conversation.going_back(report));
        if let Some(body) = back {
            let record = self.journal.append(body).await?;
            conversation.apply(&record);
            self.sink.emit(Event::Changed { record: Box::new(record) });
        } else if let (true, Some(last)) = (tally.marked && tally.report.is_none(), tally.last) {
            conversation.set_mark(last);
        }
        Ok(())
    }

    /// Tells a model that would stop with an open checkpoint. False when it was told already, or there is none.
    pub(crate) async fn remind(
        &self,
        conversation: &mut Conversation,
        turn: u32,
        reminded: &mut bool,
    ) -> Result<bool, JournalError> {
        if *reminded || !conversation.is_marked() {
            return Ok(false);
        }
        *reminded = true;
        self.note(conversation, turn, UNFINISHED.to_owned(), false).await?;
        Ok(true)
    }
}
