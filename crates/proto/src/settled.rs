//! What came of an operation. A program decides by these words; a person reads the phrase.

use crate::{Acts, ClientId, GoalInfo, Level, Op, Phrase, SessionId, TurnEnd};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Names an operation. Whoever hands it in chooses it; it has to be its own within the session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OpId(pub String);

impl fmt::Display for OpId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for OpId {
    fn from(id: &str) -> Self {
        Self(id.to_owned())
    }
}

/// An operation on its way in, with the name under which it is settled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Submit {
    /// Its name.
    pub id: OpId,
    /// What is to be done.
    pub op: Op,
    /// The front end that it comes from, as it calls itself; an answer is written down with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientId>,
}

/// What came of an operation; each gets exactly one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// It was done.
    Done(Done),
    /// It was not done.
    Refused(Refused),
}

impl From<Result<Done, Refused>> for Settled {
    fn from(result: Result<Done, Refused>) -> Self {
        match result {
            Ok(done) => Self::Done(done),
            Err(refused) => Self::Refused(refused),
        }
    }
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Done {
    /// It holds from now on.
    Applied,
    /// It was so already, or there was nothing to do it to.
    Unchanged,
    /// It waits for the running turn and is read before its next step.
    Queued,
    /// The turn that it began is over.
    Turn {
        /// How the turn ended.
        end: TurnEnd,
    },
    /// The goal does not go on: it is done, waits, or is gone.
    Goal {
        /// The goal as it stands; none when there is none any more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        goal: Option<Box<GoalInfo>>,
    },
    /// The work goes on in a new session.
    HandedOver {
        /// The new session.
        session: SessionId,
    },
    /// Files are as they were before a turn.
    Restored {
        /// The first turn that was taken back.
        turn: u32,
        /// How many files that changed.
        files: usize,
    },
    /// A setting is in the user's file.
    Saved {
        /// Its key.
        key: String,
        /// Its value in the words of its dial; none when it was taken out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
        /// When it acts; none where another place outweighs it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        acts: Option<Acts>,
    },
    /// A file was written.
    Written {
        /// Where it is.
        path: String,
    },
}

/// What was not done, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Refused {
    /// The reason, for programs.
    pub refusal: Refusal,
    /// The reason, for people. It was said as a notice too.
    pub why: Phrase,
}

impl Refused {
    /// A refusal with its words.
    pub const fn new(refusal: Refusal, why: Phrase) -> Self {
        Self { refusal, why }
    }
}

/// Why an operation was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// A turn runs; when it is over this can be tried again.
    Busy,
    /// Not in this session.
    NotPossible,
    /// The session is over, or was over before its turn came.
    Ended,
    /// It was taken out of the queue before its turn came.
    Withdrawn,
    /// The same name was used for another operation.
    Repeated,
    /// What it answers was answered already, or is no longer asked.
    TooLate,
    /// What it chooses was not offered.
    NotOffered,
    /// What was shown to the person is not what it would act on.
    OtherThing,
    /// There is no such record, turn, queued text, rule or memory.
    NotFound,
    /// There is nothing to do it to.
    Nothing,
    /// What it says cannot be read, or is not among what can be said.
    Invalid,
    /// The user's own file alone says this.
    Fixed,
    /// This session leaves nothing on disk.
    Unkept,
    /// It was interrupted.
    Interrupted,
    /// The log cannot be read or written.
    Log,
    /// Something else failed: a file, the disk, an endpoint.
    Failed,
}

impl Refusal {
    /// How important it is to a person.
    pub fn level(self) -> Level {
        match self {
            Self::Log | Self::Failed => Level::Error,
            _ => Level::Warning,
        }
    }
}
