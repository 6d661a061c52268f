//! Everything the user wrote on disk: layered settings with their origins, providers, keys and rules files.
//! Takes the environment and the folders from its caller; keeps no state and connects to nothing.

mod agent;
mod env;
mod error;
mod expand;
mod files;
mod guard;
mod jsonc;
mod lines;
mod merge;
mod model_ref;
mod node;
mod origin;
mod permissions;
mod plugins;
mod providers;
mod read;
mod resolve;
mod rules;
pub mod schema;
mod secrets;
mod sections;
mod settings;
mod shape;
mod show;
mod sources;
mod toml;
mod unknown;
mod view;
mod write;

pub use env::{ENV_PROVIDER, no_color};
pub use error::{ConfigError, Unreadable};
pub use expand::{Unset, expand};
pub use model_ref::ModelRef;
pub use origin::{Layer, Origin, Origins, Shown};
pub use resolve::{Loaded, load};
pub use rules::{Rules, RulesFile, rules_files};
pub use secrets::{Secret, api_key};
pub use settings::{
    Agent, AskSettings, Bash, Cache, Compaction, Logs, Mode, Net, Permissions, Plugin, Price, Profile, Provider,
    Sandbox, Serve, Settings, Shell, Skills, Tools, Transport,
};
pub use sources::{Flags, Sources};
pub use write::{NewProvider, save_key, save_rule, set_default_provider};
