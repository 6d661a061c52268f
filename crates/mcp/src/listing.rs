//! What a server has, as it is shown, sent and pinned.

use crate::names::{McpName, cut, look};
use crate::schema::repair;
use crate::spec::ServerLimits;
use reasonix_agent::{ToolSpec, ToolTraits};
use reasonix_proto::unhidden;
use rmcp::model::{Prompt, Resource, ResourceTemplate, Tool};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// What a server has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerListing {
    /// The revision of the protocol that was agreed on.
    pub protocol: String,
    /// What it calls itself, and its version.
    pub about: Option<(String, String)>,
    /// What it says it can, as it says it; bounded.
    pub capabilities: Value,
    /// How to use it, in its own words: data, not instructions of ours. Bounded.
    pub instructions: Option<String>,
    /// Its tools; none where it says that it has no such thing.
    pub tools: Option<Vec<ListedTool>>,
    /// Its prompts, likewise.
    pub prompts: Option<Vec<ListedPrompt>>,
    /// Its resources, likewise.
    pub resources: Option<Vec<ListedResource>>,
    /// What it offers and what is not taken.
    pub left_out: Vec<LeftOut>,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListedTool {
    /// The name that models and rules use.
    pub name: McpName,
    /// The server's own name for it.
    pub own: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it does, in the server's words. Bounded.
    pub description: String,
    /// The schema of its arguments, repaired.
    pub schema: Value,
    /// What the server says of it; nobody has to believe it.
    pub hints: Value,
    /// By content, as it came: another digest is another tool.
    pub digest: String,
}

impl ListedTool {
    /// True when the server calls it a reader. Only a person can make that count.
    pub fn says_it_reads(&self) -> bool {
        self.hints.get("readOnlyHint").and_then(Value::as_bool) == Some(true)
    }
}

impl ListedTool {
    /// The tool as the model is told of it: whose words these are comes first. `trusted` says that the user takes it for a
    /// reader, whatever the server says.
    pub fn spec(&self, server: &str, trusted: bool) -> ToolSpec {
        let words = self.description.trim();
        let words = if words.is_empty() { self.title.as_deref().unwrap_or(&self.own) } else { words };
        let traits = if trusted { ToolTraits::READS } else { ToolTraits::NONE };
        let description = format!("[MCP server {server}] {words}");
        ToolSpec::new(self.name.as_str(), description, self.schema.clone()).with(traits)
    }
}

/// A prompt of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedPrompt {
    /// The name of its command, without the line before it.
    pub name: McpName,
    /// The server's own name for it.
    pub own: String,
    /// What it is for.
    pub description: String,
    /// What it takes, by position.
    pub arguments: Vec<ListedArgument>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedArgument {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// It has to be given.
    pub required: bool,
}

/// A resource of a server, or a template for many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedResource {
    /// Its address, or the template of addresses.
    pub uri: String,
    /// A name for people.
    pub name: String,
    /// What it is.
    pub description: String,
    /// Such as `text/markdown`.
    pub media: Option<String>,
    /// It is a template: values have to be put in.
    pub template: bool,
}

/// Something that a server offers and that is not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// What it is called, made visible and cut.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// How a tool differs from what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChange {
    /// It was not there.
    New,
    /// Its description, schema or hints are others.
    Other,
    /// It is gone.
    Gone,
}

impl ServerListing {
    /// A tool by the server's own name for it.
    pub fn tool(&self, own: &str) -> Option<&ListedTool> {
        self.tools.iter().flatten().find(|tool| tool.own == own)
    }

    /// How the tools differ from digests that were kept, by the server's own names.
    pub fn changes(&self, kept: &[(String, String)]) -> Vec<(String, ToolChange)> {
        let tools = || self.tools.iter().flatten();
        let before = |own: &str| kept.iter().find(|(name, _)| name == own).map(|(_, digest)| digest);
        let now = tools().filter_map(|tool| match before(&tool.own) {
            None => Some((tool.own.clone(), ToolChange::New)),
            Some(digest) if *digest != tool.digest => Some((tool.own.clone(), ToolChange::Other)),
            Some(_) => None,
        });
        let gone = kept.iter().filter(|(name, _)| tools().all(|tool| tool.own != *name));
        now.chain(gone.map(|(name, _)| (name.clone(), ToolChange::Gone))).collect()
    }
}

