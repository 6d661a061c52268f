//! Which model a subagent works with.

use super::Kin;
use reasonix_agent::Model;
use reasonix_assembly::roster::{own_model, roster_of, sampled};
use reasonix_proto::AgentProfile;
use reasonix_world::World;
use reasonix_world::error::EngineError;
use std::sync::Arc;

/// The model: the profile's own, the one that the settings have for it, or the session's.
pub(super) fn model_of(kin: &Kin, world: &World, profile: &AgentProfile) -> Result<Arc<dyn Model>, EngineError> {
    match own_model(world, profile) {
        Ok(Some(model)) => return Ok(model),
        Ok(None) => {}
        Err(phrase) => kin.outbox.warn(phrase),
    }
    let world = sampled(world, profile);
    let settings = &world.settings.agent;
    let named = settings.subagent_models.iter().find(|(name, _)| name.eq_ignore_ascii_case(&profile.name));
    let named = named.map(|(_, model)| model).or(settings.subagent_model.as_ref());
    if let Some(reference) = named.filter(|reference| !reference.is_empty()) {
        return world.model(&world.settings.resolve_model(reference)?);
    }
    let (model, effort) = kin.asks();
    world.model_thinking(&model, effort.as_deref())
}

/// The session's own model, as it answers while its agent is at work.
pub(super) fn session_model(kin: &Kin, world: &World) -> Result<Arc<dyn Model>, EngineError> {
    let roster = roster_of(&kin.start, &kin.trust);
    let acting = roster.named(&kin.root.state().agent).cloned().unwrap_or_default();
    if let Ok(Some(model)) = own_model(world, &acting) {
        return Ok(model);
    }
    let (model, effort) = kin.asks();
    sampled(world, &acting).model_thinking(&model, effort.as_deref())
}
