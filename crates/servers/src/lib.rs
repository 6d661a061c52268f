//! The MCP servers of a session: which ones its settings name, what is known of their tools, and how these are reached.
//! The protocol itself is the business of `mcp`.

mod closed;
pub mod configured;
pub mod fleet;
pub mod specs;
mod unusable;
