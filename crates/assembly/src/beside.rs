//! What sessions begin with that work for another one: a planner, a subagent. They have no history and a prefix of their own.

use crate::recall::remembered;
use reasonix_agent::ToolSpec;
use reasonix_proto::{Origin, RECORD_VERSION, SessionHead, SessionId};
use reasonix_world::editing::edits_with;
use reasonix_world::prompt::{PromptSources, assemble};
use reasonix_world::spec::Start;

/// What one of them is told and is.
#[derive(Default)]
pub struct Beside<'a> {
    /// The first words of its system prompt.
    pub base: &'a str,
    /// The index of skills, where it can read them.
    pub skills: &'a str,
    /// Its model as `provider/model`, and what that can see.
    pub model: &'a str,
    /// How much that can see, in tokens.
    pub window: u64,
    /// The session that it works for.
    pub from: Option<Origin>,
    /// The agent that it works as.
    pub agent: Option<String>,
    /// What its commands are held to; empty where it has none.
    pub sandbox: &'a str,
    /// What it is told of its tools.
    pub tools: &'a [ToolSpec],
}

impl Beside<'_> {
    /// The head of its session.
    pub fn head(self, start: &Start) -> SessionHead {
        let cwd = start.workspace.root();
        let draft = assemble(&PromptSources {
            base: self.base,
            cwd: Some(cwd),
            files: &start.rules,
            memory: &remembered(start),
            skills: self.skills,
            appended: start.append_system.as_deref(),
            window: self.window,
            ..PromptSources::default()
        });
        SessionHead {
            v: RECORD_VERSION,
            session: SessionId::fresh(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            cwd: cwd.display().to_string(),
            model: self.model.to_owned(),
            system: draft.system,
            tools: Vec::new(),
            specs: None,
            edit: edits_with(&start.world.settings, self.tools),
            sandbox: if self.sandbox.is_empty() { "off" } else { self.sandbox }.to_owned(),
            from: self.from,
            parts: draft.parts,
            agent: self.agent,
        }
    }
}
