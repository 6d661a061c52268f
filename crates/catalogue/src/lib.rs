//! What is known about endpoints and models: presets, compatibility profiles, windows, prices. Constant data, what the user
//! brought in before it, and pure look-ups: nothing is read or downloaded here, and no vendor has code of its own.

mod brought;
mod canonical;
mod compat;
mod effort;
mod makers;
mod models;
mod presets;
mod probed;
mod profiles;
mod rows;
mod rules;
mod tokens;

pub use brought::Catalogue;
pub use canonical::plain;
pub use compat::{
    Auth, CacheRetention, Compat, Guided, MaxTokens, OWN_FIELDS, Overrides, ReasoningBack, ReasoningField, Structured,
    StructuredWhen, Thinking, ToolIds, Wire,
};
pub use effort::{Effort, EffortNames, split};
pub use models::{BUILT_IN_DATE, Known, MODELS, canonical, known};
pub use presets::{PRESETS, Preset, balance_route, preset, preset_for};
pub use probed::{PROBE_VERSION, Probed, Seen, Server, ToolCalls};
pub use profiles::{MODEL_PROFILES, PresetProfile, ROLES, model_profile};
pub use rows::{CATALOGUE_VERSION, CatalogueFile, CatalogueFlaw, ModelRow, Served};
pub use rules::compat;
pub use tokens::{RoleToken, addresses, role_tokens};
