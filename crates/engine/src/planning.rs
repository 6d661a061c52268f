//! Plan mode: the gate lets nothing through that changes something, and the model is told so with what is said next.
//! The tools and the system prompt stay as they are.

use crate::acting::Actor;
use reasonix_proto::Mode;

/// What the model reads when plan mode begins.
const ON: &str = "[Plan mode is on. Read, search and run commands that change nothing; everything else is refused, and \
a refused call must not be tried again. When you know enough, hand in a plan with submit_plan and wait.]";

/// The same where it cannot hand one in.
const ON_WITHOUT_TOOL: &str = "[Plan mode is on. Read, search and run commands that change nothing; everything else is \
refused, and a refused call must not be tried again. When you know enough, give the plan as your answer.]";

/// What the model reads when it ended without a plan.
const OFF: &str = "[Plan mode is off: you may change things again, as far as the user allows.]";

impl Actor {
    /// What the model has to be told about the mode with the next prompt.
    pub(crate) fn mode_note(&self) -> Option<&'static str> {
        let (mode, news) = {
            let state = self.desk.book.state();
            (state.mode, state.mode != state.told || (state.mode == Mode::Plan && state.approved))
        };
        let hands_in = self.prefix.borrow().tools.iter().any(|tool| tool.traits.plans);
        news.then_some(match mode {
            Mode::Plan if hands_in => ON,
            Mode::Plan => ON_WITHOUT_TOOL,
            Mode::Build => OFF,
        })
    }
}