/// Takes what a server lists, within limits; what is not taken is kept by name.
pub(crate) struct Taking<'a> {
    server: &'a str,
    limits: &'a ServerLimits,
    /// What was taken, by its look.
    seen: HashMap<String, String>,
    pub(crate) left_out: Vec<LeftOut>,
    /// How many were left out without being named.
    unnamed: usize,
}

/// How many are named; a server can list as many as it likes.
const MOST_NAMED: usize = 64;
const MOST_ARGUMENTS: usize = 32;

impl<'a> Taking<'a> {
    pub(crate) fn new(server: &'a str, limits: &'a ServerLimits) -> Self {
        Self { server, limits, seen: HashMap::new(), left_out: Vec::new(), unnamed: 0 }
    }

    pub(crate) fn leave_out(&mut self, name: &str, reason: impl Into<String>) {
        if self.left_out.len() < MOST_NAMED {
            let name = cut(&reasonix_proto::visible(name), 120).to_owned();
            self.left_out.push(LeftOut { name, reason: cut(&reason.into(), 400).to_owned() });
        } else {
            self.unnamed += 1;
        }
    }

    /// All that was left out.
    pub(crate) fn done(mut self) -> Vec<LeftOut> {
        if self.unnamed > 0 {
            self.left_out.push(LeftOut { name: format!("{} more", self.unnamed), reason: "not named".into() });
        }
        self.left_out
    }

    /// The name of something new; says why there is none.
    fn name(&mut self, kind: &str, own: &str) -> Option<McpName> {
        let name = match McpName::of(self.server, own) {
            Ok(name) => name,
            Err(reason) => {
                self.leave_out(own, reason);
                return None;
            }
        };
        let look = format!("{kind} {}", look(name.as_str()));
        if let Some(other) = self.seen.get(&look) {
            let reason = format!("its name is the same as that of `{other}`, or looks like it");
            self.leave_out(own, reason);
            return None;
        }
        self.seen.insert(look, cut(own, 120).to_owned());
        Some(name)
    }

    /// The server's words, bounded and without what nobody sees.
    pub(crate) fn words(&self, text: &str) -> String {
        bounded(text, self.limits.text)
    }

    pub(crate) fn tool(&mut self, tool: &Tool) -> Option<ListedTool> {
        let schema = match repair(&tool.input_schema, self.limits.schema) {
            Ok(schema) => schema,
            Err(reason) => {
                self.leave_out(&tool.name, reason);
                return None;
            }
        };
        let name = self.name("tool", &tool.name)?;
        let hints = serde_json::to_value(&tool.annotations).unwrap_or_default();
        let said = tool.annotations.as_ref().and_then(|hints| hints.title.as_deref());
        Some(ListedTool {
            name,
            own: tool.name.to_string(),
            title: tool.title.as_deref().or(said).map(|title| bounded(title, 200)),
            description: self.words(tool.description.as_deref().unwrap_or_default()),
            schema,
            hints,
            digest: digest(tool),
        })
    }

    pub(crate) fn prompt(&mut self, prompt: &Prompt) -> Option<ListedPrompt> {
        let arguments = prompt.arguments.as_deref().unwrap_or_default();
        if arguments.len() > MOST_ARGUMENTS {
            self.leave_out(&prompt.name, format!("it takes more than {MOST_ARGUMENTS} arguments"));
            return None;
        }
        let name = self.name("prompt", &prompt.name)?;
        let arguments = arguments.iter().map(|argument| ListedArgument {
            name: bounded(&argument.name, 120),
            description: self.words(argument.description.as_deref().unwrap_or_default()),
            required: argument.required == Some(true),
        });
        let arguments = arguments.collect();
        let description = self.words(prompt.description.as_deref().unwrap_or_default());
        Some(ListedPrompt { name, own: prompt.name.clone(), description, arguments })
    }

    pub(crate) fn resource(&mut self, resource: &Resource) -> Option<ListedResource> {
        let text = resource.description.as_deref().unwrap_or_default();
        let media = resource.mime_type.as_deref();
        self.address(&resource.uri, &resource.name, text, media, false)
    }

