//! What a system prompt begins with: the words of the agent at work, or those of the settings.

use crate::router::{MARKER_PROMPT, Target};
use reasonix_assembly::roster::words_of;
use reasonix_proto::{AgentProfile, EditFormat};
use reasonix_world::error::EngineError;
use reasonix_world::format_of;
use reasonix_world::prompt::{BASE_PROMPT, BLOCKS_PROMPT, base_part};
use reasonix_world::spec::Start;

/// The first part of the system prompt while this agent is at work.
pub(crate) fn base_of(start: &Start, agent: &AgentProfile) -> Result<String, EngineError> {
    let model = start.named_model()?.name();
    Ok(base_part(&base_words(start, agent, &model), Some(start.workspace.root())))
}

/// The words of the agent, or those of the settings, with what the model has to know beside them.
pub(crate) fn base_words(start: &Start, agent: &AgentProfile, model: &str) -> String {
    let settings = &start.world.settings;
    let brought = settings.trust.prompt().map(|(text, _)| text);
    let own = brought.as_deref().or(settings.agent.system_prompt.as_deref());
    let mut base = words_of(start, agent, own.unwrap_or(BASE_PROMPT));
    let escalates = Target::of(settings, model).is_some_and(|target| target.auto);
    let blocks = format_of(settings) == Some(EditFormat::Blocks);
    let more = [blocks.then_some(BLOCKS_PROMPT), escalates.then_some(MARKER_PROMPT), thinking_in(settings)];
    for more in more.into_iter().flatten() {
        base.push_str("\n\n");
        base.push_str(more.trim_end());
    }
    base
}

/// What the model is told of the language that it should think in.
fn thinking_in(settings: &reasonix_config::Settings) -> Option<&'static str> {
    match settings.agent.reasoning_language.as_str() {
        "zh" => {
            Some("Think in Chinese: your reasoning is shown to the user. The answer keeps the language of the user.")
        }
        "en" => {
            Some("Think in English: your reasoning is shown to the user. The answer keeps the language of the user.")
        }
        _ => None,
    }
}
