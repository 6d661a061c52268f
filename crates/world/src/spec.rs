//! What a session is asked to be, before there is one.

use crate::world::World;
use reasonix_config::{ConfigError, ModelRef, RulesFile, Settings, path_rules};
use reasonix_gate::Given;
use reasonix_policy::Rule;
use reasonix_proto::RecordId;
use reasonix_workspace::Workspace;

/// What a session starts from.
#[derive(Clone)]
pub struct Start {
    /// What is outside of it.
    pub world: World,
    /// The files the session may touch.
    pub workspace: Workspace,
    /// Rules files, in order.
    pub rules: Vec<RulesFile>,
    /// The model reference; the session's own or the default when none.
    pub model: Option<String>,
    /// The agent that is to be at work; the session's own or the default when none.
    pub agent: Option<String>,
    /// More text for the end of the system prompt.
    pub append_system: Option<String>,
    /// Which session.
    pub which: Which,
    /// True when a person can answer questions.
    pub attended: bool,
    /// Rules that answer for a person in this run.
    pub approve: Vec<String>,
}

impl Start {
    /// The rules that deny to read some files; they hold for what a person names in a prompt too. With `asked` also those that
    /// would ask, for words that are nobody's here.
    pub fn denied(&self, asked: bool) -> Vec<Rule> {
        let permissions = &self.world.settings.permissions;
        let mut rules = path_rules(&permissions.deny, self.workspace.root());
        if asked {
            rules.extend(path_rules(&permissions.ask, self.workspace.root()));
        }
        rules
    }

    /// What the gate has to know of it.
    pub fn given(&self) -> Given<'_> {
        Given {
            settings: &self.world.settings,
            home: &self.world.home,
            workspace: &self.workspace,
            attended: self.attended,
            approve: &self.approve,
        }
    }

    /// The model that this names, or the default.
    pub fn named_model(&self) -> Result<ModelRef<'_>, ConfigError> {
        match &self.model {
            Some(reference) => self.world.settings.resolve_model(reference),
            None => self.world.settings.default_model(),
        }
    }
}

/// Which session to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// A new one.
    New,
    /// A new one that leaves nothing on disk.
    Unkept,
    /// The last one of this folder; a new one when there is none.
    Continue,
    /// This one: its id, the beginning or the end of it, or the path of its file.
    Resume(String),
    /// A copy of this one, up to a record or whole.
    Fork {
        /// The other session, named as in `Resume`.
        session: String,
        /// The last record that is copied; the whole active branch when none.
        at: Option<RecordId>,
    },
}

/// Whether conversations with this model are folded by themselves.
pub fn folds(settings: &Settings, model: &str) -> bool {
    settings.compaction.auto && settings.resolve_model(model).is_ok_and(|found| settings.folds(&found))
}