    pub(crate) fn template(&mut self, template: &ResourceTemplate) -> Option<ListedResource> {
        let text = template.description.as_deref().unwrap_or_default();
        let media = template.mime_type.as_deref();
        self.address(&template.uri_template, &template.name, text, media, true)
    }

    fn address(
        &mut self,
        uri: &str,
        name: &str,
        text: &str,
        media: Option<&str>,
        template: bool,
    ) -> Option<ListedResource> {
        if uri.len() > 2048 || uri.chars().any(|c| c.is_whitespace() || c.is_control()) {
            self.leave_out(uri, "its address is too long or has blanks in it");
            return None;
        }
        let media = media.map(|media| bounded(media, 120));
        let (name, description) = (bounded(name, 200), self.words(text));
        Some(ListedResource { uri: uri.to_owned(), name, description, media, template })
    }
}

/// A text of a server: bounded, without what nobody sees, and with a mark where it was cut.
pub(crate) fn bounded(text: &str, most: usize) -> String {
    let seen = unhidden(text).text;
    if seen.len() <= most { seen.into_owned() } else { format!("{}… [cut]", cut(&seen, most)) }
}

/// A tool's definition by content, whatever the order of its fields.
fn digest(tool: &Tool) -> String {
    let whole = json!({
        "name": tool.name, "title": tool.title, "description": tool.description,
        "input": *tool.input_schema, "output": tool.output_schema, "hints": tool.annotations,
    });
    blake3::hash(ordered(&whole).to_string().as_bytes()).to_hex().to_string()
}

fn ordered(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort();
            let pairs = names.into_iter().filter_map(|name| Some((name.clone(), ordered(fields.get(name)?))));
            Value::Object(pairs.collect::<Map<_, _>>())
        }
        Value::Array(list) => Value::Array(list.iter().map(ordered).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::{ServerListing, Taking, ToolChange};
    use crate::spec::ServerLimits;
    use rmcp::model::Tool;
    use serde_json::json;

    fn tool(name: &str, description: &str) -> Tool {
        serde_json::from_value(json!({"name": name, "description": description, "inputSchema": {"type": "object"}}))
            .unwrap()
    }

    #[test]
    fn look_alikes_are_refused_and_named() {
        let limits = ServerLimits::default();
        let mut taking = Taking::new("files", &limits);
        let names =
            ["read_file", "Read_File", "read-file", "re\u{200b}ad_file", "re\u{430}d_file", "write", "read_file"];
        let taken: Vec<_> =
            names.iter().filter_map(|name| taking.tool(&tool(name, "x"))).map(|tool| tool.own).collect();
        assert_eq!(taken, ["read_file", "write"]);
        let left = taking.done();
        assert_eq!(left.len(), 5, "{left:?}");
        assert!(left.iter().any(|left| left.name.contains("U+200B")), "{left:?}");
        assert!(left.iter().any(|left| left.reason.contains("`read_file`")), "{left:?}");
    }

    #[test]
    fn a_digest_is_of_the_content() {
        let limits = ServerLimits::default();
        let of = |description: &str| Taking::new("s", &limits).tool(&tool("a", description)).unwrap();
        assert_eq!(of("x").digest, of("x").digest);
        assert_ne!(of("x").digest, of("y").digest);
        let listing = ServerListing { tools: Some(vec![of("y")]), ..ServerListing::default() };
        let kept = [("a".to_owned(), of("x").digest), ("b".to_owned(), "old".to_owned())];
        let wanted = [("a".to_owned(), ToolChange::Other), ("b".to_owned(), ToolChange::Gone)];
        assert_eq!(listing.changes(&kept), wanted);
        assert_eq!(listing.changes(&[]), [("a".to_owned(), ToolChange::New)]);
    }

    #[test]
    fn words_of_servers_are_bounded_and_show_what_they_hide() {
        let limits = ServerLimits { text: 100, ..ServerLimits::default() };
        let listed = Taking::new("s", &limits).tool(&tool("a", &format!("a\u{200b}b {}", "x".repeat(500)))).unwrap();
        assert!(listed.description.len() < 130 && listed.description.ends_with("[cut]"), "{}", listed.description);
        assert!(!listed.description.contains('\u{200b}'));
    }
}
