//! Files that extend Reasonix: skills, commands, agents, rules and hooks, and the bundles that carry them together. This room finds
//! them, reads them within bounds, says what is
//! wrong with them and fills them in; the texts that come with the binary are here too. It runs nothing, decides nothing about
//! permission or trust, and of skills and commands reads no more than the head of a
//! file until somebody uses it.

mod agents;
mod automaton;
mod bundle;
mod bundled;
mod command;
mod docs;
mod expand;
mod file;
mod find;
mod flaw;
mod front;
pub mod hooks;
mod index;
mod names;
mod pattern;
mod roster;
mod rulebook;
mod shelf;
mod skill;
mod stream;
mod terms;

pub use agents::FoundAgents;
pub use bundle::{
    Bundle, BundleBound, BundleFault, BundleFile, BundleLayout, BundlePin, BundlePins, FoundBundles, bundle_files,
    bundles_folder, found_bundles,
};
pub use command::CustomCommand;
pub use docs::{OwnDoc, doc_at};
pub use expand::{CommandPiece, filled, filled_where_named, pieces};
pub use file::small_file;
pub use find::agent_of_file;
pub use flaw::{ExtensionFlaw, FlawKind};
pub use index::index;
pub use names::{BroughtBy, ShadowedExtension};
pub use roster::{Roster, agent_note, is_builtin_agent};
pub use rulebook::{FoundRules, RuleText, RulesChapter, rule_at};
pub use shelf::{ExtensionPlaces, FoundCommands, FoundSkills, Shelf};
pub use skill::{Skill, SkillFork};
pub use stream::{StreamHit, StreamRules, StreamSource, StreamWatch};
pub use terms::{InterruptMode, StreamTerms};
