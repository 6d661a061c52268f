//! The loop: one prompt in, steps of model and tools, one end out. It knows the world only through its ports
//! ([`Model`], [`Tool`], [`Gate`], [`Journal`], [`Artifacts`], [`Sink`]); it does no IO of its own.

mod aspect;
mod bound;
mod coerce;
mod compact;
mod context;
mod conversation;
mod dispatch;
mod explore;
mod fold;
mod heal;
mod ledger;
mod measure;
mod names;
mod ports;
mod said;
mod shell;
mod step;
mod storm;
mod stutter;
mod tokens;
mod turn;

pub use aspect::{About, Aspect, Aspects, HeardPiece, Listener, Objection, TurnOver, Wish};
pub use bound::{Bound, bound};
pub use compact::{Compaction, folded_messages};
pub use context::{DONE_FIRST, HANDED_BACK, INTERRUPTED, NO_ANSWER, into_message, message_of, outcome_text};
pub use conversation::{Conversation, Inbox, message_tokens};
pub use heal::heal;
pub use measure::Measures;
pub use names::plain_name;
pub use ports::{
    AnswerForm, Args, Artifacts, Ask, BoxFuture, Budget, ByAction, Call, Class, Classified, Classify, Decision,
    Explores, Failure, Gate, HeldTokens, INVALID_ARGUMENTS, Item, Journal, JournalError, LeftInLog, Meant, Model,
    ModelCard, ModelStream, NoBudget, Prefix, Preview, Purpose, Recalls, Request, Router, Runs, Sink, Stop, Tool,
    ToolSpec, ToolTraits, Tools, WantsAsked, parse_args,
};
pub use said::Said;
pub use tokens::{content_tokens, estimate_tokens, image_tokens};
pub use turn::{Agent, Limits};
