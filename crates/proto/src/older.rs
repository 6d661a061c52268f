//! Records as logs of earlier versions have them.

use crate::{Content, Message, RecordBody, ToolOutcome};

/// The first version of records that has anything but one text in an outcome.
const BLOCKS_SINCE: u32 = 2;

impl RecordBody {
    /// The record as a log of this version has it: before blocks there was text alone.
    #[must_use]
    pub fn of_version(mut self, v: u32) -> Self {
        if v < BLOCKS_SINCE {
            match &mut self {
                Self::Outcome { outcome: ToolOutcome::Done { content, .. }, .. }
                | Self::ShellEnded { outcome: ToolOutcome::Done { content, .. }, .. } => flatten(content),
                Self::Compacted(folded) => folded.tail.iter_mut().for_each(|message| {
                    if let Message::Tool { content, .. } = message {
                        flatten(content);
                    }
                }),
                _ => {}
            }
        }
        self
    }
}

fn flatten(content: &mut Content) {
    if content.plain().is_none() {
        *content = std::mem::take(content).into_words().into();
    }
}
