//! Tools of servers as the loop calls them.

use crate::error::McpError;
use crate::listing::{LeftOut, ListedTool, ServerListing};
use crate::names::{cut, look};
use crate::servers::{McpCall, Servers};
use reasonix_agent::{Args, Artifacts, BoxFuture, Call, Tool, ToolSpec};
use reasonix_proto::{Action, Family, ReadOnly, ToolOutcome};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes of a call in one line.
const TITLE: usize = 200;

/// A tool of a server.
pub struct McpTool {
    servers: Servers,
    server: String,
    own: String,
    /// The definition that it was made from: it is called for as long as the server has the same.
    digest: String,
    spec: ToolSpec,
    trusted: bool,
    artifacts: Arc<dyn Artifacts>,
}

impl McpTool {
    /// A tool as it was listed or pinned. `trusted` says that the user takes it for a reader, whatever the server says.
    pub fn new(
        servers: &Servers,
        server: &str,
        listed: &ListedTool,
        trusted: bool,
        artifacts: &Arc<dyn Artifacts>,
    ) -> Self {
        Self {
            servers: servers.clone(),
            server: server.to_owned(),
            own: listed.own.clone(),
            digest: listed.digest.clone(),
            spec: listed.spec(server, trusted),
            trusted,
            artifacts: Arc::clone(artifacts),
        }
    }

    async fn called(&self, call: Call<'_>) -> ToolOutcome {
        let called = self.servers.call(McpCall {
            server: &self.server,
            tool: &self.own,
            accepted: Some(&self.digest),
            args: call.args.clone(),
            stop: &call.stop,
            progress: call.progress,
        });
        let mut answer = match Box::pin(called).await {
            Ok(answer) => answer,
            Err(McpError::Aborted) => return ToolOutcome::Aborted,
            Err(error) => return failure(&error),
        };
        for picture in answer.content.pictures_mut() {
            let kept = self.artifacts.put(picture.data.0.as_deref().unwrap_or_default());
            match kept {
                Ok(artifact) => picture.uri = artifact.uri,
                Err(error) => return ToolOutcome::failed(format!("the picture could not be kept: {error}")),
            }
        }
        if !answer.failed {
            return ToolOutcome::done(answer.content);
        }
        let words = answer.content.into_words();
        ToolOutcome::failed(if words.is_empty() { "the tool failed and did not say why".to_owned() } else { words })
    }
}

/// What a call of a server's tool would do, for the gate: nobody knows, unless the user takes it for a reader.
pub fn action_of(args: &Args, trusted: bool) -> Action {
    let read_only = if trusted { ReadOnly::Yes } else { ReadOnly::Unknown };
    Action { family: Family::Tool, subjects: vec![Value::Object(args.clone()).to_string()], read_only }
}

/// A call in one line, for people.
pub fn title_of(server: &str, own: &str, args: &Args) -> String {
    cut(&format!("{server}.{own} {}", Value::Object(args.clone())), TITLE).to_owned()
}

fn failure(error: &McpError) -> ToolOutcome {
    let hint = match error {
        McpError::Changed { .. } => "the user has to accept the new definition first",
        McpError::Login { .. } => "the user has to log in to it",
        McpError::Told { code: -32602, .. } => "check the tool's schema",
        McpError::Late { .. } => "ask for less at once, or do without it",
        McpError::Down { .. } | McpError::Resting { .. } | McpError::Refused { .. } => "do without it",
        _ => return ToolOutcome::failed(error.to_string()),
    };
    ToolOutcome::failed_with(error.to_string(), hint)
}

impl Tool for McpTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn action(&self, args: &Args) -> Action {
        action_of(args, self.trusted)
    }

    fn title(&self, args: &Args, _action: &Action) -> String {
        title_of(&self.server, &self.own, args)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(self.called(call))
    }
}

/// The tools of several servers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GatheredTools {
    /// Each with its server, in the order of the servers and of their lists.
    pub taken: Vec<(String, ListedTool)>,
    /// Those whose name is that of another server's tool, or looks like it; each with its server.
    pub left_out: Vec<(String, LeftOut)>,
}

/// Puts the tools of servers together.
pub fn gathered(listings: &[(&str, &ServerListing)]) -> GatheredTools {
    let mut seen: HashMap<String, &str> = HashMap::new();
    let mut out = GatheredTools::default();
    for (server, listing) in listings {
        for tool in listing.tools.iter().flatten() {
            let look = look(tool.name.as_str());
            if let Some(other) = seen.get(&look) {
                let reason = format!("its name is that of a tool of `{other}`, or looks like it");
                out.left_out.push(((*server).to_owned(), LeftOut { name: tool.own.clone(), reason }));
            } else {
                seen.insert(look, server);
                out.taken.push(((*server).to_owned(), tool.clone()));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::gathered;
    use crate::listing::{ServerListing, Taking};
    use crate::spec::ServerLimits;
    use serde_json::json;

    fn listing(server: &str, tool: &str) -> ServerListing {
        let limits = ServerLimits::default();
        let tool = serde_json::from_value(json!({"name": tool, "inputSchema": {}})).unwrap();
        let listed = Taking::new(server, &limits).tool(&tool);
        ServerListing { tools: Some(listed.into_iter().collect()), ..ServerListing::default() }
    }

    #[test]
    fn a_server_cannot_speak_for_another() {
        let (one, other) = (listing("a", "b__c"), listing("a__b", "c"));
        let all = gathered(&[("a", &one), ("a__b", &other)]);
        assert_eq!(all.taken.iter().map(|(server, _)| server.as_str()).collect::<Vec<_>>(), ["a"]);
        let (server, left) = &all.left_out[0];
        assert_eq!((server.as_str(), left.name.as_str()), ("a__b", "c"));
        assert!(left.reason.contains("`a`"), "{left:?}");
    }
}
