//! A resource of a server that the model was given the address of, `mcp://server/uri`: read like a tool of that server, and
//! judged as one.

use super::member::Member;
use reasonix_agent::{Args, BoxFuture, Call, Tool, ToolSpec};
use reasonix_mcp::{McpError, McpName, action_of, title_of};
use reasonix_proto::{Action, ToolOutcome};
use serde_json::json;
use std::sync::Arc;

/// What reading a resource is called, as a tool of its server.
const OWN: &str = "read_resource";

/// Reads one resource.
pub(super) struct ReadsResource {
    member: Arc<Member>,
    uri: String,
    spec: ToolSpec,
}

impl ReadsResource {
    /// None for a server whose name makes none.
    pub(super) fn new(member: Arc<Member>, uri: &str) -> Option<Self> {
        let name = McpName::of(&member.name, OWN).ok()?;
        let spec = ToolSpec::new(name.as_str(), String::new(), json!({"type": "object"}));
        Some(Self { member, uri: uri.to_owned(), spec })
    }

    /// What it is asked for with, so that people see it.
    pub(super) fn args(&self) -> Args {
        Args::from_iter([("uri".to_owned(), self.uri.clone().into())])
    }
}

impl Tool for ReadsResource {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn action(&self, args: &Args) -> Action {
        action_of(args, self.member.trusts(OWN))
    }

    fn title(&self, args: &Args, _action: &Action) -> String {
        title_of(&self.member.name, OWN, args)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            // What a hook or a person changed is what was judged.
            let uri = call.args.get("uri").and_then(serde_json::Value::as_str).unwrap_or(&self.uri);
            match self.member.servers().read(&self.member.name, uri, &call.stop).await {
                Ok(content) => ToolOutcome::done(content.into_words()),
                Err(McpError::Aborted) => ToolOutcome::Aborted,
                Err(error) => ToolOutcome::failed(error.to_string()),
            }
        })
    }
}
