//! The sections: what each holds, and how it is resolved from the tree.

pub(crate) mod agent;
pub(crate) mod ask;
pub(crate) mod branch;
pub(crate) mod budget;
pub(crate) mod cache;
pub(crate) mod compaction;
pub(crate) mod evidence;
pub(crate) mod goal;
pub(crate) mod logs;
pub(crate) mod models;
pub(crate) mod net;
pub(crate) mod permissions;
pub(crate) mod plugins;
pub(crate) mod profiles;
pub(crate) mod providers;
pub(crate) mod recall;
pub(crate) mod record;
pub(crate) mod retention;
pub(crate) mod sandbox;
pub(crate) mod serve;
pub(crate) mod skills;
pub(crate) mod stream_rules;
pub(crate) mod tools;
pub(crate) mod tui;
pub(crate) mod undo;
pub(crate) mod validation;
