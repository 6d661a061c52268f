//! What sessions begin with that work for another one: a planner, a subagent. They have no history and a prefix of their own.

use crate::editing::edits_with;
use crate::prompt::{Sources, assemble};
use crate::recall::remembered;
use crate::spec::Start;
use reasonix_agent::ToolSpec;
use reasonix_proto::{Origin, RECORD_VERSION, SessionHead, SessionId};

/// What one of them is told and is.
#[derive(Default)]
pub(crate) struct Beside<'a> {
    /// The first words of its system prompt.
    pub(crate) base: &'a str,
    /// The index of skills, where it can read them.
    pub(crate) skills: &'a str,
    /// Its model as `provider/model`, and what that can see.
    pub(crate) model: &'a str,
    pub(crate) window: u64,
    /// The session that it works for.
    pub(crate) from: Option<Origin>,
    /// The agent that it works as.
    pub(crate) agent: Option<String>,
    /// What its commands are held to; empty where it has none.
    pub(crate) sandbox: &'a str,
    /// What it is told of its tools.
    pub(crate) tools: &'a [ToolSpec],
}

impl Beside<'_> {
    /// The head of its session.
    pub(crate) fn head(self, start: &Start) -> SessionHead {
        let cwd = start.workspace.root();
        let draft = assemble(&Sources {
            base: self.base,
            cwd: Some(cwd),
            files: &start.rules,
            memory: &remembered(start),
            skills: self.skills,
            appended: start.append_system.as_deref(),
            window: self.window,
            ..Sources::default()
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
