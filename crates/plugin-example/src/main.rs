//! A small MCP server, as a template for your own: two tools, a prompt and a resource, over stdin and stdout. Copy this file
//! and its manifest, and change what is inside.
//!
//! It speaks both eras of the protocol without doing anything for it: the SDK answers `server/discover` of the revision
//! 2026-07-28 and `initialize` of those before it. Two rules are all there is to keep to:
//!
//! - **Nothing but messages goes to stdout.** What you want to say to people goes to stderr; Reasonix keeps the end of it and
//!   shows it when the server fails.
//! - **A failure that the model can act on is a result, not an error of the protocol**: return `Err(text)` from a tool, and
//!   the model reads the text.

use rmcp::handler::server::router::prompt::PromptRouter;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{
    Implementation, ListResourcesResult, PaginatedRequestParams, PromptMessage, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, Role, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt, prompt, prompt_handler, prompt_router, tool, tool_handler,
    tool_router,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The address of the resource.
const README: &str = "example://readme";

/// The server. What its tools share belongs here.
#[derive(Clone)]
struct Example {
    tool_router: ToolRouter<Self>,
    prompt_router: PromptRouter<Self>,
}

/// The arguments of `echo`. Comments on fields are told to the model.
#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What is to be said again.
    text: String,
}

/// The arguments of `wordcount`.
#[derive(Deserialize, JsonSchema)]
struct WordCount {
    /// The text whose words are counted.
    text: String,
}

/// What `wordcount` gives: its schema is told to clients, and the result comes as `structuredContent` too.
#[derive(Serialize, JsonSchema)]
struct Counted {
    /// Words, between blanks.
    words: usize,
    /// Lines.
    lines: usize,
    /// Characters.
    characters: usize,
}

/// The arguments of the prompt `summarise`.
#[derive(Deserialize, JsonSchema)]
struct Summarise {
    /// What is to be summed up.
    topic: String,
}

#[tool_router]
impl Example {
    fn new() -> Self {
        Self { tool_router: Self::tool_router(), prompt_router: Self::prompt_router() }
    }

    #[tool(description = "Says a text again.", annotations(read_only_hint = true))]
    fn echo(&self, Parameters(Echo { text }): Parameters<Echo>) -> String {
        text
    }

    #[tool(description = "Counts the words, lines and characters of a text.", annotations(read_only_hint = true))]
    fn wordcount(&self, Parameters(WordCount { text }): Parameters<WordCount>) -> Result<Json<Counted>, String> {
        if text.trim().is_empty() {
            return Err("there is no word in it".to_owned());
        }
        let (words, lines) = (text.split_whitespace().count(), text.lines().count());
        Ok(Json(Counted { words, lines, characters: text.chars().count() }))
    }
}

#[prompt_router]
impl Example {
    #[prompt(description = "Asks for a summary in three sentences.")]
    async fn summarise(&self, Parameters(Summarise { topic }): Parameters<Summarise>) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(Role::User, format!("Sum up in three sentences: {topic}"))]
    }
}

#[tool_handler(router = self.tool_router)]
#[prompt_handler(router = self.prompt_router)]
impl ServerHandler for Example {
    fn get_info(&self) -> ServerConfig {
        let can = ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources().build();
        ServerConfig::new(can)
            .with_server_info(Implementation::new("reasonix-plugin-example", env!("CARGO_PKG_VERSION")))
            .with_instructions("A template: `echo` says a text again, `wordcount` counts its words.")
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let readme = Resource::new(README, "readme").with_mime_type("text/markdown");
        Ok(ListResourcesResult::with_all_items(vec![readme.with_description("What this server is.")]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != README {
            return Err(ErrorData::resource_not_found(format!("there is no {}", request.uri), None));
        }
        let text = "# Example\n\nTwo tools, a prompt and this page.\n";
        let page = ResourceContents::text(text, README).with_mime_type("text/markdown");
        Ok(ReadResourceResult::new(vec![page]).into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let running = Example::new().serve(rmcp::transport::stdio()).await?;
    running.waiting().await?;
    Ok(())
}
