//! Model wires: encode, stream, decode, retry and error classes. A wire knows how to ask; which model and which key it
//! is given is decided elsewhere. No key is ever part of an error, a debug text or an item.

mod answer;
mod backoff;
mod chat;
mod compat;
mod endpoint;
mod failure;
mod models;
mod play;
mod redact;
mod script;
mod sse;
mod usage;
mod wire;

pub use chat::chat;
pub use endpoint::{Endpoint, Key, Retry};
pub use models::{ModelInfo, list_models};
pub use play::scripted;
pub use script::{Script, ScriptError};
