//! How strict a session is, for the gate.

use reasonix_proto::{Mode, Posture};
use std::sync::Arc;

/// How strict a session is at the moment.
#[derive(Debug, Clone, Default)]
pub struct Stance {
    /// What the model may do.
    pub mode: Mode,
    /// How much is asked.
    pub posture: Posture,
    /// What the posture alone would ask about may run: it belongs to a plan that was approved.
    pub trusted: bool,
    /// What changes something is asked about, whatever the posture: so said whoever approved the plan.
    pub asks: bool,
    /// The agent that is at work; empty for none.
    pub agent: Arc<str>,
}

/// Knows how strict a session is; asked at each decision.
pub trait Stands: Send + Sync {
    /// How strict it is now.
    fn stance(&self) -> Stance;
}

impl Stands for Stance {
    fn stance(&self) -> Stance {
        self.clone()
    }
}
