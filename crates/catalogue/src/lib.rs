//! What is known about endpoints and models: presets, compatibility profiles, windows, prices. Constant data and pure
//! look-ups: nothing is read, downloaded or parsed at start, and no vendor has code of its own.

mod canonical;
mod compat;
mod effort;
mod models;
mod presets;
mod probed;
mod profiles;
mod rules;
mod tokens;

pub use canonical::{canonical, plain};
pub use compat::{
    Auth, CacheRetention, Compat, Guided, MaxTokens, OWN_FIELDS, Overrides, ReasoningBack, ReasoningField, Structured,
    StructuredWhen, Thinking, ToolIds, Wire,
};
pub use effort::{Effort, EffortNames, split};
pub use models::{Known, MODELS, known};
pub use presets::{PRESETS, Preset, balance_route, preset, preset_for};
pub use probed::{PROBE_VERSION, Probed, Seen, Server, ToolCalls};
pub use profiles::{MODEL_PROFILES, PresetProfile, ROLES, model_profile};
pub use rules::compat;
pub use tokens::{RoleToken, role_tokens};
