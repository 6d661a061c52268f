//! MCP servers as tools, prompts and resources, in both eras of the protocol: the revision 2026-07-28, which has no session,
//! and those before it, which begin with `initialize`. The protocol is the official SDK's; the children are those of `exec`,
//! the connections those of `net`.
//!
//! **What others meet.** A [`ServerSpec`] says how a server is reached and what it may take; [`Servers`] starts each when it
//! is first needed, and never before. Nothing here waits without a limit: a server that is dead, slow, loud or hostile is an
//! [`McpError`], and what it costs is bounded.
//!
//! **What it does not do.** It asks nobody whether a server may start or a tool may run: whoever calls has asked the gate.
//! What a server says of its own tools, `readOnlyHint` too, is handed on and believed by nobody here.

mod answer;
mod auth_http;
mod call;
mod connect;
mod elicit;
mod error;
mod frame;
mod host;
mod http;
mod input;
mod lines;
mod link;
mod list;
mod listing;
mod login;
mod metered;
mod names;
mod schema;
mod servers;
mod spec;
mod status;
mod tokens;
mod tool;

pub use answer::{McpAnswer, parse_address, resource_address};
pub use connect::refusal;
pub use elicit::{ElicitKind, ElicitReply, Elicitation, Elicits};
pub use error::McpError;
pub use listing::{LeftOut, ListedArgument, ListedPrompt, ListedResource, ListedTool, ServerListing, ToolChange};
pub use login::{LoginError, LoginPerson, log_in, log_out};
pub use names::{McpName, same_look};
pub use servers::{McpCall, Servers};
pub use spec::{Era, MayStart, ServerLimits, ServerLogin, ServerReach, ServerSpec, Surroundings};
pub use status::{ServerNews, ServerState, ServerStatus};
pub use tool::{GatheredTools, McpTool, action_of, gathered, title_of};
