//! Model wires: encode, stream, decode, retry and error classes. A wire knows how to ask; which model and which key it
//! is given is decided elsewhere. No key is ever part of an error, a debug text or an item.

mod answer;
mod anthropic;
mod backoff;
mod balance;
mod blocks;
mod body;
mod chat;
mod codec;
mod connect;
mod endpoint;
mod failure;
mod fallback;
mod growing;
mod hear;
mod ids;
mod keys;
mod layout;
mod marks;
mod models;
mod options;
mod out;
mod pictures;
mod play;
mod probe;
mod reader;
mod recorder;
#[cfg(test)]
mod recordings;
mod redact;
mod repair;
mod repairing;
mod responses;
mod script;
mod sign;
mod sse;
mod tape;
mod usage;
mod wire;

pub use anthropic::anthropic;
pub use balance::{Balance, balance};
pub use chat::chat;
pub use connect::connect;
pub use endpoint::{ApiKey, Endpoint, Retry};
pub use fallback::{Spare, fallback};
pub use hear::hear;
pub use keys::KeySource;
pub use models::{ListedModel, list_models};
pub use play::scripted;
pub use probe::{Patience, ProbeQuestion, probe};
pub use reasonix_catalogue::Wire;
pub use recorder::{Begun, Recorder};
pub use repairing::Repairing;
pub use responses::responses;
pub use script::{Script, ScriptError};
pub use sign::Signing;
