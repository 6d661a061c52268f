//! A tool of a server, as the loop calls it: told as it was last defined, called as it is defined now, and only where that is
//! what a person accepted.

use super::member::Member;
use reasonix_agent::{Args, Artifacts, BoxFuture, Call, Tool, ToolSpec};
use reasonix_mcp::{ListedTool, McpTool, action_of, title_of};
use reasonix_proto::{Action, ToolOutcome};
use std::sync::Arc;

/// A tool of a server.
pub(super) struct ServerTool {
    member: Arc<Member>,
    own: String,
    spec: ToolSpec,
    trusted: bool,
    artifacts: Arc<dyn Artifacts>,
}

impl ServerTool {
    pub(super) fn new(member: &Arc<Member>, listed: &ListedTool, artifacts: &Arc<dyn Artifacts>) -> Self {
        let trusted = member.trusts(&listed.own);
        let spec = listed.spec(&member.name, trusted);
        let (member, artifacts) = (Arc::clone(member), Arc::clone(artifacts));
        Self { member, own: listed.own.clone(), spec, trusted, artifacts }
    }

    async fn called(&self, call: Call<'_>) -> ToolOutcome {
        let server = &self.member.name;
        let Some(listed) = self.member.defined(&self.own) else {
            let message = format!("the MCP server {server} has no tool {} any more", self.own);
            return ToolOutcome::failed_with(message, "find_tool shows what it has now");
        };
        // It may have changed again since the gate looked at it.
        if self.redefined().is_some() {
            let message =
                format!("the MCP server {server} changed the definition of {} since it was accepted", self.own);
            return ToolOutcome::failed_with(message, "the user has to accept the new definition first");
        }
        self.member.accept(&listed).await;
        let tool = McpTool::new(self.member.servers(), server, &listed, self.trusted, &self.artifacts);
        let outcome = tool.run(call).await;
        // What it turned out to have is what the next question is about.
        self.member.note().await;
        outcome
    }
}

impl Tool for ServerTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn redefined(&self) -> Option<String> {
        self.member.redefined(&self.own)
    }

    fn says_it_reads(&self) -> bool {
        self.member.defined(&self.own).is_some_and(|listed| listed.says_it_reads())
    }

    fn accept(&self, diff: &str) {
        self.member.accept_difference(&self.own, diff);
    }

    fn action(&self, args: &Args) -> Action {
        action_of(args, self.trusted)
    }

    fn title(&self, args: &Args, _action: &Action) -> String {
        title_of(&self.member.name, &self.own, args)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(self.called(call))
    }
}
