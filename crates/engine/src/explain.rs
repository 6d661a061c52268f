//! What a session would do with a command, told without starting one.

use reasonix_agent::Sink;
use reasonix_assembly::roster::begins_as;
use reasonix_gate::{AgentStanding, Approvals, Explained, GateStanding, Stance};
use reasonix_proto::Event;
use reasonix_tools::{Bash, ShellOptions};
use reasonix_world::confine::confinement;
use reasonix_world::error::EngineError;
use reasonix_world::spec::Start;
use std::sync::Arc;

/// Judges commands as a session of this start would, without starting one.
pub struct Explainer {
    gate: Approvals,
    tool: Bash,
}

struct Nobody;

impl Sink for Nobody {
    fn emit(&self, _: Event) {}
}

impl Explainer {
    /// By the settings of this start.
    pub fn new(start: &Start) -> Result<Self, EngineError> {
        let confinement = confinement(&start.world.settings, &start.workspace, &start.world.home);
        let standing = GateStanding::new(&start.given())?.confined(&confinement);
        let agent = begins_as(start)?;
        let stance = Stance { agent: Arc::from(agent.name.as_str()), ..Stance::default() };
        let gate = Approvals::new(standing, start.workspace.clone(), stance, Arc::new(Nobody));
        gate.know_agent(AgentStanding::new(&agent, start.workspace.root())?);
        Ok(Self { gate, tool: Bash::new(ShellOptions::at(start.workspace.root())) })
    }

    /// What would happen to this command.
    pub fn explain(&self, line: &str) -> Explained {
        self.gate.explain(&self.tool, line)
    }
}
