//! What a start would send, without starting anything.

use super::opening::imported_head;
use super::toolset::{Had, specs_of};
use crate::context::parts;
use reasonix_assembly::roster::begins_as;
use reasonix_config::ModelRef;
use reasonix_proto::{Phrase, Reply};
use reasonix_servers::fleet::Fleet;
use reasonix_session::{History, Past};
use reasonix_world::editing::{as_begun, settled};
use reasonix_world::endpoint_of;
use reasonix_world::error::EngineError;
use reasonix_world::spec::Start;

/// What the context of a session on disk consists of; of a new one when none is given.
pub fn context_of(start: &Start, past: Option<&Past>) -> Result<Reply, EngineError> {
    let unreadable = |error| EngineError::Settings(Phrase::new("engine.log_unreadable").with("reason", error));
    let mut history = match past {
        Some(past) => past.history().map_err(unreadable)?,
        None => History::default(),
    };
    let tools = match &history.head {
        Some(head) => {
            let had = past.map(|past| Had::of(head, past).0);
            specs_of(&as_begun(start.clone(), &start.world.settings.tools.edit, head), had.as_ref(), &Fleet::new(start))
        }
        None => {
            let (start, _) = settled(start.clone())?;
            let head = imported_head(&start)?.unkept();
            history.model.clone_from(&head.model);
            history.head = Some(head);
            let agent = begins_as(&start)?;
            let mut specs = specs_of(&start, None, &Fleet::new(&start));
            specs.retain(|spec| agent.has(&spec.name));
            specs
        }
    };
    let world = &start.world;
    let seen = |found: &ModelRef<'_>| endpoint_of(&world.settings, found, &world.env, &world.home).window;
    let window = world.settings.resolve_model(&history.model).map(|found| seen(&found));
    let parts = parts(&history, &tools).map_err(unreadable)?;
    Ok(Reply::Context { parts, context: history.context, window: window.unwrap_or_default() })
}
